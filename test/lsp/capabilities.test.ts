/**
 * docs/capabilities.md lists the answers of the built server; each capability that only another
 * language server has needs a reason.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';

describe('docs/capabilities.md', () => {
  it('is up to date (node server/scripts/generate-capabilities.mjs)', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(repositoryRoot, 'server/scripts/generate-capabilities.mjs'), '--check'],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stdout + stderr);
  });

  it('gives a reason for what others have', () => {
    const rows = readFileSync(path.join(repositoryRoot, 'docs/capabilities.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| feature'));
    assert.ok(rows.length > 30);
    for (const row of rows) {
      const [feature, , own, ...others] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      const why = others.pop();
      if (own === 'no' && others.includes('yes')) assert.notEqual(why, '', feature);
      if (own === '**yes**') assert.equal(why, '', feature);
    }
  });
});
