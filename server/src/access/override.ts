/**
 * Finds the AllowOverride that applies to the .htaccess files of a folder. httpd looks for it in
 * sections for folders only, not in sections for URLs (ap_directory_walk in server/request.c).
 * A pattern, a condition or a virtual host may change the AllowOverride. Then there are several
 * candidates, and the result is known only if all candidates have the same effect.
 */
import { DIRECTIVES_SERVING_ANY_FOLDER } from './mappers';
import { mayHoldAny, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import { GroupsInFolders, type HostGroups } from '../config/host-groups';
import { namesInUse } from '../config/lines-by-name';
import { everyRequestHasHost } from '../config/listeners';
import {
  hasWildcard,
  isWithin,
  joinedPath,
  pathComponents,
  pathOfComponents,
  resolvePath,
  withoutQuotes,
} from '../config/files';
import { argumentsOf, type Line } from '../syntax/line';
import { addTo } from '../syntax/groups';
import { cacheOf, counters } from '../syntax/memory';
import { firstIndexFrom } from '../syntax/sorted';
import { asDeepestPath, namesOfDeepestPath, componentMatch, namesOfRelativePath } from './section-order';
import { FolderIndex } from './directory-index';

/**
 * Returns the words of AllowOverride for a folder, in lower case. The default is `all`, as in 2.2.
 * Null if the lines that may apply have different effects. That can be because of patterns,
 * conditions or virtual hosts.
 */
export function overrideWordsFor(configuration: Configuration, folder: string): readonly string[] | null {
  return wordsUnlessOverrideList(configuration, wordsIfSameEffect(overridesOfAnyRequest(configuration, folder)));
}

/**
 * Returns the AllowOverride lines that may apply to a folder. Null if it is unknown what they
 * allow, or if there are none.
 */
export function overrideLines(configuration: Configuration, folder: string): readonly ConfigLine[] | null {
  if (wordsIfSameEffect(overridesOfAnyRequest(configuration, folder)) === null) return null;
  const folderSections = sectionsForFolderOf(configuration, folder);
  const withRepeatedSections = { ...folderSections, mainSections: folderSections.allMainSections() };
  const overrides = serversWithSectionsFor(configuration, folder).flatMap((host) =>
    overridesIn(withRepeatedSections, host ? sectionsOfHost(configuration, folderSections, host) : []),
  );
  const overrideLinesOfServers = overrides.flatMap(({ line }) => line ?? []);
  return overrideLinesOfServers.length === 0 ? null : [...new Set(overrideLinesOfServers)];
}

/**
 * Whether httpd certainly reads no access lines in .htaccess files: AllowOverride is None for all
 * folders. False if only a longer search can show it.
 */
export function forbidsAccessEverywhere(configuration: Configuration): boolean {
  const names = namesInUse(configuration);
  const isNone = (line: Line) => argumentsOf(line).every(({ value }) => value.toLowerCase() === 'none');
  if (names.hasName('allowoverridelist') || !names.lines('allowoverride').every(isNone)) return false;
  const rootOverrides = overridesIn(sectionsForFolder(sectionsOfMainServer(configuration), '/'), []);
  return !rootOverrides.some(({ words }) => admitsAccess(words));
}

/**
 * Returns the AllowOverride lines of inner folders that need an AllowOverrideList of their own if
 * the conversion adds one after `line`. Inner folders inherit the new list, even those with
 * AllowOverride None (experiment: test/trees/htaccess.slow.test.ts). The returned lines forbid
 * access control in .htaccess files, and must continue to do so.
 */
export function forbiddingLinesBelow(configuration: Configuration, line: ConfigLine): readonly ConfigLine[] {
  const { sectionsByFolder, patternSections } = overrideSectionsOf(configuration);
  const literalSections = [...sectionsByFolder.values()].flatMap(({ mainSections, sectionsByHost }) => [
    ...mainSections,
    ...[...sectionsByHost.values()].flat(),
  ]);
  const sections = [...literalSections, ...patternSections];
  const sectionsOfLine = sections.filter(({ scope }) => scope.lines.includes(line));
  const mayInherit = (section: OverrideSection) =>
    sectionsOfLine.some(
      (sectionOfLine) =>
        (sectionOfLine.host === null || section.host === null || sectionOfLine.host === section.host) &&
        depthOf(section) >= depthOf(sectionOfLine) &&
        (isPattern(sectionOfLine) ||
          isPattern(section) ||
          sectionOfLine.pathParts!.every((part, i) => part === section.pathParts![i])),
    );
  return sections
    .filter((section) => mayHaveEffect(section) && mayInherit(section))
    .flatMap(({ scope }) =>
      scope.lines.filter(
        (each) =>
          each !== line &&
          isOverrideLine(each) &&
          each.activity !== 'inactive' &&
          mayForbidAccess(overrideWordsOf(each.expandedLine)),
      ),
    );
}

/**
 * Whether AllowOverride with these words may forbid access lines in .htaccess files. True if the
 * words are unknown (null).
 */
function mayForbidAccess(words: readonly string[] | null): boolean {
  return words === null || !admitsAccess(words);
}

/**
 * Like `overrideWordsFor`, but ignores virtual hosts that do not serve the folder. Null if the
 * words have different effects in the other hosts. Same as `overrideWordsFor` if the main server
 * serves the folder.
 */
export function overrideWordsInHosts(configuration: Configuration, folder: string): readonly string[] | null {
  const { mainServer, hosts } = servedFoldersOf(configuration);
  const folderNames = pathComponents(folder);
  const servesFolder = ({ folders, mayServeAnyFolder }: ServedFoldersOfServer): boolean =>
    mayServeAnyFolder || folders.some((served) => isWithin(folder, served) || isWithin(served, folder));
  // If the main server serves the folder, all hosts may serve it, because they inherit its Alias
  // lines. In hosts without a section for the folder, the AllowOverride of the main server applies.
  if (servesFolder(mainServer)) return overrideWordsFor(configuration, folder);
  const folderSections = sectionsForFolderOf(configuration, folder);
  const hasOwnSections = ({ scope }: ServedFoldersOfServer) =>
    sectionsOfHost(configuration, folderSections, scope).length > 0;
  const servingHosts = new Set<Scope | null>();
  const hostWithoutSections = hosts.hostsServingAnyFolder.find((served) => !hasOwnSections(served));
  const hostsNearFolder = [
    ...hosts.hostsByFolder.itemsAround(folderNames),
    ...hosts.hostsByFolder.itemsBelow(folderNames),
  ].map(({ servedFolders }) => servedFolders);
  for (const served of [
    ...(hostWithoutSections ? [hostWithoutSections] : []),
    ...hosts.hostsServingAnyFolder.filter(hasOwnSections),
    ...hostsNearFolder,
  ])
    if (servesFolder(served)) servingHosts.add(hasOwnSections(served) ? served.scope : null);
  return wordsUnlessOverrideList(
    configuration,
    wordsIfSameEffect([...servingHosts].flatMap((host) => overridesInFolder(configuration, folder, host))),
  );
}

/** The virtual hosts that read the .htaccess files of a folder. */
export interface HtaccessReaders {
  /** The hosts that read the files. The main server and all other hosts certainly do not. */
  readonly hosts: readonly Scope[];
  /** The words of AllowOverride, if they are the same in all these hosts; otherwise null. */
  readonly overrideWords: readonly string[] | null;
}

/** If more virtual hosts than this read the files, `hostsReadingHtaccess` returns null. */
const MAX_READING_HOSTS = 32;

/**
 * The virtual hosts that read the .htaccess files of a folder, if the main server does not read
 * them. A host reads them if its own AllowOverride allows that, whatever folders the host serves
 * (ap_directory_walk in server/request.c; test/httpd/access-claims.test.ts). Null if the main
 * server reads the files, if no host does, if that is unknown for a host, or if there are too many
 * hosts.
 */
export function hostsReadingHtaccess(configuration: Configuration, folder: string): HtaccessReaders | null {
  if (overrideSectionsOf(configuration).hasOverrideList) return null;
  const folderSections = sectionsForFolderOf(configuration, folder);
  const areFilesIgnored = (overrides: readonly Override[]) => overrides.every(({ words }) => words?.length === 0);
  if (
    mayReachOnlyMain(configuration, folderSections) &&
    !areFilesIgnored(overridesInFolder(configuration, folder, null))
  )
    return null;
  const groups = hostGroupsFor(configuration, folderSections);
  const hosts: Scope[] = [];
  const overridesOfReaders: Override[] = [];
  for (const group of groups.allGroups) {
    const overrides = overridesIn(folderSections, group.allItems);
    if (areFilesIgnored(overrides)) continue;
    if (!overrides.every(({ words }) => words !== null && opensHtaccess(words))) return null;
    if (hosts.length + group.hostCount > MAX_READING_HOSTS) return null;
    hosts.push(...groups.hostsOf(group));
    overridesOfReaders.push(...overrides);
  }
  return hosts.length === 0 ? null : { hosts, overrideWords: wordsIfSameEffect(overridesOfReaders) };
}

/**
 * Whether httpd opens .htaccess files if AllowOverride has these words. It does not if all words
 * begin with `Nonfatal=` (set_override in server/core.c of 2.4).
 */
function opensHtaccess(words: readonly string[]): boolean {
  return words.some((word) => !word.startsWith('nonfatal='));
}

/**
 * Whether no AllowOverride line applies to a folder. Then 2.2 accepts all directives in a .htaccess
 * file. 2.4 accepts none, and answers 500 if the file contains a directive.
 */
export function isOverrideDefault(configuration: Configuration, folder: string): boolean {
  // The main server usually has an AllowOverride for the folder. Then this test saves the search
  // through the sections of all virtual hosts, which takes longer.
  if (!overridesIn(sectionsForFolder(sectionsOfMainServer(configuration), folder), []).every(isDefaultOverride))
    return false;
  return overridesOfAnyRequest(configuration, folder).every(isDefaultOverride);
}

/** Whether there may be a request to a folder for which no AllowOverride line applies. */
export function mayBeOverrideDefault(configuration: Configuration, folder: string): boolean {
  return overridesOfAnyRequest(configuration, folder).some(isDefaultOverride);
}

/**
 * The folders of all sections with an AllowOverride, and `/`. `folder` is null for a section with a
 * pattern. `words` are the result of `overrideWordsFor`; for a pattern, the words of its line.
 */
export function overrideFolders(
  configuration: Configuration,
): { readonly folder: string | null; readonly words: readonly string[] | null }[] {
  const { sectionsByFolder, patternSections } = overrideSectionsOf(configuration);
  const literalFolders = ['/', ...sectionsByFolder.keys()].map((folder) => ({
    folder,
    words: overrideWordsFor(configuration, folder),
  }));
  const patternFolders = patternSections.flatMap(({ scope }) =>
    scope.lines
      .filter(isOverrideLine)
      .map(({ expandedLine }) => ({ folder: null, words: overrideWordsOf(expandedLine) })),
  );
  return [...literalFolders, ...patternFolders];
}

/**
 * Returns a function that takes a folder, and returns the folders below it with an AllowOverride
 * line that lets .htaccess files decide access. The list also has the folder itself if a section
 * with a pattern has such a line and may match below the folder. The function visits only patterns
 * and results, so it is fast.
 */
export function foldersBelowAdmittingAccess(configuration: Configuration): (folder: string) => readonly string[] {
  const { sectionsByFolder, patternSections } = overrideSectionsOf(configuration);
  const sortedFolders = [...sectionsByFolder.keys()].sort();
  const admittingPatterns = patternSections.filter(({ scope }) =>
    scope.lines.some((line) => isOverrideLine(line) && admitsAccess(overrideWordsOf(line.expandedLine))),
  );
  return (folder) => {
    const pathStart = joinedPath(folder, '');
    const admittingFolders: string[] = [];
    for (
      let index = firstIndexFrom(sortedFolders, pathStart);
      index < sortedFolders.length && sortedFolders[index]!.startsWith(pathStart);
      index++
    ) {
      if (sortedFolders[index] !== folder && admitsAccess(overrideWordsFor(configuration, sortedFolders[index]!)))
        admittingFolders.push(sortedFolders[index]!);
    }
    const folderNames = pathComponents(folder);
    if (admittingPatterns.some(({ pathParts }) => pathParts === null || mayMatchBelow(pathParts, folderNames)))
      admittingFolders.push(folder);
    return admittingFolders;
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

/** Whether a line may serve any folder. `UserDir disabled` and `UserDir enabled` name none. */
function lineMayServeAnyFolder({ line, expandedLine }: ConfigLine): boolean {
  return (
    DIRECTIVES_SERVING_ANY_FOLDER.has(line.name) &&
    !(line.name === 'userdir' && /^(dis|en)abled$/i.test(argumentsOf(expandedLine)[0]?.value ?? ''))
  );
}

function isDefaultOverride({ line }: Override): boolean {
  return line === null;
}

function isOverrideLine({ line }: ConfigLine): boolean {
  return line.name === 'allowoverride';
}

/**
 * Returns `words`. Null if they forbid access control, but the configuration has an
 * AllowOverrideList, which may allow what the words forbid.
 */
function wordsUnlessOverrideList(
  configuration: Configuration,
  words: readonly string[] | null,
): readonly string[] | null {
  return overrideSectionsOf(configuration).hasOverrideList && !admitsAccess(words) ? null : words;
}

/**
 * Returns the words of the overrides if all have the same words. If the words differ, but all of
 * them forbid access control, returns the words of one override. Otherwise null.
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
 * The folders that the main server or a virtual host serves. httpd reads the .htaccess files in
 * these folders and in their parents.
 */
interface ServedFoldersOfServer {
  readonly scope: Scope;
  readonly folders: readonly string[];
  /** Whether a line may serve any folder. */
  readonly mayServeAnyFolder: boolean;
}

/** The folders that the main server and each virtual host serve. */
interface ServedFoldersOfAll {
  readonly mainServer: ServedFoldersOfServer;
  readonly hosts: {
    readonly hostsServingAnyFolder: readonly ServedFoldersOfServer[];
    readonly hostsByFolder: FolderIndex<{ readonly folder: string; readonly servedFolders: ServedFoldersOfServer }>;
  };
}

const servedFoldersCache = cacheOf<Configuration, ServedFoldersOfAll>();

function servedFoldersOf(configuration: Configuration): ServedFoldersOfAll {
  let servedFolders = servedFoldersCache.get(configuration);
  if (!servedFolders) {
    const servedFoldersOfHosts = configuration.rootScope.children
      .filter(({ kind }) => kind === 'virtualhost')
      .map((host) => servedFoldersOfServer(configuration, host));
    const hostsByServedFolder = servedFoldersOfHosts.flatMap((servedFolders) =>
      servedFolders.folders.map((folder) => ({ folder, servedFolders })),
    );
    servedFolders = {
      mainServer: servedFoldersOfServer(configuration, configuration.rootScope),
      hosts: {
        hostsServingAnyFolder: servedFoldersOfHosts.filter(({ mayServeAnyFolder }) => mayServeAnyFolder),
        hostsByFolder: new FolderIndex(hostsByServedFolder, ({ folder }) => pathComponents(folder)),
      },
    };
    servedFoldersCache.set(configuration, servedFolders);
  }
  return servedFolders;
}

/** The folders that a server or virtual host serves: its last DocumentRoot and every Alias. */
function servedFoldersOfServer({ serverRoot }: Configuration, scope: Scope): ServedFoldersOfServer {
  const documentRoot = scope.lines.findLast(({ line }) => line.name === 'documentroot');
  const servedPaths = scope.lines.flatMap((configLine) => {
    const isAlias = configLine.line.name === 'alias' || configLine.line.name === 'scriptalias';
    const servedPath =
      configLine === documentRoot || isAlias ? argumentsOf(configLine.expandedLine)[isAlias ? 1 : 0]?.value : undefined;
    return servedPath === undefined ? [] : [servedPath];
  });
  const hasVariable = (path: string) => path.includes('${');
  return {
    scope,
    folders: servedPaths.filter((path) => !hasVariable(path)).map((path) => resolvePath(serverRoot, path)),
    mayServeAnyFolder: servedPaths.some(hasVariable) || scope.lines.some(lineMayServeAnyFolder),
  };
}

/**
 * The overrides that may apply in a folder for requests to a virtual host. `host` is null for
 * requests to no virtual host, or to one without a section for the folder.
 */
function overridesInFolder(configuration: Configuration, folder: string, host: Scope | null): readonly Override[] {
  const folderSections = sectionsForFolderOf(configuration, folder);
  let overrides = folderSections.overridesByHost.get(host);
  if (overrides === undefined)
    folderSections.overridesByHost.set(
      host,
      (overrides = overridesIn(folderSections, host ? sectionsOfHost(configuration, folderSections, host) : [])),
    );
  return overrides;
}

/**
 * The overrides that may apply in a folder for any request. Hosts with equal sections are one
 * group, and count once.
 */
function overridesOfAnyRequest(configuration: Configuration, folder: string): readonly Override[] {
  const folderSections = sectionsForFolderOf(configuration, folder);
  return (folderSections.overridesOfAnyRequest ??= [
    ...(mayReachOnlyMain(configuration, folderSections) ? overridesInFolder(configuration, folder, null) : []),
    ...hostGroupsFor(configuration, folderSections).allGroups.flatMap(({ allItems }) =>
      overridesIn(folderSections, allItems),
    ),
  ]);
}

/**
 * Whether there can be a request for the folder to which only sections of the main server apply. It
 * is a request to no virtual host, or to a host that has no section for the folder.
 */
function mayReachOnlyMain(configuration: Configuration, folderSections: FolderSections): boolean {
  const hostsWithSections = hostGroupsFor(configuration, folderSections).allGroups.reduce(
    (count, { hostCount }) => count + hostCount,
    0,
  );
  return hostsWithSections < hostCountOf(configuration) || !everyRequestHasHost(configuration);
}

function hostCountOf(configuration: Configuration): number {
  const sections = overrideSectionsOf(configuration);
  return (sections.hostCount ??= configuration.rootScope.children.filter(({ kind }) => kind === 'virtualhost').length);
}

/** The virtual hosts with sections for the folder, in groups of hosts with equal sections. */
function hostGroupsFor(
  configuration: Configuration,
  folderSections: FolderSections,
): HostGroups<Scope, OverrideSection> {
  return (folderSections.hostGroups ??= hostGroupsUncached(configuration, folderSections));
}

/** Like `hostGroupsFor`, without the cache. */
function hostGroupsUncached(
  configuration: Configuration,
  folderSections: FolderSections,
): HostGroups<Scope, OverrideSection> {
  // Sorted, so that hosts with equal sections are in one group, whatever their order in the file.
  const patternSectionsOfHosts = [...folderSections.patternSectionsByHost.keys()].map(
    (host) => [host, [...sectionsOfHost(configuration, folderSections, host)].sort(compareOrder)] as const,
  );
  return overrideSectionsOf(configuration)
    .groupsInFolders.groupsAlongFolders(folderSections.folders)
    .withHosts(new Map(patternSectionsOfHosts), ({ comparisonKey }) => comparisonKey);
}

/** The sections of a virtual host that may apply in a folder. */
function sectionsOfHost(
  configuration: Configuration,
  { folders, patternSectionsByHost }: FolderSections,
  host: Scope,
): readonly OverrideSection[] {
  const { sectionsByFolder } = overrideSectionsOf(configuration);
  return [
    ...folders.flatMap((each) => sectionsByFolder.get(each)?.sectionsByHost.get(host) ?? []),
    ...(patternSectionsByHost.get(host) ?? []),
  ];
}

/** Counts sections that were compared with a folder, for tests. */
export const overrideCounts = counters({ sections: 0 });

/** The overrides that may apply in a folder. `hostSections`: the sections of a virtual host. */
function overridesIn(
  { pathParts, mainSections }: Pick<FolderSections, 'pathParts' | 'mainSections'>,
  hostSections: readonly OverrideSection[],
): readonly Override[] {
  const sections = hostSections.length === 0 ? mainSections : [...mainSections, ...hostSections].sort(compareOrder);
  let overrides: Override[] = [DEFAULT_OVERRIDE];
  for (const { scope, pathParts: sectionParts } of sections) {
    overrideCounts.sections++;
    const isCertainToApply =
      scope.activity === 'active' &&
      sectionParts !== null &&
      namesOfDeepestPath(sectionParts) === null &&
      sectionParts.every((part, i) => componentMatch(part, pathParts[i]!) === 'yes');
    for (const line of scope.lines) {
      if (!isOverrideLine(line)) continue;
      const override: Override = { words: overrideWordsOf(line.expandedLine), line };
      if (isCertainToApply && line.activity === 'active') overrides = [override];
      else overrides.push(override);
    }
  }
  return overrides;
}

/** Compares two sections for `sort`, by the order in which httpd applies them. */
function compareOrder(a: OverrideSection, b: OverrideSection): number {
  return (
    compareNumbers(depthOf(a), depthOf(b)) ||
    Number(a.host !== null) - Number(b.host !== null) ||
    a.orderNumber - b.orderNumber
  );
}

/**
 * Whether AllowOverride can have an effect in this section. In a section with a regular expression
 * it has none, because httpd applies that section after it reads .htaccess files
 * (ap_directory_walk).
 */
function mayHaveEffect({ pathParts, scope }: OverrideSection): boolean {
  return pathParts !== null || (scope.kind === 'directory' && scope.words[0] !== '~');
}

function isPattern({ pathParts }: OverrideSection): boolean {
  return pathParts === null || pathParts.some(hasWildcard);
}

/**
 * The number of names in the section's path. Infinity if the section may apply anywhere: such
 * sections come last.
 */
function depthOf({ pathParts }: OverrideSection): number {
  return pathParts?.length ?? Infinity;
}

/** Compares two numbers for `sort`. A difference would not work: Infinity - Infinity is NaN. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : Number(a > b);
}

/** Whether the path of a section, with its wildcards, may match a folder or one of its parents. */
function mayMatchFolder(sectionParts: readonly string[], folderNames: readonly string[]): boolean {
  const deepestNames = namesOfDeepestPath(sectionParts);
  if (deepestNames !== null) return `/${folderNames.join('/').toLowerCase()}/`.includes(`/${deepestNames.join('/')}/`);
  return (
    sectionParts.length <= folderNames.length &&
    sectionParts.every((part, i) => componentMatch(part, folderNames[i]!) !== 'no')
  );
}

/** Whether the path of a section, with its wildcards, may match a folder below the given folder. */
function mayMatchBelow(sectionParts: readonly string[], folderNames: readonly string[]): boolean {
  return (
    sectionParts.length > folderNames.length &&
    folderNames.every((part, i) => componentMatch(sectionParts[i]!, part) !== 'no')
  );
}

/** A section with an AllowOverride. */
interface OverrideSection {
  readonly scope: Scope;
  /** The virtual host. Null for the main server. */
  readonly host: Scope | null;
  /** The names in the section's path. Null if the section may apply anywhere. */
  readonly pathParts: readonly string[] | null;
  /** Sections are numbered in the order in which httpd reads them. */
  readonly orderNumber: number;
  /** Equal for sections with the same path and the same AllowOverride lines. */
  readonly comparisonKey: string;
}

/**
 * The sections with an AllowOverride for one folder: those of the main server, and those of each
 * virtual host.
 */
interface SectionsByServer {
  readonly mainSections: OverrideSection[];
  readonly sectionsByHost: Map<Scope, OverrideSection[]>;
}

/** The sections with an AllowOverride of a configuration, or those outside of its virtual hosts. */
interface OverrideSections {
  /** Sections for folders without a wildcard, by folder. */
  readonly sectionsByFolder: ReadonlyMap<string, SectionsByServer>;
  readonly patternSections: readonly OverrideSection[];
  /** Those of `patternSections` that are in virtual hosts. */
  readonly patternSectionsOfHosts: readonly OverrideSection[];
  /** The sections of the main server; of those with equal texts, only the last. */
  readonly lastSections: {
    readonly sectionsByFolder: ReadonlyMap<string, readonly OverrideSection[]>;
    readonly patternSections: readonly OverrideSection[];
  };
  readonly groupsInFolders: GroupsInFolders<Scope, OverrideSection>;
  /** Number of virtual hosts; null until it is needed. */
  hostCount: number | null;
  /** Whether an AllowOverrideList allows a directive. */
  readonly hasOverrideList: boolean;
  /**
   * The result of the last query. Callers often ask for the same folder several times. Null before
   * the first query.
   */
  lastQuery: FolderSections | null;
}

/** A folder, with the sections that may apply in it. */
interface FolderSections {
  readonly folder: string;
  readonly pathParts: readonly string[];
  /** The parents of the folder, the outermost first, and then the folder itself. */
  readonly folders: readonly string[];
  /**
   * The sections of the main server that may apply in the folder, in the order in which httpd
   * applies them. Of sections with equal texts, only the last, because the others change nothing.
   */
  readonly mainSections: readonly OverrideSection[];
  /** Like `mainSections`, but with all sections of equal texts. */
  readonly allMainSections: () => readonly OverrideSection[];
  readonly patternSectionsByHost: ReadonlyMap<Scope, readonly OverrideSection[]>;
  readonly overridesByHost: Map<Scope | null, readonly Override[]>;
  /** See `hostGroupsFor`. Null until they are needed. */
  hostGroups: HostGroups<Scope, OverrideSection> | null;
  /** The overrides for any request. Null until they are needed. */
  overridesOfAnyRequest: readonly Override[] | null;
}

const sectionsCache = cacheOf<Configuration, OverrideSections>();

/** The servers that may have a section for a folder: the main server (null) and virtual hosts. */
function serversWithSectionsFor(configuration: Configuration, folder: string): readonly (Scope | null)[] {
  const { folders, patternSectionsByHost } = sectionsForFolderOf(configuration, folder);
  const { sectionsByFolder } = overrideSectionsOf(configuration);
  const hosts = folders.flatMap((each) => [...(sectionsByFolder.get(each)?.sectionsByHost.keys() ?? [])]);
  return [...new Set([null, ...hosts, ...patternSectionsByHost.keys()])];
}

/** The sections that may apply in a folder. */
function sectionsForFolderOf(configuration: Configuration, folder: string): FolderSections {
  return sectionsForFolder(overrideSectionsOf(configuration), folder);
}

/** Like `sectionsForFolderOf`, with only the given sections. */
function sectionsForFolder(overrideSections: OverrideSections, folder: string): FolderSections {
  if (overrideSections.lastQuery?.folder === folder) return overrideSections.lastQuery;
  const pathParts = pathComponents(folder);
  const folders = [...pathParts.keys(), pathParts.length].map((depth) => pathOfComponents(pathParts.slice(0, depth)));
  const { sectionsByFolder, patternSections, lastSections } = overrideSections;
  const mayMatch = (section: OverrideSection) =>
    section.pathParts === null || mayMatchFolder(section.pathParts, pathParts);
  const mainSections = [
    ...folders.flatMap((each) => lastSections.sectionsByFolder.get(each) ?? []),
    ...lastSections.patternSections.filter(mayMatch),
  ];
  const allMainSections = () =>
    [
      ...folders.flatMap((each) => sectionsByFolder.get(each)?.mainSections ?? []),
      ...patternSections.filter((section) => section.host === null && mayMatch(section)),
    ].sort(compareOrder);
  const patternSectionsByHost = new Map<Scope, OverrideSection[]>();
  for (const section of overrideSections.patternSectionsOfHosts)
    if (mayMatch(section)) addTo(patternSectionsByHost, section.host!, section);
  return (overrideSections.lastQuery = {
    folder,
    pathParts,
    folders,
    mainSections: mainSections.sort(compareOrder),
    allMainSections,
    patternSectionsByHost,
    overridesByHost: new Map(),
    hostGroups: null,
    overridesOfAnyRequest: null,
  });
}

function overrideSectionsOf(configuration: Configuration): OverrideSections {
  let sections = sectionsCache.get(configuration);
  if (!sections) sectionsCache.set(configuration, (sections = sectionsBelow(configuration.rootScope, () => true)));
  return sections;
}

const OVERRIDE_DIRECTIVES: ReadonlySet<string> = new Set(['allowoverride', 'allowoverridelist']);

const mainSectionsCache = cacheOf<Configuration, OverrideSections>();

/** The sections outside of virtual hosts. */
function sectionsOfMainServer(configuration: Configuration): OverrideSections {
  let sections = mainSectionsCache.get(configuration);
  if (!sections)
    mainSectionsCache.set(
      configuration,
      (sections = sectionsBelow(configuration.rootScope, ({ kind }) => kind !== 'virtualhost')),
    );
  return sections;
}

/** Collects the sections with an AllowOverride that are in `root` and fulfil `isWanted`. */
function sectionsBelow(root: Scope, isWanted: (scope: Scope) => boolean): OverrideSections {
  const sectionsByFolder = new Map<string, SectionsByServer>();
  const patternSections: OverrideSection[] = [];
  let nextOrderNumber = 0;
  let hasOverrideList = false;
  const mayHaveOverride = mayHoldAny(OVERRIDE_DIRECTIVES);
  const walk = (scope: Scope, host: Scope | null): void => {
    for (const child of scope.children) {
      if (!mayHaveOverride(child) || !isWanted(child)) continue;
      hasOverrideList ||= child.lines.some(
        ({ line }) => line.name === 'allowoverridelist' && argumentsOf(line)[0]?.value.toLowerCase() !== 'none',
      );
      walk(child, child.kind === 'virtualhost' ? child : host);
      if (!child.lines.some(isOverrideLine)) continue;
      const pathParts = pathPartsOf(child);
      const section: OverrideSection = {
        scope: child,
        host,
        pathParts,
        orderNumber: nextOrderNumber++,
        comparisonKey: comparisonKeyOf(child, pathParts),
      };
      if (isPattern(section)) {
        patternSections.push(section);
        continue;
      }
      const folder = pathOfComponents(section.pathParts!);
      let sections = sectionsByFolder.get(folder);
      if (sections === undefined)
        sectionsByFolder.set(folder, (sections = { mainSections: [], sectionsByHost: new Map() }));
      if (host === null) sections.mainSections.push(section);
      else addTo(sections.sectionsByHost, host, section);
    }
  };
  walk(root, null);
  const groupsInFolders = new GroupsInFolders(
    (folder) => sectionsByFolder.get(folder)?.sectionsByHost,
    ({ comparisonKey }) => comparisonKey,
  );
  const lastSections = {
    sectionsByFolder: new Map(
      [...sectionsByFolder].map(([folder, { mainSections }]) => [folder, lastOfEachKey(mainSections)]),
    ),
    patternSections: lastOfEachKey(patternSections.filter(({ host }) => host === null)),
  };
  const patternSectionsOfHosts = patternSections.filter(({ host }) => host !== null);
  return {
    sectionsByFolder,
    patternSections,
    patternSectionsOfHosts,
    lastSections,
    groupsInFolders,
    hostCount: null,
    hasOverrideList,
    lastQuery: null,
  };
}

/** The last of the sections with each text, in the given order. */
function lastOfEachKey(sections: readonly OverrideSection[]): readonly OverrideSection[] {
  return [...new Map(sections.map((section) => [section.comparisonKey, section])).values()];
}

/** See `OverrideSection.comparisonKey`. */
function comparisonKeyOf(scope: Scope, pathParts: readonly string[] | null): string {
  const textsAndActivities = scope.lines
    .filter(isOverrideLine)
    .map(({ expandedLine, activity }) => [expandedLine.text, activity]);
  return JSON.stringify([pathParts, scope.activity, textsAndActivities]);
}

/** The names in the path of a `<Directory>`. Null if the section may apply anywhere. */
function pathPartsOf(scope: Scope): readonly string[] | null {
  const sectionPath = directoryPathOf(scope);
  if (sectionPath === null) return null;
  const relativePathParts = namesOfRelativePath(scope.words[0]!);
  return relativePathParts === null ? pathComponents(sectionPath) : asDeepestPath(relativePathParts);
}

/** The path of a `<Directory>`, with its wildcards. Null if the section may apply anywhere. */
function directoryPathOf(scope: Scope): string | null {
  const [path = ''] = scope.words;
  const isDirectory =
    scope.kind === 'directory' && (scope.parent?.kind === 'server' || scope.parent?.kind === 'virtualhost');
  return isDirectory && path !== '~' && !path.includes('${') ? resolvePath('/', withoutQuotes(path)) : null;
}

/**
 * The words of an AllowOverride line in lower case. Null if one of them contains a variable. The
 * last All or None cancels the words before it, and None itself is left out (set_override in
 * server/core.c of both versions).
 */
function overrideWordsOf(line: Line): readonly string[] | null {
  const words = argumentsOf(line).map((word) => word.value.toLowerCase());
  if (words.some((word) => word.includes('${'))) return null;
  const indexOfLastNoneOrAll = words.findLastIndex((word) => word === 'none' || word === 'all');
  if (indexOfLastNoneOrAll < 0) return words;
  return words[indexOfLastNoneOrAll] === 'all' ? ['all'] : words.slice(indexOfLastNoneOrAll + 1);
}
