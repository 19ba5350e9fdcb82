/** The directories that the client of the MCP server allows, and paths below them. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pathOfFileUri } from '../host/uris';

/** A path that a tool does not take, with the reason for the client. */
export class RefusedPath extends Error {}

export class Roots {
  /** Existing directories without links. */
  readonly folders: readonly string[];

  /** `uris`: as the client names its roots; those that name no directory here are left out. */
  constructor(uris: readonly string[]) {
    const named = uris
      .filter((uri) => /^file:\/\/(localhost)?\//i.test(uri))
      .flatMap((uri) => pathOfFileUri(uri) ?? []);
    this.folders = named.filter((each) => isFolder(each)).map((each) => realpathSync(each));
  }

  /** The directory that relative paths begin at. Throws `RefusedPath` if there is none. */
  get first(): string {
    const [first] = this.folders;
    if (first === undefined) throw new RefusedPath('The client names no directory as a root, so no file may be read.');
    return first;
  }

  /**
   * The path as the command line gets it, relative to the first root where it is below it. Throws
   * `RefusedPath` for a path outside of all roots, links followed, and for a missing one.
   */
  allowed(given: string): string {
    const full = path.resolve(this.first, pathOf(given));
    const isReadable = given !== '' && !given.includes('\0') && existsSync(full);
    // A refusal does not show whether a file outside exists.
    if (!isReadable && (this.isInside(full) || given === ''))
      throw new RefusedPath(`${given} does not exist below ${this.folders.join(', ')}.`);
    if (!isReadable || !this.isInside(realpathSync(full)))
      throw new RefusedPath(`${given} is outside of the roots of this client: ${this.folders.join(', ')}.`);
    // A name that begins with a hyphen is no option.
    const relative = path.relative(this.first, full);
    if (relative === '') return '.';
    return relative.startsWith('..') || path.isAbsolute(relative) ? full : `./${relative}`;
  }

  private isInside(real: string): boolean {
    return this.folders.some((folder) => real === folder || real.startsWith(folder === '/' ? '/' : folder + path.sep));
  }
}

/** The path of a `file:` URI; other texts, and URIs that no path belongs to, stay. */
function pathOf(given: string): string {
  try {
    return /^file:\/\//i.test(given) ? fileURLToPath(given) : given;
  } catch {
    return given;
  }
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
}
