/**
 * Runs the rules about whole configurations and keeps their findings. It runs them when the user
 * has stopped typing for a moment, and never while a request waits. Large configurations are
 * checked in a worker thread (lsp/worker-protocol.ts). If a file has changed since the check, its
 * findings move with the text. Findings inside the changed part are not shown.
 */
import {
  CodeActionKind,
  type CodeAction,
  type Diagnostic,
  type Range,
  type WorkDoneProgressReporter,
} from 'vscode-languageserver';
import type { PlacedFinding } from '../analysis/engine';
import { applyEdits } from '../analysis/fixes';
import type { FileView } from '../config/files';
import { QueryLimit, MAX_QUERIES, TooManyQueries } from '../config/look-limit';
import type { Model, ServerSettings } from '../config/model';
import { configurationFindings, withoutDuplicates } from '../features/configuration-findings';
import type { FileChange } from '../features/conversion';
import { withoutCoveredFindings, type ReportedProblem } from '../features/covered-findings';
import { textEdits } from '../features/convert';
import { diagnosticOf } from '../features/diagnostics';
import type { WorkerThread, Host } from '../host/host';
import type { ReadableFolders } from '../host/within';
import type { Edit, Fix } from '../rules/rule';
import type { ConfigDocument, Tree } from '../syntax/document';
import {
  textMarkOf,
  findingsFrom,
  type CheckRequest,
  type CheckedRoot,
  type CheckReplyPart,
  type SentFileFindings,
} from './worker-protocol';
import type { Settings } from './settings';
import type { Scheduler } from './scheduler';
import type { Workspace } from './workspace';

/** The parts of the session that the checks need. */
export interface ConfigurationRulesOptions {
  readonly host: Host;
  readonly workspace: Workspace;
  readonly isTrusted: () => boolean;
  /** Whether files that are not open can be changed. */
  readonly canWrite: () => boolean;
  /** The folders that may be read. */
  readonly readableFolders: () => ReadableFolders;
  readonly documentOf: (uri: string) => ConfigDocument | undefined;
  readonly settingsOf: (uri: string) => Promise<Settings>;
  readonly reportError: (error: unknown) => void;
  /** Called with the id of a rule that threw. */
  readonly onRuleFailure: (rule: string, error: Error) => void;
  readonly scheduler: Scheduler;
  /** Shows progress with this title; `done` of the result ends it. */
  readonly startProgress: (title: string) => Promise<WorkDoneProgressReporter>;
}

/**
 * The command that applies a fix in files that are not open. Our own client has it; for other
 * clients, the server has it.
 */
export const APPLY_FIX_COMMAND = 'httpdUpgrade.applyFix';

/** The argument of `APPLY_FIX_COMMAND`. */
export interface RequestedFix {
  readonly uri: string;
  readonly title: string;
  /** The range of the finding. */
  readonly range: Range;
}

/** Milliseconds without a change before the rules run. */
const CHECK_DELAY_MS = 300;
/** The delay after a change in a file longer than `LONG_FILE_LENGTH`, which is in UTF-16 units. */
const LONG_FILE_CHECK_DELAY_MS = 3000;
const LONG_FILE_LENGTH = 2_000_000;
/**
 * If all configurations together have more files than this, a worker thread checks them all,
 * because a check in this thread cannot be interrupted.
 */
const MAX_FILES_IN_THIS_THREAD = 100;
/** Milliseconds after which a running check shows progress. */
const PROGRESS_AFTER_MS = 1000;
/** Limit for the length of a text that is compared with its earlier version, in UTF-16 units. */
const MAX_TEXT_TO_COMPARE = 500_000;

/** The findings of one file, and the text in which they were found. */
interface FileFindings {
  /** The tree in which the findings were found; null if the worker thread has read the file. */
  tree: Tree | null;
  /** If `tree` is null, identifies the text (see `textMarkOf`); otherwise ''. */
  readonly textMark: string;
  readonly findings: readonly PlacedFinding[];
}

