/**
 * Files of up to ten kilobytes that are made to be slow: nested, doubled and repeated shapes,
 * combined at random.
 */
import { Random } from '../support/random';
import { WORK } from './look';

const MOST = 10_000;

type Make = (random: Random, size: number) => string;

const times = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');
/** As many as have room. */
const filled = (size: number, make: (i: number) => string): string => {
  let text = '';
  for (let i = 0; text.length < size && i < 5000; i++) text += make(i);
  return text;
};
const nested = (depth: number, open: (i: number) => string, inside: string, close: (i: number) => string): string =>
  times(depth, open) + inside + times(depth, (i) => close(depth - 1 - i));

const PATTERNS: readonly string[] = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(.*a){25}',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(a*)*b',
  '(a?){30}a{30}',
  '^(?:a?){40}a{40}$',
  '((a{1,9}){1,9}){1,9}',
  '(x+x+)+y',
  '(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)$',
  '^(?=(a+)+)b',
  '(a+)\\\\1+$',
  '[[:alpha:]]*[[:alpha:]]*[[:alpha:]]*[[:alpha:]]*1',
  '(?i)(\\\\w+\\\\s?)+$',
  '(((((((((a*)*)*)*)*)*)*)*)*)*',
  '\\\\.(php|php3|php4|phtml)+(\\\\.|$)+',
];
const WILDCARDS: readonly string[] = [
  '*a*a*a*a*a*a*a*b',
  '[a-z]*[a-z]*[a-z]*[a-z]*1',
  '?*?*?*?*?*?*?*b',
  '[[[[[[[[',
  '*/*/*/*/*/*/*/*/*/*',
  '**/**/**/**',
];
const LONG_NAMES: readonly string[] = [
  'a'.repeat(40),
  'a'.repeat(250),
  `${'a'.repeat(100)}b`,
  'ab'.repeat(100),
  'x.'.repeat(60),
  'a/'.repeat(100),
];
const ACCESS = 'Order deny,allow\nDeny from all\nAllow from 192.0.2.7\n';

/** `tag`: its name and its arguments. */
const section = (tag: string, inside: string): string => `<${tag}>\n${inside}</${tag.split(' ')[0]}>\n`;

