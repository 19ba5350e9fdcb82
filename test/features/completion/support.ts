/**
 * Completion for tests: text with the cursor as `|`, labels in order, and the text after insertion.
 */
import assert from 'node:assert/strict';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CompletionItem, CompletionList, Range, TextEdit } from 'vscode-languageserver-types';
import { Engine } from '../../../server/src/analysis/engine';
import type { FileContext } from '../../../server/src/config/file-context';
import { parseTarget } from '../../../server/src/config/target';
import {
  completion,
  resolveCompletion,
  type CompletionClient,
  type CompletionRequest,
  type Folders,
} from '../../../server/src/features/completion/completion';
import { ALL_RULES } from '../../../server/src/rules/all';
import { Tree } from '../../../server/src/syntax/document';
import { fuzzyRank } from './fuzzy';

export interface Asked {
  readonly isHtaccess?: boolean;
  readonly fileContext?: FileContext;
  readonly trigger?: string;
  readonly folders?: Folders;
  readonly models?: CompletionRequest['configurationModels'];
  readonly elsewhere?: CompletionRequest['namesInOtherFiles'];
  readonly target?: string;
  readonly client?: Partial<CompletionClient>;
}

export const VSCODE: CompletionClient = {
  supportsSnippets: true,
  supportsLabelDetails: true,
  supportsTags: true,
  supportsDefaultRange: true,
  supportsDefaultData: true,
  requestsEditsLater: true,
  supportsInsertReplace: true,
  retriggers: true,
};
export const PLAIN: CompletionClient = {
  supportsSnippets: false,
  supportsLabelDetails: false,
  supportsTags: false,
  supportsDefaultRange: false,
  supportsDefaultData: false,
  requestsEditsLater: false,
  supportsInsertReplace: false,
  retriggers: false,
};

/** A configuration that is known as a whole, with nothing in it. */
export const ALONE: FileContext = {
  containers: [],
  modules: null,
  overrides: null,
  macros: null,
  activityOf: () => undefined,
  variable: () => undefined,
};

const engines = new Map<string, Engine>();

export function engineFor(target = '2.4'): Engine {
  return (
    engines.get(target) ??
    engines.set(target, new Engine({ rules: ALL_RULES, target: parseTarget(target)! })).get(target)!
  );
}

export interface Completed {
  readonly text: string;
  readonly offset: number;
  readonly list: CompletionList;
  /** Labels as an editor shows them for what is typed: those that fit, best first. */
  readonly labels: readonly string[];
  /** The item as the editor has it when somebody looks at it. */
  resolved(item: CompletionItem): CompletionItem;
}

export function complete(
  source: string,
  { isHtaccess = false, fileContext, trigger, folders, models, elsewhere, target, client }: Asked = {},
): Completed | null {
  const offset = source.indexOf('|');
  assert.ok(offset >= 0, 'a cursor');
  const text = source.slice(0, offset) + source.slice(offset + 1);
  const tree = Tree.parse(text);
  const engine = engineFor(target);
  engine.analyze(tree, { isHtaccess, fileContext });
  const request = {
    uri: 'file:///etc/httpd/httpd.conf',
    tree,
    offset,
    engine,
    isHtaccess,
    fileContext,
    triggerCharacter: trigger,
    folders,
    configurationModels: models,
    namesInOtherFiles: elsewhere,
  };
  const list = completion(request, { ...VSCODE, ...client });
  const resolved = (item: CompletionItem) =>
    resolveCompletion({ ...item, data: item.data ?? list?.itemDefaults?.data }, '2.4', request);
  return list && { text, offset, list, labels: shown(text, offset, list).map(({ label }) => label), resolved };
}

/** The text after an item was taken, its places to fill in as they are written. */
export function taken({ text, list, resolved }: Completed, label: string): string {
  const item = list.items.find((each) => each.label === label);
  assert.ok(item, `${label} is in ${list.items.map((each) => each.label).join(' ')}`);
  const document = TextDocument.create('', '', 0, text);
  const edit: TextEdit = { range: rangeOf(list, item), newText: newText(item) };
  return TextDocument.applyEdits(document, [edit, ...(resolved(item).additionalTextEdits ?? [])]);
}

/** What an editor shows: what fits the word before the cursor, ranked as VS Code ranks. */
function shown(text: string, offset: number, list: CompletionList): CompletionItem[] {
  const document = TextDocument.create('', '', 0, text);
  return fuzzyRank(list.items, (item) => text.slice(document.offsetAt(rangeOf(list, item).start), offset));
}

function rangeOf(list: CompletionList, item: CompletionItem): Range {
  const given = item.textEdit ?? { range: list.itemDefaults!.editRange as Range };
  const range = 'range' in given ? given.range : given;
  return 'insert' in range ? (range as unknown as { replace: Range }).replace : range;
}

function newText(item: CompletionItem): string {
  return item.textEdit?.newText ?? item.textEditText ?? item.label;
}
