/**
 * What a file defines for other lines to name: variables, macros, balancers, log formats, … Completion offers them.
 *
 * Nothing here depends on the size of the file. The engine's facts tell which parts of the tree define anything; what such a
 * part defines is kept on its list (an edit makes new lists on one path only); and one question reads no more than
 * `MAX_READ` lines that nobody has read before. Where that was not enough, the next question goes on.
 */
import type { Engine } from '../analysis/engine';
import { sectionKind } from '../config/sections';
import { Fact, hasFact } from '../rules/support/facts';
import type { Tree } from '../syntax/document';
import { argumentsOf, type Line } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { List, Section } from '../syntax/tree';

export type DefinitionKind =
  | 'variable'
  | 'environment'
  | 'module'
  | 'module-file'
  | 'balancer'
  | 'macro'
  | 'authn-provider'
  | 'authz-provider'
  | 'log-format'
  | 'address'
  | 'rewrite-map'
  | 'filter'
  | 'handler'
  | 'mime-type'
  | 'server-root';

export interface Definitions {
  /** Names of a kind, each with its value or what else there is to say of it, in the order of the file. */
  of(kind: DefinitionKind): ReadonlyMap<string, string>;
  /** Whether all of the file was read that was asked for. */
  readonly isComplete: boolean;
}

/** Lines read and sums made since the start of the program, for the tests that count what a question costs. */
export const work = counters({ lines: 0, sums: 0 });

/** What the file defines, after an analysis of its tree by the engine. Nothing is read before the first question. */
export function definitionsIn(tree: Tree, engine: Engine): Definitions {
  const budget = { left: MAX_READ };
  let found: Names | undefined;
  return {
    of(kind) {
      found ??= inList(tree.root, engine, budget);
      return found.get(kind) ?? NO_NAMES;
    },
    get isComplete() {
      return budget.left >= 0;
    },
  };
}

export type Put = (kind: DefinitionKind, name: string, value?: string) => void;

