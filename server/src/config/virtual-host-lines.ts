/**
 * Reads the virtual hosts of a configuration as data for virtual-hosts.ts. If a condition around a
 * section, a name, a port or a NameVirtualHost line is unknown, there are several possible
 * readings. A finding is reported only if it is right for every reading.
 */
import { argumentsOf, type Line } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { linesIn, type ConfigLine, type Configuration, type Scope } from './configuration';
import { namesInUse } from './lines-by-name';
import { listenersOf } from './listeners';
import { linesOf } from './loaded-modules';
import { connectionsTo, type ListeningPort } from './virtual-host-changes';
import {
  HostTable,
  literalAddress,
  splitAddress,
  type Connection,
  type HostSection,
  type NamedAddress,
  type VirtualHosts,
} from './virtual-hosts';

/**
 * The virtual hosts of a configuration, under one assumption about facts that the files do not
 * show.
 */
export interface HostReading {
  readonly hosts: VirtualHosts;
  /** For each section of `hosts.sections`, by number: its scope. */
  readonly scopes: readonly Scope[];
  readonly connections: readonly Connection[];
  /** The assumption of this reading, as a clause after `if`; null if the lines show everything. */
  readonly assumption: string | null;
  /** Whether this reading leaves out lines that 2.4 certainly does not read, but 2.2 may read. */
  readonly omitsLines: boolean;
}

/**
 * All possible readings of the virtual hosts. Empty if names, ports or addresses are unknown. If
 * `keepsNames` is false, the sections have no names.
 */
export function hostReadings(configuration: Configuration, keepsNames: boolean): readonly HostReading[] {
  const scopes = configuration.rootScope.children.filter(
    ({ kind, activity, words }) => kind === 'virtualhost' && activity !== 'inactive' && words.length > 0,
  );
  const namedAddressLines = linesOf(configuration, 'namevirtualhost');
  const addressWords = [...scopes.flatMap((scope) => scope.words), ...namedAddressLines.flatMap(wordsOf)];
  const ports = mainPorts(configuration, addressWords);
  const nameResolutions = nameResolutionsFor(addressWords);
  if (addressWords.some((word) => word.includes('${')) || !ports || nameResolutions.length === 0) return [];
  const nameLinesOfHosts = keepsNames ? scopes.map((scope) => linesIn(scope, NAME_DIRECTIVES)) : [];
  if (
    nameLinesOfHosts
      .flat()
      .some(({ expandedLine }) => argumentsOf(expandedLine).some(({ value }) => value.includes('${')))
  )
    return [];
  const relevantLines = [
    ...scopes,
    ...namedAddressLines,
    ...nameLinesOfHosts.flat(),
    ...linesOf(configuration, 'listen'),
  ];
  const undecidedLine = relevantLines.find(({ activity }) => activity === 'unknown');
  const hiddenLines = hiddenNameVirtualHosts(configuration, namedAddressLines);
  if (hiddenLines === null) return [];
  const readings: HostReading[] = [];
  for (const areUndecidedIncluded of undecidedLine ? [true, false] : [true]) {
    const isTakenAsActive = ({ activity }: Pick<ConfigLine, 'activity'>) =>
      activity === 'active' || (areUndecidedIncluded && activity === 'unknown');
    const listeningPorts = listenedPorts(configuration, addressWords, isTakenAsActive);
    if (!listeningPorts) return [];
    const activeScopes = scopes.filter(isTakenAsActive);
    const conditionText =
      undecidedLine === undefined
        ? null
        : `the conditional lines (${placeText(undecidedLine)}) ${areUndecidedIncluded ? 'apply' : 'do not apply'}`;
    for (const addedAddresses of hiddenLines.length > 0 ? [[], hiddenLines] : [[]])
      for (const { resolve: addressesOf, assumption } of nameResolutions) {
        const hosts: VirtualHosts = {
          mainName: ports.mainName,
          namedAddresses: [
            ...namedAddressLines
              .filter(isTakenAsActive)
              .flatMap((configLine) =>
                wordsOf(configLine).map(
                  (address): NamedAddress => ({ address, mainPort: ports.portBefore(configLine) }),
                ),
              ),
            ...addedAddresses,
          ],
          sections: activeScopes.map((scope) =>
            sectionOf(
              scope,
              ports.portBefore(scope),
              keepsNames ? linesIn(scope, NAME_DIRECTIVES).filter(isTakenAsActive) : [],
            ),
          ),
          addressesOf,
          hostNameOf: (address) => (address === '127.0.0.1' ? 'localhost' : null),
        };
        readings.push({
          hosts,
          scopes: activeScopes,
          connections: connectionsTo(listeningPorts, hosts),
          assumption: [conditionText, assumption].filter((each) => each !== null).join(' and ') || null,
          omitsLines: addedAddresses.length < hiddenLines.length,
        });
      }
  }
  return readings;
}

