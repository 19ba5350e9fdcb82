import { lazy } from '../syntax/memory';

/**
 * A reason that OpenSSL gives for an error. mod_ssl logs it after `SSL Library Error: ` or in a
 * line of its own (ssl_engine_log.c: ssl_log_ssl_error). The words are OpenSSL's (ssl/ssl_err.c,
 * crypto/pem/pem_err.c, crypto/evp/evp_err.c); the numbers differ between its releases. The rows
 * are data/openssl-messages.json.
 */
export interface OpensslRow {
  readonly title: string;
  /** Pieces of log lines, in lower case. A line with one of these pieces is about this reason. */
  readonly words: readonly string[];
  readonly meaning: string;
  readonly remedy: string;
  readonly about: readonly string[];
}

/** The rows of the data file. If several rows match a line, the first row is used. */
export const opensslRows = lazy(() => require('./data/openssl-messages.json') as readonly OpensslRow[]);

/**
 * The words with which users search for a reason. The search does not use other words of the rows,
 * because these words also occur in questions about something else.
 */
const SEARCH_WORDS = [
  'no start line',
  'ee key too small',
  'ca md too weak',
  'dh key too small',
  'key values mismatch',
  'unsupported protocol',
  'wrong version number',
  'no cipher match',
  'certificate verify failed',
];

/** The texts in `SEARCH_WORDS` that contain one of these words of a row. */
export function searchWordsOf(words: readonly string[]): string[] {
  return SEARCH_WORDS.filter((searched) => words.some((word) => searched.includes(word)));
}

/** The title of the page for a line of OpenSSL; undefined if its reason has no page. */
export function opensslTitle(line: string): string | undefined {
  const lowerCaseLine = line.toLowerCase();
  return opensslRows().find(({ words }) => words.some((word) => lowerCaseLine.includes(word)))?.title;
}
