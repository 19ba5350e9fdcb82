/**
 * Names at the beginning of a line: which, in what order, and the text after insertion. `|` is the
 * cursor.
 */
import assert from 'node:assert/strict';
import { CompletionItemTag, InsertTextFormat } from 'vscode-languageserver-types';
import type { FileContext } from '../../../server/src/config/file-context';
import { ALONE, complete, PLAIN, taken, type Asked } from './support';

const MODULES = (...modules: string[]): FileContext => ({
  ...ALONE,
  modules: new Set(['core', 'mod_so', ...modules]),
});

describe('completion of names', () => {
  describe('offers what may stand here', () => {
    offers('in a main file', 'ServerRoot /x\n|', {
      has: ['Listen', 'ServerName', 'LoadModule', '<VirtualHost>', 'Include'],
      not: ['AllowOverride', 'AuthName'],
    });
    offers('in a virtual host', '<VirtualHost *:80>\n|\n</VirtualHost>\n', {
      has: ['ServerName', 'DocumentRoot', '<Directory>', 'SSLEngine', 'Include'],
      not: ['Listen', 'PidFile', '<VirtualHost>', 'ServerRoot'],
    });
    offers('in a directory', '<Directory />\n  |\n</Directory>\n', {
      has: ['Options', 'AllowOverride', 'Require', '<Limit>', 'AuthName'],
      not: ['ServerName', 'Listen', '<Directory>', '<VirtualHost>'],
    });
    offers('in a location', '<Location />\n  |\n</Location>\n', {
      has: ['Require', 'SetHandler', 'ProxyPass'],
      not: ['Listen', 'ServerName'],
    });
    offers(
      'in a .htaccess',
      '|',
      {
        has: ['RewriteRule', 'Options', 'AuthName', '<Files>', '<IfModule>'],
        not: ['ServerName', '<Directory>', 'AllowOverride', 'Alias'],
      },
      { isHtaccess: true },
    );
    offers(
      'in a .htaccess that may change little',
      '|',
      { has: ['RewriteRule', 'ErrorDocument'], not: ['AuthName', 'Options'] },
      { isHtaccess: true, fileContext: { ...ALONE, overrides: new Set(['fileinfo']) } },
    );
    offers('in a snippet of which nobody knows who reads it', '|', {
      has: ['Listen', 'Require', 'AllowOverride', 'BalancerMember', '<VirtualHost>'],
    });
    offers(
      'in a snippet that is read in a virtual host',
      '|',
      { has: ['ServerName'], not: ['Listen', 'AllowOverride'] },
      { fileContext: { ...ALONE, containers: ['virtualhost'] } },
    );
    offers(
      'in a conditional as around it',
      '<VirtualHost *:80>\n<IfModule mod_ssl.c>\n|\n</IfModule>\n</VirtualHost>\n',
      { has: ['SSLEngine'], not: ['Listen'] },
    );
    offers(
      'in a section that is not closed yet what may stand within and behind it',
      'ServerRoot /x\n<Directory />\n|',
      { has: ['AllowOverride', 'Listen'] },
    );
    offers('nothing that usual builds do not have', '<Directory />\n<Req|\n</Directory>\n', {
      has: ['<RequireAll>', '<RequireNone>'],
      not: ['<RequireNotAll>'],
    });
    offers('on a tag', 'ServerRoot /x\n<|', {
      first: ['<IfModule>', '<Directory>'],
      has: ['<VirtualHost>'],
      not: ['Listen', '</IfModule>'],
    });
    offers('what the target has', '|', { not: ['RedirectRelative', 'AuthBasicFake'] }, { target: '2.4.3' });
    offers(
      'what the target has, a later one',
      '|',
      { has: ['RedirectRelative', 'AuthBasicFake'] },
      { target: '2.4.60' },
    );
    offers('in a macro, of which nobody knows where it is used', '<Macro a>\n|\n</Macro>\n', {
      has: ['Listen', 'AllowOverride', 'ServerName'],
    });
  });

  describe('puts first what is meant', () => {
    offers('the usual before the rare', 'ServerRoot /x\nSer|', { first: ['ServerName', 'ServerAdmin', 'ServerAlias'] });
    offers('what stands between others', 'Listen 80\n  Docu|\nServerName a\n', { first: ['DocumentRoot'] });
    offers('in odd case', 'doCu|', { first: ['DocumentRoot'] });
    offers('in a continued line', 'Docu\\\n', { first: ['DocumentRoot'] }, {}, 4);
    offers('with CR LF', 'Listen 80\r\nDocu|\r\n', { first: ['DocumentRoot'] });
    offers('Require in its containers', '<Directory />\n<RequireAny>\n|\n</RequireAny>\n</Directory>\n', {
      first: ['Require', '<RequireAll>', '<RequireAny>', '<RequireNone>'],
    });
    offers('members in a balancer', '<Proxy balancer://a>\n|\n</Proxy>\n', { first: ['BalancerMember', 'ProxySet'] });
    offers(
      'modules that are loaded',
      'P|',
      { before: ['PidFile', 'ProxyPass'] },
      { fileContext: MODULES('mod_alias') },
    );
    offers(
      'modules that are loaded, another one',
      'P|',
      { before: ['ProxyPass', 'ProxyFCGISetEnvIf'] },
      { fileContext: MODULES('mod_proxy') },
    );
    offers('the replacement before what it replaces', 'ServerRoot /x\nMaxC|', {
      first: ['MaxConnectionsPerChild', 'MaxRequestWorkers', 'MaxClients'],
    });
    offers('Require before Order', '<Directory />\nOrd|\n</Directory>', { first: ['Require', 'Order'] });
    offers('directives of other modules when they are loaded', 'LoadModule wsgi_module modules/mod_wsgi.so\nWSGI|', {
      has: ['WSGIScriptAlias'],
    });
    offers('directives of other modules that many have, once it is clear that they are meant', 'SecR|', {
      has: ['SecRule', 'SecRuleEngine'],
    });
    offers('nothing of platforms that are no more', 'Secure|', { not: ['SecureListen'] });
    offers('none of them before', 'S|', { not: ['SecRule'] });
    offers(
      'no directives of other modules where it is known that they are not',
      'WSGI|',
      { not: ['WSGIScriptAlias'] },
      { fileContext: MODULES() },
    );
  });

  describe('offers nothing', () => {
    none('in a comment', '# Ser|');
    none('in a comment that goes on', '# a \\\n');
    none('in mod_perl’s sections', '<Perl>\nmy |\n</Perl>\n');
    none('behind a space that somebody typed', '  |', { trigger: ' ' });
    none('behind a slash that begins no closing tag', '/|', { trigger: '/' });
  });

  describe('closes', () => {
    offers('the innermost section', '<VirtualHost *:80>\n<Directory />\n</|', {
      all: ['</Directory>', '</VirtualHost>'],
    });
    offers(
      'the section around, when its tag is written again',
      '<VirtualHost *:80>\n<IfModule a>\n</If|Module>\n</VirtualHost>\n',
      { all: ['</IfModule>'] },
    );
    offers('what is open and not what is closed', '<Files a>\n</Files>\n<Location />\n</|', { all: ['</Location>'] });
    offers('nothing where nothing is open', 'Listen 80\n</|', { all: [] });
    offers('mod_perl’s sections', '<Perl>\n1;\n</|', { all: ['</Perl>'] });
    takes('and takes what is there of the tag', '<Files a>\n</Fi|les>\n', '</Files>', '<Files a>\n</Files>\n');
    takes(
      'below the open tag, whatever the lines between are indented by',
      '  <Files a>\n      Require all granted\n      </|\n',
      '</Files>',
      '  <Files a>\n      Require all granted\n  </Files>\n',
    );
    takes('below an open tag that is not indented', '<Files a>\n\t</|', '</Files>', '<Files a>\n</Files>');
    takes('in another case', '<fiLES a>\n</|', '</Files>', '<fiLES a>\n</Files>');
  });

  describe('writes', () => {
    takes('a directive and a blank', 'Doc|\n', 'DocumentRoot', 'DocumentRoot \n');
    takes('a directive over another', 'Doc|umentRoot /x\n', 'DirectoryIndex', 'DirectoryIndex /x\n');
    takes('a section that closes itself', '<Dir|', '<Directory>', '<Directory "${1:/path}">\n\t$0\n</Directory>');
    takes('a section from its name alone', '  Loca|\n', '<Location>', '  <Location "${1:/path}">\n\t$0\n</Location>\n');
    takes('a section without arguments', '<RequireA|', '<RequireAny>', '<RequireAny>\n\t$0\n</RequireAny>');
    takes(
      'only the name where the tag goes on',
      '<Dir| /srv>\n</Directory>\n',
      '<DirectoryMatch>',
      '<DirectoryMatch /srv>\n</Directory>\n',
    );
    takes(
      'a tag alone where its close is there already',
      '<Dir|\nRequire all granted\n</Directory>\n',
      '<Directory>',
      '<Directory "${1:/path}">$0\nRequire all granted\n</Directory>\n',
    );
    takes(
      'a tag alone within a section',
      '<VirtualHost *:80>\n<Fil|\n</Files>\n</VirtualHost>\n',
      '<Files>',
      '<VirtualHost *:80>\n<Files "${1:name}">$0\n</Files>\n</VirtualHost>\n',
    );
    takes(
      'a section where the close behind it is that of another one',
      '<VirtualHost *:80>\n<Fil|\n</VirtualHost>\n',
      '<Files>',
      '<VirtualHost *:80>\n<Files "${1:name}">\n\t$0\n</Files>\n</VirtualHost>\n',
    );
    takes(
      'a section before others like it',
      '<Fil|\n<Files b>\n</Files>\n',
      '<Files>',
      '<Files "${1:name}">\n\t$0\n</Files>\n<Files b>\n</Files>\n',
    );
    takes('a tag alone for editors without snippets', '<Dir|', '<Directory>', '<Directory ', { client: PLAIN });
  });

  describe('loads modules', () => {
    const LOADS = 'LoadModule alias_module modules/mod_alias.so\n\n';
    takes(
      'behind the last LoadModule, as it is written',
      `${LOADS}RewriteE|\n`,
      'RewriteEngine',
      `LoadModule alias_module modules/mod_alias.so\nLoadModule rewrite_module modules/mod_rewrite.so\n\nRewriteEngine \n`,
    );
    takes(
      'with what they need',
      `${LOADS}ProxyFC|\n`,
      'ProxyFCGISetEnvIf',
      'LoadModule alias_module modules/mod_alias.so\nLoadModule proxy_module modules/mod_proxy.so\nLoadModule proxy_fcgi_module modules/mod_proxy_fcgi.so\n\nProxyFCGISetEnvIf \n',
    );
    takes(
      'indented, with CR LF',
      '  LoadModule alias_module /usr/lib/mod_alias.so\r\nRewriteE|',
      'RewriteEngine',
      '  LoadModule alias_module /usr/lib/mod_alias.so\r\n  LoadModule rewrite_module /usr/lib/mod_rewrite.so\r\nRewriteEngine ',
    );
    takes(
      'behind the section that has the last one',
      '<IfModule !a.c>\nLoadModule alias_module m/mod_alias.so\n</IfModule>\nRewriteE|',
      'RewriteEngine',
      '<IfModule !a.c>\nLoadModule alias_module m/mod_alias.so\n</IfModule>\nLoadModule rewrite_module m/mod_rewrite.so\nRewriteEngine ',
    );
    takes('not twice', `${LOADS}Redi|`, 'Redirect', `${LOADS}Redirect `);
    takes('not those that a server may have inside', `${LOADS}CustomL|`, 'CustomLog', `${LOADS}CustomLog `);
    takes(
      'not where other files may load them',
      `${LOADS}Include more.conf\nRewriteE|`,
      'RewriteEngine',
      `${LOADS}Include more.conf\nRewriteEngine `,
    );
    takes('not in a file that loads none', 'RewriteE|', 'RewriteEngine', 'RewriteEngine ');

    it('when somebody looks at the item, or with it', () => {
      const edits = (source: string, asked?: Asked) =>
        complete(source, asked)!.list.items.find(({ label }) => label === 'RewriteEngine')!.additionalTextEdits?.length;
      assert.equal(edits(`${LOADS}R|`), undefined);
      assert.equal(edits(`${LOADS}R|`, { client: { requestsEditsLater: false } }), 1);
      assert.equal(edits(`${LOADS}R|`, { client: PLAIN }), 1);
      // An editor that requests lists while the user types applies no late edit after them.
      assert.equal(edits(`R|\n${LOADS}`), 1);
    });
    it('and says so', () => {
      const detail = (source: string, label: string, asked: Asked = {}) =>
        complete(source, asked)!.list.items.find((item) => item.label === label)!.labelDetails?.description;
      assert.equal(detail('AuthBasicProvider |', 'file'), 'mod_authn_file');
      assert.equal(detail('CustomLog logs/access |', 'combined'), 'usual');
      assert.equal(detail('Listen 8080\n<VirtualHost |', '*:8080'), 'Listen');
      assert.equal(detail('AllowOverrideList |', 'Redirect'), 'mod_alias');
      assert.equal(detail(`${LOADS}R|`, 'RewriteEngine'), 'mod_rewrite, adds LoadModule');
      assert.equal(detail(`${LOADS}R|`, 'Redirect'), 'mod_alias');
      assert.equal(detail('R|', 'RewriteEngine', { fileContext: MODULES('mod_alias') }), 'mod_rewrite, not loaded');
      assert.equal(detail('|', 'MaxRequestWorkers', { fileContext: MODULES() }), 'MPM');
    });
  });

  it('strikes old names through', () => {
    const { list } = complete('ServerRoot /x\n|')!;
    const struck = new Set(
      list.items.filter(({ tags }) => tags?.includes(CompletionItemTag.Deprecated)).map(({ label }) => label),
    );
    for (const name of [
      'MaxClients',
      'NameVirtualHost',
      'DefaultType',
      'LockFile',
      'RewriteLog',
      'MaxRequestsPerChild',
    ])
      assert.ok(struck.has(name), name);
    for (const name of ['Listen', 'MaxRequestWorkers', 'ServerName', 'Include', 'Options'])
      assert.ok(!struck.has(name), name);
    const past = complete('ServerRoot /x\n<IfVersion < 2.4>\n|\n</IfVersion>\n')!.list.items;
    assert.deepEqual(
      [
        past.find(({ label }) => label === 'MaxClients')!.tags,
        past.filter(({ label }) => label === 'MaxRequestWorkers').length,
      ],
      [undefined, 1],
      'what only 2.2 reads',
    );
    const old = complete('MaxC|', { client: PLAIN })!.list.items.find(({ label }) => label === 'MaxClients')!;
    assert.deepEqual([old.deprecated, old.tags, old.detail], [true, undefined, 'MPM, 2.2']);
  });

  it('asks our own editor for values only where there are some', () => {
    const asks = (label: string, asked: Asked = {}) =>
      complete('ServerRoot /x\n|', asked)!.list.items.find((item) => item.label === label)!.command !== undefined;
    for (const label of ['KeepAlive', 'LoadModule', 'AddType', 'LogLevel']) assert.ok(asks(label), label);
    for (const label of ['ServerName', 'TimeOut', 'Include', '<Directory>']) assert.ok(!asks(label), label);
    const folders = { file: '/x', list: () => [], kind: () => null };
    assert.ok(asks('Include', { folders }), 'a folder');
    assert.ok(!asks('KeepAlive', { client: PLAIN }), 'another editor');
  });

  it('speaks to editors in the words that they know', () => {
    const snippet = complete('<Files|')!.list;
    assert.ok(snippet.itemDefaults?.editRange);
    assert.ok(
      snippet.items.every(
        ({ textEdit, insertTextFormat, label }) =>
          !textEdit && (insertTextFormat === InsertTextFormat.Snippet || !/^<Files/.test(label)),
      ),
    );
    const plain = complete('<Files|', { client: PLAIN })!.list;
    assert.equal(plain.itemDefaults, undefined);
    assert.ok(
      plain.items.every(
        ({ textEdit, insertTextFormat, labelDetails, command }) =>
          textEdit && !insertTextFormat && !labelDetails && !command,
      ),
    );
  });
});

