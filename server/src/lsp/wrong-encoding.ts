/**
 * Documents that an editor opened in the wrong encoding: bytes that are not UTF-8 become U+FFFD.
 * Saving such a text destroys the file, so nothing is offered that leads to saving it.
 */
import { decode } from '../host/decode';
import type { ConfigDocument } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import type { Session } from './session';

/**
 * Whether the editor opened a document in the wrong encoding. `no`: it did not. `clean`: it did,
 * and the document has no unsaved changes. `changed`: it did, and the document has some.
 */
export type WrongEncoding = 'no' | 'clean' | 'changed';

/** The character for bytes that could not be read. */
const REPLACEMENT = '\ufffd';

/**
 * Compares the text of a document with the file on the disk. Reads the file in restricted mode too,
 * because the editor shows it anyway.
 */
export async function wrongEncodingOf(session: Session, document: ConfigDocument): Promise<WrongEncoding> {
  const text = document.tree.text();
  if (!text.includes(REPLACEMENT)) return 'no';
  const content = await session.host.readFile(document.uri);
  if (!('bytes' in content)) return 'no';
  const decoded = decode(content.bytes);
  if (!('text' in decoded) || decoded.encoding === 'utf-8') return 'no';
  return comparable(new TextDecoder().decode(content.bytes)) === comparable(text) ? 'clean' : 'changed';
}

/**
 * Whether the editor opened a document in the wrong encoding. Fast enough for each key that the
 * user presses: reads the file only if the document contained U+FFFD when it was opened.
 */
export async function isInWrongEncoding(session: Session, document: ConfigDocument): Promise<boolean> {
  return openedWithReplacementCharacters.has(document) && (await wrongEncodingOf(session, document)) !== 'no';
}

/** Notes which documents contain U+FFFD when they are opened. */
export function watchWrongEncodings({ documents }: Session): void {
  documents.onDidOpen(({ document }) => {
    if (document.tree.text().includes(REPLACEMENT)) openedWithReplacementCharacters.set(document, true);
  });
}

// ---------------------------------------------------------------------------------------------------------------------

const openedWithReplacementCharacters = cacheOf<ConfigDocument, true>();

/** The text without what differs between editors: the number of U+FFFD in a row, and line ends. */
function comparable(text: string): string {
  return text.replace(/\ufffd+/g, REPLACEMENT).replace(/\r\n?/g, '\n');
}
