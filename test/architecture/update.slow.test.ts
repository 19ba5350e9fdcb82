/** UPDATE=1 on a copy: it rewrites what tests expect, and the tests pass after that. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { annotated } from '../support/rules';
import { repositoryRoot } from '../support/paths';

const COPIED = [
  ...['test.mjs', 'build.mjs', 'licenses.mjs', 'reporter.cjs', 'worker.cjs'].map((name) => `client/scripts/${name}`),
  ...['update', 'lacks', 'paths'].map((name) => `test/support/${name}.ts`),
  ...['.mocharc.json', 'tsconfig.json'],
];

/** What a test says before, and after UPDATE=1. */
const STALE = `import assert from 'node:assert/strict';
const upper = (text: string) => text.toUpperCase();
const table = [['ab', 'old of the table']] as const;
describe('stale', () => {
  it('in a template', () => {
    assert.equal(
      upper('a\\n\\\`\\\${x}'),
      \`old
template\`,
    );
  });
  it('in quotes, and twice', () => {
    assert.equal(upper("it's"), 'old');
    assert.equal(upper('b\\n'), 'old');
    assert.equal(upper('c'), 'C');
  });
  it('as a sum', () => assert.equal(upper('one\\ntwo'), 'old ' + 'sum'));
  for (const [text, expected] of table) it(text, () => assert.equal(upper(text), expected));
});
`;
const UPDATED = STALE.replace('`old\ntemplate`', '`A\n\\`\\${X}`')
  .replace(`upper("it's"), 'old'`, `upper("it's"), "IT'S"`)
  .replace(`upper('b\\n'), 'old'`, `upper('b\\n'), 'B\\n'`)
  .replace(`'old ' + 'sum'`, '`ONE\nTWO`')
  .replace("'old of the table'", "'AB'");

describe('UPDATE=1', function () {
  this.timeout(300_000);

  /** Runs the tests in `text` twice: with UPDATE=1, and as it is after that. */
  function updated(text: string) {
    const root = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-update-'));
    try {
      for (const file of COPIED) {
        mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
        copyFileSync(path.join(repositoryRoot, file), path.join(root, file));
      }
      symlinkSync(path.join(repositoryRoot, 'node_modules'), path.join(root, 'node_modules'));
      writeFileSync(path.join(root, 'package.json'), '{}');
      const file = path.join(root, 'test', 'one.test.ts');
      writeFileSync(file, text);
      const run = (env: NodeJS.ProcessEnv) =>
        spawnSync(process.execPath, ['client/scripts/test.mjs', '--unit', 'one'], {
          cwd: root,
          encoding: 'utf8',
          env: { ...process.env, UPDATE: '', HTTPD_UPGRADE_ROOT: root, ...env },
        });
      const [first, second] = [run({ UPDATE: '1' }), run({})];
      return { text: readFileSync(file, 'utf8'), first, second };
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }

  it('rewrites literals where they are, and nothing else', () => {
    const { text, first, second } = updated(STALE);
    assert.equal(first.status, 0, first.stdout);
    assert.ok(text === UPDATED, text);
    assert.equal(second.status, 0, second.stdout);
  });

  it('leaves alone what is input as well, and what is no literal', () => {
    const text = `import assert from 'node:assert/strict';
const clean = 'clean';
it('input', () => assert.equal(clean.toUpperCase(), clean));
for (const text of ['also input']) it('of a table', () => assert.equal(text.toUpperCase(), text));
it('put together', () => assert.equal('a', \`b\${clean}\`));
it('a number', () => assert.equal(1 as number, 2));
`;
    const ran = updated(text);
    assert.ok(ran.text === text, ran.text);
    assert.match(ran.first.stdout, /0 passed, 4 failed/);
  });

  it('takes the annotations of a text as they are now', () => {
    const marked = annotated('MaxClients 1\n', { rule: 'max-clients' });
    const { text } = updated(
      `import assert from 'node:assert/strict';\nit('a', () => assert.equal(${JSON.stringify(marked)}, \`MaxClients 1\n#^^^ error old none\n\`));\n`,
    );
    assert.ok(text.includes('`MaxClients 1\n#^^^^^^^^^ info max-clients/renamed safe\n`'), text);
  });
});
