/**
 * Finds access lines that 2.2 reads differently from this program: 2.2 cuts a line after 8191
 * characters, drops it at the end of a file, or ends it early. Also finds section tags in quotes,
 * which httpd reads as sections, but this program does not. docs/how-httpd-reads.md, "Lines" and
 * "Words".
 */
import type { Tree } from '../syntax/document';
import { differencesIn22, isByteOrderMark, LineKind, logicalText, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { forEachLine, NodeKind, type List } from '../syntax/tree';
import type { DirectiveNames } from '../config/configuration';
import { cachedByNames, namesIn } from '../config/name-set';
import type { ReadingDifference } from './not-converted';

/** A line, its offset in the file, and how httpd reads it differently. */
export interface DifferentlyReadLine {
  readonly line: Line;
  readonly offset: number;
  readonly difference: ReadingDifference;
}

/**
 * Returns the first line of a file that httpd reads differently from this program. Null if there is
 * none. `names`: the directives whose lines count. Section tags and lines that affect other lines,
 * such as Include, always count. `includesDifferencesOf22`: whether lines that only 2.2 reads
 * differently count.
 */
export function differentlyReadLine(
  { root }: Tree,
  names: DirectiveNames,
  includesDifferencesOf22: boolean,
): DifferentlyReadLine | null {
  const lastResult = lastResultByRoot.get(root);
  if (lastResult?.names === names && lastResult.includesDifferencesOf22 === includesDifferencesOf22)
    return lastResult.foundLine;
  let foundLine: DifferentlyReadLine | null = null;
  // Most files have no such line, and this quick test shows it.
  if (mayContainDifferentlyReadLine(root))
    forEachLine(root, 0, root.length, (line, offset) => {
      if (foundLine !== null || !mayBeReadDifferently(line)) return;
      const difference = isQuotedTag(line)
        ? 'quoted-tag'
        : includesDifferencesOf22
          ? differenceIn(line, offset + line.length === root.length, names)
          : null;
      if (difference !== null) foundLine = { line, offset, difference };
    });
  lastResultByRoot.set(root, { names, includesDifferencesOf22, foundLine });
  return foundLine;
}

/**
 * Whether a file begins with a byte order mark. Both versions refuse its first line. In a .htaccess
 * file, requests then get status 500.
 */
export function beginsWithByteOrderMark({ root }: Tree): boolean {
  let hasMark = false;
  forEachLine(root, 0, Math.min(1, root.length), (line) => {
    hasMark ||= line.kind === LineKind.Directive && isByteOrderMark(line.name);
  });
  return hasMark;
}

/**
 * Splits a logical line as 2.2 does: ap_cfg_getline in server/util.c of 2.2 has a buffer of 8192
 * bytes. `text` is the text in the file, with its backslashes and newlines. Exported for its test.
 */
export function linesIn22(text: string): string[] {
  const lines: string[] = [];
  let currentLine = '';
  for (let pieceStart = 0; pieceStart < text.length; ) {
    const newlineIndex = text.indexOf('\n', pieceStart);
    const pieceEnd = Math.min(
      newlineIndex < 0 ? text.length : newlineIndex + 1,
      pieceStart + Math.max(1, BUFFER_SIZE_22 - currentLine.length),
    );
    const piece = text.slice(pieceStart, pieceEnd);
    pieceStart = pieceEnd;
    const content = piece.replace(/\r?\n$/, '');
    if (piece.endsWith('\n') && content.endsWith('\\')) {
      currentLine += content.slice(0, -1);
      if (!content.endsWith('\\\\')) continue;
    } else currentLine += content;
    lines.push(currentLine);
    currentLine = '';
  }
  // 2.2 drops the last line of a file if it ends in a backslash. So `currentLine` is left out.
  return lines;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Number of bytes that fit into the line buffer of 2.2, without the NUL. */
const BUFFER_SIZE_22 = 8191;
/** Maximum number of UTF-8 bytes for one UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

const lastResultByRoot = cacheOf<
  object,
  {
    readonly names: DirectiveNames;
    readonly includesDifferencesOf22: boolean;
    readonly foundLine: DifferentlyReadLine | null;
  }
>();

/** A quick test by length and names: false means that no line of the list is read differently. */
function mayContainDifferentlyReadLine(list: List): boolean {
  const { children } = list;
  const mayHaveCutLine = list.length * MAX_BYTES_PER_UNIT >= BUFFER_SIZE_22;
  const mayHaveTags = hasTags(namesIn(list));
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!;
    if (child.kind === NodeKind.List) {
      if (mayContainDifferentlyReadLine(child)) return true;
    } else if (child.kind !== NodeKind.Section) {
      if (child.isJoined || (mayHaveCutLine && mayBeCut(child)) || (mayHaveTags && isQuotedTag(child))) return true;
    } else {
      const { open, close } = child;
      if (open.isJoined || close.isJoined || (mayHaveCutLine && (mayBeCut(open) || mayBeCut(close)))) return true;
      if (mayContainDifferentlyReadLine(child.body)) return true;
    }
  }
  return false;
}

/** Whether one of the names begins with `<`, as those of sections and of tags in quotes do. */
const hasTags = cachedByNames((names) => names.hasSome((name) => name.startsWith('<')));

/** Whether httpd may read a line differently. If false, it certainly does not. */
function mayBeReadDifferently(line: Line): boolean {
  return line.isJoined || mayBeCut(line) || isQuotedTag(line);
}

/** Whether a line may have more bytes than the line buffer of 2.2. */
function mayBeCut({ length }: Line): boolean {
  return length * MAX_BYTES_PER_UNIT >= BUFFER_SIZE_22;
}

function isQuotedTag({ kind, name }: Line): boolean {
  return kind === LineKind.Directive && name.length > 1 && name.startsWith('<');
}

/** How 2.2 reads a line differently. Null if it does not, or if that makes no difference. */
function differenceIn(line: Line, isLastOfFile: boolean, names: DirectiveNames): ReadingDifference | null {
  const differences = differencesIn22(line, isLastOfFile);
  if (differences.length === 0) return null;
  const linesRead22 = linesIn22(line.text).map((text) => text.trim());
  const lineRead24 = logicalText(line).text.trim();
  if (linesRead22.length === 1 && linesRead22[0] === lineRead24) return null;
  const isRelevant = (text: string): boolean => {
    const firstWord = /^["']?([^\s"']*)/.exec(text)![1]!.toLowerCase();
    return firstWord.startsWith('<') || names.has(firstWord) || DIRECTIVES_AFFECTING_OTHER_LINES.test(firstWord);
  };
  // 2.2 counts bytes. This program counts characters, so with characters outside of ASCII it does
  // not know where 2.2 cuts the line.
  const isCutUnknown = differences.includes('cut') && /[^\0-\x7f]/.test(line.text);
  if (![...linesRead22, lineRead24].some(isRelevant) && !isCutUnknown) return null;
  if (differences.includes('cut')) return 'cut';
  return differences.includes('dropped-at-end') ? 'dropped-at-end' : 'ended-early';
}

const DIRECTIVES_AFFECTING_OTHER_LINES = /^(include(optional)?|use|define|undefine|serverroot|loadmodule)$/;
