/** Converts offsets in a tree to ranges of the language server protocol. */
import type { Range, TextEdit } from 'vscode-languageserver-types';
import type { Edit } from '../rules/rule';
import { rangeIn, type Tree } from '../syntax/document';
import type { PlacedOccurrence } from './occurrences';

/** Converts two UTF-16 offsets in the tree to a range of 0-based lines and characters. */
export function rangeOf(tree: Tree, span: { readonly start: number; readonly end: number }): Range {
  return tree.rangeAt(span.start, span.end);
}

/** The empty range at the start of a 0-based line. */
export function lineStartRange(row: number): Range {
  const lineStart = { line: row, character: 0 };
  return { start: lineStart, end: lineStart };
}

/**
 * Returns the range of a name in a line. The tree is not searched, because the offset and the row
 * of the line are given.
 */
export function rangeOfOccurrence({
  occurrence,
  line,
  offset,
  row,
  isSingleRowWithoutTemplate,
}: PlacedOccurrence): Range {
  if (isSingleRowWithoutTemplate)
    return { start: { line: row, character: occurrence.start }, end: { line: row, character: occurrence.end } };
  return rangeIn({ line, offset, lineEnds: row }, offset + occurrence.start, offset + occurrence.end);
}

/** Converts edits with UTF-16 offsets in a file to edits of the protocol. */
export function textEdits(tree: Tree, edits: readonly Edit[]): TextEdit[] {
  return edits.map((edit) => ({ range: rangeOf(tree, edit), newText: edit.text }));
}
