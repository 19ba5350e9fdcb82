/** Which requests are granted, and by which lines. */
import assert from 'node:assert/strict';
import { parseTarget } from '../../server/src/config/target';
import { ask, MAIN } from './support';

const SITE = { '/srv/www/index.html': '', '/srv/www/admin/x.php': '' };
const main = (text: string) => ({ [MAIN]: `Listen 80\nDocumentRoot /srv/www\n${text}`, ...SITE });

describe('a request', () => {
  it('is refused by the line of Deny', () => {
    const files = main('<Directory /srv/www/admin>\nOrder deny,allow\nDeny from all\n</Directory>');
    for (const server of ['2.2', '2.4-compat'] as const) {
      const { access, because } = ask(files, 'GET /admin/x.php', { server });
      assert.equal(access, 'denied');
      assert.deepEqual(because, [{ file: MAIN, line: 4, text: 'Deny from all' }]);
    }
  });

  it('is not mapped by an Alias for other URLs whose target is a placeholder', () => {
    const files = main('Alias /icons/ "@icons@/"\nScriptAlias /cgi-bin/ "@cgi@/"\nScriptAlias /x/ /srv/www/admin/\n');
    assert.equal(ask(files, 'GET /x/x.php').target.path, '/srv/www/admin/x.php');
    const { access, unknown } = ask(files, 'GET /cgi-bin/test');
    assert.equal(access, 'unknown');
    assert.deepEqual(
      unknown.map(({ what }) => what),
      [
        'which directory or URL `ScriptAlias /cgi-bin/ "@cgi@/"` leads to: this file is a template; use the installed file, which has values for its placeholders',
      ],
    );
  });

  it('is refused by <Files>, also if only the default document root is missing in the copy', () => {
    const files = '<Files ~ "^\\.ht">\nOrder allow,deny\nDeny from all\n</Files>\n';
    for (const documentRoot of ['', 'DocumentRoot /srv/none\n']) {
      const { access, sections } = ask(
        {
          [MAIN]: `ServerRoot /etc/httpd\nListen 80\n${documentRoot}${files}Include sites/*.conf\n`,
          '/etc/httpd/mime.types': '',
        },
        'GET /.htaccess',
      );
      assert.notEqual(access, 'granted', documentRoot);
      assert.deepEqual(
        sections.map(({ name }) => name),
        ['<Files ~ "^\\.ht">'],
      );
    }
  });

  it('is decided in 2.4 without a last line that mod_macro of 2.4 loses', () => {
    const MACRO = '<Macro M>\nOptions None\n</Macro>\n';
    const admin = (lines: string) => `<Directory /srv/www/admin>\n${lines}</Directory>\n`;
    const access = (files: Readonly<Record<string, string>>) =>
      (['2.2', '2.4-compat', '2.4'] as const).map((server) => ask(files, 'GET /admin/x.php', { server }).access);
    const INCLUDED = '/etc/httpd/deny.inc';
    for (const [text, decisions] of [
      ['Use M\nDeny from all', ['denied', 'granted', 'granted']],
      ['Use M\nInclude all.inc', ['denied', 'granted', 'granted']],
      ['Use M\nDeny from all\n', ['denied', 'denied', 'denied']],
      ['Use M\n\nDeny from all', ['denied', 'denied', 'denied']],
      ['Deny from all\nUse M', ['denied', 'denied', 'denied']],
    ] as const) {
      const all = { '/etc/httpd/all.inc': 'Deny from all\n' };
      const included = main(`${MACRO}${admin('Include deny.inc\n')}`);
      assert.deepEqual(access({ ...included, ...all, [INCLUDED]: text }), decisions, text);
    }
    // The line of a macro at the end of its text is read.
    const denying = main(`<Macro D>\nUse M\nDeny from all\n</Macro>\n${MACRO}${admin('Use D\n')}`);
    assert.deepEqual(access(denying), ['denied', 'denied', 'denied']);
  });

  const NEAR = main('<Directory /srv/www/admin>\nOrder deny,allow\nDeny from all\nAllow from 10\n</Directory>');

  it('of a path below a file is decided without the sections of the file, except by patterns', () => {
    const access = (section: string, request: string) =>
      ask(
        {
          [MAIN]: `DocumentRoot /www\nAlias /one /www/a/f\n<${section}>\nOrder allow,deny\n</${section.split(' ')[0]}>\n`,
          '/www/a/f': '',
        },
        request,
      ).access;
    for (const section of ['Directory /www/a/*', 'Directory /www/a/f', 'Directory /www/?/f']) {
      for (const url of ['/one', '/a/f']) assert.equal(access(section, url), 'denied', `${section} ${url}`);
      for (const url of ['/one/x', '/one/', '/a/f/x', '/a/f/'])
        assert.equal(access(section, url), 'granted', `${section} ${url}`);
    }
    for (const section of ['DirectoryMatch /a/f', 'Directory ~ "^/www/a/."'])
      for (const url of ['/one', '/one/x', '/a/f/']) assert.equal(access(section, url), 'denied', `${section} ${url}`);
  });

  it('keeps repeated slashes for regular expressions before 2.4.39', () => {
    const files = main('<LocationMatch ^/a/f>\nOrder allow,deny\n</LocationMatch>\n');
    const access = (target: string, text = files) => ask(text, 'GET /a//f', { target: parseTarget(target)! }).access;
    const accessIn22 = ask(files, 'GET /a//f', { server: '2.2' }).access;
    assert.deepEqual([accessIn22, access('2.4.38')], ['granted', 'granted']);
    assert.deepEqual([access('2.4.39'), access('2.4')], ['denied', 'denied']);
    assert.equal(access('2.4', main(`MergeSlashes Off\n${files[MAIN]}`)), 'granted');
  });

  it('to a server whose DocumentRoot is / ends', () => {
    const access = (request: string) => ask({ [MAIN]: 'Listen 80\nDocumentRoot /\n', '/srv/x': '' }, request).access;
    // Directories are not listed without mod_autoindex.
    assert.deepEqual(['/', '/srv/', '/srv/x'].map(access), ['denied', 'denied', 'granted']);
  });

  it('has no known target if a pattern that decides about it cannot be checked', () => {
    const { target } = ask(
      main('LoadModule alias_module modules/mod_alias.so\nScriptAliasMatch ^/admin/((?!a).*) /srv/cgi/$1\n'),
      '/admin/x.php',
    );
    assert.deepEqual(target, { kind: 'unknown', path: '', place: null });
  });

  it('does not match a pattern with another fixed beginning, also if the pattern cannot be run here', () => {
    const targetOf = (pattern: string, url: string) =>
      ask(main(`LoadModule alias_module modules/mod_alias.so\nScriptAliasMatch ${pattern} /srv/cgi/$1\n`), url).target
        .kind;
    for (const pattern of ['^/api/v1.0(\u00c2\u00b4*)$', '^/apix?(\u00c2\u00b4*)$']) {
      assert.notEqual(targetOf(pattern, '/admin/x.php'), 'unknown', pattern);
      assert.equal(targetOf(pattern, '/api/v1.0'), 'unknown', pattern);
    }
    assert.equal(targetOf('^/api(\u00c2\u00b4*)|x$', '/admin/x.php'), 'unknown');
  });

  it('is unknown if it depends on an address that is not given', () => {
    const { access, because, unknown } = ask(NEAR, '/admin/x.php', { from: null });
    assert.deepEqual([access, because], ['unknown', []]);
    assert.deepEqual(
      unknown.flatMap(({ what }) => (what.includes('--from') ? [what] : [])),
      ["whether the client's address is in `10`: give it with --from ADDRESS"],
    );
    assert.equal(ask(NEAR, '/index.html', { from: null }).access, 'granted');
  });

  it('is unknown if a header changes the address', () => {
    const files = { ...NEAR, [MAIN]: `RemoteIPHeader X-Client\n${NEAR[MAIN]}` };
    const asked = { from: '10.0.0.1', headers: ['X-Client: 192.0.2.1'] };
    assert.equal(ask(files, '/admin/x.php', asked).access, 'unknown');
    assert.equal(ask(files, '/admin/x.php', { from: '10.0.0.1' }).access, 'granted');
  });

  it('compares names of clients if they are given', () => {
    const config =
      '<Location /a>\nOrder deny,allow\nDeny from all\nAllow from .example.org\n</Location>\n<Location /b>\nRequire host example.org\n</Location>\n';
    const access = (path: string, from: string) => ask(config, path, { from }).access;
    assert.equal(access('/a', '192.0.2.7,www.example.org'), 'granted');
    assert.equal(access('/a', 'WWW.example.org.'), 'granted');
    assert.equal(access('/a', 'www.badexample.org'), 'denied');
    assert.equal(access('/a', '192.0.2.7'), 'unknown');
    assert.equal(access('/b', '192.0.2.7,example.org'), 'granted');
    assert.equal(access('/b', '192.0.2.7,anotherexample.org'), 'denied');
    const none = '<Location />\nOrder deny,allow\nDeny from all\nAllow from none\n</Location>\n';
    assert.equal(ask(none, '/', { from: '192.0.2.7' }).access, 'denied', 'no client has this name');
  });

  it('does not know how tags in quotes are read', () => {
    const tag = "'<LimitExcept' GET>\nDeny from all\n</LimitExcept>\n";
    assert.equal(ask(`<Location />\n${tag}</Location>\n`, '/').access, 'unknown');
    const files = {
      '/etc/httpd/conf/httpd.conf': 'DocumentRoot /srv\n<Directory /srv>\nAllowOverride All\n</Directory>\n',
      '/srv/.htaccess': tag,
    };
    assert.equal(ask(files, '/').access, 'unknown');
  });

  it('names an ErrorDocument that redirects', () => {
    const config = 'ErrorDocument 403 http://other.test/\n<Location />\nOrder allow,deny\n</Location>\n';
    const { access, unknown } = ask(config, '/');
    assert.equal(access, 'denied');
    assert.match(unknown.map(({ what }) => what).join(), /ErrorDocument 403 http:\/\/other.test\/` redirects/);
  });

  it('has no index file because of a SetHandler line alone', () => {
    const text =
      'Listen 80\nDocumentRoot /srv\nLoadModule dir_module modules/mod_dir.so\nLoadModule autoindex_module modules/mod_autoindex.so\nDirectoryIndex index.php\n<Directory /srv>\nOptions None\nRequire all granted\n</Directory>\n<FilesMatch "\\.php$">\nSetHandler application/x-httpd-php\n</FilesMatch>\n';
    const asked = (files: Readonly<Record<string, string>>) => {
      const { access, why } = ask({ [MAIN]: text, '/srv/a/x.txt': '', ...files }, 'GET /a/', { server: '2.4' });
      return [access, why];
    };
    assert.deepEqual(asked({}), ['denied', 'the directory has no index file, and Options does not allow a listing']);
    assert.equal(asked({ '/srv/a/index.php': '' })[0], 'granted');
  });

  it('is an error without a password file, and unknown if it is not in this copy', () => {
    const login = 'AuthType Basic\nAuthName x\n';
    const main = (lines: string) => ({
      '/etc/httpd/conf/httpd.conf': `<Location />\n${login}${lines}Require valid-user\n</Location>\n`,
    });
    for (const server of ['2.2', '2.4-compat'] as const) {
      const access = (lines: string) => ask(main(lines), '/', { user: 'ann', server }).access;
      assert.equal(access(''), 'error');
      assert.equal(access('AuthUserFile conf/passwd\n'), 'unknown');
      assert.equal(access('AuthUserFile /elsewhere/passwd\n'), 'granted');
      assert.equal(access('AuthBasicProvider ldap\nAuthLDAPUrl ldap://x/\n'), 'granted');
      assert.equal(ask(main(''), '/', { server }).access, 'login');
    }
  });

  it('is an error in 2.2 if the groups cannot be read', () => {
    const files = {
      '/etc/httpd/conf/httpd.conf':
        '<Location />\nAuthType Basic\nAuthName x\nAuthUserFile /elsewhere/passwd\nAuthGroupFile /etc/httpd/conf\nRequire group a\n</Location>\n',
    };
    assert.equal(ask(files, '/', { user: 'ann', server: '2.2' }).access, 'error');
    assert.equal(ask(files, '/', { user: 'ann', server: '2.4-compat' }).access, 'login');
  });

  it('compares Location patterns with the URL that a RewriteRule passes on', () => {
    const section = (line: string) => `<LocationMatch "^/private">\n${line}\n</LocationMatch>`;
    const rule = 'RewriteEngine On\nRewriteRule ^/public(.*)$ /private$1 [PT]\n';
    const of22 = main(rule + section('Order deny,allow\nDeny from all'));
    assert.equal(ask(of22, '/public/x.html', { server: '2.2' }).access, 'denied');
    assert.equal(ask(main(rule + section('Require all denied')), '/public/x.html').access, 'denied');
  });

  it('has the variables that a RewriteRule of the server sets', () => {
    const rules = 'RewriteEngine On\nRewriteRule ^/admin/x - [E=ok:1]\n';
    const section = '<Directory /srv/www/admin>\nOrder deny,allow\nDeny from all\nAllow from env=ok\n</Directory>\n';
    const access = (text: string) => ask(main(text), 'GET /admin/x.php').access;
    assert.deepEqual([access(rules + section), access(section)], ['granted', 'denied']);
  });

  it('is decided after a RewriteRule that skips fewer rules than none', () => {
    const files = main('RewriteEngine On\nRewriteRule ^/admin - [S=-1]\nRewriteRule ^/admin - [F]\n');
    assert.equal(ask(files, 'GET /admin/x.php').access, 'denied');
  });

  it('is unknown if a RewriteRule makes its URL longer in each round', () => {
    const files = main('RewriteEngine On\nRewriteRule ^(/.*)$ $1$1$1 [N]\n');
    assert.equal(ask(files, 'GET /admin/x.php').access, 'unknown');
  });

  it('has a status of the redirect after a RewriteRule in a directory', () => {
    const rules =
      'RewriteEngine On\nRewriteRule ^x\\.php$ y.php\nRewriteCond %{ENV:REDIRECT_STATUS} 200\nRewriteRule ^y\\.php$ - [F]\n';
    const files = { ...main(`<Directory /srv/www/admin>\n${rules}</Directory>\n`), '/srv/www/admin/y.php': '' };
    const access = (path: string) => ask(files, `GET /admin/${path}`).access;
    assert.deepEqual([access('x.php'), access('y.php')], ['denied', 'granted']);
  });

  it('depends on a module that no line loads, if that matters', () => {
    const files = main(
      '<IfModule mod_foo.c>\n<Directory /srv/www/admin>\nOrder deny,allow\nDeny from all\n</Directory>\n</IfModule>',
    );
    const { access, unknown } = ask(files, '/admin/x.php');
    assert.equal(access, 'unknown');
    const what = 'whether the server has the module mod_foo';
    assert.deepEqual(unknown, [{ what, place: { file: MAIN, line: 2 }, module: 'mod_foo', isOfMissingPart: true }]);
    assert.equal(ask(files, '/index.html').access, 'granted');
  });

  it('does not depend on a module whose section has no access lines', () => {
    const at = '/srv/www/admin/.htaccess';
    const head = 'LoadModule authz_host_module modules/mod_authz_host.so\n';
    const grants = '<Directory /srv/www>\nAllowOverride All\n</Directory>\n';
    const flag = 'php_flag display_errors off\n';
    for (const php of ['', 'LoadModule php5_module modules/libphp5.so\n'])
      for (const name of ['mod_php5.c', 'php5_module', 'mod_php4.c']) {
        const text = `<IfModule ${name}>\n${flag}</IfModule>\nOrder deny,allow\nDeny from all\n`;
        for (const server of ['2.2', '2.4-compat'] as const) {
          const { access, unknown } = ask({ ...main(head + php + grants), [at]: text }, '/admin/x.php', { server });
          assert.deepEqual([access, unknown], ['denied', []], `${name} ${server} ${php}`);
        }
      }
    const without = (php: string) => ask({ ...main(head + php + grants), [at]: flag }, '/admin/x.php').access;
    assert.equal(without(''), 'unknown');
    assert.equal(without('LoadModule php5_module modules/libphp5.so\n'), 'granted');
  });

  it('is decided by the converted files in 2.4, at the lines of the files as they are', () => {
    const converted = main('<Directory /srv/www/admin>\nRequire all denied\n</Directory>');
    const { access, because } = ask(NEAR, '/admin/x.php', { server: '2.4', converted, from: '10.0.0.1' });
    assert.equal(access, 'denied');
    assert.deepEqual(
      because.map(({ text }) => text),
      ['Require all denied'],
    );
  });

  it('reads no .htaccess file after AccessFileName without a name', () => {
    const text = 'DocumentRoot /srv/www\nAccessFileName\n<Directory /srv/www>\nAllow from all\n</Directory>\n';
    assert.equal(ask(text, '/admin/x.php').access, 'granted');
  });
});
