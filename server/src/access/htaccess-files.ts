/**
 * Finds the .htaccess files that may decide access. They are in served folders, below them or above
 * them, and AllowOverride does not forbid access lines in them.
 */
import {
  mayHoldAny,
  readHtaccessFile,
  type ConfigFile,
  type ConfigLine,
  type Configuration,
  type Scope,
} from '../config/configuration';
import { isForeignText } from '../config/foreign';
import { parentFolders, isWithin, joinedPath, localPathAsSpelled, resolvePath, type FileView } from '../config/files';
import { argumentsOf, LineKind } from '../syntax/line';
import { cacheOf, lazy } from '../syntax/memory';
import { forEachItem, Section } from '../syntax/tree';
import {
  openQuestion,
  questionOfGap,
  OUTSIDE_HOSTS_SUFFIX,
  joinedQuestions,
  type OpenQuestion,
  type FilePosition,
} from './open-question';
import {
  admitsAccess,
  foldersBelowAdmittingAccess,
  mayBeOverrideDefault,
  isOverrideDefault,
  overrideWordsFor,
  overrideFolders,
  overrideWordsInHosts,
  hostsReadingHtaccess,
} from './override';
import { ACCESS_NAMES } from './conversion-input';
import type { HtaccessFile } from './sections';
import { addTo } from '../syntax/groups';
import {
  foldersOfParent,
  findServedFolders,
  servingLines,
  findUnnamedFolders,
  type ServedParent,
  type UnnamedFolders,
} from './serving-lines';

/** The .htaccess files that the search found, and the questions that it leaves open. */
export interface DiscoveredHtaccess {
  readonly files: readonly HtaccessFile[];
  /**
   * All access files in the searched directories, including those that AllowOverride forbids. The
   * key is the path of a file with links resolved. The value has each path of its folder on this
   * machine, because a folder has several paths if links lead to it.
   */
  readonly accessFiles: ReadonlyMap<string, ReadonlySet<string>>;
  /** The paths of the folders with access files, as they are on the server. */
  readonly folders: readonly string[];
  /** Questions whose answers could show that more .htaccess files exist. */
  readonly openQuestions: readonly OpenQuestion[];
}

/** Limit of searched directories, and of all paths by which links lead to them. */
const MAX_DIRECTORIES = 100_000;

/**
 * Limits for directories to which only links lead, such as a link to `/`: of searched directories,
 * and of names that they contain.
 */
const MAX_LINKED_DIRECTORIES = 10_000;
const MAX_LINKED_NAMES = 100_000;

/**
 * The same two limits for a server that serves `/`. A machine has thousands of directories below
 * `/`, so the search ends before it has seen them all, and a question remains.
 */
const MAX_DIRECTORIES_BELOW_ROOT = 500;
const MAX_NAMES_BELOW_ROOT = 5_000;

/**
 * Limit of access files without a directive of httpd. With `AccessFileName README` every README is
 * an access file. httpd answers 500 for its directory, and the search would find thousands.
 */
const MAX_FILES_WITHOUT_DIRECTIVES = 100;

/** A directory of this machine. Links can give it several paths. */
interface Directory {
  /** Each child directory: its name, and its identity, which is the same for all its paths. */
  readonly children: readonly (readonly [name: string, identity: string])[];
  readonly hasAccessFile: boolean;
}

/**
 * Finds the access files of a configuration in `view`. The result is cached, because several rules
 * need it.
 */
export function discoverHtaccess(configuration: Configuration, view: FileView): DiscoveredHtaccess {
  const cachedDiscovery = discoveryCache.get(configuration);
  if (cachedDiscovery?.view === view) return cachedDiscovery.result;
  const discovery = discoverUncached(configuration, view);
  discoveryCache.set(configuration, { view, result: discovery });
  return discovery;
}

const discoveryCache = cacheOf<Configuration, { readonly view: FileView; readonly result: DiscoveredHtaccess }>();

