/**
 * Keeps the configurations of the workspace current: all files that its main files read, open or
 * not. Answers what these configurations define for a file. If the summary of a file changes, a new
 * walk through the configurations starts (config/file-summary.ts); other changes of texts need no
 * walk. Long work runs in time slices, between requests.
 */
import { FileChangeType } from 'vscode-languageserver';
import { isAnsweredUnused } from '../analysis/answers';
import { withPossibleHtaccess, fileInfoOf } from '../analysis/places';
import type { FileInfo } from '../analysis/engine';
import { Configurations, isHtaccessName, type ContextsOfFile, type RootSettings } from '../config/configurations';
import { summarize, areEqualSummaries, isMainFile, type FileSummary } from '../config/file-summary';
import {
  boundServerRoot,
  parentOf,
  resolvePath,
  isInFolder,
  isWithin,
  resolvedServerRoot,
  type MapEntry,
} from '../config/files';
import type { ConfigView } from '../config/config-view';
import type { Model, ServerSettings } from '../config/model';
import type { Steps } from '../config/resumable';
import type { Host } from '../host/host';
import { htaccessFilesAround } from '../features/htaccess-around';
import { namesInOtherFiles, type NamesInOtherFiles } from '../symbols/names-elsewhere';
import { fileNamesOf } from '../symbols/names-of-file';
import type { SymbolSummary } from '../features/occurrences';
import type { RelatedFiles } from '../features/references';
import { isMarkedUnusedBy, withoutEscapes } from './project-files';
import { isHttpdPath, isUnusedCopy } from '../directives/recognize';
import type { ConfigDocument, Tree } from '../syntax/document';
import { numbering } from '../syntax/memory';
import type { OwnedPath, Settings } from './settings';
import type { Scheduler } from './scheduler';
import { WorkspaceFiles } from './workspace-files';
import { addTo } from '../syntax/groups';

/** The parts of the session that the workspace needs. */
export interface WorkspaceOptions {
  readonly host: Host;
  /** The workspace folders, as URIs. */
  readonly folders: () => readonly string[];
  readonly isTrusted: () => boolean;
  readonly documents: () => readonly ConfigDocument[];
  readonly settingsOf: (uri: string) => Promise<Settings>;
  readonly scheduler: Scheduler;
  /**
   * Whether a client that got outdated diagnostics gets the new ones later: the server sends them,
   * or asks the client to request them again.
   */
  readonly canCorrectReplyLater: boolean;
  /** Reports internal errors. */
  readonly reportError: (what: string, error: unknown) => void;
  /**
   * Reports a setting that is ignored because its path leads out of the folder that the setting is
   * for.
   */
  readonly reportIgnoredSetting: (what: string) => void;
}

/** A file of the workspace that can have findings. */
export interface WorkspaceFile {
  /** The URI as the search found it. */
  readonly uri: string;
  /** The path, with symbolic links resolved. */
  readonly path: string;
}

/** Gets the progress of the first search: the number of files that were read, and of all files. */
export type OnProgress = (doneCount: number, total: number) => void;

/**
 * Milliseconds that a request for an open file waits for a walk through the configurations. After
 * that, the request gets the previous results, and the client is asked to request again later.
 */
const MAX_WAIT_FOR_WALK_MS = 200;

/** Limits for the search below a .htaccess file that is open without its folder. */
const LIMITS_AROUND_OPEN_FILE = { folders: 200, names: 2_000 };

/** The number of queries to the host that take about as long as the work between two pauses. */
const QUERIES_PER_PAUSE = 20;
/**
 * If the last walk had more pauses than this, requests do not wait for the next walk. They get the
 * previous results until that walk ends.
 */
const MAX_PAUSES_TO_WAIT = 8;

/**
 * If there are more files than this, unused memory is freed after each search, although that takes
 * time.
 */
const FILES_BEFORE_FREEING_MEMORY = 5000;

/**
 * After this number of walks that were stopped because files changed, the next walk runs to its
 * end.
 */
const MAX_STOPPED_WALKS = 5;

/**
 * Limit for repeating a walk. A walk is repeated when it has found files that were not read, such
 * as nested includes that the search did not find.
 */
const MAX_WALK_REPETITIONS = 200;

