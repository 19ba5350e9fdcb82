/** `textDocument/formatting`, `rangeFormatting` (one range or several) and `onTypeFormatting`. */
import type {
  CancellationToken,
  DocumentRangesFormattingParams,
  FormattingOptions,
  TextEdit,
} from 'vscode-languageserver';
import { formatEdits, type FormatEdit, type FormatOptions } from '../features/format';
import { formatOnType } from '../features/format-on-type';
import type { Settings } from './settings';
import { atOnce, type Session } from './session';

export function serveFormatting(session: Session): void {
  const { connection } = session;
  connection.onDocumentFormatting(async ({ textDocument, options }, token) => {
    const found = await atOnce(session, textDocument.uri, token);
    return found && edits(formatEdits(found.document.tree, optionsOf(options, found.settings)));
  });
  connection.onDocumentRangeFormatting(async ({ textDocument, range, options }, token) => {
    const found = await atOnce(session, textDocument.uri, token);
    return (
      found &&
      edits(
        formatEdits(
          found.document.tree,
          optionsOf(options, found.settings),
          found.document.offsetAt(range.start),
          found.document.offsetAt(range.end),
        ),
      )
    );
  });
  connection.onRequest(
    'textDocument/rangesFormatting',
    async ({ textDocument, ranges, options }: DocumentRangesFormattingParams, token: CancellationToken) => {
      const found = await atOnce(session, textDocument.uri, token);
      if (!found) return found;
      const { document, settings } = found;
      const spans = ranges
        .map(({ start, end }) => ({ start: document.offsetAt(start), end: document.offsetAt(end) }))
        .sort((a, b) => a.start - b.start);
      const made = new Map<string, FormatEdit>();
      // Two ranges may share a line.
      for (const { start, end } of spans)
        for (const edit of formatEdits(document.tree, optionsOf(options, settings), start, end))
          made.set(JSON.stringify(edit.range), edit);
      return edits([...made.values()]);
    },
  );
  connection.onDocumentOnTypeFormatting(async ({ textDocument, position, ch, options }, token) => {
    const found = await atOnce(session, textDocument.uri, token);
    // Our own client puts the cursor between the tags, which the protocol does not support.
    return (
      found &&
      edits(
        formatOnType(found.document.tree, found.document.offsetAt(position), ch, {
          ...optionsOf(options, found.settings),
          closesTags: !session.client.showsRules && found.settings.values.autoClosingTags,
        }),
      )
    );
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/** The widest indentation that is accepted. */
const WIDEST = 32;

/** Missing or invalid options get the usual defaults of formatters. */
function optionsOf(given: Partial<FormattingOptions>, { values }: Settings): FormatOptions {
  const { tabSize } = given;
  const flag = (name: string) => (typeof given[name] === 'boolean' ? { [name]: given[name] } : {});
  return {
    tabSize: typeof tabSize === 'number' && tabSize >= 1 && tabSize <= WIDEST ? Math.floor(tabSize) : 4,
    insertSpaces: given.insertSpaces !== false,
    alignment: values['format.alignment'],
    ...flag('trimTrailingWhitespace'),
    ...flag('insertFinalNewline'),
    ...flag('trimFinalNewlines'),
  };
}

function edits(formatEdits: readonly FormatEdit[]): TextEdit[] {
  return formatEdits.map(({ range, text }) => ({ range, newText: text }));
}
