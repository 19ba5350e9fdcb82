/**
 * Texts that grow in one way each: formerly slow ones, suspicious ones, and extreme ones. Each has
 * about the given number of characters.
 */

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
  'ServerAlias lines': numbered((i) => `${i === 0 ? '<VirtualHost *:80>\n' : ''}ServerAlias a${i}.example.org\n`),
  'ServerAlias lines of one virtual host': (characters) =>
    `<VirtualHost *:80>\nServerName a\n${numbered((i) => `ServerAlias a${i}.example.org *.b${i}.example.org\n`)(characters)}</VirtualHost>\n`,
  'virtual hosts with a section each': numbered(
    (i) =>
      `<VirtualHost *:80>\nServerName h${i}\nDocumentRoot /srv/${i}\n<Directory /srv/${i}>\nOrder allow,deny\nAllow from all\n</Directory>\n</VirtualHost>\n`,
  ),
  'virtual hosts with a section of one place each': numbered(
    (i) =>
      `<VirtualHost *:80>\nServerName h${i}\n<Directory /srv>\nOrder deny,allow\nDeny from all\nAllow from 10.${i % 256}\n</Directory>\n</VirtualHost>\n`,
  ),
  'virtual hosts with a location each': numbered(
    (i) =>
      `<VirtualHost 192.0.2.1:80>\nServerName h${i}\n<Location />\nOrder deny,allow\nDeny from all\nSatisfy any\nRequire valid-user\n</Location>\n</VirtualHost>\n`,
  ),
  'virtual hosts of different addresses': numbered(
    (i) => `<VirtualHost 10.0.${i % 256}.${i >> 8}:80>\nServerName h${i}\n</VirtualHost>\n`,
  ),
  'nested folders': numbered(
    (i) => `<Directory ${'/a'.repeat(1 + (i % 20))}/${i}>\nOrder deny,allow\nDeny from all\n</Directory>\n`,
  ),
  'sections of patterns': numbered((i) => `<Directory /srv/*/a${i}>\nOrder deny,allow\nDeny from all\n</Directory>\n`),
  'sections of regular expressions': numbered(
    (i) => `<DirectoryMatch "^/srv/(a|b)${i}">\nOrder deny,allow\nDeny from all\n</DirectoryMatch>\n`,
  ),
  'Files sections': numbered((i) => `<Files "a${i}.*">\nOrder deny,allow\nDeny from all\n</Files>\n`),
  'Files sections in one folder': (characters) =>
    `<Directory /srv>\nOrder deny,allow\nAllow from all\n${numbered((i) => `<Files a${i}>\nOrder allow,deny\nDeny from all\n</Files>\n`)(characters)}</Directory>\n`,
  'FilesMatch sections': numbered((i) => `<FilesMatch "\\.a${i}$">\nOrder deny,allow\nDeny from all\n</FilesMatch>\n`),
  'folders with AllowOverride': numbered(
    (i) => `<Directory /srv/${i}>\nAllowOverride AuthConfig Limit\nOptions +Indexes FollowSymLinks\n</Directory>\n`,
  ),
  'DocumentRoot lines': numbered((i) => `DocumentRoot /srv/${i}\n`),
  'Alias lines into sections': numbered(
    (i) => `Alias /a${i} /srv/a${i}\n<Directory /srv/a${i}>\nOrder allow,deny\nAllow from all\n</Directory>\n`,
  ),
  'Include lines of one file': repeated('Include conf.d/a.conf\n'),
  'Include lines of different files': numbered((i) => `Include conf.d/${i}.conf\n`),
  'Include lines of itself': repeated('Include httpd.conf\n'),
  'Include lines with wildcards': numbered((i) => `IncludeOptional conf.d/${i}*.conf\n`),
  'definitions that double': numbered((i) => `Define v${i} "\${v${i - 1}} \${v${i - 1}}"\nServerName \${v${i}}\n`),
  'definitions of one name': numbered((i) => `Define v a${i}\n`),
  'definitions in a row': numbered((i) => `Define v${i} \${v${i + 1}}\n`),
  'definitions and undefinitions': numbered(
    (i) => `Define v${i}\n<IfDefine v${i}>\nListen ${i + 1}\n</IfDefine>\nUnDefine v${i}\n`,
  ),
  'uses of variables': (characters) => `Define a /srv\n${numbered((i) => `Alias /a${i} \${a}/a${i}\n`)(characters)}`,
  'conditions of one name': repeated('<IfDefine A>\nMaxClients 1\n</IfDefine>\n'),
  'conditions of versions': repeated('<IfVersion >= 2.4>\nRequire all granted\n</IfVersion>\n'),
  'conditions one after the other': repeated(
    '<IfModule a.c>\nMaxClients 1\n</IfModule>\n<IfModule !a.c>\nMaxClients 1\n</IfModule>\n',
  ),
  'conditions with a section and ignore comments': numbered(
    (i) =>
      `# httpd-upgrade-ignore order-allow-deny: x\n<Directory /a${i}>\nOrder allow,deny\nAllow from all\n</Directory>\n`,
  ),
  'comments above old lines': repeated(
    '<Directory /a>\n# why\n# why not\nOrder allow,deny\n# all\nAllow from all\n</Directory>\n',
  ),
  'many comments above one old line': around('', '# why\n', 'Order allow,deny\nAllow from all\n'),
  'many comments in one section': around(
    '<Directory /a>\nOrder allow,deny\n',
    '# why\n',
    'Allow from all\n</Directory>\n',
  ),
  'sections with nothing but comments': repeated('<Directory /a>\n# why\n</Directory>\n'),
  'macros of one name': repeated('<Macro m $a>\nAllow from $a\n</Macro>\n'),
  'uses of many macros': (characters) =>
    numbered((i) => `<Macro m${i}>\nMaxClients ${i}\n</Macro>\n`)(characters / 2) +
    numbered((i) => `Use m${i}\n`)(characters / 2),
  'uses of no macro': numbered((i) => `Use m${i} a\n`),
  'uses of a long macro': (characters) =>
    around('<Macro m $a>\n', 'Allow from $a\n', '</Macro>\n')(characters / 2) + 'Use m 192.0.2.7\n',
  'arguments of a Use': around('<Macro m $a>\nServerName $a\n</Macro>\nUse m', ' a', '\n'),
  'parameters in the body of a macro': (characters) =>
    `<Macro m${numbered((i) => ` $p${i}x`)(characters / 3)}>\n${numbered((i) => `ServerAlias $p${i}x\n`)((characters * 2) / 3)}</Macro>\n`,
  'macros in each other': nested(
    (i) => `<Macro m${i} $a${i}>\n`,
    'ServerName a\n',
    () => '</Macro>\n',
  ),
  'LoadModule lines of old modules': repeated(
    'LoadModule authz_default_module modules/mod_authz_default.so\nLoadModule cgi_module modules/mod_cgi.so\n',
  ),
  'LoadModule lines in conditions': numbered(
    (i) => `<IfModule !m${i}.c>\nLoadModule m${i}_module modules/mod_m${i}.so\n</IfModule>\n`,
  ),
  'authentication providers': numbered(
    (i) => `<AuthnProviderAlias file a${i}>\nAuthUserFile /a${i}\n</AuthnProviderAlias>\nAuthBasicProvider a${i}\n`,
  ),
  balancers: numbered(
    (i) => `<Proxy balancer://b${i}>\nBalancerMember http://h${i}\n</Proxy>\nProxyPass /a${i} balancer://b${i}/\n`,
  ),
  'members of one balancer': (characters) =>
    `<Proxy balancer://b>\n${numbered((i) => `BalancerMember http://h${i} route=${i}\n`)(characters)}</Proxy>\n`,
  'rewrite maps': numbered((i) => `RewriteMap m${i} txt:/a${i}\nRewriteRule ^ \${m${i}:a}\n`),
  'rewrite conditions of one rule': around(
    'RewriteEngine On\n',
    'RewriteCond %{HTTP_HOST} a [OR]\n',
    'RewriteRule ^ - [F]\n',
  ),
  'environment variables': numbered((i) => `SetEnvIf Host a${i} v${i}\nCustomLog logs/a common env=v${i}\n`),
  'environment variables of old lines': numbered(
    (i) =>
      `SetEnvIf Host a${i} v${i}\n<Location /l${i}>\nOrder deny,allow\nDeny from all\nAllow from env=v${i}\n</Location>\n`,
  ),
  'log formats of different names': numbered((i) => `LogFormat "%h" f${i}\nCustomLog logs/${i} f${i}\n`),
  columns: numbered((i) => `AddType    application/x-${i}    .a${i}\n`),
  'columns of different widths': numbered((i) => `AddType ${'a'.repeat(i % 40)}/b   .a${i}\n`),
  'indented lines': numbered((i) => `${' '.repeat(i % 50)}Listen ${i + 1}\n`),
  'blanks at ends of lines': repeated(`Listen 80${' '.repeat(20)}\n`),
  'different old lines': numbered(
    (i) =>
      [
        'MaxClients 1\n',
        'NameVirtualHost *:80\n',
        'SSLMutex default\n',
        'DefaultType none\n',
        'AcceptMutex flock\n',
        'RewriteLog a\n',
      ][i % 6]!,
  ),
  'old lines of one kind': repeated('MaxClients 1\n'),
  'Options lines in sections': numbered((i) => `<Directory /a${i}>\nOptions Indexes +FollowSymLinks\n</Directory>\n`),
  'AuthType lines': repeated(
    '<Location /a>\nAuthType Basic\nAuthName a\nAuthGroupFile a\nRequire group a\nSatisfy any\nOrder deny,allow\nDeny from all\n</Location>\n',
  ),
  'limits of different methods': (characters) =>
    `<Directory /a>\n${numbered((i) => `<Limit M${i}>\nOrder allow,deny\nAllow from all\n</Limit>\n`)(characters)}</Directory>\n`,
  'methods of one limit': (characters) =>
    `<Directory /a>\n<Limit${numbered((i) => ` M${i}`)(characters)}>\nOrder allow,deny\nAllow from all\n</Limit>\n</Directory>\n`,
  'exceptions of limits': repeated('<LimitExcept GET>\nOrder allow,deny\nDeny from all\n</LimitExcept>\n'),
  'Allow lines of hosts': (characters) =>
    `<Directory /a>\nOrder deny,allow\nDeny from all\n${numbered((i) => `Allow from h${i}.example.org\n`)(characters)}</Directory>\n`,
  'Allow and Deny lines': (characters) =>
    `<Directory /a>\nOrder deny,allow\n${numbered((i) => `Deny from 10.${i % 256}.0.0/16\nAllow from 10.${i % 256}.${i % 250}.1\n`)(characters)}</Directory>\n`,
  'Order lines': around('<Directory /a>\n', 'Order allow,deny\nOrder deny,allow\n', '</Directory>\n'),
  'old lines at the top of the file': repeated('Order allow,deny\nAllow from all\n'),
  'AuthGroupFile and groups': around(
    '<Directory /a>\nAuthType Basic\nAuthName a\nAuthGroupFile a\nRequire group',
    ' a',
    '\n</Directory>\n',
  ),
  'users of one Require': (characters) =>
    `<Directory /a>\nAuthType Basic\nOrder allow,deny\nDeny from all\nRequire user${numbered((i) => ` u${i}`)(characters)}\n</Directory>\n`,
  'ErrorDocument lines': numbered((i) => `ErrorDocument 40${i % 10} /e${i}\n`),
  'quoted lines that do not end': repeated('ServerName "a\n'),
  'opening tags in each other': numbered((i) => `<Directory /a${i}>\nOrder allow,deny\n`),
  'closing tags of different names': numbered((i) => `</Directory${i}>\n`),
  'tags of different names crosswise': numbered((i) => `<A${i}>\n</B${i}>\n<B${i}>\n</A${i}>\n`),
  'closing tags in a section, below open ones': (characters) =>
    `${numbered((i) => `<A${i}>\n`)(characters / 2)}<Directory /a>\n${numbered((i) => `</B${i}>\n`)(characters / 2)}</Directory>\n`,
  'parameters of a macro, of different names': (characters) =>
    `<Macro m${numbered((i) => ` $p${i}x`)(characters)}>\n</Macro>\n`,
  'sections in each other': nested(
    (i) => `<Location /a${i}>\n`,
    'Order allow,deny\n',
    () => '</Location>\n',
  ),
  'virtual hosts in each other': nested(
    () => '<VirtualHost *:80>\n',
    'Order allow,deny\n',
    () => '</VirtualHost>\n',
  ),
  'template conditions in each other': nested(
    (i) => `{% if a${i} %}\n`,
    'Order allow,deny\n',
    () => '{% endif %}\n',
  ),
  'template loops with sections': repeated(
    '{% for a in b %}\n<Directory {{ a }}>\nOrder allow,deny\nAllow from all\n</Directory>\n{% endfor %}\n',
  ),
  'perl sections': repeated('<Perl>\n$a = 1;\n</Perl>\n'),
  'conditions of expressions': numbered(
    (i) => `<If "%{HTTP_HOST} == 'a${i}'">\nOrder allow,deny\nDeny from all\n</If>\n`,
  ),
  'strings of an expression': around('<If "%{HTTP_HOST} in {', "'a', ", "'b'}\">\n</If>\n"),
  'regular expressions of an expression': around('<If "', '%{A} =~ /a/ || ', '1 == 1">\n</If>\n'),
  'wide letters in names': numbered((i) => `ServerAlias \u00e4\u{1F600}${i}\n`),
  'lines of Windows': repeated('<Directory "C:/a">\r\nOrder allow,deny\r\nAllow from all\r\n</Directory>\r\n'),
};
