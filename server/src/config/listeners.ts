/** The addresses of Listen lines, and conflicts between them. */
import { argumentsOf } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { parseAddressAndPort } from './address';
import type { ConfigLine, Configuration } from './configuration';
import { isCertainMainFileTree } from './file-summary';
import { linesOf } from './loaded-modules';

/** A Listen line: its address and port. */
export interface Listener {
  readonly line: ConfigLine;
  readonly port: number;
  /**
   * `any` without an address (`80`, `*:80`), `any4` for 0.0.0.0, `any6` for [::], `ip4` or `ip6`
   * for another address, `name` for a host name.
   */
  readonly kind: 'any' | 'any4' | 'any6' | 'ip4' | 'ip6' | 'name';
  /** `*` or the address, and the port. Two Listen lines with equal keys mean the same to httpd. */
  readonly listenerKey: string;
}

/**
 * The Listen lines of the main server that may be active, in order; null if one of them cannot be
 * parsed.
 */
export function listenersOf(configuration: Configuration): readonly Listener[] | null {
  const listeners: Listener[] = [];
  for (const configLine of linesOf(configuration, 'listen')) {
    const addressWord = argumentsOf(configLine.expandedLine)[0]?.value;
    const address = addressWord === undefined || addressWord.includes('${') ? null : parseAddressAndPort(addressWord);
    if (address === null || address.port === 0) return null;
    const host = address.host === null || address.host === '*' ? '*' : withIpv4Notation(address.host.toLowerCase());
    listeners.push({
      line: configLine,
      port: address.port,
      kind: kindOfAddress(host),
      listenerKey: `${host}:${address.port}`,
    });
  }
  return listeners;
}

/**
 * What happens on Linux if two Listen lines have one port and different addresses. `fails`: the
 * server does not start (AH00072). `reported`: the server reports AH00072, and starts with the
 * first address alone. Null if both addresses work.
 *
 * Without an address, httpd tries IPv6 and then IPv4, and [::] includes IPv4 (open_listeners in
 * listen.c). Each pair was tried on a real server.
 */
export function conflictOf(first: Listener, second: Listener): 'fails' | 'reported' | null {
  if (first.port !== second.port) return null;
  return CONFLICT_BY_KINDS[first.kind]?.[second.kind] ?? null;
}

/**
 * Whether virtual hosts answer all requests, and the main server answers none. This is so if each
 * port has a virtual host for all addresses (ap_update_vhost_given_ip and find_default_server in
 * server/vhost.c of both versions; test/httpd/main-server.test.ts). The configuration must have
 * been read with Listen.
 *
 * False if uncertain: a file without the usual lines of a main file may be part of a configuration
 * with other Listen lines.
 */
export function everyRequestHasHost(configuration: Configuration): boolean {
  let areAllPortsCovered = areAllPortsCoveredCache.get(configuration);
  if (areAllPortsCovered === undefined)
    areAllPortsCoveredCache.set(configuration, (areAllPortsCovered = isEveryPortCovered(configuration)));
  return areAllPortsCovered;
}

// ---------------------------------------------------------------------------------------------------------------------

const CONFLICT_BY_KINDS: Partial<Record<Listener['kind'], Partial<Record<Listener['kind'], 'fails' | 'reported'>>>> = {
  any: { ip4: 'fails', ip6: 'fails', any6: 'fails' },
  any4: { any: 'fails', ip4: 'fails' },
  any6: { any: 'reported', ip4: 'fails', ip6: 'fails' },
  ip4: { any: 'fails', any4: 'fails', any6: 'fails' },
  ip6: { any: 'reported', any6: 'fails' },
};

const areAllPortsCoveredCache = cacheOf<Configuration, boolean>();

/** Whether each port of the Listen lines certainly has a virtual host for all addresses. */
function isEveryPortCovered(configuration: Configuration): boolean {
  const hasMainFile = [...configuration.files.values()].some(({ tree }) => isCertainMainFileTree(tree.root));
  if (!hasMainFile || configuration.gaps.length > 0) return false;
  const listeners = listenersOf(configuration);
  if (listeners === null || listeners.length === 0) return false;
  const coveredPorts = new Set<string>();
  for (const { kind, activity, words } of configuration.rootScope.children) {
    if (kind !== 'virtualhost' || activity !== 'active') continue;
    // `*` means all ports. `_default_` without a port is not counted, because it means the port of
    // the main server at that place (get_addresses in server/vhost.c of both versions).
    for (const word of words) {
      const port = word === '*' ? word : /^(?:\*|_default_):(\d+|\*)$/i.exec(word)?.[1];
      if (port !== undefined) coveredPorts.add(port === '*' ? port : String(Number(port)));
    }
  }
  return coveredPorts.has('*') || listeners.every(({ port }) => coveredPorts.has(String(port)));
}

/**
 * httpd treats an IPv4 address in IPv6 notation as the IPv4 address, so it is written as one here.
 */
function withIpv4Notation(host: string): string {
  return /^\[::ffff:([\d.]+)\]$/.exec(host)?.[1] ?? host;
}

function kindOfAddress(host: string): Listener['kind'] {
  if (host === '*') return 'any';
  if (host === '0.0.0.0') return 'any4';
  if (/^\[[0:]+\]$/.test(host)) return 'any6';
  if (host.startsWith('[')) return 'ip6';
  return /^[\d.]+$/.test(host) ? 'ip4' : 'name';
}
