/**
 * Makes unified diffs for `patch` and `git apply`. A fix changes a few lines in a file that may be
 * large, so equal lines split both texts into parts first, and only the parts are compared line by
 * line: the usual algorithm takes minutes for ten thousand changes.
 */
import { diffArrays } from 'diff';

/** The number of unchanged lines that are shown before and after changes. */
const CONTEXT_LINES = 3;

/** The number of equal lines in a row that are needed to match the texts at a place. */
const MIN_MATCHING_LINES = 3;

/**
 * How far to search for the next match, in lines of both texts together. If no match is found, all
 * these lines count as one change, so that the time stays linear.
 */
const MAX_SEARCH_LINES = 600;

/** The difference as a patch; '' if there is none. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const a = linesOf(before);
  const b = linesOf(after);
  const hunks = groupedIntoHunks(changesBetween(a, b)).map((changes) => hunkText(changes, a, b));
  return hunks.length === 0 ? '' : `--- ${quotedFileName(path)}\n+++ ${quotedFileName(path)}\n${hunks.join('')}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Lines [oldStart, oldEnd) of the old text become lines [newStart, newEnd) of the new text. */
interface Change {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Each line with its line end; the last one may have none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]+\n?|\n/g) ?? [];
}

/** The changes that turn the lines `a` into the lines `b`, in order. */
function changesBetween(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  const nextMatch = matchFinder(a, b);
  let i = 0;
  let j = 0;
  for (;;) {
    while (i < a.length && j < b.length && a[i] === b[j]) {
      i++;
      j++;
    }
    if (i === a.length && j === b.length) return changes;
    const nextEqualPlace = nextMatch(i, j);
    const [oldEnd, newEnd] = nextEqualPlace ?? [
      Math.min(a.length, i + MAX_SEARCH_LINES),
      Math.min(b.length, j + MAX_SEARCH_LINES),
    ];
    let [aAt, bAt] = [i, j];
    if (!nextEqualPlace) addChange(changes, { oldStart: i, oldEnd, newStart: j, newEnd });
    for (const changedPart of nextEqualPlace ? diffArrays(a.slice(i, oldEnd), b.slice(j, newEnd)) : []) {
      const { length } = changedPart.value;
      const isUnchangedPart = !changedPart.added && !changedPart.removed;
      if (!isUnchangedPart)
        addChange(changes, {
          oldStart: aAt,
          oldEnd: aAt + (changedPart.removed ? length : 0),
          newStart: bAt,
          newEnd: bAt + (changedPart.added ? length : 0),
        });
      if (!changedPart.added) aAt += length;
      if (!changedPart.removed) bAt += length;
    }
    [i, j] = [oldEnd, newEnd];
  }
}

/**
 * Finds the nearest place where the texts agree again, from line `i` of the old text and line `j`
 * of the new text on: the numbers of two lines. There, `MIN_MATCHING_LINES` lines are equal, or one
 * line is equal that occurs once in each text. Null if there is none nearby. Prefers the earlier
 * line of the old text. `i` and `j` must not decrease between calls.
 */
type NextMatch = (i: number, j: number) => [number, number] | null;

/**
 * Makes a `NextMatch`. It uses an index of all lines, and of all runs of `MIN_MATCHING_LINES`
 * lines.
 */
function matchFinder(a: readonly string[], b: readonly string[]): NextMatch {
  const idByLine = new Map<string, number>();
  const idsOfLines = (lines: readonly string[]) =>
    lines.map((line) => idByLine.get(line) ?? idByLine.set(line, idByLine.size + 1).get(line)!);
  const idsOfTexts = [idsOfLines(a), idsOfLines(b)] as const;
  const idsOfRuns = idsOfTexts.map(runIdsFinder(idByLine.size + 1)) as [number[], number[]];
  const newPositions = new PositionsByNumber(idsOfRuns[1]);
  // A line that occurs once in each text matches, even if the lines after it differ.
  const [oldPositionById, newPositionById] = idsOfTexts.map(positionsOfUniqueLines) as [Int32Array, Int32Array];
  return (i, j) => {
    if (i === a.length || j === b.length) return [a.length, b.length];
    let nearestMatch: [number, number] | null = null;
    let leastDistance = MAX_SEARCH_LINES + 1;
    for (let x = i; x <= a.length && x - i < leastDistance; x++) {
      const oldLine = x < a.length ? idsOfTexts[0][x]! : 0;
      for (const y of [
        newPositions.firstPositionFrom(idsOfRuns[0][x]!, j),
        oldPositionById[oldLine]! >= 0 ? (newPositionById[oldLine] ?? -1) : -1,
      ]) {
        const distance = x - i + y - j;
        if (y < j || distance >= leastDistance) continue;
        leastDistance = distance;
        nearestMatch = [x, y];
      }
    }
    return nearestMatch;
  };

  /** The position of each line that occurs once, by the id of the line. */
  function positionsOfUniqueLines(ids: readonly number[]): Int32Array {
    const positionById = new Int32Array(idByLine.size + 1).fill(NO_POSITION);
    for (const [at, line] of ids.entries())
      positionById[line] = positionById[line] === NO_POSITION ? at : SEVERAL_POSITIONS;
    return positionById;
  }
}

