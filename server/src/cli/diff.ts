/**
 * Makes unified diffs for `patch` and `git apply`. A fix changes a few lines in a file that may be
 * large, so equal lines split both texts into parts first, and only the parts are compared line by
 * line: the usual algorithm takes minutes for ten thousand changes.
 */
import { diffArrays } from 'diff';

const CONTEXT_LINES = 3;

/** The number of equal lines in a row that are needed to match the texts at a place. */
const MIN_MATCHING_LINES = 3;

/**
 * How far to search for the next match, in lines of both texts together. If there is none, all
 * these lines count as one change, so that the time stays linear.
 */
const MAX_SEARCH_LINES = 600;

/** The difference as a patch; '' if there is none. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const a = linesOf(before);
  const b = linesOf(after);
  const hunks = changesByHunk(changesBetween(a, b)).map((changes) => printHunk(changes, a, b));
  return hunks.length === 0 ? '' : `--- ${quotedFileName(path)}\n+++ ${quotedFileName(path)}\n${hunks.join('')}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Lines [aStart, aEnd) of the old text become lines [bStart, bEnd) of the new one. */
interface Change {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
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
    const match = nextMatch(i, j);
    const [aEnd, bEnd] = match ?? [Math.min(a.length, i + MAX_SEARCH_LINES), Math.min(b.length, j + MAX_SEARCH_LINES)];
    let [aAt, bAt] = [i, j];
    if (!match) addChange(changes, { aStart: i, aEnd, bStart: j, bEnd });
    for (const part of match ? diffArrays(a.slice(i, aEnd), b.slice(j, bEnd)) : []) {
      const { length } = part.value;
      const isKept = !part.added && !part.removed;
      if (!isKept)
        addChange(changes, {
          aStart: aAt,
          aEnd: aAt + (part.removed ? length : 0),
          bStart: bAt,
          bEnd: bAt + (part.added ? length : 0),
        });
      if (!part.added) aAt += length;
      if (!part.removed) bAt += length;
    }
    [i, j] = [aEnd, bEnd];
  }
}

/**
 * Returns the nearest place after (i, j) from which both texts match; null if there is none nearby.
 * Prefers the earlier place in the old text. Positions must increase from call to call.
 */
type NextMatch = (i: number, j: number) => [number, number] | null;

/**
 * Makes a `NextMatch`. It uses an index of all lines, and of all runs of `MIN_MATCHING_LINES`
 * lines.
 */
function matchFinder(a: readonly string[], b: readonly string[]): NextMatch {
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]) =>
    lines.map((line) => numbers.get(line) ?? numbers.set(line, numbers.size + 1).get(line)!);
  const lines = [numbered(a), numbered(b)] as const;
  const runNumbers = lines.map(lineRunNumberer(numbers.size + 1)) as [number[], number[]];
  const newPositions = new PositionsByNumber(runNumbers[1]);
  // A line that occurs once in each text matches, even if the lines after it differ.
  const [oldPositionOf, newPositionOf] = lines.map(placesOfUnique) as [Int32Array, Int32Array];
  return (i, j) => {
    if (i === a.length || j === b.length) return [a.length, b.length];
    let found: [number, number] | null = null;
    let leastDistance = MAX_SEARCH_LINES + 1;
    for (let x = i; x <= a.length && x - i < leastDistance; x++) {
      const oldLine = x < a.length ? lines[0][x]! : 0;
      for (const y of [
        newPositions.firstPositionFrom(runNumbers[0][x]!, j),
        oldPositionOf[oldLine]! >= 0 ? (newPositionOf[oldLine] ?? -1) : -1,
      ]) {
        const distance = x - i + y - j;
        if (y < j || distance >= leastDistance) continue;
        leastDistance = distance;
        found = [x, y];
      }
    }
    return found;
  };

  function placesOfUnique(all: readonly number[]): Int32Array {
    const found = new Int32Array(numbers.size + 1).fill(NO_POSITION);
    for (const [at, line] of all.entries()) found[line] = found[line] === NO_POSITION ? at : SEVERAL_POSITIONS;
    return found;
  }
}

