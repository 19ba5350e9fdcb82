/** What Alias and the lines like it say of a folder. */
import type { Line } from '../syntax/line';

/**
 * What such a line says of the folder that it serves: all behind its URL, the URL's last slash included where it ends in one. Two lines with the same serve the same, as
 * many sites serve one folder under different names. null where more than a glance is needed to tell, as where a variable stands in it.
 */
export function behindUrl({ text, nameEnd, isJoined, mayVary }: Line): string | null {
  PLAIN_URL.lastIndex = nameEnd;
  if (isJoined || !PLAIN_URL.test(text) || (mayVary && text.includes('${'))) return null;
  const end = PLAIN_URL.lastIndex;
  return text.slice(text.charCodeAt(end - 1) === SLASH ? end - 1 : end);
}

// ---------------------------------------------------------------------------------------------------------------------

/** One word to the server. */
const PLAIN_URL = /[ \t]+[^\s"'\\]+(?=[ \t])/y;

const SLASH = 47;
