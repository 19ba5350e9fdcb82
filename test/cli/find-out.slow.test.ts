/**
 * The command of a question that finds its answer: it runs unchanged, and finds what decides
 * access.
 */
import assert from 'node:assert/strict';
import { commandListingConfiguration } from '../../server/src/analysis/find-out';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { lacks } from '../support/lacks';
import { withFolder } from './run';

const HEAD = `Listen 80
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule unixd_module modules/mod_unixd.so
<Directory />
    AllowOverride All
    Order allow,deny
    Allow from all
</Directory>
`;
const DENIED = 'Order deny,allow\nDeny from all\n';

interface Case {
  readonly title: string;
  /** `@` is the directory of the server's files. */
  readonly lines: string;
  /** Of the question; of its id, with `@`. */
  readonly kind: string;
  /** Each by itself is found. */
  readonly found: readonly string[];
  /** The value that says that there is none. */
  readonly none: string;
}

const SERVED: readonly Case[] = [
  [
    'VirtualDocumentRoot',
    'VirtualDocumentRoot "@/vhosts/%0/htdocs"',
    ['vhosts/a.example/htdocs/x', 'vhosts/a.example', 'vhosts', '.'],
  ],
  ['VirtualDocumentRootIP', 'VirtualDocumentRootIP "@/ip/%1.%2/docs"', ['ip/10.0/docs']],
  ['VirtualScriptAlias', 'VirtualScriptAlias "@/vhosts/%-2.0/cgi-bin"', ['vhosts/example/cgi-bin']],
  ['a part of a name', 'VirtualDocumentRoot "@/vhosts/v-%0/htdocs"', ['vhosts/v-a/htdocs']],
  ['AliasMatch', 'AliasMatch ^/u/([^/]+)/(.*)$ "@/u/$1/web/$2"', ['u/ann/web', 'u/ann']],
  ['ScriptAliasMatch', 'ScriptAliasMatch ^/c/(.*)$ "@/cgi/$1"', ['cgi/x']],
  ['RewriteRule to a file', 'RewriteEngine on\nRewriteRule ^/s/(.*)$ "@/data/$1"', ['data/a/b']],
  ['UserDir with a wildcard', 'UserDir "@/home/*/www"', ['home/ann/www', 'home/ann']],
  ['UserDir with a path', 'UserDir "@/users"', ['users/ann']],
  ['UserDir with several', 'UserDir "@/users" "@/home/*/www"', ['users/ann', 'home/bob/www']],
  ['UserDir with some disabled', 'UserDir "@/users"\nUserDir disabled root', ['users/ann']],
  ['UserDir with some enabled', 'UserDir "@/users"\nUserDir disabled\nUserDir enabled ann', ['users/ann']],
  ['a variable', 'DocumentRoot "@/sites/${SITE}/htdocs"', ['sites/a/htdocs']],
  ['an Alias with a variable', 'Alias /x "@/sites/${SITE}"', ['sites/a']],
].map(([title, lines, found]) => ({
  title: title as string,
  lines: lines as string,
  kind: 'served-anywhere',
  found: found as string[],
  none: 'no-htaccess',
}));

const CASES: readonly Case[] = [
  ...SERVED,
  {
    title: 'a directory that is not here',
    lines: 'DocumentRoot "@/docs"',
    kind: 'htaccess-unseen',
    found: ['docs', 'docs/a/b', '.'],
    none: 'none',
  },
];

