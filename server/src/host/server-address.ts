/** The address of a server that `compare` sends requests to. */

/** The host and port of a server. */
export interface ServerAddress {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * Parses an address such as `http://10.0.0.5:8080`. If it cannot be used, returns the reason as a
 * clause.
 */
export function serverAddress(text: string): ServerAddress | string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'must be an address such as http://10.0.0.5:8080';
  }
  if (url.protocol !== 'http:') return 'must begin with http://';
  if (url.username !== '' || url.password !== '') return 'must not contain a login: use --credentials FILE';
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return 'must be an address without a path';
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? 80 : Number(url.port) };
}

/** Writes an address as `10.0.0.5:8080`. */
export function shownAddress({ host, port }: ServerAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
