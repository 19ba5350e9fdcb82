/**
 * The hover of an argument: text with a mark, the range as text, and expected parts of the
 * Markdown.
 */
import assert from 'node:assert/strict';
import { definitionCounts } from '../../../server/src/symbols/definitions';
import type { MarkupContent } from 'vscode-languageserver-types';
import { Engine } from '../../../server/src/analysis/engine';
import { DEFAULT_TARGET } from '../../../server/src/config/target';
import { hover } from '../../../server/src/features/hover/hover';
import type { HoverKnowledge } from '../../../server/src/features/hover/argument';
import { ALL_RULES } from '../../../server/src/rules/all';
import { marked, textOf } from '../support';

function ask(source: string, knowledge: HoverKnowledge = {}) {
  const { tree, at } = marked(source);
  const found = hover(tree, at[0], DEFAULT_TARGET, knowledge);
  return found && { range: textOf(tree, found.range!), text: (found.contents as MarkupContent).value };
}

/** Says of the text under the mark, `range`, something with `text` in it. */
function says(source: string, range: string, ...texts: readonly RegExp[]): void {
  it(`${source
    .trim()
    .split('\n')
    .find((row) => row.includes('$0'))!
    .trim()}`, () => {
    const found = ask(source);
    assert.ok(found, 'nothing is said');
    assert.equal(found.range, range);
    for (const text of texts) assert.match(found.text, text);
  });
}

function nothing(source: string): void {
  it(`nothing: ${source
    .trim()
    .split('\n')
    .find((row) => row.includes('$0'))!
    .trim()}`, () => assert.equal(ask(source), null));
}

