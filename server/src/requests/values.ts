/** The values of a request's variables, as in `%{REMOTE_ADDR}`. */
import type { RequestContext } from './asking';

/**
 * The value of `%{NAME}` in RewriteCond and expressions. Empty if the request has no such value;
 * null if the value is unknown. The names are those of ap_expr_eval and lookup_variable of
 * mod_rewrite.
 */
export function requestValue(name: string, { request, hostName, port, url }: RequestContext): string | null {
  const header = /^HTTP:(.+)$/i.exec(name)?.[1] ?? HEADER_OF_VARIABLE.get(name.toUpperCase());
  if (header !== undefined) {
    const headerValue = request.headers.get(header.toLowerCase());
    if (headerValue === undefined && header.toLowerCase() === 'authorization' && request.user !== null) return null;
    return headerValue ?? (header.toLowerCase() === 'host' ? hostName : '');
  }
  switch (name.toUpperCase()) {
    case 'REQUEST_METHOD':
      return request.method;
    case 'REQUEST_URI':
      return url;
    case 'QUERY_STRING':
      return request.query;
    case 'REMOTE_ADDR':
      return request.from;
    case 'SERVER_PORT':
      return String(port);
    case 'HTTPS':
      return request.isSecure ? 'on' : 'off';
    case 'REQUEST_SCHEME':
      return request.isSecure ? 'https' : 'http';
    case 'SERVER_NAME':
      return hostName;
    case 'IS_SUBREQ':
      return 'false';
    default:
      return null;
  }
}

/** The header whose value a variable has. */
const HEADER_OF_VARIABLE = new Map([
  ['HTTP_HOST', 'Host'],
  ['HTTP_USER_AGENT', 'User-Agent'],
  ['HTTP_REFERER', 'Referer'],
  ['HTTP_COOKIE', 'Cookie'],
  ['HTTP_ACCEPT', 'Accept'],
  ['HTTP_FORWARDED', 'Forwarded'],
  ['HTTP_PROXY_CONNECTION', 'Proxy-Connection'],
]);
