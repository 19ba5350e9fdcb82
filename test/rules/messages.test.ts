/** docs/messages.md lists every headline and every title of a fix. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';

it('docs/messages.md is up to date (node server/scripts/generate-messages.mjs)', function () {
  this.timeout(150_000);
  const { status, stdout } = spawnSync(
    process.execPath,
    [path.join(repositoryRoot, 'server/scripts/generate-messages.mjs'), '--check'],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stdout);
});
