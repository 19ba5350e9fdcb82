/**
 * The summary of a file: only those lines and sections that matter to other files of the
 * configuration. The walk in read-model.ts reads it. Each list of the tree caches its summary.
 * After an edit, only the lists around the changed line are summarized again. Each summary has hash
 * sums. If they are equal for two versions of a file, no other file can notice a difference.
 *
 * A summary does not know its position; `forEachPart` computes it. Summaries hold lines and no
 * trees, so the summary of a closed file takes little memory.
 */
import { namesIn, VARIABLE_NAME, type NameSet } from './name-set';
import { enablesMemoryCache, testsOldModule } from './old-modules';
import { sectionKind, type SectionKind } from './sections';
import { Line, LineKind, rawArguments } from '../syntax/line';
import { cache, cacheOf, counters } from '../syntax/memory';
import { List, NodeKind, textOf, type Section } from '../syntax/tree';
import { variablesIn as variables } from '../syntax/variables';

/** The lines and sections of a file, or of a list in it, that matter to other files. */
export interface FileSummary {
  readonly parts: readonly SummaryPart[];
  /** Whether no line of the file matters to other files. */
  readonly isEmpty: boolean;
  /**
   * Whether the file has only lines about served folders and AllowOverride (`SERVING_DIRECTIVES`).
   * Most sections have only such lines.
   */
  readonly hasOnlyServingLines: boolean;
  /** Whether the file has a Use or an UndefMacro line. */
  readonly hasUse: boolean;
  /** Names of variables in the lines of the file, without comments; sorted. */
  readonly variables: readonly string[];
  /**
   * Hash sums of the texts of its items. They do not depend on how the tree divides the items into
   * lists.
   */
  readonly hashes: HashPair;
}

/**
 * Two hash sums of some texts. `power1`, `power2`: the factors by which the sums of earlier texts
 * are multiplied when these texts are appended.
 */
interface HashPair {
  readonly sum1: number;
  readonly sum2: number;
  readonly power1: number;
  readonly power2: number;
}

/** A line, a section, or the summary of an inner list, with its position. */
export interface SummaryPart {
  /** The number of line ends between the start of the list or body and this part. */
  readonly rows: number;
  /** The number of UTF-16 units between the start of the list or body and this part. */
  readonly offset: number;
  readonly item: Line | SummarySection | FileSummary;
}

/**
 * A section in a summary: a condition, a macro, or a section that contains a line which matters.
 */
export class SummarySection {
  constructor(
    readonly open: Line,
    readonly kind: SectionKind,
    readonly body: FileSummary,
    /** The text of the body, for macros only, because it is read at each Use line. */
    readonly text: string | null,
    /**
     * Whether the section is an `<IfModule>` for a module whose LoadModule line 2.4 does not accept
     * unchanged (config/old-modules.ts).
     */
    readonly asksForOldModule = false,
  ) {}
}

/** Counts lists that were read since the start of the program. Only tests use it. */
export const summaryCounts = counters({ lists: 0 });

/** The summary of a list, cached on the list. */
export function summarize(list: List): FileSummary {
  const cachedSummary = list.fileSummary as FileSummary | undefined;
  if (cachedSummary !== undefined) return cachedSummary;
  summaryCounts.lists++;
  const fileSummary = summarizeChildren(list, summarize);
  list.fileSummary = fileSummary;
  return fileSummary;
}

/**
 * Like `summarize`, but gathers lines about served folders on first use, because reading a `Model`
 * does not need them. Until then the summary refers to the list, so use it only while the tree is
 * in memory anyway.
 */
export function summarizeLazily(list: List): FileSummary {
  if (list.fileSummary !== undefined) return list.fileSummary as FileSummary;
  let fileSummary = summaryByList.get(list);
  if (!fileSummary)
    summaryByList.set(list, (fileSummary = summarizeByNames(list) ?? summarizeChildren(list, summarizeLazily)));
  return fileSummary;
}

const summaryByList = cacheOf<List, FileSummary>();

/** Whether a summary was made from this list object, not from another list with the same text. */
export function isSummaryOf(fileSummary: FileSummary, list: List): boolean {
  return fileSummary === list.fileSummary || fileSummary === summaryByList.get(list);
}

