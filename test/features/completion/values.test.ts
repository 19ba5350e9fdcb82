/**
 * Values of arguments: which are offered, in what order, and the text after insertion. `|` is the
 * cursor.
 */
import assert from 'node:assert/strict';
import type { MarkupContent, Range } from 'vscode-languageserver-types';
import { configView } from '../../../server/src/config/config-view';
import { readModel } from '../../../server/src/config/read-model';
import { DEFAULT_TARGET } from '../../../server/src/config/target';
import { TRIGGER_CHARACTERS, type Folders } from '../../../server/src/features/completion/completion';
import { elsewhereOf } from '../../support/elsewhere';
import { memoryFiles } from '../../../server/src/config/memory-files';
import { ALONE, complete, taken, type Asked } from './support';

describe('completion of values', () => {
  describe('words of the table', () => {
    all('switches', 'KeepAlive |', ['On', 'Off']);
    all('in odd case', 'keepALIVE o|', ['On', 'Off']);
    all('levels', 'ServerSignature |', ['On', 'Off', 'EMail']);
    first('words that may be signed', 'Options |', ['None', 'All', 'ExecCGI', 'FollowSymLinks']);
    first('behind a sign, which None and All cannot have', 'Options +|', ['+ExecCGI', '+FollowSymLinks']);
    has(
      'behind others with signs, without those that cannot have one',
      'Options -Indexes |',
      ['+FollowSymLinks'],
      ['+None', '-All', 'None'],
    );
    has(
      'once in a line, whatever else may stand there',
      'AllowOverride FileInfo |',
      ['AuthConfig', 'Options='],
      ['FileInfo'],
    );
    has('once in a line of signed ones', 'IndexOptions FancyIndexing |', ['FoldersFirst'], ['FancyIndexing']);
    has(
      'behind others with signs',
      'Options -Indexes |',
      ['+FollowSymLinks', '-FollowSymLinks'],
      ['FollowSymLinks', '-Indexes', '+Indexes'],
    );
    has('not what is there already', 'Options Indexes |', ['ExecCGI'], ['Indexes']);
    has('not what only old configurations say', 'SSLProtocol |', ['TLSv1.3', 'all'], ['SSLv3']);
    has('not what the target does not have', 'SSLProtocol |', ['TLSv1.2'], ['TLSv1.3'], { target: '2.4.6' });
    all('by the words before', 'Header always |', [
      'set',
      'setifempty',
      'append',
      'merge',
      'add',
      'note',
      'unset',
      'edit',
      'edit*',
      'echo',
    ]);
    first('behind a key', 'AllowOverride Options=Inc|', ['Includes', 'IncludesNOEXEC']);
    has('behind a comma', 'AllowOverride Options=Indexes,|', ['Includes', 'MultiViews'], ['Indexes']);
    has('keys', 'BalancerMember http://a |', ['loadfactor=', 'route=', 'retry=']);
    all('the rest of a list with commas', 'Order allow,|', ['Allow,Deny']);
    all('in quotes', 'KeepAlive "|"', ['On', 'Off']);
    all('in quotes that are not closed', "KeepAlive '|", ['On', 'Off']);
    all('in a continued line', 'KeepAlive \\\n  |', ['On', 'Off']);
    all('with CR LF', 'KeepAlive |\r\nListen 80\r\n', ['On', 'Off']);
    first('of a section', '<IfVersion >|', ['>', '>=']);
    takes('over the word that is there', 'KeepAlive O|ff\n', 'On', 'KeepAlive On\n');
    takes('with its sign', 'Options +Ind|\n', '+Indexes', 'Options +Indexes\n');
    takes('behind its key', 'AllowOverride Options=Ind|\n', 'Indexes', 'AllowOverride Options=Indexes\n');
    takes('in Require with what stands behind it', 'Require i|p 10.0.0.1\n', 'ip', 'Require ip 10.0.0.1\n');
    takes('in Require where all is followed by its word', 'Require l|all granted\n', 'all', 'Require all granted\n');
    takes('in Require on its own', 'Require i|\n', 'ip', 'Require ip \n');
    none('in front of flags that are there', 'RewriteRule a b |[F]');
    has('backends of a handler', 'SetHandler "proxy:|"', ['proxy:fcgi://', 'proxy:unix:']);
    takes('the backend of a handler', 'SetHandler "proxy:f|"\n', 'proxy:fcgi://', 'SetHandler "proxy:fcgi://"\n');
    has('a balancer to be', 'ProxyPass /a "bal|"', ['balancer://']);
    has('addresses of a proxy', '<Proxy |>', ['balancer://', 'fcgi://', '*']);
    has('names of an index', 'DirectoryIndex index.html |', ['index.php'], ['index.html', 'disabled']);
    first('the usual modules', 'LogLevel warn |', ['rewrite:', 'ssl:']);
    first('the usual variables', '<If "%{|}">', ['REQUEST_URI', 'HTTP_HOST']);
    first('the usual variables of conditions', 'RewriteCond %{|}', ['REQUEST_URI', 'HTTP_HOST']);
  });

  describe('modules', () => {
    has('in LoadModule', 'LoadModule |', ['alias_module', 'ssl_module', 'mpm_event_module']);
    first(
      'in LoadModule, those that are not loaded first',
      'LoadModule alias_module modules/mod_alias.so\nLoadModule ali|',
      ['alias_module'],
    );
    takes(
      'with their file',
      'LoadModule rew|\n',
      'rewrite_module',
      'LoadModule rewrite_module modules/mod_rewrite.so\n',
    );
    takes(
      'with their file where the others are',
      'LoadModule a /usr/lib/apache2/modules/mod_a.so\nLoadModule rew|\n',
      'rewrite_module',
      'LoadModule a /usr/lib/apache2/modules/mod_a.so\nLoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so\n',
    );
    takes(
      'without, where it is there',
      'LoadModule rew| modules/mod_rewrite.so\n',
      'rewrite_module',
      'LoadModule rewrite_module modules/mod_rewrite.so\n',
    );
    all('their file', 'LoadModule rewrite_module |', ['modules/mod_rewrite.so']);
    first('in IfModule', '<IfModule mod_rew|>', ['mod_rewrite.c']);
    first('in IfModule, by identifier', '<IfModule rewrite_|>', ['rewrite_module']);
    first('in IfModule, not', '<IfModule !mod_rew|>', ['mod_rewrite.c']);
    takes('in IfModule, not', '<IfModule !mod_rew|>\n', 'mod_rewrite.c', '<IfModule !mod_rewrite.c>\n');
    first('in IfModule, the usual first', '<IfModule |', ['mod_rewrite.c', 'mod_ssl.c']);
    has('sections for IfSection', '<IfSection |', ['VirtualHost', 'Macro'], ['Listen', '<VirtualHost>']);
    has('directives for IfDirective', '<IfDirective |', ['Listen'], ['VirtualHost', '<VirtualHost>']);
    has('directives that a .htaccess may have', 'AllowOverrideList |', ['None', 'Redirect'], ['Listen']);
    first('that are loaded before others', '<IfModule |', ['mod_rewrite.c'], {
      fileContext: { ...ALONE, modules: new Set(['core', 'mod_rewrite']) },
    });
    first('with a level', 'LogLevel warn ss|', ['ssl:']);
    first('and their level', 'LogLevel warn ssl:tr|', ['trace1', 'trace2']);
  });

  describe('providers', () => {
    first('of logins', 'AuthBasicProvider |', ['file', 'ldap', 'dbm', 'dbd']);
    has('of logins, those of the file', '<AuthnProviderAlias file staff>\n</AuthnProviderAlias>\nAuthBasicProvider |', [
      'file',
      'staff',
    ]);
    first('of access', 'Require |', ['all granted', 'all denied', 'not', 'local', 'ip', 'host']);
    has('of access, negated', 'Require not |', ['ip', 'host'], ['all granted', 'not']);
    has('of access, those of the file', '<AuthzProviderAlias ip office 10>\n</AuthzProviderAlias>\nRequire |', [
      'office',
    ]);
    all('their words', 'Require all |', ['granted', 'denied']);
    has('of caches', 'SSLSessionCache |', ['shmcb', 'dbm', 'redis']);
    has('filters', 'SetOutputFilter INCLUDES;|', ['DEFLATE']);
    has('input filters', 'SetInputFilter |', ['DEFLATE'], ['INCLUDES']);
  });

  describe('what the file defines', () => {
    all('variables', 'Define ROOT /srv\nDefine PORT 80\nListen ${|}', ['ROOT', 'PORT']);
    takes(
      'variables, with their brace',
      'Define ROOT /srv\nDocumentRoot ${R|\n',
      'ROOT',
      'Define ROOT /srv\nDocumentRoot ${ROOT}\n',
    );
    takes(
      'variables, with one brace',
      'Define ROOT /srv\nDocumentRoot "${R|}/a"\n',
      'ROOT',
      'Define ROOT /srv\nDocumentRoot "${ROOT}/a"\n',
    );
    all('definitions', 'Define SSL\n<IfDefine !S|>', ['SSL']);
    has(
      'variables of the environment',
      'SetEnvIf User-Agent x bad good=1\nBrowserMatch x !no\nSetEnv a b\nAllow from env=|',
      ['bad', 'good', 'a'],
      ['!no', 'no'],
    );
    has('variables that a RewriteRule sets', 'RewriteRule ^ - [E=seen:1]\nRequire env |', ['seen']);
    all('balancers', '<Proxy balancer://farm>\n</Proxy>\nProxyPass / bal|', ['balancer://farm']);
    all('macros', '<Macro Site $name>\n</Macro>\nUse |', ['Site']);
    all('log formats', 'LogFormat "%h" short\nCustomLog logs/a |', ['short']);
    all('addresses', 'Listen 8080\nListen 10.0.0.1:81\n<VirtualHost |>', ['*:8080', '*:81', '10.0.0.1:81']);
    all('maps', 'RewriteMap up int:toupper\nRewriteRule a ${|}', ['up:']);
    has(
      'not in text that is not there',
      '<IfVersion < 2.4>\nDefine OLD 1\n</IfVersion>\nDefine NEW 1\nListen ${|}',
      ['NEW'],
      ['OLD'],
    );
    has(
      'from all of its sections',
      '<VirtualHost a>\n<IfModule b>\nDefine DEEP 1\n</IfModule>\n</VirtualHost>\nListen ${|}',
      ['DEEP'],
    );
  });

  describe('what other files define', () => {
    const SITE = '/etc/httpd/conf.d/site.conf';
    const texts = {
      '/etc/httpd/conf/httpd.conf': [
        'ServerRoot /etc/httpd',
        'Define docRoot /srv/www',
        '<Macro Site $name>',
        '</Macro>',
        'Include conf.d/*.conf',
        'LogFormat "%h %u" short',
        '<Proxy balancer://farm>',
        'BalancerMember http://a',
        '</Proxy>',
        'SetEnvIf User-Agent Bot is_bot',
        'RewriteRule ^ - [E=seen:1]',
        'RewriteMap up int:toupper',
        '<AuthnProviderAlias file staff>',
        '</AuthnProviderAlias>',
        '<AuthzProviderAlias ip office 10.0.0.1>',
        '</AuthzProviderAlias>',
        'ExtFilterDefine squeeze mode=output cmd="/bin/cat"',
        'FilterProvider pack deflate "true"',
        'AddHandler own-script .own',
        'AddType text/own .own',
        '',
      ].join('\n'),
      [SITE]: '',
      '/etc/other/httpd.conf': 'LogFormat "%h" stranger\nDefine strange 1\n',
    };
    const files = memoryFiles(texts);
    const model = readModel({
      mainFile: '/etc/httpd/conf/httpd.conf',
      view: configView(files),
      target: DEFAULT_TARGET,
    })!;
    const asked: Asked = { models: [model], folders: { file: SITE, ...files }, elsewhere: elsewhereOf(texts, SITE) };
    all('variables', 'Define PORT 80\nListen ${|}', ['PORT', 'docRoot'], asked);
    all('macros', 'Use |', ['Site'], asked);
    all('where paths begin', 'Include |', ['conf/', 'conf.d/'], asked);
    all('formats', 'CustomLog logs/a |', ['short'], asked);
    all('formats, after those of this file', 'LogFormat "%a" own\nCustomLog logs/a |', ['own', 'short'], asked);
    all('formats of a file that is open', 'CustomLog logs/a |', ['short'], {
      ...asked,
      elsewhere: elsewhereOf(texts, SITE, ['/etc/httpd/conf/httpd.conf']),
    });
    all(
      'formats, as far as one can guess where nobody knows the configuration',
      'CustomLog logs/a |',
      ['combined', 'common'],
      { models: [model] },
    );
    has('balancers', 'ProxyPass / bal|', ['balancer://farm'], [], asked);
    has('variables of the environment', 'Require env |', ['is_bot', 'seen'], [], asked);
    has('variables of the environment in formats', 'LogFormat "%{|}e"', ['is_bot'], [], asked);
    has('variables of the environment in conditions', 'RewriteCond %{ENV:|} x', ['ENV:seen'], [], asked);
    has('variables of the environment behind env=', 'CustomLog logs/a short env=|', ['is_bot'], [], asked);
    has('maps', 'RewriteRule a ${|}', ['up:', 'docRoot'], [], asked);
    has('providers for a login', 'AuthBasicProvider |', ['file', 'staff'], [], asked);
    has('providers of access', 'Require |', ['ip', 'office'], [], asked);
    has('filters', 'SetOutputFilter |', ['squeeze', 'pack', 'DEFLATE'], [], asked);
    has('handlers', 'SetHandler |', ['own-script'], [], asked);
    has('MIME types', 'ForceType |', ['text/own'], [], asked);
    it('with the module they are from', () => {
      const sourceOf = (source: string, label: string) =>
        complete(source)!.list.items.find((item) => item.label === label)?.labelDetails?.description;
      assert.equal(sourceOf('SetOutputFilter |', 'DEFLATE'), 'mod_deflate');
      assert.equal(sourceOf('SetHandler |', 'server-status'), 'mod_status');
      assert.equal(sourceOf('SetEnv |', 'no-gzip'), 'mod_deflate');
    });
    it('with the file they are from', () => {
      const item = complete('CustomLog logs/a |', asked)!.list.items.find(({ label }) => label === 'short')!;
      assert.deepEqual(item.labelDetails, { description: 'httpd.conf' });
      assert.deepEqual(item.data, { text: '%h %u' });
    });
  });

  describe('rewrite rules', () => {
    first('flags', 'RewriteRule a b [|', ['L', 'R', 'NC', 'QSA']);
    has('flags, not twice', 'RewriteRule a b [L,|]', ['NC'], ['L']);
    has('flags, not twice by their long names', 'RewriteRule a b [last,|]', ['NC'], ['L']);
    first('flags with their bracket', 'RewriteRule a b |', ['[L]', '[R]']);
    first('statuses', 'RewriteRule a b [R=|,L]', ['301', '302', '303', '307', '308']);
    all('flags of conditions', 'RewriteCond a b [|]', ['NC', 'OR', 'NV']);
    has('tests', 'RewriteCond a !-|', ['-f', '-d', '-s']);
    has('prefixes of variables', 'RewriteCond %{|', ['ENV:', 'HTTP:', 'LA-U:']);
    has('variables of the environment', 'SetEnv a b\nRewriteCond %{ENV:|} x', ['ENV:a']);
    takes(
      'variables of the environment',
      'SetEnv a b\nRewriteCond %{ENV:| x\n',
      'ENV:a',
      'SetEnv a b\nRewriteCond %{ENV:a} x\n',
    );
  });

  describe('expressions', () => {
    has('what may begin one', '<If "|">', ['true', 'req()', '-n']);
    has('behind a value', '<If "%{REQUEST_URI} |">', ['==', '=~', '-ipmatch', '-in'], ['true']);
    has('behind an operator', '<If "%{REQUEST_URI} == |">', ['req()'], ['-n', '==']);
    has('variables', '<If "%{REQ|}">', ['REQUEST_URI', 'REQUEST_METHOD']);
    has('variables in Require', 'Require expr "%{|}"', ['REQUEST_URI', 'HTTP_HOST']);
    has('variables in a string', "<If \"'%{|}' == 'a'\">", ['REQUEST_URI']);
    none('in a string', '<If "%{REQUEST_URI} == \'a|\'">');
    none('in a regular expression', '<If "%{REQUEST_URI} =~ /a|/">');
    takes('a function', '<If "re|">', 'req()', '<If "req(\'">');
    takes('a variable', '<If "%{REQUEST_U|">', 'REQUEST_URI', '<If "%{REQUEST_URI}">');
    has('where nothing else may stand', 'SetEnvIfExpr "|"', ['true', '-n']);
    has('and their variables', 'SetEnvIfExpr "%{REQ|"', ['REQUEST_URI']);
    has('behind expr=', 'CustomLog a b expr=|', ['true', '-n']);
  });

  describe('times', () => {
    first('as they are usual', 'ExpiresDefault |', ['"access plus 1 month"', '"access plus 1 year"']);
    first('behind a type', 'ExpiresByType image/png |', ['"access plus 1 month"']);
    takes('in quotes', 'ExpiresDefault "acc|"\n', 'access plus 1 day', 'ExpiresDefault "access plus 1 day"\n');
    all('units', 'ExpiresDefault "access plus 2 |"', [
      'years',
      'months',
      'weeks',
      'days',
      'hours',
      'minutes',
      'seconds',
    ]);
    all('one unit', 'ExpiresDefault "access plus 1 m|"', ['month', 'minute']);
    takes(
      'over the unit that is there',
      'ExpiresDefault "access plus 1 |month"\n',
      'year',
      'ExpiresDefault "access plus 1 year"\n',
    );
    all('further ones', 'ExpiresDefault "access plus 1 month 2 d|"', ['days']);
  });

  describe('files', () => {
    const folders: Folders = {
      file: '/etc/httpd/conf/httpd.conf',
      ...memoryFiles({
        '/etc/httpd/conf/httpd.conf': '',
        '/etc/httpd/conf.d/a.conf': '',
        '/etc/httpd/conf.d/b.conf': '',
        '/etc/httpd/conf.d/.hidden': '',
        '/srv/www/index.html': '',
        '/srv/readme': '',
        '/srv/my files/a': '',
      }),
    };
    const read = { folders };
    all('below ServerRoot', 'Include |', ['conf/', 'conf.d/'], read);
    all('below a ServerRoot that the file gives', 'ServerRoot /srv\nInclude |', ['www/', 'readme'], read);
    all('in a folder', 'Include conf.d/|', ['a.conf', 'b.conf'], read);
    all('in quotes', 'Include "conf.d/b|"', ['b.conf'], read);
    all('by absolute path', 'DocumentRoot /srv/|', ['www/'], read);
    all('behind the name of a provider', 'SSLSessionCache shmcb:/srv/|', ['www/', 'readme'], read);
    all('with blanks, in quotes', 'DocumentRoot "/srv/|"', ['my files/', 'www/'], read);
    all('hidden ones where they are asked for', 'Include conf.d/.|', ['.hidden'], read);
    takes('over what is there', 'Include conf.d/|a.conf\n', 'b.conf', 'Include conf.d/b.conf\n', read);
    none('where nothing may be read', 'Include conf.d/|');
    none('behind a wildcard', 'Include *.d/|', read);
    none('of folders that are not there', 'Include nowhere/|', read);
  });

  describe('words of other standards', () => {
    has('statuses', 'ErrorDocument |', ['404', '500']);
    has('statuses that fit', 'Redirect |', ['permanent', '301', '410'], ['200']);
    has('not what is being written', 'Action text/|', ['text/html'], ['text/']);
    has('filters behind a sign', 'FilterChain +|', ['DEFLATE']);
    first('the usual first', 'AddCharset |', ['UTF-8']);
    has('headers', 'Header set |', ['Cache-Control', 'Strict-Transport-Security']);
    has('headers of requests', 'RequestHeader set |', ['X-Forwarded-Proto']);
    has('headers with hyphens', 'Header set Cache-|', ['Cache-Control']);
    takes('headers over what is there', 'Header set Cac|he-Cont x\n', 'Cache-Control', 'Header set Cache-Control x\n');
    has('types', 'AddOutputFilterByType DEFLATE text/|', ['text/html', 'text/css']);
    takes('types', 'ForceType text/h|\n', 'text/html', 'ForceType text/html\n');
    has('languages', 'AddLanguage |', ['de', 'en', 'fr']);
    has('character sets', 'AddDefaultCharset |', ['Off', 'UTF-8']);
    has('encodings', 'AddEncoding |', ['gzip', 'br']);
    has('methods', '<Limit GET |>', ['POST', 'PUT'], ['GET']);
    has('handlers', 'SetHandler |', ['server-status', 'cgi-script', 'none']);
    has('variables of the server', 'RewriteCond %{|', ['REQUEST_URI', 'HTTP_HOST', 'HTTPS']);
    has('variables of mod_ssl', 'RewriteCond %{SSL:|} x', ['SSL:SSL_CIPHER']);
    has('variables of mod_ssl in headers', 'RequestHeader set X-A "%{|"', ['SSL_CIPHER}s']);
    has('headers in conditions', 'RewriteCond %{HTTP:|} x', ['HTTP:X-Forwarded-Proto']);
    has('functions in braces', '<If "%{|}">', ['req:', 'base64:']);
    has('variables that modules look at', 'SetEnv |', ['no-gzip', 'nokeepalive']);
    has('letters of log formats', 'LogFormat "%h %|"', ['%u', '%>s', '%{name}i']);
    takes('a letter of a log format', 'LogFormat "%h %|"\n', '%u', 'LogFormat "%h %u"\n');
    takes('a letter with what it takes', 'LogFormat "%|"\n', '%{name}i', 'LogFormat "%{"\n');
    takes('a letter behind its status', 'LogFormat "%>|"\n', '%>s', 'LogFormat "%>s"\n');
    has('what stands in a log format’s braces', 'LogFormat "%{|"', ['Referer}i', 'User-Agent}i', 'sec}t']);
    has('what stands before a letter', 'LogFormat "%{|}o"', ['Content-Type'], ['Referer', 'Referer}i']);
    takes('what stands before a letter', 'LogFormat "%{|}i"\n', 'User-Agent', 'LogFormat "%{User-Agent}i"\n');
    takes('a name and its letter over a brace', 'LogFormat "%{|}"\n', 'Referer}i', 'LogFormat "%{Referer}i"\n');
    takes(
      'a variable of mod_ssl over a brace',
      'Header set a "%{|}s"\n',
      'SSL_CIPHER}s',
      'Header set a "%{SSL_CIPHER}s"\n',
    );
    has('letters of error logs', 'ErrorLogFormat "%|"', ['%M', '%E']);
  });

  describe('nothing', () => {
    none('in comments', '# Options |');
    none('behind text', 'ServerAdmin |');
    none('behind what may stand there once', 'KeepAlive On |');
    none('behind the end of a tag', '<IfModule a> |');
    none('for what nobody knows', 'NoSuch |');
    none('in mod_perl’s sections', '<Perl>\nKeepAlive |\n</Perl>');
  });

  describe('by itself', () => {
    const asks = (title: string, source: string, trigger: string, isAsked: boolean) =>
      it(`${isAsked ? 'asks' : 'does not ask'} ${title}`, () => {
        assert.ok(TRIGGER_CHARACTERS.includes(trigger));
        assert.equal(complete(source, { trigger }) !== null, isAsked);
      });
    asks('behind a name', 'KeepAlive |', ' ', true);
    asks('behind a blank in a value', 'ServerAdmin a |', ' ', false);
    asks('at the beginning of a line', ' |', ' ', false);
    asks('at a tag', '<|', '<', true);
    asks('at a less-than', '<If "1 <|">', '<', false);
    asks('at a closing tag', '<Files a>\n</|', '/', true);
    asks('at a sign', 'Options +|', '+', true);
    asks('at a hyphen in a name', 'ServerName a-|', '-', false);
    asks('at a bracket', 'RewriteRule a b [|', '[', true);
    asks('at the brace of a variable', 'Define A 1\nListen ${|', '{', true);
    asks('at another brace', 'RewriteRule a{|', '{', false);
  });

  it('replaces what it brings itself, and leaves the rest to the editor', () => {
    const ranges = (source: string) => {
      const { list, text } = complete(source)!;
      const { insert, replace } = list.itemDefaults!.editRange as { insert: Range; replace: Range };
      return [insert, replace].map(({ start, end }) => text.slice(start.character, end.character));
    };
    assert.deepEqual(ranges('Doc|umentRoot /a'), ['Doc', 'DocumentRoot']);
    assert.deepEqual(ranges('Options In|dexes'), ['In', 'Indexes']);
    assert.deepEqual(ranges('LogFormat "%{Ref|}i"'), ['Ref', 'Ref']);
    assert.deepEqual(ranges('LogFormat "%{Ref|}"'), ['Ref}', 'Ref}']);
    assert.deepEqual(ranges('Header set a "%{|}s"'), ['}s', '}s']);
  });

  it('explains a value when somebody looks at it', () => {
    const explained = (source: string, label: string) => {
      const { list, resolved } = complete(source)!;
      const item = list.items.find((each) => each.label === label)!;
      assert.equal(item.documentation, undefined);
      return (resolved(item).documentation as MarkupContent | undefined)?.value ?? '';
    };
    assert.match(explained('Doc|', 'DocumentRoot'), /\*\*`DocumentRoot`\*\*/);
    assert.match(explained('<Dir|', '<Directory>'), /\*\*`<Directory>`\*\* — section/);
    assert.match(explained('MaxC|', 'MaxClients'), /\*\*Renamed\*\*/);
    assert.match(explained('LoadModule |', 'alias_module'), /\*\*`mod_alias`\*\*/);
    assert.match(explained('Options |', 'FollowSymLinks'), /link/);
    assert.match(explained('Options +|', '+FollowSymLinks'), /link/);
    assert.equal(explained('Define A /srv\nListen ${|}', 'A'), '/srv');
  });
});

function labels(source: string, asked?: Asked): readonly string[] {
  return complete(source, asked)?.labels ?? [];
}

function all(title: string, source: string, expected: readonly string[], asked?: Asked): void {
  it(title, () => assert.deepEqual(labels(source, asked), expected));
}

function first(title: string, source: string, expected: readonly string[], asked?: Asked): void {
  it(title, () => assert.deepEqual(labels(source, asked).slice(0, expected.length), expected));
}

function has(
  title: string,
  source: string,
  expected: readonly string[],
  not: readonly string[] = [],
  asked?: Asked,
): void {
  it(title, () => {
    const found = labels(source, asked);
    for (const label of expected) assert.ok(found.includes(label), `${label} in ${found.slice(0, 40).join(' ')}`);
    for (const label of not) assert.ok(!found.includes(label), `${label} in ${found.slice(0, 40).join(' ')}`);
  });
}

function none(title: string, source: string, asked?: Asked): void {
  it(title, () => assert.deepEqual(labels(source, asked), []));
}

function takes(title: string, source: string, label: string, after: string, asked?: Asked): void {
  it(title, () => assert.equal(taken(complete(source, asked)!, label), after));
}
