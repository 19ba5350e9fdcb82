/**
 * References and rename: which places belong to a name, and what is refused. `$0` is the cursor;
 * expectations are whole texts, or the sentence of a refusal.
 */
import assert from 'node:assert/strict';
import { highlightsAt } from '../../server/src/features/highlight';
import { applied, fileSet, type FileSet } from '../support/names';
import { marked, textOf } from './support';

const ROOT = '/etc/httpd/conf/httpd.conf';
const SITE = '/etc/httpd/conf.d/a.conf';

/** Each a file or several, the root first; the texts after the rename, or what refuses it. */
function check(
  files: string | Readonly<Record<string, string>>,
  newName: string,
  expected: string | RegExp | Readonly<Record<string, string>>,
  options: Partial<FileSet> = {},
): void {
  const all = typeof files === 'string' ? { [ROOT]: files } : files;
  const answer = applied({ ...fileSet(all), ...options }, newName);
  if (expected instanceof RegExp)
    return assert.match(typeof answer === 'string' ? answer : JSON.stringify(answer), expected);
  assert.deepEqual(answer, typeof expected === 'string' ? { [ROOT]: expected } : expected);
}

describe('rename', () => {
  describe('changes every place of', () => {
    it('a variable, in whatever case ${} has it', () => {
      check(
        'Define Site$0 a\n<IfDefine Site>\nListen ${site}\nDocumentRoot "/srv/${SITE}/x${Site}"\n</IfDefine>\nUnDefine Site\n# ${Site}\n',
        'Shop',
        'Define Shop a\n<IfDefine Shop>\nListen ${Shop}\nDocumentRoot "/srv/${Shop}/x${Shop}"\n</IfDefine>\nUnDefine Shop\n# ${Site}\n',
      );
    });
    it('a variable from a place in a path', () =>
      check('Define A 1\nInclude "conf/${A$0}/*.conf"\n', 'B', 'Define B 1\nInclude "conf/${B}/*.conf"\n'));
    it('a macro without regard to case, and quotes stay', () => {
      check(
        '<Macro "Ho$0st" $n>\nServerName $n\n</Macro>\nUse host a\nuse \'HOST\' b\nUndefMacro Host\n',
        'VHost',
        '<Macro "VHost" $n>\nServerName $n\n</Macro>\nUse VHost a\nuse \'VHost\' b\nUndefMacro VHost\n',
      );
    });
    it('a log format', () =>
      check(
        'LogFormat "%h" Sho$0rt\nCustomLog logs/a short\nCustomLog logs/b "%h Short"\n',
        'brief',
        'LogFormat "%h" brief\nCustomLog logs/a brief\nCustomLog logs/b "%h Short"\n',
      ));
    it('a log format that is the format of TransferLog', () =>
      check(
        'LogFormat "%h" sho$0rt\nLogFormat SHORT\nLogFormat "short %h"\nTransferLog logs/a\n',
        'brief',
        'LogFormat "%h" brief\nLogFormat brief\nLogFormat "short %h"\nTransferLog logs/a\n',
      ));
    it('a name whose kind an argument shows', () => {
      const macro = '<Macro M $b>\nProxyPass /a $b\n</Macro>\n';
      check(
        `<Proxy balancer://fa$0rm>\n</Proxy>\n${macro}Use M balancer://farm/\n`,
        'barn',
        `<Proxy balancer://barn>\n</Proxy>\n${macro}Use M balancer://barn/\n`,
      );
      check(
        `Define RO$0OT /srv\n${macro}Use M \${ROOT}/x\nUse M /ROOT/x\n`,
        'BASE',
        `Define BASE /srv\n${macro}Use M \${BASE}/x\nUse M /ROOT/x\n`,
      );
    });
    it('a balancer, with its address around it', () => {
      check(
        '<Proxy "balancer://farm/">\nBalancerMember http://10.0.0.1\n</Proxy>\nProxyPass /a balancer://Farm/x\nProxyPass /b balancer://farm2/\nRewriteRule ^/c balancer://fa$0rm/c [P]\n',
        'balancer://barn',
        '<Proxy "balancer://barn/">\nBalancerMember http://10.0.0.1\n</Proxy>\nProxyPass /a balancer://barn/x\nProxyPass /b balancer://farm2/\nRewriteRule ^/c balancer://barn/c [P]\n',
      );
    });
    it('a rewrite map by its exact case', () => {
      check(
        'RewriteMap up int:toupper\nRewriteMap Up int:tolower\nRewriteRule ^/(.*) /${u$0p:$1}/${Up:$1}/${up:${Up:$2}|x}\n',
        'upper',
        'RewriteMap upper int:toupper\nRewriteMap Up int:tolower\nRewriteRule ^/(.*) /${upper:$1}/${Up:$1}/${upper:${Up:$2}|x}\n',
      );
    });
    it('a variable of the environment', () => {
      check(
        'SetEnvIf User-Agent Bot is_bot$0=1\nBrowserMatch X !is_bot\nRewriteRule ^ - [L,E=IS_BOT:1]\nRewriteRule ^ - [E=!is_bot]\nRewriteCond %{ENV:REDIRECT_is_bot} 1\nLogFormat "%{is_bot}e %!200{is_bot}e %{is_bot}i" x\nCustomLog logs/a x env=!is_bot\nRequire env is_bot other\n<If "reqenv(\'is_bot\') == \'is_bot\'">\n</If>\nSetEnvIf is_bot 1 y\n',
        'robot',
        'SetEnvIf User-Agent Bot robot=1\nBrowserMatch X !robot\nRewriteRule ^ - [L,E=robot:1]\nRewriteRule ^ - [E=!robot]\nRewriteCond %{ENV:REDIRECT_robot} 1\nLogFormat "%{robot}e %!200{robot}e %{is_bot}i" x\nCustomLog logs/a x env=!robot\nRequire env robot other\n<If "reqenv(\'robot\') == \'is_bot\'">\n</If>\nSetEnvIf robot 1 y\n',
      );
    });
    it('a filter', () =>
      check(
        'ExtFilterDefine sq$0ueeze mode=output cmd=/bin/cat\nSetOutputFilter INCLUDES;squeeze\nFilterChain +squeeze\n',
        'slim',
        'ExtFilterDefine slim mode=output cmd=/bin/cat\nSetOutputFilter INCLUDES;slim\nFilterChain +slim\n',
      ));
    it('providers', () => {
      check(
        '<AuthnProviderAlias file staff>\n</AuthnProviderAlias>\nAuthBasicProvider file st$0aff\nRequire user staff\n',
        'people',
        '<AuthnProviderAlias file people>\n</AuthnProviderAlias>\nAuthBasicProvider file people\nRequire user staff\n',
      );
      check(
        '<AuthzProviderAlias ip office 10.0.0.1>\n</AuthzProviderAlias>\nRequire not off$0ice\nRequire Office\n',
        'home',
        '<AuthzProviderAlias ip home 10.0.0.1>\n</AuthzProviderAlias>\nRequire not home\nRequire Office\n',
      );
    });
    it('a handler that has an action', () =>
      check(
        'Action pa$0ge /cgi-bin/page\nAddHandler page .page\nRewriteRule x - [H=page]\n',
        'sheet',
        'Action sheet /cgi-bin/page\nAddHandler sheet .page\nRewriteRule x - [H=sheet]\n',
      ));
    it('a host name, with its port and in patterns that are names', () => {
      check(
        '<VirtualHost *:80>\nServerName https://w$0ww.example.org:443\nServerAlias example.org WWW.example.org\nRedirect / https://www.example.org/x\nRewriteCond %{HTTP_HOST} !^www\\.example\\.org$ [NC]\n</VirtualHost>\n',
        'shop.example.org',
        '<VirtualHost *:80>\nServerName https://shop.example.org:443\nServerAlias example.org shop.example.org\nRedirect / https://shop.example.org/x\nRewriteCond %{HTTP_HOST} !^shop\\.example\\.org$ [NC]\n</VirtualHost>\n',
      );
    });
    it('a parameter of a macro, whose sign may be left out', () => {
      check(
        '<Macro M $a $ab>\n# $a\nServerName $a.$ab.x$a\n</Macro>\nUse M $a b\n<Macro N $a>\nServerName $a$0\n</Macro>\n',
        'host',
        '<Macro M $a $ab>\n# $a\nServerName $a.$ab.x$a\n</Macro>\nUse M $a b\n<Macro N $host>\nServerName $host\n</Macro>\n',
      );
      check(
        '<Macro M $a$0 $ab>\n# $a\nServerName $a.$ab.x$a\n</Macro>\n',
        '$host',
        '<Macro M $host $ab>\n# $a\nServerName $host.$ab.x$host\n</Macro>\n',
      );
    });
    it('a name in several files and in a .htaccess', () => {
      check(
        {
          [ROOT]:
            'ServerRoot /etc/httpd\nInclude conf.d/*.conf\nSetEnvIf X y seen\n<Directory /srv>\nAllowOverride All\n</Directory>\nDocumentRoot /srv\n',
          [SITE]: 'CustomLog logs/a "%{se$0en}e"\n',
          '/srv/.htaccess': 'Require env seen\n',
          '/srv/other.conf': 'Require env seen\n',
        },
        'known',
        {
          [ROOT]:
            'ServerRoot /etc/httpd\nInclude conf.d/*.conf\nSetEnvIf X y known\n<Directory /srv>\nAllowOverride All\n</Directory>\nDocumentRoot /srv\n',
          [SITE]: 'CustomLog logs/a "%{known}e"\n',
          '/srv/.htaccess': 'Require env known\n',
        },
        { admitted: ['/srv/.htaccess'] },
      );
    });
    it('a name in a file that two configurations read, in both', () => {
      const other = '/etc/other/httpd.conf';
      check(
        {
          [ROOT]: 'ServerRoot /etc/httpd\nInclude /etc/shared.conf\nLogFormat a sho$0rt\n',
          [other]: 'ServerRoot /etc/other\nInclude /etc/shared.conf\nLogFormat b short\n',
          '/etc/shared.conf': 'CustomLog logs/a short\n',
        },
        'brief',
        {
          [ROOT]: 'ServerRoot /etc/httpd\nInclude /etc/shared.conf\nLogFormat a brief\n',
          [other]: 'ServerRoot /etc/other\nInclude /etc/shared.conf\nLogFormat b brief\n',
          '/etc/shared.conf': 'CustomLog logs/a brief\n',
        },
        { roots: [ROOT, other] },
      );
      check(
        {
          [ROOT]: 'ServerRoot /etc/httpd\nInclude /etc/shared.conf\nLogFormat a sho$0rt\n',
          [other]: 'ServerRoot /etc/other\nInclude /etc/shared.conf\nLogFormat b short\n',
          '/etc/shared.conf': 'KeepAlive On\n',
        },
        'brief',
        { [ROOT]: 'ServerRoot /etc/httpd\nInclude /etc/shared.conf\nLogFormat a brief\n' },
        { roots: [ROOT, other] },
      );
    });
    it('a name in a file that no configuration reads, there', () =>
      check(
        {
          [ROOT]: 'ServerRoot /etc/httpd\nLogFormat a short\n',
          '/srv/b.conf': 'LogFormat b short\nCustomLog c sho$0rt\n',
        },
        'brief',
        { '/srv/b.conf': 'LogFormat b brief\nCustomLog c brief\n' },
      ));
    it('a name in lines that end in CR LF, in continued lines, and of letters of other alphabets', () => {
      check(
        'Define Größe$0 1\r\nServerAdmin \\\r\n  "a@${Größe}" \\\r\n  x\r\n',
        'Maß',
        'Define Maß 1\r\nServerAdmin \\\r\n  "a@${Maß}" \\\r\n  x\r\n',
      );
    });
  });

  describe('refuses', () => {
    const refuses = (
      title: string,
      files: string | Readonly<Record<string, string>>,
      newName: string,
      why: RegExp,
      options: Partial<FileSet> = {},
    ) => it(title, () => check(files, newName, why, options));
    refuses(
      'a variable of the system',
      'ErrorLog ${APACHE_LOG$0_DIR}/error.log\n',
      'LOGS',
      /No line of the configuration defines it/,
    );
    refuses(
      'a variable of the system in the environment',
      'PassEnv TOKEN\nHeader set X "%{TOK$0EN}e"\n',
      'T',
      /comes from the environment of the system: .*line 1/,
    );
    refuses(
      'a variable that only a program behind the server reads',
      'SetEnv APP$0_ENV live\n',
      'STAGE',
      /a program behind the server/,
    );
    refuses(
      'a variable of httpd itself',
      'SetEnvIf User-Agent x no-gz$0ip\nCustomLog a b env=no-gzip\n',
      'x',
      /know `no-gzip`/,
    );
    refuses('a name of -D', 'Define A 1\n<IfDefine A$0>\n</IfDefine>\n', 'B', /`-D`/, {
      defines: new Map([['A', '']]),
    });
    refuses(
      'a default for -D',
      '<IfDefine !A>\nDefine A 1\n</IfDefine>\nListen ${A$0}\n',
      'B',
      /may be set where the server is started/,
    );
    refuses('a condition on -D', '<IfDefine SS$0L>\n</IfDefine>\n', 'TLS', /No line of the configuration defines it/);
    refuses('a predefined format', 'CustomLog logs/a cl$0f\n', 'x', /No line of the configuration defines it/);
    refuses('to take the name of one', 'LogFormat a sho$0rt\nCustomLog b short\n', 'CLF', /of httpd's own/);
    refuses("a module's filter", 'SetOutputFilter DEF$0LATE\n', 'x', /No line/);
    refuses("a module's handler", 'SetHandler server-st$0atus\n', 'x', /No line/);
    refuses('a module', 'LoadModule re$0write_module modules/mod_rewrite.so\n', 'x', /The module itself/);
    refuses('a media type', 'AddType text/x$0-a .a\n', 'x', /Browsers/);
    refuses(
      'the address of a backend',
      '<Proxy balancer://a>\nBalancerMember http://10.0$0.0.1:80\n</Proxy>\n',
      'x',
      /address of a backend/,
    );
    refuses(
      'a name that is taken',
      'LogFormat a sho$0rt\nLogFormat b Brief\n',
      'brief',
      /`brief` is a log format already: .*httpd.conf, line 2/,
    );
    refuses(
      'a name that is taken in another file',
      { [ROOT]: 'Define A$0 1\nInclude /etc/x.conf\n', '/etc/x.conf': 'Listen ${B}\n' },
      'B',
      /already: \/etc\/x\.conf, line 1/,
    );
    refuses('what is no name', 'Define A$0 1\n', 'a b', /is not a name/);
    refuses('what is no name of a host', 'ServerName a$0.b\n', 'a/b', /is not a name/);
    refuses(
      'two variables that only ${} takes for one',
      'Define Fo$0o 1\nDefine FOO 2\nListen ${foo}\n',
      'Bar',
      /spelled in different ways/,
    );
    refuses(
      'a name that is put together in a macro',
      '<Macro M $a>\nListen ${$a_port}\n</Macro>\nDefine off_po$0rt 80\nUse M off\n',
      'x',
      /put together/,
    );
    refuses(
      'a name that a Use hands on',
      'LogFormat a sho$0rt\n<Macro M $fmt>\nCustomLog logs/a $fmt\n</Macro>\nUse M short\n',
      'brief',
      /handed on to a line that takes a log format .*: .*line 5/,
    );
    refuses(
      'a name in a line whose directive is a parameter',
      'LogFormat a sho$0rt\n<Macro M $cmd>\n$cmd logs/a short\n</Macro>\nUse M CustomLog\n',
      'brief',
      /directive is put in later: .*line 3/,
    );
    refuses(
      'a name in a line whose directive is a variable',
      'LogFormat a sho$0rt\nDefine CMD CustomLog\n${CMD} logs/a short\n',
      'brief',
      /directive is put in later/,
    );
    refuses(
      'a name that has a parameter without a sign in it',
      'LogFormat a sho$0rt\n<Macro M ort>\nCustomLog logs/a short\n</Macro>\nUse M ort\n',
      'brief',
      /parameter `ort`.*line 2/,
    );
    refuses(
      'a new name that has a parameter without a sign in it',
      'LogFormat a sho$0rt\n<Macro M rie>\nCustomLog logs/a short\n</Macro>\nUse M x\n',
      'brief',
      /parameter `rie`/,
    );
    refuses(
      'a map that a Use hands on',
      'RewriteMap lo$0w int:tolower\n<Macro M $map>\nRewriteRule ^/(.*)$ /${$map:$1}\n</Macro>\nUse M low\n',
      'lower',
      /`low` is handed on/,
    );
    refuses(
      'a map in an argument',
      'RewriteMap lo$0w int:tolower\n<Macro M $to>\nRewriteRule ^/(.*)$ /$to\n</Macro>\nUse M ${low:$1}\n',
      'lower',
      /stands in an argument/,
    );
    refuses(
      'a balancer in a part of an address',
      '<Proxy balancer://fa$0rm>\n</Proxy>\n<Macro M $b>\nProxyPass /a balancer:$b\n</Macro>\nUse M //farm/\n',
      'other',
      /stands in an argument/,
    );
    refuses(
      'a variable of the environment in an argument',
      'SetEnvIf Host a se$0en\nHeader set A b env=seen\n<Macro M $b>\nHeader set A b $b\n</Macro>\nUse M env=seen\n',
      'other',
      /stands in an argument/,
    );
    refuses(
      'a variable that is handed on with a sign',
      'Define RO$0OT /srv\n<Macro M $b>\n<IfDefine $b>\n</IfDefine>\n</Macro>\nUse M !ROOT\n',
      'BASE',
      /stands in an argument/,
    );
    refuses(
      'a filter in a list that is handed on',
      'ExtFilterDefine fi$0x cmd=x\n<Macro M $b>\nSetOutputFilter $b\n</Macro>\nUse M fix;DEFLATE\n',
      'other',
      /stands in an argument/,
    );
    refuses(
      'a provider that is handed on',
      '<AuthnProviderAlias file sta$0ff>\n</AuthnProviderAlias>\n<Macro M $b>\nAuthBasicProvider ldap $b\n</Macro>\nUse M staff\n',
      'other',
      /handed on to a line that takes an authentication provider/,
    );
    refuses(
      'a host name that is handed on',
      '<Macro M $b>\nRedirect / http://$b/\n</Macro>\nUse M b.org\nServerName b$0.org\n',
      'c.org',
      /`b.org` is handed on/,
    );
    refuses(
      'a name that is handed on through two macros',
      'LogFormat a sho$0rt\n<Macro I $f>\nCustomLog logs/a $f\n</Macro>\n<Macro O $g>\nUse I $g\n</Macro>\nUse O short\n',
      'brief',
      /handed on .*: .*line 8/,
    );
    refuses(
      'a name that two macros put together',
      'LogFormat a sho$0rt\n<Macro I $f>\nCustomLog logs/a $f\n</Macro>\n<Macro O $g>\nUse I sh$g\n</Macro>\nUse O ort\n',
      'brief',
      /argument that is put into other lines is put together/,
    );
    refuses(
      'a name that a variable hands on',
      'LogFormat a sho$0rt\nDefine FMT Short\nCustomLog logs/a ${FMT}\n',
      'brief',
      /handed on/,
    );
    refuses(
      'a name that a variable from outside may hand on',
      'LogFormat a sho$0rt\nCustomLog logs/a ${FMT}\n',
      'brief',
      /variable that comes from outside/,
    );
    refuses(
      'a name within an argument of several words',
      'LogFormat a sho$0rt\n<Macro M $line>\n$line\n</Macro>\nUse M "CustomLog logs/a short"\n',
      'brief',
      /put into other lines/,
    );
    refuses(
      'a name in lines of another language',
      'LogFormat a sho$0rt\n<Perl>\npush @CustomLog, "logs/a short";\n</Perl>\n',
      'brief',
      /another language/,
    );
    refuses('template text', 'LogFormat a sho$0rt\nCustomLog {{ logs }}/a short\n', 'brief', /template text/);
    refuses(
      'a continued line through the name',
      'LogFormat a sho$0rt\nCustomLog logs/a sh\\\nort\n',
      'brief',
      /continued line/,
    );
    refuses(
      'a pattern that matches the old name',
      'ServerName w$0ww.example.org\nRewriteCond %{HTTP_HOST} ^www\\.\n',
      'shop.example.org',
      /pattern may match/,
    );
    refuses(
      'a wildcard alias that matches the new name only',
      '<VirtualHost *>\nServerName a$0.org\n</VirtualHost>\n<VirtualHost *>\nServerAlias *.b.org\n</VirtualHost>\n',
      'a.b.org',
      /put together and may come to/,
    );
    refuses(
      'a file that cannot be changed',
      { [ROOT]: 'LogFormat a sho$0rt\nInclude /etc/x.conf\n', '/etc/x.conf': 'CustomLog a short\n' },
      'brief',
      /\/etc\/x.conf also has the name, and it lies outside/,
      { obstacles: { '/etc/x.conf': 'it lies outside of this workspace' } },
    );
    refuses('a parameter with another sign', '<Macro M $a$0>\nServerName $a\n</Macro>\n', '@a', /another sign/);
    refuses(
      'a parameter that would be found elsewhere',
      '<Macro M $a$0 $b>\nServerName $a.$bx\n</Macro>\n',
      '$bx',
      /found elsewhere/,
    );
    refuses("a parameter of another's name", '<Macro M $a$0 $b>\nServerName $a.$b\n</Macro>\n', 'b', /has a parameter/);
    refuses('what is no name', 'ServerAdmin ro$0ot\n', 'x', /no name here/);
    refuses(
      'a name that begins like a variable and is none: ${${X}}',
      'Define X 1\nListen ${${X$0}}\n',
      'Y',
      /no name here/,
    );
  });

  describe('of names that are odd', () => {
    const odd = (
      title: string,
      files: string | Readonly<Record<string, string>>,
      newName: string,
      expected: string | RegExp,
      options: Partial<FileSet> = {},
    ) => it(title, () => check(files, newName, expected, options));
    odd(
      'characters of regular expressions',
      '<Macro "a.b*(c)|[d]$0">\nKeepAlive On\n</Macro>\nUse "A.B*(C)|[D]"\nUse axb\n',
      'plain',
      '<Macro "plain">\nKeepAlive On\n</Macro>\nUse "plain"\nUse axb\n',
    );
    odd(
      "$1 in a rule is nobody's parameter",
      'RewriteRule ^/(.*) - [E=se$0en:$1]\nRewriteRule ^/$1 /%{ENV:seen}/$1\n',
      'known',
      'RewriteRule ^/(.*) - [E=known:$1]\nRewriteRule ^/$1 /%{ENV:known}/$1\n',
    );
    odd(
      'a name that a back reference makes',
      'RewriteRule ^/(.*) - [E=$1:1]\nSetEnvIf X y se$0en\nHeader set X y env=seen\n',
      'known',
      /put together/,
    );
    odd(
      'a macro in a macro, and a parameter of the outer one in it',
      '<Macro Out $a>\n<Macro In $b>\nServerName $b.$a$0\n</Macro>\nUse In $a\n</Macro>\n',
      'x',
      '<Macro Out $x>\n<Macro In $b>\nServerName $b.$x\n</Macro>\nUse In $x\n</Macro>\n',
    );
    odd(
      'a parameter that a macro within has, too',
      '<Macro Out $a>\n<Macro In $a>\nServerName $a$0\n</Macro>\n</Macro>\n',
      'x',
      '<Macro Out $x>\n<Macro In $x>\nServerName $x\n</Macro>\n</Macro>\n',
    );
    odd(
      'a parameter whose new name a macro around has in it',
      '<Macro Out $a>\n<Macro In $b>\nServerName $b$0\n</Macro>\n</Macro>\n',
      'ab',
      /macro around has a parameter `\$a`/,
    );
    odd(
      'a mark that a continued line cuts',
      'Define Si$0te a\nListen $\\\n{Site}\n',
      'Shop',
      'Define Shop a\nListen $\\\n{Shop}\n',
    );
    odd(
      'an escape in a quoted name',
      'LogFormat x "sh\\"ort"\nLogFormat a sho$0rt\nCustomLog l "short"\n',
      'brief',
      'LogFormat x "sh\\"ort"\nLogFormat a brief\nCustomLog l "brief"\n',
    );
    odd(
      'a name without an end to its quote',
      'LogFormat a sho$0rt\nCustomLog l "short\n',
      'brief',
      'LogFormat a brief\nCustomLog l "brief\n',
    );
    odd(
      'several names in one line',
      'Define A$0 1\nDefine B 2\nServerAlias ${A}.x ${B}.${A} "${a}"\n',
      'C',
      'Define C 1\nDefine B 2\nServerAlias ${C}.x ${B}.${C} "${C}"\n',
    );
    odd(
      'the same letters in another case',
      'Define Na$0me 1\nListen ${NAME}\n',
      'NAME',
      'Define NAME 1\nListen ${NAME}\n',
    );
    odd(
      'a template around lines',
      '{% if x %}\nLogFormat a sho$0rt\n{% endif %}\nCustomLog l short\n',
      'brief',
      '{% if x %}\nLogFormat a brief\n{% endif %}\nCustomLog l brief\n',
    );
    odd(
      'a template that has the name',
      '{% set f = "short" %}\nLogFormat a sho$0rt\nCustomLog l {{ f }}\n',
      'brief',
      /template text/,
    );
    odd(
      'a variable whose name ends a line without an end',
      'Define A$0 1\nListen ${A}',
      'B',
      'Define B 1\nListen ${B}',
    );
  });

  it('leaves a wildcard alone that matches both names', () =>
    check(
      'ServerName a$0.example.org\nServerAlias *.example.org\n',
      'b.example.org',
      'ServerName b.example.org\nServerAlias *.example.org\n',
    ));
  it("of a parameter that another name has is nothing else's", () =>
    check(
      'LogFormat a sho$0rt\nCustomLog b short\n<Macro M $fmt>\nCustomLog logs/a $fmt\n</Macro>\nUse M other\n',
      'brief',
      'LogFormat a brief\nCustomLog b brief\n<Macro M $fmt>\nCustomLog logs/a $fmt\n</Macro>\nUse M other\n',
    ));
});

describe('marks', () => {
  const marks = (source: string) => {
    const {
      tree,
      at: [offset],
    } = marked(source);
    return (
      highlightsAt(tree, offset)?.map(
        ({ range, kind }) => `${range.start.line + 1}:${range.start.character} ${textOf(tree, range)} ${kind}`,
      ) ?? null
    );
  };
  it("are a name's places, and which of them set it", () =>
    assert.deepEqual(marks('Define A 1\nListen ${$0a}\nUnDefine A\n'), ['1:7 A 3', '2:9 a 2', '3:9 A 3']));
  it("are a parameter's", () =>
    assert.deepEqual(marks('<Macro M $a>\nListen $$0a\n</Macro>\n'), ['1:9 $a 3', '2:7 $a 2']));
  it('are the tags of a section', () => {
    assert.deepEqual(marks('<Direc$0tory />\n<Files a>\n</Files>\n</Directory>\n'), [
      '1:1 Directory 1',
      '4:2 Directory 1',
    ]);
    assert.deepEqual(marks('<Directory />\n<Files a>\n</Fi$0les>\n</Directory>\n'), ['2:1 Files 1', '3:2 Files 1']);
  });
  it('are none elsewhere', () => assert.equal(marks('KeepAlive O$0n\n'), null));
});