/**
 * Whether the names of hosts matter. False if both versions have the same sections in the same
 * order for each connection, and no section is selected by its address. Uses the tags alone, so
 * that the lines of thousands of hosts need not be read.
 */
export function doNamesMatter({ hosts, connections }: HostReading): boolean {
  const [tableOf22, tableOf24] = [HostTable.buildTable(hosts, '2.2'), HostTable.buildTable(hosts, '2.4')];
  return connections.some((to) => {
    const [candidatesIn22, candidatesIn24] = [tableOf22.candidatesFor(to), tableOf24.candidatesFor(to)];
    if (
      candidatesIn22.defaultSection !== candidatesIn24.defaultSection ||
      candidatesIn22.namedSections.length !== candidatesIn24.namedSections.length
    )
      return true;
    if (candidatesIn22.namedSections.some((section, index) => section !== candidatesIn24.namedSections[index]))
      return true;
    return candidatesIn22.namedSections.length > 1 && !candidatesIn22.isForAllAddresses;
  });
}

/**
 * Whether lines about virtual hosts are in a macro, or in text that 2.4 does not read, such as
 * `<IfVersion < 2.4>`. 2.2 may read these lines. Then it cannot be proven that a change of the
 * sections keeps the behaviour of 2.2.
 */
export function hasHiddenLines(configuration: Configuration): boolean {
  const usedNames = namesInUse(configuration);
  const hosts = configuration.rootScope.children.filter(
    ({ kind, activity }) => kind === 'virtualhost' && activity !== 'inactive',
  );
  const itemsNotInactive = new Set<Line | Section | null>([
    ...hosts.map(({ section }) => section),
    ...hosts.flatMap((host) => linesIn(host, NAME_DIRECTIVES)).map(({ line }) => line),
    ...configuration.rootScope.lines.filter(({ activity }) => activity !== 'inactive').map(({ line }) => line),
  ]);
  return [
    ...usedNames.sections('virtualhost'),
    ...[...NAME_DIRECTIVES, 'listen', 'namevirtualhost'].flatMap((name) => usedNames.lines(name)),
  ].some((each) => !itemsNotInactive.has(each));
}

// ---------------------------------------------------------------------------------------------------------------------

const NAME_DIRECTIVES = new Set(['servername', 'serveralias', 'serverpath']);

/** The first argument of a line, as a list; empty if the line has no argument. */
function wordsOf({ expandedLine }: ConfigLine): string[] {
  return argumentsOf(expandedLine)
    .slice(0, 1)
    .map((word) => word.value);
}

/**
 * A section with the names in its lines. The last ServerName and the last ServerPath count, and so
 * do all aliases.
 */
function sectionOf(scope: Scope, mainPort: number, lines: readonly ConfigLine[]): HostSection {
  let serverName: string | null = null;
  let serverPath: string | null = null;
  const aliasNames: string[] = [];
  for (const { line, expandedLine } of lines) {
    const words = argumentsOf(expandedLine).map((word) => word.value);
    if (line.name === 'serveralias') aliasNames.push(...words);
    else if (line.name === 'serverpath') serverPath = words[0] ?? null;
    else serverName = hostInServerName(words[0] ?? '').host;
  }
  return { addresses: scope.words, mainPort, serverName, serverPath, aliasNames };
}

