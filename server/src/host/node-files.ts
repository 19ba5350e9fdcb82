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
import { isKernelFile, readBytesNow, readingLimit } from './read-now';
import { pathInFolder, type FileSystemSnapshot } from './file-system-snapshot';
import { restrictedView } from './within';

/** A larger file is not a hand-written configuration. */
const MAX_PARSED_FILE_SIZE = 64 * 1024 * 1024;

/** Limit of the bytes of all files together, so that reading an `Include /` ends. */
const MAX_TOTAL_SIZE = 32 * 1024 * 1024;

/** A view of the files on the disk that caches what it has read. */
export interface DiskFileView extends FileView {
  /**
   * Takes over what a search in the same run has read from the disk, so that it is not read again.
   */
  useSnapshot(snapshot: FileSystemSnapshot): void;
  /** A file if the view has already read it; otherwise null. */
  cachedFile(path: string): FileWithTree | null;
}

/** A file that was read as text. */
export interface FileWithTree {
  readonly tree: Tree;
  readonly encoding: Encoding;
}

/**
 * Makes a view of the current disk. `overlay` returns the tree of a file that is open in an editor;
 * this tree is used instead of the file on the disk. `read` reads a file from the disk. `isOnce`:
 * the view is used once and `findChangedPaths` is never called, so the view does not record the
 * state of files.
 */
