/** Servers of the corpus at their own places, in a root directory of their own. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Httpd } from '../httpd/harness';
import type { Chroot } from '../support/chroot';
import { corpusFolder } from '../support/paths';
import { rows } from './files';

export interface Settled {
  /** In TREES.tsv. */
  readonly name: string;
  /** Where its directory stood. */
  readonly place: string;
  /**
   * The missing modules are unknown: the files that load them are missing, or its distribution
   * packages them for 2.4 and this machine's does not.
   */
  readonly lacksModules?: boolean;
  /** The directory on Windows that is the one above its place. */
  readonly drive?: string;
  /** It was written for 2.4, which the model of 2.2 has nothing to say of. */
  readonly isFor24?: boolean;
}

export const PLACES: readonly Settled[] = [
  { name: 'centos6-etckeeper', place: '/etc/httpd' },
  { name: 'gentoo-acheron', place: '/etc/apache2' },
  { name: 'macosx-server-mtucker', place: '/etc/apache2' },
  { name: 'ubuntu-owaspbwa', place: '/etc/apache2', lacksModules: true },
  { name: 'gentoo-chenbingkun', place: '/etc/apache2' },
  { name: 'gentoo-xenoterracide', place: '/etc/apache2' },
  { name: 'rhel-nuinfo-22', place: '/etc/httpd' },
  { name: 'binarystorm-24', place: '/etc/httpd', lacksModules: true, isFor24: true },
  { name: 'jboss-fuse-24mixed', place: '/etc/httpd', isFor24: true },
];

/**
 * Those that are at a place of their own whatever it is called, and one of Windows, whose place a
 * mapping tells.
 */
export const OTHER_PLACES: readonly Settled[] = [
  { name: 'wikimedia-2012', place: '/usr/local/apache/conf' },
  { name: 'vvvggg-modular-24', place: '/etc/apache2' },
  { name: 'heroku-apache', place: '/srv/heroku' },
  { name: 'win-appserv', place: '/srv/windows/Apache2.2/conf', drive: 'C:/Apache2.2' },
];

/** Options that say where a tree is which lies at `at`. */
export function placeArguments({ drive }: Settled, at: string): readonly string[] {
  return drive === undefined ? [] : ['--map', `${drive}=${path.dirname(at)}`];
}

/**
 * Puts the tree where it stood, what it serves, and the modules where it looks for them. Returns
 * the main file.
 */
export function settled(
  inside: Chroot,
  name: string,
  place: string,
  { modulesDir }: Pick<Httpd, 'modulesDir'>,
): string {
  const [, root, serverRoot, mapped] = rows('TREES.tsv').find(([each]) => each === name)!;
  for (const old of ['/etc/apache2', '/etc/httpd', '/var/www'])
    rmSync(inside.at(old), { recursive: true, force: true });
  cpSync(path.join(corpusFolder, mapped), inside.at(place), { recursive: true, dereference: true });
  restoreLinks(mapped, (file) => inside.at(place + file));
  for (const directory of [place, serverRoot].filter((each) => each.startsWith('/'))) {
    mkdirSync(inside.at(`${directory}/libexec`), { recursive: true });
    for (const [link, target] of [
      ['modules', modulesDir],
      ['libexec/apache2', modulesDir],
      ['logs', '/tmp'],
      ['run', '/tmp'],
    ]) {
      const there = inside.at(`${directory}/${link}`);
      if (existsSync(there)) continue;
      rmSync(there, { force: true });
      symlinkSync(target, there);
    }
  }
  for (const [file, line] of [
    ['passwd', 'apache:x:48:48::/:/bin/false'],
    ['group', 'apache:x:48:'],
  ])
    appendFileSync(inside.at(`/etc/${file}`), `${line}\n`);
  // Where macOS has what is /etc elsewhere, and what the machine comes with.
  if (!existsSync(inside.at('/private'))) mkdirSync(inside.at('/private'));
  if (!existsSync(inside.at('/private/etc'))) symlinkSync('../etc', inside.at('/private/etc'));
  for (const file of [`${place}/mime.types`, `${place}/magic`, `${place}/conf/magic`])
    if (existsSync(path.dirname(inside.at(file))) && !existsSync(inside.at(file))) writeFileSync(inside.at(file), '');
  const main = place + root.slice(mapped.length);
  const { texts } = read(inside, place);
  const directory = /^\s*(?:DocumentRoot|<Directory|(?:Script)?Alias\s+\S+)\s+"?(\/[^\s">*?[$%]+)/gim;
  for (const [, served] of [...texts.values()].join('\n').matchAll(directory)) {
    const folder = inside.at(served);
    if (existsSync(folder) || served.startsWith('/proc') || served.startsWith('/dev')) continue;
    mkdirSync(folder, { recursive: true });
  }
  for (const [, served] of [...texts.values()].join('\n').matchAll(directory)) {
    if (
      /^\/(proc|dev|usr|etc|bin|lib)?\/?$/.test(served) ||
      !existsSync(inside.at(served)) ||
      !statSync(inside.at(served)).isDirectory()
    )
      continue;
    for (const file of ['f', '.htpasswd']) writeFileSync(inside.at(`${served}/${file}`), '');
  }
  return main;
}

/** The files of the tree, by their paths. */
export function read(inside: Chroot, place: string): { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  const walk = (directory: string) => {
    for (const name of readdirSync(inside.at(directory))) {
      const file = `${directory}/${name}`;
      const info = lstatSync(inside.at(file));
      if (info.isDirectory()) walk(file);
      else if (info.isFile() && info.size < 1_000_000) texts.set(file, readFileSync(inside.at(file), 'latin1'));
    }
  };
  walk(place);
  return { texts };
}

/**
 * The links that the repositories had, which the corpus keeps as files with their targets. `below`:
 * a directory of the corpus; `at`: where its files are, by what follows its name. Links that
 * lead out of `within` are left out: what is there differs between machines.
 */
export function restoreLinks(below: string, at: (file: string) => string, within = '/'): void {
  for (const [link, target] of rows('SYMLINKS.tsv')) {
    if (!link.startsWith(`${below}/`)) continue;
    const place = at(link.slice(below.length));
    if (!path.resolve(path.dirname(place), target).startsWith(within)) continue;
    rmSync(place, { force: true, recursive: true });
    mkdirSync(path.dirname(place), { recursive: true });
    symlinkSync(target, place);
  }
}
