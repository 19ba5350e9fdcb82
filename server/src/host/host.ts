import type { FileView } from '../config/files';
import type { Tree } from '../syntax/document';

/**
 * The interface to the files of a machine. The core never reads files; entry points pass in an
 * implementation: node.ts, or client.ts, which gets them from the editor (in the browser there is
 * no other way).
 */
export interface Host {
  /** Reads a file as bytes. Does not hang if it is no regular file, and never throws. */
  readFile(uri: string): Promise<FileContent>;
  /** The same synchronously, for hosts that can: faster for many files. */
  readNow?(uri: string): FileContent;
  /**
   * Finds files below the folders that may be httpd configuration, in a stable order. (A host that
   * asks the client searches all folders of the workspace.) Stops if `isCancelled` is true.
   * `onFile` gets each file, with its URI after links are resolved. Skips folders and files for
   * which `mayEnter` returns false; it gets their paths with links resolved. `onLink` gets each
   * link, whatever its name, with its target.
   */
  findFiles(
    folders: readonly string[],
    isCancelled: () => boolean,
    onFile?: (uri: string, identity: string) => void,
    mayEnter?: (path: string) => boolean,
    onLink?: (uri: string, identity: string) => void,
  ): Promise<string[]>;
  /** What is at a URI, links followed. Null if there is nothing, or a FIFO or device. */
  look(uri: string): Promise<FileStat | null>;
  /**
   * The target of a symbolic link as written; null if it is no link. Only for hosts that can read
   * links.
   */
  linkTarget?(uri: string): Promise<string | null>;
  /** Whether a file can be written, for hosts that can check it. */
  mayWrite?(uri: string): Promise<boolean>;
  /** The entries of a folder; null if it is no folder or cannot be read. */
  list(uri: string): Promise<readonly ListedName[] | null>;
  /**
   * Writes all files or none. Writes nothing if a file differs from `before` or, links followed, is
   * outside of these directories. Only for hosts that can.
   */
  change?(changes: readonly HostChange[], within: readonly string[]): Promise<HostChanged>;
  /**
   * Records that fixes were written to configurations of 2.2 with files in these directories
   * (paths). `texts`: current contents of files by path.
   */
  begin?(directories: readonly string[], texts: ReadonlyMap<string, string>): void;
  /**
   * Whether fixes were written to a configuration of 2.2 with files in a directory, given as a URI.
   */
  hasBegun?(uri: string): boolean;
  /**
   * Makes a view of files for reading a configuration, for hosts that read synchronously. `open`
   * returns the tree of a file that is open in the editor, by path.
   */
  fileView?(open: (path: string) => Tree | null): FileView;
  /**
   * Records which files a real `httpd -t` has accepted, for hosts that can run httpd and have a
   * state directory.
   */
  readonly accepted?: AcceptedFiles;
  /** Starts a worker thread, for hosts that have threads. */
  startWorker?(): WorkerThread;
  /** Makes the garbage collection more frequent, because much is in memory. */
  spareMemory?(): void;
  /**
   * The URI of a path of such a view; `pathOf` is the reverse (null for a URI that names no file).
   */
  uriOf?(path: string): string;
  pathOf?(uri: string): string | null;
}

/** Records the result of the last check of each main file (host/accepted.ts). */
export interface AcceptedFiles {
  /**
   * Whether the last check accepted exactly these files. Calls `files` only if there was a check.
   */
  is(root: string, files: () => CheckedFiles | null): boolean;
  /** Records that the files are accepted. With null, removes the record of an earlier check. */
  remember(root: string, files: CheckedFiles | null): void;
}

/**
 * What a check read: each file by its path relative to the directory of the main file, and the
 * options of httpd.
 */
export interface CheckedFiles {
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly options: readonly string[];
}

/** The old and the new bytes of a file. */
export interface HostChange {
  readonly uri: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * On success: a function that undoes the change and returns which files it could not restore (null:
 * none). On failure: the file and the reason; all files are then unchanged.
 */
export type HostChanged = { undo(): Promise<string | null> } | { readonly uri: string; readonly problem: string };

/** Sends one question at a time to a worker thread. Questions and answers are copied. */
export interface WorkerThread {
  /**
   * Calls `onPart` with each part of the answer. Returns true if the answer is complete, false if
   * it was cancelled.
   */
  ask(question: unknown, onPart: (part: unknown) => void): Promise<boolean>;
  cancel(): void;
  end(): void;
  readonly isEnded: boolean;
}

export interface FileStat {
  readonly kind: 'file' | 'folder';
  /** The URI without links. */
  readonly identity: string;
  /** Whether the file has further names (hard links). Their paths are unknown. */
  readonly hasNames?: boolean;
}

export interface ListedName {
  readonly name: string;
  /** For `link` and `other`, call `look`. */
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

export type FileContent = { readonly bytes: Uint8Array } | { readonly problem: FileProblem };

/** The reason why a file could not be read, for users. */
export interface FileProblem {
  readonly code: 'missing' | 'denied' | 'directory' | 'special' | 'loop' | 'large' | 'other';
  readonly message: string;
}
