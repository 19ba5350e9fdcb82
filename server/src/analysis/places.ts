/** Converts the contexts of a file from the configurations to the form that the engine needs. */
import type { FileContext } from '../config/configurations';
import { isHttpdPath } from '../directives/recognize';
import type { FileInfo } from './engine';

export function placesOf({ isHtaccess, surroundings, unread, asHtaccess }: FileContext): FileInfo {
  const [first, ...others] = surroundings;
  return first === undefined
    ? { isHtaccess, unread }
    : { isHtaccess, surroundings: first, others, ...(asHtaccess && asHtaccess.length > 0 && { asHtaccess }) };
}

/**
 * A file that no available configuration reads may be a .htaccess file, because of a link or of
 * AccessFileName. This is not so if its path is one of a server's own files.
 */
export function orHtaccess(path: string, info: FileInfo): FileInfo {
  return info.isHtaccess ||
    info.surroundings !== undefined ||
    info.asHtaccess !== undefined ||
    isHttpdPath(path) === true
    ? info
    : { ...info, asHtaccess: [null] };
}
