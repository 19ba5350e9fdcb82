import assert from 'node:assert/strict';
import { fixesOf } from '../../server/src/analysis/fixes';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'ssl-protocol-sslv2' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('ssl-protocol-sslv2', () => {
  it('leaves lines alone that do not switch SSLv2 or SSLv3 on', () => {
    const clean =
      'SSLProtocol all -SSLv2\nSSLProtocol all\nSSLProxyProtocol -all +TLSv1 -sslv2 -SSLv3\n# SSLProtocol +SSLv2\nSSLProtocol\nSSLProtocol SSLv23\nSSLCipherSuite ALL:+SSLv2\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks the word, in any case, with a sign and without, twice in a line and in a file', () => {
    assert.equal(
      marked('SSLProtocol all +SSLv2\n<VirtualHost *:443>\n  sslPROXYprotocol SSLV2 +sslv2 TLSv1.2\n</VirtualHost>\n'),
      `SSLProtocol all +SSLv2
#               ^^^^^^ error ssl-protocol-sslv2/sslv2 safe
<VirtualHost *:443>
  sslPROXYprotocol SSLV2 +sslv2 TLSv1.2
#                  ^^^^^ error ssl-protocol-sslv2/sslv2 safe
#                        ^^^^^^ error ssl-protocol-sslv2/sslv2 safe
</VirtualHost>
`,
    );
    assert.equal(
      fix('SSLProtocol all +SSLv2\n<VirtualHost *:443>\n  sslPROXYprotocol SSLV2 +sslv2 TLSv1.2\n</VirtualHost>\n'),
      'SSLProtocol all\n<VirtualHost *:443>\n  sslPROXYprotocol TLSv1.2\n</VirtualHost>\n',
    );
  });

  it('keeps exactly the other protocols', () => {
    const rows = [
      ['-all +SSLv2 +TLSv1.2', '-all +TLSv1.2'],
      ['SSLv2 +TLSv1.2', '+TLSv1.2'],
      // A word without a sign forgets the words before it.
      ['+TLSv1.2 SSLv2 +TLSv1.3', '+TLSv1.3'],
      ['all SSLv2 TLSv1.2', 'all TLSv1.2'],
      ['all -SSLv2 +SSLv2', 'all -SSLv2'],
      ['"+SSLv2" TLSv1.2', 'TLSv1.2'],
      ['+SSLv2  +TLSv1.2   +TLSv1.3', ' +TLSv1.2   +TLSv1.3'],
    ];
    for (const [before, after] of rows) assert.equal(fix(`SSLProtocol ${before}\n`), `SSLProtocol ${after}\n`, before);
  });

  it('leaves to a person what would leave nothing, or what it cannot read', () => {
    for (const words of ['SSLv2', '+TLSv1 SSLv2', '-all +SSLv2', '+SSLv2 -SSLv2']) {
      assert.equal(fix(`SSLProtocol ${words}\n`), `SSLProtocol ${words}\n`, words);
      assert.equal(fix(`SSLProtocol ${words}\n`, true), '', words);
    }
    for (const [words, rest] of [
      ['${MORE} +SSLv2', '${MORE}'],
      ['+SSLv2 +TLSv9', '+TLSv9'],
    ]) {
      assert.equal(fix(`SSLProtocol ${words}\n`), `SSLProtocol ${words}\n`, words);
      assert.equal(fix(`SSLProtocol ${words}\n`, true), `SSLProtocol ${rest}\n`, words);
    }
  });

  it('does not leave TLS 1.0 and 1.1 alone, which fail with OpenSSL 3', () => {
    for (const words of ['-all +SSLv2 +TLSv1', 'SSLv2 TLSv1.1', '+TLSv1 SSLv2 +TLSv1 +TLSv1.1', 'SSLv2 SSLv3 TLSv1']) {
      assert.equal(fix(`SSLProtocol ${words}\n`), `SSLProtocol ${words}\n`, words);
      assert.equal(fix(`SSLProtocol ${words}\n`, true), 'SSLProtocol all -SSLv3\n', words);
    }
    const [{ fix: only } = {}, ...others] = fixesOf(findingsIn('SSLProxyProtocol -all +SSLv2 +TLSv1\n', rule)[0]);
    assert.equal(only?.title, 'Change -all +SSLv2 +TLSv1 to all -SSLv3 in SSLProxyProtocol');
    assert.match(only?.assumes ?? '', /^httpd may use all versions of TLS .* to backends$/);
    assert.equal(others.length, 0);
  });

  it('warns of SSLv3, which OpenSSL may not have, and leaves it to a person', () => {
    const text = 'SSLProtocol -ALL +SSLv3 +TLSv1\nSSLProxyProtocol SSLv3\n';
    assert.deepEqual(
      findingsIn(text, rule).map(({ messageId, severity }) => [messageId, severity]),
      [
        ['sslv3', 'warning'],
        ['sslv3', 'warning'],
      ],
    );
    assert.equal(fix(text), text);
    assert.equal(fix(text, true), 'SSLProtocol all -SSLv3\n');
    assert.equal(fix('SSLProtocol -all +SSLv2 +SSLv3\n'), 'SSLProtocol -all +SSLv3\n');
    assert.equal(fix('SSLProtocol SSLv2 SSLv3\n', true), '');
  });

  it('fixes a continued line, and one with CR LF', () => {
    assert.equal(fix('SSLProtocol -all \\\n  +SSLv2 \\\n  +TLSv1.2\n'), 'SSLProtocol -all \\\n  +TLSv1.2\n');
    assert.equal(fix('SSLProtocol +TLSv1.2 \\\r\n  +SSLv2\r\nTimeout 5\r\n'), 'SSLProtocol +TLSv1.2\r\nTimeout 5\r\n');
    assert.equal(fix('SSLProtocol \\\n  +SSLv2 \\\n  +TLSv1.2\n'), 'SSLProtocol \\\n  +TLSv1.2\n');
    assert.equal(fix('"SSLProtocol" +SSLv2 +TLSv1.2\n'), '"SSLProtocol" +TLSv1.2\n');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nSSLProtocol +SSLv2\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
