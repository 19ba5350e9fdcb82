/** Writes whole servers to a disk, and reads them again, with their links. */
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rm,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Stands for the directory of the tree in every text and link. */
export const ROOT = '@ROOT@';

export interface Tree {
  /** Path below the tree's directory to content, a character a byte. */
  readonly files: Readonly<Record<string, string>>;
  /** Symbolic links: path to target. */
  readonly links?: Readonly<Record<string, string>>;
  /** Second names of files: path to the other path. */
  readonly hardLinks?: Readonly<Record<string, string>>;
  /** Files that belong to somebody else: whoever runs the program must not write them. */
  readonly foreign?: readonly string[];
  readonly servers: readonly ServerSpec[];
}

/** One httpd that is started on a main file of the tree. */
export interface ServerSpec {
  readonly main: string;
  /** What it is started with: `-D`. */
  readonly defines?: readonly string[];
  /** The MPMs of its 2.2 and its 2.4; left out, prefork and event. */
  readonly mpms?: readonly [string, string];
  /** What is not compiled in, of what nearly every server has: `mod_authz_host`. */
  readonly lacks?: readonly string[];
  /** Its environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * It runs on another machine: what is in the tree below `from`, that has at `to`, and these
   * files, too. Nothing else of the tree is there.
   */
  readonly elsewhere?: { readonly from: string; readonly to: string; readonly files: Readonly<Record<string, string>> };
}

type Entry =
  | { readonly type: 'file'; readonly text: string }
  | { readonly type: 'link'; readonly target: string }
  | { readonly type: 'directory' };

/** What a model of a server reads. */
export interface Readable {
  text(file: string): string | null;
  kind(file: string): 'file' | 'directory' | null;
  list(directory: string): string[];
}

const BYTES = 'latin1';
const isRoot = process.getuid?.() === 0;

/**
 * A directory for trees, one after another. Not in /dev/shm, which the program takes for what the
 * kernel makes up.
 */
export class Place {
  readonly path: string;
  private cleared = 0;

