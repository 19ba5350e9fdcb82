/**
 * The pairs of docs/before-and-after.md: `fix --write` turns the first into the second, which has
 * no problems that stop 2.4. And the commands of the README.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';
import { withFolder } from './run';

const README = readFileSync(path.join(repositoryRoot, 'README.md'), 'utf8');
const COMMANDS = readFileSync(path.join(repositoryRoot, 'docs/commands.md'), 'utf8');
const PAIRS = readFileSync(path.join(repositoryRoot, 'docs/before-and-after.md'), 'utf8');

describe(
  'the README',
  withFolder((folder) => {
    const shown = /<!-- pairs[^]*<!-- end of pairs -->/.exec(PAIRS)?.[0] ?? '';
    const pairs = [
      ...shown.matchAll(/^\*\*(\d\. [^*]*)\*\*[^]*?```apacheconf\n([^]*?)```\n\n```apacheconf\n([^]*?)```/gm),
    ];

    it('has six pairs', () => assert.equal(pairs.length, 6));

    for (const [, title, before, after] of pairs) {
      it(`${title}`, async () => {
        folder().write('httpd.conf', before);
        const { out, code } = await folder().run(['fix', '--write', '--assume-standalone', 'httpd.conf']);
        assert.equal(readFileSync(path.join(folder().path, 'httpd.conf'), 'utf8'), after, out);
        assert.equal(code, 0, out);
        const { out: left } = await folder().run(['check', '--assume-standalone', '--format', 'json', 'httpd.conf']);
        assert.equal(JSON.parse(left).summary.error, 0, left);
      });
    }

    it('has at most 150 lines, and claims no "every"', () => {
      assert.ok(README.split('\n').length <= 151);
      assert.doesNotMatch(README, /\bevery\b/i);
    });

    it('shows only commands that there are', async () => {
      const { out: help } = await folder().run(['--help']);
      const commands = new Set(
        [
          ...`${README}${COMMANDS}`.matchAll(
            /httpd-upgrade (check|fix|undo|plan|migrate|verify|includes|explain|server|[a-z]+) (?:--|[\w/"]+\.conf|\/etc)/g,
          ),
        ].map((match) => match[1]),
      );
      assert.ok(commands.size >= 6);
      for (const command of commands) assert.match(help, new RegExp(`^  ${command} `, 'm'));
    });
  }),
);
