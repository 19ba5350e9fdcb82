/**
 * For a section and each folder to which it applies, finds the sections that httpd applies before
 * it to the same request (docs/how-httpd-reads.md, "The order of sections"). If it is uncertain
 * whether an earlier section applies, the result has that section, and marks it as uncertain.
 */
import type { Configuration, Scope } from '../config/configuration';
import { hasWildcard, pathComponents, pathOfComponents } from '../config/files';
import { everyRequestHasHost } from '../config/listeners';
import { needsOwnTree } from './section-access';
import { HostsByFolder, SectionsOfHost, type NamedFolder } from './sections-of-host';
import { isAmongNames, secondPartOfSubject, writtenName } from './section-name';
import {
  applicabilityInFolder,
  applicabilityWithin,
  compareDirectories,
  mayMatchWithin,
  overlapOfFiles,
  isInFolderOf,
  isBelow,
  overlapOfLocations,
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
   * The names in the folder's path. Null for requests without a folder, such as proxied requests.
   */
  readonly folderParts: readonly string[] | null;
  readonly appliedSections: readonly AppliedSection[];
}

const NO_SUBJECTS: ReadonlySet<string> = new Set();

/**
 * The sections of the main server or a virtual host. `entries`: its own sections that decide
 * access. `possibleSections`: all sections that may apply to its requests, including those of the
 * main server; null until they are needed.
 */
interface ServerSections {
  readonly entries: SectionEntry[];
  hasOldLines: boolean;
  possibleSections: SectionsOfHost | null;
}

/** Finds, for each section of a configuration, the sections that httpd applies before it. */
export class SectionsBefore {
  /** Number of comparisons between two sections. It shows how much work the conversion is. */
  comparisonCount = 0;
  /**
   * Sections that never apply to the same request, by an answer of the user that changed a result.
   * The key is the subject of the answered question.
   */
  readonly sectionsByAnsweredSubject = new Map<string, readonly SectionEntry[]>();
  private readonly sectionsByHost = new Map<Scope, ServerSections>();
  private readonly mainServer: ServerSections = { entries: [], hasOldLines: false, possibleSections: null };
  /**
   * The host of the last query. Consecutive queries are often for the same host. Null before the
   * first query for a virtual host.
   */
  private lastQueriedHost: Scope | null = null;
  private sectionsOfLastHost = this.mainServer;

