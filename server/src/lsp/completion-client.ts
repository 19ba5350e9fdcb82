/** The completion features of a client, from its capabilities. */
import { CompletionItemTag, type ClientCapabilities } from 'vscode-languageserver';
import type { CompletionClient } from '../features/completion/completion';

export function completionClient({ textDocument }: ClientCapabilities, isOurs: boolean): CompletionClient {
  const { completionItem, completionList } = textDocument?.completion ?? {};
  const defaults = completionList?.itemDefaults;
  return {
    snippets: completionItem?.snippetSupport === true,
    labelDetails: completionItem?.labelDetailsSupport === true,
    tags: lists(completionItem?.tagSupport?.valueSet, CompletionItemTag.Deprecated),
    defaultRange: lists(defaults, 'editRange'),
    defaultData: lists(defaults, 'data'),
    lateEdits: lists(completionItem?.resolveSupport?.properties, 'additionalTextEdits') && lists(defaults, 'data'),
    insertReplace: completionItem?.insertReplaceSupport === true,
    retriggers: isOurs,
  };
}

/** Whether a capability is a list with this item. */
export function lists(value: unknown, item: unknown): boolean {
  return Array.isArray(value) && value.includes(item);
}
