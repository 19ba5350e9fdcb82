/** Each command of a question runs unchanged in `sh`, with programs that answer like a server's. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { QUESTION_KINDS, questionText } from '../../server/src/analysis/answers';
import { canOpenAccess, markOfUsualAnswer, typeOfFindOut } from '../../server/src/analysis/question-surfaces';
import { lacks } from '../support/lacks';

const HTTPD = `case "$1" in
-V) echo 'Server MPM:     Prefork'; echo ' -D HTTPD_ROOT="/srv/h"'; echo ' -D SERVER_CONFIG_FILE="conf/h.conf"';;
-v) echo 'Server version: Apache/2.2.34';;
-l) echo '  mod_so.c';;
-M) echo ' remoteip_module (shared)'; echo ' dir_module (shared)'; echo ' php7_module (shared)';;
*) exit 1;;
esac`;
const PROCESSES = "echo '/usr/sbin/httpd -D SSL -f /srv/other.conf'; echo 'sh -c x'";

/** What the command of each kind prints. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'other-main': /HTTPD_ROOT="\/srv\/h"[^]*SERVER_CONFIG_FILE="conf\/h\.conf"[^]*-f \/srv\/other\.conf/,
  define: /^\/usr\/sbin\/httpd -D SSL /m,
  mpm: /^Server MPM: +Prefork\n$/,
  modules: /^ +mod_so\.c\n$/,
  'running-version': /Apache\/2\.2\.34/,
  'client-address': /^ remoteip_module \(shared\)\n$/,
};

const textOf = (kind: string) => questionText(kind) ?? questionText(`${kind}:/var/www`)!;

describe('commands that find out an answer', () => {
  let stubs: string;
  before(function () {
    if (process.platform === 'win32') lacks(this, 'sh');
    stubs = mkdtempSync(path.join(tmpdir(), 'stubs-'));
    put('ps', PROCESSES);
  });
  after(() => rmSync(stubs, { recursive: true, force: true }));
  const put = (name: string, text: string) => {
    const file = path.join(stubs, name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
  };
  const run = (command: string) => {
    const { stdout, stderr, error } = spawnSync('sh', ['-c', command], {
      encoding: 'utf8',
      env: { PATH: `${stubs}:/usr/bin:/bin` },
      cwd: stubs,
    });
    assert.equal(error, undefined);
    return { stdout, stderr };
  };

  for (const program of ['httpd', 'apachectl', 'apache2ctl'])
    it(`ask the server that is installed as ${program}`, () => {
      for (const name of ['httpd', 'apachectl', 'apache2ctl']) put(name, name === program ? HTTPD : 'exit 127');
      for (const [kind, printed] of Object.entries(PRINTED)) {
        const { findOut } = textOf(kind);
        assert.match(run(findOut).stdout, printed, `${kind}: ${findOut}`);
      }
    });

  it('are commands for a shell, without an error in them', () => {
    for (const kind of QUESTION_KINDS) {
      const { findOut } = textOf(kind);
      if (typeOfFindOut(findOut) !== 'command') continue;
      const { status } = spawnSync('sh', ['-n', '-c', findOut]);
      assert.equal(status, 0, findOut);
    }
    assert.equal(run(textOf('outside-unseen').findOut).stderr, '');
  });

  it('run as they stand: the shell knows all their words', () => {
    for (const name of ['httpd', 'apachectl', 'apache2ctl']) put(name, HTTPD);
    for (const kind of QUESTION_KINDS)
      for (const subject of ['/srv/no such/place', "/srv/it's $HOME & (odd)*"]) {
        const search = { folders: ['/srv/none/*/www'], names: ['.acl', 'my file'] };
        const { findOut } = questionText(kind) ?? questionText(`${kind}:${subject}`, [], search)!;
        if (typeOfFindOut(findOut) !== 'command') continue;
        const { stderr } = run(findOut);
        assert.doesNotMatch(stderr, /not found|syntax error|unexpected|usage:|invalid/i, `${findOut}: ${stderr}`);
      }
  });

  it('look for a relative Include below the ServerRoot of the installed httpd, and report a wrong path', () => {
    put('apache2ctl', `[ "$1" = -V ] && echo ' -D HTTPD_ROOT="${stubs}/root of it"'`);
    const { findOut } = questionText('include-unseen:conf.d/allows')!;
    const wrong = run(findOut);
    assert.equal(wrong.stdout, '');
    assert.match(wrong.stderr, /No such file/);
    assert.match(findOut, /I don't know: "No such file", because this httpd has another ServerRoot/);
    mkdirSync(path.join(stubs, 'root of it', 'conf.d'), { recursive: true });
    writeFileSync(path.join(stubs, 'root of it', 'conf.d', 'allows'), 'Deny from all\n');
    assert.match(run(findOut).stdout, /conf\.d\/allows:1:Deny from all/);
    put('apache2ctl', 'exit 127');
  });

  it('search homes outside of /home and their parents, each once', () => {
    const home = path.join(stubs, 'data', 'users', 'ann');
    put('getent', `printf '%s\\n' 'root:x:0:0::/:' 'x:x:1:1::rel:' 'ann:x:2:2::${home}:'`);
    const search = { folders: ['~*/public_html'], names: ['.htaccess'] };
    const { findOut } = questionText('served-anywhere:UserDir public_html', [], search)!;
    assert.equal(run(findOut).stderr, '');
    const files = ['', 'public_html', 'public_html/a', '..', '../..'].map((each) => path.join(home, each, '.htaccess'));
    for (const file of files) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, 'Deny from all\n');
    }
    assert.deepEqual(run(findOut).stdout.trim().split('\n').sort(), files.sort());
    rmSync(path.join(stubs, 'getent'));
  });

  it('look for the names of clients in the access logs', () => {
    const { findOut } = questionText('operand-host:127.0.0.1,')!;
    const logs = path.join(stubs, 'log', 'apache2');
    mkdirSync(logs, { recursive: true });
    const rows = ['a.127.0.0.1, - - "GET /"', '127.0.0.1, - - "GET /b"', '127.0.0.1 - - "GET /c"', '127x0.0.1, - - "'];
    writeFileSync(path.join(logs, 'site_access.log'), `${rows.join('\n')}\n`);
    const { stdout } = run(findOut.replaceAll('/var/log', path.join(stubs, 'log')));
    assert.deepEqual(stdout.trim().split('\n'), rows.slice(0, 2), findOut);
    const several = questionText('operand-host:*', ['None', "it's"])!.findOut;
    assert.match(several, /\(None\|it/);
    assert.equal(spawnSync('sh', ['-n', '-c', several]).status, 0, several);
  });
});

