import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'ldap-trusted-client-cert' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('ldap-trusted-client-cert', () => {
  it('leaves those alone that are where they belong, comments, other directives', () => {
    const clean =
      '<Location />\nLDAPTrustedClientCert CERT_BASE64 /x\n</Location>\n<VirtualHost *>\n<Directory /x>\nLDAPTrustedClientCert CERT_BASE64 /x\n</Directory>\n</VirtualHost>\n<Macro m>\nLDAPTrustedClientCert CERT_BASE64 /x\n</Macro>\n# LDAPTrustedClientCert CERT_BASE64 /x\nLDAPTrustedGlobalCert CA_BASE64 /x\n';
    assert.equal(marked(clean), clean);
    assert.equal(
      fixed('LDAPTrustedClientCert CERT_BASE64 /x\n', { ...rule, file: '.htaccess', unsafe: true }),
      'LDAPTrustedClientCert CERT_BASE64 /x\n',
    );
  });

  it('puts the line into a location when asked: odd case, in a virtual host, continued, with CR LF', () => {
    const text = '<VirtualHost *>\r\n  ldapTRUSTEDclientCERT CERT_BASE64 \\\r\n  /x\r\n</VirtualHost>\r\n';
    assert.match(marked(text), /error ldap-trusted-client-cert\/not-allowed suggestion/);
    assert.equal(fix(text), text);
    assert.equal(
      fix(text, true),
      '<VirtualHost *>\r\n  <Location "/">\r\n      ldapTRUSTEDclientCERT CERT_BASE64 \\\r\n  /x\r\n  </Location>\r\n</VirtualHost>\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nLDAPTrustedClientCert CERT_BASE64 /x\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