/** The findings about whole configurations, kept current. */
export class ConfigurationRules {
  /** The findings by path, with symbolic links resolved. */
  private findingsOfFile = new Map<string, FileFindings>();
  private readonly stampOfFile = new Map<string, number>();
  /**
   * Returns the tree of a file as the last check read it. Null if the check did not read the file.
   * After a check in the worker thread, also null if the file has changed since.
   */
  private checkedTreeOf: (path: string) => Tree | null = () => null;
  /** The files that are not open, as the last check read them. */
  private closedFiles: ReadonlyMap<string, { readonly stamp: string; readonly tree: Tree | null }> = new Map();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isRunning = false;
  private mustRunAgain = false;
  private isStopped = false;
  private workerThread: WorkerThread | null = null;
  /** The trees of open files whose texts the worker thread already has, by path. */
  private sentTrees: ReadonlyMap<string, Tree> = new Map();
  /** The commands of the tasks that the user has done; for a task without a command, its id. */
  private commandsOfDoneTasks: ReadonlySet<string> = new Set();
  private readonly listeners: ((changedPaths: ReadonlySet<string>) => void)[] = [];
  private readonly settledCallbacks: (() => void)[] = [];

  constructor(private readonly options: ConfigurationRulesOptions) {}

  /** Registers a listener; it gets the paths of files whose findings have changed. */
  onFindingsChanged(listener: (changedPaths: ReadonlySet<string>) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Starts a new check after a pause. Call it when the configurations or their files have changed.
   * `changedLength`: the length of the changed file in UTF-16 units; after a change in a long file,
   * the pause is longer.
   */
  scheduleCheck(changedLength = 0): void {
    if (!this.options.host.fileView || !this.options.isTrusted() || this.isStopped) return;
    // The running check uses an outdated configuration.
    this.workerThread?.cancel();
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(
      () => void this.runChecks(),
      changedLength > LONG_FILE_LENGTH ? LONG_FILE_CHECK_DELAY_MS : CHECK_DELAY_MS,
    );
    (this.timer as { unref?: () => void }).unref?.();
  }

  /**
   * Sets which tasks on the server the user has done: their commands, or their ids if they have no
   * command. The problems that these tasks solve are no longer reported.
   */
  setDoneTasks(commands: readonly string[]): void {
    this.commandsOfDoneTasks = new Set(commands);
    this.scheduleCheck();
  }

  /** The commands and ids that `setDoneTasks` got. */
  get doneTasks(): readonly string[] {
    return [...this.commandsOfDoneTasks];
  }

  /** Stops all work. */
  stop(): void {
    this.isStopped = true;
    if (this.timer) clearTimeout(this.timer);
    this.workerThread?.end();
  }

  /** A number that changes whenever the findings of a file change. */
  stampOf(path: string): number {
    return this.stampOfFile.get(path) ?? 0;
  }

  /**
   * All diagnostics of a file: `fileDiagnostics` (from rules about one file), then those about its
   * configuration, up to `limit` in total. A problem that both report is in the result only once.
   */
  allDiagnostics(path: string | null, tree: Tree, fileDiagnostics: readonly Diagnostic[], limit: number): Diagnostic[] {
    const allFindings = path === null ? [] : this.currentFindingsOf(path, tree);
    const findings = withoutCoveredFindings(tree, allFindings, () =>
      fileDiagnostics.map((each) => problemOf(tree, each)),
    );
    if (findings.length === 0) return [...fileDiagnostics];
    const configurationDiagnostics = findings.map((finding) => diagnosticOf(tree, finding));
    return [
      ...withoutDuplicates(fileDiagnostics, configurationDiagnostics),
      ...configurationDiagnostics.slice(0, Math.max(0, limit - fileDiagnostics.length)),
    ];
  }

  /**
   * The fixes for the findings in a range, with all files that they change. A fix is left out if
   * one of these files has changed since the check. A fix that changes files which are not open is
   * a command, because the editor might read and write them in the wrong encoding.
   */
  codeActionsAt(path: string | null, tree: Tree, range: Range): CodeAction[] {
    const { workspace, canWrite } = this.options;
    if (path === null) return [];
    return this.fixesAt(path, tree, range).flatMap(({ finding, fix, isFirst }): CodeAction[] => {
      const changes = this.fileEditsOf(path, fix);
      if (!changes) return [];
      const action: CodeAction = {
        title: fix.title,
        kind: CodeActionKind.QuickFix,
        diagnostics: [diagnosticOf(tree, finding)],
        isPreferred: fix.safety === 'safe' && isFirst ? true : undefined,
      };
      if (!changes.every(({ document }) => document)) {
        if (!canWrite()) return [];
        const fixRequest: RequestedFix = {
          uri: workspace.clientUriOf(path),
          title: fix.title,
          range: tree.rangeAt(finding.start, finding.end),
        };
        return [{ ...action, command: { title: fix.title, command: APPLY_FIX_COMMAND, arguments: [fixRequest] } }];
      }
      const documentChanges = changes.map(({ tree: changedTree, edits, document }) => ({
        textDocument: { uri: document!.uri, version: document!.version },
        edits: textEdits(changedTree, edits),
      }));
      return [{ ...action, edit: { documentChanges } }];
    });
  }

  /**
   * The changes of a fix that the user chose; null if the finding or one of its files has changed.
   */
  changesOfRequestedFix({ title, range }: RequestedFix, path: string, tree: Tree): readonly FileChange[] | null {
    const matchingFix = this.fixesAt(path, tree, range).find(({ fix }) => fix.title === title);
    const changes = matchingFix && this.fileEditsOf(path, matchingFix.fix);
    if (!changes) return null;
    return changes.map(({ file, tree: changedTree, edits }) => {
      const textBefore = changedTree.text();
      return { path: file, before: textBefore, after: applyEdits(textBefore, edits), edits };
    });
  }

  // -------------------------------------------------------------------------------------------------------------------

  /** The findings of a file at their positions in its current text. */
  private currentFindingsOf(path: string, tree: Tree): readonly PlacedFinding[] {
    const fileFindings = this.findingsOfFile.get(path);
    if (!fileFindings) return [];
    if (this.wereFoundIn(fileFindings, tree)) {
      // For an open file, the findings move with its text from now on.
      if (this.options.workspace.isOpen(path)) fileFindings.tree = tree;
      return fileFindings.findings;
    }
    if (fileFindings.tree === null) return [];
    // Comparing a long text takes too long at every key press. So its findings are shown again only
    // after the next check.
    return tree.length > MAX_TEXT_TO_COMPARE ? [] : movedWithText(fileFindings.tree, fileFindings.findings, tree);
  }

  /** Whether the findings of a file were found in exactly the text of `currentTree`. */
  private wereFoundIn({ tree, textMark }: FileFindings, currentTree: Tree): boolean {
    return tree === currentTree || (tree === null && textMark === textMarkOf(currentTree));
  }

  /**
   * The fixes for the findings in a range. `isFirst`: whether it is the first fix of its finding.
   * Empty if the text has changed since the check.
   */
  private fixesAt(path: string, tree: Tree, range: Range): { finding: PlacedFinding; fix: Fix; isFirst: boolean }[] {
    const fileFindings = this.findingsOfFile.get(path);
    if (!fileFindings || !this.wereFoundIn(fileFindings, tree)) return [];
    const rangeStart = tree.offsetAt(range.start);
    const rangeEnd = tree.offsetAt(range.end);
    const findingsInRange = fileFindings.findings.filter(({ start, end }) => start <= rangeEnd && end >= rangeStart);
    // A hint whose fix waits for an answer gets no action here, because a lightbulb on each such
    // line would disturb. The plan asks the question.
    return findingsInRange.flatMap((finding) =>
      finding.fixes
        .map((fix, index) => ({ finding, fix, isFirst: index === 0 }))
        .filter(({ fix }) => finding.severity !== 'hint' || fix.waitsFor === undefined),
    );
  }

  /**
   * The edits of a fix by file. Null if the check did not read one of the files, or if one is known
   * to have changed since.
   */
  private fileEditsOf(
    path: string,
    fix: Fix,
  ): { file: string; tree: Tree; edits: readonly Edit[]; document: ConfigDocument | undefined }[] | null {
    const changes = [];
    for (const [file, edits] of [[path, fix.edits] as const, ...(fix.elsewhere ?? [])]) {
      if (edits.length === 0) continue;
      const document = this.options.documentOf(this.options.workspace.clientUriOf(file));
      const tree = this.checkedTreeOf(file);
      if (!tree || (document && document.tree !== tree)) return null;
      changes.push({ file, tree, edits, document });
    }
    return changes;
  }

  /** Resolves when no check is running or scheduled. */
  untilSettled(): Promise<void> {
    if (!this.timer && !this.isRunning) return Promise.resolve();
    return new Promise((resolve) => this.settledCallbacks.push(resolve));
  }

  /** Runs a check, and further ones if changes arrive during it. Then no check is running. */
  private async runChecks(): Promise<void> {
    this.timer = null;
    if (this.isRunning) {
      this.mustRunAgain = true;
      return;
    }
    this.isRunning = true;
    try {
      do {
        this.mustRunAgain = false;
        await this.check();
      } while (this.mustRunAgain);
    } catch (error) {
      this.options.reportError(error);
    } finally {
      this.isRunning = false;
      if (!this.timer) for (const resolve of this.settledCallbacks.splice(0)) resolve();
    }
  }

  /**
   * Checks all configurations: in a worker thread if they have many files or need many file-system
   * queries.
   */
  private async check(): Promise<void> {
    const { host, workspace, isTrusted } = this.options;
    if (!host.fileView || !isTrusted() || this.isStopped) return;
    if (workspace.models.reduce((sum, { files }) => sum + files.size, 0) > MAX_FILES_IN_THIS_THREAD)
      return this.checkInWorker();
    try {
      await this.checkInThisThread(host.startWorker ? new QueryLimit(MAX_QUERIES) : null);
    } catch (error) {
      if (!(error instanceof TooManyQueries)) throw error;
      await this.checkInWorker();
    }
  }

  /**
   * Checks in this thread. Throws `TooManyQueries` if the check needs more file-system queries than
   * `limit` allows; null: no limit.
   */
  private async checkInThisThread(limit: QueryLimit | null): Promise<void> {
    const { host, workspace, documentOf, settingsOf } = this.options;
    // The files as the check first read them, so that they stay the same during the whole check.
    const treesRead = new Map<string, Tree | null>();
    const currentFiles = host.fileView!((path) => documentOf(workspace.clientUriOf(path))?.tree ?? null);
    const files = limit?.viewWithLimit(currentFiles) ?? currentFiles;
    const closedFilesBefore = this.closedFiles;
    const closedFilesNow = new Map<string, { readonly stamp: string; readonly tree: Tree | null }>();
    const readIfChanged = (path: string): Tree | null => {
      if (workspace.isOpen(path)) return files.read(path);
      const stamp = workspace.stampOf(path);
      const cachedFile = closedFilesBefore.get(path);
      const file = cachedFile?.stamp === stamp ? cachedFile : { stamp, tree: files.read(path) };
      closedFilesNow.set(path, file);
      return file.tree;
    };
    const view: FileView = {
      ...files,
      read(path) {
        const realPath = files.realPath(path);
        let tree = treesRead.get(realPath);
        if (tree === undefined) treesRead.set(realPath, (tree = readIfChanged(realPath)));
        return tree;
      },
    };
    const findingsOfFile = new Map<string, FileFindings>();
    for (const { mainFile, pathMap, serverRoot } of workspace.models) {
      const { engine, server } = await settingsOf(workspace.clientUriOf(mainFile));
      const serverSettings = serverWithFoundPaths(server, { pathMap, serverRoot });
      for (const [path, findings] of configurationFindings({ mainFile, view, engine, server: serverSettings })) {
        const tree = view.read(path);
        if (tree && !findingsOfFile.has(path)) findingsOfFile.set(path, { tree, textMark: '', findings });
      }
    }
    this.closedFiles = closedFilesNow;
    this.checkedTreeOf = (path) => treesRead.get(path) ?? null;
    await this.storeFindings(findingsOfFile);
  }

  /**
   * Checks the configurations in a worker thread. Results of a cancelled check are dropped, because
   * another check follows.
   */
  private async checkInWorker(): Promise<void> {
    const { host, workspace, settingsOf, scheduler } = this.options;
    if (!host.startWorker) return;
    const roots: CheckedRoot[] = [];
    for (const { mainFile, pathMap, serverRoot } of workspace.models) {
      const { engine, server } = await settingsOf(workspace.clientUriOf(mainFile));
      const { rules: _, onFailure: __, ...options } = engine.options;
      roots.push({ root: mainFile, server: serverWithFoundPaths(server, { pathMap, serverRoot }), engine: options });
    }
    if (this.workerThread === null || this.workerThread.isEnded) {
      this.workerThread = host.startWorker();
      this.sentTrees = new Map();
    }
    const openTreesByPath = workspace.openTrees();
    const treesSentBefore = this.sentTrees;
    this.sentTrees = openTreesByPath;
    this.closedFiles = new Map();
    const checkRequest: CheckRequest = {
      roots,
      readableFolders: this.options.readableFolders(),
      openTexts: new Map(
        [...openTreesByPath].map(([path, tree]) => [path, treesSentBefore.get(path) === tree ? null : tree.text()]),
      ),
    };
    const receivedFiles: SentFileFindings[] = [];
    const progress = this.showProgress([...workspace.models].reduce((sum, { files }) => sum + files.size, 0));
    try {
      const isCheckComplete = await this.workerThread.ask(checkRequest, (part) => {
        const reply = part as CheckReplyPart;
        if ('readFileCount' in reply) progress.showFilesRead(reply.readFileCount);
        else if ('ruleFailure' in reply) {
          const { rule, message, stack } = reply.ruleFailure;
          this.options.onRuleFailure(rule, Object.assign(new Error(message), { stack }));
        } else for (const file of reply.filesWithFindings) receivedFiles.push(file);
      });
      if (!isCheckComplete || this.isStopped) return;
    } finally {
      progress.end();
    }
    const findingsOfFile = new Map<string, FileFindings>();
    const textMarksByPath = new Map<string, string>();
    for (const { path, textMark, findings } of receivedFiles) {
      if (scheduler.isSliceOver) await scheduler.pause();
      textMarksByPath.set(path, textMark);
      const tree = openTreesByPath.get(path) ?? null;
      if (findings.length > 0)
        findingsOfFile.set(path, { tree, textMark: tree ? '' : textMark, findings: findings.flatMap(findingsFrom) });
    }
    const files = host.fileView!((path) => this.options.documentOf(workspace.clientUriOf(path))?.tree ?? null);
    this.checkedTreeOf = (path) => {
      const tree = files.read(path);
      return tree && (openTreesByPath.get(path) === tree || textMarksByPath.get(path) === textMarkOf(tree))
        ? tree
        : null;
    };
    await this.storeFindings(findingsOfFile);
  }

  /**
   * Shows progress if the check takes long. Returns functions that update the number of files read,
   * and that end the progress. `total`: the number of files to read.
   */
  private showProgress(total: number): { showFilesRead(filesRead: number): void; end(): void } {
    let reporter: Promise<WorkDoneProgressReporter> | null = null;
    const timer = setTimeout(
      () => (reporter = this.options.startProgress('Checking httpd configurations as a whole')),
      PROGRESS_AFTER_MS,
    );
    const withReporter = (callback: (to: WorkDoneProgressReporter) => void) =>
      void reporter?.then(callback, () => undefined);
    return {
      showFilesRead: (files) =>
        withReporter((to) =>
          to.report(Math.min(99, Math.round((files * 100) / total)), `${files} of ${total} files read`),
        ),
      end() {
        clearTimeout(timer);
        withReporter((to) => to.done());
      },
    };
  }

  /**
   * Stores the findings of a check, without those that a done task solves, and notifies listeners
   * of the files whose findings have changed.
   */
  private async storeFindings(checkedFiles: ReadonlyMap<string, FileFindings>): Promise<void> {
    const { scheduler } = this.options;
    const isUnsolved = ({ run }: PlacedFinding) =>
      run === undefined || !run.split('\n').every((command) => this.commandsOfDoneTasks.has(command));
    const findingsOfFile = new Map(
      [...checkedFiles].map(([path, each]): [string, FileFindings] => [
        path,
        { ...each, findings: each.findings.filter(isUnsolved) },
      ]),
    );
    const findingsBefore = this.findingsOfFile;
    const changedPaths = new Set<string>();
    for (const path of new Set([...findingsBefore.keys(), ...findingsOfFile.keys()])) {
      if (scheduler.isSliceOver) await scheduler.pause();
      const newFindings = findingsOfFile.get(path);
      if (
        keyOfShownFindings(lastShownFindings(findingsBefore.get(path), newFindings)) !==
        keyOfShownFindings(newFindings?.findings ?? [])
      )
        changedPaths.add(path);
    }
    this.findingsOfFile = findingsOfFile;
    for (const path of changedPaths) this.stampOfFile.set(path, this.stampOf(path) + 1);
    if (changedPaths.size > 0) for (const listener of this.listeners) listener(changedPaths);
  }
}

/** The problem that a diagnostic of this program reports. `tree` is the file with the problem. */
function problemOf(tree: Tree, { code, data, range }: Diagnostic): ReportedProblem {
  const { consequence } = (data ?? {}) as Pick<ReportedProblem, 'consequence'>;
  return { rule: String(code), consequence, start: tree.offsetAt(range.start) };
}

/**
 * The user's settings about the server, with the path map and the ServerRoot that the walk found.
 * The ServerRoot is left out if no setting names one.
 */
export function serverWithFoundPaths(
  server: ServerSettings,
  { pathMap, serverRoot }: Pick<Model, 'pathMap' | 'serverRoot'>,
): ServerSettings {
  return {
    ...server,
    pathMap: pathMap.entries.length > 0 ? pathMap : undefined,
    serverRoot: server.serverRoot === undefined ? undefined : serverRoot,
  };
}

/**
 * The findings of the previous check, at their positions in the text of the new check: the client
 * shows them there now.
 */
function lastShownFindings(
  findingsBefore: FileFindings | undefined,
  newFindings: FileFindings | undefined,
): readonly PlacedFinding[] {
  if (!findingsBefore?.tree || !newFindings?.tree || findingsBefore.tree === newFindings.tree)
    return findingsBefore?.findings ?? [];
  return newFindings.tree.length > MAX_TEXT_TO_COMPARE
    ? []
    : movedWithText(findingsBefore.tree, findingsBefore.findings, newFindings.tree);
}

/** Returns a text that is equal for lists of findings that the client shows alike. */
function keyOfShownFindings(findings: readonly PlacedFinding[]): string {
  return JSON.stringify(
    findings.map(({ rule, start, end, severity, message, fixes }) => [
      rule.id,
      start,
      end,
      severity,
      message,
      fixes.length,
    ]),
  );
}

/**
 * Moves findings to their positions in a text that has changed in one place. Findings inside the
 * change are left out.
 */
function movedWithText(treeBefore: Tree, findings: readonly PlacedFinding[], newTree: Tree): readonly PlacedFinding[] {
  const oldText = treeBefore.text();
  const newText = newTree.text();
  if (oldText === newText) return findings;
  const shorterLength = Math.min(oldText.length, newText.length);
  let samePrefixLength = 0;
  while (
    samePrefixLength < shorterLength &&
    oldText.charCodeAt(samePrefixLength) === newText.charCodeAt(samePrefixLength)
  )
    samePrefixLength++;
  // An inserted line may begin like the line after it. Comparing from the start of the line keeps
  // the findings of the following lines.
  const lineStart = samePrefixLength === 0 ? 0 : oldText.lastIndexOf('\n', samePrefixLength - 1) + 1;
  let sameSuffixLength = 0;
  while (
    sameSuffixLength < shorterLength - lineStart &&
    oldText.charCodeAt(oldText.length - 1 - sameSuffixLength) ===
      newText.charCodeAt(newText.length - 1 - sameSuffixLength)
  )
    sameSuffixLength++;
  return findings.flatMap((finding) => {
    if (finding.end <= samePrefixLength) return [finding];
    return finding.start >= oldText.length - sameSuffixLength ? [finding.movedBy(newText.length - oldText.length)] : [];
  });
}
