/**
 * Finds the requests that 2.4 gives to another virtual host than 2.2. Also finds changes to the
 * sections after which 2.4 chooses as 2.2 did. Both compare 2.2 and 2.4 with the model in
 * virtual-hosts.ts: changes are returned only if the model finds no difference after them.
 */
import {
  HostTable,
  literalAddress,
  MAIN_SERVER,
  serverNameOf,
  splitAddress,
  type Connection,
  type HostRequest,
  type HostSection,
  type VirtualHosts,
} from './virtual-hosts';

/** Requests that 2.2 gives to one virtual host and 2.4 to another one. */
export interface HostDifference {
  /** The numbers of the sections that answer in 2.2 and in 2.4, or MAIN_SERVER. */
  readonly sectionIn22: number;
  readonly sectionIn24: number;
  /** A request that shows the difference. */
  readonly request: HostRequest;
}

/**
 * A section as 2.4 needs it. If it has no addresses, it must be removed, because 2.2 never used it.
 */
export interface NeededSection {
  /** The number of the section that it is made from. */
  readonly section: number;
  readonly addresses: readonly string[];
  /** Names that must be added to the aliases of the section. */
  readonly addedAliases: readonly string[];
  /**
   * Whether this is a copy, placed before its section, that answers requests with unknown names.
   * Its own name is one that no client requests.
   */
  readonly isCopy: boolean;
}

/**
 * The server name of a copy. No client asks for it, because .invalid exists in no DNS (RFC 6761).
 */
export const NAME_OF_COPY = 'unknown-host.invalid';

/** An address for connections to addresses that the configuration does not name (RFC 5737). */
export const OTHER_ADDRESS = '203.0.113.1';

/**
 * An address and port that a server listens on. If the address is null, the server listens on all
 * addresses.
 */
export interface ListeningPort {
  readonly address: string | null;
  readonly port: number;
}

/**
 * The connections to compare: each port that the server listens on, at each address in the
 * sections and at `OTHER_ADDRESS`.
 */
export function connectionsTo(listeningPorts: readonly ListeningPort[], hosts: VirtualHosts): readonly Connection[] {
  const addresses = new Set<string>();
  for (const word of [
    ...hosts.namedAddresses.map(({ address }) => address),
    ...hosts.sections.flatMap((s) => s.addresses),
  ]) {
    const host = splitAddress(word, 0)?.host;
    if (host === undefined || host === '*' || /^_default_$/i.test(host)) continue;
    const fixedAddress = literalAddress(host);
    for (const address of fixedAddress === null ? hosts.addressesOf(host) : [fixedAddress]) addresses.add(address);
  }
  for (const address of ['0.0.0.0', '255.255.255.255', '[0:0:0:0:0:0:0:0]']) addresses.delete(address);
  const connectionByKey = new Map<string, Connection>();
  for (const { address, port } of listeningPorts) {
    for (const each of address === null ? [...addresses, OTHER_ADDRESS] : [address])
      connectionByKey.set(`${each}:${port}`, { address: each, port });
  }
  return [...connectionByKey.values()];
}

/**
 * The requests that 2.2 and 2.4 give to different virtual hosts: one request for each pair of
 * hosts. Empty if both versions choose the same host for all requests.
 */
export function hostDifferences(hosts: VirtualHosts, connections: readonly Connection[]): readonly HostDifference[] {
  const unchangedHosts = hosts.sections.map((host, section) => ({ host, originSection: section }));
  return differencesBetween(hosts, hosts, unchangedHosts, connections);
}

/**
 * The sections that must change so that 2.4 answers each request as 2.2 does, in the order of the
 * file. Null if no such change is found. A request for the server name of a copy does not count,
 * because no client makes it.
 */
export function neededSections(
  hosts: VirtualHosts,
  connections: readonly Connection[],
): readonly NeededSection[] | null {
  const placesBySectionIn22 = placesOfSections(hosts, connections);
  for (const mayKeepWord of [mayKeepAnyWord, mayKeepWordWithPort, mayKeepNoWord]) {
    const neededSections = hosts.sections.map(
      (host, section): NeededSection => ({
        section,
        addresses: addressesFor(
          host,
          placesBySectionIn22.get(section) ?? NO_ADDRESSES,
          hosts,
          connections,
          mayKeepWord,
        ),
        addedAliases: [],
        isCopy: false,
      }),
    );
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const differencesLeft = differencesBetween(
        hosts,
        withSections(hosts, neededSections),
        changedSectionsOf(hosts, neededSections),
        connections,
      );
      if (differencesLeft.length === 0) return neededSections.filter((each) => isChanged(each, hosts));
      if (!addChange(neededSections, differencesLeft, hosts)) break;
    }
  }
  return null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of rounds. Each round adds one alias or one copy and compares again. */
