import assert from 'node:assert/strict';
import { applyEdits, fixesOf } from '../../server/src/analysis/fixes';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'mutex-directive' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
/** The text after each fix of its first finding, with the fix's safety. */
const choices = (text: string) =>
  fixesOf(findingsIn(text, rule)[0]).map(({ fix: { safety }, edits }) => [safety, applyEdits(text, edits)]);

describe('mutex-directive', () => {
  it('leaves Mutex alone, comments, and longer names', () => {
    const clean = 'Mutex default\nMutex file:logs ssl-cache\n# AcceptMutex default\n#LockFile x\nLockFiles x\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('removes what says what 2.4 does, in odd case, twice, in conditionals, with CR LF, continued', () => {
    assert.equal(
      marked('aCCEPTmUTEX Default\n<IfModule ssl_module>\n  SSLMutex  yes\n</IfModule>\n'),
      `aCCEPTmUTEX Default
#^^^^^^^^^^^^^^^^^^ error mutex-directive/accept-mutex safe
<IfModule ssl_module>
  SSLMutex  yes
# ^^^^^^^^^^^^^ error mutex-directive/ssl-mutex safe
</IfModule>
`,
    );
    assert.equal(
      fix('aCCEPTmUTEX Default\n<IfModule ssl_module>\n  SSLMutex  yes\n</IfModule>\n'),
      '<IfModule ssl_module>\n</IfModule>\n',
    );
    assert.equal(fix('Listen 80\r\nSSLMutex \\\r\n default\r\nListen 81\r\n'), 'Listen 80\r\nListen 81\r\n');
    assert.equal(fix('SSLStaplingMutex default\n'), '');
  });

  it('keeps a mechanism without files, where its lock is known', () => {
    for (const mechanism of ['sysvsem', 'posixsem', 'pthread', 'sem'])
      assert.equal(fix(`SSLMutex ${mechanism}\n`), `Mutex ${mechanism} ssl-cache\n`);
    assert.equal(fix('SSLMutex \\\r\n  PosixSem:name\r\n'), 'Mutex posixsem ssl-cache\r\n');
    for (const module of ['prefork.c', 'worker.c', 'mpm_prefork_module', 'mpm_worker_module']) {
      assert.equal(
        fix(`<IfModule ${module}>\n  AcceptMutex SysVSem\n</IfModule>\n`),
        `<IfModule ${module}>\n  Mutex sysvsem mpm-accept\n</IfModule>\n`,
      );
    }
    for (const open of ['<IfModule !prefork.c>', '<IfDefine prefork.c>', '<IfModule event.c>']) {
      const text = `${open}\nAcceptMutex sysvsem\n</If${open.includes('Def') ? 'Define' : 'Module'}>\n`;
      assert.equal(fix(text), text);
    }
  });

  it('would rather remove an AcceptMutex where the MPM is not known', () => {
    assert.deepEqual(choices('AcceptMutex sysvsem\n'), [
      ['suggestion', ''],
      ['suggestion', 'Mutex sysvsem mpm-accept\n'],
    ]);
    assert.deepEqual(choices('AcceptMutex flock\n'), [
      ['suggestion', ''],
      ['suggestion', 'Mutex flock mpm-accept\n'],
    ]);
  });

  it('takes AcceptMutex and LockFile as one, where the file is used', () => {
    const text = 'AcceptMutex FLock\nListen 80\nLockFile "/var/lock/my server/accept.lock"\n';
    const both = [
      ['suggestion', 'Listen 80\n'],
      ['suggestion', 'Mutex "flock:/var/lock/my server" mpm-accept\nListen 80\n'],
    ];
    assert.deepEqual(choices(text), both);
    assert.equal(fix(text, true), 'Listen 80\n');
    const reversed = 'LockFile logs/accept.lock\nAcceptMutex fcntl\n';
    assert.deepEqual(choices(reversed), [
      ['suggestion', ''],
      ['suggestion', 'Mutex fcntl:logs mpm-accept\n'],
    ]);
    assert.equal(
      fix(`<IfModule worker.c>\n  ${reversed}</IfModule>\n`, true),
      '<IfModule worker.c>\nMutex fcntl:logs mpm-accept\n</IfModule>\n',
    );
  });

  it('does not put together what stands under different conditions', () => {
    const text = 'LockFile logs/accept.lock\n<IfDefine LOCAL>\nAcceptMutex flock\n</IfDefine>\n';
    assert.equal(fix(text), text);
    assert.deepEqual(
      findingsIn(text, rule).map(({ fixes }) => fixes!.map(({ edits }) => edits.length)),
      [[1], [1, 1]],
    );
  });

  it('removes a LockFile that was never opened, and leaves others to a person', () => {
    assert.equal(fix('AcceptMutex sysvsem\nLockFile /srv/accept.lock\n'), 'AcceptMutex sysvsem\n');
    for (const shipped of [
      'logs/accept.lock',
      '"logs/accept.lock"',
      '/var/lock/apache2/accept.lock',
      '${APACHE_LOCK_DIR}/accept.lock',
    ]) {
      assert.equal(fix(`LockFile ${shipped}\n`), '');
      assert.equal(fix(`LockFile ${shipped}\nAcceptMutex default\n`), '');
    }
    const text = 'LockFile /srv/accept.lock\n';
    assert.equal(fix(text), text);
    assert.deepEqual(choices(text), [
      ['suggestion', ''],
      ['suggestion', 'Mutex default:/srv mpm-accept\n'],
    ]);
  });

  it('makes a directory of a file', () => {
    const first = (text: string) => choices(text)[0][1];
    assert.equal(first('RewriteLock /srv/locks/rewrite.lock\n'), 'Mutex default:/srv/locks rewrite-map\n');
    assert.equal(first('RewriteLock rewrite.lock\n'), 'Mutex default:. rewrite-map\n');
    assert.equal(first('RewriteLock /rewrite.lock\n'), 'Mutex default:/ rewrite-map\n');
    assert.equal(first('  SSLMutex  file:${RUN}/ssl_mutex\n'), '  Mutex file:${RUN} ssl-cache\n');
    assert.equal(first('SSLMutex "fcntl:/a b/c"\n'), 'Mutex "fcntl:/a b" ssl-cache\n');
    assert.equal(first('SSLStaplingMutex flock:logs/stapling\n'), 'Mutex flock:logs ssl-stapling\n');
    assert.equal(first('WatchdogMutexPath logs\n'), 'Mutex default:logs watchdog-callback\n');
    for (const text of ['RewriteLock /a/b\n', 'SSLMutex file:/a/b\n', 'WatchdogMutexPath logs\n'])
      assert.equal(fix(text), text);
  });

  it('removes a lock in a place that was never chosen: 2.4 locks the same in a place of its own', () => {
    const stock = [
      'SSLMutex file:/var/run/ssl_mutex',
      'SSLMutex "file:/private/var/run/ssl_mutex"',
      'SSLMutex file:logs/ssl_mutex',
      'SSLMutex  fcntl:${APACHE_RUN_DIR}/ssl_mutex',
      'SSLMutex file:/var/run/apache2/ssl_mutex',
      'SSLMutex  "file:/opt/local/apache2/logs/ssl_mutex"',
      'LockFile "/private/var/log/apache2/accept.lock"',
      'LockFile /var/lock/subsys/accept.lock',
      'RewriteLock /var/log/apache2/rewrite.lock',
      'RewriteLock logs/rewrite_lock',
    ];
    for (const line of stock) assert.equal(fix(`${line}\n`), '', line);
    const chosen = [
      'SSLMutex file:/srv/ssl_mutex',
      'SSLMutex file:/var/run/mine',
      'LockFile ./tmp/accept.lock',
      'RewriteLock /var/lock/my/rewrite.lock',
      'SSLMutex file:/var/runs/ssl_mutex',
      'SSLMutex file:/opt/apache/logs/my_mutex',
      'SSLMutex file:/opt/apache/oldlogs/ssl_mutex',
    ];
    for (const line of chosen) assert.equal(fix(`${line}\n`), `${line}\n`, line);
  });

  it('has one question about the MPM for AcceptMutex and LockFile', () => {
    const chosen = (text: string) =>
      fixesOf(findingsIn(text, rule)[0]).map(({ fix: { choice }, edits }) => [
        choice?.values.join(' '),
        applyEdits(text, edits),
      ]);
    assert.deepEqual(chosen('AcceptMutex flock\n'), [
      ['event', ''],
      ['prefork worker', 'Mutex flock mpm-accept\n'],
    ]);
    assert.deepEqual(chosen('LockFile /srv/accept.lock\n'), [
      ['event', ''],
      ['prefork worker', 'Mutex default:/srv mpm-accept\n'],
    ]);
    assert.deepEqual(chosen('AcceptMutex ${MUTEX}\n'), [[undefined, '']]);
    assert.deepEqual(
      chosen('<IfModule prefork.c>\nAcceptMutex flock\nLockFile /srv/a\n</IfModule>\n').map(([values]) => values),
      ['prefork worker', 'event'],
    );
  });

  it('only offers to remove what Mutex cannot say, or what it cannot read', () => {
    const odd = [
      'SSLMutex none',
      'SSLMutex No',
      'SSLMutex ${MUTEX}',
      'AcceptMutex ${MUTEX}',
      'AcceptMutex sem',
      'SSLMutex fcntl',
      'SSLMutex bogus:/a/b',
      'RewriteLock ${LOCK}',
      'LockFile',
      'LockFile a b',
      'RewriteLock C:/x/y',
    ];
    for (const line of odd) assert.deepEqual(choices(`${line}\n`), [['suggestion', '']], line);
  });

  it('writes no Mutex where none is allowed', () => {
    assert.deepEqual(choices('<VirtualHost *>\nSSLMutex sysvsem\n</VirtualHost>\n'), [
      ['suggestion', '<VirtualHost *>\n</VirtualHost>\n'],
    ]);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nAcceptMutex default\nLockFile logs/accept.lock\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
