/**
 * Finds the .htaccess files that may decide access: below served folders, where AllowOverride
 * allows them.
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
import { foldersAround, isWithin, joinedPath, localPathAsSpelled, resolvePath, type FileView } from '../config/files';
import { argumentsOf, LineKind } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { forEachItem, Section } from '../syntax/tree';
import {
  openQuestion,
  questionOfGap,
  OUTSIDE_HOSTS_SUFFIX,
  mergedQuestions,
  type OpenQuestion,
  type FilePosition,
} from './open-question';
import {
  admitsAccess,
  foldersBelowAdmittingAccess,
  mayBeOverrideDefault,
  isOverrideDefault,
  overrideAt,
  overrideFolders,
  overrideInHosts,
  hostsReadingHtaccess,
} from './override';
import { ACCESS_NAMES } from './conversion-input';
import type { HtaccessFile } from './sections';
import { addTo } from '../syntax/groups';
import {
  foldersOfParent,
  servedFolders,
  servingLines,
  unnamedFolders,
  type ServedParent,
  type UnnamedFolders,
} from './serving-lines';

export interface DiscoveredHtaccess {
  readonly files: readonly HtaccessFile[];
  /**
   * All access files in the searched directories, also those that AllowOverride forbids. The key is
   * the path with links resolved. The value is the folders of the file under all their names on
   * this machine.
   */
  readonly accessFiles: ReadonlyMap<string, ReadonlySet<string>>;
  /** The folders of these files, as the server names them. */
  readonly folders: readonly string[];
  /** Questions whose answers could show that there are more .htaccess files than these. */
  readonly openQuestions: readonly OpenQuestion[];
}

/** Limit of searched directories, and of looked-up names of directories. */
const MAX_DIRECTORIES = 100_000;

/**
 * The same two limits, for directories that are not served directly: the targets of links (such as
 * a link to `/`).
 */
const MAX_LINKED_DIRECTORIES = 10_000;
const MAX_LINKED_NAMES = 100_000;

/** The same two limits, if `/` is served: then all directories of the machine are below it. */
const MAX_DIRECTORIES_BELOW_ROOT = 3_000;
const MAX_NAMES_BELOW_ROOT = 30_000;

/**
 * Limit of access files that contain no configuration. With `AccessFileName README` every README is
 * an access file, httpd answers 500 for its directory, and the search must end.
 */
const MAX_FILES_WITHOUT_DIRECTIVES = 100;

/** A directory of this machine. It may have several names, because of links. */
interface Directory {
  /** Name and identity of each child directory. */
  readonly children: readonly (readonly [name: string, identity: string])[];
  readonly hasAccessFile: boolean;
}

/**
 * Finds the access files of a configuration in `view`. The result is cached, because several rules
 * need it.
 */
export function discoverHtaccess(configuration: Configuration, view: FileView): DiscoveredHtaccess {
  const known = discoveredCache.get(configuration);
  if (known?.view === view) return known.result;
  const result = discoverUncached(configuration, view);
  discoveredCache.set(configuration, { view, result });
  return result;
}

const discoveredCache = cacheOf<Configuration, { readonly view: FileView; readonly result: DiscoveredHtaccess }>();

