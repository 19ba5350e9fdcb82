/**
 * What searches through folders have read from the disk, so that the same run need not read it
 * again.
 */
export class FileSystemSnapshot {
  /** By the path that the search used (see `below`). */
  readonly folders = new Map<string, { readonly real: string; readonly names: readonly string[] }>();
  readonly entries = new Map<string, SeenEntry>();
  /** Whether the beginning of a short file looks like configuration of httpd. */
  readonly looksLikeHttpd = new Map<string, boolean>();
  /** The bytes of short files, until they are read as configuration. */
  readonly contents = new Map<string, Uint8Array>();
  private room = MOST_KEPT;

  constructor(readonly glance: (text: string) => boolean) {}

  /** Stores a copy of a file's bytes, if they are few and there is room. */
  keep(file: string, bytes: Uint8Array): void {
    if (bytes.length > LONGEST_KEPT || bytes.length > this.room) return;
    this.room -= bytes.length;
    this.contents.set(file, Buffer.from(bytes));
  }
}

/** Limits for the bytes of all files together, and of one. */
const MOST_KEPT = 16 * 1024 * 1024;
const LONGEST_KEPT = 16 * 1024;

/** An entry of a folder. `size` and `identity` exist for files. */
export interface SeenEntry {
  readonly kind: 'folder' | 'file' | 'other';
  readonly isLink: boolean;
  readonly size: number;
  readonly identity: string;
  /** Whether the file looks like configuration of httpd; null until it is read. */
  isHttpd: boolean | null;
}

/** The path of an entry of a folder. */
export function below(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
