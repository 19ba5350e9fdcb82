/** The files of a configuration by way of node, read when the evaluation asks for them and kept for its time. */
import { lstatSync, readdirSync, type Dirent, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FileView } from '../config/files';
import { namesIn } from '../config/name-set';
import { Tree } from '../syntax/document';
import { decode, type Encoding } from './decode';
import { isMadeUp, readBytesNow } from './read-now';
import { below, type Sights } from './sights';

/** Larger files are no part of a configuration that anybody wrote. */
const MAX_FILE_SIZE = 64 * 1024 * 1024;

/** Of all files of one evaluation: somebody's `Include /` must end. */
const MAX_TOTAL_SIZE = 32 * 1024 * 1024;

export interface NodeFiles extends FileView {
  /** Takes over what a walk of the same run has seen: nobody asks the disk for that again. */
  saw(sights: Sights): void;
  /** What has been read so far of a file, so that nobody reads it twice. */
  known(path: string): ReadFile | null;
}

export interface ReadFile {
  readonly tree: Tree;
  readonly encoding: Encoding;
}

/**
 * A view of the disk as it is now. `overlay` gives what an editor has open instead of what is on the disk. `isOnce`: it is gone before anybody asks what is stale, and
 * takes no look for that at each file.
 */
export function nodeFiles(
  overlay: (path: string) => Tree | null = () => null,
  read = readFile,
  { isOnce = false } = {},
): NodeFiles {
  const look = isOnce ? () => '' : lookOf;
  const files = new Map<string, ReadFile | null>();
  /** What was given for a file, and how the disk looked in front of it: '' for what was not read there. */
  const given = new Map<string, { readonly tree: Tree | null; readonly look: string }>();
  const listed = new Map<string, string>();
  const kinds = new Map<string, 'file' | 'folder' | null>();
  const identities = new Map<string, string>();
  const links = new Map<string, string | null>();
  const lists = new Map<string, readonly string[] | null>();
  /** The kinds that listed directories gave with their names, until one is asked for. */
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
    known: (path) => files.get(view.identity(path)) ?? null,
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
      // What is no link, in a directory that is none, has no other path.
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
          // What a link leads to is asked for where it is.
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
  return view;

  /**
   * Keeps what a directory gives with its names: asking for each again takes longer than the
   * directory. Links and what is neither are left out.
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

/** FIFOs and devices are neither: nobody waits for them. And what the kernel makes up is nobody's configuration, though it may look like files without end. */
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

/** What node makes of bytes in a name that are no UTF-8. There is no way to what is called so, but what it is can be told: nobody may take it for nothing. */
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

/** What a symbolic link names, as it is written; null for what is none. */
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

/** Views one after the other, each of the disk as it is then: what looks from outside as it did is not read again. What a view did not ask for is forgotten. */
export function keptNodeFiles(): (overlay: (path: string) => Tree | null) => NodeFiles {
  let kept = new Map<string, { readonly look: string; readonly file: ReadFile | null }>();
  return (overlay) => {
    const before = kept;
    const now: typeof kept = new Map();
    kept = now;
    return nodeFiles(overlay, (path, budget) => {
      const look = lookOf(path);
      const known = before.get(path);
      const file = known !== undefined && known.look === look ? known.file : readFile(path, budget);
      now.set(path, { look, file });
      return file;
    });
  };
}

/** Another one where the file was written, or is another one. */
function lookOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return '';
  }
}

/** The file, if it is text and the budget (bytes of all files together) has room for it; takes its size from the budget. `bytes`: all of it, where somebody has read it. */
export function readFile(path: string, budget: { bytes: number }, bytes?: Uint8Array): ReadFile | null {
  if (budget.bytes <= 0 || (bytes === undefined ? kindOf(path) !== 'file' : isMadeUp(path))) return null;
  const content = bytes === undefined ? readBytesNow(path, MAX_FILE_SIZE) : { bytes };
  if ('problem' in content) return null;
  budget.bytes -= content.bytes.length;
  const decoded = decode(content.bytes);
  return 'text' in decoded ? { tree: Tree.parse(decoded.text, namesIn), encoding: decoded.encoding } : null;
}
