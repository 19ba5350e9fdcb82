/**
 * Expressions for the real server: by hand, one for every rule of the scanner and the grammar,
 * right and wrong; and random ones.
 */
import type { Random } from '../support/random';

export const CONDITIONS: readonly string[] = [
  // Constants, logic, parentheses
  ...[
    'true',
    'false',
    'True',
    'TRUE',
    '1',
    '',
    ' ',
    'true and',
    'not true',
    '!true',
    '! true',
    '!!true',
    'not not true',
    'nottrue',
    'true && false || true',
    'true and false or true',
    'true AND true',
    'true & true',
    'true | true',
  ],
  ...[
    '(true)',
    '((true))',
    '()',
    '(true',
    'true)',
    '(true) && (false)',
    '|| true',
    'true ||',
    'true true',
    'true; false',
    'true ;',
    "'a' == 'b' #",
    'not(true)',
    "not 'a' == 'b'",
    "'a' not in {'b'}",
    'true /x',
    "'a' == 'b'\t&& true",
  ],
  // Comparisons
  ...[
    "'a' == 'b'",
    '"a" = "b"',
    "'a' == ",
    "'a'",
    "'a' === 'b'",
    "'a' <> 'b'",
    "'a' =! 'b'",
    "'a' != 'b'",
    "'a' < 'b'",
    "'a' <= 'b'",
    "'a' > 'b'",
    "'a' >= 'b'",
    "'a' lt 'b'",
    "'a' ge'b'",
    "'a'lt'b'",
    "'a' EQ 'b'",
    "'a' -EQ 'b'",
  ],
  ...[
    '3 -eq 4',
    '3 eq 4',
    '3 == 4',
    '-3 -lt 4',
    '3 -lt',
    '-eq 3',
    '1eq1',
    '1-2 == 3',
    '--1 == 3',
    '- 1 == 3',
    '+1 == 1',
    '0x1 == 1',
    '1 == -1',
    '1 . 2 == 3',
    '1.2 == 3',
    '.5 == 3',
    "'a' -a 'b'",
    "'a' -nope 'b'",
  ],
  ...[
    "'a' . 'b' == 'ab'",
    "'a'.'b'.'c' == 'd'",
    "('a') == 'b'",
    "'a' 'b' == 'c'",
    "'a' == b",
    "a == 'b'",
    "'a' == 'b' -a 'c' == 'd'",
    "'a' == 'b' && 'c' == 'd'",
  ],
  // Strings
  ...[
    "'a",
    "'a' == \"b'",
    "\"a'b\" == 'x'",
    "'a\"b' == 'x'",
    "'a}b' == 'x'",
    "'a%b' == 'x'",
    "'a$b' == 'x'",
    "'a\\'' == 'x'",
    "'a\\' == 'x'",
    "'a\\\\' == 'x'",
    "'é' == 'x'",
    "(‘a’) == 'b'",
  ],
  ...[
    "'\\777' == 'a'",
    "'\\400' == 'a'",
    "'\\377' == 'a'",
    "'\\8' == 'a'",
    "'\\089' == 'a'",
    "'\\19' == 'a'",
    "'\\1234' == 'a'",
    "'\\x' == 'a'",
    "'\\n' == 'a'",
    "'$10' == 'x'",
    "$10 == 'x'",
    "$1 == 'a'",
    "$ == 'a'",
    "$1$2 == 'x'",
    "'a$1b' == 'a'",
  ],
  // Variables and functions
  ...[
    "%{REQUEST_URI} == 'x'",
    "%{request_uri} == 'x'",
    "%{NOPE} == 'x'",
    "%{} == 'x'",
    "%{ REQUEST_URI } == 'x'",
    "%{1} == 'x'",
    "%{_X} == 'x'",
    "%{REQUEST-URI} == 'x'",
    "%{REQUEST_URI == 'x'",
    "'%{REQUEST_URI' == 'x'",
    "'%{REQUEST_URI}' == 'x'",
  ],
  ...[
    '%{REQUEST_URI}',
    "%REQUEST_URI == 'x'",
    "REQUEST_URI == 'x'",
    "%{REQUEST_URI:x} == 'x'",
    "%{req:} == 'x'",
    "%{req :x} == 'x'",
    "%{req} == 'x'",
    "%{req:X} == 'x'",
    "%{HTTP:User-Agent} == 'x'",
    "%{NOPE:Host} == 'x'",
    "%{LA-U:REMOTE_USER} == 'x'",
  ],
  ...[
    "%{req:a%b} == 'x'",
    "%{req:a$b} == 'x'",
    "%{req:a$1b} == 'x'",
    "%{req:a\\}b} == 'x'",
    "%{req:a{b} == 'x'",
    "%{req:%{req:%{REQUEST_URI}}} == 'x'",
    "%{tolower:%{NOPE}} == 'x'",
    "'a%{TIME}b%{req:X}c' == 'x'",
    "%{req:X}%{req:Y} == 'x'",
    "%{req:X}.%{req:Y} == 'x'",
    "%{:true:} == 'x'",
    "'%{:true:}' == 'x'",
  ],
  ...[
    "req('Host') == 'x'",
    "REQ('Host') == 'x'",
    "nope('Host') == 'x'",
    "tolower(tolower('x')) == 'x'",
    "tolower ('x') == 'x'",
    "tolower 'x' == 'x'",
    "tolower() == 'x'",
    "tolower('x', 'y') == 'x'",
    "tolower(true) == 'x'",
    "tolower('x' == 'x'",
    "file('/x') == 'x'",
    "filesize('/x') -gt 0",
  ],
  ...[
    "replace('x', 'y', 'z') == 'x'",
    "join({'a','b'}, ',') == 'x'",
    "sub(s/a/b/, 'x') == 'b'",
    "'x' in split(m/,/, 'a,b')",
    "%{HTTP_FOO} == 'x'",
    "%{HTTP_ACCEPT} == 'x'",
    "%{SERVER_ADDR} == 'x'",
    "%{SCRIPT_URL} == 'x'",
    "%{REMOTE_PORT} == 'x'",
    "%{HTTP2} == 'on'",
  ],
  ...[
    "%{SSL_PROTOCOL} == 'x'",
    '%{ssl_nope} == 1',
    "%{SSL:SSL_PROTOCOL} == 'x'",
    "hc('body') == 'x'",
    "PeerExtList('1') == 'x'",
    "'a' in PeerExtList('1')",
    "'a' in peerextlist('1')",
    "%{hc:body} == 'x'",
  ],
  // Regular expressions
  ...[
    '%{REQUEST_URI} =~ /x/',
    '%{REQUEST_URI} !~ /x/i',
    '%{REQUEST_URI} =~ m#x#i',
    "'a'=~/x/i&&true",
    "'a' =~ m(x(",
    "'a' =~ /x/im",
    "'a' =~ /x/I",
    "'a' =~ /x/ i",
    "'a' =~ /x",
    "'a' =~ 'x'",
    '\'a\' =~ "x"',
    "'a' =~ m /x/",
    "'a' =~ s/x/y/",
    "'a' =~ //",
    "'a' =~ /a\\/b/",
  ],
  ...[...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'].map((delimiter) => `'a' =~ m${delimiter}x${delimiter}`),
  ...[
    'x(',
    'x)',
    '*x',
    'x**',
    'x{2,1}',
    '[x',
    '[z-a]',
    'x++',
    '(?:x',
    'x|*y',
    '(x)\\2',
    '[[:alpha:]]',
    '[]x]',
    '(?i)x',
    '(?<n>x)',
    '{x',
    'x{,3}',
    '^(www\\.)?x\\.org$',
  ].map((pattern) => `'a' =~ m#${pattern}#`),
  // Lists
  ...[
    "'a' -in {'a','b'}",
    "'a' in {'a','b'}",
    "'a' in{'b'}",
    "'a' in {}",
    "'a' in {'b',}",
    "'a' in {'b' 'c'}",
    "'a' in {1,%{TIME},'x'.'y',$1,tolower('X')}",
    "'a' in 'x'",
    "'a' in tolower('x')",
    "'a' in nope('x')",
    "{'a'} == 'b'",
    "! 'a' in {'b'}",
  ],
  // Operators with names
  ...[...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_'].map((letter) => `-${letter} '10.0.0.1'`),
  ...[
    "-f'x'",
    '-fx',
    "-z ''.'b'",
    "-z 'a' == 'b'",
    '-n true',
    '-n',
    '-n x',
    "-ee 'x'",
    '-T %{HTTPS}',
    '-e%{REQUEST_FILENAME}',
    "'a' -f 'x'",
  ],
  ...[
    "'a' -strmatch 'b*'",
    "'a' -strcmatch 'b*'",
    "'a' -fnmatch 'b*'",
    "'a' fnmatch 'b*'",
    "'a' -StrMatch 'b*'",
    "'a' -regmatch 'b'",
  ],
  ...[
    '10.0.0.0/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '10.1',
    '10.',
    '10',
    '::1',
    '::1/64',
    '::1/200',
    '::/0',
    '',
    'x',
    'localhost',
    '300.0.0.0/8',
    '1.2.3.4.5',
    '10.0.0.0/',
  ].map((subnet) => `%{REMOTE_ADDR} -ipmatch '${subnet}'`),
  ...[
    '%{REMOTE_ADDR} -ipmatch %{REMOTE_ADDR}',
    "'a' -ipmatch 10",
    "'a' -ipmatch '1'.'0'",
    "-R '10.1'",
    "-R 'x'",
    '-R 10',
    "-R '::/0'",
  ],
];

export const STRINGS: readonly string[] = [
  'plain',
  '%{REQUEST_URI}',
  '%{NOPE}',
  'a%{',
  'a%{x',
  'a%',
  'a%}',
  '\\%{x}',
  '\\\\%{x}',
  'a"b\'c',
  '$1',
  '$a',
  '$',
  '%{req:X}',
  '%{nope:X}',
  '%{req:X',
  '\\400',
  '\\8',
  '\\x',
  '%{tolower:%{REQUEST_URI}}',
  '%{tolower:%{NOPE}}',
  '%{:true:}',
  '%{REMOTE_USER}%{',
  '%{HTTP_HOST}/x%{TIME}',
  '%%{TIME}',
  '%{}',
  '%{ TIME}',
  '%{TIME }',
  "it's 100%",
  '%{req:}',
  '{x}',
  '%{SERVER_ADDR}',
  '%{SSL_CIPHER}',
  '%{base64:$1}',
  '%{md5:a b}',
];

/** Lines of a .htaccess: which of their arguments is an expression, and of which kind. */
export const LINES: readonly string[] = [
  ...[
    '<If true>\n</If>',
    "<If 'a' == 'b'>\n</If>",
    "<If \"'a' == 'b'\">\n</If>",
    "<If \"'a' == 'b'\" x>\n</If>",
    '<If "true" true>\n</If>',
    '<If \'%{REQUEST_URI} == "x"\'>\n</If>',
    '<If %{REQUEST_URI} == "x">\n</If>',
    '<If "\\"a\\" == \'b\'">\n</If>',
  ],
  ...[
    '<If>\n</If>',
    '<If true>\n</If>\n<ElseIf>\n</ElseIf>',
    '<If true>\n</If>\n<Else x>\n</Else>',
    '<If true>\n</If>\n<Else>\n</Else>',
    'SetEnvIfExpr nope',
    'SetEnvIfExpr "true"',
  ],
  ...[
    "<If \"'a' > 'b'\">\n</If>",
    '<If "">\n</If>',
    '<If true>\n</If>\n<ElseIf "nope">\n</ElseIf>',
    '<If  "true"  >\n</If>',
  ],
  ...[
    'Require expr true',
    'Require expr nope',
    'Require expr "true"',
    "Require expr 'true'",
    'Require expr "true" true',
    'Require expr %{REQUEST_URI} =~ m#x#',
    'Require expr "%{REQUEST_URI} == \\"x\\""',
    'Require expr "%{REQUEST_URI} == \'x\'"',
  ],
  ...[
    'Require expr "a" == "b"',
    'Require expr "a" == \'b\'',
    "Require expr 'a' == 'b'",
    'Require expr "a" =~ /x/',
    'Require expr "\'a\' =~ /\\d/"',
    'Require expr',
    'Require expr "',
    'Require expr ""',
    'Require expr "true',
    'Require not expr nope',
  ],
  ...[
    'Require user a %{NOPE}',
    'Require user %{REMOTE_USER',
    'Require user "a %{NOPE}"',
    'Require group %{NOPE}',
    'Require host %{NOPE}',
    'Require forward-dns %{NOPE}',
    'Require env %{NOPE}',
    'Require valid-user %{NOPE}',
    'Require local %{NOPE}',
  ],
  ...[
    'Require ldap-user %{NOPE}',
    'Require ldap-dn %{NOPE}',
    'Require ldap-attribute %{NOPE}',
    'Require ldap-filter %{NOPE}',
    'Require ldap-search %{NOPE}',
    'Require ldap-group %{NOPE}',
    'Require dbm-group %{NOPE}',
    'Require dbd-group %{NOPE}',
    'Require dbm-file-group %{NOPE}',
    'Require file-group %{NOPE}',
    'Require dbd-login %{NOPE}',
  ],
  ...[
    'Header set X "%{NOPE}e"',
    'Header set X "expr=%{NOPE}"',
    'Header set X "expr=%{REQUEST_URI}"',
    'Header set X expr=%{REQUEST_URI',
    'Header set X y "expr=true"',
    'Header set X y expr=nope',
    'Header unset X expr=nope',
    'Header unset X "expr=true"',
    'Header edit X a b expr=nope',
  ],
  ...[
    'Header edit X a expr=%{NOPE}',
    'Header edit X expr=%{NOPE} a',
    'Header always set X y expr=nope',
    'Header setifempty X expr=%{NOPE}',
    'Header echo X expr=nope',
    'Header set X y "EXPR=nope"',
    'Header note X expr=%{NOPE}',
    'Header onsuccess set X expr=%{NOPE}',
    'Header merge X expr=%{NOPE}',
    'RequestHeader set X "expr=%{NOPE}"',
    'RequestHeader set X y "expr=nope"',
    'RequestHeader unset X',
  ],
  ...[
    'SetEnvIfExpr nope X',
    'SetEnvIfExpr "true" X',
    "SetEnvIfExpr \"'a' == 'b'\" X=y",
    'SetEnvIfExpr true %{NOPE}',
    'ErrorDocument 404 %{NOPE}',
    'ErrorDocument 404 "%{REQUEST_URI}"',
    'ErrorDocument 404 http://x/%{NOPE}',
    'AuthName %{NOPE}',
    'AuthType %{NOPE}',
    'SetHandler %{NOPE}',
  ],
  ...[
    'Redirect /x http://y/%{NOPE}',
    'Redirect http://y/%{NOPE}',
    'Redirect 301 http://y/%{NOPE}',
    'Redirect temp http://y/%{NOPE}',
    'Redirect 404',
    'Redirect gone',
    'RedirectMatch ^/x http://y/%{NOPE}',
    'Redirect 301 /x http://y/%{NOPE}',
    'Redirect "https://%{HTTP_HOST}/"',
  ],
  ...[
    'AuthBasicFake %{NOPE}',
    'AuthBasicFake a %{NOPE}',
    'AuthBasicFake off',
    'AuthBasicFake OFF %{NOPE}',
    'AuthFormLoginRequiredLocation %{NOPE}',
    'AuthFormLoginSuccessLocation %{NOPE}',
    'AuthFormLogoutLocation %{NOPE}',
    'AuthUserFile /%{NOPE}',
  ],
  ...[
    'SSLRequire nope',
    'SSLRequire %{NOPE} eq "x"',
    'SSLRequire %{SSL_X} eq "x"',
    'SSLRequire true',
    'SSLRequire "true"',
    'SSLRequire "a" eq "x"',
    'SSLRequire %{SSL_CIPHER} !~ m/^(EXP|NULL)-/ and %{TIME_HOUR} >= 8',
    'SSLRequire %{SSL_CLIENT_S_DN_OU} in {"Staff", "CA"}',
  ],
  ...[
    'RewriteCond expr "nope"',
    'RewriteCond expr "true"',
    'RewriteCond expr !nope',
    'RewriteCond EXPR "%{NOPE} == 1"',
    "RewriteCond expr \"file('/x') == 'a'\"",
    'SetEnvIf X nope Y',
    'DirectoryIndex %{NOPE}',
    'ForceType %{NOPE}',
    'FallbackResource /%{NOPE}',
    'Substitute "s/%{NOPE}/x/"',
    'CookieName %{NOPE}',
  ],
];

/** Those that end the process, for which each needs a process of its own. */
export const JAMMING: readonly string[] = [
  "%{req:'X'} == 'x'",
  "'%{req:X' == 'x'",
  '%{req:"X"} == 1',
  "-n 'a' && %{env:a'b} == 'x'",
];

/** A condition at random: mostly right, then changed in a place or two in a third of the cases. */
export function randomCondition(random: Random): string {
  const text = condition(random, 3);
  if (random.below(3) > 0) return text;
  const at = random.below(text.length + 1);
  const noise = random.pick([
    '',
    ' ',
    "'",
    '"',
    ')',
    '(',
    '}',
    '{',
    '%{',
    '.',
    ',',
    '!',
    '=',
    '-',
    '/',
    'x',
    '1',
    '\\',
    ' and ',
    ' not ',
    '==',
    '$1',
    ':',
    'true',
  ]);
  return text.slice(0, at) + noise + text.slice(at + random.below(3));
}

function condition(random: Random, depth: number): string {
  const choice = random.below(depth > 0 ? 14 : 9);
  const gap = () => random.pick(['', ' ', ' ', '  ']);
  switch (choice) {
    case 0:
      return random.pick(['true', 'false']);
    case 1:
      return `-${random.pick(['n', 'z', 'T', 'f', 'd', 'e', 's', 'U', 'q'])}${random.pick([' ', ' ', ''])}${word(random, depth - 1)}`;
    case 2:
      return `${word(random, depth - 1)} ${random.pick(['=~', '!~'])}${gap()}${regex(random)}`;
    case 3:
      return `${word(random, depth - 1)} ${random.pick(['in', '-in'])} {${[word(random, 0), word(random, 0), word(random, 0)].slice(random.below(3)).join(`${gap()},${gap()}`)}}`;
    case 4:
      return `%{REMOTE_ADDR} -ipmatch '${random.pick(['10.0.0.0/8', '::1', '1.2.3', '10.1.2.3/40', 'host'])}'`;
    case 9:
    case 10:
      return `${condition(random, depth - 1)} ${random.pick(['and', '&&'])} ${condition(random, depth - 1)}`;
    case 11:
      return `${condition(random, depth - 1)}${gap()}${random.pick(['||', '||', ' or '])}${gap()}${condition(random, depth - 1)}`;
    case 12:
      return `${random.pick(['!', 'not ', '! '])}${condition(random, depth - 1)}`;
    case 13:
      return `(${gap()}${condition(random, depth - 1)}${gap()})`;
    default:
      return `${word(random, depth - 1)}${gap()}${random.pick(['==', '=', '!=', '<', '>=', ' -eq ', ' -lt ', ' eq ', ' -strmatch ', ' -nomatch ', ' ge '])}${gap()}${word(random, depth - 1)}`;
  }
}

function word(random: Random, depth: number): string {
  switch (random.below(depth > 0 ? 10 : 7)) {
    case 0:
      return random.pick(['7', '-12', '0']);
    case 1:
      return `%{${random.pick(['REQUEST_URI', 'http_host', 'TIME_YEAR', 'HTTPS', 'SERVER_NAME', 'REQUEST_PATH', 'REMOTE_USER'])}}`;
    case 2:
      return `%{${random.pick(['req', 'env', 'HTTP', 'note', 'unescape', 'nope'])}:${random.pick(['X', 'User-Agent', 'a b', '$1', '%{TIME}', 'x%{HTTPS}y'])}}`;
    case 3:
      return random.pick(['$1', '$0']);
    case 7:
      return `${random.pick(['tolower', 'req', 'md5', 'escape', 'nope'])}(${word(random, depth - 1)})`;
    case 8:
      return `${word(random, depth - 1)}${random.pick(['.', ' . '])}${word(random, depth - 1)}`;
    default: {
      const quote = random.pick(["'", '"']);
      return `${quote}${random.pick(['', 'a', 'a b', '/x', '%{TIME}', 'a%{req:X}b', '\\n', '\\101', 'x$1', '100%', '\\9'])}${quote}`;
    }
  }
}

function regex(random: Random): string {
  const pattern = random.pick(['x', '^a', '\\d+', 'a|b', '(a)', '[a-z]*', '(a', 'b+?', '']);
  return random.pick([`/${pattern}/`, `/${pattern}/i`, `m#${pattern}#`, `m,${pattern},i`, `m(${pattern})`]);
}
