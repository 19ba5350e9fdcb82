/** What names a problem from run to run, whatever is written above it: its rule, its file, and the text of its line. */
import { createHash } from 'node:crypto';
import type { PlacedFinding } from '../analysis/findings';
import type { Tree } from '../syntax/document';

/** The logical line of a finding, its words one blank apart. */
export function lineTextOf(tree: Tree, finding: PlacedFinding): string {
  const line = tree.lineAt(finding.start);
  return (line ? line.line.text : '').replace(/\s+/g, ' ').trim();
}

/** Tells problems apart that have rule, file and text in common: those before it in a run have made it so many. */
export class Fingerprints {
  private readonly counts = new Map<string, number>();

  /** 32 hexadecimal digits. `file`: relative to what the readers of the report know, with slashes. */
  of(file: string, tree: Tree, finding: PlacedFinding): string {
    const key = [finding.rule.id, file, lineTextOf(tree, finding)].join('\0');
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return createHash('sha256').update(`${key}\0${count}`).digest('hex').slice(0, 32);
  }
}
