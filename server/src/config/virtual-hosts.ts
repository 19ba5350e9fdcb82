/**
 * Finds the virtual host that answers a request, in 2.2 and in 2.4. It is a model of server/vhost.c
 * of both versions (2.2.34 and 2.4.62): ap_fini_vhost_config builds the tables, and
 * ap_update_vhost_given_ip and ap_update_vhost_from_headers look hosts up in them.
 * test/config/virtual-hosts.test.ts compares the model with recorded answers of real servers.
 *
 * Each address is a text in one fixed spelling: `127.0.0.1`, `[0:0:0:0:0:0:0:1]`. Port 0 is any
 * port.
 */
import { parseAddressAndPort } from './address';

/** The data of one `<VirtualHost>` section. */
export interface HostSection {
  /** The words of the tag. */
  readonly addresses: readonly string[];
  /**
   * The port of the main server's ServerName at the place of the section (core.c,
   * server_hostname_port); 0 if it has none.
   */
  readonly mainPort: number;
  /** The host name of the last ServerName line, without scheme and port; null if there is none. */
  readonly serverName: string | null;
  /** Words of ServerAlias lines. */
  readonly aliasNames: readonly string[];
  readonly serverPath: string | null;
}

/** The argument of a NameVirtualHost line. `mainPort`: as in `HostSection`. */
export interface NamedAddress {
  readonly address: string;
  readonly mainPort: number;
}

/** The facts from which httpd chooses a virtual host for a request. */
export interface VirtualHosts {
  /** The ServerName of the main server; null if it has none. */
  readonly mainName: string | null;
  /** The NameVirtualHost lines, in order. */
  readonly namedAddresses: readonly NamedAddress[];
  /** The sections, in order. */
  readonly sections: readonly HostSection[];
  /** The addresses of a host name; empty if it has none. */
  readonly addressesOf: (name: string) => readonly string[];
  /** The host name of an address; null if the address has none, or if that is unknown. */
  readonly hostNameOf: (address: string) => string | null;
}

/** A connection to the server: its local address and port. */
export interface Connection {
  readonly address: string;
  readonly port: number;
}

/** The facts about a request that decide which virtual host answers it. */
export interface HostRequest {
  readonly connection: Connection;
  /**
   * The requested name, in lower case, without port and final dot. Null for a request without a
   * name (HTTP/1.0).
   */
  readonly name: string | null;
  /** The path of the URL. For a request without a name, ServerPath is compared with it. */
  readonly path: string;
}

/** The versions of httpd that this program knows. */
export type Version = '2.2' | '2.4';

/** The number of the main server. Virtual hosts have the numbers of their sections, from 0. */
export const MAIN_SERVER = -1;

/** A section at one of its addresses, with the port. */
interface SectionAddress {
  readonly section: number;
  readonly port: number;
  /** The address as in the tag, without port. */
  readonly text: string;
}

/** An entry of httpd's table of addresses, or of its list of defaults. */
interface TableRow {
  port: number;
  /**
   * The number of the section that answers if no name decides. Null for a NameVirtualHost line
   * without sections.
   */
  section: number | null;
  /**
   * The sections among which the requested name chooses. Null if names do not matter in this row.
   */
  sectionsWithNames: SectionAddress[] | null;
  /**
   * In 2.4: the section of a row with only one section. Its names matter only after a second
   * section is added to the row. Null for other rows.
   */
  onlySection: SectionAddress | null;
  /** The indexes of names, by the port of the connection. */
  readonly indexByPort: Map<number, NameIndex>;
  /** The numbers of the sections from which names choose, by the port of the connection. */
  readonly namedSectionsByPort: Map<number, readonly number[]>;
}

/**
 * The row for a connection, or null. `isForAllAddresses`: whether it is a row for all addresses.
 */
interface FoundRow {
  readonly row: TableRow | null;
  readonly isForAllAddresses: boolean;
}

/**
 * The names of the sections of a row: ServerName and aliases, addresses as written, and aliases
 * with wildcards. The numbers are positions of sections in the row. If several sections have a
 * name, the first counts (matches_aliases in server/vhost.c).
 */
interface NameIndex {
  readonly indexByName: Map<string, number>;
  readonly indexByAddressText: Map<string, number>;
  readonly aliasPatterns: { readonly index: number; readonly pattern: string }[];
}

