/**
 * An index of the findings about a whole file. It gives those with a line in a range without a look
 * at all of them.
 */
import type { CachedFinding } from './results';

interface LineOfFinding {
  readonly start: number;
  readonly end: number;
  readonly index: number;
}

interface SortedLines {
  /** In text order. */
  readonly all: readonly LineOfFinding[];
  /**
   * For each line, in the same order: the largest end offset of this line and of all lines before
   * it.
   */
  readonly ends: readonly number[];
}

export class FindingsByPosition {
  private lines: SortedLines | null = null;

  constructor(private readonly all: readonly CachedFinding[]) {}

  /** The findings that overlap [from, to] (UTF-16 offsets in the file), in their original order. */
  overlapping(from: number, to: number): readonly CachedFinding[] {
    if (from <= 0 && to === Infinity) return this.all;
    const { all, ends } = (this.lines ??= sortedLinesOf(this.all));
    let low = 0;
    for (let high = all.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (all[middle]!.start <= to) low = middle + 1;
      else high = middle;
    }
    const found = new Set<number>();
    for (let i = low - 1; i >= 0 && ends[i]! >= from; i--) if (all[i]!.end >= from) found.add(all[i]!.index);
    return [...found].sort((a, b) => a - b).map((index) => this.all[index]!);
  }
}

function sortedLinesOf(findings: readonly CachedFinding[]): SortedLines {
  const all = findings
    .flatMap(({ finding: { start, end, places } }, index) =>
      [{ start, end }, ...(places ?? [])].map((line): LineOfFinding => ({ start: line.start, end: line.end, index })),
    )
    .sort((a, b) => a.start - b.start);
  let last = 0;
  return { all, ends: all.map(({ end }) => (last = Math.max(last, end))) };
}
