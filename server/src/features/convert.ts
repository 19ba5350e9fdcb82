/** Converts offsets in a tree to ranges of the language server protocol. */
import type { Range, TextEdit } from 'vscode-languageserver-types';
import type { Edit } from '../rules/rule';
import { rangeIn, type Tree } from '../syntax/document';
import type { PlacedOccurrence } from './occurrences';

/** The 0-based range of two UTF-16 offsets. */
export function rangeOf(tree: Tree, span: { readonly start: number; readonly end: number }): Range {
  return tree.rangeAt(span.start, span.end);
}

/**
 * The range of a name in a line. It needs no search, because the line's offset and row are known.
 */
export function rangeOfOccurrence({ occurrence, line, offset, row, isPlain }: PlacedOccurrence): Range {
  if (isPlain)
    return { start: { line: row, character: occurrence.start }, end: { line: row, character: occurrence.end } };
  return rangeIn({ line, offset, lineEnds: row }, offset + occurrence.start, offset + occurrence.end);
}

/** Converts edits with UTF-16 offsets in a file to edits of the protocol. */
export function textEdits(tree: Tree, edits: readonly Edit[]): TextEdit[] {
  return edits.map((edit) => ({ range: rangeOf(tree, edit), newText: edit.text }));
}
