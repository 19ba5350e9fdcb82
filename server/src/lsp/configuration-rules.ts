/**
 * Findings of rules about whole configurations, kept in addition to the findings of each file:
 * computed when the user pauses, and never while a request waits. Large configurations are checked
 * in a thread (lsp/worker-protocol.ts). In a file that has changed since, findings outside of the
 * change are shown at their new positions.
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
import { uncovered, type ReportedProblem } from '../features/covered-findings';
import { textEdits } from '../features/convert';
import { diagnosticOf } from '../features/diagnostics';
import type { WorkerThread, Host } from '../host/host';
import type { ReadableFolders } from '../host/within';
import type { Edit, Fix } from '../rules/rule';
import type { ConfigDocument, Tree } from '../syntax/document';
import {
  markOf,
  received,
  type Look,
  type CheckedRoot,
  type LookPart,
  type SentFailure,
  type SentFile,
} from './worker-protocol';
import type { Settings } from './settings';
import type { Turns } from './scheduler';
import type { Workspace } from './workspace';

export interface ConfigurationRulesOptions {
  readonly host: Host;
  readonly workspace: Workspace;
  readonly isTrusted: () => boolean;
  /** Whether files that are not open can be changed. */
  readonly canWrite: () => boolean;
  /** The folders to which reading is restricted. */
  readonly within: () => ReadableFolders;
  readonly document: (uri: string) => ConfigDocument | undefined;
  readonly settingsOf: (uri: string) => Promise<Settings>;
  readonly report: (error: unknown) => void;
  /** Called for a rule that threw. */
  readonly failed: (rule: string, error: Error) => void;
  readonly turns: Turns;
  /** Starts a progress display; `done` ends it. */
  readonly progress: (title: string) => Promise<WorkDoneProgressReporter>;
}

/**
 * A command of our own client and, for other clients, of the server: a fix that changes files which
 * are not open.
 */
export const APPLY_FIX_COMMAND = 'httpdUpgrade.applyFix';

/** The argument of the command. */
export interface AskedFix {
  readonly uri: string;
  readonly title: string;
  /** The range of the finding. */
  readonly range: Range;
}

/** Milliseconds without typing before the rules run. */
const PAUSE_MS = 300;
/** The pause for a long file (in UTF-16 units). */
const LONG_PAUSE_MS = 3000;
const LONG_FILE = 2_000_000;
/** A check reads a whole configuration at once: larger ones are checked in a thread. */
const MOST_FILES = 100;
/** Milliseconds after which a check shows progress. */
const PROGRESS_AFTER_MS = 1000;
/** Limit for texts that are compared with their earlier versions. */
const MOST_TO_COMPARE = 500_000;

interface FileFindings {
  /** The tree that the findings are of; null if the thread read the file. */
  tree: Tree | null;
  /** Identifies its text, see markOf; '' if the tree is known. */
  readonly mark: string;
  readonly findings: readonly PlacedFinding[];
}

