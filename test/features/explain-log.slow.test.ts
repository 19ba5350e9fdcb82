/** Lines of real logs: each is answered by its code or all its words, never by one word in it. */
import assert from 'node:assert/strict';
import { explain } from '../../server/src/features/explain';
import { serverMessages } from '../../server/src/directives/messages';
import { parseLogLine } from '../../server/src/features/log-line';
import { LogReader } from '../../server/src/features/log-summary';
import { ALL_RULES } from '../../server/src/rules/all';
import { thirdPartyAdvice } from '../../server/src/rules/third-party-module';

const rules = ALL_RULES.map(({ id, title }) => ({ id, title, page: () => title }));

/** The lead of a line of 2.4. */
const lead = (module: string, level = 'error'): string =>
  `[Wed Oct 11 14:32:52.123456 2023] [${module}:${level}] [pid 35708:tid 4328636416] [client 192.0.2.7:5000] `;

/** The lead of a line of 2.2. */
const LEAD_22 = '[Wed Oct 11 14:32:52 2023] [error] [client 192.0.2.7] ';

/** What is pasted, the title of the answer, and words that the answer must have. */
const ROWS: readonly (readonly [pasted: string, title: string, says: RegExp])[] = [
  [
    `${lead('core', 'alert')}/srv/a/.htaccess: order takes one argument, 'allow,deny', 'deny,allow', or 'mutual-failure'`,
    'Order',
    /rejected an? `Order` line in `\/srv\/a\/\.htaccess`/,
  ],
  ["/srv/a/.htaccess: order takes one argument, 'allow,deny'", 'Order', /get 500/],
  [
    `${lead('core', 'alert')}/srv/a/.htaccess: </Files> without matching <Files> section`,
    '… without matching … section',
    /^Requests get 500: a closing tag/m,
  ],
  [`${lead('core', 'alert')}/srv/a/.htaccess: RewriteCond: bad flag delimiters`, 'RewriteCond', /rejected/],
  [`${lead('core', 'alert')}/srv/a/.htaccess: something new`, 'httpd rejected a line', /something new/],
  [
    `${lead('core', 'alert')}/srv/a/.htaccess: Option Indexes not allowed here`,
    'Option … not allowed here',
    /AllowOverride Options=/,
  ],
  // Lines of 2.2 have no code: the same words occur in several modules.
  [`${LEAD_22}disk_cache: could not create header file /srv/c`, 'A message of httpd', /does not know/],
  [`${LEAD_22}DBD: Failed to create thread mutex`, 'A message of httpd', /does not know/],
  [
    `${LEAD_22}client denied by server configuration: /srv/a`,
    'A denied request in a log of 2.2',
    /^httpd 2\.2 denied/m,
  ],
  [
    '[Wed Oct 11 14:32:52 2023] [warn] NameVirtualHost *:80 has no VirtualHosts',
    'NameVirtualHost … has no VirtualHosts',
    /no `<VirtualHost>` line has/,
  ],
  [
    '[11/Oct/2023:14:32:52 +0200] error 192.0.2.7 AH01630: client denied by server configuration: /a',
    'AH01630',
    /Require/,
  ],
  [
    `${lead('php')}PHP Warning:  see AH01630: x in /srv/b.php on line 3`,
    'PHP reports an error in a program',
    /PHP wrote/,
  ],
  [`${lead('mod_python')}make_obcallback: x`, 'A message of mod_python', /`mod_python` wrote/],
  [`${LEAD_22}Invalid Content-Length '+5'`, 'AH01587', /400/],
  [`${LEAD_22}error reading response from OCSP server`, 'A message of httpd', /does not know/],
  [`${LEAD_22}Depth must be zero for UPDATE with a version`, 'A message of httpd', /does not know/],
  ['Depth must be zero for UPDATE with a version', 'A message of httpd', /does not know/],
  ['KrbFoo must be On or Off', 'httpd rejected a line', /Correct the arguments/],
  ['KrbFoo requires at least two arguments', 'httpd rejected a line', /Correct the arguments/],
  [`${LEAD_22}Access to /srv/a denied for 192.0.2.7 (requirement expression not fulfilled)`, 'AH02266', /SSLRequire/],
  ['RewriteMap: file for map m not found:/srv/m.txt', 'RewriteMap', /rejected/],
  [
    'AH00526: Syntax error on line 7 of /etc/httpd/a.conf:\nRewriteMap: file for map m not found:/srv/m.txt',
    'RewriteMap',
    /`\/etc\/httpd\/a\.conf:7`/,
  ],
  [
    `${lead('authnz_ldap', 'info')}AH01695: auth_ldap authenticate: user u authentication failed; URI / [User not found][No such object]`,
    'AH01695',
    /401/,
  ],
  [
    `${lead('rewrite')}AH00670: Options FollowSymLinks and SymLinksIfOwnerMatch are both off, so the RewriteRule directive is also forbidden due to its similar ability to circumvent directory restrictions : /srv/a`,
    'AH00670',
    /FollowSymLinks/,
  ],
  [`${lead('authn_file')}AH01620: Could not open password file: /srv/p`, 'AH01620', /500/],
  [`${lead('cgid')}AH01262: stderr from /srv/a.cgi: Options ExecCGI is off in this directory`, 'AH01262', /\+ExecCGI/],
  [`${lead('cgid')}AH01264: stderr from /srv/a.cgi: script not found or unable to stat`, 'AH01264', /404/],
  [
    `${lead('include')}AH01337: Could not parse expr "$X = /a/" in /srv/a.shtml: syntax error`,
    'AH01337',
    /SSILegacyExprParser/,
  ],
  [
    `${lead('ssl')}AH02411: SSL Proxy: Peer certificate does not match for hostname 127.0.0.1`,
    'AH02411',
    /SSLProxyCheckPeerName/,
  ],
  [
    `${lead('ssl')}AH02005: SSL Proxy: Peer certificate CN mismatch: Certificate CN: a Requested hostname: b`,
    'AH02005',
    /CheckPeerCN/,
  ],
  [`${lead('ssl')}AH02004: SSL Proxy: Peer certificate is expired`, 'AH02004', /CheckPeerExpire/],
  [`${lead('foo')}AH99998: password not found, 404 forbidden .htaccess php`, 'AH99998', /does not know/],
  [`${lead('lua')}error 403 forbidden in .htaccess, php login not found`, 'A message of mod_lua', /does not know/],
  ['[Wed Oct 11 14:32:52 2000] [error] [client 127.0.0.1] File does not exist: /srv/403', 'AH00128', /404/],
  ['[Wed Oct 11 14:32:52 2000] [error] something forbidden in .htaccess', 'A message of httpd', /does not know/],
  ['192.0.2.1 - - [10/Oct/2020:13:55:36 -0700] "GET /404 HTTP/1.1" 200 2326', 'Status 200', /succeeded/],
  [
    '192.0.2.1 - - [10/Oct/2020:13:55:36 -0700] "GET /404 HTTP/1.1" 403 2326',
    '403 Forbidden after the upgrade',
    /AH01630/,
  ],
];

