/** Offsets in a tree to the protocol's ranges. */
import type { Range, TextEdit } from 'vscode-languageserver-types';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';

/** UTF-16 offsets to a 0-based range. */
export function rangeOf(tree: Tree, span: { readonly start: number; readonly end: number }): Range {
  return tree.rangeAt(span.start, span.end);
}

export function textEdits(tree: Tree, edits: readonly Edit[]): TextEdit[] {
  return edits.map((edit) => ({ range: rangeOf(tree, edit), newText: edit.text }));
}
