/** Reads the files that the user drops or chooses: configuration, and archives of configuration. */
import { unzipSync } from 'fflate';
import { isHttpdPath, looksLikeHttpd } from '../../server/src/directives/recognize';
import { decode } from '../../server/src/host/decode';
import type { Opened } from './protocol';

interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Limits for one drop: more would stop the page. */
const MOST_FILES = 5_000;
const MOST_BYTES = 40_000_000;
/** The same limit as for a file in a folder on the command line. */
const MOST_OF_FILE = 4 * 1024 * 1024;

/** A single file is read whatever its name is; of several, those that are httpd configuration. */
export function openFiles(given: readonly GivenFile[]): Opened {
  const notes: string[] = [];
  const all = given.flatMap((file) => (isZip(file.bytes) ? unzipped(file, notes) : [file]));
  const isSingle = all.length === 1 && !isZip(given[0]!.bytes);
  const files: Record<string, string> = {};
  const encodings: Record<string, 'latin1'> = {};
  let others = 0;
  for (const { name, bytes } of all) {
    if (!isSingle && isHttpdPath(`/${name}`) === false) {
      others++;
      continue;
    }
    const decoded = decode(bytes);
    if ('problem' in decoded) notes.push(`${name} ${decoded.problem}.`);
    else if (isSingle || isHttpdPath(`/${name}`) || looksLikeHttpd(decoded.text)) {
      files[name] = decoded.text;
      if (decoded.encoding === 'latin1') encodings[name] = 'latin1';
    } else others++;
  }
  if (others > 0) notes.push(`${others === 1 ? '1 file is' : `${others} files are`} not httpd configuration.`);
  return { files, encodings, notes };
}

// ---------------------------------------------------------------------------------------------------------------------

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

/**
 * The files of an archive that may be configuration. Their sizes are limited before they unfold.
 */
function unzipped({ name, bytes }: GivenFile, notes: string[]): GivenFile[] {
  let count = 0;
  let size = 0;
  let left = 0;
  try {
    const found = unzipSync(bytes, {
      filter: (entry) => {
        if (entry.name.endsWith('/') || isHttpdPath(`/${entry.name}`) === false) return false;
        count++;
        size += entry.originalSize;
        if (count <= MOST_FILES && size <= MOST_BYTES && entry.originalSize <= MOST_OF_FILE) return true;
        left++;
        return false;
      },
    });
    if (left > 0) notes.push(`${left} files of ${name} are too large, or too many, and are not read.`);
    return Object.entries(found).map(([path, content]) => ({ name: path, bytes: content }));
  } catch {
    notes.push(`${name} is not a zip archive that can be read.`);
    return [];
  }
}
