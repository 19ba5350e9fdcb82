// Runs all tests:
//
//   node client/scripts/test.mjs             everything
//   node client/scripts/test.mjs --fast      without the real editor
//   node client/scripts/test.mjs --unit      what needs no other program and no corpus, in seconds
//   node client/scripts/test.mjs rules/max-clients httpd/claims
//                                            suites whose paths below test/ begin so; with --unit, of its suites
//
// HTTPD_UPGRADE_SECONDS=FILE writes what each suite costs: client/scripts/worker.cjs.
//
// On a bare Debian machine as root it installs what the tests need; elsewhere each suite says what is missing, and the end counts them. With
// CI=true a suite that cannot run fails, but for what test/support/lacks.ts allows.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
process.chdir(root);

/** Programs by the Debian package that has them. ripgrep and the compilers are for the editor's native parts. */
const PACKAGES = {
  'apache2-bin': ['/usr/sbin/apache2'],
  'apache2-doc': ['/usr/share/doc/apache2-doc/manual'],
  chromium: ['/usr/bin/chromium'],
  ripgrep: ['/usr/bin/rg'],
  make: ['/usr/bin/make'],
  'g++': ['/usr/bin/g++'],
  python3: ['/usr/bin/python3', '/usr/local/bin/python3'],
  patch: ['/usr/bin/patch'],
  neovim: ['/usr/bin/nvim'],
  'emacs-nox': ['/usr/bin/emacs'],
  'groff-base': ['/usr/bin/groff'],
  'elpa-eglot': ['/usr/share/doc/elpa-eglot'],
  'elpa-lsp-mode': ['/usr/share/doc/elpa-lsp-mode'],
  vim: ['/usr/bin/vim'],
  'vim-ale': ['/usr/share/doc/vim-ale'],
  zsh: ['/usr/bin/zsh'],
  fish: ['/usr/bin/fish'],
  gcc: ['/usr/bin/gcc'],
};

// The gate judges the change and not the day's luck: elsewhere each run has seeds of its own.
if (process.env.CI) process.env.HTTPD_UPGRADE_SEED ??= '1';

/** Files that take longest, the longest first. The others follow in the order of their names. */
const LONGEST = [
  'access/mutation',
  'corpus/start',
  'host/change-faults',
  'httpd/mutants',
  'corpus/places',
  'lsp/plans',
  'host/change-kill',
  'trees/cases',
  'soak/soak',
  'corpus/corpus',
  'syntax/incremental',
  'corpus/upgrade',
  'access/generated',
  'trees/generated',
  'lsp/fix-all',
  'access/recorded',
  'httpd/rules',
  'httpd/access-sections',
  'cli/package',
  'lsp/contained',
  'lsp/other-clients',
  'access/again',
  'corpus/missing-modules',
  'httpd/format',
  'corpus/whole-trees',
  'lsp/kinds-of-clients',
  'architecture/gate',
  'corpus/verdict',
  'httpd/start',
  'cli/input',
  'corpus/chroot',
  'host/change',
  'directives/values',
  'httpd/names',
  'access/lone',
  'cli/fix',
  'lsp/disk-changes',
  'cli/migrate',
  'httpd/access-generated',
  'httpd/claims-removed',
  'cli/ci',
  'access/meanings',
  'cli/usage',
  'cli/layouts',
  'features/completion/corpus',
  'lsp/documents',
  'lsp/conversions',
  'cli/warm',
  'httpd/recorded-answers',
  'lsp/configurations',
  'features/diagnostics-edits',
  'access/large',
  'cli/hostile',
  'rules/composed',
  'access/choices',
  'httpd/trees',
  'cost/language',
  'access/windows',
  'syntax/shell-assignments',
  'cost/workspace',
  'lsp/encodings',
  'httpd/harness',
  'access/answers',
  'cost/edit',
  'config/one-interpreter',
  'templates/templates',
];

const MOCHA = path.join(root, 'node_modules/mocha/bin/mocha.js');
const REPORTER = path.join(root, 'client/scripts/reporter.cjs');
const WORKER = path.join(root, 'client/scripts/worker.cjs');
const started = Date.now();
const isUnit = process.argv.includes('--unit');
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'));
if (process.argv.slice(2).some((word) => word.startsWith('-') && word !== '--unit' && word !== '--fast')) usage();
const isFast = isUnit || wanted.length > 0 || process.argv.includes('--fast');
/** With one processor, the suites of the editor wait for the others. */
const isAlone = availableParallelism() === 1;
const totals = { passed: 0, failed: 0 };
/** The suites of the real editor that failed, and were run once more. */
const again = [];
let isFine = true;

