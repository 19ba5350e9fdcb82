// Writes server/src/directives/data/stock-files.json: hashes of the lines of the configuration
// files that distributions install with httpd 2.2. The files are read from public repositories:
//
//   node server/scripts/generate-stock-files.mjs FOLDER
//
// FOLDER has a bare clone of each repository below, as OWNER+NAME. The script stops if
// one is missing.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { load } from './load.mjs';
import { root } from './written.mjs';

const DEBIAN = 'jspricke/apache2.debian';
const FEDORA = 'mirror-rpm/httpd';
const REBUILD = 'frameos-linux/httpd-rpm';

/** The packages: the release for users, repository, tag or commit, directory of the files. */
const PACKAGES = [
  ['Debian 4', 'debian', DEBIAN, 'debian/2.2.3-4+etch6'],
  ['Debian 5', 'debian', DEBIAN, 'debian/2.2.9-10+lenny11'],
  ['Debian 6', 'debian', DEBIAN, 'debian/2.2.16-6+squeeze12'],
  ['Debian 7', 'debian', DEBIAN, 'debian/2.2.22-13+deb7u6'],
  ['Debian (2.2.8-1, the base of Ubuntu 8.04)', 'debian', DEBIAN, 'debian/2.2.8-1'],
  ['Debian (2.2.14-5, the base of Ubuntu 10.04)', 'debian', DEBIAN, 'debian/2.2.14-5'],
  ['Debian (2.2.22-1, the base of Ubuntu 12.04)', 'debian', DEBIAN, 'debian/2.2.22-1'],
  ['CentOS 6', 'rhel', REBUILD, '5323f917d8cff9a07b4164a1e501edcb4541fca9'],
  ['Fedora 6 (2.2.3, the base of CentOS 5)', 'rhel', FEDORA, '9cf9a14'],
  ['Fedora 8 (2.2.6)', 'rhel', FEDORA, '78b00cd'],
  ['Fedora 10 (2.2.9)', 'rhel', FEDORA, 'a107994'],
  ['Fedora 11 (2.2.11)', 'rhel', FEDORA, '8a37bd4'],
  ['Fedora 13 (2.2.15)', 'rhel', FEDORA, '3383664'],
  ['Fedora 15 (2.2.19)', 'rhel', FEDORA, '5ac19f6'],
  ['Fedora 16 (2.2.21)', 'rhel', FEDORA, 'fee4dde'],
];

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('which folder has the clones?');
// One bundle, so that both have the same classes.
const entry = path.join(mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-stock-')), 'entry.ts');
writeFileSync(
  entry,
  ['config/stock-files', 'directives/stock-facts', 'syntax/document']
    .map((file) => `export * from '${root}/server/src/${file}';\n`)
    .join(''),
);
const { hashedLines, textForComparison, hashText, encodedNumber, Tree } = await load(entry);
rmSync(path.dirname(entry), { recursive: true });

const names = [];
const files = new Map();
const releases = PACKAGES.map(([title, distribution, repository, revision], release) => {
  const git = (...words) =>
    execFileSync('git', [`--git-dir=${folder}/${repository.replace('/', '+')}/repo`, ...words], { encoding: 'latin1' });
  const commit = git('rev-parse', `${revision}^{commit}`).trim();
  for (const [file, place] of filesOf(git('ls-tree', '-r', '--name-only', commit).split('\n'), distribution)) {
    const tree = Tree.parse(git('show', `${commit}:${file}`));
    const rows = hashedLines(tree).map(({ hash, offset }) => hash + encodedNumber(numberOf(nameAt(tree, offset)), 2));
    const lines = [...new Set(rows)].join('');
    const key = `${distribution} ${place} ${lines}`;
    if (!files.has(key)) files.set(key, { path: place, in: [], texts: [], lines });
    files.get(key).in.push(release);
    files.get(key).texts.push(hashText(textForComparison(tree)));
  }
  return { title, distribution, source: `https://github.com/${repository}, ${revision} (${commit})` };
});
writeFileSync(
  path.join(root, 'server/src/directives/data/stock-files.json'),
  `{\n"releases": ${rowsOf(releases)},\n"names": ${JSON.stringify(names)},\n"files": ${rowsOf([...files.values()])}\n}\n`,
);

function rowsOf(values) {
  return `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]`;
}

/** The path in the repository, and below the directory of the distribution. */
function filesOf(all, distribution) {
  return all.flatMap((file) => {
    if (distribution === 'rhel')
      return /^(httpd|ssl|welcome|manual|proxy_ajp)\.conf$/.test(file)
        ? [[file, file === 'httpd.conf' ? 'conf/httpd.conf' : `conf.d/${file}`]]
        : [];
    const place =
      /^debian\/config-dir\/((?:apache2|ports)\.conf|conf\.d\/.+|sites-available\/.+|mods-available\/.+\.conf)$/.exec(
        file,
      );
    return place ? [[file, place[1]]] : [];
  });
}

function nameAt(tree, offset) {
  const { line } = tree.lineAt(offset);
  return line.text
    .slice(line.nameStart, line.nameEnd)
    .replace(/^(?=)/, line.text.trimStart().startsWith('<') ? '<' : '');
}

function numberOf(name) {
  if (!names.includes(name)) names.push(name);
  return names.indexOf(name);
}
