import type { FileView } from '../config/files';
import type { Tree } from '../syntax/document';

/**
 * The interface to files. The core never reads files; entry points pass in an implementation:
 * node.ts, or client.ts, which asks the editor (in the browser there is no other source).
 */
export interface Host {
  /** Reads a file as bytes. Never hangs on something that is no regular file, and never throws. */
  readFile(uri: string): Promise<FileContent>;
  /** The synchronous variant, for hosts that have one: for many files in a row, in slices. */
  readNow?(uri: string): FileContent;
  /**
   * URIs of files below the folders that may be httpd configuration, in a stable order (all folders
   * of the workspace for a host that asks the client). Stops when requested. `onFile` gets each
   * file with its URI without links. Skips folders and files for which `mayEnter` returns false, by
   * their paths without links. `onLink` gets each link, of any name, with its target.
   */
  findFiles(
    folders: readonly string[],
    isCancelled: () => boolean,
    onFile?: (uri: string, identity: string) => void,
    mayEnter?: (path: string) => boolean,
    onLink?: (uri: string, identity: string) => void,
  ): Promise<string[]>;
  /** The target of a URI, links followed; null if there is nothing, or a FIFO or device. */
  look(uri: string): Promise<FileStat | null>;
  /**
   * The target of a symbolic link as written; null if it is no link. For hosts that can read links.
   */
  linkTarget?(uri: string): Promise<string | null>;
  /** Whether a file can be written, for hosts that can check it. */
  mayWrite?(uri: string): Promise<boolean>;
  /** The entries of a folder; null if it is no folder or cannot be read. */
  list(uri: string): Promise<readonly ListedName[] | null>;
  /**
   * Writes all files or none, for hosts that can: nothing if a file differs from `before`, or is,
   * links followed, outside of these directories.
   */
  change?(changes: readonly HostChange[], within: readonly string[]): Promise<HostChanged>;
  /**
   * Records that fixes were written to configurations of 2.2 with files in these directories
   * (paths). `texts`: current contents of files by path.
   */
  begin?(directories: readonly string[], texts: ReadonlyMap<string, string>): void;
  /** Whether fixes were written to a configuration of 2.2 with files in a directory (a URI). */
  hasBegun?(uri: string): boolean;
  /**
   * The files of a configuration, for hosts that read synchronously; `open` returns the tree of a
   * file that is open in the editor, by path.
   */
  fileView?(open: (path: string) => Tree | null): FileView;
  /**
   * Records which files a real `httpd -t` has accepted, for hosts that can run httpd and have a
   * state directory.
   */
  readonly accepted?: AcceptedFiles;
  /** A worker thread, for hosts that have threads. */
  apart?(): WorkerThread;
  /** Collects garbage more often, because there is much in memory. */
  spareMemory?(): void;
  /**
   * The URI of a path of such a view; `pathOf` is the reverse (null for a URI that names no file).
   */
  uriOf?(path: string): string;
  pathOf?(uri: string): string | null;
}

/** Records the last check of each main file (host/accepted.ts). */
export interface AcceptedFiles {
  /**
   * Whether the last check accepted exactly these files. Calls `files` only if there was a check.
   */
  is(root: string, files: () => CheckedFiles | null): boolean;
  /** Records that the files are accepted; null removes the record of an earlier check. */
  remember(root: string, files: CheckedFiles | null): void;
}

/**
 * The input of a check: each file by its path relative to the directory of the main file, and the
 * server's options.
 */
export interface CheckedFiles {
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly options: readonly string[];
}

/** Old and new bytes of a file. */
export interface HostChange {
  readonly uri: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * The result: a function that undoes the change and returns what could not be restored (null for
 * nothing); or the file that failed, and why. After a failure all files are unchanged.
 */
export type HostChanged = { undo(): Promise<string | null> } | { readonly uri: string; readonly problem: string };

/** Answers one question at a time. Questions and answers are copied between threads. */
export interface WorkerThread {
  /**
   * Calls back with parts of the answer. Resolves to true if it is complete, false if it was
   * cancelled.
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
  /** The file has further names (hard links); their paths are unknown. */
  readonly hasNames?: boolean;
}

export interface ListedName {
  readonly name: string;
  /** For `link` and `other`, look at the entry itself. */
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

export type FileContent = { readonly bytes: Uint8Array } | { readonly problem: FileProblem };

/** Why a file could not be read, for users. */
export interface FileProblem {
  readonly code: 'missing' | 'denied' | 'directory' | 'special' | 'loop' | 'large' | 'other';
  readonly message: string;
}
