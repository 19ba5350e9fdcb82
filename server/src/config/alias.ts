/** Parses Alias and similar lines. */
import type { Line } from '../syntax/line';

/**
 * The part of an Alias line after its URL, with the final slash of the URL if it has one. Two lines
 * with the same part serve the same folder, so a caller can read such a folder once for many URLs.
 * Null if this quick parser cannot find the part, for example because of a variable.
 */
export function textAfterUrl({ text, nameEnd, isJoined, mayHaveVariable }: Line): string | null {
  PLAIN_URL.lastIndex = nameEnd;
  if (isJoined || !PLAIN_URL.test(text) || (mayHaveVariable && text.includes('${'))) return null;
  const endOfUrl = PLAIN_URL.lastIndex;
  return text.slice(text.charCodeAt(endOfUrl - 1) === SLASH ? endOfUrl - 1 : endOfUrl);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Matches a URL that is one plain word. */
const PLAIN_URL = /[ \t]+[^\s"'\\]+(?=[ \t])/y;

const SLASH = 47;