/** The configurations of the workspace, kept current. */
export class Workspace {
  private readonly files: WorkspaceFiles;
  private readonly configurations = new Configurations();
  /** The URIs of the files from the search, by path with symbolic links resolved. */
  private uriOfPath = new Map<string, string>();
  /** Symbolic links in the workspace folders, by target. */
  private linksByTarget = new Map<string, string[]>();
  /** Open files with hard links, by path with symbolic links resolved. */
  private hardLinkedPaths = new Set<string>();
  private isFileListStale = true;
  /** Whether settings or something else that walks depend on have changed. */
  private mustWalkAgain = true;
  /** Whether documents were opened, closed or changed since their paths were resolved. */
  private areDocumentsStale = true;
  /**
   * True while the paths of open documents are being resolved. Until then, `openDocuments` has the
   * documents that were open before.
   */
  private isResolvingPaths = false;
  /** Paths that changed on the disk and are not read again yet. */
  private readonly changedPaths = new Set<string>();
  /**
   * The folders that contain files of the last search, with all their parent folders; null before
   * the first search.
   */
  private cachedFoldersWithFiles: ReadonlySet<string> | null = null;
  /** The cached result of `allFiles`. */
  private cachedFileList: readonly WorkspaceFile[] = [];
  /** Open documents by path, with symbolic links resolved. */
  private openDocuments = new Map<string, ConfigDocument>();
  /** The summaries of open documents that the last walk used, by path. */
  private walkedSummaries = new Map<string, FileSummary>();
  private runningWork: Promise<void> | null = null;
  /** Whether the first walk has ended, successfully or with an error. */
  private isFirstWalkOver = false;
  private isStopped = false;
  /** The number of pauses in the last walk. */
  private pausesInLastWalk = 0;
  /** Callers that wait until a walk ends, or until it has paused more than `maxPauses` times. */
  private readonly waiters = new Set<{ readonly maxPauses: number; readonly giveUp: () => void }>();
  /** The number of walks that were stopped since the last walk that ran to its end. */
  private stoppedWalkCount = 0;
  private readonly contextListeners: ((changedPaths: ReadonlySet<string>) => void)[] = [];
  private readonly diskListeners: (() => void)[] = [];
  private onProgress: OnProgress | null = null;

  constructor(private readonly options: WorkspaceOptions) {
    this.files = new WorkspaceFiles(
      options.host,
      options.scheduler,
      (path) => this.uriFromPath(path),
      (uri) => this.pathOf(uri),
      (path) => this.openDocuments.get(path)?.tree ?? null,
      options.reportError,
    );
  }

  /**
   * Registers a listener. It gets the paths of files that have changed on the disk, or whose
   * contexts in the configurations have changed.
   */
  onContextsChanged(listener: (changedPaths: ReadonlySet<string>) => void): void {
    this.contextListeners.push(listener);
  }

  /** Registers a listener that is called when a file or folder that matters changed on the disk. */
  onDiskChanged(listener: () => void): void {
    this.diskListeners.push(listener);
  }

  /** Searches all folders again. Call it when the workspace folders have changed. */
  searchAgain(): void {
    this.isFileListStale = true;
  }

  /**
   * Lets the next walk read the files that restricted mode forbids. Call it when the user trusts
   * the workspace.
   */
  readForbiddenFiles(): void {
    this.files.forgetMissingFiles();
    this.isFileListStale = true;
    this.mustWalkAgain = true;
  }

  /** Must be called when settings have changed: walks depend on them. */
  handleSettingsChange(): void {
    this.mustWalkAgain = true;
  }

  /** Stops all work. */
  stop(): void {
    this.isStopped = true;
  }

  /** Handles files or folders that were created, changed or removed. */
  handleFileChanges(changes: readonly { readonly uri: string; readonly type: FileChangeType }[]): void {
    const unknownPaths: string[] = [];
    let isStale = false;
    for (const { uri, type } of changes) {
      const path = this.pathOf(uri);
      if (path === null) continue;
      const existedBefore = this.files.isKnownToHaveExisted(path);
      if (type === FileChangeType.Deleted && this.foldersWithFiles.has(path)) {
        for (const file of this.files.forgetFolder(path)) this.changedPaths.add(file);
      } else if (!existedBefore && !this.files.wasQueried(path) && isHttpdPath(path) === false) {
        if (type === FileChangeType.Created) unknownPaths.push(path);
        continue;
      } else {
        this.changedPaths.add(this.files.handleChange(path, type !== FileChangeType.Changed || !existedBefore));
      }
      isStale = true;
      if (type === FileChangeType.Changed && existedBefore) continue;
      this.isFileListStale = true;
      this.mustWalkAgain = true;
    }
    if (isStale) for (const listener of this.diskListeners) listener();
    if (unknownPaths.length > 0 && this.options.isTrusted()) void this.searchIfFoldersCreated(unknownPaths);
  }

  /**
   * Handles changes that the client did not report: changes of files outside of the workspace, and
   * on disks without watchers.
   */
  handleUnreportedChanges(paths: readonly string[]): void {
    const relevantPaths = paths.filter((path) => this.foldersWithFiles.has(path) || this.files.wasQueried(path));
    if (relevantPaths.length === 0) return;
    for (const path of relevantPaths) {
      for (const file of this.files.forgetFolder(path)) this.changedPaths.add(file);
      this.changedPaths.add(this.files.handleChange(path, true));
    }
    this.isFileListStale = true;
    this.mustWalkAgain = true;
    for (const listener of this.diskListeners) listener();
  }

  /** Must be called when a document was opened, closed or changed. */
  handleDocumentChange(): void {
    this.areDocumentsStale = true;
  }

