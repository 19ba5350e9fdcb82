/** Files around the program: those for other services are valid, and name existing things. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { lacks } from '../support/lacks';
import { repositoryRoot } from '../support/paths';

const read = (name: string) => readFileSync(path.join(repositoryRoot, name), 'utf8');
const manifest = JSON.parse(read('package.json')) as { scripts: Record<string, string>; homepage: string };

describe('files for other services', () => {
  const files = [
    'action.yml',
    '.pre-commit-hooks.yaml',
    ...['.github/workflows', '.github/ISSUE_TEMPLATE'].flatMap((folder) =>
      readdirSync(path.join(repositoryRoot, folder)).map((name) => `${folder}/${name}`),
    ),
  ];
  for (const file of files) {
    it(`${file} is YAML`, () => assert.equal(typeof parse(read(file)), 'object'));
  }

  it('the action hands over inputs by the environment, and its script is one that bash reads', () => {
    const { runs, inputs } = parse(read('action.yml')) as {
      runs: { steps: { run?: string; env?: Record<string, string> }[] };
      inputs: object;
    };
    const scripts = runs.steps.flatMap(({ run }) => run ?? []);
    assert.equal(scripts.length, 1);
    for (const script of scripts) {
      assert.ok(!script.includes('${{'), script);
      const { status, stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
    }
    const used = JSON.stringify(runs);
    for (const input of Object.keys(inputs)) assert.ok(used.includes(`inputs.${input}`), input);
  });

  describe('the action', () => {
    let folder: string;
    beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-action-'))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    /**
     * Runs its script with programs that write down their arguments; `sarif`: the report of
     * `check`.
     */
    const run = (env: Record<string, string>, sarif = '') => {
      const { runs } = parse(read('action.yml')) as { runs: { steps: { run?: string }[] } };
      const script = runs.steps.flatMap(({ run: each }) => each ?? []).join('\n');
      assert.doesNotMatch(script, /\b(mapfile|readarray|declare -A|local -n)\b|\$\{\w+(,,|\^\^|@)/);
      const log = path.join(folder, 'log');
      const report = path.join(folder, 'given.sarif');
      writeFileSync(report, sarif);
      for (const name of ['npm', 'httpd-upgrade', 'gh', 'git'])
        writeFileSync(
          path.join(folder, name),
          `#!/bin/sh\n{ printf '${name}'; printf ' [%s]' "$@"; echo; } >> "$LOG"\n` +
            (name === 'httpd-upgrade'
              ? 'while [ $# -gt 0 ]; do [ "$1" = --output ] && cp "$REPORT" "$2"; shift; done\nexit "$CODE"\n'
              : '') +
            (name === 'git' ? '[ "$1" != diff ]\n' : '') +
            (name === 'gh' ? 'echo "$GH_SAYS"\n' : ''),
          { mode: 0o755 },
        );
      const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-c', script], {
        encoding: 'utf8',
        env: {
          PATH: `${folder}:${process.env.PATH}`,
          LOG: log,
          REPORT: report,
          CODE: '0',
          GH_SAYS: '',
          GITHUB_REPOSITORY: 'a/b',
          RUNNER_TEMP: path.join(folder, 'temp'),
          GITHUB_ACTION_PATH: repositoryRoot,
          GITHUB_OUTPUT: path.join(folder, 'output'),
          GITHUB_STEP_SUMMARY: path.join(folder, 'summary'),
          PATHS: 'conf/my httpd.conf\n  \nsites\n',
          ARGS: '',
          FAIL_ON: 'error',
          BASELINE: '',
          SARIF: path.join(folder, 'a.sarif'),
          VERSION: '1.2.3',
          MODE: 'check',
          ...env,
        },
      });
      const text = (name: string) =>
        existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name), 'utf8') : '';
      return {
        status,
        stdout,
        stderr,
        commands: text('log').trim().split('\n'),
        output: text('output'),
        summary: text('summary'),
      };
    };

    it('makes one command line of its inputs, on bash 3.2 of macOS, too', function () {
      if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
      const { status, stderr, commands } = run({
        ARGS: '--target 2.4.6\n--distribution rhel',
        BASELINE: 'known problems.json',
        SARIF: 'a.sarif',
      });
      rmSync('a.sarif', { force: true });
      assert.deepEqual([status, stderr], [0, '']);
      const own = '[--color] [never] [--target] [2.4.6] [--distribution] [rhel] [--baseline] [known problems.json]';
      assert.deepEqual(commands, [
        `npm [install] [--prefix] [${folder}/temp/httpd-upgrade] [--no-audit] [--no-fund] [httpd-upgrade@1.2.3]`,
        `httpd-upgrade [check] [--quiet] [--format] [sarif] [--output] [a.sarif] ${own} [--fail-on] [error] [--] [conf/my httpd.conf] [sites]`,
      ]);
    });

    it('makes annotations, a summary and outputs of one report, and keeps the exit code', function () {
      if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
      const result = (level: string, uri: string, more = {}) => ({
        ruleId: 'max-clients',
        level,
        message: { text: '`A|B` is <old>, now\nnew' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri },
              region: { startLine: 2, startColumn: 1, endLine: 2, endColumn: 11 },
            },
          },
        ],
        properties: { fix: 'safe' },
        ...more,
      });
      const rules = [{ id: 'max-clients', helpUri: 'https://example.org/max-clients' }];
      const results = [
        result('error', 'my%20conf/a.conf'),
        result('note', 'b.conf'),
        result('error', 'c.conf', { baselineState: 'unchanged' }),
      ];
      const sarif = JSON.stringify({ runs: [{ tool: { driver: { rules } }, results }] });
      const { status, stdout, output, summary, commands } = run({ CODE: '1', VERSION: '' }, sarif);
      assert.equal(status, 1);
      const known = JSON.stringify({ runs: [{ tool: { driver: { rules } }, results: [results[2]] }] });
      assert.match(run({}, known).summary, /No new problem, 1 known\./);
      const { version } = JSON.parse(read('package.json')) as { version: string };
      assert.match(commands[0]!, new RegExp(`\\[httpd-upgrade@${version}\\]$`));
      assert.equal(
        stdout,
        '::error file=my conf/a.conf,line=2,endLine=2,col=1,endColumn=11,title=max-clients::`A|B` is <old>, now%0Anew\n' +
          '::notice file=b.conf,line=2,endLine=2,col=1,endColumn=11,title=max-clients::`A|B` is <old>, now%0Anew\n',
      );
      assert.equal(output, `problems=2\nerrors=1\nreport=${folder}/a.sarif\n`);
      assert.match(
        summary,
        /^\| my conf\/a\.conf:2 \| error \| \[max-clients\]\(.*\) \| `A\\\|B` is &lt;old>, now \| safe \|$/m,
      );
    });

    it('writes the fixes as suggestions on the lines of a pull request', function () {
      if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
      const work = path.join(folder, 'work');
      mkdirSync(path.join(work, 'conf'), { recursive: true });
      const text = 'Listen 80\nMaxClients 5\n<Directory /srv>\n  Order allow,deny\n  Allow from all\n</Directory>\n';
      writeFileSync(path.join(work, 'conf/a.conf'), text);
      writeFileSync(path.join(work, 'other.conf'), 'MaxClients 5\n');
      const cli = path.join(repositoryRoot, 'dist', 'cli.js');
      const { stdout: sarif } = spawnSync(
        process.execPath,
        [cli, 'check', '--format', 'sarif', '--assume-standalone', 'conf/a.conf', 'other.conf'],
        { cwd: work, encoding: 'utf8' },
      );
      writeFileSync(path.join(folder, 'a.sarif'), sarif);
      const patch =
        '@@ -1,3 +1,6 @@\n Listen 80\n-MaxClients 4\n+MaxClients 5\n <Directory /srv>\n+  Order allow,deny\n+  Allow from all\n </Directory>';
      // What GitHub answers, and a program that writes down what it is sent.
      const answers = { files: [[{ filename: 'conf/a.conf', patch }], [{ filename: 'README.md' }]], comments: [[]] };
      const suggest = (given: { files: object; comments: object }) => {
        writeFileSync(path.join(folder, 'files'), JSON.stringify(given.files));
        writeFileSync(path.join(folder, 'comments'), JSON.stringify(given.comments));
        rmSync(path.join(folder, 'sent'), { force: true });
        writeFileSync(
          path.join(folder, 'gh'),
          `#!/bin/sh\ncase "$*" in *POST*reviews*) cat > "$HERE/sent" ;; *"pulls/5/files"*) cat "$HERE/files" ;; *"pulls/5/comments"*) cat "$HERE/comments" ;; *) echo "no: $*" >&2; exit 1 ;; esac\n`,
          { mode: 0o755 },
        );
        const { status, stdout } = spawnSync(
          process.execPath,
          [path.join(repositoryRoot, 'client/scripts/action-suggestions.mjs'), path.join(folder, 'a.sarif')],
          {
            cwd: work,
            encoding: 'utf8',
            env: {
              PATH: `${folder}:${process.env.PATH}`,
              HERE: folder,
              GITHUB_REPOSITORY: 'a/b',
              PULL_REQUEST: '5',
              HEAD_SHA: 'abc',
            },
          },
        );
        const sent = path.join(folder, 'sent');
        return { status, stdout, sent: existsSync(sent) ? JSON.parse(readFileSync(sent, 'utf8')) : null };
      };
      const { status, stdout, sent } = suggest(answers);
      assert.deepEqual([status, stdout], [0, '']);
      assert.deepEqual([sent.commit_id, sent.event], ['abc', 'COMMENT']);
      const places = sent.comments.map(({ body: _, ...place }: { body: string }) => place);
      assert.deepEqual(places, [
        { path: 'conf/a.conf', line: 2, side: 'RIGHT' },
        { path: 'conf/a.conf', line: 5, side: 'RIGHT', start_line: 4, start_side: 'RIGHT' },
      ]);
      const [renamed, converted] = sent.comments as { body: string }[];
      assert.match(renamed!.body, /^`max-clients`: .*\n\nSafe fix: .*\n\n```suggestion\nMaxRequestWorkers 5\n```$/);
      assert.match(converted!.body, /```suggestion\n {2}Require all granted\n```$/);
      const there = { ...answers, comments: [sent.comments] };
      assert.equal(suggest(there).sent, null, 'a second run repeats nothing');
      const without = {
        ...answers,
        files: [[{ filename: 'conf/a.conf', patch: patch.replace('MaxClients 5', 'MaxClients 6') }]],
      };
      assert.equal(suggest(without).sent.comments.length, 1, 'only lines that are the same in the pull request');
      const failed = suggest({ files: [null], comments: [] });
      assert.equal(failed.status, 0);
      assert.match(failed.stdout, /^::warning title=httpd-upgrade::No suggestions/);
    });

    it('suggests only in a pull request, and only if asked', function () {
      if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
      const sarif = JSON.stringify({ runs: [{ tool: { driver: { rules: [] } }, results: [] }] });
      const asks = (env: Record<string, string>) => run(env, sarif).commands.some((each) => each.startsWith('gh '));
      assert.equal(asks({ SUGGESTIONS: 'true' }), false);
      assert.equal(asks({ PULL_REQUEST: '5' }), false);
      assert.equal(asks({ SUGGESTIONS: 'true', PULL_REQUEST: '5', GITHUB_REPOSITORY: 'a/b' }), true);
    });

    it('opens a pull request with the fixes', function () {
      if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
      const { status, commands } = run({ MODE: 'fix', GITHUB_RUN_ID: '7', GITHUB_REF_NAME: 'main' });
      assert.equal(status, 0);
      assert.match(commands[1]!, /^httpd-upgrade \[fix\] \[--write\] .*\[--\] \[conf\/my httpd\.conf\] \[sites\]$/);
      assert.deepEqual(
        commands.slice(2).map((each) => each.split(' ').slice(0, 3).join(' ')),
        [
          'git [diff] [--quiet]',
          'git [switch] [--force-create]',
          'git [-c] [user.name=github-actions[bot]]',
          'git [push] [--force]',
          'gh [pr] [list]',
          'gh [pr] [create]',
        ],
      );
    });

    it('comments who gains access, and keeps the exit code', function () {
      if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
      const env = { MODE: 'access-diff', CODE: '1', GITHUB_BASE_REF: 'main', PULL_REQUEST: '5' };
      mkdirSync(path.join(folder, 'temp'));
      const { status, commands, summary } = run(env, '| section |\n');
      assert.deepEqual([status, summary], [1, '| section |\n']);
      assert.deepEqual(
        commands.slice(1).map((each) => each.split(' ').slice(0, 3).join(' ')),
        [
          'git [rev-parse] [--is-shallow-repository]',
          'git [fetch] [--no-tags]',
          'httpd-upgrade [access] [--diff]',
          'gh [api] [--paginate]',
          'gh [pr] [comment]',
        ],
      );
      assert.match(commands[3]!, /\[--format\] \[markdown\] .*\[git:FETCH_HEAD\]/);
      assert.match(
        readFileSync(path.join(folder, 'temp/httpd-upgrade-access.md'), 'utf8'),
        /^<!-- httpd-upgrade access -->\n\| section \|\n$/,
      );
    });

    it('changes its comment in a later run, and renews its pull request', function () {
      if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
      mkdirSync(path.join(folder, 'temp'));
      const env = { GITHUB_BASE_REF: 'main', PULL_REQUEST: '5', GITHUB_REPOSITORY: 'a/b', GH_SAYS: '77' };
      const sent = (mode: string) =>
        run({ ...env, MODE: mode }, '| section |\n').commands.filter((each) => each.startsWith('gh '));
      const [, changed, ...more] = sent('access-diff');
      assert.match(
        changed!,
        /^gh \[api\] \[--method\] \[PATCH\] \[repos\/a\/b\/issues\/comments\/77\] \[--field\] \[body=@/,
      );
      assert.deepEqual(more, []);
      rmSync(path.join(folder, 'log'));
      assert.equal(sent('fix').length, 1);
    });

    it('needs a pull request to comment on', function () {
      if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
      const { status, stderr } = run({ MODE: 'access-diff' });
      assert.deepEqual(
        [status, stderr],
        [2, 'The mode access-diff needs a pull request: run it on the event pull_request.\n'],
      );
    });

    it('does not call unread files free of problems', function () {
      if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
      const { status, summary } = run({ CODE: '2' }, '{"runs":[{"tool":{"driver":{"rules":[]}},"results":[]}]}');
      assert.equal(status, 2);
      assert.match(summary, /Not everything was read/);
      assert.doesNotMatch(summary, /No problem/);
    });
  });

  it('a release keeps no tokens where the other side can trust the workflow', () => {
    const text = read('.github/workflows/release.yml');
    const { jobs } = parse(text) as {
      jobs: Record<string, { permissions: Record<string, string>; steps: { run?: string }[] }>;
    };
    assert.doesNotMatch(text, /NPM_TOKEN|VSCE_PAT|_authToken/);
    assert.equal(jobs.release!.permissions['id-token'], 'write');
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run: each }) => each ?? []));
    for (const each of ['npm publish --provenance', 'vsce publish --azure-credential', 'client/scripts/deb.mjs'])
      assert.ok(
        runs.some((script) => script.includes(each)),
        each,
      );
    for (const script of runs) {
      assert.ok(!script.includes('${{'), script);
      const { status, stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, ''], script);
    }
  });

  it('the image has labels, and its base can be named by digest', () => {
    const text = read('.github/docker/Dockerfile');
    const labels = [...text.matchAll(/org\.opencontainers\.image\.([\w.]+)=/g)].map(([, label]) => label);
    for (const label of ['title', 'description', 'source', 'licenses', 'version', 'revision', 'created', 'base.name'])
      assert.ok(labels.includes(label), label);
    assert.ok([...text.matchAll(/^FROM (\S+)/gm)].every(([, base]) => base === '${BASE}'));
    assert.match(read('.github/workflows/release.yml'), /RepoDigests.*\n[^]*--build-arg BASE="\$base"/);
    assert.match(text, /^USER nobody$/m);
  });

  it('pre-commit, which takes what npm pack prints for the name of the package, gets nothing else', () => {
    assert.match(read('.npmrc'), /^foreground-scripts=false$/m);
  });

  it('the hooks of pre-commit take the names that people give to configuration, and no others', () => {
    for (const hook of parse(read('.pre-commit-hooks.yaml')) as { files: string; entry: string }[]) {
      const pattern = new RegExp(hook.files);
      for (const name of [
        'httpd.conf',
        'conf/httpd.conf',
        'apache2.conf',
        'www/.htaccess',
        'sites-available/shop',
        'conf.d/ssl.conf',
        'conf.modules.d/00-base.conf',
        'vhosts.d/a.include',
      ])
        assert.match(name, pattern);
      for (const name of ['nginx.conf', 'README.md', 'conf.d/README', 'src/httpd.c', 'x.htaccess.md'])
        assert.doesNotMatch(name, pattern);
    }
  });

  it('the hooks of pre-commit take a file whose name begins with a dash for a file', () => {
    for (const hook of parse(read('.pre-commit-hooks.yaml')) as { args?: string[] }[])
      assert.equal(hook.args?.at(-1), '--');
  });

  it('workflows and the action name what they use by its commit', () => {
    for (const file of ['action.yml', ...['ci', 'pages', 'release'].map((name) => `.github/workflows/${name}.yml`)])
      for (const [, used] of read(file).matchAll(/^[ -]*uses: (.*)$/gm))
        assert.match(used, /^[\w./-]+@[0-9a-f]{40} # v[\d.]+$/, file);
  });

  it('workflows and CONTRIBUTING name scripts that there are', () => {
    const texts = [
      '.github/CONTRIBUTING.md',
      '.github/workflows/ci.yml',
      '.github/workflows/release.yml',
      'README.md',
      '.vscode/tasks.json',
    ]
      .map(read)
      .join('\n');
    const named = [...texts.matchAll(/npm run ([\w:-]+)/g), ...texts.matchAll(/"script": "([\w:-]+)"/g)].map(
      ([, name]) => name!,
    );
    assert.ok(named.length > 5);
    for (const name of named) assert.ok(manifest.scripts[name], name);
    for (const [, file] of texts.matchAll(/\]\(\.\.\/([\w./-]+)\)/g))
      assert.ok(existsSync(path.join(repositoryRoot, file!)), file);
  });

  it('all links to the repository are to one place', () => {
    const place = /https:\/\/github\.com\/([\w-]+\/[\w-]+)/.exec(manifest.homepage)![1];
    for (const file of ['README.md', 'docs/ci.md', '.github/ISSUE_TEMPLATE/config.yml', '.github/SECURITY.md']) {
      for (const [, found] of read(file).matchAll(/github\.com\/(httpd-upgrade\/[\w-]+)/g))
        assert.equal(found, place, file);
    }
  });
});

it('the README begins with a moving picture, which is small', () => {
  const [, file] = /!\[[^\]]{40,}\]\(([^)]+)\)/.exec(read('README.md'))!;
  const picture = readFileSync(path.join(repositoryRoot, file!));
  assert.ok(picture.length < 500_000, `${picture.length} bytes`);
  const chunks: string[] = [];
  for (let at = 8; at < picture.length; at += 12 + picture.readUInt32BE(at))
    chunks.push(picture.toString('latin1', at + 4, at + 8));
  assert.deepEqual(chunks.slice(0, 3), ['IHDR', 'PLTE', 'acTL']);
  assert.ok(chunks.filter((name) => name === 'fcTL').length >= 5, 'frames');
  assert.equal(chunks.at(-1), 'IEND');
});

it('the page of benchmarks is that of what was recorded', () => {
  const { stdout, status } = spawnSync(
    process.execPath,
    [path.join(repositoryRoot, 'server/scripts/generate-benchmarks.mjs'), '--check'],
    { encoding: 'utf8' },
  );
  assert.deepEqual([stdout, status], ['', 0]);
});
