/**
 * Completion: names at the beginning of a line and values after them, as items of the protocol.
 * Explanations are not part of the list. The editor requests the explanation of an item when the
 * user selects the item (`resolveCompletion`).
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
import { descriptionOfDirective } from '../../directives/descriptions';
import { hasHidden } from '../../syntax/hidden-text';
import { cacheOf, counters } from '../../syntax/memory';
import { bracedSuggestions } from './inside-argument';
import { closingTagSuggestions, loadModuleEdits, nameSuggestions } from './names';
import { valueSuggestions } from './values';
import { rangeOf, textEdits } from '../convert';
import { cursorAt, sectionsAround, type Cursor } from '../cursor';
import { definitionsIn } from '../../symbols/definitions';
import { directiveMarkdown, moduleMarkdown } from '../hover/directive-markdown';
import type { SuggestionSubject, CompletionRequest, Suggestion, Suggestions } from './suggestion';

export type { CompletionRequest, Folders } from './suggestion';

/** Which optional features of completion the client supports. */
export interface CompletionClient {
  /** Whether inserted text can have placeholders. */
  readonly supportsSnippets: boolean;
  /** Whether items can show details next to the label. */
  readonly supportsLabelDetails: boolean;
  /** Whether items can have tags, such as `CompletionItemTag.Deprecated`. */
  readonly supportsTags: boolean;
  /** Whether all items can share one range: `itemDefaults.editRange`. */
  readonly supportsDefaultRange: boolean;
  /** Whether all items can share data: `itemDefaults.data`. */
  readonly supportsDefaultData: boolean;
  /**
   * Whether the client requests further edits of an item when the user selects it:
   * `resolveSupport`.
   */
  readonly requestsEditsLater: boolean;
  /** Whether items can have two ranges, for inserting and for overwriting. */
  readonly supportsInsertReplace: boolean;
  /**
   * Whether the client requests a new list when the user deletes letters, and when an item asks for
   * it. Only our own client does.
   */
  readonly retriggers: boolean;
}

/**
 * Characters that trigger completion. `mustShowList` decides whether a list is shown after one.
 */
export const TRIGGER_CHARACTERS = ['<', '/', '$', '{', '%', '+', '-', '[', ',', '=', ':', '(', '!', '"', ' '];

/** Limit of characters before the cursor. With more, there is no list (2.2 reads 8191 bytes). */
const MAX_LENGTH_BEFORE_CURSOR = 8191;

/** The completion list at the cursor; null if there is nothing to offer. */
export function completion(request: CompletionRequest, client: CompletionClient): CompletionList | null {
  const completionRequest = {
    ...request,
    client: { supportsSnippets: client.supportsSnippets, retriggers: client.retriggers },
  };
  const cursor = cursorAt(request.tree, request.offset);
  if (!cursor || cursor.textBefore.length > MAX_LENGTH_BEFORE_CURSOR || !mustShowList(cursor, request.triggerCharacter))
    return null;
  const suggestionsAtCursor = suggestionsFor(completionRequest, cursor);
  return suggestionsAtCursor && suggestionsAtCursor.items.length > 0
    ? completionList(completionRequest, client, cursor, suggestionsAtCursor)
    : null;
}

/**
 * Adds the explanation and the deferred edits to a completion item. `file`: the file that the edits
 * change, whose URI `uriOfDeferredEdits` returns; without it, no edits are added. `target`: the
 * version as in the settings, such as `2.4` or `2.4.6`.
 */
export function resolveCompletion(
  item: CompletionItem,
  target: string,
  file?: Omit<CompletionRequest, 'offset'> | null,
): CompletionItem {
  const explainedSubject = item.data as SuggestionSubject | undefined;
  const explanationText = documentationOf(
    explainedSubject && 'named' in explainedSubject ? { directive: item.label.replace(/>$/, '') } : explainedSubject,
    target,
  );
  const edits =
    file &&
    uriOfDeferredEdits(item) !== undefined &&
    loadModuleEdits(file, definitionsIn(file.tree, file.engine), item.label.replace(/>$/, ''));
  return {
    ...item,
    ...(explanationText && { documentation: { kind: MarkupKind.Markdown, value: explanationText } }),
    ...(edits && { additionalTextEdits: textEdits(file.tree, edits) }),
  };
}

/**
 * The URI of the file that the deferred edits of an item change; undefined if the item already has
 * all its edits.
 */
