/**
 * Identifies a problem in different runs, even if lines above it change: by its rule, its file, and
 * the text of its line.
 */
import { createHash } from 'node:crypto';
import type { PlacedFinding } from '../analysis/findings';
import { missingModule } from '../rules/missing-module';
import type { Tree } from '../syntax/document';

/** The line of a finding, with single spaces between its words. */
export function lineTextOf(tree: Tree, finding: PlacedFinding): string {
  const line = tree.lineAt(finding.start);
  return (line ? line.line.text : '').replace(/\s+/g, ' ').trim();
}

/**
 * The module of a problem about a missing module; null for other problems. The problem is at the
 * first line that needs the module, so its place changes if a new line comes before.
 */
export function missingModuleOf({ rule, what }: PlacedFinding): string | null {
  return (rule === missingModule && /\bneeds (mod_\w+)/.exec(what)?.[1]) || null;
}

/** Makes fingerprints. Problems with the same rule, file and text are numbered in their order. */
export class Fingerprints {
  private readonly counts = new Map<string, number>();

  /** Returns 32 hexadecimal digits. `file`: the path in the report, with slashes. */
  of(file: string, tree: Tree, finding: PlacedFinding): string {
    const key = [finding.rule.id, file, lineTextOf(tree, finding)].join('\0');
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return createHash('sha256').update(`${key}\0${count}`).digest('hex').slice(0, 32);
  }
}
