/**
 * The comments, declared names and documents of the repository. The TypeScript compiler finds
 * comments and names.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript-api';
import { repositoryRoot } from '../support/paths';

export interface Text {
  /** Path below the root of the repository. */
  readonly file: string;
  /** 0-based. */
  readonly line: number;
  readonly text: string;
}

const PROGRAMS = ['client', 'server', 'test'];
/** Written by programs, or by other people. */
const FOREIGN = /(^|\/)(node_modules|generated|\.cache|samples|mutants)(\/|$)/;

export function programFiles(): string[] {
  return PROGRAMS.flatMap((folder) => filesBelow(folder)).filter((file) => /\.(ts|mjs|cjs)$/.test(file));
}

/**
 * The documents that people write. The texts of docs/rules and docs/messages.md are checked with
 * the rules (test/support/prose.ts).
 */
export function documentFiles(): string[] {
  const names = ['ARCHITECTURE.md', 'CHANGELOG.md', 'README.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md'];
  const docs = filesBelow('docs').filter((file) => /^docs\/[^/]+\.md$/.test(file));
  return [...names, ...docs].filter(
    (file) => existsSync(path.join(repositoryRoot, file)) && !/^docs\/(messages|coverage|benchmarks)\.md$/.test(file),
  );
}

export function read(file: string): string {
  return readFileSync(path.join(repositoryRoot, file), 'utf8');
}

/** The comments and the declared names of a program. */
export function commentsAndNames(file: string, text: string): { comments: Text[]; names: Text[] } {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const comments = new Map<number, Text>();
  const names: Text[] = [];
  const at = (offset: number) => source.getLineAndCharacterOfPosition(offset).line;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isDeclared(node)) names.push({ file, line: at(node.getStart()), text: node.text });
    // Only tokens: a larger node begins with its first token, and would give the same comments.
    if (node.getChildCount(source) === 0) {
      // The text before a token in JSX or in a template is no trivia; there is no JSX, and
      // templates have no comments.
      for (const { pos, end } of [
        ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
        ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
      ])
        if (!isInTemplate(node)) comments.set(pos, { file, line: at(pos), text: text.slice(pos, end) });
    }
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  return { comments: [...comments.values()].sort((a, b) => a.line - b.line), names };
}

/** The words of a name: `isURLOpen` has is, url, open. */
export function wordsOfName(name: string): string[] {
  return name
    .split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_$\d]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
}

/** The lines of prose in a document: no code, tables, headings, quotations of HTML or pictures. */
export function proseLines(file: string, text: string): Text[] {
  let isCode = false;
  return text.split('\n').flatMap((row, line) => {
    if (/^\s*```/.test(row)) isCode = !isCode;
    return isCode || /^\s*(```|\||#|<|!\[)/.test(row) ? [] : [{ file, line, text: row }];
  });
}

// ---------------------------------------------------------------------------------------------------------------------

function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    'name' in parent && parent.name === node && !ts.isPropertyAccessExpression(parent) && !ts.isImportSpecifier(parent)
  );
}

/** After `}` and before the next piece of a template, text that looks like a comment is text. */
function isInTemplate(node: ts.Node): boolean {
  return node.kind === ts.SyntaxKind.TemplateHead || node.kind === ts.SyntaxKind.TemplateMiddle;
}

function filesBelow(folder: string): string[] {
  return readdirSync(path.join(repositoryRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (FOREIGN.test(name)) return [];
    return entry.isDirectory() ? filesBelow(name) : [name];
  });
}