/** Whether two summaries are equal except for positions. Compares their hash sums. */
export function areEqualSummaries(a: FileSummary, b: FileSummary): boolean {
  return (
    a === b ||
    (a.hashes.sum1 === b.hashes.sum1 &&
      a.hashes.sum2 === b.hashes.sum2 &&
      a.variables.join(' ') === b.variables.join(' '))
  );
}

/**
 * Visits the lines and sections of a summary, but not the lines inside sections. `visit` gets the
 * number of line ends and of UTF-16 units before each.
 */
export function forEachPart(
  fileSummary: FileSummary,
  rows: number,
  offset: number,
  visit: (item: Line | SummarySection, rows: number, offset: number) => void,
): void {
  for (const part of fileSummary.parts) {
    const { item } = part;
    if (item instanceof Line || item instanceof SummarySection) visit(item, rows + part.rows, offset + part.offset);
    else forEachPart(item, rows + part.rows, offset + part.offset, visit);
  }
}

/** Whether a path ends in a usual name of a main file: `httpd.conf`, `apache22.conf`. */
export function isMainFileName(path: string): boolean {
  return /(^|\/)(httpd|apache)[-\d.]*\.conf$/.test(path);
}

/**
 * Whether a file is the main file of a configuration.
 *
 * A main file has ServerRoot or PidFile at its top level. SUSE's does not, because SUSE's start
 * script passes both on the command line. It includes the files that this script writes. A file
 * with the usual name of a main file may lack both, because both have defaults. Then it must have
 * Listen, or an Include together with LoadModule or DocumentRoot.
 */
export function isMainFile(fileSummary: FileSummary, path: string): boolean {
  let signs = mainFileSignsCache.get(fileSummary);
  if (signs === undefined) {
    const foundSigns = new Set<MainFileSign>();
    forEachPart(fileSummary, 0, 0, (item) => {
      if (item instanceof Line) addMainFileSign(item, foundSigns);
    });
    mainFileSignsCache.set(fileSummary, (signs = foundSigns));
  }
  return areSignsOfMainFile(signs, path);
}

/**
 * Whether a tree is a main file. Is faster than `isMainFile`, because it makes no summary. A
 * template is no main file, because the server never reads it.
 */
export function isMainFileTree(list: List, path: string): boolean {
  if (list.branchLineCount > 0) return false;
  const signs = new Set<MainFileSign>();
  const visit = ({ children }: List): boolean =>
    children.some((child) => {
      if (child instanceof List) return visit(child);
      if (!(child instanceof Line) || child.kind !== LineKind.Directive) return false;
      addMainFileSign(child, signs);
      return areSignsOfMainFile(signs, path);
    });
  return visit(list);
}

/**
 * Whether a tree is certainly a main file, whatever its name is. The usual name and a Listen line
 * are no proof: Debian's apache2.conf of 2.2 includes a file httpd.conf.
 */
export function isCertainMainFileTree(list: List): boolean {
  return isMainFileTree(list, '');
}

/** What a line at the top level of a file shows about the file. */
type MainFileSign = 'main' | 'listens' | 'serves' | 'includes';

const MAIN_FILE_SIGN_BY_NAME: ReadonlyMap<string, MainFileSign> = new Map([
  ['serverroot', 'main'],
  ['pidfile', 'main'],
  ['listen', 'listens'],
  ['port', 'listens'],
  ['loadmodule', 'serves'],
  ['documentroot', 'serves'],
  ['include', 'includes'],
  ['includeoptional', 'includes'],
]);

function addMainFileSign({ name, text }: Line, signs: Set<MainFileSign>): void {
  const sign = MAIN_FILE_SIGN_BY_NAME.get(name);
  if (sign === undefined) return;
  signs.add(name === 'include' && text.includes('/sysconfig.d/') ? 'main' : sign);
  // The main file of SUSE has its Listen lines in a file of their own.
  if (name === 'include' && /\/listen\.conf\b/.test(text)) signs.add('listens');
}

