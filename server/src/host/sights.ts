/** What walks through folders have seen of the disk, for whoever asks about the same files in the same run. */
export class Sights {
  /** By paths as walks came by them, as `below` makes them. */
  readonly folders = new Map<string, { readonly real: string; readonly names: readonly string[] }>();
  readonly entries = new Map<string, Sight>();
  /** What the glance said of files whose text was looked at to tell what they are, and that are short enough to have been seen whole. */
  readonly glances = new Map<string, boolean>();
  /** The bytes of short files that were read whole for a look, until they are read as configuration. */
  readonly contents = new Map<string, Uint8Array>();
  private room = MOST_KEPT;

  constructor(readonly glance: (text: string) => boolean) {}

  /** Keeps a copy of all that a file has, if it is short and there is room. */
  keep(file: string, bytes: Uint8Array): void {
    if (bytes.length > LONGEST_KEPT || bytes.length > this.room) return;
    this.room -= bytes.length;
    this.contents.set(file, Buffer.from(bytes));
  }
}

/** Bytes of all files together, and of one. */
const MOST_KEPT = 16 * 1024 * 1024;
const LONGEST_KEPT = 16 * 1024;

/** What there is to see of an entry of a folder. `size` and `identity` are those of files. */
export interface Sight {
  readonly kind: 'folder' | 'file' | 'other';
  readonly isLink: boolean;
  readonly size: number;
  readonly identity: string;
  /** Whether the text of a file is httpd's; null while nobody looked. */
  isHttpd: boolean | null;
}

/** The path of an entry of a folder. */
export function below(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
