/**
 * The gate: a skipped test has a reason, and in CI one that test/support/lacks.ts allows. Runs
 * client/scripts/test.mjs in a checkout with other tests.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';

const SCRIPTS = [
  'client/scripts/test.mjs',
  'client/scripts/reporter.cjs',
  'client/scripts/worker.cjs',
  '.mocharc.json',
];
const SUPPORT = ['lacks', 'paths'].map((name) => `out/test/support/${name}.js`);

describe('the gate', function () {
  this.timeout(300_000);

  /** What `npm test` says of tests in one file, and whether it fails. */
  function gate(
    tests: string,
    isCI: boolean,
    args = ['one'],
  ): { readonly status: number | null; readonly said: string } {
    const root = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-gate-'));
    try {
      for (const folder of ['client/scripts', 'out/test/support'])
        mkdirSync(path.join(root, folder), { recursive: true });
      for (const file of [...SCRIPTS, ...SUPPORT]) copyFileSync(path.join(repositoryRoot, file), path.join(root, file));
      symlinkSync(path.join(repositoryRoot, 'node_modules'), path.join(root, 'node_modules'));
      // Types, bundles and the sources of tests are there already.
      writeFileSync(path.join(root, 'package.json'), '{"scripts":{"check":"node -e 0","build":"node -e 0"}}');
      writeFileSync(path.join(root, 'client/scripts/build.mjs'), '');
      writeFileSync(
        path.join(root, 'out/test/one.test.js'),
        `const { lacks, mayLack } = require('./support/lacks');\nit('runs', () => {});\n${tests}\n`,
      );
      writeFileSync(
        path.join(root, 'out/test/two.slow.test.js'),
        "it('is slow', () => {});\nit('is slow, too', () => {});\n",
      );
      const { CI: _, ...env } = process.env;
      const { status, stdout } = spawnSync(process.execPath, ['client/scripts/test.mjs', ...args], {
        cwd: root,
        encoding: 'utf8',
        env: { ...env, NO_COLOR: '1', HTTPD_UPGRADE_ROOT: root, ...(isCI ? { CI: 'true' } : {}) },
      });
      return { status, said: stdout };
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }

  const LACKING =
    "it('asks httpd', function () { lacks(this, 'no httpd here'); });\ndescribe('httpd', () => { before(function () { lacks(this, 'no such httpd'); }); it('one', () => {}); it('two', () => {}); });";
  const ALLOWED = "it('reads files of others', function () { mayLack(this, 'corpus'); });";
  const FORGOTTEN =
    "it('skips itself', function () { this.skip(); });\nit.skip('is off', () => {});\nit('is planned');\ndescribe.skip('all', () => it('are off', () => {}));";

  for (const [args, passed] of [
    [['--unit'], 1],
    [['--unit', '--slow'], 2],
    [['two'], 2],
    [['test/one.test.ts', 'two.slow'], 3],
  ] as const)
    it(`runs suites by their names: ${args.join(' ')}`, () => {
      const { status, said } = gate('', false, [...args]);
      assert.match(said, new RegExp(`^${passed} passed, 0 failed, 0 skipped$`, 'm'));
      assert.equal(status, 0, said);
    });

  it('counts what a machine lacks, with its reason', () => {
    const { status, said } = gate(`${LACKING}\n${ALLOWED}`, false);
    assert.match(
      said,
      /skipped:\n(?=[^]*^ {2}1 no httpd here$)(?=[^]*^ {2}2 no such httpd$)(?=[^]*^ {2}1 the corpus of configurations is not at )[^]*^1 passed, 0 failed, 4 skipped$/m,
    );
    assert.equal(status, 0, said);
  });

  it('fails for it in CI', () => {
    const { status, said } = gate(LACKING, true);
    assert.match(said, /Error: no httpd here[^]*Error: no such httpd[^]*1 passed, 2 failed, 0 skipped/);
    assert.equal(status, 1, said);
  });

  it('does not fail in CI for what CI may lack', () => {
    const { status, said } = gate(ALLOWED, true);
    assert.match(said, /1 the corpus of configurations is not at [^]*1 passed, 0 failed, 1 skipped/);
    assert.equal(status, 0, said);
  });

  for (const isCI of [true, false]) {
    it(`fails ${isCI ? 'in CI ' : ''}for what has no reason`, () => {
      const { status, said } = gate(FORGOTTEN, isCI);
      for (const name of ['skips itself', 'is off', 'is planned', 'all are off']) assert.ok(said.includes(name), said);
      assert.match(said, /4 without a reason:[^]*1 passed, 0 failed, 4 skipped/);
      assert.equal(status, 1, said);
    });
  }
});
