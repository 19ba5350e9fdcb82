/**
 * Lists the sections that may apply to requests for one virtual host, in the order in which httpd
 * applies them. Finds them by folder.
 */
import type { Scope } from '../config/configuration';
import { pathComponents } from '../config/files';
import { FolderIndex, LayeredIndex, mergeInOrder, type ItemsByFolder } from './directory-index';
import {
  compareDirectories,
  compareFiles,
  compareLocations,
  comparePatterns,
  sortedDirectories,
  sortedFiles,
  sortedLocations,
  sortedPatterns,
  type SectionEntry,
} from './section-order';

/**
 * The sections that may apply to requests for one virtual host. Each kind of section is sorted on
 * first use. All hosts share the sorted sections of the main server (`sharedSections`), so each
 * host sorts only its own sections.
 */
export class SectionsOfHost {
  private cachedDirectories: ItemsByFolder<SectionEntry> | null = null;
  private cachedPatterns: readonly SectionEntry[] | null = null;
  private cachedFiles: ItemsByFolder<SectionEntry> | null = null;
  private cachedFolders: ItemsByFolder<NamedFolder> | null = null;
  private cachedLocations: ItemsByFolder<SectionEntry> | null = null;
  private cachedProxies: readonly SectionEntry[] | null = null;
  private cachedFolderPaths: ReadonlySet<string> | null = null;
  private cachedOwnFolders: readonly NamedFolder[] | null = null;

  /**
   * `hostSections`: the host's own sections, in the order of the text. `sharedSections`: the
   * sections of the main server; null for the main server itself.
   */
  constructor(
    readonly hostSections: readonly SectionEntry[],
    private readonly sharedSections: SectionsOfHost | null,
  ) {}

  /** Whether `entry` is the only section that may apply to requests for the host. */
  hasOnly(entry: SectionEntry): boolean {
    return (
      this.hostSections.length === 1 &&
      this.hostSections[0] === entry &&
      (this.sharedSections === null || this.sharedSections.hostSections.length === 0)
    );
  }

  get directories(): ItemsByFolder<SectionEntry> {
    return (this.cachedDirectories ??= this.withSharedItems(
      new FolderIndex(sortedDirectories(this.hostSections), ({ pathParts }) => pathParts),
      ({ directories }) => directories,
      compareDirectories,
    ));
  }

  get patterns(): readonly SectionEntry[] {
    return (this.cachedPatterns ??= this.withSharedList(
      sortedPatterns(this.hostSections),
      ({ patterns }) => patterns,
      comparePatterns,
    ));
  }

  get files(): ItemsByFolder<SectionEntry> {
    return (this.cachedFiles ??= this.withSharedItems(
      new FolderIndex(sortedFiles(this.hostSections), ({ parent }) =>
        parent?.stage === 'directory' ? parent.pathParts : null,
      ),
      ({ files }) => files,
      compareFiles,
    ));
  }

  /**
   * The folders of sections and .htaccess files. `/` is always among them, and stands for all
   * folders that have no section and no .htaccess file.
   */
  get folders(): ItemsByFolder<NamedFolder> {
    return (this.cachedFolders ??= this.withSharedItems(
      new FolderIndex(
        namedFoldersOf(this.hostSections).filter(
          ({ pathParts }) => !this.sharedSections?.folderPaths.has(pathParts.join('/')),
        ),
        ({ pathParts }) => pathParts,
      ),
      ({ folders }) => folders,
      (a, b) => a.orderNumber - b.orderNumber,
    ));
  }

  /** The paths of `folders`. */
  private get folderPaths(): ReadonlySet<string> {
    return (this.cachedFolderPaths ??= new Set(this.folders.allItems.map(({ pathParts }) => pathParts.join('/'))));
  }

  get locations(): ItemsByFolder<SectionEntry> {
    return (this.cachedLocations ??= this.withSharedItems(
      new FolderIndex(sortedLocations(this.hostSections), ({ isRegex, prefix }) =>
        isRegex ? null : pathComponents(prefix),
      ),
      ({ locations }) => locations,
      compareLocations,
    ));
  }

  get proxies(): readonly SectionEntry[] {
    return (this.cachedProxies ??= this.withSharedList(
      this.hostSections.filter(({ stage }) => stage === 'proxy'),
      ({ proxies }) => proxies,
      (a, b) => a.orderNumber - b.orderNumber,
    ));
  }

  /**
   * The folders in which a section of this host may apply. In all other folders, only sections of
   * the main server apply.
   */
  get ownFolders(): readonly NamedFolder[] {
    return (this.cachedOwnFolders ??= mayApplyAnywhere(this.hostSections)
      ? this.folders.allItems
      : [
          ...new Set(
            namedFoldersOf(this.hostSections).flatMap(({ pathParts }) =>
              pathParts.length > 0 ? this.folders.itemsBelow(pathParts) : [],
            ),
          ),
        ]);
  }

