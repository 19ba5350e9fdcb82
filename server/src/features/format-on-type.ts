/**
 * Formats while the user types: a completed line, the indentation of the next line, the closing tag
 * of a section.
 */
import { sectionKind } from '../config/sections';
import type { Tree } from '../syntax/document';
import { contentEnd, contentStart, isOpenEnded, LineKind } from '../syntax/line';
import type { PlacedLine } from '../syntax/tree';
import { closingTag } from './completion/closing-tag';
import { sectionsAround } from './cursor';
import { formatEdits, indentation, indentColumns, lineEndOfFile, type FormatEdit, type FormatOptions } from './format';

/** The user's settings for formatting while typing. */
export interface OnTypeOptions extends FormatOptions {
  /** Whether an open tag that the user completes gets its closing tag. */
  readonly closesTags: boolean;
}

/** The characters that trigger formatting. */
export const ON_TYPE_TRIGGERS = { first: '\n', more: ['>'] } as const;

/** The edits after the user typed a character; `offset` is the cursor in UTF-16 units. */
export function formatOnType(tree: Tree, offset: number, typedCharacter: string, options: OnTypeOptions): FormatEdit[] {
  // The end of the file is formatted only when the file is saved.
  const lineOptions = { ...options, insertFinalNewline: false, trimFinalNewlines: false };
  return typedCharacter === '>'
    ? editsAfterTag(tree, offset, lineOptions)
    : typedCharacter === '\n'
      ? editsAfterLineEnd(tree, offset, lineOptions)
      : [];
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The edits after `>`: the line of a closing tag is formatted, and an open tag gets its closing
 * tag.
 */
function editsAfterTag(tree: Tree, offset: number, options: OnTypeOptions): FormatEdit[] {
  const placedLine = tree.lineAt(Math.max(0, offset - 1));
  if (!placedLine) return [];
  if (placedLine.line.kind === LineKind.Close)
    return placedLine.offset + contentEnd(placedLine.line) === offset
      ? editsWithin(formatEdits(tree, options, placedLine.offset, offset), placedLine.offset, offset)
      : [];
  const tag = options.closesTags ? closingTag(tree, offset) : null;
  if (tag === null) return [];
  const closingTagLine = `${lineEndOfFile(tree)}${placedLine.line.text.slice(0, contentStart(placedLine.line))}${tag}`;
  return [{ start: offset, end: offset, text: closingTagLine, range: tree.rangeAt(offset, offset) }];
}

/** Formats the line that the user has ended, and indents the next one. */
function editsAfterLineEnd(tree: Tree, offset: number, options: OnTypeOptions): FormatEdit[] {
  const { line: lineNumber } = tree.positionAt(offset);
  if (lineNumber === 0) return [];
  const newLineStart = tree.offsetAt({ line: lineNumber, character: 0 });
  const lineBefore = tree.lineAt(newLineStart - 1)!;
  // If the line continues in the next row, spaces may be part of an argument.
  if (lineBefore.offset + lineBefore.line.length > newLineStart || isOpenEnded(lineBefore.line.text)) return [];
  const edits = editsWithin(
    formatEdits(tree, options, lineBefore.offset, newLineStart),
    lineBefore.offset,
    newLineStart,
  );
  const currentLine = newLineStart < tree.length ? tree.lineAt(newLineStart)!.line : null;
  const isEmpty = currentLine === null || (currentLine.kind === LineKind.Blank && !currentLine.isJoined);
  if (!isEmpty)
    return [
      ...edits,
      ...editsWithin(formatEdits(tree, options, newLineStart, offset), newLineStart, newLineStart + currentLine.length),
    ];
  const oldText = currentLine
    ? currentLine.text.slice(0, currentLine.text.length - (currentLine.text.match(/\r?\n$/)?.[0].length ?? 0))
    : '';
  if (/[^ \t]/.test(oldText)) return edits;
  const newIndent = indentOfNewLine(tree, newLineStart, options);
  const newIndentation = newIndent === null ? oldText : indentation(newIndent, options);
  if (oldText !== newIndentation)
    edits.push({
      start: newLineStart,
      end: newLineStart + oldText.length,
      text: newIndentation,
      range: tree.rangeAt(newLineStart, newLineStart + oldText.length),
    });
  const closingTagEdit = options.closesTags ? closingTagBelow(tree, lineBefore, newLineStart + oldText.length) : null;
  return closingTagEdit ? [...edits, closingTagEdit] : edits;
}

/**
 * The edit that adds the closing tag for an open tag that ends a line. It is inserted below the new
 * line, on which the cursor stays. Null in templates, which may have the closing tag elsewhere.
 */
function closingTagBelow(tree: Tree, { line, offset }: PlacedLine, end: number): FormatEdit | null {
  const tag =
    line.kind === LineKind.Open && tree.root.branchLineCount === 0 ? closingTag(tree, offset + contentEnd(line)) : null;
  if (tag === null) return null;
  const indentedTag = `${line.text.slice(0, contentStart(line))}${tag}`;
  const eol = lineEndOfFile(tree);
  const isLastLine = end >= tree.length;
  const insertionOffset = isLastLine ? end : tree.offsetAt({ line: tree.positionAt(end).line + 1, character: 0 });
  return {
    start: insertionOffset,
    end: insertionOffset,
    text: isLastLine ? `${eol}${indentedTag}` : `${indentedTag}${eol}`,
    range: tree.rangeAt(insertionOffset, insertionOffset),
  };
}

/**
 * The edits inside a range. Edits of the other lines of a table are left out, because users do not
 * expect other lines to change while they type.
 */
function editsWithin(edits: readonly FormatEdit[], start: number, end: number): FormatEdit[] {
  return edits.filter((edit) => edit.start >= start && edit.end <= end);
}

/** The column where a new line begins; null in text of another language. */
function indentOfNewLine(tree: Tree, start: number, { tabSize }: FormatOptions): number | null {
  const { enclosingTags, unclosedTags } = sectionsAround(tree, start);
  const section = unclosedTags.at(-1) ?? enclosingTags.at(-1);
  if (!section) return 0;
  return sectionKind(section.name) === 'opaque' ? null : indentColumns(section, tabSize) + tabSize;
}
