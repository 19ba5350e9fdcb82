/** The README's table of all changes: up to date, and without a hole. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ruleById } from '../../server/src/rules/all';
import { repositoryRoot } from '../support/paths';

const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8');

describe('the table of changes in the README', function () {
  this.timeout(150_000);

  it('is what its script makes of the rules', () => {
    const { stdout, status } = spawnSync(process.execPath, [path.join(repositoryRoot, 'server/scripts/generate-changes-table.mjs'), '--check'], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

  it('has a rule and an experiment for every change', () => {
    const groups = JSON.parse(read('server/scripts/changes.json')) as { rows: [string, ...string[]][] }[];
    for (const [title, ...ids] of groups.flatMap(({ rows }) => rows)) {
      assert.ok(ids.length > 0, title);
      for (const id of ids) assert.ok(ruleById(id), `${title}: ${id}`);
    }
    assert.doesNotMatch(read('README.md').split('<!-- changes:')[1], /none yet/);
  });

  it('links to what is there', () => {
    const links = [...read('README.md').matchAll(/\]\(((?:docs|test)\/[^)]+)\)/g)].map((match) => match[1]);
    assert.ok(links.length > 100);
    for (const link of new Set(links)) assert.ok(existsSync(path.join(repositoryRoot, link)), link);
  });
});