describe(
  'the command that finds out an answer',
  withFolder((folder) => {
    let around: string;
    let base: string;
    beforeEach(() => {
      around = realpathSync(mkdtempSync(path.join(tmpdir(), 'find-out-')));
      base = path.join(around, `it's a $HOME & (servers)`);
      mkdirSync(base);
    });
    afterEach(() => rmSync(around, { recursive: true, force: true }));

    const asked = async (lines: string, kind: string) => {
      // In the quotes of httpd a dollar is one.
      folder().write('conf/httpd.conf', `ServerRoot /etc/httpd\n${HEAD}${lines.replaceAll('@', () => base)}\n`);
      const { out, err } = await folder().run(['plan', '--format', 'json', 'conf/httpd.conf']);
      const { configurations } = JSON.parse(out) as UpgradePlan;
      const question = configurations[0].questions.find((each) => each.kind === kind);
      assert.ok(question, `${err}${JSON.stringify(configurations[0].questions)}`);
      return question;
    };
    const run = (command: string) => {
      const { stdout, error } = spawnSync('sh', ['-c', command], { encoding: 'utf8', cwd: '/' });
      assert.equal(error, undefined);
      return stdout.split('\n').filter((row) => row.includes(around));
    };
    const put = (name: string, text: string) => {
      const file = path.join(base, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    };

    for (const { title, lines, kind, found, none } of CASES) {
      it(`finds the .htaccess files of ${title}, and nothing where there are none`, async function () {
        if (process.platform === 'win32') lacks(this, 'sh');
        const { findOut, answers } = await asked(lines, kind);
        assert.equal(answers[0].value, none);
        for (const directory of found) mkdirSync(path.join(base, directory), { recursive: true });
        put('other/file', DENIED);
        put(path.join(found[0], 'page.html'), DENIED);
        put(path.join(found[0], '.htaccess'), '# Order deny,allow\nOptions None\n');
        assert.deepEqual(run(findOut), [], findOut);
        for (const directory of found) {
          const file = put(path.join(directory, '.htaccess'), DENIED);
          assert.deepEqual(run(findOut), [file], findOut);
          rmSync(file);
        }
      });
    }

    const DECIDING = [
      'order deny,allow',
      'ALLOW from all',
      '  Deny from all',
      'Satisfy Any',
      '"Require" valid-user',
      'AuthMerging And',
      '<Limit GET>',
      '<requireAny>',
      '\tAuthzUserAuthoritative off',
    ];
    it('finds all words that decide access, in any case', async function () {
      if (process.platform === 'win32') lacks(this, 'sh');
      const { findOut } = await asked('VirtualDocumentRoot "@/v/%0"', 'served-anywhere');
      for (const line of DECIDING) {
        const file = put('v/a/.htaccess', `${line}\r\n`);
        assert.deepEqual(run(findOut), [file], line);
      }
    });

    it('lists no file whose lines only limit the size of a request', async function () {
      if (process.platform === 'win32') lacks(this, 'sh');
      const { findOut } = await asked('VirtualDocumentRoot "@/v/%0"', 'served-anywhere');
      put('v/a/.htaccess', 'LimitRequestBody 1\n');
      assert.deepEqual(run(findOut), []);
    });

    it('shows the section of an access line elsewhere', function () {
      if (process.platform === 'win32') lacks(this, 'sh');
      const here = commandListingConfiguration('').replace(
        /^find -L .*? -type f/,
        `find -L '${base.replaceAll("'", `'\\''`)}' -type f`,
      );
      const file = put('a.conf', '<Directory "/srv/a">\n  Options None\n  Require all denied\n</Directory>\n');
      assert.deepEqual(
        run(here).map((row) => row.slice(file.length)),
        [':1:<Directory "/srv/a">', ':3:  Require all denied', ':4:</Directory>'],
      );
    });

    it('looks for all names of AccessFileName, and follows links', async function () {
      if (process.platform === 'win32') lacks(this, 'sh');
      const lines = `AccessFileName .acl "my file"\n<VirtualHost *:80>\nAccessFileName conf/access.cfg\n</VirtualHost>\nVirtualDocumentRoot "@/v/%0"\n`;
      const { findOut, question } = await asked(lines, 'served-anywhere');
      assert.match(question, /\.acl/);
      const ignored = put('v/a/.htaccess', DENIED);
      assert.deepEqual(run(findOut), []);
      rmSync(ignored);
      for (const name of ['.acl', 'my file', 'conf/access.cfg']) {
        const file = put(`v/a/${name}`, DENIED);
        assert.deepEqual(run(findOut), [file], findOut);
        rmSync(file);
      }
      put('elsewhere/d/.acl', DENIED);
      symlinkSync(path.join(base, 'elsewhere'), path.join(base, 'v/linked'));
      assert.deepEqual(run(findOut), [path.join(base, 'v/linked/d/.acl')]);
    });

    it('looks below the homes of users for a name', async () => {
      assert.match((await asked('UserDir /gone/*/www', 'served-anywhere')).findOut, /find -L \/gone\/\*\/www -name/);
      const { findOut } = await asked('UserDir public_html', 'served-anywhere');
      assert.match(
        findOut,
        /;\nfind -L \/home\/\*\/public_html -name \.htaccess [^]* find -L "\$h"\/public_html -name /,
      );
      const { findOut: ofSome } = await asked(
        'UserDir www\nUserDir disabled\nUserDir enabled ann bob',
        'served-anywhere',
      );
      assert.match(ofSome, /;\nfind -L \/home\/ann\/www ~ann\/www \/home\/bob\/www ~bob\/www -name /);
    });

    it('asks nothing where users have no directories, or no .htaccess file is allowed', async () => {
      const kinds = async (lines: string, text = HEAD) => {
        folder().write('conf/httpd.conf', `ServerRoot /etc/httpd\nDocumentRoot /none\n${text}${lines}\n`);
        const { out } = await folder().run(['plan', '--format', 'json', 'conf/httpd.conf']);
        return (JSON.parse(out) as UpgradePlan).configurations[0].questions.map(({ kind }) => kind);
      };
      for (const off of ['disabled', 'disable', 'Disabled'])
        assert.ok(!(await kinds(`UserDir public_html\nUserDir ${off}`)).includes('served-anywhere'), off);
      assert.ok(!(await kinds('UserDir http://users.example/*/')).includes('served-anywhere'));
      const none = HEAD.replace('AllowOverride All', 'AllowOverride None');
      const other = '<Directory /var/www>\nAllowOverride All\n</Directory>\n';
      assert.ok(!(await kinds('VirtualDocumentRoot /srv/vhosts/%0', none + other)).includes('served-anywhere'));
      assert.ok((await kinds('VirtualDocumentRoot /var/www/%0', none + other)).includes('served-anywhere'));
    });

    it('lists the access lines of included files, wherever they lie', async function () {
      if (process.platform === 'win32') lacks(this, 'sh');
      const { findOut } = await asked('Include "@/conf.d/*.conf"\nInclude "@/sites"', 'include-unseen');
      put('conf.d/a.conf', '# Order\nOptions None\n');
      put('conf.d/other', DENIED);
      assert.deepEqual(run(findOut), []);
      const rows = (name: string, text: string) => {
        const file = put(name, text);
        const found = run(findOut);
        rmSync(file);
        assert.ok(found.length > 0 && found.every((row) => row.startsWith(file)), `${name}: ${findOut}`);
      };
      rows('conf.d/b.conf', DENIED);
      rows('sites/c', 'include /etc/more.conf\n');
      rows('sites/deep/.d', 'Use Private\n');
      put('elsewhere/e', DENIED);
      symlinkSync(path.join(base, 'elsewhere/e'), path.join(base, 'sites/e'));
      assert.equal(run(findOut).length, 2);
    });

    it('reads what is here below the known part of the path, and asks nothing', async () => {
      const kinds = async (lines: string, files: Record<string, string>) => {
        folder().write('etc/httpd/conf/httpd.conf', `ServerRoot /etc/httpd\nDocumentRoot /srv/docs\n${HEAD}${lines}\n`);
        for (const [name, text] of Object.entries({ 'srv/docs/a': '', ...files })) folder().write(name, text);
        const { out } = await folder().run(['plan', '--format', 'json', '--answer', 'running-version=2.2', '.']);
        const [{ questions, ready }] = (JSON.parse(out) as UpgradePlan).configurations;
        return [
          questions.map(({ kind }) => kind).filter((kind) => /htaccess|served/.test(kind)),
          ready.map(({ file }) => file),
        ];
      };
      for (const [lines, name] of [
        ['VirtualDocumentRoot /srv/vhosts/%0/htdocs', 'srv/vhosts/a.example/htdocs/.htaccess'],
        ['AliasMatch ^/u/([^/]+)/(.*)$ /srv/u/$1/web/$2', 'srv/u/ann/web/.htaccess'],
        ['RewriteEngine on\nRewriteRule ^/s/(.*)$ "/srv/data/$1"', 'srv/data/x/.htaccess'],
        ['UserDir /srv/home/*/www', 'srv/home/ann/www/.htaccess'],
        ['UserDir /srv/home', 'srv/home/ann/.htaccess'],
        ['DocumentRoot /srv/sites/${SITE}', 'srv/sites/a/.htaccess'],
      ]) {
        const [questions, ready] = await kinds(lines, { [name]: DENIED });
        assert.deepEqual([questions, (ready as string[]).includes(name)], [[], true], lines);
      }
    });
  }),
);
