/**
 * Completion of paths in arguments: suggests the names in a folder. Relative paths start at
 * ServerRoot, as on the server.
 */
import { CompletionItemKind } from 'vscode-languageserver-types';
import { localPathOf, resolvePath } from '../../config/files';
import { guessServerRoot } from '../../config/server-root';
import type { Cursor } from '../cursor';
import type { Definitions } from '../../symbols/definitions';
import type { CompletionRequest, Folders, Suggestion, Suggestions } from './suggestion';

/**
 * Limit of the suggested names of one folder. After more letters, the editor requests a new list.
 */
const MAX_SUGGESTED_NAMES = 200;

/** A path that the user types. */
export interface PathQuestion {
  /** The part of the path before the cursor. */
  readonly text: string;
  /** The start of the path, as an index in `Cursor.textBefore`. */
  readonly start: number;
  /** Whether only folders are suggested, because the argument cannot be a file. */
  readonly foldersOnly: boolean;
}

/** Suggestions for the next name in a path; null if no folder may be read. */
export function pathSuggestions(
  request: CompletionRequest,
  cursor: Cursor,
  definitions: Definitions,
  { text, start, foldersOnly }: PathQuestion,
): Suggestions | null {
  const { folders } = request;
  if (!folders || /[*?[|]|^\w+:|\$\{/.test(text)) return null;
  const nameStart = text.lastIndexOf('/') + 1;
  const typedName = text.slice(nameStart);
  // A name with a space needs quotes around the whole value, so it is not suggested without them.
  const charactersNeedingQuotes = cursor.quote ? /["'\\]/ : /[\s"'\\]/;
  for (const base of baseFolders(request, folders, definitions, text.slice(0, nameStart) || '.')) {
    const entryNames = folders.list(base);
    if (!entryNames) continue;
    const fittingNames = entryNames
      .filter(
        (name) =>
          name.startsWith('.') === typedName.startsWith('.') &&
          name.toLowerCase().startsWith(typedName.toLowerCase()) &&
          !charactersNeedingQuotes.test(name),
      )
      .sort();
    const pathItems = fittingNames.slice(0, MAX_SUGGESTED_NAMES).flatMap((name): Suggestion[] => {
      const kind = folders.kind(resolvePath(base, name));
      if (kind === 'folder') return [{ label: `${name}/`, kind: CompletionItemKind.Folder, opensNextList: true }];
      return kind === 'file' && !foldersOnly ? [{ label: name, kind: CompletionItemKind.File }] : [];
    });
    const isFolder = (item: Suggestion) => item.kind === CompletionItemKind.Folder;
    return {
      start: start + nameStart,
      restLength: (cursor.quote ? /^[^"'/]*\/?/ : /^[^\s"'/]*\/?/).exec(cursor.textAfter)![0].length,
      items: [...pathItems.filter(isFolder), ...pathItems.filter((item) => !isFolder(item))],
      ...(fittingNames.length > MAX_SUGGESTED_NAMES && { isIncomplete: true }),
    };
  }
  return null;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The folders to which the relative path `folder` may refer: the ServerRoot of each configuration
 * that reads the file, then the ServerRoot line of the file, then the folder of the file.
 */
function* baseFolders(
  { configurationModels = [] }: CompletionRequest,
  folders: Folders,
  definitions: Definitions,
  folder: string,
): Generator<string> {
  for (const { serverRoot, pathMap } of configurationModels)
    yield localPathOf(resolvePath(serverRoot, folder), pathMap);
  const [root] = definitions.namesOf('server-root').keys();
  if (root?.startsWith('/')) yield resolvePath(root, folder);
  yield resolvePath(guessServerRoot(folders.file), folder);
}
