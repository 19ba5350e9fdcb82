/**
 * Finds the gaps between words of a line that may change. httpd splits most lines into words
 * (ap_getword_conf in server/util.c), where the number of spaces does not matter. Some directives
 * read the rest of the line unchanged (RAW_ARGS); only those known to read words are formatted
 * after their name.
 */
import { directive } from '../directives';
import { argumentsOf, LineKind, type Line, type Word } from '../syntax/line';
import { Template } from '../syntax/template';
import { cache } from '../syntax/memory';

/** The words of a line, the name (with `<`) first. Offsets are in the line's text (UTF-16). */
export interface Cells {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Number of gaps that may change: those after the cells 0 to `free` - 1. */
  readonly free: number;
}

/**
 * `writtenOver`: texts in lower case that will be replaced, such as the parameters of the macro
 * around. Not for lines without a name.
 */
export function cellsOf(line: Line, writtenOver: readonly string[]): Cells {
  const words = argumentsOf(line);
  const nameStart = line.kind === LineKind.Open ? line.nameStart - 1 : line.nameStart;
  const starts = [nameStart];
  const ends = [line.nameEnd];
  for (const { start, end } of words) {
    starts.push(start);
    ends.push(end);
  }
  return { starts, ends, free: freeGaps(line, words, unknownFrom(line.text, line.mayVary, writtenOver)) };
}

// ---------------------------------------------------------------------------------------------------------------------

function freeGaps(line: Line, words: readonly Word[], unknown: number): number {
  const { text, nameStart, nameEnd } = line;
  const before = text.charCodeAt(nameStart - 1);
  if (
    words.length === 0 ||
    line.template !== Template.None ||
    before === QUOTE ||
    before === APOSTROPHE ||
    text.charCodeAt(nameEnd - 1) === BACKSLASH
  )
    return 0;
  const most = readsWords(line, words) ? words.length : 1;
  let free = 0;
  let end = nameEnd;
  while (free < most) {
    const { start, end: gapStart } = words[free]!;
    // A replaced text may contain a quote that includes the spaces after it. After a backslash
    // mod_rewrite reads a space as a letter.
    if (start === end || end > unknown || text.charCodeAt(end - 1) === BACKSLASH) break;
    end = gapStart;
    free++;
  }
  return free;
}

const QUOTE = 34;
const APOSTROPHE = 39;
const BACKSLASH = 92;

/** The start of the first text that will be replaced. */
function unknownFrom(text: string, mayVary: boolean, writtenOver: readonly string[]): number {
  let from = mayVary ? indexOrEnd(text, '${') : text.length;
  if (writtenOver.length === 0) return from;
  const lower = text.toLowerCase();
  for (const word of writtenOver) from = Math.min(from, indexOrEnd(lower, word));
  return from;
}

function indexOrEnd(text: string, word: string): number {
  const index = text.indexOf(word);
  return index < 0 ? text.length : index;
}

/** Whether spaces between words only separate them. */
function readsWords({ name, kind }: Line, words: readonly Word[]): boolean {
  switch (reader(name, kind === LineKind.Open)) {
    case 'words':
      return true;
    case 'text':
      return false;
    case 'own':
      if (name === 'require') {
        const provider = words[0]?.value === 'not' ? words[1] : words[0];
        if (!provider || !LISTS.has(provider.value.toLowerCase())) return false;
      }
      return words.every(isPlain);
  }
}

/** A word that every function splits alike: no inner, escaped or unterminated quotes. */
function isPlain({ quote, value, isTerminated, start, end }: Word): boolean {
  if (quote === '') return !value.includes('"') && !value.includes("'");
  return isTerminated && end - start - 2 === value.length && !value.includes('"') && !value.includes('\\');
}

/**
 * `words`: split by httpd itself. `own`: split by the directive's function, in (nearly) the same
 * way. `text`: unknown, or spaces matter.
 */
type Reader = 'words' | 'own' | 'text';

const readers = cache<string, Reader>();

function reader(name: string, isSection: boolean): Reader {
  const key = isSection ? `<${name}` : name;
  let cached = readers.get(key);
  if (cached === undefined) {
    if (readers.size > 4096) readers.clear();
    readers.set(key, (cached = readerOf(name, isSection)));
  }
  return cached;
}

function readerOf(name: string, isSection: boolean): Reader {
  const facts = directive(name, { section: isSection });
  const kinds = [facts?.['2.2']?.arguments, facts?.['2.4']?.arguments].filter((kind) => kind !== undefined);
  if (kinds.length === 0) return 'text';
  if (!kinds.includes('RAW_ARGS')) return isSection ? 'own' : 'words';
  return OWN.has(name) ? 'own' : 'text';
}

/**
 * From the sources of 2.2 and 2.4: these functions call ap_getword_conf for each word, or
 * parseargline of mod_rewrite.
 */
const OWN: ReadonlySet<string> = new Set([
  'accessfilename',
  'allowoverride',
  'authnprovideralias',
  'balancermember',
  'browsermatch',
  'browsermatchnocase',
  'directory',
  'directoryindex',
  'directorymatch',
  'fileetag',
  'files',
  'filesmatch',
  'header',
  'ifdefine',
  'iffile',
  'ifmodule',
  'ifversion',
  'limit',
  'limitexcept',
  'location',
  'locationmatch',
  'mdomain',
  'mutex',
  'options',
  'proxy',
  'proxymatch',
  'proxypass',
  'proxypassmatch',
  'proxyset',
  'requestheader',
  'require',
  'rewritecond',
  'rewriterule',
  'serveralias',
  'setenvif',
  'setenvifexpr',
  'setenvifnocase',
  'ssloptions',
  'sslprotocol',
  'sslproxyprotocol',
  'use',
  'userdir',
  'virtualhost',
]);

/** `Require` types followed by a list of words; expressions and LDAP's names contain spaces. */
const LISTS: ReadonlySet<string> = new Set([
  'all',
  'ip',
  'host',
  'local',
  'forward-dns',
  'env',
  'method',
  'user',
  'group',
  'valid-user',
  'dbm-group',
  'file-owner',
  'file-group',
]);
