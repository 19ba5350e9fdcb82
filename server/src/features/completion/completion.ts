/**
 * Completion: names at the beginning of a line, values after them, as the protocol's items.
 * Explanations are not part of the list; the editor requests each when the user looks at it
 * (`resolveCompletion`).
 */
import {
  CompletionItemTag,
  InsertTextFormat,
  MarkupKind,
  type CompletionItem,
  type CompletionList,
  type Range,
  type TextEdit,
} from 'vscode-languageserver-types';
import { sectionKind } from '../../config/sections';
import { describe } from '../../directives/descriptions';
import { hasHidden } from '../../syntax/hidden-text';
import { cacheOf, counters } from '../../syntax/memory';
import { bracedSuggestions } from './inside-argument';
import { closeSuggestions, loadEdits, nameSuggestions } from './names';
import { valueSuggestions } from './values';
import { rangeOf, textEdits } from '../convert';
import { cursorAt, sectionsAround, type Cursor } from '../cursor';
import { definitionsIn } from '../../symbols/definitions';
import { directiveMarkdown, moduleMarkdown } from '../hover/directive-markdown';
import type { About, CompletionRequest, Suggestion, Suggestions } from './suggestion';

export type { CompletionRequest, Folders } from './suggestion';

/** Optional features of the editor's completion. */
export interface CompletionClient {
  /** Snippets with placeholders. */
  readonly snippets: boolean;
  /** Details next to the label. */
  readonly labelDetails: boolean;
  /** `CompletionItemTag.Deprecated`. */
  readonly tags: boolean;
  /** One range for all items: `itemDefaults.editRange`. */
  readonly defaultRange: boolean;
  /** Data for all items at once: `itemDefaults.data`. */
  readonly defaultData: boolean;
  /**
   * Requests further edits of an item when the user looks at it or chooses it: `resolveSupport`.
   */
  readonly lateEdits: boolean;
  /** Two ranges: for inserting and for overwriting. */
  readonly insertReplace: boolean;
  /**
   * Whether the client requests a new list when the user deletes letters, and whenever we ask it
   * to. Only our own client does.
   */
  readonly retriggers: boolean;
}

/** Characters that trigger completion; `isAsked` checks whether a value can begin there. */
export const TRIGGERS = ['<', '/', '$', '{', '%', '+', '-', '[', ',', '=', ':', '(', '!', '"', ' '];

/** Limit for characters before the cursor (httpd 2.2 reads 8191 bytes of a line). */
const LONGEST_LINE = 8191;

/** The list at an offset; null if there is nothing to offer. */
export function completion(request: CompletionRequest, client: CompletionClient): CompletionList | null {
  const completionRequest = { ...request, client: { snippets: client.snippets, retriggers: client.retriggers } };
  const cursor = cursorAt(request.tree, request.offset);
  if (!cursor || cursor.before.length > LONGEST_LINE || !isAsked(cursor, request.trigger)) return null;
  const result = suggestions(completionRequest, cursor);
  return result && result.items.length > 0 ? completionList(completionRequest, client, cursor, result) : null;
}

/**
 * Adds the explanation and the deferred edits to a completion item. `file`: the file that the edits
 * change (the result of `leftFor`); without it no edits are added. `target` as in the settings:
 * `2.4` or `2.4.6`.
 */
export function resolveCompletion(
  item: CompletionItem,
  target: string,
  file?: Omit<CompletionRequest, 'offset'> | null,
): CompletionItem {
  const about = item.data as About | undefined;
  const value = documentation(about && 'named' in about ? { directive: item.label.replace(/>$/, '') } : about, target);
  const edits =
    file &&
    leftFor(item) !== undefined &&
    loadEdits(file, definitionsIn(file.tree, file.engine), item.label.replace(/>$/, ''));
  return {
    ...item,
    ...(value && { documentation: { kind: MarkupKind.Markdown, value } }),
    ...(edits && { additionalTextEdits: textEdits(file.tree, edits) }),
  };
}

/**
 * The URI of the file with an item's deferred edits; undefined if the item has all of its edits.
 */
export function leftFor({ data }: CompletionItem): string | undefined {
  return data && 'named' in data ? (data as { uri?: string }).uri : undefined;
}

// ---------------------------------------------------------------------------------------------------------------------

