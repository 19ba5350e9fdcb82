/**
 * All texts for users besides findings: pages, hovers, questions, answers of explain, the manifest,
 * the documents. Each text with its location.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript-api';
import { QUESTION_KINDS, questionText } from '../../server/src/analysis/answers';
import { directives, displayName, modules } from '../../server/src/directives';
import { TEXT_BY_DEFINED_NAME, TEXT_BY_OPTION } from '../../server/src/directives/command-line';
import { descriptionOfDirective, descriptionOfModule } from '../../server/src/directives/descriptions';
import { serverMessages } from '../../server/src/directives/messages';
import { vocabulary, type VocabularyKind } from '../../server/src/directives/vocabularies';
import { ALL_RULES } from '../../server/src/rules/all';
import { writtenPage } from '../../server/src/rules/support/page';
import { shownManifest } from './manifest';
import { repositoryRoot } from './paths';

export interface Prose {
  readonly where: string;
  readonly text: string;
}

export function allProse(): Prose[] {
  return [
    ...pages(),
    ...hovers(),
    ...words(),
    ...questions(),
    ...messages(),
    ...commandLines(),
    ...refusals(),
    ...manifest(),
    ...DOCUMENTS.flatMap(document),
  ];
}

/**
 * The texts in the sources of commands and surfaces: output, `--help`, messages of the editor, of
 * the tools for agents and of the page. Templates have `…` for what they fill in.
 */
export function programTexts(): Prose[] {
  return PROGRAM_FOLDERS.flatMap((folder) =>
    readdirSync(path.join(repositoryRoot, folder)).flatMap((name) => {
      const file = `${folder}/${name}`;
      if (name.endsWith('.ts')) return stringsOf(file);
      // The messages of the script; its other lines are code.
      return name.endsWith('.sh')
        ? [...read(file).matchAll(/(?:say|note|echo|printf) +(['"])([^\n]*?)\1/g)].map(([, , text = '']) => ({
            where: file,
            text,
          }))
        : [];
    }),
  );
}

/**
 * The sentences of a text, without code, quotations and what is in parentheses; a colon, a
 * semicolon and a line end part them, too.
 */
export function sentencesIn(text: string): string[] {
  const plain = text
    .replace(/`[^`]*`/g, 'code')
    .replace(/"[^"]*"|“[^”]*”/g, 'quotation')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\([^()]*\)/g, '');
  return plain
    .split(/(?<=[.!?:;])\s+|\n(?!\S)|\n(?=[-|\d])|\|/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}

/** A text without what is quoted. */
export function ownWords(text: string): string {
  return text
    .replace(/`[^`]*`/g, '`…`')
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\]\([^)]*\)/g, ']');
}

// ---------------------------------------------------------------------------------------------------------------------

const PROGRAM_FOLDERS = [
  'server/src/cli',
  'server/src/mcp',
  'server/src/requests',
  'server/src/lsp',
  'server/src/settings',
  'server/src/host',
  'server/src/features',
  'server/src/features/report',
  'client/src',
  'client/site',
];

