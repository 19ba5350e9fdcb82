import type { FileView } from '../config/files';
import type { Tree } from '../syntax/document';

/**
 * The port to files. The core never reads one; entry points hand in an implementation: node.ts here, or client.ts, which
 * asks the editor (in the browser there is nobody else to ask).
 */
export interface Host {
  /** Reads a file as bytes. Never hangs on what is no regular file, and never throws. */
  readFile(uri: string): Promise<FileContent>;
  /** The same without a wait, for hosts that can: for many files in a row, in slices. */
  readNow?(uri: string): FileContent;
  /**
   * URIs of what may be httpd configuration below the folders (all folders of the workspace for a host that asks the
   * client), in a stable order. Stops when asked to. `onFile` is told of each what it is apart from links, as another URI; folders and files that
   * `mayEnter` says no to, by their paths without links, are passed by. `onLink` is told of each link there, whatever its name, with what it leads to.
   */
  findFiles(
    folders: readonly string[],
    isCancelled: () => boolean,
    onFile?: (uri: string, identity: string) => void,
    mayEnter?: (path: string) => boolean,
    onLink?: (uri: string, identity: string) => void,
  ): Promise<string[]>;
  /** What a URI leads to, links followed; null where there is nothing, or something that nobody reads (a FIFO, a device). */
  look(uri: string): Promise<Looked | null>;
  /** What a symbolic link names, as it is written; null for what is none. For hosts that can tell. */
  link?(uri: string): Promise<string | null>;
  /** Whether a file can be written, for hosts that can tell. */
  mayWrite?(uri: string): Promise<boolean>;
  /** What is in a folder, null where it is none or cannot be read. */
  list(uri: string): Promise<readonly ListedName[] | null>;
  /** Writes several files, all of them or none, for hosts that can: nothing of it where one is not as `before` says any more, or lies, links followed, in none of these directories. */
  change?(changes: readonly HostChange[], within: readonly string[]): Promise<HostChanged>;
  /** Takes note that fixes were written to configurations of 2.2 with files in these directories (paths), for hosts that keep that. `texts`: what files hold now, by path. */
  begin?(directories: readonly string[], texts: ReadonlyMap<string, string>): void;
  /** Whether fixes were written to a configuration of 2.2 with files in a directory (a URI). */
  hasBegun?(uri: string): boolean;
  /** The files of a configuration, for hosts that can read while somebody waits; `open` gives what an editor has open, by path. */
  fileView?(open: (path: string) => Tree | null): FileView;
  /** Which files a real `httpd -t` has accepted, for hosts that can run one and have a place to remember it. */
  readonly accepted?: AcceptedFiles;
  /** A place to work beside everything else, for hosts that have one. */
  apart?(): Apart;
  /** There is much to hold: rather look for what is not needed than take more. */
  spareMemory?(): void;
  /** The URI of a path of such a view, and the other way round (null for what is no file). */
  uriOf?(path: string): string;
  pathOf?(uri: string): string | null;
}

/** Remembers the last check of each main file (host/accepted.ts). */
export interface AcceptedFiles {
  /** Whether the last check has accepted these very files. `files` is called only if there was a check. */
  is(root: string, files: () => CheckedFiles | null): boolean;
  /** Remembers that the files are accepted; null forgets what an earlier check has accepted. */
  remember(root: string, files: CheckedFiles | null): void;
}

/** What a check has read: each file by its path from the main file's directory, and options of the server. */
export interface CheckedFiles {
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly options: readonly string[];
}

/** A file's bytes, as they are and as they are to be. */
export interface HostChange {
  readonly uri: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** What became of it: a way back, which says what could not be taken back (null for nothing); or which file it failed for, and why. Then all are as they were. */
export type HostChanged = { undo(): Promise<string | null> } | { readonly uri: string; readonly problem: string };

/** Answers one question at a time. What goes in and comes out is copied. */
export interface Apart {
  /** Calls back with parts of the answer; says at its end whether it is whole, or was cancelled. */
  ask(question: unknown, onPart: (part: unknown) => void): Promise<boolean>;
  cancel(): void;
  end(): void;
  readonly isEnded: boolean;
}

export interface Looked {
  readonly kind: 'file' | 'folder';
  /** The URI without links. */
  readonly identity: string;
  /** The file has other names that are no links to it (hard links): where, nobody can say. */
  readonly hasNames?: boolean;
}

export interface ListedName {
  readonly name: string;
  /** `link` and `other` have to be looked at. */
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

export type FileContent = { readonly bytes: Uint8Array } | { readonly problem: FileProblem };

/** Why a file could not be read, for people. */
export interface FileProblem {
  readonly code: 'missing' | 'denied' | 'directory' | 'special' | 'loop' | 'large' | 'other';
  readonly message: string;
}
