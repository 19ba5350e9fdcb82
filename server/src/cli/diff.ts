/**
 * Makes unified diffs for `patch` and `git apply`. A fix changes a few lines in a file that may be
 * large. So the texts are first split at lines that are equal, and only the parts between are
 * compared exactly: the usual algorithm alone takes minutes for ten thousand changes.
 */
import { diffArrays } from 'diff';

const CONTEXT_LINES = 3;

/** If this many lines in a row are equal, they count as the same place in both texts. */
const SURE_ROWS = 3;

/**
 * Limit of the search for such a place, in lines of both texts together. If none is found, these
 * lines are one change, so that the time stays linear.
 */
const MAX_SEARCH_ROWS = 600;

/** The difference as a patch; '' if there is none. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const a = linesOf(before);
  const b = linesOf(after);
  const hunks = grouped(changesBetween(a, b)).map((changes) => printHunk(changes, a, b));
  return hunks.length === 0 ? '' : `--- ${fileName(path)}\n+++ ${fileName(path)}\n${hunks.join('')}`;
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

function changesBetween(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  const nextAgreement = agreements(a, b);
  let i = 0;
  let j = 0;
  for (;;) {
    while (i < a.length && j < b.length && a[i] === b[j]) {
      i++;
      j++;
    }
    if (i === a.length && j === b.length) return changes;
    const near = nextAgreement(i, j);
    const [aEnd, bEnd] = near ?? [Math.min(a.length, i + MAX_SEARCH_ROWS), Math.min(b.length, j + MAX_SEARCH_ROWS)];
    let [aAt, bAt] = [i, j];
    if (!near) addChange(changes, { aStart: i, aEnd, bStart: j, bEnd });
    for (const part of near ? diffArrays(a.slice(i, aEnd), b.slice(j, bEnd)) : []) {
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
 * Returns the nearest place after (i, j) where both texts agree; null if there is none nearby.
 * Prefers the earlier place in the old text. Positions must increase from call to call.
 */
type NextAgreement = (i: number, j: number) => [number, number] | null;

/** Makes a `NextAgreement` with an index of all lines, and of all rows of SURE lines. */
function agreements(a: readonly string[], b: readonly string[]): NextAgreement {
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]) =>
    lines.map((line) => numbers.get(line) ?? numbers.set(line, numbers.size + 1).get(line)!);
  const lines = [numbered(a), numbered(b)] as const;
  const rows = lines.map(rowsOf(numbers.size + 1)) as [number[], number[]];
  const places = new PositionsByNumber(rows[1]);
  // A line that occurs once in both texts is the same place, whatever follows.
  const [once, twin] = lines.map(placesOfUnique) as [Int32Array, Int32Array];
  return (i, j) => {
    if (i === a.length || j === b.length) return [a.length, b.length];
    let found: [number, number] | null = null;
    let least = MAX_SEARCH_ROWS + 1;
    for (let x = i; x <= a.length && x - i < least; x++) {
      const oldLine = x < a.length ? lines[0][x]! : 0;
      for (const y of [places.from(rows[0][x]!, j), once[oldLine]! >= 0 ? (twin[oldLine] ?? -1) : -1]) {
        const distance = x - i + y - j;
        if (y < j || distance >= least) continue;
        least = distance;
        found = [x, y];
      }
    }
    return found;
  };

  function placesOfUnique(all: readonly number[]): Int32Array {
    const found = new Int32Array(numbers.size + 1).fill(NOWHERE);
    for (const [at, line] of all.entries()) found[line] = found[line] === NOWHERE ? at : OFTEN;
    return found;
  }
}

const NOWHERE = -1;
const OFTEN = -2;

/**
 * Numbers each row of SURE lines, and the shorter rows at the end of the text. Equal numbers mean
 * equal rows, also in the other text; 0 stands for no line.
 */
function rowsOf(lineNumbers: number): (lines: readonly number[]) => number[] {
  const numbers = new Map<number, number>();
  return (lines) => {
    const rows = new Array<number>(lines.length + 1);
    for (let at = 0; at <= lines.length; at++) {
      let row = 0;
      for (let k = 0; k < SURE_ROWS; k++) {
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
  private readonly all = new Map<number, number[]>();
  /** Positions before these are no longer searched. */
  private readonly passed = new Map<number, number>();

  constructor(numbers: readonly number[]) {
    for (const [at, number] of numbers.entries()) {
      const places = this.all.get(number);
      if (places) places.push(at);
      else this.all.set(number, [at]);
    }
  }

  /**
   * The first position of a number from `least` on; -1 if there is none. `least` must not decrease
   * between calls.
   */
  from(number: number, least: number): number {
    const places = this.all.get(number);
    if (!places) return NOWHERE;
    let index = this.passed.get(number) ?? 0;
    while (index < places.length && places[index]! < least) index++;
    this.passed.set(number, index);
    return places[index] ?? NOWHERE;
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

/** Groups changes whose context lines would overlap, because these belong into one hunk. */
function grouped(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups[groups.length - 1];
    if (group && change.aStart - group[group.length - 1]!.aEnd <= 2 * CONTEXT_LINES) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function printHunk(changes: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const first = changes[0]!;
  const last = changes[changes.length - 1]!;
  const lead = Math.min(CONTEXT_LINES, first.aStart);
  const trail = Math.min(CONTEXT_LINES, a.length - last.aEnd);
  const from = first.aStart - lead;
  const to = last.aEnd + trail;
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
  const newFrom = first.bStart - lead;
  return `@@ -${place(from, to - from)} +${place(newFrom, last.bEnd + trail - newFrom)} @@\n${rows.join('')}`;
}

/** The first line of a range, counted from 1. For an empty range, the line before it. */
function place(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

/**
 * A file name in the form that `patch` reads: in quotes if it has special characters, followed by a
 * tab if it has spaces.
 */
function fileName(path: string): string {
  if (/[\0-\x1f\x7f"\\]/.test(path)) {
    const escaped = path
      .replace(/["\\]/g, '\\$&')
      .replace(/[\0-\x1f\x7f]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
    return `"${escaped}"`;
  }
  return path.includes(' ') ? `${path}\t` : path;
}
