/**
 * The baseline: a file in the user's repository that lists known problems. Known problems do not
 * fail a run, new ones do. A problem is identified by its file, its rule and the text of its line,
 * so it stays known if its line moves. If several problems have the same identity, the baseline
 * stores how many they are. A missing module is identified by its name instead of a file and a
 * line. A renamed file keeps its known problems: see `oldNameOf`.
 */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { PlacedFinding } from '../analysis/findings';
import { explain } from '../host/node';
import { readSettingsNow } from '../host/read-now';
import type { Tree } from '../syntax/document';
import type { GivenBaseline } from './arguments';
import { lineTextOf, missingModuleOf } from './fingerprint';
import { writeWhole } from './output';
import type { Terminal } from './terminal';

/**
 * How often each problem occurs. The keys are, from outside to inside: the file (relative to the
 * baseline's directory, with slashes), the rule, and the text of the line or the name of the
 * missing module.
 */
type ProblemCounts = Record<string, Record<string, Record<string, number>>>;

/** The known problems. One run compares the problems that it finds with them. */
export interface Baseline {
  /**
   * Whether a problem is known; with `--update-baseline`, all problems are. Must be called only
   * once for each problem, because each call uses up one known problem.
   */
  isKnown(file: string, tree: Tree, finding: PlacedFinding): boolean;
  /**
   * Must be called for each file before `isKnown`. `findings` returns all findings of the file. It
   * is called only if the baseline does not list the file, to find out whether the file was
   * renamed.
   */
  registerFile(file: string, tree: Tree, findings: () => Iterable<PlacedFinding>): void;
  /** Number of known problems that no longer occur, in files that were checked. */
  readonly resolvedCount: number;
  /** Number of files that were recognized as renamed. */
  readonly renamedFileCount: number;
  /**
   * Writes the baseline if `--update-baseline` asks for it. Entries of files that were not checked
   * stay if these files exist.
   */
  save(): void;
}

