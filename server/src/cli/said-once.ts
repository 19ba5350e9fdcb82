/** What a report for people says once in a run: an explanation that many findings share, and all but the first sentence of one that comes again word for word. */
import type { PlacedFinding } from '../analysis/engine';

/** Texts that are kept in mind: of more, every one is told in full. */
const MOST_KEPT = 10_000;

/** Gives each finding of a run, in order, the message that is left to say. */
export function saidOnce(): (finding: PlacedFinding) => PlacedFinding {
  const said = new Set<string>();
  const isNew = (text: string): boolean => {
    if (said.has(text)) return false;
    if (said.size < MOST_KEPT) said.add(text);
    return true;
  };
  return (finding) => {
    const { rule, message, why } = finding;
    if (why !== undefined && message.includes(` ${why}`)) return isNew(`${rule.id} ${why}`) ? finding : finding.withMessage(message.replace(` ${why}`, ''));
    return isNew(`${rule.id} ${message}`) ? finding : finding.withMessage(firstSentence(message));
  };
}

/** Up to a full stop that is in no parentheses or quotes, and with a capital or a name of ours behind it. */
function firstSentence(message: string): string {
  for (const { index } of message.matchAll(/\. (?=[A-Z"<]|httpd |mod_)/g)) {
    const sentence = message.slice(0, index + 1);
    const count = (character: string) => sentence.split(character).length - 1;
    if (count('(') === count(')') && count('"') % 2 === 0) return sentence;
  }
  return message;
}
