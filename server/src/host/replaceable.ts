/**
 * Decides whether root may write a file. If another user can rename a directory on the path to the
 * file, that user can put a link there, and root would write another file. So root uses no path
 * that a user other than the owner of the file can change. The owner can write such a file without
 * root.
 */
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import { lazy } from '../syntax/memory';
import { holdsByHandle } from './disk';

/**
 * Returns why root must not write the file at this path, which is absolute and may contain links:
 * another user may change a directory on the path. `info`: the status of the file. Null if root may
 * write it, and for all other users.
 */
export function whyPathIsUnsafe(file: string, info: Pick<Stats, 'uid' | 'gid'>): string | null {
  if (process.geteuid?.() !== 0) return null;
  // On systems without handles of directories, even the owner of the file could make root write
  // another file.
  const [uids, gids] = holdsByHandle()
    ? [
        [0, info.uid],
        [0, info.gid],
      ]
    : [[0], [0]];
  const writableDirectory = writableByOthers(file, uids, gids);
  if (writableDirectory === null) return null;
  return `is reached through ${writableDirectory.directory}, which ${writableDirectory.who} may change; run this command as the owner of the file, not as root`;
}

/**
 * Why root must not write a file because of another file (`leadingFile`) that names it, such as one
 * with an Include line. A user who may change the leading file can make it name any file. `info`:
 * the status of the file to write. `reasonStart`: the beginning of the reason. Null if only root
 * and the owner of the file to write may change the leading file.
 */
export function whyLeadingFileIsUnsafe(
  reasonStart: string,
  leadingFile: Stats,
  info: Pick<Stats, 'uid' | 'gid'>,
): string | null {
  const who = otherWriter(leadingFile, [0, info.uid], [0, info.gid]);
  return who === null
    ? null
    : `${reasonStart}, which ${who} may change; run this command as the owner of the file, not as root`;
}

/** Whether only this user and root can change a directory and the directories on the way to it. */
export function isProtectedDirectory(directory: string): boolean {
  const uid = process.geteuid?.();
  if (uid === undefined) return true;
  // On most systems a user's own group has no other members. Root's group may have some.
  return writableByOthers(path.join(directory, '.x'), [0, uid], uid === 0 ? [0] : null) === null;
}

/** Limit of links in a path, as in Linux (path_resolution(7)). */
const MAX_LINK_HOPS = 40;

/** A directory in which others may replace files, and who these are. */
interface WritableDirectory {
  readonly directory: string;
  /** The user or group that may change names in the directory, as text. */
  readonly who: string;
}

/**
 * Follows the path to a file, through links. Returns the first directory in which a user not in
 * `uids`, or a group not in `gids`, may change names. Null if there is none. `gids`: null for any
 * group. In a directory with the sticky bit, other users may change only their own names.
 */
function writableByOthers(
  file: string,
  uids: readonly number[],
  gids: readonly number[] | null,
): WritableDirectory | null {
  let folder = path.parse(file).root;
  let folderStatus = lstatSync(folder);
  const remainingParts = file.slice(folder.length).split(path.sep).filter(Boolean);
  for (let links = 0; ; ) {
    const who = otherWriter(folderStatus, uids, gids);
    const isSticky =
      (folderStatus.mode & 0o1000) !== 0 && (uids.includes(folderStatus.uid) || folderStatus.uid === unmappedIds().uid);
    if (who !== null && !isSticky) return { directory: folder, who };
    const name = remainingParts.shift();
    if (name === undefined) return null;
    if (name === '.') continue;
    const nextPath = name === '..' ? path.dirname(folder) : path.join(folder, name);
    const entryStatus = lstatSync(nextPath, { throwIfNoEntry: false });
    if (!entryStatus) return null;
    if (name !== '..' && who !== null && !uids.includes(entryStatus.uid) && entryStatus.uid !== unmappedIds().uid)
      return { directory: folder, who };
    if (entryStatus.isDirectory()) {
      [folder, folderStatus] = [nextPath, entryStatus];
      continue;
    }
    if (!entryStatus.isSymbolicLink() || ++links > MAX_LINK_HOPS) return null;
    const target = readlinkSync(nextPath);
    if (path.isAbsolute(target)) {
      folder = path.parse(target).root;
      folderStatus = lstatSync(folder);
    }
    remainingParts.unshift(...target.split(path.sep).filter(Boolean));
  }
}

/**
 * Returns who may change a file, or the names in a directory, by its status: a user that is not in
 * `uids`, or a group that is not in `gids` (null: any group is allowed). Null if there is none.
 */
function otherWriter(
  { uid, gid, mode }: Stats,
  uids: readonly number[],
  gids: readonly number[] | null,
): string | null {
  if (!uids.includes(uid) && uid !== unmappedIds().uid) return `the user ${uid}`;
  if ((mode & 0o020) !== 0 && gids?.includes(gid) === false && gid !== unmappedIds().gid) return `the group ${gid}`;
  return (mode & 0o002) === 0 ? null : 'every user';
}

/**
 * The user id and the group id that a container shows for users and groups that exist only outside
 * of it, such as the machine's root. Which of these users owns a file cannot be found out
 * (user_namespaces(7)). Both are null if this process is not in a container.
 */
const unmappedIds = lazy(() => ({ uid: overflowId('uid'), gid: overflowId('gid') }));

/**
 * The id that a container shows for each user or group that exists only outside of it. Null if this
 * process is not in a container, or if /proc cannot be read.
 */
function overflowId(kind: 'uid' | 'gid'): number | null {
  try {
    // All ids are mapped to themselves, so this is not a container.
    if (/^\s*0\s+0\s+4294967295\s*$/.test(readFileSync(`/proc/self/${kind}_map`, 'latin1'))) return null;
    return Number(readFileSync(`/proc/sys/kernel/overflow${kind}`, 'latin1'));
  } catch {
    return null;
  }
}
