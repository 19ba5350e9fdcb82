// Installs the editor that the end-to-end tests drive and that `client/scripts/open.mjs` opens:
// code-server, which is VS Code served to a browser, and playwright-core, which drives Chromium.
//
//   node test/editor/install.mjs      installs if that is not done yet, and prints where it is
//
// Everything lands in one folder named by the hash of the lock file and of this script, below
// `test/editor/.cache/` or $HTTPD_UPGRADE_EDITOR_CACHE. The folder appears only when it is
// complete, so that its existence means "ready".
//
// code-server's own install script refuses to run as root and one of its dependencies downloads a
// binary, so nothing is installed with scripts; the four native parts that the server loads are
// compiled here instead.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

/** What has to be on the machine, by the name of its Debian package. */
const PROGRAMS = {
  make: ['make'],
  'g++': ['g++', 'c++'],
  python3: ['python3'],
  ripgrep: ['rg'],
  chromium: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
};

/** The packages that compiling needs, and ripgrep, with which the editor searches files. */
export const TO_INSTALL = ['make', 'g++', 'python3', 'ripgrep'];

/** Those of `packages` of which no program is on the PATH. */
export function missing(packages) {
  return packages.filter((name) => !programOf(name));
}

/** The full path of the program that a package brings, or undefined. */
export function programOf(packageName) {
  for (const name of PROGRAMS[packageName]) {
    const found = which(name);
    if (found) return found;
  }
  return undefined;
}

/** The full path of a program on the PATH, or undefined. */
export function which(name) {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

/** The folder of the installed editor, or undefined as long as it is not installed. */
export function findEditor() {
  const folder = editorFolder();
  return existsSync(folder) ? folder : undefined;
}

/**
 * Installs the editor unless that is done, and gives its folder. `say` gets short lines about the
 * progress. What stands in the way is thrown as an error whose message says what to do.
 */
export async function installEditor(say = () => {}) {
  const folder = editorFolder();
  if (existsSync(folder)) return folder;
  if (process.platform === 'win32') throw new Error('The test editor needs Linux or macOS (on Windows: WSL).');
  const lacking = missing(TO_INSTALL);
  if (lacking.length > 0) {
    throw new Error(
      `Installing the editor needs ${lacking.join(', ')}. On Debian or Ubuntu: apt-get install ${lacking.join(' ')}`,
    );
  }

  const half = `${folder}.${process.pid}`;
  // make takes a blank in a path for the end of it.
  const place = /\s/.test(half) ? mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-editor-')) : half;
  try {
    mkdirSync(half, { recursive: true });
    await install(place, say);
    if (place !== half) cpSync(place, half, { recursive: true, verbatimSymlinks: true });
    publish(half, folder);
  } finally {
    for (const each of [half, place]) rmSync(each, { recursive: true, force: true });
    removeOthers(folder);
  }
  return folder;
}

async function install(folder, say) {
  for (const file of ['package.json', 'package-lock.json']) cpSync(path.join(here, file), path.join(folder, file));
  const vscode = path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  const npm = (where, ...args) =>
    run('npm', [...args, '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'], where);

  await timed(say, '  packages', () => npm(folder, 'ci'));
  await timed(say, "  VS Code's own packages", () => npm(vscode, 'install'));
  await timed(say, '  native parts', () => compileNativeParts(folder, vscode));

  // The editor looks for its packages in the archive that the desktop build has, and for ripgrep
  // where a download puts it.
  symlinkSync('node_modules', path.join(vscode, 'node_modules.asar'));
  const ripgrep = path.join(vscode, 'node_modules', '@vscode', 'ripgrep', 'bin');
  mkdirSync(ripgrep, { recursive: true });
  symlinkSync(programOf('ripgrep'), path.join(ripgrep, 'rg'));
}

/**
 * argon2 is loaded by the server's start, the other three by VS Code: its log, its watchdog, its
 * terminal.
 */
async function compileNativeParts(folder, vscode) {
  const gyp = path.join(folder, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
  const compile = (where, ...args) => run(process.execPath, [gyp, 'rebuild', ...headers(), ...args], where);
  const vscodePart = (name) => compile(path.join(vscode, 'node_modules', name));

  await Promise.all([compileArgon2(folder, compile), vscodePart('native-watchdog'), vscodePart('node-pty')]);
  await vscodePart('@vscode/spdlog');
}

/** argon2 tells its build where to put the result, by variables that node-pre-gyp would set. */
function compileArgon2(folder, compile) {
  const where = path.join(folder, 'node_modules', 'argon2');
  const target = path.join(where, 'lib', 'binding', 'napi-v3');
  return compile(where, '--', `-Dmodule_name=argon2`, `-Dmodule_path=${target}`, '-Dnapi_build_version=3');
}

/** Most installations of Node include its headers; node-gyp would download them otherwise. */
function headers() {
  const prefix = path.dirname(path.dirname(process.execPath));
  return existsSync(path.join(prefix, 'include', 'node', 'node.h')) ? [`--nodedir=${prefix}`] : [];
}

/** Another process may have been faster: its folder is as good as ours. */
function publish(half, folder) {
  try {
    renameSync(half, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** The cache keeps one editor (300 MB), and what other processes are still installing. */
function removeOthers(folder) {
  const cache = path.dirname(folder);
  for (const name of readdirSync(cache)) {
    const [isEditor, pid] = /^editor-[0-9a-f]{16}(?:\.(\d+))?$/.exec(name) ?? [];
    if (!isEditor || name === path.basename(folder) || (pid && isAlive(Number(pid)))) continue;
    rmSync(path.join(cache, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function editorFolder() {
  const cache = process.env.HTTPD_UPGRADE_EDITOR_CACHE || path.join(here, '.cache');
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', 'install.mjs']) hash.update(readFileSync(path.join(here, file)));
  hash.update(`${process.platform}-${process.arch}-${process.versions.modules}`);
  return path.resolve(cache, `editor-${hash.digest('hex').slice(0, 16)}`);
}

/** Does some work and then says what it was and how long it took. */
export async function timed(say, what, work) {
  const start = Date.now();
  await work();
  say(`${what}: ${Math.round((Date.now() - start) / 1000)} s`);
}

/** Runs a program silently; what it printed is shown only when it failed. */
export function run(program, args, cwd, variables = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return resolve();
      const last = output.trimEnd().split('\n').slice(-15).join('\n');
      const hint = /node-gyp\/lib\/install\.js/.test(last)
        ? "\nNode's headers are not beside node, and could not be downloaded. npm_config_nodedir=DIR says where they are."
        : '';
      reject(new Error(`${path.basename(program)} ${args.join(' ')} failed in ${cwd}:\n${last}${hint}`));
    });
  });
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (!findEditor()) console.log('Installing the editor (code-server), about a minute:');
    console.log(`The editor is in ${path.relative(process.cwd(), await installEditor(console.log))}`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
