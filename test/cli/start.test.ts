/** The command line starts from what the build has compiled, and without it just as well. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Script } from 'node:vm';
import { bundle } from '../support/paths';
import { withFolder } from './run';

const dist = path.dirname(bundle('commands.js'));
const caches = () => readdirSync(dist).filter((name) => /^commands-.*\.cache$/.test(name));

describe(
  'starting the command line',
  withFolder((folder) => {
    it('takes what the build has compiled', () => {
      const { compiled } = require(bundle('cli.js')) as { compiled(): Script };
      assert.equal(caches().length, 1);
      assert.equal(compiled().cachedDataRejected, false);
    });

    const copies: readonly [string, (name: string) => void][] = [
      ['is not there', () => {}],
      ['is something else', (name) => writeFileSync(name, 'something else')],
      ['is empty', (name) => writeFileSync(name, '')],
    ];
    for (const [what, write] of copies) {
      it(`says the same where that ${what}`, () => {
        const copy = folder().path;
        writeFileSync(path.join(copy, 'a.conf'), 'MaxClients 5\n');
        for (const name of ['cli.js', 'commands.js', ...readdirSync(dist).filter((each) => each.endsWith('.json'))])
          copyFileSync(path.join(dist, name), path.join(copy, name));
        write(path.join(copy, caches()[0]));
        const outputOf = (cli: string) =>
          spawnSync(process.execPath, [cli, 'check', '--format', 'json', 'a.conf'], { cwd: copy, encoding: 'utf8' });
        const { status, stdout, stderr } = outputOf(path.join(copy, 'cli.js'));
        const usual = outputOf(bundle('cli.js'));
        assert.deepEqual([status, stdout, stderr], [usual.status, usual.stdout, usual.stderr]);
        assert.match(stdout, /max-clients/);
      });
    }
  }),
);