/** The tables that a server builds from its virtual hosts at the start. */
export class HostTable {
  private readonly rowsByAddress = new Map<string, TableRow[]>();
  private rowsForAnyAddress: TableRow[] = [];
  /**
   * The rows that were found so far, by address and port. Each row is needed again for each name.
   */
  private readonly cachedRows = new Map<string, FoundRow>();

  private constructor(
    private readonly hosts: VirtualHosts,
    readonly version: Version,
  ) {}

  /**
   * Builds the tables of a version. Skips a word that is no address, because httpd does not start
   * with it.
   */
  static buildTable(hosts: VirtualHosts, version: Version): HostTable {
    const table = new HostTable(hosts, version);
    if (version === '2.2') table.fillAs22();
    else table.fillAs24();
    // The sections were added from the last to the first of the file, so their order is reversed
    // here.
    for (const entries of [table.rowsForAnyAddress, ...table.rowsByAddress.values()])
      for (const { sectionsWithNames: names } of entries) names?.reverse();
    return table;
  }

  /** The number of the section that answers, or MAIN_SERVER. */
  answeringSection({ connection, name, path }: HostRequest): number {
    const { row } = this.rowFor(connection);
    if (row === null) return MAIN_SERVER;
    const section =
      row.sectionsWithNames === null
        ? null
        : name === null
          ? this.sectionByPath(row.sectionsWithNames, connection.port, path)
          : this.sectionByName(row, connection.port, name);
    return section ?? row.section ?? MAIN_SERVER;
  }

  /**
   * Returns the section that answers a connection if no name decides (or MAIN_SERVER), and the
   * sections that names choose from, in order. `isForAllAddresses`: whether these sections are for
   * all addresses, not for the address of the connection.
   */
  candidatesFor(to: Connection): {
    readonly defaultSection: number;
    readonly namedSections: readonly number[];
    readonly isForAllAddresses: boolean;
  } {
    const { row, isForAllAddresses } = this.rowFor(to);
    return {
      defaultSection: row?.section ?? MAIN_SERVER,
      namedSections: row ? namedSectionsOf(row, to.port) : [],
      isForAllAddresses,
    };
  }

  /** The row that a connection uses. The result is cached. */
  private rowFor({ address, port }: Connection): FoundRow {
    const addressAndPort = `${address}:${port}`;
    let foundRow = this.cachedRows.get(addressAndPort);
    if (foundRow) return foundRow;
    const exactRow = findBestRow(this.rowsByAddress.get(address) ?? [], port, this.version);
    foundRow = exactRow
      ? { row: exactRow, isForAllAddresses: false }
      : { row: findBestRow(this.rowsForAnyAddress, port, this.version), isForAllAddresses: true };
    this.cachedRows.set(addressAndPort, foundRow);
    return foundRow;
  }

  /** The section of a row that has the requested name; null if none has. */
  private sectionByName(row: TableRow, port: number, name: string): number | null {
    const indexOfNames = this.nameIndexOf(row, port);
    const addressTextIndex = indexOfNames.indexByAddressText.get(name) ?? Infinity;
    let nameIndex = indexOfNames.indexByName.get(name) ?? Infinity;
    for (const { index: hostIndex, pattern } of indexOfNames.aliasPatterns) {
      if (hostIndex >= nameIndex) break;
      if (matchesWildcard(name, pattern)) nameIndex = hostIndex;
    }
    // check_hostalias of 2.2 checks the address of each host first; update_server_from_aliases of
    // 2.4 checks all names before any address.
    const firstIndex =
      this.version === '2.2'
        ? Math.min(addressTextIndex, nameIndex)
        : nameIndex === Infinity
          ? addressTextIndex
          : nameIndex;
    return row.sectionsWithNames![firstIndex]?.section ?? null;
  }

  /**
   * The names of a row at a port, each with its first position in the list. They are indexed,
   * because a large server looks up many names here.
   */
  private nameIndexOf(row: TableRow, port: number): NameIndex {
    let nameIndex = row.indexByPort.get(port);
    if (nameIndex) return nameIndex;
    row.indexByPort.set(
      port,
      (nameIndex = { indexByName: new Map(), indexByAddressText: new Map(), aliasPatterns: [] }),
    );
    const { indexByName, indexByAddressText, aliasPatterns } = nameIndex;
    const addNameIfNew = (to: Map<string, number>, name: string, index: number) => {
      if (!to.has(name)) to.set(name, index);
    };
    const indexedSections = new Set<number>();
    row.sectionsWithNames!.forEach(({ section, port: sectionPort, text }, index) => {
      if (sectionPort !== 0 && sectionPort !== port) return;
      addNameIfNew(indexByAddressText, text.toLowerCase(), index);
      // A section with many addresses is in the list many times, each time with the same names.
      if (indexedSections.has(section)) return;
      indexedSections.add(section);
      const host = this.hosts.sections[section]!;
      const serverName = serverNameOf(this.hosts, host);
      if (serverName !== null) addNameIfNew(indexByName, serverName.toLowerCase(), index);
      for (const alias of host.aliasNames) {
        if (/[*?]/.test(alias)) aliasPatterns.push({ index, pattern: alias });
        else addNameIfNew(indexByName, alias.toLowerCase(), index);
      }
    });
    return nameIndex;
  }

