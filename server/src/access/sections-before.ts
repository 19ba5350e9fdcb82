/**
 * For each section, finds the sections that httpd applies before it to the same request, for each
 * folder. docs/how-httpd-reads.md, "The order of sections". If it is uncertain, a section may
 * apply.
 */
import type { Configuration, Scope } from '../config/configuration';
import { hasWildcard, partsOf, pathOfParts } from '../config/files';
import { everyRequestHasHost } from '../config/listeners';
import { needsOwnTree } from './section-access';
import { HostsByFolder, SectionsOfHost, type NamedFolder } from './present';
import { isAmongNames, secondPartOfSubject, writtenName } from './section-name';
import {
  appliesAt,
  appliesWithin,
  compareDirectories,
  mayMatchWithin,
  filesOverlap,
  isInFolderOf,
  isBelow,
  locationOverlap,
  type Applicability,
  type SectionEntry,
} from './section-order';
import type { ServedFolder, ServedFolders } from './served-folders';

/** A section that applies before another, and whether that is certain. */
export interface AppliedSection {
  readonly entry: SectionEntry;
  readonly isCertain: boolean;
}

/** A folder to which a section may apply, with the sections that apply before it there. */
export interface SectionSequence {
  /**
   * The components of the folder's path. Null for requests without a folder, such as proxied ones.
   */
  readonly folder: readonly string[] | null;
  readonly appliedSections: readonly AppliedSection[];
}

const NO_SUBJECTS: ReadonlySet<string> = new Set();

/**
 * The main server or a virtual host: its own sections that decide access (`entries`), and all
 * sections that may apply to its requests (`presentSections`).
 */
interface ServerSections {
  readonly entries: SectionEntry[];
  hasOldLines: boolean;
  presentSections: SectionsOfHost | null;
}

export class SectionsBefore {
  /** Number of comparisons between two sections. */
  comparisonCount = 0;
  /**
   * Sections that, by the user's answer, never apply to the same request. The key is the subject of
   * the question.
   */
  readonly neverTogether = new Map<string, readonly SectionEntry[]>();
  private readonly hosts = new Map<Scope, ServerSections>();
  private readonly mainServer: ServerSections = { entries: [], hasOldLines: false, presentSections: null };
  /** The host of the last query. Consecutive queries are often for the same host. */
  private lastQueriedHost: Scope | null = null;
  private lastHost = this.mainServer;