interface Expected {
  /** The first labels that an editor shows. */
  readonly first?: readonly string[];
  readonly has?: readonly string[];
  readonly not?: readonly string[];
  readonly all?: readonly string[];
  /** These, in this order, maybe with others between. */
  readonly before?: readonly [string, string];
}

function offers(title: string, source: string, expected: Expected, asked: Asked = {}, at = -1): void {
  it(title, () => {
    const labels = complete(at < 0 ? source : `${source.slice(0, at)}|${source.slice(at)}`, asked)?.labels ?? [];
    if (expected.all) assert.deepEqual(labels, expected.all);
    if (expected.first) assert.deepEqual(labels.slice(0, expected.first.length), expected.first);
    for (const label of expected.has ?? [])
      assert.ok(labels.includes(label), `${label} in ${labels.slice(0, 40).join(' ')}`);
    for (const label of expected.not ?? []) assert.ok(!labels.includes(label), `${label} not in the list`);
    if (expected.before)
      assert.ok(
        labels.indexOf(expected.before[0]) >= 0 &&
          labels.indexOf(expected.before[0]) < labels.indexOf(expected.before[1]),
        labels.slice(0, 40).join(' '),
      );
  });
}

function none(title: string, source: string, asked: Asked = {}): void {
  it(title, () => assert.equal(complete(source.includes('|') ? source : `${source}|`, asked), null));
}

function takes(title: string, source: string, label: string, after: string, asked: Asked = {}): void {
  it(title, () => assert.equal(taken(complete(source, asked)!, label), after));
}
