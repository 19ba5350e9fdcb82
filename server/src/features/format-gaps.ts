/**
 * Finds the gaps between words of a line that may change. httpd splits most lines into words
 * (ap_getword_conf in server/util.c), so the number of spaces does not matter. Some directives get
 * the rest of the line as it is (RAW_ARGS). If such a directive does not split its text into words,
 * the gaps stay.
 */
import { directive } from '../directives';
import { argumentsOf, LineKind, type Line, type Word } from '../syntax/line';
import { Template } from '../syntax/template';
import { cache } from '../syntax/memory';

/**
 * The words of a line. The first word is the name, with its `<`. Offsets count UTF-16 units in the
 * line's text.
 */
export interface Cells {
  /** Where each word starts. */
  readonly cellStarts: readonly number[];
  /** Where each word ends. */
  readonly cellEnds: readonly number[];
  /** The number of gaps that may change: those after the first `freeGapCount` cells. */
  readonly freeGapCount: number;
}

/**
 * The cells of a line. `replacedTexts`: texts in lower case that httpd will replace, such as the
 * parameters of the macro around the line. The line must have a name.
 */
export function cellsOf(line: Line, replacedTexts: readonly string[]): Cells {
  const words = argumentsOf(line);
  const nameStart = line.kind === LineKind.Open ? line.nameStart - 1 : line.nameStart;
  const cellStarts = [nameStart];
  const cellEnds = [line.nameEnd];
  for (const { start, end } of words) {
    cellStarts.push(start);
    cellEnds.push(end);
  }
  return {
    cellStarts,
    cellEnds,
    freeGapCount: countFreeGaps(line, words, firstReplacedOffset(line.text, line.mayHaveVariable, replacedTexts)),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The number of gaps that may change, counted from the first one. `firstReplacedAt`: the offset of
 * the first text that httpd will replace.
 */
function countFreeGaps(line: Line, words: readonly Word[], firstReplacedAt: number): number {
  const { text, nameStart, nameEnd } = line;
  const characterBeforeName = text.charCodeAt(nameStart - 1);
  if (
    words.length === 0 ||
    line.template !== Template.None ||
    characterBeforeName === QUOTE ||
    characterBeforeName === APOSTROPHE ||
    text.charCodeAt(nameEnd - 1) === BACKSLASH
  )
    return 0;
  const maxGaps = onlySeparatesWords(line, words) ? words.length : 1;
  let freeCount = 0;
  let wordEnd = nameEnd;
  while (freeCount < maxGaps) {
    const { start, end: gapStart } = words[freeCount]!;
    // Where httpd replaces a text, the new text may contain a quote, so later spaces may be inside
    // quotes. mod_rewrite reads a backslash and a space as a part of a word.
    if (start === wordEnd || wordEnd > firstReplacedAt || text.charCodeAt(wordEnd - 1) === BACKSLASH) break;
    wordEnd = gapStart;
    freeCount++;
  }
  return freeCount;
}

const QUOTE = 34;
const APOSTROPHE = 39;
const BACKSLASH = 92;

/** The offset of the first text that will be replaced; the length of `text` if there is none. */
function firstReplacedOffset(text: string, mayHaveVariable: boolean, replacedTexts: readonly string[]): number {
  let firstOffset = mayHaveVariable ? indexOrEnd(text, '${') : text.length;
  if (replacedTexts.length === 0) return firstOffset;
  const lowerText = text.toLowerCase();
  for (const word of replacedTexts) firstOffset = Math.min(firstOffset, indexOrEnd(lowerText, word));
  return firstOffset;
}

function indexOrEnd(text: string, word: string): number {
  const wordIndex = text.indexOf(word);
  return wordIndex < 0 ? text.length : wordIndex;
}

/** Whether the spaces in a line only separate words. */
function onlySeparatesWords({ name, kind }: Line, words: readonly Word[]): boolean {
  switch (lineSplittingOf(name, kind === LineKind.Open)) {
    case 'words':
      return true;
    case 'text':
      return false;
    case 'by-function':
      if (name === 'require') {
        const provider = words[0]?.value === 'not' ? words[1] : words[0];
        if (!provider || !PROVIDERS_WITH_WORD_LIST.has(provider.value.toLowerCase())) return false;
      }
      return words.every(isPlainWord);
  }
}

/**
 * Whether all directives read the word in the same way, because it has no inner, escaped or
 * unterminated quotes.
 */
function isPlainWord({ quote, value, isTerminated, start, end }: Word): boolean {
  if (quote === '') return !value.includes('"') && !value.includes("'");
  return isTerminated && end - start - 2 === value.length && !value.includes('"') && !value.includes('\\');
}

/**
 * How a directive reads its line. `words`: httpd splits it into words. `by-function`: the
 * directive's function splits it, in (nearly) the same way. `text`: unknown, or spaces matter.
 */
type LineSplitting = 'words' | 'by-function' | 'text';

const cachedLineSplittings = cache<string, LineSplitting>();

/** How a directive or section reads its line. The result is cached by name. */
function lineSplittingOf(name: string, isSection: boolean): LineSplitting {
  const readingKey = isSection ? `<${name}` : name;
  let cachedSplitting = cachedLineSplittings.get(readingKey);
  if (cachedSplitting === undefined) {
    if (cachedLineSplittings.size > 4096) cachedLineSplittings.clear();
    cachedLineSplittings.set(readingKey, (cachedSplitting = findLineSplitting(name, isSection)));
  }
  return cachedSplitting;
}

function findLineSplitting(name: string, isSection: boolean): LineSplitting {
  const facts = directive(name, { section: isSection });
  const kinds = [facts?.['2.2']?.arguments, facts?.['2.4']?.arguments].filter((kind) => kind !== undefined);
  if (kinds.length === 0) return 'text';
  if (!kinds.includes('RAW_ARGS')) return isSection ? 'by-function' : 'words';
  return SPLIT_BY_FUNCTION.has(name) ? 'by-function' : 'text';
}

/**
 * Directives whose function calls ap_getword_conf for each word, or parseargline of mod_rewrite
 * (sources of 2.2 and 2.4).
 */
const SPLIT_BY_FUNCTION: ReadonlySet<string> = new Set([
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

/**
 * Words after `Require` that are followed by a list of words. After other words, such as `expr`,
 * spaces may be part of an expression or of an LDAP name.
 */
const PROVIDERS_WITH_WORD_LIST: ReadonlySet<string> = new Set([
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
