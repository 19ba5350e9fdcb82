/** `explain` with a whole log: a file, a pipe, standard input. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
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
        'title',
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
        'markdown',
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
      folder().write('error.log.gz', gzipSync(LOG));
      const gz = await run(['explain', './error.log.gz'], { cwd: folder().path });
      assert.equal(gz.code, 2);
      assert.match(gz.err, /compressed\. Run `zcat \.\/error\.log\.gz \| httpd-upgrade explain -`/);
      folder().write('error.bin', Buffer.from([1, 2, 0, 3]));
      const binary = await run(['explain', './error.bin'], { cwd: folder().path });
      assert.equal(binary.code, 2);
      assert.match(binary.err, /no text/);
    });

    it('reads UTF-16, an empty log, and a log whose name has no dot', async () => {
      folder().write('error_log', LOG);
      folder().write('wide.log', Buffer.from(`\uFEFF${LOG}`, 'utf16le'));
      folder().write('empty.log', '');
      const at = (name: string) => run(['explain', name], { cwd: folder().path });
      const { out } = await at('error_log');
      assert.match(out, /^8 lines, 5 kinds, 1 not known\./);
      const wide = await at('wide.log');
      assert.equal(wide.out, out);
      const empty = await at('empty.log');
      assert.deepEqual([empty.code, /^The log is empty\./.test(empty.out)], [0, true]);
    });

    it('has one shape of JSON for a term and a log', async () => {
      folder().write('error.log', LOG);
      const term = json((await run(['explain', '--format', 'json', 'AH01630'], { cwd: folder().path })).out);
      const log = json((await run(['explain', '--format', 'json', './error.log'], { cwd: folder().path })).out);
      assert.deepEqual(Object.keys(term), [...Object.keys(log), 'title', 'markdown']);
      assert.deepEqual(Object.keys(term.kinds[0]), Object.keys(log.kinds[0]));
      assert.deepEqual(
        [term.lines, term.kinds[0].code, term.kinds[0].title, term.kinds[0].count, term.kinds[0].markdown],
        [1, 'AH01630', term.title, 1, term.markdown],
      );
      const none = await run(['explain', '--format', 'json', 'MaxClientz'], { cwd: folder().path });
      assert.equal(none.code, 2);
      assert.deepEqual(Object.keys(json(none.out)), [...Object.keys(term), 'suggestions']);
      assert.ok(json(none.out).suggestions.includes('MaxClients'));
    });
  }),
);
