/**
 * Runs the rules about whole configurations and keeps their findings. Runs when the user pauses,
 * and never while a request waits. Large configurations are checked in a thread
 * (lsp/worker-protocol.ts). If a file has changed since, its findings move with the text; those
 * inside the change are not shown.
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
import { configurationFindings, notReportedTwice } from '../features/configuration-findings';
import type { FileChange } from '../features/conversion';
import { withoutCovered, type ReportedProblem } from '../features/covered-findings';
import { textEdits } from '../features/convert';
import { diagnosticOf } from '../features/diagnostics';
import type { WorkerThread, Host } from '../host/host';
import type { ReadableFolders } from '../host/within';
import type { Edit, Fix } from '../rules/rule';
import type { ConfigDocument, Tree } from '../syntax/document';
import {
  markOf,
  receivedFindings,
  type CheckRequest,
  type CheckedRoot,
  type CheckReply,
  type SentFailure,
  type SentFile,
} from './worker-protocol';
import type { Settings } from './settings';
import type { Scheduler } from './scheduler';
import type { Workspace } from './workspace';

export interface ConfigurationRulesOptions {
  readonly host: Host;
  readonly workspace: Workspace;
  readonly isTrusted: () => boolean;
  /** Whether files that are not open can be changed. */
  readonly canWrite: () => boolean;
  /** The folders that may be read. */
  readonly within: () => ReadableFolders;
  readonly document: (uri: string) => ConfigDocument | undefined;
  readonly settingsOf: (uri: string) => Promise<Settings>;
  readonly report: (error: unknown) => void;
  /** Called with the id of a rule that threw. */
  readonly failed: (rule: string, error: Error) => void;
  readonly turns: Scheduler;
  /** Shows progress with this title; `done` of the result ends it. */
  readonly progress: (title: string) => Promise<WorkDoneProgressReporter>;
}

/**
 * The command that applies a fix in files that are not open; our own client and, for other clients,
 * the server have it.
 */
export const APPLY_FIX_COMMAND = 'httpdUpgrade.applyFix';

/** The argument of `APPLY_FIX_COMMAND`. */
export interface AskedFix {
  readonly uri: string;
  readonly title: string;
  /** The range of the finding. */
  readonly range: Range;
}

/** Milliseconds without a change before the rules run. */
const PAUSE_MS = 300;
/** The same for files longer than `LONG_FILE` (in UTF-16 units). */
const LONG_PAUSE_MS = 3000;
const LONG_FILE = 2_000_000;
/**
 * Limit for the files of a configuration that is checked in this thread, because a check cannot be
 * interrupted. Larger ones are checked in a thread of their own.
 */
const MOST_FILES = 100;
/** Milliseconds after which a running check shows progress. */
const PROGRESS_AFTER_MS = 1000;
/** Limit in UTF-16 units for a text that is compared with its earlier version. */
const MAX_TEXT_TO_COMPARE = 500_000;

interface FileFindings {
  /** The tree in which the findings were found; null if the thread read the file. */
  tree: Tree | null;
  /** If `tree` is null, identifies the text (see `markOf`); otherwise ''. */
  readonly mark: string;
  readonly findings: readonly PlacedFinding[];
}

export class ConfigurationRules {
  /** The findings by path, with symbolic links resolved. */
  private findingsOfFile = new Map<string, FileFindings>();
  private readonly stamps = new Map<string, number>();
  private trees: (path: string) => Tree | null = () => null;
  /** The files that are not open, as the last check read them. */
  private closedFiles: ReadonlyMap<string, { readonly stamp: string; readonly tree: Tree | null }> = new Map();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isRunning = false;
  private mustRunAgain = false;
  private isStopped = false;
  private workerThread: WorkerThread | null = null;
  /** The open files whose texts the thread already has. */
  private sentFiles: ReadonlyMap<string, Tree> = new Map();
  private commandsAndIdsDone: ReadonlySet<string> = new Set();
  private readonly listeners: ((changed: ReadonlySet<string>) => void)[] = [];
  private readonly settledCallbacks: (() => void)[] = [];

