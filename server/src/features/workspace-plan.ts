/**
 * The upgrade plan of the given configurations, and the changes of its ready fixes: each one,
 * several, or all. Pure: files, models and settings in, plan and texts out. Runs in steps, so that
 * typing is not delayed.
 */
import type { OpenQuestion } from '../access/open-question';
import { accessFix, isAboutAccess, type AccessChange, type AccessConversion } from '../analysis/access-conversion';
import type { Answered } from '../analysis/answers';
import type { Engine, FileInfo, PlacedFinding } from '../analysis/engine';
import { applyEdits, fixesOf, fixText, spanningEdit, TakenEdits } from '../analysis/fixes';
import { dormantLines, withDormantConverted, withUnreadConverted } from '../analysis/dormant';
import { causesIn, onServerItems } from '../analysis/on-server';
import {
  upgradePlan,
  type DormantFile,
  type PlanFinding,
  type PlannedConfiguration,
  type PlanPlace,
  type UpgradePlan,
} from '../analysis/upgrade-plan';
import type { Model } from '../config/model';
import type { Steps } from '../config/resumable';
import { refusalText } from '../analysis/refusal-text';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { loadsModuleOf24 } from '../rules/support/facts';
import type { Edit, Fix } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { together, type ConfigurationWide } from './configuration-wide';
import type { FileChange, Shown } from './conversion';
import { accessAt, accessStarts, plannedFindings } from './plan-findings';
import type { ReportAccess, ReportDetails } from './report/upgrade-report';

/** All paths are without links. */
export interface PlanInput {
  readonly models: readonly Model[];
  readonly access: AccessConversion;
  readonly wide: ConfigurationWide;
  /** All files of the configurations, and those that no configuration reads. */
  readonly files: readonly InputFile[];
  /** The answers for a configuration, and the base of paths in its questions. */
  readonly answeredOf: (root: string) => Answered;
  readonly engineOf: (root: string) => Engine;
  /** Whether a real `httpd -t` has accepted the current files of a configuration. */
  readonly isAccepted?: (model: Model) => boolean;
  readonly shown: Shown;
  /**
   * Whether the server does not read a file that no configuration reads: then only its old lines
   * are counted.
   */
  readonly isDormant?: (path: string) => boolean;
  /** Called with the number of checked files. */
  readonly looked?: (files: number) => void;
}

