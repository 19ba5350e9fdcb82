/** Reads a request from text: `GET https://shop.example.org:8443/admin?x=1`, `/admin`. */
import { isAddress } from './addresses';
import type { Request } from './model';

/** Properties of a request that its text does not have. */
export interface RequestDetails {
  /** The address of the client, its host name, or both: `203.0.113.9,client.example.org`. */
  readonly from?: string | null;
  /** The user name with which the client logs in. Null if it does not log in. */
  readonly user?: string | null;
  /** The headers, each as `Name: value`. */
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
  const wordsWithoutProtocol = isHttp ? words.slice(0, -1) : words;
  const hasMethod = wordsWithoutProtocol.length > 1 || /^[A-Z]+$/.test(wordsWithoutProtocol[0] ?? '');
  const method = hasMethod ? wordsWithoutProtocol[0]! : 'GET';
  const url = (hasMethod ? wordsWithoutProtocol.slice(1) : wordsWithoutProtocol).join('%20');
  const urlParts = /^(?:(https?):\/\/(\[[^\]]*\]|[^/:?#]*)(?::(\d+))?)?([^?#]*)(?:\?([^#]*))?/i.exec(url);
  const client = parseClient(from);
  if (url === '' || !urlParts || !client) return null;
  const [, scheme, host, port, path = '', query = ''] = urlParts;
  if (scheme === undefined && !path.startsWith('/')) return null;
  const headerValues = new Map<string, string>();
  for (const header of headers) {
    const colonIndex = header.indexOf(':');
    if (colonIndex < 1) return null;
    headerValues.set(header.slice(0, colonIndex).trim().toLowerCase(), header.slice(colonIndex + 1).trim());
  }
  const hostParts = hostAndPort(headerValues.get('host'));
  const isSecure = scheme?.toLowerCase() === 'https';
  const urlPort = port === undefined ? null : Number(port);
  return {
    method,
    path: path === '' ? '/' : path,
    query,
    host: host?.toLowerCase() || hostParts.host,
    port: urlPort ?? hostParts.port ?? (scheme === undefined ? null : isSecure ? 443 : 80),
    isSecure,
    ...client,
    user,
    headers: headerValues,
  };
}

/** Reads the text for a client: an address, a host name, or both. Null if a part is neither. */
export function parseClient(text: string | null): Pick<Request, 'from' | 'clientName'> | null {
  if (text === null) return { from: null };
  const words = text.split(',').map((word) => word.trim());
  const clientAddress = words.find(isAddress) ?? null;
  const hostNames = words.filter((word) => !isAddress(word));
  if (hostNames.length > 1 || words.length - hostNames.length > 1 || hostNames.some((name) => !HOST_NAME.test(name)))
    return null;
  const [name] = hostNames;
  return { from: clientAddress, ...(name !== undefined && { clientName: name.toLowerCase().replace(/\.$/, '') }) };
}

/** Matches a host name: `localhost`, or names with dots between them and at least one letter. */
const HOST_NAME = /^(?:localhost|(?=.*[a-z])[\w-]+(?:\.[\w-]+)+\.?)$/i;

// ---------------------------------------------------------------------------------------------------------------------

/** Reads the value of a Host header. A part that is missing is null. */
function hostAndPort(header: string | undefined): { readonly host: string | null; readonly port: number | null } {
  const hostParts = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(header ?? '');
  if (!hostParts?.[1]) return { host: null, port: null };
  return { host: hostParts[1].toLowerCase(), port: hostParts[2] === undefined ? null : Number(hostParts[2]) };
}
