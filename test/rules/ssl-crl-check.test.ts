import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'ssl-crl-check' };
/** The answer that the server already runs 2.4. */
const RUNS_24 = { answerSet: { answers: new Map([['running-version', '2.4']]), folder: '' } };
const marked = (text: string) => annotated(text, rule);
/** In a whole configuration. */
const fix = (text: string) => fixed(`ServerRoot /srv\n${text}`, rule).replace('ServerRoot /srv\n', '');

describe('ssl-crl-check', () => {
  it('is silent where the file says whether lists are looked into, and about comments', () => {
    const clean = [
      'SSLCARevocationFile /x\nSSLCARevocationCheck none\n',
      '<VirtualHost *>\nSSLCARevocationPath /x\n</VirtualHost>\nSSLCARevocationCheck chain\n',
      'SSLProxyCARevocationPath /x\nSSLProxyCARevocationCheck leaf\n',
      '# SSLCARevocationFile /x\n',
    ];
    for (const text of clean) assert.equal(marked(text), text);
    assert.notEqual(
      marked('SSLCARevocationFile /x\nSSLProxyCARevocationCheck chain\n'),
      'SSLCARevocationFile /x\nSSLProxyCARevocationCheck chain\n',
    );
  });

  it('adds what 2.2 did, once for each server: odd case, continued, with CR LF, at the end of the file', () => {
    assert.equal(
      marked('sslcaREVOCATIONfile /x\n'),
      'sslcaREVOCATIONfile /x\n#^^^^^^^^^^^^^^^^^^^^^ warning ssl-crl-check/not-checked suggestion\n',
    );
    const check = 'SSLCARevocationCheck chain no_crl_for_cert_ok';
    assert.equal(
      fix('SSLCARevocationFile /a\r\n<VirtualHost *>\r\n  SSLCARevocationPath \\\r\n  /b\r\n</VirtualHost>'),
      `SSLCARevocationFile /a\r\n${check}\r\n<VirtualHost *>\r\n  SSLCARevocationPath \\\r\n  /b\r\n  ${check}\r\n</VirtualHost>`,
    );
    assert.equal(
      fix('SSLProxyCARevocationPath /a'),
      'SSLProxyCARevocationPath /a\nSSLProxyCARevocationCheck chain no_crl_for_cert_ok',
    );
  });

  it('adds it once for a file and a path', () => {
    const text = 'SSLCARevocationFile /a\nSSLCARevocationPath /b\n';
    assert.equal(fix(text).match(/SSLCARevocationCheck/g)?.length, 1);
  });

  it('leaves it to a person where another file may say it', () => {
    for (const text of ['SSLCARevocationFile /a\n', 'ServerRoot /srv\nInclude b.conf\nSSLCARevocationFile /a\n']) {
      assert.equal(fixed(text, rule), text);
      assert.equal(fixed(text, { ...rule, unsafe: true }), `${text}SSLCARevocationCheck chain no_crl_for_cert_ok\n`);
    }
    assert.equal(
      fixed('SSLCARevocationFile /a\n', { ...rule, assumeStandalone: true }),
      'SSLCARevocationFile /a\nSSLCARevocationCheck chain no_crl_for_cert_ok\n',
    );
  });

  it('is no safe fix on a server that already runs 2.4: it would reject certificates that are accepted now', () => {
    const text = 'ServerRoot /srv\nSSLCARevocationFile /a\n';
    for (const running of [{ accessSource: '2.4' }, { accessSource: '2.4.6' }, RUNS_24]) {
      const options = { ...rule, ...running };
      assert.match(annotated(text, options), /warning ssl-crl-check\/not-checked suggestion/);
      assert.equal(fixed(text, options), text);
      assert.equal(fixed(text, { ...options, unsafe: true }), `${text}SSLCARevocationCheck chain no_crl_for_cert_ok\n`);
    }
  });

  it('leaves it to a person before 2.4.21, which has only the stricter check', () => {
    const old = { ...rule, target: { major: 2, minor: 4, patch: 10 } };
    assert.equal(fixed('SSLCARevocationFile /a\n', old), 'SSLCARevocationFile /a\n');
    assert.equal(
      fixed('SSLCARevocationFile /a\n', { ...old, unsafe: true }),
      'SSLCARevocationFile /a\nSSLCARevocationCheck chain\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nSSLCARevocationFile /x\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