export interface InputFile {
  readonly path: string;
  readonly tree: Tree;
  readonly info: FileInfo;
  readonly engine: Engine;
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

export interface WorkspacePlan {
  readonly plan: UpgradePlan;
  /**
   * The main files in the order of the plan's configurations; '' for files that no configuration
   * reads.
   */
  readonly roots: readonly string[];
  /** Details outside of the plan, for each of its configurations in order. */
  readonly details: readonly Omit<ReportDetails, 'answers'>[];
  readonly ready: readonly ReadyFix[];
  /** The changes of the chosen fixes, and their number. */
  changes(choice: FixChoice): { readonly changes: readonly FileChange[]; readonly fixes: number };
}

export function* workspacePlan(given: PlanInput): Steps<WorkspacePlan> {
  const readers = readersOf(given);
  const isDormant = (path: string) => readers(path)[0] === '' && given.isDormant?.(path) === true;
  const input = { ...given, files: given.files.filter(({ path }) => !isDormant(path)) };
  const unread = given.files.filter(({ path }) => isDormant(path));
  const { models, access, wide, files, shown, answeredOf, engineOf } = input;
  const groups = new Map<
    string,
    {
      files: Set<string>;
      readonly findings: PlanFinding[];
      readonly access: (() => ReportAccess[])[];
      readonly causes: Parameters<typeof onServerItems>[0][number][];
      /** Lines of these files that the server does not read. */
      readonly dormant: DormantFile[];
    }
  >();
  const groupOf = (root: string) =>
    groups.get(root) ??
    groups.set(root, { files: new Set(), findings: [], access: [], causes: [], dormant: [] }).get(root)!;
  for (const { root } of models) groupOf(root);
  const ready: ReadyFix[] = [];
  const accessFixes = new AccessFixes();
  for (const [index, file] of files.entries()) {
    input.looked?.(index);
    yield;
    const { path, tree, info, engine } = file;
    const analysis = engine.analyze(tree, info);
    yield;
    const found = [
      ...together(tree, analysis.inOrder(), wide.findings(path), (finding) =>
        informed(finding, file, access, accessFixes),
      ),
    ];
    const causes = causesIn(tree, found, analysis.facts, engine);
    yield;
    const lineAt = (offset: number): PlanPlace => ({ file: shown(path), line: tree.positionAt(offset).line });
    const findings = plannedFindings({
      name: shown(path),
      tree,
      findings: found,
      refusalAt: (offset) => refusalAt(access, path, offset),
    });
    const starts = accessStarts(findings);
    const inactive = dormantLines(engine, tree, info).size;
    yield;
    for (const [at, root] of readers(path).entries()) {
      const group = groupOf(root);
      group.files.add(path);
      // A file of several configurations is listed once.
      if (at === 0 && inactive > 0) group.dormant.push({ file: shown(path), lines: inactive });
      group.findings.push(...findings.map(({ planned }) => planned));
      group.access.push(() => starts.map((start) => accessAt(shown(path), tree, start)));
      group.causes.push({ causes, placeOf: lineAt, isRead: models.some((each) => each.root === root) });
    }
    for (const { planned, finding } of findings) {
      if (!planned.fix?.isSafe) continue;
      if (ready.length % STEP === 0) yield;
      const fix = finding.fixes[0]!;
      ready.push({
        rule: planned.rule,
        path,
        line: planned.line,
        title: fix.title,
        edits: accessFixes.editsOf(fix) ?? editsOf(path, finding),
      });
    }
  }
  const dormant: DormantFile[] = [];
  for (const file of unread) {
    yield;
    const lines = oldLines(file, wide);
    if (lines > 0) dormant.push({ file: shown(file.path), lines });
  }
  if (dormant.length > 0 && groups.size === 0) groupOf('');
  const trees = new Map(files.map(({ path, tree }) => [path, tree]));
  const placeOf: PlannedConfiguration['placeOf'] = ({ path, offset }) => {
    const tree = trees.get(path);
    return { file: shown(path), line: tree ? tree.positionAt(Math.min(offset, tree.length)).line : 0 };
  };
  const roots = [...groups.keys()].filter(
    (root) => root !== '' || groups.get('')!.findings.length > 0 || (dormant.length > 0 && groups.size === 1),
  );
  return {
    roots,
    details: roots.map((root) => ({
      blocking: groupOf(root).findings.filter(({ isBlocking }) => isBlocking),
      get access() {
        return groupOf(root).access.flatMap((ofFile) => ofFile());
      },
    })),
    ready,
    plan: upgradePlan(
      roots.map((root, index): PlannedConfiguration => {
        const { files: read, findings, causes, dormant: dormantHere } = groupOf(root);
        const engine = engineOf(root);
        const model = models.find((each) => each.root === root);
        const onServer = onServerItems(causes, {
          isFrom22: engine.isFrom22,
          target: engine.target,
          distribution: engine.distribution ?? model?.distribution ?? null,
          started: model?.started,
          mpm: answeredOf(root).answers.get('mpm'),
        });
        return {
          root: root === '' ? '.' : shown(root),
          files: read.size,
          findings,
          answered: answeredOf(root),
          placeOf,
          openQuestions: openQuestionsOf(access, root),
          onServer,
          started: model?.started,
          isAccepted: model !== undefined && input.isAccepted?.(model) === true,
          // Files outside of all configurations are listed once.
          dormant: [...dormantHere, ...(index === 0 ? dormant : [])],
        };
      }),
    ),
    changes: ({ root, fits, isDormant: isOfUnread = false }) => {
      if (isOfUnread) {
        const changes = [
          ...unread.flatMap((file) => dormantChange(file, withUnreadConverted)),
          ...files.flatMap((file) => dormantChange(file, withDormantConverted)),
        ];
        return { changes, fixes: changes.length };
      }
      const isIn = (path: string) => root === undefined || readers(path).includes(root);
      const chosen = ready.filter((fix) => isIn(fix.path) && (fits === undefined || fits(fix)));
      return { fixes: chosen.length, changes: fits === undefined ? allChanges(input, isIn) : changesOf(chosen, trees) };
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function dormantChange({ path, tree, info, engine }: InputFile, convert: typeof withDormantConverted): FileChange[] {
  const before = tree.text();
  const { text: after } = convert(engine, before, info);
  return after === before ? [] : [{ path, before, after, edits: [spanningEdit(before, after)] }];
}

/** The number of old lines in a file that no configuration reads: lines with findings. */
function oldLines({ path, tree, info, engine }: InputFile, wide: ConfigurationWide): number {
  const lines = new Set(dormantLines(engine, tree, info));
  for (const { start, places = [] } of together(tree, engine.analyze(tree, info).inOrder(), wide.findings(path)))
    for (const at of [start, ...places.map((each) => each.start)]) lines.add(tree.positionAt(at).line);
  return lines.size;
}

/** The main files of the configurations that read a file; '' if there are none. */
function readersOf({ models, access }: PlanInput): (path: string) => readonly string[] {
  const readers = new Map<string, Set<string>>();
  const add = (path: string, root: string) => (readers.get(path) ?? readers.set(path, new Set()).get(path)!).add(root);
  const roots = new Set(models.map(({ root }) => root));
  for (const { root, files } of access.configurations) if (roots.has(root)) for (const path of files) add(path, root);
  for (const { root, files } of models) for (const path of files.keys()) add(path, root);
  return (path) => [...(readers.get(path) ?? [''])];
}

/** The open questions about a configuration's access control. */
function openQuestionsOf({ configurations }: AccessConversion, root: string): OpenQuestion[] {
  return configurations
    .filter((each) => each.root === root && (each.held !== null || each.changes.length > 0 || each.asked.length > 0))
    .flatMap(({ waitsFor, restsOn, asked }) => [...waitsFor, ...restsOn, ...asked]);
}

function refusalAt(access: AccessConversion, path: string, offset: number): string | null {
  const answer = access.at(path, offset);
  return answer && 'refusal' in answer ? refusalText(access.configurations, answer.refusal, { path, offset }) : null;
}

/** A finding with what the plan of the whole configuration says about it. */
function informed(
  finding: PlacedFinding,
  { path, tree }: InputFile,
  access: AccessConversion,
  fixes: AccessFixes,
): PlacedFinding {
  const line = isAboutAccess(finding.rule) ? tree.lineAt(finding.start) : null;
  const answer = line && access.at(path, line.offset);
  if (!answer) return finding;
  if ('refusal' in answer)
    return finding.rule === orderAllowDeny ? finding.informed({ fixes: [], waitsFor: answer.waitsFor }) : finding;
  return finding.informed({ fixes: [fixes.of(answer.change, path)] });
}

/** Number of fixes between two pauses. */
const STEP = 64;

/** The edits of the first fix of a finding, by file. */
function editsOf(path: string, finding: PlacedFinding): ReadonlyMap<string, readonly Edit[]> {
  const { fix, edits } = fixesOf(finding)[0]!;
  return new Map([[path, edits] as const, ...(fix.elsewhere ?? [])].filter(([, fileEdits]) => fileEdits.length > 0));
}

/**
 * Caches one fix for each file of a change, and one map for all of them: there may be as many
 * findings as sections and files, and each would otherwise gather all files.
 */
class AccessFixes {
  private readonly fixes = new Map<AccessChange, Map<string, Fix>>();
  private readonly changes = new Map<Fix, AccessChange>();
  private readonly edits = new Map<AccessChange, ReadonlyMap<string, readonly Edit[]>>();

  of(change: AccessChange, path: string): Fix {
    const cached = this.fixes.get(change) ?? this.fixes.set(change, new Map()).get(change)!;
    const fix = cached.get(path) ?? cached.set(path, accessFix(change, path)).get(path)!;
    this.changes.set(fix, change);
    return fix;
  }

  /** All edits of a fix's change; undefined for a fix of another rule. */
  editsOf(fix: Fix): ReadonlyMap<string, readonly Edit[]> | undefined {
    const change = this.changes.get(fix);
    if (!change) return undefined;
    const cached = this.edits.get(change);
    if (cached) return cached;
    const edits = new Map([...change.edits].filter(([, fileEdits]) => fileEdits.length > 0));
    this.edits.set(change, edits);
    return edits;
  }
}

/** The result of `fix --write`. */
function allChanges({ files, access, wide }: PlanInput, isIn: (path: string) => boolean): FileChange[] {
  return files.flatMap(({ path, tree, info, engine }): FileChange[] => {
    if (!isIn(path)) return [];
    const before = tree.text();
    const fileEdits = [...access.edits(path, false), ...wide.edits(path, false)];
    const { text } = fixText(engine, fileEdits.length > 0 ? applyEdits(before, fileEdits) : before, {
      ...info,
      heldBack: wide.heldBack(path),
      ...(!loadsModuleOf24(tree.root) && { isFrom22: true }),
    });
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
