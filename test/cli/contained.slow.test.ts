/**
 * A rule that throws finds nothing; everything else is reported and fixed, and the run reports the
 * error.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';
import { stateHome } from '../support/state';
import { withFolder } from './run';

const TEXT =
  'ServerRoot "/etc/httpd"\nListen 80\nMaxClients 10\n<Directory /srv>\n    Order allow,deny\n    Allow from all\n</Directory>\nMaxClients 20\n';

describe(
  'a rule that throws',
  withFolder((folder) => {
    /** The command line in a process of its own, with a rule of each kind that throws. */
    const run = (...args: string[]) => {
      const program = `
      const { ALL_RULES } = require('./out/server/src/rules/all.js');
      for (const checked of ['line', 'section', 'configuration']) {
        const like = ALL_RULES.find((rule) => rule.checks === checked && rule.check && Array.isArray(rule.names));
        if (like) ALL_RULES.push({ ...like, id: 'throws-' + checked, names: ['maxclients', 'order', 'serverroot'], check() { throw new Error('thrown by ' + checked + '\\u001b[31m'); } });
      }
      process.chdir(${JSON.stringify(folder().path)});
      require(${JSON.stringify(path.join(repositoryRoot, 'out/server/src/cli/main.js'))}).main(${JSON.stringify(args)}).then((code) => { process.exitCode = code; });
    `;
      const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
        cwd: repositoryRoot,
        encoding: 'utf8',
        env: { ...process.env, HTTPD_UPGRADE_STATE: stateHome() },
      });
      return { code: status, out: stdout, err: stderr };
    };
    beforeEach(() => folder().write('httpd.conf', TEXT));

    it('is told once, with what to report, and the rest is found', () => {
      const { code, out, err } = run('check', 'httpd.conf');
      assert.match(out, /max-clients/);
      assert.match(out, /order-allow-deny/);
      for (const scope of ['line', 'section']) {
        assert.equal(err.split(`the rule throws-${scope} failed`).length, 2, err);
        assert.match(err, new RegExp(`Error: thrown by ${scope}·\\[31m\\n +at `));
      }
      assert.match(err, /please report it/);
      assert.equal(code, 2);
    });

    it('keeps no other fix from being written', () => {
      const { code } = run('fix', '--write', 'httpd.conf');
      assert.match(folder().text('httpd.conf'), /MaxRequestWorkers 10[^]*MaxRequestWorkers 20/);
      assert.equal(code, 2);
    });

    it('keeps no plan from being made', async () => {
      const { code, out } = run('plan', '--format', 'json', 'httpd.conf');
      assert.deepEqual(
        JSON.parse(out),
        JSON.parse((await folder().run(['plan', '--format', 'json', 'httpd.conf'])).out),
      );
      assert.equal(code, 2);
    });
  }),
);