  /**
   * The facts about an open document: its place in the configurations. Waits at most `maxWaitMs`
   * milliseconds for running work. After that, the result may be outdated; the listeners of
   * `onContextsChanged` are then called later.
   */
  async fileInfoFor(document: ConfigDocument, maxWaitMs = MAX_WAIT_FOR_WALK_MS): Promise<FileInfo> {
    const pathOrUri = this.pathOf(document.uri) ?? document.uri;
    const fileInfo = withPossibleHtaccess(pathOrUri, { isHtaccess: isHtaccessName(document.uri) });
    const path = this.options.isTrusted() ? this.pathOf(document.uri) : null;
    if (path === null) return fileInfo;
    if (this.needsWork()) await this.waitForWalk(maxWaitMs);
    const realPath = this.files.realPath(path);
    const contexts = this.configurations.publishedContextsOf(realPath);
    const hasNeighbours =
      [...this.uriOfPath.keys(), ...this.openDocuments.keys()].some((otherPath) => otherPath !== realPath) ||
      this.mayHaveHtaccessAround(realPath);
    if (!contexts) return { ...fileInfo, hasNeighbours };
    this.configurations.bindConditions(realPath, summarize(document.tree.root));
    return { ...this.fileInfoIn(realPath, contexts), hasNeighbours };
  }

  /**
   * Whether other .htaccess files on the disk may apply to the same requests as a .htaccess file
   * outside of the workspace folders. False for files in these folders, where all are known, and in
   * a browser.
   */
  private mayHaveHtaccessAround(path: string): boolean {
    const isInWorkspace = this.options.folders().some((uri) => isWithin(path, this.pathOf(uri) ?? uri));
    const view = isHtaccessName(path) && !isInWorkspace ? this.options.host.fileView?.(() => null) : undefined;
    if (!view) return false;
    const { files, isIncomplete } = htaccessFilesAround([path], view, parentOf(path), LIMITS_AROUND_OPEN_FILE);
    return files.length > 0 || isIncomplete;
  }

  /** Waits until everything is up to date. Several callers can wait for the same work. */
  async untilCurrent(onProgress: OnProgress | null = null): Promise<void> {
    if (onProgress) this.onProgress = onProgress;
    // Running work does not include changes that came after its start, so it is repeated.
    while (this.runningWork || this.needsWork()) {
      this.runningWork ??= this.runWork()
        .catch((error: unknown) => this.recoverFromError(error))
        .finally(() => (this.runningWork = null));
      await this.runningWork;
    }
  }

  /**
   * Like `untilCurrent`, but stops waiting when the walk has paused more than `maxPauses` times.
   * Queries to the host count, too: `QUERIES_PER_PAUSE` of them as one pause. The walk then goes on
   * in the background. Returns whether everything is current.
   */
  async untilCurrentWithinPauses(maxPauses: number): Promise<boolean> {
    const waiter = { maxPauses, giveUp: () => {} };
    const tooManyPauses = new Promise<boolean>((resolve) => (waiter.giveUp = () => resolve(false)));
    this.waiters.add(waiter);
    const isCurrentInTime = await Promise.race([this.untilCurrent().then(() => true), tooManyPauses]);
    this.waiters.delete(waiter);
    return isCurrentInTime;
  }

  /**
   * All files that can have findings: those that the search found, and included files in a
   * workspace folder.
   */
  allFiles(): readonly WorkspaceFile[] {
    return this.cachedFileList;
  }

  /** Whether the file is open, under any of its names. */
  isOpen(path: string): boolean {
    return this.openDocuments.has(path);
  }

  /** The trees of open files by path, with symbolic links resolved. */
  openTrees(): ReadonlyMap<string, Tree> {
    return new Map([...this.openDocuments].map(([path, document]) => [path, document.tree]));
  }

  /** Reads a file that is not open, with the facts about it; null if it cannot be read. */
  async readClosedFile(path: string): Promise<{ readonly tree: Tree; readonly info: FileInfo } | null> {
    const tree = await this.files.takeTree(path);
    if (!tree) return null;
    const fileSummary = summarize(tree.root);
    this.configurations.bindConditions(path, fileSummary);
    const contexts = this.configurations.publishedContextsOf(path);
    return {
      tree,
      info: contexts
        ? this.fileInfoIn(path, contexts)
        : withPossibleHtaccess(path, { isHtaccess: isHtaccessName(path) }),
    };
  }

  /**
   * The facts about a file from its contexts. A file with hard links may also be read as a
   * .htaccess under another name, which is unknown (null).
   */
  private fileInfoIn(path: string, contexts: ContextsOfFile): FileInfo {
    const fileInfo = withPossibleHtaccess(path, fileInfoOf(contexts));
    return this.hardLinkedPaths.has(path)
      ? { ...fileInfo, htaccessContexts: [...(fileInfo.htaccessContexts ?? []), null] }
      : fileInfo;
  }

  /**
   * Returns a stamp: a text that changes when the findings of a file may change for another reason
   * than its text in the editor or the settings.
   */
  stampOf(path: string): string {
    const contexts = this.configurations.publishedContextsOf(path);
    return `${this.openDocuments.has(path) ? '' : this.files.stampOf(path)}:${(contexts?.fileContexts ?? []).map(idOfObject).join(',')}${(contexts?.uses ?? []).map((uses) => (uses ? `u${idOfObject(uses)}` : '')).join('')}${(contexts?.htaccessContexts ?? []).map((each) => `h${idOfObject(each)}`).join('')}${contexts?.isHtaccess ? 'h' : ''}${contexts?.unreadReason ?? ''}`;
  }

