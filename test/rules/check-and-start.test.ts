/**
 * The rules about what prevents a whole server from starting, or makes it warn: listeners, names,
 * paths, TLS, MPMs, aliases, modules.
 */
import assert from 'node:assert/strict';
import { configurationFindings } from '../../server/src/features/configuration-findings';
import { Engine } from '../../server/src/analysis/engine';
import { ALL_RULES } from '../../server/src/rules/all';
import { findingsInFiles, fixedFiles, listed, type Files } from '../support/configurations';
import { memoryFiles } from '../../server/src/config/memory-files';

const ROOT = '/etc/httpd/conf/httpd.conf';
const load = (...names: string[]) => names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('');
const USUAL = load('authz_core', 'dir', 'mime');

/** The rows of a rule, without its name: `httpd.conf:3: error overlap none`. */
const rows = (rule: string, files: Files | string, asked = {}) =>
  listed(typeof files === 'string' ? { [ROOT]: files } : files, { rule, ...asked }).map((row) =>
    row.replace('/etc/httpd/conf/', '').replace(`${rule}/`, ''),
  );
/** Includes of the files that load the modules of Red Hat's packages. */
const LOADS_OF_PACKAGES = [
  'Include conf.modules.d/*.conf\n',
  'IncludeOptional conf.modules.d/*.conf\n',
  'Include /etc/httpd/conf.modules.d/*.conf\n',
];
const messages = (rule: string, files: Files) =>
  [...findingsInFiles(files, { rule }).values()].flat().map(({ message }) => message);

describe('listen-missing', () => {
  it('is silent where a part is missing, where a Listen may hold, and where a part of a server is looked at', () => {
    assert.deepEqual(rows('listen-missing', USUAL), ['httpd.conf:1: error missing none']);
    for (const text of [
      `${USUAL}Listen 80\n`,
      `${USUAL}<IfDefine X>\nListen 80\n</IfDefine>\n`,
      `${USUAL}Include ports.conf\n`,
      `${USUAL}Use Ports\n`,
      `${USUAL}Listen \${PORT}\n`,
      'ServerRoot /etc/httpd\n',
      load('ssl'),
    ]) {
      assert.deepEqual(rows('listen-missing', text), [], text);
    }
    assert.deepEqual(
      rows('listen-missing', { [ROOT]: `${USUAL}Include ports.conf\n`, '/etc/httpd/ports.conf': 'Listen 80\n' }),
      [],
    );
  });
});

describe('module-order, missing-module', () => {
  it('let the order be on Windows, where the file of a module brings in the files that it is linked with', () => {
    const lines = load('cache_disk', 'dav_lock', 'authz_core', 'dir', 'mime', 'cache');
    const rules = (root: string) =>
      ['module-order', 'missing-module']
        .flatMap((rule) => rows(rule, `ServerRoot "${root}"\nListen 80\n${lines}`))
        .filter((row) => /order|prerequisite/.test(row));
    assert.deepEqual(rules('C:/xampp/apache'), []);
    assert.deepEqual(rules('/etc/httpd'), ['httpd.conf:3: error order safe', 'httpd.conf:4: error prerequisite safe']);
  });
});