function suggestions(request: CompletionRequest, cursor: Cursor): Suggestions | null {
  if (isOpaque(request)) return cursor.kind === 'close' ? closeSuggestions(request, cursor) : null;
  if (cursor.kind === 'close') return closeSuggestions(request, cursor);
  const definitions = definitionsIn(request.tree, request.engine);
  const question = { request, cursor, definitions, key: cursor.isTag ? `<${cursor.name}` : cursor.name };
  const result =
    bracedSuggestions(question) ??
    (cursor.kind === 'name' ? nameSuggestions(request, cursor, definitions) : valueSuggestions(question));
  return definitions.isComplete ? result : { ...result, isIncomplete: true };
}

function isOpaque({ tree, offset }: CompletionRequest): boolean {
  return sectionsAround(tree, offset).enclosing.some((open) => sectionKind(open.name) === 'opaque');
}

/**
 * A typed character opens the list only if a value can begin there; an explicit request is always
 * answered.
 */
function isAsked(cursor: Cursor, trigger: string | undefined): boolean {
  if (trigger === undefined) return true;
  const { before, kind, word } = cursor;
  switch (trigger) {
    case '<':
      return kind === 'name' && cursor.word === '';
    case '/':
      return kind === 'close' || (kind === 'argument' && word !== '/' && !/\s$/.test(before));
    case '{':
      return /[$%]\{$/.test(before);
    case '$':
    case '!':
    case '(':
      return kind === 'argument' && trigger !== '$';
    case ' ':
    case '"':
      return kind === 'argument' && word === '';
    default:
      return kind === 'argument';
  }
}

function completionList(
  request: CompletionRequest,
  client: CompletionClient,
  cursor: Cursor,
  { items, start, rest, takesRest, isIncomplete = false, loading }: Suggestions,
): CompletionList | null {
  const { tree, offset } = request;
  const before = rangeOf(tree, { start: cursor.offsetOf(start), end: offset });
  // A value that spans lines cannot be replaced by one edit of the protocol.
  if (before.start.line !== before.end.line) return null;
  const range = rangeOf(tree, { start: cursor.offsetOf(start), end: cursor.offsetOf(cursor.before.length + rest) });
  const replace = range.end.line === before.end.line ? range : before;
  const insert = takesRest ? replace : before;
  const ranges = { client, insert, replace };
  const digits = String(items.length).length;
  const fits = client.retriggers ? fitting(cursor.before.slice(start)) : () => true;
  const isLate =
    loading !== undefined && client.lateEdits && request.uri !== undefined && loading.offset <= cursor.offsetOf(start);
  // The items of one module have the same edits.
  const editsByModule = new Map<string, TextEdit[]>();
  const additional = (module: string) =>
    editsByModule.get(module) ?? editsByModule.set(module, textEdits(tree, loading!.edits(module))).get(module)!;
  const completionItems: CompletionItem[] = [];
  for (const [index, suggestion] of items.entries()) {
    const { item, letters } = wordedFor(client, suggestion);
    if (!fits(letters)) continue;
    const brings = suggestion.loads !== undefined && loading !== undefined && !isLate;
    // Items that are shared between lists must not be changed.
    const isKept = suggestion.rank !== undefined;
    const copy = isKept && (brings || !client.defaultRange) ? { ...item } : item;
    if (!isKept) copy.sortText = String(index).padStart(digits, '0');
    if (!client.defaultRange) copy.textEdit = textEdit(suggestion, ranges);
    if (brings) copy.additionalTextEdits = additional(suggestion.loads);
    if (suggestion.edits) copy.additionalTextEdits = textEdits(tree, suggestion.edits);
    completionItems.push(copy);
  }
  const isNamed = client.defaultData && items.some((each) => isNamedByLabel(each));
  const itemDefaults = {
    ...(client.defaultRange && { editRange: client.insertReplace ? { insert, replace } : replace }),
    ...(isNamed && { data: (isLate ? { named: true, uri: request.uri } : { named: true }) satisfies About }),
  };
  return { isIncomplete, ...((client.defaultRange || isNamed) && { itemDefaults }), items: completionItems };
}

/** Names of directives alone: their label identifies the explanation. */
function isNamedByLabel({ about, rank }: Suggestion): boolean {
  return rank !== undefined && about !== undefined && 'directive' in about;
}

// ---- What does not depend on a position ----

interface Worded {
  readonly item: CompletionItem;
  /** The letters that are compared with the typed text, as in `lettersOf`. */
  readonly letters: number;
}

/** Counter for tests: items converted so far. */
export const work = counters({ items: 0 });

const worded = cacheOf<CompletionClient, WeakMap<Suggestion, Worded>>();

function wordedFor(client: CompletionClient, suggestion: Suggestion): Worded {
  let cached = worded.get(client);
  if (!cached) worded.set(client, (cached = new WeakMap()));
  let cachedItem = cached.get(suggestion);
  if (!cachedItem) {
    cachedItem = { item: toItem(suggestion, client), letters: lettersOf(suggestion.filter ?? suggestion.label) };
    if (suggestion.rank !== undefined) cached.set(suggestion, cachedItem);
  }
  return cachedItem;
}

/** The completion item of a suggestion, without the range that it replaces. */
function toItem(suggestion: Suggestion, client: CompletionClient): CompletionItem {
  work.items++;
  const { label, kind, from, filter, isOld, goesOn, about, rank } = suggestion;
  const { text, isSnippet } = textOf(suggestion, client);
  const item: CompletionItem = { label, kind, sortText: rank };
  // The visible form of such a label cannot be compared or inserted.
  const isShownOtherwise = hasHidden(label);
  if ((filter !== undefined && filter !== label) || isShownOtherwise) item.filterText = filter ?? label;
  if (from && client.labelDetails) item.labelDetails = { description: from };
  else if (from) item.detail = from;
  if (isOld && client.tags) item.tags = [CompletionItemTag.Deprecated];
  else if (isOld) item.deprecated = true;
  if (client.defaultRange && (text !== label || isShownOtherwise)) item.textEditText = text;
  if (isSnippet) item.insertTextFormat = InsertTextFormat.Snippet;
  // Opens the next list after inserting; the editor shows nothing if it is empty.
  if (goesOn && client.retriggers) item.command = SUGGEST;
  if (about && !(client.defaultData && isNamedByLabel(suggestion))) item.data = about;
  return item;
}

const SUGGEST = { title: 'Suggest', command: 'editor.action.triggerSuggest', arguments: [{ auto: true }] };

function textOf(
  { label, text = label, snippet }: Suggestion,
  client: CompletionClient,
): { text: string; isSnippet: boolean } {
  return client.snippets && snippet !== undefined ? { text: snippet, isSnippet: true } : { text, isSnippet: false };
}

function textEdit(
  suggestion: Suggestion,
  { client, insert, replace }: { client: CompletionClient; insert: Range; replace: Range },
): CompletionItem['textEdit'] {
  const newText = textOf(suggestion, client).text;
  return client.insertReplace ? { newText, insert, replace } : { newText, range: replace };
}

/** The letters `a` to `z` in a text, one bit each. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = (text.charCodeAt(i) | 32) - 97;
    if (letter >= 0 && letter < 26) letters |= 1 << letter;
  }
  return letters;
}

/**
 * Whether an editor may match the typed text with an item: the item has all its letters, in any
 * order (VS Code allows two swapped ones).
 */
function fitting(typed: string): (letters: number) => boolean {
  const wanted = lettersOf(typed);
  return (letters) => (letters & wanted) === wanted;
}

// ---- What explains it ----

function documentation(about: About | undefined, target: string): string | undefined {
  if (about === undefined || 'named' in about) return undefined;
  if ('directive' in about)
    return directiveMarkdown(about.directive, { section: about.directive.startsWith('<'), target });
  if ('module' in about) return moduleMarkdown(about.module);
  if ('text' in about) return about.text;
  // Editors may return the data of another server.
  return 'of' in about ? valueText(about.of, about.word) : undefined;
}

/** The description of a value of a directive; its keys may name several: `append, merge`. */
function valueText(directiveName: string, word: string): string | undefined {
  const values = describe(directiveName, { section: directiveName.startsWith('<') })?.arguments ?? {};
  const lowerWord = word.toLowerCase();
  const entry = Object.entries(values).find(([names]) =>
    names
      .split(', ')
      .some((name) => name.toLowerCase().replace(/[=:].*/, '') === lowerWord || name.toLowerCase() === lowerWord),
  );
  return entry?.[1];
}
