/** What may apply to the requests for a virtual host, by folder and in the server's order. */
import type { Scope } from '../config/configuration';
import { partsOf } from '../config/files';
import { FolderIndex, LayeredIndex, merged, type ByFolder } from './directory-index';
import {
  compareDirectories,
  compareFiles,
  compareLocations,
  comparePatterns,
  sortedDirectories,
  sortedFiles,
  sortedLocations,
  sortedPatterns,
  type Entry,
} from './section-order';

/**
 * What may apply to the requests for one virtual host, in the server's order; each kind put in order when somebody asks for it. What a virtual host has of its own lies
 * on top of the main server's, which all of them share: thousands of hosts cost what they have themselves.
 */
export class Present {
  private ofDirectories: ByFolder<Entry> | null = null;
  private ofPatterns: readonly Entry[] | null = null;
  private ofFiles: ByFolder<Entry> | null = null;
  private ofFolders: ByFolder<Folder> | null = null;
  private ofLocations: ByFolder<Entry> | null = null;
  private ofProxies: readonly Entry[] | null = null;
  private ofNames: ReadonlySet<string> | null = null;
  private ofOwnPlaces: readonly Folder[] | null = null;

  /** `own` in the order of the text; without those of `shared`, the main server's. */
  constructor(
    readonly own: readonly Entry[],
    private readonly shared: Present | null,
  ) {}

  /** Whether a section is all there is. */
  holdsOnly(entry: Entry): boolean {
    return this.own.length === 1 && this.own[0] === entry && (this.shared === null || this.shared.own.length === 0);
  }

  get directories(): ByFolder<Entry> {
    return (this.ofDirectories ??= this.layered(
      new FolderIndex(sortedDirectories(this.own), ({ parts }) => parts),
      ({ directories }) => directories,
      compareDirectories,
    ));
  }

  get patterns(): readonly Entry[] {
    return (this.ofPatterns ??= this.joined(sortedPatterns(this.own), ({ patterns }) => patterns, comparePatterns));
  }

  get files(): ByFolder<Entry> {
    return (this.ofFiles ??= this.layered(
      new FolderIndex(sortedFiles(this.own), ({ parent }) => (parent?.stage === 'directory' ? parent.parts : null)),
      ({ files }) => files,
      compareFiles,
    ));
  }

  /** The places that directories tell apart: every folder that a section or .htaccess names, and any other. */
  get folders(): ByFolder<Folder> {
    return (this.ofFolders ??= this.layered(
      new FolderIndex(
        foldersOf(this.own).filter(({ parts }) => !this.shared?.names.has(parts.join('/'))),
        ({ parts }) => parts,
      ),
      ({ folders }) => folders,
      (a, b) => a.order - b.order,
    ));
  }

  /** Of all these places. */
  private get names(): ReadonlySet<string> {
    return (this.ofNames ??= new Set(this.folders.all.map(({ parts }) => parts.join('/'))));
  }

  get locations(): ByFolder<Entry> {
    return (this.ofLocations ??= this.layered(
      new FolderIndex(sortedLocations(this.own), ({ isRegex, prefix }) => (isRegex ? null : partsOf(prefix))),
      ({ locations }) => locations,
      compareLocations,
    ));
  }

  get proxies(): readonly Entry[] {
    return (this.ofProxies ??= this.joined(
      this.own.filter(({ stage }) => stage === 'proxy'),
      ({ proxies }) => proxies,
      (a, b) => a.order - b.order,
    ));
  }

  /** The places where something of its own may apply: everywhere else it is as without a virtual host. Those of one section may be found again for another. */
  get ownPlaces(): readonly Folder[] {
    return (this.ofOwnPlaces ??= isEverywhere(this.own)
      ? this.folders.all
      : [...new Set(foldersOf(this.own).flatMap(({ parts }) => (parts.length > 0 ? this.folders.below(parts) : [])))]);
  }

  private layered<T>(
    own: ByFolder<T>,
    of: (shared: Present) => ByFolder<T>,
    compare: (a: T, b: T) => number,
  ): ByFolder<T> {
    if (this.shared === null) return own;
    return own.all.length === 0 ? of(this.shared) : new LayeredIndex(of(this.shared), own, compare);
  }

  private joined(
    own: readonly Entry[],
    of: (shared: Present) => readonly Entry[],
    compare: (a: Entry, b: Entry) => number,
  ): readonly Entry[] {
    if (this.shared === null) return own;
    return own.length === 0 ? of(this.shared) : merged(of(this.shared), own, compare);
  }
}

/** What virtual hosts have of their own: which of them have something to do with a folder. */
export class OwnOfHosts {
  private ofDirectories: FolderIndex<Entry> | null = null;
  private ofRoot: readonly Entry[] | null = null;
  private ofPlaces: FolderIndex<{ readonly parts: readonly string[]; readonly host: Scope }> | null = null;
  private ofEverywhere: readonly Scope[] | null = null;

  /** `hosts`: the sections of each that has some. */
  constructor(private readonly hosts: readonly (readonly Entry[])[]) {}

  /** The directories around one. */
  around({ parts, isPattern }: Entry): readonly Entry[] {
    return parts.length === 0 && !isPattern ? this.root : this.directories.around(parts, isPattern);
  }

  /** What stands for `/`, of which every configuration says something: nothing has to be put in order for it. Patterns are further in, and so come behind. */
  private get root(): readonly Entry[] {
    if (this.ofRoot !== null) return this.ofRoot;
    const found: Entry[] = [];
    for (const own of this.hosts)
      for (let i = 0; i < own.length; i++)
        if (own[i]!.stage === 'directory' && own[i]!.parts.length === 0) found.push(own[i]!);
    return (this.ofRoot = found);
  }

  private get directories(): FolderIndex<Entry> {
    return (this.ofDirectories ??= new FolderIndex(
      this.hosts.flatMap((own) => own.filter(({ stage }) => stage === 'directory')),
      ({ parts }) => parts,
    ));
  }

  get places() {
    return (this.ofPlaces ??= new FolderIndex(
      this.hosts
        .flatMap((own) => foldersOf(own).map(({ parts }) => ({ parts, host: own[0]!.host! })))
        .filter(({ parts }) => parts.length > 0),
      ({ parts }) => parts,
    ));
  }

  get everywhere() {
    return (this.ofEverywhere ??= this.hosts.flatMap((own) =>
      isEverywhere(own) || own.some(({ stage }) => stage === 'proxy') ? [own[0]!.host!] : [],
    ));
  }
}

/** Whether something of them may apply in any folder. */
function isEverywhere(entries: readonly Entry[]): boolean {
  return entries.some(
    ({ stage, parent, parts }) =>
      stage === 'directorymatch' ||
      (stage === 'directory' && parts.length === 0) ||
      (stage === 'files' && (parent?.stage !== 'directory' || parent.parts.length === 0)),
  );
}

/** A place, and when it was named first. */
export interface Folder {
  readonly parts: readonly string[];
  readonly order: number;
}

export function foldersOf(entries: readonly Entry[]): Folder[] {
  const folders = new Map<string, Folder>([['', { parts: [], order: -1 }]]);
  for (const { stage, parent, parts, order } of entries) {
    // A folder that says nothing itself is a place of its own where a section in it does.
    const own =
      stage === 'files' ? (parent?.stage === 'directory' ? parent.parts : null) : stage === 'directory' ? parts : null;
    const name = own?.join('/');
    if (name !== undefined && !folders.has(name)) folders.set(name, { parts: own!, order });
  }
  return [...folders.values()];
}