describe('explain a line of a log', () => {
  for (const [pasted, title, says] of ROWS)
    it(pasted.slice(0, 150), () => {
      const found = explain(pasted, { rules, adviceFor: thirdPartyAdvice });
      assert.ok('markdown' in found, JSON.stringify(found));
      assert.equal(found.title, title);
      assert.match(found.markdown, says);
    });

  const DENIED = 'AH01630: client denied by server configuration: /a';
  const LEAD = '[Wed Oct 11 14:32:52.1 2023] [authz_core:error] [pid 1] ';
  /** The same line as other programs and formats write it. */
  const SAME: readonly (readonly [line: string, level: string | undefined, client?: string])[] = [
    [`[2026-11-26 17:19:02.123456] [authz_core:error] [pid 1:tid 2] [client ::1:5000] ${DENIED}`, 'error', '::1:5000'],
    [`2026-11-26 17:19:02.1 [authz_core:error] [client 2001:db8::1:5000] ${DENIED}`, 'error', '2001:db8::1:5000'],
    [`[Wed Oct 11 14:32:52.1 2023] [-:error] [pid 1] ${DENIED}`, 'error'],
    [`[Wed Oct 11 14:32:52.1 2023] [authz_core:error] [R:a] [C:b] (13)Permission denied: ${DENIED}`, 'error'],
    [`[Wed Oct 11 14:32:52.1 2023] [www.example.org:443] [authz_core:error] ${DENIED}`, 'error'],
    [`[Wed Oct 11 14:32:52.1 2023] [authz_core:error] [client [::1]:443] ${DENIED}`, 'error', '[::1]:443'],
    [`[Mi Okt 11 14:32:52.1 2023] [authz_core:error] [pid 1] ${DENIED}`, 'error'],
    [`Oct 11 14:32:52.123456 web1 httpd[123]: ${DENIED}`, undefined],
    [`2023-10-11T14:32:52.1+02:00 web1 apachectl[123]: ${DENIED}`, undefined],
    [`<187>Oct 11 14:32:52 web1 httpd: ${LEAD}${DENIED}`, 'error'],
    [`<187>1 2023-10-11T14:32:52.1Z web1 httpd 123 - - [authz_core:error] ${DENIED}`, 'error'],
    [`web-1  | ${LEAD}${DENIED}`, 'error'],
    [`2023-10-11T14:32:52.123456789Z ${LEAD}${DENIED}`, 'error'],
    [`2023-10-11T14:32:52.1Z stderr F ${LEAD}${DENIED}`, 'error'],
    [`{"log":"${LEAD}[client 192.0.2.1:5] ${DENIED} \\"a\\"\\n","stream":"stderr"}`, 'error', '192.0.2.1:5'],
    [`error.log:12:${LEAD}${DENIED}`, 'error'],
    [`/var/log/apache2/error.log:${LEAD}${DENIED}`, 'error'],
    [`{ "time":"2026-11-26 17:19:02.1", "level":"error", "message":"${DENIED}" }`, 'error'],
    [`time=x level=error msg="${DENIED}"`, 'error'],
    [`2026-11-26 17:19:02|error|authz_core|192.0.2.1:5|(13)Permission denied: ${DENIED}`, 'error'],
    [`2026-11-26 17:19:02,123 fail2ban.filter: ${LEAD}[client 192.0.2.1:5] ${DENIED}`, 'error', '192.0.2.1:5'],
    [`${LEAD}${DENIED}, referer http://www.example.org/AH01797: x`, 'error'],
    [`${LEAD}mod_authz_core.c(817): [client 192.0.2.1:5] ${DENIED}\r`, 'error', '192.0.2.1:5'],
  ];
  for (const [line, level, client] of SAME)
    it(`in another form: ${line.slice(0, 80)}`, () => {
      const parsed = parseLogLine(line);
      assert.deepEqual([parsed.code, parsed.level, parsed.client], ['AH01630', level, client]);
      assert.match(parsed.message, /^client denied by server configuration: \/a/);
      assert.doesNotMatch(parsed.message, /referer|AH01797/);
    });

  it('takes only the code of the line itself', () => {
    for (const [line, title] of [
      [`${lead('cgi')}AH01215: AH01630: client denied by server configuration: /x: /srv/a.cgi`, 'AH01215'],
      [`${lead('lua')}a script wrote "AH01630: client denied"`, 'A message of mod_lua'],
      [`${lead('foo')}AH99999: client denied by server configuration: /x`, 'AH99999'],
      ['192.0.2.1 - - [10/Oct/2020:13:55:36 -0700] "GET /AH01797: HTTP/1.1" 200 2 "-" "AH01630: x"', 'Status 200'],
      [
        '[Wed Oct 11 14:32:52 2000] [error] (EAI 2)Name or service not known: AH00547: Could not resolve host name x -- ignoring!',
        'AH00547',
      ],
      [`${lead('watchdog', 'debug')}mod_watchdog.c(445): AH010033: Watchdog: Running`, 'AH010033'],
    ] as const)
      assert.equal((explain(line, { rules }) as { title: string }).title, title, line);
  });

  it('takes nothing of other modules for a message of httpd', () => {
    const module24 = (line: string): string => `[Wed Oct 11 14:32:52.1 2023] ${line}`;
    for (const line of [
      module24('[wsgi:error] [pid 1] [client 192.0.2.1:5] File does not exist: /x'),
      module24('[php7:notice] [pid 1] value returned by foo'),
      module24('[:error] [pid 1] [client 192.0.2.1:5] Database connection was not closed.'),
      module24('[lua:error] [pid 1] Expected 5 but saw 6'),
      module24('[perl:error] [pid 1] Illegal option foo'),
      module24('[passenger:error] [pid 1] this is not allowed here'),
      '[Wed Oct 11 14:32:52 2011] [error] [client 192.0.2.1] number returned by foo',
      '[Wed Oct 11 14:32:52 2011] [error] [client 192.0.2.1] access to / failed, reason: require directives present and no Authoritative handler.',
      'AH99998: Connection was not closed.',
    ]) {
      const found = explain(line, { rules });
      assert.ok('markdown' in found && found.isUnknown, line);
    }
  });

  it('reads .htaccess files of other names and on Windows', () => {
    for (const file of ['C:/Program Files/Apache/.htaccess', 'C:\\www\\.htaccess', '/srv/a b/_acl']) {
      const { isHtaccess, file: found, message } = parseLogLine(`${lead('core', 'alert')}${file}: Invalid command 'x'`);
      assert.deepEqual([isHtaccess, found, message], [true, file, "Invalid command 'x'"]);
    }
  });

  it('takes its parts apart', () => {
    const rows: readonly (readonly [string, Record<string, unknown>])[] = [
      [
        '[Wed Oct 11 14:32:52 2000] [error] [client 127.0.0.1] File does not exist: /x',
        { time: 'Wed Oct 11 14:32:52 2000', level: 'error', client: '127.0.0.1', message: 'File does not exist: /x' },
      ],
      [
        '\u001b[31mOct 11 14:32:52 web1 httpd[12]: [ssl:warn] [pid 3:tid 4] (2)No such file: AH01909: x\u001b[0m\r',
        { time: 'Oct 11 14:32:52', level: 'warn', module: 'ssl', pid: '3', code: 'AH01909', message: 'x' },
      ],
      [
        `${lead('core')}AH00128: File does not exist: /x, referer: http://a/`,
        {
          time: 'Wed Oct 11 14:32:52.123456 2023',
          level: 'error',
          module: 'core',
          pid: '35708',
          client: '192.0.2.7:5000',
          code: 'AH00128',
          message: 'File does not exist: /x',
        },
      ],
      [
        'apache2: Syntax error on line 3 of /a b.conf: Syntax error on line 9 of /c.conf: KeepAlive must be On or Off',
        { file: '/c.conf', line: 9, message: 'KeepAlive must be On or Off' },
      ],
      ['-- Logs begin at Mon. --', { message: '-- Logs begin at Mon. --' }],
    ];
    for (const [text, wanted] of rows) {
      const { isFromLog: _, ...parts } = parseLogLine(text);
      assert.deepEqual(parts, wanted);
    }
  });

  it('knows each code of the table by the code, and its words without it', () => {
    for (const { code, text, isSymptom, isOfRequest } of serverMessages()) {
      if (isSymptom || code === 'AH00526') continue;
      const said = text.replaceAll('…', 'x403 not found .htaccess');
      const before = code === undefined && !isOfRequest ? 'AH00526: Syntax error on line 3 of /a.conf:\n' : lead('foo');
      const line = `${before}${code === undefined ? '' : `${code}: `}${said}`;
      const found = explain(line, { rules });
      assert.ok('markdown' in found && found.isUnknown !== true, line);
      if (code !== undefined) assert.equal(found.title, code);
    }
  });

  it('finds a known line among any number of lines that are not', () => {
    const reader = new LogReader({ rules });
    for (let i = 0; i < 12_000; i += 1)
      reader.readLine(
        `[Wed Oct 11 14:32:52.1 2023] [foo:error] a${i.toString(26).replace(/\d/g, 'x')}${'y'.repeat(i % 97)}`,
      );
    reader.readLine(`${LEAD}${DENIED}`);
    const { lines, kinds } = reader.summary();
    assert.equal(lines, 12_001);
    assert.ok(kinds.length < 1100, String(kinds.length));
    assert.equal(kinds.filter(({ id }) => id === 'AH01630').length, 1);
  });

  it('does not read a number before a colon as the name of a directive', () => {
    const reader = new LogReader({ rules });
    reader.readLine("0:  '(13)Permission denied'");
    assert.deepEqual(
      reader.summary().kinds.map(({ id, isKnown }) => [id, isKnown]),
      [['A message of httpd', false]],
    );
  });

  it('keeps a syntax error apart from a line with a date after it', () => {
    const reader = new LogReader({ rules });
    for (const line of ['AH00526: Syntax error on line 3 of /a.conf:', `${LEAD}${DENIED}`, '==> error.log <=='])
      reader.readLine(line);
    const { lines, kinds } = reader.summary();
    assert.deepEqual([lines, kinds.map(({ id }) => id).sort()], [2, ['AH00526', 'AH01630']]);
  });

  it('knows the words of the upgrade notes', () => {
    for (const word of [
      ...['DebugLevel', 'trace7', '#if expr', '#if expr=', 'LegacyDNStringFormat', 'SSLv2', 'StrictRequire'],
      ...[
        'On',
        'Off',
        'sessionid',
        'jsessionid',
        '/bin/sh -c',
        '*_DN',
        '<set>',
        'src/CHANGES',
        'configure',
        '.htaccess',
      ],
      ...['Require dbm-group ...', 'event', 'none', 'PATH_INFO', 'proxy-scgi-pathinfo', 'htpasswd', 'mod_unixd'],
    ])
      assert.ok('markdown' in explain(word, { rules }), word);
  });

  // A line of any length costs what its beginning costs: what is beyond it changes nothing.
  it('reads no more than the beginning of a hostile line', () => {
    for (const piece of [
      '[',
      '[a] ',
      '(1)',
      'httpd: ',
      '"\\',
      'Syntax error on line 1 of a: ',
      'AH00526: ',
      'a/',
      '\u001b[',
    ])
      assert.deepEqual(
        explain(piece.repeat(200_000), { rules }),
        explain(`${piece.repeat(200_000)}x`, { rules }),
        piece,
      );
  });
});
