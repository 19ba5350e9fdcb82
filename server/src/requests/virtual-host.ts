/**
 * Finds the virtual host that answers a request, and why (config/virtual-hosts.ts has the tables).
 */
import type { ConfigLine, Scope } from '../config/configuration';
import type { HostReading } from '../config/virtual-host-lines';
import {
  HostTable,
  literalAddress,
  MAIN_SERVER,
  matchesWildcard,
  serverNameOf,
  type Connection,
} from '../config/virtual-hosts';
import { OTHER_ADDRESS } from '../config/virtual-host-changes';
import { cacheOf } from '../syntax/memory';
import type { AnsweringHost, Request, UnknownFact } from './model';
import type { OpenFacts } from './open-facts';
import { textOf, wordsOf, type Site } from './site';

/** The server that answers a request: a virtual host or the main server. */
export interface ChosenHost {
  /** Null for the main server. */
  readonly scope: Scope | null;
  readonly answeringHost: AnsweringHost;
  /** The requested name, or the first name of the default host. */
  readonly name: string;
  readonly port: number;
  readonly unknownFacts: readonly UnknownFact[];
}

/** The virtual host that answers. Null if the files do not show it. */
export function chooseHost(request: Request, site: Site, facts: OpenFacts): ChosenHost | null {
  const readings = site.hostReadings;
  const hosts = readings.map((reading) => hostInReading(request, reading, site, facts));
  const [firstHost] = hosts;
  if (!firstHost) return hasVirtualHosts(site) ? null : chooseMainServer(request, site);
  return hosts.every(({ scope }) => scope === firstHost.scope) ? firstHost : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** How much each possible connection of a request adds to `OpenFacts.workDone`. */
const WORK_OF_CONNECTION = 50;

const tableByReading = cacheOf<HostReading, HostTable>();

/** Whether the server may read a virtual host. */
function hasVirtualHosts({ root }: Site): boolean {
  return root.children.some(({ kind, activity }) => kind === 'virtualhost' && activity !== 'inactive');
}

/** The reason why the main server answers, if there are no virtual hosts. */
function noHostText({ configuration }: Site): string {
  return configuration.gaps.length === 0 ? 'there is no virtual host' : 'the files that were read have no virtual host';
}

/** The main server, as the server that answers. */
function chooseMainServer(request: Request, site: Site): ChosenHost {
  const port = request.port ?? 80;
  const hostName = request.host ?? mainServerName(site) ?? '';
  return { scope: null, answeringHost: mainServer(site, noHostText(site)), name: hostName, port, unknownFacts: [] };
}

/** The server that answers if the configuration is read in one of the possible ways. */
function hostInReading(request: Request, reading: HostReading, site: Site, facts: OpenFacts): ChosenHost {
  const { hosts, scopes } = reading;
  let table = tableByReading.get(reading);
  if (!table) tableByReading.set(reading, (table = HostTable.buildTable(hosts, site.version)));
  facts.workDone += WORK_OF_CONNECTION * reading.connections.length;
  const unknownFacts: UnknownFact[] = [];
  const assumedConnection = connectionFor(request, reading, table, unknownFacts);
  const { port } = assumedConnection;
  const connection = connectionOfRequest(request, reading, {
    table,
    assumedConnection: assumedConnection.connection,
    site,
    facts,
  });
  const { defaultSection, namedSections } = table.candidatesFor(connection);
  const nameOfSection = (section: number): string | null =>
    section === MAIN_SERVER ? hosts.mainName : serverNameOf(hosts, hosts.sections[section]!);
  const hostName = request.host ?? nameOfSection(defaultSection)?.toLowerCase() ?? '';
  if (request.host === null && hostName !== '')
    unknownFacts.push({
      what: `the request names no host: \`${hostName}\`, the first name of the default host, is used`,
      place: null,
    });
  const answeringSection = table.answeringSection({ connection, name: withoutFinalDot(hostName), path: request.path });
  const scope = answeringSection === MAIN_SERVER ? null : scopes[answeringSection]!;
  if (scope === null) {
    const why = hosts.sections.length === 0 ? noHostText(site) : `no virtual host is for port ${port}`;
    return { scope, answeringHost: mainServer(site, why), name: hostName, port, unknownFacts };
  }
  const hasRequestedName =
    hosts.sections[answeringSection] !== undefined && hasHostName(reading, answeringSection, withoutFinalDot(hostName));
  const why =
    namedSections.length === 0
      ? `it is the only virtual host for ${connectionText(connection)}`
      : hasRequestedName
        ? request.host === null
          ? 'the request names no host, and this virtual host is the first'
          : `the request is for \`${hostName}\``
        : `no virtual host for port ${port} has the name \`${hostName}\`, and this one is the first`;
  return {
    scope,
    answeringHost: {
      name: nameOfSection(answeringSection) ?? textOf(scope.section!.open),
      place: site.placeOf(scope),
      why,
    },
    name: hostName,
    port,
    unknownFacts,
  };
}

const serverNameLineBySite = cacheOf<Site, ConfigLine | null>();

/** The ServerName line of the main server. Null if it has none. */
function serverNameLine(site: Site): ConfigLine | null {
  let cachedLine = serverNameLineBySite.get(site);
  if (cachedLine === undefined) {
    cachedLine =
      site.root.lines.findLast(({ line, activity }) => line.name === 'servername' && activity !== 'inactive') ?? null;
    serverNameLineBySite.set(site, cachedLine);
  }
  return cachedLine;
}

/** The main server, as answers show it. `why`: why no virtual host answers. */
function mainServer(site: Site, why: string): AnsweringHost {
  const nameLine = serverNameLine(site);
  return { name: 'main server', place: nameLine ? site.placeOf(nameLine) : null, why };
}

/**
 * The name in the ServerName line of the main server, without scheme and port. Null without such a
 * line.
 */
function mainServerName(site: Site): string | null {
  const nameLine = serverNameLine(site);
  const serverName = nameLine && wordsOf(nameLine)[0];
  return serverName ? serverName.replace(/^[a-z]+:\/\//i, '').replace(/:\d+$/, '') : null;
}

/**
 * The address and port at which the server receives the request. The request does not show the
 * address. If several addresses are possible, the result is one at which a virtual host has the
 * requested name.
 */
function connectionFor(
  request: Request,
  { connections, hosts }: HostReading,
  table: HostTable,
  unknownFacts: UnknownFact[],
): { readonly port: number; readonly connection: Connection } {
  const ports = [...new Set(connections.map((each) => each.port))];
  const wantedPort = request.port ?? (request.isSecure ? 443 : null);
  let port = wantedPort ?? ports[0] ?? 80;
  if (wantedPort !== null && ports.length > 0 && !ports.includes(wantedPort)) {
    port = ports[0]!;
    unknownFacts.push({ what: `no Listen line has port ${wantedPort}: port ${port} is used`, place: null });
  }
  const name = withoutFinalDot(request.host ?? '');
  const connectionsOfPort = connections.filter((each) => each.port === port);
  const addressInRequest = literalAddress(request.host ?? '') ?? (name === 'localhost' ? '127.0.0.1' : null);
  if (addressInRequest !== null) {
    const exactConnection = connectionsOfPort.find(({ address }) => address === addressInRequest);
    return { port, connection: exactConnection ?? { address: addressInRequest, port } };
  }
  const portAndName = `${port} ${name}`;
  const cachedConnections = connectionsByTable.get(table) ?? new Map<string, Connection>();
  connectionsByTable.set(table, cachedConnections);
  let connection = cachedConnections.get(portAndName);
  if (!connection) {
    const connectionOfName = connectionsOfPort.findLast((each) => {
      const section = table.answeringSection({ connection: each, name, path: request.path });
      return section !== MAIN_SERVER && hasHostName({ hosts }, section, name);
    });
    // The last connection may have an address that no line names (`connectionsTo`).
    connection = connectionOfName ?? connectionsOfPort.at(-1) ?? { address: '192.0.2.1', port };
    cachedConnections.set(portAndName, connection);
  }
  return { port, connection };
}

/**
 * The results of `connectionFor` for each table, by port and host name. The path of a request does
 * not change them, because the host name is known.
 */
const connectionsByTable = cacheOf<HostTable, Map<string, Connection>>();

/**
 * The connection of the request: the assumed one, or one at another address that a virtual host
 * names. Only the virtual hosts for such an address answer requests to it. If another host would
 * answer there, this is an open fact.
 */
function connectionOfRequest(
  request: Request,
  { connections, scopes }: HostReading,
  hostContext: {
    readonly table: HostTable;
    readonly assumedConnection: Connection;
    readonly site: Site;
    readonly facts: OpenFacts;
  },
): Connection {
  const { table, assumedConnection, site, facts } = hostContext;
  const name = withoutFinalDot(request.host ?? '');
  const hasNamedAddress = ({ address }: Connection) => address !== OTHER_ADDRESS;
  if (facts.assumesUsual || literalAddress(name) !== null || hasNamedAddress(assumedConnection))
    return assumedConnection;
  const usualSection = table.answeringSection({ connection: assumedConnection, name, path: request.path });
  for (const each of connections) {
    if (each.port !== assumedConnection.port || !hasNamedAddress(each)) continue;
    const otherSection = table.answeringSection({ connection: each, name, path: request.path });
    if (otherSection === usualSection || otherSection === MAIN_SERVER) continue;
    const factText = `whether the request comes in at ${each.address}: then \`${textOf(scopes[otherSection]!.section!.open)}\` answers`;
    if (
      facts.holds(`address ${each.address} ${each.port}`, {
        what: factText,
        place: site.placeOf(scopes[otherSection]!),
      })
    )
      return each;
  }
  return assumedConnection;
}

/** Whether a virtual host has a name, by ServerName or ServerAlias. */
function hasHostName({ hosts }: Pick<HostReading, 'hosts'>, section: number, name: string): boolean {
  const host = hosts.sections[section]!;
  const namesOfHost = [serverNameOf(hosts, host) ?? '', ...host.aliasNames].map((each) => each.toLowerCase());
  return namesOfHost.some((each) => each === name || (/[*?]/.test(each) && matchesWildcard(name, each)));
}

/** The name without a dot at its end, as httpd compares it. */
function withoutFinalDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function connectionText({ port }: Connection): string {
  return `port ${port}`;
}
