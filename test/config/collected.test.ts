/** What the facts of a collected server answer. */
import assert from 'node:assert/strict';
import { settingsOfCollection, parseCollectedList } from '../../server/src/config/collected';

const FACTS = [
  'version\t1',
  'main\t/etc/httpd/conf/httpd.conf',
  'root\t/etc/httpd',
  'ifdefine\tSSL',
  'ifdefine\tOTHER',
  'include-none\t/etc/httpd/conf/none.conf\tconf/none.conf',
  'took\t/var/www/a\\nb\\\\c/.htaccess\thtaccess',
  'secret\t/etc/httpd/conf/httpd.conf\t3\tSetEnv',
];

/** The settings of a collection with these files. */
function settingsOf(facts: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const all: Readonly<Record<string, string>> = { 'facts/collected': `${facts.join('\n')}\n`, ...files };
  const text = settingsOfCollection('/x', (file) => all[file] ?? null);
  return text === null
    ? null
    : (JSON.parse(text) as {
        serverRoot?: string;
        pathMap: Record<string, string>;
        answers: Record<string, string>;
      });
}

describe('the facts of a collected server', () => {
  it('have names as they are', () => {
    const collected = parseCollectedList(FACTS.join('\n'));
    assert.deepEqual(collected?.htaccessFiles, ['/var/www/a\nb\\c/.htaccess']);
    assert.equal(collected?.passwordCount, 1);
  });

  it('of another version, or without a main file, are none', () => {
    assert.equal(parseCollectedList('version\t2\nmain\t/a\nroot\t/'), null);
    assert.equal(parseCollectedList('version\t1\nroot\t/'), null);
    assert.equal(settingsOf([]), null);
  });

  it('answer what httpd and the start file say', () => {
    const settings = settingsOf(FACTS, {
      'facts/httpd-V': 'Server version: Apache/2.2.15 (Unix)\nServer MPM:     Worker\n',
      'server/etc/sysconfig/httpd': 'OPTIONS="-DSSL"\n',
    })!;
    assert.deepEqual(settings.pathMap, { '/': 'server' });
    const { answers } = settings;
    assert.deepEqual(
      [answers['running-version'], answers.mpm, answers['define:SSL'], answers['define:OTHER']],
      ['2.2', 'worker', 'on', 'off'],
    );
    assert.equal(answers['include-unseen:conf/none.conf'], 'no-hosts');
    assert.equal(answers['outside-unseen:server/etc/httpd/conf/httpd.conf'], 'none');
  });

  it('answer what the loaded modules show', () => {
    const answersOf = (printed: string, version = '') =>
      settingsOf(FACTS, { 'facts/httpd-M': printed, 'facts/httpd-V': version })!.answers;
    const head = 'Loaded Modules:\n core_module (static)\n mpm_prefork_module (static)\n';
    const without = answersOf(`${head} suphp_module (shared)\nSyntax OK\n`);
    assert.deepEqual([without.php, without.mpm], ['none', 'prefork']);
    // Which PHP module 2.4 will have is a choice.
    for (const name of ['php5_module', 'php4_module', 'php_module', 'mod_php5'])
      assert.equal(answersOf(`${head} ${name} (shared)\n`).php, undefined, name);
    assert.equal(answersOf(head, 'Server MPM:     Worker\n').mpm, 'worker');
    // With an error in the configuration, httpd lists no modules.
    const failed = answersOf('Syntax error on line 3 of /etc/httpd/conf/httpd.conf:\n');
    assert.deepEqual([failed.php, failed.mpm], [undefined, undefined]);
  });

  it('prefer the running server, unless there are several', () => {
    const file = { 'server/etc/sysconfig/httpd': 'OPTIONS="-DSSL"\n' };
    const running = settingsOf(FACTS, { ...file, 'facts/running': '/usr/sbin/httpd -D OTHER -k start\n' })!;
    assert.deepEqual([running.answers['define:SSL'], running.answers['define:OTHER']], ['off', 'on']);
    const several = settingsOf(FACTS, { ...file, 'facts/running': 'httpd -f /a\nhttpd -f /b\n' })!;
    assert.equal(several.answers['define:SSL'], undefined);
    const none = settingsOf(FACTS)!;
    assert.deepEqual(
      [none.answers['define:SSL'], none.answers.mpm, none.answers['running-version']],
      [undefined, undefined, undefined],
    );
  });

  it('set ServerRoot only if no line does and it is unusual', () => {
    assert.equal(settingsOf(FACTS)!.serverRoot, undefined);
    const moved = FACTS.map((row) => row.replace('root\t/etc/httpd', 'root\t/opt/apache'));
    assert.equal(settingsOf(moved)!.serverRoot, '/opt/apache');
    const line = { 'server/etc/httpd/conf/httpd.conf': '# x\n  serverroot /etc/httpd\n' };
    assert.equal(settingsOf(moved, line)!.serverRoot, undefined);
  });

  it('answer for homes only if no .htaccess was found in them', () => {
    const homes = [...FACTS, 'userdir\tUserDir public_html', 'home\t/home/bob/public_html'];
    const id = 'served-anywhere:UserDir public_html';
    assert.equal(settingsOf(homes)!.answers[id], 'no-htaccess');
    for (const folder of ['/home/bob/public_html', '/home/bob/public_html/a', '/home/bob', '/home'])
      assert.equal(settingsOf([...homes, `took\t${folder}/.htaccess\thtaccess`])!.answers[id], undefined, folder);
    assert.equal(settingsOf([...homes, 'took\t/home/ann/.htaccess\thtaccess'])!.answers[id], 'no-htaccess');
    assert.equal(settingsOf([...homes, 'incomplete\t/home/bob/public_html\tlate'])!.answers[id], undefined);
  });
});
