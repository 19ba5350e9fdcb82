/** `httpd-upgrade plan`: gathers what the files of a command come to, configuration by configuration. */
import path from 'node:path';
import { unaskedAnswers, upgradePlan, type PlanFinding, type PlannedConfiguration, type UpgradePlan } from '../analysis/upgrade-plan';
import { plannedFindings } from '../features/plan-findings';
import type { Tree } from '../syntax/document';
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
    const refusalAt = (offset: number) => whole.refusalAt(file.path, offset);
    const findings = plannedFindings({ name: file.path, tree: file.tree, findings: findingsIn(project, file, whole), refusalAt }).map(({ planned }) => planned);
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

/** As seen from here, where that is shorter. */
function shown(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}
