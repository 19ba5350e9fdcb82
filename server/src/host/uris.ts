/**
 * URIs of files of this machine. A client may send any text: for one that names no file here the
 * result is null, not an error.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The path that a URI names; null if it names no file on this machine: another scheme, a share of
 * another host, `%2F` in a name, invalid percent escapes, a query or a fragment (a version of a
 * file, or a part of one, is not the file on the disk).
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