const MAX_ROUNDS = 8;

/** A set of addresses with ports, such as `*:80`. */
type AddressSet = ReadonlySet<string>;
const NO_ADDRESSES: ReadonlySet<string> = new Set();

/** Whether a word in a `<VirtualHost>` tag may stay unchanged. */
type MayKeepWord = (word: string) => boolean;
const mayKeepAnyWord: MayKeepWord = () => true;
const mayKeepWordWithPort: MayKeepWord = (word) => splitAddress(word, 0)?.port !== 0;
const mayKeepNoWord: MayKeepWord = () => false;

/** A section of the new configuration, and the section of 2.2 that it is made from. */
interface ChangedSection {
  readonly host: HostSection;
  /** The number of the section in the configuration of 2.2. */
  readonly originSection: number;
}

/**
 * The places (`*:80`, `192.0.2.1:80`) where 2.2 uses each section, by the number of the section.
 */
function placesOfSections(hosts: VirtualHosts, connections: readonly Connection[]): ReadonlyMap<number, AddressSet> {
  const table = HostTable.buildTable(hosts, '2.2');
  const placesBySection = new Map<number, Set<string>>();
  for (const connection of connections) {
    const { defaultSection, namedSections, isForAllAddresses } = table.candidatesFor(connection);
    const addressAndPort = `${isForAllAddresses ? '*' : connection.address}:${connection.port}`;
    for (const section of [defaultSection, ...namedSections]) {
      if (section === MAIN_SERVER) continue;
      const placesOfSection = placesBySection.get(section) ?? new Set();
      placesBySection.set(section, placesOfSection.add(addressAndPort));
    }
  }
  return placesBySection;
}

/** The words that a section needs in its tag, so that 2.4 uses it at exactly these places. */
function addressesFor(
  host: HostSection,
  wantedAddresses: AddressSet,
  hosts: VirtualHosts,
  connections: readonly Connection[],
  mayKeepWord: MayKeepWord,
): readonly string[] {
  const neededWords: string[] = [];
  const missingPlaces = new Set(wantedAddresses);
  let isReachable = false;
  for (const word of host.addresses) {
    const addressesOfWord = placesOfWord(word, host.mainPort, hosts, connections);
    if (addressesOfWord.length > 0) isReachable = true;
    if (!mayKeepWord(word) || addressesOfWord.some((address) => !wantedAddresses.has(address))) continue;
    // All addresses that the word stands for are wanted, so the word stays. If the server does not
    // listen on its port, the word stands for no address and changes nothing.
    neededWords.push(word);
    for (const address of addressesOfWord) missingPlaces.delete(address);
  }
  // No request reaches the section in either version.
  if (!isReachable && wantedAddresses.size === 0) return host.addresses;
  if (wantedAddresses.size === 0) return [];
  return [...neededWords, ...[...missingPlaces].map((address) => spelledAsConfigured(address, hosts))];
}

/** An address and port, with the address as the configuration spells it: `[2001:db8::1]:80`. */
function spelledAsConfigured(key: string, { namedAddresses, sections }: VirtualHosts): string {
  const colonIndex = key.lastIndexOf(':');
  const address = key.slice(0, colonIndex);
  const configuredWords = [
    ...sections.flatMap(({ addresses }) => addresses),
    ...namedAddresses.map((each) => each.address),
  ];
  const configuredHosts = configuredWords.flatMap((word) => splitAddress(word, 0)?.host ?? []);
  const configuredHost = configuredHosts.find((host) => literalAddress(host) === address);
  return (configuredHost ?? address) + key.slice(colonIndex);
}