  constructor(
    private readonly configuration: Configuration,
    /** All sections, in the order of the text. */
    entries: readonly SectionEntry[],
    private readonly servedFolders: ServedFolders,
    /** Whether some URLs lead to no file: they are proxied, or a module answers them. */
    private readonly mayUrlsLeadToNoFile: boolean,
    /**
     * Subjects of `overlap` questions to which the user answered that the sections never apply to
     * the same request.
     */
    private readonly subjectsNeverTogether: ReadonlySet<string> = NO_SUBJECTS,
  ) {
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      const { ownAccess } = entry;
      const serverSections = this.serverSectionsOf(entry.host);
      if (needsOwnTree(ownAccess) || ownAccess.hasGroupFile) serverSections.entries.push(entry);
      if (ownAccess.hasOldLines) serverSections.hasOldLines = true;
    }
  }

  /**
   * Whether access lines of 2.2 apply to requests for a virtual host, or for the main server
   * (null). They may be lines of the host or of the main server.
   */
  hasOldLinesFor(requestedHost: Scope | null): boolean {
    return this.mainServer.hasOldLines || this.serverSectionsOf(requestedHost).hasOldLines;
  }

  /** The sections of a virtual host; null stands for the main server. */
  private serverSectionsOf(requestedHost: Scope | null): ServerSections {
    if (requestedHost === null) return this.mainServer;
    if (this.lastQueriedHost === requestedHost) return this.sectionsOfLastHost;
    let serverSections = this.sectionsByHost.get(requestedHost);
    if (!serverSections)
      this.sectionsByHost.set(
        requestedHost,
        (serverSections = { entries: [], hasOldLines: false, possibleSections: null }),
      );
    this.lastQueriedHost = requestedHost;
    return (this.sectionsOfLastHost = serverSections);
  }

  /**
   * All virtual hosts, also those without sections: their DocumentRoot maps URLs to other folders.
   */
  virtualHosts(): readonly Scope[] {
    return (this.cachedHosts ??= this.configuration.rootScope.children.filter((scope) => scope.kind === 'virtualhost'));
  }

  /** Whether a virtual host answers each request, so that the main server answers none. */
  get everyRequestHasHost(): boolean {
    return everyRequestHasHost(this.configuration);
  }

  get hostCount(): number {
    return this.virtualHosts().length;
  }

  private cachedHosts: readonly Scope[] | null = null;

  /**
   * The virtual hosts for which the sections before `entry` must be found. Null stands for requests
   * to no virtual host, and to all hosts whose own sections cannot come before `entry`.
   */
  serversToSearchFor(entry: SectionEntry): readonly (Scope | null)[] {
    if (entry.host !== null) return [entry.host];
    if (entry.stage === 'location') return this.countComparisons([null, ...this.hostsOfLocation(entry)]);
    const { hostSectionIndex } = this;
    if (entry.stage === 'directory')
      return [null, ...new Set(hostSectionIndex.entriesAround(entry).map(({ host }) => host))];
    const { foldersWithHosts, hostsApplyingAnywhere } = hostSectionIndex;
    const foldersToSearch =
      entry.stage === 'files' && entry.parent?.stage === 'directory'
        ? foldersWithHosts.itemsAroundOrBelow(entry.parent.pathParts)
        : foldersWithHosts.allItems;
    return [null, ...new Set([...hostsApplyingAnywhere, ...foldersToSearch.map(({ host }) => host)])];
  }

  /**
   * The virtual hosts in which other sections may apply before a location of the main server. These
   * are all hosts with sections of their own. Hosts without sections count only if the URLs lead to
   * other folders there; one host stands for all hosts with the same folders.
   */
  private hostsOfLocation({ prefix, isRegex }: SectionEntry): readonly Scope[] {
    const foldersIn = (requestedHost: Scope | null) =>
      this.servedFolders.servedFoldersOf(prefix, requestedHost, !isRegex);
    const foldersOfMain = foldersIn(null);
    const seenKeys = new Set([JSON.stringify(foldersOfMain)]);
    return this.virtualHosts().filter((host) => {
      if ((this.sectionsByHost.get(host)?.entries.length ?? 0) > 0) return true;
      const folders = foldersIn(host);
      if (folders === foldersOfMain) return false;
      const foldersKey = JSON.stringify(folders);
      return !seenKeys.has(foldersKey) && seenKeys.add(foldersKey);
    });
  }

  /** The sections of all virtual hosts, in an index that is made on first use. */
  private get hostSectionIndex(): HostsByFolder {
    return (this.cachedHostSectionIndex ??= new HostsByFolder(
      this.virtualHosts()
        .map((host) => this.sectionsByHost.get(host)?.entries ?? NO_ENTRIES)
        .filter((hostEntries) => hostEntries.length > 0),
    ));
  }

  private cachedHostSectionIndex: HostsByFolder | null = null;

  /**
   * For each folder to which `entry` may apply: the sections that apply before it in that folder.
   * Sections that, by the user's answer, never apply to the same request are left out. For a
   * location whose URLs lead to unknown folders, the folders of such sections are left out, too.
   * `requestedHost`: a virtual host; null for requests to no virtual host.
   */
  sequencesBefore(entry: SectionEntry, requestedHost: Scope | null): readonly SectionSequence[] {
    const allSequences = this.possibleSequencesOf(entry, requestedHost);
    const answeredSubjects = this.subjectsOf(entry);
    if (answeredSubjects.length === 0) return allSequences;
    const sequences = this.mayLeadAnywhere(entry, requestedHost)
      ? sequencesWithout(allSequences, (other) => this.isNeverTogether(other, entry, answeredSubjects))
      : allSequences;
    return sequences.map(({ folderParts, appliedSections }) => ({
      folderParts,
      appliedSections: appliedSections.filter(
        (each) => each.isCertain || !this.isNeverTogether(each.entry, entry, answeredSubjects),
      ),
    }));
  }

  /**
   * The subjects of the user's answers about `entry`: which sections never apply to the same
   * request. Usually empty: then no section has to be compared.
   */
  private subjectsOf(entry: SectionEntry): readonly string[] {
    if (this.subjectsNeverTogether.size === 0 || !needsOwnTree(entry.ownAccess)) return [];
    const subjectEnd = secondPartOfSubject(entry);
    return [...this.subjectsNeverTogether].filter((subject) => subject.endsWith(subjectEnd));
  }

  /**
   * Whether the user answered that `other` and `entry` never apply to the same request. Records the
   * answer as used. `subjects`: the result of `subjectsOf`.
   */
  private isNeverTogether(other: SectionEntry, entry: SectionEntry, subjects: readonly string[]): boolean {
    if (!needsOwnTree(other.ownAccess)) return false;
    const { length } = secondPartOfSubject(entry);
    const subject = subjects.find((each) => isAmongNames(each.slice(0, -length), writtenName(other)));
    if (subject === undefined) return false;
    this.sectionsByAnsweredSubject.set(subject, [
      ...new Set([...(this.sectionsByAnsweredSubject.get(subject) ?? []), other, entry]),
    ]);
    return true;
  }

  /**
   * As `possibleSequencesBefore`. Caches the result for a section of a virtual host, because it is
   * needed twice: to decide the section, and to check requests that keep old lines. A cached result
   * adds the same number of comparisons.
   */
  private possibleSequencesOf(entry: SectionEntry, requestedHost: Scope | null): readonly SectionSequence[] {
    if (entry.host === null || entry.host !== requestedHost) return this.possibleSequencesBefore(entry, requestedHost);
    const cachedResult = this.cachedSequencesByEntry.get(entry);
    if (cachedResult !== undefined) {
      this.comparisonCount += cachedResult.comparisonCount;
      return cachedResult.sequences;
    }
    const countBefore = this.comparisonCount;
    const sequences = this.possibleSequencesBefore(entry, requestedHost);
    this.cachedSequencesByEntry.set(entry, { sequences, comparisonCount: this.comparisonCount - countBefore });
    return sequences;
  }

  private readonly cachedSequencesByEntry = new Map<
    SectionEntry,
    { readonly sequences: readonly SectionSequence[]; readonly comparisonCount: number }
  >();

  /** As `sequencesBefore`, without regard to the user's answers. */
  private possibleSequencesBefore(entry: SectionEntry, requestedHost: Scope | null): SectionSequence[] {
    const possibleSections = this.sectionsFor(requestedHost);
    // The caller also gets the sequences for requests to no virtual host. They cover all folders in
    // which this host has no section of its own.
    const isAlsoAskedForMain = entry.host === null && requestedHost !== null;
    switch (entry.stage) {
      case 'directory': {
        // This quick answer avoids sorting for thousands of virtual hosts with one directory each.
        if (possibleSections.hasOnly(entry))
          return [{ folderParts: entry.pathParts, appliedSections: NO_APPLIED_SECTIONS }];
        const appliedSections: AppliedSection[] = [];
        const candidates = this.countComparisons(
          possibleSections.directories.itemsAround(entry.pathParts, entry.isPattern),
        );
        for (let i = 0; i < candidates.length; i++) {
          const otherSection = candidates[i]!;
          if (otherSection === entry || compareDirectories(otherSection, entry) >= 0) continue;
          const applicability = applicabilityWithin(otherSection, entry);
          if (applicability !== 'no')
            appliedSections.push({
              entry: otherSection,
              isCertain: applicability === 'yes' && !otherSection.mayBeSkippedIn22,
            });
        }
        return [{ folderParts: entry.pathParts, appliedSections }];
      }
      case 'directorymatch': {
        const folders = this.countComparisons(
          isAlsoAskedForMain ? possibleSections.ownFolders : possibleSections.folders.allItems,
        ).filter(({ pathParts }) => mayMatchWithin(entry, pathParts));
        return this.directorySequences(
          possibleSections,
          folders,
          possibleSections.patterns.slice(0, possibleSections.patterns.indexOf(entry)),
        );
      }
      case 'files':
        return this.filesSequences(entry, possibleSections, isAlsoAskedForMain);
      case 'location':
        return this.locationSequences(entry, possibleSections, requestedHost);
      case 'proxy': {
        const earlierSections = this.countComparisons(possibleSections.proxies).filter(
          (other) => other.orderNumber < entry.orderNumber,
        );
        return [
          { folderParts: null, appliedSections: earlierSections.map((other) => ({ entry: other, isCertain: false })) },
        ];
      }
    }
  }

  /** The `<Files>` sections that may apply in a folder, whatever the file is called. */
  private filesSectionsIn(
    possibleSections: SectionsOfHost,
    folderParts: readonly string[] | null,
  ): readonly AppliedSection[] {
    if (possibleSections.files.allItems.length === 0) return NO_APPLIED_SECTIONS;
    const folderKey = folderParts ?? NO_FOLDER;
    let sectionsByFolder = this.cachedFilesSections.get(possibleSections);
    if (!sectionsByFolder) this.cachedFilesSections.set(possibleSections, (sectionsByFolder = new WeakMap()));
    let appliedSections = sectionsByFolder.get(folderKey);
    if (!appliedSections) {
      sectionsByFolder.set(folderKey, (appliedSections = []));
      for (const other of possibleSections.files.itemsAround(folderKey))
        addFilesSection(appliedSections, other, 'maybe', folderParts);
    }
    this.comparisonCount += appliedSections.length;
    return appliedSections;
  }

  /** Cached for each folder, because all locations may lead to the same folder. */
  private readonly cachedFilesSections = new WeakMap<SectionsOfHost, WeakMap<readonly string[], AppliedSection[]>>();

  /** Whether it is known to which folders the URLs of a location lead in a virtual host. */
  knowsServedFolders({ prefix, isRegex }: SectionEntry, host: Scope | null): boolean {
    return this.servedFolders.servedFoldersOf(prefix, host, !isRegex) !== null;
  }

  /**
   * Whether URLs of the server probably lead into a directory, because a DocumentRoot is in it.
   * `requestedHost`: as in `sequencesBefore`.
   */
  hasDocumentRootIn({ pathParts }: SectionEntry, requestedHost: Scope | null): boolean {
    return this.servedFolders.hasDocumentRootIn(pathParts, requestedHost);
  }

  /**
   * Whether a section is a location whose URLs may lead to any folder, as far as is known.
   * `requestedHost`: as in `sequencesBefore`.
   */
  mayLeadAnywhere(entry: SectionEntry, requestedHost: Scope | null): boolean {
    return entry.stage === 'location' && !this.knowsServedFolders(entry, requestedHost);
  }

  /** Returns the list, and counts one comparison for each of its items. */
  private countComparisons<T>(comparedItems: readonly T[]): readonly T[] {
    this.comparisonCount += comparedItems.length;
    return comparedItems;
  }

  /**
   * The sections that may apply to requests for a virtual host, or for none (null). Cached.
   */
  private sectionsFor(requestedHost: Scope | null): SectionsOfHost {
    const serverSections = this.serverSectionsOf(requestedHost);
    return (serverSections.possibleSections ??= new SectionsOfHost(
      serverSections.entries,
      requestedHost === null ? null : this.sectionsFor(null),
    ));
  }

  /**
   * For each folder: the directory sections that apply in it. httpd applies them before files and
   * locations. `patterns`: the sections with regular expressions that may apply.
   */
  private directorySequences(
    possibleSections: SectionsOfHost,
    folders: readonly Pick<NamedFolder, 'pathParts'>[],
    patterns = possibleSections.patterns,
  ): SectionSequence[] {
    return folders.map(({ pathParts: folderParts }) => {
      const directorySections = this.directoriesAt(possibleSections, folderParts);
      if (patterns.length === 0) return { folderParts, appliedSections: directorySections };
      const appliedSections = [...directorySections];
      const folderPath = pathOfComponents(folderParts);
      for (const other of this.countComparisons(patterns))
        if (mayMatchWithin(other, folderParts, folderPath)) appliedSections.push({ entry: other, isCertain: false });
      return { folderParts, appliedSections };
    });
  }

  /** The `<Directory>` sections without a regular expression that apply in a folder. */
  private directoriesAt(possibleSections: SectionsOfHost, folderParts: readonly string[]): readonly AppliedSection[] {
    let sectionsByFolder = this.cachedDirectorySections.get(possibleSections);
    if (!sectionsByFolder) this.cachedDirectorySections.set(possibleSections, (sectionsByFolder = new WeakMap()));
    const cachedSections = sectionsByFolder.get(folderParts);
    if (cachedSections) return this.countComparisons(cachedSections);
    const appliedSections: AppliedSection[] = [];
    for (const other of this.countComparisons(possibleSections.directories.itemsAround(folderParts)))
      addAppliedSection(appliedSections, other, applicabilityInFolder(other, folderParts));
    sectionsByFolder.set(folderParts, appliedSections);
    return appliedSections;
  }

  /** Cached for each folder, because all locations may lead to the same folder. */
  private readonly cachedDirectorySections = new WeakMap<
    SectionsOfHost,
    WeakMap<readonly string[], readonly AppliedSection[]>
  >();

  /**
   * As `possibleSequencesBefore`, for a `<Files>` section. `isAlsoAskedForMain`: whether only the
   * folders matter in which the virtual host has sections of its own.
   */
  private filesSequences(
    entry: SectionEntry,
    possibleSections: SectionsOfHost,
    isAlsoAskedForMain: boolean,
  ): SectionSequence[] {
    const { parent } = entry;
    const folders = isAlsoAskedForMain
      ? possibleSections.ownFolders
      : parent?.stage === 'directory'
        ? [parent, ...possibleSections.folders.itemsBelow(parent.pathParts)]
        : possibleSections.folders.allItems;
    const foldersOfEntry = this.countComparisons(folders).filter(
      ({ pathParts }) => parent === null || isInFolderOf(parent, pathParts),
    );
    // In most folders, the same `<Files>` sections come before `entry`, so each overlap is computed
    // once.
    const overlapByEntry = new Map<SectionEntry, Applicability>();
    return this.directorySequences(possibleSections, foldersOfEntry).map(
      ({ folderParts, appliedSections: directorySections }) => {
        const directories = withCertainParent(directorySections, parent);
        const files: AppliedSection[] = [];
        for (const other of this.countComparisons(possibleSections.files.itemsAround(folderParts!))) {
          if (other === entry) return { folderParts, appliedSections: [...directories, ...files] };
          let overlap = overlapByEntry.get(other);
          if (overlap === undefined) overlapByEntry.set(other, (overlap = overlapOfFiles(other, entry)));
          addFilesSection(files, other, overlap, folderParts);
        }
        return { folderParts, appliedSections: directories };
      },
    );
  }

  /** As `possibleSequencesBefore`, for a location. */
  private locationSequences(
    entry: SectionEntry,
    possibleSections: SectionsOfHost,
    requestedHost: Scope | null,
  ): SectionSequence[] {
    const servedFolders = this.servedFolders.servedFoldersOf(entry.prefix, requestedHost, !entry.isRegex);
    const isInServedFolder = ({ pathParts: parts }: NamedFolder, servedFolder: ServedFolder) =>
      isBelow(parts, servedFolder.pathParts) ||
      (servedFolder.isPrefix && parts.join('/').startsWith(servedFolder.pathParts.join('/')));
    // If it is unknown which folders this host and the main server serve, both may serve all
    // folders. The caller also gets the sequences for the main server, so only the folders in which
    // sections of this host may apply are needed.
    const isAlsoAskedForMain =
      servedFolders === null &&
      entry.host === null &&
      requestedHost !== null &&
      this.servedFolders.servedFoldersOf(entry.prefix, null, !entry.isRegex) === null;
    const candidateFolders = isAlsoAskedForMain
      ? possibleSections.ownFolders
      : servedFolders === null
        ? possibleSections.folders.allItems
        : servedFolders.length === 1
          ? possibleSections.folders.itemsBelow(servedFolders[0]!.pathParts, servedFolders[0]!.isPrefix)
          : [
              ...new Set(
                servedFolders.flatMap((servedFolder) =>
                  possibleSections.folders.itemsBelow(servedFolder.pathParts, servedFolder.isPrefix),
                ),
              ),
            ];
    const foldersWithSections = this.countComparisons(candidateFolders).filter(
      (folder) =>
        servedFolders === null || servedFolders.some((servedFolder) => isInServedFolder(folder, servedFolder)),
    );
    // If only the beginning of a folder's last name is known (`isPrefix`), the request can also be
    // for the parent folder.
    const servedFoldersAndParents = (servedFolders ?? []).flatMap((servedFolder) =>
      servedFolder.isPrefix
        ? [servedFolder, { ...servedFolder, pathParts: servedFolder.pathParts.slice(0, -1) }]
        : [servedFolder],
    );
    const folderSequences = this.directorySequences(possibleSections, [
      ...servedFoldersAndParents.map(({ pathParts }) => ({ pathParts })),
      ...foldersWithSections,
    ]);
    const mayFoldersBeMissing = this.servedFolders.mayHaveContentWithoutFile(entry.prefix);
    servedFoldersAndParents.forEach(({ existingPartCount, pathParts: path }, i) => {
      const { appliedSections } = folderSequences[i]!;
      const looksLikeFile = existingPartCount < path.length && /\.\w+$/.test(path.at(-1)!);
      // For nearly all locations, no section becomes uncertain, and this test saves the work below.
      if (
        !mayFoldersBeMissing &&
        !looksLikeFile &&
        !appliedSections.some(({ entry: { pathParts: parts } }) => parts.some(hasWildcard))
      )
        return;
      const sectionsAround = possibleSections.directories.itemsAround(path);
      const mayBeFile =
        looksLikeFile &&
        !sectionsAround.some(({ isHtaccess, pathParts: parts }) => isHtaccess && parts.length === path.length);
      const certainDepth = Math.max(
        existingPartCount,
        ...sectionsAround.map(({ pathParts: parts }) =>
          !parts.some(hasWildcard) &&
          parts.every((part, at) => part === path[at]) &&
          !(mayBeFile && parts.length === path.length)
            ? parts.length
            : 0,
        ),
      );
      // A pattern may match a folder that does not exist. If a section's path is a file, httpd
      // finds the section only while it follows links (ap_directory_walk of both versions). So
      // these sections are uncertain.
      const isUncertain = ({ pathParts: parts, isHtaccess }: SectionEntry) =>
        (mayFoldersBeMissing && !isHtaccess && parts.length > existingPartCount) ||
        (parts.length > certainDepth && (parts.some(hasWildcard) || (mayBeFile && parts.length === path.length)));
      folderSequences[i] = {
        ...folderSequences[i]!,
        appliedSections: appliedSections.map((step) =>
          isUncertain(step.entry) ? { ...step, isCertain: false } : step,
        ),
      };
    });
    const earlierLocations = this.locationsBefore(entry, possibleSections);
    const proxySequences: SectionSequence[] =
      possibleSections.proxies.length > 0 || this.mayUrlsLeadToNoFile
        ? [
            {
              folderParts: null,
              appliedSections: possibleSections.proxies.map((other) => ({ entry: other, isCertain: false })),
            },
          ]
        : [];
    let lastJoinedSections: JoinedSections | null = null;
    return [...folderSequences, ...proxySequences].map((sequence) => {
      const { folderParts, appliedSections: directories } = sequence;
      const files = this.filesSectionsIn(possibleSections, folderParts);
      if (files.length + earlierLocations.length === 0) return sequence;
      // Most folders have the same sections. They share one list.
      if (
        lastJoinedSections === null ||
        !areSameSections(lastJoinedSections.directories, directories) ||
        !areSameSections(lastJoinedSections.files, files)
      )
        lastJoinedSections = { directories, files, joinedSections: [...directories, ...files, ...earlierLocations] };
      return { folderParts, appliedSections: lastJoinedSections.joinedSections };
    });
  }

  /** The locations that apply before a location, in the order in which httpd applies them. */
  private locationsBefore(entry: SectionEntry, possibleSections: SectionsOfHost): readonly AppliedSection[] {
    const locations = this.countComparisons(
      possibleSections.locations.itemsAroundOrBelow(pathComponents(entry.prefix)),
    );
    let locationsByPattern = this.cachedLocations.get(possibleSections);
    if (!locationsByPattern) this.cachedLocations.set(possibleSections, (locationsByPattern = new Map()));
    const patternKey = `${entry.isRegex}\n${entry.prefix}\n${entry.pattern}`;
    let cachedSections = locationsByPattern.get(patternKey);
    if (!cachedSections) locationsByPattern.set(patternKey, (cachedSections = { appliedSections: [], counts: [0] }));
    const { appliedSections, counts } = cachedSections;
    const indexOfEntry = locations.indexOf(entry);
    for (let i = counts.length - 1; i < indexOfEntry; i++) {
      addAppliedSection(appliedSections, locations[i]!, overlapOfLocations(locations[i]!, entry));
      counts.push(appliedSections.length);
    }
    return appliedSections.slice(0, counts[indexOfEntry]);
  }

  /**
   * Cached by what a section matches. Hundreds of sections may match the same URLs, and differ only
   * in the number of sections before them.
   */
  private readonly cachedLocations = new WeakMap<SectionsOfHost, Map<string, MatchingLocations>>();
}

