/** Converts the contexts of a file from the configurations to the form that the engine needs. */
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
 * A file that no available configuration reads may be a .htaccess file, because of a link or of
 * AccessFileName. This is not so if its path is one of a server's own files.
 */
export function orHtaccess(path: string, info: FileInfo): FileInfo {
  return info.isHtaccess ||
    info.fileContext !== undefined ||
    info.asHtaccess !== undefined ||
    isHttpdPath(path) === true
    ? info
    : { ...info, asHtaccess: [null] };
}
