import assert from 'node:assert/strict';
import { parseTarget } from '../../server/src/config/target';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'text-is-expression' };
const section = (lines: string) => `<Directory /srv>\n${lines}\n</Directory>\n`;
const ids = (line: string, target = '2.4') =>
  findingsIn(section(line), { ...rule, target: parseTarget(target)! }).map(
    ({ severity, messageId }) => `${severity} ${messageId}`,
  );
const fix = (line: string, unsafe = false) => fixed(section(line), { ...rule, unsafe }).split('\n')[1];

describe('text-is-expression', () => {
  it('tells what happens to the user', () => {
    const cause = (lines: string) => findingsIn(section(lines), rule)[0]!.message;
    assert.match(cause('Require user A\\bob'), /gets 401/);
    assert.match(cause('<RequireNone>\nRequire user A\\bob\n</RequireNone>'), /no longer denied/);
    assert.match(cause('<RequireAll>\nRequire not user A\\bob\n</RequireAll>'), /no longer denied/);
  });

  it('finds text that 2.4 reads as something else, and each fix is the last', () => {
    for (const [line, found, after] of [
      ['AuthName "CORP\\network"', 'error control-character', 'AuthName "CORP\\\\\\\\network"'],
      ['AuthName CORP\\network', 'error control-character', 'AuthName "CORP\\\\\\\\network"'],
      ["AuthName 'CORP\\\\1'", 'error control-character', 'AuthName "CORP\\\\\\\\1"'],
      ['AuthName "CORP\\corp"', 'warning other-text', 'AuthName "CORP\\\\\\\\corp"'],
      ['AuthName "CORP\\8"', 'error escape', 'AuthName "CORP\\\\\\\\8"'],
      ['AuthName "pay $1"', 'warning other-text', 'AuthName "pay \\\\$1"'],
      ['AuthName "a\\"b\\c"', 'warning other-text', 'AuthName "a\\"b\\\\\\\\c"'],
      ['ErrorDocument 404 "Line\\nline"', 'warning other-text', 'ErrorDocument 404 "Line\\\\\\\\nline"'],
      ['Require user CORP\\bob', 'warning other-name', 'Require user CORP\\\\bob'],
      ['Require user "CORP\\bob" CORP\\\\al', 'warning other-name', 'Require user "CORP\\\\bob" CORP\\\\al'],
      ['Require group x$1', 'warning other-name', 'Require group x\\$1'],
    ]) {
      assert.deepEqual(ids(line), [found], line);
      // A name would get access where 2.4 runs already.
      if (line.startsWith('Require')) assert.equal(fix(line), line, line);
      assert.equal(fix(line, line.startsWith('Require')), after, line);
      assert.deepEqual(ids(after), [], after);
    }
  });

  it('leaves to a person whether a variable of 2.4 is meant', () => {
    const line = 'AuthName "At %{HTTP_HOST}"';
    assert.deepEqual(ids(line), ['warning other-text']);
    assert.equal(fix(line), line);
    assert.equal(fix(line, true), 'AuthName "At \\\\%{HTTP_HOST}"');
    const written = `LoadModule authz_core_module modules/mod_authz_core.so\n${section(line)}`;
    assert.equal(annotated(written, rule), written);
  });

  it('says nothing of text that means itself, of variables of the configuration, and of what other rules report', () => {
    for (const line of [
      'AuthName "Costs $ 5 or 50%"',
      'AuthName "a\\"b"',
      'AuthName "${REALM}\\x"',
      'AuthName "\\%{x"',
      'AuthName "%{unknown}"',
      'ErrorDocument 404 /missing.html',
      'Require user ~ ^.+@example\\.org$',
      'Require user CORP\\\\bob 50% a$b',
      'Require user CORP\\8',
      'Require valid-user',
      'Require env a\\b',
      '# AuthName "a\\b"',
    ])
      assert.deepEqual(ids(line), [], line);
  });

  it('reports no more than the target release does', () => {
    assert.deepEqual(ids('AuthName "a\\b"', '2.4.54'), []);
    assert.deepEqual(ids('AuthName "a\\b"', '2.4.55'), ['error control-character']);
    assert.deepEqual(ids('ErrorDocument 404 "a\\b"', '2.4.12'), []);
    assert.deepEqual(ids('Require user a\\b', '2.4.7'), []);
    assert.deepEqual(ids('Require user a\\b', '2.4.8'), ['warning other-name']);
  });
});
