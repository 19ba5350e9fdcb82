// Makes a new rule: its file, its page, its test, its place in the list of rules.
//
//   npm run new-rule ID [DIRECTIVE]
//
// ID is in lower case with hyphens. The rule reports DIRECTIVE, or `WriteMe`. Its test fails until
// every WRITE ME is replaced; all other tests pass. `npm run generate` completes its page.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..'));

const LIST = 'server/src/rules/all.ts';
const [id = '', directive = 'WriteMe'] = process.argv.slice(2);
const rule = `server/src/rules/${id}.ts`;
const test = `test/rules/${id}.test.ts`;
const page = `docs/rules/${id}.md`;
const problem = problemWith(id, directive);
if (problem) {
  console.error(problem);
  process.exit(2);
}

writeFileSync(rule, ruleText());
writeFileSync(test, testText());
writeFileSync(page, pageText());
writeFileSync(LIST, listed(readFileSync(LIST, 'utf8')));
const { status } = spawnSync('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' });
console.log(`${rule}: replace each WRITE ME, and write the check
${test}: write the tests; node client/scripts/test.mjs rules/${id} runs them
${LIST}: move ${variable()} to its place in the documentation
${page}: replace each WRITE ME; npm run generate completes the page and packs it for the program`);
process.exitCode = status ?? 1;

function problemWith(id, directive) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id))
    return 'Usage: npm run new-rule ID [DIRECTIVE]; ID is like max-clients';
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(directive)) return `${directive} is no name of a directive`;
  const taken = [rule, test, page].find((file) => existsSync(file));
  return taken ? `${taken} exists` : '';
}

function variable() {
  return id.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}

/**
 * The list with the import in the order of the file names, and the rule before the last one, which
 * is about comments.
 */
function listed(text) {
  const rows = text.split('\n');
  const imported = `import { ${variable()} } from './${id}';`;
  const name = (row) => /^import \{.* from '\.\/([\w-]+)';$/.exec(row)?.[1];
  const next = rows.findIndex((row) => name(row) !== undefined && name(row) > id);
  const last = rows.findLastIndex((row) => name(row) !== undefined);
  rows.splice(next < 0 ? last + 1 : next, 0, imported);
  rows.splice(rows.indexOf('];') - 1, 0, `  ${variable()},`);
  return rows.join('\n');
}

function ruleText() {
  return `import type { LineRule } from './rule';
import { nameSpan } from './support/edits';

/** WRITE ME: what the rule finds, and why. */
export const ${variable()}: LineRule = {
  id: '${id}',
  title: '${directive} (WRITE ME)',
  consequence: 'check before the upgrade',
  fix: 'none',
  checks: 'line',
  names: ['${directive.toLowerCase()}'],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html',
  examples: [{ title: 'WRITE ME', before: '${directive} 1\\n', finds: ['found'] }],
  check({ line }) {
    return [
      {
        messageId: 'found',
        what: '\`${directive}\` must be checked before the upgrade (WRITE ME)',
        help: 'WRITE ME: the action of the user.',
        ...nameSpan(line),
        fixes: [],
      },
    ];
  },
};
`;
}

function pageText() {
  return `# ${id}

**${directive}**

WRITE ME

WRITE ME: the change in 2.4.

## Why

WRITE ME: the reason of the change.

## Messages of httpd

WRITE ME: the message of httpd, or its behaviour.

## The fix

WRITE ME: the fix, and the cases without a fix.

## Sources

- WRITE ME: a page of the manual, a function of httpd, or a test in test/httpd
`;
}

function testText() {
  return `import assert from 'node:assert/strict';
import { ${variable()} } from '../../server/src/rules/${id}';
import { rulePage } from '../../server/src/rules/support/page';
import { annotated } from '../support/rules';

const rule = { rule: '${id}' };
const marked = (text: string) => annotated(text, rule);

describe('${id}', () => {
  it('is written', () => {
    assert.doesNotMatch(JSON.stringify([rulePage(${variable()}), ${variable()}.check.toString()]), /WRITE ME/, 'write me');
  });

  // UPDATE=1 node client/scripts/test.mjs rules/${id} writes the line of the annotation.
  it('finds the directive', () => {
    assert.equal(
      marked('${directive} 1\\n'),
      \`${directive} 1
#${'^'.repeat(directive.length - 1)} info ${id}/found none
\`,
    );
  });
});
`;
}