/** Whether a file with these signs is a main file; see `isMainFile`. */
function areSignsOfMainFile(signs: ReadonlySet<MainFileSign>, path: string): boolean {
  if (signs.has('main')) return true;
  if (!isMainFileName(path)) return false;
  return signs.has('listens') || (signs.has('serves') && signs.has('includes'));
}

const mainFileSignsCache = cacheOf<FileSummary, ReadonlySet<MainFileSign>>();

/** Visits every line and the open tag of every section, in order, also inside sections. */
export function forEachLineOf(
  fileSummary: FileSummary,
  visit: (line: Line, rows: number, offset: number) => void,
  rows = 0,
  offset = 0,
): void {
  forEachPart(fileSummary, rows, offset, (item, itemRows, itemOffset) => {
    if (item instanceof Line) return visit(item, itemRows, itemOffset);
    visit(item.open, itemRows, itemOffset);
    forEachLineOf(item.body, visit, itemRows + item.open.lineEnds, itemOffset + item.open.length);
  });
}

/**
 * Whether an `<IfModule>` in the file names a module whose LoadModule line 2.4 does not accept
 * unchanged, or a line uses mod_mem_cache (config/old-modules.ts).
 */
export function asksForOldModuleIn(fileSummary: FileSummary): boolean {
  let asksForModule = asksForOldModuleCache.get(fileSummary);
  if (asksForModule === undefined) {
    asksForModule = false;
    forEachPart(fileSummary, 0, 0, (item) => {
      if (item instanceof SummarySection) asksForModule ||= item.asksForOldModule || asksForOldModuleIn(item.body);
      else if (item instanceof Line) asksForModule ||= enablesMemoryCache(item);
    });
    asksForOldModuleCache.set(fileSummary, asksForModule);
  }
  return asksForModule;
}

const asksForOldModuleCache = cacheOf<FileSummary, boolean>();

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Directives that other files can notice: they include files, load modules, define names, serve
 * folders, or decide about .htaccess files.
 */
const SUMMARIZED_DIRECTIVES: ReadonlySet<string> = new Set([
  'include',
  'includeoptional',
  'loadmodule',
  'serverroot',
  'pidfile',
  'listen',
  'port',
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
  'cacheenable',
]);

/** Sections that define an alias of a provider. */
export const PROVIDER_ALIAS_SECTIONS: ReadonlySet<string> = new Set(['authnprovideralias', 'authzprovideralias']);

/**
 * The summarized directives that matter only for .htaccess files: they map URLs to folders, or
 * allow .htaccess files.
 */
const SERVING_DIRECTIVES: ReadonlySet<string> = new Set([
  'documentroot',
  'alias',
  'scriptalias',
  'allowoverride',
  'allowoverridelist',
]);

/**
 * Whether an item of a summary matters only for .htaccess files: a line with a directive of
 * `SERVING_DIRECTIVES`, or a container that has only such lines.
 */
export function isServingItem(item: Line | SummarySection): boolean {
  if (item instanceof Line) return SERVING_DIRECTIVES.has(item.name);
  return (
    item.body.hasOnlyServingLines &&
    item.text === null &&
    item.kind !== 'conditional' &&
    item.kind !== 'opaque' &&
    !PROVIDER_ALIAS_SECTIONS.has(item.open.name)
  );
}

/** The summary of a list in which no line matters to other files. */
export const EMPTY_SUMMARY: FileSummary = {
  parts: [],
  isEmpty: true,
  hasOnlyServingLines: true,
  hasUse: false,
  variables: [],
  hashes: { sum1: 0, sum2: 0, power1: 1, power2: 1 },
};

/** The summary of a list. Its hash sums are computed on first use. */
class SummaryOfList implements FileSummary {
  private cachedSums: HashPair | null = null;

  constructor(
    readonly parts: readonly SummaryPart[],
    readonly hasOnlyServingLines: boolean,
    readonly hasUse: boolean,
    readonly variables: readonly string[],
  ) {}

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }

  get hashes(): HashPair {
    return (this.cachedSums ??= hashParts(this.parts));
  }
}

/**
 * The summary of a list that, by its names, has only lines about served folders. Its parts are read
 * on first use.
 */