  constructor(
    private readonly configuration: Configuration,
    /** All sections, in the order of the text. */
    entries: readonly SectionEntry[],
    private readonly folders: ServedFolders,
    /** Whether some URLs lead to no file: they are proxied, or a module answers them. */
    private readonly mayHaveNoFolder: boolean,
    /**
     * Subjects of the questions whether two sections can apply to the same request, if the user
     * answered that they never do.
     */
    private readonly subjectsNeverTogether: ReadonlySet<string> = NO_SUBJECTS,
  ) {
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      const { ownAccess } = entry;
      const host = this.hostOf(entry.host);
      if (needsOwnTree(ownAccess) || ownAccess.hasGroupFile) host.entries.push(entry);
      if (ownAccess.hasOldLines) host.hasOldLines = true;
    }
  }

  /**
   * Whether access lines of 2.2 apply to requests for a virtual host: its own, or those of the main
   * server (null).
   */
  hasOldLinesFor(context: Scope | null): boolean {
    return this.mainServer.hasOldLines || this.hostOf(context).hasOldLines;
  }

  private hostOf(context: Scope | null): ServerSections {
    if (context === null) return this.mainServer;
    if (this.lastQueriedHost === context) return this.lastHost;
    let host = this.hosts.get(context);
    if (!host) this.hosts.set(context, (host = { entries: [], hasOldLines: false, presentSections: null }));
    this.lastQueriedHost = context;
    return (this.lastHost = host);
  }

  /**
   * All virtual hosts. Those without a section count, because their DocumentRoot maps URLs to other
   * folders.
   */
  virtualHosts(): readonly Scope[] {
    return (this.cachedHosts ??= this.configuration.rootScope.children.filter((scope) => scope.kind === 'virtualhost'));
  }

  /** Whether virtual hosts answer all requests, and the main server none. */
  get everyRequestHasHost(): boolean {
    return everyRequestHasHost(this.configuration);
  }

  get hostCount(): number {
    return this.virtualHosts().length;
  }

  private cachedHosts: readonly Scope[] | null = null;

  /**
   * The virtual hosts for which the sections before `entry` must be found. Null stands for requests
   * to no virtual host, and for all hosts whose own sections cannot come before it.
   */
  serversToSearchFor(entry: SectionEntry): readonly (Scope | null)[] {
    if (entry.host !== null) return [entry.host];
    if (entry.stage === 'location') return this.countComparisons([null, ...this.hostsOfLocation(entry)]);
    const { hostSections } = this;
    if (entry.stage === 'directory')
      return [null, ...new Set(hostSections.entriesAround(entry).map(({ host }) => host))];
    const { foldersWithHosts, hostsApplyingAnywhere } = hostSections;
    const within =
      entry.stage === 'files' && entry.parent?.stage === 'directory'
        ? foldersWithHosts.aroundOrBelow(entry.parent.pathParts)
        : foldersWithHosts.allItems;
    return [null, ...new Set([...hostsApplyingAnywhere, ...within.map(({ host }) => host)])];
  }

  /**
   * The virtual hosts in which other sections may apply before a location of the main server: all
   * with sections of their own, and one for each different list of folders to which the location's
   * URLs lead.
   */
  private hostsOfLocation({ prefix, isRegex }: SectionEntry): readonly Scope[] {
    const placesIn = (context: Scope | null) => JSON.stringify(this.folders.foldersOf(prefix, context, !isRegex));
    const known = new Set([placesIn(null)]);
    return this.virtualHosts().filter((host) => {
      if ((this.hosts.get(host)?.entries.length ?? 0) > 0) return true;
      const places = placesIn(host);
      return !known.has(places) && known.add(places);
    });
  }

  /** All sections inside of virtual hosts, in an index that is made on first use. */
  private get hostSections(): HostsByFolder {
    return (this.cachedHostSections ??= new HostsByFolder(
      this.virtualHosts()
        .map((host) => this.hosts.get(host)?.entries ?? NO_ENTRIES)
        .filter((own) => own.length > 0),
    ));
  }

  private cachedHostSections: HostsByFolder | null = null;

  /**
   * For each folder to which `entry` may apply: the sections that apply before it there. Sections
   * that, by the user's answer, never apply to the same request are left out.
   */
  sequencesBefore(entry: SectionEntry, context: Scope | null): SectionSequence[] {
    const sequences = this.possibleSequencesBefore(entry, context);
    const neverTogether = this.subjectsOf(entry);
    if (neverTogether.length === 0) return sequences;
    return sequences.map(({ folder, appliedSections }) => ({
      folder,
      appliedSections: appliedSections.filter(
        (each) => each.isCertain || !this.isNeverTogether(each.entry, entry, neverTogether),
      ),
    }));
  }

  /**
   * The subjects of the user's answers about `entry`: which sections never apply to the same
   * request. Usually empty: then no section has to be compared.
   */
  private subjectsOf(entry: SectionEntry): readonly string[] {
    if (this.subjectsNeverTogether.size === 0 || !needsOwnTree(entry.ownAccess)) return [];
    const behind = secondPartOfSubject(entry);
    return [...this.subjectsNeverTogether].filter((subject) => subject.endsWith(behind));
  }

  private isNeverTogether(other: SectionEntry, entry: SectionEntry, subjects: readonly string[]): boolean {
    if (!needsOwnTree(other.ownAccess)) return false;
    const { length } = secondPartOfSubject(entry);
    const subject = subjects.find((each) => isAmongNames(each.slice(0, -length), writtenName(other)));
    if (subject === undefined) return false;
    this.neverTogether.set(subject, [...new Set([...(this.neverTogether.get(subject) ?? []), other, entry])]);
    return true;
  }

  private possibleSequencesBefore(entry: SectionEntry, context: Scope | null): SectionSequence[] {
    const present = this.sectionsFor(context);
    // The caller also asks without a virtual host, which covers folders where this host has no
    // section of its own.
    const isRepeated = entry.host === null && context !== null;
    switch (entry.stage) {
      case 'directory': {
        // This avoids sorting for thousands of virtual hosts with one directory each.
        if (present.hasOnly(entry)) return [{ folder: entry.pathParts, appliedSections: NO_STEPS }];
        const appliedSections: AppliedSection[] = [];
        const around = this.countComparisons(present.directories.itemsAround(entry.pathParts, entry.isPattern));
        for (let i = 0; i < around.length; i++) {
          const other = around[i]!;
          if (other === entry || compareDirectories(other, entry) >= 0) continue;
          const applies = appliesWithin(other, entry);
          if (applies !== 'no')
            appliedSections.push({ entry: other, isCertain: applies === 'yes' && !other.isOptional });
        }
        return [{ folder: entry.pathParts, appliedSections }];
      }
      case 'directorymatch': {
        const folders = this.countComparisons(isRepeated ? present.ownFolders : present.folders.allItems).filter(
          ({ pathParts }) => mayMatchWithin(entry, pathParts),
        );
        return this.directorySequences(present, folders, present.patterns.slice(0, present.patterns.indexOf(entry)));
      }
      case 'files':
        return this.filesSequences(entry, present, isRepeated);
      case 'location':
        return this.locationSequences(entry, present, context);
      case 'proxy': {
        const earlier = this.countComparisons(present.proxies).filter((other) => other.orderNumber < entry.orderNumber);
        return [{ folder: null, appliedSections: earlier.map((other) => ({ entry: other, isCertain: false })) }];
      }
    }
  }

  /** The `<Files>` sections that may apply in a folder, for any file name. */
  private filesIn(present: SectionsOfHost, folder: readonly string[] | null): readonly AppliedSection[] {
    if (present.files.allItems.length === 0) return NO_STEPS;
    const key = folder ?? NO_FOLDER;
    let known = this.stepsOfFiles.get(present);
    if (!known) this.stepsOfFiles.set(present, (known = new WeakMap()));
    let steps = known.get(key);
    if (!steps) {
      known.set(key, (steps = []));
      for (const other of present.files.itemsAround(key)) addFilesStep(steps, other, 'maybe', folder);
    }
    this.comparisonCount += steps.length;
    return steps;
  }

  /** Cached for each folder, because all locations may lead to the same one. */
  private readonly stepsOfFiles = new WeakMap<SectionsOfHost, WeakMap<readonly string[], AppliedSection[]>>();

  /** Whether it is known to which folders the URLs of a location lead in a virtual host. */
  knowsServedFolders({ prefix, isRegex }: SectionEntry, host: Scope): boolean {
    return this.folders.foldersOf(prefix, host, !isRegex) !== null;
  }

  private countComparisons<T>(at: readonly T[]): readonly T[] {
    this.comparisonCount += at.length;
    return at;
  }

  /**
   * The sections that may apply to requests for a virtual host, or for none (null). Computed once.
   */
  private sectionsFor(context: Scope | null): SectionsOfHost {
    const host = this.hostOf(context);
    return (host.presentSections ??= new SectionsOfHost(
      host.entries,
      context === null ? null : this.sectionsFor(null),
    ));
  }

  /** For each folder: the directory sections that apply there, before files and locations. */
  private directorySequences(
    present: SectionsOfHost,
    folders: readonly Pick<NamedFolder, 'pathParts'>[],
    upTo = present.patterns,
  ): SectionSequence[] {
    return folders.map(({ pathParts: folder }) => {
      const around = this.directoriesAt(present, folder);
      if (upTo.length === 0) return { folder, appliedSections: around };
      const appliedSections = [...around];
      const path = pathOfParts(folder);
      for (const other of this.countComparisons(upTo))
        if (mayMatchWithin(other, folder, path)) appliedSections.push({ entry: other, isCertain: false });
      return { folder, appliedSections };
    });
  }

  /** The `<Directory>` sections without a pattern that apply in a folder. */
  private directoriesAt(present: SectionsOfHost, folder: readonly string[]): readonly AppliedSection[] {
    let known = this.stepsOfDirectories.get(present);
    if (!known) this.stepsOfDirectories.set(present, (known = new WeakMap()));
    const found = known.get(folder);
    if (found) return this.countComparisons(found);
    const steps: AppliedSection[] = [];
    for (const other of this.countComparisons(present.directories.itemsAround(folder)))
      addStep(steps, other, appliesAt(other, folder));
    known.set(folder, steps);
    return steps;
  }

  /** Cached for each folder, because all locations may lead to the same one. */
  private readonly stepsOfDirectories = new WeakMap<
    SectionsOfHost,
    WeakMap<readonly string[], readonly AppliedSection[]>
  >();

  private filesSequences(entry: SectionEntry, present: SectionsOfHost, isRepeated: boolean): SectionSequence[] {
    const { parent } = entry;
    const folders = isRepeated
      ? present.ownFolders
      : parent?.stage === 'directory'
        ? [parent, ...present.folders.itemsBelow(parent.pathParts)]
        : present.folders.allItems;
    const held = this.countComparisons(folders).filter(
      ({ pathParts }) => parent === null || isInFolderOf(parent, pathParts),
    );
    // The same sections apply before it in most folders.
    const overlaps = new Map<SectionEntry, Applicability>();
    return this.directorySequences(present, held).map(({ folder, appliedSections: around }) => {
      const directories = withCertainParent(around, parent);
      const files: AppliedSection[] = [];
      for (const other of this.countComparisons(present.files.itemsAround(folder!))) {
        if (other === entry) return { folder, appliedSections: [...directories, ...files] };
        let overlap = overlaps.get(other);
        if (overlap === undefined) overlaps.set(other, (overlap = filesOverlap(other, entry)));
        addFilesStep(files, other, overlap, folder);
      }
      return { folder, appliedSections: directories };
    });
  }

  private locationSequences(entry: SectionEntry, present: SectionsOfHost, context: Scope | null): SectionSequence[] {
    const places = this.folders.foldersOf(entry.prefix, context, !entry.isRegex);
    const isIn = ({ pathParts: parts }: NamedFolder, place: ServedFolder) =>
      isBelow(parts, place.pathParts) || (place.isPrefix && parts.join('/').startsWith(place.pathParts.join('/')));
    // If it is unknown which folders this host serves, the result is that for the main server, and
    // the caller also asks for that.
    const isRepeated =
      places === null &&
      entry.host === null &&
      context !== null &&
      this.folders.foldersOf(entry.prefix, null, !entry.isRegex) === null;
    const near = isRepeated
      ? present.ownFolders
      : places === null
        ? present.folders.allItems
        : places.length === 1
          ? present.folders.itemsBelow(places[0]!.pathParts, places[0]!.isPrefix)
          : [...new Set(places.flatMap((place) => present.folders.itemsBelow(place.pathParts, place.isPrefix)))];
    const held = this.countComparisons(near).filter(
      (folder) => places === null || places.some((place) => isIn(folder, place)),
    );
    // A folder can be known only up to the beginning of its last name. The request may then be for
    // its parent folder or for a folder next to it.
    const extra = (places ?? []).flatMap((place) =>
      place.isPrefix ? [place, { ...place, pathParts: place.pathParts.slice(0, -1) }] : [place],
    );
    const folders = this.directorySequences(present, [
      ...extra.map(({ pathParts }) => ({ pathParts: pathParts })),
      ...held,
    ]);
    const mayNotExist = this.folders.mayHaveContentWithoutFile(entry.prefix);
    extra.forEach(({ existingParts, pathParts: path }, i) => {
      const { appliedSections } = folders[i]!;
      const mayNameFile = existingParts < path.length && /\.\w+$/.test(path.at(-1)!);
      // For nearly all locations no section is uncertain.
      if (
        !mayNotExist &&
        !mayNameFile &&
        !appliedSections.some(({ entry: { pathParts: parts } }) => parts.some(hasWildcard))
      )
        return;
      const around = present.directories.itemsAround(path);
      const mayBeFile =
        mayNameFile && !around.some(({ isHtaccess, pathParts: parts }) => isHtaccess && parts.length === path.length);
      const depth = Math.max(
        existingParts,
        ...around.map(({ pathParts: parts }) =>
          !parts.some(hasWildcard) &&
          parts.every((part, at) => part === path[at]) &&
          !(mayBeFile && parts.length === path.length)
            ? parts.length
            : 0,
        ),
      );
      // It is unknown whether a folder that a pattern would match exists. For a section whose path
      // is a file, httpd only looks while it follows links (ap_directory_walk of both versions).
      const isDoubtful = ({ pathParts: parts, isHtaccess }: SectionEntry) =>
        (mayNotExist && !isHtaccess && parts.length > existingParts) ||
        (parts.length > depth && (parts.some(hasWildcard) || (mayBeFile && parts.length === path.length)));
      folders[i] = {
        ...folders[i]!,
        appliedSections: appliedSections.map((known) =>
          isDoubtful(known.entry) ? { ...known, isCertain: false } : known,
        ),
      };
    });
    const overlapping = this.locationsBefore(entry, present);
    const proxied: SectionSequence[] =
      present.proxies.length > 0 || this.mayHaveNoFolder
        ? [{ folder: null, appliedSections: present.proxies.map((other) => ({ entry: other, isCertain: false })) }]
        : [];
    let last: JoinedSteps | null = null;
    return [...folders, ...proxied].map((sequence) => {
      const { folder, appliedSections: directories } = sequence;
      const files = this.filesIn(present, folder);
      if (files.length + overlapping.length === 0) return sequence;
      // Most folders have the same sections, and then they share one list.
      if (last === null || !areSameSteps(last.directories, directories) || !areSameSteps(last.files, files))
        last = { directories, files, joined: [...directories, ...files, ...overlapping] };
      return { folder, appliedSections: last.joined };
    });
  }

  /** The locations that apply before a location, in order. */
  private locationsBefore(entry: SectionEntry, present: SectionsOfHost): readonly AppliedSection[] {
    const locations = this.countComparisons(present.locations.aroundOrBelow(partsOf(entry.prefix)));
    let known = this.stepsOfLocations.get(present);
    if (!known) this.stepsOfLocations.set(present, (known = new Map()));
    const key = `${entry.isRegex}\n${entry.prefix}\n${entry.pattern}`;
    let found = known.get(key);
    if (!found) known.set(key, (found = { steps: [], counts: [0] }));
    const { steps, counts } = found;
    const end = locations.indexOf(entry);
    for (let i = counts.length - 1; i < end; i++) {
      addStep(steps, locations[i]!, locationOverlap(locations[i]!, entry));
      counts.push(steps.length);
    }
    return steps.slice(0, counts[end]);
  }

  /**
   * Cached by what the section matches. Hundreds of equal sections differ only in how many others
   * are before them.
   */
  private readonly stepsOfLocations = new WeakMap<SectionsOfHost, Map<string, StepsOfLocations>>();
}

