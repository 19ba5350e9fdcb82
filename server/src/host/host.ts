import type { FileView } from '../config/files';
import type { Tree } from '../syntax/document';

/**
 * The interface to the files of a machine. The core never reads files itself; the entry points pass
 * in an implementation: node.ts for the disk, or client.ts, which gets files from the editor (the
 * only way in a browser).
 */
export interface Host {
  /** Reads a file as bytes. Does not hang if the path is not a regular file, and never throws. */
  readFile(uri: string): Promise<FileContent>;
  /**
   * Like `readFile`, but synchronous, which is faster for many files. Missing if the host cannot do
   * that.
   */
  readNow?(uri: string): FileContent;
  /**
   * Finds files below the folders that may be httpd configuration, in a stable order. (A host that
   * asks the client searches all folders of the workspace.) Stops if `isCancelled` returns true.
   * `onFile` gets each file, with its URI with links resolved. `mayEnter` gets the paths of folders
   * and files with links resolved, and returns false for those to skip. `onLink` gets each link,
   * whatever its name, with its target.
   */
  findFiles(
    folders: readonly string[],
    isCancelled: () => boolean,
    onFile?: (uri: string, realUri: string) => void,
    mayEnter?: (path: string) => boolean,
    onLink?: (uri: string, targetUri: string) => void,
  ): Promise<string[]>;
  /**
   * The file or folder at a URI, with links followed. Null if there is nothing, or a FIFO or
   * device.
   */
  status(uri: string): Promise<FileStatus | null>;
  /**
   * The target of a symbolic link as written; null if it is not a link. Missing if the host cannot
   * read links.
   */
  linkTarget?(uri: string): Promise<string | null>;
  /** Whether a file can be written. Missing if the host cannot check that. */
  mayWrite?(uri: string): Promise<boolean>;
  /** The entries of a folder; null if it is not a folder or cannot be read. */
  list(uri: string): Promise<readonly ListedName[] | null>;
  /**
   * Writes all files or none. Writes nothing if a file differs from `before`, or if its real path
   * is outside of the directories `allowedFolders`. Missing if the host cannot write.
   */
  change?(changes: readonly HostChange[], allowedFolders: readonly string[]): Promise<HostChangeOutcome>;
  /**
   * Records that fixes were written to 2.2 configurations that have files in these directories
   * (paths). `texts`: current contents of files by path.
   */
  recordConversion?(directories: readonly string[], texts: ReadonlyMap<string, string>): void;
  /**
   * Whether fixes were written to a 2.2 configuration that has files in this directory, given as a
   * URI, and all signs of 2.4 in the directory come from these fixes.
   */
  isConverted?(uri: string): boolean;
  /**
   * Like `isConverted`, but also for written suggestions, which may be wrong, and if only some
   * signs of 2.4 come from this program.
   */
  isUpgraded?(uri: string): boolean;
  /**
   * Makes the view of files with which a configuration is read. `open` returns the tree of a file
   * that is open in the editor, by path. Missing if the host cannot read synchronously.
   */
  fileView?(open: (path: string) => Tree | null): FileView;
  /**
   * The records of the files that a real `httpd -t` has accepted. Missing if the host cannot run
   * httpd or has no state directory.
   */
  readonly acceptedFiles?: AcceptedFiles;
  /** Starts a worker thread. Missing if the host has no threads. */
  startWorker?(): WorkerThread;
  /** Makes the JavaScript engine free unused memory more often. Called when much is in memory. */
  limitMemory?(): void;
  /**
   * The URI of a path of the view that `fileView` returns. `pathOf` is the reverse; null for a URI
   * that names no file.
   */
  uriOf?(path: string): string;
  pathOf?(uri: string): string | null;
}

/** Records the result of the last check of each main file (host/accepted.ts). */
export interface AcceptedFiles {
  /**
   * Whether the last check accepted exactly these files. Calls `files` only if there was a check.
   */
  isAccepted(mainFile: string, files: () => CheckedFiles | null): boolean;
  /** Records that the files are accepted. With null, removes the record of an earlier check. */
  remember(mainFile: string, files: CheckedFiles | null): void;
}

/**
 * The files that a check read, with paths relative to the directory of the main file, and the
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
 * On success: a function that undoes the change and returns as text which files it could not
 * restore (null: none). On failure: the file and the reason; all files are then unchanged.
 */
export type HostChangeOutcome = { undo(): Promise<string | null> } | { readonly uri: string; readonly problem: string };

/** Sends one question at a time to a worker thread. Questions and answers are copied. */
export interface WorkerThread {
  /**
   * Calls `onPart` with each part of the answer. Returns true if the answer is complete, false if
   * it was cancelled.
   */
  ask(question: unknown, onPart: (part: unknown) => void): Promise<boolean>;
  /** Makes the thread stop its current work soon. `ask` then returns false. */
  cancel(): void;
  /** Ends the thread at once. */
  end(): void;
  readonly isEnded: boolean;
}

/** The file or folder at a URI. */
export interface FileStatus {
  readonly kind: 'file' | 'folder';
  /** The URI without links. */
  readonly realUri: string;
  /** Whether the file has other names (hard links). Their paths are unknown. */
  readonly hasHardLinks?: boolean;
}

/** An entry of a folder. */
export interface ListedName {
  readonly name: string;
  /**
   * The kind of the entry itself. For `link` and `other`, call `status` to find out what the entry
   * leads to.
   */
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** The bytes of a file, or why it could not be read. */
export type FileContent = { readonly bytes: Uint8Array } | { readonly problem: FileProblem };

/** The reason why a file could not be read, for users. */
export interface FileProblem {
  readonly code: 'missing' | 'denied' | 'directory' | 'special' | 'loop' | 'large' | 'other';
  readonly message: string;
}
