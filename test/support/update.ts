/**
 * UPDATE=1 rewrites the strings that tests expect. A failing `assert.equal(actual, expected)` on
 * two strings finds the literal that says `expected` in the source of the test, and replaces it by
 * what the test got: annotated texts, fixed texts, messages. Read the difference before you commit
 * it.
 *
 * The literal is an argument of the call. If the call has a variable there, it is the one literal
 * in the tables of the file that says `expected`. If no such literal is there, or more than one,
 * the test fails as usual. client/scripts/worker.cjs loads this file.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import ts from 'typescript-api';
import { repositoryRoot } from './paths';

export const isUpdating = process.env.UPDATE === '1';

if (isUpdating) updateExpectations();

/** From now on, failing comparisons of strings rewrite sources. */
function updateExpectations(): void {
  const equal: typeof assert.equal = assert.equal;
  const updating = (actual: unknown, expected: unknown, message?: string | Error): void => {
    if (typeof actual === 'string' && typeof expected === 'string' && actual !== expected) {
      const literal = expectedLiteral(expected, calls());
      if (literal) return replace(literal, actual);
    }
    equal(actual, expected, message);
  };
  assert.equal = assert.strictEqual = updating as typeof assert.equal;
}

/**
 * Writes a property of an example of a rule: the object with the title `title` in `file`. Returns
 * false if the file has no such object.
 */
export function updateExample(file: string, title: string, name: string, value: unknown): boolean {
  const source = sourceOf(file);
  const example = nodesIn(source).find(
    (node): node is ts.ObjectLiteralExpression =>
      ts.isObjectLiteralExpression(node) && textOf(propertyOf(node, 'title')?.initializer) === title,
  );
  if (!example) return false;
  const property = propertyOf(example, name);
  const text = typeof value === 'string' ? quoted(value) : `[${(value as string[]).map(quoted).join(', ')}]`;
  const before = propertyOf(example, 'finds')!;
  if (property) edit(file, property.initializer.getStart(), property.initializer.end, text);
  else edit(file, before.getStart(), before.getStart(), `${name}: ${text},\n      `);
  return true;
}

// -------------------------------------------------------------------------------------------------

interface Call {
  /** Path below the root of the repository. */
  readonly file: string;
  /** 0-based. */
  readonly line: number;
}

interface Literal {
  readonly file: string;
  readonly node: ts.Expression;
}

/** Where the tests are in their sources now: the innermost call first. */
function calls(): Call[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error().stack as unknown as NodeJS.CallSite[];
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  const tests = path.join(repositoryRoot, 'out', 'test') + path.sep;
  return sites.flatMap((site) => {
    const file = site.getFileName() ?? '';
    if (!file.startsWith(tests) || file === __filename) return [];
    const { originalLine } = mapOf(file).findEntry(
      (site.getLineNumber() ?? 1) - 1,
      (site.getColumnNumber() ?? 1) - 1,
    ) as {
      originalLine?: number;
    };
    if (originalLine === undefined) return [];
    return [
      { file: path.relative(path.join(repositoryRoot, 'out'), file).replace(/\.js$/, '.ts'), line: originalLine },
    ];
  });
}

/** The source map at the end of a file in out/. */
function mapOf(file: string): SourceMap {
  const [, data = ''] =
    /sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(readFileSync(file, 'utf8')) ?? [];
  return new SourceMap(JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as SourceMapPayload);
}

function expectedLiteral(expected: string, stack: readonly Call[]): Literal | null {
  for (const { file, line } of stack) {
    const source = sourceOf(file);
    const around = nodesIn(source)
      .filter(ts.isCallExpression)
      .filter((call) => lineOf(source, call.getStart()) <= line && line <= lineOf(source, call.end))
      .sort((a, b) => a.end - a.pos - (b.end - b.pos));
    const call = around.find((each) => each.arguments.some((argument) => textOf(argument) === expected));
    const node = call?.arguments.find((argument) => textOf(argument) === expected);
    if (node) return { file, node };
    // The expectation is the input: `assert.equal(fix(text), text)`.
    const comparison = around.find((each) => each.expression.getText().startsWith('assert.'));
    if (comparison && isInput(comparison)) return null;
  }
  const found = [...new Set(stack.map(({ file }) => file))].flatMap((file) =>
    nodesIn(sourceOf(file))
      .filter((node): node is ts.Expression => textOf(node) === expected && isInTable(node))
      .map((node) => ({ file, node })),
  );
  return found.length === 1 ? found[0] : null;
}

/** Whether the name of the expected value is also in the expression of the actual value. */
function isInput({ arguments: [actual, expected] }: ts.CallExpression): boolean {
  return expected !== undefined && nodesIn(actual).some((node) => node.getText() === expected.getText());
}

function isInTable({ parent }: ts.Node): boolean {
  return ts.isArrayLiteralExpression(parent) || ts.isPropertyAssignment(parent);
}

/** The string that a literal, or a sum of literals, says; null for other nodes. */
function textOf(node: ts.Node | undefined): string | null {
  if (node === undefined) return null;
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isNoSubstitutionTemplateLiteral(node)) return ts.isTaggedTemplateExpression(node.parent) ? null : node.text;
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === null || right === null ? null : left + right;
}

function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.PropertyAssignment | undefined {
  return object.properties.filter(ts.isPropertyAssignment).find((each) => each.name.getText() === name);
}

function nodesIn(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [node];
  ts.forEachChild(node, (child) => {
    found.push(...nodesIn(child));
  });
  return found;
}

function lineOf(source: ts.SourceFile, offset: number): number {
  return source.getLineAndCharacterOfPosition(offset).line;
}

function replace({ file, node }: Literal, value: string): void {
  const isTemplate = !ts.isStringLiteral(node);
  edit(file, node.getStart(), node.end, isTemplate ? template(value) : quoted(value));
}

function quoted(value: string): string {
  const escaped = JSON.stringify(value).slice(1, -1).replace(/\\"/g, '"');
  return value.includes("'") && !value.includes('"') ? JSON.stringify(value) : `'${escaped.replace(/'/g, "\\'")}'`;
}

function template(value: string): string {
  return `\`${value.replace(/\\|`|\$\{/g, '\\$&').replace(/\r/g, '\\r')}\``;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The files of this process as they were before the first edit, and their edits. */
const sources = new Map<string, ts.SourceFile>();
const edits = new Map<string, Edit[]>();

function sourceOf(file: string): ts.SourceFile {
  let source = sources.get(file);
  if (!source) {
    const text = readFileSync(path.join(repositoryRoot, file), 'utf8');
    source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    sources.set(file, source);
  }
  return source;
}

/** Writes the file with all edits so far. Throws if a test gets two texts for one literal. */
function edit(file: string, start: number, end: number, text: string): void {
  const all = edits.get(file) ?? [];
  const same = all.find((each) => each.start === start && each.end === end);
  if (same && same.text !== text) throw new Error(`${file}: two texts for one literal: ${same.text} and ${text}`);
  if (same) return;
  all.push({ start, end, text });
  edits.set(file, all);
  let written = sourceOf(file).text;
  for (const each of [...all].sort((a, b) => b.start - a.start))
    written = written.slice(0, each.start) + each.text + written.slice(each.end);
  writeFileSync(path.join(repositoryRoot, file), written);
}
