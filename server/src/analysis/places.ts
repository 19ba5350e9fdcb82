/** What the configurations say about a file, as the engine asks for it. */
import type { FileContext } from '../config/configurations';
import { isHttpdPath } from '../directives/recognize';
import type { FileInfo } from './engine';

export function placesOf({ isHtaccess, surroundings, unread, asHtaccess }: FileContext): FileInfo {
  const [first, ...others] = surroundings;
  return first === undefined
    ? { isHtaccess, unread }
    : { isHtaccess, surroundings: first, others, ...(asHtaccess && asHtaccess.length > 0 && { asHtaccess }) };
}

/** A file that no configuration at hand reads may be a .htaccess by a link, or by AccessFileName, but where its path says that it is a server's own. */
export function orHtaccess(path: string, info: FileInfo): FileInfo {
  return info.isHtaccess ||
    info.surroundings !== undefined ||
    info.asHtaccess !== undefined ||
    isHttpdPath(path) === true
    ? info
    : { ...info, asHtaccess: [null] };
}
