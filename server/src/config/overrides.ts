/**
 * Reads the AllowOverride and AllowOverrideList lines that apply to the .htaccess files of a folder
 * (core.c of 2.4: set_override, set_override_list).
 */
import { addTo } from '../syntax/groups';
import { cacheOf, counters } from '../syntax/memory';
import {
  parentFolders,
  globPattern,
  hasWildcard,
  hasNonAscii,
  pathComponents,
  pathOfComponents,
  resolvePath,
  withoutQuotes,
  serverPathOf,
} from './files';
import { GroupsInFolders } from './host-groups';
import { spelledSection } from './sections';
import type { Model, ModelScope, OverrideLine } from './model';

/** What AllowOverride and AllowOverrideList allow in a .htaccess file. */
export interface AllowedOverrides {
  /**
   * Classes in lower case (`all` for all; `options=indexes` if only some options may be set). Null
   * if they are uncertain.
   */
  readonly classes: ReadonlySet<string> | null;
  /** The directives of AllowOverrideList in lower case; null if no line sets them. */
  readonly overrideList: ReadonlySet<string> | null;
}

/** Counts the AllowOverride lines that were compared with a folder. Only tests use it. */
export const overrideCounts = counters({ comparedLines: 0 });

/**
 * The AllowOverride words that apply in a folder (a path of this machine). Null if the
 * configuration does not serve the folder, or if 2.4 reads no .htaccess files there because
 * AllowOverride allows nothing.
 */
export function allowedOverridesIn(model: Model, localFolder: string): AllowedOverrides | null {
  const grantedOverrides = grantInFolder(model, localFolder);
  if (grantedOverrides === null) return null;
  // A missing file may allow more, or less.
  if (grantedOverrides === UNKNOWN_GRANT || model.gaps.length > 0) return { classes: null, overrideList: null };
  const { words, overrideList } = grantedOverrides;
  if (words.every((word) => word === 'none') && overrideList === null) return null;
  return {
    classes: new Set(words.filter((word) => word !== 'none')),
    overrideList: overrideList && new Set(overrideList),
  };
}

/**
 * The classes that each AllowOverride line other than None allows. If a .htaccess file has any
 * rights, it has at least these classes, in any folder. Null if that is uncertain.
 */
export function classesAllowedAnywhere(model: Model): ReadonlySet<string> | null {
  if (model.gaps.length > 0) return null;
  let cachedClasses = commonClassesCache.get(model.overrideLines);
  if (!cachedClasses)
    commonClassesCache.set(model.overrideLines, (cachedClasses = { classes: commonClasses(model.overrideLines) }));
  return cachedClasses.classes;
}

/**
 * Cached results. The key is the model's list of lines, because the list lives as long as the
 * model.
 */
const commonClassesCache = cacheOf<readonly OverrideLine[], { readonly classes: ReadonlySet<string> | null }>();

/**
 * The classes that each AllowOverride line other than None grants. Null if a line has a variable,
 * or if there are no such lines. Compares distinct lines only, because there are few of them.
 */
function commonClasses(lines: readonly OverrideLine[]): ReadonlySet<string> | null {
  const classesByWords = new Map<string, ReadonlySet<string>>();
  for (const { name, words } of lines) {
    if (name !== 'allowoverride') continue;
    const lowerWords = words.map((word) => word.toLowerCase());
    if (lowerWords.some((word) => word !== 'none')) classesByWords.set(lowerWords.join(' '), new Set(lowerWords));
  }
  const grantedClasses = [...classesByWords.values()];
  if (grantedClasses.length === 0 || grantedClasses.some((words) => [...words].some((word) => word.includes('${'))))
    return null;
  return new Set(
    grantedClasses
      .flatMap((words) => [...words])
      .filter((word) => grantedClasses.every((words) => words.has('all') || words.has(word))),
  );
}

/**
 * The reason why httpd does not read the .htaccess file of a folder, as a sentence without a full
 * stop. Null if httpd reads the file, or if that is uncertain. Only an explicit `AllowOverride
 * None` makes the server ignore the file. Without any line, 2.4 opens the file and refuses its
 * lines, and 2.2 reads it (server/request.c of 2.4: ap_directory_walk; experiment:
 * test/httpd/htaccess-unread.test.ts).
 */
