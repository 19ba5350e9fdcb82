import type { FileView } from '../config/files';
import type { Tree } from '../syntax/document';

/**
 * The port to files. The core never reads one; entry points hand in an implementation: node.ts here, or client.ts, which
 * asks the editor (in the browser there is nobody else to ask).
 */
export interface Host {
  /** Reads a file as bytes. Never hangs on what is no regular file, and never throws. */
  readFile(uri: string): Promise<FileContent>;
  /**
   * URIs of what may be httpd configuration below the folders (all folders of the workspace for a host that asks the
   * client), in a stable order. Stops when asked to.
   */
  findFiles(folders: readonly string[], isCancelled: () => boolean): Promise<string[]>;
  /** The files of a configuration, for hosts that can read while somebody waits; `open` gives what an editor has open, by path. */
  fileView?(open: (path: string) => Tree | null): FileView;
  /** The URI of a path of such a view, and the other way round (null for what is no file). */
  uriOf?(path: string): string;
  pathOf?(uri: string): string | null;
}

export type FileContent = { readonly bytes: Uint8Array } | { readonly problem: FileProblem };

/** Why a file could not be read, for people. */
export interface FileProblem {
  readonly code: 'missing' | 'denied' | 'directory' | 'special' | 'loop' | 'large' | 'other';
  readonly message: string;
}
