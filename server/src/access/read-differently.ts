/**
 * Finds access lines that 2.2 reads differently than this program: lines cut after 8191 characters,
 * dropped at the end of a file, or ended early. Also finds section tags in quotes, which only httpd
 * reads as sections. docs/how-httpd-reads.md, "Lines" and "Words".
 */
import type { Tree } from '../syntax/document';
import { differencesIn22, isByteOrderMark, LineKind, logicalText, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { forEachLine, NodeKind, type List } from '../syntax/tree';
import type { DirectiveNames } from '../config/configuration';
import { cachedByNames, namesIn } from '../config/name-set';
import type { ReadingDifference } from './not-converted';

/** A line, its offset in the file, and in which way httpd reads it differently than it looks. */
export interface DifferentlyReadLine {
  readonly line: Line;
  readonly offset: number;
  readonly difference: ReadingDifference;
}

/**
 * Returns the first line of a file that httpd reads differently than it looks; null if there is
 * none. Looks only at lines of the directives in `names`. `isFrom22`: whether also to find lines
 * that only 2.2 reads differently.
 */
export function differentlyReadLine(
  { root }: Tree,
  names: DirectiveNames,
  isFrom22: boolean,
): DifferentlyReadLine | null {
  const last = lastResults.get(root);
  if (last?.names === names && last.isFrom22 === isFrom22) return last.foundLine;
  let foundLine: DifferentlyReadLine | null = null;
  // Most files have no such line, so a cheap test excludes them first.
  if (mayContainDifferentlyRead(root))
    forEachLine(root, 0, root.length, (line, offset) => {
      if (foundLine !== null || !mayBeReadDifferently(line)) return;
      const difference = isQuotedTag(line)
        ? 'quoted-tag'
        : isFrom22
          ? differenceIn(line, offset + line.length === root.length, names)
          : null;
      if (difference !== null) foundLine = { line, offset, difference };
    });
  lastResults.set(root, { names, isFrom22, foundLine });
  return foundLine;
}

/**
 * Whether a file begins with a byte order mark. Both versions refuse its first line; in a .htaccess
 * file this gives status 500.
 */
export function beginsWithMark({ root }: Tree): boolean {
  let begins = false;
  forEachLine(root, 0, Math.min(1, root.length), (line) => {
    begins ||= line.kind === LineKind.Directive && isByteOrderMark(line.name);
  });
  return begins;
}

/**
 * Splits a logical line as 2.2 does (ap_cfg_getline in server/util.c of 2.2, with a buffer of 8192
 * bytes). Exported for its test.
 */
export function linesIn22(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = Math.min(newline < 0 ? text.length : newline + 1, at + Math.max(1, BUFFER_SIZE_22 - line.length));
    const piece = text.slice(at, end);
    at = end;
    const content = piece.replace(/\r?\n$/, '');
    if (piece.endsWith('\n') && content.endsWith('\\')) {
      line += content.slice(0, -1);
      if (!content.endsWith('\\\\')) continue;
    } else line += content;
    lines.push(line);
    line = '';
  }
  // 2.2 drops a line that is still open at the end of the file.
  return lines;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Number of bytes that fit into the line buffer of 2.2, without the NUL. */
const BUFFER_SIZE_22 = 8191;
/** Maximum number of bytes of a UTF-16 unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

const lastResults = cacheOf<
  object,
  { readonly names: DirectiveNames; readonly isFrom22: boolean; readonly foundLine: DifferentlyReadLine | null }
>();

/** A quick test whether a list may contain a differently read line, by length and names. */
function mayContainDifferentlyRead(list: List): boolean {
  const { children } = list;
  const mayBeLong = list.length * MAX_BYTES_PER_UNIT >= BUFFER_SIZE_22;
  const mayHaveTags = hasTags(namesIn(list));
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!;
    if (child.kind === NodeKind.List) {
      if (mayContainDifferentlyRead(child)) return true;
    } else if (child.kind !== NodeKind.Section) {
      if (child.isJoined || (mayBeLong && isLong(child)) || (mayHaveTags && isQuotedTag(child))) return true;
    } else {
      const { open, close } = child;
      if (open.isJoined || close.isJoined || (mayBeLong && (isLong(open) || isLong(close)))) return true;
      if (mayContainDifferentlyRead(child.body)) return true;
    }
  }
  return false;
}

/** Whether one of the names is that of a section. A tag in quotes also counts. */
const hasTags = cachedByNames((names) => names.hasSome((name) => name.startsWith('<')));

function mayBeReadDifferently(line: Line): boolean {
  return line.isJoined || isLong(line) || isQuotedTag(line);
}

function isLong({ length }: Line): boolean {
  return length * MAX_BYTES_PER_UNIT >= BUFFER_SIZE_22;
}

function isQuotedTag({ kind, name }: Line): boolean {
  return kind === LineKind.Directive && name.length > 1 && name.startsWith('<');
}

function differenceIn(line: Line, isLastOfFile: boolean, names: DirectiveNames): ReadingDifference | null {
  const differences = differencesIn22(line, isLastOfFile);
  if (differences.length === 0) return null;
  const before = linesIn22(line.text).map((text) => text.trim());
  const now = logicalText(line).text.trim();
  if (before.length === 1 && before[0] === now) return null;
  const matters = (text: string): boolean => {
    const word = /^["']?([^\s"']*)/.exec(text)![1]!.toLowerCase();
    return word.startsWith('<') || names.has(word) || ADDS_LINES.test(word);
  };
  // 2.2 counts bytes. If the line has other characters than ASCII, it is unknown where 2.2 cuts it.
  const isVague = differences.includes('cut') && /[^\0-\x7f]/.test(line.text);
  if (![...before, now].some(matters) && !isVague) return null;
  if (differences.includes('cut')) return 'cut';
  return differences.includes('dropped-at-end') ? 'dropped-at-end' : 'ended-early';
}

const ADDS_LINES = /^(include(optional)?|use|define|undefine|serverroot|loadmodule)$/;