/** Stands for the position of a line that does not occur. */
const NO_POSITION = -1;
/** Stands for the position of a line that occurs more than once. */
const SEVERAL_POSITIONS = -2;

/**
 * Returns a function that finds for each line of a text the id of the run that begins there:
 * `MIN_MATCHING_LINES` lines, or fewer at the end of the text. Equal runs have the same id in both
 * texts. `lines` has the ids of the lines; 0 stands for a line after the end. `idCount`: one more
 * than the largest of these ids.
 */
function runIdsFinder(idCount: number): (lines: readonly number[]) => number[] {
  const idByRun = new Map<number, number>();
  return (lines) => {
    const idsOfRuns = new Array<number>(lines.length + 1);
    for (let at = 0; at <= lines.length; at++) {
      let runId = 0;
      for (let k = 0; k < MIN_MATCHING_LINES; k++) {
        const longerRun = runId * idCount + (lines[at + k] ?? 0);
        runId = idByRun.get(longerRun) ?? idByRun.set(longerRun, idByRun.size + 1).get(longerRun)!;
      }
      idsOfRuns[at] = runId;
    }
    return idsOfRuns;
  };
}

/** The positions of each number in a list. */
class PositionsByNumber {
  private readonly positionsByNumber = new Map<number, number[]>();
  /** For each number, the index in its positions at which the next search begins. */
  private readonly firstSearchedIndexByNumber = new Map<number, number>();

  constructor(numbers: readonly number[]) {
    for (const [at, number] of numbers.entries()) {
      const positionsOfNumber = this.positionsByNumber.get(number);
      if (positionsOfNumber) positionsOfNumber.push(at);
      else this.positionsByNumber.set(number, [at]);
    }
  }

  /**
   * The first position of `number` that is not before `least`; -1 if there is none. `least` must
   * not decrease between calls.
   */
  firstPositionFrom(number: number, least: number): number {
    const positionsOfNumber = this.positionsByNumber.get(number);
    if (!positionsOfNumber) return NO_POSITION;
    let searchedIndex = this.firstSearchedIndexByNumber.get(number) ?? 0;
    while (searchedIndex < positionsOfNumber.length && positionsOfNumber[searchedIndex]! < least) searchedIndex++;
    this.firstSearchedIndexByNumber.set(number, searchedIndex);
    return positionsOfNumber[searchedIndex] ?? NO_POSITION;
  }
}

/** Adds a change. If removed and added lines are at one place, they become one change. */
function addChange(changes: Change[], change: Change): void {
  const lastChange = changes[changes.length - 1];
  if (lastChange && lastChange.oldEnd === change.oldStart && lastChange.newEnd === change.newStart) {
    changes[changes.length - 1] = { ...lastChange, oldEnd: change.oldEnd, newEnd: change.newEnd };
  } else {
    changes.push(change);
  }
}

/** Groups changes whose context lines overlap: each group becomes one hunk of the diff. */
function groupedIntoHunks(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups[groups.length - 1];
    if (group && change.oldStart - group[group.length - 1]!.oldEnd <= 2 * CONTEXT_LINES) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

/** One hunk of the diff: the changes with the lines around them. */
function hunkText(changes: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const firstChange = changes[0]!;
  const lastChange = changes[changes.length - 1]!;
  const linesBefore = Math.min(CONTEXT_LINES, firstChange.oldStart);
  const linesAfter = Math.min(CONTEXT_LINES, a.length - lastChange.oldEnd);
  const firstLine = firstChange.oldStart - linesBefore;
  const endLine = lastChange.oldEnd + linesAfter;
  const printedRows: string[] = [];
  const print = (mark: string, lines: readonly string[]) => {
    for (const line of lines)
      printedRows.push(line.endsWith('\n') ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`);
  };
  let nextLine = firstLine;
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    print(' ', a.slice(nextLine, oldStart));
    print('-', a.slice(oldStart, oldEnd));
    print('+', b.slice(newStart, newEnd));
    nextLine = oldEnd;
  }
  print(' ', a.slice(nextLine, endLine));
  const firstNewLine = firstChange.newStart - linesBefore;
  return `@@ -${hunkRange(firstLine, endLine - firstLine)} +${hunkRange(firstNewLine, lastChange.newEnd + linesAfter - firstNewLine)} @@\n${printedRows.join('')}`;
}

/**
 * A range of lines as `FIRST,COUNT`. FIRST is counted from 1; for an empty range, it is the line
 * before.
 */
function hunkRange(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

/**
 * A file name in the form that `patch` reads: in quotes if it has special characters, followed by a
 * tab if it has spaces.
 */
function quotedFileName(path: string): string {
  if (/[\0-\x1f\x7f"\\]/.test(path)) {
    const escaped = path
      .replace(/["\\]/g, '\\$&')
      .replace(/[\0-\x1f\x7f]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
    return `"${escaped}"`;
  }
  return path.includes(' ') ? `${path}\t` : path;
}
