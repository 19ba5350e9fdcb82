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
import { documentWithSettings, type Session } from './session';

export function serveFormatting(session: Session): void {
  const { connection } = session;
  connection.onDocumentFormatting(async ({ textDocument, options }, token) => {
    const openDocument = await documentWithSettings(session, textDocument.uri, token);
    return (
      openDocument && toTextEdits(formatEdits(openDocument.document.tree, optionsOf(options, openDocument.settings)))
    );
  });
  connection.onDocumentRangeFormatting(async ({ textDocument, range, options }, token) => {
    const openDocument = await documentWithSettings(session, textDocument.uri, token);
    return (
      openDocument &&
      toTextEdits(
        formatEdits(
          openDocument.document.tree,
          optionsOf(options, openDocument.settings),
          openDocument.document.offsetAt(range.start),
          openDocument.document.offsetAt(range.end),
        ),
      )
    );
  });
  connection.onRequest(
    'textDocument/rangesFormatting',
    async ({ textDocument, ranges, options }: DocumentRangesFormattingParams, token: CancellationToken) => {
      const openDocument = await documentWithSettings(session, textDocument.uri, token);
      if (!openDocument) return openDocument;
      const { document, settings } = openDocument;
      const spans = ranges
        .map(({ start, end }) => ({ start: document.offsetAt(start), end: document.offsetAt(end) }))
        .sort((a, b) => a.start - b.start);
      const editByKey = new Map<string, FormatEdit>();
      // Two of the ranges may be on the same line, so that an edit is found twice.
      for (const { start, end } of spans)
        for (const edit of formatEdits(document.tree, optionsOf(options, settings), start, end))
          editByKey.set(JSON.stringify(edit.range), edit);
      return toTextEdits([...editByKey.values()]);
    },
  );
  connection.onDocumentOnTypeFormatting(async ({ textDocument, position, ch, options }, token) => {
    const openDocument = await documentWithSettings(session, textDocument.uri, token);
    // Our own client inserts closing tags itself, because only it can put the cursor between the
    // tags.
    return (
      openDocument &&
      toTextEdits(
        formatOnType(openDocument.document.tree, openDocument.document.offsetAt(position), ch, {
          ...optionsOf(options, openDocument.settings),
          closesTags: !session.client.isOurClient && openDocument.settings.values.autoClosingTags,
        }),
      )
    );
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit for the number of spaces of an indentation. */
const MAX_INDENTATION = 32;

/**
 * The options of the client and of our settings. Options that are missing or invalid get the usual
 * defaults of formatters.
 */
function optionsOf(clientOptions: Partial<FormattingOptions>, { values }: Settings): FormatOptions {
  const { tabSize } = clientOptions;
  const booleanOption = (name: string) =>
    typeof clientOptions[name] === 'boolean' ? { [name]: clientOptions[name] } : {};
  return {
    tabSize: typeof tabSize === 'number' && tabSize >= 1 && tabSize <= MAX_INDENTATION ? Math.floor(tabSize) : 4,
    insertSpaces: clientOptions.insertSpaces !== false,
    alignment: values['format.alignment'],
    ...booleanOption('trimTrailingWhitespace'),
    ...booleanOption('insertFinalNewline'),
    ...booleanOption('trimFinalNewlines'),
  };
}

function toTextEdits(formatEdits: readonly FormatEdit[]): TextEdit[] {
  return formatEdits.map(({ range, text }) => ({ range, newText: text }));
}
