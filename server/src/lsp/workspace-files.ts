/**
 * The files of a workspace for the walk through a configuration: keeps their summaries in memory,
 * and uses open files in place of those on the disk. A walk cannot wait for a disk. So a missing
 * file is recorded as a wish and read afterwards; then the walk is repeated.
 */
import { summarize, isEqual, isMainFile, type FileSummary } from '../config/file-summary';
import { beginsForeign } from '../config/foreign';
import { includedFiles, parentOf } from '../config/files';
import type { ConfigView } from '../config/config-view';
import { namesOf } from '../symbols/names-of-file';
import { NameIndex } from '../symbols/name-index';
import { isIn, summaryOf, type SymbolSummary, type Wanted } from '../features/occurrences';
import { decode } from '../host/decode';
import type { FileContent, Host } from '../host/host';
import { Tree } from '../syntax/document';
import type { Scheduler } from './scheduler';

/** What is known of a file that is not open. */
interface ClosedFile {
  fileSummary: FileSummary | null;
  /** See `ConfigView.isForeign`. */
  isForeign: boolean;
  /** Kept until the file has been checked. After that, it is read from the disk again if needed. */
  tree: Tree | null;
  /** Increases when the content changes. */
  stamp: number;
}

interface LookResult {
  readonly kind: 'file' | 'folder';
  readonly identity: string;
  /** See `Looked.hasNames`. */
  readonly hasNames?: boolean;
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
  readonly names = new NameIndex();
  /** The names and symbols in closed files. */
  private readonly summaries = new Map<string, SymbolSummary>();
  /** Trees of closed files that were used most recently. */
  private readonly recentTrees = new Map<string, { readonly stamp: number; readonly tree: Tree }>();
  private readonly looks = new Map<string, LookResult | null>();
  private readonly lists = new Map<string, readonly string[] | null>();
  /** Targets of symbolic links that a walk needed; null for a path that is no link. */
  private readonly links = new Map<string, string | null>();
  /** Texts of files with start options that a walk needed; null if they cannot be read. */
  private readonly contents = new Map<string, string | null>();
  private globs = new Map<string, readonly string[]>();
  private readonly wantedPaths = {
    look: new Set<string>(),
    list: new Set<string>(),
    link: new Set<string>(),
    load: new Set<string>(),
    content: new Set<string>(),
  };
  /** How many queries had no result yet. */
  private unansweredQueries = 0;
  private stamps = 0;

  constructor(
    private readonly host: Host,
    private readonly turns: Scheduler,
    private readonly uriOf: (path: string) => string,
    private readonly pathOf: (uri: string) => string | null,
    /**
     * Returns the tree of an open file, by path with symbolic links resolved; null if it is not
     * open.
     */
    private readonly open: (path: string) => Tree | null,
    private readonly report: (what: string, error: unknown) => void,
  ) {}

  // ---- Queries of the walk ----

  fileSummary(path: string): FileSummary | null {
    const tree = this.open(path);
    if (tree) return summarize(tree.root);
    const entry = this.entries.get(path);
    // Loaded by its path without links, so that no file is read twice under two names.
    if (!entry && this.look(path)?.kind === 'file') this.wish('load', path);
    return entry?.fileSummary ?? null;
  }

  isForeign(path: string): boolean {
    const tree = this.open(path);
    if (tree) return beginsForeign(tree.root);
    return this.entries.get(path)?.isForeign === true && this.kind(path) === 'file';
  }

  content(path: string): string | null {
    const tree = this.open(path);
    if (tree) return tree.text();
    const cached = this.contents.get(path);
    if (cached === undefined) this.wish('content', path);
    return cached ?? null;
  }

  kind(path: string): 'file' | 'folder' | null {
    return this.look(path)?.kind ?? null;
  }

  identity(path: string): string {
    return this.look(path)?.identity ?? path;
  }

  link(path: string): string | null {
    if (!this.host.linkTarget) return null;
    const target = this.links.get(path);
    if (target === undefined) this.wish('link', path);
    return target ?? null;
  }

  list(path: string): readonly string[] | null {
    const names = this.lists.get(path);
    if (names === undefined) this.wish('list', path);
    return names ?? null;
  }

  included(path: string): readonly string[] {
    let files = this.globs.get(path);
    if (files) return files;
    const before = this.unansweredQueries;
    files = includedFiles(path, this);
    if (this.unansweredQueries === before) this.globs.set(path, files);
    return files;
  }

