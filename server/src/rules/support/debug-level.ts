/**
 * For the two rules about the option `DebugLevel=`. In 2.4, LogLevel for one module replaces it.
 */
import { isVariable, NOTHING, removeLine, removeWord, words } from './edits';
import type { Finding, Fix, LineSubject } from '../rule';

export interface DebugLevelOption {
  /** With the usual capitals. */
  readonly directive: string;
  /** The module's name for LogLevel. */
  readonly module: string;
}

export function debugLevelFindings(subject: LineSubject, { directive, module }: DebugLevelOption): readonly Finding[] {
  const list = words(subject);
  const levels = list.filter((word) => /^debuglevel=/i.test(word.value));
  if (levels.length === 0) return NOTHING;
  const isAlone = levels.length === list.length;
  const edits = isAlone
    ? [removeLine(subject.line)]
    : levels.map((word) => removeWord(subject.line, list.indexOf(word)));
  // httpd reads the value with atoi(): text that is no number is 0.
  const isOff = levels.every(
    (word) => !isVariable(word) && (parseInt(word.value.slice('debuglevel='.length), 10) || 0) <= 0,
  );
  const fix: Fix = isOff
    ? { title: 'Remove DebugLevel', safety: 'safe', edits }
    : { title: 'Remove DebugLevel', safety: 'suggestion', assumes: 'you do not need what DebugLevel logged', edits };
  return levels.map((word) => ({
    messageId: 'debug-level',
    what: `\`${directive}\`: the option \`DebugLevel\` was removed`,
    help: isOff
      ? 'Remove `DebugLevel`. With the value 0 it logged nothing.'
      : `Remove \`DebugLevel\`. For the same log, add \`LogLevel ${module}:trace8\`.`,
    start: word.start,
    end: word.end,
    fixes: [fix],
  }));
}
