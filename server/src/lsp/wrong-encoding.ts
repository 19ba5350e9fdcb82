/**
 * Finds documents that an editor opened in the wrong encoding: bytes that are not UTF-8 became
 * U+FFFD. Saving such a text destroys the file, so no fix or command is offered that would save it.
 */
import { decode } from '../host/decode';
import type { ConfigDocument } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import type { Session } from './session';

/**
 * Whether the editor opened a document in the wrong encoding. `no`: the encoding is right. `clean`:
 * it is wrong, and the document has no unsaved changes. `changed`: it is wrong, and there are
 * unsaved changes.
 */
export type WrongEncoding = 'no' | 'clean' | 'changed';

/** What editors show for bytes that they cannot decode. */
const REPLACEMENT_CHARACTER = '\ufffd';

/**
 * Finds out whether the editor opened a document in the wrong encoding, by comparing its text with
 * the file on the disk. Reads the file in restricted mode too, because the editor shows it anyway.
 */
export async function wrongEncodingOf(session: Session, document: ConfigDocument): Promise<WrongEncoding> {
  const text = document.tree.text();
  if (!text.includes(REPLACEMENT_CHARACTER)) return 'no';
  const content = await session.host.readFile(document.uri);
  if (!('bytes' in content)) return 'no';
  const decodedFile = decode(content.bytes);
  if (!('text' in decodedFile) || decodedFile.encoding === 'utf-8') return 'no';
  return comparableText(new TextDecoder().decode(content.bytes)) === comparableText(text) ? 'clean' : 'changed';
}

/**
 * Whether the editor opened a document in the wrong encoding. Reads the file only if the document
 * contained U+FFFD when it was opened. So it is fast enough to be called at every key press.
 */
export async function isInWrongEncoding(session: Session, document: ConfigDocument): Promise<boolean> {
  return openedWithReplacementCharacters.has(document) && (await wrongEncodingOf(session, document)) !== 'no';
}

/** Remembers which documents contain U+FFFD when they are opened. */
export function watchWrongEncodings({ documents }: Session): void {
  documents.onDidOpen(({ document }) => {
    if (document.tree.text().includes(REPLACEMENT_CHARACTER)) openedWithReplacementCharacters.set(document, true);
  });
}

// ---------------------------------------------------------------------------------------------------------------------

const openedWithReplacementCharacters = cacheOf<ConfigDocument, true>();

/**
 * The text without what differs between editors: each line end becomes a line feed, and several
 * U+FFFD in a row become one.
 */
function comparableText(text: string): string {
  return text.replace(/\ufffd+/g, REPLACEMENT_CHARACTER).replace(/\r\n?/g, '\n');
}