  constructor(private readonly options: ConfigurationRulesOptions) {}

  /** Registers a listener; it gets the paths of files whose findings have changed. */
  onChanged(listener: (changed: ReadonlySet<string>) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Starts a new check after a pause. Call it when the configurations or their files have changed;
   * `length` is that of the changed file in UTF-16 units.
   */
  changed(length = 0): void {
    if (!this.options.host.fileView || !this.options.isTrusted() || this.isStopped) return;
    // The running check is of a configuration that is outdated now.
    this.workerThread?.cancel();
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.run(), length > LONG_FILE ? LONG_PAUSE_MS : PAUSE_MS);
    (this.timer as { unref?: () => void }).unref?.();
  }

  /**
   * Sets the commands that the user has run on the server, and the ids of done tasks that have no
   * command. The problems that these solve are not reported any more.
   */
  setRan(commands: readonly string[]): void {
    this.commandsAndIdsDone = new Set(commands);
    this.changed();
  }

  /** The commands and ids that `setRan` got. */
  get commandsRun(): readonly string[] {
    return [...this.commandsAndIdsDone];
  }

  /** Stops all work. */
  stop(): void {
    this.isStopped = true;
    if (this.timer) clearTimeout(this.timer);
    this.workerThread?.end();
  }

  /** A number that changes whenever the findings of a file change. */
  stampOf(path: string): number {
    return this.stamps.get(path) ?? 0;
  }

  /** The file's own diagnostics together with those about its configuration; at most `limit`. */
  together(path: string | null, tree: Tree, fileDiagnostics: readonly Diagnostic[], limit: number): Diagnostic[] {
    const allFindings = path === null ? [] : this.findingsIn(path, tree);
    const findings = withoutCovered(tree, allFindings, () =>
      fileDiagnostics.map((each) => problemOfDiagnostic(tree, each)),
    );
    if (findings.length === 0) return [...fileDiagnostics];
    const configurationDiagnostics = findings.map((finding) => diagnosticOf(tree, finding));
    return [
      ...notReportedTwice(fileDiagnostics, configurationDiagnostics),
      ...configurationDiagnostics.slice(0, Math.max(0, limit - fileDiagnostics.length)),
    ];
  }

