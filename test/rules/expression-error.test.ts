import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const marked = (text: string, file?: string) => annotated(text, { rule: 'expression-error', file });

describe('expression-error', () => {
  it('shows the backslashes that keep a name of 2.2, and leaves them to a person', () => {
    const rule = { rule: 'expression-error' };
    for (const [before, after] of [
      ['Require user CORP\\8x', 'Require user CORP\\\\8x'],
      ['Require group a CORP\\9 b\\c', 'Require group a CORP\\\\9 b\\\\c'],
      ['Require ldap-user "CORP\\8x"', 'Require ldap-user "CORP\\\\8x"'],
    ] as const) {
      const [finding] = findingsIn(`${before}\n`, rule);
      assert.equal(finding?.help, `Write \`${after}\`.`);
      assert.equal(fixed(`${before}\n`, rule), `${before}\n`);
      assert.equal(fixed(`${before}\n`, { ...rule, unsafe: true }), `${after}\n`);
      assert.deepEqual(findingsIn(`${after}\n`, rule), []);
    }
    assert.deepEqual(findingsIn('Require expr "a" == "\\8"\n', rule)[0]?.fixes ?? [], []);
    const all = findingsIn('Require user %{x}\n');
    assert.deepEqual(
      all.map((each) => [each.rule.id, each.help, each.fixes[0]?.title]),
      [
        [
          'expression-error',
          '2.4 reads `%{…}` as a variable, and does not start if there is none. If it is part of a name, write `Require user \\%{x}`.',
          'Change %{x} to \\%{x}',
        ],
      ],
      'one problem, not one of each rule',
    );
  });

  it('leaves alone what the server parses, what it cannot know, comments, macros', () => {
    const clean = [
      '<If "%{HTTPS} == \'on\'">',
      '</If>',
      '<ElseIf true>',
      '</ElseIf>',
      '<Else>',
      '</Else>',
      '<Location "/x">',
      'Require expr %{REQUEST_URI} =~ m#^/x#',
      "Require expr \"req('X') == 'y'\"",
      'Require not expr true',
      'Require user %{REMOTE_USER}',
      'Require valid-user %{NOPE}',
      'Require ip %{NOPE}',
      'Redirect 301 "https://%{HTTP_HOST}/"',
      'Redirect "/x" "/%{NOPE}"',
      'Alias /srv/x',
      'SSLRequire %{SSL_CIPHER} !~ m/^NULL/',
      '</Location>',
      'Header set X "expr=%{REQUEST_URI}" "expr=%{HTTPS} == \'on\'"',
      'Header set X "%{NOPE}e"',
      'Header always unset X expr=true',
      'Header edit X expr=( y',
      'RequestHeader set X y env=z',
      'CustomLog logs/x common env=x',
      'SetEnvIfExpr "true" A',
      '<If "${COND}">',
      '</If>',
      '# <If nope>',
      'FilterProvider f p "true"',
      'FilterProvider f p Content-Type text/html',
      '<Macro M $c>',
      '<If "$c">',
      '</If>',
      '</Macro>',
      'Redirect /%{NOPE}',
      'AuthBasicFake off',
      'if [ ! "$HOST" ]; then',
      '<If "<%= @condition %>">',
      '</If>',
      '<If "%{SSL_NOPE} == \'x\'">',
      '</If>',
      '',
    ].join('\n');
    assert.equal(marked(clean), clean);
  });

  it('points at the place, also in quotes, with escapes, in a continued line', () => {
    const text = [
      '<If "%{REQUEST_URL} == \'x\'">',
      '#      ^^^^^^^^^^^ error expression-error/unknown-variable none',
      '</If>',
      '<iF "\\"a\\" == \\"b\\" nd true">',
      '#                   ^^ error expression-error/syntax none',
      '</If>',
      '<If \\',
      '  "true and \\',
      '  truth">',
      '# ^^^^^ error expression-error/syntax none',
      '</If>',
      '<If true and true>',
      '#   ^^^^^^^^^^^^^ error expression-error/quotes none',
      '</If>',
      'Header set X y "expr=%{HTTPS} == on"',
      '#                                ^^ error expression-error/syntax none',
      'Header always edit X a "expr=%{nope:X}"',
      '#                              ^^^^ error expression-error/unknown-function none',
      'CustomLog logs/x "%h" EXPR=-q\'x\'',
      '#                          ^^ error expression-error/unknown-operator none',
      '<Location "/x">',
      '  Require expr "%{REMOTE_ADDR} -ipmatch \'10.0.0.0/99\'"',
      '#                              ^^^^^^^^ error expression-error/subnet none',
      '  Require user %{NAME',
      '#                   ^ error expression-error/unterminated none',
      '  Redirect "https://%{HOST}/"',
      '#                     ^^^^ error expression-error/unknown-variable none',
      "  SSLRequire %{SSL_CIPHER} !~ 'x'",
      '#                             ^ error expression-error/syntax none',
      '</Location>',
      "<If \"%{req:'X'} == 'y'\">",
      '#          ^ error expression-error/jammed none',
      '</If>',
      '',
    ];
    const source = text.filter((row) => !/^# *\^/.test(row)).join('\n');
    assert.equal(marked(source), text.join('\n'));
    assert.equal(
      findingsIn(source.replaceAll('\n', '\r\n'), { rule: 'expression-error' }).length,
      text.filter((row) => /^# *\^/.test(row)).length,
    );
  });

  it('counts the arguments that the server does not count by itself', () => {
    const ids = (text: string) => findingsIn(text, { rule: 'expression-error' }).map(({ messageId }) => messageId);
    assert.deepEqual(ids('<If>\n</If>\n<ElseIf >\n</ElseIf>\n<Else x>\n</Else>\n'), [
      'arguments',
      'arguments',
      'arguments',
    ]);
    assert.deepEqual(ids('SetEnvIfExpr "true"\nProxyHCExpr a\nProxyHCExpr\n'), ['arguments', 'arguments', 'arguments']);
    assert.deepEqual(ids('SetEnvIfExpr "bad"\n'), ['syntax']);
    assert.deepEqual(ids('<If "true">\n</If>\n<Else>\n</Else>\nSetEnvIfExpr "true" A\nProxyHCExpr a {true}\n'), []);
  });

  it('reads the braces of a health check', () => {
    const text = [
      "ProxyHCExpr ok {%{REQUEST_STATUS} =~ /^[234]{1}/ && hc('body') != ''}",
      "ProxyHCExpr bad {%{REQUEST_STATE} == '200'}",
      '#                  ^^^^^^^^^^^^^ error expression-error/unknown-variable none',
      'ProxyHCExpr worse "{true}"',
      '#                  ^ error expression-error/syntax none',
      '',
    ];
    const source = text.filter((row) => !/^# *\^/.test(row)).join('\n');
    assert.equal(marked(source), text.join('\n'));
  });

  it('knows what a .htaccess may not, and says what happens there', () => {
    const [finding] = findingsIn("<If \"file('/x') == ''\">\n</If>\n", { rule: 'expression-error', file: '.htaccess' });
    assert.equal(finding.messageId, 'restricted');
    assert.match(
      finding.message,
      /requests get 500\.[^]*\nMessage of httpd: file not available in restricted context$/,
    );
    assert.deepEqual(findingsIn("<If \"file('/x') == ''\">\n</If>\n", { rule: 'expression-error' }), []);
  });

  it('guesses what was meant', () => {
    const message = (condition: string) =>
      findingsIn(`<If "${condition}">\n</If>\n`, { rule: 'expression-error' })[0].message;
    assert.match(message("%{REQEST_URI} == 'x'"), /Did you mean `REQUEST_URI`\?/);
    assert.match(message("tolowr('x') == 'x'"), /Did you mean `tolower`\?/);
    assert.match(message("'a' -strmach 'x'"), /Did you mean `-strmatch`\?/);
    assert.match(message('%{req} == 1'), /is a function/);
    assert.match(message("%{REQUEST_URI} =~ '^/x'"), /m#\^\/app#/);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\n<If nope nope>\n</If>\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
