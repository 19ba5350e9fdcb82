/** Texts that grow in one way each: what was once slow, what may be, and what nobody writes. Each has about so many characters. */

export type Generator = (characters: number) => string;

const repeated =
  (text: string): Generator =>
  (characters) =>
    text.repeat(Math.max(1, Math.floor(characters / text.length)));
const around =
  (before: string, text: string, after: string): Generator =>
  (characters) =>
    before + repeated(text)(characters - before.length - after.length) + after;
const numbered =
  (make: (i: number) => string): Generator =>
  (characters) => {
    const parts: string[] = [];
    for (let length = 0, i = 0; length < characters; length += parts[i++].length) parts.push(make(i));
    return parts.join('');
  };
/** Half of it opens, the other half closes. */
const nested =
  (open: (i: number) => string, inside: string, close: (i: number) => string): Generator =>
  (characters) => {
    const depth = Math.max(1, Math.floor((characters - inside.length) / (open(1).length + close(1).length)));
    const all = Array.from({ length: depth }, (_, i) => i);
    return all.map(open).join('') + inside + all.reverse().map(close).join('');
  };

export const GENERATORS: Readonly<Record<string, Generator>> = {
  'operands of one Allow': around(
    '<Directory /a>\nOrder deny,allow\nDeny from all\nAllow from',
    ' 192.0.2.7',
    '\n</Directory>\n',
  ),
  'operands of one Options': around('Options', ' +Indexes', '\n'),
  'operands of one SSLProtocol': around('SSLProtocol', ' -SSLv2', '\n'),
  'operands of one Require': around('<Directory /a>\nRequire ip', ' 192.0.2.7', '\n</Directory>\n'),
  'operands of any directive': around('Unknown', ' x', '\n'),
  'addresses of a virtual host': around('<VirtualHost', ' 192.0.2.7:80', '>\n</VirtualHost>\n'),
  'aliases of a virtual host': around('<VirtualHost *:80>\nServerAlias', ' www.example.org', '\n</VirtualHost>\n'),
  'maps in a rule': around('RewriteEngine On\nRewriteRule ^ ', '${m:', '\n'),
  'variables in a rule': around('RewriteEngine On\nRewriteRule ^ ', '%{X', '\n'),
  'variables in a rule, closed': around('RewriteEngine On\nRewriteRule ^ ', '%{X}', '\n'),
  'variables in a condition': around('RewriteEngine On\nRewriteCond ', '%{X', ' a\nRewriteRule ^ -\n'),
  'groups of a pattern': nested(
    () => '(',
    'a',
    () => ')',
  ),
  'groups of a rule': (characters) =>
    `RewriteRule ${nested(
      () => '(',
      'a',
      () => ')',
    )(characters - 16)} -\n`,
  'alternatives of a pattern': around('<FilesMatch "', 'a|', 'b">\nOrder allow,deny\nDeny from all\n</FilesMatch>\n'),
  'stars of a pattern': around('<FilesMatch "', 'a*', 'b$">\nOrder allow,deny\nDeny from all\n</FilesMatch>\n'),
  'stars of a wildcard': around(
    '<Directory "/',
    '*a',
    'b">\nOrder allow,deny\nDeny from all\n</Directory>\nInclude /x\n',
  ),
  'stars of an Include': around('Include "', '*a', 'b"\n'),
  'parts of a path': around('<Directory "', '/a', '">\nOrder allow,deny\nDeny from all\n</Directory>\n'),
  'dots of a path': around('<Directory "', '/..', '">\nOrder allow,deny\nDeny from all\n</Directory>\n'),
  'parentheses of an expression': (characters) =>
    `<If "${nested(
      () => '(',
      '1 == 1',
      () => ')',
    )(characters - 40)}">\n</If>\n`,
  'exclamation marks of an expression': around('<If "', '!', '1 == 1">\n</If>\n'),
  'ands of an expression': around('<If "1 == 1', ' && 1 == 1', '">\n</If>\n'),
  'functions of an expression': (characters) =>
    `<If "${nested(
      () => 'tolower(',
      "'a'",
      () => ')',
    )(characters - 40)} == 'a'">\n</If>\n`,
  'flags of a rule': around('RewriteRule a b [', 'L,', 'L]\n'),
  'flags of a rule, with variables': around('RewriteRule a b [', 'E=a:b,', 'L]\n'),
  'continued lines': repeated('\\\n'),
  'continued lines of one directive': around('ServerName a ', '\\\n', 'b\n'),
  backslashes: around('ServerName a', '\\', '\n'),
  'variables in variables': around('ServerName ', '${', '\n'),
  'variables in variables, closed': (characters) =>
    `ServerName ${nested(
      () => '${',
      'a',
      () => '}',
    )(characters - 20)}\n`,
  variables: around('ServerName ', '${a}', '\n'),
  definitions: numbered((i) => `Define v${i} \${v${i - 1}}\${v${i - 1}}\n`),
  quotes: around('ServerName ', '"', '\n'),
  'quoted words': around('ServerName', ' "a b"', '\n'),
  blanks: around('ServerName', ' ', 'a\n'),
  'blank lines': repeated('\n'),
  'carriage returns': repeated('\r'),
  zeros: repeated('\0'),
  comments: repeated('# a comment\n'),
  'ignore comments': repeated('# httpd-upgrade-ignore order-allow-deny: x\n'),
  'ignore comments of all rules': repeated('# httpd-upgrade-ignore\nMaxClients 1\n'),
  'ignore comments of many rules': around('# httpd-upgrade-ignore', ' order-allow-deny', ': x\nMaxClients 1\n'),
  'one word': repeated('a'),
  'one word of wide letters': repeated('\u{1F600}'),
  'opening tags': repeated('<Directory /a>\n'),
  'opening tags of different names': numbered((i) => `<Directory${i} /a>\n`),
  'closing tags': repeated('</Directory>\n'),
  'tags crosswise': repeated('<Directory /a>\n<Files b>\n</Directory>\n</Files>\n'),
  'half tags': repeated('<Directory\n'),
  sections: numbered((i) => `<Directory /srv/${i}>\nOrder allow,deny\nAllow from all\n</Directory>\n`),
  'sections of one place': repeated('<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n'),
  locations: numbered(
    (i) => `<Location /l${i}>\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.${i % 256}\n</Location>\n`,
  ),
  'sections in one condition': around(
    '<IfModule a.c>\n',
    '<Directory /a>\nOrder allow,deny\nAllow from all\n</Directory>\n',
    '</IfModule>\n',
  ),
  'conditions with a section each': numbered(
    (i) => `<IfModule m${i}.c>\n<Directory /a${i}>\nOrder allow,deny\nAllow from all\n</Directory>\n</IfModule>\n`,
  ),
  'conditions in each other': nested(
    (i) => `<IfModule m${i}.c>\n`,
    '<Directory /a>\nOrder allow,deny\nAllow from all\n</Directory>\n',
    () => '</IfModule>\n',
  ),
  'limits in each other': (characters) =>
    `<Directory /a>\n${nested(
      () => '<Limit GET>\n',
      'Order allow,deny\nAllow from all\n',
      () => '</Limit>\n',
    )(characters - 30)}</Directory>\n`,
  'limits beside each other': around(
    '<Directory /a>\n',
    '<Limit GET>\nOrder allow,deny\nAllow from all\n</Limit>\n',
    '</Directory>\n',
  ),
  'containers of Require in each other': (characters) =>
    `<Directory /a>\n${nested(
      () => '<RequireAll>\n',
      'Require ip 10\n',
      () => '</RequireAll>\n',
    )(characters - 30)}</Directory>\n`,
  'Require lines': around('<Directory /a>\nAuthType Basic\n', 'Require user a\n', '</Directory>\n'),
  'Require lines beside old ones': around(
    '<Directory /a>\nAuthType Basic\nOrder allow,deny\nDeny from all\n',
    'Require user a\n',
    '</Directory>\n',
  ),
  'Allow lines': around(
    '<Directory /a>\nOrder deny,allow\nDeny from all\n',
    'Allow from 192.0.2.7\n',
    '</Directory>\n',
  ),
  'Allow lines of variables': (characters) =>
    `<Directory /a>\nOrder deny,allow\nDeny from all\n${numbered((i) => `Allow from env=a${i}\n`)(characters)}</Directory>\n`,
  'Satisfy lines': around('<Directory /a>\n', 'Satisfy Any\n', '</Directory>\n'),
  'Options lines': repeated('Options Indexes +FollowSymLinks\n'),
  'virtual hosts of one name': repeated('<VirtualHost *:80>\nServerName a\n</VirtualHost>\n'),
  'virtual hosts and NameVirtualHost': numbered(
    (i) =>
      `NameVirtualHost 192.0.2.${i % 256}:80\n<VirtualHost 192.0.2.${i % 256}:80>\nServerName h${i}\n</VirtualHost>\n`,
  ),
  'Listen lines': numbered((i) => `Listen ${1024 + (i % 60000)}\n`),
  'Alias lines': numbered((i) => `Alias /a${i} /srv/a${i}\n`),
  'LoadModule lines': numbered((i) => `LoadModule m${i}_module modules/mod_m${i}.so\n`),
  'LoadModule lines of one module': repeated('LoadModule alias_module modules/mod_alias.so\n'),
  'rules of mod_rewrite': numbered(
    (i) => `RewriteCond %{HTTP_HOST} ^www\\.h${i}$ [NC]\nRewriteRule ^(.*)$ http://h${i}/$1 [R=301,L]\n`,
  ),
  'RewriteLog lines': repeated('RewriteLog logs/a\nRewriteLogLevel 3\n'),
  macros: numbered((i) => `<Macro m${i} $a>\nOrder allow,deny\nAllow from $a\n</Macro>\nUse m${i} 192.0.2.7\n`),
  'macros that use the one before': numbered((i) => `<Macro m${i} $a>\nUse m${i - 1} $a\nUse m${i - 1} $a\n</Macro>\n`),
  'uses of one macro': around('<Macro m $a>\nOrder allow,deny\nAllow from $a\n</Macro>\n', 'Use m 192.0.2.7\n', ''),
  'parameters of a macro': around('<Macro m', ' $aaaaaaaa', '>\n</Macro>\nUse m 1\n'),
  'template statements': repeated('{% if a %}\nOrder allow,deny\n{% endif %}\n'),
  'template words': repeated('ServerName {{ a }}\n'),
  mutexes: repeated('AcceptMutex flock\nSSLMutex file:logs/a\nLockFile a\n'),
  'unknown directives': numbered((i) => `Directive${i} a\n`),
  'log formats': around('LogFormat "', '%{X}i ', '" a\n'),
  'server-side conditions': repeated('SSILegacyExprParser on\n<If "%{X} == 1">\nRequire all granted\n</If>\n'),
};