export class ConfigurationRules {
  /** By (paths have symbolic links resolved). */
  private findingsOfFile = new Map<string, FileFindings>();
  private readonly stamps = new Map<string, number>();
  private trees: (path: string) => Tree | null = () => null;
  /** Files that are not open, as the last check read them. */
  private closedFiles: ReadonlyMap<string, { readonly stamp: string; readonly tree: Tree | null }> = new Map();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isRunning = false;
  private mustRunAgain = false;
  private isStopped = false;
  private apart: WorkerThread | null = null;
  /** The open files that the thread has. */
  private sent: ReadonlyMap<string, Tree> = new Map();
  private ran: ReadonlySet<string> = new Set();
  private readonly listeners: ((changed: ReadonlySet<string>) => void)[] = [];
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly options: ConfigurationRulesOptions) {}

  /** Calls the listener with the paths of files whose findings have changed. */
  onChanged(listener: (changed: ReadonlySet<string>) => void): void {
    this.listeners.push(listener);
  }

  /** Call when the configurations or their files have changed. */
  changed(length = 0): void {
    if (!this.options.host.fileView || !this.options.isTrusted() || this.isStopped) return;
    // The running check is of an outdated configuration.
    this.apart?.cancel();
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.run(), length > LONG_FILE ? LONG_PAUSE_MS : PAUSE_MS);
    (this.timer as { unref?: () => void }).unref?.();
  }

  /**
   * Sets the commands that the user has run on the server, and the ids of done steps without a
   * command: the problems that they solve are not reported any more.
   */
  setRan(commands: readonly string[]): void {
    this.ran = new Set(commands);
    this.changed();
  }

  /** The commands of tasks that the user has ticked off, and the ids of those without a command. */
  get commandsRun(): readonly string[] {
    return [...this.ran];
  }

  /** Stops all work. */
  stop(): void {
    this.isStopped = true;
    if (this.timer) clearTimeout(this.timer);
    this.apart?.end();
  }

  /** Changes when the findings of a file change. */
  stampOf(path: string): number {
    return this.stamps.get(path) ?? 0;
  }

  /** The file's diagnostics together with those of its configuration. */
  together(path: string | null, tree: Tree, fileDiagnostics: readonly Diagnostic[], limit: number): Diagnostic[] {
    const allFindings = path === null ? [] : this.findingsIn(path, tree);
    const findings = uncovered(tree, allFindings, () => fileDiagnostics.map((each) => problemOfDiagnostic(tree, each)));
    if (findings.length === 0) return [...fileDiagnostics];
    const configurationDiagnostics = findings.map((finding) => diagnosticOf(tree, finding));
    return [
      ...notReportedTwice(fileDiagnostics, configurationDiagnostics),
      ...configurationDiagnostics.slice(0, Math.max(0, limit - fileDiagnostics.length)),
    ];
  }

  /**
   * The fixes of the findings in a range, in all files that they need; none if one of these has
   * changed since the check. A fix for files that are not open is a command, because the editor
   * might read and write them in the wrong encoding.
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

  /** The changes of such a command; null if the finding or one of its files has changed. */
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
      // From here on its findings are moved with the text.
      if (this.options.workspace.isOpen(path)) fileFindings.tree = tree;
      return fileFindings.findings;
    }
    if (fileFindings.tree === null) return [];
    // Finding them again in a long text takes too long for a keystroke: they come back with the
    // next check.
    return tree.length > MOST_TO_COMPARE ? [] : moved(fileFindings.tree, fileFindings.findings, tree);
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
    // The plan asks the questions of hints. A lightbulb on each line with a hint would be in the
    // way.
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

  /** Resolves when no check is pending. */
  settled(): Promise<void> {
    if (!this.timer && !this.isRunning) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
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
      if (!this.timer) for (const resolve of this.waiting.splice(0)) resolve();
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

  /** A check in this thread, which must not keep the user waiting. */
  private async lookHere(limit: QueryLimit | null): Promise<void> {
    const { host, workspace, document, settingsOf } = this.options;
    // Trees at the time they were read, the same for the whole check.
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
   * Checks the configurations in a thread. Results of a cancelled check are not shown: another one
   * follows.
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
    if (this.apart === null || this.apart.isEnded) {
      this.apart = host.startWorker();
      this.sent = new Map();
    }
    const open = workspace.openTrees();
    const before = this.sent;
    this.sent = open;
    this.closedFiles = new Map();
    const look: Look = {
      roots,
      within: this.options.within(),
      open: new Map([...open].map(([path, tree]) => [path, before.get(path) === tree ? null : tree.text()])),
    };
    const parts: SentFile[] = [];
    const showing = this.showProgress([...workspace.models].reduce((sum, { files }) => sum + files.size, 0));
    try {
      const isWhole = await this.apart.ask(look, (part) => {
        const { files, found, failed } = part as {
          files?: number;
          found?: readonly SentFile[];
          failed?: SentFailure;
        } & LookPart;
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
        findingsOfFile.set(path, { tree, mark: tree ? '' : mark, findings: findings.flatMap(received) });
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
      run === undefined || !run.split('\n').every((command) => this.ran.has(command));
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

/** The user's settings for the server, with the paths that the walk found. */
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

/** The earlier findings, as they were last shown. */
function lastShown(before: FileFindings | undefined, newFindings: FileFindings | undefined): readonly PlacedFinding[] {
  if (!before?.tree || !newFindings?.tree || before.tree === newFindings.tree) return before?.findings ?? [];
  return newFindings.tree.length > MOST_TO_COMPARE ? [] : moved(before.tree, before.findings, newFindings.tree);
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
 * The findings at their positions in a text that has changed in one place; findings inside the
 * change are removed.
 */
function moved(before: Tree, findings: readonly PlacedFinding[], newTree: Tree): readonly PlacedFinding[] {
  const oldText = before.text();
  const text = newTree.text();
  if (oldText === text) return findings;
  const most = Math.min(oldText.length, text.length);
  let prefix = 0;
  while (prefix < most && oldText.charCodeAt(prefix) === text.charCodeAt(prefix)) prefix++;
  // An inserted line may begin like the next one: lines after the change keep their findings.
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
