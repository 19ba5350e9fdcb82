/**
 * Writes answers as JSON. Thousands of locations are most of the work of a request, and
 * JSON.stringify inspects the fields of each object, although all are the same. Only lists that a
 * handler marks are written by hand: a copied answer, for example with positions converted, is an
 * ordinary list.
 */
import type { Location, Message, Range, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import { cacheOf, latest } from '../syntax/memory';
import { withVisibleTexts } from '../syntax/hidden-text';

/** Marks a list for fast writing: each item has exactly `uri` and `range`. */
export function locations(list: Location[]): Location[] {
  writers.set(list, () => listOf(list, ({ uri, range }) => `{"uri":${quoted(uri)},"range":${textOf(range)}}`));
  return list;
}

/** Marks an edit for fast writing: its edits have exactly `range` and `newText`. */
export function plainEdits(edit: WorkspaceEdit): WorkspaceEdit {
  const write = (list: readonly TextEdit[]) =>
    listOf(list, ({ range, newText }) => `{"range":${textOf(range)},"newText":${quoted(newText)}}`);
  const { changes, documentChanges } = edit;
  writers.set(edit, () =>
    documentChanges
      ? `{"documentChanges":${listOf(documentChanges, (change) =>
          'edits' in change
            ? `{"textDocument":${JSON.stringify(change.textDocument)},"edits":${write(change.edits as TextEdit[])}}`
            : JSON.stringify(change),
        )}}`
      : `{"changes":{${Object.entries(changes ?? {})
          .map(([uri, list]) => `${JSON.stringify(uri)}:${write(list)}`)
          .join(',')}}}`,
  );
  return edit;
}

/**
 * A writer that makes invisible characters in messages visible, for transports that take messages
 * as objects.
 */
export function withVisibleMessages<Writer extends { write(message: Message): Promise<void> }>(writer: Writer): Writer {
  const write = writer.write.bind(writer);
  writer.write = (message) => write(withVisibleTexts(message));
  return writer;
}

/** A message of the protocol as JSON. */
export function messageText(message: object): string {
  const { jsonrpc, id, result } = message as { jsonrpc?: unknown; id?: unknown; result?: unknown };
  const write = typeof result === 'object' && result !== null ? writers.get(result) : undefined;
  if (!write) return JSON.stringify(withVisibleTexts(message));
  return `{"jsonrpc":${JSON.stringify(jsonrpc)},"id":${JSON.stringify(id)},"result":${write()}}`;
}

// ---------------------------------------------------------------------------------------------------------------------

const writers = cacheOf<object, () => string>();

function listOf<Item>(items: readonly Item[], text: (item: Item) => string): string {
  let all = '';
  for (const item of items) all += all === '' ? text(item) : `,${text(item)}`;
  return `[${all}]`;
}

function textOf({ start, end }: Range): string {
  return `{"start":{"line":${start.line},"character":${start.character}},"end":{"line":${end.line},"character":${end.character}}}`;
}

/** Thousands of items in a row often have the same string. */
const last = latest({ string: '', text: '""' });

function quoted(string: string): string {
  if (string !== last.value.string) last.value = { string, text: JSON.stringify(string) };
  return last.value.text;
}
