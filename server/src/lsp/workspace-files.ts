/**
 * The files of a workspace for the walk through a configuration. Keeps their summaries in memory,
 * and uses open files instead of those on the disk. A walk cannot wait for the disk. If it needs a
 * file that is not in memory, `requestRead` notes the path. After the walk, these files are read
 * and the walk is repeated.
 */
import { summarize, areEqualSummaries, isMainFile, type FileSummary } from '../config/file-summary';
import { isForeignText } from '../config/foreign';
import { includedFiles, parentOf } from '../config/files';
import type { ConfigView } from '../config/config-view';
import { fileNamesOf } from '../symbols/names-of-file';
import { NameIndex } from '../symbols/name-index';
import { mayHaveName, symbolSummaryOf, type SymbolSummary, type WantedName } from '../features/occurrences';
import { decode } from '../host/decode';
import type { FileContent, Host } from '../host/host';
import { Tree } from '../syntax/document';
import type { Scheduler } from './scheduler';

/** The cached facts about a file that is not open. */
interface ClosedFile {
  /** Null if the file cannot be read. */
  fileSummary: FileSummary | null;
  /** Whether the file is not httpd configuration (see `ConfigView.isForeign`). */
  isForeign: boolean;
  /**
   * The tree, until the file has been checked. Then null, to save memory: a later caller reads the
   * file again.
   */
  tree: Tree | null;
  /** Increases when the content changes. */
  stamp: number;
}

/** What exists at a path. `realPath` is the path with symbolic links resolved. */
interface FileStatus {
  readonly kind: 'file' | 'folder';
  readonly realPath: string;
  /** Whether the file has other names (hard links). */
  readonly hasHardLinks?: boolean;
}

/** Limit for the cached trees in UTF-16 units. */
const MAX_CACHED_TEXT = 4_000_000;

/** Limit for the number of reads from the disk or the client at the same time. */
const MAX_PARALLEL_READS = 16;

/** Each walk may request at least this number of files, even if few files are known. */
const MIN_LOADS_PER_WALK = 200;

/** The files of a workspace, as a walk sees them. */
export class WorkspaceFiles implements ConfigView {
  private readonly closedFiles = new Map<string, ClosedFile>();
  /** The main files among the files that are not open. */
  private readonly mainFilePaths = new Set<string>();
  /** The names that closed files define. */
  readonly nameIndex = new NameIndex();
  /** The names and symbols in closed files. */
  private readonly symbolsOfFile = new Map<string, SymbolSummary>();
  /** Trees of closed files that were used most recently. */
  private readonly recentTrees = new Map<string, { readonly stamp: number; readonly tree: Tree }>();
  /** What exists at each path that was read; null if nothing exists there. */
  private readonly statusByPath = new Map<string, FileStatus | null>();
  /** The names in each folder that was listed; null for a path that is no folder. */
  private readonly namesInFolder = new Map<string, readonly string[] | null>();
  /** Targets of symbolic links that a walk needed; null for a path that is no link. */
  private readonly targetByLink = new Map<string, string | null>();
  /** Texts of files with start options that a walk needed; null if they cannot be read. */
  private readonly startOptionTexts = new Map<string, string | null>();
  /**
   * The files that match each Include path, as far as they are known. Cached, so that many Include
   * lines with one path search the folders once. If a list needs more of the disk, `readRequested`
   * reads it and drops all lists.
   */
  private globResults = new Map<string, readonly string[]>();
  /** The paths that walks need and that are not read yet, by what is to be read there. */
  private readonly requestedReads = {
    status: new Set<string>(),
    list: new Set<string>(),
    link: new Set<string>(),
    load: new Set<string>(),
    content: new Set<string>(),
  };
  private lastStamp = 0;

  constructor(
    private readonly host: Host,
    private readonly scheduler: Scheduler,
    private readonly uriOf: (path: string) => string,
    private readonly pathOf: (uri: string) => string | null,
    /**
     * Returns the tree of an open file, by path with symbolic links resolved; null if it is not
     * open.
     */
    private readonly openTree: (path: string) => Tree | null,
    private readonly reportError: (what: string, error: unknown) => void,
  ) {}

