import assert from 'node:assert/strict';
import { parseTarget } from '../../server/src/config/target';
import { findingsIn, fixed } from '../support/rules';

const rule = { rule: 'rewrite-target' };
const ids = (text: string, more: object = {}) =>
  findingsIn(`${text}\n`, { ...rule, ...more }).map(({ messageId }) => messageId);
const of = (patch: string) => ({ target: parseTarget(patch)! });

describe('rewrite-target', () => {
  it('finds a part of the URL in the query string that may have a space', () => {
    for (const target of ['/p?x=$1', '/p?x=$1&y=2', 'p?x=$0', '/p?x=%{REQUEST_URI}', '/$1?x=$1'])
      assert.deepEqual(ids(`RewriteRule ^/q/(.*)$ ${target} [L]`), ['space'], target);
    for (const pattern of ['^/q/(.+)', '^/q/([^/]+)', '^/q/(?:a|b)/(\\S* )', '^/(\\D+)/', '^/(a|(?:b|.))'])
      assert.deepEqual(ids(`RewriteRule "${pattern}" /p?x=$1`), ['space'], pattern);
  });

  it('says nothing where no space gets there, or where it is escaped', () => {
    for (const line of [
      'RewriteRule ^/q/(.*)$ /p?x=$1 [B]',
      'RewriteRule ^/q/(.*)$ /p?x=$1 [BCTLS,L]',
      'RewriteRule ^/q/(.*)$ /p?x=$1 [F]',
      'RewriteRule ^/q/(.*)$ http://o.test/?x=$1',
      'RewriteRule ^/q/(.*)$ /?x=$1 [R]',
      'RewriteRule ^/q/([0-9]+)$ /p?x=$1',
      'RewriteRule ^/q/([\\w-]+)/.* /p?x=$1',
      'RewriteRule ^/q/(.*)/(\\d+)$ /p?x=$2',
      'RewriteRule ^/q/([^/\\s?]+)$ /p?x=$1',
      'RewriteRule ^/q/(.*)$ /p?x=${map:$1}',
      'RewriteRule ^/q/(.*)$ /p?x=%1',
      'RewriteRule !^/q/(.*)$ /p?x=1',
      'RewriteRule ^/q/(.*)$ -',
      '# RewriteRule ^/q/(.*)$ /p?x=$1',
    ])
      assert.deepEqual(ids(line), [], line);
    assert.deepEqual(ids('RewriteRule ^/q/(.*)$ /?x=$1 [R,NE]'), ['space']);
  });

  it('adds B where it escapes nothing else', () => {
    const fix = (line: string) => fixed(`${line}\n`, { ...rule, unsafe: true }).trimEnd();
    assert.equal(fix('RewriteRule ^q/(.*)$ p?x=$1 [L]'), 'RewriteRule ^q/(.*)$ p?x=$1 [L,B]');
    assert.equal(fix('RewriteRule ^q/(.*)$ "p?x=$1"'), 'RewriteRule ^q/(.*)$ "p?x=$1" [B]');
    assert.equal(fix('RewriteRule ^q/(.*)$ p?x=$1 "[L, QSA]"'), 'RewriteRule ^q/(.*)$ p?x=$1 "[L, QSA,B]"');
    for (const line of ['RewriteRule ^q/(.*)$ $1?x=$1 [L]', 'RewriteRule ^q/(.*)$ http://o/?x=$1 [R,NE]'])
      assert.equal(fix(line), line);
  });

  it('has one hint for all lines of a section that copy into the path', () => {
    const found = findingsIn('RewriteRule ^/a/(.*) /b/$1\nRewriteRule ^/c/(.*) http://o/$1 [R]\n', rule);
    assert.deepEqual(
      found.map(({ messageId, severity, places = [] }) => [messageId, severity, places.length]),
      [['question-mark', 'hint', 1]],
    );
    assert.deepEqual(ids('RewriteRule ^/a/(.*) /b/$1 [B]'), []);
    assert.deepEqual(ids('RewriteRule ^/a/([a-z]+) /b/$1'), []);
  });

  it('names the dot only if the pattern has one', () => {
    const text = (line: string) =>
      findingsIn(`${line}\n`, rule)
        .map(({ message }) => message)
        .join();
    assert.match(text('RewriteRule ^/a/(.*)$ /b/$1'), /a dot in the pattern also/);
    assert.doesNotMatch(text('RewriteRule ^([^.]+)$ $1.html'), /The dot/);
    assert.doesNotMatch(text('RewriteRule ^ /b%{REQUEST_URI} [R]'), /The dot/);
  });

  it('knows that B escapes no variables', () => {
    assert.deepEqual(ids('RewriteRule ^/q/(.*)$ /p?x=%{REQUEST_URI} [B]'), ['space']);
    assert.deepEqual(ids('RewriteRule ^/q/(.*)$ /p?x=%{REQUEST_URI} [BCTLS]'), ['space']);
    assert.deepEqual(ids('RewriteRule ^ http://o%{REQUEST_URI} [R,B]'), ['question-mark']);
    assert.deepEqual(ids('RewriteRule ^/(.*)$ http://o/$1 [R,B]'), []);
    const [space] = findingsIn('RewriteRule ^ /p?x=%{REQUEST_URI}\n', rule);
    assert.match(space!.message, /Flags do not escape `%\{REQUEST_URI\}`/);
    assert.deepEqual(space!.fixes, []);
    assert.match(
      findingsIn('RewriteRule ^ http://o%{REQUEST_URI} [R]\n', rule)[0]!.message,
      /`UnsafeAllow3F` after the upgrade\. Otherwise leave the rule as it is\.$/m,
    );
    // `B` would escape the slashes of $1, and R escapes its % signs once more.
    assert.match(
      findingsIn('RewriteRule (.*) http://o/$1 [R]\n', rule)[0]!.message,
      /`UnsafeAllow3F` after the upgrade\. Otherwise leave the rule as it is\.$/m,
    );
  });

  it('says nothing of a rule for a directory that matches no request', () => {
    const line = 'RewriteRule ^/q/(.*)$ p?x=$1';
    assert.deepEqual(ids(line, { file: '.htaccess' }), []);
    assert.deepEqual(ids(`<Directory /srv>\n${line}\n</Directory>`), []);
    assert.deepEqual(ids(`<Location /q>\n${line}\n</Location>`), ['space']);
    assert.deepEqual(ids('RewriteRule ^/?q/(.*)$ p?x=$1', { file: '.htaccess' }), ['space']);
  });

  it('finds a target that begins with a variable, at the server alone', () => {
    for (const target of ['${m:$1}/x', '%1/x', '%{ENV:b}/x']) {
      assert.deepEqual(ids(`RewriteRule ^/s ${target}`), ['prefix'], target);
      for (const flag of ['PT', 'C', 'UnsafePrefixStat'])
        assert.deepEqual(ids(`RewriteRule ^/s ${target} [${flag}]`), [], `${target} ${flag}`);
      assert.deepEqual(ids(`RewriteRule ^/s ${target}`, { file: '.htaccess' }), [], target);
      assert.deepEqual(ids(`<Directory /srv>\nRewriteRule ^s ${target}\n</Directory>`), [], target);
    }
    assert.deepEqual(ids('RewriteRule ^/s %{DOCUMENT_ROOT}/x'), []);
  });

  it('reports no more than the target release does', () => {
    assert.deepEqual(ids('RewriteRule ^/q/(.*)$ /p?x=$1', of('2.4.55')), ['newline']);
    assert.deepEqual(ids('RewriteRule ^/q/(.*)$ /p/$1', of('2.4.59')), ['newline']);
    assert.deepEqual(ids('RewriteRule ^/q/(.*)$ /p/$1', of('2.4.40')), []);
    assert.deepEqual(ids('RewriteRule ^/s %1/x', of('2.4.59')), []);
  });

  it('takes a variable of Define for no map', () => {
    const found = (target: string) =>
      findingsIn(`RewriteRule (.*) ${target} [L]\n`, { rule: 'rewrite-target' }).map(({ messageId }) => messageId);
    assert.deepEqual(found('${map:$1}'), ['prefix']);
    assert.deepEqual(found('${target}'), []);
  });
});
