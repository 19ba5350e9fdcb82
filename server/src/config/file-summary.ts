/**
 * What a file contributes to the configuration that it belongs to: the lines and sections that the walk in model.ts looks at,
 * and nothing else of it. Digests are cached on the lists of the tree, so an edit makes those of one path; and each has a sum
 * by which two are compared at once. An equal sum means that no other file can tell the difference.
 *
 * No digest knows its position; `rowsOf` finds out. Digests hold lines and no trees: whoever keeps one of a closed file keeps
 * little more than what is in it.
 */
import { namesIn, VARIABLE, type NameSet } from './name-set';
import { asksForOldModule } from './old-modules';
import { sectionKind, type SectionKind } from './sections';
import { Line, LineKind, rawArguments } from '../syntax/line';
import { cache, cacheOf, counters } from '../syntax/memory';
import { List, NodeKind, textOf, type Section } from '../syntax/tree';
import { variablesIn as variables } from '../syntax/variables';

export interface Digest {
  readonly parts: readonly Part[];
  /** Whether there are none. */
  readonly isEmpty: boolean;
  /** Whether it says no more than what is served, and where .htaccess files decide (`SERVING`): most sections do. */
  readonly isServing: boolean;
  /** Whether a Use or an UndefMacro stands in it. */
  readonly hasUse: boolean;
  /** Names of variables that its lines mention, comments left out; sorted. */
  readonly variables: readonly string[];
  /** Of the items' texts, whatever lists they stand in. */
  readonly sums: Sums;
}

/** Two sums, and what to multiply those by that stand in front of them. */
interface Sums {
  readonly sum1: number;
  readonly sum2: number;
  readonly power1: number;
  readonly power2: number;
}

export interface Part {
  /** Line ends in front of it within the list or body. */
  readonly rows: number;
  /** UTF-16 units in front of it. */
  readonly offset: number;
  readonly item: Line | DigestSection | Digest;
}

/** A section that matters: a condition, a macro, or one that holds something that matters. */
export class DigestSection {
  constructor(
    readonly open: Line,
    readonly kind: SectionKind,
    readonly body: Digest,
    /** The body's text, of macros only: it is read where it is used. */
    readonly text: string | null,
    /** See asksForOldModule. */
    readonly asksForOldModule = false,
  ) {}
}

/** Lists looked at since the start of the program, for the tests that count what an edit costs. */
export const work = counters({ lists: 0 });

export function digestOf(list: List): Digest {
  const known = list.digest as Digest | undefined;
  if (known !== undefined) return known;
  work.lists++;
  const digest = digestOfChildren(list, digestOf);
  list.digest = digest;
  return digest;
}

/**
 * The same, of which what is only served is gathered when somebody asks: the walk does not. It holds on to the list, and is for whoever
 * has the tree at hand as long as he has the digest.
 */
export function digestAtHand(list: List): Digest {
  if (list.digest !== undefined) return list.digest as Digest;
  let digest = atHand.get(list);
  if (!digest) atHand.set(list, (digest = digestAtAGlance(list) ?? digestOfChildren(list, digestAtHand)));
  return digest;
}

const atHand = cacheOf<List, Digest>();

/** Whether a digest was made of this list, and not of another one of the same text. */
export function isMadeOf(digest: Digest, list: List): boolean {
  return digest === list.digest || digest === atHand.get(list);
}

/** Whether two digests say the same, to whoever does not ask where. */
export function isEqual(a: Digest, b: Digest): boolean {
  return (
    a === b ||
    (a.sums.sum1 === b.sums.sum1 && a.sums.sum2 === b.sums.sum2 && a.variables.join(' ') === b.variables.join(' '))
  );
}

/** Visits the lines and sections of a digest, those in sections not, with the line ends and UTF-16 units in front of each. */
export function forEachPart(
  digest: Digest,
  rows: number,
  offset: number,
  visit: (item: Line | DigestSection, rows: number, offset: number) => void,
): void {
  for (const part of digest.parts) {
    const { item } = part;
    if (item instanceof Line || item instanceof DigestSection) visit(item, rows + part.rows, offset + part.offset);
    else forEachPart(item, rows + part.rows, offset + part.offset, visit);
  }
}

/** Whether a file is a configuration's root: it says ServerRoot or PidFile at its top level, or includes what SUSE's start script writes, which says them on the command line. */
export function isRoot(digest: Digest): boolean {
  let answer = roots.get(digest);
  if (answer === undefined) {
    answer = false;
    forEachPart(digest, 0, 0, (item) => {
      if (item instanceof Line && isOfRoot(item)) answer = true;
    });
    roots.set(digest, answer);
  }
  return answer;
}

/** The same of a file's tree, without making a digest of all of it. A template is none: the server never reads it. */
export function isRootTree(list: List): boolean {
  if (list.branches > 0) return false;
  return list.children.some((child) =>
    child instanceof List
      ? isRootTree(child)
      : child instanceof Line && child.kind === LineKind.Directive && isOfRoot(child),
  );
}

