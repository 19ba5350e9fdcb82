/** Parses Alias and similar lines. */
import type { Line } from '../syntax/line';

/**
 * The part of such a line after its URL, with the URL's final slash if it has one. Two lines with
 * the same part serve the same folder, as many sites serve one folder under different URLs. null if
 * a fast parse cannot decide, for example because of a variable.
 */
export function textAfterUrl({ text, nameEnd, isJoined, mayVary }: Line): string | null {
  PLAIN_URL.lastIndex = nameEnd;
  if (isJoined || !PLAIN_URL.test(text) || (mayVary && text.includes('${'))) return null;
  const end = PLAIN_URL.lastIndex;
  return text.slice(text.charCodeAt(end - 1) === SLASH ? end - 1 : end);
}

// ---------------------------------------------------------------------------------------------------------------------

/** The URL is one plain word. */
const PLAIN_URL = /[ \t]+[^\s"'\\]+(?=[ \t])/y;

const SLASH = 47;
