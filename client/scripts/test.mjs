// Runs the tests:
//
//   npm test               types, unit tests, examples of the rules, a real httpd, one test of
//                          the editor: minutes
//   npm run test:slow      the suites *.slow.test.ts: mutants, corpora, random trees, kills, other
//                          editors, journeys in VS Code
//   npm run test:unit      the part of `npm test` that starts no other program: seconds
//   node client/scripts/test.mjs rules/max-clients
//                          the suites whose paths below test/ begin so, fast and slow
//
// UPDATE=1 rewrites the strings that tests expect, in the sources (test/support/update.ts).
// HTTPD_UPGRADE_SECONDS=FILE writes the time that each suite takes (client/scripts/worker.cjs).
//
// On a bare Debian machine as root it installs the programs that the tests need. On other machines
// each suite lists what is missing, and the end counts it. With CI=true a suite that cannot run
// fails, except as test/support/lacks.ts allows.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
process.chdir(root);

/**
 * Programs by their Debian package. The editor compiles its native parts, and searches with
 * ripgrep.
 */
const PACKAGES = {
  'apache2-bin': ['/usr/sbin/apache2'],
  'apache2-doc': ['/usr/share/doc/apache2-doc/manual'],
  chromium: ['/usr/bin/chromium'],
  ripgrep: ['/usr/bin/rg'],
  make: ['/usr/bin/make'],
  'g++': ['/usr/bin/g++'],
  python3: ['/usr/bin/python3', '/usr/local/bin/python3'],
  patch: ['/usr/bin/patch'],
  'groff-base': ['/usr/bin/groff'],
  zsh: ['/usr/bin/zsh'],
  fish: ['/usr/bin/fish'],
  gcc: ['/usr/bin/gcc'],
};
const PACKAGES_OF_SLOW = {
  neovim: ['/usr/bin/nvim'],
  'emacs-nox': ['/usr/bin/emacs'],
  'elpa-eglot': ['/usr/share/doc/elpa-eglot'],
  'elpa-lsp-mode': ['/usr/share/doc/elpa-lsp-mode'],
  vim: ['/usr/bin/vim'],
  'vim-ale': ['/usr/share/doc/vim-ale'],
};

const MOCHA = path.join(root, 'node_modules/mocha/bin/mocha.js');
const REPORTER = path.join(root, 'client/scripts/reporter.cjs');
const WORKER = path.join(root, 'client/scripts/worker.cjs');
/** A suite that imports this runs the bundles in dist/. */
const RUNS_DIST = 'out/test/support/built.js';
/** A suite that imports one of these asks a real httpd. */
const ASKS_HTTPD = /^out\/test\/httpd\/(harness|server|sandbox|installation)\.js$/;

/**
 * What the command line and the server are made of, and what the extension's package adds to it.
 */
const DIST_SOURCES = ['server/src', 'client/src', 'client/scripts/build.mjs', 'package.json', 'package-lock.json'];
const PACKAGE_SOURCES = [...DIST_SOURCES, 'syntaxes', 'docs/pictures', 'README.md', 'CHANGELOG.md', 'dist/commands.js'];