  /**
   * The first of these sections whose ServerPath contains the path of the URL; null if there is
   * none.
   */
  private sectionByPath(names: readonly SectionAddress[], port: number, path: string): number | null {
    for (const { section, port: sectionPort } of names) {
      if (sectionPort !== 0 && sectionPort !== port) continue;
      const { serverPath } = this.hosts.sections[section]!;
      if (!serverPath || !path.startsWith(serverPath)) continue;
      const characterAfterPath = path[serverPath.length];
      if (serverPath.endsWith('/') || characterAfterPath === '/' || characterAfterPath === undefined) return section;
    }
    return null;
  }

  /** 2.2 puts each new default row before the others. So this list is filled in reverse order. */
  private fillAs22(): void {
    const { hosts } = this;
    for (const { address, mainPort } of hosts.namedAddresses) {
      for (const { addressKey, port } of addressesOfWord(address, mainPort, hosts, '2.2')) {
        const namedRow = makeRow(port, null, []);
        // In a NameVirtualHost line, 2.2 reads `_default_` as the address 255.255.255.255, which no
        // connection has. So only `*` goes to the default rows.
        if (addressKey === ANY_ADDRESS) this.rowsForAnyAddress.push(namedRow);
        else this.rowsAt(addressKey).push(namedRow);
      }
    }
    const namedRowCounts = new Map([...this.rowsByAddress].map(([key, entries]) => [key, entries.length]));
    for (let section = hosts.sections.length - 1; section >= 0; section--) {
      for (const sectionAddress of addressesOfSection(hosts, section, '2.2'))
        this.addSectionAs22(sectionAddress, namedRowCounts);
    }
    this.rowsForAnyAddress = this.rowsForAnyAddress.filter(({ section }) => section !== null).reverse();
    for (const [key, entries] of this.rowsByAddress)
      this.rowsByAddress.set(
        key,
        entries.filter(({ section }) => section !== null),
      );
  }

  /**
   * Adds a section at one of its addresses, as 2.2 does. `namedRowCounts`: for each address, the
   * number of rows of NameVirtualHost lines.
   */
  private addSectionAs22(
    { addressKey, ...sectionAddress }: SectionAddress & { readonly addressKey: string },
    namedRowCounts: ReadonlyMap<string, number>,
  ): void {
    const { port, section } = sectionAddress;
    const isDefault = addressKey === ANY_ADDRESS || addressKey === BROADCAST_ADDRESS;
    const rowsOfAddress = isDefault ? this.rowsForAnyAddress : this.rowsAt(addressKey);
    const rowOfSamePort = isDefault
      ? rowsOfAddress.findLast((entry) => entry.port === 0 || entry.port === port)
      : rowsOfAddress.find((entry) => entry.port === 0 || port === 0 || entry.port === port);
    if (rowOfSamePort?.sectionsWithNames) {
      rowOfSamePort.sectionsWithNames.push(sectionAddress);
      rowOfSamePort.section = section;
    } else if (rowOfSamePort && !isDefault) {
      rowOfSamePort.port = port;
      rowOfSamePort.section = section;
    } else {
      const addedRow = makeRow(port, section, null);
      // A row for one address goes after the rows of NameVirtualHost lines for that address.
      if (isDefault) rowsOfAddress.push(addedRow);
      else rowsOfAddress.splice(namedRowCounts.get(addressKey) ?? 0, 0, addedRow);
    }
  }

  /** Fills the tables as 2.4 does: from the last section of the file to the first. */
  private fillAs24(): void {
    const { hosts } = this;
    for (let section = hosts.sections.length - 1; section >= 0; section--) {
      let previousAddress: { readonly addressKey: string; readonly port: number } | null = null;
      for (const sectionAddress of addressesOfSection(hosts, section, '2.4')) {
        const { addressKey, port } = sectionAddress;
        const isRepeatedAddress =
          addressKey === ANY_ADDRESS && previousAddress?.addressKey === ANY_ADDRESS && previousAddress.port === port;
        if (!isRepeatedAddress) this.addSectionAs24(sectionAddress);
        previousAddress = sectionAddress;
      }
    }
  }

