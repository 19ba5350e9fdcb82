/** Converts the contexts in which configurations read a file to the form that the engine needs. */
import type { ContextsOfFile } from '../config/configurations';
import { isHttpdPath } from '../directives/recognize';
import type { FileInfo } from './engine';

export function placesOf({ isHtaccess, fileContexts, unread, asHtaccess }: ContextsOfFile): FileInfo {
  const [first, ...others] = fileContexts;
  return first === undefined
    ? { isHtaccess, unread }
    : { isHtaccess, fileContext: first, others, ...(asHtaccess && asHtaccess.length > 0 && { asHtaccess }) };
}

/**
 * Adds that a file may be a .htaccess file, if no available configuration reads it: through a link
 * or AccessFileName. Not if its path is one of a server's own files.
 */
export function orHtaccess(path: string, info: FileInfo): FileInfo {
  return info.isHtaccess ||
    info.fileContext !== undefined ||
    info.asHtaccess !== undefined ||
    isHttpdPath(path) === true
    ? info
    : { ...info, asHtaccess: [null] };
}
