/** Writes requests and answers as text to show to users. */
import type { Access, Request } from './model';

/** The URL of a request with its query, or only the path if the request names no host. */
export function requestUrl({ isSecure, host, port, path, query }: Request): string {
  const pathAndQuery = query === '' ? path : `${path}?${query}`;
  if (host === null) return pathAndQuery;
  const usualPort = isSecure ? 443 : 80;
  return `${isSecure ? 'https' : 'http'}://${host}${port === null || port === usualPort ? '' : `:${port}`}${pathAndQuery}`;
}

/** The address of the client, its host name, or both with a comma. Null if neither is known. */
export function clientText({ from, clientName }: Pick<Request, 'from' | 'clientName'>): string | null {
  const addressAndName = [...(from === null ? [] : [from]), ...(clientName === undefined ? [] : [clientName])];
  return addressAndName.length === 0 ? null : addressAndName.join(',');
}

/**
 * The whole request: `GET http://shop.example.org/admin from 203.0.113.9 as ann with User-Agent:
 * x`.
 */
export function requestText(request: Request): string {
  const { method, user, headers } = request;
  const client = clientText(request);
  return [
    `${method} ${requestUrl(request)}`,
    ...(client === null ? [] : [`from ${client}`]),
    ...(user === null ? [] : [`as ${user}`]),
    ...[...headers].map(([name, value]) => `with ${name}: ${value}`),
  ].join(' ');
}

/**
 * A short text for the answer of a server. `200` stands for every status other than 401, 403 and
 * 500.
 */
export const STATUS_TEXT: Readonly<Record<Access, string>> = {
  granted: '200',
  denied: '403',
  login: '401',
  error: '500',
  unknown: 'unknown',
};
