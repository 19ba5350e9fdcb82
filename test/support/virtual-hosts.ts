/** Sets of virtual hosts for tests: read from a text, and tested with requests of clients. */
import { readFileSync } from 'node:fs';
import {
  type HostTable,
  literalAddress,
  type Connection,
  type HostSection,
  type NamedAddress,
  type Version,
  type VirtualHosts,
} from '../../server/src/config/virtual-hosts';
import { virtualHostAnswers } from './paths';

/** A request as it goes over the wire. `host` is the Host header; null for none. */
export interface WireRequest {
  /** `127.0.0.1:80`, `[::1]:80`. */
  readonly to: string;
  readonly version: '1.0' | '1.1';
  readonly host: string | null;
  /** A path or an absolute URL. */
  readonly uri: string;
}

/** A configuration with the answers of real servers: `h1` is the first section. */
export interface RecordedHosts {
  readonly name: string;
  readonly config: string;
  readonly listen: readonly string[];
  readonly refused22?: string;
  readonly refused24?: string;
  readonly requests: readonly (WireRequest & { readonly v22?: string; readonly v24?: string })[];
}

/** The recorded configurations; ask for them in a test of `itOver('virtual hosts', …)`. */
export function recordedHosts(): readonly RecordedHosts[] {
  return JSON.parse(readFileSync(virtualHostAnswers, 'utf8').replaceAll('@P1@', '8001').replaceAll('@P2@', '8002'));
}

/**
 * Reads lines of a main server and its `<VirtualHost>` sections, without includes, variables or
 * continuation lines.
 */
export function hostsIn(text: string): VirtualHosts {
  // The machine that the answers are from has no name of its own (ap_get_local_host in
  // server/util.c).
  let mainName = '127.0.0.1';
  let mainPort = 0;
  const namedAddresses: NamedAddress[] = [];
  const sections: (HostSection & { serverName: string | null; serverPath: string | null; aliasNames: string[] })[] = [];
  let open: (typeof sections)[number] | null = null;
  for (const line of text.split('\n')) {
    const [name = '', ...words] = line.trim().split(/\s+/);
    const key = name.toLowerCase();
    if (key === '<virtualhost') {
      const addresses = [...words.slice(0, -1), words.at(-1)!.slice(0, -1)];
      sections.push((open = { addresses, mainPort, serverName: null, aliasNames: [], serverPath: null }));
    } else if (key === '</virtualhost>') open = null;
    else if (key === 'namevirtualhost') namedAddresses.push({ address: words[0]!, mainPort });
    else if (key === 'servername') {
      const [, host = '', port] = /^(?:.*:\/\/)?([^:]*)(?::(\d+))?$/.exec(words[0]!)!;
      if (open) open.serverName = host;
      else {
        mainName = host;
        mainPort = Number(port ?? 0);
      }
    } else if (key === 'serveralias') open!.aliasNames.push(...words);
    else if (key === 'serverpath') open!.serverPath = words[0]!;
  }
  const addressesOf = (name: string) => (name.toLowerCase() === 'localhost' ? ['127.0.0.1'] : []);
  const hostNameOf = (address: string) => (address === '127.0.0.1' ? 'localhost' : null);
  return { mainName, namedAddresses, sections, addressesOf, hostNameOf };
}

/** The number of the section that answers; 400 for a request that the server refuses. */
export function answering(table: HostTable, request: WireRequest): number {
  const { version } = table;
  const url = /^[a-z]+:\/\/([^/]*)(.*)$/i.exec(request.uri);
  const path = url ? url[2] || '/' : request.uri;
  const name = url
    ? hostName(url[1]!.replace(/:\d*$/, ''), version)
    : request.host === null || request.host === ''
      ? null
      : hostName(request.host.replace(/:\d*$/, ''), version);
  if (name === REFUSED) return 400;
  if (request.version === '1.1' && (name === null || request.host === null)) return 400;
  return table.answeringSection({ connection: connection(request.to), name, path });
}

export function connection(to: string): Connection {
  const [, host = '', port] = /^(.*):(\d+)$/.exec(to)!;
  return { address: literalAddress(host) ?? host, port: Number(port) };
}

// ---------------------------------------------------------------------------------------------------------------------

const REFUSED = Symbol('refused');

/** fix_hostname and strict_hostname_check in server/vhost.c of both. */
function hostName(host: string, version: Version): string | typeof REFUSED {
  if (/^\d+$/.test(host)) return REFUSED;
  if (host.startsWith('[')) return host.slice(1, -1).toLowerCase();
  if (host.includes('..') || /[/\\]/.test(host)) return REFUSED;
  const name = host.toLowerCase().replace(/(?<=.)\.$/, '');
  if (!(version === '2.2' ? /^[a-z\d.-]*$/ : /^[a-z\d._-]*$/).test(name)) return REFUSED;
  if (/^[\d.]+$/.test(name)) return /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){3}$/.test(name) ? name : REFUSED;
  return /\.[^a-z][^.]*$/.test(name) ? REFUSED : name;
}
