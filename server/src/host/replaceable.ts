/**
 * Decides whether root may write a file. If another user may rename a directory on the way to it,
 * that user can put a link there, and root would write elsewhere. So root follows no path that a
 * user other than the owner of the file can change. The owner can write such a file without root.
 */
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import { lazy } from '../syntax/memory';
import { holdsByHandle } from './disk';

/**
 * The reason why root must not write the file at this path, which is absolute and may contain
 * links. `info`: its status. Null if root may write it, and for all other users.
 */
export function replaceableBy(file: string, info: Pick<Stats, 'uid' | 'gid'>): string | null {
  if (process.geteuid?.() !== 0) return null;
  // On systems without handles for directories, the owner of the file could redirect root, too.
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

/** Whether only this user and root can change a directory and the directories on the way to it. */
export function isOutOfReach(directory: string): boolean {
  const uid = process.geteuid?.();
  if (uid === undefined) return true;
  // On most systems a user's own group has no other members. Root has no such group.
  return writableByOthers(path.join(directory, '.x'), [0, uid], uid === 0 ? [0] : null) === null;
}

/** Limit of links in a path, as in Linux (path_resolution(7)). */
const MOST_LINKS = 40;

interface Writable {
  readonly directory: string;
  /** The user or group that may change names, as text. */
  readonly who: string;
}

/**
 * The first directory on the way to a path, links followed, in which other users or groups than
 * these may change names. Null if there is none. `gids`: null for any group. In a directory with
 * the sticky bit, others may only change their own names.
 */
function writableByOthers(file: string, uids: readonly number[], gids: readonly number[] | null): Writable | null {
  let folder = path.parse(file).root;
  let info = lstatSync(folder);
  const rest = file.slice(folder.length).split(path.sep).filter(Boolean);
  for (let links = 0; ; ) {
    const who = writer(info, uids, gids);
    const isSticky = (info.mode & 0o1000) !== 0 && (uids.includes(info.uid) || info.uid === unmapped().uid);
    if (who !== null && !isSticky) return { directory: folder, who };
    const name = rest.shift();
    if (name === undefined) return null;
    if (name === '.') continue;
    const next = name === '..' ? path.dirname(folder) : path.join(folder, name);
    const entry = lstatSync(next, { throwIfNoEntry: false });
    if (!entry) return null;
    if (name !== '..' && who !== null && !uids.includes(entry.uid) && entry.uid !== unmapped().uid)
      return { directory: folder, who };
    if (entry.isDirectory()) {
      [folder, info] = [next, entry];
      continue;
    }
    if (!entry.isSymbolicLink() || ++links > MOST_LINKS) return null;
    const target = readlinkSync(next);
    if (path.isAbsolute(target)) {
      folder = path.parse(target).root;
      info = lstatSync(folder);
    }
    rest.unshift(...target.split(path.sep).filter(Boolean));
  }
}

/**
 * The user or group, other than these, that may change names in a directory. Null if there is none.
 */
function writer({ uid, gid, mode }: Stats, uids: readonly number[], gids: readonly number[] | null): string | null {
  if (!uids.includes(uid) && uid !== unmapped().uid) return `the user ${uid}`;
  if ((mode & 0o020) !== 0 && gids?.includes(gid) === false && gid !== unmapped().gid) return `the group ${gid}`;
  return (mode & 0o002) === 0 ? null : 'every user';
}

/**
 * The number that all users outside of a container have inside, such as the machine's root. Null if
 * this is no container. Who it is cannot be found out (user_namespaces(7)).
 */
const unmapped = lazy(() => ({ uid: overflow('uid'), gid: overflow('gid') }));

function overflow(kind: 'uid' | 'gid'): number | null {
  try {
    // All numbers are mapped to themselves, so this is no container.
    if (/^\s*0\s+0\s+4294967295\s*$/.test(readFileSync(`/proc/self/${kind}_map`, 'latin1'))) return null;
    return Number(readFileSync(`/proc/sys/kernel/overflow${kind}`, 'latin1'));
  } catch {
    return null;
  }
}
