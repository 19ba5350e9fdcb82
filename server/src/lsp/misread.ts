/**
 * Documents that an editor opened with the wrong encoding: bytes that are not UTF-8, read as such, are U+FFFD to it. Saving such a text
 * destroys what they were, so nothing is offered that leads to saving it.
 */
import { decode } from '../host/decode';
import type { ConfigDocument } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import type { Session } from './session';

/** `clean` where the editor holds nothing that the disk has not, apart from the encoding. */
export type Misread = 'no' | 'clean' | 'changed';

/** What stands where bytes could not be read. */
const REPLACEMENT = '\ufffd';

/** Looks through the whole text. Reads the file on the disk, in restricted mode too: it is the one that the editor shows. */
export async function misread(session: Session, document: ConfigDocument): Promise<Misread> {
  const text = document.tree.text();
  if (!text.includes(REPLACEMENT)) return 'no';
  const content = await session.host.readFile(document.uri);
  if (!('bytes' in content)) return 'no';
  const decoded = decode(content.bytes);
  if (!('text' in decoded) || decoded.encoding === 'utf-8') return 'no';
  return comparable(new TextDecoder().decode(content.bytes)) === comparable(text) ? 'clean' : 'changed';
}

/** The same for requests that come with every keystroke: looks through the text only where it was opened with such a character. */
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

/** Editors differ in how many U+FFFD stand for several bytes, and in what they make of line ends. */
function comparable(text: string): string {
  return text.replace(/\ufffd+/g, REPLACEMENT).replace(/\r\n?/g, '\n');
}
