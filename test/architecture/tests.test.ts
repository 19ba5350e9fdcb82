/** The rules that the tests themselves follow. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ALL_RULES } from '../../server/src/rules/all';
import { changedSinceBuild, repositoryRoot } from '../support/paths';

const TESTS = path.join(repositoryRoot, 'test');
const read = (name: string) => readFileSync(path.join(TESTS, name), 'utf8');
const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
  .map((name) => name.split(path.sep).join('/'));

/** Also what would leave all others out. */
const SKIPS = /\b(?:describe|it|this|test|context)\.(?:skip|only)\b|\bx(?:it|describe)\(/;

describe('the tests', () => {
  it('have a suite for every rule, with its name, in test/rules', () => {
    const suites = new Set(
      files
        .filter((name) => /^rules\/[^/]+\.test\.ts$/.test(name))
        .flatMap((name) => [
          path.basename(name, '.test.ts'),
          ...[...read(name).matchAll(/^describe\(\s*'([a-z0-9, -]+)'/gm)].flatMap(([, title]) => title.split(', ')),
        ]),
    );
    assert.deepEqual(
      ALL_RULES.map(({ id }) => id).filter((id) => !suites.has(id)),
      [],
    );
  });

  it('skip by way of test/support/lacks.ts alone, which says why and fails in CI', () => {
    assert.deepEqual(
      files.filter((name) => SKIPS.test(read(name))),
      // The first gives such tests to the gate, which fails for them.
      ['architecture/gate.slow.test.ts', 'support/lacks.ts'],
    );
  });

  it('refuse a build that is older than the sources', () => {
    const root = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-build-'));
    try {
      const write = (name: string, seconds: number) => {
        mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
        writeFileSync(path.join(root, name), '');
        utimesSync(path.join(root, name), seconds, seconds);
      };
      write('dist/commands.js', 2000);
      write('server/src/cli/main.ts', 1000);
      assert.equal(changedSinceBuild(root), '');
      write('server/src/rules/new.ts', 2001);
      assert.equal(changedSinceBuild(root), path.join('server', 'src', 'rules', 'new.ts'));
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
