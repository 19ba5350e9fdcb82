/**
 * Known problems, in a file for the repository: old ones do not fail a run, new ones do. A problem is known by its file, its rule and the text of its line,
 * wherever that stands; of several that are alike, so many as the file names. A file that was renamed keeps its known problems: see `movedFrom`.
 */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { PlacedFinding } from '../analysis/findings';
import { explain } from '../host/node';
import { readSettingsNow } from '../host/read-now';
import type { Tree } from '../syntax/document';
import type { GivenBaseline } from './arguments';
import { lineTextOf } from './fingerprint';
import { writeWhole } from './output';
import type { Terminal } from './terminal';

/** By file (relative to the baseline's directory, with slashes), rule and text of the line: how many there are. */
type Counts = Record<string, Record<string, Record<string, number>>>;

export interface Baseline {
  /** Whether a problem is known. Takes note of it: to be asked once for each. */
  isKnown(file: string, tree: Tree, finding: PlacedFinding): boolean;
  /** Takes note that a file has been looked at, before anything of it is judged. `findings` are all that it has: they are read where the file may be one that was renamed. */
  looksAt(file: string, tree: Tree, findings: () => Iterable<PlacedFinding>): void;
  /** Known problems of files that were looked at that are not there any more. */
  readonly gone: number;
  /** How many files have the known problems of a file that is gone. */
  readonly moved: number;
  /** Writes what was found to the file, where that was asked for. What the file has of files that were not looked at stays, as long as they are there. */
  save(): void;
}

/** null where the file cannot be read, which is reported. */
export function readBaseline({ file, isUpdate }: GivenBaseline, terminal: Terminal): Baseline | null {
  const known = countsIn(file, isUpdate, terminal);
  if (!known) return null;
  const base = path.dirname(path.resolve(file));
  const nameOf = (given: string) => path.relative(base, path.resolve(given)).split(path.sep).join('/');
  const found: Counts = {};
  const left: Counts = structuredClone(known);
  /** Files of the baseline that are not there any more, and not yet found under another name. */
  const missing = new Set(Object.keys(known).filter((name) => isMissing(path.resolve(base, name))));
  let moved = 0;
  return {
    looksAt(given, tree, findings) {
      const name = nameOf(given);
      found[name] ??= {};
      // What is there in no file may be there in a pipe.
      missing.delete(name);
      if (left[name] || missing.size === 0) return;
      const own: Counts[string] = {};
      for (const finding of findings()) add(own, finding.rule.id, lineTextOf(tree, finding));
      const old = movedFrom(name, own, missing, left);
      if (old === null) return;
      missing.delete(old);
      left[name] = left[old]!;
      delete left[old];
      moved++;
    },
    isKnown(given, tree, finding) {
      const [name, rule, text] = [nameOf(given), finding.rule.id, lineTextOf(tree, finding)];
      add((found[name] ??= {}), rule, text);
      const same = left[name]?.[rule];
      const count = same?.[text] ?? 0;
      if (count > 0) same![text] = count - 1;
      return isUpdate || count > 0;
    },
    get gone() {
      return Object.keys(found).reduce((sum, name) => sum + total(left[name] ?? {}), 0);
    },
    get moved() {
      return moved;
    },
    save() {
      if (!isUpdate) return;
      const there = Object.entries(known).filter(([name]) => !isMissing(path.resolve(base, name)));
      const all = sorted({ ...Object.fromEntries(there), ...found });
      writeWhole(file, `${JSON.stringify({ version: 1, problems: all }, null, 1)}\n`);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function countsIn(file: string, mayBeMissing: boolean, terminal: Terminal): Counts | null {
  try {
    const read = JSON.parse(readSettingsNow(file).toString('utf8')) as { version?: unknown; problems?: unknown };
    if (read.version === 1 && isCounts(read.problems)) return read.problems;
    terminal.problem(file, 'is not a baseline of httpd-upgrade; write one with --update-baseline');
  } catch (error) {
    if (error instanceof SyntaxError) terminal.problem(file, `is not a baseline of httpd-upgrade: ${error.message}`);
    else {
      const { code, message } = explain(error);
      if (code === 'missing' && mayBeMissing) return {};
      terminal.problem(file, code === 'missing' ? 'does not exist; write it with --update-baseline' : message);
    }
  }
  return null;
}

function isCounts(value: unknown): value is Counts {
  const isRecord = (each: unknown): each is Record<string, unknown> =>
    typeof each === 'object' && each !== null && !Array.isArray(each);
  return (
    isRecord(value) &&
    Object.values(value).every(
      (rules) =>
        isRecord(rules) &&
        Object.values(rules).every(
          (texts) => isRecord(texts) && Object.values(texts).every((count) => Number.isInteger(count)),
        ),
    )
  );
}

function add(rules: Counts[string], rule: string, text: string): void {
  const own = (rules[rule] ??= {});
  own[text] = (own[text] ?? 0) + 1;
}

/** Of a file that cannot be looked at nobody knows: it counts as there. */
function isMissing(file: string): boolean {
  try {
    lstatSync(file);
    return false;
  } catch (error) {
    return explain(error).code === 'missing';
  }
}

/**
 * The missing file whose problems these are: at least half of those that either has are in both. So nobody's new problems are taken for old ones because a file
 * that is gone had one of them. Files of the same name in another folder go first, then the most in common; null where there is none.
 */
function movedFrom(name: string, own: Counts[string], missing: ReadonlySet<string>, left: Counts): string | null {
  const size = total(own);
  const best = (names: readonly string[]) =>
    names
      .map((old) => ({ old, common: common(own, left[old]!) }))
      .filter(({ old, common: both }) => both > 0 && 2 * both >= Math.max(size, total(left[old]!)))
      .sort((a, b) => b.common - a.common || commonEnd(name, b.old) - commonEnd(name, a.old))[0];
  const file = path.posix.basename(name);
  const names = [...missing];
  return (best(names.filter((old) => path.posix.basename(old) === file)) ?? best(names))?.old ?? null;
}

function common(a: Counts[string], b: Counts[string]): number {
  let sum = 0;
  for (const [rule, texts] of Object.entries(a))
    for (const [text, count] of Object.entries(texts)) sum += Math.min(count, b[rule]?.[text] ?? 0);
  return sum;
}

/** How many names at the ends of two paths are the same. */
function commonEnd(a: string, b: string): number {
  const [as, bs] = [a, b].map((each) => each.split('/').reverse()) as [string[], string[]];
  const differs = as.findIndex((each, i) => each !== bs[i]);
  return differs < 0 ? as.length : differs;
}

function total(rules: Counts[string]): number {
  return Object.values(rules).reduce(
    (sum, texts) => sum + Object.values(texts).reduce((own, count) => own + count, 0),
    0,
  );
}

/** Files, rules and texts in order, without those that have nothing. */
function sorted(counts: Counts): Counts {
  const inOrder = <T>(record: Record<string, T>, make: (value: T) => T) =>
    Object.fromEntries(
      Object.keys(record)
        .sort()
        .map((key) => [key, make(record[key]!)]),
    );
  return Object.fromEntries(
    Object.entries(inOrder(counts, (rules) => inOrder(rules, (texts) => inOrder(texts, (count) => count)))).filter(
      ([, rules]) => total(rules) > 0,
    ),
  );
}
