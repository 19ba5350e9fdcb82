/** What a client can do with completion, by what it says of itself. */
import { CompletionItemTag, type ClientCapabilities } from 'vscode-languageserver';
import type { CompletionClient } from '../features/completion';

export function completionClient({ textDocument }: ClientCapabilities, isOurs: boolean): CompletionClient {
  const { completionItem, completionList } = textDocument?.completion ?? {};
  return {
    snippets: completionItem?.snippetSupport === true,
    labelDetails: completionItem?.labelDetailsSupport === true,
    tags: completionItem?.tagSupport?.valueSet.includes(CompletionItemTag.Deprecated) === true,
    defaultRange: completionList?.itemDefaults?.includes('editRange') === true,
    defaultData: completionList?.itemDefaults?.includes('data') === true,
    lateEdits: completionItem?.resolveSupport?.properties.includes('additionalTextEdits') === true && completionList?.itemDefaults?.includes('data') === true,
    insertReplace: completionItem?.insertReplaceSupport === true,
    retriggers: isOurs,
  };
}
