/** The directories that the client of the MCP server allows, and paths below them. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pathOfFileUri } from '../host/uris';

/**
 * Thrown for a path or another argument that a tool does not accept. The message is the reason, for
 * the client.
 */
export class RefusedArgumentError extends Error {}

/** The roots of a client: the directories below which tools may read. */
export class Roots {
  /** The roots as paths of existing directories, with links resolved. */
  readonly folders: readonly string[];

  /**
   * `uris`: the roots as the client names them. Those that are not directories of this machine are
   * ignored.
   */
  constructor(uris: readonly string[]) {
    const paths = uris
      .filter((uri) => /^file:\/\/(localhost)?\//i.test(uri))
      .flatMap((uri) => pathOfFileUri(uri) ?? []);
    this.folders = paths.filter((each) => isFolder(each)).map((each) => realpathSync(each));
  }

  /**
   * The first root, at which relative paths start. Throws `RefusedArgumentError` if there is none.
   */
  get firstFolder(): string {
    const [first] = this.folders;
    if (first === undefined)
      throw new RefusedArgumentError('The client names no directory as a root, so no file may be read.');
    return first;
  }

  /**
   * Returns the path for the command line: relative to the first root if the path is below this
   * root. Throws `RefusedArgumentError` for a missing path, and for a path that is outside of all
   * roots after links are resolved.
   */
  allowedPath(givenPath: string): string {
    const fullPath = path.resolve(this.firstFolder, pathOf(givenPath));
    const isReadable = givenPath !== '' && !givenPath.includes('\0') && existsSync(fullPath);
    // The refusal must not show whether a file outside of the roots exists.
    if (!isReadable && (this.isInside(fullPath) || givenPath === ''))
      throw new RefusedArgumentError(`${givenPath} does not exist below ${this.folders.join(', ')}.`);
    if (!isReadable || !this.isInside(realpathSync(fullPath)))
      throw new RefusedArgumentError(
        `${givenPath} is outside of the roots of this client: ${this.folders.join(', ')}.`,
      );
    // Adds `./`, because a name that begins with a hyphen would be read as an option.
    const relativePath = path.relative(this.firstFolder, fullPath);
    if (relativePath === '') return '.';
    return relativePath.startsWith('..') || path.isAbsolute(relativePath) ? fullPath : `./${relativePath}`;
  }

  private isInside(realPath: string): boolean {
    return this.folders.some(
      (folder) => realPath === folder || realPath.startsWith(folder === '/' ? '/' : folder + path.sep),
    );
  }
}

/** The path of a `file:` URI. Other texts, and URIs without a path, are returned unchanged. */
function pathOf(givenPath: string): string {
  try {
    return /^file:\/\//i.test(givenPath) ? fileURLToPath(givenPath) : givenPath;
  } catch {
    return givenPath;
  }
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
}