/** The places of one word in 2.4, as far as the given connections reach them. */
function placesOfWord(
  word: string,
  mainPort: number,
  { addressesOf }: VirtualHosts,
  connections: readonly Connection[],
): readonly string[] {
  const splitWord = splitAddress(word, mainPort);
  if (splitWord === null) return [];
  const { host, port } = splitWord;
  const fixedAddress = literalAddress(host);
  const isForAll =
    host === '*' || /^_default_$/i.test(host) || fixedAddress === '0.0.0.0' || /^\[[0:]+\]$/.test(fixedAddress ?? '');
  const addresses = isForAll ? null : fixedAddress === null ? addressesOf(host) : [fixedAddress];
  const reachedPlaces = connections
    .filter((to) => (port === 0 || to.port === port) && (addresses === null || addresses.includes(to.address)))
    .map((to) => `${addresses === null ? '*' : to.address}:${to.port}`);
  return [...new Set(reachedPlaces)];
}

/**
 * Adds one change to `neededSections` that removes some of the remaining differences. Returns false
 * if no change helps.
 */
function addChange(
  neededSections: NeededSection[],
  remainingDifferences: readonly HostDifference[],
  hosts: VirtualHosts,
): boolean {
  let hasAddedAlias = false;
  for (const { sectionIn22, request } of remainingDifferences) {
    const indexOfSection = neededSections.findIndex(({ section, isCopy }) => section === sectionIn22 && !isCopy);
    const neededSection = neededSections[indexOfSection];
    if (neededSection === undefined || request.name === null) continue;
    const isNameInTag = hosts.sections[sectionIn22]!.addresses.some(
      (word) => splitAddress(word, 0)?.host.toLowerCase() === request.name,
    );
    if (isNameInTag && !neededSection.addedAliases.includes(request.name)) {
      neededSections[indexOfSection] = {
        ...neededSection,
        addedAliases: [...neededSection.addedAliases, request.name],
      };
      hasAddedAlias = true;
    }
  }
  if (hasAddedAlias) return true;
  for (const { sectionIn24, request } of remainingDifferences) {
    // The name belongs to another section at this port, but 2.4 finds it in the section that
    // answers by default. So a copy without names answers by default instead.
    const indexOfSection = neededSections.findIndex(({ section, isCopy }) => section === sectionIn24 && !isCopy);
    const sectionToCopy = neededSections[indexOfSection];
    if (sectionToCopy === undefined) continue;
    const { port } = request.connection;
    const addressesForPort = sectionToCopy.addresses.filter((word) => splitAddress(word, 0)?.port === port);
    const otherWords = sectionToCopy.addresses.filter((word) => !addressesForPort.includes(word));
    // A copy for this port is put above the section. The section keeps the addresses for other
    // ports. If 2.2 uses it at no other port, it keeps those of its own tag, because a tag needs an
    // address.
    const wordsForOtherPorts =
      otherWords.length > 0
        ? otherWords
        : hosts.sections[sectionIn24]!.addresses.filter((word) => isForOtherPort(word, port));
    if (addressesForPort.length === 0 || wordsForOtherPorts.length === 0 || neededSections[indexOfSection - 1]?.isCopy)
      continue;
    neededSections[indexOfSection] = { ...sectionToCopy, addresses: wordsForOtherPorts };
    neededSections.splice(indexOfSection, 0, {
      section: sectionIn24,
      addresses: addressesForPort,
      addedAliases: [],
      isCopy: true,
    });
    return true;
  }
  return false;
}

/** Whether a word of a section names a port other than this one. */
function isForOtherPort(word: string, port: number): boolean {
  const namedPort = splitAddress(word, 0)?.port;
  return namedPort !== undefined && namedPort !== 0 && namedPort !== port;
}

/** Whether a needed section differs from the section that is written in the file. */
function isChanged({ section, addresses, addedAliases, isCopy }: NeededSection, hosts: VirtualHosts): boolean {
  const writtenAddresses = hosts.sections[section]!.addresses;
  return (
    isCopy ||
    addedAliases.length > 0 ||
    addresses.length !== writtenAddresses.length ||
    addresses.some((word, index) => word !== writtenAddresses[index])
  );
}

