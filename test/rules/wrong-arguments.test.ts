import assert from 'node:assert/strict';
import { annotated, findingsIn } from '../support/rules';

const rule = { rule: 'wrong-arguments' };
const marked = (text: string) => annotated(text, rule);
const ids = (text: string) => findingsIn(text, rule).map(({ messageId }) => messageId);

describe('wrong-arguments', () => {
  it("quotes the name as httpd's command tables spell it", () => {
    const quoted = (text: string) => findingsIn(text, rule).map(({ serverText }) => serverText);
    assert.deepEqual(quoted('TIMEOUT\ndavLockDB\nlistenBackLog\n'), [
      'Timeout takes one argument',
      'DAVLockDB takes one argument',
      'ListenBacklog takes one argument',
    ]);
  });

  it('marks the line, what would be a comment, the word that is no switch', () => {
    assert.equal(
      marked(
        '<VirtualHost *:80>\n  ServerName a b\n  UseCanonicalName Off # no\n  ProxyRequests yes please\n</VirtualHost>\n',
      ),
      `<VirtualHost *:80>
  ServerName a b
# ^^^^^^^^^^^^^^ error wrong-arguments/one none
  UseCanonicalName Off # no
#                      ^^^^ error wrong-arguments/one none
  ProxyRequests yes please
#               ^^^ error wrong-arguments/on-or-off none
</VirtualHost>
`,
    );
  });

  const refused: Readonly<Record<string, readonly string[]>> = {
    one: [
      'ServerName',
      'ServerName a b',
      'ServerName ""',
      "ServerName ''",
      'ServerName "a" b',
      'ServerName "a"b',
      'DocumentRoot \t ',
    ],
    three: ['LuaInputFilter a /b', 'LuaInputFilter a /b c d', 'LuaInputFilter a "" c'],
    two: ['AcceptFilter http', 'AcceptFilter http none x', 'AcceptFilter "" none', 'AcceptFilter http ""'],
    'one-or-two': ['Alias', 'Alias "" /x', 'Alias /a /b /c', 'Alias /a "b" "c"'],
    'two-or-three': ['Action x', 'Action x /y virtual z'],
    'one-to-three': ['Redirect', 'Redirect a b c d'],
    'at-least-one': ['LogLevel', 'RemoteIPTrustedProxy ""'],
    'at-least-two': ['AddType', 'AddType text/html'],
    'on-or-off': [
      'ExtendedStatus',
      'ExtendedStatus yes',
      'ExtendedStatus "" on',
      'RewriteEngine 1',
      'rewriteengine Onn',
    ],
  };
  for (const [id, lines] of Object.entries(refused)) {
    for (const line of lines) it(`${line.trim()}: ${id}`, () => assert.deepEqual(ids(`${line}\n`), [id]));
  }

  const taken = [
    'ServerName a',
    'ServerName "a b"',
    "ServerName 'a \\' b'",
    'Alias /a "/b c"',
    'Alias /a ""',
    'Action x /y virtual',
    'DirectoryIndex a "" b',
    'AddType text/html ""',
    'ExtendedStatus oN',
    'ExtendedStatus "off',
    'ExtendedStatus Off whatever',
    '"ServerName" a',
    'ServerName \\\n a',
    'Redirect gone /x',
    'RewriteRule ^ "- \\" x"',
    // What is no command of 2.4, what reads its line itself, what only the values of variables
    // tell.
    'NoSuchThing',
    'Require',
    '# ServerName',
    'ServerName ${NAMES}',
    'ServerName a ${B}',
    'ServerName "${A}" \\\n b',
    'ServerName a b${C}',
    '<Macro x>\nServerName $a $b\n</Macro>',
    '<IfVersion < 2.4>\nServerName\n</IfVersion>',
  ];
  for (const line of taken) it(`${JSON.stringify(line)}: nothing`, () => assert.deepEqual(ids(`${line}\n`), []));

  it('counts across continuations, with CR LF, and in odd case', () => {
    assert.deepEqual(ids('serverNAME a \\\r\n  b\r\nALIAS\r\n'), ['one', 'one-or-two']);
  });

  it('tells the syntax and what httpd says', () => {
    const [{ message }] = findingsIn('ServerName a b\n', rule);
    assert.match(message, /Message of httpd: ServerName takes one argument$/);
    assert.match(message, /argument, not 2\n[^]*Syntax: `ServerName [^]*quotes/);
  });

  it('a rule that knows the directive has the word', () => {
    assert.deepEqual(
      findingsIn('KeepAlive 1\nIndexIgnore\n')
        .filter(({ severity }) => severity === 'error')
        .map((finding) => finding.rule.id),
      ['keep-alive-value', 'directive-without-arguments'],
    );
  });
});