describe('listen-overlap', () => {
  it('on a Linux that is known, an error; elsewhere a warning', () => {
    const text = 'Listen 80\nListen 192.0.2.1:80\nListen 192.0.2.1:81\n';
    assert.deepEqual(rows('listen-overlap', { '/srv/httpd.conf': text }), [
      '/srv/httpd.conf:2: warning overlap suggestion',
    ]);
    for (const distribution of ['debian', 'rhel'] as const)
      assert.deepEqual(rows('listen-overlap', text, { distribution }), ['httpd.conf:2: error overlap suggestion']);
    assert.deepEqual(rows('listen-overlap', text, { distribution: 'upstream' }), [
      'httpd.conf:2: warning overlap suggestion',
    ]);
  });

  it('the line of the single address goes, in whatever file it is', () => {
    const files = {
      [ROOT]: 'Include conf.d/*.conf\nListen 80\n',
      '/etc/httpd/conf.d/a.conf': 'Listen 192.0.2.1:80\nListen 192.0.2.1:81\n',
    };
    assert.deepEqual(rows('listen-overlap', files), ['httpd.conf:2: error overlap suggestion']);
    assert.deepEqual(fixedFiles(files, { rule: 'listen-overlap', unsafe: true }), {
      ...files,
      '/etc/httpd/conf.d/a.conf': 'Listen 192.0.2.1:81\n',
    });
    assert.deepEqual(fixedFiles(files, { rule: 'listen-overlap' }), files);
  });

  it('IPv6: [::] has IPv4, too; 0.0.0.0 beside it is passed over; an address before all of them is said', () => {
    const pairs: Record<string, string> = {
      'Listen 80\nListen [::]:80': 'error overlap',
      'Listen [::]:80\nListen 80': 'warning overlap-said',
      'Listen [2001:db8::1]:80\nListen 80': 'warning overlap-said',
      'Listen 80\nListen 0.0.0.0:80': '',
      'Listen 0.0.0.0:80\nListen [::]:80': '',
      'Listen 0.0.0.0:80\nListen 80': 'error overlap',
      'Listen [::]:80\nListen 192.0.2.1:80': 'error overlap',
      'Listen 192.0.2.1:80\nListen [2001:db8::1]:80': '',
      'Listen 80\nListen [::ffff:192.0.2.1]:80': 'error overlap',
      'Listen www.example.com:80\nListen 80': '',
    };
    for (const [text, expected] of Object.entries(pairs))
      assert.deepEqual(
        rows('listen-overlap', `${text}\n`),
        expected === '' ? [] : [`httpd.conf:2: ${expected} ${expected.startsWith('error') ? 'suggestion' : 'none'}`],
        text,
      );
  });

  it('the same address: in another file, or in one that is read twice; in one file listen-twice has it', () => {
    const other = {
      [ROOT]: 'Listen 80\nInclude a.conf\nInclude a.conf\n',
      '/etc/httpd/a.conf': 'Listen *:80\nListen 81\n',
    };
    assert.deepEqual(rows('listen-overlap', other), [
      '/etc/httpd/a.conf:1: error twice none',
      '/etc/httpd/a.conf:1: error twice none',
      '/etc/httpd/a.conf:2: error read-twice none',
    ]);
    assert.deepEqual(rows('listen-overlap', 'Listen 80\nListen 80\n'), []);
  });

  it('variables count where they are known', () => {
    assert.deepEqual(rows('listen-overlap', 'Define port 80\nListen ${port}\nListen 192.0.2.1:80\n'), [
      'httpd.conf:3: error overlap suggestion',
    ]);
    assert.deepEqual(rows('listen-overlap', 'Listen ${port}\nListen 80\nListen 192.0.2.1:80\n'), []);
  });

  it('a condition of which nobody knows whether it holds keeps it silent', () => {
    assert.deepEqual(rows('listen-overlap', 'Listen 80\n<IfDefine X>\nListen 192.0.2.1:80\n</IfDefine>\n'), []);
  });
});

describe('server-name-missing', () => {
  it('is a hint, at the first Listen, of a configuration that is all here', () => {
    const text = `${USUAL}Listen 80\nListen 81\n<VirtualHost *:80>\nServerName a.example\n</VirtualHost>\n`;
    assert.deepEqual(rows('server-name-missing', text), ['httpd.conf:4: hint missing suggestion']);
    for (const more of [
      'ServerName a.example\n',
      '<IfDefine X>\nServerName a.example\n</IfDefine>\n',
      'Include none.conf\n',
    ])
      assert.deepEqual(rows('server-name-missing', text + more), [], more);
  });

  it('speaks where only the LoadModule files of Red Hat are missing', () => {
    for (const include of LOADS_OF_PACKAGES) {
      assert.deepEqual(rows('server-name-missing', `${include}Listen 80\n`), ['httpd.conf:2: hint missing none']);
      for (const more of ['ServerName a.example\n', 'Include none.conf\n'])
        assert.deepEqual(rows('server-name-missing', `${include}Listen 80\n${more}`), [], include + more);
    }
  });
});

