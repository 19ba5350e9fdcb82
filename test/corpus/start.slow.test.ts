/**
 * The corpus on a real 2.4: after `fix --write`, what it still refuses comes from the machine, or
 * has a suggestion, or is in start.tsv with the reason; after the suggestions, the same without
 * those. And the server confirms every reported error.
 */
import assert from 'node:assert/strict';
import { Engine, type PlacedFinding } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { directive } from '../../server/src/directives';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { requireHttpd } from '../httpd/harness';
import { describeOver } from '../support/lacks';
import { corpusFiles, type CorpusFile } from './files';
import {
  ELSEWHERE,
  FOREIGN,
  listed,
  placeOfText,
  refusals,
  withoutConditions,
  withoutMachine,
  type Refusal,
} from './real-server';

describeOver('corpus', 'the corpus on a real httpd', function () {
  this.timeout(1_200_000);
  const engine = new Engine({ rules: ALL_RULES });
  const files = corpusFiles();
  let left: Refusal[];
  let decided: readonly string[];

  before(function () {
    requireHttpd(this);
  });

  it('after safe fixes: what is refused is known, or has a suggestion', async () => {
    left = await refusals(
      files.map((file) => ({
        path: file.path,
        text: withoutMachine(fixedText(engine, file, false)),
        within: placeOfText(file.text, file.kind === 'htaccess'),
      })),
    );
    decided = [...new Set(left.filter((refusal) => isForPerson(engine, files, refusal)).map(({ path }) => path))];
    assert.deepEqual(unaccounted(left.filter((refusal) => !isForPerson(engine, files, refusal))), []);
    assert.deepEqual(stale(left), []);
  });

  it('after suggestions: nothing is refused that was not to be', async () => {
    const open = files.filter((file) => decided.includes(file.path));
    assert.ok(open.length > 0);
    const found = await refusals(
      open.map((file) => ({
        path: file.path,
        text: withoutMachine(fixedText(engine, file, true)),
        within: placeOfText(file.text, file.kind === 'htaccess'),
      })),
    );
    assert.deepEqual(unaccounted(found), []);
  });

  it('of every error that is reported the server says so', async () => {
    const reported = files.flatMap((file) => {
      const errors = engine
        .analyze(Tree.parse(file.text), file)
        .findings()
        .filter((finding) => finding.severity === 'error');
      return errors.length > 0 ? [{ file, errors }] : [];
    });
    assert.ok(reported.length > 50, `${reported.length} files`);
    const found = await refusals(
      reported.map(({ file, errors }) => ({
        path: file.path,
        text: withoutConditions(withoutMachine(file.text, (offset) => isReported(file.text, offset, errors))),
        within: placeOfText(file.text, file.kind === 'htaccess'),
      })),
      { modules: 'all-but-access_compat' },
    );
    const refused = new Set(found.map(({ path, line }) => `${path}:${line}`));
    const alone = reported.flatMap(({ file, errors }) =>
      errors.flatMap((finding) => {
        const place = `${file.path}:${lineOf(file.text, lineEnd(file.text, finding.start))}`;
        return refused.has(place) ? [] : [`${place}: ${finding.rule.id}/${finding.messageId}`];
      }),
    );
    assert.deepEqual(alone, []);
  });
});

// ---------------------------------------------------------------------------------------------------------------------

/** Whether the line is reported; a line of a macro is reported where the macro is used. */
function isReported(text: string, offset: number, errors: readonly PlacedFinding[]): boolean {
  const isInMacro = /<Macro\b(?:(?!<\/Macro>)[^])*$/i.test(text.slice(0, offset));
  return errors.some(
    ({ start, rule }) => (start >= offset && start <= lineEnd(text, offset)) || (isInMacro && rule.id === 'macro-use'),
  );
}

const fixedTexts = new Map<string, string>();

function fixedText(engine: Engine, file: CorpusFile, unsafe: boolean): string {
  const key = `${unsafe} ${file.path}`;
  let text = fixedTexts.get(key);
  if (text === undefined) fixedTexts.set(key, (text = fixText(engine, file.text, file, { unsafe }).text));
  return text;
}

/** An error that is reported on the line, with something to choose from. */
function isForPerson(engine: Engine, files: readonly CorpusFile[], { path, line }: Refusal): boolean {
  const file = files.find((each) => each.path === path)!;
  const text = fixedText(engine, file, false);
  const findings = engine.analyze(Tree.parse(text), file).findings();
  // What the server says of the whole has no line, and no .htaccess is a whole: there it answers
  // 403, which is a warning.
  const isIt = (finding: PlacedFinding) =>
    line === 0 || (finding.severity === 'error' && lineOf(text, lineEnd(text, finding.start)) === line);
  return findings.some((finding) => finding.fixes.length > 0 && isIt(finding));
}

/** What neither the machine nor the list explains. */
function unaccounted(found: readonly Refusal[]): string[] {
  const expected = listed();
  const ours = found.filter(
    ({ name, message }) => !ELSEWHERE.test(message) && !FOREIGN.test(message) && !isOfOtherMpm(name, message),
  );
  return [...counted(ours)]
    .filter(([key, count]) => count > (expected.get(key) ?? 0))
    .map(([key, count]) => `${key}: ${count} refused, ${expected.get(key) ?? 0} in the list`);
}

/** What the list explains and is not there. */
function stale(found: readonly Refusal[]): string[] {
  const counts = counted(found);
  return [...listed()]
    .filter(([key, count]) => (counts.get(key) ?? 0) < count)
    .map(([key, count]) => `${key}: ${counts.get(key) ?? 0} refused, ${count} in the list`);
}

function counted(found: readonly Refusal[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path, name, message } of found) {
    const key = `${path}\t${name || message}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** One MPM is loaded, and the file is for another. */
function isOfOtherMpm(name: string, message: string): boolean {
  const modules = directive(name)?.['2.4']?.modules ?? [];
  return (
    /^Invalid command/.test(message) &&
    modules.length > 0 &&
    modules.every((module) => ['prefork', 'worker', 'event'].includes(module))
  );
}

/** The end of the logical line around an offset: after its last physical line, as httpd counts. */
function lineEnd(text: string, offset: number): number {
  for (let end = text.indexOf('\n', offset); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (!/\\\r?$/.test(text.slice(Math.max(0, end - 2), end))) return end;
  }
  return text.length;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
