/** The places of a name in one file, or the two tags of a section, for an editor to mark. */
import { DocumentHighlightKind, type DocumentHighlight } from 'vscode-languageserver-types';
import type { Tree } from '../syntax/document';
import { LineKind } from '../syntax/line';
import { List, Section } from '../syntax/tree';
import { rangeOf } from './convert';
import { parameterAt } from './macro-parameters';
import { namedAt, placesOf } from './references';

/** More marks than that nobody sees. */
const MAX_PLACES = 2000;

/** What to mark where the cursor is at an offset (UTF-16); null where there is nothing. */
export function highlightsAt(tree: Tree, offset: number): DocumentHighlight[] | null {
  const parameter = parameterAt(tree, offset);
  const mark = (start: number, end: number, isWritten: boolean): DocumentHighlight => ({ range: rangeOf(tree, { start, end }), kind: isWritten ? DocumentHighlightKind.Write : DocumentHighlightKind.Read });
  if (parameter) return parameter.places.map(({ start, end, isDefinition }) => mark(start, end, isDefinition));
  const named = namedAt(tree, offset);
  if (named) return placesOf(tree, named.occurrence, MAX_PLACES).map(({ occurrence, offset: base }) => mark(base + occurrence.start, base + occurrence.end, occurrence.role !== 'use'));
  return tagsAt(tree, offset);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Both names of a section, where the cursor is on one of them. */
function tagsAt(tree: Tree, offset: number): DocumentHighlight[] | null {
  const placed = tree.lineAt(offset);
  if (!placed || (placed.line.kind !== LineKind.Open && placed.line.kind !== LineKind.Close)) return null;
  const { line } = placed;
  const within = offset - placed.offset;
  if (within < line.nameStart || within > line.nameEnd) return null;
  const found = sectionWith(tree.root, placed.offset);
  if (!found) return null;
  const { section, offset: start } = found;
  const closeStart = start + section.length - section.close.length;
  return [
    { range: rangeOf(tree, { start: start + section.open.nameStart, end: start + section.open.nameEnd }), kind: DocumentHighlightKind.Text },
    { range: rangeOf(tree, { start: closeStart + section.close.nameStart, end: closeStart + section.close.nameEnd }), kind: DocumentHighlightKind.Text },
  ];
}

/** The section one of whose tags begins at an offset. */
function sectionWith(root: List, offset: number): { section: Section; offset: number } | null {
  let list = root;
  let base = 0;
  descend: for (;;) {
    for (const child of list.children) {
      if (offset >= base + child.length) {
        base += child.length;
        continue;
      }
      if (child instanceof List) {
        list = child;
        continue descend;
      }
      if (!(child instanceof Section)) return null;
      if (offset === base || offset === base + child.length - child.close.length) return { section: child, offset: base };
      base += child.open.length;
      list = child.body;
      continue descend;
    }
    return null;
  }
}
