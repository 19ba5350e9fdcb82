// Makes a release out of what CHANGELOG.md has below Unreleased: the version in package.json, a heading in the changelog, a commit and a tag.
//
//   node client/scripts/release.mjs 1.2.3     commit and tag; nothing is pushed
//   node client/scripts/release.mjs --notes   prints what the changelog says of the version in package.json
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The changelog with what is below Unreleased moved to a version. Throws where there is nothing to release. `date`: YYYY-MM-DD. */
export function released(changelog, version, date) {
  const [head, below] = changelog.split(/^## \[Unreleased\]\n/m);
  if (below === undefined) throw new Error('CHANGELOG.md has no heading "## [Unreleased]"');
  const next = below.search(/^## \[/m);
  const own = (next < 0 ? below : below.slice(0, next)).trim();
  if (own === '') throw new Error('CHANGELOG.md has nothing below Unreleased');
  return `${head}## [Unreleased]\n\n## [${version}] - ${date}\n\n${own}\n${next < 0 ? '' : `\n${below.slice(next)}`}`;
}

/** What the changelog says of a version. */
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
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  if (word === '--notes') {
    process.stdout.write(notesOf(changelog, manifest.version));
    return;
  }
  if (!/^\d+\.\d+\.\d+$/.test(word ?? '')) throw new Error('give a version: npm run release 1.2.3');
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (git('status', '--porcelain').trim() !== '') throw new Error('there are changes that are not committed');
  writeFileSync('CHANGELOG.md', released(changelog, word, new Date().toISOString().slice(0, 10)));
  execFileSync('npm', ['version', '--no-git-tag-version', '--allow-same-version', word], { stdio: 'inherit' });
  git('add', 'CHANGELOG.md', 'package.json', 'package-lock.json');
  git('commit', '--quiet', '--message', `Release ${word}`);
  // A tag without a message is one that --follow-tags leaves behind.
  git('tag', '--annotate', '--message', `Release ${word}`, `v${word}`);
  console.log(`Tagged v${word}. To publish: git push --follow-tags`);
}
