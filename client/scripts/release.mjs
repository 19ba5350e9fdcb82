// A step of `npm version 1.2.3`, which writes the version, and makes a commit and a tag
// (package.json, "preversion" and "version"). Pushing the tag publishes:
// .github/workflows/release.yml.
//
//   node client/scripts/release.mjs --check     fails if the changelog or docs/changes.md has
//                                               nothing below Unreleased
//   node client/scripts/release.mjs             moves what is below Unreleased to the version in
//                                               package.json, in both files
//   node client/scripts/release.mjs --notes     prints what the changelog says of that version
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PAGE = 'docs/changes.md';

/** Moves what is below Unreleased to a version. Throws if nothing is there. `date`: YYYY-MM-DD. */
export function released(changelog, version, date) {
  const [head, below] = changelog.split(/^## \[Unreleased\]\n/m);
  if (below === undefined) throw new Error('CHANGELOG.md has no heading "## [Unreleased]"');
  const next = below.search(/^## \[/m);
  const own = (next < 0 ? below : below.slice(0, next)).trim();
  if (own === '') throw new Error('CHANGELOG.md has nothing below Unreleased');
  return `${head}## [Unreleased]\n\n## [${version}] - ${date}\n\n${own}\n${next < 0 ? '' : `\n${below.slice(next)}`}`;
}

/** The same for docs/changes.md, "What changed for you". Throws if nothing is there. */
export function releasedForUsers(page, version) {
  const [head, below] = page.split(/^## Unreleased\n/m);
  if (below === undefined) throw new Error('docs/changes.md has no heading "## Unreleased"');
  if (/^\s*(## |$)/.test(below)) throw new Error('docs/changes.md has nothing below Unreleased');
  return `${head}## Unreleased\n\n## ${version}\n${below}`;
}

/** The text of a version in the changelog. */
export function notesOf(changelog, version) {
  const begin = changelog.indexOf(`## [${version}]`);
  if (begin < 0) throw new Error(`CHANGELOG.md does not have ${version}`);
  const text = changelog.slice(changelog.indexOf('\n', begin) + 1);
  const end = text.search(/^## \[/m);
  return `${(end < 0 ? text : text.slice(0, end)).trim()}\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    main(process.argv[2]);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

function main(word) {
  process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..'));
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const page = readFileSync(PAGE, 'utf8');
  const today = new Date().toISOString().slice(0, 10);
  if (word === '--notes') process.stdout.write(notesOf(changelog, version));
  else {
    const changed = { 'CHANGELOG.md': released(changelog, version, today), [PAGE]: releasedForUsers(page, version) };
    if (word === '--check') return;
    for (const [file, text] of Object.entries(changed)) writeFileSync(file, text);
  }
}