function isOfRoot({ name, text }: Line): boolean {
  return ROOT_NAMES.has(name) || (name === 'include' && text.includes('/sysconfig.d/'));
}

const ROOT_NAMES: ReadonlySet<string> = new Set(['serverroot', 'pidfile']);

const roots = cacheOf<Digest, boolean>();

/** Visits every line, and the open tag of every section, in order. */
export function forEachLineOf(
  digest: Digest,
  visit: (line: Line, rows: number, offset: number) => void,
  rows = 0,
  offset = 0,
): void {
  forEachPart(digest, rows, offset, (item, itemRows, itemOffset) => {
    if (item instanceof Line) return visit(item, itemRows, itemOffset);
    visit(item.open, itemRows, itemOffset);
    forEachLineOf(item.body, visit, itemRows + item.open.breaks, itemOffset + item.open.length);
  });
}

/** Whether an `<IfModule>` in it asks for a module whose LoadModule line 2.4 does not have as it is (config/old-modules.ts). */
export function asksForOldModuleIn(digest: Digest): boolean {
  let answer = asking.get(digest);
  if (answer === undefined) {
    answer = false;
    forEachPart(digest, 0, 0, (item) => {
      if (item instanceof DigestSection) answer ||= item.asksForOldModule || asksForOldModuleIn(item.body);
    });
    asking.set(digest, answer);
  }
  return answer;
}

const asking = cacheOf<Digest, boolean>();

// ---------------------------------------------------------------------------------------------------------------------

/** Directives that other files can tell: what is read, loaded, defined, served, and where .htaccess files decide. */
const NAMES: ReadonlySet<string> = new Set([
  'include',
  'includeoptional',
  'loadmodule',
  'serverroot',
  'pidfile',
  'define',
  'undefine',
  'use',
  'undefmacro',
  'documentroot',
  'alias',
  'scriptalias',
  'accessfilename',
  'allowoverride',
  'allowoverridelist',
  'luaauthzprovider',
  'perladdauthzprovider',
  'extfilterdefine',
  'filterdeclare',
  'filterprovider',
  'luaoutputfilter',
  'perlsetoutputfilter',
  'registerhttpmethod',
]);

/** Sections that give a provider a name of its own. */
export const ALIASES: ReadonlySet<string> = new Set(['authnprovideralias', 'authzprovideralias']);

/** Of these, what only matters to whoever asks for .htaccess files. */
const SERVING: ReadonlySet<string> = new Set([
  'documentroot',
  'alias',
  'scriptalias',
  'allowoverride',
  'allowoverridelist',
]);

/** The same of a line or a section of a digest. */
export function isServing(item: Line | DigestSection): boolean {
  if (item instanceof Line) return SERVING.has(item.name);
  return (
    item.body.isServing &&
    item.text === null &&
    item.kind !== 'conditional' &&
    item.kind !== 'opaque' &&
    !ALIASES.has(item.open.name)
  );
}

/** Of a list without anything that matters. */
export const NOTHING: Digest = {
  parts: [],
  isEmpty: true,
  isServing: true,
  hasUse: false,
  variables: [],
  sums: { sum1: 0, sum2: 0, power1: 1, power2: 1 },
};

/** Added up when somebody compares. */
class DigestOfList implements Digest {
  private known: Sums | null = null;

  constructor(
    readonly parts: readonly Part[],
    readonly isServing: boolean,
    readonly hasUse: boolean,
    readonly variables: readonly string[],
  ) {}

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }

  get sums(): Sums {
    return (this.known ??= sumsOf(this.parts));
  }
}

/** Of a list of which it is known, by the names in it, that it says no more than what is served: the walk asks for none of it. */
class ServingDigest implements Digest {
  readonly isEmpty = false;
  readonly isServing = true;
  readonly hasUse = false;
  readonly variables: readonly string[] = [];
  private known: Digest | null = null;

  constructor(private readonly list: List) {}

  get parts(): readonly Part[] {
    return this.whole.parts;
  }

  get sums(): Sums {
    return this.whole.sums;
  }

  private get whole(): Digest {
    return (this.known ??= digestOf(this.list));
  }
}

function digestAtAGlance(list: List): Digest | null {
  const names = namesIn(list);
  let says = glances.get(names);
  if (says === undefined) glances.set(names, (says = saidBy(names)));
  if (says === 'more') return null;
  return says === 'served' ? new ServingDigest(list) : NOTHING;
}

const glances = cacheOf<NameSet, 'nothing' | 'served' | 'more'>();

function saidBy(names: NameSet): 'nothing' | 'served' | 'more' {
  const isAnyOf = (of: Iterable<string>) => [...of].some((name) => names.has(name));
  const others = [...NAMES].filter((name) => !SERVING.has(name));
  if (
    names.hasKind('conditional') ||
    names.hasKind('opaque') ||
    isAnyOf([...others, VARIABLE, '<macro', ...[...ALIASES].map((name) => `<${name}`)])
  )
    return 'more';
  return isAnyOf(SERVING) ? 'served' : 'nothing';
}