/**
 * The sequences without those for folders in which an excluded `<Directory>` section certainly
 * applies. If none remains, returns all.
 */
export function sequencesWithout(
  sequences: readonly SectionSequence[],
  isExcluded: (entry: SectionEntry) => boolean,
): readonly SectionSequence[] {
  const remainingSequences = sequences.filter(
    ({ appliedSections }) =>
      !appliedSections.some(({ entry, isCertain }) => isCertain && entry.stage === 'directory' && isExcluded(entry)),
  );
  return remainingSequences.length > 0 ? remainingSequences : sequences;
}

/**
 * For sections that match the same URLs: the locations that may also match these URLs
 * (`appliedSections`). `counts[i]`: how many of them are among the first `i` locations of the
 * server.
 */
interface MatchingLocations {
  readonly appliedSections: AppliedSection[];
  readonly counts: number[];
}

/** A joined list of applied sections, and two of the lists from which it was joined. */
interface JoinedSections {
  readonly directories: readonly AppliedSection[];
  readonly files: readonly AppliedSection[];
  readonly joinedSections: readonly AppliedSection[];
}

const NO_APPLIED_SECTIONS: readonly AppliedSection[] = [];
const NO_FOLDER: readonly string[] = [];
const NO_ENTRIES: readonly SectionEntry[] = [];

