/** `httpd-upgrade plan`: gathers what the files of a command come to, configuration by configuration. */
import path from 'node:path';
import { unaskedAnswers, upgradePlan, type PlanFinding, type PlanFix, type PlannedConfiguration, type UpgradePlan } from '../analysis/upgrade-plan';
import { around } from '../analysis/suppression';
import type { PlacedFinding } from '../analysis/engine';
import { isTransparent, sectionKind } from '../config/sections';
import type { Fix } from '../rules/rule';
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
}

/** Reads all files and plans. */
export async function planOf({ paths, project, whole, terminal }: PlanRequest): Promise<UpgradePlan> {
  const gathered = new Map<string, Gathered>();
  const of = (root: string) => gathered.get(root) ?? gathered.set(root, { files: 0, findings: [] }).get(root)!;
  const known = new Map<string, { readonly file: string; readonly tree: Tree }>();
  for await (const file of inputFiles([...paths, ...whole.further], terminal, whole.known)) {
    known.set(whole.identityOf(file.path), { file: file.path, tree: file.tree });
    const seen = new Set<string>();
    const findings: PlanFinding[] = [];
    for (const finding of findingsIn(project, file, whole)) {
      const section = sectionOf(file.tree, finding);
      if (section !== null && seen.has(section)) continue;
      if (section !== null) seen.add(section);
      const refusal = finding.rule === orderAllowDeny ? whole.refusalAt(file.path, file.tree.lineAt(finding.start)!.offset) : null;
      findings.push({ ...planFinding(file.path, file.tree, finding), ...(refusal !== null && { message: `Stays as it is: ${refusal}` }) });
    }
    for (const root of whole.rootsOf(file.path)) {
      const group = of(root);
      group.files++;
      group.findings.push(...findings);
    }
  }
  const placeOf: PlannedConfiguration['placeOf'] = (place) => {
    const found = known.get(place.path);
    return found ? { file: found.file, line: found.tree.positionAt(Math.min(place.offset, found.tree.length)).line } : { file: shown(place.path), line: 0 };
  };
  return upgradePlan([...gathered].map(([root, { files, findings }]) => ({ root: root === '' ? '.' : shown(root), files, findings, answered: project.engineOf(root === '' ? '.' : root).answered, placeOf })));
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

function planFinding(file: string, tree: Tree, finding: PlacedFinding): PlanFinding {
  const [first] = finding.fixes;
  return {
    rule: finding.rule.id,
    file,
    line: tree.positionAt(finding.start).line,
    message: finding.what,
    isBlocking: finding.severity === 'error',
    fix: first ? planFix(first) : null,
  };
}

function planFix({ title, safety, waitsFor = [], restsOn = [] }: Fix): PlanFix {
  return { title, isSafe: safety === 'safe', waitsFor, restsOn };
}

/** As seen from here, where that is shorter. */
function shown(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}