class ServingSummary implements FileSummary {
  readonly isEmpty = false;
  readonly hasOnlyServingLines = true;
  readonly hasUse = false;
  readonly variables: readonly string[] = [];
  private fullSummary: FileSummary | null = null;

  constructor(private readonly list: List) {}

  get parts(): readonly SummaryPart[] {
    return this.completeSummary.parts;
  }

  get hashes(): HashPair {
    return this.completeSummary.hashes;
  }

  private get completeSummary(): FileSummary {
    return (this.fullSummary ??= summarize(this.list));
  }
}

/** The summary of a list whose names alone show it. Null if the lines must be read. */
function summarizeByNames(list: List): FileSummary | null {
  const names = namesIn(list);
  let content = contentByNames.get(names);
  if (content === undefined) contentByNames.set(names, (content = contentOfNames(names)));
  if (content === 'more') return null;
  return content === 'served' ? new ServingSummary(list) : EMPTY_SUMMARY;
}

const contentByNames = cacheOf<NameSet, 'nothing' | 'served' | 'more'>();

/**
 * What a list with these names has: no line that matters to other files, only lines about served
 * folders (`served`), or `more`.
 */
function contentOfNames(names: NameSet): 'nothing' | 'served' | 'more' {
  const isAnyOf = (candidates: Iterable<string>) => [...candidates].some((name) => names.hasName(name));
  const otherDirectives = [...SUMMARIZED_DIRECTIVES].filter((name) => !SERVING_DIRECTIVES.has(name));
  if (
    names.hasKind('conditional') ||
    names.hasKind('opaque') ||
    isAnyOf([...otherDirectives, VARIABLE_NAME, '<macro', ...[...PROVIDER_ALIAS_SECTIONS].map((name) => `<${name}`)])
  )
    return 'more';
  return isAnyOf(SERVING_DIRECTIVES) ? 'served' : 'nothing';
}

function hashParts(parts: readonly SummaryPart[]): HashPair {
  let sum1 = 0;
  let sum2 = 0;
  let power1 = 1;
  let power2 = 1;
  for (const { item } of parts) {
    const hashesOfItem =
      item instanceof Line ? hashLine(item) : item instanceof SummarySection ? hashSection(item) : item.hashes;
    sum1 = (Math.imul(sum1, hashesOfItem.power1) + hashesOfItem.sum1) | 0;
    sum2 = (Math.imul(sum2, hashesOfItem.power2) + hashesOfItem.sum2) | 0;
    power1 = Math.imul(power1, hashesOfItem.power1);
    power2 = Math.imul(power2, hashesOfItem.power2);
  }
  return { sum1, sum2, power1, power2 };
}

/**
 * The factors of the hash sums. They are odd, because a product with an even factor would lose bits
 * modulo 2^32.
 */
const HASH_FACTOR1 = 0x01000193;
const HASH_FACTOR2 = 0x5bd1e995;

function summarizeChildren(list: List, summarizeList: (list: List) => FileSummary): FileSummary {
  const parts: SummaryPart[] = [];
  let variables: readonly string[] = [];
  let rowCount = 0;
  let offset = 0;
  let hasOnlyServingLines = true;
  let hasUse = false;
  for (let i = 0; i < list.children.length; i++) {
    const child = list.children[i]!;
    if (child.kind === NodeKind.List) {
      const summaryOfList = summarizeList(child);
      variables = unionOfNames(variables, summaryOfList.variables);
      if (!summaryOfList.isEmpty) {
        parts.push({ rows: rowCount, offset, item: summaryOfList });
        hasOnlyServingLines &&= summaryOfList.hasOnlyServingLines;
        hasUse ||= summaryOfList.hasUse;
      }
    } else if (child.kind === NodeKind.Section) {
      variables = unionOfNames(unionOfNames(variables, variablesIn(child.open)), summarizeList(child.body).variables);
      const summaryOfSection = summarySectionOf(child, summarizeList(child.body));
      if (summaryOfSection) {
        parts.push({ rows: rowCount, offset, item: summaryOfSection });
        hasOnlyServingLines &&= isServingItem(summaryOfSection);
        hasUse ||= summaryOfSection.body.hasUse;
      }
    } else {
      if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment)
        variables = unionOfNames(variables, variablesIn(child));
      if (isSummarized(child)) {
        parts.push({ rows: rowCount, offset, item: child });
        hasOnlyServingLines &&= isServingItem(child);
        hasUse ||= child.name === 'use' || child.name === 'undefmacro';
      }
    }
    rowCount += child.lineEnds;
    offset += child.length;
  }
  return parts.length === 0 && variables.length === 0
    ? EMPTY_SUMMARY
    : new SummaryOfList(parts, hasOnlyServingLines, hasUse, variables);
}

