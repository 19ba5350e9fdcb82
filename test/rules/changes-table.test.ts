/**
 * The table of all changes in docs/coverage.md: up to date and complete; and the links of the
 * README.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ruleById } from '../../server/src/rules/all';
import { repositoryRoot } from '../support/paths';

const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8');

describe('the table of changes', function () {
  this.timeout(150_000);

  it('is what its script makes of the rules', () => {
    const { stdout, status } = spawnSync(
      process.execPath,
      [path.join(repositoryRoot, 'server/scripts/generate-changes-table.mjs'), '--check'],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stdout);
  });

  it('has a rule and an experiment for every change', () => {
    const groups = JSON.parse(read('server/scripts/changes.json')) as { rows: [string, ...string[]][] }[];
    for (const [title, ...ids] of groups.flatMap(({ rows }) => rows)) {
      assert.ok(ids.length > 0, title);
      for (const id of ids) assert.ok(ruleById(id), `${title}: ${id}`);
    }
    assert.doesNotMatch(read('docs/coverage.md').split('<!-- changes:')[1], /none yet/);
  });

  it('links to what is there', () => {
    const linksOf = (file: string) =>
      [...read(file).matchAll(/\]\(((?!https?:)[^)#]+)[^)]*\)/g)].map((match) =>
        path.join(path.dirname(file), match[1]),
      );
    assert.ok(linksOf('docs/coverage.md').length > 100);
    const pages = ['docs/README.md', 'docs/tutorial.md', 'docs/safe.md', 'docs/settings.md', 'docs/commands.md'];
    const howTo = readdirSync(path.join(repositoryRoot, 'docs/how-to')).map((name) => `docs/how-to/${name}`);
    for (const link of new Set(['docs/coverage.md', 'README.md', ...pages, ...howTo].flatMap(linksOf)))
      assert.ok(existsSync(path.join(repositoryRoot, link)), link);
  });
});
