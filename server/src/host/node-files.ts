/**
 * The files of a configuration through node, read when the evaluation needs them and cached while
 * it runs.
 */
import { lstatSync, readdirSync, type Dirent, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FileView } from '../config/files';
import { namesIn } from '../config/name-set';
import { Tree } from '../syntax/document';
import { decode, type Encoding } from './decode';
import { isMadeUp, readBytesNow } from './read-now';
import { below, type FileSystemSnapshot } from './file-system-snapshot';
import { latest } from '../syntax/memory';
import { viewWithin, type Within } from './within';

/**
 * The directories below which this program reads configurations; null for no limit. The MCP server
 * sets it, because a configuration may include files elsewhere.
 */
export const readingLimit = latest<Within>(null);

/** Larger files are no hand-written configuration. */
const MAX_FILE_SIZE = 64 * 1024 * 1024;

/** Limit for all files of one evaluation: an `Include /` must end. */
const MAX_TOTAL_SIZE = 32 * 1024 * 1024;

export interface NodeFiles extends FileView {
  /** Reuses what a walk of the same run has seen, so that the disk is read once. */
  saw(snapshot: FileSystemSnapshot): void;
  /** A file that has been read, to avoid reading it again; null if it has not. */
  cachedFile(path: string): ReadFile | null;
}

export interface ReadFile {
  readonly tree: Tree;
  readonly encoding: Encoding;
}

/**
 * A view of the disk as it is now. `overlay` returns the tree of a file that is open in an editor,
 * instead of the file on the disk. `isOnce`: the view is used once, so it does not record the state
 * of files for `stale`.
 */
export function nodeFiles(
  overlay: (path: string) => Tree | null = () => null,
  read = readFile,
  { isOnce = false } = {},
): NodeFiles {
  const look = isOnce ? () => '' : lookOf;
  const files = new Map<string, ReadFile | null>();
  /**
   * The tree given for a file, and the state of the file before it was read; '' if it was not read
   * from the disk.
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
  const view: NodeFiles = {
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
      // A name that is no link, in a directory without links, has no other path.
      if (identity === undefined) identities.set(path, (identity = listedKinds.has(path) ? path : identityOf(path)));
      return identity;
    },
    saw({ folders, entries }) {
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
   * Keeps the kinds that a directory listing returns: asking for each entry again takes longer than
   * the listing. Leaves out links and special files.
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
 * The kind of a path; null for FIFOs and devices, which could block, and for file systems made up
 * by the kernel, which may have endless files.
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
 * What node puts for bytes in a name that are not UTF-8. Such a file cannot be opened, but it must
 * not be treated as missing.
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
 * A sequence of views, each of the disk at its time: files whose state did not change are not read
 * again. Files that a view did not use are dropped.
 */
export function keptNodeFiles(): (overlay: (path: string) => Tree | null) => NodeFiles {
  let earlierFiles = new Map<string, { readonly look: string; readonly file: ReadFile | null }>();
  return (overlay) => {
    const before = earlierFiles;
    const now: typeof earlierFiles = new Map();
    earlierFiles = now;
    return nodeFiles(overlay, (path, budget) => {
      const look = lookOf(path);
      const earlier = before.get(path);
      const file = earlier !== undefined && earlier.look === look ? earlier.file : readFile(path, budget);
      now.set(path, { look, file });
      return file;
    });
  };
}

/** A text that differs if the file was written or replaced. */
function lookOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return '';
  }
}

/**
 * The file, if it is text and fits into the budget (bytes of all files together), which it reduces.
 * `bytes`: the content, if already read.
 */
export function readFile(path: string, budget: { bytes: number }, bytes?: Uint8Array): ReadFile | null {
  if (budget.bytes <= 0 || (bytes === undefined ? kindOf(path) !== 'file' : isMadeUp(path))) return null;
  const content = bytes === undefined ? readBytesNow(path, MAX_FILE_SIZE) : { bytes };
  if ('problem' in content) return null;
  budget.bytes -= content.bytes.length;
  const decoded = decode(content.bytes);
  return 'text' in decoded ? { tree: Tree.parse(decoded.text, namesIn), encoding: decoded.encoding } : null;
}