  /**
   * The configurations that read a file. All configurations if no configuration reads it, or if the
   * document has no path.
   */
  relatedModelsOf(uri: string): readonly Model[] {
    const path = this.realPathOf(uri);
    const modelsOfFile = path === null ? [] : this.configurations.models.filter((model) => model.files.has(path));
    return modelsOfFile.length > 0 ? modelsOfFile : this.configurations.models;
  }

  /** Whether one of the configurations reads a file, or reads it as a .htaccess. */
  isPartOfConfiguration(uri: string): boolean {
    const path = this.realPathOf(uri);
    if (path === null) return false;
    return (
      this.configurations.models.some((model) => model.files.has(path)) ||
      (this.configurations.publishedContextsOf(path)?.fileContexts.length ?? 0) > 0
    );
  }

  /**
   * Whether httpd reads a file at each request, as it does with a .htaccess. Decided by the name of
   * the file if the walk does not know.
   */
  isReadAtEachRequest(path: string): boolean {
    return this.configurations.publishedContextsOf(path)?.isHtaccess ?? isHtaccessName(path);
  }

  /** The configurations as the last walk read them. */
  get models(): readonly Model[] {
    return this.configurations.models;
  }

  /**
   * The names in the other files of the configurations that read a file. For a .htaccess that a
   * configuration reads: the names in all configurations. Undefined if no configuration reads the
   * file, in restricted mode, and for a document without a path.
   */
  namesInOtherFiles(uri: string): NamesInOtherFiles | undefined {
    const realPath = this.realPathOf(uri);
    if (realPath === null || !this.options.isTrusted()) return undefined;
    const contexts = this.configurations.publishedContextsOf(realPath);
    const isReadHtaccess = contexts?.isHtaccess === true && contexts.fileContexts.length > 0;
    const models = this.configurations.models.filter((model) => isReadHtaccess || model.files.has(realPath));
    if (models.length === 0) return undefined;
    const isInSameConfiguration = (path: string) => path !== realPath && models.some((model) => model.files.has(path));
    const openFileNames = new Map(
      [...this.openDocuments].flatMap(([path, { tree }]) =>
        isInSameConfiguration(path) ? [[path, fileNamesOf(tree)] as const] : [],
      ),
    );
    return namesInOtherFiles({
      index: this.files.nameIndex,
      isInConfiguration: isInSameConfiguration,
      openFiles: openFileNames,
    });
  }

  /**
   * The files that may contain the same names as a file. In restricted mode, only the file itself.
   * Null for a document without a path.
   */
  relatedFilesOf(uri: string): RelatedFiles | null {
    const realPath = this.realPathOf(uri);
    if (realPath === null) return null;
    const isTrusted = this.options.isTrusted();
    return {
      currentFile: realPath,
      openTrees: this.openTrees(),
      configurationModels: isTrusted ? this.configurations.models : [],
      closedFilesWith: (wantedNames) =>
        isTrusted
          ? [...this.files.pathsThatMayContain(wantedNames)].filter((path) => !this.openDocuments.has(path))
          : [],
      isHtaccess: (path) => {
        const contexts = this.configurations.publishedContextsOf(path);
        return contexts?.isHtaccess === true && contexts.fileContexts.length > 0;
      },
    };
  }

  /** The current tree of a file, from the editor or the disk; null if it cannot be read. */
  async currentTreeOf(path: string): Promise<Tree | null> {
    return this.openDocuments.get(path)?.tree ?? this.files.cachedTree(path);
  }

  /** The symbols in files that are not open. */
  *symbolsOfClosedFiles(): Iterable<readonly [path: string, summary: SymbolSummary]> {
    if (!this.options.isTrusted()) return;
    for (const each of this.files.symbolSummaries()) if (!this.openDocuments.has(each[0])) yield each;
  }

  /**
   * The path of a file, with the known symbolic links resolved; null if the document has no path.
   */
  realPathOf(uri: string): string | null {
    const path = this.pathOf(uri);
    return path === null ? null : this.files.realPath(path);
  }

  /** The current summary of a file. Null if the file cannot be read, or was not read yet. */
  summaryOf(path: string): FileSummary | null {
    return this.files.fileSummary(path);
  }

  /** The client's URI of a file; made from the path if the client has none. */
  clientUriOf(path: string): string {
    return this.openDocuments.get(path)?.uri ?? this.uriOfPath.get(path) ?? this.uriFromPath(path);
  }

  /** The path of a URI, in which symbolic links are not resolved; null if the URI has no path. */
  pathOf(uri: string): string | null {
    const { host } = this.options;
    return host.pathOf ? host.pathOf(uri) : pathOfUri(uri);
  }

  /** The URI that is made from a path. See `clientUriOf` for the URI that the client uses. */
  uriFromPath(path: string): string {
    const { host } = this.options;
    return host.uriOf ? host.uriOf(path) : uriOfPath(path);
  }