/**
 * Parses the name and port in a ServerName line, such as `https://name:443` (server_hostname_port
 * in server/core.c).
 */
function hostInServerName(word: string): { readonly host: string; readonly port: number } {
  const textAfterScheme = word.slice(word.includes('://') ? word.indexOf('://') + 3 : 0);
  const colonIndex = textAfterScheme.indexOf(':');
  return colonIndex < 0
    ? { host: textAfterScheme, port: 0 }
    : {
        host: textAfterScheme.slice(0, colonIndex),
        port: Number.parseInt(textAfterScheme.slice(colonIndex + 1), 10) || 0,
      };
}

/**
 * The ports on which the server listens, by its active Listen lines. If the configuration has no
 * such lines, the ports of the sections. Null if unknown.
 */
function listenedPorts(
  configuration: Configuration,
  words: readonly string[],
  isIncluded: (configLine: ConfigLine) => boolean,
): readonly ListeningPort[] | null {
  const listeners = listenersOf(configuration);
  if (listeners === null || listeners.some(({ kind }) => kind === 'name')) return null;
  if (listeners.length > 0)
    return listeners
      .filter(({ line }) => isIncluded(line))
      .map(({ kind, listenerKey, port }) => ({
        address:
          kind === 'ip4' || kind === 'ip6' ? literalAddress(listenerKey.slice(0, listenerKey.lastIndexOf(':'))) : null,
        port,
      }));
  const ports = new Set(words.map((word) => splitAddress(word, 0)?.port ?? 0));
  ports.delete(0);
  return [...ports].map((port) => ({ address: null, port }));
}

/** The name of the main server, and its port. */
interface MainPorts {
  readonly mainName: string | null;
  /** The port in the last ServerName line of the main server before a place; 0 if it has none. */
  portBefore(place: Pick<ConfigLine, 'file' | 'offset'>): number;
}

/**
 * The name and ports of the main server. Null if a word without a port needs that port, and the
 * order of the lines is unknown.
 */
function mainPorts(configuration: Configuration, words: readonly string[]): MainPorts | null {
  const serverNameLines = configuration.rootScope.lines.filter(
    ({ line, activity }) => line.name === 'servername' && activity !== 'inactive',
  );
  const hostsInLines = serverNameLines.map((configLine) => ({
    at: configLine,
    ...hostInServerName(wordsOf(configLine)[0] ?? ''),
  }));
  const mainName = hostsInLines.at(-1)?.host ?? null;
  const needsPort = words.some((word) => !word.endsWith('*') && splitAddress(word, 0)?.port === 0);
  if (!needsPort || hostsInLines.every(({ port }) => port === 0)) return { mainName, portBefore: () => 0 };
  const file = configuration.rootScope.file;
  const isAllInMainFile = [...hostsInLines.map(({ at }) => at), ...configuration.rootScope.children].every(
    (item) => item.file === file,
  );
  if (!isAllInMainFile) return null;
  return {
    mainName,
    portBefore: ({ offset }) => hostsInLines.filter(({ at }) => at.offset < offset).at(-1)?.port ?? 0,
  };
}

/**
 * The first section or line about virtual hosts with a variable that these files do not define.
 * Null if there is none.
 */
export function lineWithUnknownVariable(
  configuration: Configuration,
): (Pick<ConfigLine, 'file' | 'offset'> & { readonly words: readonly string[] }) | null {
  const scopes = configuration.rootScope.children.filter(
    ({ kind, activity }) => kind === 'virtualhost' && activity !== 'inactive',
  );
  const addressAndNameLines = [
    ...linesOf(configuration, 'namevirtualhost'),
    ...scopes.flatMap((scope) => linesIn(scope, NAME_DIRECTIVES)),
  ];
  const scopesAndLines = [
    ...scopes,
    ...addressAndNameLines.map((each) => ({
      ...each,
      words: argumentsOf(each.expandedLine).map(({ value }) => value),
    })),
  ];
  return scopesAndLines.find(({ words }) => words.some((word) => word.includes('${'))) ?? null;
}

