/**
 * The names that a file defines for other lines: variables, macros, balancers, log formats and so
 * on. Completion offers them.
 *
 * A call takes about the same time for a small and a large file. It skips the parts of the tree
 * that, by the engine's facts, define no names. The names of each list of the tree are cached with
 * the list. After an edit, only the lists around the changed line are new. One call reads at most
 * `MAX_LINES_PER_QUESTION` lines that were not read before. If that was not enough, the next call
 * continues.
 */
import type { Engine } from '../analysis/engine';
import { sectionKind } from '../config/sections';
import { Fact, hasFact } from '../rules/support/facts';
import type { Tree } from '../syntax/document';
import { argumentsOf, type Line } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { List, Section } from '../syntax/tree';

/** What a defined name stands for. */
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

/** The names that one file defines. */
export interface Definitions {
  /** The names of this kind, each with its value or a description, in the order of the file. */
  namesOf(kind: DefinitionKind): ReadonlyMap<string, string>;
  /**
   * False if `namesOf` could not read all parts of the file that define names. A new call of
   * `definitionsIn` then continues.
   */
  readonly isComplete: boolean;
}

/**
 * Counters for tests, since the start of the program: lines read, and how often the names of two
 * parts of a file were put together.
 */
export const definitionCounts = counters({ lines: 0, sums: 0 });

/**
 * The names that the file defines. The engine must have analyzed its tree. Reads nothing before the
 * first call of `namesOf`.
 */
export function definitionsIn(tree: Tree, engine: Engine): Definitions {
  const budget = { linesLeft: MAX_LINES_PER_QUESTION };
  let names: NamesByKind | undefined;
  return {
    namesOf(kind) {
      names ??= definitionsInList(tree.root, engine, budget);
      return names.get(kind) ?? NO_NAMES;
    },
    get isComplete() {
      return budget.linesLeft >= 0;
    },
  };
}

/** Receives a name that a line defines, and the value of it, if it has one. */
export type AddDefinition = (kind: DefinitionKind, name: string, value?: string) => void;

