/**
 * Words inside arguments, explained in our own words: variables and functions of expressions, flags
 * of mod_rewrite, letters of log formats, status codes, headers, handlers and so on. If the server
 * refuses unknown words, the list is complete: test/directives/vocabularies.test.ts asks a real
 * server.
 *
 * The lists are in data/vocabularies.json, one line a word, edited by hand: the text alone, or the
 * text and the fields of `VocabularyWord`. The file is read when first needed, as in
 * descriptions.ts.
 */
import { cache, counters } from '../syntax/memory';

/** A word that users write inside an argument, with its meaning. */
export interface VocabularyWord {
  readonly word: string;
  /** The meaning, in a sentence or a few words; for a status, its reason phrase. */
  readonly text: string;
  /** The module that provides the word. */
  readonly from?: string;
  /** The 2.4 release that introduced the word. */
  readonly since?: string;
  /** Whether completion leaves out the word: an old name, or without effect. */
  readonly obsolete?: true;
  /** For a flag: its long name. */
  readonly long?: string;
  /**
   * For a flag, whether `=value` follows it. For a letter of a log format, whether `{value}` comes
   * before it. undefined if the word never takes a value.
   */
  readonly value?: 'optional' | 'required';
  /** For a server variable: the only place that has it. */
  readonly only?: 'rewrite' | 'expression';
  /**
   * For an operator: its position. After `list` comes a list or a list function, after `regex` a
   * regular expression.
   */
  readonly operator?: 'unary' | 'binary' | 'regex' | 'list';
  /** For an operator: another spelling. */
  readonly alternative?: string;
  /** For a function: refused in expressions of untrusted authors (mod_include). */
  readonly restricted?: true;
  /** For a Require provider: its arguments; empty for none. */
  readonly form?: string;
  /** For a filter: the data that it changes. */
  readonly direction?: 'input' | 'output' | 'both';
}

const LIST_NAMES = [
  'server-variable',
  'rewrite-lookup',
  'ssl-variable',
  'expression-function',
  'expression-list-function',
  'expression-operator',
  'rule-flag',
  'condition-flag',
  'log-format',
  'error-log-format',
  'require',
  'status',
  'redirect-status',
  'request-header',
  'response-header',
  'environment',
  'handler',
  'filter',
  'method',
  'mime-type',
  'charset',
  'language',
  'encoding',
] as const;
type VocabularyList = (typeof LIST_NAMES)[number];

/**
 * The lists, and combinations of them: `header` has the headers of requests and responses;
 * `rewrite-variable` and `expression-variable` have the server variables that exist in that place.
 */
export type VocabularyKind = VocabularyList | 'header' | 'rewrite-variable' | 'expression-variable';

/** All kinds of words. */
export const VOCABULARY_KINDS: readonly VocabularyKind[] = [
  ...LIST_NAMES,
  'header',
  'rewrite-variable',
  'expression-variable',
];

/** The words of a kind, in a readable order. */
export function vocabulary(kind: VocabularyKind): readonly VocabularyWord[] {
  let words = vocabularyCache.get(kind);
  if (!words) {
    vocabularyCounts.lists++;
    vocabularyCache.set(kind, (words = makeVocabulary(kind)));
  }
  return words;
}

/** Counter for tests: lists made since the start of the program. */
export const vocabularyCounts = counters({ lists: 0 });

type PackedWord = string | readonly [text: string, marks: Omit<VocabularyWord, 'word' | 'text'>];

const vocabularyCache = cache<VocabularyKind, readonly VocabularyWord[]>();

function makeVocabulary(kind: VocabularyKind): readonly VocabularyWord[] {
  if (kind === 'rewrite-variable') return vocabulary('server-variable').filter(({ only }) => only !== 'expression');
  if (kind === 'expression-variable') return vocabulary('server-variable').filter(({ only }) => only !== 'rewrite');
  if (kind === 'header') {
    const responseHeaders = vocabulary('response-header');
    const responseNames = new Set(responseHeaders.map(({ word }) => word));
    return [...responseHeaders, ...vocabulary('request-header').filter(({ word }) => !responseNames.has(word))];
  }
  const packedVocabularies = require('./data/vocabularies.json') as Readonly<
    Record<VocabularyList, Readonly<Record<string, PackedWord>>>
  >;
  return Object.entries(packedVocabularies[kind]).map(([word, entry]) =>
    typeof entry === 'string' ? { word, text: entry } : { word, text: entry[0], ...entry[1] },
  );
}
