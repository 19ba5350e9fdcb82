import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { directiveNotAllowedHere } from '../../server/src/rules/directive-not-allowed-here';
import { Tree } from '../../server/src/syntax/document';
import { annotated, findingsIn } from '../support/rules';
import { fileContext, type Made } from '../support/file-context';

const rule = { rule: 'directive-not-allowed-here' };
const ids = (text: string, file?: string) => findingsIn(text, { ...rule, file }).map(({ messageId }) => messageId);
const engine = new Engine({ rules: [directiveNotAllowedHere] });
const within = (made: Made, text: string, isHtaccess = false) =>
  engine
    .analyze(Tree.parse(text), { isHtaccess, fileContext: fileContext(made) })
    .findings()
    .map(({ messageId }) => messageId);

describe('directive-not-allowed-here', () => {
  it('marks the line, in a file by itself as far as its own sections tell', () => {
    assert.equal(
      annotated('Listen 80\n<VirtualHost *:80>\n  lISTEN 81\n  DocumentRoot /x\n</VirtualHost>\n', rule),
      'Listen 80\n<VirtualHost *:80>\n  lISTEN 81\n# ^^^^^^^^^ error directive-not-allowed-here/virtualhost none\n  DocumentRoot /x\n</VirtualHost>\n',
    );
  });

  it('holds whatever a word of the line is', () => {
    for (const word of ['${docroot}', '"${docroot}"', '$ROOT', '"$(pwd)"'])
      assert.deepEqual(ids(`<Location /x>\nDocumentRoot ${word}\n</Location>\n`), ['override'], word);
  });

  describe('a file by itself says nothing of its top level, nor of macros, unknown sections and dead text', () => {
    for (const text of [
      'Listen 80\nAuthType Basic\nRequire all granted\nServerName x\nOptions All\n<Directory /x>\n</Directory>\n<Files x>\nSSLProxyEngine On\n</Files>\n',
      '<Macro m>\n<Directory /x>\nListen 80\n</Directory>\n</Macro>\n',
      '<Perl>\nListen 80\n</Perl>\n<Proxies x>\nListen 80\n</Proxies>\n',
      '<VirtualHost *>\n<IfVersion < 2.4>\nListen 80\n</IfVersion>\n</VirtualHost>\n',
    ]) {
      it(JSON.stringify(text), () => assert.deepEqual(ids(text), []));
    }
  });

  const CASES: readonly (readonly [string, readonly string[]])[] = [
    ['<Directory /x>\nListen 80\n</Directory>\n', ['override']],
    ['<Directory /x>\nAlias /a /b\n</Directory>\n', ['directory']],
    ['<Location /x>\nAlias /b\n</Location>\n', []],
    ['<Location /x>\n<Files y>\n</Files>\n</Location>\n', ['location']],
    ['<Directory /x>\n<Files y>\n<If true>\nRequire all denied\n</If>\n</Files>\n</Directory>\n', []],
    ['<Limit GET>\n<If true>\nRequire all denied\n</If>\n</Limit>\n', ['limit']],
    ['<RequireAny>\nOptions None\nRequire all granted\n</RequireAny>\n', ['override']],
    ['<VirtualHost *>\nAuthType Basic\n<IfModule mod_x.c>\nAuthLDAPURL x\n</IfModule>\n</VirtualHost>\n', ['override']],
    ['<Proxy *>\nSSLProxyEngine On\n</Proxy>\n<Location /x>\nSSLProxyEngine On\n</Location>\n', ['override']],
    ['<AuthnProviderAlias file a>\nAuthUserFile /x\nOptions None\n</AuthnProviderAlias>\n', ['override']],
    ['<Directory /x>\nDefine A b\nLoadModule a_module b.so\n</Directory>\n', []],
  ];
  for (const [text, wanted] of CASES) it(JSON.stringify(text), () => assert.deepEqual(ids(text), wanted));

  describe('a third-party directive that its module refuses in a virtual host', () => {
    const inHost = (line: string) => `<VirtualHost *>\n${line}\n</VirtualHost>\n`;
    for (const line of [
      'JkShmFile /x',
      'WSGIPythonOptimize 1',
      'WSGIRestrictStdout Off',
      'SocketPath /x',
      '<IfModule mod_fcgid.c>\nMaxProcessCount 9\n</IfModule>',
    ]) {
      it(JSON.stringify(line), () => assert.deepEqual(ids(inHost(line)), ['virtualhost']));
      it(`not outside: ${JSON.stringify(line)}`, () => assert.deepEqual(ids(`Listen 80\n${line}\n`), []));
    }

    for (const line of ['JkMountCopy On', 'MaxRequestLen 9', 'SecDataDir /x', 'PassengerRoot /x', 'Unknown 1'])
      it(`none for ${line}`, () => assert.deepEqual(ids(inHost(line)), []));

    it('names the module, and what the server says', () => {
      const [found] = findingsIn(inHost('socketpath /x'), rule);
      assert.match(
        found.message,
        /^`SocketPath` is not allowed in `<VirtualHost>`[^]*mod_fcgid for 2\.4[^]*SocketPath cannot occur within <VirtualHost> section/,
      );
    });

    it('none if its module is not loaded: then httpd does not know it', () => {
      const loaded = (...modules: readonly string[]) =>
        within({ containers: ['virtualhost'], modules: new Set(modules) }, 'JkShmFile /x\n');
      assert.deepEqual(loaded('mod_so', 'jk_module'), ['virtualhost']);
      assert.deepEqual(loaded('mod_so', 'mod_alias'), []);
    });
  });

  it('a .htaccess takes no line of the server, and none that its own functions refuse', () => {
    assert.deepEqual(
      ids(
        'Listen 80\nRedirect /a /b\nDefine A b\n<Directory /x>\n</Directory>\n<Files x>\nRequire all denied\n</Files>\n',
        '.htaccess',
      ),
      ['override', 'override', 'override'],
    );
  });

  it('where the file is read is known', () => {
    assert.deepEqual(within({}, 'Listen 80\nAuthType Basic\nRequire all granted\n'), ['override', 'override']);
    assert.deepEqual(within({ containers: ['virtualhost'] }, 'Listen 80\nServerName x\n'), ['virtualhost']);
    assert.deepEqual(within({ containers: ['directory'] }, 'ServerName x\nRequire all granted\n'), ['override']);
    assert.deepEqual(within({ containers: null }, 'AuthType Basic\n'), []);
  });

  it('leaves to other rules what they tell, and no more', () => {
    const errors = (text: string) =>
      findingsIn(text)
        .filter(({ severity }) => severity === 'error')
        .map((finding) => finding.rule.id);
    assert.deepEqual(
      errors('<VirtualHost *>\n<Limit GET>\nOptions None\n</Limit>\nRequire all granted\n</VirtualHost>\n'),
      ['limit-outside-directory', 'access-outside-directory'],
    );
    assert.deepEqual(
      errors('<Directory /x>\nProxyPass http://x/\n<Limit GET>\nMultiviewsMatch Any\n</Limit>\n</Directory>\n'),
      ['proxy-pass-in-directory', 'multiviews-match-in-limit'],
    );
  });

  it('a .htaccess has what AllowOverride and AllowOverrideList grant', () => {
    const text = 'Redirect /a /b\nAuthType Basic\nOptions None\n<Limit GET>\nRequire valid-user\n</Limit>\n';
    assert.deepEqual(within({ overrides: ['fileinfo'] }, text, true), ['override', 'override', 'override']);
    assert.deepEqual(within({ overrides: ['authconfig', 'limit'] }, text, true), ['override', 'override']);
    assert.deepEqual(within({ overrides: null }, text, true), []);
    assert.deepEqual(within({ overrides: ['nonfatal=override', 'fileinfo'] }, `${text}Listen 80\n`, true), []);
    assert.deepEqual(within({ overrides: ['options=indexes'] }, 'Options Indexes\nRedirect /a /b\n', true), [
      'override',
    ]);
  });
});