  // ---- Queries of the walk ----

  fileSummary(path: string): FileSummary | null {
    const tree = this.openTree(path);
    if (tree) return summarize(tree.root);
    const closedFile = this.closedFiles.get(path);
    // Requested by its path without links, so that no file is read twice under two names.
    if (!closedFile && this.statusOf(path)?.kind === 'file') this.requestRead('load', path);
    return closedFile?.fileSummary ?? null;
  }

  isForeign(path: string): boolean {
    const tree = this.openTree(path);
    if (tree) return isForeignText(tree.root);
    return this.closedFiles.get(path)?.isForeign === true && this.kind(path) === 'file';
  }

  content(path: string): string | null {
    const tree = this.openTree(path);
    if (tree) return tree.text();
    const cachedText = this.startOptionTexts.get(path);
    if (cachedText === undefined) this.requestRead('content', path);
    return cachedText ?? null;
  }

  kind(path: string): 'file' | 'folder' | null {
    return this.statusOf(path)?.kind ?? null;
  }

  realPath(path: string): string {
    return this.statusOf(path)?.realPath ?? path;
  }

  link(path: string): string | null {
    if (!this.host.linkTarget) return null;
    const target = this.targetByLink.get(path);
    if (target === undefined) this.requestRead('link', path);
    return target ?? null;
  }

  list(path: string): readonly string[] | null {
    const realPath = this.statusByPath.get(path)?.realPath ?? path;
    const listedNames = this.namesInFolder.get(path) ?? this.namesInFolder.get(realPath);
    if (listedNames === undefined) this.requestRead('list', realPath);
    return listedNames ?? null;
  }

  included(path: string): readonly string[] {
    let files = this.globResults.get(path);
    if (!files) this.globResults.set(path, (files = includedFiles(path, this)));
    return files;
  }

  /**
   * A view for a walk that runs in time slices. The summaries of open files in it do not change
   * while the user types: they are taken from `openSummaries`.
   */
  frozenView(openSummaries: ReadonlyMap<string, FileSummary>): ConfigView {
    return {
      fileSummary: (path) => openSummaries.get(path) ?? this.fileSummary(path),
      content: (path) => this.content(path),
      kind: (path) => this.kind(path),
      realPath: (path) => this.realPath(path),
      link: (path) => this.link(path),
      list: (path) => this.list(path),
      included: (path) => this.included(path),
      isForeign: (path) => this.isForeign(path),
    };
  }

  // ---- Operations of the workspace ----

  /**
   * The paths of the main files among the files that were read from the disk, even if they are open
   * now.
   */
  get closedMainFiles(): Iterable<string> {
    return this.mainFilePaths;
  }

  /** Whether a walk has requested files or folders that are not read yet. */
  get hasRequestedReads(): boolean {
    return Object.values(this.requestedReads).some(({ size }) => size > 0);
  }

  /** Reads all files and folders that walks have requested. */
  async readRequested(isCancelled: () => boolean): Promise<void> {
    const { status, list, link, load, content } = this.requestedReads;
    for (const path of content) {
      load.add(path);
      this.startOptionTexts.set(path, null);
    }
    const jobs = [
      ...[...status].map((path) => () => this.readStatus(path)),
      ...[...list].map((path) => () => this.listFolder(path)),
      ...[...link].map(
        (path) => async () => this.targetByLink.set(path, (await this.host.linkTarget?.(this.uriOf(path))) ?? null),
      ),
      ...[...load].map((path) => () => this.load(path)),
    ];
    if (status.size + list.size > 0) this.globResults = new Map();
    for (const requests of [status, list, link, load, content]) requests.clear();
    await this.inParallel<() => Promise<unknown> | void>(jobs, isCancelled, (job) => job());
  }

  /** Adds a file that a search has found. `realPath`: its path with symbolic links resolved. */
  addFoundFile(path: string, realPath: string): void {
    const status: FileStatus = { kind: 'file', realPath };
    this.statusByPath.set(path, status);
    this.statusByPath.set(realPath, status);
  }

