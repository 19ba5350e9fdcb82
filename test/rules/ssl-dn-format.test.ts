import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'ssl-dn-format' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('ssl-dn-format', () => {
  it('leaves parts of names alone, comments, other directives, and files that decide', () => {
    const clean = [
      'SSLUserName SSL_CLIENT_S_DN_CN\n',
      '# SSLUserName SSL_CLIENT_S_DN\n',
      'SSLUserName SSL_CLIENT_S_DNX\n',
      'SetEnv A SSL_CLIENT_S_DN\n',
      'SSLOptions +StdEnvVars +LegacyDNStringFormat\n<Location />\nSSLUserName SSL_CLIENT_S_DN\n</Location>\n',
    ];
    for (const text of clean) assert.equal(marked(text), text);
  });

  it('marks conditions, headers, logs, the user: in odd case, continued', () => {
    const lines = [
      'sslUSERname SSL_CLIENT_S_DN',
      'SSLRequire %{SSL_CLIENT_I_DN} eq "x"',
      'RewriteCond %{SSL:SSL_CLIENT_S_DN} x',
      'RequestHeader set A "%{SSL_SERVER_S_DN}s"',
      'CustomLog logs/x "%{SSL_CLIENT_S_DN}x"',
      'LogFormat \\\n"%{SSL_SERVER_I_DN}x" a',
    ];
    for (const line of lines)
      assert.match(marked(`<IfModule ssl_module>\n${line}\n</IfModule>\n`), /warning ssl-dn-format\/dn suggestion/);
  });

  it('keeps the old format when asked, once, with CR LF', () => {
    const text = 'A\r\n  SSLUserName SSL_CLIENT_S_DN\r\n';
    assert.equal(fix(text), text);
    assert.equal(fix(text, true), 'A\r\n  SSLOptions +LegacyDNStringFormat\r\n  SSLUserName SSL_CLIENT_S_DN\r\n');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nSSLUserName SSL_CLIENT_S_DN\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
