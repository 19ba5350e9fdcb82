/**
 * Finds the PHP files in whose strings `check` looks for lines of httpd: given files, and those
 * below given directories.
 */
import { isPhpName, mayWriteOldLines } from '../features/lines-in-php';
import { decode } from '../host/decode';
import type { FileSystemSnapshot } from '../host/file-system-snapshot';
import { configurationFiles, readBytes } from '../host/node';
import { Tree } from '../syntax/document';
import { statOf, type IsExcluded } from './exclude';
import type { InputFile } from './files';

/** Limit for the size of a file in bytes. A larger file is not hand-written code. */
const MAX_PHP_FILE_SIZE = 2 * 1024 * 1024;

/** Whether a file is PHP, by its name alone. */
export function isPhpFile(path: string): boolean {
  return /\.(?:php\d?|phtml)$/i.test(path);
}

/** The PHP files whose strings may contain lines of httpd. Unreadable files are skipped. */
export async function* phpFiles(
  paths: readonly string[],
  isExcluded: IsExcluded,
  snapshot: FileSystemSnapshot,
): AsyncGenerator<InputFile> {
  for (const givenPath of paths) {
    const fileNames: string[] = [];
    const status = statOf(givenPath);
    if (status?.isFile()) fileNames.push(givenPath);
    else if (status?.isDirectory())
      for await (const _ of configurationFiles(givenPath, { snapshot, onOtherFile: (file) => fileNames.push(file) }));
    for (const path of fileNames.filter(isPhpName)) {
      if (isExcluded(path) || (statOf(path)?.size ?? Infinity) > MAX_PHP_FILE_SIZE) continue;
      const content = await readBytes(path);
      const decodedFile = 'bytes' in content ? decode(content.bytes) : content;
      if ('text' in decodedFile && mayWriteOldLines(decodedFile.text))
        yield { path, tree: Tree.parse(decodedFile.text), encoding: decodedFile.encoding };
    }
  }
}
