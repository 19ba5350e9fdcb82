/**
 * A view of the files of a configuration on the disk. Files are read when they are needed, and
 * cached as long as the view exists.
 */
import { lstatSync, readdirSync, type Dirent, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FileView } from '../config/files';
import { namesIn } from '../config/name-set';
import { Tree } from '../syntax/document';
import { decode, type Encoding } from './decode';
import { isMadeUp, readBytesNow } from './read-now';
import { below, type FileSystemSnapshot } from './file-system-snapshot';
import { latestValue } from '../syntax/memory';
import { viewWithin, type ReadableFolders } from './within';

/**
 * The directories in which this program may read configurations; null for no limit. The MCP server
 * sets it, because a configuration may include any file.
 */
export const readingLimit = latestValue<ReadableFolders>(null);

/** Larger files are no hand-written configuration. */
const MAX_FILE_SIZE = 64 * 1024 * 1024;

/** Limit of bytes in all files together: reading an `Include /` must end. */
const MAX_TOTAL_SIZE = 32 * 1024 * 1024;

export interface DiskFileView extends FileView {
  /** Takes over what a search in the same run has read from the disk. */
  useSnapshot(snapshot: FileSystemSnapshot): void;
  /** A file that the view has already read; null if it has not. */
  cachedFile(path: string): ReadFile | null;
}

export interface ReadFile {
  readonly tree: Tree;
  readonly encoding: Encoding;
}

/**
 * Makes a view of the disk as it is now. `overlay` returns the tree of a file that is open in an
 * editor, which replaces the file on the disk. `isOnce`: the view is used once and never asked for
 * `stale`, so it does not record the state of files.
 */