  /** Adds a section at one of its addresses, as 2.4 does. */
  private addSectionAs24({ addressKey, ...sectionAddress }: SectionAddress & { readonly addressKey: string }): void {
    const { port, section } = sectionAddress;
    const rowsOfAddress = addressKey === ANY_ADDRESS ? this.rowsForAnyAddress : this.rowsAt(addressKey);
    let bestRowOfPort = findBestRow(rowsOfAddress, port, '2.4');
    if (bestRowOfPort === null || bestRowOfPort.port !== port) {
      bestRowOfPort = makeRow(port, section, null);
      rowsOfAddress.unshift(bestRowOfPort);
    }
    bestRowOfPort.section = section;
    if (bestRowOfPort.sectionsWithNames) bestRowOfPort.sectionsWithNames.push(sectionAddress);
    else if (bestRowOfPort.onlySection) {
      bestRowOfPort.sectionsWithNames = [bestRowOfPort.onlySection, sectionAddress];
      bestRowOfPort.onlySection = null;
    } else bestRowOfPort.onlySection = sectionAddress;
  }

  /** The rows of an address. An address without rows gets an empty list. */
  private rowsAt(key: string): TableRow[] {
    let rowsOfAddress = this.rowsByAddress.get(key);
    if (rowsOfAddress === undefined) this.rowsByAddress.set(key, (rowsOfAddress = []));
    return rowsOfAddress;
  }
}

/**
 * The address and port in a word of `<VirtualHost>` or NameVirtualHost, as httpd reads it
 * (get_addresses). Null if httpd refuses the word.
 */
export function splitAddress(word: string, mainPort: number): { readonly host: string; readonly port: number } | null {
  if (word === '*' || word === '*:*') return { host: '*', port: 0 };
  const isAnyPort = word.endsWith(':*');
  const parsedWord = parseAddressAndPort(isAnyPort ? word.slice(0, -2) : word);
  if (parsedWord === null || parsedWord.host === null) return null;
  return { host: parsedWord.host, port: isAnyPort ? 0 : parsedWord.port === 0 ? mainPort : parsedWord.port };
}

