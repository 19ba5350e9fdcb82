/**
 * Identifies the same problem in different runs, even if lines above it change: by its rule, its
 * file, and the text of its line.
 */
import { createHash } from 'node:crypto';
import type { PlacedFinding } from '../analysis/findings';
import { missingModule } from '../rules/missing-module';
import type { Tree } from '../syntax/document';

/** The text of the finding's line, with single spaces between its words. */
export function lineTextOf(tree: Tree, finding: PlacedFinding): string {
  const firstLine = tree.lineAt(finding.start);
  return (firstLine ? firstLine.line.text : '').replace(/\s+/g, ' ').trim();
}

/**
 * The name of the missing module that a problem is about; null for other problems. Such a problem
 * is reported at the first line that needs the module. So a new line above can change its place.
 */
export function missingModuleOf({ rule, what }: PlacedFinding): string | null {
  return (rule === missingModule && /\bneeds (mod_\w+)/.exec(what)?.[1]) || null;
}

/**
 * Makes fingerprints. Problems with the same rule, file and text get different numbers, in their
 * order.
 */
export class Fingerprints {
  private readonly countByProblem = new Map<string, number>();

  /** Returns 32 hexadecimal digits. `file`: the path in the report, with slashes. */
  fingerprintOf(file: string, tree: Tree, finding: PlacedFinding): string {
    const problemKey = [finding.rule.id, file, lineTextOf(tree, finding)].join('\0');
    const sameProblemCount = (this.countByProblem.get(problemKey) ?? 0) + 1;
    this.countByProblem.set(problemKey, sameProblemCount);
    return createHash('sha256').update(`${problemKey}\0${sameProblemCount}`).digest('hex').slice(0, 32);
  }
}
