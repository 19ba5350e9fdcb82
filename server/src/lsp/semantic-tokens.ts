/**
 * `textDocument/semanticTokens`: for a whole file, for a range, and the changes since the last
 * request. Not for our own client, whose grammar colours the text.
 */
import {
  semanticTokens,
  semanticTokensIn,
  TOKEN_MODIFIERS,
  TOKEN_TYPES,
  tokensEdit,
} from '../features/semantic-tokens';
import { tokensInEncoding } from './encoding';
import { documentNow, type Session } from './session';

export const SEMANTIC_TOKENS = {
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
  const last = new Map<string, { resultId: string; data: Uint32Array }>();
  let requests = 0;
  documents.onDidClose(({ document }) => last.delete(document.uri));
  const remember = (uri: string, data: Uint32Array): string => {
    const resultId = String(++requests);
    last.set(uri, { resultId, data });
    return resultId;
  };
  connection.languages.semanticTokens.on(async ({ textDocument }, token) => {
    const openDocument = await documentNow(session, textDocument.uri, token);
    if (!openDocument) return { data: [] };
    const data = tokensInEncoding(semanticTokens(openDocument.document.tree), openDocument.document.tree, encoding);
    return { resultId: remember(textDocument.uri, data), data: Array.from(data) };
  });
  connection.languages.semanticTokens.onDelta(async ({ textDocument, previousResultId }, token) => {
    const openDocument = await documentNow(session, textDocument.uri, token);
    if (!openDocument) return { data: [] };
    const before = last.get(textDocument.uri);
    const data = tokensInEncoding(semanticTokens(openDocument.document.tree), openDocument.document.tree, encoding);
    const resultId = remember(textDocument.uri, data);
    if (before?.resultId !== previousResultId) return { resultId, data: Array.from(data) };
    const edit = tokensEdit(before.data, data);
    return {
      resultId,
      edits: edit ? [{ start: edit.start, deleteCount: edit.deleteCount, data: Array.from(edit.data) }] : [],
    };
  });
  connection.languages.semanticTokens.onRange(async ({ textDocument, range }, token) => {
    const openDocument = await documentNow(session, textDocument.uri, token);
    if (!openDocument) return { data: [] };
    const { document } = openDocument;
    const data = semanticTokensIn(document.tree, document.offsetAt(range.start), document.offsetAt(range.end));
    return { data: Array.from(tokensInEncoding(data, document.tree, encoding)) };
  });
}
