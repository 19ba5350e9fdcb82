/**
 * Makes the upgrade plan of the given configurations, and the changes of one, several or all of its
 * ready fixes. Takes files, models and settings, and returns the plan and texts; it reads and
 * writes no files. Runs in steps, so that it does not delay typing.
 */
import type { AccessChange } from '../analysis/access-conversion';
import type { AnswerSet } from '../analysis/answers';
import type { PlacedFinding } from '../analysis/engine';
import { applyEdits, fixesOf, spanningEdit, SelectedEdits } from '../analysis/fixes';
import type { Steps } from '../config/resumable';
import { loadsModuleOf24 } from '../rules/support/facts';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import type { FileChange, DisplayName } from './conversion';
import { convertDormant } from './dormant-file';
import { PlanGatherer, type GatheredPlan } from './plan';
import type { Project, ProjectFile } from './project';

/** The inputs of a plan. Paths have symbolic links resolved. */
export interface PlanInput {
  readonly project: Project;
  /** All files of the configurations, and the files that no configuration reads. */
  readonly files: readonly ProjectFile[];
  /**
   * Returns the answers for a configuration, and the folder that paths in its questions are
   * relative to.
   */
  readonly answerSetOf: (root: string) => AnswerSet;
  /** Returns whether a real `httpd -t` has accepted the current files of a configuration. */
  readonly isAccepted?: (root: string) => boolean;
  readonly displayName: DisplayName;
  /**
   * Returns, for a file that no configuration reads, whether no server reads it. If no server does,
   * the plan only shows the number of its old lines.
   */
  readonly isDormant?: (path: string) => boolean;
  /** Returns whether a server outside of the workspace folder may read the file. */
  readonly mayServerRead?: (path: string) => boolean;
  /** Called with the number of files that were checked. */
  readonly onFileChecked?: (files: number) => void;
}

/** A fix that keeps the behaviour of the server. */
export interface ReadyFix {
  /** The id of the rule. */
  readonly rule: string;
  /** The file of the finding. */
  readonly path: string;
  /** The 0-based line number of the finding. */
  readonly line: number;
  /** What the fix does, in words. */
  readonly title: string;
  /**
   * The edits by path; offsets in the files as they were read. Fixes of the same change share one
   * map.
   */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
}

/** Which ready fixes to apply. */
export interface FixChoice {
  /** The main file of the configuration; undefined for all configurations. */
  readonly root?: string;
  /** Whether to change only files and lines that no server reads, as `fix --dormant` does. */
  readonly changesOnlyDormant?: boolean;
  /**
   * Returns whether to apply a fix. If undefined, all fixes are applied, and the result is the same
   * as that of `fix --write`.
   */
  readonly isChosen?: (fix: ReadyFix) => boolean;
}

/** The plan of all configurations of a workspace, with its ready fixes. */
export interface WorkspacePlan extends GatheredPlan {
  /** The fixes that keep the behaviour of the server, in the order of the files. */
  readonly readyFixes: readonly ReadyFix[];
  /** The changes of the chosen fixes, and how many fixes they are. */
  changesOf(choice: FixChoice): { readonly changes: readonly FileChange[]; readonly fixes: number };
}