describe('virtual-host-without-listen', () => {
  const find = (text: string) => rows('virtual-host-without-listen', text);
  const host = (words: string) => `<VirtualHost ${words}>\n</VirtualHost>\n`;

  it('all addresses must be for ports without a Listen', () => {
    assert.deepEqual(
      find(
        `Listen 80\n${host('*:8080')}${host('*:80 *:8080')}${host('*')}${host('192.0.2.1')}${host('_default_:443 [::1]:444')}${host('*:*')}`,
      ),
      ['httpd.conf:2: info no-listen none', 'httpd.conf:10: info no-listen none'],
    );
  });

  it('speaks where only the LoadModule files of Red Hat are missing', () => {
    for (const include of LOADS_OF_PACKAGES)
      assert.deepEqual(find(`${include}Listen 80\n${host('*:8080')}`), ['httpd.conf:3: info no-listen none']);
  });

  it('is silent where a Listen may be there, or the port is not known', () => {
    for (const text of [
      host('*:8080'),
      `Listen 80\nListen \${P}\n${host('*:8080')}`,
      `Listen 80\n${host('*:${P}')}`,
      `Listen 80\nInclude none.conf\n${host('*:8080')}`,
      `Listen 80\n<IfModule ssl_module>\nListen 443\n</IfModule>\n${host('*:443')}`,
      `Listen 80\n<IfDefine X>\n${host('*:8080')}</IfDefine>\n`,
    ]) {
      assert.deepEqual(find(text), [], text);
    }
  });
});

describe('virtual-host-shadowed', () => {
  const host = (address: string, ...lines: string[]) =>
    `<VirtualHost ${address}>\n${lines.map((line) => `${line}\n`).join('')}</VirtualHost>\n`;
  const find = (text: string) => rows('virtual-host-shadowed', text);

  it('by name or alias, whatever the case, the scheme and the port in the name', () => {
    assert.deepEqual(
      find(
        host('*:80', 'ServerName a.example', 'ServerAlias b.example') +
          host('*:80', 'ServerName B.example') +
          host('_default_:80', 'ServerName https://a.example:443'),
      ),
      ['httpd.conf:6: info shadowed none', 'httpd.conf:9: info shadowed none'],
    );
  });

  it('however a name or an alias is written', () => {
    const first = ['ServerName a.example', 'ServerAlias b.example'];
    for (const name of ['a.example', 'A.example ', ' b.example', '"b.example"', 'b.example:80'])
      assert.equal(find(host('*:80', ...first) + host('*:80', `ServerName ${name}`)).length, 1, name);
    assert.equal(find(host('*:80', 'ServerAlias c d.example') + host('*:80', 'ServerName d.example')).length, 1);
    // Only the first of two aliases answers, without a message.
    assert.deepEqual(find(host('*:80', ...first) + host('*:80', 'ServerName c.example', 'ServerAlias b.example')), []);
  });

  it('not at other addresses, under wildcards, with a name of its own, or when the same text is read twice', () => {
    assert.deepEqual(
      find(
        host('*:80', 'ServerName a.example') +
          host('*:443', 'ServerName a.example') +
          host('*:80 *:81', 'ServerName a.example') +
          host('192.0.2.1:80', 'ServerName a.example'),
      ),
      [],
    );
    assert.deepEqual(
      find(
        host('*:80', 'ServerName x.example', 'ServerAlias *.example') +
          host('*:80', 'ServerName a.example') +
          host('*:80', 'ServerName ${A}') +
          host('*:80', 'ServerName ${A}'),
      ),
      [],
    );
    assert.deepEqual(
      rows('virtual-host-shadowed', {
        [ROOT]: 'Include a.conf\nInclude a.conf\n',
        '/etc/httpd/a.conf': host('*:80', 'ServerName a.example'),
      }),
      [],
    );
  });
});