function sumsOf(parts: readonly Part[]): Sums {
  let sum1 = 0;
  let sum2 = 0;
  let power1 = 1;
  let power2 = 1;
  for (const { item } of parts) {
    const of = item instanceof Line ? sumOfLine(item) : item instanceof DigestSection ? sumOfSection(item) : item.sums;
    sum1 = (Math.imul(sum1, of.power1) + of.sum1) | 0;
    sum2 = (Math.imul(sum2, of.power2) + of.sum2) | 0;
    power1 = Math.imul(power1, of.power1);
    power2 = Math.imul(power2, of.power2);
  }
  return { sum1, sum2, power1, power2 };
}

/** Odd numbers; sums are taken modulo 2^32. */
const BASE1 = 0x01000193;
const BASE2 = 0x5bd1e995;

function digestOfChildren(list: List, digestIn: (list: List) => Digest): Digest {
  const parts: Part[] = [];
  let variables: readonly string[] = [];
  let rows = 0;
  let offset = 0;
  let serves = true;
  let uses = false;
  for (let i = 0; i < list.children.length; i++) {
    const child = list.children[i]!;
    if (child.kind === NodeKind.List) {
      const item = digestIn(child);
      variables = union(variables, item.variables);
      if (!item.isEmpty) {
        parts.push({ rows, offset, item });
        serves &&= item.isServing;
        uses ||= item.hasUse;
      }
    } else if (child.kind === NodeKind.Section) {
      variables = union(union(variables, variablesIn(child.open)), digestIn(child.body).variables);
      const item = sectionOf(child, digestIn(child.body));
      if (item) {
        parts.push({ rows, offset, item });
        serves &&= isServing(item);
        uses ||= item.body.hasUse;
      }
    } else {
      if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment)
        variables = union(variables, variablesIn(child));
      if (isOfInterest(child)) {
        parts.push({ rows, offset, item: child });
        serves &&= isServing(child);
        uses ||= child.name === 'use' || child.name === 'undefmacro';
      }
    }
    rows += child.breaks;
    offset += child.length;
  }
  return parts.length === 0 && variables.length === 0 ? NOTHING : new DigestOfList(parts, serves, uses, variables);
}

function isOfInterest(line: Line): boolean {
  return line.kind === LineKind.Directive && (NAMES.has(line.name) || line.name.startsWith('${'));
}

function sectionOf(section: Section, body: Digest): DigestSection | null {
  const kind = sectionKind(section.name);
  const isMacro = section.name === 'macro';
  if (!isMacro && kind !== 'conditional' && kind !== 'opaque' && body.isEmpty && !ALIASES.has(section.name))
    return null;
  return new DigestSection(
    section.open,
    kind,
    body,
    isMacro ? textOf(section.body) : null,
    asksForOldModule(section.open, section.body),
  );
}

function sumOfSection({ open, body: { sums: body }, text, asksForOldModule: asks }: DigestSection): Sums {
  const own = sumOfText(
    `<${open.name} ${rawArguments(open).value}${asks ? '\n' : ''}${text === null ? '' : `\n${text}`}`,
  );
  // The close tag counts as one more text, so that what stands in a section and what stands behind it are different things.
  const sum1 = (Math.imul((Math.imul(own.sum1, body.power1) + body.sum1) | 0, BASE1) + 1) | 0;
  const sum2 = (Math.imul((Math.imul(own.sum2, body.power2) + body.sum2) | 0, BASE2) + 1) | 0;
  return {
    sum1,
    sum2,
    power1: Math.imul(Math.imul(BASE1, body.power1), BASE1),
    power2: Math.imul(Math.imul(BASE2, body.power2), BASE2),
  };
}

function lineText(line: Line): string {
  return `${line.name} ${rawArguments(line).value}`;
}

/** The same lines stand in many sections. */
const sums = cache<string, Sums>();
const MOST_SUMS = 1024;

function sumOfLine(line: Line): Sums {
  let sum = sums.get(line.text);
  if (sum === undefined) {
    sum = sumOfText(lineText(line));
    if (sums.size >= MOST_SUMS) sums.clear();
    sums.set(line.text, sum);
  }
  return sum;
}

/** Two mixes of a text's characters, well stirred: they are added up afterwards. */
function sumOfText(text: string): Sums {
  let a = 0x811c9dc5;
  let b = 0x9747b28c ^ text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b = (b << 13) | (b >>> 19);
  }
  return { sum1: stirred(a), sum2: stirred(b), power1: BASE1, power2: BASE2 };
}

function stirred(sum: number): number {
  let mixed = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) | 0;
}

const NO_NAMES: readonly string[] = [];

function variablesIn(line: Line): readonly string[] {
  if (!line.mayVary || !line.text.includes('${')) return NO_NAMES;
  return sortedUnique([...variables(line.text)].map(({ name }) => name.toLowerCase()));
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  return sortedUnique([...a, ...b]);
}

function sortedUnique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