  /**
   * Adds the same kind of items of the main server (`itemsOfMainServer`) to the host's own items.
   */
  private withSharedItems<T>(
    ownItems: ItemsByFolder<T>,
    itemsOfMainServer: (sharedSections: SectionsOfHost) => ItemsByFolder<T>,
    compare: (a: T, b: T) => number,
  ): ItemsByFolder<T> {
    if (this.sharedSections === null) return ownItems;
    return ownItems.allItems.length === 0
      ? itemsOfMainServer(this.sharedSections)
      : new LayeredIndex(itemsOfMainServer(this.sharedSections), ownItems, compare);
  }

  /** As `withSharedItems`, for sections without an index. */
  private withSharedList(
    ownSections: readonly SectionEntry[],
    itemsOfMainServer: (sharedSections: SectionsOfHost) => readonly SectionEntry[],
    compare: (a: SectionEntry, b: SectionEntry) => number,
  ): readonly SectionEntry[] {
    if (this.sharedSections === null) return ownSections;
    return ownSections.length === 0
      ? itemsOfMainServer(this.sharedSections)
      : mergeInOrder(itemsOfMainServer(this.sharedSections), ownSections, compare);
  }
}

/** Finds the virtual hosts that have their own sections near a folder. */
export class HostsByFolder {
  private cachedDirectories: FolderIndex<SectionEntry> | null = null;
  private cachedRootSections: readonly SectionEntry[] | null = null;
  private cachedFoldersWithHosts: FolderIndex<{ readonly parts: readonly string[]; readonly host: Scope }> | null =
    null;
  private cachedHostsApplyingAnywhere: readonly Scope[] | null = null;

  /** `entriesOfHosts`: for each virtual host with sections, these sections. */
  constructor(private readonly entriesOfHosts: readonly (readonly SectionEntry[])[]) {}

  /** The sections of all hosts for the folder of the given section, and for its parent folders. */
  entriesAround({ pathParts, isPattern }: SectionEntry): readonly SectionEntry[] {
    return pathParts.length === 0 && !isPattern
      ? this.rootSections
      : this.directories.itemsAround(pathParts, isPattern);
  }

  /**
   * The sections of all hosts for `/`. Almost every configuration has them, and they need no index.
   * Sections with a pattern are left out, because they apply later.
   */
  private get rootSections(): readonly SectionEntry[] {
    if (this.cachedRootSections !== null) return this.cachedRootSections;
    const rootSections: SectionEntry[] = [];
    for (const entriesOfHost of this.entriesOfHosts)
      for (let i = 0; i < entriesOfHost.length; i++)
        if (entriesOfHost[i]!.stage === 'directory' && entriesOfHost[i]!.pathParts.length === 0)
          rootSections.push(entriesOfHost[i]!);
    return (this.cachedRootSections = rootSections);
  }

  private get directories(): FolderIndex<SectionEntry> {
    return (this.cachedDirectories ??= new FolderIndex(
      this.entriesOfHosts.flatMap((entriesOfHost) => entriesOfHost.filter(({ stage }) => stage === 'directory')),
      ({ pathParts }) => pathParts,
    ));
  }

  /** The folders that sections of virtual hosts name, except `/`, each with its host. */
  get foldersWithHosts() {
    return (this.cachedFoldersWithHosts ??= new FolderIndex(
      this.entriesOfHosts
        .flatMap((entriesOfHost) =>
          namedFoldersOf(entriesOfHost).map(({ pathParts }) => ({ parts: pathParts, host: entriesOfHost[0]!.host! })),
        )
        .filter(({ parts }) => parts.length > 0),
      ({ parts }) => parts,
    ));
  }

  /** The virtual hosts with a section that may apply in any folder, or without a folder. */
  get hostsApplyingAnywhere() {
    return (this.cachedHostsApplyingAnywhere ??= this.entriesOfHosts.flatMap((entriesOfHost) =>
      mayApplyAnywhere(entriesOfHost) || entriesOfHost.some(({ stage }) => stage === 'proxy')
        ? [entriesOfHost[0]!.host!]
        : [],
    ));
  }
}

/** Whether one of the sections may apply in any folder. */
function mayApplyAnywhere(entries: readonly SectionEntry[]): boolean {
  return entries.some(
    ({ stage, parent, pathParts }) =>
      stage === 'directorymatch' ||
      (stage === 'directory' && pathParts.length === 0) ||
      (stage === 'files' && (parent?.stage !== 'directory' || parent.pathParts.length === 0)),
  );
}

/** A folder, with the position of the first section that names it. */
export interface NamedFolder {
  readonly pathParts: readonly string[];
  readonly orderNumber: number;
}

/** The folders that these sections name, without duplicates, and `/`. */
export function namedFoldersOf(entries: readonly SectionEntry[]): NamedFolder[] {
  const folderByPath = new Map<string, NamedFolder>([['', { pathParts: [], orderNumber: -1 }]]);
  for (const { stage, parent, pathParts, orderNumber } of entries) {
    // A `<Files>` inside a directory section names the folder of that section.
    const folderParts =
      stage === 'files'
        ? parent?.stage === 'directory'
          ? parent.pathParts
          : null
        : stage === 'directory'
          ? pathParts
          : null;
    const folderName = folderParts?.join('/');
    if (folderName !== undefined && !folderByPath.has(folderName))
      folderByPath.set(folderName, { pathParts: folderParts!, orderNumber });
  }
  return [...folderByPath.values()];
}
