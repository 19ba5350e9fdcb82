/**
 * Whole servers in the layouts of packages, after `fix --write`: a real 2.4 without
 * mod_access_compat, with only the modules that the files load, answers as it did before with it.
 * Excludes sections where mod_access_compat differs from 2.2.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { symlinkSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { withFolder, type Folder } from '../cli/run';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';
import { PASSWD } from './access-scenarios';
import { requireHttpd, serve, type Httpd, type ModuleSet, type RequestOptions } from './harness';

interface ServerTree {
  readonly name: string;
  readonly root: string;
  /** `@ROOT@` is the folder of the tree. */
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  /** `host/path`. */
  readonly urls: readonly string[];
}

/** What a 2.2 loads; 2.4 needs more. */
const MODULES = [
  'auth_basic',
  'authn_file',
  'authz_host',
  'authz_user',
  'dir',
  'alias',
  'autoindex',
  'setenvif',
  'rewrite',
  'status',
  'proxy',
  'proxy_http',
];
/** Debian's a2enmod links modules, this program does not. */
const ENABLED = ['mpm_event', 'authz_core', 'authn_core', ...MODULES];
const LOGIN = 'AuthType Basic\nAuthName x\nAuthUserFile @ROOT@/conf/passwd\nRequire valid-user\n';
const OPEN = 'Order allow,deny\nAllow from all\n';
const HERE =
  'Order deny,allow\nDeny from all\n# this machine\nAllow from 127.0.0.1\n# and the office\nAllow from 127.0.3\n';
const HIDDEN = '<Files ~ "^\\.ht">\nOrder allow,deny\nDeny from all\nSatisfy All\n</Files>\n';
const load = (module: string) => `LoadModule ${module}_module @MODULES@/mod_${module}.so\n`;

const TREES: readonly ServerTree[] = [
  {
    name: 'Red Hat: conf.d, virtual hosts with their own .htaccess files, a proxy',
    root: 'etc/httpd/conf/httpd.conf',
    files: {
      'etc/httpd/conf/httpd.conf': `ServerRoot "@ROOT@/etc/httpd"\n${['mpm_event', ...MODULES].map(load).join('')}Include conf.d/*.conf\nDocumentRoot "@ROOT@/www/html"\n<Directory />\nOptions FollowSymLinks\nAllowOverride None\n</Directory>\n<Directory "@ROOT@/www/html">\n${OPEN}</Directory>\n<IfModule mod_userdir.c>\nUserDir disabled\n</IfModule>\n${HIDDEN}<Location /status>\nSetHandler server-status\n${HERE}</Location>\nNameVirtualHost *\n`,
      'etc/httpd/conf.d/a.conf': `<VirtualHost *>\nServerName a\nDocumentRoot @ROOT@/www/a\n<Directory @ROOT@/www/a>\nAllowOverride All\n${OPEN}</Directory>\n<Directory @ROOT@/www/a/admin>\n${HERE}</Directory>\nRewriteEngine On\nRewriteRule ^/old /new [R]\n</VirtualHost>\n`,
      'etc/httpd/conf.d/b.conf': `<VirtualHost *>\nServerName b\n<Location /private>\n${LOGIN}</Location>\nProxyPass /app http://127.0.0.1:1/\n<Proxy *>\n${OPEN}</Proxy>\n</VirtualHost>\n`,
      'www/html/private/f': '',
      'www/html/.htpasswd': '',
      'www/a/f': '',
      'www/a/admin/f': '',
      'www/a/login/f': '',
      'www/a/files/f': '',
      'www/a/files/g': '',
      'www/a/login/.htaccess': `${LOGIN}Order allow,deny\nAllow from all\nDeny from 127.0.2\n`,
      'www/a/files/.htaccess': '<Files f>\nDeny from all\n</Files>\nOptions -Indexes',
    },
    urls: [
      'x/private/f',
      'x/.htpasswd',
      'x/status',
      'a/f',
      'a/admin/f',
      'a/login/f',
      'a/files/f',
      'a/files/g',
      'a/status',
      'b/private/f',
      'b/app/',
      'b/status',
    ],
  },
  {
    name: 'Debian: links to what is enabled, CR LF, another encoding, a variable',
    root: 'etc/apache2/apache2.conf',
    files: {
      'etc/apache2/apache2.conf': `# für alle\r\nServerRoot "@ROOT@/etc/apache2"\r\nDefine DOCS @ROOT@/www\r\n${HIDDEN.replaceAll('\n', '\r\n')}Include mods-enabled/*.load\r\nInclude sites-enabled/`,
      'etc/apache2/sites-available/default': `<VirtualHost *>\nServerName d\nDocumentRoot \${DOCS}\n<Directory />\n\tAllowOverride None\n\t${HERE}</Directory>\n<Directory \${DOCS}/>\n${OPEN}</Directory>\nAlias /doc/ "@ROOT@/doc/"\n<Directory "@ROOT@/doc/">\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.0/255.255.255.0 ::1/128\n</Directory>\n</VirtualHost>`,
      ...Object.fromEntries(ENABLED.map((module) => [`etc/apache2/mods-available/${module}.load`, load(module)])),
      'www/f': '',
      'www/.htx': '',
      'doc/f': '',
    },
    links: {
      'etc/apache2/sites-enabled/000-default': '../sites-available/default',
      ...Object.fromEntries(
        ENABLED.map((module) => [`etc/apache2/mods-enabled/${module}.load`, `../mods-available/${module}.load`]),
      ),
    },
    urls: ['d/f', 'd/.htx', 'd/doc/f'],
  },
  {
    name: 'A hoster: many hosts with one snippet and .htaccess files of all kinds',
    root: 'conf/httpd.conf',
    files: {
      'conf/httpd.conf': `ServerRoot @ROOT@\n${['mpm_event', ...MODULES].map(load).join('')}DocumentRoot @ROOT@/none\n<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\n</Directory>\n<Directory @ROOT@/hosts>\nAllowOverride All\n${OPEN}</Directory>\nInclude conf/hosts/*.conf\n`,
      'none/f': '',
      'conf/common.inc': `<Files ~ "\\.bak$">\nDeny from all\n</Files>\n<Location /status>\n${HERE}</Location>\n`,
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [
          [
            `conf/hosts/${i}.conf`,
            `<VirtualHost *>\nServerName h${i}\nDocumentRoot @ROOT@/hosts/${i}\nInclude conf/common.inc\n${i % 4 ? '' : `<Directory @ROOT@/hosts/${i}/x>\n${HERE}</Directory>\n`}</VirtualHost>\n`,
          ],
          [`hosts/${i}/x/.htaccess`, [HERE, LOGIN, '<Files g>\nDeny from all\n</Files>\n'][i % 3]],
          [`hosts/${i}/x/f`, ''],
          [`hosts/${i}/x/g`, ''],
          [`hosts/${i}/f.bak`, ''],
        ]).flat(),
      ),
    },
    urls: Array.from({ length: 24 }, (_, i) => ['x/f', 'x/g', 'f.bak', 'status'].map((file) => `h${i}/${file}`)).flat(),
  },
];

