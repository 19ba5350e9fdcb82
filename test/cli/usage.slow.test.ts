/**
 * The messages of the command line for help, wrong input and explanations; and terminals and pipes.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle } from '../support/built';
import { needs, run, withFolder } from './run';

describe('usage', () => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    it(`is printed for ${args.join(' ')}`, async () => {
      const { code, out, err } = await run(args);
      assert.deepEqual([code, err], [0, '']);
      for (const word of [
        'check [options] <path...>',
        'fix [options] <path...>',
        'explain ',
        'server ',
        '--fail-on',
        'Exit codes',
        'Examples:',
      ]) {
        assert.ok(out.includes(word), word);
      }
      assert.ok(
        out.split('\n').every((line) => line.length <= 80),
        'fits a terminal',
      );
    });
  }

  for (const args of [
    ['check', '--help'],
    ['check', 'a.conf', '-h'],
    ['help', 'check'],
  ]) {
    it(`of a command is printed for ${args.join(' ')}`, async () => {
      const { code, out, err } = await run(args);
      assert.deepEqual([code, err], [0, '']);
      for (const word of [
        'Usage: httpd-upgrade check [options] <path...>',
        '--format <format>',
        '"checkstyle"',
        '--baseline <file>',
        '--fail-on',
        'Examples:',
      ])
        assert.ok(out.includes(word), word);
    });
  }

  it('of an option without effect is refused, and nothing is written', async () => {
    const at = mkdtempSync(path.join(tmpdir(), 'useless-'));
    const text = 'Listen 80\nMaxClients 5\n';
    const file = path.join(at, 'httpd.conf');
    writeFileSync(file, text);
    try {
      for (const args of [
        ['fix', '--write', '-o', path.join(at, 'out'), file],
        ['fix', '--output', path.join(at, 'out'), file],
        ['fix', '--write', '-o', path.join(at, 'out'), at],
        ['migrate', '-o', path.join(at, 'out'), file],
      ]) {
        const { code, out, err } = await run(args);
        assert.deepEqual([code, out], [2, ''], args.join(' '));
        assert.match(err, /--output is only for an archive/);
      }
      const missing = path.join(at, 'nosuch');
      const { err } = await run(['check', '--map', `/etc/httpd=${missing}`, file]);
      assert.ok(err.includes(`--map: ${missing} does not exist`), err);
      assert.equal(readFileSync(file, 'utf8'), text);
      assert.deepEqual(readdirSync(at), ['httpd.conf']);
    } finally {
      rmSync(at, { recursive: true, force: true });
    }
  });

  it('of every command fits a terminal', async () => {
    const { out } = await run(['completion', 'fish']);
    const commands = [...out.matchAll(/__fish_use_subcommand -f -a (\w+)/g)].map(([, name]) => name);
    assert.ok(commands.length > 10, out);
    for (const name of commands) {
      const help = (await run(['help', name])).out.split('\n');
      assert.deepEqual(
        help.filter((line) => line.length > 80 && !line.startsWith('  $ ')),
        [],
        name,
      );
    }
  });

  it('is printed as an error where nothing was asked for', async () => {
    const { code, out, err } = await run([]);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /httpd-upgrade check \/etc\/httpd/);
  });

  for (const args of [['--version'], ['-V'], ['version']]) {
    it(`the version is printed for ${args}`, async () => {
      const { code, out } = await run(args);
      assert.match(out, /^httpd-upgrade \d+\.\d+\.\d+\n$/);
      assert.equal(code, 0);
    });
  }

  const wrong: [args: string[], reason: string, about?: string][] = [
    [['check'], 'no files given: add files or directories', 'check'],
    [['fix', '--write'], 'no files given: add files or directories', 'fix'],
    [['chekc', 'a'], "unknown command 'chekc' (Did you mean check?)"],
    [['conf/httpd.conf'], "unknown command 'conf/httpd.conf'; to check a file: httpd-upgrade check conf/httpd.conf"],
    [['--format', 'json', 'check', 'a'], "unknown option '--format'"],
    [
      ['check', '--format', 'xml', 'a'],
      "option '--format <format>' argument 'xml' is invalid. Allowed choices are text, json, sarif, github, gitlab, checkstyle, junit",
      'check',
    ],
    [
      ['check', '--fail-on', 'hint', 'a'],
      "option '--fail-on <severity>' argument 'hint' is invalid. Allowed choices are error, warning, info, never",
      'check',
    ],
    [['check', '--target', '2.2', 'a'], '--target must be 2.4 or 2.4.N, not "2.2"', 'check'],
    [['check', '--target'], "option '--target <version>' argument missing", 'check'],
    [['check', '--write', 'a'], "unknown option '--write'", 'check'],
    [['fix', '--unsave', 'a'], "unknown option '--unsave' (Did you mean --unsafe?)", 'fix'],
    [['fix', '--diff', '--write', 'a'], '--diff and --write do not work together: use one of them', 'fix'],
    [['check', '--new-only', 'a'], '--new-only needs --baseline FILE', 'check'],
    [
      ['explain'],
      'explain needs something to explain: a directive, a rule, a module, a status or a line of the error log',
      'explain',
    ],
    [['help', 'chekc'], "unknown command 'chekc' (Did you mean check?)"],
    [['server'], 'server needs an option such as --stdio: editors start "httpd-upgrade server --stdio"', 'server'],
  ];
  for (const [args, reason, about = ''] of wrong) {
    it(`"${args.join(' ')}" is an error that says why`, async () => {
      const help = about === '' ? '--help' : `${about} --help`;
      assert.deepEqual(await run(args), {
        code: 2,
        out: '',
        err: `httpd-upgrade: ${reason}\nTry "httpd-upgrade ${help}".\n`,
      });
    });
  }

  it('takes what stands behind -- for paths', async () => {
    assert.deepEqual(await run(['check', '--', '--help']), {
      code: 2,
      out: '',
      err: 'httpd-upgrade: --help: does not exist\n',
    });
  });
});

describe('explain', () => {
  const terms: [term: string, says: RegExp][] = [
    ['order-allow-deny', /^order-allow-deny\n/],
    ['MAX-CLIENTS', /^max-clients\n/],
    ['MaxClients', /MaxRequestWorkers/],
    ['maxclients', /^MaxClients — directive\n/],
    ['<Directory>', /^<Directory> — section\n/],
    ['mod_ssl', /mod_ssl/],
    ['AH01797', /AH01797/],
    ['1797', /AH01797/],
    ["Invalid command 'Order', perhaps misspelled", /Order/],
  ];
  for (const [term, says] of terms) {
    it(`tells what ${term} is`, async () => {
      const { code, out, err } = await run(['explain', term]);
      assert.match(out, says);
      assert.match(out, /[^\n]\n$/);
      assert.deepEqual([code, err], [0, '']);
    });
  }

  it('takes several words for one term', async () => {
    assert.equal(
      (await run(['explain', ...'Invalid command Order'.split(' ')])).code,
      (await run(['explain', 'Invalid command Order'])).code,
    );
  });

  it('offers what is close to a misspelled term', async () => {
    const { code, out, err } = await run(['explain', 'MaxClient']);
    assert.match(err, /^httpd-upgrade: nothing found for "MaxClient"\. Nearest matches: .*MaxClients.*\.\n$/);
    assert.deepEqual([code, out], [2, '']);
  });

  it('says so when nothing is close', async () => {
    assert.deepEqual(await run(['explain', 'xyzzyxyzzy']), {
      code: 2,
      out: '',
      err: 'httpd-upgrade: nothing found for "xyzzyxyzzy". Give a directive, a module, a rule, a flag, a variable, a status, or a line of the error log.\n',
    });
  });
});

describe(
  'pipes and terminals',
  withFolder((folder) => {
    it('a reader that has seen enough is no error', async function () {
      needs(this, 'head');
      folder().write('a.conf', 'MaxClients 1\n'.repeat(20_000));
      const command = '{ "$NODE" "$CLI" check a.conf; echo "exit $?" >&2; } | head -n 1';
      const { stdout, stderr } = shell(command, folder().path);
      assert.match(stdout, /^a\.conf\n/);
      assert.match(stderr, /^exit [01]\n$/);
    });

    it('nor is one that reads nothing at all', async () => {
      folder().write('a.conf', 'MaxClients 1\n'.repeat(20_000));
      const child = spawn(process.execPath, [bundle('cli.js'), 'check', '--format', 'json', 'a.conf'], {
        cwd: folder().path,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let err = '';
      child.stderr.on('data', (chunk) => (err += chunk));
      child.stdout.destroy();
      const code = await new Promise((resolve) => child.on('close', resolve));
      assert.deepEqual([err, code === 0 || code === 1], ['', true]);
    });

    it('nothing is lost on the way to a slow reader', async function () {
      needs(this, 'wc');
      folder().write('a.conf', 'MaxClients 1\n'.repeat(20_000));
      assert.equal(
        shell('"$NODE" "$CLI" check --format github a.conf | { sleep 1; wc -l; }', folder().path).stdout.trim(),
        '20000',
      );
    });

    it('a terminal has colours, and progress that is cleared away', function () {
      needs(this, 'script');
      for (let i = 0; i < 300; i++) folder().write(`conf/httpd-${i}.conf`, 'MaxClients 1\n'.repeat(50));
      const { stdout } = terminal('"$NODE" "$CLI" check conf', folder().path);
      const link =
        '\x1b]8;;https://httpd-upgrade.github.io/httpd-upgrade/rules/max-clients.html\x1b\\max-clients\x1b]8;;\x1b\\';
      assert.ok(stdout.includes(`\x1b[36minfo\x1b[39m[${link}]`), 'colour, and a link to the page of the rule');
      assert.ok(!stdout.includes('[max-clients]'), 'each id has the link');
      assert.match(stdout, /\r\d+ files?: conf/);
      assert.match(stdout, /\r {5,}\r/);
    });

    for (const environment of ['NO_COLOR=1', 'TERM=dumb']) {
      it(`a terminal has no colours with ${environment}`, function () {
        needs(this, 'script');
        folder().write('a.conf', 'MaxClients 1\n');
        const { stdout } = terminal(`${environment} "$NODE" "$CLI" check a.conf`, folder().path);
        assert.match(stdout, /info\[max-clients\]: [^\n]*\n(?: {2}[^\n]*\n)? --> a\.conf:1:1/);
        assert.ok(!stdout.includes('\x1b'));
      });
    }

    it('what is no terminal has no progress', async () => {
      for (let i = 0; i < 300; i++) folder().write(`conf/httpd-${i}.conf`, 'ServerName a\n'.repeat(50));
      assert.deepEqual(await folder().run(['check', 'conf']), { code: 0, out: 'No problems in 300 files.\n', err: '' });
    });
  }),
);

// ---------------------------------------------------------------------------------------------------------------------

function shell(command: string, cwd: string) {
  const env = { ...process.env, NO_COLOR: undefined, TERM: 'xterm', NODE: process.execPath, CLI: bundle('cli.js') };
  return spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8', timeout: 60_000, maxBuffer: 1 << 26 });
}

/**
 * Runs a command with a terminal as its output. `script` of util-linux takes the command as an
 * option, that of BSD as words.
 */
function terminal(command: string, cwd: string) {
  const isBsd = process.platform === 'darwin' || process.platform === 'freebsd';
  const quoted = `'${command.replace(/'/g, "'\\''")}'`;
  return shell(isBsd ? `script -q /dev/null sh -c ${quoted}` : `script -qec ${quoted} /dev/null`, cwd);
}
