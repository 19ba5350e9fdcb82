import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'scgi-path-info' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('scgi-path-info', () => {
  it('leaves other backends alone, comments, and files that set the variable', () => {
    const clean = [
      'ProxyPass /a http://b/scgi://\n',
      '# ProxyPass /a scgi://b/\n',
      'ProxyPass /a !\n',
      'SetEnvIf Request_URI . proxy-scgi-pathinfo\nProxyPass /a scgi://b/\n',
    ];
    for (const text of clean) assert.equal(marked(text), text);
  });

  it('marks the line and adds the variable when asked: odd case, twice, in sections, continued, with CR LF', () => {
    const text = 'pROXYpASS /a \\\r\n  scgi://b/\r\n<Location /c>\r\n  ProxyPass SCGI://d/\r\n</Location>\r\n';
    assert.equal((marked(text).match(/warning scgi-path-info\/path-info suggestion/g) ?? []).length, 2);
    assert.equal(fix(text), text);
    assert.equal(
      fix('  ProxyPassMatch ^/a scgi://b/\r\n', true),
      '  SetEnvIf Request_URI . proxy-scgi-pathinfo\r\n  ProxyPassMatch ^/a scgi://b/\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nProxyPass /a scgi://b/\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