function discoverUncached(configuration: Configuration, view: FileView): DiscoveredHtaccess {
  const openQuestions: OpenQuestion[] = [];
  const unseen: { readonly folder: string; readonly line: ConfigLine; readonly isAbove: boolean }[] = [];
  const found: HtaccessFile[] = [];
  const accessFiles = new Map<string, Set<string>>();
  const folders: string[] = [];
  const names = accessFileNames(configuration);
  for (const { line, file, offset } of names.linesWithVariable)
    openQuestions.push(openQuestion('variable', line.text.trim(), [{ path: file.path, offset }], 'access-file-name'));
  const here = (folder: string): string => localPathAsSpelled(folder, configuration.pathMap, view);
  const identityOf = (folder: string): string => view.identity(here(folder));
  const directories = new Map<string, Directory>();
  const linked = { directories: 0, names: 0 };
  const serving = servingLines(configuration.rootScope);
  const unnamed = unnamedFolders(serving, configuration, view);
  const served = servedFolders(serving, configuration, view);
  /** The existing parent directories of served directories that do not exist on this machine. */
  const aroundMissing = new Set<string>();
  for (const { servingLine, parents } of unnamed)
    for (const top of parents ?? []) if (isOnThisMachine(top.folder)) addFolders(top, servingLine);
  const belowOf = foldersBelowAdmittingAccess(configuration);
  const inOrder = [...served].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [folder, line] of inOrder) readDirectoriesBelow(folder, line);
  const holding = directoriesLeadingToAccessFiles(directories);
  const considered = new Set<string>();
  const foreign = new FilesWithoutDirectives();
  for (const [folder, line] of inOrder) {
    // The server also reads the .htaccess files of all parent directories (ap_directory_walk in
    // server/request.c).
    for (const around of foldersAround(folder)) {
      if (view.kind(here(around)) === 'folder') readAccessFile(around);
      else if (admitsAccess(overrideAt(configuration, around))) unseen.push({ folder, line, isAbove: true });
    }
    visitBelow(folder);
  }
  for (const folder of aroundMissing) readAccessFile(folder);
  // Nothing is below a missing folder whose parent was searched.
  const isSearched = (folder: string): boolean =>
    directories.has(identityOf(folder)) || foldersAround(folder).some((around) => directories.has(identityOf(around)));
  const search = { names: [...new Set(names.nameLists.flat())] };
  for (const each of unnamed) {
    const missing = unseenFoldersOf(each);
    if (missing.length > 0)
      openQuestions.push({
        ...openQuestion('served-anywhere', each.servingLine.line.text.trim(), [positionOf(each.servingLine)]),
        search: { ...search, folders: missing },
      });
  }
  // Below a ChrootDir all paths differ: the server reads other files than those at these paths.
  for (const line of configuration.rootScope.lines)
    if (line.line.name === 'chrootdir') unseen.push({ folder: '/', line, isAbove: false });
  const covered = new Map(
    mergedFolders(unseen.map(({ folder }) => folder)).map((subject): [string, (typeof unseen)[number][]] => [
      subject,
      [],
    ]),
  );
  for (const each of unseen)
    for (const around of [...foldersAround(each.folder), each.folder]) covered.get(around)?.push(each);
  for (const [subject, each] of covered) {
    const lines = new Set(each.map(({ line }) => line));
    openQuestions.push({
      ...openQuestion(
        'htaccess-unseen',
        subject,
        [...lines].map(positionOf),
        each.every(({ isAbove }) => isAbove) ? 'above' : undefined,
      ),
      search: { ...search, folders: [] },
    });
  }
  openQuestions.push(...foreign.openQuestions(considered.size));
  return { files: found, accessFiles, folders, openQuestions: mergedQuestions(openQuestions) };

  function addFolders(top: ServedParent, at: ConfigLine): void {
    const ofTop = foldersOfParent(top, configuration, view);
    for (const folder of ofTop.existingFolders) if (!served.has(folder)) served.set(folder, at);
    for (const folder of ofTop.missingFolders)
      for (const around of foldersAround(folder)) if (view.kind(here(around)) === 'folder') aroundMissing.add(around);
  }

  function isOnThisMachine(folder: string): boolean {
    return folder !== '/' && view.kind(here(folder)) === 'folder';
  }

  /**
   * The folders that a line serves without naming them, if a .htaccess file in them may decide
   * access. Folders on this machine are left out.
   */
  function unseenFoldersOf({ parents, searchPaths: all }: UnnamedFolders): readonly string[] {
    if (parents === null) {
      const mayDecide = overrideFolders(configuration).some(
        ({ folder, words }) => admitsAccess(words) && (folder === null || !isSearched(folder)),
      );
      return mayDecide ? all : [];
    }
    return parents.flatMap((top) => {
      if (isOnThisMachine(top.folder)) return [];
      const around = foldersAround(top.folder).filter((folder) => view.kind(here(folder)) !== 'folder');
      const mayDecide =
        foldersDecidingAccess(top.folder).length > 0 ||
        around.some((folder) => admitsAccess(overrideAt(configuration, folder)));
      return mayDecide ? [top.searchPath] : [];
    });
  }

  /**
   * Reads the directories below a folder, each once. `folder` is a name from the configuration; the
   * path map gives its place on this machine.
   */
  function readDirectoriesBelow(folder: string, line: ConfigLine): void {
    const kind = view.kind(here(folder));
    if (kind !== 'folder') {
      // A file has no folders below it.
      if (kind === null) {
        for (const each of foldersDecidingAccess(folder)) unseen.push({ folder: each, line, isAbove: false });
      }
      return;
    }
    const top = identityOf(folder);
    const pending = [{ place: here(folder), identity: top }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { place, identity } = next;
      if (directories.has(identity)) continue;
      const isLinked = top === '/' || !isWithin(identity, top);
      const [maxDirectories, maxNames] =
        top === '/' ? [MAX_DIRECTORIES_BELOW_ROOT, MAX_NAMES_BELOW_ROOT] : [MAX_LINKED_DIRECTORIES, MAX_LINKED_NAMES];
      if (
        directories.size >= MAX_DIRECTORIES ||
        (isLinked && (linked.directories++ >= maxDirectories || linked.names >= maxNames))
      )
        return void openQuestions.push(
          openQuestion('too-many-directories', String(directories.size), [positionOf(line)]),
        );
      const children: (readonly [string, string])[] = [];
      directories.set(identity, {
        children,
        hasAccessFile: names.nameLists.flat().some((name) => nameExists(place, name)),
      });
      const inside = view.list(place);
      if (isLinked) linked.names += inside?.length ?? 0;
      if (inside === null && foldersDecidingAccess(folder).length > 0)
        openQuestions.push(openQuestion('unreadable', place, [positionOf(line)]));
      for (const name of inside ?? []) {
        const path = joinedPath(place, name);
        if (view.kind(path) !== 'folder') continue;
        const child = view.identity(path);
        children.push([name, child]);
        pending.push({ place: path, identity: child });
      }
    }
  }

  /**
   * The folder itself, and folders below it, in which AllowOverride lets .htaccess files decide
   * access.
   */
  function foldersDecidingAccess(folder: string): readonly string[] {
    return admitsAccess(overrideAt(configuration, folder)) ? [folder] : belowOf(folder);
  }

  /**
   * Whether a name exists in a directory. It may contain slashes. A broken link counts, because the
   * server may be able to follow it.
   */
  function nameExists(place: string, name: string): boolean {
    return name.includes('/') ? view.kind(joinedPath(place, name)) !== null : view.list(place)?.includes(name) === true;
  }

  /**
   * Visits each directory below a folder under each of its names. For another name other sections
   * apply, so its .htaccess files inherit other access.
   */
  function visitBelow(folder: string): void {
    const pending: { readonly name: string; readonly identity: string; readonly around: readonly string[] }[] = [
      { name: folder, identity: identityOf(folder), around: [] },
    ];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { name, identity, around } = next;
      const rounds = around.filter((other) => other === identity).length;
      // The link leads to one of its parent directories. Following it a second time finds nothing
      // new, unless a section names a folder inside.
      if (rounds > 1) {
        if (hasSectionsBelow(configuration, name)) openQuestions.push(openQuestion('linked', name, [], identity));
        continue;
      }
      if (considered.size >= MAX_DIRECTORIES)
        return void openQuestions.push(openQuestion('too-many-directories', String(MAX_DIRECTORIES)));
      const directory = directories.get(identity);
      if (!directory || !holding.has(identity) || foreign.isFull) continue;
      readAccessFile(name);
      for (const [child, of] of directory.children)
        if (holding.has(of))
          pending.push({ name: joinedPath(name, child), identity: of, around: [...around, identity] });
    }
  }

  /**
   * Reads the .htaccess file of a folder, once for each list of access file names that virtual
   * hosts have. Of several names, httpd reads the first that exists (ap_parse_htaccess in
   * server/config.c).
   */
  function readAccessFile(folder: string): void {
    if (considered.has(folder)) return;
    considered.add(folder);
    const place = here(folder);
    const own = names.nameLists.map((list) => list.find((name) => nameExists(place, name)) ?? null);
    if (own.every((name) => name === null)) return;
    folders.push(folder);
    for (const name of own) {
      if (name === null) continue;
      const identity = view.identity(joinedPath(place, name));
      accessFiles.set(identity, (accessFiles.get(identity) ?? new Set()).add(place));
    }
    const everywhere = overrideAt(configuration, folder);
    // If the names of access files differ, it is unknown which host reads which file.
    const readers = everywhere === null && new Set(own).size === 1 ? hostsReadingHtaccess(configuration, folder) : null;
    const override = everywhere ?? readers?.overrideWords ?? overrideInHosts(configuration, folder);
    if (override?.length === 0) return;
    const mayDecide = admitsAccess(override);
    for (const name of new Set(own)) {
      if (name === null) continue;
      const path = joinedPath(place, name);
      const { pathMap, conditions, defineFlags, oneVersionNames, loadedModules, ofOneServer } = configuration;
      const file =
        view.kind(path) === 'file'
          ? readHtaccessFile({
              root: path,
              folder,
              view,
              names: ACCESS_NAMES,
              pathMap,
              conditions,
              defineFlags,
              oneVersionNames,
              loadedModules,
              ofOneServer,
            })
          : null;
      if (!file) {
        if (mayDecide) openQuestions.push(openQuestion('unreadable', path, [{ path, offset: 0 }]));
        continue;
      }
      const scope = file.rootScope;
      foreign.addIfForeign(scope.file);
      // Access lines that AllowOverride forbids give status 500 in both versions, except for lines
      // that 2.4 skips.
      if (!mayDecide && !hasLinesOf22(scope)) continue;
      openQuestions.push(...file.gaps.map(questionOfGap));
      const isEverywhere = everywhere !== null && own.every((other) => other === name);
      found.push({ scope, override, readingHosts: isEverywhere ? 'all' : (readers?.hosts ?? null) });
      if (override === null && hasAnyDirective(scope))
        openQuestions.push(openQuestion('override-unknown', folder, [{ path, offset: 0 }], name));
      // Only an explicit AllowOverride None keeps httpd from reading the file
      // (test/httpd/access-claims.test.ts).
      if (mayBeOverrideDefault(configuration, folder) && hasAnyDirective(scope))
        openQuestions.push(
          openQuestion(
            'override-default',
            folder,
            [{ path, offset: 0 }],
            isOverrideDefault(configuration, folder) ? name : name + OUTSIDE_HOSTS_SUFFIX,
          ),
        );
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Collects access files whose first line is not a directive of httpd. */
class FilesWithoutDirectives {
  private readonly paths = new Set<string>();

  addIfForeign({ path, tree }: ConfigFile): void {
    if (isForeignText(tree.root)) this.paths.add(path);
  }

  /**
   * The open question that further access files may exist. `directories`: how many were searched.
   */
  openQuestions(directories: number): OpenQuestion[] {
    return this.isFull ? [openQuestion('too-many-directories', String(directories))] : [];
  }

  /** Whether the limit is reached, so that no more access files are read. */
  get isFull(): boolean {
    return this.paths.size >= MAX_FILES_WITHOUT_DIRECTIVES;
  }
}

/**
 * Returns the directories (by identity) that have an access file, or from which subdirectories and
 * links lead to one.
 */
function directoriesLeadingToAccessFiles(directories: ReadonlyMap<string, Directory>): ReadonlySet<string> {
  const parents = new Map<string, string[]>();
  for (const [identity, { children }] of directories) for (const [, child] of children) addTo(parents, child, identity);
  const holding = new Set(
    [...directories].flatMap(([identity, { hasAccessFile }]) => (hasAccessFile ? [identity] : [])),
  );
  for (const identity of holding) for (const parent of parents.get(identity) ?? []) holding.add(parent);
  return holding;
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

/** Whether the scope has lines that only 2.2 reads. */
function hasLinesOf22({ lines, children }: Scope): boolean {
  return lines.some(({ byVersion }) => byVersion?.now === 'inactive') || children.some(hasLinesOf22);
}

function hasAnyDirective({ file }: Scope): boolean {
  let found = false;
  forEachItem(file.tree.root, 0, (item) => {
    found ||= item instanceof Section || item.kind === LineKind.Directive;
  });
  return found;
}

interface AccessFileNames {
  /**
   * The lists of access file names: one of the main server, and one of each virtual host that has
   * its own. A server has several lists if a condition decides which one applies.
   */
  readonly nameLists: readonly (readonly string[])[];
  /** AccessFileName lines that contain a variable. */
  readonly linesWithVariable: readonly ConfigLine[];
}

/**
 * The last AccessFileName of a server applies. A virtual host without one inherits that of the main
 * server (set_access_name and merge_core_server_configs in server/core.c).
 */
function accessFileNames({ rootScope }: Configuration): AccessFileNames {
  const unknown: ConfigLine[] = [];
  const namesOf = (scope: Scope, inherited: readonly (readonly string[])[]): readonly (readonly string[])[] => {
    let lists = inherited;
    for (const at of scope.lines) {
      if (at.line.name !== 'accessfilename') continue;
      const list = argumentsOf(at.expandedLine).map((word) => word.value);
      if (list.some((name) => name.includes('${'))) unknown.push(at);
      lists = at.activity === 'active' ? [list] : [...lists, list];
    }
    return lists;
  };
  const ofMain = namesOf(rootScope, [['.htaccess']]);
  const lists = new Map<string, readonly string[]>();
  const seen = new Set<readonly (readonly string[])[]>();
  const mayNameFiles = mayHoldAny(new Set(['accessfilename']));
  const take = (own: readonly (readonly string[])[]) => {
    // Most virtual hosts inherit the list of the main server.
    if (seen.has(own)) return;
    seen.add(own);
    for (const list of own) lists.set(JSON.stringify(list), list);
  };
  take(ofMain);
  for (const child of rootScope.children)
    if (mayNameFiles(child) && child.kind === 'virtualhost') take(namesOf(child, ofMain));
  return { nameLists: [...lists.values()], linesWithVariable: unknown };
}

/**
 * A short list of directories that together contain all given ones. Two are replaced by their
 * common parent if it is not near the root.
 */
function mergedFolders(folders: readonly string[]): string[] {
  const cover: string[] = [];
  for (const folder of [...new Set(folders)].sort()) {
    const last = cover.at(-1);
    const shared = last === undefined ? '' : commonFolder(last, folder);
    if (last !== undefined && (shared === last || shared.split('/').length > 2)) cover[cover.length - 1] = shared;
    else cover.push(folder);
  }
  return cover;
}

function commonFolder(a: string, b: string): string {
  const [first, second] = [a.split('/'), b.split('/')];
  const end = first.findIndex((part, i) => part !== second[i]);
  return (end < 0 ? first : first.slice(0, end)).join('/') || '/';
}

function positionOf({ file, offset }: ConfigLine): FilePosition {
  return { path: file.path, offset };
}
