/** `access --diff` on the command line: exit codes, formats, and a revision of a git repository. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { DEBIAN_ANSWERS, DEBIAN_COPY, needs, withFolder } from './run';

const BASE =
  'ServerRoot /srv\nListen 80\nServerName www.example.org\nDocumentRoot /srv/www\n<Directory />\nAllowOverride None\n</Directory>\n';
const CLOSED = `${BASE}<Location /admin>\nRequire ip 10\n</Location>\n`;
const OPEN = `${BASE}<Location /admin>\nRequire ip 10 192.168\n</Location>\n`;

describe(
  'access --diff on the command line',
  withFolder((folder) => {
    const diff = (...args: string[]) => folder().run(['access', '--diff', ...args]);

    it('exits with 1 for a gain, 0 for none, 2 if it cannot run', async () => {
      folder().write('old/httpd.conf', CLOSED);
      folder().write('new/httpd.conf', OPEN);
      const { code, out } = await diff('old', 'new');
      assert.deepEqual([code, out.split('\n')[0]], [1, 'Clients gain access in 1 section.']);
      assert.match(out, /GET http:\/\/www\.example\.org\/admin from 192\.168\.0\.9: 403 → 200/);
      assert.equal((await diff('new', 'old')).code, 0);
      assert.equal((await diff('--fail-on', 'change', 'new', 'old')).code, 1);
      assert.equal((await diff('--fail-on', 'never', 'old', 'new')).code, 0);
      assert.equal((await diff('old', 'old')).code, 0);
      assert.equal((await diff('old', 'nothing')).code, 2);
      assert.equal((await diff('old')).code, 2);
    });

    it('says first that 2.4 does not start with the files', async () => {
      folder().write('old/httpd.conf', CLOSED);
      folder().write('new/httpd.conf', `${CLOSED}LockFile /srv/lock\nRewriteLock /srv/other\n`);
      const { out } = await diff('old', 'new');
      assert.match(
        out.replace(/\s+/g, ' '),
        /^httpd 2\.4 does not start with these files: `LockFile` was removed; .* \(new\/httpd\.conf:\d+\), and 1 more problem\. If it started: No client gains or loses access\. /,
      );
      assert.match((await diff('new', 'old')).out, /^No client /);
    });

    it('compares copies from Debian, in case the missing parts do not matter', async () => {
      folder().write('old/apache2.conf', DEBIAN_COPY);
      folder().write('new/apache2.conf', DEBIAN_COPY.replace('192.0.2.0/24', '192.0.0.0/16'));
      folder().write('more/apache2.conf', `${DEBIAN_COPY}Include extra/*.conf\n`);
      const [old, now, more] = ['old', 'new', 'more'].map((name) => `${name}/apache2.conf`) as [string, string, string];
      const gain = await diff(...DEBIAN_ANSWERS, old, now);
      assert.equal(gain.code, 1);
      assert.match(gain.out, /^Clients gain access in 1 section, if the missing parts do not matter\.$/m);
      assert.match(
        gain.out,
        /from 192\.0\.0\.9: 403 → 200\n[^]*^This is right only if the missing files change nothing/m,
      );
      assert.doesNotMatch(gain.out, /unknown/);
      const loss = await diff(now, old);
      assert.deepEqual([loss.code, /from 192\.0\.0\.9: 200 → 403/.test(loss.out)], [0, true], loss.out);
      // Without the answers, a change that is not known counts as a gain.
      const verdict = 'No client gains or loses access, if the missing parts do not matter.';
      for (const [code, answers] of [
        [1, []],
        [1, DEBIAN_ANSWERS],
        [0, [...DEBIAN_ANSWERS, '--answer', 'include-unseen:extra=no-access-control']],
      ] as const) {
        const same = await diff(...answers, old, more);
        assert.deepEqual([same.code, same.out.split('\n')[0]], [code, verdict], answers.join(' '));
        assert.equal(/The exit code is 1, because/.test(same.err.replace(/\s+/g, ' ')), code === 1, same.err);
      }
      const { sections, missing } = JSON.parse((await diff('--format', 'json', old, now)).out);
      const [changed] = sections.filter(({ change }: { change: string }) => change !== 'none');
      assert.deepEqual(
        [changed.change, changed.ofCopy.change, changed.ofCopy.witness.after],
        ['unknown', 'gain', 'granted'],
      );
      assert.equal(missing.length, 3);
    });

    it('has the command that shows why an answer is unknown', async () => {
      const text = 'SetEnvIf Request_URI "(?=/)/" known\n<Location /a>\nOrder deny,allow\nDeny from all\n';
      folder().write('old/httpd.conf', `${OPEN}${text}</Location>\n`);
      folder().write('new/httpd.conf', `${OPEN}${text}Allow from env=known\n</Location>\n`);
      const { out } = await diff('old/httpd.conf', 'new/httpd.conf');
      const command =
        /^To see why an answer is unknown: httpd-upgrade (explain --request '(GET .*)' --from (\S+) (\S+))$/m.exec(out);
      assert.ok(command, out);
      const explained = await folder().run(['explain', '--request', command[2]!, '--from', command[3]!, command[4]!]);
      assert.match(explained.out, /whether the pattern `\(\?=\/\)\/` matches/);
    });

    it('has the contract as JSON, and a table as Markdown', async () => {
      folder().write('old/httpd.conf', CLOSED);
      folder().write('new/httpd.conf', OPEN);
      const { out } = await diff('--format', 'json', 'old/httpd.conf', 'new/httpd.conf');
      const { version, sections } = JSON.parse(out) as { version: number; sections: readonly { change: string }[] };
      assert.equal(version, 1);
      assert.deepEqual(
        sections.filter(({ change }) => change !== 'none'),
        [
          {
            name: '<Location /admin>',
            file: 'new/httpd.conf',
            line: 7,
            change: 'gain',
            witness: {
              request: 'GET http://www.example.org/admin',
              from: '192.168.0.9',
              user: null,
              before: 'denied',
              after: 'granted',
            },
          },
        ],
      );
      const markdown = (await diff('--format', 'markdown', 'old', 'new')).out;
      assert.match(markdown, /\| `<Location \/admin>` `new\/httpd\.conf:8` \| gains \| `GET .*`: 403 → 200 \|/);
    });

    it('reads a revision without hooks and filters of the repository', async function () {
      needs(this, 'git');
      const git = (...args: string[]) =>
        spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], {
          cwd: folder().path,
          encoding: 'utf8',
        });
      git('init', '-q');
      folder().write('conf/httpd.conf', `${BASE}Include conf.d/*.conf\n`.replace('/srv\n', `${folder().path}/conf\n`));
      folder().write('conf/conf.d/admin.conf', '<Location /admin>\nRequire ip 10\n</Location>\n');
      git('add', '.');
      git('commit', '-qm', 'one');
      folder().write('conf/conf.d/admin.conf', '<Location /admin>\nRequire all granted\n</Location>\n');
      folder().write('.gitattributes', '*.conf filter=evil diff=evil export-subst\n');
      folder().write('evil.sh', `#!/bin/sh\ntouch ${folder().at('ran')}\ncat\n`);
      chmodSync(folder().at('evil.sh'), 0o755);
      const evil = folder().at('evil.sh');
      for (const key of [
        'filter.evil.smudge',
        'filter.evil.clean',
        'diff.evil.textconv',
        'diff.external',
        'core.fsmonitor',
        'core.pager',
        'core.sshCommand',
        'alias.ls-tree',
        'alias.cat-file',
      ])
        git('config', key, key.startsWith('alias') ? `!${evil}` : evil);
      const { code, out, err } = await diff('git:HEAD', 'conf/httpd.conf');
      assert.deepEqual([code, err], [1, ''], out);
      assert.match(out, /admin\.conf:1 {2}<Location \/admin> {2}gains/);
      assert.equal(existsSync(folder().at('ran')), false);
      for (const revision of ['git:none', 'git:--help', 'git:'])
        assert.equal((await diff(revision, 'conf/httpd.conf')).code, 2, revision);
      // A partial clone lacks contents.
      const object = git('rev-parse', 'HEAD:conf/conf.d/admin.conf').stdout.trim();
      rmSync(folder().at(`.git/objects/${object.slice(0, 2)}/${object.slice(2)}`));
      const partial = await diff('git:HEAD', 'conf/httpd.conf');
      assert.equal(partial.code, 2);
      assert.match(partial.err, /^httpd-upgrade: git:HEAD: git cannot read it: .*bad file\n$/);
    });
  }),
);