describe('questions about files that are not at hand', () => {
  it('have no usual answer, like the question which version runs', () => {
    const without = QUESTION_KINDS.filter((kind) => markOfUsualAnswer(`${kind}:/a:b`, 0) === '');
    assert.deepEqual(without.sort(), ['denied-now', 'include-unseen', 'outside-unseen', 'overlap', 'running-version']);
    assert.equal(markOfUsualAnswer('mpm', 1), '');
  });

  it('offer a copy only for an absolute path, which a copy can replace', () => {
    const has = (id: string) => questionText(id)!.choices.some(({ value }) => value === 'here=');
    assert.deepEqual(
      ['/etc/a', '*', 'conf.d/a'].map((subject) => has(`include-unseen:${subject}`)),
      [true, false, false],
    );
  });
});

describe('questions whose wrong answer can open access', () => {
  it('are all but choices that decide nothing of access', () => {
    assert.deepEqual(QUESTION_KINDS.filter((kind) => !canOpenAccess(kind)).sort(), [
      'defaults',
      'modules',
      'mpm',
      'php',
      'rewrite-log',
    ]);
  });

  it('that ask a fact are answered by Yes and No', () => {
    for (const kind of QUESTION_KINDS.filter(canOpenAccess)) {
      const { question, choices } = textOf(kind);
      if (!/^(Do|Does|Is|Are|May)\b/.test(question)) continue;
      for (const word of ['Yes', 'No'])
        assert.ok(
          choices.some(({ label }) => new RegExp(`^${word}\\b`).test(label)),
          `${question} has no ${word}`,
        );
    }
  });
});