  // ---- Work ----

  /** Whether something has changed since the last work, so that results may be outdated. */
  private needsWork(): boolean {
    if (!this.options.isTrusted() || this.isStopped) return false;
    if (
      this.isFileListStale ||
      this.mustWalkAgain ||
      this.areDocumentsStale ||
      this.changedPaths.size > 0 ||
      !this.isFirstWalkOver
    )
      return true;
    if (this.isResolvingPaths) return true;
    return this.options.documents().some((each) => this.hasNewSummary(each));
  }

  /**
   * Waits for a walk, but at most `maxWaitMs` milliseconds. Does not wait at all if the last walk
   * was long and the client can be notified later: the request then gets the previous results.
   */
  private async waitForWalk(maxWaitMs: number): Promise<void> {
    const walkEnd = this.untilCurrent();
    const { scheduler, canCorrectReplyLater } = this.options;
    if (this.isFirstWalkOver && canCorrectReplyLater && this.pausesInLastWalk > MAX_PAUSES_TO_WAIT)
      return void walkEnd.catch(() => undefined);
    scheduler.stopExpectingRequest();
    let timer: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([walkEnd, new Promise<void>((resolve) => (timer = setTimeout(resolve, maxWaitMs)))]);
    clearTimeout(timer);
  }

  /** Ends the wait of each caller that waits for fewer pauses. */
  private releaseWaiters(pauses: number): void {
    for (const waiter of this.waiters) if (pauses > waiter.maxPauses) waiter.giveUp();
  }

  /** Whether the summary of a document differs from its summary in the last walk. */
  private hasNewSummary(document: ConfigDocument): boolean {
    const path = this.realPathOf(document.uri);
    // If two documents are the same file, one through a link, only one of them is used.
    if (path === null || this.openDocuments.get(path) !== document) return false;
    const walkedSummary = this.walkedSummaries.get(path);
    return !walkedSummary || !areEqualSummaries(walkedSummary, summarize(document.tree.root));
  }

  /** Searches, reads changed files and walks, as far as each is needed. Notifies listeners. */
  private async runWork(): Promise<void> {
    // Lets waiting requests run first.
    await this.options.scheduler.pause();
    const isCancelled = () => this.isStopped || !this.options.isTrusted();
    let mustWalk = !this.isFirstWalkOver;
    const changedPaths = new Set<string>();
    do {
      // Changes that arrive during this time, such as those of switching a branch, are handled
      // together.
      mustWalk = this.mustWalkAgain || mustWalk;
      this.mustWalkAgain = false;
      if (this.isFileListStale) {
        this.isFileListStale = false;
        mustWalk = (await this.search(isCancelled)) || mustWalk;
      }
      if (this.uriOfPath.size > FILES_BEFORE_FREEING_MEMORY) this.options.host.limitMemory?.();
      const newlyChangedPaths = [...this.changedPaths];
      this.changedPaths.clear();
      for (const path of newlyChangedPaths) changedPaths.add(path);
      if (
        await this.files.reloadFiles(
          newlyChangedPaths.filter((path) => this.files.hasRead(path)),
          isCancelled,
        )
      )
        mustWalk = true;
      let readCount = 0;
      const fileCount = this.uriOfPath.size;
      await this.files.loadUnreadFiles(this.uriOfPath.keys(), isCancelled, () => {
        readCount++;
        if (readCount % 200 === 0) this.onProgress?.(readCount, fileCount);
      });
    } while (this.isDiskStale && !isCancelled());
    if (await this.updateOpenDocuments()) mustWalk = true;
    if (this.mustWalkAgain) mustWalk = true;
    this.mustWalkAgain = false;
    if ([...this.openDocuments.values()].some((document) => this.hasNewSummary(document))) mustWalk = true;
    if (mustWalk) {
      const changedPathsOfWalk = await this.walk(isCancelled);
      // Null: the walk was stopped, so it has to run again.
      if (changedPathsOfWalk === null) this.mustWalkAgain = true;
      for (const path of changedPathsOfWalk ?? []) changedPaths.add(path);
    }
    if (isCancelled()) return;
    this.isFirstWalkOver ||= !this.mustWalkAgain;
    this.onProgress = null;
    if (changedPaths.size > 0) for (const listener of this.contextListeners) listener(changedPaths);
  }

  /**
   * Called if a walk throws an error. Files are then checked without the results of the walk until
   * something changes.
   */
  private recoverFromError(error: unknown): void {
    this.options.reportError('the walk through the configurations', error);
    this.isFirstWalkOver = true;
    this.mustWalkAgain = false;
    this.isFileListStale = false;
    this.areDocumentsStale = false;
    this.changedPaths.clear();
    this.walkedSummaries = new Map(
      [...this.openDocuments].map(([path, document]) => [path, summarize(document.tree.root)]),
    );
  }

  private get isDiskStale(): boolean {
    return this.isFileListStale || this.changedPaths.size > 0;
  }

