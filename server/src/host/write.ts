/** Files written whole or not at all. */
import { realpath } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import { explain } from './node';

/**
 * Replaces a file's content through a temporary file beside it, synced and renamed; mode and owner stay, and a symbolic
 * link stays a link. Returns null, or why it could not be done: then the file is as it was.
 */
export async function writeWhole(file: string, bytes: Uint8Array): Promise<string | null> {
  try {
    await writeFileAtomic(await realpath(file), Buffer.from(bytes));
    return null;
  } catch (error) {
    return explain(error).message.replace('cannot be read', 'cannot be written');
  }
}