/**
 * Adds a `<Files>` section to the sections that apply in a folder. `folderParts` is null for
 * proxied requests. They have a file name, too, but a `<Files>` in a directory section never
 * applies to them.
 */
function addFilesSection(
  appliedSections: AppliedSection[],
  other: SectionEntry,
  overlap: Applicability,
  folderParts: readonly string[] | null,
): void {
  if (overlap === 'no') return;
  const { parent } = other;
  const isOverlapCertain = overlap === 'yes' && !other.mayBeSkippedIn22;
  if (parent === null) return void appliedSections.push({ entry: other, isCertain: isOverlapCertain });
  if (folderParts === null || !isInFolderOf(parent, folderParts)) return;
  const doesParentCertainlyApply =
    parent.stage === 'directory' && applicabilityInFolder(parent, folderParts) === 'yes' && !parent.mayBeSkippedIn22;
  appliedSections.push({ entry: other, isCertain: isOverlapCertain && doesParentCertainlyApply });
}

/**
 * Adds a section to the list of applied sections, unless it does not apply. The function is called
 * for every pair of sections, so it makes no other objects.
 */
function addAppliedSection(appliedSections: AppliedSection[], entry: SectionEntry, applicability: Applicability): void {
  if (applicability !== 'no')
    appliedSections.push({ entry, isCertain: applicability === 'yes' && !entry.mayBeSkippedIn22 });
}

/** Whether two lists have the same sections in the same order, and equally certain. */
function areSameSections(some: readonly AppliedSection[], others: readonly AppliedSection[]): boolean {
  if (some === others) return true;
  return (
    some.length === others.length &&
    some.every(({ entry, isCertain }, i) => others[i]!.entry === entry && others[i]!.isCertain === isCertain)
  );
}

/**
 * Marks the section `parent` as certain. The list is for a section inside of `parent`, which
 * applies only if `parent` does.
 */
function withCertainParent(
  appliedSections: readonly AppliedSection[],
  parent: SectionEntry | null,
): readonly AppliedSection[] {
  if (!appliedSections.some(({ entry, isCertain }) => entry === parent && !isCertain)) return appliedSections;
  return appliedSections.map((each) => (each.entry === parent ? { ...each, isCertain: true } : each));
}