/** Calls `addDefinition` for each name that a line defines. */
export function readDefinitions(line: Line, addDefinition: AddDefinition): void {
  // A fast check first, because a file can have many RewriteRule lines, and most set no variable.
  if (line.name === 'rewriterule' && !/[[,]\s*e(nv)?=/i.test(line.text)) return;
  READER_BY_DIRECTIVE.get(line.name)?.(
    argumentsOf(line).map((word) => word.value),
    addDefinition,
  );
}

/**
 * Whether names of this kind are case-sensitive. For the others httpd ignores case: it keeps them
 * in an apr_table_t, or converts them to lower case.
 */
export function isCaseSensitive(kind: DefinitionKind): boolean {
  return CASE_SENSITIVE_KINDS.has(kind);
}

/** A line that defines the name that is searched for, with the value that it gives. */
export interface DefiningLine {
  readonly line: Line;
  /** UTF-16 offset in the file. */
  readonly offset: number;
  readonly value: string;
}

/** Maximum length of a name in a regular expression, which could otherwise be too large. */
const MAX_NAME_LENGTH = 1000;

/**
 * The first `maxCount` lines that define a name, in order. Stops after `MAX_SEARCHED_LINES` lines
 * that define any name. If `engine` is given, it must have analyzed the tree; its facts then show
 * which parts to skip.
 */
export function linesDefining(
  tree: Tree,
  engine: Engine | undefined,
  kind: DefinitionKind,
  name: string,
  maxCount = Number.POSITIVE_INFINITY,
): DefiningLine[] {
  const lowerName = name.toLowerCase();
  const definingLines: DefiningLine[] = [];
  let linesLeft = MAX_SEARCHED_LINES;
  // A line contains the name literally unless a backslash escapes or joins something. So a line
  // with neither the name nor a backslash is skipped.
  const namePattern =
    name.length > MAX_NAME_LENGTH ? null : new RegExp(name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu');
  const readLineAt = (line: Line, offset: number) => {
    if (!READER_BY_DIRECTIVE.has(line.name)) return;
    linesLeft--;
    if (namePattern !== null && !namePattern.test(line.text) && !line.text.includes('\\')) return;
    definitionCounts.lines++;
    readDefinitions(line, (each, defined, value = '') => {
      if (each === kind && (isCaseSensitive(kind) ? defined === name : defined.toLowerCase() === lowerName))
        definingLines.push({ line, offset, value });
    });
  };
  const walk = (list: List, listOffset: number): void => {
    if (engine && !hasFact(engine.factsIn(list), Fact.defines)) return;
    let offset = listOffset;
    for (const child of list.children) {
      if (linesLeft <= 0 || definingLines.length >= maxCount) return;
      if (child instanceof List) walk(child, offset);
      else if (child instanceof Section) {
        readLineAt(child.open, offset);
        if (sectionKind(child.name) !== 'opaque') walk(child.body, offset + child.open.length);
      } else readLineAt(child, offset);
      offset += child.length;
    }
  };
  walk(tree.root, 0);
  return definingLines;
}

// ---------------------------------------------------------------------------------------------------------------------

/** For each kind: the names, each with its value or a description. */
type NamesByKind = ReadonlyMap<DefinitionKind, ReadonlyMap<string, string>>;

/**
 * Maximum number of lines that one call reads for the first time. Such a call takes about a
 * millisecond.
 */
const MAX_LINES_PER_QUESTION = 500;

/**
 * Maximum number of lines that are read in search of one name. Such a search takes a few
 * milliseconds.
 */
const MAX_SEARCHED_LINES = 20_000;

/** The kinds for `isCaseSensitive`. */
const CASE_SENSITIVE_KINDS: ReadonlySet<DefinitionKind> = new Set([
  'rewrite-map',
  'authn-provider',
  'authz-provider',
  'handler',
  'module',
  'module-file',
]);

/** Maximum number of names of one kind: no user reads a longer list. */
const MAX_NAMES_OF_KIND = 200;

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const NO_DEFINITIONS: ReadonlyMap<DefinitionKind, ReadonlyMap<string, string>> = new Map();
const namesByList = cacheOf<List, NamesByKind>();

/**
 * The names that a part of the tree defines. Incomplete if `budget.linesLeft` (a number of lines)
 * gets negative.
 */
function definitionsInList(list: List, engine: Engine, budget: { linesLeft: number }): NamesByKind {
  if (!hasFact(engine.factsIn(list), Fact.defines)) return NO_DEFINITIONS;
  const namesOfList = namesByList.get(list);
  if (namesOfList) return namesOfList;
  const collectedNames = new CollectedNames();
  for (const child of list.children) {
    if (budget.linesLeft < 0) return collectedNames.names;
    if (child instanceof List) collectedNames.addNames(definitionsInList(child, engine, budget));
    else if (child instanceof Section) {
      readLine(child.open, collectedNames, budget);
      if (sectionKind(child.name) !== 'opaque' && hasFact(engine.factsIn(child), Fact.defines))
        collectedNames.addNames(definitionsInList(child.body, engine, budget));
    } else readLine(child, collectedNames, budget);
  }
  if (budget.linesLeft >= 0) namesByList.set(list, collectedNames.names);
  return collectedNames.names;
}

/**
 * Collects the names of several parts. As long as only one part has names, `names` is the object of
 * that part, which must not change. `isCopied`: whether `names` is a copy, to which names can be
 * added.
 */
class CollectedNames {
  names: NamesByKind = NO_DEFINITIONS;
  private isCopied = false;

  /** Adds the names of another part. */
  addNames(other: NamesByKind): void {
    if (other === NO_DEFINITIONS || other === this.names) return;
    definitionCounts.sums++;
    if (this.names === NO_DEFINITIONS) {
      this.names = other;
      return;
    }
    for (const [kind, names] of other) for (const [name, value] of names) this.addName(kind, name, value);
  }

  /** Adds a name, unless it is empty or already there, or there are too many names of this kind. */
  addName(kind: DefinitionKind, name: string, value: string): void {
    const namesOfKind = this.names.get(kind);
    if (name === '' || namesOfKind?.has(name) || (namesOfKind && namesOfKind.size >= MAX_NAMES_OF_KIND)) return;
    if (!this.isCopied) {
      this.names = new Map([...this.names].map(([each, names]) => [each, new Map(names)]));
      this.isCopied = true;
    }
    const namesByKind = this.names as Map<DefinitionKind, Map<string, string>>;
    const names = namesByKind.get(kind) ?? namesByKind.set(kind, new Map()).get(kind)!;
    names.set(name, value);
  }
}

/** Adds the names that a line defines to `collectedNames`. */
function readLine(line: Line, collectedNames: CollectedNames, budget: { linesLeft: number }): void {
  if (!READER_BY_DIRECTIVE.has(line.name)) return;
  definitionCounts.lines++;
  budget.linesLeft--;
  readDefinitions(line, (kind, name, value = '') => collectedNames.addName(kind, name, value));
}

/**
 * Returns a reader for a line that sets environment variables. `firstWord`: the index of the first
 * argument that is a setting.
 */
const environmentReaderFrom = (firstWord: number) => (words: readonly string[], addDefinition: AddDefinition) => {
  for (const word of words.slice(firstWord))
    if (!word.startsWith('!'))
      addDefinition(
        'environment',
        word.replace(/=.*/s, ''),
        word.includes('=') ? word.slice(word.indexOf('=') + 1) : '',
      );
};

/** For each directive that defines names: reads the names from the arguments of its line. */
const READER_BY_DIRECTIVE: ReadonlyMap<string, (words: readonly string[], addDefinition: AddDefinition) => void> =
  new Map([
    ['define', ([name, value], addDefinition) => addDefinition('variable', name ?? '', value)],
    [
      'loadmodule',
      ([name = '', file = ''], addDefinition) => {
        addDefinition('module', name, file);
        addDefinition('module-file', file.slice(file.lastIndexOf('/') + 1), file);
      },
    ],
    ['setenv', ([name = '', value], addDefinition) => addDefinition('environment', name, value)],
    ['passenv', (words, addDefinition) => words.forEach((name) => addDefinition('environment', name))],
    ['setenvif', environmentReaderFrom(2)],
    ['setenvifnocase', environmentReaderFrom(2)],
    ['setenvifexpr', environmentReaderFrom(1)],
    ['browsermatch', environmentReaderFrom(1)],
    ['browsermatchnocase', environmentReaderFrom(1)],
    [
      'rewriterule',
      ([, , flags = ''], addDefinition) => {
        for (const [, name = ''] of flags.matchAll(/[[,]\s*(?:E|env)=([^!:,\]][^:,\]]*)/gi))
          addDefinition('environment', name);
      },
    ],
    ['rewritemap', ([name = '', source], addDefinition) => addDefinition('rewrite-map', name, source)],
    [
      'proxy',
      ([name = ''], addDefinition) => {
        if (/^balancer:\/\//i.test(name)) addDefinition('balancer', name.replace(/\/$/, ''));
      },
    ],
    ['macro', ([name = '', ...parameters], addDefinition) => addDefinition('macro', name, parameters.join(' '))],
    ['authnprovideralias', ([base, name = ''], addDefinition) => addDefinition('authn-provider', name, base)],
    ['authzprovideralias', ([base, name = ''], addDefinition) => addDefinition('authz-provider', name, base)],
    ['logformat', ([format, name = ''], addDefinition) => addDefinition('log-format', name, format)],
    ['listen', ([address = ''], addDefinition) => addDefinition('address', address)],
    ['extfilterdefine', ([name = ''], addDefinition) => addDefinition('filter', name)],
    ['filterdeclare', ([name = ''], addDefinition) => addDefinition('filter', name)],
    ['filterprovider', ([name = ''], addDefinition) => addDefinition('filter', name)],
    ['addhandler', ([name = ''], addDefinition) => addDefinition('handler', name)],
    ['sethandler', ([name = ''], addDefinition) => addDefinition('handler', /^none$/i.test(name) ? '' : name)],
    ['action', ([name = ''], addDefinition) => addDefinition(name.includes('/') ? 'mime-type' : 'handler', name)],
    ['addtype', ([name = ''], addDefinition) => addDefinition('mime-type', name)],
    ['serverroot', ([path = ''], addDefinition) => addDefinition('server-root', path)],
  ]);
