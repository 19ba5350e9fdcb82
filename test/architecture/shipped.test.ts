/** Files around the program: those for other services are valid, and name existing things. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

  it('the action makes command lines of its inputs, on bash 3.2 of macOS, too', function () {
    if (process.platform === 'win32') return lacks(this, 'the test replaces programs by scripts of a shell');
    const { runs } = parse(read('action.yml')) as { runs: { steps: { run?: string }[] } };
    const script = runs.steps.flatMap(({ run }) => run ?? []).join('\n');
    assert.doesNotMatch(script, /\b(mapfile|readarray|declare -A|local -n)\b|\$\{\w+(,,|\^\^|@)/);
    const folder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-action-'));
    try {
      for (const name of ['npm', 'httpd-upgrade'])
        writeFileSync(
          path.join(folder, name),
          `#!/bin/sh\n{ printf '${name}'; printf ' [%s]' "$@"; echo; } >> "$LOG"\n`,
          { mode: 0o755 },
        );
      const log = path.join(folder, 'log');
      const { status, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-c', script], {
        encoding: 'utf8',
        env: {
          PATH: `${folder}:${process.env.PATH}`,
          LOG: log,
          GITHUB_OUTPUT: path.join(folder, 'output'),
          VERSION: '1.2.3',
          PATHS: 'conf/my httpd.conf\n  \nsites\n',
          ARGS: '--target 2.4.6\n--distribution rhel',
          FAIL_ON: 'error',
          BASELINE: 'known problems.json',
          SARIF: 'a.sarif',
        },
      });
      assert.deepEqual([status, stderr], [0, '']);
      const own = '[--color] [never] [--target] [2.4.6] [--distribution] [rhel] [--baseline] [known problems.json]';
      assert.equal(
        readFileSync(log, 'utf8'),
        `npm [install] [--global] [--no-audit] [--no-fund] [httpd-upgrade@1.2.3]
httpd-upgrade [check] [--quiet] [--format] [sarif] [--output] [a.sarif] ${own} [--fail-on] [never] [--] [conf/my httpd.conf] [sites]
httpd-upgrade [check] [--format] [github] [--fail-on] [error] ${own} [--] [conf/my httpd.conf] [sites]
`,
      );
      assert.equal(readFileSync(path.join(folder, 'output'), 'utf8'), 'sarif=a.sarif\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
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
    for (const file of ['action.yml', '.github/workflows/ci.yml', '.github/workflows/release.yml'])
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

it('the page of benchmarks is that of what was recorded', () => {
  const { stdout, status } = spawnSync(
    process.execPath,
    [path.join(repositoryRoot, 'server/scripts/generate-benchmarks.mjs'), '--check'],
    { encoding: 'utf8' },
  );
  assert.deepEqual([stdout, status], ['', 0]);
});