  /** Reads the files that have not been read yet. Calls `onFile` for each of them. */
  async loadUnreadFiles(paths: Iterable<string>, isCancelled: () => boolean, onFile: () => void): Promise<void> {
    const unreadPaths = [...paths].filter((path) => !this.closedFiles.has(path));
    await this.inParallel(unreadPaths, isCancelled, (path) => {
      onFile();
      return this.load(path);
    });
  }

  /**
   * Reads a file again. Returns whether something has changed that walks depend on: its summary, or
   * the text of a file with start options.
   */
  async reload(path: string): Promise<boolean> {
    const summaryBefore = this.closedFiles.get(path)?.fileSummary ?? null;
    const content = this.startOptionTexts.get(path);
    await this.load(path);
    const summaryAfter = this.closedFiles.get(path)!.fileSummary;
    if (content !== this.startOptionTexts.get(path)) return true;
    return summaryBefore === null || summaryAfter === null
      ? summaryBefore !== summaryAfter
      : !areEqualSummaries(summaryBefore, summaryAfter);
  }

  /** The summary of a file as it is on the disk, even if it is open; null if it was not read. */
  closedSummary(path: string): FileSummary | null {
    return this.closedFiles.get(path)?.fileSummary ?? null;
  }

  /**
   * Whether this object knows that a file or folder existed at a path, because its status or its
   * text was read. False also if nothing was read at the path.
   */
  isKnownToHaveExisted(path: string): boolean {
    return this.statusByPath.get(path) != null || this.startOptionTexts.get(path) != null;
  }

  /** Whether the file has been read. */
  hasRead(path: string): boolean {
    return this.closedFiles.has(path);
  }

  /**
   * Handles a change of a path on the disk. `mayBeOtherFile`: whether another file may be at the
   * path now, because a file was created or removed. Then forgets what was known about the path.
   * Returns the path with symbolic links resolved, as it was before the change.
   */
  handleChange(path: string, mayBeOtherFile: boolean): string {
    const realPath = this.statusByPath.get(path)?.realPath ?? path;
    if (!mayBeOtherFile) return realPath;
    this.statusByPath.delete(path);
    this.statusByPath.delete(realPath);
    this.namesInFolder.delete(path);
    this.namesInFolder.delete(parentOf(path));
    this.targetByLink.clear();
    this.globResults = new Map();
    return realPath;
  }

  /**
   * Whether something was already read at this path or in its folder, so that a change there may
   * matter.
   */
  wasQueried(path: string): boolean {
    return this.statusByPath.has(path) || this.namesInFolder.has(parentOf(path)) || this.startOptionTexts.has(path);
  }

  /** The paths of all files that were read. */
  pathsOfReadFiles(): Iterable<string> {
    return this.closedFiles.keys();
  }

  /**
   * Handles the removal of a folder: forgets what exists in it. Returns the paths of its files that
   * were read.
   */
  forgetFolder(folder: string): string[] {
    const isBelow = (path: string) => path === folder || path.startsWith(`${folder}/`);
    for (const map of [this.statusByPath, this.namesInFolder])
      for (const path of [...map.keys()]) if (isBelow(path)) map.delete(path);
    this.namesInFolder.delete(parentOf(folder));
    this.targetByLink.clear();
    this.globResults = new Map();
    return [...this.closedFiles.keys()].filter(isBelow);
  }

  /** Forgets which files are missing, because more files may be readable now. */
  forgetMissingFiles(): void {
    for (const map of [this.statusByPath, this.namesInFolder])
      for (const [path, value] of [...map]) if (value === null) map.delete(path);
    for (const [path, { fileSummary }] of [...this.closedFiles]) if (fileSummary === null) this.forgetFile(path);
    this.targetByLink.clear();
    this.globResults = new Map();
  }

  /** Forgets everything that was read from a file. */
  forgetFile(path: string): void {
    this.closedFiles.delete(path);
    this.startOptionTexts.delete(path);
    this.mainFilePaths.delete(path);
    this.symbolsOfFile.delete(path);
    this.nameIndex.set(path, null);
  }

