// Checks the types of every part in parallel, each with only the types that it may use: the core
// without node, editor and browser.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const compiler = path.join(root, 'node_modules', 'typescript', 'lib', 'tsc.js');
const parts = [
  'server/tsconfig.core.json',
  'server/tsconfig.json',
  'client/tsconfig.json',
  'client/site/tsconfig.json',
  'test/tsconfig.json',
];

const outcomes = await Promise.all(parts.map(check));
process.exitCode = outcomes.every((code) => code === 0) ? 0 : 1;

function check(part) {
  return new Promise((resolve) => {
    spawn(process.execPath, [compiler, '-p', part], { cwd: root, stdio: 'inherit' }).once('exit', resolve);
  });
}
