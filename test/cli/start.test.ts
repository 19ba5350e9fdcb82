/** The command line starts from the compiled code of the build, and works without it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundle } from '../support/built';
import { withFolder } from './run';

const dist = path.dirname(bundle('commands.js'));
const caches = () => readdirSync(dist).filter((name) => /^commands-.*\.cache$/.test(name));

describe(
  'starting the command line',
  withFolder((folder) => {
    it('takes what the build has compiled', () => {
      assert.equal(caches().length, 1);
      // In a process of its own: a V8 with other flags, as that of a worker here, does not take it.
      const asked = 'console.log(require(process.argv[1]).compiledProgram().cachedDataRejected)';
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', asked, bundle('cli.js')], { encoding: 'utf8' });
      assert.deepEqual([stdout, stderr], ['false\n', '']);
    });

    it('gives new objects more room, and no more than that', () => {
      const asked = `
        const room = () => {
          const space = require('v8').getHeapSpaceStatistics().find((each) => each.space_name === 'new_space');
          return space.space_used_size + space.space_available_size;
        };
        const before = room();
        require(process.argv[1]).tuneV8()();
        const after = room();
        const kept = [];
        for (let i = 0; i < 200_000; i++) kept.push({ i });
        console.log(Math.round(after / before), room() === after);`;
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', asked, bundle('cli.js')], { encoding: 'utf8' });
      assert.deepEqual([stdout, stderr], ['6 true\n', '']);
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