/** Makes the plan of a workspace, in steps. */
export function* workspacePlan(input: PlanInput): Steps<WorkspacePlan> {
  const { project, displayName } = input;
  const gatherer = new PlanGatherer({ ...input, coversAllConfigurations: true });
  const isDormant = ({ path }: ProjectFile) => gatherer.rootsOf(path)[0] === '' && input.isDormant?.(path) === true;
  const files = input.files.filter((file) => !isDormant(file));
  const dormantFiles = input.files.filter(isDormant);
  const readyFixes: ReadyFix[] = [];
  const editsByChange = new Map<AccessChange, ReadonlyMap<string, readonly Edit[]>>();
  for (const [index, file] of files.entries()) {
    input.onFileChecked?.(index);
    yield;
    const { path, tree } = file;
    for (const { planItem, finding } of yield* gatherer.addFile({ ...file, name: displayName(path) })) {
      if (!planItem.fix?.isSafe) continue;
      if (readyFixes.length % FIXES_PER_STEP === 0) yield;
      const conversionAnswer = project.conversionOfFinding(finding, path, tree);
      readyFixes.push({
        rule: planItem.rule,
        path,
        line: planItem.line,
        title: finding.fixes[0]!.title,
        edits:
          conversionAnswer && 'change' in conversionAnswer
            ? editsOfChange(conversionAnswer.change, editsByChange)
            : editsOf(path, finding),
      });
    }
  }
  for (const file of dormantFiles) {
    yield;
    gatherer.addUnreadFile({ ...file, name: displayName(file.path) });
  }
  const treeByPath = new Map(files.map(({ path, tree }) => [path, tree]));
  return {
    ...gatherer.finishPlan(),
    readyFixes,
    changesOf: ({ root, isChosen, changesOnlyDormant = false }) => {
      if (changesOnlyDormant) {
        const dormantChanges = input.files.flatMap((file) => {
          const mayServerRead = input.mayServerRead?.(file.path) === true;
          const { text: textAfter, fixes } = convertDormant(project, file, {
            isUnread: isDormant(file),
            mayServerRead,
          });
          return textAfter === file.tree.text() ? [] : [{ change: changeOf(file, textAfter), fixes }];
        });
        return {
          changes: dormantChanges.map(({ change }) => change),
          fixes: dormantChanges.reduce((sum, { fixes }) => sum + fixes, 0),
        };
      }
      const isInConfiguration = (path: string) => root === undefined || gatherer.rootsOf(path).includes(root);
      const chosenFixes = readyFixes.filter(
        (fix) => isInConfiguration(fix.path) && (isChosen === undefined || isChosen(fix)),
      );
      return {
        fixes: chosenFixes.length,
        changes:
          isChosen === undefined
            ? changesOfAllFixes(project, files, isInConfiguration)
            : changesOfFixes(chosenFixes, treeByPath),
      };
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The change of a whole file, with one edit that covers all differences. */
function changeOf({ path, tree }: ProjectFile, textAfter: string): FileChange {
  const textBefore = tree.text();
  return { path, before: textBefore, after: textAfter, edits: [spanningEdit(textBefore, textAfter)] };
}

/** The number of fixes between two pauses, in which other work can run. */
const FIXES_PER_STEP = 64;

/** The edits of a finding's first fix, by file. */
function editsOf(path: string, finding: PlacedFinding): ReadonlyMap<string, readonly Edit[]> {
  const { fix, edits } = fixesOf(finding)[0]!;
  return new Map([[path, edits] as const, ...(fix.elsewhere ?? [])].filter(([, fileEdits]) => fileEdits.length > 0));
}

/**
 * All edits of a change by file. Its findings share one map: there may be many sections and files,
 * and making a map for each would take long.
 */
function editsOfChange(
  change: AccessChange,
  cachedEdits: Map<AccessChange, ReadonlyMap<string, readonly Edit[]>>,
): ReadonlyMap<string, readonly Edit[]> {
  const edits = cachedEdits.get(change) ?? new Map([...change.edits].filter(([, fileEdits]) => fileEdits.length > 0));
  cachedEdits.set(change, edits);
  return edits;
}

/** The changes that `fix --write` makes. */
function changesOfAllFixes(
  project: Project,
  files: readonly ProjectFile[],
  isInConfiguration: (path: string) => boolean,
): FileChange[] {
  return files.flatMap((file): FileChange[] => {
    const { path, tree, info, engine } = file;
    if (!isInConfiguration(path)) return [];
    const rulesWithWaitingFixes = project.rulesWithWaitingFixes(path);
    const facts = { ...info, rulesWithWaitingFixes, ...(!loadsModuleOf24(tree.root) && { isFrom22: true }) };
    const { text } = project.fixedFileResult({ path, tree, info: facts, engine });
    return text === tree.text() ? [] : [changeOf(file, text)];
  });
}

/**
 * The changes of the chosen fixes together. If two fixes change the same text, the first is
 * applied; a fix is applied completely or not at all.
 */
function changesOfFixes(chosenFixes: readonly ReadyFix[], treeByPath: ReadonlyMap<string, Tree>): FileChange[] {
  const selectedByFile = new Map<string, SelectedEdits>();
  // Fixes of one change share a map of edits, or have equal edits. Both are applied once.
  const seenEdits = new Set<unknown>();
  for (const { edits } of chosenFixes) {
    if (seenEdits.has(edits)) continue;
    seenEdits.add(edits);
    const editsKey = JSON.stringify([...edits]);
    if (seenEdits.has(editsKey)) continue;
    seenEdits.add(editsKey);
    const editsOfFiles = [...edits];
    if (
      editsOfFiles.some(
        ([path, fileEdits]) =>
          !treeByPath.has(path) || fileEdits.some((edit) => selectedByFile.get(path)?.overlapsWith(edit) === true),
      )
    )
      continue;
    for (const [path, editsOfFile] of editsOfFiles) {
      (selectedByFile.get(path) ?? selectedByFile.set(path, new SelectedEdits()).get(path)!).add(editsOfFile);
    }
  }
  return [...selectedByFile].map(([path, { edits }]) => {
    const textBefore = treeByPath.get(path)!.text();
    return { path, before: textBefore, after: applyEdits(textBefore, edits), edits };
  });
}
