// Writes what follows from the rules and the settings: a page for each rule and their index in docs/rules, the settings in package.json and in the README, the
// schema of .httpd-upgrade.json, the table in docs/coverage.md.
//
//   node server/scripts/generate-rule-pages.mjs           writes what has changed
//   node server/scripts/generate-rule-pages.mjs --check   only says what would, and fails if there is something
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from './load.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const isCheck = process.argv.includes('--check');

const { generatedFiles } = await load(path.join(root, 'server/src/rules/support/documentation.ts'));
const { settingsFiles } = await load(path.join(root, 'server/src/settings/generated-files.ts'));
const wanted = { ...settingsFiles(read), ...generatedFiles() };
const stale = Object.keys(wanted).filter((file) => read(file) !== wanted[file]);
const extra = pages().filter((file) => !(file in wanted));

for (const file of [...stale, ...extra])
  console.log(`${isCheck ? 'stale' : file in wanted ? 'written' : 'removed'}: ${file}`);
if (isCheck) process.exitCode = stale.length + extra.length > 0 ? 1 : 0;
else {
  mkdirSync(path.join(root, 'docs/rules'), { recursive: true });
  for (const file of stale) writeFileSync(path.join(root, file), wanted[file]);
  for (const file of extra) rmSync(path.join(root, file));
}
// The table in docs/coverage.md follows from the rules, too.
await import('./generate-changes-table.mjs');

function read(file) {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return '';
  }
}

function pages() {
  try {
    return readdirSync(path.join(root, 'docs/rules')).map((name) => `docs/rules/${name}`);
  } catch {
    return [];
  }
}
