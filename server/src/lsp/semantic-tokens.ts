/**
 * `textDocument/semanticTokens`: for a whole file, for a range, and as changes since the last
 * request. Our own client does not get them, because its grammar colours the text.
 */
import {
  semanticTokens,
  semanticTokensIn,
  TOKEN_MODIFIERS,
  TOKEN_TYPES,
  tokensEdit,
} from '../features/semantic-tokens';
import { tokensInEncoding } from './encoding';
import { documentWithSettings, type Session } from './session';

/** The capability of the server, for the reply to `initialize`. */
export const SEMANTIC_TOKENS_CAPABILITY = {
  legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [...TOKEN_MODIFIERS] },
  range: true,
  full: { delta: true },
};

export function serveSemanticTokens(session: Session): void {
  const {
    connection,
    documents,
    client: { encoding },
  } = session;
  const sentTokensByUri = new Map<string, { resultId: string; data: Uint32Array }>();
  let lastResultId = 0;
  documents.onDidClose(({ document }) => sentTokensByUri.delete(document.uri));
  const remember = (uri: string, data: Uint32Array): string => {
    const resultId = String(++lastResultId);
    sentTokensByUri.set(uri, { resultId, data });
    return resultId;
  };
  connection.languages.semanticTokens.on(async ({ textDocument }, token) => {
    const openDocument = await documentWithSettings(session, textDocument.uri, token);
    if (!openDocument) return { data: [] };
    const tokenData = tokensInEncoding(
      semanticTokens(openDocument.document.tree),
      openDocument.document.tree,
      encoding,
    );
    return { resultId: remember(textDocument.uri, tokenData), data: Array.from(tokenData) };
  });
  connection.languages.semanticTokens.onDelta(async ({ textDocument, previousResultId }, token) => {
    const openDocument = await documentWithSettings(session, textDocument.uri, token);
    if (!openDocument) return { data: [] };
    const previousTokens = sentTokensByUri.get(textDocument.uri);
    const tokenData = tokensInEncoding(
      semanticTokens(openDocument.document.tree),
      openDocument.document.tree,
      encoding,
    );
    const resultId = remember(textDocument.uri, tokenData);
    if (previousTokens?.resultId !== previousResultId) return { resultId, data: Array.from(tokenData) };
    const edit = tokensEdit(previousTokens.data, tokenData);
    return {
      resultId,
      edits: edit ? [{ start: edit.start, deleteCount: edit.deleteCount, data: Array.from(edit.data) }] : [],
    };
  });
  connection.languages.semanticTokens.onRange(async ({ textDocument, range }, token) => {
    const openDocument = await documentWithSettings(session, textDocument.uri, token);
    if (!openDocument) return { data: [] };
    const { document } = openDocument;
    const tokenData = semanticTokensIn(document.tree, document.offsetAt(range.start), document.offsetAt(range.end));
    return { data: Array.from(tokensInEncoding(tokenData, document.tree, encoding)) };
  });
}