export function uriOfDeferredEdits({ data }: CompletionItem): string | undefined {
  return data && 'named' in data ? (data as { uri?: string }).uri : undefined;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The suggestions at the cursor, before they become items. Null if nothing can be suggested there.
 */
function suggestionsFor(request: CompletionRequest, cursor: Cursor): Suggestions | null {
  if (isInOpaqueText(request)) return cursor.kind === 'close' ? closingTagSuggestions(request, cursor) : null;
  if (cursor.kind === 'close') return closingTagSuggestions(request, cursor);
  const definitions = definitionsIn(request.tree, request.engine);
  const question = { request, cursor, definitions, directiveKey: cursor.isTag ? `<${cursor.name}` : cursor.name };
  const suggestionsInPlace =
    bracedSuggestions(question) ??
    (cursor.kind === 'name' ? nameSuggestions(request, cursor, definitions) : valueSuggestions(question));
  return definitions.isComplete ? suggestionsInPlace : { ...suggestionsInPlace, isIncomplete: true };
}

/** Whether the cursor is in a section in another language, such as `<Perl>`. */
function isInOpaqueText({ tree, offset }: CompletionRequest): boolean {
  return sectionsAround(tree, offset).enclosingTags.some((openTag) => sectionKind(openTag.name) === 'opaque');
}

/**
 * Whether to show a list. After a typed trigger character, only if a value can begin there. After
 * an explicit request, always.
 */
function mustShowList(cursor: Cursor, trigger: string | undefined): boolean {
  if (trigger === undefined) return true;
  const { textBefore, kind, word } = cursor;
  switch (trigger) {
    case '<':
      return kind === 'name' && cursor.word === '';
    case '/':
      return kind === 'close' || (kind === 'argument' && word !== '/' && !/\s$/.test(textBefore));
    case '{':
      return /[$%]\{$/.test(textBefore);
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

/**
 * Makes the list of the protocol from suggestions. Null if the replaced text spans several lines.
 */
function completionList(
  request: CompletionRequest,
  client: CompletionClient,
  cursor: Cursor,
  { items, start, restLength, alwaysReplacesRest, isIncomplete = false, loadModuleInsertion }: Suggestions,
): CompletionList | null {
  const { tree, offset } = request;
  const typedRange = rangeOf(tree, { start: cursor.offsetOf(start), end: offset });
  // The edit of a completion item must be within one line. So a value that spans lines gets no
  // list.
  if (typedRange.start.line !== typedRange.end.line) return null;
  const replacedRange = rangeOf(tree, {
    start: cursor.offsetOf(start),
    end: cursor.offsetOf(cursor.textBefore.length + restLength),
  });
  const replaceRange = replacedRange.end.line === typedRange.end.line ? replacedRange : typedRange;
  const insertRange = alwaysReplacesRest ? replaceRange : typedRange;
  const ranges = { client, insert: insertRange, replace: replaceRange };
  const digitCount = String(items.length).length;
  const mayMatchTypedText = client.retriggers ? possibleMatchTest(cursor.textBefore.slice(start)) : () => true;
  const areEditsDeferred =
    loadModuleInsertion !== undefined &&
    client.requestsEditsLater &&
    request.uri !== undefined &&
    loadModuleInsertion.offset <= cursor.offsetOf(start);
  // All items of one module have the same edits.
  const editsByModule = new Map<string, TextEdit[]>();
  const loadModuleEditsOf = (module: string) =>
    editsByModule.get(module) ??
    editsByModule.set(module, textEdits(tree, loadModuleInsertion!.edits(module))).get(module)!;
  const completionItems: CompletionItem[] = [];
  for (const [index, suggestion] of items.entries()) {
    const { item, letters } = itemFor(client, suggestion);
    if (!mayMatchTypedText(letters)) continue;
    const addsLoadModule =
      suggestion.moduleToLoad !== undefined && loadModuleInsertion !== undefined && !areEditsDeferred;
    // Suggestions with a rank are shared between lists, so their items must not be changed.
    const isShared = suggestion.rank !== undefined;
    const listItem = isShared && (addsLoadModule || !client.supportsDefaultRange) ? { ...item } : item;
    if (!isShared) listItem.sortText = String(index).padStart(digitCount, '0');
    if (!client.supportsDefaultRange) listItem.textEdit = textEdit(suggestion, ranges);
    if (addsLoadModule) listItem.additionalTextEdits = loadModuleEditsOf(suggestion.moduleToLoad);
    if (suggestion.edits) listItem.additionalTextEdits = textEdits(tree, suggestion.edits);
    completionItems.push(listItem);
  }
  const areItemsNamedByLabel = client.supportsDefaultData && items.some((each) => isNamedByLabel(each));
  const itemDefaults = {
    ...(client.supportsDefaultRange && {
      editRange: client.supportsInsertReplace ? { insert: insertRange, replace: replaceRange } : replaceRange,
    }),
    ...(areItemsNamedByLabel && {
      data: (areEditsDeferred ? { named: true, uri: request.uri } : { named: true }) satisfies SuggestionSubject,
    }),
  };
  return {
    isIncomplete,
    ...((client.supportsDefaultRange || areItemsNamedByLabel) && { itemDefaults }),
    items: completionItems,
  };
}

/** Whether the label alone identifies the explanation. True for suggested names of directives. */
function isNamedByLabel({ explainedSubject, rank }: Suggestion): boolean {
  return rank !== undefined && explainedSubject !== undefined && 'directive' in explainedSubject;
}

// ---- What does not depend on a position ----

/** An item of the protocol, and the letters by which it can be ruled out. */
interface ItemWithLetters {
  readonly item: CompletionItem;
  /** The letters of the text that the editor compares with the typed text; bits of `lettersOf`. */
  readonly letters: number;
}

/** Counts the suggestions that were converted to items; tests read it. */
export const workCounts = counters({ items: 0 });

/** The items that are made already, by client and suggestion. */
const cachedItemsByClient = cacheOf<CompletionClient, WeakMap<Suggestion, ItemWithLetters>>();

/**
 * The item of a suggestion, without the parts that depend on the position. Cached if the suggestion
 * has a rank.
 */
function itemFor(client: CompletionClient, suggestion: Suggestion): ItemWithLetters {
  let cachedItems = cachedItemsByClient.get(client);
  if (!cachedItems) cachedItemsByClient.set(client, (cachedItems = new WeakMap()));
  let cachedItem = cachedItems.get(suggestion);
  if (!cachedItem) {
    cachedItem = {
      item: completionItemOf(suggestion, client),
      letters: lettersOf(suggestion.filter ?? suggestion.label),
    };
    if (suggestion.rank !== undefined) cachedItems.set(suggestion, cachedItem);
  }
  return cachedItem;
}

/** Converts a suggestion to a completion item, without the range that it replaces. */
function completionItemOf(suggestion: Suggestion, client: CompletionClient): CompletionItem {
  workCounts.items++;
  const { label, kind, source, filter, isOld, opensNextList, explainedSubject, rank } = suggestion;
  const { text, isSnippet } = insertedText(suggestion, client);
  const completionItem: CompletionItem = { label, kind, sortText: rank };
  // The editor shows invisible characters of the label in another form. It must compare and insert
  // the original text.
  const isShownOtherwise = hasHidden(label);
  if ((filter !== undefined && filter !== label) || isShownOtherwise) completionItem.filterText = filter ?? label;
  if (source && client.supportsLabelDetails) completionItem.labelDetails = { description: source };
  else if (source) completionItem.detail = source;
  if (isOld && client.supportsTags) completionItem.tags = [CompletionItemTag.Deprecated];
  else if (isOld) completionItem.deprecated = true;
  if (client.supportsDefaultRange && (text !== label || isShownOtherwise)) completionItem.textEditText = text;
  if (isSnippet) completionItem.insertTextFormat = InsertTextFormat.Snippet;
  // This command makes the editor open the next list after it inserts the item.
  if (opensNextList && client.retriggers) completionItem.command = OPEN_LIST_COMMAND;
  if (explainedSubject && !(client.supportsDefaultData && isNamedByLabel(suggestion)))
    completionItem.data = explainedSubject;
  return completionItem;
}

/** The command of VS Code that opens the next completion list. */
const OPEN_LIST_COMMAND = { title: 'Suggest', command: 'editor.action.triggerSuggest', arguments: [{ auto: true }] };

/** The text that the editor inserts, with placeholders if the client supports them. */
function insertedText(
  { label, text = label, snippet }: Suggestion,
  client: CompletionClient,
): { text: string; isSnippet: boolean } {
  return client.supportsSnippets && snippet !== undefined
    ? { text: snippet, isSnippet: true }
    : { text, isSnippet: false };
}

function textEdit(
  suggestion: Suggestion,
  { client, insert, replace }: { client: CompletionClient; insert: Range; replace: Range },
): CompletionItem['textEdit'] {
  const newText = insertedText(suggestion, client).text;
  return client.supportsInsertReplace ? { newText, insert, replace } : { newText, range: replace };
}

/** The set of letters `a` to `z` in a text: one bit for each letter. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = (text.charCodeAt(i) | 32) - 97;
    if (letter >= 0 && letter < 26) letters |= 1 << letter;
  }
  return letters;
}

/**
 * Returns a function that tests whether an item with certain letters may match the typed text. The
 * item must have all typed letters, in any order, because VS Code allows two swapped letters.
 */
function possibleMatchTest(typedText: string): (letters: number) => boolean {
  const wantedLetters = lettersOf(typedText);
  return (letters) => (letters & wantedLetters) === wantedLetters;
}

// ---- Explanations ----

/** The explanation of a suggestion, as Markdown; undefined if there is none. */
function documentationOf(subject: SuggestionSubject | undefined, target: string): string | undefined {
  if (subject === undefined || 'named' in subject) return undefined;
  if ('directive' in subject)
    return directiveMarkdown(subject.directive, { isSection: subject.directive.startsWith('<'), target });
  if ('module' in subject) return moduleMarkdown(subject.module);
  if ('text' in subject) return subject.text;
  // An editor may send an item of another language server, whose data has another form.
  return 'of' in subject ? valueText(subject.of, subject.word) : undefined;
}

/**
 * The description of a value of a directive; undefined if there is none. The key of a description
 * can name several values: `append, merge`.
 */
function valueText(directiveName: string, word: string): string | undefined {
  const descriptionsByValue =
    descriptionOfDirective(directiveName, { section: directiveName.startsWith('<') })?.arguments ?? {};
  const lowerWord = word.toLowerCase();
  const matchingEntry = Object.entries(descriptionsByValue).find(([names]) =>
    names
      .split(', ')
      .some((name) => name.toLowerCase().replace(/[=:].*/, '') === lowerWord || name.toLowerCase() === lowerWord),
  );
  return matchingEntry?.[1];
}
