/** Requests and answers in words for a reader. */
import type { Access, Request } from './model';

/** The URL of a request. A path alone if it names no host. */
export function requestUrl({ isSecure, host, port, path, query }: Request): string {
  const rest = query === '' ? path : `${path}?${query}`;
  if (host === null) return rest;
  const usual = isSecure ? 443 : 80;
  return `${isSecure ? 'https' : 'http'}://${host}${port === null || port === usual ? '' : `:${port}`}${rest}`;
}

/** The address of the client, its name, or both with a comma. Null if none is given. */
export function clientText({ from, fromName }: Pick<Request, 'from' | 'fromName'>): string | null {
  const parts = [...(from === null ? [] : [from]), ...(fromName === undefined ? [] : [fromName])];
  return parts.length === 0 ? null : parts.join(',');
}

/** `GET http://shop.example.org/admin from 203.0.113.9 as ann with User-Agent: x`. */
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

/** What a server answers, in short. `200` stands for every answer that is not 401, 403 or 500. */
export const STATUS: Readonly<Record<Access, string>> = {
  granted: '200',
  denied: '403',
  login: '401',
  error: '500',
  unknown: 'unknown',
};
