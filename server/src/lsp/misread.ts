/**
 * Documents that an editor opened in the wrong encoding: bytes that are not UTF-8 become U+FFFD.
 * Saving such a text destroys the file, so nothing is offered that leads to saving it.
 */
import { decode } from '../host/decode';
import type { ConfigDocument } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import type { Session } from './session';

/** `clean` if the text in the editor differs from the disk only by the encoding. */
export type Misread = 'no' | 'clean' | 'changed';

/** The character for bytes that could not be read. */
const REPLACEMENT = '\ufffd';

/**
 * Checks the whole text. Reads the file on the disk, in restricted mode too, because the editor
 * shows this file.
 */
export async function misread(session: Session, document: ConfigDocument): Promise<Misread> {
  const text = document.tree.text();
  if (!text.includes(REPLACEMENT)) return 'no';
  const content = await session.host.readFile(document.uri);
  if (!('bytes' in content)) return 'no';
  const decoded = decode(content.bytes);
  if (!('text' in decoded) || decoded.encoding === 'utf-8') return 'no';
  return comparable(new TextDecoder().decode(content.bytes)) === comparable(text) ? 'clean' : 'changed';
}

/**
 * Whether a document was decoded wrongly, for requests on every keystroke: checks the text only if
 * it had such a character when opened.
 */
export async function wasMisread(session: Session, document: ConfigDocument): Promise<boolean> {
  return openedWithReplacement.has(document) && (await misread(session, document)) !== 'no';
}

export function watchMisread({ documents }: Session): void {
  documents.onDidOpen(({ document }) => {
    if (document.tree.text().includes(REPLACEMENT)) openedWithReplacement.set(document, true);
  });
}

// ---------------------------------------------------------------------------------------------------------------------

const openedWithReplacement = cacheOf<ConfigDocument, true>();

/** Editors differ in the number of U+FFFD for several bytes, and in line ends. */
function comparable(text: string): string {
  return text.replace(/\ufffd+/g, REPLACEMENT).replace(/\r\n?/g, '\n');
}