/** The string literals of a TypeScript file that are texts: at least three words. */
function stringsOf(file: string): Prose[] {
  const found: Prose[] = [];
  const add = (text: string) => {
    if (/[a-z]{2,} [a-z]{2,} [a-z]{2,}/i.test(text)) found.push({ where: file, text });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) add(node.text);
    else if (ts.isTemplateExpression(node))
      add([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…'));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest));
  return found;
}

const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'docs/ci.md', 'docs/editors.md', 'docs/terminal.md', ...more()];

/** The pages about the product that are not generated. */
function more(): string[] {
  const pages = ['tutorial', 'changes', 'safe', 'settings', 'vscode', 'commands', 'before-and-after', 'compared'];
  const howTo = readdirSync(path.join(repositoryRoot, 'docs/how-to')).map((name) => `docs/how-to/${name}`);
  return [...pages.map((name) => `docs/${name}.md`), ...howTo];
}

function pages(): Prose[] {
  return ALL_RULES.flatMap(({ id, title, examples }) => {
    const { what, why, httpd, fixing } = writtenPage({ id });
    return [title, what, why, httpd, fixing, ...examples.map((example) => example.title)]
      .filter(Boolean)
      .map((text) => ({ where: `page ${id}`, text }));
  });
}

function hovers(): Prose[] {
  const ofDirectives = directives().flatMap((one) => {
    const {
      text = '',
      arguments: values = {},
      changed = '',
    } = descriptionOfDirective(one.name, { section: one.section }) ?? {};
    return [text, changed, one.note ?? '', ...Object.values(values)]
      .filter(Boolean)
      .map((each) => ({ where: `hover ${displayName(one)}`, text: each }));
  });
  const ofModules = modules().flatMap(({ name, note = '' }) =>
    [descriptionOfModule(name) ?? '', note].filter(Boolean).map((text) => ({ where: `hover ${name}`, text })),
  );
  return [...ofDirectives, ...ofModules];
}

const KINDS: readonly VocabularyKind[] = [
  'server-variable',
  'rewrite-lookup',
  'ssl-variable',
  'expression-function',
  'expression-operator',
  'rule-flag',
  'condition-flag',
  'log-format',
  'error-log-format',
  'require',
  'redirect-status',
  'environment',
  'handler',
  'filter',
  'method',
];

function words(): Prose[] {
  return KINDS.flatMap((kind) => vocabulary(kind).map(({ word, text }) => ({ where: `${kind} ${word}`, text })));
}

function questions(): Prose[] {
  return QUESTION_KINDS.flatMap((kind) => {
    const asked = questionText(kind) ?? questionText(`${kind}:/var/www`)!;
    return [asked.title, asked.question, asked.why, ...asked.choices.map(({ label }) => label)].map((text) => ({
      where: `question ${kind}`,
      text,
    }));
  });
}

function messages(): Prose[] {
  return serverMessages().flatMap(({ code, text, meaning, remedy }) =>
    [meaning, remedy].map((each) => ({ where: `explain ${code ?? text}`, text: each })),
  );
}

const SHOWN: ReadonlySet<string> = new Set([
  'description',
  'markdownDescription',
  'enumDescriptions',
  'markdownEnumDescriptions',
  'title',
  'contents',
]);

function commandLines(): Prose[] {
  return Object.entries({ ...TEXT_BY_DEFINED_NAME, ...TEXT_BY_OPTION }).map(([name, text]) => ({
    where: `explain ${name}`,
    text,
  }));
}

/** The reasons in the sources why a section is not converted, as clauses after "Not converted:". */
function refusals(): Prose[] {
  const folder = path.join(repositoryRoot, 'server/src/access');
  return readdirSync(folder).flatMap((file) =>
    [
      ...readFileSync(path.join(folder, file), 'utf8').matchAll(
        /(?:stop\(|return |\? |: |= |=> )\s*(['`"])([a-z<$][^\n]*?)\1/g,
      ),
    ]
      .map(([, , text = '']) => text.replace(/\$\{[^}]*\}/g, '`…`'))
      .filter((text) => text.split(' ').length >= 4)
      .map((text) => ({ where: `reason ${file}`, text })),
  );
}

/** What package.json has an editor show. */
function manifest(): Prose[] {
  const found: Prose[] = [];
  const walk = (value: unknown, where: string, isShown: boolean): void => {
    if (typeof value === 'string') {
      if (isShown) found.push({ where, text: value });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value))
        walk(each, `${where} ${key}`, SHOWN.has(key) || (isShown && Array.isArray(value)));
    }
  };
  walk(shownManifest<{ contributes: unknown }>().contributes, 'package.json', false);
  return found;
}

/** The paragraphs and items of a document, without code and tables. */
function document(file: string): Prose[] {
  const text = read(file)
    .replace(/^ *```[^]*?^ *```/gm, '')
    .replace(/<!--[^]*?-->/g, '');
  return text
    .split(/\n\s*\n|\n(?=[-#|]|\d+\. )/)
    .map((block) => block.trim())
    .filter((block) => block !== '' && !/^[|!]/.test(block))
    .map((block) => ({ where: file, text: block }));
}

function read(file: string): string {
  return readFileSync(path.join(repositoryRoot, file), 'utf8');
}
