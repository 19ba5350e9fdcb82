/**
 * The files of a workspace for the walk through a configuration. Keeps their summaries in memory,
 * and uses open files instead of those on the disk. A walk cannot wait for the disk. So a file that
 * is not in memory is put on a list (`requestRead`), read after the walk, and the walk is repeated.
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
  fileSummary: FileSummary | null;
  /** Whether the file is not httpd configuration (see `ConfigView.isForeign`). */
  isForeign: boolean;
  /** Kept until the file has been checked. After that, it is read from the disk again if needed. */
  tree: Tree | null;
  /** Increases when the content changes. */
  stamp: number;
}

interface FileStatus {
  readonly kind: 'file' | 'folder';
  readonly identity: string;
  /** Whether the file has other names (hard links). */
  readonly hasHardLinks?: boolean;
}

/** Limit for the cached trees in UTF-16 units. */
const MAX_CACHED_TEXT = 4_000_000;

/** Limit for requests to the disk or the client at the same time. */
const MAX_PARALLEL = 16;

/** The number of files that each walk may request, even if few files are known. */
const MIN_LOADS_PER_WALK = 200;

export class WorkspaceFiles implements ConfigView {
  private readonly entries = new Map<string, ClosedFile>();
  /** The main files among the files that are not open. */
  private readonly roots = new Set<string>();
  /** The names that closed files define. */
  readonly nameIndex = new NameIndex();
  /** The names and symbols in closed files. */
  private readonly summaries = new Map<string, SymbolSummary>();
  /** Trees of closed files that were used most recently. */
  private readonly recentTrees = new Map<string, { readonly stamp: number; readonly tree: Tree }>();
  private readonly statuses = new Map<string, FileStatus | null>();
  private readonly folderLists = new Map<string, readonly string[] | null>();
  /** Targets of symbolic links that a walk needed; null for a path that is no link. */
  private readonly linkTargets = new Map<string, string | null>();
  /** Texts of files with start options that a walk needed; null if they cannot be read. */
  private readonly contents = new Map<string, string | null>();
  private globResults = new Map<string, readonly string[]>();
  private readonly requestedPaths = {
    look: new Set<string>(),
    list: new Set<string>(),
    link: new Set<string>(),
    load: new Set<string>(),
    content: new Set<string>(),
  };
  /** The number of queries whose result was not in memory. */
  private unansweredQueries = 0;
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
    const entry = this.entries.get(path);
    // Requested by its path without links, so that no file is read twice under two names.
    if (!entry && this.statusOf(path)?.kind === 'file') this.requestRead('load', path);
    return entry?.fileSummary ?? null;
  }

  isForeign(path: string): boolean {
    const tree = this.openTree(path);
    if (tree) return isForeignText(tree.root);
    return this.entries.get(path)?.isForeign === true && this.kind(path) === 'file';
  }

  content(path: string): string | null {
    const tree = this.openTree(path);
    if (tree) return tree.text();
    const cached = this.contents.get(path);
    if (cached === undefined) this.requestRead('content', path);
    return cached ?? null;
  }

  kind(path: string): 'file' | 'folder' | null {
    return this.statusOf(path)?.kind ?? null;
  }

  identity(path: string): string {
    return this.statusOf(path)?.identity ?? path;
  }

  link(path: string): string | null {
    if (!this.host.linkTarget) return null;
    const target = this.linkTargets.get(path);
    if (target === undefined) this.requestRead('link', path);
    return target ?? null;
  }

  list(path: string): readonly string[] | null {
    const names = this.folderLists.get(path);
    if (names === undefined) this.requestRead('list', path);
    return names ?? null;
  }

  included(path: string): readonly string[] {
    let files = this.globResults.get(path);
    if (files) return files;
    const before = this.unansweredQueries;
    files = includedFiles(path, this);
    if (this.unansweredQueries === before) this.globResults.set(path, files);
    return files;
  }

  /**
   * Returns a view in which the summaries of open files do not change, for a walk that runs in time
   * slices.
   */
  frozenView(opened: ReadonlyMap<string, FileSummary>): ConfigView {
    return {
      fileSummary: (path) => opened.get(path) ?? this.fileSummary(path),
      content: (path) => this.content(path),
      kind: (path) => this.kind(path),
      identity: (path) => this.identity(path),
      link: (path) => this.link(path),
      list: (path) => this.list(path),
      included: (path) => this.included(path),
      isForeign: (path) => this.isForeign(path),
    };
  }

  // ---- Operations of the workspace ----

  /** The paths of main files, open or not, among the files that were read. */
  get rootPaths(): Iterable<string> {
    return this.roots;
  }

  get hasRequestedReads(): boolean {
    return Object.values(this.requestedPaths).some(({ size }) => size > 0);
  }

  /** Reads all files and folders that walks have requested. */
  async readRequested(isCancelled: () => boolean): Promise<void> {
    const { look, list, link, load, content } = this.requestedPaths;
    for (const path of content) {
      load.add(path);
      this.contents.set(path, null);
    }
    const jobs = [
      ...[...look].map((path) => () => this.readStatus(path)),
      ...[...list].map((path) => () => this.listFolder(path)),
      ...[...link].map(
        (path) => async () => this.linkTargets.set(path, (await this.host.linkTarget?.(this.uriOf(path))) ?? null),
      ),
      ...[...load].map((path) => () => this.load(path)),
    ];
    for (const wishes of [look, list, link, load, content]) wishes.clear();
    this.globResults = new Map();
    await this.inParallel<() => Promise<unknown> | void>(jobs, isCancelled, (job) => job());
  }

  /** Adds a file that a search has found. `identity`: its path with symbolic links resolved. */
  addFound(path: string, identity: string): void {
    const look: FileStatus = { kind: 'file', identity };
    this.statuses.set(path, look);
    this.statuses.set(identity, look);
  }

  /** Reads the files that have not been read yet. Calls `onFile` for each. */
  async loadAll(paths: Iterable<string>, isCancelled: () => boolean, onFile: () => void): Promise<void> {
    const missing = [...paths].filter((path) => !this.entries.has(path));
    await this.inParallel(missing, isCancelled, (path) => {
      onFile();
      return this.load(path);
    });
  }

  /** Reads a file again. Returns whether its summary has changed. */
  async reload(path: string): Promise<boolean> {
    const before = this.entries.get(path)?.fileSummary ?? null;
    const content = this.contents.get(path);
    await this.load(path);
    const after = this.entries.get(path)!.fileSummary;
    if (content !== this.contents.get(path)) return true;
    return before === null || after === null ? before !== after : !areEqualSummaries(before, after);
  }

  /** The summary of a file as it is on the disk, even if it is open; null if it was not read. */
  closedSummary(path: string): FileSummary | null {
    return this.entries.get(path)?.fileSummary ?? null;
  }

  /** Whether a file or folder existed at a path when its status was read. */
  existed(path: string): boolean {
    return this.statuses.get(path) != null || this.contents.get(path) != null;
  }

  /** Whether the file has been read. */
  hasRead(path: string): boolean {
    return this.entries.has(path);
  }

  /**
   * Handles a change of a path on the disk. Returns the path of the file with symbolic links
   * resolved. `isOther`: it was created or removed, so it may be another file now.
   */
  forget(path: string, isOther: boolean): string {
    const identity = this.statuses.get(path)?.identity ?? path;
    if (!isOther) return identity;
    this.statuses.delete(path);
    this.statuses.delete(identity);
    this.folderLists.delete(path);
    this.folderLists.delete(parentOf(path));
    this.linkTargets.clear();
    this.globResults = new Map();
    return identity;
  }

  /** Whether a walk has queried this path. */
  wasQueried(path: string): boolean {
    return this.statuses.has(path) || this.folderLists.has(parentOf(path)) || this.contents.has(path);
  }

  /** The paths of all files that were read. */
  readPaths(): Iterable<string> {
    return this.entries.keys();
  }

  /** Handles the removal of a folder. Returns the paths of its files that were read. */
  forgetFolder(folder: string): string[] {
    const isBelow = (path: string) => path === folder || path.startsWith(`${folder}/`);
    for (const map of [this.statuses, this.folderLists])
      for (const path of [...map.keys()]) if (isBelow(path)) map.delete(path);
    this.folderLists.delete(parentOf(folder));
    this.linkTargets.clear();
    this.globResults = new Map();
    return [...this.entries.keys()].filter(isBelow);
  }

  /** Forgets which files are missing, because more files may be readable now. */
  forgetMissing(): void {
    for (const map of [this.statuses, this.folderLists])
      for (const [path, value] of [...map]) if (value === null) map.delete(path);
    for (const [path, { fileSummary }] of [...this.entries]) if (fileSummary === null) this.drop(path);
    this.linkTargets.clear();
    this.globResults = new Map();
  }

  drop(path: string): void {
    this.entries.delete(path);
    this.contents.delete(path);
    this.roots.delete(path);
    this.summaries.delete(path);
    this.nameIndex.set(path, null);
  }

  stampOf(path: string): number {
    return this.entries.get(path)?.stamp ?? 0;
  }

  /**
   * Returns the tree of a closed file and drops it from the cache, so the next call reads the file
   * again.
   */
  async takeTree(path: string): Promise<Tree | null> {
    const entry = this.entries.get(path);
    const tree = entry?.tree ?? null;
    if (entry) entry.tree = null;
    if (tree) return tree;
    return this.host.readNow ? parsedTree(this.host.readNow(this.uriOf(path))) : this.readTree(path);
  }

  /** The paths of files that were read and may contain one of the names. */
  *filesWithNames(wanted: readonly WantedName[]): Iterable<string> {
    for (const [path, { nameHashes }] of this.summaries)
      if (wanted.some((each) => mayHaveName(nameHashes, each))) yield path;
  }

  /** The symbols of all files that were read. */
  symbolSummaries(): Iterable<readonly [path: string, summary: SymbolSummary]> {
    return this.summaries;
  }

  /** Returns the tree of a closed file and keeps it in the cache; null if it cannot be read. */
  async cachedTree(path: string): Promise<Tree | null> {
    const stamp = this.stampOf(path);
    const cached = this.recentTrees.get(path);
    if (cached?.stamp === stamp) return cached.tree;
    const tree =
      this.entries.get(path)?.tree ??
      (this.host.readNow ? parsedTree(this.host.readNow(this.uriOf(path))) : await this.readTree(path));
    this.recentTrees.delete(path);
    if (!tree) return null;
    this.recentTrees.set(path, { stamp, tree });
    let length = 0;
    for (const each of this.recentTrees.values()) length += each.tree.length;
    for (const [oldest, each] of this.recentTrees) {
      if (length <= MAX_CACHED_TEXT || this.recentTrees.size === 1) break;
      this.recentTrees.delete(oldest);
      length -= each.tree.length;
    }
    return tree;
  }

  /** Reads changed files again. Returns whether a summary has changed. */
  async reloadAll(paths: readonly string[], isCancelled: () => boolean): Promise<boolean> {
    let hasChanged = false;
    await this.inParallel(paths, isCancelled, async (path) => {
      if (await this.reload(path)) hasChanged = true;
    });
    return hasChanged;
  }

  async readStatus(path: string): Promise<FileStatus | null> {
    const looked = await this.host.status(this.uriOf(path));
    const identity = looked && this.pathOf(looked.identity);
    const look =
      looked && identity !== null ? { kind: looked.kind, identity, hasHardLinks: looked.hasHardLinks } : null;
    this.statuses.set(path, look);
    if (look) this.statuses.set(look.identity, look);
    return look;
  }

  private statusOf(path: string): FileStatus | null {
    const look = this.statuses.get(path);
    if (look === undefined) this.requestRead('look', path);
    return look ?? null;
  }

  /**
   * Records that a walk needs a file or folder that has not been read. One walk may request at most
   * half as many files as are known: if an Include matches files that are not configuration, the
   * next walk knows that and skips the rest.
   */
  private requestRead(what: keyof WorkspaceFiles['requestedPaths'], path: string): void {
    this.unansweredQueries++;
    if (what === 'load' && this.requestedPaths.load.size >= Math.max(MIN_LOADS_PER_WALK, this.entries.size / 2)) return;
    this.requestedPaths[what].add(path);
  }

  private async listFolder(path: string): Promise<void> {
    const names = await this.host.list(this.uriOf(path));
    this.folderLists.set(path, names && names.map(({ name }) => name));
    const folder = this.statuses.get(path)?.identity ?? (await this.readStatus(path))?.identity;
    if (!names || folder === undefined) return;
    for (const { name, kind } of names) {
      const child = joinedPath(path, name);
      if (this.statuses.has(child)) continue;
      if (kind === 'file' || kind === 'folder') this.statuses.set(child, { kind, identity: joinedPath(folder, name) });
      else if (kind === 'other') this.statuses.set(child, null);
    }
  }

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
    this.entries.set(path, { fileSummary: null, isForeign: true, tree: null, stamp: ++this.lastStamp });
    if (this.contents.has(path)) this.contents.set(path, null);
    this.roots.delete(path);
    this.summaries.delete(path);
    this.nameIndex.set(path, null);
  }

  private storeFile(path: string, tree: Tree | null): void {
    const fileSummary = tree && summarize(tree.root);
    const isForeign = tree === null || isForeignText(tree.root);
    this.entries.set(path, { fileSummary, isForeign, tree, stamp: ++this.lastStamp });
    if (this.contents.has(path)) this.contents.set(path, tree?.text() ?? null);
    if (fileSummary && isMainFile(fileSummary, path)) this.roots.add(path);
    else this.roots.delete(path);
    this.nameIndex.set(path, tree && fileNamesOf(tree));
    if (tree) this.summaries.set(path, symbolSummaryOf(tree.root));
    else this.summaries.delete(path);
  }

  private async readTree(path: string): Promise<Tree | null> {
    return parsedTree(await this.host.readFile(this.uriOf(path)));
  }

  /**
   * Runs the jobs; several at the same time if they wait for the disk. Lets other work run in
   * between.
   */
  private async inParallel<T>(
    items: readonly T[],
    isCancelled: () => boolean,
    job: (item: T) => Promise<unknown> | void,
  ): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < items.length && !isCancelled()) {
        await job(items[next++]!);
        if (this.scheduler.isSliceOver) await this.scheduler.pause();
      }
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, items.length) }, work));
  }
}

function parsedTree(content: FileContent): Tree | null {
  const decoded = 'bytes' in content ? decode(content.bytes) : content;
  return 'text' in decoded ? Tree.parse(decoded.text) : null;
}

function joinedPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}