/** Reads the baseline. If the file cannot be read, reports the error and returns null. */
export function readBaseline({ file, updatesFile }: GivenBaseline, terminal: Terminal): Baseline | null {
  const knownCounts = readProblemCounts(file, updatesFile, terminal);
  if (!knownCounts) return null;
  const baselineFolder = path.dirname(path.resolve(file));
  const nameOf = (givenPath: string) =>
    path.relative(baselineFolder, path.resolve(givenPath)).split(path.sep).join('/');
  const foundCounts: ProblemCounts = {};
  const remainingCounts: ProblemCounts = structuredClone(knownCounts);
  /**
   * Files of the baseline that no longer exist and that are not yet matched with a renamed file.
   */
  const missingFiles = new Set(
    Object.keys(knownCounts).filter((name) => isMissing(path.resolve(baselineFolder, name))),
  );
  let renamedFiles = 0;
  return {
    registerFile(givenPath, tree, findings) {
      const fileName = nameOf(givenPath);
      foundCounts[fileName] ??= {};
      // A checked file is not missing, even if it does not exist: its text may come from standard
      // input.
      missingFiles.delete(fileName);
      if (remainingCounts[fileName] || missingFiles.size === 0) return;
      const countsOfFile: ProblemCounts[string] = {};
      for (const finding of findings()) addProblem(countsOfFile, finding.rule.id, problemText(tree, finding));
      const oldName = oldNameOf(fileName, countsOfFile, missingFiles, remainingCounts);
      if (oldName === null) return;
      missingFiles.delete(oldName);
      remainingCounts[fileName] = remainingCounts[oldName]!;
      delete remainingCounts[oldName];
      renamedFiles++;
    },
    isKnown(givenPath, tree, finding) {
      const [name, rule, text] = [nameOf(givenPath), finding.rule.id, problemText(tree, finding)];
      addProblem((foundCounts[name] ??= {}), rule, text);
      // Baselines of earlier versions identify a missing module by the text of a line.
      const isMissingModule = missingModuleOf(finding) !== null;
      const knownProblem = [
        { texts: remainingCounts[name]?.[rule], text },
        ...(isMissingModule ? Object.values(remainingCounts).map((rules) => ({ texts: rules[rule], text })) : []),
        ...(isMissingModule ? [{ texts: remainingCounts[name]?.[rule], text: lineTextOf(tree, finding) }] : []),
      ].find((each) => (each.texts?.[each.text] ?? 0) > 0);
      if (knownProblem) knownProblem.texts![knownProblem.text]!--;
      return updatesFile || knownProblem !== undefined;
    },
    get resolvedCount() {
      return Object.keys(foundCounts).reduce((sum, name) => sum + problemTotal(remainingCounts[name] ?? {}), 0);
    },
    get renamedFileCount() {
      return renamedFiles;
    },
    save() {
      if (!updatesFile) return;
      const existingEntries = Object.entries(knownCounts).filter(
        ([name]) => !isMissing(path.resolve(baselineFolder, name)),
      );
      const allCounts = sortedCounts({ ...Object.fromEntries(existingEntries), ...foundCounts });
      writeWhole(file, `${JSON.stringify({ version: 1, problems: allCounts }, null, 1)}\n`);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Reads the counts of a baseline. If the file cannot be read or is no baseline, reports that and
 * returns null.
 */
function readProblemCounts(file: string, mayBeMissing: boolean, terminal: Terminal): ProblemCounts | null {
  try {
    const baseline = JSON.parse(readSettingsNow(file).toString('utf8')) as { version?: unknown; problems?: unknown };
    if (baseline.version === 1 && isProblemCounts(baseline.problems)) return baseline.problems;
    terminal.reportProblem(file, 'is not a baseline of httpd-upgrade; write one with --update-baseline');
  } catch (error) {
    if (error instanceof SyntaxError)
      terminal.reportProblem(file, `is not a baseline of httpd-upgrade: ${error.message}`);
    else {
      const { code, message } = explain(error);
      if (code === 'missing' && mayBeMissing) return {};
      terminal.reportProblem(file, code === 'missing' ? 'does not exist; write it with --update-baseline' : message);
    }
  }
  return null;
}

/** Whether a value has the form of `ProblemCounts`. */
function isProblemCounts(value: unknown): value is ProblemCounts {
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

/** The name of the missing module that a problem is about, or the text of its line. */
function problemText(tree: Tree, finding: PlacedFinding): string {
  return missingModuleOf(finding) ?? lineTextOf(tree, finding);
}

/** Adds one problem to the counts of a file. */
function addProblem(rules: ProblemCounts[string], rule: string, text: string): void {
  const countsOfRule = (rules[rule] ??= {});
  countsOfRule[text] = (countsOfRule[text] ?? 0) + 1;
}

/** Whether a file is missing. If this cannot be found out, the file counts as existing. */
function isMissing(file: string): boolean {
  try {
    lstatSync(file);
    return false;
  } catch (error) {
    return explain(error).code === 'missing';
  }
}

/**
 * Finds the missing file that was probably renamed to `name`; null if there is none. At least half
 * of the problems of each of the two files must be the same. Otherwise, a new problem would count
 * as known because a deleted file had the same problem. Prefers files with the same name in another
 * folder, then those with the most problems in common.
 */
function oldNameOf(
  name: string,
  countsOfFile: ProblemCounts[string],
  missingFiles: ReadonlySet<string>,
  remainingCounts: ProblemCounts,
): string | null {
  const problemCount = problemTotal(countsOfFile);
  const bestMatch = (names: readonly string[]) =>
    names
      .map((old) => ({ old, common: commonProblemCount(countsOfFile, remainingCounts[old]!) }))
      .filter(
        ({ old, common: both }) => both > 0 && 2 * both >= Math.max(problemCount, problemTotal(remainingCounts[old]!)),
      )
      .sort((a, b) => b.common - a.common || commonPathEndLength(name, b.old) - commonPathEndLength(name, a.old))[0];
  const fileName = path.posix.basename(name);
  const missingNames = [...missingFiles];
  return (
    (bestMatch(missingNames.filter((old) => path.posix.basename(old) === fileName)) ?? bestMatch(missingNames))?.old ??
    null
  );
}

/** How many problems two files have in common. */
function commonProblemCount(a: ProblemCounts[string], b: ProblemCounts[string]): number {
  let commonCount = 0;
  for (const [rule, texts] of Object.entries(a))
    for (const [text, count] of Object.entries(texts)) commonCount += Math.min(count, b[rule]?.[text] ?? 0);
  return commonCount;
}

/** The number of equal path components at the end of two paths. */
function commonPathEndLength(a: string, b: string): number {
  const [as, bs] = [a, b].map((each) => each.split('/').reverse()) as [string[], string[]];
  const firstDifference = as.findIndex((each, i) => each !== bs[i]);
  return firstDifference < 0 ? as.length : firstDifference;
}

/** The number of all problems of a file. */
function problemTotal(rules: ProblemCounts[string]): number {
  return Object.values(rules).reduce(
    (sum, texts) => sum + Object.values(texts).reduce((subtotal, count) => subtotal + count, 0),
    0,
  );
}

/** The counts in the order of files, rules and texts, without empty entries. */
function sortedCounts(counts: ProblemCounts): ProblemCounts {
  const sortedRecord = <T>(record: Record<string, T>, make: (value: T) => T) =>
    Object.fromEntries(
      Object.keys(record)
        .sort()
        .map((key) => [key, make(record[key]!)]),
    );
  return Object.fromEntries(
    Object.entries(
      sortedRecord(counts, (rules) => sortedRecord(rules, (texts) => sortedRecord(texts, (count) => count))),
    ).filter(([, rules]) => problemTotal(rules) > 0),
  );
}
