/**
 * An index of the findings about a whole file. It finds those with a line in a range, without
 * searching all findings.
 */
import type { CachedFinding } from './results';

/** The range of a line of a finding. `index`: the index of the finding among all findings. */
interface LineOfFinding {
  readonly start: number;
  readonly end: number;
  readonly index: number;
}

/** The lines of all findings, sorted for a search by position. */
interface SortedLines {
  /** The lines in the order of their start offsets. */
  readonly lines: readonly LineOfFinding[];
  /**
   * For each line, in the same order: the largest end offset of this line and all lines before it.
   */
  readonly maxEnds: readonly number[];
}

/** Finds the findings about a whole file that have a line in a range. */
export class FindingsByPosition {
  private cachedLines: SortedLines | null = null;

  constructor(private readonly findings: readonly CachedFinding[]) {}

  /** The findings that overlap [from, to] (UTF-16 offsets in the file), in their original order. */
  findingsOverlapping(from: number, to: number): readonly CachedFinding[] {
    if (from <= 0 && to === Infinity) return this.findings;
    const { lines, maxEnds } = (this.cachedLines ??= sortedLinesOf(this.findings));
    let low = 0;
    for (let high = lines.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (lines[middle]!.start <= to) low = middle + 1;
      else high = middle;
    }
    const foundIndexes = new Set<number>();
    for (let i = low - 1; i >= 0 && maxEnds[i]! >= from; i--)
      if (lines[i]!.end >= from) foundIndexes.add(lines[i]!.index);
    return [...foundIndexes].sort((a, b) => a - b).map((index) => this.findings[index]!);
  }
}

/**
 * Sorts the lines of the findings by where they start. `maxEnds` has for each line the largest end
 * of it and the lines before it.
 */
function sortedLinesOf(findings: readonly CachedFinding[]): SortedLines {
  const linesOfFindings = findings
    .flatMap(({ finding: { start, end, places } }, index) =>
      [{ start, end }, ...(places ?? [])].map((line): LineOfFinding => ({ start: line.start, end: line.end, index })),
    )
    .sort((a, b) => a.start - b.start);
  let maxEnd = 0;
  return { lines: linesOfFindings, maxEnds: linesOfFindings.map(({ end }) => (maxEnd = Math.max(maxEnd, end))) };
}
