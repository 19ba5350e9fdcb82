/**
 * missing-module, module-order, include-no-match: configurations of several files, in each layout.
 */
import assert from 'node:assert/strict';
import { findingsInFiles, fixedFiles, listed, type Files } from '../support/configurations';

const load = (...names: string[]) => names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('');
const USUAL = load('authz_host', 'dir', 'mime', 'alias');
/** What a 2.4 server of Red Hat has. */
const RHEL24 = load('authz_core', 'authz_host', 'authn_core', 'dir', 'mime', 'alias', 'unixd', 'mpm_event');
const ROOT = '/etc/httpd/conf/httpd.conf';

const ofRule = (rule: string) => (files: Files) => listed(files, { rule });
const missing = (files: Files) => ofRule('missing-module')(files).sort();
const messages = (files: Files) =>
  [...findingsInFiles(files, { rule: 'missing-module' }).values()].flat().map(({ message }) => message);

describe('missing-module', () => {
  for (const [what, head] of [
    ['a directory on a drive', 'ServerRoot "C:/xampp/apache"\n'],
    ['${SRVROOT}', 'Define SRVROOT "C:/Apache24"\nServerRoot "${SRVROOT}"\n'],
  ])
    it(`Windows, ${what}: there is no mod_unixd, and the MPM is in the program`, () => {
      const main = 'C:/xampp/apache/conf/httpd.conf';
      const text = `${head}${USUAL}Listen 80\n<IfModule !mpm_winnt_module>\nUser daemon\n</IfModule>\n`;
      assert.deepEqual(missing({ [main]: text }), []);
      assert.deepEqual(missing({ [ROOT]: text.replace(/C:/, '') }).length > 0, true, 'elsewhere it is missing');
    });

  it('sections for modules that 2.2 has compiled in: 2.4 skips them if its modules are files', () => {
    const own = '/usr/local/apache2/conf/httpd.conf';
    const sections = (names: readonly string[]) =>
      names.map((name) => `<IfModule ${name}>\nKeepAlive On\n</IfModule>\n`).join('');
    const text = (names: readonly string[], head = 'LoadModule php5_module modules/libphp5.so\n') => ({
      [own]: `ServerRoot "/usr/local/apache2"\n${head}Listen 80\n${sections(names)}`,
    });
    const told = (files: Files, given: readonly (readonly [string, string])[] = [['modules', 'files']]) =>
      [...findingsInFiles(files, { rule: 'missing-module', answerSet: { answers: new Map(given), folder: '/' } })]
        .flatMap(([, found]) => found)
        .filter(({ messageId }) => messageId === 'skipped-section');
    const names = ['mod_ssl.c', 'alias_module', '!mod_dir.c', 'mod_mime.c', 'mod_alias.c'];
    const [one, ...others] = told(text(names));
    assert.equal(others.length, 0);
    assert.match(one!.message, /^`<IfModule alias_module>`: 2\.4 skips this and other sections/);
    assert.match(one!.message, /has mod_alias and mod_mime compiled in/);
    assert.deepEqual(
      one!.fixes.map(({ title, safety }) => [title, safety]),
      [['Load alias_module and mime_module', 'suggestion']],
    );
    assert.match(told(text(['dir_module']))[0]!.message, /because no line loads mod_dir/);
    // Without the answer, modules may be compiled in.
    assert.deepEqual(told(text(names), []), []);
    // The other lines show that all modules are files: 2.2 skipped the section, too.
    assert.deepEqual(told(text(['mod_env.c'], USUAL)), []);
    assert.deepEqual(told(text(['mod_alias.c'], load('alias'))), []);
    assert.deepEqual(told({ [own]: text([])[own]! + '<IfModule mod_dir.c>\n# x\n</IfModule>\n' }), []);
  });

  it('lines in <IfDefine> whose name is unknown: one note names the modules and -D', () => {
    const own = (text: string) =>
      [...findingsInFiles({ [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${text}` }, { rule: 'missing-module' }).values()]
        .flat()
        .map(({ messageId, severity, message, fixes }) => [messageId, severity, message.split('\n')[0], fixes.length]);
    const ssl = `<IfDefine SSL>\n${load('ssl')}SSLSessionCache shmcb:/run/x\n</IfDefine>\n`;
    assert.deepEqual(own(ssl), [
      ['if-defined', 'info', '`SSLSessionCache`: with `-D SSL`, no line loads mod_socache_shmcb', 0],
    ]);
    // All lines with the same names are one note; so are those in an <IfModule> inside.
    const more = '<IfDefine SSL>\n<IfModule ssl_module>\nExpiresActive On\n</IfModule>\n</IfDefine>\n';
    assert.deepEqual(own(ssl + more), [
      ['if-defined', 'info', '`SSLSessionCache`: with `-D SSL`, no line loads mod_socache_shmcb and mod_expires', 0],
    ]);
    const nested =
      '<IfDefine A>\n<IfDefine B>\n<Location /x>\nExpiresActive On\n</Location>\n</IfDefine>\n</IfDefine>\n';
    assert.deepEqual(own(nested), [
      ['if-defined', 'info', '`ExpiresActive`: with `-D A -D B`, no line loads mod_expires', 0],
    ]);
    // A module that is missing in any case is reported once, and `!` needs no name.
    assert.deepEqual(
      own(`ExpiresActive On\n${more}<IfDefine !X>\nHeader set X y\n</IfDefine>\n`).map(([id]) => id),
      ['directive'],
    );
    assert.deepEqual(own('<IfModule mod_ssl.c>\nExpiresActive On\n</IfModule>\n'), []);
  });

  it('Red Hat: each module once, at the first line that needs it, in whatever file', () => {
    const files = {
      [ROOT]: `ServerRoot "/etc/httpd"\n${load('authz_host', 'dir', 'mime', 'alias', 'mpm_prefork', 'proxy', 'ssl', 'deflate')}Include conf.d/*.conf\nUser apache\nGroup apache\n`,
      '/etc/httpd/conf.d/a.conf':
        '<Location /a>\n  AuthType Basic\n  AuthName a\n  Require ip 192.0.2.1\n  Require valid-user\n</Location>\n<Location /b>\n  Require valid-user\n</Location>\n',
      '/etc/httpd/conf.d/ssl.conf':
        'SSLSessionCache shmcb:/run/x(512000)\nAllowCONNECT 443\nAddOutputFilterByType DEFLATE text/html\n<VirtualHost *:443>\nSSLSessionCache shm:/x\n</VirtualHost>\n',
    };
    assert.deepEqual(missing(files), [
      '/etc/httpd/conf.d/a.conf:2: error missing-module/auth-type suggestion',
      '/etc/httpd/conf.d/a.conf:2: error missing-module/directive safe',
      '/etc/httpd/conf.d/a.conf:4: error missing-module/directive safe',
      '/etc/httpd/conf.d/a.conf:5: error missing-module/provider suggestion',
      '/etc/httpd/conf.d/ssl.conf:1: error missing-module/provider safe',
      '/etc/httpd/conf.d/ssl.conf:2: error missing-module/directive safe',
      '/etc/httpd/conf.d/ssl.conf:3: error missing-module/directive safe',
      `${ROOT}:11: error missing-module/directive safe`,
    ]);
    const fixed = fixedFiles(files);
    // Without these two, 2.2 allowed no request.
    assert.deepEqual(missing(fixed), [
      '/etc/httpd/conf.d/a.conf:2: error missing-module/auth-type suggestion',
      '/etc/httpd/conf.d/a.conf:5: error missing-module/provider suggestion',
    ]);
    assert.equal(fixed['/etc/httpd/conf.d/a.conf'], files['/etc/httpd/conf.d/a.conf']);
    const loaded = fixed[ROOT]
      .split('\n')
      .flatMap((line) => /^LoadModule (\w+)_module modules\/mod_\1\.so$/.exec(line)?.[1] ?? []);
    assert.deepEqual([...loaded].sort(), [
      'alias',
      'authn_core',
      'authz_core',
      'authz_host',
      'deflate',
      'dir',
      'filter',
      'mime',
      'mpm_prefork',
      'proxy',
      'proxy_connect',
      'socache_shmcb',
      'ssl',
      'unixd',
    ]);
    assert.ok(loaded.indexOf('proxy_connect') === loaded.indexOf('proxy') + 1, loaded.join());
  });

  it('what lets nobody in without a module in 2.2, either, is opened by nobody but a person', () => {
    const of = (names: readonly string[], ...lines: string[]) =>
      missing({
        [ROOT]: `ServerRoot /etc/httpd\n${load('mpm_event', 'unixd', 'dir', 'mime', 'alias', 'authz_host', 'authz_core', 'authn_core', ...names)}<Location /a>\n${lines.join('\n')}\n</Location>\n`,
      });
    const login = ['auth_basic', 'authn_file'];
    for (const line of ['valid-user', 'user ann', 'group staff', 'file-owner'])
      assert.deepEqual(of(login, 'AuthType Basic', `Require ${line}`), [
        `${ROOT}:14: error missing-module/provider suggestion`,
      ]);
    assert.deepEqual(of(['authz_user'], 'AuthType Basic', 'Require valid-user'), [
      `${ROOT}:12: error missing-module/auth-type suggestion`,
    ]);
    assert.deepEqual(of([...login, 'authz_user'], 'AuthType Basic', 'Require valid-user'), []);
  });

  it('Red Hat, conf.modules.d: the line goes to the file with the modules most alike, in its style', () => {
    const files = {
      [ROOT]:
        'ServerRoot "/etc/httpd"\nInclude conf.modules.d/*.conf\nUser apache\n<Directory />\n  Require all denied\n</Directory>\n',
      '/etc/httpd/conf.modules.d/00-base.conf':
        '#\n  LoadModule   "dir_module"   "modules/mod_dir.so"\r\n  LoadModule   "authz_host_module"   "modules/mod_authz_host.so"\r\n  LoadModule   "mime_module"   "modules/mod_mime.so"',
      '/etc/httpd/conf.modules.d/00-mpm.conf': load('mpm_event'),
      '/etc/httpd/conf.modules.d/00-systemd.conf': load('unixd'),
    };
    assert.deepEqual(missing(files), [`${ROOT}:5: error missing-module/directive safe`]);
    const [finding] = findingsInFiles(files)
      .get(ROOT)!
      .filter(({ rule }) => rule.id === 'missing-module');
    assert.deepEqual(finding.fixes[0].edits, []);
    const fixed = fixedFiles(files)['/etc/httpd/conf.modules.d/00-base.conf'];
    assert.ok(
      fixed.includes(
        'mod_authz_host.so"\r\n  LoadModule   "authz_core_module"   "modules/mod_authz_core.so"\r\n  LoadModule   "mime',
      ),
      fixed,
    );
  });

  it('logins in .htaccess files: AuthType and Require were in the core of 2.2', () => {
    const of = (override: string, ...names: string[]) => ({
      [ROOT]: `ServerRoot /etc/httpd\n${load('dir', 'mime', 'alias', 'mpm_event', 'unixd', 'authn_file', 'authz_user', ...names)}<Directory /srv>\n${override}\n</Directory>\n`,
    });
    const both = [`${ROOT}:9: warning missing-module/htaccess safe`, `${ROOT}:9: warning missing-module/htaccess safe`];
    for (const override of [
      'AllowOverride All',
      'AllowOverride indexes AUTHCONFIG',
      'AllowOverride None\nAllowOverrideList authtype Require',
    ]) {
      assert.deepEqual(missing(of(override, 'auth_basic')), both, override);
      const fixed = fixedFiles(of(override, 'auth_basic'));
      assert.ok(/authn_core_module/.test(fixed[ROOT]) && /authz_core_module/.test(fixed[ROOT]), fixed[ROOT]);
      assert.deepEqual(missing(fixed), []);
    }
    assert.deepEqual(missing(of('AllowOverride All', 'auth_digest')), both);
    assert.match(
      messages(of('AllowOverride All', 'auth_basic'))[0],
      /^`AuthType` needs mod_authn_core[^]*`AllowOverride All` allows \.htaccess files to ask for a login/,
    );
    assert.deepEqual(missing(of('AllowOverride All', 'auth_basic', 'authz_core')), both.slice(1));
    // A module that is certainly needed is reported at its line.
    assert.deepEqual(missing(of('AllowOverride All\nRequire valid-user', 'auth_basic')), [
      `${ROOT}:12: error missing-module/directive safe`,
      both[0],
    ]);
    for (const override of [
      'AllowOverride None',
      'AllowOverride FileInfo Limit',
      'AllowOverrideList Require',
      '#AllowOverride All',
      '<IfDefine X>\nAllowOverride All\n</IfDefine>',
    ])
      assert.deepEqual(missing(of(override, 'auth_basic')), [], override);
    assert.deepEqual(missing(of('AllowOverride All')), [], 'without a module for logins');
    assert.deepEqual(missing(of('AllowOverride All', 'auth_basic', 'authn_core', 'authz_core')), []);
  });

  it('what is only built where somebody asks for it is a suggestion', () => {
    const of = (root: string, ...lines: string[]) =>
      missing({ [root]: `ServerRoot ${root.slice(0, root.lastIndexOf('/conf/'))}\n${RHEL24}${lines.join('\n')}\n` });
    const upstream = '/usr/local/apache2/conf/httpd.conf';
    for (const [root, line, safety] of [
      [ROOT, 'IdentityCheck On', 'suggestion'],
      [ROOT, 'MetaDir .web', 'suggestion'],
      [ROOT, 'ImapMenu formatted', 'suggestion'],
      [ROOT, 'MimeMagicFile conf/magic', 'safe'],
      [ROOT, 'ForensicLog logs/forensic', 'safe'],
      [upstream, 'IdentityCheck On', 'suggestion'],
      [upstream, 'MimeMagicFile conf/magic', 'suggestion'],
      [upstream, 'ForensicLog logs/forensic', 'suggestion'],
      [upstream, 'ExpiresActive On', 'safe'],
    ] as const) {
      assert.deepEqual(
        of(root, line)
          .filter((row) => row.includes('/directive'))
          .map((row) => row.split(' ').at(-1)),
        [safety],
        `${root} ${line}`,
      );
    }
  });

  it('a module whose absence an <IfModule> asks for is a suggestion, but for those that 2.2 had not', () => {
    const of = (...lines: string[]) =>
      missing({ [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${lines.join('\n')}\n` })
        .filter((row) => row.includes('/directive'))
        .map((row) => row.split(' ').at(-1));
    assert.deepEqual(of('ForensicLog logs/forensic'), ['safe']);
    for (const asked of ['!mod_log_forensic.c', '"!log_forensic_module"'])
      assert.deepEqual(
        of(`<IfModule ${asked}>`, 'ServerSignature Off', '</IfModule>', 'ForensicLog logs/forensic'),
        ['suggestion'],
        asked,
      );
    assert.deepEqual(
      of('<IfModule !mod_watchdog.c>', 'ServerSignature Off', '</IfModule>', 'ForensicLog logs/forensic'),
      ['safe'],
    );
  });

  it('a module with access control in an <IfModule> of it is a suggestion: 2.2 could lack it where 2.4 needs it', () => {
    const of = (...lines: string[]) =>
      missing({
        [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${load('deflate')}AddOutputFilterByType DEFLATE text/html\n${lines.join('\n')}\n`,
      })
        .filter((row) => row.includes('/directive'))
        .map((row) => row.split(' ').at(-1));
    const section = (body: string) => ['<IfModule mod_filter.c>', body, '</IfModule>'];
    assert.deepEqual(of(), ['safe']);
    assert.deepEqual(of(...section('FilterDeclare a')), ['safe']);
    for (const line of ['Order allow,deny', 'Require all granted', 'AuthType Basic', 'Include conf.d/a.conf'])
      assert.deepEqual(of('<Directory /srv>', ...section(line), '</Directory>'), ['suggestion'], line);
    assert.deepEqual(of('<IfModule mod_filter.c>', ...section('Satisfy Any'), '</IfModule>'), ['suggestion'], 'nested');
  });

  it('what is like no other module goes to the end of the longest list, not to a snippet that loads its own', () => {
    const files = {
      [ROOT]: `ServerRoot /etc/httpd\n${load('dir', 'mime', 'alias', 'mpm_event')}Include conf.d/*.conf\nUser x\n`,
      '/etc/httpd/conf.d/ssl.conf': load('ssl'),
    };
    assert.equal(fixedFiles(files)[ROOT], files[ROOT].replace('Include', `${load('unixd')}Include`));
  });

  it('mod_version stands in front of an Include whose file asks for the version', () => {
    const early = { '/etc/httpd/early.conf': '<IfVersion >= 2.4>\nTimeout 60\n</IfVersion>\n' };
    const text = (head: string) =>
      `ServerRoot "/etc/httpd"\n${head}${load('dir', 'mime')}Include early.conf\n${load('alias', 'authz_core', 'authz_host', 'unixd', 'vhost_alias', 'mpm_event')}`;
    const fixed = fixedFiles({ [ROOT]: text(''), ...early }, { rule: 'missing-module' });
    assert.equal(fixed[ROOT], text(load('version')));
    // A line under a condition is none to stand in front of.
    const other = `<IfDefine X>\n${load('ssl')}</IfDefine>\n`;
    assert.equal(
      fixedFiles({ [ROOT]: text(other), ...early }, { rule: 'missing-module' })[ROOT],
      text(`${other}${load('version')}`),
    );
    // If the file itself needs it, the new line comes after the most similar one.
    const own = `${text('').replace('Include early.conf\n', '')}<IfVersion >= 2.4>\nTimeout 60\n</IfVersion>\n`;
    assert.match(
      fixedFiles({ [ROOT]: own }, { rule: 'missing-module' })[ROOT]!,
      /mod_mpm_event\.so\nLoadModule version_module/,
    );
  });

  it('a module is loaded above the first section that tests for it, in whatever file the section is', () => {
    const limits = '# Limits\n<IfModule prefork.c>\nStartServers 5\n</IfModule>\n';
    const loads = load('dir', 'mime', 'alias', 'authz_host', 'authz_core', 'unixd');
    const mpm = /((<IfModule !mpm_.*\n){3})?LoadModule mpm_prefork_module .*\n((<\/IfModule>\n){3})?/;
    const answerSet = { answers: new Map([['mpm', 'prefork']]), folder: '/' };
    const fixed = (files: Files) => fixedFiles(files, { rule: 'missing-module', answerSet });
    const [root, a, b] = [ROOT, '/etc/httpd/extra/a.conf', '/etc/httpd/extra/b.conf'];
    const head = 'ServerRoot /etc/httpd\nListen 80\n';
    const text = (files: Files, path: string) => fixed(files)[path]!.replace(mpm, 'MPM\n');
    assert.equal(
      text({ [root]: `${head}Include extra/a.conf\n${loads}`, [a]: limits }, root),
      `${head}MPM\nInclude extra/a.conf\n${loads}`,
    );
    assert.equal(
      text(
        {
          [root]: `${head}<IfModule !x_module>\nInclude extra/a.conf\n</IfModule>\nInclude extra/b.conf\n`,
          [a]: limits,
          [b]: loads,
        },
        root,
      ),
      `${head}MPM\n<IfModule !x_module>\nInclude extra/a.conf\n</IfModule>\nInclude extra/b.conf\n`,
    );
    assert.equal(text({ [root]: `${head}Include extra/*.conf\n`, [a]: limits, [b]: loads }, a), `MPM\n${limits}`);
    assert.equal(text({ [root]: `${head}Include extra/*.conf\n`, [a]: loads, [b]: limits }, a), `${loads}MPM\n`);
    assert.equal(
      text({ [root]: `${head}${loads}Include extra/a.conf\n`, [a]: limits }, root),
      `${head}${loads}MPM\nInclude extra/a.conf\n`,
    );
  });

  it('suggests an MPM with threads, if a line outside of conditions counts threads', () => {
    const files = (line: string) => ({
      [ROOT]: `ServerRoot "/etc/httpd"\n${load('dir', 'mime', 'alias', 'authz_host', 'unixd')}${line}User apache\n`,
    });
    const mpmOf = (line: string) => {
      const finding = [...findingsInFiles(files(line), { rule: 'missing-module' }).values()]
        .flat()
        .find(({ messageId }) => messageId === 'mpm')!;
      const [first] = finding.fixes;
      return [first!.choice?.values[0], first!.choice?.openQuestion.shownFacts];
    };
    assert.deepEqual(mpmOf('ThreadsPerChild 25\n'), ['event', ['ThreadsPerChild 25']]);
    assert.deepEqual(mpmOf('<IfModule worker.c>\nThreadsPerChild 25\n</IfModule>\n'), ['prefork', undefined]);
  });

  it('mod_authz_core is loaded above the lines for 2.4', () => {
    const section = '<IfModule mod_authz_core.c>\n<Directory /x>\nRequire all denied\n</Directory>\n</IfModule>\n';
    const loads = load('dir', 'mime', 'alias', 'authz_host', 'unixd', 'mpm_event');
    const fixed = (text: string) => fixedFiles({ [ROOT]: text }, { rule: 'missing-module' })[ROOT];
    assert.equal(
      fixed(`ServerRoot /etc/httpd\n${section}${loads}`),
      `ServerRoot /etc/httpd\n${load('authz_core')}${section}${loads}`,
    );
  });

  it("files of modules as on Debian, with another build's modules: the lines are in the main file", () => {
    const own = (name: string): [string, string] => [
      `/srv/app/mods-enabled/${name}.load`,
      `LoadModule ${name}_module ./apache/lib/modules/mod_${name}.so\n`,
    ];
    const main =
      'ServerRoot "/srv/app"\n# Limits\n<IfModule mpm_prefork_module>\nStartServers 5\n</IfModule>\nListen 80\nInclude ./mods-enabled/*.load\nUser www\n<Location />\nRequire all denied\n</Location>\n';
    const files = {
      '/srv/app/httpd.conf': main,
      ...Object.fromEntries(['authz_host', 'dir', 'mime', 'alias'].map(own)),
    };
    const fixed = fixedFiles(files, {
      rule: 'missing-module',
      answerSet: {
        answers: new Map([
          ['mpm', 'prefork'],
          ['modules', 'files'],
        ]),
        folder: '/',
      },
    });
    assert.deepEqual({ ...fixed, '/srv/app/httpd.conf': main }, files);
    assert.match(
      fixed['/srv/app/httpd.conf']!,
      /^ServerRoot "\/srv\/app"\n(<If.*\n){3}LoadModule mpm_prefork_module \.\/apache\/lib\/modules\/mod_mpm_prefork\.so\n(<\/If.*\n){3}# Limits\n/,
    );
    assert.match(
      fixed['/srv/app/httpd.conf']!,
      /Listen 80\n(.*unixd.*\n|<\/IfModule>\n)*LoadModule authz_core_module \.\/apache\/lib\/modules\/mod_authz_core\.so\nInclude/,
    );
  });

  it('Debian: what is compiled in is not missing, and a module is switched on by its name', () => {
    const own = (name: string): [string, string] => [
      `/etc/apache2/mods-enabled/${name}.load`,
      `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`,
    ];
    const files = {
      '/etc/apache2/apache2.conf':
        'ServerRoot "/etc/apache2"\nInclude mods-enabled/*.load\nUser www-data\nCustomLog /x "%h"\n<IfVersion >= 2.4>\nTimeout 3\n</IfVersion>\n<Location />\nRequire all denied\n</Location>\n',
      ...Object.fromEntries(['authz_host', 'dir', 'mime', 'alias'].map(own)),
    };
    assert.deepEqual(missing(files), ['/etc/apache2/apache2.conf:9: error missing-module/a2enmod none']);
    const [found] = [...findingsInFiles(files, { rule: 'missing-module' }).values()].flat();
    assert.equal(found.run, 'a2enmod mpm_prefork authz_core');
    assert.match(
      messages(files).join('\n'),
      /^`Require`: 2 modules that 2\.4 needs are not enabled[^]*Needed: mod_authz_core \(`Require`\), an MPM[^]*Run `a2enmod mpm_prefork authz_core`\. [^]*write `mpm_event` instead of `mpm_prefork`/,
    );
    assert.deepEqual(
      found.related?.map(({ file, row, message }) => [file, row, message]),
      [['/etc/apache2/mods-enabled/alias.load', 0, '`LoadModule` needs an MPM']],
    );
    assert.deepEqual(fixedFiles(files, { rule: 'missing-module', unsafe: true }), files);
    // One alone is named.
    const one = { ...files, ...Object.fromEntries([own('authz_core')]) };
    assert.match(messages(one).join(), /^`LoadModule`: no MPM is loaded[^]*Message of httpd: No MPM loaded\./);
    // mod_dumpio is the one whose file has another name than its identifier.
    assert.equal(
      [
        ...findingsInFiles(
          { ...one, '/etc/apache2/apache2.conf': files['/etc/apache2/apache2.conf'] + 'DumpIOInput On\n' },
          { rule: 'missing-module' },
        ).values(),
      ].flat()[0].run,
      'a2enmod mpm_prefork dump_io',
    );
    // Where a part is not here, it may be loaded there.
    assert.deepEqual(
      missing({
        ...files,
        '/etc/apache2/apache2.conf': files['/etc/apache2/apache2.conf'] + 'Include /elsewhere/x.conf\n',
      }),
      ['/etc/apache2/apache2.conf:9: warning missing-module/a2enmod none'],
    );
    assert.deepEqual(missing({ ...files, ...Object.fromEntries([own('authz_core'), own('mpm_event')]) }), []);
  });

  it('Debian: without mods-enabled, one command enables what may be missing there', () => {
    for (const load of ['', 'LoadModule passenger_module /usr/lib/phusion/mod_passenger.so\n']) {
      const files = {
        '/etc/apache2/apache2.conf': `ServerRoot "/etc/apache2"\nInclude mods-enabled/*.load\n${load}<Location />\nRequire all denied\n</Location>\n`,
      };
      const row = load === '' ? 4 : 5;
      assert.deepEqual(missing(files), [`/etc/apache2/apache2.conf:${row}: hint missing-module/a2enmod none`]);
      const [found] = [...findingsInFiles(files, { rule: 'missing-module' }).values()].flat();
      assert.equal(found.run, 'a2enmod mpm_prefork authz_core');
      assert.match(messages(files).join(), /a2enmod skips modules that are enabled/);
    }
  });

  it('Debian: without mods-enabled, AuthType needs its module, although 2.4 starts without it', () => {
    const found = (lines: string) => {
      const main = `ServerRoot "/etc/apache2"\nInclude mods-enabled/*.load\n<Location />\n${lines}\n</Location>\n`;
      return [
        ...findingsInFiles({ '/etc/apache2/apache2.conf': main }, { rule: 'missing-module' }).values(),
      ].flat()[0]!;
    };
    const login = found('AuthType Basic\nRequire valid-user');
    assert.equal(login.run, 'a2enmod mpm_prefork auth_basic authn_core authz_core authz_user');
    assert.match(login.cause!, /\. Without mod_auth_basic, requests get 500\.$/);
    assert.equal(found('AuthType None').run, 'a2enmod mpm_prefork authn_core');
  });

  it('a directive shows that 2.2 has the module of an AuthType', () => {
    const has = load(
      'mpm_event',
      'unixd',
      'dir',
      'mime',
      'alias',
      'authz_host',
      'authz_core',
      'authn_core',
      'authn_file',
    );
    const main = (line: string) =>
      `ServerRoot /etc/httpd\n${has}<Location /a>\nAuthType Digest\n${line}\n</Location>\n`;
    assert.deepEqual(missing({ [ROOT]: main('AuthDigestProvider file') }), [
      `${ROOT}:13: error missing-module/directive safe`,
    ]);
    assert.deepEqual(missing({ [ROOT]: main('AuthName a') }), [
      `${ROOT}:12: error missing-module/auth-type suggestion`,
    ]);
  });

  it('modules of logins that 2.2 has compiled in are loaded by the answer to the question', () => {
    const files = {
      '/srv/httpd.conf':
        'ServerRoot /srv\nListen 80\nUser www\n<Location />\nAuthType Basic\nRequire user ann\n</Location>\n',
    };
    const answers = new Map([
      ['mpm', 'prefork'],
      ['modules', 'files'],
    ]);
    const fixed = fixedFiles(files, { rule: 'missing-module', answerSet: { answers, folder: '/' } });
    for (const name of ['auth_basic', 'authz_user'])
      assert.match(fixed['/srv/httpd.conf']!, new RegExp(`^LoadModule ${name}_module modules/mod_${name}\\.so$`, 'm'));
  });

  it('Debian: without mods-enabled, lines that run scripts need mod_cgi, which 2.2 had', () => {
    const found = (lines: string, more: Record<string, string> = {}) =>
      [
        ...findingsInFiles(
          {
            '/etc/apache2/apache2.conf': `ServerRoot "/etc/apache2"\nInclude mods-enabled/*.load\n<Location />\nRequire all denied\n</Location>\n${lines}`,
            ...more,
          },
          { rule: 'missing-module' },
        ).values(),
      ].flat();
    for (const line of [
      'ScriptAlias /cgi-bin/ /usr/lib/cgi-bin/',
      'AddHandler cgi-script .cgi',
      'SetHandler cgi-script',
    ])
      assert.match(found(`${line}\n`)[0]!.run!, /^a2enmod mpm_prefork (alias )?authz_core cgi( mime)?$/, line);
    assert.match(
      found('AddHandler cgi-script .cgi\n')[0]!.cause!,
      /Without mod_cgi, httpd 2\.4 starts and sends the source/,
    );
    // 2.4 refuses ScriptSock without mod_cgid.
    assert.doesNotMatch(found('ScriptAlias /c /d\nScriptSock /run/x\n')[0]!.cause!, /starts and sends/);
    for (const line of [
      'AddHandler type-map var',
      'SetHandler server-status',
      '<IfModule mod_cgi.c>\nScriptAlias /cgi-bin/ /usr/lib/cgi-bin/\n</IfModule>',
    ])
      assert.doesNotMatch(found(`${line}\n`)[0]!.run!, /cgi/, line);
    // If the modules are here and mod_cgi is not, 2.2 did not run the scripts either.
    const loaded = ['authz_host', 'dir', 'mime', 'alias'].map((name): [string, string] => [
      `/etc/apache2/mods-enabled/${name}.load`,
      `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`,
    ]);
    assert.doesNotMatch(found('AddHandler cgi-script .cgi\n', Object.fromEntries(loaded))[0]!.run!, /cgi/);
  });

  it('Debian: without mods-enabled, unchanged files of the package need no module, as they stay behind', () => {
    const run = (files: Record<string, string>, lines = '', answers: [string, string][] = []) =>
      [
        ...findingsInFiles(
          {
            '/etc/apache2/apache2.conf': `ServerRoot "/etc/apache2"\nInclude mods-enabled/*.load\nInclude mods-available/*.conf\n${lines}`,
            ...Object.fromEntries(
              Object.entries(files).map(([name, text]) => [`/etc/apache2/mods-available/${name}.conf`, text]),
            ),
          },
          { rule: 'missing-module', answerSet: { answers: new Map(answers), folder: '/' } },
        ).values(),
      ].flat()[0]?.run;
    const CGID = 'ScriptSock ${APACHE_RUN_DIR}/cgisock\n';
    const DAV_FS = 'DAVLockDB ${APACHE_LOCK_DIR}/DAVLock\n';
    const SCRIPTS = 'ScriptAlias /cgi-bin/ /usr/lib/cgi-bin/\n';
    assert.equal(run({ cgid: CGID, dav_fs: DAV_FS }), undefined);
    assert.equal(run({ cgid: CGID, dav_fs: DAV_FS }, SCRIPTS), 'a2enmod mpm_prefork alias cgi');
    // The same line in a file of the user counts.
    assert.equal(run({ dav_fs: DAV_FS }, DAV_FS), 'a2enmod mpm_prefork dav_fs');
    assert.equal(run({ dav_fs: `${DAV_FS}DavMinTimeout 9\n` }), 'a2enmod mpm_prefork dav dav_fs');
    const USERDIR =
      '<IfModule mod_userdir.c>\nUserDir public_html\nUserDir disabled root\n<Directory /home/*/public_html>\nAllowOverride FileInfo AuthConfig Limit Indexes\nOptions MultiViews Indexes SymLinksIfOwnerMatch IncludesNoExec\n<Limit GET POST OPTIONS>\nOrder allow,deny\nAllow from all\n</Limit>\n</Directory>\n</IfModule>\n';
    const LIMITED = '<Directory /a>\n<Limit GET POST OPTIONS>\nOrder allow,deny\n</Limit>\n</Directory>\n';
    assert.equal(run({ userdir: USERDIR }, LIMITED), 'a2enmod mpm_prefork authz_core');
    // Files that both versions read stay as they are.
    assert.equal(run({ dav_fs: DAV_FS }, '', [['versions', 'both']]), 'a2enmod mpm_prefork dav_fs');
    // cgi and cgid exclude each other.
    for (const mpm of ['worker', 'event'])
      assert.equal(run({}, SCRIPTS, [['mpm', mpm]]), `a2enmod mpm_${mpm} alias cgid`, mpm);
    assert.equal(run({}, `${SCRIPTS}ScriptSock /run/x\n`), 'a2enmod mpm_prefork alias cgid');
    assert.equal(run({}, `${SCRIPTS}ScriptLog /run/x\n`), 'a2enmod mpm_prefork alias cgi');
    assert.equal(run({}, `${SCRIPTS}ScriptLog /run/x\n`, [['mpm', 'event']]), 'a2enmod mpm_event alias cgid');
  });

  it('Debian: without mods-enabled, names the modules of <IfModule> sections that 2.4 would skip', () => {
    const MAIN = 'ServerRoot "/etc/apache2"\nInclude mods-enabled/*.load\nInclude sites-enabled/\nProxyRequests Off\n';
    const sections = (text: string, more: Record<string, string> = {}) =>
      [
        ...findingsInFiles(
          { '/etc/apache2/apache2.conf': MAIN, '/etc/apache2/sites-enabled/a': text, ...more },
          { rule: 'missing-module' },
        ).values(),
      ]
        .flat()
        .filter(({ messageId }) => messageId === 'section');
    const [ssl, ...others] = sections('# A site.\n<IfModule mod_ssl.c>\nListen 443\n</IfModule>\n');
    assert.deepEqual(others, []);
    assert.equal(ssl!.severity, 'hint');
    assert.equal(ssl!.start, '# A site.\n'.length);
    assert.match(ssl!.what, /^`<IfModule mod_ssl\.c>`: 2\.4 skips the section without mod_ssl$/);
    assert.match(ssl!.help!, /`a2enmod ssl`/);
    const named = (text: string, more?: Record<string, string>) =>
      sections(text, more).map(({ what }) => /without (\w+)$/.exec(what)![1]);
    assert.deepEqual(
      named(
        '<VirtualHost *>\n<IfModule headers_module>\nHeader unset X\n<IfModule mod_expires.c>\nExpiresActive On\n</IfModule>\n</IfModule>\n</VirtualHost>\n<IfModule mod_headers.c>\nHeader unset Y\n</IfModule>\n',
      ),
      ['mod_headers', 'mod_expires'],
      'each module once',
    );
    for (const [why, tested] of [
      ['negated', '!mod_ssl.c'],
      ['an MPM', 'prefork.c'],
      ['only 2.2 has it', 'mod_mem_cache.c'],
      ['only 2.4 has it: a test for the version', 'mod_authz_core.c'],
      ['only 2.4 has it', 'mod_access_compat.c'],
      ['compiled in', 'mod_log_config.c'],
      ['the package enables it', 'mod_alias.c'],
      ['no module of httpd', 'mod_php5.c'],
      ['the command a2enmod already has it', 'mod_proxy.c'],
    ] as const)
      assert.deepEqual(named(`<IfModule ${tested}>\nListen 443\n</IfModule>\n`), [], why);
    for (const around of [
      'IfVersion < 2.4',
      'IfModule !mod_rewrite.c',
      'IfDefine X',
      'IfModule mod_mem_cache.c',
      'IfModule mod_php5.c',
    ])
      assert.deepEqual(
        named(`<${around}>\n<IfModule mod_ssl.c>\nListen 443\n</IfModule>\n</${around.split(' ')[0]}>\n`),
        [],
        around,
      );
    assert.deepEqual(named('<IfModule mod_ssl.c>\n# Listen 443\n</IfModule>\n'), [], 'no line in it');
    // The links show which modules 2.2 has.
    assert.deepEqual(
      named('<IfModule mod_ssl.c>\nListen 443\n</IfModule>\n', {
        '/etc/apache2/mods-enabled/dir.load': 'LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so\n',
      }),
      [],
    );
    // The package has its own ports.conf, and the user's is unchanged.
    const PORTS = `NameVirtualHost *:80\nListen 80\n<IfModule mod_ssl.c>\n    Listen 443\n</IfModule>\n<IfModule mod_gnutls.c>\n    Listen 443\n</IfModule>\n`;
    const withPorts = (text: string) => named('Include ports.conf\n', { '/etc/apache2/ports.conf': text });
    assert.deepEqual(withPorts(PORTS), []);
    assert.deepEqual(withPorts(`${PORTS}Listen 8080\n`), ['mod_ssl']);
  });

  it('Debian: without mods-enabled, lines that name a backend need the module for its scheme', () => {
    const run = (lines: string) =>
      [
        ...findingsInFiles(
          {
            '/etc/apache2/apache2.conf': `ServerRoot "/etc/apache2"\nInclude mods-enabled/*.load\n<Location />\nRequire all denied\n</Location>\n${lines}`,
          },
          { rule: 'missing-module' },
        ).values(),
      ].flat()[0]!;
    for (const [line, names] of [
      ['ProxyPass /a http://192.0.2.1/', 'proxy proxy_http'],
      ['ProxyPass /a "HTTPS://192.0.2.1/"', 'proxy proxy_http'],
      ['ProxyPassMatch ^/a ajp://192.0.2.1/', 'proxy proxy_ajp'],
      ['<Location /a>\nProxyPass unix:/run/a.sock|fcgi://localhost/\n</Location>', 'proxy proxy_fcgi'],
      ['RewriteRule ^/a http://192.0.2.1/ [L,P]', 'proxy_http rewrite'],
      ['ProxyPass /a ftp://192.0.2.1/\nProxyPass /b http://192.0.2.1/', 'proxy proxy_ftp proxy_http'],
    ] as const)
      assert.match(run(`${line}\n`).run!, new RegExp(`^a2enmod mpm_prefork authz_core ${names}$`), line);
    assert.match(
      run('ProxyPass /a http://192.0.2.1/\n').cause!,
      /Without mod_proxy_http, httpd 2\.4 starts, and proxied requests get 500/,
    );
    for (const line of [
      'ProxyPass /a !',
      'ProxyPass /a ${BACKEND}',
      'RewriteRule ^/a http://192.0.2.1/ [R,L]',
      'ProxyPassReverse /a http://192.0.2.1/',
    ])
      assert.doesNotMatch(run(`${line}\n`).run!, /proxy_/, line);
  });

  it('a server that loads mod_proxy, and no module for the scheme of a backend', () => {
    const lines = 'User x\nProxyPass /a http://192.0.2.1/\nProxyPass /b http://192.0.2.2/\n';
    const found = (...modules: string[]) =>
      missing({ [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${load(...modules)}${lines}` });
    assert.deepEqual(found('proxy'), [`${ROOT}:12: error missing-module/proxy-scheme suggestion`]);
    assert.deepEqual(found('proxy', 'proxy_http'), []);
  });

  it('the sources: the MPM is compiled in', () => {
    const files = { '/usr/local/apache2/conf/httpd.conf': `ServerRoot /usr/local/apache2\n${USUAL}User daemon\n` };
    assert.deepEqual(missing(files), ['/usr/local/apache2/conf/httpd.conf:6: error missing-module/directive safe']);
  });

  it('of an unknown server: one note about what may be compiled in, with lines that are right if it is', () => {
    const files = {
      '/srv/httpd.conf': `${USUAL}User x\nCustomLog x "%h"\n<IfVersion >= 2.4>\nOrder allow,deny\n</IfVersion>\n<Location />\nRequire all denied\n</Location>\n`,
    };
    assert.deepEqual(missing(files), [
      '/srv/httpd.conf:1: warning missing-module/mpm suggestion',
      '/srv/httpd.conf:5: hint missing-module/built-in safe',
      '/srv/httpd.conf:8: error missing-module/access safe',
    ]);
    assert.match(
      messages(files).join('\n'),
      /httpd 2\.4 does not start without these modules, unless they are compiled in\.\nHelp: .*: mod_unixd \(User\), mod_log_config \(CustomLog\), mod_version \(<IfVersion>\)\./,
    );
    assert.deepEqual(
      listed(files, { rule: 'missing-module', distribution: 'rhel' }).map((row) =>
        row.replace(/.*conf:(\d+): error missing-module\//, '$1 '),
      ),
      ['1 mpm suggestion', '5 directive safe', '6 directive safe', '8 version safe', '8 access safe'],
    );
  });

  it('says what it knows where a part is not seen, or hardly anything is loaded by lines', () => {
    const needs = '<Location />\nRequire all denied\nRewriteEngine On\n</Location>\n';
    const of = (text: string): [string[], string] => [
      missing({ [ROOT]: text }).map((row) => row.replace(/.*: (\w+) missing-module\//, '$1 ')),
      messages({ [ROOT]: text })
        .filter((message) => message.includes('mod_authz_core'))
        .join(),
    ];
    for (const text of [
      `ServerRoot /etc/httpd\n${needs}`,
      `ServerRoot /etc/httpd\n${load('ssl', 'php5', 'mpm_event')}${needs}`,
    ]) {
      const [rows, said] = of(text);
      // Without a LoadModule line nothing shows how one looks.
      assert.deepEqual(rows, [`hint built-in ${text.includes('LoadModule') ? 'suggestion' : 'none'}`], text);
      assert.match(
        said,
        /^httpd 2\.4 does not start without these modules, unless they are compiled in\.\nHelp: .*: mod_authz_core \(Require\), mod_rewrite \(RewriteEngine\)\./m,
      );
    }
    for (const [line, unless] of [
      ['Include conf.d/missing.conf', 'conf.d/missing.conf, which is not in this copy, loads it'],
      ['LoadModule ${X}_module ${X}.so', 'the LoadModule line with a variable loads it'],
      ['<Perl>\n</Perl>', '<perl> loads it'],
      ['Use Something', 'the macro Something loads it'],
    ]) {
      const [rows, said] = of(`ServerRoot /etc/httpd\n${USUAL}${load('mpm_event', 'unixd', 'macro')}${line}\n${needs}`);
      assert.deepEqual(rows, ['warning directive safe', 'warning directive safe'], line);
      assert.ok(said.includes(`\nThis is no problem if ${unless}.\n`), said);
    }
    assert.deepEqual(of(`ServerRoot /etc/httpd\nInclude mods/*.conf\n${needs}`)[0], ['hint part none']);
    // A part of a configuration: the other loaded modules are unknown.
    assert.deepEqual(of(needs)[0], []);
  });

  it('a variable in a line hides nothing but itself', () => {
    const text = (line: string) => ({ [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${load('ssl')}${line}\n` });
    for (const line of [
      'SSLSessionCache shmcb:${APACHE_RUN_DIR}/ssl_scache(512000)',
      'Define KIND shmcb\nSSLSessionCache ${KIND}:/x',
      'SSLStaplingCache "shmcb:${X}/y"',
    ])
      assert.deepEqual(
        missing(text(line)).map((row) => row.replace(/.*missing-module/, '')),
        ['/provider safe'],
        line,
      );
    for (const line of [
      'SSLSessionCache ${KIND}:/x',
      'SSLSessionCache "${ALL}"',
      '<Location />\nRequire ${WHO} x\n</Location>',
    ])
      assert.deepEqual(missing(text(line)), [], line);
  });

  it('a line under a condition is not needed, and a module that may be loaded is not missing', () => {
    const files = {
      [ROOT]:
        `ServerRoot /etc/httpd\n${RHEL24}<IfDefine SSL>\nLoadModule expires_module modules/mod_expires.so\n</IfDefine>\nExpiresActive On\n` +
        '<IfModule mod_headers.c>\nHeader set X y\n</IfModule>\n<IfDefine X>\nRewriteEngine On\n</IfDefine>\n<IfVersion < 2.4>\nRewriteEngine On\n</IfVersion>\n<Macro m>\nRewriteEngine On\n</Macro>\n',
    };
    assert.deepEqual(missing(files), [`${ROOT}:18: info missing-module/if-defined none`]);
  });

  it('what a condition asks for, and finds, is looked at', () => {
    const files = {
      [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${load('ssl')}<IfModule mod_ssl.c>\nSSLSessionCache dbm:/x\n</IfModule>\n`,
    };
    assert.deepEqual(missing(files), [`${ROOT}:12: error missing-module/provider safe`]);
  });

  it('balancers: shared memory, methods by name and by default', () => {
    const files = {
      [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${load('proxy', 'proxy_balancer')}ProxyPass /a balancer://a lbmethod=bytraffic\nProxyPass /b balancer://b\n<Proxy balancer://c>\nProxySet lbmethod=bybusyness\n</Proxy>\nProxyPass /d ws://192.0.2.1/\n`,
    };
    assert.deepEqual(
      missing(files),
      [11, 12, 13, 15].map(
        (line) => `${ROOT}:${line}: error missing-module/${line === 11 ? 'slotmem' : 'lbmethod'} safe`,
      ),
    );
    assert.match(
      fixedFiles(files)[ROOT],
      /mod_proxy_balancer\.so\nLoadModule slotmem_shm_\S+ \S+\n(LoadModule lbmethod_\w+_module \S+\n){3}ProxyPass/,
    );
    assert.deepEqual(missing(fixedFiles(files)), []);
  });

  it('providers of other people and of aliases are theirs', () => {
    const files = {
      [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${load('auth_basic', 'authn_file')}<AuthnProviderAlias file dbm>\nAuthUserFile /x\n</AuthnProviderAlias>\n<Location />\nAuthBasicProvider dbm mysql file\nRequire shibboleth\nRequire ip 1.2.3.4\n</Location>\n`,
    };
    assert.deepEqual(missing(files), []);
  });

  it('Order, Allow and Deny count as Require, unless mod_access_compat reads them', () => {
    const text = (...more: string[]) => ({
      [ROOT]: `ServerRoot /etc/httpd\n${load('dir', 'mime', 'alias', 'unixd', 'mpm_event', ...more)}<Location />\nOrder allow,deny\nAllow from 192.0.2.1\n</Location>\n`,
    });
    assert.deepEqual(missing(text()), [
      `${ROOT}:8: error missing-module/access safe`,
      `${ROOT}:9: error missing-module/access safe`,
    ]);
    assert.deepEqual(missing(text('access_compat')), []);
  });

  it('two MPMs are one too many', () => {
    const files = { [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${load('mpm_worker')}` };
    assert.deepEqual(missing(files), [`${ROOT}:10: error missing-module/several-mpms none`]);
  });

  it('what follows a renamed module counts as loaded', () => {
    const files = {
      [ROOT]: `ServerRoot /etc/httpd\n${load('authz_core', 'dir', 'mime', 'unixd', 'mpm_event', 'cache', 'disk_cache', 'authn_alias')}CacheRoot /x\nCacheEnable disk /\n<Location />\nAuthType none\n</Location>\n`,
    };
    assert.deepEqual(missing(files), []);
  });

  it('a cache without its storage is a warning: nothing is cached', () => {
    const files = { [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${load('cache')}CacheEnable disk /\n` };
    assert.deepEqual(missing(files), [`${ROOT}:11: warning missing-module/provider safe`]);
    assert.match(fixedFiles(files)[ROOT], /mod_cache\.so\nLoadModule cache_disk_module modules\/mod_cache_disk\.so\n/);
  });

  it('a comment silences it where it stands', () => {
    const files = {
      [ROOT]: `ServerRoot /etc/httpd\n${RHEL24}${load('ssl')}# httpd-upgrade-ignore missing-module: compiled in here\nSSLSessionCache dbm:/x\n`,
    };
    assert.deepEqual(missing(files), []);
  });

  it('a file that is read twice gets no safe fix', () => {
    const files = {
      [ROOT]: `ServerRoot /etc/httpd\nInclude mods.conf\nInclude mods.conf\nUser x\n`,
      '/etc/httpd/mods.conf': RHEL24.replace(/.*unixd.*\n/, ''),
    };
    assert.deepEqual(missing(files), [`${ROOT}:4: error missing-module/directive suggestion`]);
  });
});

describe('module-order', () => {
  const order = ofRule('module-order');

  it('each module behind the one that it needs, in other files without a fix', () => {
    const files = {
      [ROOT]: `${load('cache_disk', 'dir', 'cache', 'proxy_http')}Include more.conf\n`,
      '/etc/httpd/more.conf': load('proxy', 'dav', 'dav_fs'),
    };
    assert.deepEqual(order(files), [
      `${ROOT}:1: error module-order/order safe`,
      `${ROOT}:4: error module-order/order none`,
    ]);
    assert.ok(
      fixedFiles(files, { rule: 'module-order' })[ROOT].startsWith(load('dir', 'cache', 'cache_disk', 'proxy_http')),
    );
  });

  it('balancing methods: only for 2.4.34, where 2.4.35 took the dependency back', () => {
    const files = { [ROOT]: load('lbmethod_byrequests', 'proxy', 'proxy_balancer') };
    const at = (patch: number) => listed(files, { rule: 'module-order', target: { major: 2, minor: 4, patch } });
    assert.deepEqual([at(Infinity), at(33), at(35)], [[], [], []]);
    assert.deepEqual(at(34), [`${ROOT}:1: warning module-order/lbmethod-order safe`]);
  });

  it("what is loaded under a condition is nobody's to order", () => {
    assert.deepEqual(order({ [ROOT]: `${load('cache_disk')}<IfDefine C>\n${load('cache')}</IfDefine>\n` }), []);
  });
});

describe('include-no-match', () => {
  const find = ofRule('include-no-match');

  it('a folder that is there, a wildcard that matches nothing', () => {
    const files = {
      [ROOT]:
        'ServerRoot /etc/httpd\nInclude conf.d/*.conf\nInclude other.d/*.conf\nInclude conf.d/*.txt\nIncludeOptional conf.d/*.x\n<IfDefine X>\nInclude conf.d/*.y\n</IfDefine>\nInclude ${X}/*.conf\n',
      '/etc/httpd/conf.d/README.txt': '',
    };
    assert.deepEqual(find(files), [`${ROOT}:2: error include-no-match/no-match safe`]);
    assert.equal(
      fixedFiles(files, { rule: 'include-no-match' })[ROOT],
      files[ROOT].replace('Include conf.d/*.conf', 'IncludeOptional conf.d/*.conf'),
    );
  });
});

describe('enabled-not-included', () => {
  const find = ofRule('enabled-not-included');
  const site = (name: string) => `<VirtualHost *:80>\n  ServerName ${name}\n</VirtualHost>\n`;
  const DEBIAN = '/etc/apache2/apache2.conf';
  const main =
    'IncludeOptional mods-enabled/*.load\nIncludeOptional conf-enabled/*.conf\n\tIncludeOptional sites-enabled/*.conf';

  it('a search that is cut says so', () => {
    const many = (count: number, of: (i: number) => string, text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [of(i), text]));
    const files = {
      [DEBIAN]: main,
      ...many(600, (i) => `/etc/apache2/sites-enabled/note${i}`, 'Do not forget the milk.\n'),
      ...many(600, (i) => `/etc/apache2/conf.d/d${i}/charset`, 'ServerTokens Prod\n'),
    };
    const found = [...(findingsInFiles(files, { rule: 'enabled-not-included' }).get(DEBIAN) ?? [])];
    assert.deepEqual(
      found.filter(({ messageId }) => messageId === 'cut').map(({ what }) => what),
      [
        '`sites-enabled` has too many files, and not all are checked',
        '`conf.d` has too many files, and not all are checked',
      ],
    );
  });

  it('Debian: sites without .conf, conf.d, httpd.conf', () => {
    const files = {
      [DEBIAN]: main,
      '/etc/apache2/sites-enabled/000-default.conf': site('www'),
      '/etc/apache2/sites-enabled/shop': site('shop'),
      '/etc/apache2/sites-enabled/my site': site('mine'),
      '/etc/apache2/sites-enabled/shop~': site('shop'),
      '/etc/apache2/sites-enabled/shop.dpkg-old': site('shop'),
      '/etc/apache2/sites-enabled/README': 'Put your sites here.\n',
      '/etc/apache2/conf.d/charset': 'AddDefaultCharset UTF-8\nFileETag None\nServerTokens Prod\n',
      '/etc/apache2/conf.d/notes': 'Do not forget the milk.\n',
      '/etc/apache2/httpd.conf': '# Local\nServerName www.example.org\nServerSignature Off\nTraceEnable Off\n',
    };
    assert.deepEqual(find(files), [
      `${DEBIAN}:3: warning enabled-not-included/not-matched suggestion`,
      `${DEBIAN}:3: warning enabled-not-included/conf-d suggestion`,
      `${DEBIAN}:3: warning enabled-not-included/httpd-conf suggestion`,
    ]);
    const fixed = fixedFiles(files, { rule: 'enabled-not-included', unsafe: true });
    assert.equal(
      fixed[DEBIAN],
      `${main}\n\tIncludeOptional "sites-enabled/my site"\n\tIncludeOptional sites-enabled/shop\n\tIncludeOptional conf.d/charset\n\tIncludeOptional httpd.conf`,
    );
    assert.deepEqual(find(fixed), []);
  });

  it('Debian: conf-enabled, beside an apache2.conf of 2.2', () => {
    const old = `ServerRoot "/etc/apache2"\r\n${USUAL}Include conf.d/\r\n\tInclude sites-enabled/\r\n`;
    const files = {
      [DEBIAN]: old,
      '/etc/apache2/conf-enabled/webmail.conf': 'Alias /webmail /usr/share/webmail\n',
      '/etc/apache2/conf-enabled/charset.bak': 'AddDefaultCharset UTF-8\n',
      '/etc/apache2/conf.d/old': 'ServerTokens Prod\n',
      '/etc/apache2/sites-enabled/shop': site('shop'),
    };
    const row = USUAL.split('\n').length + 2;
    assert.deepEqual(find(files), [`${DEBIAN}:${row}: warning enabled-not-included/conf-enabled suggestion`]);
    const fixed = fixedFiles(files, { rule: 'enabled-not-included', unsafe: true });
    assert.equal(fixed[DEBIAN], old.replace('\tInclude', '\tIncludeOptional conf-enabled/*.conf\r\n\tInclude'));
    assert.deepEqual(find(fixed), []);
    const named = old.replace('\tInclude', 'IncludeOptional conf-enabled/webmail.conf\r\n\tInclude');
    assert.deepEqual(find({ ...files, [DEBIAN]: named }), [], 'somebody has chosen among them');
  });

  it('Red Hat: the modules of packages, beside a main file of 2.2', () => {
    const files = {
      [ROOT]: `ServerRoot "/etc/httpd"\r\n${USUAL.replaceAll('\n', '\r\n')}Include conf.d/*.conf\r\n`,
      '/etc/httpd/conf.d/php.conf': '<IfModule mod_php.c>\nAddType application/x-httpd-php .php\n</IfModule>\n',
      '/etc/httpd/conf.modules.d/10-php.conf': 'LoadModule php_module modules/libphp.so\n',
      '/etc/httpd/conf.modules.d/README': 'LoadModule lines\n',
    };
    assert.deepEqual(find(files), [`${ROOT}:2: warning enabled-not-included/modules suggestion`]);
    const fixed = fixedFiles(files, { rule: 'enabled-not-included', unsafe: true });
    assert.equal(fixed[ROOT], files[ROOT].replace('LoadModule', 'Include conf.modules.d/*.conf\r\nLoadModule'));
    assert.deepEqual(find(fixed), []);
    for (const main of [
      files[ROOT].replace('Include', 'Include conf.modules.d/10-php.conf\r\nInclude'),
      files[ROOT].replace(/LoadModule.*\r\n/g, ''),
    ])
      assert.deepEqual(find({ ...files, [ROOT]: main }), []);
  });

  it('elsewhere, for directories of that name only', () => {
    const at = (include: string, ...paths: string[]) => ({
      [ROOT]: `ServerRoot /etc/httpd\n${include}\n`,
      ...Object.fromEntries(paths.map((path) => [`/etc/httpd/${path}`, site(path)])),
    });
    assert.deepEqual(find(at('Include sites-enabled/*.conf', 'sites-enabled/a.conf', 'sites-enabled/b')), [
      `${ROOT}:2: warning enabled-not-included/not-matched suggestion`,
    ]);
    // Red Hat's 2.2 read no more of conf.d either.
    assert.deepEqual(find(at('Include conf.d/*.conf', 'conf.d/a.conf', 'conf.d/b')), []);
    for (const all of [
      'Include sites-enabled',
      'Include sites-enabled/*',
      'Include sites-enabled/*.conf\nInclude sites-enabled/[a-z]',
      'Include sites-enabled/*.conf\nInclude ${MORE}/*',
    ]) {
      assert.deepEqual(find(at(all, 'sites-enabled/a.conf', 'sites-enabled/b')), [], all);
    }
  });
});
