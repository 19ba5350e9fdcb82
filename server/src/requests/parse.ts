/** Reads a request from text: `GET https://shop.example.org:8443/admin?x=1`, `/admin`. */
import { isAddress } from './addresses';
import type { Request } from './model';

/** Properties of a request that its text does not have. */
export interface RequestDetails {
  /** The address of the client, its host name, or both: `203.0.113.9,client.example.org`. */
  readonly from?: string | null;
  readonly user?: string | null;
  /** Each as `Name: value`. */
  readonly headers?: readonly string[];
}

/**
 * Parses the text of a request. Null if it has no URL, if a header has no colon, or if the client
 * is neither an address nor a host name.
 */
export function parseRequest(
  text: string,
  { from = null, user = null, headers = [] }: RequestDetails = {},
): Request | null {
  const words = text.trim().split(/\s+/);
  const isHttp = /^HTTP\/\d/i.test(words.at(-1) ?? '');
  const given = isHttp ? words.slice(0, -1) : words;
  const hasMethod = given.length > 1 || /^[A-Z]+$/.test(given[0] ?? '');
  const method = hasMethod ? given[0]! : 'GET';
  const url = (hasMethod ? given.slice(1) : given).join('%20');
  const parts = /^(?:(https?):\/\/(\[[^\]]*\]|[^/:?#]*)(?::(\d+))?)?([^?#]*)(?:\?([^#]*))?/i.exec(url);
  const client = parseClient(from);
  if (url === '' || !parts || !client) return null;
  const [, scheme, host, port, path = '', query = ''] = parts;
  if (scheme === undefined && !path.startsWith('/')) return null;
  const values = new Map<string, string>();
  for (const header of headers) {
    const colon = header.indexOf(':');
    if (colon < 1) return null;
    values.set(header.slice(0, colon).trim().toLowerCase(), header.slice(colon + 1).trim());
  }
  const hostParts = hostAndPort(values.get('host'));
  const isSecure = scheme?.toLowerCase() === 'https';
  const ownPort = port === undefined ? null : Number(port);
  return {
    method,
    path: path === '' ? '/' : path,
    query,
    host: host?.toLowerCase() || hostParts.host,
    port: ownPort ?? hostParts.port ?? (scheme === undefined ? null : isSecure ? 443 : 80),
    isSecure,
    ...client,
    user,
    headers: values,
  };
}

/** Reads the text for a client: an address, a host name, or both. Null if a part is neither. */
export function parseClient(text: string | null): Pick<Request, 'from' | 'fromName'> | null {
  if (text === null) return { from: null };
  const words = text.split(',').map((word) => word.trim());
  const from = words.find(isAddress) ?? null;
  const names = words.filter((word) => !isAddress(word));
  if (names.length > 1 || words.length - names.length > 1 || names.some((name) => !HOST_NAME.test(name))) return null;
  const [name] = names;
  return { from, ...(name !== undefined && { fromName: name.toLowerCase().replace(/\.$/, '') }) };
}

const HOST_NAME = /^(?:localhost|(?=.*[a-z])[\w-]+(?:\.[\w-]+)+\.?)$/i;

// ---------------------------------------------------------------------------------------------------------------------

function hostAndPort(header: string | undefined): { readonly host: string | null; readonly port: number | null } {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(header ?? '');
  if (!parts?.[1]) return { host: null, port: null };
  return { host: parts[1].toLowerCase(), port: parts[2] === undefined ? null : Number(parts[2]) };
}
