/**
 * Known problems, in a file for the repository: old ones do not fail a run, new ones do. A problem is known by its file, its rule and the text of its line,
 * wherever that stands; of several that are alike, so many as the file names.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PlacedFinding } from '../analysis/findings';
import { explain } from '../host/node';
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
  /** Takes note that a file has been looked at. */
  looksAt(file: string): void;
  /** Known problems of files that were looked at that are not there any more. */
  readonly gone: number;
  /** Writes what was found to the file, where that was asked for. What the file has of files that were not looked at stays. */
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
  return {
    looksAt(given) {
      found[nameOf(given)] ??= {};
    },
    isKnown(given, tree, finding) {
      const [name, rule, text] = [nameOf(given), finding.rule.id, lineTextOf(tree, finding)];
      const own = ((found[name] ??= {})[rule] ??= {});
      own[text] = (own[text] ?? 0) + 1;
      const same = left[name]?.[rule];
      const count = same?.[text] ?? 0;
      if (count > 0) same![text] = count - 1;
      return isUpdate || count > 0;
    },
    get gone() {
      return Object.keys(found).reduce((sum, name) => sum + total(left[name] ?? {}), 0);
    },
    save() {
      if (!isUpdate) return;
      const all = sorted({ ...known, ...found });
      writeWhole(file, `${JSON.stringify({ version: 1, problems: all }, null, 1)}\n`);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function countsIn(file: string, mayBeMissing: boolean, terminal: Terminal): Counts | null {
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown; problems?: unknown };
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