/**
 * The locations that overlap with those that match the same. `counts`: for each index of the list
 * of locations, how many of the steps are before it.
 */
interface StepsOfLocations {
  readonly steps: AppliedSection[];
  readonly counts: number[];
}

/** A list of steps, and the parts of which it was made. */
interface JoinedSteps {
  readonly directories: readonly AppliedSection[];
  readonly files: readonly AppliedSection[];
  readonly joined: readonly AppliedSection[];
}

const NO_STEPS: readonly AppliedSection[] = [];
const NO_FOLDER: readonly string[] = [];
const NO_ENTRIES: readonly SectionEntry[] = [];

/**
 * Adds a `<Files>` section to the steps for a folder. Proxied requests also have files, but only
 * sections at server level apply to them.
 */
function addFilesStep(
  steps: AppliedSection[],
  other: SectionEntry,
  overlap: Applicability,
  folder: readonly string[] | null,
): void {
  if (overlap === 'no') return;
  const { parent } = other;
  const isSure = overlap === 'yes' && !other.isOptional;
  if (parent === null) return void steps.push({ entry: other, isCertain: isSure });
  if (folder === null || !isInFolderOf(parent, folder)) return;
  const isInPlace = parent.stage === 'directory' && appliesAt(parent, folder) === 'yes' && !parent.isOptional;
  steps.push({ entry: other, isCertain: isSure && isInPlace });
}

/**
 * Adds a section to the steps. It is called for all pairs of sections, so it allocates nothing
 * else.
 */
function addStep(steps: AppliedSection[], entry: SectionEntry, applies: Applicability): void {
  if (applies !== 'no') steps.push({ entry, isCertain: applies === 'yes' && !entry.isOptional });
}

function areSameSteps(some: readonly AppliedSection[], others: readonly AppliedSection[]): boolean {
  if (some === others) return true;
  return (
    some.length === others.length &&
    some.every(({ entry, isCertain }, i) => others[i]!.entry === entry && others[i]!.isCertain === isCertain)
  );
}

/**
 * Makes the step of the parent section certain. A section inside another applies only if the outer
 * one does.
 */
function withCertainParent(steps: readonly AppliedSection[], parent: SectionEntry | null): readonly AppliedSection[] {
  if (!steps.some(({ entry, isCertain }) => entry === parent && !isCertain)) return steps;
  return steps.map((known) => (known.entry === parent ? { ...known, isCertain: true } : known));
}
