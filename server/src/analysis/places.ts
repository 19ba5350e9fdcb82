/** Converts the contexts in which configurations read a file to the form that the engine needs. */
import type { ContextsOfFile } from '../config/configurations';
import { isHttpdPath } from '../directives/recognize';
import type { FileInfo } from './engine';

export function fileInfoOf({ isHtaccess, fileContexts, unreadReason, htaccessContexts }: ContextsOfFile): FileInfo {
  const [first, ...others] = fileContexts;
  return first === undefined
    ? { isHtaccess, unreadReason }
    : {
        isHtaccess,
        fileContext: first,
        furtherContexts: others,
        ...(htaccessContexts && htaccessContexts.length > 0 && { asHtaccess: htaccessContexts }),
      };
}

/**
 * Returns the info for a file that no available configuration reads. Through a link or
 * AccessFileName it may be a .htaccess file, unless its path is one of a server's own files.
 */
export function asPossibleHtaccess(path: string, info: FileInfo): FileInfo {
  return info.isHtaccess ||
    info.fileContext !== undefined ||
    info.asHtaccess !== undefined ||
    isHttpdPath(path) === true
    ? info
    : { ...info, asHtaccess: [null] };
}
