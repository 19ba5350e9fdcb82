/**
 * The messages between the language server and the worker thread that checks whole configurations.
 * They consist of values that can be copied between threads. The thread reads files itself; the
 * text of an open file is sent once, until it changes.
 */
import { Engine, PlacedFinding, type EngineOptions } from '../analysis/engine';
import type { FileView } from '../config/files';
import type { ServerSettings } from '../config/model';
import { restrictedView, type ReadableFolders } from '../host/within';
import { configurationFindings } from '../features/configuration-findings';
import { ALL_RULES } from '../rules/all';
import type { Finding, Severity } from '../rules/rule';
import { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';

/** A request to the worker thread: the configurations to check, and the texts of open files. */
export interface CheckRequest {
  readonly roots: readonly CheckedRoot[];
  /**
   * The texts of open files by path, with symbolic links resolved; null for a text that has not
   * changed since the last message.
   */
  readonly openTexts: ReadonlyMap<string, string | null>;
  readonly readableFolders: ReadableFolders;
}

/**
 * One configuration to check. `root` is the path of its main file; `server` and `engine` are the
 * settings for it.
 */
export interface CheckedRoot {
  readonly root: string;
  readonly server: ServerSettings;
  readonly engine: Omit<EngineOptions, 'rules' | 'onFailure'>;
}

/**
 * A part of the result: the number of files read so far, the findings of some files, or a rule that
 * failed.
 */
export type CheckReplyPart =
  | { readonly readFileCount: number }
  | { readonly filesWithFindings: readonly SentFileFindings[] }
  | { readonly ruleFailure: RuleFailure };

/** A rule that threw an error. */
export interface RuleFailure {
  readonly rule: string;
  readonly message: string;
  readonly stack?: string;
}

/**
 * The findings of a checked file. `textMark` identifies the text in which they were found (see
 * `textMarkOf`).
 */
export interface SentFileFindings {
  readonly path: string;
  readonly textMark: string;
  readonly findings: readonly SentFinding[];
}

/** A finding in a form that can be copied between threads. `rule` is the id of the rule. */
export interface SentFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly finding: Finding;
}

/** What a checker uses: the functions of the worker thread. */
export interface CheckerOptions {
  /** Makes a view of the current files. */
  readonly makeView: (open: (path: string) => Tree | null) => FileView;
  readonly isCancelled: () => boolean;
  readonly sendPart: (part: CheckReplyPart) => void;
}

/**
 * Makes the function that runs checks in the worker thread. It keeps the texts of open files
 * between checks. It returns false if the check was cancelled.
 */
export function newChecker({ makeView, isCancelled, sendPart }: CheckerOptions): (request: CheckRequest) => boolean {
  let openTreesByPath = new Map<string, Tree>();
  const engines = new Map<string, Engine>();
  /** The engine for these options; configurations with equal options share an engine. */
  const engineOf = (options: CheckedRoot['engine']): Engine => {
    const engineKey = JSON.stringify({ ...options, target: String(options.target?.patch) });
    let engine = engines.get(engineKey);
    if (!engine)
      engines.set(
        engineKey,
        (engine = new Engine({
          rules: ALL_RULES,
          ...options,
          onFailure: (rule, { message, stack }) => sendPart({ ruleFailure: { rule, message, stack } }),
        })),
      );
    return engine;
  };
  return (request) => {
    openTreesByPath = new Map(
      [...request.openTexts].flatMap(([path, text]): [string, Tree][] => {
        const tree = text === null ? openTreesByPath.get(path) : Tree.parse(text);
        return tree ? [[path, tree]] : [];
      }),
    );
    let readFileCount = 0;
    const view = stoppableView(
      restrictedView(
        makeView((path) => openTreesByPath.get(path) ?? null),
        request.readableFolders,
        (path) => openTreesByPath.get(path) ?? null,
      ),
      isCancelled,
      () => {
        if (++readFileCount % FILES_BETWEEN_PROGRESS === 0) sendPart({ readFileCount });
      },
    );
    try {
      const sentFiles = new Set<string>();
      for (const { root: mainFile, server, engine } of request.roots) {
        const findingsOfFile = configurationFindings({ mainFile, view, server, engine: engineOf(engine) });
        sendFindings(findingsOfFile, view, sentFiles, sendPart);
      }
      return true;
    } catch (error) {
      if (error !== CANCELLED) throw error;
      return false;
    }
  };
}