/** `httpd.conf:12`: the name of the file, and the 1-based line. */
function placeText({ file, offset }: Pick<ConfigLine, 'file' | 'offset'>): string {
  return `${file.path.slice(file.path.lastIndexOf('/') + 1)}:${file.tree.positionAt(offset).line + 1}`;
}

/** One possible set of addresses for the host names. The real addresses depend on DNS. */
interface NameResolution {
  readonly resolve: VirtualHosts['addressesOf'];
  /** What this possibility assumes about a name, as a clause after `if`; null if nothing. */
  readonly assumption: string | null;
}

/**
 * Maximum number of names with unknown addresses. Each further name multiplies the number of
 * possibilities.
 */
const MAX_UNRESOLVED_NAMES = 2;

/**
 * The possible addresses of the names in some words. `localhost` has a known address, and .invalid
 * has none (RFC 6761). DNS is not asked. Every other name either has an address of its own (the
 * first possibility), or that of another word. Empty if there are too many names.
 */
function nameResolutionsFor(words: readonly string[]): readonly NameResolution[] {
  const hosts = new Set(words.map((word) => splitAddress(word, 0)?.host.toLowerCase() ?? ''));
  const unresolvedNames = [...hosts].filter(isUnresolved);
  if (unresolvedNames.length > MAX_UNRESOLVED_NAMES) return [];
  const addresses = [...hosts].flatMap((host) => (host === 'localhost' ? '127.0.0.1' : (literalAddress(host) ?? [])));
  const knownAddresses = [...new Set(addresses)].filter((address) => !isForAllAddresses(address));
  let tables: readonly (readonly [name: string, address: string])[][] = [[]];
  for (const name of unresolvedNames)
    tables = tables.flatMap((table) =>
      [
        name,
        ...knownAddresses,
        ...table.map(([, address]) => address).filter((address) => !knownAddresses.includes(address)),
      ].map((address) => [...table, [name, address] as const]),
    );
  return tables.map((table) => ({
    resolve: (name) => {
      const host = name.toLowerCase();
      if (host === 'localhost') return ['127.0.0.1'];
      const tableEntry = table.find(([each]) => each === host);
      return tableEntry ? [tableEntry[1]] : [];
    },
    assumption:
      table
        .filter(([name, address]) => name !== address)
        .map(([name, address]) =>
          isUnresolved(address)
            ? `\`${name}\` and \`${address}\` have the same address`
            : `\`${name}\` has the address ${address}`,
        )
        .join(' and ') || null,
  }));
}

/** The names in the addresses of `<VirtualHost>` and NameVirtualHost that DNS must resolve. */
export function unresolvedNames(words: readonly string[]): readonly string[] {
  return [...new Set(words.map((word) => splitAddress(word, 0)?.host.toLowerCase() ?? ''))].filter(isUnresolved);
}

/** Whether a host is a name whose address depends on DNS. */
function isUnresolved(host: string): boolean {
  return host !== '*' && host !== '_default_' && literalAddress(host) === null && !isReserved(host);
}

function isForAllAddresses(address: string): boolean {
  return address === '0.0.0.0' || address === '255.255.255.255' || /^\[[0:]+\]$/.test(address);
}

function isReserved(host: string): boolean {
  return host === '' || host === 'localhost' || host.endsWith('.invalid');
}

/**
 * NameVirtualHost lines in text that 2.4 does not read, such as `<IfVersion < 2.4>`. 2.2 may read
 * these lines. Null if one of them has a variable.
 */
function hiddenNameVirtualHosts(
  configuration: Configuration,
  lines: readonly ConfigLine[],
): readonly NamedAddress[] | null {
  const seenLines = new Set(lines.map(({ line }) => line));
  const hiddenAddresses = namesInUse(configuration)
    .lines('namevirtualhost')
    .filter((line) => !seenLines.has(line))
    .flatMap((line) => argumentsOf(line).slice(0, 1))
    .map((word) => word.value);
  return hiddenAddresses.some((word) => word.includes('${'))
    ? null
    : hiddenAddresses.map((address) => ({ address, mainPort: 0 }));
}