describe('path-missing', () => {
  const here = (text: string, more: Files = {}) =>
    rows('path-missing', { [ROOT]: `ServerRoot /etc/httpd\n${text}`, ...more });
  const text = 'DocumentRoot /srv/www\nErrorLog logs/error_log\n';

  it('speaks where the configuration is at its ServerRoot, or where a distribution has it', () => {
    assert.deepEqual(here(text), ['httpd.conf:2: error folder none', 'httpd.conf:3: error folder none']);
    assert.deepEqual(rows('path-missing', { '/etc/apache2/apache2.conf': text }), [
      '/etc/apache2/apache2.conf:1: error folder none',
      '/etc/apache2/apache2.conf:2: error folder none',
    ]);
    assert.deepEqual(here(text, { '/srv/www/x': '', '/etc/httpd/logs/x': '' }), []);
  });

  it('says nothing of a copy, of a place that nobody names, of a ServerRoot that is not here', () => {
    for (const [path, content] of [
      ['/home/me/httpd/conf/httpd.conf', `ServerRoot /etc/httpd\n${text}`],
      ['/home/me/httpd.conf', text],
      ['/home/me/etc/httpd/conf/httpd.conf', `ServerRoot /etc/httpd\n${text}`],
      ['/home/me/httpd.conf', `ServerRoot \${HERE}\n${text}`],
      ['/home/me/etc/apache2/apache2.conf', text],
      ['/home/me/httpd.conf', `ServerRoot .\n${text}`],
    ]) {
      assert.deepEqual(rows('path-missing', { [path]: content, '/etc/httpd/x': '' }), [], path + content);
    }
  });

  it('in a copy, an Include whose file is missing beside files that httpd reads may be refused', () => {
    const copy = (include: string, more: Files = { '/home/me/httpd/conf/extra/a.conf': '' }) =>
      rows('path-missing', {
        '/home/me/httpd/conf/httpd.conf': `ServerRoot /etc/httpd\nInclude conf/extra/a.conf\n${include}\n`,
        ...more,
      });
    const reported = ['/home/me/httpd/conf/httpd.conf:3: warning copy none'];
    assert.deepEqual(copy('Include conf/extra/b.conf'), reported);
    assert.deepEqual(copy('Include "/etc/httpd/conf/extra/b.conf"'), reported);
    const beside = { '/home/me/httpd/conf/extra/a.conf': '', '/home/me/httpd/conf/magic': '' };
    assert.deepEqual(copy('Include conf/b.conf', beside), reported);
    assert.deepEqual(copy('Include conf/b.conf'), []);
    assert.deepEqual(copy('Define X b\nInclude conf/extra/${X}.conf'), [
      '/home/me/httpd/conf/httpd.conf:4: warning copy none',
    ]);
    const [message] = messages('path-missing', {
      '/home/me/httpd/conf/httpd.conf': 'ServerRoot /etc/httpd\nInclude conf/extra/a.conf\nInclude conf/extra/b.conf\n',
      '/home/me/httpd/conf/extra/a.conf': '',
    });
    assert.match(
      message,
      /Could not open configuration file \/etc\/httpd\/conf\/extra\/b\.conf: No such file or directory/,
    );
    // The copy may lack the directory, or all files that are included from it.
    for (const quiet of [
      'Include conf/other/b.conf',
      'IncludeOptional conf/extra/b.conf',
      'Include conf/extra/sites-enabled/',
      'Include conf/extra/sites-enabled',
      'Include conf/extra/conf.d',
      'Include conf/extra/*.vhost',
      'Include conf/extra/${X}.conf',
      '<IfDefine X>\nInclude conf/extra/b.conf\n</IfDefine>',
      '<IfModule !mod_alias.c>\nInclude conf/extra/b.conf\n</IfModule>',
    ])
      assert.deepEqual(copy(quiet), [], quiet);
    for (const quiet of ['Include conf/extra/b.conf', 'Include conf/b.conf'])
      assert.deepEqual(copy(quiet, { '/home/me/httpd/conf/extra/c.conf': '' }), []);
  });

  it('says nothing of what it may not look into', () => {
    const files: Files = {
      [ROOT]:
        'ServerRoot /etc/httpd\nSSLCertificateFile /etc/ssl/certs/a.crt\nSSLCertificateKeyFile /etc/ssl/private/a.key\nErrorLog /dev/fd/2\n',
      '/etc/ssl/certs/b.crt': '',
      '/etc/ssl/private/b.key': '',
      '/dev/fd': '',
    };
    const view = memoryFiles(files);
    const engine = new Engine({ rules: ALL_RULES.filter(({ id }) => id === 'path-missing') });
    const closed = {
      ...view,
      list: (path: string) => (path === '/etc/ssl/private' ? null : view.list(path)),
      kind: (path: string) =>
        path.startsWith('/etc/ssl/private/') || path.startsWith('/dev/') ? null : view.kind(path),
    };
    const found = [...configurationFindings({ mainFile: ROOT, view: closed, engine }).values()].flat();
    assert.deepEqual(
      found.map(({ what }) => what),
      ['`SSLCertificateFile`: the file /etc/ssl/certs/a.crt is missing'],
    );
  });

  it('says nothing of variables without a value, pipes to programs on the path, syslog, URIs of keys, or text that may not be read', () => {
    assert.deepEqual(
      here(
        'ErrorLog ${APACHE_LOG_DIR}/error.log\nErrorLog syslog:local1\nCustomLog "|rotatelogs /x" "%h"\nSSLCertificateKeyFile pkcs11:object=a\nLoadFile libxml2.so\nPidFile run/httpd.pid\nMutex file:run default\nMutex sem default\n<IfDefine X>\nDocumentRoot /none\n</IfDefine>\n<IfModule !mod_alias.c>\nErrorLog /none/x\n</IfModule>\nIncludeOptional none.conf\nInclude none/*.conf\nAuthUserFile /none\n',
      ),
      [],
    );
    assert.deepEqual(here('Define logs /none\nErrorLog ${logs}/error.log\n'), ['httpd.conf:3: error folder none']);
  });

  it('says once what a file that is read twice says', () => {
    assert.deepEqual(here('Include a.conf\nInclude a.conf\n', { '/etc/httpd/a.conf': 'ErrorLog /none/x\n' }), [
      '/etc/httpd/a.conf:1: error folder none',
    ]);
  });

  it('looks once, wherever thousands of lines go', () => {
    const looks = (count: number) => {
      const lines = Array.from(
        { length: count },
        (_, i) =>
          `<VirtualHost *:80>\nDocumentRoot /srv/www\nErrorLog /var/log/e${i}\nCustomLog /var/log/a${i} x\nSSLCertificateFile /etc/ssl/a.crt\n</VirtualHost>\n`,
      );
      const view = memoryFiles({
        [ROOT]: `ServerRoot /etc/httpd\n${lines.join('')}`,
        '/srv/www/x': '',
        '/var/log/x': '',
        '/etc/ssl/a.crt': '',
      });
      let asked = 0;
      const counting = {
        ...view,
        kind: (path: string) => (asked++, view.kind(path)),
        list: (path: string) => (asked++, view.list(path)),
      };
      const found = configurationFindings({
        mainFile: ROOT,
        view: counting,
        engine: new Engine({ rules: ALL_RULES.filter(({ id }) => id === 'path-missing') }),
      });
      assert.equal(found.size, 0);
      return asked;
    };
    assert.equal(looks(1000), looks(10));
  });

  it('in a copy, the file with the settings of this program is no other file of the server', () => {
    const copy = (name: string) =>
      rows('path-missing', {
        '/home/me/copy/apache2.conf': 'Include conf.d/a\nInclude ports.conf\n',
        '/home/me/copy/conf.d/a': '',
        [`/home/me/copy/${name}`]: '',
      });
    assert.deepEqual(copy('.httpd-upgrade.json'), []);
    assert.equal(copy('magic').length, 1);
  });

  it('names what httpd does: refuses, fails at the start, or goes on', () => {
    const said = messages('path-missing', {
      [ROOT]: 'ServerRoot /etc/httpd\nErrorLog /none/x\nPidFile /none/x\nMimeMagicFile /none/x\n',
    });
    assert.match(said[0], /^`ErrorLog`: the directory \/none is missing[^]*will not start[^]*AH02291/);
    assert.match(said[1], /will not start[^]*`httpd -t` does not report this \(AH00099 and AH00100\)/);
    assert.match(
      said[2],
      /^`MimeMagicFile`: the file \/none\/x is missing[^]*ignored[^]*The server starts without it \(AH01515\)/,
    );
  });
});