/**
 * Returns a mark that identifies a text: equal texts have equal marks. Different texts have
 * different marks, unless they are constructed on purpose.
 */
export function textMarkOf(tree: Tree): string {
  let textMark = markByTree.get(tree);
  if (textMark === undefined) {
    const text = tree.text();
    let a = 0x811c9dc5;
    let b = 0x9747b28c;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul((b << 13) | (b >>> 19), 0x85ebca6b) ^ code;
    }
    markByTree.set(tree, (textMark = `${text.length} ${a} ${b}`));
  }
  return textMark;
}

const RULE_BY_ID = new Map(ALL_RULES.map((rule) => [rule.id, rule]));

/** Converts a finding back, into a list of one. Empty if this program does not have its rule. */
export function findingsFrom({ rule, severity, finding }: SentFinding): PlacedFinding[] {
  const ruleOfFinding = RULE_BY_ID.get(rule);
  return ruleOfFinding ? [new PlacedFinding(ruleOfFinding, finding, severity, 0)] : [];
}

// ---------------------------------------------------------------------------------------------------------------------

const markByTree = cacheOf<Tree, string>();

const CANCELLED = Symbol('cancelled');

/** The number of files between two progress messages. */
const FILES_BETWEEN_PROGRESS = 500;

/** The number of files whose findings are sent together. */
const FILES_SENT_TOGETHER = 100;

/**
 * A view that throws `CANCELLED` at the first query after the check was cancelled. Calls `onFile`
 * when a file is first read.
 */
function stoppableView(view: FileView, isCancelled: () => boolean, onFile: () => void): FileView {
  const countedPaths = new Set<string>();
  const throwIfCancelled = () => {
    if (isCancelled()) throw CANCELLED;
  };
  return {
    read(path) {
      throwIfCancelled();
      if (!countedPaths.has(path)) {
        countedPaths.add(path);
        onFile();
      }
      return view.read(path);
    },
    list(path) {
      throwIfCancelled();
      return view.list(path);
    },
    kind(path) {
      throwIfCancelled();
      return view.kind(path);
    },
    realPath: (path) => view.realPath(path),
    ...(view.link && { link: (path: string) => view.link!(path) }),
  };
}

/**
 * Sends the findings of each file once, even if several configurations read it. Also sends the text
 * marks of files without findings that fixes change. Adds the files with findings to `sentFiles`.
 */
function sendFindings(
  findingsOfFile: ReadonlyMap<string, readonly PlacedFinding[]>,
  view: FileView,
  sentFiles: Set<string>,
  sendPart: CheckerOptions['sendPart'],
): void {
  const pathsToSend = new Set(findingsOfFile.keys());
  for (const findings of findingsOfFile.values())
    for (const { fixes } of findings)
      for (const { elsewhere } of fixes) for (const [path] of elsewhere ?? []) pathsToSend.add(path);
  let batch: SentFileFindings[] = [];
  for (const path of pathsToSend) {
    const findings = findingsOfFile.get(path) ?? [];
    const tree = sentFiles.has(path) ? null : view.read(path);
    if (!tree) continue;
    if (findings.length > 0) sentFiles.add(path);
    batch.push({ path, textMark: textMarkOf(tree), findings: findings.map(sentFinding) });
    if (batch.length < FILES_SENT_TOGETHER) continue;
    sendPart({ filesWithFindings: batch });
    batch = [];
  }
  if (batch.length > 0) sendPart({ filesWithFindings: batch });
}

/** Converts a finding to the form that is sent. Its offsets are offsets in the file. */
function sentFinding({
  rule,
  severity,
  messageId,
  messageParts,
  start,
  end,
  tag,
  about,
  fixes,
}: PlacedFinding): SentFinding {
  return { rule: rule.id, severity, finding: { messageId, ...messageParts, start, end, tag, about, fixes } };
}
