// Builds the extension and opens it on a copy of the sample configurations, to be tried out:
//
//   node client/scripts/open.mjs                  in VS Code when `code` is on the PATH, otherwise in the browser
//   node client/scripts/open.mjs --port 8123      in the browser, on this port of 127.0.0.1
//   node client/scripts/open.mjs --folder DIR     on a folder of your own (itself, not a copy)
//
// In the browser it is the editor of the end-to-end tests, see test/editor/install.mjs.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { TO_INSTALL, findEditor, installEditor, missing, run, timed, which } from '../../test/editor/install.mjs';
import { startServer } from '../../test/editor/server.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const isRoot = process.getuid?.() === 0;

try {
  await open(options());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function open({ port, folder }) {
  if (!existsSync(path.join(root, 'node_modules'))) {
    await timed(console.log, 'Packages of the project (npm ci)', () =>
      run('npm', ['ci', '--no-audit', '--no-fund'], root),
    );
  }
  await timed(console.log, 'Extension (npm run package)', () => run('npm', ['run', 'package'], root));

  // VS Code does not start for root.
  const code = port === undefined && !isRoot ? which('code') : undefined;
  if (code) {
    spawn(code, [`--extensionDevelopmentPath=${root}`, folder ?? copyOfSamples()], { stdio: 'inherit' });
    console.log('VS Code opens it with the extension.');
  } else {
    await serve(port ?? 0, folder);
  }
}

/** Serves the editor to the browser until Ctrl+C. */
async function serve(port, folder = undefined) {
  await installPrograms();
  if (!findEditor()) console.log('Editor (code-server; only this once, about a minute):');
  const editor = await installEditor(console.log);

  const data = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-editor-'));
  process.on('exit', () => rmSync(data, { recursive: true, force: true }));
  const extensions = [path.join(root, 'httpd-upgrade.vsix')];
  const settings = { 'workbench.startupEditor': 'readme' };
  const server = await startServer({ editor, data, folder: folder ?? copyOfSamples(), port, extensions, settings });

  console.log(`\nOpen ${server.url}\nCtrl+C ends it.`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => server.stop());
  await server.ended;
}

/**
 * As root on Debian, installs missing programs; elsewhere installEditor() says which are missing.
 */
async function installPrograms() {
  const lacking = missing(TO_INSTALL);
  if (lacking.length === 0 || !isRoot || !which('apt-get')) return;
  const aptGet = (...args) => run('apt-get', args, root, { DEBIAN_FRONTEND: 'noninteractive' });
  await timed(console.log, `Debian packages (${lacking.join(', ')})`, async () => {
    await aptGet('update');
    await aptGet('install', '--yes', '--no-install-recommends', ...lacking);
  });
}

/** Works on a copy, so that the repository stays clean. */
function copyOfSamples() {
  const folder = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-samples-'));
  cpSync(path.join(root, 'test', 'samples'), folder, { recursive: true });
  console.log(`A copy of the samples, yours to edit: ${folder}`);
  return folder;
}

function options() {
  const { values } = parseArgs({ options: { port: { type: 'string' }, folder: { type: 'string' } } });
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65536)) {
    throw new Error(`--port wants a number from 0 to 65535, not "${values.port}"`);
  }
  const folder = values.folder === undefined ? undefined : path.resolve(values.folder);
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`--folder wants a folder, and ${folder} is none`);
  }
  return { port, folder };
}
