// Makes a Debian package of the command line from what `npm pack` made. Needs dpkg-deb.
//
//   npm pack && node client/scripts/deb.mjs httpd-upgrade-X.Y.Z.tgz [DIRECTORY]
//
// SOURCE_DATE_EPOCH sets the date of its files, so that two runs give the same package.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const MAINTAINER = 'httpd-upgrade <httpd-upgrade@users.noreply.github.com>';

const [packed, folder = '.'] = process.argv.slice(2);
if (packed === undefined) {
  console.error('Usage: node client/scripts/deb.mjs PACKAGE.tgz [DIRECTORY]');
  process.exit(2);
}
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? Math.floor(statSync(packed).mtimeMs / 1000));
const work = mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-deb-'));
try {
  run('tar', ['-xzf', path.resolve(packed), '-C', work]);
  const from = path.join(work, 'package');
  const root = path.join(work, 'root');
  const manifest = JSON.parse(readFileSync(path.join(from, 'package.json'), 'utf8'));
  fill(root, from, manifest);
  const name = path.join(path.resolve(folder), `httpd-upgrade_${manifest.version}_all.deb`);
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', root, name], { SOURCE_DATE_EPOCH: String(epoch) });
  console.log(name);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The changelog in the form that Debian's tools read. The real changelog is beside it. */
function changelog({ version }) {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  return `httpd-upgrade (${version}) unstable; urgency=medium\n\n  * CHANGELOG.md.gz has the changes.\n\n -- ${MAINTAINER}  ${date}\n`;
}

/** Writes the files of the package below `root`. */
function fill(root, from, manifest) {
  const share = path.join(root, 'usr/share/httpd-upgrade');
  const docs = path.join(root, 'usr/share/doc/httpd-upgrade');
  const put = (file, content) => {
    const full = path.join(root, file);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, content);
  };
  mkdirSync(share, { recursive: true });
  mkdirSync(docs, { recursive: true });
  copyFileSync(path.join(from, 'package.json'), path.join(share, 'package.json'));
  cpSync(path.join(from, 'dist'), path.join(share, 'dist'), { recursive: true });
  rmSync(path.join(share, 'dist/third-party-licenses.txt'));
  rmSync(path.join(share, 'dist/httpd-upgrade.1'));
  rmSync(path.join(share, 'dist/library.d.ts'), { force: true });
  put('usr/share/man/man1/httpd-upgrade.1.gz', compressed(path.join(from, 'dist/httpd-upgrade.1')));
  put('usr/share/doc/httpd-upgrade/CHANGELOG.md.gz', compressed(path.join(from, 'CHANGELOG.md')));
  put('usr/share/doc/httpd-upgrade/changelog.gz', gzipSync(changelog(manifest), { level: 9 }));
  put('usr/share/doc/httpd-upgrade/copyright', copyright(from, manifest));
  const completions = {
    bash: 'usr/share/bash-completion/completions/httpd-upgrade',
    zsh: 'usr/share/zsh/vendor-completions/_httpd-upgrade',
    fish: 'usr/share/fish/vendor_completions.d/httpd-upgrade.fish',
  };
  for (const [shell, file] of Object.entries(completions))
    put(file, run('node', [path.join(from, 'dist/cli.js'), 'completion', shell]));
  // The command finds its other files next to the target of the link.
  mkdirSync(path.join(root, 'usr/bin'), { recursive: true });
  symlinkSync('../share/httpd-upgrade/dist/cli.js', path.join(root, 'usr/bin/httpd-upgrade'));
  plain(root);
  for (const file of ['cli.js', 'collect.sh']) chmodSync(path.join(share, 'dist', file), 0o755);
  put('DEBIAN/control', control(manifest, sizeOf(root)));
  // The command keeps a cache of its code next to the code, if root runs it.
  put('DEBIAN/postrm', '#!/bin/sh\nset -e\nrm -f /usr/share/httpd-upgrade/dist/commands-*.cache\nexit 0\n');
  chmodSync(path.join(root, 'DEBIAN/postrm'), 0o755);
}

function control({ version, description, homepage }, size) {
  return `Package: httpd-upgrade
Version: ${version}
Section: httpd
Priority: optional
Architecture: all
Maintainer: ${MAINTAINER}
Installed-Size: ${size}
Depends: nodejs (>= 20)
Suggests: apache2
Homepage: ${homepage.replace(/#.*/, '')}
Description: ${synopsis(description)}
 It finds lines that httpd 2.4 rejects, ignores or reads differently, explains
 each problem, and writes the fixes that keep what the server does. For access
 control it compares the old and the new lines for all addresses, users and
 methods in them.
 .
 The package has the command line and a language server for editors.
`;
}

/** The tagline as a clause without a full stop, as Debian requires. */
function synopsis(description) {
  return description.replace(/\.$/, '').replace(/^./, (first) => first.toLowerCase());
}

function copyright(from, { homepage }) {
  // Debian has the text of this licence once for all packages.
  const licences = readFileSync(path.join(from, 'dist/third-party-licenses.txt'), 'utf8').replace(
    /^ *Apache License\s+Version 2\.0,[^]*?(?=^-{80}$|(?![^]))/gm,
    'Apache License, Version 2.0: /usr/share/common-licenses/Apache-2.0\n\n',
  );
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: httpd-upgrade
Source: ${homepage.replace(/#.*/, '')}

Files: *
Copyright: the authors of httpd-upgrade
License: Apache-2.0
 On Debian systems, the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
Comment:
 The program contains parts of these packages, with their licences:
 .
${licences
  .trimEnd()
  .split('\n')
  .map((line) => ` ${line.trim() === '' ? '.' : line.trimEnd()}`)
  .join('\n')}
`;
}

/** The permissions and dates of files do not depend on the machine. */
function plain(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) plain(full);
    else if (entry.isFile()) chmodSync(full, 0o644);
  }
  chmodSync(folder, 0o755);
}

/** In kilobytes. */
function sizeOf(folder) {
  return Math.ceil(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath ?? entry.path, entry.name)).size, 0) / 1024,
  );
}

function compressed(file) {
  return gzipSync(readFileSync(file), { level: 9 });
}

function run(command, args, environment = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    maxBuffer: 1 << 26,
  });
  if (status === 0) return stdout;
  console.error(error?.message ?? stderr);
  process.exit(1);
}
