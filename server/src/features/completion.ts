/**
 * Completion: names where a line begins, values behind them, in the protocol's words. Explanations are not part of the list; the
 * editor asks for each when somebody looks at it (`resolveCompletion`).
 */
import {
  CompletionItemTag, InsertTextFormat, MarkupKind, type CompletionItem, type CompletionList, type Range, type TextEdit,
} from 'vscode-languageserver-types';
import { sectionKind } from '../config/sections';
import { describe } from '../directives/descriptions';
import type { Edit } from '../rules/rule';
import { bracedSuggestions } from './completion-inside';
import { closeSuggestions, nameSuggestions } from './completion-names';
import { valueSuggestions } from './completion-values';
import { rangeOf, textEdits } from './convert';
import { cursorAt, sectionsAround, type Cursor } from './cursor';
import { definitionsIn } from './definitions';
import { directiveMarkdown, moduleMarkdown } from './directive-markdown';
import type { About, CompletionRequest, Suggestion, Suggestions } from './suggestion';

export type { CompletionRequest, Folders } from './suggestion';

/** What the editor makes of a list, beyond the plain. */
export interface CompletionClient {
  /** Places to fill in. */
  readonly snippets: boolean;
  /** A detail beside the label. */
  readonly labelDetails: boolean;
  /** `CompletionItemTag.Deprecated`. */
  readonly tags: boolean;
  /** One range for all items: `itemDefaults.editRange`. */
  readonly defaultRange: boolean;
  /** Two ranges: what to replace when inserting, and when overwriting. */
  readonly insertReplace: boolean;
  /** Our own client, which can be told to ask again. */
  readonly retriggers: boolean;
}

/** Characters that ask by themselves. What they ask for is looked at in `isAsked`. */
export const TRIGGERS = ['<', '/', '$', '{', '%', '+', '-', '[', ',', '=', ':', '(', '!', '"', ' '];

/** Characters before the cursor: what is longer nobody writes by hand (httpd 2.2 reads 8191 bytes of a line). */
const LONGEST_LINE = 8191;

/** The list at an offset; null where there is nothing to offer. */
export function completion(request: CompletionRequest, client: CompletionClient): CompletionList | null {
  const asked = { ...request, client: { snippets: client.snippets, retriggers: client.retriggers } };
  const cursor = cursorAt(request.tree, request.offset);
  if (!cursor || cursor.before.length > LONGEST_LINE || !isAsked(cursor, request.trigger)) return null;
  const found = suggestions(asked, cursor);
  return found && found.items.length > 0 ? list(asked, client, cursor, found) : null;
}

/** The item with its explanation; `data` is what the item has. `target` as in the settings: `2.4` or `2.4.6`. */
export function resolveCompletion(item: CompletionItem, target: string): CompletionItem {
  const value = documentation(item.data as About | undefined, target);
  return value ? { ...item, documentation: { kind: MarkupKind.Markdown, value } } : item;
}

// ---------------------------------------------------------------------------------------------------------------------

function suggestions(request: CompletionRequest, cursor: Cursor): Suggestions | null {
  if (isOpaque(request)) return cursor.kind === 'close' ? closeSuggestions(request, cursor) : null;
  if (cursor.kind === 'close') return closeSuggestions(request, cursor);
  const definitions = definitionsIn(request.tree, request.engine);
  const question = { request, cursor, definitions, key: cursor.isTag ? `<${cursor.name}` : cursor.name };
  const found = bracedSuggestions(question) ?? (cursor.kind === 'name' ? nameSuggestions(request, cursor, definitions) : valueSuggestions(question));
  return definitions.isComplete ? found : { ...found, isIncomplete: true };
}

function isOpaque({ tree, offset }: CompletionRequest): boolean {
  return sectionsAround(tree, offset).closed.some((open) => sectionKind(open.name) === 'opaque');
}

/** Characters that begin a value ask where one can begin; a person's own question is always answered. */
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

function list(request: CompletionRequest, client: CompletionClient, cursor: Cursor, { items, start, rest, takesRest, isIncomplete = false }: Suggestions): CompletionList | null {
  const { tree, offset } = request;
  const before = rangeOf(tree, { start: cursor.offsetOf(start), end: offset });
  // A value that goes on over a line's end cannot be replaced by one edit of the protocol.
  if (before.start.line !== before.end.line) return null;
  const whole = rangeOf(tree, { start: cursor.offsetOf(start), end: cursor.offsetOf(cursor.before.length + rest) });
  const replace = whole.end.line === before.end.line ? whole : before;
  const insert = takesRest ? replace : before;
  const digits = String(items.length).length;
  // The items of one module bring the same edits.
  const known = new Map<unknown, TextEdit[]>();
  const additional = (edits: readonly Edit[]) => known.get(edits) ?? known.set(edits, textEdits(tree, edits)).get(edits)!;
  return {
    isIncomplete,
    ...(client.defaultRange && { itemDefaults: { editRange: client.insertReplace ? { insert, replace } : replace } }),
    items: items.map((item, index) => toItem(item, { client, insert, replace, additional, sortText: String(index).padStart(digits, '0') })),
  };
}

interface Placing {
  readonly client: CompletionClient;
  additional(edits: readonly Edit[]): TextEdit[];
  readonly insert: Range;
  readonly replace: Range;
  readonly sortText: string;
}

function toItem(suggestion: Suggestion, { client, insert, replace, sortText, additional }: Placing): CompletionItem {
  const { label, kind, from, snippet, filter, isOld, goesOn, edits, about } = suggestion;
  const text = (client.snippets ? snippet : undefined) ?? suggestion.text ?? label;
  const isSnippet = client.snippets && snippet !== undefined;
  return {
    label,
    kind,
    sortText,
    ...(filter !== undefined && filter !== label && { filterText: filter }),
    ...(from && (client.labelDetails ? { labelDetails: { description: from } } : { detail: from })),
    ...(isOld && (client.tags ? { tags: [CompletionItemTag.Deprecated] } : { deprecated: true })),
    ...(client.defaultRange
      ? text !== label && { textEditText: text }
      : { textEdit: client.insertReplace ? { newText: text, insert, replace } : { newText: text, range: replace } }),
    ...(isSnippet && { insertTextFormat: InsertTextFormat.Snippet }),
    ...(edits && { additionalTextEdits: additional(edits) }),
    // As if by itself: where there is nothing to choose, the editor does not say so.
    ...(goesOn && client.retriggers && { command: { title: 'Suggest', command: 'editor.action.triggerSuggest', arguments: [{ auto: true }] } }),
    ...(about && { data: about }),
  };
}

function documentation(about: About | undefined, target: string): string | undefined {
  if (about === undefined || about === null) return undefined;
  if ('directive' in about) return directiveMarkdown(about.directive, { section: about.directive.startsWith('<'), target });
  if ('module' in about) return moduleMarkdown(about.module);
  if ('text' in about) return about.text;
  return valueText(about.of, about.word);
}

/** What the description of a directive says of a value; its lines may be about several: `append, merge`. */
function valueText(of: string, word: string): string | undefined {
  const values = describe(of, { section: of.startsWith('<') })?.arguments ?? {};
  const wanted = word.toLowerCase();
  const found = Object.entries(values).find(([names]) => names.split(', ').some((name) => name.toLowerCase().replace(/[=:].*$/, '') === wanted || name.toLowerCase() === wanted));
  return found?.[1];
}
