import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'cookie-log' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('cookie-log', () => {
  it('leaves comments and longer names alone', () => {
    const clean = '# CookieLog logs/c\nCookieLogs logs/c\nCustomLog logs/c common\n';
    assert.equal(marked(clean), clean);
  });

  it('becomes a CustomLog: odd case, twice, quoted, piped, continued, with CR LF', () => {
    assert.equal(marked('cOOKIElOG logs/c\n'), 'cOOKIElOG logs/c\n#^^^^^^^^^^^^^^^ error cookie-log/removed safe\n');
    const log = (file: string) => `CustomLog ${file} "%{Cookie}n \\"%r\\" %t"`;
    assert.equal(
      fix('CookieLog logs/a\n<VirtualHost *>\n  CookieLog "logs/b c"\n</VirtualHost>\n'),
      `${log('logs/a')}\n<VirtualHost *>\n  ${log('"logs/b c"')}\n</VirtualHost>\n`,
    );
    assert.equal(fix('CookieLog "|/bin/log a"\n'), `${log('"|/bin/log a"')}\n`);
    assert.equal(fix('CookieLog \\\r\n  ${LOGS}/c\r\n'), `${log('${LOGS}/c')}\r\n`);
  });

  it('offers nothing but to remove what was an error in 2.2', () => {
    for (const text of ['CookieLog\n', 'CookieLog a b\n']) {
      assert.equal(fix(text), text);
      assert.equal(fix(text, true), '');
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nCookieLog logs/c\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