/** What one line defines. */
export function readDefining(line: Line, put: Put): void {
  // Most rules set nothing, and there are many.
  if (line.name === 'rewriterule' && !/[[,]\s*e(nv)?=/i.test(line.text)) return;
  READERS.get(line.name)?.(
    argumentsOf(line).map((word) => word.value),
    put,
  );
}

/** Names of this kind differ by their letters' case; to the others httpd gives none (apr_table_t, or letters made small before). */
export function isExact(kind: DefinitionKind): boolean {
  return EXACT.has(kind);
}

export interface DefiningLine {
  readonly line: Line;
  /** UTF-16, in the file. */
  readonly offset: number;
  readonly value: string;
}

/** Of longer names there is no regular expression: those of tens of thousands of characters are too large for one. */
const LONG_NAME = 1000;

/** The lines that define a name, in order, until there are `most`; in a file of many readers, not all of them. The engine, where there is one, has analyzed the tree and knows where to look. */
export function linesDefining(
  tree: Tree,
  engine: Engine | undefined,
  kind: DefinitionKind,
  name: string,
  most = Number.POSITIVE_INFINITY,
): DefiningLine[] {
  const wanted = name.toLowerCase();
  const found: DefiningLine[] = [];
  let left = MAX_LINES;
  // Without an escape or a continuation, a word stands in the text as it is.
  const mention = name.length > LONG_NAME ? null : new RegExp(name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu');
  const read = (line: Line, offset: number) => {
    if (!READERS.has(line.name)) return;
    left--;
    if (mention !== null && !mention.test(line.text) && !line.text.includes('\\')) return;
    work.lines++;
    readDefining(line, (each, defined, value = '') => {
      if (each === kind && (isExact(kind) ? defined === name : defined.toLowerCase() === wanted))
        found.push({ line, offset, value });
    });
  };
  const walk = (list: List, base: number): void => {
    if (engine && !hasFact(engine.factsIn(list), Fact.defines)) return;
    let offset = base;
    for (const child of list.children) {
      if (left <= 0 || found.length >= most) return;
      if (child instanceof List) walk(child, offset);
      else if (child instanceof Section) {
        read(child.open, offset);
        if (sectionKind(child.name) !== 'opaque') walk(child.body, offset + child.open.length);
      } else read(child, offset);
      offset += child.length;
    }
  };
  walk(tree.root, 0);
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------

type Names = ReadonlyMap<DefinitionKind, ReadonlyMap<string, string>>;

/** Most lines to read for one question that were not read before: about a millisecond's worth. */
const MAX_READ = 500;

/** Most lines to look at for one name: some milliseconds' worth. */
const MAX_LINES = 20_000;

const EXACT: ReadonlySet<DefinitionKind> = new Set([
  'rewrite-map',
  'authn-provider',
  'authz-provider',
  'handler',
  'module',
  'module-file',
]);

/** Most names of one kind to remember of a list: nobody picks from more. */
const MAX_NAMES = 200;

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const NOTHING: ReadonlyMap<DefinitionKind, ReadonlyMap<string, string>> = new Map();
const known = cacheOf<List, Names>();

function inList(list: List, engine: Engine, budget: { left: number }): Names {
  if (!hasFact(engine.factsIn(list), Fact.defines)) return NOTHING;
  const cached = known.get(list);
  if (cached) return cached;
  const sum = new Sum();
  for (const child of list.children) {
    if (budget.left < 0) return sum.names;
    if (child instanceof List) sum.add(inList(child, engine, budget));
    else if (child instanceof Section) {
      readLine(child.open, sum, budget);
      if (sectionKind(child.name) !== 'opaque' && hasFact(engine.factsIn(child), Fact.defines))
        sum.add(inList(child.body, engine, budget));
    } else readLine(child, sum, budget);
  }
  if (budget.left >= 0) known.set(list, sum.names);
  return sum.names;
}

/** Adds up names; as long as all come from one part, its own object is the sum. */
class Sum {
  names: Names = NOTHING;
  private isOwn = false;

  add(other: Names): void {
    if (other === NOTHING || other === this.names) return;
    work.sums++;
    if (this.names === NOTHING) {
      this.names = other;
      return;
    }
    for (const [kind, names] of other) for (const [name, value] of names) this.put(kind, name, value);
  }

  put(kind: DefinitionKind, name: string, value: string): void {
    const present = this.names.get(kind);
    if (name === '' || present?.has(name) || (present && present.size >= MAX_NAMES)) return;
    if (!this.isOwn) {
      this.names = new Map([...this.names].map(([each, names]) => [each, new Map(names)]));
      this.isOwn = true;
    }
    const own = this.names as Map<DefinitionKind, Map<string, string>>;
    const names = own.get(kind) ?? own.set(kind, new Map()).get(kind)!;
    names.set(name, value);
  }
}

function readLine(line: Line, sum: Sum, budget: { left: number }): void {
  if (!READERS.has(line.name)) return;
  work.lines++;
  budget.left--;
  readDefining(line, (kind, name, value = '') => sum.put(kind, name, value));
}

const environment = (from: number) => (words: readonly string[], put: Put) => {
  for (const word of words.slice(from))
    if (!word.startsWith('!'))
      put('environment', word.replace(/=.*/s, ''), word.includes('=') ? word.slice(word.indexOf('=') + 1) : '');
};

const READERS: ReadonlyMap<string, (words: readonly string[], put: Put) => void> = new Map([
  ['define', ([name, value], put) => put('variable', name ?? '', value)],
  [
    'loadmodule',
    ([name = '', file = ''], put) => {
      put('module', name, file);
      put('module-file', file.slice(file.lastIndexOf('/') + 1), file);
    },
  ],
  ['setenv', ([name = '', value], put) => put('environment', name, value)],
  ['passenv', (words, put) => words.forEach((name) => put('environment', name))],
  ['setenvif', environment(2)],
  ['setenvifnocase', environment(2)],
  ['setenvifexpr', environment(1)],
  ['browsermatch', environment(1)],
  ['browsermatchnocase', environment(1)],
  [
    'rewriterule',
    ([, , flags = ''], put) => {
      for (const [, name = ''] of flags.matchAll(/[[,]\s*(?:E|env)=([^!:,\]][^:,\]]*)/gi)) put('environment', name);
    },
  ],
  ['rewritemap', ([name = '', source], put) => put('rewrite-map', name, source)],
  [
    'proxy',
    ([name = ''], put) => {
      if (/^balancer:\/\//i.test(name)) put('balancer', name.replace(/\/$/, ''));
    },
  ],
  ['macro', ([name = '', ...parameters], put) => put('macro', name, parameters.join(' '))],
  ['authnprovideralias', ([base, name = ''], put) => put('authn-provider', name, base)],
  ['authzprovideralias', ([base, name = ''], put) => put('authz-provider', name, base)],
  ['logformat', ([format, name = ''], put) => put('log-format', name, format)],
  ['listen', ([address = ''], put) => put('address', address)],
  ['extfilterdefine', ([name = ''], put) => put('filter', name)],
  ['filterdeclare', ([name = ''], put) => put('filter', name)],
  ['filterprovider', ([name = ''], put) => put('filter', name)],
  ['addhandler', ([name = ''], put) => put('handler', name)],
  ['sethandler', ([name = ''], put) => put('handler', /^none$/i.test(name) ? '' : name)],
  ['action', ([name = ''], put) => put(name.includes('/') ? 'mime-type' : 'handler', name)],
  ['addtype', ([name = ''], put) => put('mime-type', name)],
  ['serverroot', ([path = ''], put) => put('server-root', path)],
]);
