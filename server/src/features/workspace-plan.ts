/**
 * The upgrade plan of the given configurations, and the changes of its ready fixes: each one,
 * several, or all. Pure: files, models and settings in, plan and texts out. Runs in steps, so that
 * typing is not delayed.
 */
import type { AccessChange } from '../analysis/access-conversion';
import type { AnswerSet } from '../analysis/answers';
import { withDormantConverted, convertUnreadFile } from '../analysis/dormant';
import type { PlacedFinding } from '../analysis/engine';
import { applyEdits, fixesOf, spanningEdit, TakenEdits } from '../analysis/fixes';
import type { Steps } from '../config/resumable';
import { loadsModuleOf24 } from '../rules/support/facts';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import type { FileChange, Shown } from './conversion';
import { PlanGatherer, type GatheredPlan } from './plan';
import type { Project, ProjectFile } from './project';

/** All paths have their symbolic links resolved. */
export interface PlanInput {
  readonly project: Project;
  /** All files of the configurations, and those that no configuration reads. */
  readonly files: readonly ProjectFile[];
  /** The answers for a configuration, and the base of paths in its questions. */
  readonly answeredOf: (root: string) => AnswerSet;
  /** Whether a real `httpd -t` has accepted the current files of a configuration. */
  readonly isAccepted?: (root: string) => boolean;
  readonly shown: Shown;
  /**
   * Whether the server does not read a file that no configuration reads: then only its old lines
   * are counted.
   */
  readonly isDormant?: (path: string) => boolean;
  /** Called with the number of checked files. */
  readonly looked?: (files: number) => void;
}

/** A fix that keeps the behaviour of the server. */
export interface ReadyFix {
  readonly rule: string;
  readonly path: string;
  /** 0-based. */
  readonly line: number;
  readonly title: string;
  /** Offsets in the files as they were read. Fixes of one change share one map. */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
}

/** Selects ready fixes. */
export interface FixChoice {
  /** Fixes of the configuration with this main file; undefined for all. */
  readonly root?: string;
  /** Only the files that the server does not read, as `fix --dormant` changes them. */
  readonly isDormant?: boolean;
  /** Fixes that pass this test; undefined for all, with the result of `fix --write`. */
  readonly fits?: (fix: ReadyFix) => boolean;
}

export interface WorkspacePlan extends GatheredPlan {
  readonly ready: readonly ReadyFix[];
  /** The changes of the chosen fixes, and their number. */
  changes(choice: FixChoice): { readonly changes: readonly FileChange[]; readonly fixes: number };
}

export function* workspacePlan(input: PlanInput): Steps<WorkspacePlan> {
  const { project, shown } = input;
  const gatherer = new PlanGatherer({ ...input, isOfAll: true });
  const isDormant = ({ path }: ProjectFile) => gatherer.rootsOf(path)[0] === '' && input.isDormant?.(path) === true;
  const files = input.files.filter((file) => !isDormant(file));
  const unread = input.files.filter(isDormant);
  const ready: ReadyFix[] = [];
  const editsByChange = new Map<AccessChange, ReadonlyMap<string, readonly Edit[]>>();
  for (const [index, file] of files.entries()) {
    input.looked?.(index);
    yield;
    const { path, tree } = file;
    for (const { planned, finding } of yield* gatherer.add({ ...file, name: shown(path) })) {
      if (!planned.fix?.isSafe) continue;
      if (ready.length % STEP === 0) yield;
      const answer = project.answerTo(finding, path, tree);
      ready.push({
        rule: planned.rule,
        path,
        line: planned.line,
        title: finding.fixes[0]!.title,
        edits: answer && 'change' in answer ? editsOfChange(answer.change, editsByChange) : editsOf(path, finding),
      });
    }
  }
  for (const file of unread) {
    yield;
    gatherer.addDormant({ ...file, name: shown(file.path) });
  }
  const trees = new Map(files.map(({ path, tree }) => [path, tree]));
  return {
    ...gatherer.end(),
    ready,
    changes: ({ root, fits, isDormant: isOfUnread = false }) => {
      if (isOfUnread) {
        const changes = [
          ...unread.flatMap((file) => dormantChange(file, convertUnreadFile)),
          ...files.flatMap((file) => dormantChange(file, withDormantConverted)),
        ];
        return { changes, fixes: changes.length };
      }
      const isIn = (path: string) => root === undefined || gatherer.rootsOf(path).includes(root);
      const chosen = ready.filter((fix) => isIn(fix.path) && (fits === undefined || fits(fix)));
      return {
        fixes: chosen.length,
        changes: fits === undefined ? allChanges(project, files, isIn) : changesOf(chosen, trees),
      };
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function dormantChange({ path, tree, info, engine }: ProjectFile, convert: typeof withDormantConverted): FileChange[] {
  const before = tree.text();
  const { text: after } = convert(engine, before, info);
  return after === before ? [] : [{ path, before, after, edits: [spanningEdit(before, after)] }];
}

/** Number of fixes between two pauses. */
const STEP = 64;

/** The edits of the first fix of a finding, by file. */
function editsOf(path: string, finding: PlacedFinding): ReadonlyMap<string, readonly Edit[]> {
  const { fix, edits } = fixesOf(finding)[0]!;
  return new Map([[path, edits] as const, ...(fix.elsewhere ?? [])].filter(([, fileEdits]) => fileEdits.length > 0));
}

/**
 * All edits of a change. One map for all of its findings: there may be as many as sections and
 * files, and each would otherwise gather all files.
 */
function editsOfChange(
  change: AccessChange,
  cached: Map<AccessChange, ReadonlyMap<string, readonly Edit[]>>,
): ReadonlyMap<string, readonly Edit[]> {
  const edits = cached.get(change) ?? new Map([...change.edits].filter(([, fileEdits]) => fileEdits.length > 0));
  cached.set(change, edits);
  return edits;
}

/** The result of `fix --write`. */
function allChanges(project: Project, files: readonly ProjectFile[], isIn: (path: string) => boolean): FileChange[] {
  return files.flatMap(({ path, tree, info, engine }): FileChange[] => {
    if (!isIn(path)) return [];
    const before = tree.text();
    const heldBack = project.heldBack(path);
    const facts = { ...info, heldBack, ...(!loadsModuleOf24(tree.root) && { isFrom22: true }) };
    const { text } = project.fixed({ path, tree, info: facts, engine });
    return text === before ? [] : [{ path, before, after: text, edits: [spanningEdit(before, text)] }];
  });
}

/**
 * Combines the fixes; of two that touch the same text, the first is applied, whole or not at all.
 */
function changesOf(chosen: readonly ReadyFix[], trees: ReadonlyMap<string, Tree>): FileChange[] {
  const takenEdits = new Map<string, TakenEdits>();
  const seen = new Set<unknown>();
  for (const { edits } of chosen) {
    if (seen.has(edits)) continue;
    seen.add(edits);
    const key = JSON.stringify([...edits]);
    if (seen.has(key)) continue;
    seen.add(key);
    const parts = [...edits];
    if (
      parts.some(
        ([path, fileEdits]) =>
          !trees.has(path) || fileEdits.some((edit) => takenEdits.get(path)?.isTouchedBy(edit) === true),
      )
    )
      continue;
    for (const [path, editsOfFile] of parts) {
      (takenEdits.get(path) ?? takenEdits.set(path, new TakenEdits()).get(path)!).add(editsOfFile);
    }
  }
  return [...takenEdits].map(([path, { edits }]) => {
    const before = trees.get(path)!.text();
    return { path, before, after: applyEdits(before, edits), edits };
  });
}
