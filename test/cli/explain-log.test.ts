/** `explain` with a whole log: a file, a pipe, standard input. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { bundle } from '../support/built';
import { run, withFolder } from './run';

const LEAD = '[Wed Oct 11 14:32:52.1 2023]';
const LOG = `${[
  `${LEAD} [mpm_event:notice] [pid 1:tid 2] AH00489: Apache/2.4.71 (Unix) configured -- resuming normal operations`,
  `${LEAD} [authz_core:error] [pid 1:tid 2] [client 192.0.2.1:3] AH01630: client denied by server configuration: /a`,
  '',
  `${LEAD} [authz_core:error] [pid 1:tid 2] [client 192.0.2.2:3] AH01630: client denied by server configuration: /b`,
  `${LEAD} [authn_file:error] [pid 1:tid 2] [client 192.0.2.2:3] AH01620: Could not open password file: /b`,
  `${LEAD} [foo:warn] [pid 1:tid 2] a new message 1`,
  `${LEAD} [foo:warn] [pid 1:tid 2] a new message 2`,
  'AH00526: Syntax error on line 3 of /etc/a.conf:',
  "Invalid command 'Order', perhaps misspelled or defined by a module not included in the server configuration",
].join('\r\n')}\r\n`;

describe(
  'explain a log',
  withFolder((folder) => {
    const json = (text: string) => JSON.parse(text);

    it('answers each kind once, what stops most first', async () => {
      folder().write('error.log', LOG);
      const { code, out } = await run(['explain', '--format', 'json', 'error.log'], { cwd: folder().path });
      assert.equal(code, 0);
      const { version, lines, kinds } = json(out);
      assert.deepEqual([version, lines], [1, 8]);
      assert.deepEqual(
        kinds.map((one: Record<string, unknown>) => [one.id, one.count, one.firstLine, one.lastLine, one.isKnown]),
        [
          [
            "Invalid command '…', perhaps misspelled or defined by a module not included in the server configuration",
            1,
            9,
            9,
            true,
          ],
          ['AH01620', 1, 5, 5, true],
          ['AH01630', 2, 2, 4, true],
          ['A message of mod_foo', 2, 6, 7, false],
          ['AH00489', 1, 1, 1, true],
        ],
      );
      assert.deepEqual(Object.keys(kinds[1]), [
        'id',
        'code',
        'level',
        'module',
        'isKnown',
        'count',
        'firstLine',
        'lastLine',
        'example',
        'headline',
        'help',
      ]);
      const text = await run(['explain', './error.log'], { cwd: folder().path });
      assert.match(text.out, /^8 lines, 5 kinds, 1 not known\./);
      assert.match(text.out, /2×, lines 2 to 4: /);
      const late = await run(['explain', 'error.log', '--format', 'json'], { cwd: folder().path });
      assert.equal(late.out, out);
    });

    it('reads standard input, 10 MB and hostile lines', () => {
      const input = `${LOG.repeat(9000)}${'['.repeat(1_000_000)}\n${'a/'.repeat(500_000)}`;
      const { status, stdout } = spawnSync(process.execPath, [bundle('cli.js'), 'explain', '--format', 'json', '-'], {
        input,
        encoding: 'utf8',
        maxBuffer: 1e8,
      });
      assert.equal(status, 0);
      assert.equal(json(stdout).kinds.find(({ id }: { id: string }) => id === 'AH01630').count, 18_000);
    });

    it('says what it cannot read', async () => {
      const { code } = await run(['explain', './missing.log'], { cwd: folder().path });
      assert.equal(code, 2);
    });
  }),
);