describe('ssl-certificate-missing, ssl-stapling-cache-missing', () => {
  const ssl = USUAL + load('ssl');
  const host = (...lines: string[]) =>
    `<VirtualHost *:443>\n${lines.map((line) => `${line}\n`).join('')}</VirtualHost>\n`;

  it('a certificate may come from the main server, from a part that is missing, under a condition, or from mod_md', () => {
    assert.deepEqual(rows('ssl-certificate-missing', ssl + host('SSLEngine on')), ['httpd.conf:6: error missing none']);
    for (const text of [
      `${ssl}SSLCertificateFile a.crt\n${host('SSLEngine on')}`,
      ssl + host('SSLEngine on', 'Include cert.conf'),
      ssl + host('SSLEngine on', '<IfDefine X>', 'SSLCertificateFile a.crt', '</IfDefine>'),
      ssl + load('md') + host('SSLEngine on'),
      ssl + host('SSLEngine on', '<IfDefine X>', 'SSLEngine off', '</IfDefine>'),
      ssl + host('SSLEngine optional'),
      host('SSLEngine on'),
      `${ssl}<IfDefine X>\n${host('SSLEngine on')}</IfDefine>\n`,
    ]) {
      assert.deepEqual(rows('ssl-certificate-missing', text), [], text);
    }
  });

  it('stapling needs its cache only where TLS is on, and is said once', () => {
    const find = (text: string) => rows('ssl-stapling-cache-missing', text);
    assert.deepEqual(find(`SSLUseStapling On\n${host('SSLEngine on')}${host('SSLEngine on')}`), [
      'httpd.conf:1: error missing none',
    ]);
    for (const text of [
      `SSLUseStapling on\n${host('SSLEngine on', 'SSLUseStapling off')}`,
      host('SSLUseStapling on'),
      host('SSLEngine on', 'SSLUseStapling on', 'Include none'),
      `${host('SSLEngine on', 'SSLUseStapling on')}<IfDefine X>\nSSLStaplingCache dbm:x\n</IfDefine>\n`,
    ]) {
      assert.deepEqual(find(text), [], text);
    }
  });
});

