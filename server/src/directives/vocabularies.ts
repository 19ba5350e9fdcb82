/**
 * Words that stand inside of arguments, with what they are in our own words: variables and functions of expressions, flags of
 * mod_rewrite, letters of log formats, status codes, headers, handlers and so on. Where the server refuses a wrong one, the
 * list is the server's: test/directives/vocabularies.test.ts asks a real one.
 *
 * The lists are data/vocabularies.json, one line a word, to be edited by hand: the text alone, or the text and the marks that
 * `VocabularyWord` has. Read at the first question, as in descriptions.ts.
 */
import { cache, counters } from '../syntax/memory';

export interface VocabularyWord {
  readonly word: string;
  /** What it is, in a sentence or a few words; of a status its reason phrase. */
  readonly text: string;
  /** The module whose it is. */
  readonly from?: string;
  /** The 2.4 release that brought it. */
  readonly since?: string;
  /** Not to be offered: an old name, or without effect. */
  readonly obsolete?: true;
  /** Of a flag: its other name. */
  readonly long?: string;
  /** Of a flag or a log format's letter: whether `=value` follows or `{value}` stands before; never, if this is missing. */
  readonly value?: 'optional' | 'required';
  /** Of a server variable: the only place that knows it. */
  readonly only?: 'rewrite' | 'expression';
  /** Of an operator: where it stands. After `list` comes a list or a list function, after `regex` a regular expression. */
  readonly operator?: 'unary' | 'binary' | 'regex' | 'list';
  /** Of an operator: another spelling. */
  readonly alternative?: string;
  /** Of a function: refused where expressions come from people who are not trusted (mod_include). */
  readonly restricted?: true;
  /** Of a Require provider: what follows it; empty for nothing. */
  readonly form?: string;
  /** Of a filter. */
  readonly direction?: 'input' | 'output' | 'both';
}

const LISTS = [
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
type List = (typeof LISTS)[number];

/** The lists, and some that are made of them: `header` has both kinds, the variables are those that either place knows. */
export type VocabularyKind = List | 'header' | 'rewrite-variable' | 'expression-variable';

export const VOCABULARY_KINDS: readonly VocabularyKind[] = [
  ...LISTS,
  'header',
  'rewrite-variable',
  'expression-variable',
];

/** The words of a kind, in an order fit for reading. */
export function vocabulary(kind: VocabularyKind): readonly VocabularyWord[] {
  let list = lists.get(kind);
  if (!list) {
    work.lists++;
    lists.set(kind, (list = make(kind)));
  }
  return list;
}

/** Lists made since the start of the program, for the tests that count. */
export const work = counters({ lists: 0 });

type Entry = string | readonly [text: string, marks: Omit<VocabularyWord, 'word' | 'text'>];

const lists = cache<VocabularyKind, readonly VocabularyWord[]>();

function make(kind: VocabularyKind): readonly VocabularyWord[] {
  if (kind === 'rewrite-variable') return vocabulary('server-variable').filter(({ only }) => only !== 'expression');
  if (kind === 'expression-variable') return vocabulary('server-variable').filter(({ only }) => only !== 'rewrite');
  if (kind === 'header') {
    const response = vocabulary('response-header');
    const known = new Set(response.map(({ word }) => word));
    return [...response, ...vocabulary('request-header').filter(({ word }) => !known.has(word))];
  }
  const data = require('./data/vocabularies.json') as Readonly<Record<List, Readonly<Record<string, Entry>>>>;
  return Object.entries(data[kind]).map(([word, entry]) =>
    typeof entry === 'string' ? { word, text: entry } : { word, text: entry[0], ...entry[1] },
  );
}