  /**
   * If there are folders among created paths, starts a new search, because the folders may contain
   * files.
   */
  private async searchIfFoldersCreated(paths: readonly string[]): Promise<void> {
    let hasFoundFolder = false;
    for (const path of paths) {
      const status = await this.options.host.status(this.uriFromPath(path));
      if (status?.kind !== 'folder') continue;
      hasFoundFolder = true;
      this.files.handleChange(path, true);
    }
    if (!hasFoundFolder) return;
    this.isFileListStale = true;
    this.mustWalkAgain = true;
    for (const listener of this.diskListeners) listener();
  }

  /** The folders that contain known files, and all their parent folders. */
  private get foldersWithFiles(): ReadonlySet<string> {
    if (this.cachedFoldersWithFiles) return this.cachedFoldersWithFiles;
    const folders = new Set<string>();
    for (const path of [...this.uriOfPath.keys(), ...this.files.pathsOfReadFiles()]) {
      for (let folder = parentOf(path); folder !== '/' && !folders.has(folder); folder = parentOf(folder))
        folders.add(folder);
    }
    return (this.cachedFoldersWithFiles = folders);
  }

  /** Searches the workspace folders for files. Returns whether the set of files has changed. */
  private async search(isCancelled: () => boolean): Promise<boolean> {
    const uriOfPath = new Map<string, string>();
    const linksByTarget = new Map<string, string[]>();
    const onLink = (uri: string, targetUri: string) => {
      const [path, target] = [this.pathOf(uri), this.pathOf(targetUri)];
      if (path !== null && target !== null) addTo(linksByTarget, target, path);
    };
    await this.options.host.findFiles(
      this.options.folders(),
      isCancelled,
      (uri, realUri) => {
        const path = this.pathOf(uri);
        const realPath = this.pathOf(realUri);
        if (path === null || realPath === null) return;
        this.files.addFoundFile(path, realPath);
        if (!uriOfPath.has(realPath)) uriOfPath.set(realPath, uri);
      },
      undefined,
      onLink,
    );
    const uriOfPathBefore = this.uriOfPath;
    if (isCancelled()) return false;
    const haveLinksChanged = JSON.stringify([...linksByTarget]) !== JSON.stringify([...this.linksByTarget]);
    this.uriOfPath = uriOfPath;
    this.linksByTarget = linksByTarget;
    this.cachedFoldersWithFiles = null;
    for (const path of uriOfPathBefore.keys()) if (!uriOfPath.has(path)) this.files.forgetFile(path);
    return (
      haveLinksChanged ||
      uriOfPathBefore.size !== uriOfPath.size ||
      [...uriOfPath.keys()].some((path) => !uriOfPathBefore.has(path))
    );
  }

  /**
   * Updates what is known about open documents. Returns whether closing documents has changed
   * something that walks depend on.
   */
  private async updateOpenDocuments(): Promise<boolean> {
    this.areDocumentsStale = false;
    this.isResolvingPaths = true;
    try {
      await this.resolveDocumentPaths();
    } finally {
      this.isResolvingPaths = false;
    }
    return this.forgetClosedDocuments();
  }

  /** Fills `openDocuments` and `hardLinkedPaths` from the documents that are open now. */
  private async resolveDocumentPaths(): Promise<void> {
    const documentsByPath = new Map<string, ConfigDocument>();
    const hardLinkedPaths = new Set<string>();
    for (const document of this.options.documents()) {
      const path = this.pathOf(document.uri);
      if (path === null) continue;
      const status = await this.files.readStatus(path);
      documentsByPath.set(status?.realPath ?? path, document);
      if (status?.hasHardLinks) hardLinkedPaths.add(status.realPath);
    }
    this.openDocuments = documentsByPath;
    this.hardLinkedPaths = hardLinkedPaths;
  }

  /**
   * Uses the files on the disk for documents that were closed. Returns whether a new walk is
   * needed. It is needed if a file differs from its closed document. It is also needed if the
   * search did not find the file: it may have been a main file only while it was open.
   */
  private async forgetClosedDocuments(): Promise<boolean> {
    const { openDocuments } = this;
    let hasChanged = false;
    for (const [path, summaryBefore] of this.walkedSummaries) {
      if (openDocuments.has(path)) continue;
      this.walkedSummaries.delete(path);
      await this.files.reload(path);
      const fileSummary = this.files.fileSummary(path);
      if (!fileSummary || !areEqualSummaries(summaryBefore, fileSummary) || !this.uriOfPath.has(path))
        hasChanged = true;
    }
    for (const path of openDocuments.keys()) {
      const fileSummary = this.files.closedSummary(path);
      if (!this.walkedSummaries.has(path) && fileSummary && this.configurations.publishedContextsOf(path))
        this.walkedSummaries.set(path, fileSummary);
    }
    return hasChanged;
  }