  /** A number that changes when the content of a closed file changes; 0 if it was not read. */
  stampOf(path: string): number {
    return this.closedFiles.get(path)?.stamp ?? 0;
  }

  /**
   * The tree of a closed file; null if it cannot be read. Drops the tree from memory, so the next
   * call reads the file again.
   */
  async takeTree(path: string): Promise<Tree | null> {
    const closedFile = this.closedFiles.get(path);
    const tree = closedFile?.tree ?? null;
    if (closedFile) closedFile.tree = null;
    if (tree) return tree;
    return this.host.readNow ? parsedTree(this.host.readNow(this.uriOf(path))) : this.readTree(path);
  }

  /** The paths of files that were read and may contain one of the names. */
  *pathsThatMayContain(wantedNames: readonly WantedName[]): Iterable<string> {
    for (const [path, { nameHashes }] of this.symbolsOfFile)
      if (wantedNames.some((each) => mayHaveName(nameHashes, each))) yield path;
  }

  /** The symbols of all files that were read. */
  symbolSummaries(): Iterable<readonly [path: string, summary: SymbolSummary]> {
    return this.symbolsOfFile;
  }

  /** Returns the tree of a closed file and keeps it in the cache; null if it cannot be read. */
  async cachedTree(path: string): Promise<Tree | null> {
    const stamp = this.stampOf(path);
    const cachedTree = this.recentTrees.get(path);
    if (cachedTree?.stamp === stamp) return cachedTree.tree;
    const tree =
      this.closedFiles.get(path)?.tree ??
      (this.host.readNow ? parsedTree(this.host.readNow(this.uriOf(path))) : await this.readTree(path));
    this.recentTrees.delete(path);
    if (!tree) return null;
    this.recentTrees.set(path, { stamp, tree });
    let cachedLength = 0;
    for (const each of this.recentTrees.values()) cachedLength += each.tree.length;
    for (const [oldestPath, each] of this.recentTrees) {
      if (cachedLength <= MAX_CACHED_TEXT || this.recentTrees.size === 1) break;
      this.recentTrees.delete(oldestPath);
      cachedLength -= each.tree.length;
    }
    return tree;
  }

  /** Reads changed files again. Returns whether a summary has changed. */
  async reloadFiles(paths: readonly string[], isCancelled: () => boolean): Promise<boolean> {
    let hasChanged = false;
    await this.inParallel(paths, isCancelled, async (path) => {
      if (await this.reload(path)) hasChanged = true;
    });
    return hasChanged;
  }

  /** Reads what exists at a path; null if nothing exists there. */
  async readStatus(path: string): Promise<FileStatus | null> {
    const hostStatus = await this.host.status(this.uriOf(path));
    const realPath = hostStatus && this.pathOf(hostStatus.realUri);
    const status =
      hostStatus && realPath !== null
        ? { kind: hostStatus.kind, realPath, hasHardLinks: hostStatus.hasHardLinks }
        : null;
    this.statusByPath.set(path, status);
    if (status) this.statusByPath.set(status.realPath, status);
    return status;
  }

  /** What exists at a path. Null if nothing does, or if it was not read yet: then requests it. */
  private statusOf(path: string): FileStatus | null {
    const status = this.statusByPath.get(path);
    if (status !== undefined) return status;
    const realPath = this.pathThroughLink(path);
    const realStatus = this.statusByPath.get(realPath);
    if (realStatus === undefined) this.requestRead('status', realPath);
    else if (realPath !== path) this.statusByPath.set(path, realStatus);
    return realStatus ?? null;
  }

  /**
   * The path with the links of its folder resolved, as far as they were read. A link to a folder
   * above itself gives each file there many paths. Resolved, they are one path, and the file is
   * read once.
   */
  private pathThroughLink(path: string): string {
    const folder = parentOf(path);
    const realFolder = this.statusByPath.get(folder)?.realPath ?? folder;
    return realFolder === folder ? path : joinedPath(realFolder, path.slice(path.lastIndexOf('/') + 1));
  }

