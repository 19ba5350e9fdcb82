/** Which messages of the server (messages.ts) a text speaks of. */
import { MESSAGES, type Message } from './messages';

/**
 * The message with that code: `AH01797`, `ah1797`, `1797`. A number that is a status people see
 * (`502`) is no code.
 */
export function messageByCode(term: string): Message | undefined {
  const digits = /^(?:AH)?0*(\d{1,5})$/i.exec(term.trim())?.[1];
  if (digits === undefined || MESSAGES.some(({ isSymptom, aliases }) => isSymptom && aliases?.includes(term.trim())))
    return undefined;
  return MESSAGES.find(({ code }) => code === `AH${digits.padStart(5, '0')}`);
}

/**
 * The messages that a text speaks of: a line copied from a log (its code is enough), the server's
 * words with anything for their variable parts, a piece of them, or words that people search with.
 * The best first; several when they fit alike.
 */
export function messagesIn(text: string): readonly Message[] {
  const coded = [...text.matchAll(/AH\d{5}/g)].flatMap(([code]) => messageByCode(code) ?? []);
  // AH00526 only says where; the line with the reason follows it.
  const telling = coded.filter(({ code }) => code !== 'AH00526');
  if (telling.length > 0) return telling;
  const wanted = simple(text);
  const scored = MESSAGES.map((message) => ({
    message,
    score: message.code === 'AH00526' ? 0 : likeness(message, wanted),
  }));
  const best = Math.max(ENOUGH, ...scored.map(({ score }) => score));
  const fitting = scored.filter(({ score }) => score === best).map(({ message }) => message);
  // The MPMs have the same message under codes of their own.
  const different = fitting.filter(({ meaning }, at) => fitting.findIndex((each) => each.meaning === meaning) === at);
  return different.length > 0 ? different : coded;
}

/**
 * The messages whose words a text is, from its beginning: what the server wrote, without the lead
 * of a log line. Only the parts that differ from case to case (`…`) may be other words. The longest
 * first.
 */
export function messagesOf(words: string): readonly Message[] {
  const wanted = simple(words);
  const fitting = MESSAGES.filter(({ isSymptom }) => !isSymptom).flatMap((message) => {
    const alias = message.aliases?.find((each) => wanted.startsWith(each));
    const isPiece = wanted.length >= ENOUGH * 2 && simple(message.text).startsWith(wanted.replace(/'[^']*'/, "'…'"));
    const length = isPiece ? wanted.length : (alias?.length ?? lengthOf(simple(message.text), wanted));
    return length === 0 ? [] : [{ message, length }];
  });
  const best = Math.max(0, ...fitting.map(({ length }) => length));
  const longest = fitting.filter(({ length }) => length === best).map(({ message }) => message);
  return longest.filter(({ meaning }, at) => longest.findIndex((each) => each.meaning === meaning) === at);
}

/**
 * The same with and without the name of a program before the words, which log-line.ts takes away.
 */
function lengthOf(text: string, words: string): number {
  return Math.max(lengthIn(text, words), text.startsWith('…: ') ? lengthIn(text.slice(3), words) : 0);
}

/**
 * How many letters of the text of a message are in the words of a line, all its fixed parts in
 * their order; 0 where one is missing.
 */
function lengthIn(text: string, words: string): number {
  const parts = text.split('…');
  let from = 0;
  let length = 0;
  for (const [index, part] of parts.entries()) {
    // The end of a message differs in marks only: `.`, `:`.
    const piece = index === parts.length - 1 ? part.replace(/[\s.:!]+$/, '') : part;
    const at = words.indexOf(piece, from);
    if (at === -1 || (index === 0 && at > 0)) return 0;
    from = at + piece.length;
    length += piece.length;
  }
  return length < ENOUGH ? 0 : length;
}

/**
 * The symptoms that people name in a few words of their own (`403 after upgrade`): those with the
 * longest alias in the text first.
 */
export function symptomsIn(text: string): readonly Message[] {
  const wanted = ` ${simple(text)
    .replace(/[^\w.]+/g, ' ')
    .replace(/\.(?= |$)/g, ' ')} `;
  const found = MESSAGES.flatMap((message) => {
    const fitting = message.isSymptom
      ? (message.aliases ?? []).filter((alias) => wanted.includes(` ${alias.replace(/[^\w.]+/g, ' ')} `))
      : [];
    return fitting.length === 0 ? [] : [{ message, length: Math.max(...fitting.map((alias) => alias.length)) }];
  });
  return found.sort((a, b) => b.length - a.length).map(({ message }) => message);
}

/** Fewer letters in common are chance. */
const ENOUGH = 11;

/** How many letters of the message are in the text, its variable parts left out. */
function likeness({ text, aliases = [], isSymptom }: Message, wanted: string): number {
  if (aliases.some((alias) => (isSymptom ? alias === wanted : wanted.includes(alias)))) return 1000;
  const words = simple(text);
  if (wanted.length >= ENOUGH && words.includes(wanted)) return wanted.length + 1;
  if (isSymptom) return 0;
  const pieces = words
    .split('…')
    .map((part) => part.replace(/^[^\w(]+/, '').trim())
    .filter(Boolean);
  let from = 0;
  let score = 0;
  for (const piece of pieces) {
    const at = wanted.indexOf(piece, from);
    if (at === -1) continue;
    from = at + piece.length;
    score += piece.length;
  }
  // Without its beginning, a few words at the end of a message are everybody's.
  const all = pieces.reduce((sum, { length }) => sum + length, 0);
  return wanted.includes(pieces[0] ?? '') || score * 2 >= all ? score : 0;
}

function simple(text: string): string {
  return text.toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ').trim();
}
