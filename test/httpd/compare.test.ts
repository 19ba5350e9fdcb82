/**
 * `compare` between two real servers: a 2.4 with the old files and mod_access_compat, and one with
 * new files. It finds the seeded differences, and sends nothing that changes anything.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withFolder } from '../cli/run';
import { requireHttpd, serve, type Server } from './harness';

const MODULES = [
  'authn_core',
  'authn_file',
  'auth_basic',
  'authz_core',
  'authz_host',
  'authz_user',
  'access_compat',
  'alias',
  'dir',
  'setenvif',
  'mime',
  'log_config',
];
const HEAD = `ServerName main.test
LogFormat "%m %U %{Host}i %u" plain
CustomLog "@ROOT@/logs/access" plain
`;
const PAGES = ['index.html', 'inner/index.html', 'near/index.html', 'login/index.html', 'flag/index.html', 'moved/x'];

/** The sections of the old files, and of the new files: each is converted rightly. */
const SECTIONS: Readonly<Record<string, readonly [old: string, now: string]>> = {
  '/': ['Order allow,deny\nAllow from all', 'Require all granted'],
  '/inner': ['Order deny,allow\nDeny from all', 'Require all denied'],
  '/near': ['Order deny,allow\nDeny from all\nAllow from 127.0.0.1', 'Require ip 127.0.0.1'],
  '/login': ['Order allow,deny\nAllow from all\nRequire user ann', 'Require user ann'],
  '/flag': ['Order allow,deny\nAllow from env=flag', 'Require env flag'],
};

describe(
  'compare of two real servers',
  withFolder((folder) => {
    let servers: readonly [Server, Server];
    before(async function () {
      requireHttpd(this);
      const start = () => serve(HEAD, { modules: MODULES });
      servers = [await start(), await start()];
      for (const { root } of servers) {
        mkdirSync(path.join(root, 'conf'), { recursive: true });
        writeFileSync(path.join(root, 'conf/passwd'), 'ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n');
        for (const page of PAGES) {
          mkdirSync(path.dirname(path.join(root, 'htdocs', page)), { recursive: true });
          writeFileSync(path.join(root, 'htdocs', page), page);
        }
      }
    });
    after(async () => {
      for (const server of servers ?? []) await server.stop();
    });

    /** `changed`: the sections whose new lines are others than the right ones. */
    function configuration(side: 0 | 1, root: string, changed: Readonly<Record<string, string>> = {}): string {
      const sections = Object.entries(SECTIONS).map(([url, lines]) => {
        const login = url === '/login' ? `AuthType Basic\nAuthName x\nAuthUserFile "${root}/conf/passwd"\n` : '';
        const text = (side === 1 && changed[url]) || lines[side];
        return `<Directory "${root}/htdocs${url.replace(/\/$/, '')}">\n${login}${text}\n</Directory>\n`;
      });
      return `${HEAD.replaceAll('@ROOT@', root)}DocumentRoot "${root}/htdocs"\nSetEnvIf X-Flag ^on$ flag\n${changed.more ?? ''}${sections.join('')}`;
    }

    const sent = ({ root }: Server) => readFileSync(path.join(root, 'logs/access'), 'utf8').split('\n').filter(Boolean);

    async function compared(
      changed: Readonly<Record<string, string>>,
    ): Promise<{ readonly code: unknown; readonly different: readonly string[]; readonly out: string }> {
      const [old, now] = servers;
      await old.reload(configuration(0, old.root));
      await now.reload(configuration(1, now.root, changed));
      for (const { root } of servers) writeFileSync(path.join(root, 'logs/access'), '');
      folder().write('httpd.conf', configuration(0, old.root));
      folder().write('logins', 'ann:secret\n');
      const address = ({ port }: Server) => `http://127.0.0.1:${port}`;
      const args = ['--old', address(old), '--new', address(now), '--output', 'report.json'];
      const { code, out, err } = await folder().run(['compare', ...args, '--credentials', 'logins', 'httpd.conf'], {
        isApart: true,
      });
      assert.equal(err, '', out);
      const { requests } = JSON.parse(folder().text('report.json')) as {
        requests: { request: string; differs: boolean; old: { status: number }; new: { status: number } }[];
      };
      return {
        code,
        out,
        different: requests
          .filter(({ differs }) => differs)
          .map((each) => `${each.request.replace(/http:\/\/[^/]*/, '')} ${each.old.status} ${each.new.status}`),
      };
    }

    it('finds none between old files and files that are converted rightly', async function () {
      this.timeout(120_000);
      const { code, different, out } = await compared({});
      assert.deepEqual([code, different], [0, []], out);
      assert.doesNotMatch(out, /otherwise than the configuration/);
      const [old, now] = servers.map(sent);
      assert.deepEqual(old, now, 'both get the same requests');
      assert.ok(old!.length >= 6, old!.join('\n'));
      for (const row of old!) assert.match(row, /^(GET|HEAD|OPTIONS) \S+ main\.test /);
    });

    it('finds each of the seeded differences', async function () {
      this.timeout(120_000);
      const { code, different, out } = await compared({
        '/inner': 'Require all granted',
        '/near': 'Require all denied',
        '/login': 'Require user bob',
        '/flag': 'Require all denied',
        more: 'Redirect /index.html http://other.test/\n',
      });
      assert.equal(code, 1, out);
      assert.deepEqual([...different].sort(), [
        'GET /flag/index.html 200 403',
        'GET /index.html 200 302',
        'GET /inner/index.html 403 200',
        'GET /login/index.html 200 401',
        'GET /near/index.html 200 403',
      ]);
      assert.match(out, /^The servers answer 5 of \d+ requests differently\./);
    });
  }),
);
