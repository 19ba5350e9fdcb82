/** Mutants: a configuration that the server takes, with one thing broken. */
import { lexLines, LineKind, argumentsOf, spelledName, type Line } from '../../../server/src/syntax/line';
import type { Random } from '../../support/random';

export interface Mutant {
  readonly what: string;
  readonly text: string;
}

/** One mutant of a text. Most are refused by the server; some happen to be fine. */
export function mutant(text: string, random: Random): Mutant {
  const lines = lexLines(text);
  const places = lines.flatMap(({ kind }, index) =>
    kind === LineKind.Blank || kind === LineKind.Comment ? [] : [index],
  );
  for (;;) {
    const index = random.pick(places);
    const kind = random.pick(KINDS);
    const changed = kind.change({ lines, index, line: lines[index], random, places });
    if (changed === null) continue;
    const result = changed.map((line) => (typeof line === 'string' ? line : line.text)).join('');
    if (result !== text) return { what: `${kind.name}: ${lines[index].text.trim()}`, text: result };
  }
}

// ---------------------------------------------------------------------------------------------------------------------

interface Subject {
  readonly lines: readonly Line[];
  readonly index: number;
  readonly line: Line;
  readonly random: Random;
  /** Lines that say something. */
  readonly places: readonly number[];
}

type Changed = readonly (Line | string)[] | null;

interface Kind {
  readonly name: string;
  change(subject: Subject): Changed;
}

const KINDS: readonly Kind[] = [
  {
    name: 'drop an argument',
    change: (subject) => onWords(subject, (words, at) => words.filter((_, index) => index !== at)),
  },
  { name: 'drop all arguments', change: (subject) => onWords(subject, () => []) },
  {
    name: 'repeat an argument',
    change: (subject) => onWords(subject, (words, at) => [...words.slice(0, at), words[at], ...words.slice(at)]),
  },
  { name: 'add an argument', change: (subject) => onWords(subject, (words) => [...words, 'more']) },
  {
    name: 'empty an argument',
    change: (subject) => onWords(subject, (words, at) => words.map((word, index) => (index === at ? '""' : word))),
  },
  {
    name: 'misspell an argument',
    change: (subject) =>
      onWords(subject, (words, at) =>
        words.map((word, index) => (index === at ? misspelled(word, subject.random) : word)),
      ),
  },
  {
    name: 'another number',
    change: (subject) =>
      onWords(subject, (words, at) =>
        words.map((word, index) =>
          index === at ? word.replace(/\d+/, subject.random.pick(['-1', '0', '99999', 'x', '3.5', '7'])) : word,
        ),
      ),
  },
  {
    name: 'unbalance a pattern',
    change: (subject) =>
      onWords(subject, (words, at) => words.map((word, index) => (index === at ? word.replace(/\)|\]/, '') : word))),
  },
  {
    name: 'misspell the name',
    change: (subject) => named(subject, misspelled(spelledName(subject.line), subject.random)),
  },
  { name: 'move elsewhere', change: moved },
  { name: 'move elsewhere', change: moved },
  { name: 'write once more elsewhere', change: copied },
  {
    name: 'drop a tag',
    change: ({ lines, index, line }) => (isTag(line) ? [...lines.slice(0, index), ...lines.slice(index + 1)] : null),
  },
  {
    name: 'write a tag twice',
    change: ({ lines, index, line }) => (isTag(line) ? [...lines.slice(0, index), line, ...lines.slice(index)] : null),
  },
  {
    name: 'drop a bracket',
    change: (subject) => (isTag(subject.line) ? replaced(subject, subject.line.text.replace(/>(?=\s*$)/, '')) : null),
  },
  { name: 'section in a section', change: wrapped },
  { name: 'comment behind', change: (subject) => replaced(subject, subject.line.text.replace(/\n$/, ' # comment\n')) },
];

function isTag({ kind }: Line): boolean {
  return kind === LineKind.Open || kind === LineKind.Close;
}

function replaced({ lines, index }: Subject, text: string): Changed {
  return [...lines.slice(0, index), text, ...lines.slice(index + 1)];
}

function named(subject: Subject, name: string): Changed {
  const { text, nameStart, nameEnd } = subject.line;
  return replaced(subject, text.slice(0, nameStart) + name + text.slice(nameEnd));
}

function onWords(subject: Subject, change: (words: string[], at: number) => string[]): Changed {
  const { line, random } = subject;
  if (line.kind === LineKind.Close) return null;
  const words = argumentsOf(line);
  if (words.length === 0) return null;
  const spelled = words.map(({ start, end }) => line.text.slice(start, end));
  const next = change(spelled, random.below(spelled.length));
  const before = line.text.slice(0, words[0].start).trimEnd();
  const after = line.text.slice(words[words.length - 1].end);
  return replaced(subject, [before, ...next].join(' ') + after);
}

/** Two letters change places, one is missing, one is double, or another. */
function misspelled(word: string, random: Random): string {
  const letters = [...word.matchAll(/[A-Za-z]/g)].map(({ index }) => index);
  if (letters.length < 2) return `${word}x`;
  const at = random.pick(letters);
  const [before, letter, after] = [word.slice(0, at), word[at], word.slice(at + 1)];
  switch (random.below(4)) {
    case 0:
      return before + after;
    case 1:
      return before + letter + letter + after;
    case 2:
      return before + (letter === 'q' ? 'z' : 'q') + after;
    default:
      return after === '' ? before : before + after[0] + letter + after.slice(1);
  }
}

function moved({ lines, index, line, random, places }: Subject): Changed {
  if (isTag(line)) return null;
  const to = random.pick(places);
  if (to === index) return null;
  const rest = [...lines.slice(0, index), ...lines.slice(index + 1)];
  const at = to > index ? to - 1 : to;
  return [...rest.slice(0, at), line, ...rest.slice(at)];
}

function copied({ lines, line, random, places }: Subject): Changed {
  if (isTag(line)) return null;
  const at = random.pick(places);
  return [...lines.slice(0, at), line, ...lines.slice(at)];
}

const SECTIONS = [
  '<Directory "/x">|</Directory>',
  '<DirectoryMatch "^/x">|</DirectoryMatch>',
  '<Files "x">|</Files>',
  '<Location "/x">|</Location>',
  '<If "true">|</If>',
  '<Limit GET>|</Limit>',
  '<LimitExcept PUT>|</LimitExcept>',
  '<RequireAny>|</RequireAny>',
  '<VirtualHost *:81>|</VirtualHost>',
  '<Proxy "http://x/">|</Proxy>',
  '<IfModule core.c>|</IfModule>',
  '<IfModule nothing.c>|</IfModule>',
  '<Nonsense x>|</Nonsense>',
];

/** Around the line; around a whole section where the line opens one. */
function wrapped({ lines, index, line, random }: Subject): Changed {
  if (line.kind === LineKind.Close) return null;
  let end = index + 1;
  for (let depth = line.kind === LineKind.Open ? 1 : 0; depth > 0 && end < lines.length; end++)
    depth += lines[end].kind === LineKind.Open ? 1 : lines[end].kind === LineKind.Close ? -1 : 0;
  const [open, close] = random.pick(SECTIONS).split('|');
  return [...lines.slice(0, index), `${open}\n`, ...lines.slice(index, end), `${close}\n`, ...lines.slice(end)];
}