  constructor() {
    this.path = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'httpd-upgrade-trees-'));
    chmodSync(this.path, 0o755);
  }

  /**
   * Writes the tree where nothing is; everything belongs to `owner` then, but for what is foreign.
   */
  write(tree: Tree, owner: number | null = null): void {
    this.clear();
    const made = new Set<string>();
    const directory = (name: string) => {
      if (made.has(name)) return;
      if (name !== '.') directory(path.dirname(name));
      made.add(name);
      if (name !== '.') mkdirSync(this.bytesAt(name), { recursive: true });
      // The directory of the tree before may be another user's, through which root does not write.
      const mine = name === '.' && isRoot ? 0 : null;
      const uid = owner ?? mine;
      if (uid !== null) chownSync(this.bytesAt(name), uid, uid);
    };
    for (const [name, text] of Object.entries(tree.files)) {
      directory(path.dirname(name));
      writeFileSync(this.bytesAt(name), Buffer.from(this.local(text), BYTES));
      if (owner !== null && !tree.foreign?.includes(name)) chownSync(this.bytesAt(name), owner, owner);
    }
    for (const [name, target] of Object.entries(tree.links ?? {})) {
      directory(path.dirname(name));
      symlinkSync(Buffer.from(this.local(target), BYTES), this.bytesAt(name));
    }
    for (const [name, other] of Object.entries(tree.hardLinks ?? {})) {
      directory(path.dirname(name));
      linkSync(this.bytesAt(other), this.bytesAt(name));
    }
  }

  at(name: string): string {
    return path.join(this.path, name);
  }

  /** A character of a name is a byte, too: names need not be UTF-8. */
  bytesAt(name: string): Buffer {
    return Buffer.from(this.at(name), BYTES);
  }

  local(text: string): string {
    return text.replaceAll(ROOT, this.path);
  }

  /** What is there now. */
  read(): Disk {
    const entries = new Map<string, Entry>();
    const walk = (directory: string): void => {
      entries.set(directory, { type: 'directory' });
      for (const name of readdirSync(Buffer.from(directory, BYTES), BYTES)) {
        const file = `${directory}/${name}`;
        const bytes = Buffer.from(file, BYTES);
        const info = lstatSync(bytes);
        if (info.isSymbolicLink()) entries.set(file, { type: 'link', target: readlinkSync(bytes, BYTES) });
        else if (info.isDirectory()) walk(file);
        else entries.set(file, { type: 'file', text: readFileSync(bytes, BYTES) });
      }
    };
    walk(this.path);
    return new Disk(entries, this.path);
  }

  /**
   * What was there is gone at once, and removed when there is time: removing directories one after
   * another is what takes longest of all.
   */
  clear(): void {
    const old = `${this.path}.old-${this.cleared++}`;
    mkdirSync(old);
    for (const name of readdirSync(this.path, BYTES))
      renameSync(this.bytesAt(name), Buffer.from(`${old}/${name}`, BYTES));
    rm(old, { recursive: true, force: true }, () => {});
  }

  remove(): void {
    for (const name of readdirSync(path.dirname(this.path))) {
      if (name.startsWith(path.basename(this.path)))
        rmSync(path.join(path.dirname(this.path), name), { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

/** What stood in a directory at some time. Above it are directories, and besides it nothing. */
export class Disk implements Readable {
  private readonly lists = new Map<string, string[]>();
  private readonly known = new Map<string, string | null>();

  constructor(
    private readonly entries: ReadonlyMap<string, Entry>,
    readonly root: string,
  ) {
    for (const file of entries.keys()) {
      const parent = file.slice(0, file.lastIndexOf('/'));
      const names = this.lists.get(parent) ?? [];
      names.push(file.slice(parent.length + 1));
      this.lists.set(parent, names);
    }
  }

  /** Texts by their paths, all below `root`. */
  static of(texts: Readonly<Record<string, string>>, root: string): Disk {
    const entries = new Map<string, Entry>();
    for (const [file, text] of Object.entries(texts)) {
      for (let parent = path.dirname(file); parent.length >= root.length; parent = path.dirname(parent))
        entries.set(parent, { type: 'directory' });
      entries.set(file, { type: 'file', text });
    }
    return new Disk(entries, root);
  }

  /** What a server sees of it. */
  seenBy({ elsewhere }: ServerSpec): Disk {
    if (!elsewhere) return this;
    const entries = new Map<string, Entry>();
    const add = (file: string, entry: Entry) => {
      for (
        let parent = path.dirname(file);
        parent.length >= this.root.length && !entries.has(parent);
        parent = path.dirname(parent)
      )
        entries.set(parent, { type: 'directory' });
      entries.set(file, entry);
    };
    const from = `${this.root}/${elsewhere.from}/`;
    for (const [file, entry] of this.entries)
      if (file.startsWith(from)) add(path.join(this.root, elsewhere.to, file.slice(from.length)), entry);
    for (const [file, text] of Object.entries(elsewhere.files))
      add(`${this.root}/${file}`, { type: 'file', text: text.replaceAll(ROOT, this.root) });
    return new Disk(entries, this.root);
  }

  /** The files by their own paths, without links. */
  files(): Record<string, string> {
    return Object.fromEntries(
      [...this.entries].flatMap(([file, entry]): [string, string][] =>
        entry.type === 'file' ? [[file.slice(this.root.length + 1), entry.text]] : [],
      ),
    );
  }

  /** The same, and links to files by their own paths. */
  filesAndLinks(): Record<string, string> {
    return Object.fromEntries(
      [...this.entries.keys()].flatMap((file): [string, string][] => {
        const text = this.text(file);
        return text === null ? [] : [[file.slice(this.root.length + 1), text]];
      }),
    );
  }

  text(file: string): string | null {
    const entry = this.entry(file);
    return entry?.type === 'file' ? entry.text : null;
  }

  kind(file: string): 'file' | 'directory' | null {
    return this.entry(file)?.type ?? null;
  }

  /** Names in a directory, sorted by their bytes. */
  list(directory: string): string[] {
    const real = this.real(directory);
    return real === null ? [] : [...(this.lists.get(real) ?? [])].sort();
  }

  private entry(file: string): Exclude<Entry, { type: 'link' }> | null {
    const real = this.real(file);
    if (real === null) return null;
    return (this.entries.get(real) as Exclude<Entry, { type: 'link' }> | undefined) ?? { type: 'directory' };
  }

  /** The path without links; null where nothing is. */
  private real(file: string): string | null {
    const known = this.known.get(file);
    if (known !== undefined) return known;
    let links = 0;
    const pending = file.split('/').filter(Boolean).reverse();
    let current = '';
    while (pending.length > 0) {
      const part = pending.pop()!;
      if (part === '.') continue;
      if (part === '..') {
        current = current.slice(0, current.lastIndexOf('/'));
        continue;
      }
      const next = `${current}/${part}`;
      const entry = this.entries.get(next);
      if (entry === undefined && !this.root.startsWith(`${next}/`)) return this.remembered(file, null);
      if (entry?.type === 'file' && pending.length > 0) return this.remembered(file, null);
      if (entry?.type !== 'link') {
        current = next;
        continue;
      }
      if (++links > 40) return this.remembered(file, null);
      pending.push(...entry.target.split('/').filter(Boolean).reverse());
      if (entry.target.startsWith('/')) current = '';
    }
    return this.remembered(file, current);
  }

  private remembered(file: string, real: string | null): string | null {
    this.known.set(file, real);
    return real;
  }
}