/** Suites that take seconds: of these directories, but for what asks a real httpd, and the files named. */
const UNIT = [
  'access',
  'analysis',
  'architecture',
  'client',
  'config',
  'directives',
  'features',
  'grammar',
  'library',
  'rules',
  'settings',
  'symbols',
  'syntax',
  'templates',
  'validation',
];
/** Generators of configurations and edits, hundreds of thousands of recorded answers, and what else takes long. */
const NOT_UNIT = [
  'access/again',
  'access/answers',
  'access/choices',
  'access/generated',
  'access/keep-both',
  'access/large',
  'access/lone',
  'access/meanings',
  'access/model22',
  'access/mutation',
  'access/requests',
  'access/windows',
  'architecture/gate',
  'architecture/release',
  'config/endless',
  'features/completion/corpus',
  'features/diagnostics-edits',
  'library/library',
  'rules/composed',
  'rules/messages',
  'syntax/incremental',
  'templates/templates',
];

/** Where the tests write what they skip, and why. */
const skippedList = path.join(mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-tests-')), 'skipped');
writeFileSync(skippedList, '');
process.env.HTTPD_UPGRADE_SKIPPED = skippedList;
// These suites are not the gate: what they lack on a machine of CI is said, and the gate is elsewhere.
if (isUnit) delete process.env.CI;
// Which of their random cases and files they leave to the gate: test/support/unit.ts.
process.env.HTTPD_UPGRADE_UNIT = isUnit ? '1' : '';

if (!isUnit) installPackages();
if (!existsSync('node_modules')) await step('packages', 'npm', ['ci', '--no-audit', '--no-fund']);
// These wait for the network more than they compute, so they go on beside the steps and the tests.
const editor = isFast ? null : editorInstalled();
// The linters are fetched when they are run: they bring programs for every kind of machine.
const lint = process.env.CI && !isUnit && wanted.length === 0 ? run('npm', ['run', '--silent', 'lint'], null) : null;
// By its path: the package of the older API has a tsc of the same name.
if (!isUnit) await step('types', 'npm', ['run', '--silent', 'check']);
if (!isUnit) await step('package', 'npm', ['run', '--silent', wanted.length > 0 ? 'build' : 'package']);
await step('tests, transpiled', 'node', ['client/scripts/build.mjs', '--tests']);
const main = suite('tests', inOrder());
if (editor) await editorSuites(editor, main);
await main;
if (lint) tellLint(await lint);
const skipped = tellSkipped();
rmSync(path.dirname(skippedList), { recursive: true, force: true });
console.log(`\n${Math.round((Date.now() - started) / 1000)} s`);
if (again.length > 0) console.log(`run twice: ${again.join(', ')}`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${skipped} skipped`);
process.exitCode = isFine && totals.failed === 0 && totals.passed > 0 ? 0 : 1;

/** Prints what stands at the head of this file, and ends. */
function usage() {
  const lines = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  console.log(
    lines
      .slice(0, end)
      .map((line) => line.slice(3))
      .join('\n'),
  );
  process.exit(process.argv.includes('--help') ? 0 : 2);
}

function installPackages() {
  const missing = Object.keys(PACKAGES).filter((name) => !PACKAGES[name].some((file) => existsSync(file)));
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`> installing ${missing.join(' ')}`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], options);
}

/** What the linters found, which stays unsaid where they found nothing. */
function tellLint({ code, output }) {
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

/** The configuration of mocha, with the files in the order in which they are to begin: those that take long first, so that no job waits for another one's long file at the end. */
function inOrder() {
  const { timeout } = JSON.parse(readFileSync('.mocharc.json', 'utf8'));
  const files = readdirSync('out/test', { recursive: true })
    .map((file) => file.split(path.sep).join('/'))
    .filter(
      (file) =>
        file.endsWith('.test.js') && (wanted.some((word) => word.startsWith('editor')) || !file.startsWith('editor/')),
    )
    .filter(
      (file) =>
        !isUnit ||
        (UNIT.includes(file.split('/')[0]) && !NOT_UNIT.includes(file.replace('.test.js', '')) && !asksHttpd(file)),
    )
    .filter(
      (file) =>
        wanted.length === 0 ||
        wanted.some((word) => file.startsWith(word.replace(/^test\//, '').replace(/\.test\.ts$/, ''))),
    )
    .sort();
  if (files.length === 0) {
    console.log(`no suite begins with ${wanted.join(', ')}`);
    process.exit(2);
  }
  const ordered = byRank(files).map((file) => path.join('out/test', file));
  // One more than there are processors: many wait for a server that they started, but for those that start none.
  return [
    '--no-config',
    '--parallel',
    '--jobs',
    String(isUnit ? availableParallelism() : Math.max(3, availableParallelism() + 1)),
    '--require',
    WORKER,
    '--timeout',
    String(timeout),
    '--reporter',
    REPORTER,
    '--reporter-option',
    'base=dot',
    ...ordered,
  ];
}

/** The longest first, so that no processor is idle at the end. */
function byRank(files) {
  const rank = (file) => (LONGEST.indexOf(file.replace('.test.js', '')) + LONGEST.length + 1) % (LONGEST.length + 1);
  return files.sort((a, b) => rank(a) - rank(b));
}

function asksHttpd(file) {
  return readFileSync(path.join('out/test', file), 'utf8').includes('/httpd/harness');
}

/** Says what was skipped and why; gives how many tests. What has no reason is a mistake: test/support/lacks.ts is the one way to skip. */
function tellSkipped() {
  const lines = readFileSync(skippedList, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  // A suite that was run twice has written them twice.
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

/** Resolves when the editor of the suites is installed, or cannot be: then they say so themselves. */
async function editorInstalled() {
  const { missing } = await import('../../test/editor/install.mjs');
  if (missing(['chromium']).length > 0) return;
  const { code } = await run('node', ['test/editor/install.mjs'], null);
  // Once is enough: each suite would try it for a minute.
  if (code !== 0)
    process.env.HTTPD_UPGRADE_NO_EDITOR =
      'the editor could not be installed, for the reason that stands above (node test/editor/install.mjs)';
}

/**
 * The suites that drive a real editor, which wait for it most of the time: one after the other beside the other tests, two at a time behind them. A suite
 * that fails is run once more in a new editor, and is named at the end: a key that a browser loses is not a mistake of the product, one lost twice is.
 * What they print follows what the other tests print.
 */
async function editorSuites(installed, others) {
  const files = readdirSync('out/test/editor').filter((file) => file.endsWith('.test.js'));
  const waiting = byRank(files.sort().map((file) => `editor/${file}`));
  const heading = others.then(() => console.log('> real editor'));
  const work = async () => {
    await installed;
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await editorSuite(file);
      void heading.then(() => process.stdout.write(result.printed ?? result.output));
      count(result);
    }
  };
  await Promise.all([isAlone ? others.then(work) : work(), others.then(work)]);
}

async function editorSuite(file) {
  const options = ['--no-config', '--reporter', REPORTER, '--reporter-option', 'base=spec', '--timeout', '900000'];
  const args = [MOCHA, ...options, `out/test/${file}`];
  const first = await run(process.execPath, args, null);
  if (first.code === 0) return first;
  again.push(file.replace('.test.js', ''));
  const second = await run(process.execPath, args, null);
  // Of both, what failed is to be read; of the second, what counts.
  return { ...second, printed: first.output + second.output };
}

async function suite(title, args) {
  console.log(`> ${title}`);
  // The real editor beside it goes first: its suites wait for what is on the screen.
  count(await run(process.execPath, [MOCHA, ...args], process.stdout, isFast ? 0 : 5));
}

function count({ code, output }) {
  for (const [word, key] of [
    ['passing', 'passed'],
    ['failing', 'failed'],
  ]) {
    totals[key] += Number(new RegExp(`(\\d+) ${word}`).exec(output)?.[1] ?? 0);
  }
  if (code !== 0) isFine = false;
}

/** Runs a program; what it prints is passed on to `out` as it comes, where there is one. `niceness`: how far it, and what it starts, stands back. */
function run(command, args, out = process.stdout, niceness = 0) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: process.env });
    process.once('exit', () => child.kill());
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
