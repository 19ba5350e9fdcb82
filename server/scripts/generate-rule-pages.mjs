// Writes what follows from the rules and the settings: the pages of the rules and their index in
// docs/rules (the sections of a page that are written by hand stay, and are packed for the
// program), the settings in package.json and docs/settings.md, the schema of .httpd-upgrade.json,
// the table in docs/coverage.md.
//
//   node server/scripts/generate-rule-pages.mjs           writes what has changed
//   node server/scripts/generate-rule-pages.mjs --check   only lists them; fails if there are any
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { load } from './load.mjs';
import { read, root, write } from './written.mjs';

const { generatedFiles } = await load(path.join(root, 'server/src/rules/support/documentation.ts'));
const { settingsFiles } = await load(path.join(root, 'server/src/settings/generated-files.ts'));
const wanted = { ...settingsFiles(read), ...generatedFiles(read) };
write(
  wanted,
  pages().filter((file) => !(file in wanted)),
);
// The table in docs/coverage.md follows from the rules, too.
await import('./generate-changes-table.mjs');

function pages() {
  try {
    return readdirSync(path.join(root, 'docs/rules')).map((name) => `docs/rules/${name}`);
  } catch {
    return [];
  }
}
