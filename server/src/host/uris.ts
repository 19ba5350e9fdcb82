/** URIs of files of this machine. A client may send whatever it likes: what names no file here is null, and nobody's error. */
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The path that a URI names; null where it is none of a file on this machine: another scheme, another host's share, `%2F` in a name,
 * percent signs that do not decode, a query or a fragment (a version of a file, or a part of one, is not the file on the disk).
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
