import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'cache-ignore-session-ids' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('cache-ignore-session-ids', () => {
  it('leaves whole names alone, unknown ones, comments, variables', () => {
    const clean =
      'CacheIgnoreURLSessionIdentifiers jsessionid PHPSESSID\nCacheIgnoreURLSessionIdentifiers None\nCacheIgnoreURLSessionIdentifiers sid2 ${X} d id\n# CacheIgnoreURLSessionIdentifiers sessionid\nCacheIgnoreURLSessionIdentifiers sessionid jsessionid\n';
    assert.equal(marked(clean), clean);
  });

  it('adds what the part covered, when asked: odd case, twice, continued, with CR LF', () => {
    const text = 'cacheIGNOREurlSESSIONidentifiers sessionid\r\nCacheIgnoreURLSessionIdentifiers \\\r\n SESSID\r\n';
    assert.equal((marked(text).match(/warning cache-ignore-session-ids\/part suggestion/g) ?? []).length, 2);
    assert.equal(fix(text), text);
    assert.equal(
      fix(text, true),
      'cacheIGNOREurlSESSIONidentifiers sessionid jsessionid\r\nCacheIgnoreURLSessionIdentifiers \\\r\n SESSID PHPSESSID\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nCacheIgnoreURLSessionIdentifiers sessionid\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
