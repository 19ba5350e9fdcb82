/**
 * Text of a configuration inside Markdown. Whatever a file says is shown as it stands there: it makes no link, no image, no HTML and no
 * end of a code span, in whichever client renders it.
 */
import { visible } from '../syntax/hidden-text';

/** A code span that holds any text; white space is folded, because a span has one line. Longer text than `MAX_CODE` is cut. */
export function code(text: string): string {
  const plain = cut(visible(text).replace(/\s+/g, ' '), MAX_CODE);
  const fence = '`'.repeat(longestRun(plain) + 1);
  return fence.length > 1 || plain.startsWith('`') ? `${fence} ${plain} ${fence}` : `\`${plain}\``;
}

/** Text outside of code spans, on one line. Longer text than `MAX_CODE` is cut. */
export function escape(text: string): string {
  return cut(visible(text).replace(/[\r\n\t]+/g, ' '), MAX_CODE).replace(/[\\`*|[\]<]|^>|_(?!\w)|&(?=#?\w+;)/g, '\\$&');
}

/** A block of configuration, of `MAX_LINES` lines at most, each cut at `MAX_CODE`. */
export function codeBlock(text: string): string {
  const lines = visible(text).split(/\r?\n/);
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => cut(line, MAX_CODE))
    .join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1));
  const more = lines.length > MAX_LINES ? `\n\n… and ${lines.length - MAX_LINES} more lines.` : '';
  return `${fence}apacheconf\n${shown}\n${fence}${more}`;
}

/** A link's address: a URI whose own parentheses do not end it. */
export function address(uri: string): string {
  return uri.replace(
    /[()<>\s\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** The whole of a hover or a document, cut where no client would show it any more. */
export function bounded(markdown: string): string {
  if (markdown.length <= MAX_MARKDOWN) return markdown;
  const end = markdown.lastIndexOf('\n', MAX_MARKDOWN);
  const shown = markdown.slice(0, end > 0 ? end : MAX_MARKDOWN);
  // A code block that is cut open would take the rest of the client's page with it.
  const fences = shown.match(/^`{3,}/gm) ?? [];
  return `${shown}${fences.length % 2 === 1 ? `\n${fences[fences.length - 1]}` : ''}\n\n…`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** More characters of one value than these nobody reads in a hover; in UTF-16 units. */
const MAX_CODE = 400;
const MAX_LINES = 40;
const MAX_MARKDOWN = 30_000;

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half a surrogate pair is no character.
  const end = /[\uD800-\uDBFF]/.test(text[most - 1]!) ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}