function isSummarized(line: Line): boolean {
  return line.kind === LineKind.Directive && (SUMMARIZED_DIRECTIVES.has(line.name) || line.name.startsWith('${'));
}

/** The section in the summary. Null if no line in it matters to other files. */
function summarySectionOf(section: Section, body: FileSummary): SummarySection | null {
  const kindOfSection = sectionKind(section.name);
  const isMacro = section.name === 'macro';
  if (
    !isMacro &&
    kindOfSection !== 'conditional' &&
    kindOfSection !== 'opaque' &&
    body.isEmpty &&
    !PROVIDER_ALIAS_SECTIONS.has(section.name)
  )
    return null;
  return new SummarySection(
    section.open,
    kindOfSection,
    body,
    isMacro ? textOf(section.body) : null,
    testsOldModule(section.open, section.body),
  );
}

function hashSection({ open, body: { hashes: body }, text, asksForOldModule: asks }: SummarySection): HashPair {
  const tagSum = hashText(
    `<${open.name} ${rawArguments(open).value}${asks ? '\n' : ''}${text === null ? '' : `\n${text}`}`,
  );
  // The close tag counts as one more text. Without it, a line in the section and the same line
  // after the section would have equal sums.
  const sum1 = (Math.imul((Math.imul(tagSum.sum1, body.power1) + body.sum1) | 0, HASH_FACTOR1) + 1) | 0;
  const sum2 = (Math.imul((Math.imul(tagSum.sum2, body.power2) + body.sum2) | 0, HASH_FACTOR2) + 1) | 0;
  return {
    sum1,
    sum2,
    power1: Math.imul(Math.imul(HASH_FACTOR1, body.power1), HASH_FACTOR1),
    power2: Math.imul(Math.imul(HASH_FACTOR2, body.power2), HASH_FACTOR2),
  };
}

function lineText(line: Line): string {
  return `${line.name} ${rawArguments(line).value}`;
}

/** Cached hash sums, by the text of the line. The same lines occur in many sections. */
const sumsByText = cache<string, HashPair>();
const MAX_CACHED_SUMS = 1024;

function hashLine(line: Line): HashPair {
  let hashSum = sumsByText.get(line.text);
  if (hashSum === undefined) {
    hashSum = hashText(lineText(line));
    if (sumsByText.size >= MAX_CACHED_SUMS) sumsByText.clear();
    sumsByText.set(line.text, hashSum);
  }
  return hashSum;
}

/**
 * Two hash sums of the characters of a text. Their bits are mixed well, because the sums of several
 * texts are added up.
 */
function hashText(text: string): HashPair {
  let a = 0x811c9dc5;
  let b = 0x9747b28c ^ text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b = (b << 13) | (b >>> 19);
  }
  return { sum1: withMixedBits(a), sum2: withMixedBits(b), power1: HASH_FACTOR1, power2: HASH_FACTOR2 };
}

function withMixedBits(sum: number): number {
  let mixedSum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  mixedSum = Math.imul(mixedSum ^ (mixedSum >>> 13), 0xc2b2ae35);
  return (mixedSum ^ (mixedSum >>> 16)) | 0;
}

const NO_NAMES: readonly string[] = [];

function variablesIn(line: Line): readonly string[] {
  if (!line.mayHaveVariable || !line.text.includes('${')) return NO_NAMES;
  return sortedUnique([...variables(line.text)].map(({ name }) => name.toLowerCase()));
}

function unionOfNames(a: readonly string[], b: readonly string[]): readonly string[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  return sortedUnique([...a, ...b]);
}

function sortedUnique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
