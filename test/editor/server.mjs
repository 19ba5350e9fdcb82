// Starts the installed editor (see install.mjs) on a free port of 127.0.0.1, with an extension in
// it. Both the end-to-end tests and `client/scripts/open.mjs` use it.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * @param {object} options @param {string} options.editor the folder that installEditor() gave
 * @param {string} options.data a folder for the editor's own files, made when missing @param
 * {string} options.folder the folder to open @param {boolean} [options.isEmpty] true: a window
 * without a folder @param {string} [options.workspace] a .code-workspace file in it, to be opened
 * in its place @param {string[]} options.extensions the .vsix files to install @param {boolean}
 * [options.trust] false: the folder is not trusted, the editor works in restricted mode @param
 * {boolean} [options.webWorkerOnly] true: extensions lose their node entry point, so that they run
 * in the browser @param {number} [options.port] 0 for a free one @param {object} [options.settings]
 * user settings @returns the address to open, a promise of the server's end, and a function that
 * stops it
 */
export async function startServer({
  editor,
  data,
  folder,
  workspace,
  isEmpty = false,
  extensions,
  trust = true,
  webWorkerOnly = false,
  port = 0,
  settings = {},
}) {
  const { program, common } = commandOf(editor, data);
  mkdirSync(path.join(data, 'User'), { recursive: true });
  writeFileSync(path.join(data, 'User', 'settings.json'), JSON.stringify({ ...QUIET, ...settings }, null, 2));

  await installExtensions({ editor, data, extensions });
  if (webWorkerOnly) dropNodeEntryPoints(path.join(data, 'extensions'));

  const serve = ['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check'];
  const trusting = trust ? ['--disable-workspace-trust'] : [];
  const child = spawn(process.execPath, [program, ...common, ...serve, ...trusting, ...(isEmpty ? [] : [folder])], {
    // What it takes to undo a conversion is kept there, and not with the user's own.
    env: { ...environment(), XDG_STATE_HOME: path.join(data, 'state') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  process.on('exit', () => signalGroup(child, 'SIGKILL'));
  const address = await addressOf(child);
  const ended = new Promise((resolve) => child.on('close', resolve));
  return {
    url: isEmpty
      ? `${address}?ew=true`
      : `${address}?${workspace ? 'workspace' : 'folder'}=${path
          .join(folder, workspace ?? '')
          .split('/')
          .map(encodeURIComponent)
          .join('/')}`,
    ended,
    stop: () => stop(child),
  };
}

/**
 * Installs .vsix files into `data/extensions`, where the editor finds them whose folder `data` is,
 * or becomes a copy of.
 */
export async function installExtensions({ editor, data, extensions }) {
  const { program, common } = commandOf(editor, data);
  for (const vsix of extensions) {
    await promisify(execFile)(process.execPath, [program, ...common, '--install-extension', vsix], {
      env: environment(),
    });
  }
}

function commandOf(editor, data) {
  mkdirSync(data, { recursive: true });
  writeFileSync(path.join(data, 'config.yaml'), '');
  const folders = ['--user-data-dir', data, '--extensions-dir', path.join(data, 'extensions')];
  return {
    program: path.join(editor, 'node_modules', 'code-server', 'out', 'node', 'entry.js'),
    common: [...folders, '--config', path.join(data, 'config.yaml')],
  };
}

/** An editor that has nothing to say about itself. */
const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'chat.commandCenter.enabled': false,
};

/**
 * Without what a surrounding VS Code or code-server sets for its terminals, which would make this
 * one join that one.
 */
function environment() {
  const foreign = /^(VSCODE_|CODE_SERVER_|ELECTRON_|PORT$|PASSWORD$|HASHED_PASSWORD$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function addressOf(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (data) => {
      output += data;
      const address = /listening on (http:\S+)/.exec(output)?.[1];
      if (address) resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject);
    child.on('close', () => {
      const errors = [...output.matchAll(/ error +(.*)/g)].map(([, error]) => error);
      reject(new Error(`The editor's server did not start: ${errors.join('\n') || output}`));
    });
  });
}

function dropNodeEntryPoints(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name, 'package.json');
    if (!entry.isDirectory() || !existsSync(file)) continue;
    const { main, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(manifest));
  }
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.on('close', resolve));
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), 5000);
  await closed;
  clearTimeout(timer);
}

/** The server and its extension hosts are one process group, so that all of them end. */
function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