/** The sections that 2.4 has after the changes. Removed sections are left out. */
function changedSectionsOf(
  { sections }: VirtualHosts,
  neededSections: readonly NeededSection[],
): readonly ChangedSection[] {
  return neededSections.flatMap(({ section, addresses, addedAliases, isCopy }): readonly ChangedSection[] => {
    if (addresses.length === 0) return [];
    const hostSection = sections[section]!;
    const host = isCopy
      ? { ...hostSection, addresses, serverName: NAME_OF_COPY, aliasNames: [], serverPath: null }
      : { ...hostSection, addresses, aliasNames: [...hostSection.aliasNames, ...addedAliases] };
    return [{ host, originSection: section }];
  });
}

/** The virtual hosts of 2.4 after the changes. They need no NameVirtualHost lines. */
function withSections(hosts: VirtualHosts, neededSections: readonly NeededSection[]): VirtualHosts {
  return { ...hosts, namedAddresses: [], sections: changedSectionsOf(hosts, neededSections).map(({ host }) => host) };
}

/**
 * The requests for which 2.2 with `hostsBefore` and 2.4 with `hostsAfter` choose different
 * sections. `changedSections`: the sections of `hostsAfter`, with the sections that they are made
 * from.
 */
function differencesBetween(
  hostsBefore: VirtualHosts,
  hostsAfter: VirtualHosts,
  changedSections: readonly ChangedSection[],
  connections: readonly Connection[],
): readonly HostDifference[] {
  const tableOf22 = HostTable.buildTable(hostsBefore, '2.2');
  const tableOf24 = HostTable.buildTable(hostsAfter, '2.4');
  const originSectionOf = (section: number) =>
    section === MAIN_SERVER ? MAIN_SERVER : changedSections[section]!.originSection;
  const differenceByKey = new Map<string, HostDifference>();
  for (const to of connections) {
    for (const request of requestsTo(to, hostsBefore, tableOf22, tableOf24, originSectionOf)) {
      const answeringSections = {
        sectionIn22: tableOf22.answeringSection(request),
        sectionIn24: originSectionOf(tableOf24.answeringSection(request)),
        request,
      };
      const sectionPair = `${answeringSections.sectionIn22} ${answeringSections.sectionIn24}`;
      if (answeringSections.sectionIn22 !== answeringSections.sectionIn24 && !differenceByKey.has(sectionPair))
        differenceByKey.set(sectionPair, answeringSections);
    }
  }
  return [...differenceByKey.values()];
}

/**
 * The requests of a connection that the two tables may answer differently. They are one request
 * with each name that matters, one with an unknown name, and one without a name.
 */
function* requestsTo(
  connection: Connection,
  hosts: VirtualHosts,
  tableOf22: HostTable,
  tableOf24: HostTable,
  originSectionOf: (section: number) => number,
): Generator<HostRequest> {
  const [candidatesIn22, candidatesIn24] = [tableOf22.candidatesFor(connection), tableOf24.candidatesFor(connection)];
  const sectionsIn24 = candidatesIn24.namedSections.map(originSectionOf);
  const areSameSections =
    candidatesIn22.defaultSection === originSectionOf(candidatesIn24.defaultSection) &&
    candidatesIn22.namedSections.length === sectionsIn24.length &&
    candidatesIn22.namedSections.every((section, index) => section === sectionsIn24[index]);
  const sections = [
    ...new Set([
      candidatesIn22.defaultSection,
      ...candidatesIn22.namedSections,
      originSectionOf(candidatesIn24.defaultSection),
      ...sectionsIn24,
    ]),
  ].filter((one) => one !== MAIN_SERVER);
  const requestedNames = new Set<string>();
  const requestedPaths = new Set<string>();
  for (const section of sections) {
    const host = hosts.sections[section]!;
    for (const word of host.addresses) {
      const hostText = splitAddress(word, 0)?.host.toLowerCase();
      if (hostText !== undefined && /^[a-z\d.-]+$/.test(hostText)) requestedNames.add(hostText);
    }
    if (areSameSections) continue;
    const serverName = serverNameOf(hosts, host);
    if (serverName !== null) requestedNames.add(serverName.toLowerCase());
    for (const alias of host.aliasNames) requestedNames.add(alias.toLowerCase().replace(/[*?]+/g, 'x'));
    if (host.serverPath) requestedPaths.add(host.serverPath);
  }
  for (const name of requestedNames) yield { connection, name, path: '/' };
  if (areSameSections) return;
  yield { connection, name: 'other.invalid', path: '/' };
  yield { connection, name: null, path: '/' };
  for (const path of requestedPaths) yield { connection, name: null, path };
}
