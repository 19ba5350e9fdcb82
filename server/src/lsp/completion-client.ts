/** Reads from a client's capabilities which parts of completion it supports. */
import { CompletionItemTag, type ClientCapabilities } from 'vscode-languageserver';
import type { CompletionClient } from '../features/completion/completion';

/** What the client supports in completion. `isOurClient`: whether it is our extension. */
export function completionClientOf({ textDocument }: ClientCapabilities, isOurClient: boolean): CompletionClient {
  const { completionItem, completionList } = textDocument?.completion ?? {};
  const defaults = completionList?.itemDefaults;
  return {
    supportsSnippets: completionItem?.snippetSupport === true,
    supportsLabelDetails: completionItem?.labelDetailsSupport === true,
    supportsTags: isListWith(completionItem?.tagSupport?.valueSet, CompletionItemTag.Deprecated),
    supportsDefaultRange: isListWith(defaults, 'editRange'),
    supportsDefaultData: isListWith(defaults, 'data'),
    requestsEditsLater:
      isListWith(completionItem?.resolveSupport?.properties, 'additionalTextEdits') && isListWith(defaults, 'data'),
    supportsInsertReplace: completionItem?.insertReplaceSupport === true,
    retriggers: isOurClient,
  };
}

/** Whether a value of the capabilities is a list that contains `item`. */
export function isListWith(value: unknown, item: unknown): boolean {
  return Array.isArray(value) && value.includes(item);
}
