/** The npm package as users get it: packed from the sources, installed elsewhere, and used. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';
import { needs } from './run';

describe('the npm package', () => {
  let work: string;
  let packed: {
    readonly filename: string;
    readonly size: number;
    readonly files: readonly { readonly path: string }[];
  };
  let installed: string;

  before(() => {
    work = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-package-'));
    const source = path.join(work, 'source');
    mkdirSync(source);
    // Packing builds: not in dist/, which other tests run.
    for (const name of [
      'client',
      'server',
      'syntaxes',
      'package.json',
      'tsconfig.json',
      '.npmignore',
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
      'docs',
    ])
      cpSync(path.join(repositoryRoot, name), path.join(source, name), { recursive: true });
    symlinkSync(path.join(repositoryRoot, 'node_modules'), path.join(source, 'node_modules'));
    execFileSync(process.execPath, ['client/scripts/build.mjs', '--npm'], {
      cwd: source,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', work], source)) as [
      typeof packed,
    ];
    const there = path.join(work, 'there');
    mkdirSync(there);
    writeFileSync(path.join(there, 'package.json'), '{"name":"there","version":"1.0.0"}');
    npm(['install', '--offline', '--no-audit', '--no-fund', path.join(work, packed.filename)], there);
    installed = there;
  });

  after(() => rmSync(work, { recursive: true, force: true }));

  function npm(args: readonly string[], cwd: string): string {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout;
  }

  it('has what runs, licences and what people read, and is small', () => {
    assert.deepEqual(packed.files.map((file) => file.path).sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/cli.js',
      'dist/collect.sh',
      'dist/commands.js',
      'dist/data-log-messages.json',
      'dist/data-messages.json',
      'dist/data-openssl-messages.json',
      'dist/data-snippets.json',
      'dist/data-stock-files.json',
      'dist/data-third-party.json',
      'dist/data-upgrade-words.json',
      'dist/data-vocabularies.json',
      'dist/descriptions.json',
      'dist/httpd-upgrade.1',
      'dist/library.d.ts',
      'dist/library.js',
      'dist/mcp.js',
      'dist/pages.json',
      'dist/places.json',
      'dist/tables.json',
      'dist/third-party-licenses.txt',
      'dist/third-party.json',
      'dist/usage.json',
      'package.json',
    ]);
    assert.ok(packed.size < 1_270_000, `${packed.size} bytes`);
    assert.match(
      readFileSync(path.join(installed, 'node_modules/httpd-upgrade/dist/third-party-licenses.txt'), 'utf8'),
      /^commander \d/m,
    );
  });

  it('depends on nothing, may be published, and says where it comes from', () => {
    const manifest = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8'));
    assert.deepEqual([manifest.dependencies, manifest.private], [undefined, undefined]);
    for (const key of ['repository', 'bugs', 'homepage', 'license', 'publishConfig']) assert.ok(manifest[key], key);
    assert.deepEqual(
      [
        ...new Set(
          JSON.stringify([manifest.repository, manifest.bugs, manifest.homepage]).match(/github\.com\/[\w-]+\/[\w-]+/g),
        ),
      ],
      ['github.com/httpd-upgrade/httpd-upgrade'],
    );
  });

  const bin = () => path.join(installed, 'node_modules/.bin/httpd-upgrade');

  it('is a Debian package, too, with which lintian is content', function () {
    this.timeout(600_000);
    needs(this, 'dpkg-deb');
    const make = path.join(repositoryRoot, 'client/scripts/deb.mjs');
    const deb = execFileSync(process.execPath, [make, path.join(work, packed.filename), work], {
      encoding: 'utf8',
      env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' },
    }).trim();
    const there = path.join(work, 'installed');
    execFileSync('dpkg-deb', ['--extract', deb, there]);
    writeFileSync(path.join(work, 'a.conf'), 'MaxClients 5\n');
    const command = path.join(there, 'usr/bin/httpd-upgrade');
    const { stdout, status } = spawnSync(command, ['check', 'a.conf'], { cwd: work, encoding: 'utf8' });
    assert.equal(status, 0);
    assert.match(stdout, /max-clients/);
    for (const file of [
      'share/man/man1/httpd-upgrade.1.gz',
      'share/bash-completion/completions/httpd-upgrade',
      'share/doc/httpd-upgrade/copyright',
      'share/doc/httpd-upgrade/CHANGELOG.md.gz',
    ])
      assert.ok(statSync(path.join(there, 'usr', file)).size > 500, file);
    needs(this, 'lintian');
    const lint = spawnSync('lintian', ['--allow-root', '--fail-on', 'error,warning', deb], { encoding: 'utf8' });
    assert.deepEqual([lint.stdout, lint.status], ['', 0]);
  });

  it('its command runs', () => {
    writeFileSync(path.join(installed, 'a.conf'), 'MaxClients 5\n');
    const { stdout, status } = spawnSync(bin(), ['check', 'a.conf'], { cwd: installed, encoding: 'utf8' });
    assert.equal(status, 0);
    assert.match(stdout, /max-clients/);
    assert.match(spawnSync(bin(), ['explain', 'MaxClients'], { encoding: 'utf8' }).stdout, /MaxRequestWorkers/);
    assert.match(spawnSync(bin(), ['rules'], { encoding: 'utf8' }).stdout, /order-allow-deny/);
    assert.ok(statSync(path.join(installed, 'node_modules/httpd-upgrade/dist/httpd-upgrade.1')).size > 5000);
  });

  it('installed for everybody, its command and its man page are found', () => {
    const prefix = path.join(work, 'for all');
    npm(['install', '--global', '--prefix', prefix, '--offline', path.join(work, packed.filename)], work);
    const { stdout } = spawnSync(path.join(prefix, 'bin', 'httpd-upgrade'), ['--version'], { encoding: 'utf8' });
    assert.match(stdout, /^httpd-upgrade \d/);
    assert.match(
      readFileSync(path.join(prefix, 'share', 'man', 'man1', 'httpd-upgrade.1'), 'utf8'),
      /^\.TH HTTPD-UPGRADE 1/,
    );
  });

  it('its language server answers', async () => {
    const server = spawn(bin(), ['server', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { processId: process.pid, rootUri: null, capabilities: {} },
    });
    server.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      server.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('"id":1')) resolve(text);
      });
    });
    server.kill();
    assert.match(answer, /"serverInfo":\{"name":"httpd-upgrade"/);
  });

  const program =
    "const [file] = check({ 'a.conf': 'MaxClients 5\\n' });\nconsole.log(file?.findings[0]?.rule, fix({ 'a.conf': 'MaxClients 5\\n' }).files['a.conf'], plan({ 'a.conf': '' }).version, explain('Order') !== null);\n";
  for (const [name, text] of [
    ['module.mjs', `import { check, explain, fix, plan } from 'httpd-upgrade';\n${program}`],
    ['script.cjs', `const { check, explain, fix, plan } = require('httpd-upgrade');\n${program}`],
  ] as const) {
    it(`its library is there for ${name}`, () => {
      writeFileSync(path.join(installed, name), text);
      const { stdout, stderr } = spawnSync(process.execPath, [name], { cwd: installed, encoding: 'utf8' });
      assert.deepEqual([stdout, stderr], ['max-clients MaxRequestWorkers 5\n 1 true\n', '']);
    });
  }

  it('its types are right', () => {
    writeFileSync(
      path.join(installed, 'typed.mts'),
      `import { check, explain, fix, plan, type Finding } from 'httpd-upgrade';\n${program}const first: Finding | undefined = check({})[0]?.findings[0];\nvoid first;\n// @ts-expect-error: a target is a text\ncheck({}, { target: 2 });\n`,
    );
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
      '--typeRoots',
      path.join(repositoryRoot, 'node_modules/@types'),
    ];
    const { stdout, status } = spawnSync(
      process.execPath,
      [path.join(repositoryRoot, 'node_modules/typescript/lib/tsc.js'), ...options, 'typed.mts'],
      { cwd: installed, encoding: 'utf8' },
    );
    assert.deepEqual([stdout, status], ['', 0]);
  });
});