const SHAPES: Readonly<Record<string, Make>> = {
  patterns: (random, size) =>
    filled(size, (i) => {
      const tag = random.pick([
        'FilesMatch',
        'LocationMatch',
        'DirectoryMatch',
        'Files ~',
        'Location ~',
        'Directory ~',
      ]);
      const name = tag.split(' ')[0];
      return (
        `<${tag} "${random.pick(PATTERNS)}">\n${ACCESS}</${name}>\n` +
        `<${random.pick(['Files', 'Location', 'Directory'])} "${i % 2 ? '/' : ''}${random.pick(LONG_NAMES)}">\n${ACCESS}</${'X'}>\n`
      );
    }).replace(/<(Files|Location|Directory) ("[^\n]*>\n(?:[^<][^\n]*\n)*)<\/X>/g, '<$1 $2</$1>'),
  wildcards: (random, size) =>
    filled(
      size,
      (i) =>
        `<Directory "/${random.pick(WILDCARDS)}">\n${ACCESS}</Directory>\n<Directory "/${random.pick(LONG_NAMES)}${i}">\n${ACCESS}</Directory>\n` +
        `Include "/${random.pick(WILDCARDS)}"\n<Files "${random.pick(WILDCARDS)}">\n${ACCESS}</Files>\n<Files "${random.pick(LONG_NAMES)}">\n${ACCESS}</Files>\n`,
    ),
  rewriting: (random, size) =>
    `RewriteEngine On\n${filled(
      size,
      (i) =>
        `RewriteCond %{${random.pick(['HTTP_HOST', 'REQUEST_URI', 'ENV:x', 'LA-U:REMOTE_USER', `HTTP:${'%{'.repeat(20)}`])}} ${random.pick(PATTERNS)} [NC,OR]\n` +
        `RewriteRule ${random.pick(PATTERNS)} ${random.pick(['-', '/$1%1', '${m:${n:$1|${o:%1}}}', 'http://%{HTTP_HOST}/$0'])} [${random.pick(['L', 'E=a:b,E=!c,L', 'C', 'S=9999', 'S=-1', 'N', 'END,R=301,CO=a:b:c'])}]\n` +
        (i % 5 === 0 ? `ServerAlias ${random.pick(LONG_NAMES)}.example.org\nServerName h${i}.example.org\n` : ''),
    )}`,
  'doubled macros': (random, size) => {
    const uses = 1 + random.below(10);
    const depth = Math.min(20, Math.floor(size / (uses * 14 + 40)));
    return (
      '<Macro m0 $x>\nServerAdmin $x\n</Macro>\n' +
      times(
        depth,
        (i) =>
          `<Macro m${i + 1} $x>\n${`Use m${i} $x${random.pick(['$x', '', '"$x"', ' $x'])}\n`.repeat(uses)}</Macro>\n`,
      ) +
      `Use m${depth} a\n`
    );
  },
  'macros in macros': (random, size) =>
    nested(
      Math.min(150, Math.floor(size / 40)),
      (i) => `<Macro n${i} $a $b>\n`,
      'Use n0 a b\nUse n1 a b\n',
      () => '</Macro>\n',
    ) + `Use n0 ${random.pick(LONG_NAMES)} b\nUse n0 a b\n`,
  'macros that go round': (random, size) =>
    filled(
      size,
      (i) =>
        `<Macro r${i} $a>\nUse r${random.below(i + 3)} $a$a\nUse r${i + 1} $a\nUse r${random.below(30)} $a\n</Macro>\nUse r${i} x\n`,
    ),
  'doubled variables': (random, size) =>
    `Define v0 ${'a'.repeat(1 + random.below(50))}\n${filled(size, (i) =>
      random.pick([
        `Define v${i + 1} \${v${i}}\${v${i}}\n`,
        `Define v${i + 1} "\${v${i}} \${v${random.below(i + 1)}}"\n`,
        `Include \${v${i}}\n`,
        `<Directory \${v${i}}>\n${ACCESS}</Directory>\n`,
        `ServerAlias \${v${i}}\n`,
        `<IfDefine \${v${i}}>\nListen \${v${i}}\n</IfDefine>\n`,
      ]),
    )}`,
  'variables in variables': (random, size) =>
    `ServerName ${nested(
      Math.floor(size / 3),
      () => '${',
      random.pick(['a', ':', '']),
      () => '}',
    )}\n`,
  sections: (random, size) => {
    const names = [
      'Directory /a',
      'Location /b',
      'Files c',
      'VirtualHost *:80',
      'IfModule a.c',
      'IfDefine A',
      'Limit GET',
      'LimitExcept GET',
      'RequireAll',
      'RequireAny',
      'If "true"',
      'Proxy *',
      'IfVersion >= 2.4',
    ];
    const chosen = Array.from({ length: Math.floor(size / 30) }, () => random.pick(names));
    return nested(
      chosen.length,
      (i) => `<${chosen[i]}>\n`,
      ACCESS,
      (i) => `</${random.below(20) === 0 ? 'Directory' : chosen[i]!.split(' ')[0]}>\n`,
    );
  },
  'sections beside each other': (random, size) =>
    filled(size, (i) => {
      const kind = random.pick(['Directory', 'Location', 'Files', 'Proxy']);
      return `<${kind} "${kind === 'Files' ? '' : '/'}${random.pick(['a', '*', 'a/b', `${i}`, 'a*', '[a-z]*'])}">\n${random.pick([ACCESS, 'Require all granted\n', 'Satisfy any\n', 'Allow from env=x\n', 'AllowOverride All\n'])}</${kind}>\n`;
    }),
  expressions: (random, size) => {
    const depth = Math.floor(size / 8);
    const inner = random.pick([
      '1 == 1',
      '%{X} =~ /(a+)+$/',
      "tolower('a') == 'a'",
      "-n '%{HTTP:x}'",
      "'a' in { 'b', 'c' }",
    ]);
    const text = random.pick([
      nested(
        depth,
        () => '(',
        inner,
        () => ')',
      ),
      `${'!'.repeat(depth)}(${inner})`,
      filled(size, () => `${inner} && `) + inner,
      nested(
        Math.floor(size / 12),
        () => 'tolower(',
        "'a'",
        () => ')',
      ),
      `${'%{'.repeat(depth)}a${'}'.repeat(depth)} == 'a'`,
      `"${'\\'.repeat(size / 2)}"`,
      `${'{'.repeat(depth)}`,
      filled(size, () => "'a'.").slice(0, -1),
    ]);
    return random.pick([
      `<If "${text.replaceAll('"', '\\"')}">\n</If>\n`,
      `Require expr ${text}\n`,
      `SetEnvIfExpr "${text.replaceAll('"', '\\"')}" a=b\n`,
      `RewriteCond expr "${text.replaceAll('"', '\\"')}"\nRewriteRule ^ -\n`,
    ]);
  },
  SSLRequire: (random, size) =>
    `<Location /a>\nSSLRequire ${random.pick([
      nested(
        Math.floor(size / 4),
        () => '( ',
        '%{SSL_X} eq "a"',
        () => ' )',
      ),
      filled(size, () => '%{SSL_CLIENT_S_DN} =~ m/(a+)+/ and ').slice(0, -4),
      `${'not '.repeat(size / 4)}true`,
      `${'{'.repeat(size)}`,
    ])}\n</Location>\n`,
  quoting: (random, size) =>
    filled(
      size,
      () => `ServerName ${random.pick(['"', "'", '\\"', '\\\\', '"\\"', "'\"'"]).repeat(1 + random.below(500))}\n`,
    ),
  continuations: (random, size) =>
    `${random.pick(['ServerName a ', '# a ', '<Directory ', 'Allow from ', '', 'RewriteRule ( '])}${random
      .pick(['\\\n', ' \\\n', 'a\\\n', '\\\r\n', '\\\\\n', '\t\\\n #'])
      .repeat(size / 4)}\nb\n`,
  conditions: (random, size) =>
    nested(
      Math.floor(size / 40),
      (i) => `<IfDefine ${random.pick(['', '!'])}A${i % 7}>\nDefine A${random.below(7)}\n`,
      'Include httpd.conf\n',
      () => '</IfDefine>\n',
    ),
  versions: (random, size) => {
    const tests = ['>= 2.2', '!< 2.4', '~ ^2\\.[24]', '= /^2\\.(2|4)+/', '!~ (.*a){25}', '~ ^(a+)+$', '== 2.4.6'];
    return nested(
      Math.floor(size / 80),
      (i) =>
        `<${i % 3 === 0 ? `IfModule !mod_${i % 7}.c` : `IfVersion ${random.pick(tests)}`}>\nAllow from 10.${i % 200}\n`,
      section('Directory /a', ACCESS),
      (i) => `</If${i % 3 === 0 ? 'Module' : 'Version'}>\n`,
    );
  },
  includes: (random, size) =>
    filled(
      size,
      () =>
        `Include ${random.pick(['httpd.conf', '/etc/httpd/httpd.conf', '*.conf', '/etc/httpd', '/etc/*/*.conf', '../../../../etc/httpd/httpd.conf', '/etc/httpd/h*[t]?d.conf', '${x}', '.'])}\n`,
    ),
  'log formats': (random, size) =>
    filled(
      size,
      (i) =>
        `LogFormat "${random
          .pick(['%{', '%{a}', '%!200,304', '%>', '%<%', '%%', '%^', '%{%Y}t ', '\\"%', '%h '])
          .repeat(1 + random.below(400))}" f${i}\nCustomLog "|/bin/${'a '.repeat(50)}" f${i} env=${'!'.repeat(20)}\n`,
    ),
  operands: (random, size) =>
    `<Directory /a>\nOrder deny,allow\n${filled(
      size,
      () =>
        `${random.pick(['Allow from', 'Deny from', 'Require ip', 'Require host', 'Require user', 'Options', 'AllowOverride', 'Satisfy'])} ${random
          .pick(['192.0.2.7 ', '10.0.0.0/255.0.255.0 ', '.a ', '::::: ', '1.', 'env=a ', 'a,', '+Indexes ', '${x}'])
          .repeat(1 + random.below(200))}\n`,
    )}</Directory>\n`,
  comments: (random, size) =>
    filled(
      size,
      () =>
        `${random.pick(['# httpd-upgrade-ignore', '#', '# httpd-upgrade-ignore order-allow-deny,', '# MaxClients ', '#\n#', '#<Directory>'])}${random.pick([' ', ',', ' a', ': ', '\u202e', '\u200b']).repeat(random.below(200))}\nMaxClients 1\n`,
    ),
  templates: (random, size) =>
    filled(
      size,
      () =>
        `${random.pick(['{% if ', '<% ', '{{', '@a', '${', '[% ', 'm4_', 'dnl ', '<?php ', '#if(', '%(a', '__A', '`', "'"]).repeat(1 + random.below(100))}\n`,
    ),
  hosts: (random, size) =>
    filled(
      size,
      (i) =>
        `<VirtualHost ${random
          .pick(['*:80 ', '_default_ ', '192.0.2.1:* ', '[::1]:80 ', ':'])
          .repeat(
            1 + random.below(20),
          )}>\nServerName ${random.pick(['a', `h${i}`, '*', '*.a'])}\nServerAlias ${random.pick(['*', 'a* ', '?a ']).repeat(1 + random.below(30))}\nDocumentRoot /srv/${random.pick(['', 'a', '../'.repeat(30)])}\n</VirtualHost>\nListen ${1 + random.below(3)}\n`,
    ),
  invisible: (random, size) =>
    filled(
      size,
      () =>
        `${random.pick(['ServerName ', '# ', '<Directory ', ''])}${random.pick(['\u202e', '\ufeff', '\u200b\u200c', '\u{e0041}', '\x1b[31m', '\0', '\u0085', '\ud800']).repeat(random.below(300))}\n`,
    ),
  modules: (random, size) =>
    filled(
      size,
      (i) =>
        `${random.pick(['LoadModule', 'LoadFile', 'ClearModuleList', 'AddModule'])} ${random.pick(['a_module', `m${i}_module`, 'authz_host_module', 'php5_module'])} ${random.pick(['modules/mod_a.so', `modules/${'../'.repeat(50)}`, '"'])}\n`,
    ),
  mappings: (random, size) =>
    filled(
      size,
      (i) =>
        `${random.pick(['Alias', 'AliasMatch', 'ScriptAliasMatch', 'RedirectMatch', 'ProxyPassMatch', 'ProxyPass', 'UserDir', 'VirtualDocumentRoot'])} ${random.pick(['/', `/a${i}`, ...PATTERNS])} /srv/${random.pick(['a', '$1', '%{X}', '%1/%2.3/%-1.4+'])}\n`,
    ),
  'sections of one name': (random, size) => {
    const kind = random.pick(['Directory', 'Location', 'Files', 'DirectoryMatch', 'LocationMatch', 'FilesMatch']);
    const tag = `${kind} ${kind.startsWith('Files') ? 'a' : '/a'}`;
    return filled(size, (i) =>
      section(
        tag,
        random.pick([
          `Allow from 10.${i % 200}.0.1\n`,
          'Order allow,deny\n',
          'Satisfy any\n',
          `Require user u${i}\n`,
          'Order deny,allow\nDeny from all\n',
        ]),
      ),
    );
  },
  'uses of one macro': (random, size) =>
    section('Macro m $a $b', section(random.pick(['Directory /$a', 'Location /$a']), `${ACCESS}Require user $b\n`)) +
    filled(size - 200, (i) => `Use m ${random.pick(['a', `d${i}`, `d/${i}`, '*'])} u${i}\n`),
  alternatives: (random, size) =>
    times(3, (i) => {
      const kind = random.pick(['FilesMatch', 'LocationMatch', 'DirectoryMatch']);
      const words = filled(size / 4, (at) => `${random.pick(['a', 'b?', 'c+', 'd*'])}${at}${i}|`);
      const [before, after] = [random.pick(['', '^', '\\.', '^/(x|y)/']), random.pick(['', '$', '+$', '*', '{1,99}'])];
      return section(`${kind} "${before}(${words}z)${after}"`, ACCESS);
    }),
  counters: (random, size) =>
    filled(size, () => {
      const pattern = random.pick([
        '(a{1000}){1000}',
        '\\d{1,65535}',
        '(a{0,200}b{0,200}){0,200}',
        '[a-z]{500}[0-9]{500}',
        '(((a{9}){9}){9}){9}',
        '(a|b{300}){300}',
      ]);
      return section(`FilesMatch "${pattern}"`, ACCESS) + section(`Files "${random.pick(LONG_NAMES)}"`, ACCESS);
    }),
  'lists of addresses': (random, size) =>
    section(
      'Directory /a',
      `Order ${random.pick(['deny,allow', 'allow,deny', 'mutual-failure'])}\n${filled(size - 100, (i) => {
        const address = random.pick([
          `10.${i % 256}.${random.below(256)}.${random.below(256)}`,
          `10.${i % 256}.0.0/${8 + random.below(24)}`,
          `2001:db8::${i}`,
          `${i % 256}.`,
          `h${i}.example.org`,
          `env=e${i}`,
        ]);
        return `${i % 60 === 0 ? `\n${random.pick(['Allow', 'Deny'])} from` : ''} ${address}`;
      })}\n`,
    ),
  'marks of requests': (random, size) =>
    filled(size - 200, (i) => {
      const name = random.pick(['SetEnvIf Request_URI', `SetEnvIfNoCase e${random.below(i + 1)}`, 'BrowserMatch']);
      return `${name} ${random.pick(PATTERNS)} e${i} !e${random.below(i + 1)}\n`;
    }) + section('Location /', 'Order deny,allow\nDeny from env=e1 env=e2\nAllow from env=e3\n'),
  'conditions of one rule': (random, size) =>
    `RewriteEngine On\n${filled(size - 100, (i) => {
      const name = random.pick(['REQUEST_FILENAME', 'ENV:a', 'REMOTE_ADDR', 'HTTP_HOST']);
      const test = random.pick(['!-f', '^10\\.', `=h${i}`, '>a', ...PATTERNS]);
      return `RewriteCond %{${name}} ${test}${random.pick(['', ' [OR]'])}\n`;
    })}RewriteRule ^(.*)$ /x/$1 [F,L]\n`,
  'aliases and folders': (random, size) => {
    const path = () => 'a/'.repeat(random.below(6));
    return filled(
      size,
      (i) =>
        `Alias /${path()}${i} /srv/${path()}${i % 9}\n` +
        random.pick(['', section(`Directory /srv/${path()}`, ACCESS), section(`Location /${path()}`, ACCESS)]),
    );
  },
  'hosts with sections': (random, size) =>
    filled(size, (i) =>
      section(
        'VirtualHost *:80',
        `ServerName h${i}\nDocumentRoot /srv/${random.pick([`${i}`, 'a'])}\n` +
          section(random.pick(['Directory /srv', 'Directory /', `Directory /srv/${i}`, 'Location /']), ACCESS),
      ),
    ),
  'trees of Require': (random, size) => {
    const names = ['RequireAll', 'RequireAny', 'RequireNone'];
    const wanted = ['ip 10', 'user a', 'all granted', 'not host b', 'env c'];
    return section(
      'Directory /a',
      nested(
        Math.floor(size / 60),
        (i) => `<${names[i % 3]}>\nRequire ${random.pick(wanted)}\n`,
        'Require valid-user\n',
        (i) => `</${names[i % 3]}>\n`,
      ),
    );
  },
  'methods and users': (random, size) =>
    section(
      'Directory /a',
      `AuthType Basic\nAuthName a\nAuthUserFile /b\n${filled(size - 200, (i) =>
        section(
          random.pick(['Limit GET', 'LimitExcept GET', 'Limit POST PUT', `Limit M${i}`, `LimitExcept M${i} GET`]),
          random.pick([ACCESS, `Require user u${i}\n`, `Require group g${i} g\n`, 'Satisfy any\n']),
        ),
      )}`,
    ),
  'one file in itself': (random, size) =>
    `${filled(
      size - 200,
      (i) =>
        section(`${random.pick(['Files', 'FilesMatch'])} ${random.pick(['a', '*', `${i}`, '"(a+)+"'])}`, ACCESS) +
        random.pick([
          '',
          section('IfDefine A', `MaxClients ${i}\n`),
          `Alias /${i} /srv\n`,
          section('VirtualHost *:80', ''),
        ]),
    )}Include /etc/httpd/httpd.conf\nInclude /etc/httpd/*.conf\n`,
  words: (random, size) =>
    `${random
      .pick([
        'a',
        '\u{1F600}',
        '<',
        '</',
        '>',
        '=',
        '/',
        '.',
        '%',
        '$',
        '(',
        '[',
        '{',
        '|',
        '~',
        ':',
        ',',
        '-',
        '!',
        '0',
        '\t',
        '\r',
        ' ',
      ])
      .repeat(size)}\n`,
};

/** Up to ten kilobytes, and the shapes that are in it. */
export function hostileFile(random: Random): { readonly text: string; readonly shapes: readonly string[] } {
  const count = random.pick([1, 1, 2, 3, 5]);
  const shapes = Array.from({ length: count }, () => random.pick(Object.keys(SHAPES)));
  const made = shapes.map((shape) => SHAPES[shape]!(random, Math.floor((MOST - 500) / count)));
  let text = random.below(3) === 0 ? shuffled(random, made) : made.join('');
  if (random.below(4) === 0) text = `<VirtualHost *:80>\n${text}</VirtualHost>\n`;
  return { text: text.slice(0, MOST), shapes };
}

/** Lines of several shapes between each other. */
function shuffled(random: Random, texts: readonly string[]): string {
  const left = texts.map((text) => text.split('\n'));
  const rows: string[] = [];
  while (left.some((lines) => lines.length > 0)) {
    const lines = random.pick(left.filter((each) => each.length > 0));
    rows.push(...lines.splice(0, 1 + random.below(8)));
  }
  return `${rows.join('\n')}\n`;
}

/**
 * How many files were looked at; throws with a line for each kind of work that took longer than
 * `most` milliseconds of the processor. Null: no limit.
 */
export function hostileFiles(seed: number, count: number, most: number | null): number {
  const random = new Random(seed);
  const slow: string[] = [];
  for (let i = 0; i < count; i++) {
    const { text, shapes } = hostileFile(random);
    for (const [kind, work] of Object.entries(WORK)) {
      const begin = process.cpuUsage();
      try {
        work(text);
      } catch (error) {
        throw new Error(`seed ${seed}, file ${i} (${shapes.join(', ')}), ${kind}: ${(error as Error).stack}`);
      }
      const { user, system } = process.cpuUsage(begin);
      const spent = (user + system) / 1000;
      if (most !== null && spent > most)
        slow.push(`seed ${seed}, file ${i} (${shapes.join(', ')}), ${kind}: ${spent.toFixed(0)} ms`);
    }
  }
  if (slow.length > 0) throw new Error(slow.join('\n'));
  return count;
}
