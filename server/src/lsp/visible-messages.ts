/**
 * Sends messages of the protocol. In texts that users see, visible characters replace invisible
 * ones.
 */
import type { Message } from 'vscode-languageserver';
import { withVisibleTexts } from '../syntax/hidden-text';

/**
 * Changes the message writer of a transport that sends objects, so that invisible characters become
 * visible.
 */
export function withVisibleMessages<Writer extends { write(message: Message): Promise<void> }>(writer: Writer): Writer {
  const write = writer.write.bind(writer);
  writer.write = (message) => write(withVisibleTexts(message));
  return writer;
}

/** A message as JSON. */
export function messageText(message: object): string {
  return JSON.stringify(withVisibleTexts(message));
}
