/**
 * Identifies a problem from run to run, independent of lines above it: by its rule, its file, and
 * the text of its line.
 */
import { createHash } from 'node:crypto';
import type { PlacedFinding } from '../analysis/findings';
import type { Tree } from '../syntax/document';

/** The logical line of a finding, with single spaces between its words. */
export function lineTextOf(tree: Tree, finding: PlacedFinding): string {
  const line = tree.lineAt(finding.start);
  return (line ? line.line.text : '').replace(/\s+/g, ' ').trim();
}

/** Numbers problems with the same rule, file and text in the order of a run, to tell them apart. */
export class Fingerprints {
  private readonly counts = new Map<string, number>();

  /** 32 hexadecimal digits. `file`: a path that readers of the report know, with slashes. */
  of(file: string, tree: Tree, finding: PlacedFinding): string {
    const key = [finding.rule.id, file, lineTextOf(tree, finding)].join('\0');
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return createHash('sha256').update(`${key}\0${count}`).digest('hex').slice(0, 32);
  }
}
