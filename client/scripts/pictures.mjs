// Makes docs/pictures, which the README and the walkthrough show, from the real editor:
//
//   node client/scripts/pictures.mjs            the pictures of the repository
//   node client/scripts/pictures.mjs --moving   the moving picture alone, from the screenshots that
//                                               the suite editor/journey left in out/screenshots
//   node client/scripts/pictures.mjs DIR        all looks (light, dark, high contrast; 1,280 and 1,920 pixels) into a directory, to be looked at
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { apng } from './apng.mjs';

/** Those that are shown somewhere. */
const SHOWN = [
  ...['2-plan'].map((name) => `journey-${name}.png`),
  ...['1-invitation', '2-plan', '3-question', '5-preview', '6-end'].map((name) => `walkthrough-${name}.png`),
];

/** The frames of docs/pictures/upgrade.png, and the milliseconds of each. */
const FRAMES = [
  ['1-invitation', 2500],
  ['2-plan', 3000],
  ['3-question', 3000],
  ['4-answered', 2000],
  ['5-preview', 3500],
  ['6-end', 2500],
  ['7-verify', 5000],
];

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
process.chdir(root);

const [asked] = process.argv.slice(2);
if (asked === '--moving') {
  movingPicture('out/screenshots');
  process.exit();
}
const folder = asked ? path.resolve(asked) : mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-pictures-'));
run('npm', ['run', '--silent', 'package']);
run('node', ['client/scripts/build.mjs', '--tests']);
run('npx', ['mocha', '--no-config', '--timeout', '180000', 'out/test/editor/journey.slow.test.js'], {
  HTTPD_UPGRADE_PICTURES: folder,
});
if (!asked) {
  mkdirSync('docs/pictures', { recursive: true });
  for (const name of readdirSync(folder))
    if (SHOWN.includes(name)) copyFileSync(path.join(folder, name), path.join('docs/pictures', name));
  movingPicture(folder);
  rmSync(folder, { recursive: true });
}

function movingPicture(from) {
  const frames = FRAMES.map(([name, milliseconds]) => ({
    png: readFileSync(path.join(from, `journey-${name}.png`)),
    milliseconds,
  }));
  writeFileSync('docs/pictures/upgrade.png', apng(frames));
}

function run(command, args, environment = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  if (status !== 0) process.exit(status ?? 1);
}