describe('mpm-limits', () => {
  const find = (text: string) => rows('mpm-limits', text);

  it('is silent without an MPM that is known, without a value, with a part that is missing', () => {
    for (const text of [
      'MaxRequestWorkers 1000\n',
      `${load('mpm_event', 'mpm_worker')}MaxRequestWorkers 1000\n`,
      `<IfDefine X>\n${load('mpm_event')}</IfDefine>\nMaxRequestWorkers 1000\n`,
      `${load('mpm_event')}MaxRequestWorkers \${N}\n`,
      `${load('mpm_event')}MaxRequestWorkers many\n`,
      `${load('mpm_event')}MaxRequestWorkers 1000\n<IfDefine X>\nServerLimit 40\n</IfDefine>\n`,
      `${load('mpm_event')}MaxRequestWorkers 1000\nInclude none.conf\n`,
      `${load('mpm_event')}MaxClients 1000\nMaxRequestWorkers 400\n`,
    ]) {
      assert.deepEqual(find(text), [], text);
    }
  });

  it('marks limits that are for prefork or worker only, where event runs or may run', () => {
    const prefork = '<IfModule prefork.c>\nStartServers 8\nServerLimit 256\nMaxClients 256\n</IfModule>\n';
    const worker = '<IfModule worker.c>\nMaxClients 300\n</IfModule>\n';
    const event = worker.replace('worker', 'event');
    assert.deepEqual(find(`Listen 80\n${prefork}${worker}`), ['httpd.conf:5: hint lost none']);
    assert.deepEqual(find(`Listen 80\n${worker}`), ['httpd.conf:3: hint lost none']);
    assert.deepEqual(find(`Listen 80\n${load('mpm_event')}${prefork}`), ['httpd.conf:6: warning lost none']);
    for (const text of [
      prefork,
      `Listen 80\n${prefork}${event}`,
      `Listen 80\n${prefork}${worker.replace('worker', '!prefork')}`,
      `Listen 80\n${prefork}MaxClients 300\n`,
      `Listen 80\n${load('mpm_prefork')}${prefork}`,
      `Listen 80\n${load('mpm_worker')}${prefork}${worker}`,
      `Listen 80\n${prefork.replace(/^(ServerLimit|MaxClients).*\n/gm, '')}`,
    ])
      assert.deepEqual(find(text), [], text);
  });

  it('only what the MPM in force reads counts', () => {
    const text = (mpm: string) =>
      `${load(`mpm_${mpm}`)}<IfModule mpm_prefork_module>\nMaxRequestWorkers 250\n</IfModule>\n<IfModule mpm_event_module>\nMaxRequestWorkers 401\n</IfModule>\n<IfModule mpm_worker_module>\nMaxRequestWorkers 1000\n</IfModule>\n${USUAL}${load('unixd')}`;
    assert.deepEqual(find(text('event')), ['httpd.conf:6: warning changed none']);
    assert.deepEqual(find(text('worker')), ['httpd.conf:9: warning changed none']);
    assert.deepEqual(find(text('prefork')), []);
  });
});

