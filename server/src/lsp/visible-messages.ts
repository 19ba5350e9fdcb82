/** Messages of the protocol, with invisible characters in the texts that users see made visible. */
import type { Message } from 'vscode-languageserver';
import { withVisibleTexts } from '../syntax/hidden-text';

/** A writer for transports that take messages as objects. */
export function withVisibleMessages<Writer extends { write(message: Message): Promise<void> }>(writer: Writer): Writer {
  const write = writer.write.bind(writer);
  writer.write = (message) => write(withVisibleTexts(message));
  return writer;
}

/** A message as JSON. */
export function messageText(message: object): string {
  return JSON.stringify(withVisibleTexts(message));
}
