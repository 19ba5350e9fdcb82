/** package-path: each path that moves, in each spelling, and paths that stay. */
import assert from 'node:assert/strict';
import { fixedFiles, listed, type Files } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const find = (files: Files) =>
  listed(files, { rule: 'package-path' }).map((row) =>
    row.replace(
      /^(\S+):(\d+): (\w+) package-path\/(\S+) (\w+)$/,
      (_, file: string, line: string, ...said: string[]) =>
        `${file.slice(file.lastIndexOf('/') + 1)}:${line} ${said.slice(0, 3).join(' ')}`,
    ),
  );
const fixed = (files: Files, unsafe = false) => fixedFiles(files, { rule: 'package-path', unsafe });

describe('package-path', () => {
  for (const [title, serverRoot, before, after, safety] of [
    [
      'FreeBSD, relative',
      '/usr/local',
      'LoadModule alias_module libexec/apache22/mod_alias.so',
      'LoadModule alias_module libexec/apache24/mod_alias.so',
      'safe',
    ],
    [
      'FreeBSD, absolute',
      '/usr/local',
      'LoadModule alias_module "/usr/local/libexec/apache22/mod_alias.so"',
      'LoadModule alias_module "/usr/local/libexec/apache24/mod_alias.so"',
      'safe',
    ],
    [
      'odd case',
      '/usr/local',
      '\tlOADmODULE  alias_module   libexec/apache22/mod_alias.so  ',
      '\tlOADmODULE  alias_module   libexec/apache24/mod_alias.so  ',
      'safe',
    ],
    ['Solaris', '/usr/apache2/2.4', 'LoadModule alias_module libexec/mod_alias.so', null, null],
    ['Solaris, ServerRoot', '/srv/x', 'ServerRoot "/usr/apache2/2.2"', 'ServerRoot "/usr/apache2/2.4"', 'suggestion'],
    [
      'Solaris, absolute',
      '/usr/apache2/2.4',
      'LoadModule alias_module /usr/apache2/2.2/libexec/mod_alias.so',
      'LoadModule alias_module /usr/apache2/2.4/libexec/mod_alias.so',
      'safe',
    ],
    [
      'Solaris, icons',
      '/usr/apache2/2.4',
      'Alias /icons/ "/var/apache2/2.2/icons/"',
      'Alias /icons/ "/var/apache2/2.4/icons/"',
      'suggestion',
    ],
    [
      'a software collection of Red Hat',
      '/opt/rh/httpd24/root/etc/httpd',
      'Alias /icons/ "/var/www/icons/"',
      'Alias /icons/ "/opt/rh/httpd24/root/usr/share/httpd/icons/"',
      'suggestion',
    ],
    ['Solaris, where 2.4 has no icons', '/usr/apache2/2.4', 'Alias /icons/ "/usr/apache2/2.2/icons/"', null, null],
    [
      "somebody else's module",
      '/usr/local',
      'LoadModule our_module libexec/apache22/mod_our.so',
      'LoadModule our_module libexec/apache24/mod_our.so',
      'suggestion',
    ],
    ['a library', '/usr/local', 'LoadFile libexec/apache22/libx.so', 'LoadFile libexec/apache24/libx.so', 'suggestion'],
    [
      'a module that 2.4 does not have',
      '/usr/local',
      'LoadModule authz_default_module libexec/apache22/mod_authz_default.so',
      null,
      null,
    ],
    ['what begins alike', '/usr/local', 'LoadModule alias_module libexec/apache222/mod_alias.so', null, null],
    ['a variable', '/usr/local', 'LoadModule alias_module ${D}/apache22/mod_alias.so', null, null],
    ['a comment', '/usr/local', '#LoadModule alias_module libexec/apache22/mod_alias.so', null, null],
    [
      'a condition that does not hold',
      '/usr/local',
      '<IfVersion < 2.4>\nLoadModule alias_module libexec/apache22/mod_alias.so\n</IfVersion>',
      null,
      null,
    ],
    [
      'a condition that may hold',
      '/usr/local',
      '<IfDefine X>\nLoadModule alias_module libexec/apache22/mod_alias.so\n</IfDefine>',
      '<IfDefine X>\nLoadModule alias_module libexec/apache24/mod_alias.so\n</IfDefine>',
      'suggestion',
    ],
    [
      'a file of the configuration',
      '/usr/local',
      'TypesConfig etc/apache22/mime.types',
      'TypesConfig etc/apache24/mime.types',
      'suggestion',
    ],
    ['documents', '/usr/local', 'DocumentRoot /usr/local/www/apache22/data', null, null],
    [
      "Red Hat's icons",
      '/etc/httpd',
      'Alias /icons/ "/var/www/icons/"',
      'Alias /icons/ "/usr/share/httpd/icons/"',
      'suggestion',
    ],
    ['of nobody in particular', '/srv/x', 'Alias /icons/ "/var/www/icons/"', null, null],
    ["of Red Hat, but not the package's", '/etc/httpd', 'Alias /icons/ "/var/www/html/icons/"', null, null],
    ['a section alone', '/etc/httpd', '<Directory /var/www/icons>\nOptions None\n</Directory>', null, null],
  ] as const) {
    for (const eol of ['\n', '\r\n']) {
      it(`${title}${eol === '\n' ? '' : ', CR LF'}`, () => {
        const file =
          serverRoot === '/usr/local'
            ? '/usr/local/etc/apache24/httpd.conf'
            : serverRoot === '/srv/x'
              ? '/srv/x/httpd.conf'
              : ROOT;
        const of = (text: string) => `ServerRoot "${serverRoot}"\n${text}\nListen 80\n`.replaceAll('\n', eol);
        const files = { [file]: of(before) };
        assert.deepEqual(
          find(files).map((row) => row.split(' ').at(-1)),
          safety === null ? [] : [safety],
        );
        assert.equal(fixed(files)[file], safety === 'safe' ? of(after) : files[file]);
        const all = fixed(files, true);
        assert.equal(all[file], of(after ?? before));
        assert.deepEqual([find(all), fixed(all, true)], [[], all]);
      });
    }
  }

  it('all places of a directory change together, in whatever file', () => {
    const files = {
      [ROOT]:
        'ServerRoot "/etc/httpd"\nInclude conf.d/*.conf\n<Directory "/var/www/error">\n  AllowOverride None\n</Directory>\nAlias /icons "/var/www/icons"\n<IfModule mod_alias.c>\n  <Directory /var/www/icons/small>\n  </Directory>\n</IfModule>\n',
      '/etc/httpd/conf.d/error.conf': 'Alias /error/ "/var/www/error/"\n',
    };
    assert.deepEqual(find(files).sort(), [
      'error.conf:1 warning directory suggestion',
      'httpd.conf:6 warning directory suggestion',
    ]);
    const all = fixed(files, true);
    assert.equal(all[ROOT], files[ROOT].replaceAll('/var/www/', '/usr/share/httpd/'));
    assert.equal(all['/etc/httpd/conf.d/error.conf'], 'Alias /error/ "/usr/share/httpd/error/"\n');
  });

  it('what is here is there, but for modules', () => {
    const files = {
      [ROOT]:
        'ServerRoot "/etc/httpd"\nAlias /icons/ /var/www/icons/\nLoadModule alias_module /usr/local/libexec/apache22/mod_alias.so\n',
      '/var/www/icons/a.png': '',
      '/usr/local/libexec/apache22/mod_alias.so': '',
    };
    assert.deepEqual(find(files), ['httpd.conf:3 error module safe']);
  });

  it('modules of a kind are one finding, and a module that is added is loaded from the directory of 2.4', () => {
    const load = (names: string[], directory: string) =>
      names.map((name) => `LoadModule ${name}_module ${directory}/mod_${name}.so\n`).join('');
    const names = ['authz_host', 'dir', 'mime', 'alias', 'disk_cache'];
    const files = {
      [ROOT]: `ServerRoot "/usr/local"\n${load(names, 'libexec/apache22')}<Location /x>\n  Require all denied\n</Location>\n`,
    };
    assert.deepEqual(find(files), ['httpd.conf:2 error module safe']);
    const all = fixedFiles(files, { unsafe: true });
    assert.doesNotMatch(all[ROOT].replace(/.*disk_cache.*\n/, ''), /apache22/);
    assert.match(all[ROOT], /LoadModule authz_core_module libexec\/apache24\/mod_authz_core\.so/);
  });
});