describe('alias-overlap, load-module-twice, http2-prefork', () => {
  it('each virtual host has its own list, and files that are read twice say nothing new', () => {
    const find = (files: Files | string) => rows('alias-overlap', files);
    assert.deepEqual(
      find('Alias /a /x\n<VirtualHost *:80>\nAlias /a/b /x\nScriptAlias /a/b/c /x\n</VirtualHost>\nAlias /a/ /x\n'),
      ['httpd.conf:4: warning hidden none', 'httpd.conf:6: warning hidden none'],
    );
    assert.deepEqual(find({ [ROOT]: 'Include a.conf\nInclude a.conf\n', '/etc/httpd/a.conf': 'Alias /a /x\n' }), []);
    const texts = [
      ...findingsInFiles(
        { [ROOT]: 'Alias /a /x\nAlias /a/b /y\nAlias /a/b /z\nAlias /a /w\n' },
        { rule: 'alias-overlap' },
      ).values(),
    ].flat();
    assert.deepEqual(
      texts.map(({ what, help }) => `${what} · ${help}`),
      [
        '`Alias` is never used: `/a` matches first · Put the line with the longer path first.',
        '`Alias` is never used: `/a` matches first · Remove this line: an earlier line has the same path.',
        '`Alias` is never used: `/a` matches first · Remove one of the two lines.',
      ],
    );
    assert.deepEqual(
      find(
        '<Location /a>\nAlias /x\n</Location>\n<IfDefine X>\nAlias /a /x\n</IfDefine>\nAlias /a/b /x\nAlias ${P} /x\nAliasMatch ^/ /x\n',
      ),
      [],
    );
  });

  it('by the path alone, whatever its first component is shared with', () => {
    const hosts = (...paths: string[]) =>
      paths.map((path) => `<VirtualHost *:80>\nAlias ${path} /x\n</VirtualHost>\n`).join('');
    for (const paths of [
      ['/a', '/b', 'c'],
      ['/a/b', '/a/c', '/a'],
      ['/', '/a'],
      ['/a', '/a'],
    ])
      assert.deepEqual(rows('alias-overlap', hosts(...paths)), []);
    for (const [first, second] of [
      ['/', '/b/c'],
      ['/b', '/b/c'],
      ['/b/', '/b/c'],
      ['//b', '/b'],
      [' /b', '/b/c'],
      ['"/b"', '/b/c'],
      ['b', 'b/c'],
      ['/b.d', '/b.d/c'],
    ])
      assert.deepEqual(
        rows(
          'alias-overlap',
          `${hosts('/a')}<VirtualHost *:80>\nAlias ${first} /x\nAlias ${second} /y\n</VirtualHost>\n`,
        ),
        ['httpd.conf:6: warning hidden none'],
        first,
      );
  });

  it('a module again: the first line counts', () => {
    assert.deepEqual(
      rows(
        'load-module-twice',
        `${load('dir', 'mime', 'dir')}<IfModule !mime_module>\n${load('mime')}</IfModule>\n<IfDefine X>\n${load('mime')}</IfDefine>\n`,
      ),
      ['httpd.conf:3: warning twice suggestion'],
    );
  });

  it('a module that is part of the program, on Debian', () => {
    const text =
      'LoadModule unixd_module /usr/lib/apache2/modules/mod_unixd.so\nLoadModule dir_module /usr/lib/apache2/modules/mod_dir.so\n<IfModule !version_module>\nLoadModule version_module modules/mod_version.so\n</IfModule>\n';
    assert.deepEqual(rows('load-module-twice', { '/etc/apache2/apache2.conf': text }), [
      '/etc/apache2/apache2.conf:1: error built-in suggestion',
    ]);
    assert.deepEqual(rows('path-missing', { '/etc/apache2/apache2.conf': text }), [
      '/etc/apache2/apache2.conf:2: error file none',
    ]);
    assert.deepEqual(rows('load-module-twice', load('unixd', 'version')), []);
  });

  it('HTTP/2 with prefork, of 2.4.27 and later', () => {
    const text = load('mpm_prefork', 'http2');
    assert.deepEqual(rows('http2-prefork', text), ['httpd.conf:2: warning prefork none']);
    assert.deepEqual(rows('http2-prefork', text, { target: { major: 2, minor: 4, patch: 26 } }), []);
    assert.deepEqual(rows('http2-prefork', load('mpm_event', 'http2')), []);
  });
});