  /**
   * Walks through all configurations with the current documents. Other callers get the previous
   * results until it ends. Returns the paths of files for which something has changed; null if the
   * walk was stopped because files or settings changed.
   */
  private async walk(isCancelled: () => boolean): Promise<Set<string> | null> {
    const mustStop = () =>
      isCancelled() || (this.stoppedWalkCount < MAX_STOPPED_WALKS && (this.isDiskStale || this.mustWalkAgain));
    const summaryOfOpenFile = new Map(
      [...this.openDocuments].map(([path, document]) => [path, summarize(document.tree.root)]),
    );
    const view = this.files.frozenView(summaryOfOpenFile);
    const roots = await this.findMainFiles(summaryOfOpenFile);
    let models = this.configurations.models;
    let pauseCount = 0;
    const stopsAtPause = () => {
      pauseCount++;
      this.releaseWaiters(pauseCount + queryCount / QUERIES_PER_PAUSE);
      return mustStop();
    };
    /** The number of queries to the host so far. */
    let queryCount = 0;
    const stopsAtQuery = () => {
      this.releaseWaiters(pauseCount + ++queryCount / QUERIES_PER_PAUSE);
      return isCancelled();
    };
    for (let round = 0; round < MAX_WALK_REPETITIONS; round++) {
      const modelsOfRound = await this.options.scheduler.run(
        this.configurations.read(roots, view, models),
        stopsAtPause,
      );
      if (!modelsOfRound) return this.stopWalk();
      models = modelsOfRound;
      if (!this.files.hasRequestedReads) break;
      await this.files.readRequested(stopsAtQuery);
      if (mustStop()) return this.stopWalk();
    }
    const files = new Set([...this.uriOfPath.keys(), ...summaryOfOpenFile.keys()]);
    const changedPaths = await this.options.scheduler.run(this.publishWalkResults(models, view, files), stopsAtPause);
    if (!changedPaths) return this.stopWalk();
    this.walkedSummaries = summaryOfOpenFile;
    this.pausesInLastWalk = pauseCount;
    this.stoppedWalkCount = 0;
    return changedPaths;
  }

  /** Counts a stopped walk, and returns the result of `walk` for it. */
  private stopWalk(): null {
    this.stoppedWalkCount++;
    return null;
  }

  /**
   * Makes the results of a walk current. Returns the paths of files for which something has
   * changed.
   */
  private *publishWalkResults(models: readonly Model[], view: ConfigView, files: Iterable<string>): Steps<Set<string>> {
    const fileList = yield* this.fileListOf(models);
    const changedPaths = yield* this.configurations.publish(models, view, files, (file, names) =>
      foldersThroughLinks(this.linksByTarget, file, names),
    );
    this.cachedFileList = fileList;
    return changedPaths;
  }

  /**
   * The files that the search found, and the files in workspace folders that the configurations
   * read, sorted by URI.
   */
  private *fileListOf(models: readonly Model[]): Steps<WorkspaceFile[]> {
    const uriOfListedFile = new Map(this.cachedFileList.map(({ uri, path }) => [path, uri]));
    const folders = this.options.folders().map((folder) => `${folder.replace(/\/$/, '')}/`);
    const files = new Map(this.uriOfPath);
    yield;
    let checkedCount = 0;
    for (const model of models) {
      for (const path of model.files.keys()) {
        if (++checkedCount % 64 === 0) yield;
        if (files.has(path)) continue;
        const uri = uriOfListedFile.get(path) ?? this.uriFromPath(path);
        if (folders.some((folder) => uri.startsWith(folder))) files.set(path, uri);
      }
    }
    const workspaceFiles = [...files].map(([path, uri]) => ({ uri, path }));
    yield;
    return workspaceFiles.sort((a, b) => (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0));
  }

  /**
   * The main files, each with its settings: the files that a setting names, or else the files that
   * `isMainFile` recognizes (config/file-summary.ts).
   */
  private async findMainFiles(summaryOfOpenFile: ReadonlyMap<string, FileSummary>): Promise<RootSettings[]> {
    const mainFilePaths = await this.mainFilesInSettings();
    const areSetByUser = mainFilePaths.size > 0;
    if (!areSetByUser) {
      for (const path of this.files.closedMainFiles)
        if (this.uriOfPath.has(path) && !summaryOfOpenFile.has(path) && !isUnusedCopy(path)) mainFilePaths.add(path);
      for (const [path, fileSummary] of summaryOfOpenFile)
        if (isMainFile(fileSummary, path) && !isUnusedCopy(path)) mainFilePaths.add(path);
    }
    const roots: RootSettings[] = [];
    for (const mainFile of [...mainFilePaths].sort()) {
      const { engine, projectFile } = await this.options.settingsOf(this.clientUriOf(mainFile));
      const isUnused =
        isMarkedUnusedBy(projectFile, this.clientUriOf(mainFile)) ||
        isAnsweredUnused(mainFile, engine.answerSet, (path) => mainFilePaths.has(path));
      if (!areSetByUser && isUnused) continue;
      roots.push({ mainFile, target: engine.target, server: await this.serverSettingsOf(mainFile) });
    }
    return roots;
  }