describe(
  'whole servers, fixed, on a real httpd',
  withFolder((current) => {
    let httpd: Httpd;

    before(function () {
      httpd = requireHttpd(this);
    });

    for (const tree of TREES) {
      it(tree.name, async () => {
        const folder = current();
        write(folder, tree, httpd);
        const root = folder.at(tree.root);
        const builtIn = ['--modules', ['core', ...httpd.builtin].filter((name) => name !== 'http_core').join(',')];
        const before = await ask(root, tree.urls, 'all', 'event');
        const { err } = await folder.run(['fix', '--write', '--assume-standalone', ...builtIn, root]);
        assert.match(err, /^Wrote \d+ fixes/);
        assert.deepEqual(oldLines(folder.path), [], 'all of it is converted');
        assert.deepEqual(await ask(root, tree.urls, [], 'none'), before);
        assert.equal((await folder.run(['fix', ...builtIn, root])).out, '', 'nothing the second time');
      }).timeout(300_000);
    }
  }),
);

describeOver(
  'corpus',
  'the configuration that 2.2 comes with, fixed, checked by a real httpd',
  withFolder((current) => {
    const EXTRAS = ['mpm', 'multilang-errordoc', 'autoindex', 'languages', 'info', 'vhosts', 'manual', 'default'];
    let httpd: Httpd;

    before(function () {
      httpd = requireHttpd(this);
    });

    const cases: readonly { readonly extras: readonly string[]; readonly reason: RegExp | null }[] = [
      { extras: [], reason: null },
      { extras: EXTRAS, reason: null },
      // Below UserDir, a user's own .htaccess may control access.
      { extras: [...EXTRAS, 'userdir'], reason: /UserDir/ },
      // A login by method in a directory, and Locations that lie elsewhere.
      { extras: [...EXTRAS, 'dav'], reason: null },
    ];
    for (const { extras, reason } of cases) {
      it(`${extras.length === 0 ? 'as it is installed' : `with ${extras.join(', ')}`}: ${reason ? 'left as it is, and why' : 'accepted without mod_access_compat'}`, async () => {
        const folder = current();
        const root = writeDistribution(folder, httpd, extras);
        const builtIn = ['--modules', ['core', ...httpd.builtin].filter((name) => name !== 'http_core').join(',')];
        const { out, err } = await folder.run(['fix', '--write', ...builtIn, root]);
        const old = oldLines(folder.at('conf')).filter(
          (line) => extras.some((extra) => line.includes(`-${extra}.conf`)) || line.includes('/httpd.conf:'),
        );
        const verdict = spawnSync(httpd.binary, ['-t', '-d', folder.path, '-f', root], { encoding: 'utf8' });
        if (reason) {
          assert.match((await folder.run(['check', ...builtIn, root])).out, reason, out + err);
          assert.ok(old.length > 0);
          assert.match(verdict.stderr, /Invalid command 'Order'/);
        } else {
          assert.deepEqual(old, []);
          assert.match(verdict.stderr, /Syntax OK/);
        }
      }).timeout(300_000);
    }
  }),
);

