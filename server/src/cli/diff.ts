/**
 * Unified diffs that `patch` and `git apply` read. A fix changes few lines here and there in a file that may be large, so
 * the text is cut at lines that agree first, and only what lies between is compared in earnest: the usual algorithm
 * alone takes minutes for ten thousand changes.
 */
import { diffArrays } from 'diff';

const CONTEXT = 3;

/** So many lines in a row that agree are the same place in both. */
const SURE = 3;

/** How far to look for such a place, in lines of both together. Where there is none, so much is one change: the time grows with the text and not with its square. */
const FAR = 600;

/** The difference as a patch; '' where there is none. */
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

/** Each with its line end; a last line without one stays without. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function changesBetween(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  const isUnique = uniqueIn(a, b);
  let i = 0;
  let j = 0;
  for (;;) {
    while (i < a.length && j < b.length && a[i] === b[j]) {
      i++;
      j++;
    }
    if (i === a.length && j === b.length) return changes;
    const near = nextAgreement(a, b, i, j, isUnique);
    const [aEnd, bEnd] = near ?? [Math.min(a.length, i + FAR), Math.min(b.length, j + FAR)];
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

/** Tells the lines that stand once in both: two of them are the same place, whatever follows. */
function uniqueIn(...texts: readonly (readonly string[])[]): (line: string) => boolean {
  const counts = texts.map((lines) => {
    const count = new Map<string, number>();
    for (const line of lines) count.set(line, (count.get(line) ?? 0) + 1);
    return count;
  });
  return (line) => counts.every((count) => count.get(line) === 1);
}

/** The nearest place behind (i, j) where both go on alike; null where there is none near. */
function nextAgreement(
  a: readonly string[],
  b: readonly string[],
  i: number,
  j: number,
  isUnique: (line: string) => boolean,
): [number, number] | null {
  if (i === a.length || j === b.length) return [a.length, b.length];
  for (let distance = 1; distance <= FAR; distance++) {
    for (let down = 0; down <= distance; down++) {
      const [x, y] = [i + down, j + distance - down];
      if (x <= a.length && y <= b.length && (agree(a, b, x, y) || (x < a.length && a[x] === b[y] && isUnique(a[x]!))))
        return [x, y];
    }
  }
  return null;
}

function agree(a: readonly string[], b: readonly string[], x: number, y: number): boolean {
  for (let k = 0; k < SURE; k++) {
    if (x + k === a.length && y + k === b.length) return true;
    if (x + k >= a.length || y + k >= b.length || a[x + k] !== b[y + k]) return false;
  }
  return true;
}

/** Removed and added lines at one place are one change. */
function addChange(changes: Change[], change: Change): void {
  const last = changes[changes.length - 1];
  if (last && last.aEnd === change.aStart && last.bEnd === change.bStart) {
    changes[changes.length - 1] = { ...last, aEnd: change.aEnd, bEnd: change.bEnd };
  } else {
    changes.push(change);
  }
}

/** Changes whose context would overlap share a hunk. */
function grouped(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups[groups.length - 1];
    if (group && change.aStart - group[group.length - 1]!.aEnd <= 2 * CONTEXT) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function printHunk(changes: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const first = changes[0]!;
  const last = changes[changes.length - 1]!;
  const lead = Math.min(CONTEXT, first.aStart);
  const trail = Math.min(CONTEXT, a.length - last.aEnd);
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

/** 1-based; of nothing, the line before it. */
function place(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

/** A name that `patch` reads back: in quotes where it has what would break the line, ended by a tab where it has blanks. */
function fileName(path: string): string {
  if (/[\0-\x1f\x7f"\\]/.test(path)) {
    const escaped = path
      .replace(/["\\]/g, '\\$&')
      .replace(/[\0-\x1f\x7f]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
    return `"${escaped}"`;
  }
  return path.includes(' ') ? `${path}\t` : path;
}