  /**
   * Records that a walk needs a file or folder that has not been read. One walk may request at most
   * half as many files as are known. If an Include matches many files that are not configuration,
   * the next walk sees that from the files that were read, and skips the rest.
   */
  private requestRead(kindOfRead: keyof WorkspaceFiles['requestedReads'], path: string): void {
    if (
      kindOfRead === 'load' &&
      this.requestedReads.load.size >= Math.max(MIN_LOADS_PER_WALK, this.closedFiles.size / 2)
    )
      return;
    this.requestedReads[kindOfRead].add(path);
  }

  /** Reads the names in a folder, and what each of them is, as far as the host knows that. */
  private async listFolder(path: string): Promise<void> {
    const listedNames = await this.host.list(this.uriOf(path));
    this.namesInFolder.set(path, listedNames && listedNames.map(({ name }) => name));
    const folder = this.statusByPath.get(path)?.realPath ?? (await this.readStatus(path))?.realPath;
    if (!listedNames || folder === undefined) return;
    for (const { name, kind } of listedNames) {
      const child = joinedPath(path, name);
      if (this.statusByPath.has(child)) continue;
      if (kind === 'file' || kind === 'folder')
        this.statusByPath.set(child, { kind, realPath: joinedPath(folder, name) });
      else if (kind === 'other') this.statusByPath.set(child, null);
    }
  }

  /** Reads a file and stores the facts about it. Returns at once if the host can read at once. */
  private load(path: string): Promise<void> | void {
    const { readNow } = this.host;
    if (!readNow)
      return this.readTree(path)
        .then((tree) => this.storeFile(path, tree))
        .catch((error: unknown) => this.reportReadFailure(path, error));
    try {
      this.storeFile(path, parsedTree(readNow(this.uriOf(path))));
    } catch (error) {
      this.reportReadFailure(path, error);
    }
  }

  /** Logs the error. The file then counts as unreadable. */
  private reportReadFailure(path: string, error: unknown): void {
    this.reportError(`reading ${path}`, error);
    this.closedFiles.set(path, { fileSummary: null, isForeign: true, tree: null, stamp: ++this.lastStamp });
    if (this.startOptionTexts.has(path)) this.startOptionTexts.set(path, null);
    this.mainFilePaths.delete(path);
    this.symbolsOfFile.delete(path);
    this.nameIndex.set(path, null);
  }

  /** Stores the facts about a file that was read. `tree` is null if it cannot be read. */
  private storeFile(path: string, tree: Tree | null): void {
    const fileSummary = tree && summarize(tree.root);
    const isForeign = tree === null || isForeignText(tree.root);
    this.closedFiles.set(path, { fileSummary, isForeign, tree, stamp: ++this.lastStamp });
    if (this.startOptionTexts.has(path)) this.startOptionTexts.set(path, tree?.text() ?? null);
    if (fileSummary && isMainFile(fileSummary, path)) this.mainFilePaths.add(path);
    else this.mainFilePaths.delete(path);
    this.nameIndex.set(path, tree && fileNamesOf(tree));
    if (tree) this.symbolsOfFile.set(path, symbolSummaryOf(tree.root));
    else this.symbolsOfFile.delete(path);
  }

  private async readTree(path: string): Promise<Tree | null> {
    return parsedTree(await this.host.readFile(this.uriOf(path)));
  }

  /**
   * Runs `job` for each item, for up to `MAX_PARALLEL_READS` items at the same time. Lets other
   * work run in between.
   */
  private async inParallel<T>(
    items: readonly T[],
    isCancelled: () => boolean,
    job: (item: T) => Promise<unknown> | void,
  ): Promise<void> {
    let nextIndex = 0;
    const work = async (): Promise<void> => {
      while (nextIndex < items.length && !isCancelled()) {
        await job(items[nextIndex++]!);
        if (this.scheduler.isSliceOver) await this.scheduler.pause();
      }
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL_READS, items.length) }, work));
  }
}

/** The tree of a file that was read; null if it is not text. */
function parsedTree(content: FileContent): Tree | null {
  const decodedFile = 'bytes' in content ? decode(content.bytes) : content;
  return 'text' in decodedFile ? Tree.parse(decodedFile.text) : null;
}

function joinedPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}
