/**
 * The methods that `<Limit>` knows in 2.2 and in 2.4 (modules/http/http_protocol.c:
 * register_one_method). HEAD is not in the list, because httpd gives it the same number as GET.
 */
export const METHODS_OF_BOTH: readonly string[] = [
  'GET',
  'PUT',
  'POST',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'PATCH',
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'VERSION-CONTROL',
  'CHECKOUT',
  'UNCHECKOUT',
  'CHECKIN',
  'UPDATE',
  'LABEL',
  'REPORT',
  'MKWORKSPACE',
  'MKACTIVITY',
  'BASELINE-CONTROL',
  'MERGE',
];

/**
 * The methods that httpd 2.4 knows with all of its own modules; mod_dav registers BIND and SEARCH.
 */
export const HTTP_METHODS: ReadonlySet<string> = new Set([...METHODS_OF_BOTH, 'HEAD', 'TRACE', 'BIND', 'SEARCH']);
