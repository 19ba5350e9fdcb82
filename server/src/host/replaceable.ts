/**
 * Who else can lead a write of root elsewhere: whoever may rename a directory on the way to a file can put a link in its place. Root follows no path that another user than
 * the owner of the file can change; what a user may change in directories of their own, they may change without root.
 */
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import { lazy } from '../syntax/memory';
import { holdsByHandle } from './disk';

/** Why root does not write the file of this path, which is absolute and may have links in it, and of which `info` is known; null where root may, and for other users. */
export function replaceableBy(file: string, info: Pick<Stats, 'uid' | 'gid'>): string | null {
  if (process.geteuid?.() !== 0) return null;
  // Without handles on directories the owner of the file is one of those who could lead root elsewhere.
  const [uids, gids] = holdsByHandle()
    ? [
        [0, info.uid],
        [0, info.gid],
      ]
    : [[0], [0]];
  const found = writableByOthers(file, uids, gids);
  if (found === null) return null;
  return `is reached through ${found.directory}, which ${found.who} may change; run this command as the owner of the file, not as root`;
}

/** Whether a directory, and each directory on the way to it, can be changed by this user and root alone. */
export function isOutOfReach(directory: string): boolean {
  const uid = process.geteuid?.();
  if (uid === undefined) return true;
  // A group of one's own is nothing that others are in, on most systems; root has no such group.
  return writableByOthers(path.join(directory, '.x'), [0, uid], uid === 0 ? [0] : null) === null;
}

/** As many as Linux follows (path_resolution(7)). */
const MOST_LINKS = 40;

interface Writable {
  readonly directory: string;
  /** A user or a group, in words. */
  readonly who: string;
}

/**
 * The first directory on the way to a path, links followed, in which others than these users and groups may change names; null for none. `gids`: null for any group.
 * Where such a directory is sticky, others may change the names of their own only.
 */
function writableByOthers(file: string, uids: readonly number[], gids: readonly number[] | null): Writable | null {
  let folder = path.parse(file).root;
  const rest = file.slice(folder.length).split(path.sep).filter(Boolean);
  for (let links = 0; ; ) {
    const info = lstatSync(folder);
    const who = writer(info, uids, gids);
    const isSticky = (info.mode & 0o1000) !== 0 && (uids.includes(info.uid) || info.uid === unmapped().uid);
    if (who !== null && !isSticky) return { directory: folder, who };
    const name = rest.shift();
    if (name === undefined) return null;
    if (name === '.' || name === '..') {
      if (name === '..') folder = path.dirname(folder);
      continue;
    }
    const next = path.join(folder, name);
    const entry = lstatSync(next, { throwIfNoEntry: false });
    if (!entry) return null;
    if (who !== null && !uids.includes(entry.uid) && entry.uid !== unmapped().uid) return { directory: folder, who };
    if (entry.isSymbolicLink()) {
      if (++links > MOST_LINKS) return null;
      const target = readlinkSync(next);
      if (path.isAbsolute(target)) folder = path.parse(target).root;
      rest.unshift(...target.split(path.sep).filter(Boolean));
    } else if (entry.isDirectory()) folder = next;
    else return null;
  }
}

/** Who may change names in a directory beside these users and groups. */
function writer({ uid, gid, mode }: Stats, uids: readonly number[], gids: readonly number[] | null): string | null {
  if (!uids.includes(uid) && uid !== unmapped().uid) return `the user ${uid}`;
  if ((mode & 0o020) !== 0 && gids?.includes(gid) === false && gid !== unmapped().gid) return `the group ${gid}`;
  return (mode & 0o002) === 0 ? null : 'every user';
}

/**
 * The number that stands for users outside of a container's own, such as the root of the machine; null where there are none such. Nothing tells which of them it is
 * (user_namespaces(7)).
 */
const unmapped = lazy(() => ({ uid: overflow('uid'), gid: overflow('gid') }));

function overflow(kind: 'uid' | 'gid'): number | null {
  try {
    // Of the machine itself: all numbers.
    if (/^\s*0\s+0\s+4294967295\s*$/.test(readFileSync(`/proc/self/${kind}_map`, 'latin1'))) return null;
    return Number(readFileSync(`/proc/sys/kernel/overflow${kind}`, 'latin1'));
  } catch {
    return null;
  }
}