/** Like `discoverHtaccess`, without the cache. */
function discoverUncached(configuration: Configuration, view: FileView): DiscoveredHtaccess {
  const openQuestions: OpenQuestion[] = [];
  const foldersNotInCopy: { readonly folder: string; readonly line: ConfigLine; readonly isAbove: boolean }[] = [];
  const foundFiles: HtaccessFile[] = [];
  const accessFiles = new Map<string, Set<string>>();
  const folders: string[] = [];
  const accessFileNameLists = accessFileNames(configuration);
  for (const { line, file, offset } of accessFileNameLists.linesWithVariable)
    openQuestions.push(openQuestion('variable', line.text.trim(), [{ path: file.path, offset }], 'access-file-name'));
  const localPathOf = (folder: string): string => localPathAsSpelled(folder, configuration.pathMap, view);
  const identityOf = (folder: string): string => view.realPath(localPathOf(folder));
  const directoryByIdentity = new Map<string, Directory>();
  const linkedCounts = { directories: 0, names: 0 };
  const linesThatServe = servingLines(configuration.rootScope);
  const unnamedServedFolders = findUnnamedFolders(linesThatServe, configuration, view);
  const servingLineByFolder = findServedFolders(linesThatServe, configuration, view);
  /** The existing parent directories of served directories that are missing on this machine. */
  const existingFoldersAroundMissing = new Set<string>();
  for (const { servingLine, parents } of unnamedServedFolders)
    for (const servedParent of parents ?? [])
      if (isOnThisMachine(servedParent.folder)) addFolders(servedParent, servingLine);
  const decidingFoldersBelow = foldersBelowAdmittingAccess(configuration);
  const servedFoldersInOrder = [...servingLineByFolder].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [folder, line] of servedFoldersInOrder) readDirectoriesBelow(folder, line);
  const identitiesLeadingToFiles = directoriesLeadingToAccessFiles(directoryByIdentity);
  const visitedFolders = new Set<string>();
  const filesWithoutDirectives = new FilesWithoutDirectives();
  for (const [folder, line] of servedFoldersInOrder) {
    // The server also reads the .htaccess files of all parent directories (ap_directory_walk in
    // server/request.c).
    for (const parentFolder of parentFolders(folder)) {
      if (view.kind(localPathOf(parentFolder)) === 'folder') addAccessFilesOf(parentFolder);
      else if (admitsAccess(overrideWordsFor(configuration, parentFolder)))
        foldersNotInCopy.push({ folder, line, isAbove: true });
    }
    visitBelow(folder);
  }
  for (const folder of existingFoldersAroundMissing) addAccessFilesOf(folder);
  // Whether a folder or one of its parents was searched. If only a parent was searched, the folder
  // does not exist, and there is nothing to search in it.
  const isSearched = (folder: string): boolean =>
    directoryByIdentity.has(identityOf(folder)) ||
    parentFolders(folder).some((parentFolder) => directoryByIdentity.has(identityOf(parentFolder)));
  const foldersWithOverride = lazy(() => overrideFolders(configuration));
  const search = { names: [...new Set(accessFileNameLists.nameLists.flat())] };
  for (const each of unnamedServedFolders) {
    const missingFolders = foldersNotInCopyOf(each);
    if (missingFolders.length > 0)
      openQuestions.push({
        ...openQuestion('served-anywhere', each.servingLine.line.text.trim(), [positionOf(each.servingLine)]),
        search: { ...search, folders: missingFolders },
      });
  }
  // With a ChrootDir, the server resolves each path below that folder. So it reads other .htaccess
  // files than those that this search finds.
  for (const line of configuration.rootScope.lines)
    if (line.line.name === 'chrootdir') foldersNotInCopy.push({ folder: '/', line, isAbove: false });
  const foldersNotInCopyBySubject = new Map(
    foldersCovering(foldersNotInCopy.map(({ folder }) => folder)).map(
      (subject): [string, (typeof foldersNotInCopy)[number][]] => [subject, []],
    ),
  );
  for (const each of foldersNotInCopy)
    for (const folderOrParent of [...parentFolders(each.folder), each.folder])
      foldersNotInCopyBySubject.get(folderOrParent)?.push(each);
  for (const [subject, foldersOfSubject] of foldersNotInCopyBySubject) {
    const servingLinesOfSubject = new Set(foldersOfSubject.map(({ line }) => line));
    openQuestions.push({
      ...openQuestion(
        'htaccess-unseen',
        subject,
        [...servingLinesOfSubject].map(positionOf),
        foldersOfSubject.every(({ isAbove }) => isAbove) ? 'above' : undefined,
      ),
      search: { ...search, folders: [] },
    });
  }
  openQuestions.push(...filesWithoutDirectives.openQuestions(visitedFolders.size));
  return { files: foundFiles, accessFiles, folders, openQuestions: joinedQuestions(openQuestions) };

  /** Adds the folders that a line serves below `servedParent` to the served folders. */
  function addFolders(servedParent: ServedParent, line: ConfigLine): void {
    const servedInParent = foldersOfParent(servedParent, configuration, view);
    for (const folder of servedInParent.existingFolders)
      if (!servingLineByFolder.has(folder)) servingLineByFolder.set(folder, line);
    for (const folder of servedInParent.missingFolders)
      for (const parentFolder of parentFolders(folder))
        if (view.kind(localPathOf(parentFolder)) === 'folder') existingFoldersAroundMissing.add(parentFolder);
  }

  function isOnThisMachine(folder: string): boolean {
    return folder !== '/' && view.kind(localPathOf(folder)) === 'folder';
  }

  /**
   * The folders that a line serves without naming them, and in which a .htaccess file may decide
   * access. Folders that exist on this machine are left out, because they are searched.
   */
  function foldersNotInCopyOf({ parents, searchPaths }: UnnamedFolders): readonly string[] {
    if (parents === null) {
      const mayDecide = foldersWithOverride().some(
        ({ folder, words }) => admitsAccess(words) && (folder === null || !isSearched(folder)),
      );
      return mayDecide ? searchPaths : [];
    }
    return parents.flatMap((servedParent) => {
      if (isOnThisMachine(servedParent.folder)) return [];
      const missingParents = parentFolders(servedParent.folder).filter(
        (folder) => view.kind(localPathOf(folder)) !== 'folder',
      );
      const mayDecide =
        foldersDecidingAccess(servedParent.folder).length > 0 ||
        missingParents.some((folder) => admitsAccess(overrideWordsFor(configuration, folder)));
      return mayDecide ? [servedParent.searchPath] : [];
    });
  }

  /**
   * Reads the directories below a folder, each of them once. `folder`: a path in the configuration.
   * The path map gives its path on this machine.
   */
  function readDirectoriesBelow(folder: string, line: ConfigLine): void {
    const fileKind = view.kind(localPathOf(folder));
    if (fileKind !== 'folder') {
      // There are no .htaccess files below a file, so only a missing path leads to a question.
      if (fileKind === null) {
        for (const each of foldersDecidingAccess(folder)) foldersNotInCopy.push({ folder: each, line, isAbove: false });
      }
      return;
    }
    const topIdentity = identityOf(folder);
    const pendingDirectories = [{ localPath: localPathOf(folder), identity: topIdentity }];
    for (let next = pendingDirectories.pop(); next; next = pendingDirectories.pop()) {
      const { localPath, identity } = next;
      if (directoryByIdentity.has(identity)) continue;
      const isLinked = topIdentity === '/' || !isWithin(identity, topIdentity);
      const [maxDirectories, maxNames] =
        topIdentity === '/'
          ? [MAX_DIRECTORIES_BELOW_ROOT, MAX_NAMES_BELOW_ROOT]
          : [MAX_LINKED_DIRECTORIES, MAX_LINKED_NAMES];
      if (
        directoryByIdentity.size >= MAX_DIRECTORIES ||
        (isLinked && (linkedCounts.directories++ >= maxDirectories || linkedCounts.names >= maxNames))
      )
        return void openQuestions.push(
          openQuestion('too-many-directories', String(directoryByIdentity.size), [positionOf(line)]),
        );
      const children: (readonly [string, string])[] = [];
      directoryByIdentity.set(identity, {
        children,
        hasAccessFile: accessFileNameLists.nameLists.flat().some((name) => nameExists(localPath, name)),
      });
      const namesInside = view.list(localPath);
      if (isLinked) linkedCounts.names += namesInside?.length ?? 0;
      if (namesInside === null && foldersDecidingAccess(folder).length > 0)
        openQuestions.push(openQuestion('unreadable', localPath, [positionOf(line)]));
      for (const name of namesInside ?? []) {
        const childPath = joinedPath(localPath, name);
        if (view.kind(childPath) !== 'folder') continue;
        const child = view.realPath(childPath);
        children.push([name, child]);
        pendingDirectories.push({ localPath: childPath, identity: child });
      }
    }
  }

  /**
   * The folder itself, and folders below it, in which AllowOverride lets .htaccess files decide
   * access.
   */
  function foldersDecidingAccess(folder: string): readonly string[] {
    return admitsAccess(overrideWordsFor(configuration, folder)) ? [folder] : decidingFoldersBelow(folder);
  }

  /**
   * Whether a file with this name exists in a directory. The name may contain slashes. A broken
   * link counts, because it may lead to a file on the server.
   */
  function nameExists(localPath: string, name: string): boolean {
    return name.includes('/')
      ? view.kind(joinedPath(localPath, name)) !== null
      : view.list(localPath)?.includes(name) === true;
  }

  /**
   * Visits each directory below a folder, under each path by which links lead to it. Different
   * sections apply to different paths, so one .htaccess file can inherit different access.
   */
  function visitBelow(folder: string): void {
    const pendingFolders: {
      readonly name: string;
      readonly identity: string;
      readonly parentIdentities: readonly string[];
    }[] = [{ name: folder, identity: identityOf(folder), parentIdentities: [] }];
    for (let next = pendingFolders.pop(); next; next = pendingFolders.pop()) {
      const { name, identity, parentIdentities } = next;
      const visitCount = parentIdentities.filter((other) => other === identity).length;
      // Here, a link leads back to a parent directory. Another round through it finds nothing new,
      // unless a section names a folder below the link.
      if (visitCount > 1) {
        if (hasSectionsBelow(configuration, name)) openQuestions.push(openQuestion('linked', name, [], identity));
        continue;
      }
      if (visitedFolders.size >= MAX_DIRECTORIES)
        return void openQuestions.push(openQuestion('too-many-directories', String(MAX_DIRECTORIES)));
      const directory = directoryByIdentity.get(identity);
      if (!directory || !identitiesLeadingToFiles.has(identity) || filesWithoutDirectives.isFull) continue;
      addAccessFilesOf(name);
      for (const [child, childIdentity] of directory.children)
        if (identitiesLeadingToFiles.has(childIdentity))
          pendingFolders.push({
            name: joinedPath(name, child),
            identity: childIdentity,
            parentIdentities: [...parentIdentities, identity],
          });
    }
  }

  /**
   * Reads the .htaccess files of a folder, once. Virtual hosts can have different lists of access
   * file names. Of the names in a list, httpd reads the first that exists (ap_parse_htaccess in
   * server/config.c).
   */
  function addAccessFilesOf(folder: string): void {
    if (visitedFolders.has(folder)) return;
    visitedFolders.add(folder);
    const localFolder = localPathOf(folder);
    const nameOfEachList = accessFileNameLists.nameLists.map(
      (list) => list.find((name) => nameExists(localFolder, name)) ?? null,
    );
    if (nameOfEachList.every((name) => name === null)) return;
    folders.push(folder);
    for (const name of nameOfEachList) {
      if (name === null) continue;
      const identity = view.realPath(joinedPath(localFolder, name));
      accessFiles.set(identity, (accessFiles.get(identity) ?? new Set()).add(localFolder));
    }
    const overrideEverywhere = overrideWordsFor(configuration, folder);
    // If the folder has access files with different names, it is unknown which host reads which
    // file.
    const readers =
      overrideEverywhere === null && new Set(nameOfEachList).size === 1
        ? hostsReadingHtaccess(configuration, folder)
        : null;
    const overrideWords = overrideEverywhere ?? readers?.overrideWords ?? overrideWordsInHosts(configuration, folder);
    if (overrideWords?.length === 0) return;
    const mayDecide = admitsAccess(overrideWords);
    for (const name of new Set(nameOfEachList)) {
      if (name === null) continue;
      const accessFilePath = joinedPath(localFolder, name);
      const { pathMap, decideCondition, defineFlags, oneVersionNames, loadedModules, namesOfOneServer } = configuration;
      const file =
        view.kind(accessFilePath) === 'file'
          ? readHtaccessFile({
              root: accessFilePath,
              folder,
              view,
              names: ACCESS_NAMES,
              pathMap,
              decideCondition,
              defineFlags,
              oneVersionNames,
              loadedModules,
              namesOfOneServer,
            })
          : null;
      if (!file) {
        if (mayDecide)
          openQuestions.push(openQuestion('unreadable', accessFilePath, [{ path: accessFilePath, offset: 0 }]));
        continue;
      }
      const scope = file.rootScope;
      filesWithoutDirectives.addIfWithoutDirectives(scope.file);
      // If AllowOverride forbids access lines, both versions answer 500. Such a file matters only
      // if it has lines that only 2.2 reads: then 2.4 does not answer 500.
      if (!mayDecide && !hasLinesFor22Only(scope)) continue;
      openQuestions.push(...file.gaps.map(questionOfGap));
      const isReadByAllHosts = overrideEverywhere !== null && nameOfEachList.every((other) => other === name);
      foundFiles.push({
        scope,
        overrideWords,
        readingHosts: isReadByAllHosts ? 'all' : (readers?.hosts ?? null),
      });
      if (overrideWords === null && hasAnyDirective(scope))
        openQuestions.push(openQuestion('override-unknown', folder, [{ path: accessFilePath, offset: 0 }], name));
      // Without an AllowOverride line, httpd still opens the file: only an AllowOverride None
      // prevents that (test/httpd/access-claims.test.ts).
      if (mayBeOverrideDefault(configuration, folder) && hasAnyDirective(scope))
        openQuestions.push(
          openQuestion(
            'override-default',
            folder,
            [{ path: accessFilePath, offset: 0 }],
            isOverrideDefault(configuration, folder) ? name : name + OUTSIDE_HOSTS_SUFFIX,
          ),
        );
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Collects access files that are no configuration, because they do not begin with a directive. */
class FilesWithoutDirectives {
  private readonly paths = new Set<string>();

  /** Records the file if its text does not begin with a directive. */
  addIfWithoutDirectives({ path, tree }: ConfigFile): void {
    if (isForeignText(tree.root)) this.paths.add(path);
  }

  /**
   * The open question whether more access files exist. Empty if the limit is not reached.
   * `directoryCount`: the number of searched directories.
   */
  openQuestions(directoryCount: number): OpenQuestion[] {
    return this.isFull ? [openQuestion('too-many-directories', String(directoryCount))] : [];
  }

  /** Whether the limit is reached, so that no more access files are read. */
  get isFull(): boolean {
    return this.paths.size >= MAX_FILES_WITHOUT_DIRECTIVES;
  }
}

/**
 * The identities of the directories that contain an access file, or from which subdirectories or
 * links lead to one.
 */
function directoriesLeadingToAccessFiles(directories: ReadonlyMap<string, Directory>): ReadonlySet<string> {
  const parentsByDirectory = new Map<string, string[]>();
  for (const [identity, { children }] of directories)
    for (const [, child] of children) addTo(parentsByDirectory, child, identity);
  const identitiesOnTheWay = new Set(
    [...directories].flatMap(([identity, { hasAccessFile }]) => (hasAccessFile ? [identity] : [])),
  );
  for (const identity of identitiesOnTheWay)
    for (const parent of parentsByDirectory.get(identity) ?? []) identitiesOnTheWay.add(parent);
  return identitiesOnTheWay;
}

/**
 * Whether a `<Directory>` names something below a folder, or has a pattern that may match there.
 */
function hasSectionsBelow({ rootScope }: Configuration, folder: string): boolean {
  const isWithinOrPattern = ({ kind, words }: Scope): boolean =>
    kind === 'directorymatch' ||
    (kind === 'directory' &&
      (words[0] === '~' || /[*?[$]/.test(words[0] ?? '') || isWithin(resolvePath('/', words[0] ?? ''), folder)));
  return [rootScope, ...rootScope.children.filter(({ kind }) => kind === 'virtualhost')].some(({ children }) =>
    children.some(isWithinOrPattern),
  );
}

/** Whether a .htaccess file has lines that only 2.2 reads. */
function hasLinesFor22Only({ lines, children }: Scope): boolean {
  return (
    lines.some(({ activityByVersion }) => activityByVersion?.in24 === 'inactive') || children.some(hasLinesFor22Only)
  );
}

/** Whether a .htaccess file has anything but comments and blank lines. */
function hasAnyDirective({ file }: Scope): boolean {
  let foundDirective = false;
  forEachItem(file.tree.root, 0, (item) => {
    foundDirective ||= item instanceof Section || item.kind === LineKind.Directive;
  });
  return foundDirective;
}

/** The names that the AccessFileName lines of a configuration give to access files. */
interface AccessFileNames {
  /**
   * The lists of names of the main server and of the virtual hosts, without duplicates. A server
   * has several lists if conditions decide which one applies.
   */
  readonly nameLists: readonly (readonly string[])[];
  /** AccessFileName lines that contain a variable. */
  readonly linesWithVariable: readonly ConfigLine[];
}

/**
 * Reads the AccessFileName lines. Of several lines, the last one applies. A virtual host without a
 * line inherits the list of the main server (set_access_name and merge_core_server_configs in
 * server/core.c).
 */
function accessFileNames({ rootScope }: Configuration): AccessFileNames {
  const linesWithVariable: ConfigLine[] = [];
  const nameListsOf = (
    scope: Scope,
    inheritedLists: readonly (readonly string[])[],
  ): readonly (readonly string[])[] => {
    let nameListsOfScope = inheritedLists;
    for (const configLine of scope.lines) {
      if (configLine.line.name !== 'accessfilename') continue;
      const namesOfLine = argumentsOf(configLine.expandedLine).map((word) => word.value);
      if (namesOfLine.some((name) => name.includes('${'))) linesWithVariable.push(configLine);
      nameListsOfScope = configLine.activity === 'active' ? [namesOfLine] : [...nameListsOfScope, namesOfLine];
    }
    return nameListsOfScope;
  };
  const listsOfMainServer = nameListsOf(rootScope, [['.htaccess']]);
  const listsByText = new Map<string, readonly string[]>();
  const addedLists = new Set<readonly (readonly string[])[]>();
  const mayHaveAccessFileName = mayHoldAny(new Set(['accessfilename']));
  const addLists = (nameListsOfServer: readonly (readonly string[])[]) => {
    // Most virtual hosts inherit the list of the main server.
    if (addedLists.has(nameListsOfServer)) return;
    addedLists.add(nameListsOfServer);
    for (const list of nameListsOfServer) listsByText.set(JSON.stringify(list), list);
  };
  addLists(listsOfMainServer);
  for (const child of rootScope.children)
    if (mayHaveAccessFileName(child) && child.kind === 'virtualhost') addLists(nameListsOf(child, listsOfMainServer));
  return { nameLists: [...listsByText.values()], linesWithVariable };
}

/**
 * Returns a short list of folders that together contain all given folders. A common parent replaces
 * several folders, unless the parent is `/` or directly below `/`.
 */
function foldersCovering(folders: readonly string[]): string[] {
  const coveringFolders: string[] = [];
  for (const folder of [...new Set(folders)].sort()) {
    const lastFolder = coveringFolders.at(-1);
    const commonParent = lastFolder === undefined ? '' : commonFolder(lastFolder, folder);
    if (lastFolder !== undefined && (commonParent === lastFolder || commonParent.split('/').length > 2))
      coveringFolders[coveringFolders.length - 1] = commonParent;
    else coveringFolders.push(folder);
  }
  return coveringFolders;
}

function commonFolder(a: string, b: string): string {
  const [first, second] = [a.split('/'), b.split('/')];
  const sharedPartCount = first.findIndex((part, i) => part !== second[i]);
  return (sharedPartCount < 0 ? first : first.slice(0, sharedPartCount)).join('/') || '/';
}

function positionOf({ file, offset }: ConfigLine): FilePosition {
  return { path: file.path, offset };
}