describe('hover on arguments', () => {
  describe('values', () => {
    says(
      '<Directory "/srv">\nOptions Indexes +Follow$0SymLinks\n</Directory>\n',
      '+FollowSymLinks',
      /\*\*`\+FollowSymLinks`\*\* — value of `Options`/,
      /link/i,
    );
    says('Options followSYM$0LINKS\n', 'followSYMLINKS', /value of `Options`/);
    says('Options "$0Indexes"\n', '"Indexes"', /value of `Options`/);
    says('Options \\\n  Multi$0Views\n', 'MultiViews', /negotiat|language|matching/i);
    says('ServerTokens Pr$0od\n', 'Prod', /Apache/);
    says('LogLevel warn rewrite:tra$0ce3\n', 'trace3', /trace|level/i);
    says('LogLevel warn re$0write:trace3\n', 'rewrite', /`mod_rewrite`\*\* — module/);
    says('Redirect perm$0anent / https://x/\n', 'permanent', /301/);
    says('AuthMerging A$0nd\n', 'And', /value of `AuthMerging`/);
    says('RewriteMap m tx$0t:/srv/map\n', 'txt:/srv/map', /key/);
    says('Header alw$0ays set X y\n', 'always', /value of `Header`/);
    says('Header se$0t X y\n', 'set', /value of `Header`/);
    says('SSLVerifyClient opt$0ional\n', 'optional', /value of `SSLVerifyClient`/);
    says('AddType text/h$0tml .page\n', 'text/html', /MIME type/);
    says('ErrorDocument 40$04 /x\n', '404', /status/, /Not Found/);
    says('AddDefaultCharset utf-$08\n', 'utf-8', /charset/);
    says('AddLanguage d$0e .de\n', 'de', /German/);
    says('SetHandler server-st$0atus\n', 'server-status', /`mod_status`/);
    says(
      'AddOutputFilter INCL$0UDES .shtml\n',
      'INCLUDES',
      /— filter\n\nProcesses server-side includes\. Of `mod_include`\.$/,
    );
    says('SetHandler server-in$0fo\n', 'server-info', /— handler\n\n(?!.*mod_status)/);
    says('AuthType Bas$0ic\n', 'Basic', /\nmod_auth_basic; this is the usual kind of login\./);
    says('SetOutputFilter INCLUDES;DEF$0LATE\n', 'DEFLATE', /compress/i);
    says('SetEnvIf User-Agent x no$0keepalive\n', 'nokeepalive', /connection|keep/i);
    says('ProxyPass /a http://b/ flushpa$0ckets=on\n', 'flushpackets=on', /at once/);
    says('ProxyPassMatch ^/a http://b/ nofail$0over=On\n', 'nofailover=On', /another backend/);
    says('BalancerMember http://b/ rou$0te=a\n', 'route=a', /session/);
    says('LogLevel not$0ice\n', 'notice', /value of `LogLevel`/);
    says('AddIcon /icons/f.gif ^^DIREC$0TORY^^\n', '^^DIRECTORY^^', /directories/i);
    nothing('Listen 8$00\n');
    nothing('DocumentRoot /srv/w$0ww\n');
    nothing('# Options Ind$0exes\n');
    nothing('NoSuchThing Ind$0exes\n');
  });

  describe('modules and directives', () => {
    says('LoadModule rewrite$0_module modules/mod_rewrite.so\n', 'rewrite_module', /`mod_rewrite`\*\* — module/);
    says(
      'LoadModule rewrite_module modules/mod_re$0write.so\n',
      'modules/mod_rewrite.so',
      /`mod_rewrite`\*\* — module/,
    );
    says('<IfModule !mod_ssl$0.c>\n</IfModule>\n', '!mod_ssl.c', /`mod_ssl`\*\* — module/);
    says('<IfModule ws$0gi_module>\n</IfModule>\n', 'wsgi_module', /does not come with httpd/, /mod_wsgi\.so/);
    nothing('LoadModule no_such$0_module modules/mod_no_such.so\n');
  });

  describe('access', () => {
    says('Require val$0id-user\n', 'valid-user', /authorization provider/, /`mod_authz_user`/, /^(?!.*groups)/s);
    says('Require us$0er bob\n', 'user', /authorization provider\n\n(?!.*groups)/);
    says('<IfModule mod_php5.$0c>\n</IfModule>\n', 'mod_php5.c', /does not come with httpd/);
    says('LoadModule php7_mod$0ule modules/libphp7.so\n', 'php7_module', /does not come with httpd/);
    says('Require a$0ll granted\n', 'all', /Everyone has access\. Provided by `mod_authz_core`/);
    says('Require all den$0ied\n', 'denied', /value of `Require all`/, /Nobody/);
    says('Require method P$0OST\n', 'POST', /method/, /data/);
    says('Require not i$0p 192.0.2.1\n', 'ip', /`mod_authz_host`/);
    says('Require n$0ot ip 192.0.2.1\n', 'not', /negation/);
    nothing('Require ip 192.0$0.2.1\n');
    nothing('Require no$0such thing\n');
  });

  describe('rewriting', () => {
    says('RewriteRule ^/(a|b)/(?:c)(\\d+)$ /x/$$02 [L]\n', '$2', /`\(\\d\+\)`/);
    says('RewriteRule ^ /x [NC,R$0=301]\n', 'R=301', /flag of `RewriteRule`/, /`301`: Moved Permanently/);
    says('RewriteRule ^ /x [REDIR$0ECT=permanent,LAST]\n', 'REDIRECT=permanent', /`permanent`: 301/);
    says('RewriteRule ^ /%{HTTP:X-$0Forwarded-Proto}\n', '%{HTTP:X-Forwarded-Proto}', /header/i);
    says('RewriteCond %{REQUEST_FILE$0NAME} -d\n', '%{REQUEST_FILENAME}', /path|file/i);
    says('RewriteRule ^ /x [N$0C,R=301]\n', 'NC', /case/i);
    says('RewriteCond %{HTTPS} off [O$0R]\n', 'OR', /flag of `RewriteCond`/);
    says('RewriteCond %{X} !-$0f\n', '!-f', /True if the test `-f` fails/, /file/);
    says('RewriteCond %{X} $0!-d\n', '!-d', /True if the test `-d` fails/);
    says('RewriteCond %{X} -$0f\n', '-f', /file/);
    says(
      'RewriteMap low int:tolower\nRewriteRule ^/(.*) /${lo$0w:$1}\n',
      '${low:$1}',
      /rewrite map/,
      /`int:tolower`, declared in line 1/,
    );
    says('RewriteRule ^ /%{ENV:$0X}\n', '%{ENV:X}', /environment/);
    says('RewriteCond %{HTTP_HOST} ^(.*)$\nRewriteRule ^ /%$01\n', '%1', /last RewriteCond that held/);
    nothing('RewriteRule ^/a$0 /b\n');
    nothing('RewriteRule ^ /x [Nope$0]\n');
  });

  describe('expressions', () => {
    says('<If "%{REQUEST_URI} =~ m#(.*)# && $$01 == \'x\'">\n</If>\n', '$1', /group 1/);
    says('<If "%{REQUEST$0_URI} == \'x\'">\n</If>\n', 'REQUEST_URI', /variable/, /path/i);
    says('<If "%{ssl_ciph$0er} == \'x\'">\n</If>\n', 'ssl_cipher', /variable of `mod_ssl`/);
    says('<If "%{HTTP_HOST} =$0~ /x/">\n</If>\n', '=~', /operator/);
    says('<If "%{REMOTE_ADDR} -ipm$0atch \'10.0.0.0/8\'">\n</If>\n', '-ipmatch', /operator/, /address/i);
    says('<If "-$0f \'/x\'">\n</If>\n', '-f', /operator/, /file/);
    says('Require expr "tolo$0wer(%{HTTP_HOST}) == \'x\'"\n', 'tolower', /function/, /lower/);
    says('Header set X "expr=%{re$0q:Host}"\n', 'req', /function/, /header/i);
    says('<Location /x>\nRedirect "https://%{HTTP$0_HOST}/"\n</Location>\n', 'HTTP_HOST', /variable/);
    says('RewriteCond expr "%{HTTP$0S} == \'on\'"\n', 'HTTPS', /variable/);
    nothing('<If "%{NO$0PE} == \'x\'">\n</If>\n');
    nothing('<If "%{REQUEST_URI} == \'te$0xt\'">\n</If>\n');
  });

  describe('log formats', () => {
    says('LogFormat "%h %{Ref$0erer}i %>s" x\n', '%{Referer}i', /part of a log format/, /header/i);
    says('LogFormat "%h %$0>s" x\n', '%>s', /status/i, /final request/);
    says(
      'CustomLog logs/x "%!200,304{User-Agent}$0i"\n',
      '%!200,304{User-Agent}i',
      /Only where the status is none of 200,304/,
    );
    says('ErrorLogFormat "[%t] %$0M"\n', '%M', /message/i);
    says('LogFormat "\\"%$0r\\" %b" x\n', '%r', /request/i);
    says('LogFormat "%{%d/%b/%Y}$0t" x\n', '%{%d/%b/%Y}t', /contain a format/);
    says('LogFormat "%{m$0s}T %{c}a" x\n', '%{ms}T', /milliseconds/);
    says('LogFormat "%{SSL_PRO$0TOCOL}x" x\n', '%{SSL_PROTOCOL}x', /`mod_ssl`/);
    says('RequestHeader set X "a %{SSL_CIP$0HER}s"\n', '%{SSL_CIPHER}s', /mod_ssl/, /cipher suite/);
    says('Header set X "%$0D %t"\n', '%D', /microseconds/);
    nothing('Header set X "100%$0"\n');
    nothing('LogFormat "%h pl$0ain" x\n');
  });

  describe('variables', () => {
    says(
      'Define ROOT /srv/www\nDocumentRoot "${RO$0OT}/htdocs"\n',
      '${ROOT}',
      /\*\*`\$\{ROOT\}`\*\* — variable/,
      /Stands for `\/srv\/www`\./,
      /Defined in line 1\./,
    );
    says(
      'Define A 1\nDefine A 2\nListen $0${A}\nDefine A 3\n',
      '${A}',
      /Stands for `2`/,
      /lines? 1, line 2, line 4; the last one before a line counts/,
    );
    says('Define Root /srv\nDocumentRoot ${RO$0OT}\n', '${ROOT}', /`\/srv`/);
    says('Listen ${NO$0PE}\n', '${NOPE}', /Not defined in this file/);
    says('<IfModule x>\nDefine EMPTY\n</IfModule>\nServerAdmin ${EMPTY$0}\n', '${EMPTY}', /Defined, without a value/);
    nothing('# Listen ${NO$0PE}\n');

    it('asks what the rest of the configuration defines', () => {
      const fileContext = {
        containers: null,
        modules: null,
        overrides: null,
        macros: null,
        activityOf: () => undefined,
        variable: (name: string) => (name === 'ROOT' ? '/srv' : null),
      };
      const knowledge: HoverKnowledge = {
        fileContext,
        placesDefiningVariable: (name) => (name === 'ROOT' ? ['conf.d/a.conf, line 3'] : []),
      };
      assert.match(
        ask('DocumentRoot ${RO$0OT}\n', knowledge)!.text,
        /Stands for `\/srv`\. Defined in conf\.d\/a\.conf, line 3\./,
      );
      assert.match(ask('DocumentRoot ${NO$0PE}\n', knowledge)!.text, /Not defined: left as it is/);
    });

    it('finds definitions by way of the engine', () => {
      const engine = new Engine({ rules: ALL_RULES });
      const source = `${'# filler\n'.repeat(30_000)}Define FAR away\n${'Options None\n'.repeat(10)}Listen \${F$0AR}\n`;
      const { tree, at } = marked(source);
      engine.analyze(tree, { isHtaccess: false });
      assert.match(
        (hover(tree, at[0], DEFAULT_TARGET, { engine })!.contents as MarkupContent).value,
        /Stands for `away`/,
      );
    });

    it('shows any value as it is', () => {
      assert.match(ask('Define T "a`b *c* <d>"\nListen ${$0T}\n')!.text, /Stands for `` a`b \*c\* <d> ``\./);
    });
  });

  describe('names that other lines define', () => {
    says(
      'SetEnvIf User-Agent Bot bot\nCustomLog a b env=b$0ot\n',
      'env=bot',
      /Logs only requests with this variable/,
      /Defined in line 1/,
    );
    says("SetEnv who me\n<If \"reqenv('wh$0o') == 'a'\">\n</If>\n", 'who', /`me`, defined in line 1/);
    says(
      '<Proxy balancer://farm>\n</Proxy>\nProxyPass / balancer://fa$0rm/\n',
      'balancer://farm',
      /\*\* — balancer/,
      /Defined in line 1/,
    );
    says(
      '<AuthzProviderAlias ip office 10.0.0.1>\n</AuthzProviderAlias>\nRequire off$0ice\n',
      'office',
      /authorization provider/,
      /`ip`, defined in line 1/,
    );
    it('in many lines: the first five, and how many more, as far as they are counted', () => {
      const lines = (count: number) =>
        `${[...Array(count).keys()].map((n) => `SetEnvIf User-Agent robot${n} bad\n`).join('')}Deny from env=b$0ad\n`;
      assert.match(ask(lines(20))!.text, /efined in line 1, line 2, line 3, line 4, line 5 and 15 more\./);
      const before = definitionCounts.lines;
      assert.match(ask(lines(5_000))!.text, /line 5 and at least 995 more\./);
      assert.ok(definitionCounts.lines - before <= 1_010, `${definitionCounts.lines - before} lines`);
    });
    it('in other files', () => {
      const named: HoverKnowledge['definitionsInOtherFiles'] = (kind, name) =>
        kind === 'log-format' && name === 'short' ? [{ placeText: 'conf/httpd.conf, line 7', value: '%h' }] : [];
      assert.match(
        ask('CustomLog logs/x sho$0rt\n', { definitionsInOtherFiles: named })!.text,
        /`%h`, defined in conf\/httpd\.conf, line 7\./,
      );
      assert.match(
        ask('LogFormat "%u" short\nCustomLog logs/x sho$0rt\n', { definitionsInOtherFiles: named })!.text,
        /Defined in line 1 \(`%u`\), conf\/httpd\.conf, line 7 \(`%h`\)\./,
      );
      assert.match(
        ask('RewriteRule a ${m$0ap:b}\n', {
          definitionsInOtherFiles: () => [{ placeText: 'a.conf, line 1', value: 'txt:/x' }],
        })!.text,
        /`txt:\/x`, declared in a\.conf, line 1\./,
      );
    });
    says('LogFormat "%h %u" short\nCustomLog logs/x sho$0rt\n', 'short', /`%h %u`, defined in line 1/);
    says('<Macro VHost $name $port>\n</Macro>\nUse VHo$0st a 80\n', 'VHost', /`\$name \$port`, defined in line 1/);
  });

  describe('included files', () => {
    it('lists them, and how many more', () => {
      const files = (count: number) => Array.from({ length: count }, (_, index) => `conf.d/${index}.conf`);
      const answer = (count: number | null) =>
        ask('Include con$0f.d/*.conf\n', { filesOfInclude: () => (count === null ? null : files(count)) });
      assert.equal(answer(1)!.text, 'Brings in\n\n- `conf.d/0.conf`');
      assert.equal(answer(1)!.range, 'conf.d/*.conf');
      assert.match(
        answer(20)!.text,
        /^Brings in 20 files, in this order:\n\n(- `conf\.d\/\d+\.conf`\n){15}- and 5 more$/,
      );
      assert.equal(answer(0)!.text, 'Brings in no file.');
      assert.equal(answer(null), null);
      assert.equal(ask('Include con$0f.d/*.conf\n'), null);
    });
  });
});
