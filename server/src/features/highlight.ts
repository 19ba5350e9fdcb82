/** Highlights the places of a name in one file, or the two tags of a section. */
import { DocumentHighlightKind, type DocumentHighlight } from 'vscode-languageserver-types';
import type { Tree } from '../syntax/document';
import { rangeOf, rangeOfOccurrence } from './convert';
import { parameterAt } from './macro-parameters';
import { searchableNameAt, placesOf } from './references';
import { tagPair } from './tag-pair';

/** Maximum number of highlights. */
const MAX_HIGHLIGHTS = 2000;

/** The highlights for the cursor at an offset (UTF-16); null if there are none. */
export function highlightsAt(tree: Tree, offset: number): DocumentHighlight[] | null {
  const parameter = parameterAt(tree, offset);
  const highlightOf = (start: number, end: number, isWritten: boolean): DocumentHighlight => ({
    range: rangeOf(tree, { start, end }),
    kind: isWritten ? DocumentHighlightKind.Write : DocumentHighlightKind.Read,
  });
  if (parameter) return parameter.places.map(({ start, end, isDefinition }) => highlightOf(start, end, isDefinition));
  const searchableName = searchableNameAt(tree, offset);
  if (searchableName)
    return placesOf(tree, searchableName.occurrence, MAX_HIGHLIGHTS).map((place) => ({
      range: rangeOfOccurrence(place),
      kind: place.occurrence.role === 'use' ? DocumentHighlightKind.Read : DocumentHighlightKind.Write,
    }));
  return tagsAt(tree, offset);
}

// ---------------------------------------------------------------------------------------------------------------------

/** The names in both tags of a section, if the offset is in one of them; otherwise null. */
function tagsAt(tree: Tree, offset: number): DocumentHighlight[] | null {
  const pair = tagPair(tree, offset);
  return (
    pair && [pair.open, pair.close].map((name) => ({ range: rangeOf(tree, name), kind: DocumentHighlightKind.Text }))
  );
}