export function diskFileView(
  overlay: (path: string) => Tree | null = () => null,
  read = readFile,
  { isOnce = false } = {},
): DiskFileView {
  const stateOf = isOnce ? () => '' : fileState;
  const fileByPath = new Map<string, FileWithTree | null>();
  /**
   * The tree that was returned for each file, and the state of the file (`fileState`) before it was
   * read. The state is empty if the file was not read from the disk.
   */
  const returnedTreeByPath = new Map<string, { readonly tree: Tree | null; readonly fileState: string }>();
  const stateByListedFolder = new Map<string, string>();
  const kindByPath = new Map<string, 'file' | 'folder' | null>();
  const realPathByPath = new Map<string, string>();
  const linkByPath = new Map<string, string | null>();
  const modeByPath = new Map<string, number | null>();
  const namesByFolder = new Map<string, readonly string[] | null>();
  /**
   * The kinds of the entries in listed directories, by their paths. So `kind` needs no query for
   * each entry.
   */
  const kindByListedPath = new Map<string, 'file' | 'folder'>();
  /**
   * Like `kindByListedPath`, for directories that are listed through a link. Their entries have
   * other real paths.
   */
  const kindByPathThroughLink = new Map<string, 'file' | 'folder'>();
  const budget = { bytes: MAX_TOTAL_SIZE };
  const otherEncodingByPath = new Map<string, boolean>();
  const view: DiskFileView = {
    read(path) {
      const realPath = view.realPath(path);
      const openTree = overlay(realPath);
      if (openTree) {
        returnedTreeByPath.set(realPath, { tree: openTree, fileState: '' });
        return openTree;
      }
      let file = fileByPath.get(realPath);
      if (file === undefined) {
        const stateBefore = stateOf(realPath);
        fileByPath.set(realPath, (file = read(realPath, budget)));
        returnedTreeByPath.set(realPath, { tree: file && file.tree, fileState: stateBefore });
      }
      return file && file.tree;
    },
    cachedFile: (path) => fileByPath.get(view.realPath(path)) ?? null,
    isOtherEncoding(path) {
      const realPath = view.realPath(path);
      const cachedFile = fileByPath.get(realPath);
      if (cachedFile !== undefined) return cachedFile?.encoding === 'latin1';
      // The file is open in an editor, so `read` did not read it from the disk.
      let isOther = otherEncodingByPath.get(realPath);
      if (isOther === undefined)
        otherEncodingByPath.set(realPath, (isOther = read(realPath, budget)?.encoding === 'latin1'));
      return isOther;
    },
    list(path) {
      let names = namesByFolder.get(path);
      if (names === undefined) {
        stateByListedFolder.set(path, stateOf(path));
        const entries = directoryEntries(path);
        namesByFolder.set(path, (names = entries && entries.map(({ name }) => name)));
        const realPath = view.realPath(path);
        if (entries && !isKernelFile(realPath))
          storeKinds(path, entries, realPath === path ? kindByListedPath : kindByPathThroughLink);
      }
      return names;
    },
    kind(path) {
      let kind = kindByPath.get(path);
      if (kind === undefined)
        kindByPath.set(path, (kind = kindByListedPath.get(path) ?? kindByPathThroughLink.get(path) ?? kindOf(path)));
      return kind;
    },
    realPath(path) {
      let realPath = realPathByPath.get(path);
      // A path in `kindByListedPath` is no link, and its directory is listed by its real path, so
      // it is a real path.
      if (realPath === undefined)
        realPathByPath.set(path, (realPath = kindByListedPath.has(path) ? path : resolvedPath(path)));
      return realPath;
    },
    useSnapshot({ listingByFolder, entryByPath }) {
      for (const [folder, { realPath, names }] of listingByFolder) {
        if (isKernelFile(realPath)) continue;
        namesByFolder.set(realPath, names);
        kindByPath.set(realPath, 'folder');
        realPathByPath.set(realPath, realPath).set(path.resolve(folder), realPath);
        for (const name of names) {
          const entry = entryByPath.get(pathInFolder(folder, name));
          // The target of a link is looked up when it is needed.
          if (entry === undefined || entry.isLink) continue;
          const fullPath = path.join(realPath, name);
          realPathByPath.set(fullPath, fullPath);
          kindByPath.set(fullPath, entry.kind === 'other' ? null : entry.kind);
        }
      }
    },
    link(path) {
      let link = linkByPath.get(path);
      if (link === undefined) linkByPath.set(path, (link = linkTargetAt(path)));
      return link;
    },
    mode(path) {
      // Windows does not have these permissions.
      if (process.platform === 'win32') return null;
      let mode = modeByPath.get(path);
      if (mode === undefined) modeByPath.set(path, (mode = statSync(path, { throwIfNoEntry: false })?.mode ?? null));
      return mode;
    },
    *findChangedPaths(open) {
      const changedPaths = new Set<string>();
      for (const [path, kind] of kindByPath) {
        yield;
        if (kindOf(path) !== kind) changedPaths.add(path);
      }
      for (const [path, realPath] of realPathByPath) {
        yield;
        if (resolvedPath(path) !== realPath) changedPaths.add(path);
      }
      for (const [path, link] of linkByPath) {
        yield;
        if (linkTargetAt(path) !== link) changedPaths.add(path);
      }
      for (const [path, stateBefore] of stateByListedFolder) {
        yield;
        if (
          fileState(path) !== stateBefore &&
          String(directoryEntries(path)?.map(({ name }) => name)) !== String(namesByFolder.get(path))
        )
          changedPaths.add(path);
      }
      for (const [name, { tree, fileState: stateBefore }] of returnedTreeByPath) {
        yield;
        const openTree = open(name);
        const isUnchanged =
          openTree === null ? stateBefore !== '' && fileState(name) === stateBefore : openTree === tree;
        if (!isUnchanged && (openTree ?? read(name, { bytes: MAX_TOTAL_SIZE })?.tree)?.text() !== tree?.text())
          changedPaths.add(name);
      }
      return [...changedPaths];
    },
  };
  return restrictedView(view, readingLimit.value);

  /**
   * Stores the kinds of the names in a directory listing, because a query for each name takes
   * longer than the listing. Links and special files are left out.
   */
  function storeKinds(folder: string, entries: readonly Dirent[], kindByPath: Map<string, 'file' | 'folder'>): void {
    for (const entry of entries) {
      const path = pathInFolder(folder, entry.name);
      if (entry.name.includes(INVALID_UTF8_CHARACTER) || isKernelFile(path)) continue;
      if (entry.isDirectory()) kindByPath.set(path, 'folder');
      else if (entry.isFile()) kindByPath.set(path, 'file');
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether a path is a file or a folder. Null for FIFOs and devices, which could block, and for
 * files that the kernel generates (as in /proc), which may be endless.
 */
function kindOf(path: string): 'file' | 'folder' | null {
  if (isKernelFile(path)) return null;
  try {
    const status = statSync(path);
    if (status.isDirectory()) return 'folder';
    return status.isFile() ? 'file' : null;
  } catch {
    return path.includes(INVALID_UTF8_CHARACTER) ? kindInListing(path) : null;
  }
}

/**
 * The character that node returns for bytes in a name that are not UTF-8. A file with such a name
 * cannot be opened, but it is not missing.
 */
const INVALID_UTF8_CHARACTER = '\ufffd';

/**
 * The kind of a file by the listing of its directory, for a name that cannot be opened. A link
 * counts as a folder. Null if the listing cannot be read, lacks the name, or shows another kind.
 */
function kindInListing(file: string): 'file' | 'folder' | null {
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

/** The target of a symbolic link as written; null if the path is not a link. */
export function linkTargetAt(path: string): string | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}

function directoryEntries(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}

/** The path with links resolved; unchanged if nothing exists there. */
function resolvedPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/**
 * Returns a function that makes one view after another, each of the current disk. A file whose
 * state has not changed is not read again. Files that the last view did not use are dropped.
 */
export function cachingFileViews(): (overlay: (path: string) => Tree | null) => DiskFileView {
  let earlierFiles = new Map<string, { readonly fileState: string; readonly file: FileWithTree | null }>();
  return (overlay) => {
    const filesOfLastView = earlierFiles;
    const filesOfThisView: typeof earlierFiles = new Map();
    earlierFiles = filesOfThisView;
    return diskFileView(overlay, (path, budget) => {
      const currentState = fileState(path);
      const earlierFile = filesOfLastView.get(path);
      const file =
        earlierFile !== undefined && earlierFile.fileState === currentState ? earlierFile.file : readFile(path, budget);
      filesOfThisView.set(path, { fileState: currentState, file });
      return file;
    });
  };
}

/** A text that changes if the file is written or replaced; '' if there is no file. */
function fileState(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return '';
  }
}

/**
 * Reads a file. Null if there is no regular file at the path, if the kernel generates it, if it
 * cannot be read, is larger than `MAX_PARSED_FILE_SIZE` or is no text, or if the budget is used up.
 * `budget.bytes`: the number of bytes that may still be read, which this function reduces. `bytes`:
 * the content, if it was already read. `onBytes`: called with the number of bytes before they are
 * parsed.
 */
export function readFile(
  path: string,
  budget: { bytes: number },
  bytes?: Uint8Array,
  onBytes?: (byteCount: number) => void,
): FileWithTree | null {
  if (budget.bytes <= 0 || (bytes === undefined ? kindOf(path) !== 'file' : isKernelFile(path))) return null;
  const content = bytes === undefined ? readBytesNow(path, MAX_PARSED_FILE_SIZE) : { bytes };
  if ('problem' in content) return null;
  budget.bytes -= content.bytes.length;
  onBytes?.(content.bytes.length);
  const decodedFile = decode(content.bytes);
  return 'text' in decodedFile ? { tree: Tree.parse(decodedFile.text, namesIn), encoding: decodedFile.encoding } : null;
}
