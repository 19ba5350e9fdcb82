// Writes server/src/directives/data/stock-files.json: hashes of the lines of the configuration
// files that distributions install with httpd 2.2, and of Debian's main file for 2.4. The files are
// read from public repositories and packages:
//
//   node server/scripts/generate-stock-files.mjs FOLDER
//
// FOLDER has a bare clone of each repository below, as OWNER+NAME, and the packages (.deb) below,
// from `apt-get download apache2` or https://deb.debian.org. The script stops if one is missing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { load } from './load.mjs';
import { root } from './written.mjs';

const DEBIAN = 'jspricke/apache2.debian';
const FEDORA = 'mirror-rpm/httpd';
const REBUILD = 'frameos-linux/httpd-rpm';

/** Debian's main file, below its directory. */
const MAIN_FILE = 'apache2.conf';

/** The packages of 2.2: the release for users, the distribution, the repository, tag or commit. */
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

/**
 * The packages of 2.4. The repository has a template of the main file from 2.4.20 on, and the build
 * writes it for each system. So the files of later releases come from the packages.
 */
const PACKAGES_OF_24 = [
  ['Debian 8', DEBIAN, 'debian/2.4.10-10+deb8u25'],
  ['Debian 11', 'apache2_2.4.62-1~deb11u1_amd64.deb'],
  ['Debian 12', 'apache2_2.4.71-1~deb12u1_amd64.deb'],
  ['Debian 13', 'apache2_2.4.71-1~deb13u1_amd64.deb'],
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
const releases = [];
for (const [title, distribution, repository, revision] of PACKAGES) {
  const { git, commit, source } = revisionOf(repository, revision);
  releases.push({ title, distribution, source });
  for (const [file, place] of filesOf(git('ls-tree', '-r', '--name-only', commit).split('\n'), distribution))
    addFile(distribution, place, git('show', `${commit}:${file}`));
}
for (const [title, repositoryOrPackage, revision] of PACKAGES_OF_24) {
  const { text, source } =
    revision === undefined ? mainFileOfPackage(repositoryOrPackage) : mainFileOf(repositoryOrPackage, revision);
  releases.push({ title, distribution: 'debian', isFor24: true, source });
  addFile('debian', MAIN_FILE, text);
}
writeFileSync(
  path.join(root, 'server/src/directives/data/stock-files.json'),
  `{\n"releases": ${rowsOf(releases)},\n"names": ${JSON.stringify(names)},\n"files": ${rowsOf([...files.values()])}\n}\n`,
);

/** Runs git in the clone of a repository, and finds the commit of a tag. */
function revisionOf(repository, revision) {
  const git = (...words) =>
    execFileSync('git', [`--git-dir=${folder}/${repository.replace('/', '+')}/repo`, ...words], { encoding: 'latin1' });
  const commit = git('rev-parse', `${revision}^{commit}`).trim();
  return { git, commit, source: `https://github.com/${repository}, ${revision} (${commit})` };
}

/** The main file in a repository of Debian's packages of 2.4. */
function mainFileOf(repository, revision) {
  const { git, commit, source } = revisionOf(repository, revision);
  return { text: git('show', `${commit}:debian/config-dir/${MAIN_FILE}`), source };
}

/** The main file in a package of Debian. */
function mainFileOfPackage(name) {
  const file = path.join(folder, name);
  const input = execFileSync('dpkg-deb', ['--fsys-tarfile', file], { maxBuffer: 1e8 });
  const text = execFileSync('tar', ['-xO', `./etc/apache2/${MAIN_FILE}`], { input, encoding: 'latin1' });
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { text, source: `https://deb.debian.org/debian/pool/main/a/apache2/${name} (sha256 ${sha256})` };
}

/** Adds a file of the last release in `releases`. */
function addFile(distribution, place, text) {
  const tree = Tree.parse(text);
  const rows = hashedLines(tree).map(({ hash, offset }) => hash + encodedNumber(numberOf(nameAt(tree, offset)), 2));
  const lines = [...new Set(rows)].join('');
  const key = `${distribution} ${place} ${lines}`;
  if (!files.has(key)) files.set(key, { path: place, in: [], texts: [], lines });
  files.get(key).in.push(releases.length - 1);
  files.get(key).texts.push(hashText(textForComparison(tree)));
}

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