  /**
   * The fixes for the findings in a range, with all files that they change. None if one of these
   * files has changed since the check. A fix that changes files which are not open is a command,
   * because the editor might read and write them in the wrong encoding.
   */
  actions(path: string | null, tree: Tree, range: Range): CodeAction[] {
    const { workspace, canWrite } = this.options;
    if (path === null) return [];
    return this.fixesAt(path, tree, range).flatMap(({ finding, fix, isFirst }): CodeAction[] => {
      const changes = this.changesOf(path, fix);
      if (!changes) return [];
      const action: CodeAction = {
        title: fix.title,
        kind: CodeActionKind.QuickFix,
        diagnostics: [diagnosticOf(tree, finding)],
        isPreferred: fix.safety === 'safe' && isFirst ? true : undefined,
      };
      if (!changes.every(({ document }) => document)) {
        if (!canWrite()) return [];
        const fixRequest: AskedFix = {
          uri: workspace.uriFor(path),
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
  asked({ title, range }: AskedFix, path: string, tree: Tree): readonly FileChange[] | null {
    const placedFix = this.fixesAt(path, tree, range).find(({ fix }) => fix.title === title);
    const changes = placedFix && this.changesOf(path, placedFix.fix);
    if (!changes) return null;
    return changes.map(({ file, tree: changedTree, edits }) => {
      const before = changedTree.text();
      return { path: file, before, after: applyEdits(before, edits), edits };
    });
  }

  // -------------------------------------------------------------------------------------------------------------------

  private findingsIn(path: string, tree: Tree): readonly PlacedFinding[] {
    const fileFindings = this.findingsOfFile.get(path);
    if (!fileFindings) return [];
    if (this.isOf(fileFindings, tree)) {
      // From now on, the findings move with the text.
      if (this.options.workspace.isOpen(path)) fileFindings.tree = tree;
      return fileFindings.findings;
    }
    if (fileFindings.tree === null) return [];
    // Comparing a long text takes too long at every key press. Its findings are back after the next
    // check.
    return tree.length > MAX_TEXT_TO_COMPARE ? [] : movedWithText(fileFindings.tree, fileFindings.findings, tree);
  }

  private isOf({ tree, mark }: FileFindings, now: Tree): boolean {
    return tree === now || (tree === null && mark === markOf(now));
  }

  private fixesAt(path: string, tree: Tree, range: Range): { finding: PlacedFinding; fix: Fix; isFirst: boolean }[] {
    const fileFindings = this.findingsOfFile.get(path);
    if (!fileFindings || !this.isOf(fileFindings, tree)) return [];
    const from = tree.offsetAt(range.start);
    const to = tree.offsetAt(range.end);
    const findingsInRange = fileFindings.findings.filter(({ start, end }) => start <= to && end >= from);
    // The plan asks about hints. A lightbulb on each line with a hint would disturb.
    return findingsInRange.flatMap((finding) =>
      finding.fixes
        .map((fix, index) => ({ finding, fix, isFirst: index === 0 }))
        .filter(({ fix }) => finding.severity !== 'hint' || fix.waitsFor === undefined),
    );
  }

  private changesOf(
    path: string,
    fix: Fix,
  ): { file: string; tree: Tree; edits: readonly Edit[]; document: ConfigDocument | undefined }[] | null {
    const changes = [];
    for (const [file, edits] of [[path, fix.edits] as const, ...(fix.elsewhere ?? [])]) {
      if (edits.length === 0) continue;
      const document = this.options.document(this.options.workspace.uriFor(file));
      const tree = this.trees(file);
      if (!tree || (document && document.tree !== tree)) return null;
      changes.push({ file, tree, edits, document });
    }
    return changes;
  }

  /** Resolves when no check is running or pending. */
  settled(): Promise<void> {
    if (!this.timer && !this.isRunning) return Promise.resolve();
    return new Promise((resolve) => this.settledCallbacks.push(resolve));
  }

  private async run(): Promise<void> {
    this.timer = null;
    if (this.isRunning) {
      this.mustRunAgain = true;
      return;
    }
    this.isRunning = true;
    try {
      do {
        this.mustRunAgain = false;
        await this.look();
      } while (this.mustRunAgain);
    } catch (error) {
      this.options.report(error);
    } finally {
      this.isRunning = false;
      if (!this.timer) for (const resolve of this.settledCallbacks.splice(0)) resolve();
    }
  }

  private async look(): Promise<void> {
    const { host, workspace, isTrusted } = this.options;
    if (!host.fileView || !isTrusted() || this.isStopped) return;
    if (workspace.models.reduce((sum, { files }) => sum + files.size, 0) > MOST_FILES) return this.lookApart();
    try {
      await this.lookHere(host.startWorker ? new QueryLimit(MAX_QUERIES) : null);
    } catch (error) {
      if (!(error instanceof TooManyQueries)) throw error;
      await this.lookApart();
    }
  }

  /**
   * Checks in this thread. With a limit for file-system queries, so that the user does not wait.
   */
  private async lookHere(limit: QueryLimit | null): Promise<void> {
    const { host, workspace, document, settingsOf } = this.options;
    // The trees as the check first read them: the same during the whole check.
    const openTrees = new Map<string, Tree | null>();
    const onDisk = host.fileView!((path) => document(workspace.uriFor(path))?.tree ?? null);
    const files = limit?.of(onDisk) ?? onDisk;
    const before = this.closedFiles;
    const readFiles = new Map<string, { readonly stamp: string; readonly tree: Tree | null }>();
    const readAgain = (name: string): Tree | null => {
      if (workspace.isOpen(name)) return files.read(name);
      const stamp = workspace.stampOf(name);
      const cached = before.get(name);
      const file = cached?.stamp === stamp ? cached : { stamp, tree: files.read(name) };
      readFiles.set(name, file);
      return file.tree;
    };
    const view: FileView = {
      ...files,
      read(path) {
        const name = files.identity(path);
        let tree = openTrees.get(name);
        if (tree === undefined) openTrees.set(name, (tree = readAgain(name)));
        return tree;
      },
    };
    const findingsOfFile = new Map<string, FileFindings>();
    for (const { root, map, serverRoot } of workspace.models) {
      const { engine, server } = await settingsOf(workspace.uriFor(root));
      const serverSettings = givenServer(server, { map, serverRoot });
      for (const [path, findings] of configurationFindings({ root, view, engine, server: serverSettings })) {
        const tree = view.read(path);
        if (tree && !findingsOfFile.has(path)) findingsOfFile.set(path, { tree, mark: '', findings });
      }
    }
    this.closedFiles = readFiles;
    this.trees = (path) => openTrees.get(path) ?? null;
    await this.take(findingsOfFile);
  }

  /**
   * Checks the configurations in another thread. Results of a cancelled check are not used: another
   * check follows.
   */
  private async lookApart(): Promise<void> {
    const { host, workspace, settingsOf, turns } = this.options;
    if (!host.startWorker) return;
    const roots: CheckedRoot[] = [];
    for (const { root, map, serverRoot } of workspace.models) {
      const { engine, server } = await settingsOf(workspace.uriFor(root));
      const { rules: _, onFailure: __, ...options } = engine.options;
      roots.push({ root, server: givenServer(server, { map, serverRoot }), engine: options });
    }
    if (this.workerThread === null || this.workerThread.isEnded) {
      this.workerThread = host.startWorker();
      this.sentFiles = new Map();
    }
    const open = workspace.openTrees();
    const before = this.sentFiles;
    this.sentFiles = open;
    this.closedFiles = new Map();
    const look: CheckRequest = {
      roots,
      within: this.options.within(),
      open: new Map([...open].map(([path, tree]) => [path, before.get(path) === tree ? null : tree.text()])),
    };
    const parts: SentFile[] = [];
    const showing = this.showProgress([...workspace.models].reduce((sum, { files }) => sum + files.size, 0));
    try {
      const isWhole = await this.workerThread.ask(look, (part) => {
        const { files, found, failed } = part as {
          files?: number;
          found?: readonly SentFile[];
          failed?: SentFailure;
        } & CheckReply;
        if (files !== undefined) showing.read(files);
        if (failed) this.options.failed(failed.rule, Object.assign(new Error(failed.message), { stack: failed.stack }));
        for (const part of found ?? []) parts.push(part);
      });
      if (!isWhole || this.isStopped) return;
    } finally {
      showing.end();
    }
    const findingsOfFile = new Map<string, FileFindings>();
    const marks = new Map<string, string>();
    for (const { path, mark, findings } of parts) {
      if (turns.isOver) await turns.pause();
      marks.set(path, mark);
      const tree = open.get(path) ?? null;
      if (findings.length > 0)
        findingsOfFile.set(path, { tree, mark: tree ? '' : mark, findings: findings.flatMap(receivedFindings) });
    }
    const files = host.fileView!((path) => this.options.document(workspace.uriFor(path))?.tree ?? null);
    this.trees = (path) => {
      const tree = files.read(path);
      return tree && (open.get(path) === tree || marks.get(path) === markOf(tree)) ? tree : null;
    };
    await this.take(findingsOfFile);
  }

  private showProgress(total: number): { read(files: number): void; end(): void } {
    let reporter: Promise<WorkDoneProgressReporter> | null = null;
    const timer = setTimeout(
      () => (reporter = this.options.progress('Checking httpd configurations as a whole')),
      PROGRESS_AFTER_MS,
    );
    const tell = (callback: (to: WorkDoneProgressReporter) => void) => void reporter?.then(callback, () => undefined);
    return {
      read: (files) =>
        tell((to) => to.report(Math.min(99, Math.round((files * 100) / total)), `${files} of ${total} files read`)),
      end() {
        clearTimeout(timer);
        tell((to) => to.done());
      },
    };
  }

  private async take(all: ReadonlyMap<string, FileFindings>): Promise<void> {
    const { turns } = this.options;
    const isLeft = ({ run }: PlacedFinding) =>
      run === undefined || !run.split('\n').every((command) => this.commandsAndIdsDone.has(command));
    const findingsOfFile = new Map(
      [...all].map(([path, each]): [string, FileFindings] => [
        path,
        { ...each, findings: each.findings.filter(isLeft) },
      ]),
    );
    const before = this.findingsOfFile;
    const changed = new Set<string>();
    for (const path of new Set([...before.keys(), ...findingsOfFile.keys()])) {
      if (turns.isOver) await turns.pause();
      const newFindings = findingsOfFile.get(path);
      if (asText(lastShown(before.get(path), newFindings)) !== asText(newFindings?.findings ?? [])) changed.add(path);
    }
    this.findingsOfFile = findingsOfFile;
    for (const path of changed) this.stamps.set(path, this.stampOf(path) + 1);
    if (changed.size > 0) for (const listener of this.listeners) listener(changed);
  }
}

function problemOfDiagnostic(tree: Tree, { code, data, range }: Diagnostic): ReportedProblem {
  const { consequence } = (data ?? {}) as Pick<ReportedProblem, 'consequence'>;
  return { rule: String(code), consequence, start: tree.offsetAt(range.start) };
}

/**
 * The server as the user's settings describe it, with the path map and ServerRoot that the walk
 * found.
 */
export function givenServer(
  server: ServerSettings,
  { map, serverRoot }: Pick<Model, 'map' | 'serverRoot'>,
): ServerSettings {
  return {
    ...server,
    map: map.entries.length > 0 ? map : undefined,
    serverRoot: server.serverRoot === undefined ? undefined : serverRoot,
  };
}

/** The earlier findings of a file, as they were last shown. */
function lastShown(before: FileFindings | undefined, newFindings: FileFindings | undefined): readonly PlacedFinding[] {
  if (!before?.tree || !newFindings?.tree || before.tree === newFindings.tree) return before?.findings ?? [];
  return newFindings.tree.length > MAX_TEXT_TO_COMPARE
    ? []
    : movedWithText(before.tree, before.findings, newFindings.tree);
}

function asText(findings: readonly PlacedFinding[]): string {
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
function movedWithText(before: Tree, findings: readonly PlacedFinding[], newTree: Tree): readonly PlacedFinding[] {
  const oldText = before.text();
  const text = newTree.text();
  if (oldText === text) return findings;
  const most = Math.min(oldText.length, text.length);
  let prefix = 0;
  while (prefix < most && oldText.charCodeAt(prefix) === text.charCodeAt(prefix)) prefix++;
  // An inserted line may begin like the line after it. Comparing from the start of the line keeps
  // the findings after the change.
  const lineStart = prefix === 0 ? 0 : oldText.lastIndexOf('\n', prefix - 1) + 1;
  let suffix = 0;
  while (
    suffix < most - lineStart &&
    oldText.charCodeAt(oldText.length - 1 - suffix) === text.charCodeAt(text.length - 1 - suffix)
  )
    suffix++;
  return findings.flatMap((finding) => {
    if (finding.end <= prefix) return [finding];
    return finding.start >= oldText.length - suffix ? [finding.movedBy(text.length - oldText.length)] : [];
  });
}
