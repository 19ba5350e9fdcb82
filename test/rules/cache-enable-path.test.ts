import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'cache-enable-path' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('cache-enable-path', () => {
  it('is silent without a forward proxy, with a line for it, about other paths, comments, and conditions nobody knows', () => {
    const clean = [
      'CacheEnable disk /\n',
      'ProxyRequests Off\nCacheEnable disk /\n',
      'ProxyRequests On\nCacheEnable disk /\nCacheEnable disk http://\n',
      'ProxyRequests On\nCacheEnable disk /a\n',
      '# CacheEnable disk /\nProxyRequests On\n',
      '<IfDefine P>\nProxyRequests On\n</IfDefine>\nCacheEnable disk /\n',
      'ProxyRequests On\n<VirtualHost *>\nCacheEnable disk /\n</VirtualHost>\n',
    ];
    for (const text of clean) assert.equal(marked(text), text);
  });

  it('adds a line for the forward proxy when asked: odd case, in a virtual host, with CR LF', () => {
    const text = '<VirtualHost *>\r\n  cACHEeNABLE \\\r\n  disk /\r\n  PROXYREQUESTS on\r\n</VirtualHost>\r\n';
    assert.match(marked(text), /warning cache-enable-path\/path-only suggestion/);
    assert.equal(fix(text), text);
    assert.equal(
      fix(text, true),
      '<VirtualHost *>\r\n  cACHEeNABLE \\\r\n  disk /\r\n  CacheEnable disk http://\r\n  PROXYREQUESTS on\r\n</VirtualHost>\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nProxyRequests On\\nCacheEnable disk /\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