  /**
   * The real paths of the main files that the setting `roots` of the workspace folders names. A
   * path that leads out of its folder is left out, and reported.
   */
  private async mainFilesInSettings(): Promise<Set<string>> {
    const mainFilePaths = new Set<string>();
    for (const folder of this.options.folders()) {
      const folderPath = this.pathOf(folder);
      const {
        values: { roots },
      } = await this.options.settingsOf(folder);
      for (const root of folderPath === null ? [] : roots) {
        if (
          isInFolder(
            root,
            folderPath!,
            this.options.host.fileView?.(() => null),
          )
        )
          mainFilePaths.add(this.files.realPath(resolvePath(folderPath!, root)));
        else this.options.reportIgnoredSetting(`The main configuration file "${root}"`);
      }
    }
    return mainFilePaths;
  }

  /**
   * The settings for the server with the main file `root`. Their paths are absolute paths of this
   * machine. A path that leads out of its bounds is left out, and reported.
   */
  async serverSettingsOf(root: string): Promise<ServerSettings> {
    const { server, serverRoot, pathMap, projectFile } = await this.options.settingsOf(this.clientUriOf(root));
    const folders = this.options.folders().flatMap((uri) => this.pathOf(uri) ?? []);
    const projectFolder = projectFile && this.pathOf(projectFile.uri.slice(0, projectFile.uri.lastIndexOf('/')));
    const view = this.options.host.fileView?.(() => null);
    /**
     * The folders in which the paths of a setting must be; relative paths are relative to the first
     * one. Null if they may be anywhere.
     */
    const boundsOf = (owner: OwnedPath<unknown>['owner']) =>
      owner === 'user' ? null : owner === 'workspace' ? folders : projectFolder === null ? [] : [projectFolder];
    const pathMapEntries = pathMap.flatMap(({ value: entry, owner }): MapEntry[] => {
      const { to } = entry;
      const bounds = boundsOf(owner);
      const baseFolder = (bounds ?? folders)[0];
      if (baseFolder === undefined) return [];
      const mapEntry = { ...entry, to: resolvePath(baseFolder, to) };
      if (bounds === null) return [mapEntry];
      const bound = bounds.find((folder) => isInFolder(folder === baseFolder ? to : mapEntry.to, folder, view));
      if (bound === undefined) this.options.reportIgnoredSetting(`The path map's "${to}"`);
      return bound === undefined ? [] : [{ ...mapEntry, enclosingDirectory: bound }];
    });
    const bounds = serverRoot ? boundsOf(serverRoot.owner) : null;
    const serverRootPath =
      serverRoot === null ? undefined : resolvedServerRoot((bounds ?? folders)[0] ?? '/', serverRoot.value);
    const serverRootEntries =
      serverRootPath && bounds ? boundServerRoot(serverRootPath, bounds, { entries: pathMapEntries }, view) : [];
    const allMapEntries = [...pathMapEntries, ...serverRootEntries];
    return {
      ...server,
      serverRoot: serverRootPath,
      pathMap: allMapEntries.length > 0 ? { entries: allMapEntries } : undefined,
    };
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit for the number of paths of one file. */
const MAX_PATHS_OF_FILE = 200;

/**
 * All folders in which a file can be found under one of these names: its own folder, and folders
 * from which links lead to it. `links` has the paths of links by their target. Empty if no link
 * leads to the file.
 */
function foldersThroughLinks(
  linksByTarget: ReadonlyMap<string, readonly string[]>,
  file: string,
  fileNames: readonly string[],
): string[] {
  if (linksByTarget.size === 0) return [];
  const pathsThroughLinks = new Set([file]);
  for (const path of pathsThroughLinks) {
    for (
      let end = path.length;
      end > 0 && pathsThroughLinks.size < MAX_PATHS_OF_FILE;
      end = path.lastIndexOf('/', end - 1)
    ) {
      const target = path.slice(0, end);
      // A link to a parent folder of itself is followed only once.
      for (const link of linksByTarget.get(target) ?? [])
        if (!link.startsWith(`${target}/`) || !path.startsWith(`${link}/`))
          pathsThroughLinks.add(link + path.slice(end));
    }
  }
  if (pathsThroughLinks.size === 1) return [];
  return [
    ...new Set(
      [...pathsThroughLinks].flatMap((path) =>
        fileNames.filter((name) => path.endsWith(`/${name}`)).map((name) => path.slice(0, -name.length - 1) || '/'),
      ),
    ),
  ];
}

/** Returns a number that identifies an object. */
const idOfObject = numbering();

/**
 * The path of a URI for a host that knows only URIs: `/vscode-vfs:github/owner/file` for
 * `vscode-vfs://github/owner/file`, so that files of different places have different paths. Null if
 * the URI has no such form.
 */
function pathOfUri(uri: string): string | null {
  const match = /^([\w+.-]+):\/\/([^/]*)(\/.*)$/.exec(uri);
  return match && `/${match[1]}:${match[2]}${withoutEscapes(match[3]!)}`;
}

/** The reverse of `pathOfUri`. `none:` for a path that `pathOfUri` did not make. */
function uriOfPath(path: string): string {
  const match = /^\/([\w+.-]+):([^/]*)(\/.*)?$/.exec(path);
  return match ? `${match[1]}://${match[2]}${(match[3] ?? '').split('/').map(encodeURIComponent).join('/')}` : 'none:';
}