describe('modules that others ask for at the start', () => {
  it('mod_auth_form, mod_heartmonitor, mod_authn_socache', () => {
    const of = (text: string) =>
      rows('missing-module', `ServerRoot /etc/httpd\n${USUAL}${load('unixd', 'mpm_event', 'alias')}${text}`).map(
        (row) => row.replace(/^httpd\.conf:\d+: /, ''),
      );
    assert.deepEqual(of(load('auth_form')), ['error form suggestion', 'error form safe']);
    assert.deepEqual(of(load('heartmonitor', 'watchdog', 'slotmem_shm')), []);
    assert.deepEqual(of(load('heartmonitor', 'slotmem_plain')).sort(), ['error slotmem safe', 'error watchdog safe']);
    assert.deepEqual(of(load('proxy', 'proxy_hcheck')), ['error watchdog safe']);
    assert.deepEqual(of(load('proxy', 'proxy_hcheck', 'watchdog')), []);
    assert.deepEqual(
      of(`${load('authn_core', 'authn_socache')}<Location />\nAuthnCacheProvideFor file\n</Location>\n`),
      ['error socache-default safe'],
    );
    assert.deepEqual(
      of(`${load('authn_core', 'authn_socache', 'socache_dbm')}AuthnCacheSOCache dbm\nAuthnCacheEnable\n`),
      [],
    );
  });
});
