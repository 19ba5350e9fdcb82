/**
 * Converts between URIs and paths of this machine. A client may send any text as a URI. If it names
 * no file of this machine, the result is null.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The path that a URI names. Null if it names no file on this machine: another scheme, a share of
 * another host, `%2F` in a name, invalid percent escapes, or a query or fragment (an editor uses
 * these for another version of the file, or a part of it).
 */
export function pathOfFileUri(uri: string): string | null {
  if (!/^file:/i.test(uri) || /[?#]/.test(uri)) return null;
  try {
    const path = fileURLToPath(uri);
    return path.includes('\0') ? null : path;
  } catch {
    return null;
  }
}

export function fileUriOf(path: string): string {
  return pathToFileURL(path).href;
}