/** An address in the spelling of this file (`127.0.0.1`, `[0:0:0:0:0:0:0:1]`); null for a name. */
export function literalAddress(host: string): string | null {
  if (/^\d+(\.\d+){3}$/.test(host)) return host;
  if (!host.startsWith('[')) return null;
  const addressText = host.slice(1, -1).toLowerCase();
  const mappedIpv4 = /^::ffff:(\d+(?:\.\d+){3})$/.exec(addressText);
  return mappedIpv4 ? mappedIpv4[1]! : `[${fullIpv6(addressText)}]`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The key in the table for rows that apply to all addresses. */
const ANY_ADDRESS = '*';
const BROADCAST_ADDRESS = '255.255.255.255';
/** The address `[::]` in the spelling of this model. */
const IPV6_ANY_ADDRESS = '[0:0:0:0:0:0:0:0]';

/**
 * The row that a version uses for a port, or null. 2.2 takes the first row that fits, and 2.4
 * prefers a row with the exact port (find_ipaddr and find_default_server of both).
 */
function findBestRow(rows: readonly TableRow[], port: number, version: Version): TableRow | null {
  const rowsOfPort = rows.filter((entry) => entry.port === 0 || port === 0 || entry.port === port);
  const rowOfExactPort = version === '2.4' ? rowsOfPort.find((entry) => entry.port === port) : undefined;
  return rowOfExactPort ?? rowsOfPort[0] ?? null;
}

function makeRow(port: number, section: number | null, sectionsWithNames: SectionAddress[] | null): TableRow {
  return {
    port,
    section,
    sectionsWithNames,
    onlySection: null,
    indexByPort: new Map(),
    namedSectionsByPort: new Map(),
  };
}

/** The sections of a row from which names choose at a port. Each request needs them again. */
function namedSectionsOf({ sectionsWithNames, namedSectionsByPort }: TableRow, port: number): readonly number[] {
  let namedSections = namedSectionsByPort.get(port);
  if (namedSections) return namedSections;
  const sectionsOfPort = (sectionsWithNames ?? []).filter((each) => each.port === 0 || each.port === port);
  namedSections = [...new Set(sectionsOfPort.map(({ section }) => section))];
  namedSectionsByPort.set(port, namedSections);
  return namedSections;
}

/** The addresses of a section, with their keys in the table. */
function addressesOfSection(
  hosts: VirtualHosts,
  section: number,
  version: Version,
): (SectionAddress & { readonly addressKey: string })[] {
  const { addresses, mainPort } = hosts.sections[section]!;
  return addresses.flatMap((word) =>
    addressesOfWord(word, mainPort, hosts, version).map(({ addressKey, port, text }) => ({
      addressKey,
      port,
      text,
      section,
    })),
  );
}

/**
 * The addresses that a word of a tag stands for: the key of each in the table, the port and the
 * host as written.
 */
function addressesOfWord(
  word: string,
  mainPort: number,
  { addressesOf }: VirtualHosts,
  version: Version,
): readonly { readonly addressKey: string; readonly port: number; readonly text: string }[] {
  const splitWord = splitAddress(word, mainPort);
  if (splitWord === null) return [];
  const { host, port } = splitWord;
  const withAddressKey = (addressKey: string) => ({ addressKey, port, text: host });
  if (host === '*') return [withAddressKey(ANY_ADDRESS)];
  if (host.toLowerCase() === '_default_') return [withAddressKey(version === '2.2' ? BROADCAST_ADDRESS : ANY_ADDRESS)];
  const fixedAddress = literalAddress(host);
  if (fixedAddress === '0.0.0.0' || fixedAddress === IPV6_ANY_ADDRESS) return [withAddressKey(ANY_ADDRESS)];
  return (fixedAddress !== null ? [fixedAddress] : addressesOf(host)).map(withAddressKey);
}

/**
 * The server name of a section; null if unknown. Without a ServerName line, it is the main server's
 * name if the section is for all addresses. Otherwise it is the host name of the section's first
 * address.
 */
export function serverNameOf(hosts: VirtualHosts, host: HostSection): string | null {
  if (host.serverName !== null) return host.serverName;
  const isForAll = host.addresses.some((word) => {
    const host = splitAddress(word, 0)?.host.toLowerCase() ?? '';
    const address = literalAddress(host) ?? host;
    return [ANY_ADDRESS, '_default_', '0.0.0.0', IPV6_ANY_ADDRESS].includes(address);
  });
  if (isForAll) return hosts.mainName;
  const [first] = host.addresses.flatMap((word) => addressesOfWord(word, 0, hosts, '2.2'));
  return first ? hosts.hostNameOf(first.addressKey) : null;
}

/**
 * Compares as ap_strcasecmp_match in server/util.c: `*` is any text, `?` is one character. The time
 * is at most proportional to the product of both lengths.
 */
export function matchesWildcard(name: string, pattern: string): boolean {
  const lowerPattern = pattern.toLowerCase();
  let patternIndex = 0;
  let lastStarIndex = -1;
  let indexAtStar = 0;
  let index = 0;
  while (index < name.length) {
    if (lowerPattern[patternIndex] === '*') {
      lastStarIndex = patternIndex++;
      indexAtStar = index;
    } else if (
      patternIndex < lowerPattern.length &&
      (lowerPattern[patternIndex] === '?' || lowerPattern[patternIndex] === name[index])
    ) {
      patternIndex++;
      index++;
    } else if (lastStarIndex >= 0) {
      patternIndex = lastStarIndex + 1;
      index = ++indexAtStar;
    } else return false;
  }
  while (lowerPattern[patternIndex] === '*') patternIndex++;
  return patternIndex === lowerPattern.length;
}

/** An IPv6 address as eight groups without leading zeros. */
function fullIpv6(text: string): string {
  const [plain = text, zone] = text.split('%');
  const [head = '', tail] = plain.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').flatMap(ipv6Groups));
  const groupsBefore = groups(head);
  const groupsAfter = groups(tail ?? '');
  const missingGroupCount = tail === undefined ? 0 : Math.max(0, 8 - groupsBefore.length - groupsAfter.length);
  const fullAddress = [...groupsBefore, ...new Array<string>(missingGroupCount).fill('0'), ...groupsAfter].join(':');
  return zone === undefined ? fullAddress : `${fullAddress}%${zone}`;
}

function ipv6Groups(word: string): readonly string[] {
  if (!word.includes('.')) return [Number.parseInt(word, 16).toString(16)];
  const [a = 0, b = 0, c = 0, d = 0] = word.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}
