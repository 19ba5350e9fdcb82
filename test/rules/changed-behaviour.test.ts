import assert from 'node:assert/strict';
import { annotated, findingsIn } from '../support/rules';

const rule = { rule: 'changed-behaviour' };
const ids = (text: string) => findingsIn(text, rule).map(({ messageId, severity }) => `${severity} ${messageId}`);

describe('changed-behaviour', () => {
  it('marks the line that gives cause, in odd case and in sections', () => {
    assert.equal(
      annotated('<Directory /x>\n  iNDEXoPTIONS +FancyIndexing +scanHTMLtitles\n</Directory>\n', rule),
      `<Directory /x>\n  iNDEXoPTIONS +FancyIndexing +scanHTMLtitles\n# ${'^'.repeat(43)} hint changed-behaviour/xhtml none\n</Directory>\n`,
    );
  });

  it('has a hint for each', () => {
    for (const [line, id] of [
      ['DavLockDB /x', 'dav-lock-db'],
      ['CacheRoot /var/cache', 'cache-disk'],
      ['Substitute s/a/b/', 'substitute-length'],
      ['ErrorDocument 404 /error/HTTP_NOT_FOUND.html.var', 'error-documents'],
    ])
      assert.deepEqual(ids(`${line}\n`), [`hint ${id}`], line);
  });

  it('blames the format of the cache, whatever CacheDirLevels is', () => {
    for (const text of ['CacheRoot /var/cache\n', 'CacheRoot /var/cache\nCacheDirLevels 2\n'])
      for (const { message } of findingsIn(text, rule)) assert.ok(!/CacheDirLevels/.test(message), message);
  });

  it('says once of many lines what they share, of each section', () => {
    const pages = 'ErrorDocument 403 /error/a.var\nErrorDocument 404 /error/b.var\n';
    const found = findingsIn(`${pages}<Directory /x>\n${pages}</Directory>\nDavLockDB /x\n`, rule);
    assert.deepEqual(
      found.map(({ messageId, places = [] }) => [messageId, places.length]),
      [
        ['error-documents', 1],
        ['error-documents', 1],
        ['dav-lock-db', 0],
      ],
    );
  });

  it('leaves other lines alone, comments, what is not read, and files that load what only 2.4 has', () => {
    for (const text of [
      'IndexOptions -ScanHTMLTitles\n',
      'ErrorDocument 404 /missing.html\n',
      'ErrorDocument 404\n',
      '# DavLockDB /x\n',
      '<IfVersion < 2.4>\nDavLockDB /x\n</IfVersion>\n',
      'LoadModule unixd_module modules/mod_unixd.so\nDavLockDB /x\n',
    ])
      assert.deepEqual(ids(text), [], text);
  });

  it('knows the error pages of httpd by their names', () => {
    const count = (line: string) => findingsIn(line, { rule: 'changed-behaviour' }).length;
    assert.equal(count('ErrorDocument 404 /error/HTTP_NOT_FOUND.html.var\n'), 1);
    assert.equal(count('ErrorDocument 404 /error/404\n'), 0);
    assert.equal(count('ErrorDocument 404 /error/404.html\n'), 0);
  });
});
