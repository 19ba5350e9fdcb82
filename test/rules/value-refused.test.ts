import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'value-refused' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('value-refused', () => {
  const ids = (text: string) => findingsIn(text, rule).map(({ messageId, severity }) => `${severity} ${messageId}`);

  it('leaves what 2.4 reads alone, what 2.2 refused, comments, variables', () => {
    const clean = [
      'ServerTokens Prod',
      'ServerTokens minimal',
      'ServerTokens Full Off',
      'ServerTokens ${T}',
      'ServerTokens',
      'ServerName www.example.org:80',
      'ServerAlias *.example.org',
      'AuthUserFile /x',
      'AuthUserFile /x dbm',
      'AuthDigestAlgorithm MD5',
      'AuthDigestQop auth',
      'KeepAliveTimeout 15',
      'CacheDisable /private',
      'CacheDisable http://',
      '<Location /x>',
      'CacheDisable on',
      '</Location>',
      'KeepAliveTimeout 15s',
      'KeepAliveTimeout +5',
      'KeepAliveTimeout ${K}',
      'KeepAliveTimeout 5 x',
      'ProxyIOBufferSize 0',
      'ProxyIOBufferSize 512',
      'AllowOverride All',
      'AllowOverride Options=Indexes,All,none FileInfo',
      'AllowOverride Options=',
      'SSLCompression Off',
      'SSLEngine on',
      'AuthName "100% {sure}"',
      'AuthName "\\%{x}"',
      'AuthName "%{REMOTE_USER} %{env:A} %{ssl_protocol}"',
      'ErrorDocument 404 /x',
      'ErrorDocument 404',
      'SetHandler None',
      '# ServerTokens Off',
      'ErrorDocument 404 ${X}%{y}',
      '<Proxy *>',
      '</Proxy>',
      '',
    ].join('\n');
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('says what 2.2 read', () => {
    const rows = [
      ['sERVERtOKENS Off', 'sERVERtOKENS Full'],
      ['KeepAliveTimeout abc', 'KeepAliveTimeout 0'],
      ['KeepAliveTimeout 1.5', 'KeepAliveTimeout 1'],
      ['KeepAliveTimeout 15ms', 'KeepAliveTimeout 15'],
      ['KeepAliveTimeout "2h"', 'KeepAliveTimeout 2'],
      ['ProxyIOBufferSize 1', 'ProxyIOBufferSize 0'],
      ['ProxyIOBufferSize -5', 'ProxyIOBufferSize 0'],
      ['AuthGroupFile "/x y" standard', 'AuthGroupFile "/x y"'],
      ['AuthName a%{b}', 'AuthName a\\%{b}'],
      ['AuthName "%{a %{b}"', 'AuthName "\\%{a \\%{b}"'],
      ["SetHandler 'x%{}'", "SetHandler 'x\\%{}'"],
      ['ErrorDocument 404 "\\\r\n%{x}"', 'ErrorDocument 404 "\\\r\n\\%{x}"'],
      ['AuthType %{x}', 'AuthType \\%{x}'],
    ];
    for (const [before, after] of rows.filter(([text]) => !text.includes('\r')))
      assert.equal(fix(`${before}\r\n`), `${after}\r\n`, before);
    for (const unsafe of [false, true])
      assert.equal(fixed('AuthName "$1 a %{x} $2"\n', { unsafe }), 'AuthName "\\$1 a \\%{x} \\$2"\n');
    assert.equal(fix('AuthName "a \\\r\n%{x}"\r\n'), 'AuthName "a \\\r\n\\%{x}"\r\n');
    assert.equal(fix('AuthName "a \\"b\\" %{x}"\n'), 'AuthName "a \\"b\\" \\%{x}"\n');
    assert.equal(fix('ServerTokens \\\r\n  Off\r\n'), 'ServerTokens \\\r\n  Full\r\n');
  });

  it('leaves the rest to a person', () => {
    const rows = [
      ['AuthDigestAlgorithm MD5-sess', 'AuthDigestAlgorithm MD5'],
      ['AuthDigestQop auth auth-int', 'AuthDigestQop auth'],
      ['AuthDigestQop None', 'AuthDigestQop auth'],
      ['SSLCompression on', 'SSLCompression Off'],
      ['AllowOverride Options=-Indexes', 'AllowOverride Options=Indexes'],
      ['<VirtualHost *>\nServerName *.a\n</VirtualHost>', '<VirtualHost *>\nServerAlias *.a\n</VirtualHost>'],
    ];
    for (const [before, after] of rows) {
      assert.equal(fix(`${before}\n`), `${before}\n`);
      assert.equal(fix(`${before}\n`, true), `${after}\n`);
    }
  });

  it('goes by the release that is aimed at', () => {
    const at = (patch: number, words: string) =>
      findingsIn(`AuthDigestQop ${words}\n`, { ...rule, target: { major: 2, minor: 4, patch } }).length;
    assert.deepEqual([at(70, 'none'), at(71, 'none'), at(70, 'auth-int')], [0, 1, 0]);
  });

  it('refuses to fix what it cannot know', () => {
    for (const text of [
      'KeepAliveTimeout -1\n',
      'CGIDScriptTimeout abc\n',
      'ServerName *.a\n',
      'ServerName [::1]:80\n',
      'AllowOverride Options=Bogus\n',
      'AuthName "a\\b %{x}"\n',
      'AuthName "%{x} %{REMOTE_USER}"\n',
    ]) {
      assert.ok(ids(text).length === 1, text);
      assert.equal(fix(text, true), text);
    }
  });

  it('is an error, but for a unit, compression and optional TLS', () => {
    assert.deepEqual(
      findingsIn('SSLEngine optional\n', { ...rule, target: { major: 2, minor: 4, patch: 63 } }),
      [],
      'which 2.4.63 still had',
    );
    assert.deepEqual(ids('KeepAliveTimeout 2min\nSSLCompression On\nSSLEngine Optional\nServerTokens x\n'), [
      'warning unit',
      'warning compression',
      'warning ssl-optional',
      'error server-tokens',
    ]);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nServerTokens Off\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
