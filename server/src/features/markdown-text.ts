/**
 * Escapes text of a configuration for Markdown, so that every client shows it exactly as in the
 * file: it cannot become a link, an image or HTML, or end a code span.
 */
import { withHiddenShown } from '../syntax/hidden-text';

/**
 * A code span for any text. White space becomes one space, because a span is on one line. Text
 * longer than `MAX_VALUE_LENGTH` is cut.
 */
export function codeSpan(text: string): string {
  const oneLine = cutText(withHiddenShown(text).replace(/\s+/g, ' '), MAX_VALUE_LENGTH);
  const fence = '`'.repeat(longestBacktickRun(oneLine) + 1);
  return fence.length > 1 || oneLine.startsWith('`') ? `${fence} ${oneLine} ${fence}` : `\`${oneLine}\``;
}

/** Text outside of a code span, on one line. Text longer than `MAX_VALUE_LENGTH` is cut. */
export function escapeMarkdown(text: string): string {
  return cutText(withHiddenShown(text).replace(/[\r\n\t]+/g, ' '), MAX_VALUE_LENGTH).replace(
    /[\\`*|[\]<]|^>|_(?!\w)|&(?=#?\w+;)/g,
    '\\$&',
  );
}

/**
 * A code block of configuration lines: at most `MAX_BLOCK_LINES`, each cut at `MAX_VALUE_LENGTH`.
 * Below the block is the number of the lines that were left out.
 */
export function codeBlock(text: string): string {
  const codeLines = withHiddenShown(text).split(/\r?\n/);
  const shownLines = codeLines
    .slice(0, MAX_BLOCK_LINES)
    .map((line) => cutText(line, MAX_VALUE_LENGTH))
    .join('\n');
  const fence = '`'.repeat(Math.max(3, longestBacktickRun(shownLines) + 1));
  const unshownNote =
    codeLines.length > MAX_BLOCK_LINES ? `\n\n… and ${codeLines.length - MAX_BLOCK_LINES} more lines.` : '';
  return `${fence}apacheconf\n${shownLines}\n${fence}${unshownNote}`;
}

/** The address of a link: a URI in which parentheses are escaped. */
export function linkAddress(uri: string): string {
  return uri.replace(
    /[()<>\s\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/**
 * Cuts the text of a hover or document after the last line that fits into `MAX_MARKDOWN_LENGTH`.
 */
export function shortenedMarkdown(markdown: string): string {
  if (markdown.length <= MAX_MARKDOWN_LENGTH) return markdown;
  const lastLineEnd = markdown.lastIndexOf('\n', MAX_MARKDOWN_LENGTH);
  const shortenedText = markdown.slice(0, lastLineEnd > 0 ? lastLineEnd : MAX_MARKDOWN_LENGTH);
  // A code block without its end would include the rest of the client's page.
  const fences = shortenedText.match(/^`{3,}/gm) ?? [];
  return `${shortenedText}${fences.length % 2 === 1 ? `\n${fences[fences.length - 1]}` : ''}\n\n…`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit for one value in a hover, in UTF-16 units. */
const MAX_VALUE_LENGTH = 400;
/** Limit for the lines of a code block. */
const MAX_BLOCK_LINES = 40;
/** Limit for a whole hover or document, in UTF-16 units. */
const MAX_MARKDOWN_LENGTH = 30_000;

function longestBacktickRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Do not split a surrogate pair.
  const cutEnd = /[\uD800-\uDBFF]/.test(text[maxLength - 1]!) ? maxLength - 1 : maxLength;
  return `${text.slice(0, cutEnd)}…`;
}
