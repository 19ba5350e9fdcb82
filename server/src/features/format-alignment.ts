/**
 * Computes the gaps between the words of neighbouring lines. Arguments that the author aligned in
 * several lines stay aligned, and all other gaps become one space. The functions work with numbers
 * only. Formatting twice gives the same result as formatting once.
 */

/** One of several neighbouring lines: the widths of its words, and of the gaps between them. */
export interface Row {
  /** The name of the directive. */
  readonly name: string;
  /**
   * The width of each cell in characters: first the name, then the arguments whose gaps may change.
   */
  readonly cellWidths: readonly number[];
  /** The width of the gap after each cell except the last, in characters. */
  readonly gapLengths: readonly number[];
}

/** Returns the widths of the gaps of each row after formatting. */
export function alignedGaps(rows: readonly Row[]): readonly (readonly number[])[] {
  let gaps = rows.map((row) => row.gapLengths);
  for (let pass = 0; pass < MAX_ALIGNMENT_PASSES; pass++) {
    const nextGaps = gapsAfterPass(rows, gaps);
    if (nextGaps.every((newGaps, index) => newGaps.every((gap, k) => gap === gaps[index]![k]!))) return nextGaps;
    gaps = nextGaps;
  }
  return rows.map((row) => row.gapLengths.map(() => 1));
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of passes. If the gaps still change after them, nothing is aligned. */
const MAX_ALIGNMENT_PASSES = 8;

/** Maximum number of rows, between two rows of a table, whose gaps end in other columns. */
const MAX_ROWS_BETWEEN = 8;

/** The widths of the gaps after one more pass. `oldGaps`: their widths before it, for each row. */
function gapsAfterPass(rows: readonly Row[], oldGaps: readonly (readonly number[])[]): number[][] {
  const newGaps = rows.map((row) => row.gapLengths.map(() => 1));
  const endColumnsBefore = rows.map((row) => row.cellWidths[0]!);
  const endColumnsAfter = rows.map((row) => row.cellWidths[0]!);
  const maxGapCount = rows.reduce((most, row) => Math.max(most, row.gapLengths.length), 0);
  for (let k = 0; k < maxGapCount; k++) {
    const columns = rows.map((row, index) =>
      k < row.gapLengths.length ? endColumnsBefore[index]! + oldGaps[index]![k]! : -1,
    );
    setColumnGaps({
      rows,
      oldGaps,
      newGaps,
      nextCellColumns: columns,
      endColumns: endColumnsAfter,
      gapIndex: k,
    });
    for (let index = 0; index < rows.length; index++) {
      if (columns[index]! < 0) continue;
      endColumnsBefore[index] = columns[index]! + rows[index]!.cellWidths[k + 1]!;
      endColumnsAfter[index]! += newGaps[index]![k]! + rows[index]!.cellWidths[k + 1]!;
    }
  }
  return newGaps;
}

/** The gaps with one index in all rows, and the cells after them. */
interface GapColumn {
  readonly rows: readonly Row[];
  readonly oldGaps: readonly (readonly number[])[];
  readonly newGaps: number[][];
  /** For each row, the column of the cell after the gap `gapIndex`; -1 if there is none. */
  readonly nextCellColumns: readonly number[];
  /** For each row, the column where the cell before the gap ends after formatting. */
  readonly endColumns: readonly number[];
  readonly gapIndex: number;
}

/**
 * Aligns the cells after the gap `gapIndex`. It looks for groups of neighbouring rows: a row whose
 * gap is wider than one space, and the rows above and below it whose next cell begins in the same
 * column. Rows between them belong to the group if they have the same directive name. If a group is
 * a table, its new gaps go into `newGaps`: the cells after them begin in one column. In all other
 * rows the gaps stay 1. For right alignment, see `setRightAlignedGroup`.
 */
function setColumnGaps({ rows, oldGaps, newGaps, nextCellColumns, endColumns, gapIndex }: GapColumn): void {
  let firstFreeRow = 0;
  for (let first = 0; first < rows.length; first++) {
    if (nextCellColumns[first]! < 0 || oldGaps[first]![gapIndex]! === 1) continue;
    const column = nextCellColumns[first]!;
    const members = [first];
    /**
     * Adds the rows of the group in one direction. Returns the index of the last row in that
     * direction.
     */
    const extendGroup = (step: 1 | -1, end: number): number => {
      let lastRow = first;
      let rowsBetween = 0;
      for (let index = first + step; index !== end && nextCellColumns[index]! >= 0; index += step) {
        if (nextCellColumns[index]! === column) members.push(index);
        else if (
          rows[index]!.name !== rows[lastRow]!.name ||
          (members.length === 1 && ++rowsBetween > MAX_ROWS_BETWEEN)
        )
          break;
        lastRow = index;
      }
      return lastRow;
    };
    const lastGroupRow = extendGroup(1, rows.length);
    const firstGroupRow = extendGroup(-1, firstFreeRow - 1);
    const lastRightAligned = setRightAlignedGroup(
      { rows, oldGaps, newGaps, nextCellColumns, endColumns, gapIndex },
      first,
      firstFreeRow,
      members.length,
    );
    if (lastRightAligned !== null) {
      first = lastRightAligned;
      firstFreeRow = first + 1;
      continue;
    }
    if (members.length === 1) continue;
    const target =
      members.reduce((most, index) => Math.max(most, endColumns[index]!), 0) +
      members.reduce((least, index) => Math.min(least, oldGaps[index]![gapIndex]!), Infinity);
    const rowsInTable: number[] = [];
    for (let index = firstGroupRow; index <= lastGroupRow; index++)
      if (nextCellColumns[index]! === column || endColumns[index]! < target) rowsInTable.push(index);
    // The lines are a table only if in at least half of them the next word begins in the same
    // column. If the words before the gap have equal lengths, alignment is not needed.
    const isTable =
      members.length * 2 >= rowsInTable.length && members.some((index) => endColumns[index]! !== endColumns[first]!);
    if (isTable) for (const index of rowsInTable) newGaps[index]![gapIndex] = target - endColumns[index]!;
    firstFreeRow = lastGroupRow + 1;
    first = lastGroupRow;
  }
}

/**
 * Keeps right alignment, which is usual for numbers. Sets the gaps of the group of lines around
 * `firstRow` whose words end in the same column. The group must have more lines than the
 * left-aligned group. Returns the index of its last line; null if there is no such group.
 * `firstFreeRow`: the first row that the group may contain.
 */
function setRightAlignedGroup(
  { rows, oldGaps, newGaps, nextCellColumns, endColumns, gapIndex }: GapColumn,
  firstRow: number,
  firstFreeRow: number,
  leftAlignedCount: number,
): number | null {
  const width = (index: number) => rows[index]!.cellWidths[gapIndex + 1]!;
  const endsInSameColumn = (index: number) =>
    nextCellColumns[index]! >= 0 &&
    nextCellColumns[index]! + width(index) === nextCellColumns[firstRow]! + width(firstRow);
  let firstMember = firstRow;
  let lastMember = firstRow;
  while (firstMember > firstFreeRow && endsInSameColumn(firstMember - 1)) firstMember--;
  while (lastMember + 1 < rows.length && endsInSameColumn(lastMember + 1)) lastMember++;
  const members = Array.from({ length: lastMember - firstMember + 1 }, (_, index) => firstMember + index);
  const columnsBeforeGap = (index: number) => endColumns[index]! + width(index);
  if (
    members.length <= leftAlignedCount ||
    members.every((index) => columnsBeforeGap(index) === columnsBeforeGap(firstRow))
  )
    return null;
  const target =
    members.reduce((most, index) => Math.max(most, columnsBeforeGap(index)), 0) +
    members.reduce((least, index) => Math.min(least, oldGaps[index]![gapIndex]!), Infinity);
  for (const index of members) newGaps[index]![gapIndex] = target - columnsBeforeGap(index);
  return lastMember;
}