export function reasonForIgnoringHtaccess(model: Model, localFolder: string): string | null {
  if (model.gaps.length > 0) return null;
  const grantedOverrides = grantInFolder(model, localFolder);
  if (
    grantedOverrides === null ||
    grantedOverrides === UNKNOWN_GRANT ||
    grantedOverrides.overrideLine === null ||
    grantedOverrides.overrideList !== null ||
    grantedOverrides.words.some((word) => word !== 'none')
  )
    return null;
  const { name, words } = grantedOverrides.overrideLine.scope;
  return `AllowOverride None of <${[spelledSection(name), ...words].join(' ')}> holds there`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** What the lines of a configuration allow in the .htaccess file of a folder. */
interface GrantedOverrides {
  /**
   * The words of the AllowOverride line in force, in lower case; `none` if there is no such line.
   */
  readonly words: readonly string[];
  readonly overrideList: readonly string[] | null;
  /** The AllowOverride line in force; null if there is none. */
  readonly overrideLine: OverrideLine | null;
}

const UNKNOWN_GRANT = Symbol('unknown');

/**
 * What the main server and the virtual hosts allow in a folder. Null if the configuration does not
 * serve it; `UNKNOWN_GRANT` if that is uncertain, or if the hosts differ. Caches the last result,
 * because the next call is often for the same folder.
 */
function grantInFolder(model: Model, folder: string): GrantedOverrides | typeof UNKNOWN_GRANT | null {
  const overrideIndex = overrideIndexOf(model);
  if (overrideIndex.lastResult?.model !== model || overrideIndex.lastResult.folder !== folder)
    overrideIndex.lastResult = { model, folder, grantedOverrides: computeGrantInFolder(model, folder, overrideIndex) };
  return overrideIndex.lastResult.grantedOverrides;
}

function computeGrantInFolder(
  model: Model,
  localFolder: string,
  index: OverrideIndex,
): GrantedOverrides | typeof UNKNOWN_GRANT | null {
  const folder = serverPathOf(localFolder, model.pathMap);
  // `<Directory />` applies to all drives.
  const folders = [...new Set(['/', ...parentFolders(folder), folder].map(keyOf))];
  if (!folders.some((each) => index.servedFolders.has(each))) return null;
  const linesOfMain = sortedLines([
    ...index.linesWithoutFolder.linesOfMain,
    ...folders.flatMap((each) => index.linesByServedFolder.get(each)?.linesOfMain ?? []),
  ]);
  const grantOfMain = overridesOf(linesOfMain, folder);
  if (grantOfMain === UNKNOWN_GRANT) return UNKNOWN_GRANT;
  // Sections of a virtual host apply after those of the main server (merge_core_server_configs in
  // core.c). A host without lines for this folder allows what the main server allows.
  const linesOfHosts = [...index.linesWithoutFolder.linesByHost].map(
    ([host, hostLines]) =>
      [
        host,
        [...hostLines, ...folders.flatMap((each) => index.linesByServedFolder.get(each)?.linesByHost.get(host) ?? [])],
      ] as const,
  );
  for (const { allItems } of index.linesByFolder.groupsAlongFolders(folders).withHosts(new Map(linesOfHosts))
    .allGroups) {
    const grantOfHost = overridesOf([...linesOfMain, ...sortedLines(allItems)], folder);
    // Virtual hosts allow different things, and it is unknown which of them serves the folder.
    if (grantOfHost === UNKNOWN_GRANT || textOfGrant(grantOfHost) !== textOfGrant(grantOfMain)) return UNKNOWN_GRANT;
  }
  return grantOfMain;
}

function sortedLines(lines: readonly IndexedLine[]): readonly OverrideLine[] {
  return [...lines].sort((a, b) => a.lineIndex - b.lineIndex).map(({ line }) => line);
}

/** A text that is equal for lines with the same effect. */
function keyOfLine({ line: { scope, name, words, activity } }: IndexedLine): string {
  return JSON.stringify([scope.name, scope.words, name, words, activity]);
}

/** A line and its position among the lines of the configuration. */
interface IndexedLine {
  readonly line: OverrideLine;
  readonly lineIndex: number;
}

/** Lines of the main server, and lines of each virtual host. */
interface LinesByServer {
  readonly linesOfMain: IndexedLine[];
  readonly linesByHost: Map<ModelScope, IndexedLine[]>;
}

/**
 * Lines indexed by folder. Only few lines can apply in a folder: those for the folder or a parent
 * folder, and those whose folder is not fixed.
 */
interface OverrideIndex {
  readonly servedFolders: ReadonlySet<string>;
  readonly linesByServedFolder: ReadonlyMap<string, LinesByServer>;
  readonly linesWithoutFolder: LinesByServer;
  readonly linesByFolder: GroupsInFolders<ModelScope, IndexedLine>;
  lastResult: {
    readonly model: Model;
    readonly folder: string;
    readonly grantedOverrides: GrantedOverrides | typeof UNKNOWN_GRANT | null;
  } | null;
}

/** The key is the model's list of lines, because the list lives as long as the model. */
const indexCache = cacheOf<readonly OverrideLine[], OverrideIndex>();

/** The index of the AllowOverride lines of a model. It is made for the first query. */
function overrideIndexOf(model: Model): OverrideIndex {
  const { overrideLines } = model;
  let overrideIndex = indexCache.get(overrideLines);
  if (overrideIndex) return overrideIndex;
  const linesByServedFolder = new Map<string, LinesByServer>();
  const emptyLinesByServer = (): LinesByServer => ({ linesOfMain: [], linesByHost: new Map() });
  const linesWithoutFolder = emptyLinesByServer();
  for (const [number, line] of overrideLines.entries()) {
    const indexedLine: IndexedLine = { line, lineIndex: number };
    const host = virtualHostOf(line.scope);
    const directoryPath =
      line.scope.name === 'directory' && line.scope.words[0] !== '~' ? line.scope.words[0] : undefined;
    const folder =
      directoryPath === undefined ||
      directoryPath.includes('${') ||
      hasWildcard(directoryPath) ||
      hasNonAscii(directoryPath)
        ? null
        : keyOf(resolvePath('/', directoryPath));
    let linesOfFolder = folder === null ? linesWithoutFolder : linesByServedFolder.get(folder);
    if (linesOfFolder === undefined) linesByServedFolder.set(folder!, (linesOfFolder = emptyLinesByServer()));
    if (host === null) linesOfFolder.linesOfMain.push(indexedLine);
    else addTo(linesOfFolder.linesByHost, host, indexedLine);
  }
  const linesByFolder = new GroupsInFolders((folder) => linesByServedFolder.get(folder)?.linesByHost, keyOfLine);
  const servedFolders = new Set(model.servedFolders.map(keyOf));
  indexCache.set(
    overrideLines,
    (overrideIndex = {
      servedFolders,
      linesByServedFolder,
      linesWithoutFolder,
      linesByFolder,
      lastResult: null,
    }),
  );
  return overrideIndex;
}

/**
 * A key that is equal for all spellings of a folder. On Windows, for example, upper and lower case
 * are equal.
 */
function keyOf(folder: string): string {
  return pathOfComponents(pathComponents(folder));
}

/** A text that is equal for grants with the same effect. */
function textOfGrant({ words, overrideList }: GrantedOverrides): string {
  return JSON.stringify([words, overrideList]);
}

/**
 * The overrides that a folder gets from some lines; `UNKNOWN_GRANT` if uncertain. The line with the
 * longest path decides. If paths are equally long, the last line decides.
 */
function overridesOf(lines: readonly OverrideLine[], folder: string): GrantedOverrides | typeof UNKNOWN_GRANT {
  const folderNames = pathComponents(folder);
  const applyingLines: { line: OverrideLine; depth: number }[] = [];
  for (const line of lines) {
    overrideCounts.comparedLines++;
    const depth = depthOf(line.scope, folderNames);
    if (depth === UNKNOWN_GRANT) return UNKNOWN_GRANT;
    if (depth === null) continue;
    if (line.activity !== 'active') return UNKNOWN_GRANT;
    applyingLines.push({ line, depth });
  }
  let allowedWords: readonly string[] = ['none'];
  let overrideList: readonly string[] | null = null;
  let decidingLine: OverrideLine | null = null;
  for (const { line } of applyingLines.sort((a, b) => a.depth - b.depth)) {
    const lowerWords = line.words.map((word) => word.toLowerCase());
    if (line.name === 'allowoverride') [allowedWords, decidingLine] = [lowerWords, line];
    else overrideList = lowerWords[0] === 'none' ? null : lowerWords;
  }
  return { words: allowedWords, overrideList, overrideLine: decidingLine };
}

/**
 * The number of names in the path of a section, if the section applies to the folder. Null if it
 * does not; `UNKNOWN_GRANT` if that is uncertain.
 */
function depthOf(scope: ModelScope, parts: readonly string[]): number | null | typeof UNKNOWN_GRANT {
  if (scope.name === 'directorymatch' || scope.words[0] === '~') return UNKNOWN_GRANT;
  if (scope.name !== 'directory' || scope.words[0] === undefined) return null;
  if (scope.words[0].includes('${')) return UNKNOWN_GRANT;
  // In a file that is not UTF-8, this program may have read the name wrongly.
  if (hasNonAscii(scope.words[0]) && parts.some(hasNonAscii)) return UNKNOWN_GRANT;
  const sectionParts = pathComponents(resolvePath('/', withoutQuotes(scope.words[0])));
  if (sectionParts.length > parts.length) return null;
  return sectionParts.every((part, index) =>
    hasWildcard(part) ? globPattern(part).test(parts[index]!) : part === parts[index],
  )
    ? sectionParts.length
    : null;
}

function virtualHostOf(scope: ModelScope | null): ModelScope | null {
  for (let enclosingScope = scope; enclosingScope; enclosingScope = enclosingScope.parent)
    if (enclosingScope.name === 'virtualhost') return enclosingScope;
  return null;
}
