/**
 * Lists the sections that may apply to requests for one virtual host, in the order in which httpd
 * applies them, and finds them by folder.
 */
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
 * The sections that may apply to requests for one virtual host. Each kind is sorted on first use.
 * All hosts share the sorted sections of the main server (`shared`), so a host costs only its own
 * sections.
 */
export class Present {
  private cachedDirectories: ByFolder<Entry> | null = null;
  private cachedPatterns: readonly Entry[] | null = null;
  private cachedFiles: ByFolder<Entry> | null = null;
  private cachedFolders: ByFolder<NamedFolder> | null = null;
  private cachedLocations: ByFolder<Entry> | null = null;
  private cachedProxies: readonly Entry[] | null = null;
  private cachedNames: ReadonlySet<string> | null = null;
  private cachedOwnFolders: readonly NamedFolder[] | null = null;

  /**
   * `own`: the host's own sections, in the order of the text. `shared`: those of the main server.
   */
  constructor(
    readonly own: readonly Entry[],
    private readonly shared: Present | null,
  ) {}

  /** Whether there is no other section than `entry`. */
  hasOnly(entry: Entry): boolean {
    return this.own.length === 1 && this.own[0] === entry && (this.shared === null || this.shared.own.length === 0);
  }

  get directories(): ByFolder<Entry> {
    return (this.cachedDirectories ??= this.layered(
      new FolderIndex(sortedDirectories(this.own), ({ parts }) => parts),
      ({ directories }) => directories,
      compareDirectories,
    ));
  }

  get patterns(): readonly Entry[] {
    return (this.cachedPatterns ??= this.joined(sortedPatterns(this.own), ({ patterns }) => patterns, comparePatterns));
  }

  get files(): ByFolder<Entry> {
    return (this.cachedFiles ??= this.layered(
      new FolderIndex(sortedFiles(this.own), ({ parent }) => (parent?.stage === 'directory' ? parent.parts : null)),
      ({ files }) => files,
      compareFiles,
    ));
  }

  /**
   * A list of folders: each one that a section or .htaccess file names, and one that stands for all
   * others.
   */
  get folders(): ByFolder<NamedFolder> {
    return (this.cachedFolders ??= this.layered(
      new FolderIndex(
        foldersOf(this.own).filter(({ parts }) => !this.shared?.names.has(parts.join('/'))),
        ({ parts }) => parts,
      ),
      ({ folders }) => folders,
      (a, b) => a.order - b.order,
    ));
  }

  /** The paths of these folders. */
  private get names(): ReadonlySet<string> {
    return (this.cachedNames ??= new Set(this.folders.all.map(({ parts }) => parts.join('/'))));
  }

  get locations(): ByFolder<Entry> {
    return (this.cachedLocations ??= this.layered(
      new FolderIndex(sortedLocations(this.own), ({ isRegex, prefix }) => (isRegex ? null : partsOf(prefix))),
      ({ locations }) => locations,
      compareLocations,
    ));
  }

  get proxies(): readonly Entry[] {
    return (this.cachedProxies ??= this.joined(
      this.own.filter(({ stage }) => stage === 'proxy'),
      ({ proxies }) => proxies,
      (a, b) => a.order - b.order,
    ));
  }

  /**
   * The folders in which a section of this host may apply. In all other folders, only the main
   * server's sections apply.
   */
  get ownFolders(): readonly NamedFolder[] {
    return (this.cachedOwnFolders ??= isEverywhere(this.own)
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

/** Finds the virtual hosts that have their own sections near a folder. */
export class SectionsOfHosts {
  private cachedDirectories: FolderIndex<Entry> | null = null;
  private cachedRoot: readonly Entry[] | null = null;
  private cachedPlaces: FolderIndex<{ readonly parts: readonly string[]; readonly host: Scope }> | null = null;
  private cachedEverywhere: readonly Scope[] | null = null;

  /** `hosts`: for each virtual host with sections, these sections. */
  constructor(private readonly hosts: readonly (readonly Entry[])[]) {}

  /** The sections for parent folders of a directory section, in all hosts. */
  around({ parts, isPattern }: Entry): readonly Entry[] {
    return parts.length === 0 && !isPattern ? this.root : this.directories.around(parts, isPattern);
  }

  /**
   * The sections for `/`, which every configuration has. They need no index. Patterns apply later,
   * so they are not included.
   */
  private get root(): readonly Entry[] {
    if (this.cachedRoot !== null) return this.cachedRoot;
    const found: Entry[] = [];
    for (const own of this.hosts)
      for (let i = 0; i < own.length; i++)
        if (own[i]!.stage === 'directory' && own[i]!.parts.length === 0) found.push(own[i]!);
    return (this.cachedRoot = found);
  }

  private get directories(): FolderIndex<Entry> {
    return (this.cachedDirectories ??= new FolderIndex(
      this.hosts.flatMap((own) => own.filter(({ stage }) => stage === 'directory')),
      ({ parts }) => parts,
    ));
  }

  get places() {
    return (this.cachedPlaces ??= new FolderIndex(
      this.hosts
        .flatMap((own) => foldersOf(own).map(({ parts }) => ({ parts, host: own[0]!.host! })))
        .filter(({ parts }) => parts.length > 0),
      ({ parts }) => parts,
    ));
  }

  get hostsAnywhere() {
    return (this.cachedEverywhere ??= this.hosts.flatMap((own) =>
      isEverywhere(own) || own.some(({ stage }) => stage === 'proxy') ? [own[0]!.host!] : [],
    ));
  }
}

/** Whether one of the sections may apply in any folder. */
function isEverywhere(entries: readonly Entry[]): boolean {
  return entries.some(
    ({ stage, parent, parts }) =>
      stage === 'directorymatch' ||
      (stage === 'directory' && parts.length === 0) ||
      (stage === 'files' && (parent?.stage !== 'directory' || parent.parts.length === 0)),
  );
}

/** A folder, with the order of the first section that names it. */
export interface NamedFolder {
  readonly parts: readonly string[];
  readonly order: number;
}

export function foldersOf(entries: readonly Entry[]): NamedFolder[] {
  const folders = new Map<string, NamedFolder>([['', { parts: [], order: -1 }]]);
  for (const { stage, parent, parts, order } of entries) {
    // A folder without a directory section counts if a section inside it is a `<Files>`.
    const own =
      stage === 'files' ? (parent?.stage === 'directory' ? parent.parts : null) : stage === 'directory' ? parts : null;
    const name = own?.join('/');
    if (name !== undefined && !folders.has(name)) folders.set(name, { parts: own!, order });
  }
  return [...folders.values()];
}
