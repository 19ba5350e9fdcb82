/** `httpd-upgrade plan`: gathers what the files of a command come to, configuration by configuration. */
import path from 'node:path';
import { commentedAccess } from '../analysis/comments';
import { causesIn, onServerItems } from '../analysis/on-server';
import { planFinding, unaskedAnswers, upgradePlan, type PlanFinding, type PlannedConfiguration, type PlanPlace, type UpgradePlan } from '../analysis/upgrade-plan';
import { around } from '../analysis/suppression';
import type { PlacedFinding } from '../analysis/engine';
import { isTransparent, sectionKind } from '../config/sections';
import { accessAnswer } from '../features/explain-access';
import type { ReportAccess, ReportDetails } from '../features/upgrade-report';
import { orderAllowDeny } from '../rules/order-allow-deny';
import type { Tree } from '../syntax/document';
import { Section } from '../syntax/tree';
import { inputFiles } from './files';
import { findingsIn } from './findings';
import type { Projects } from './project';
import type { Terminal } from './terminal';
import type { WholeConfigurations } from './whole';

interface PlanRequest {
  readonly paths: readonly string[];
  readonly project: Projects;
  readonly whole: WholeConfigurations;
  readonly terminal: Terminal;
}

interface Gathered {
  files: number;
  readonly findings: PlanFinding[];
  readonly causes: Parameters<typeof onServerItems>[0][number][];
  readonly access: ReportAccess[];
}

export interface Planned {
  readonly plan: UpgradePlan;
  /** For the report: what the plan itself does not have, for each of its configurations in turn. */
  readonly details: readonly ReportDetails[];
}

/** Reads all files and plans. */
export async function planOf({ paths, project, whole, terminal }: PlanRequest): Promise<Planned> {
  const gathered = new Map<string, Gathered>();
  const of = (root: string) => gathered.get(root) ?? gathered.set(root, { files: 0, findings: [], causes: [], access: [] }).get(root)!;
  const known = new Map<string, { readonly file: string; readonly tree: Tree }>();
  for await (const file of inputFiles([...paths, ...whole.further], terminal, whole.known)) {
    const name = shown(file.path);
    known.set(whole.identityOf(file.path), { file: name, tree: file.tree });
    const seen = new Set<string>();
    const findings: PlanFinding[] = [];
    const engine = project.engineOf(file.path);
    const all = [...findingsIn(project, file, whole)];
    const causes = causesIn(file.tree, all, engine.factsIn(file.tree.root), engine);
    const lineAt = (offset: number): PlanPlace => ({ file: name, line: file.tree.positionAt(offset).line });
    const access: ReportAccess[] = [];
    for (const finding of all) {
      const section = sectionOf(file.tree, finding);
      if (section !== null && seen.has(section)) continue;
      if (section !== null) {
        seen.add(section);
        access.push(reportAccess(name, file.tree, finding));
      }
      const refusal = finding.rule === orderAllowDeny ? whole.refusalAt(file.path, file.tree.lineAt(finding.start)!.offset) : null;
      const commentedOut = section === null ? [] : commentedAccess(file.tree, finding.start).map(({ line, offset }) => ({ ...lineAt(offset), text: line.text.trim() }));
      findings.push({ ...planFinding(finding, lineAt(finding.start)), commentedOut, ...(refusal !== null && { message: `Stays as it is: ${refusal}` }) });
    }
    for (const root of whole.rootsOf(file.path)) {
      const group = of(root);
      group.files++;
      group.findings.push(...findings);
      group.causes.push({ causes, placeOf: lineAt });
      group.access.push(...access);
    }
  }
  const placeOf: PlannedConfiguration['placeOf'] = (place) => {
    const found = known.get(place.path);
    return found ? { file: found.file, line: found.tree.positionAt(Math.min(place.offset, found.tree.length)).line } : { file: shown(place.path), line: 0 };
  };
  const plan = upgradePlan([...gathered].map(([root, { files, findings, causes }]) => {
    const engine = project.engineOf(root === '' ? '.' : root);
    const onServer = onServerItems(causes, { target: engine.target, distribution: engine.distribution ?? whole.distributionOf(root) });
    return { root: root === '' ? '.' : shown(root), files, findings, answered: engine.answered, placeOf, doubts: whole.doubtsOf(root), onServer };
  }));
  return { plan, details: [...gathered.values()].map(({ findings, access }) => ({ blocking: findings.filter(({ isBlocking }) => isBlocking), access })) };
}

/** Answers that nothing asks for. */
export function unasked(plan: UpgradePlan, project: Projects, [first = '.']: readonly string[]): string[] {
  return unaskedAnswers(plan, project.engineOf(first).answered);
}

// ---------------------------------------------------------------------------------------------------------------------

/** The section of access control that a finding is about: its old lines are one matter. null for other findings. */
function sectionOf(tree: Tree, finding: PlacedFinding): string | null {
  if (finding.rule !== orderAllowDeny) return null;
  const sections = around(tree, finding.start).flatMap(({ item, offset }) => (item instanceof Section && !isTransparent(sectionKind(item.name)) ? [offset] : []));
  return String(sections.at(-1) ?? -1);
}

/** By the first old line from where the finding is. */
function reportAccess(file: string, tree: Tree, { start }: PlacedFinding): ReportAccess {
  let offset = start;
  for (let placed = tree.lineAt(offset); placed && !OLD_LINES.has(placed.line.name); placed = tree.lineAt(offset)) {
    offset = placed.offset + placed.line.length;
    if (offset >= tree.length) break;
  }
  return { file, line: tree.positionAt(start).line, answer: (marks) => accessAnswer(tree, offset, marks) };
}

const OLD_LINES = new Set(['order', 'allow', 'deny', 'satisfy']);

/** As seen from here, where that is shorter. */
function shown(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}
