/**
 * Keeps what was read from the disk while searching folders, so that this run does not read it
 * again.
 */
export class FileSystemSnapshot {
  /** The searched folders, by the paths that the search used (`pathInFolder`). */
  readonly listingByFolder = new Map<string, { readonly realPath: string; readonly names: readonly string[] }>();
  readonly entryByPath = new Map<string, SnapshotEntry>();
  /** The results of `looksLikeConfiguration` for the beginnings of short files, by their paths. */
  readonly looksLikeConfigurationByPath = new Map<string, boolean>();
  /** The bytes of short files, by their paths, until they are read as configuration. */
  readonly contentByPath = new Map<string, Uint8Array>();
  private freeBytes = MAX_STORED_BYTES;

  /** `looksLikeConfiguration` tests the beginning of a file. */
  constructor(readonly looksLikeConfiguration: (text: string) => boolean) {}

  /** Stores a copy of a file's bytes if the file is short and the limit is not reached. */
  storeContent(file: string, bytes: Uint8Array): void {
    if (bytes.length > MAX_STORED_FILE_SIZE || bytes.length > this.freeBytes) return;
    this.freeBytes -= bytes.length;
    this.contentByPath.set(file, Buffer.from(bytes));
  }
}

/** Limits in bytes: for all stored files together, and for one file. */
const MAX_STORED_BYTES = 16 * 1024 * 1024;
const MAX_STORED_FILE_SIZE = 16 * 1024;

/** An entry of a folder, with links followed. `identity` is '' if the entry is no file. */
export interface SnapshotEntry {
  readonly kind: 'folder' | 'file' | 'other';
  readonly isLink: boolean;
  readonly size: number;
  readonly identity: string;
  /** Whether the file looks like configuration of httpd; null until it is read. */
  looksLikeHttpd: boolean | null;
}

/** The path of an entry of a folder. */
export function pathInFolder(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