export function diskFileView(
  overlay: (path: string) => Tree | null = () => null,
  read = readFile,
  { isOnce = false } = {},
): DiskFileView {
  const look = isOnce ? () => '' : lookOf;
  const files = new Map<string, ReadFile | null>();
  /**
   * The tree that was returned for each file, and the state of the file (`lookOf`) before it was
   * read; empty if it was not read from the disk.
   */
  const given = new Map<string, { readonly tree: Tree | null; readonly look: string }>();
  const listed = new Map<string, string>();
  const kinds = new Map<string, 'file' | 'folder' | null>();
  const identities = new Map<string, string>();
  const links = new Map<string, string | null>();
  const modes = new Map<string, number | null>();
  const lists = new Map<string, readonly string[] | null>();
  /** The kinds of entries in listed directories, until a caller needs them. */
  const listedKinds = new Map<string, 'file' | 'folder'>();
  const budget = { bytes: MAX_TOTAL_SIZE };
  const view: DiskFileView = {
    read(path) {
      const name = view.identity(path);
      const open = overlay(name);
      if (open) {
        given.set(name, { tree: open, look: '' });
        return open;
      }
      let file = files.get(name);
      if (file === undefined) {
        const before = look(name);
        files.set(name, (file = read(name, budget)));
        given.set(name, { tree: file && file.tree, look: before });
      }
      return file && file.tree;
    },
    cachedFile: (path) => files.get(view.identity(path)) ?? null,
    isOtherEncoding(path) {
      const name = view.identity(path);
      const file = files.has(name) ? files.get(name) : read(name, budget);
      return file?.encoding === 'latin1';
    },
    list(path) {
      let list = lists.get(path);
      if (list === undefined) {
        listed.set(path, look(path));
        const entries = entriesOf(path);
        lists.set(path, (list = entries && entries.map(({ name }) => name)));
        if (entries && view.identity(path) === path && !isMadeUp(path)) takeKinds(path, entries);
      }
      return list;
    },
    kind(path) {
      let kind = kinds.get(path);
      if (kind === undefined) kinds.set(path, (kind = listedKinds.get(path) ?? kindOf(path)));
      return kind;
    },
    identity(path) {
      let identity = identities.get(path);
      // In a directory without links, a name that is no link has no other path.
      if (identity === undefined) identities.set(path, (identity = listedKinds.has(path) ? path : identityOf(path)));
      return identity;
    },
    useSnapshot({ folders, entries }) {
      for (const [folder, { real, names }] of folders) {
        if (isMadeUp(real)) continue;
        lists.set(real, names);
        kinds.set(real, 'folder');
        identities.set(real, real).set(path.resolve(folder), real);
        for (const name of names) {
          const sight = entries.get(below(folder, name));
          // The target of a link is looked up when it is needed.
          if (sight === undefined || sight.isLink) continue;
          const full = path.join(real, name);
          identities.set(full, full);
          kinds.set(full, sight.kind === 'other' ? null : sight.kind);
        }
      }
    },
    link(path) {
      let link = links.get(path);
      if (link === undefined) links.set(path, (link = linkAt(path)));
      return link;
    },
    mode(path) {
      // Windows has no such permissions.
      if (process.platform === 'win32') return null;
      let mode = modes.get(path);
      if (mode === undefined) modes.set(path, (mode = statSync(path, { throwIfNoEntry: false })?.mode ?? null));
      return mode;
    },
    *stale(open) {
      const stale = new Set<string>();
      for (const [path, kind] of kinds) {
        yield;
        if (kindOf(path) !== kind) stale.add(path);
      }
      for (const [path, identity] of identities) {
        yield;
        if (identityOf(path) !== identity) stale.add(path);
      }
      for (const [path, link] of links) {
        yield;
        if (linkAt(path) !== link) stale.add(path);
      }
      for (const [path, look] of listed) {
        yield;
        if (lookOf(path) !== look && String(entriesOf(path)?.map(({ name }) => name)) !== String(lists.get(path)))
          stale.add(path);
      }
      for (const [name, { tree, look }] of given) {
        yield;
        const now = open(name);
        const isSame = now === null ? look !== '' && lookOf(name) === look : now === tree;
        if (!isSame && (now ?? read(name, { bytes: MAX_TOTAL_SIZE })?.tree)?.text() !== tree?.text()) stale.add(name);
      }
      return [...stale];
    },
  };
  return viewWithin(view, readingLimit.value);

  /**
   * Stores the kinds of the names in a directory listing, because a query for each name takes
   * longer than the listing. Links and special files are left out.
   */
  function takeKinds(folder: string, entries: readonly Dirent[]): void {
    for (const entry of entries) {
      const path = below(folder, entry.name);
      if (entry.name.includes(NO_UTF8) || isMadeUp(path)) continue;
      if (entry.isDirectory()) listedKinds.set(path, 'folder');
      else if (entry.isFile()) listedKinds.set(path, 'file');
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The kind of a path. Null for FIFOs and devices, which could block, and for files that the kernel
 * makes up (as in /proc), which may be endless.
 */
function kindOf(path: string): 'file' | 'folder' | null {
  if (isMadeUp(path)) return null;
  try {
    const info = statSync(path);
    if (info.isDirectory()) return 'folder';
    return info.isFile() ? 'file' : null;
  } catch {
    return path.includes(NO_UTF8) ? kindOfListed(path) : null;
  }
}

/**
 * The character that node returns for bytes in a name that are not UTF-8. Such a file cannot be
 * opened, but it is not missing.
 */
const NO_UTF8 = '\ufffd';

function kindOfListed(file: string): 'file' | 'folder' | null {
  try {
    const entry = readdirSync(path.dirname(file), { withFileTypes: true }).find(
      ({ name }) => name === path.basename(file),
    );
    return entry === undefined
      ? null
      : entry.isFile()
        ? 'file'
        : entry.isDirectory() || entry.isSymbolicLink()
          ? 'folder'
          : null;
  } catch {
    return null;
  }
}

/** The target of a symbolic link as written; null if it is no link. */
export function linkAt(path: string): string | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}

function entriesOf(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}

function identityOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/**
 * Makes a function for a sequence of views, each of the disk at its time. A file whose state is the
 * same is not read again. Files that the last view did not use are dropped.
 */
export function keptNodeFiles(): (overlay: (path: string) => Tree | null) => DiskFileView {
  let earlierFiles = new Map<string, { readonly look: string; readonly file: ReadFile | null }>();
  return (overlay) => {
    const before = earlierFiles;
    const now: typeof earlierFiles = new Map();
    earlierFiles = now;
    return diskFileView(overlay, (path, budget) => {
      const look = lookOf(path);
      const earlier = before.get(path);
      const file = earlier !== undefined && earlier.look === look ? earlier.file : readFile(path, budget);
      now.set(path, { look, file });
      return file;
    });
  };
}

/** The state of a file as text. It differs after the file was written or replaced. */
function lookOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return '';
  }
}

/**
 * Reads a file. Null if it is no text, or if it is larger than the budget (bytes that may still be
 * read), which is reduced. `bytes`: the content, if it was already read.
 */
export function readFile(path: string, budget: { bytes: number }, bytes?: Uint8Array): ReadFile | null {
  if (budget.bytes <= 0 || (bytes === undefined ? kindOf(path) !== 'file' : isMadeUp(path))) return null;
  const content = bytes === undefined ? readBytesNow(path, MAX_FILE_SIZE) : { bytes };
  if ('problem' in content) return null;
  budget.bytes -= content.bytes.length;
  const decoded = decode(content.bytes);
  return 'text' in decoded ? { tree: Tree.parse(decoded.text, namesIn), encoding: decoded.encoding } : null;
}
