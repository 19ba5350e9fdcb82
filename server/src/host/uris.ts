/**
 * Converts between URIs and paths of this machine. A client may send any text as a URI; the result
 * is null if it names no file of this machine.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The path that a URI names. Null if it names no file of this machine: it has another scheme,
 * another host, `%2F` in a name, invalid percent escapes, or a query or fragment (an editor uses
 * these for another version or a part of the file).
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

/** The URI of an absolute path. */
export function fileUriOf(path: string): string {
  return pathToFileURL(path).href;
}
