/**
 * `npm run new-rule` on a copy: all tests of rules pass except the one that lists what is left to
 * write.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';

const COPIED = [
  ...[
    'client',
    'docs',
    'server',
    'syntaxes',
    'package.json',
    'package.nls.json',
    'tsconfig.json',
    '.mocharc.json',
    'README.md',
  ],
  ...['support', 'httpd', 'bench', 'architecture/sources.ts'].map((name) => `test/${name}`),
  ...['examples', 'pages'].map((name) => `test/rules/${name}.test.ts`),
];

describe('npm run new-rule', function () {
  this.timeout(900_000);
  let root: string;
  const run = (...args: string[]) => {
    const env = { ...process.env, UPDATE: '', HTTPD_UPGRADE_ROOT: root };
    return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
  };
  const tests = () => run('client/scripts/test.mjs', '--unit', 'rules/').stdout;
  const FILES = ['server/src/rules/an-old-name.ts', 'test/rules/an-old-name.test.ts', 'docs/rules/an-old-name.md'];

  before(() => {
    root = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-new-rule-'));
    for (const name of COPIED) cpSync(path.join(repositoryRoot, name), path.join(root, name), { recursive: true });
    symlinkSync(path.join(repositoryRoot, 'node_modules'), path.join(root, 'node_modules'));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it('refuses an id that is taken, or that is none', () => {
    for (const [id, problem] of [
      ['default-type', /default-type\.ts exists/],
      ['MaxClients', /Usage: /],
    ] as const) {
      const { status, stderr } = run('client/scripts/new-rule.mjs', id);
      assert.equal(status, 2);
      assert.match(stderr, problem);
    }
  });

  it('makes the rule, its test and its page; one test fails, and says why', () => {
    const { status, stderr } = run('client/scripts/new-rule.mjs', 'an-old-name', 'OldName');
    assert.equal(status, 0, stderr);
    for (const file of FILES) assert.ok(existsSync(path.join(root, file)), file);
    const output = tests();
    assert.match(output, /1\) an-old-name\s+is written:\s+AssertionError[^\n]*: write me/);
    assert.match(output, /\d passed, 1 failed, 0 skipped/);
  });

  it('has nothing to say once all is written', () => {
    for (const file of [FILES[0], FILES[2]].map((name) => path.join(root, name)))
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('WRITE ME', 'the old name'));
    const { status, stdout } = run('server/scripts/generate-rule-pages.mjs');
    assert.equal(status, 0, stdout);
    assert.match(tests(), /\d passed, 0 failed, 0 skipped/);
  });
});