const NO_POSITION = -1;
const SEVERAL_POSITIONS = -2;

/**
 * Returns a function that gives each line of a text a number for the run of `MIN_MATCHING_LINES`
 * lines that begins there (a shorter run at the end of the text). Equal runs have equal numbers in
 * both texts. 0 in a run stands for a line after the end.
 */
function lineRunNumberer(lineNumbers: number): (lines: readonly number[]) => number[] {
  const numbers = new Map<number, number>();
  return (lines) => {
    const rows = new Array<number>(lines.length + 1);
    for (let at = 0; at <= lines.length; at++) {
      let row = 0;
      for (let k = 0; k < MIN_MATCHING_LINES; k++) {
        const longer = row * lineNumbers + (lines[at + k] ?? 0);
        row = numbers.get(longer) ?? numbers.set(longer, numbers.size + 1).get(longer)!;
      }
      rows[at] = row;
    }
    return rows;
  };
}

/** The positions of each number in a list. */
class PositionsByNumber {
  private readonly positions = new Map<number, number[]>();
  /** For each number, the index of the first position that is still searched. */
  private readonly firstSearchedIndex = new Map<number, number>();

  constructor(numbers: readonly number[]) {
    for (const [at, number] of numbers.entries()) {
      const places = this.positions.get(number);
      if (places) places.push(at);
      else this.positions.set(number, [at]);
    }
  }

  /**
   * The first position of a number that is at least `least`; -1 if there is none. `least` must not
   * decrease between calls.
   */
  firstPositionFrom(number: number, least: number): number {
    const places = this.positions.get(number);
    if (!places) return NO_POSITION;
    let index = this.firstSearchedIndex.get(number) ?? 0;
    while (index < places.length && places[index]! < least) index++;
    this.firstSearchedIndex.set(number, index);
    return places[index] ?? NO_POSITION;
  }
}

/** Adds a change. If removed and added lines are at one place, they become one change. */
function addChange(changes: Change[], change: Change): void {
  const last = changes[changes.length - 1];
  if (last && last.aEnd === change.aStart && last.bEnd === change.bStart) {
    changes[changes.length - 1] = { ...last, aEnd: change.aEnd, bEnd: change.bEnd };
  } else {
    changes.push(change);
  }
}

/** Groups changes whose context lines overlap: each group becomes one hunk of the diff. */
function changesByHunk(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups[groups.length - 1];
    if (group && change.aStart - group[group.length - 1]!.aEnd <= 2 * CONTEXT_LINES) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

/** One hunk of the diff: the changes with the lines around them. */
function printHunk(changes: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const first = changes[0]!;
  const last = changes[changes.length - 1]!;
  const linesBefore = Math.min(CONTEXT_LINES, first.aStart);
  const linesAfter = Math.min(CONTEXT_LINES, a.length - last.aEnd);
  const from = first.aStart - linesBefore;
  const to = last.aEnd + linesAfter;
  const rows: string[] = [];
  const print = (mark: string, lines: readonly string[]) => {
    for (const line of lines)
      rows.push(line.endsWith('\n') ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`);
  };
  let at = from;
  for (const { aStart, aEnd, bStart, bEnd } of changes) {
    print(' ', a.slice(at, aStart));
    print('-', a.slice(aStart, aEnd));
    print('+', b.slice(bStart, bEnd));
    at = aEnd;
  }
  print(' ', a.slice(at, to));
  const newFrom = first.bStart - linesBefore;
  return `@@ -${hunkRangeStart(from, to - from)} +${hunkRangeStart(newFrom, last.bEnd + linesAfter - newFrom)} @@\n${rows.join('')}`;
}

/** The first line of a range, counted from 1. For an empty range, the line before it. */
function hunkRangeStart(start: number, count: number): string {
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
