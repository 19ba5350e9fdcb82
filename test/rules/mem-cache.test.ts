import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'mem-cache' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('mem-cache', () => {
  it('leaves other caches alone, comments and variables', () => {
    const clean =
      'CacheEnable disk /\nCacheEnable ${TYPE} /\n# MCacheSize 1\nMCacheSizes 1\nCacheEnable\nCacheEnable memory /\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks the lines and the type, in odd case, in a virtual host', () => {
    assert.equal(
      marked('mcachesize 100\n<VirtualHost *>\n  cacheENABLE "fd" /x\n</VirtualHost>\n'),
      `mcachesize 100
#^^^^^^^^^^^^^ error mem-cache/mcache suggestion
<VirtualHost *>
  cacheENABLE "fd" /x
#             ^^^^ warning mem-cache/cache-enable suggestion
</VirtualHost>
`,
    );
  });

  it('does nothing unless asked', () => {
    const text = 'CacheEnable mem /\r\nMCacheSize \\\r\n 10\r\n';
    assert.equal(fix(text), text);
    assert.equal(fix(text, true), 'CacheEnable disk /\r\n');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfModule mod_mem_cache.c>\nCacheEnable mem /\nMCacheSize 1\n</IfModule>\n';
    assert.equal(marked(inactive), inactive);
  });
});