/** As `make install` fills it in, with some of the extra files included. Returns the main file. */
function writeDistribution(folder: Folder, httpd: Httpd, extras: readonly string[]): string {
  const source = path.join(corpusFolder, 'apache+httpd/@ab7aa7ccb3/docs/conf');
  const modules = [
    'mpm_event',
    'authn_file',
    'authz_host',
    'authz_groupfile',
    'authz_user',
    'auth_basic',
    'auth_digest',
    'include',
    'log_config',
    'env',
    'headers',
    'setenvif',
    'mime',
    'dav',
    'dav_fs',
    'status',
    'autoindex',
    'info',
    'negotiation',
    'dir',
    'userdir',
    'alias',
    'rewrite',
    'actions',
  ];
  const folders: Readonly<Record<string, string>> = {
    cgidir: 'cgi-bin',
    errordir: 'error',
    htdocsdir: 'htdocs',
    iconsdir: 'icons',
    logfiledir: 'logs',
    manualdir: 'manual',
    runtimedir: 'logs',
    sysconfdir: 'conf',
  };
  const filled = (text: string) =>
    text
      .replace(
        '@@LoadModule@@',
        modules
          .filter((name) => !httpd.builtin.has(name))
          .map(load)
          .join('')
          .replaceAll('@MODULES@', httpd.modulesDir),
      )
      .replaceAll('@@ServerRoot@@', folder.path)
      .replaceAll('@@Port@@', '8080')
      .replaceAll('@@SSLPort@@', '8443')
      .replace(/@(exp|rel)_(\w+)@/g, (_, kind, name) =>
        kind === 'exp' ? `${folder.path}/${folders[name]}` : folders[name],
      )
      .replace(/^#(Include .*\/httpd-([\w-]+)\.conf)/gm, (line, include, extra) =>
        extras.includes(extra) ? include : line,
      );
  for (const name of Object.values(folders)) mkdirSync(folder.at(name), { recursive: true });
  for (const name of readdirSync(source, { recursive: true }) as string[]) {
    if (name.endsWith('.in'))
      folder.write(`conf/${name.replace(/\.in$/, '')}`, filled(readFileSync(path.join(source, name), 'utf8')));
  }
  folder.write('conf/mime.types', '');
  return folder.at('conf/httpd.conf');
}

function write(folder: Folder, { files, links = {} }: ServerTree, httpd: Httpd): void {
  for (const [name, text] of Object.entries({ ...files, 'conf/passwd': PASSWD }))
    folder.write(
      name,
      Buffer.from(text.replaceAll('@ROOT@', folder.path).replaceAll('@MODULES@', httpd.modulesDir), 'latin1'),
    );
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(path.dirname(folder.at(name)), { recursive: true });
    symlinkSync(target, folder.at(name));
  }
}

/** Statuses by what was asked. */
async function ask(
  root: string,
  urls: readonly string[],
  modules: ModuleSet,
  mpm: 'event' | 'none',
): Promise<Record<string, number>> {
  const questions = urls.flatMap((url) =>
    ['127.0.0.1', '127.0.2.5', '127.0.3.1'].flatMap((from) => [undefined, 'ann'].map((user) => ({ url, from, user }))),
  );
  const server = await serve(`Include "${root}"`, { modules, mpm });
  const answers = await server.requestAll(
    questions.map(
      ({ url, from, user }): RequestOptions => ({
        path: url.slice(url.indexOf('/')),
        from,
        user,
        password: 'secret',
        headers: { Host: url.slice(0, url.indexOf('/')) },
      }),
    ),
  );
  await server.stop();
  return Object.fromEntries(
    questions.map(({ url, from, user }, i) => [`${url} from ${from}${user ? ` as ${user}` : ''}`, answers[i].status]),
  );
}

function oldLines(folder: string): string[] {
  const files = (readdirSync(folder, { recursive: true }) as string[])
    .map((file) => path.join(folder, file))
    .filter((file) => statSync(file).isFile());
  return files.flatMap((file) =>
    (readFileSync(file, 'latin1').match(/^\s*(Order|Allow|Deny|Satisfy) .*/gm) ?? []).map((line) => `${file}: ${line}`),
  );
}
