// Writes docs/messages.md: every headline and every title of a fix, as they stand in the sources of
// the rules, to be read in one sitting. Whoever changes one sees it in the diff.
//
//   node server/scripts/generate-messages.mjs           writes it if it has changed
//   node server/scripts/generate-messages.mjs --check   only says whether it would, and fails then
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript-api';
import { root, write } from './written.mjs';

const TARGET = 'docs/messages.md';
const SOURCES = [
  ...['rules', 'rules/support'].flatMap((room) =>
    readdirSync(path.join(root, 'server/src', room))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `server/src/${room}/${name}`),
  ),
  'server/src/analysis/access-conversion.ts',
];
const OF_ALL = new Set(['all.ts', 'rule.ts', 'page.ts', 'documentation.ts', 'facts.ts', 'edits.ts', 'fix-title.ts']);

/** Titles that functions of rules/support/fix-title.ts make. */
const MADE = new Map([
  ['titleToRemove', 'Remove …'],
  ['titleToChange', 'Change … to …'],
  ['titleToChangeLine', 'Change … to …'],
  ['optionsTitle', 'Change … to …'],
]);

/** A section for each file, and for each rule of a file with several rules. */
const named = SOURCES.sort().flatMap((file) => {
  const name = path.basename(file, '.ts');
  return OF_ALL.has(`${name}.ts`) ? [] : textsOf(file, path.join(path.dirname(file), name));
});
const sections = named
  .sort((a, b) => (`${a.path}.ts` < `${b.path}.ts` ? -1 : 1))
  .flatMap(({ path: of, headlines, titles }) => {
    if (headlines.size + titles.size === 0) return [];
    const list = (heading, texts) =>
      texts.size === 0 ? [] : ['', `${heading}:`, '', ...[...texts].map((text) => `- ${text}`)];
    return ['', `## ${path.basename(of)}`, ...list('Headlines', headlines), ...list('Fixes', titles)];
  });
const text = [
  '# Headlines and titles of fixes',
  '',
  'Generated from the sources of the rules (node server/scripts/generate-messages.mjs). `…` stands for what a rule fills in: a name, a value, a place.',
  ...sections,
  '',
].join('\n');

write({ [TARGET]: text });

/**
 * The literals given to `what` and `title` in a file, and to the functions that choose among them,
 * for the file and for each rule that it makes by a call. Without rules' own pages and examples.
 */
function textsOf(file, of) {
  const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  let headlines = new Set();
  let titles = new Set();
  const found = [{ path: of, headlines, titles }];
  const visit = (node) => {
    if (ts.isPropertyAssignment(node)) {
      const name = node.name.getText(source);
      if (name === 'page' || name === 'examples') return;
      if (name === 'what') return collect(node.initializer, headlines);
      if (name === 'title') return collect(node.initializer, titles);
    }
    if (
      ts.isVariableDeclaration(node) &&
      node.initializer &&
      /^(what|title|said)$/.test(node.name.getText(source)) &&
      (node.name.getText(source) !== 'said' || ts.isElementAccessExpression(node.initializer))
    )
      collect(node.initializer, /title/i.test(node.name.getText(source)) ? titles : headlines, true);
    if (
      ts.isFunctionDeclaration(node) &&
      node.name &&
      /(Title|titleOf|titleOfGroup|^fitting|^add)$/.test(node.name.text)
    )
      for (const each of returned(node)) collect(each, titles);
    if (ts.isFunctionDeclaration(node) && node.name && /^headline/.test(node.name.text))
      for (const each of returned(node)) collect(each, headlines);
    ts.forEachChild(node, (child) => visit(child));
  };
  // The rule itself has a title of its own.
  const visitValue = (value) => {
    if (ts.isObjectLiteralExpression(value)) methodsIn(value).forEach(visit);
    else if (idIn(value)) {
      [headlines, titles] = [new Set(), new Set()];
      found.push({ path: path.join(path.dirname(of), idIn(value)), headlines, titles });
      for (const property of value.arguments[0].properties)
        if (property.name.getText(source) === 'change') visit(property);
    } else visit(value);
  };
  source.forEachChild((node) => {
    if (!ts.isVariableStatement(node) || !isExported(node)) return visit(node);
    for (const { initializer } of node.declarationList.declarations) if (initializer) visitValue(initializer);
    return undefined;
  });
  return found;
}

function isExported(node) {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

function methodsIn(object) {
  return object.properties.filter(
    (property) =>
      ts.isMethodDeclaration(property) ||
      (ts.isPropertyAssignment(property) && ts.isArrowFunction(property.initializer)),
  );
}

/** The id of the rule that a call makes, as in rules/one-line.ts; undefined for other code. */
function idIn(node) {
  const [rule] = ts.isCallExpression(node) ? node.arguments : [];
  if (!rule || !ts.isObjectLiteralExpression(rule)) return undefined;
  return rule.properties.find(({ name }) => name?.getText() === 'id')?.initializer.text;
}

function returned(declaration) {
  const found = [];
  const look = (node) => {
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
    ts.forEachChild(node, look);
  };
  look(declaration);
  return found;
}

function collect(node, texts, isDeclared = false) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    if (/\s/.test(node.text) && (!isDeclared || node.text.startsWith('`') || /^[A-Z]/.test(node.text)))
      texts.add(node.text);
  } else if (ts.isTemplateExpression(node)) {
    texts.add(
      node.head.text + node.templateSpans.map(({ expression, literal }) => shown(expression) + literal.text).join(''),
    );
  } else if (ts.isConditionalExpression(node)) {
    collect(node.whenTrue, texts, isDeclared);
    collect(node.whenFalse, texts, isDeclared);
  } else if (ts.isCallExpression(node)) {
    const made = MADE.get(node.expression.getText());
    if (made) texts.add(made);
    else node.arguments.forEach((each) => collect(each, texts, isDeclared));
  } else if (ts.isElementAccessExpression(node)) collect(node.expression, texts);
  else if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) collect(node.expression, texts, isDeclared);
  else if (ts.isObjectLiteralExpression(node))
    node.properties.forEach(
      (each) =>
        ts.isPropertyAssignment(each) &&
        (each.name.getText() === 'what' || ts.isObjectLiteralExpression(each.initializer)) &&
        collect(each.initializer, texts),
    );
  else if (ts.isArrayLiteralExpression(node)) node.elements.forEach((each) => collect(each, texts, isDeclared));
}

/** What is filled in: the words of a choice between two, or nothing if unknown. */
function shown(expression) {
  if (ts.isParenthesizedExpression(expression)) return shown(expression.expression);
  if (ts.isConditionalExpression(expression)) {
    const [a, b] = [expression.whenTrue, expression.whenFalse].map((each) =>
      ts.isStringLiteral(each) || ts.isNoSubstitutionTemplateLiteral(each) ? each.text : '…',
    );
    return a === '…' && b === '…' ? '…' : `(${a}|${b})`;
  }
  return '…';
}
