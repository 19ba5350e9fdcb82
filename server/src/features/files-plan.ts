/** The plan of given files, configuration by configuration; files are added one by one. */
import { dormantLines } from '../analysis/dormant';
import { causesIn, onServerItems } from '../analysis/on-server';
import {
  type DormantFile,
  givenAnswers,
  unaskedAnswers,
  upgradePlan,
  type PlanFinding,
  type PlannedConfiguration,
  type PlanPlace,
  type UpgradePlan,
} from '../analysis/upgrade-plan';
import type { Tree } from '../syntax/document';
import type { Projects } from './given-configurations';
import { accessAt, accessStarts, plannedFindings } from './plan-findings';
import type { ReportAccess, ReportDetails } from './report/upgrade-report';
import type { WholeConfigurations } from './whole-configurations';
import { fileInfo, findingsIn, type LookedAt } from './whole-findings';

export interface PlanRequest {
  readonly project: Projects;
  readonly whole: WholeConfigurations;
  /** A path in its short form. */
  readonly shown: (file: string) => string;
  /** Whether a real `httpd -t` has accepted the current files of a main file's configuration. */
  readonly isAccepted?: (root: string) => boolean;
}

interface Gathered {
  files: number;
  readonly findings: PlanFinding[];
  readonly access: (() => ReportAccess[])[];
  readonly causes: Parameters<typeof onServerItems>[0][number][];
  /** Lines of these files that the server does not read. */
  readonly dormant: DormantFile[];
}

export interface Planned {
  readonly plan: UpgradePlan;
  /** For the report: details outside of the plan, for each of its configurations in order. */
  readonly details: readonly ReportDetails[];
}

export interface Planning {
  add(file: LookedAt): void;
  /** For a file that the server does not read, only the old lines are counted. */
  addDormant(file: LookedAt): void;
  /** Call after the last file. */
  end(): Planned;
}

export function planning({ project, whole, shown, isAccepted }: PlanRequest): Planning {
  const gathered = new Map<string, Gathered>();
  const groupOf = (root: string) =>
    gathered.get(root) ??
    gathered.set(root, { files: 0, findings: [], access: [], causes: [], dormant: [] }).get(root)!;
  const treesByIdentity = new Map<string, { readonly file: string; readonly tree: Tree }>();
  const add = (file: LookedAt): void => {
    const name = shown(file.path);
    treesByIdentity.set(whole.identityOf(file.path), { file: name, tree: file.tree });
    const engine = project.engineOf(file.path);
    const found = [...findingsIn(project, file, whole)];
    const causes = causesIn(file.tree, found, engine.factsIn(file.tree.root), engine);
    const lineAt = (offset: number): PlanPlace => ({ file: name, line: file.tree.positionAt(offset).line });
    const all = plannedFindings({
      name,
      tree: file.tree,
      findings: found,
      refusalAt: (offset) => whole.refusalAt(file.path, offset),
    });
    const findings = all.map(({ planned }) => planned);
    const starts = accessStarts(all);
    const unread = dormantLines(engine, file.tree, fileInfo(file, whole)).size;
    for (const [index, root] of whole.rootsOf(file.path).entries()) {
      const group = groupOf(root);
      // A file of several configurations is listed once.
      if (index === 0 && unread > 0) group.dormant.push({ file: name, lines: unread });
      group.files++;
      group.findings.push(...findings);
      group.access.push(() => starts.map((start) => accessAt(name, file.tree, start)));
      group.causes.push({ causes, placeOf: lineAt, isRead: root !== '' });
    }
  };
  const dormant: DormantFile[] = [];
  const addDormant = (file: LookedAt): void => {
    const lines = new Set(dormantLines(project.engineOf(file.path), file.tree, fileInfo(file, whole)));
    for (const { start, places = [] } of findingsIn(project, file, whole))
      for (const at of [start, ...places.map((each) => each.start)]) lines.add(file.tree.positionAt(at).line);
    if (lines.size > 0) dormant.push({ file: shown(file.path), lines: lines.size });
  };
  const placeOf: PlannedConfiguration['placeOf'] = (place) => {
    const found = treesByIdentity.get(place.path);
    return found
      ? { file: found.file, line: found.tree.positionAt(Math.min(place.offset, found.tree.length)).line }
      : { file: shown(place.path), line: 0 };
  };
  const end = (): Planned => {
    if (dormant.length > 0 && gathered.size === 0) groupOf('');
    const plan = upgradePlan(
      [...gathered].map(([root, { files, findings, causes, dormant: dormantHere }], index) => {
        const engine = project.engineOf(root === '' ? '.' : root);
        const onServer = onServerItems(causes, {
          isFrom22: engine.isFrom22,
          target: engine.target,
          distribution: engine.distribution ?? whole.distributionOf(root),
          started: whole.startedOf(root),
          mpm: engine.answered.answers.get('mpm'),
        });
        return {
          root: root === '' ? '.' : shown(root),
          files,
          findings,
          answered: engine.answered,
          placeOf,
          openQuestions: whole.openQuestionsOf(root),
          onServer,
          started: whole.startedOf(root),
          isAccepted: root !== '' && isAccepted?.(root) === true,
          // Files outside of all configurations are listed once.
          dormant: [...dormantHere, ...(index === 0 ? dormant : [])],
        };
      }),
    );
    const roots = [...gathered.keys()];
    const answeredOf = (root: string) => project.engineOf(root === '' ? '.' : root).answered;
    return {
      plan,
      details: [...gathered.values()].map(({ findings, access }, index) => ({
        blocking: findings.filter(({ isBlocking }) => isBlocking),
        get access() {
          return access.flatMap((ofFile) => ofFile());
        },
        answers: givenAnswers(
          answeredOf(roots[index]!),
          plan.configurations[index]!,
          plan.configurations.filter((_, other) => answeredOf(roots[other]!) === answeredOf(roots[index]!)),
        ),
      })),
    };
  };
  return { add, addDormant, end };
}

/** Answers without a question. */
export function unasked(plan: UpgradePlan, project: Projects, [first = '.']: readonly string[]): string[] {
  return unaskedAnswers(plan, project.engineOf(first).answered);
}
