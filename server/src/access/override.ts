/**
 * Finds the AllowOverride that applies to the .htaccess files of a folder. It depends on the
 * folder, not on the request (ap_directory_walk in server/request.c). If a pattern, a condition or
 * a virtual host may change it, there are several candidates, and the result is what they have in
 * common.
 */
import { MAY_SERVE_ANY_FOLDER } from './mappers';
import { mayHoldAny, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import { GroupsInFolders, type HostGroups } from '../config/host-groups';
import { everyRequestHasHost } from '../config/listeners';
import { hasWildcard, isWithin, joinedPath, partsOf, pathOfParts, resolvePath } from '../config/files';
import { argumentsOf, type Line } from '../syntax/line';
import { addTo } from '../syntax/groups';
import { cacheOf } from '../syntax/memory';
import { firstFrom } from '../syntax/sorted';
import { asDeepestPath, namesOfDeepestPath, componentMatch, relativeParts } from './section-order';
import { FolderIndex } from './directory-index';

/**
 * Returns the words of AllowOverride for a folder, in lower case. The default is `all`, as in 2.2.
 * Null if the lines that may apply (in patterns, conditions and virtual hosts) have different
 * effects.
 */
export function overrideAt(configuration: Configuration, folder: string): readonly string[] | null {
  return wordsUnlessListed(configuration, wordsIfSameEffect(overridesOfAnyRequest(configuration, folder)));
}

/**
 * Returns the AllowOverride lines that may apply to a folder. Null if it is unknown what they
 * allow, or if there is none.
 */
export function overrideLines(configuration: Configuration, folder: string): readonly ConfigLine[] | null {
  if (wordsIfSameEffect(overridesOfAnyRequest(configuration, folder)) === null) return null;
  const overrides = serversWithSectionsFor(configuration, folder).flatMap((host) =>
    overridesAt(configuration, folder, host),
  );
  const lines = overrides.flatMap(({ line }) => line ?? []);
  return lines.length === 0 ? null : [...new Set(lines)];
}

/**
 * If the conversion adds an AllowOverrideList next to `line`, inner folders inherit that list, even
 * folders with AllowOverride None (experiment: test/trees/htaccess.slow.test.ts). Returns the
 * AllowOverride lines of such inner folders that forbid access control in .htaccess files: they
 * need an AllowOverrideList of their own.
 */
export function forbiddingLinesBelow(configuration: Configuration, line: ConfigLine): readonly ConfigLine[] {
  const { byFolder, patternSections } = overrideSectionsOf(configuration);
  const named = [...byFolder.values()].flatMap(({ mainSections, sectionsByHost }) => [
    ...mainSections,
    ...[...sectionsByHost.values()].flat(),
  ]);
  const sections = [...named, ...patternSections];
  const of = sections.filter(({ scope }) => scope.lines.includes(line));
  const isReached = (section: OverrideSection) =>
    of.some(
      (own) =>
        (own.host === null || section.host === null || own.host === section.host) &&
        depthOf(section) >= depthOf(own) &&
        (isPattern(own) || isPattern(section) || own.pathParts!.every((part, i) => part === section.pathParts![i])),
    );
  return sections
    .filter((section) => mayHaveEffect(section) && isReached(section))
    .flatMap(({ scope }) =>
      scope.lines.filter(
        (each) =>
          each !== line &&
          isOverrideLine(each) &&
          each.activity !== 'inactive' &&
          mayForbidAccess(wordsOf(each.expandedLine)),
      ),
    );
}

/**
 * Whether an AllowOverride with these words may stop .htaccess files from deciding access. True if
 * the words are unknown (null).
 */
function mayForbidAccess(words: readonly string[] | null): boolean {
  return words === null || !admitsAccess(words);
}

/**
 * Like `overrideAt`, for virtual hosts with their own AllowOverride: the words that apply in all
 * hosts that serve the folder by DocumentRoot or Alias. Null if they differ.
 */
export function overrideInHosts(configuration: Configuration, folder: string): readonly string[] | null {
  const { mainServer, hosts } = servedFoldersOf(configuration);
  const parts = partsOf(folder);
  const serves = ({ folders, mayServeAnyFolder }: ServedFoldersOfServer): boolean =>
    mayServeAnyFolder || folders.some((served) => isWithin(folder, served) || isWithin(served, folder));
  // An Alias of the main server serves its folder in all hosts. Hosts without a section for the
  // folder use the main server's words.
  if (serves(mainServer)) return overrideAt(configuration, folder);
  const place = sectionsForFolderOf(configuration, folder);
  const isOwn = ({ scope }: ServedFoldersOfServer) => sectionsOfHost(configuration, place, scope).length > 0;
  const serving = new Set<Scope | null>();
  const stranger = hosts.servingAnyFolder.find((served) => !isOwn(served));
  const near = [...hosts.byFolder.itemsAround(parts), ...hosts.byFolder.itemsBelow(parts)].map(
    ({ servedFolders }) => servedFolders,
  );
  for (const served of [...(stranger ? [stranger] : []), ...hosts.servingAnyFolder.filter(isOwn), ...near])
    if (serves(served)) serving.add(isOwn(served) ? served.scope : null);
  return wordsUnlessListed(
    configuration,
    wordsIfSameEffect([...serving].flatMap((host) => overridesAt(configuration, folder, host))),
  );
}

/** The virtual hosts that read the .htaccess files of a folder. */
export interface HtaccessReaders {
  /** The hosts that read the files. The main server and all other hosts certainly do not. */
  readonly hosts: readonly Scope[];
  /** The words of AllowOverride, if they are the same in all these hosts; otherwise null. */
  readonly overrideWords: readonly string[] | null;
}

/** Limit of such virtual hosts. With more, `hostsReadingHtaccess` returns null. */
const MAX_READERS = 32;

/**
 * The virtual hosts that read the .htaccess files of a folder, if the main server does not. A host
 * reads them if its own AllowOverride allows that, regardless of what it serves (ap_directory_walk
 * in server/request.c; test/httpd/access-claims.test.ts). Null if that is unknown for one of them,
 * if there are too many, or if the main server reads the files.
 */
export function hostsReadingHtaccess(configuration: Configuration, folder: string): HtaccessReaders | null {
  if (overrideSectionsOf(configuration).hasOverrideList) return null;
  const place = sectionsForFolderOf(configuration, folder);
  const isShutAt = (overrides: readonly Override[]) => overrides.every(({ words }) => words?.length === 0);
  if (mayReachOnlyMain(configuration, place) && !isShutAt(overridesAt(configuration, folder, null))) return null;
  const groups = groupsAt(configuration, place);
  const hosts: Scope[] = [];
  const all: Override[] = [];
  for (const group of groups.all) {
    const overrides = overridesIn(place, group.allItems);
    if (isShutAt(overrides)) continue;
    if (!overrides.every(({ words }) => words !== null && opensHtaccess(words))) return null;
    if (hosts.length + group.hostCount > MAX_READERS) return null;
    hosts.push(...groups.hostsOf(group));
    all.push(...overrides);
  }
  return hosts.length === 0 ? null : { hosts, overrideWords: wordsIfSameEffect(all) };
}

/**
 * Whether httpd opens .htaccess files if AllowOverride has these words. With `Nonfatal=` alone it
 * does not (set_override in server/core.c of 2.4).
 */
function opensHtaccess(words: readonly string[]): boolean {
  return words.some((word) => !word.startsWith('nonfatal='));
}

/**
 * Whether no AllowOverride applies to a folder. 2.2 then accepts all directives in a .htaccess
 * file. 2.4 accepts none and answers 500 if the file has a line.
 */
export function isOverrideDefault(configuration: Configuration, folder: string): boolean {
  // Usually the sections of the main server already decide, so those of virtual hosts are not
  // searched.
  if (!overridesIn(sectionsForFolder(sectionsOfMain(configuration), folder), []).every(isDefault)) return false;
  return overridesOfAnyRequest(configuration, folder).every(isDefault);
}

/** Whether, for some request to a folder, no AllowOverride line applies. */
export function mayBeOverrideDefault(configuration: Configuration, folder: string): boolean {
  return overridesOfAnyRequest(configuration, folder).some(isDefault);
}

/**
 * The folders of sections with an AllowOverride, and `/`. `folder` is null for a pattern. `words`:
 * as for `overrideAt`.
 */
export function overrideFolders(
  configuration: Configuration,
): { readonly folder: string | null; readonly words: readonly string[] | null }[] {
  const { byFolder, patternSections } = overrideSectionsOf(configuration);
  const named = ['/', ...byFolder.keys()].map((folder) => ({ folder, words: overrideAt(configuration, folder) }));
  const elsewhere = patternSections.flatMap(({ scope }) =>
    scope.lines.filter(isOverrideLine).map(({ expandedLine }) => ({ folder: null, words: wordsOf(expandedLine) })),
  );
  return [...named, ...elsewhere];
}

/**
 * Returns a function that takes a folder. It gives the folders below in which AllowOverride first
 * lets .htaccess files decide access. If a pattern may match below, it gives the folder itself. It
 * is fast: it only visits patterns and results.
 */
export function foldersBelowAdmittingAccess(configuration: Configuration): (folder: string) => readonly string[] {
  const { byFolder, patternSections } = overrideSectionsOf(configuration);
  const named = [...byFolder.keys()].sort();
  const admitting = patternSections.filter(({ scope }) =>
    scope.lines.some((line) => isOverrideLine(line) && admitsAccess(wordsOf(line.expandedLine))),
  );
  return (folder) => {
    const start = joinedPath(folder, '');
    const found: string[] = [];
    for (let index = firstFrom(named, start); index < named.length && named[index]!.startsWith(start); index++) {
      if (named[index] !== folder && admitsAccess(overrideAt(configuration, named[index]!))) found.push(named[index]!);
    }
    const parts = partsOf(folder);
    if (admitting.some(({ pathParts: own }) => own === null || mayMatchBelow(own, parts))) found.push(folder);
    return found;
  };
}

/**
 * Whether .htaccess files can decide access if AllowOverride has these words. True if the words are
 * unknown (null).
 */
export function admitsAccess(override: readonly string[] | null): boolean {
  return override === null || override.some((word) => word === 'all' || word === 'limit' || word === 'authconfig');
}

// ---------------------------------------------------------------------------------------------------------------------

/** One AllowOverride line that may apply to a folder, or the default. */
interface Override {
  /** The words of the line in lower case. Null if they contain a variable. */
  readonly words: readonly string[] | null;
  /** The AllowOverride line. Null for the default, which has no line. */
  readonly line: ConfigLine | null;
}

/** The default of 2.2, if no line applies. */
const DEFAULT_OVERRIDE: Override = { words: ['all'], line: null };

/**
 * Whether a line may serve any folder. `UserDir disabled`, which many packages contain, serves
 * none.
 */
function lineMayServeAnyFolder({ line, expandedLine }: ConfigLine): boolean {
  return (
    MAY_SERVE_ANY_FOLDER.has(line.name) &&
    !(line.name === 'userdir' && /^(dis|en)abled$/i.test(argumentsOf(expandedLine)[0]?.value ?? ''))
  );
}

function isDefault({ line }: Override): boolean {
  return line === null;
}

function isOverrideLine({ line }: ConfigLine): boolean {
  return line.name === 'allowoverride';
}

/**
 * Returns the words of AllowOverride. Null if the configuration has an AllowOverrideList, because
 * it may allow more directives than the words do.
 */
function wordsUnlessListed(configuration: Configuration, words: readonly string[] | null): readonly string[] | null {
  return overrideSectionsOf(configuration).hasOverrideList && !admitsAccess(words) ? null : words;
}

/**
 * Returns the words if all overrides have the same ones. If they differ and all forbid access
 * control, returns the words of one of them. Otherwise null.
 */
function wordsIfSameEffect(overrides: readonly Override[]): readonly string[] | null {
  const [first] = overrides;
  if (first === undefined || overrides.some(({ words }) => words === null)) return null;
  if (overrides.every(({ words }) => words!.join() === first.words!.join())) return first.words;
  return overrides.some(({ words }) => admitsAccess(words))
    ? null
    : overrides.find(({ words }) => words!.length > 0)!.words;
}

/**
 * The folders that a server or virtual host serves. httpd reads the .htaccess files from `/` down
 * to them.
 */
interface ServedFoldersOfServer {
  readonly scope: Scope;
  readonly folders: readonly string[];
  /** Whether a line may serve any folder. */
  readonly mayServeAnyFolder: boolean;
}

interface ServedFoldersOfAll {
  readonly mainServer: ServedFoldersOfServer;
  readonly hosts: {
    readonly servingAnyFolder: readonly ServedFoldersOfServer[];
    readonly byFolder: FolderIndex<{ readonly folder: string; readonly servedFolders: ServedFoldersOfServer }>;
  };
}

const servedCache = cacheOf<Configuration, ServedFoldersOfAll>();

function servedFoldersOf(configuration: Configuration): ServedFoldersOfAll {
  let known = servedCache.get(configuration);
  if (!known) {
    const all = configuration.rootScope.children
      .filter(({ kind }) => kind === 'virtualhost')
      .map((host) => servedFoldersOfServer(configuration, host));
    const named = all.flatMap((servedFolders) => servedFolders.folders.map((folder) => ({ folder, servedFolders })));
    known = {
      mainServer: servedFoldersOfServer(configuration, configuration.rootScope),
      hosts: {
        servingAnyFolder: all.filter(({ mayServeAnyFolder }) => mayServeAnyFolder),
        byFolder: new FolderIndex(named, ({ folder }) => partsOf(folder)),
      },
    };
    servedCache.set(configuration, known);
  }
  return known;
}

/** The folders of a server: its last DocumentRoot and every Alias. */
function servedFoldersOfServer({ serverRoot }: Configuration, scope: Scope): ServedFoldersOfServer {
  const root = scope.lines.findLast(({ line }) => line.name === 'documentroot');
  const paths = scope.lines.flatMap((at) => {
    const isAlias = at.line.name === 'alias' || at.line.name === 'scriptalias';
    const path = at === root || isAlias ? argumentsOf(at.expandedLine)[isAlias ? 1 : 0]?.value : undefined;
    return path === undefined ? [] : [path];
  });
  const isUnknown = (path: string) => path.includes('${');
  return {
    scope,
    folders: paths.filter((path) => !isUnknown(path)).map((path) => resolvePath(serverRoot, path)),
    mayServeAnyFolder: paths.some(isUnknown) || scope.lines.some(lineMayServeAnyFolder),
  };
}

/**
 * The overrides that may apply in a folder for requests to a virtual host. With null: for requests
 * to a host without sections of its own.
 */
function overridesAt(configuration: Configuration, folder: string, host: Scope | null): readonly Override[] {
  const at = sectionsForFolderOf(configuration, folder);
  let overrides = at.overridesByHost.get(host);
  if (overrides === undefined)
    at.overridesByHost.set(host, (overrides = overridesIn(at, host ? sectionsOfHost(configuration, at, host) : [])));
  return overrides;
}

/**
 * The overrides that may apply in a folder for any request. Hosts with equal sections count once.
 */
function overridesOfAnyRequest(configuration: Configuration, folder: string): readonly Override[] {
  const at = sectionsForFolderOf(configuration, folder);
  return (at.overridesOfAnyRequest ??= [
    ...(mayReachOnlyMain(configuration, at) ? overridesAt(configuration, folder, null) : []),
    ...groupsAt(configuration, at).all.flatMap(({ allItems }) => overridesIn(at, allItems)),
  ]);
}

/**
 * Whether some request reaches a folder only through sections of the main server: it goes to a
 * virtual host without a section for the folder, or to no virtual host.
 */
function mayReachOnlyMain(configuration: Configuration, at: FolderSections): boolean {
  const own = groupsAt(configuration, at).all.reduce((count, { hostCount }) => count + hostCount, 0);
  return own < hostCountOf(configuration) || !everyRequestHasHost(configuration);
}

function hostCountOf(configuration: Configuration): number {
  const sections = overrideSectionsOf(configuration);
  return (sections.hostCount ??= configuration.rootScope.children.filter(({ kind }) => kind === 'virtualhost').length);
}

function groupsAt(configuration: Configuration, at: FolderSections): HostGroups<Scope, OverrideSection> {
  const ofPatterns = [...at.patternsByHost.keys()].map(
    (host) => [host, sectionsOfHost(configuration, at, host)] as const,
  );
  return overrideSectionsOf(configuration).sectionsByFolder.groupsAlong(at.folders).withHosts(new Map(ofPatterns));
}

/** The sections of a virtual host that may apply in a folder. */
function sectionsOfHost(
  configuration: Configuration,
  { folders, patternsByHost }: FolderSections,
  host: Scope,
): readonly OverrideSection[] {
  const { byFolder } = overrideSectionsOf(configuration);
  return [
    ...folders.flatMap((each) => byFolder.get(each)?.sectionsByHost.get(host) ?? []),
    ...(patternsByHost.get(host) ?? []),
  ];
}

/** The overrides that may apply in a folder. `own`: the sections of one virtual host. */
function overridesIn(
  { pathParts, mainSections }: FolderSections,
  own: readonly OverrideSection[],
): readonly Override[] {
  const sections = own.length === 0 ? mainSections : [...mainSections, ...own].sort(compareOrder);
  let overrides: readonly Override[] = [DEFAULT_OVERRIDE];
  for (const { scope, pathParts: own } of sections) {
    const isCertain =
      scope.activity === 'active' &&
      own !== null &&
      namesOfDeepestPath(own) === null &&
      own.every((part, i) => componentMatch(part, pathParts[i]!) === 'yes');
    for (const line of scope.lines) {
      if (!isOverrideLine(line)) continue;
      const override: Override = { words: wordsOf(line.expandedLine), line };
      overrides = isCertain && line.activity === 'active' ? [override] : [...overrides, override];
    }
  }
  return overrides;
}

/** Compares two sections by the order in which httpd applies them, for `sort`. */
function compareOrder(a: OverrideSection, b: OverrideSection): number {
  return (
    compareNumbers(depthOf(a), depthOf(b)) ||
    Number(a.host !== null) - Number(b.host !== null) ||
    a.orderNumber - b.orderNumber
  );
}

/**
 * Whether AllowOverride can have an effect in this section. In a section with a regular expression
 * it has none, because that applies too late (ap_directory_walk).
 */
function mayHaveEffect({ pathParts, scope }: OverrideSection): boolean {
  return pathParts !== null || (scope.kind === 'directory' && scope.words[0] !== '~');
}

function isPattern({ pathParts }: OverrideSection): boolean {
  return pathParts === null || pathParts.some(hasWildcard);
}

/**
 * The number of components of the section's path. Infinity if it may apply anywhere, so that such
 * sections come last.
 */
function depthOf({ pathParts }: OverrideSection): number {
  return pathParts?.length ?? Infinity;
}

/** Compares two numbers for `sort`. Unlike a difference, it also works for Infinity. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : Number(a > b);
}

function mayMatchFolder(own: readonly string[], parts: readonly string[]): boolean {
  const names = namesOfDeepestPath(own);
  if (names !== null) return `/${parts.join('/').toLowerCase()}/`.includes(`/${names.join('/')}/`);
  return own.length <= parts.length && own.every((part, i) => componentMatch(part, parts[i]!) !== 'no');
}

function mayMatchBelow(own: readonly string[], parts: readonly string[]): boolean {
  return own.length > parts.length && parts.every((part, i) => componentMatch(own[i]!, part) !== 'no');
}

/** A section with an AllowOverride. */
interface OverrideSection {
  readonly scope: Scope;
  /** The virtual host. Null for the main server. */
  readonly host: Scope | null;
  /** The components of its path. Null if it may apply anywhere. */
  readonly pathParts: readonly string[] | null;
  /** The position of the section in the order in which httpd reads sections. */
  readonly orderNumber: number;
}

interface SectionsByServer {
  readonly mainSections: OverrideSection[];
  readonly sectionsByHost: Map<Scope, OverrideSection[]>;
}

interface OverrideSections {
  /** Sections of literal folders, by their folder. */
  readonly byFolder: ReadonlyMap<string, SectionsByServer>;
  readonly patternSections: readonly OverrideSection[];
  readonly sectionsByFolder: GroupsInFolders<Scope, OverrideSection>;
  /** Number of virtual hosts; null until it is needed. */
  hostCount: number | null;
  /** Whether an AllowOverrideList names a directive. */
  readonly hasOverrideList: boolean;
  /** The result of the last query, because callers often ask for the same folder several times. */
  lastQuery: FolderSections | null;
}

/** A folder, with the sections that may apply in it. */
interface FolderSections {
  readonly folder: string;
  readonly pathParts: readonly string[];
  /** The parent folders of the folder, the outermost first, and the folder itself. */
  readonly folders: readonly string[];
  /** The sections of the main server that may apply in it, in their order. */
  readonly mainSections: readonly OverrideSection[];
  readonly patternsByHost: ReadonlyMap<Scope, readonly OverrideSection[]>;
  readonly overridesByHost: Map<Scope | null, readonly Override[]>;
  /** The overrides for any request; null until they are needed. */
  overridesOfAnyRequest: readonly Override[] | null;
}

const sectionsCache = cacheOf<Configuration, OverrideSections>();

/** The servers that may have a section for a folder: the main server (null) and virtual hosts. */
function serversWithSectionsFor(configuration: Configuration, folder: string): readonly (Scope | null)[] {
  const { folders, patternsByHost } = sectionsForFolderOf(configuration, folder);
  const { byFolder } = overrideSectionsOf(configuration);
  const hosts = folders.flatMap((each) => [...(byFolder.get(each)?.sectionsByHost.keys() ?? [])]);
  return [...new Set([null, ...hosts, ...patternsByHost.keys()])];
}

/** The sections that may apply in a folder. */
function sectionsForFolderOf(configuration: Configuration, folder: string): FolderSections {
  return sectionsForFolder(overrideSectionsOf(configuration), folder);
}

function sectionsForFolder(all: OverrideSections, folder: string): FolderSections {
  if (all.lastQuery?.folder === folder) return all.lastQuery;
  const pathParts = partsOf(folder);
  const folders = [...pathParts.keys(), pathParts.length].map((depth) => pathOfParts(pathParts.slice(0, depth)));
  const ofMain = folders.flatMap((each) => all.byFolder.get(each)?.mainSections ?? []);
  const patterns = new Map<Scope, OverrideSection[]>();
  for (const section of all.patternSections) {
    if (section.pathParts !== null && !mayMatchFolder(section.pathParts, pathParts)) continue;
    if (section.host === null) ofMain.push(section);
    else addTo(patterns, section.host, section);
  }
  return (all.lastQuery = {
    folder,
    pathParts,
    folders,
    mainSections: ofMain.sort(compareOrder),
    patternsByHost: patterns,
    overridesByHost: new Map(),
    overridesOfAnyRequest: null,
  });
}

function overrideSectionsOf(configuration: Configuration): OverrideSections {
  let found = sectionsCache.get(configuration);
  if (!found) sectionsCache.set(configuration, (found = sectionsBelow(configuration.rootScope, () => true)));
  return found;
}

const OVERRIDE_DIRECTIVES: ReadonlySet<string> = new Set(['allowoverride', 'allowoverridelist']);

const mainSectionsCache = cacheOf<Configuration, OverrideSections>();

/** The sections outside of virtual hosts. */
function sectionsOfMain(configuration: Configuration): OverrideSections {
  let found = mainSectionsCache.get(configuration);
  if (!found)
    mainSectionsCache.set(
      configuration,
      (found = sectionsBelow(configuration.rootScope, ({ kind }) => kind !== 'virtualhost')),
    );
  return found;
}

function sectionsBelow(root: Scope, isWanted: (scope: Scope) => boolean): OverrideSections {
  const literal = new Map<string, SectionsByServer>();
  const patternSections: OverrideSection[] = [];
  let order = 0;
  let hasOverrideList = false;
  const mayHaveOne = mayHoldAny(OVERRIDE_DIRECTIVES);
  const walk = (scope: Scope, host: Scope | null): void => {
    for (const child of scope.children) {
      if (!mayHaveOne(child) || !isWanted(child)) continue;
      hasOverrideList ||= child.lines.some(
        ({ line }) => line.name === 'allowoverridelist' && argumentsOf(line)[0]?.value.toLowerCase() !== 'none',
      );
      walk(child, child.kind === 'virtualhost' ? child : host);
      if (!child.lines.some(isOverrideLine)) continue;
      const section: OverrideSection = { scope: child, host, pathParts: componentsOf(child), orderNumber: order++ };
      if (isPattern(section)) {
        patternSections.push(section);
        continue;
      }
      const folder = pathOfParts(section.pathParts!);
      let sections = literal.get(folder);
      if (sections === undefined) literal.set(folder, (sections = { mainSections: [], sectionsByHost: new Map() }));
      if (host === null) sections.mainSections.push(section);
      else addTo(sections.sectionsByHost, host, section);
    }
  };
  walk(root, null);
  const sectionsByFolder = new GroupsInFolders((folder) => literal.get(folder)?.sectionsByHost, overrideKey);
  return { byFolder: literal, patternSections, sectionsByFolder, hostCount: null, hasOverrideList, lastQuery: null };
}

/** A text that is equal for sections with the same AllowOverride lines. */
function overrideKey({ scope }: OverrideSection): string {
  const lines = scope.lines.filter(isOverrideLine).map(({ expandedLine, activity }) => [expandedLine.text, activity]);
  return JSON.stringify([scope.activity, lines]);
}

/** The components of the path of a `<Directory>`. Null if the section may apply anywhere. */
function componentsOf(scope: Scope): readonly string[] | null {
  const path = pathOf(scope);
  if (path === null) return null;
  const relative = relativeParts(scope.words[0]!);
  return relative === null ? partsOf(path) : asDeepestPath(relative);
}

/** The path of a `<Directory>`, with its wildcards. Null if the section may apply anywhere. */
function pathOf(scope: Scope): string | null {
  const [path = ''] = scope.words;
  const isDirectory =
    scope.kind === 'directory' && (scope.parent?.kind === 'server' || scope.parent?.kind === 'virtualhost');
  return isDirectory && path !== '~' && !path.includes('${') ? resolvePath('/', path) : null;
}

/**
 * The words in lower case; null if they contain a variable. The last All or None cancels the words
 * before it (set_override in server/core.c of both versions).
 */
function wordsOf(line: Line): readonly string[] | null {
  const words = argumentsOf(line).map((word) => word.value.toLowerCase());
  if (words.some((word) => word.includes('${'))) return null;
  const last = words.findLastIndex((word) => word === 'none' || word === 'all');
  if (last < 0) return words;
  return words[last] === 'all' ? ['all'] : words.slice(last + 1);
}