  /** A view in which the summaries of open files do not change, for a walk in slices. */
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

  get hasWishes(): boolean {
    return Object.values(this.wantedPaths).some(({ size }) => size > 0);
  }

  /** Reads everything that walks wished for. */
  async readWanted(isCancelled: () => boolean): Promise<void> {
    const { look, list, link, load, content } = this.wantedPaths;
    for (const path of content) {
      load.add(path);
      this.contents.set(path, null);
    }
    const jobs = [
      ...[...look].map((path) => () => this.lookAt(path)),
      ...[...list].map((path) => () => this.listFolder(path)),
      ...[...link].map(
        (path) => async () => this.links.set(path, (await this.host.linkTarget?.(this.uriOf(path))) ?? null),
      ),
      ...[...load].map((path) => () => this.load(path)),
    ];
    for (const wishes of [look, list, link, load, content]) wishes.clear();
    this.globs = new Map();
    await this.inParallel<() => Promise<unknown> | void>(jobs, isCancelled, (job) => job());
  }

  /** Adds a file that a search has found. `identity`: its path with symbolic links resolved. */
  addFound(path: string, identity: string): void {
    const look: LookResult = { kind: 'file', identity };
    this.looks.set(path, look);
    this.looks.set(identity, look);
  }

  /** Reads the files that are not read yet. Calls `onFile` for each. */
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
    return before === null || after === null ? before !== after : !isEqual(before, after);
  }

  /** The summary of a file as it is on the disk, even if it is open; null if it was not read. */
  closedSummary(path: string): FileSummary | null {
    return this.entries.get(path)?.fileSummary ?? null;
  }

  /** Whether a file or folder existed at a path when it was looked at. */
  existed(path: string): boolean {
    return this.looks.get(path) != null || this.contents.get(path) != null;
  }

  /** Whether the file has been read. */
  has(path: string): boolean {
    return this.entries.has(path);
  }

  /**
   * Handles a change of a path on the disk. Returns the path of the file with symbolic links
   * resolved. `isOther`: it was created or removed, so it may be another file now.
   */
  forget(path: string, isOther: boolean): string {
    const identity = this.looks.get(path)?.identity ?? path;
    if (!isOther) return identity;
    this.looks.delete(path);
    this.looks.delete(identity);
    this.lists.delete(path);
    this.lists.delete(parentOf(path));
    this.links.clear();
    this.globs = new Map();
    return identity;
  }

  /** Whether a walk needed this path. */
  wasAskedFor(path: string): boolean {
    return this.looks.has(path) || this.lists.has(parentOf(path)) || this.contents.has(path);
  }

  /** The paths of all files that were read. */
  readPaths(): Iterable<string> {
    return this.entries.keys();
  }

  /** Handles the removal of a folder. Returns the paths of its files that were read. */
  forgetFolder(folder: string): string[] {
    const isBelow = (path: string) => path === folder || path.startsWith(`${folder}/`);
    for (const map of [this.looks, this.lists]) for (const path of [...map.keys()]) if (isBelow(path)) map.delete(path);
    this.lists.delete(parentOf(folder));
    this.links.clear();
    this.globs = new Map();
    return [...this.entries.keys()].filter(isBelow);
  }

  /** Forgets which files are missing, because more files may be readable now. */
  forgetMissing(): void {
    for (const map of [this.looks, this.lists])
      for (const [path, value] of [...map]) if (value === null) map.delete(path);
    for (const [path, { fileSummary }] of [...this.entries]) if (fileSummary === null) this.drop(path);
    this.links.clear();
    this.globs = new Map();
  }

  drop(path: string): void {
    this.entries.delete(path);
    this.contents.delete(path);
    this.roots.delete(path);
    this.summaries.delete(path);
    this.names.set(path, null);
  }

  stampOf(path: string): number {
    return this.entries.get(path)?.stamp ?? 0;
  }

  /** The tree of a closed file. Dropped from the cache, so the next call reads the file again. */
  async take(path: string): Promise<Tree | null> {
    const entry = this.entries.get(path);
    const tree = entry?.tree ?? null;
    if (entry) entry.tree = null;
    if (tree) return tree;
    return this.host.readNow ? parsed(this.host.readNow(this.uriOf(path))) : this.read(path);
  }

  /** The paths of files that were read and may contain one of the names. */
  *filesWithNames(wanted: readonly Wanted[]): Iterable<string> {
    for (const [path, { nameHashes }] of this.summaries) if (wanted.some((each) => isIn(nameHashes, each))) yield path;
  }

  /** The symbols of all files that were read. */
  symbolSummaries(): Iterable<readonly [path: string, summary: SymbolSummary]> {
    return this.summaries;
  }

  /** The tree of a closed file, cached because it will be used again; null if it cannot be read. */
  async lookInto(path: string): Promise<Tree | null> {
    const stamp = this.stampOf(path);
    const cached = this.recentTrees.get(path);
    if (cached?.stamp === stamp) return cached.tree;
    const tree =
      this.entries.get(path)?.tree ??
      (this.host.readNow ? parsed(this.host.readNow(this.uriOf(path))) : await this.read(path));
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

  async lookAt(path: string): Promise<LookResult | null> {
    const looked = await this.host.look(this.uriOf(path));
    const identity = looked && this.pathOf(looked.identity);
    const look = looked && identity !== null ? { kind: looked.kind, identity, hasNames: looked.hasNames } : null;
    this.looks.set(path, look);
    if (look) this.looks.set(look.identity, look);
    return look;
  }

  private look(path: string): LookResult | null {
    const look = this.looks.get(path);
    if (look === undefined) this.wish('look', path);
    return look ?? null;
  }

  /**
   * Records that a walk needs a file or folder that is not read yet. One walk may request at most
   * half as many files as are known: if an Include matches files that are no configuration, the
   * next walk knows that and leaves out the rest.
   */
  private wish(what: keyof WorkspaceFiles['wantedPaths'], path: string): void {
    this.unansweredQueries++;
    if (what === 'load' && this.wantedPaths.load.size >= Math.max(MIN_LOADS_PER_WALK, this.entries.size / 2)) return;
    this.wantedPaths[what].add(path);
  }

  private async listFolder(path: string): Promise<void> {
    const names = await this.host.list(this.uriOf(path));
    this.lists.set(path, names && names.map(({ name }) => name));
    const folder = this.looks.get(path)?.identity ?? (await this.lookAt(path))?.identity;
    if (!names || folder === undefined) return;
    for (const { name, kind } of names) {
      const child = joined(path, name);
      if (this.looks.has(child)) continue;
      if (kind === 'file' || kind === 'folder') this.looks.set(child, { kind, identity: joined(folder, name) });
      else if (kind === 'other') this.looks.set(child, null);
    }
  }

  private load(path: string): Promise<void> | void {
    const { readNow } = this.host;
    if (!readNow)
      return this.read(path)
        .then((tree) => this.loaded(path, tree))
        .catch((error: unknown) => this.failed(path, error));
    try {
      this.loaded(path, parsed(readNow(this.uriOf(path))));
    } catch (error) {
      this.failed(path, error);
    }
  }

  /** Logs the error. For all callers, the file cannot be read. */
  private failed(path: string, error: unknown): void {
    this.report(`reading ${path}`, error);
    this.entries.set(path, { fileSummary: null, isForeign: true, tree: null, stamp: ++this.stamps });
    if (this.contents.has(path)) this.contents.set(path, null);
    this.roots.delete(path);
    this.summaries.delete(path);
    this.names.set(path, null);
  }

  private loaded(path: string, tree: Tree | null): void {
    const fileSummary = tree && summarize(tree.root);
    const isForeign = tree === null || beginsForeign(tree.root);
    this.entries.set(path, { fileSummary, isForeign, tree, stamp: ++this.stamps });
    if (this.contents.has(path)) this.contents.set(path, tree?.text() ?? null);
    if (fileSummary && isMainFile(fileSummary)) this.roots.add(path);
    else this.roots.delete(path);
    this.names.set(path, tree && namesOf(tree));
    if (tree) this.summaries.set(path, summaryOf(tree.root));
    else this.summaries.delete(path);
  }

  private async read(path: string): Promise<Tree | null> {
    return parsed(await this.host.readFile(this.uriOf(path)));
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
        if (this.turns.isOver) await this.turns.pause();
      }
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, items.length) }, work));
  }
}

function parsed(content: FileContent): Tree | null {
  const decoded = 'bytes' in content ? decode(content.bytes) : content;
  return 'text' in decoded ? Tree.parse(decoded.text) : null;
}

function joined(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}