const started = Date.now();
const flags = process.argv.slice(2).filter((word) => word.startsWith('-'));
const prefixes = process.argv
  .slice(2)
  .filter((word) => !word.startsWith('-'))
  .map((word) => word.replace(/^test\//, '').replace(/\.ts$/, ''));
const isUnit = flags.includes('--unit');
const isSlow = flags.includes('--slow');
if (flags.some((flag) => flag !== '--unit' && flag !== '--slow')) usage();

const totals = { passed: 0, failed: 0 };
/** What mocha prints at the end about the tests that failed. */
const failures = [];
/** The suites of the real editor that failed, and were run once more. */
const again = [];
let isFine = true;

/** Of this run alone: the folders of tests lie in it. */
const temporary = temporaryFolder();
process.env.TMPDIR = temporary;
/** The file in which the tests list what they skip, and why. */
const skippedList = path.join(temporary, 'skipped');
writeFileSync(skippedList, '');
process.env.HTTPD_UPGRADE_SKIPPED = skippedList;
// The gate has the same seeds each time, so that a change is judged by its own merits. Other runs
// have new seeds.
if (process.env.CI) process.env.HTTPD_UPGRADE_SEED ??= '1';
// These suites are not the gate: they skip what the machine of CI lacks.
if (isUnit) delete process.env.CI;

if (!isUnit) installPackages();
if (!existsSync('node_modules')) await step('packages', 'npm', ['ci', '--no-audit', '--no-fund']);
const isGate = !isUnit && !isSlow && prefixes.length === 0;
// The linters are fetched when they run, so they go on beside the other steps.
const lint = process.env.CI && isGate ? run('npm', ['run', '--silent', 'lint'], null) : null;
if (isGate) await step('types', 'npm', ['run', '--silent', 'check']);
await step('tests, transpiled', 'node', ['client/scripts/build.mjs', '--tests']);
const files = selected();
const editorFiles = files.filter((file) => file.startsWith('editor/'));
const otherFiles = files.filter((file) => !file.startsWith('editor/'));
const editor = editorFiles.length > 0 ? editorInstalled() : null;
if (editor && isOlder('httpd-upgrade.vsix', PACKAGE_SOURCES))
  await step('package', 'npm', ['run', '--silent', 'package']);
else if (files.some((file) => reaches(file, (name) => name === RUNS_DIST)) && isOlder('dist/commands.js', DIST_SOURCES))
  await step('build', 'npm', ['run', '--silent', 'build']);
const main = otherFiles.length > 0 ? suite('tests', otherFiles) : Promise.resolve();
if (editor) await editorSuites(editor, main);
await main;
if (lint) reportLint(await lint);
const skipped = reportSkipped();
// The last lines say why, because those who run the tests often keep only these.
if (failures.length > 0) console.log(`\nfailed:\n${failures.join('\n')}`);
console.log(`\n${Math.round((Date.now() - started) / 1000)} s`);
if (again.length > 0) console.log(`run twice: ${again.join(', ')}`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${skipped} skipped`);
process.exitCode = isFine && totals.failed === 0 && totals.passed > 0 ? 0 : 1;

/**
 * Makes a new folder that is removed at the end. httpd and our programs read .htaccess files and
 * settings above a file, too: so no folder above it has such files, if this machine has a place
 * like that. Its name is short, because the path of a socket in it has at most 107 characters.
 */
function temporaryFolder() {
  const places = [tmpdir(), '/var/tmp', '/dev/shm', path.join(root, 'out')];
  const isFree = (place) => {
    for (let folder = path.resolve(place); ; folder = path.dirname(folder)) {
      if (['.htaccess', '.httpd-upgrade.json'].some((name) => existsSync(path.join(folder, name)))) return false;
      if (folder === path.dirname(folder)) return true;
    }
  };
  const place = places.find((each) => existsSync(each) && isFree(each)) ?? tmpdir();
  // No random letters: some tests look for letters in paths.
  const folder = path.join(place, `hu-${process.pid}-${Date.now() % 1e6}`);
  mkdirSync(folder);
  // Some tests run programs as another user.
  chmodSync(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  return folder;
}

/** Prints the head of this file, and ends. */
function usage() {
  const lines = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  console.log(
    lines
      .slice(0, end)
      .map((line) => line.slice(3))
      .join('\n'),
  );
  process.exit(flags.includes('--help') ? 0 : 2);
}

function installPackages() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const wanted = isSlow ? { ...PACKAGES, ...PACKAGES_OF_SLOW } : PACKAGES;
  const missing = Object.keys(wanted).filter((name) => !wanted[name].some((file) => existsSync(file)));
  if (missing.length === 0) return;
  console.log(`> installing ${missing.join(' ')}`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], options);
}

/**
 * The suites to run, as paths below out/test. A file name with `.slow` in it makes a suite slow;
 * there is no list.
 */
function selected() {
  const all = readdirSync('out/test', { recursive: true })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.test.js'))
    .sort();
  const found = all.filter(
    prefixes.length > 0
      ? (file) => prefixes.some((prefix) => file.startsWith(prefix)) && !(isUnit && startsPrograms(file))
      : (file) => file.endsWith('.slow.test.js') === isSlow && !(isUnit && startsPrograms(file)),
  );
  if (found.length > 0) return found;
  console.log(`no suite begins with ${prefixes.join(', ')}`);
  process.exit(2);
}

/** Whether a suite runs the bundles in dist/, a real httpd or a real editor. */
function startsPrograms(file) {
  return file.startsWith('editor/') || reaches(file, (name) => name === RUNS_DIST || ASKS_HTTPD.test(name));
}

/** Whether a suite imports a file, directly or through other files below test/. */
function reaches(suite, isWanted) {
  const seen = new Set();
  const pending = [`out/test/${suite}`];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (isWanted(file)) return true;
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    for (const [, imported] of readFileSync(file, 'utf8').matchAll(/\brequire\("(\.{1,2}\/[^"]+)"\)/g)) {
      const target = `${path.posix.join(path.posix.dirname(file), imported)}.js`;
      if (target.startsWith('out/test/')) pending.push(target);
    }
  }
  return false;
}

/** Whether a file is missing, or older than one of the sources that it is made of. */
function isOlder(made, sources) {
  if (!existsSync(made)) return true;
  const { mtimeMs } = statSync(made);
  return sources.some(
    (source) => !existsSync(source) || filesBelow(source).some((file) => statSync(file).mtimeMs > mtimeMs),
  );
}

function filesBelow(source) {
  if (!statSync(source).isDirectory()) return [source];
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Prints what the linters found, and nothing if they found nothing. */
function reportLint({ code, output }) {
  if (code === 0) return;
  isFine = false;
  console.log(`> lint\n${output}\nlint: failed`);
}

/** A step that the rest needs: stops everything when it fails. */
async function step(title, command, args) {
  console.log(`> ${title}`);
  const { code } = await run(command, args);
  if (code === 0) return;
  console.log(`${title}: failed`);
  process.exit(1);
}

/**
 * Prints what was skipped and why; returns the number of tests. A skipped test without a reason is
 * a mistake: test/support/lacks.ts is the one way to skip.
 */
function reportSkipped() {
  const lines = readFileSync(skippedList, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  // A suite that ran twice has written them twice.
  const titles = [...new Set(lines.flatMap(({ skipped }) => skipped ?? []))];
  const reasons = lines.filter(({ what }) => what !== undefined);
  const byReason = new Map();
  for (const title of titles) {
    const reason = reasons.find((each) => title.startsWith(each.title))?.what ?? null;
    byReason.set(reason, [...(byReason.get(reason) ?? []), title]);
  }
  if (titles.length > 0) console.log('\nskipped:');
  for (const [reason, those] of byReason) {
    if (reason === null) isFine = false;
    console.log(`  ${those.length} ${reason ?? `without a reason:\n    ${those.join('\n    ')}`}`);
  }
  return titles.length;
}

/** Resolves when the editor of the suites is installed, or cannot be: then the suites say so. */
async function editorInstalled() {
  const { missing } = await import('../../test/editor/install.mjs');
  if (missing(['chromium']).length > 0) return;
  const { code } = await run('node', ['test/editor/install.mjs'], null);
  // One attempt is enough: each suite would try for a minute.
  if (code !== 0)
    process.env.HTTPD_UPGRADE_NO_EDITOR =
      'the editor could not be installed, for the reason that is printed above (node test/editor/install.mjs)';
}

/**
 * Runs the suites that drive a real editor. They wait for it most of the time: so one runs at a
 * time beside the other tests, and two at a time after them; with one processor, all run after
 * them. A suite that fails is run once more in a new editor, and is named at the end: a browser can
 * lose a key once. Their output follows the output of the others.
 */
async function editorSuites(installed, others) {
  const waiting = [...editorFiles];
  const heading = others.then(() => console.log('> real editor'));
  const work = async () => {
    await installed;
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await editorSuite(file);
      void heading.then(() => process.stdout.write(result.printed ?? result.output));
      count(result);
    }
  };
  await Promise.all([availableParallelism() === 1 ? others.then(work) : work(), others.then(work)]);
}

async function editorSuite(file) {
  const options = ['--no-config', '--reporter', REPORTER, '--reporter-option', 'base=spec', '--timeout', '900000'];
  const args = [MOCHA, ...options, `out/test/${file}`];
  // The suite runs again as a whole: so the first failure ends the first run.
  const first = await run(process.execPath, [...args, '--bail'], null);
  if (first.code === 0) return first;
  again.push(file.replace('.test.js', ''));
  const second = await run(process.execPath, args, null);
  // Both are printed, the second counts.
  return { ...second, printed: first.output + second.output };
}

async function suite(title, suites) {
  console.log(`> ${title}`);
  const { timeout } = JSON.parse(readFileSync('.mocharc.json', 'utf8'));
  // One job more than processors, because many suites wait for a program that they started.
  const jobs = isUnit ? availableParallelism() : Math.max(3, availableParallelism() + 1);
  const args = [
    ...['--no-config', '--require', WORKER, '--timeout', String(timeout)],
    ...['--reporter', REPORTER, '--reporter-option', 'base=dot'],
    ...(suites.length > 1 ? ['--parallel', '--jobs', String(jobs)] : []),
    ...suites.map((file) => path.join('out/test', file)),
  ];
  // The real editor beside it goes first: its suites wait for what is on the screen.
  count(await run(process.execPath, [MOCHA, ...args], process.stdout, editor ? 5 : 0));
}

function count({ code, output }) {
  for (const [word, key] of [
    ['passing', 'passed'],
    ['failing', 'failed'],
  ]) {
    totals[key] += Number(new RegExp(`(\\d+) ${word}`).exec(output)?.[1] ?? 0);
  }
  const failing = output.search(/\d+ failing\b/);
  if (failing >= 0) failures.push(output.slice(failing).trim());
  if (code !== 0) isFine = false;
}

/**
 * Runs a program and passes its output on to `out`, unless that is null. `niceness`: see nice(1).
 */
function run(command, args, out = process.stdout, niceness = 0) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: process.env });
    const stop = () => child.kill();
    process.once('exit', stop);
    child.once('close', () => process.off('exit', stop));
    if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
      out?.write(data);
    });
    child.on('close', (code) => resolve({ code, output }));
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve({ code: 1, output });
    });
  });
}
