/** Converts facts about where configurations read a file to the form that the engine needs. */
import type { ContextsOfFile } from '../config/configurations';
import { isHttpdPath } from '../directives/recognize';
import type { FileInfo } from './engine';

/**
 * The facts about a file that the engine needs, from the contexts in which configurations read the
 * file.
 */
export function fileInfoOf({ isHtaccess, fileContexts, unreadReason, htaccessContexts }: ContextsOfFile): FileInfo {
  const [firstContext, ...furtherContexts] = fileContexts;
  return firstContext === undefined
    ? { isHtaccess, unreadReason }
    : {
        isHtaccess,
        fileContext: firstContext,
        furtherContexts,
        ...(htaccessContexts && htaccessContexts.length > 0 && { htaccessContexts }),
      };
}

/**
 * Returns the info for a file that no known configuration reads. The file may be a .htaccess
 * file, because of a link or an AccessFileName line, unless its path is one of a server's own
 * files.
 */
export function withPossibleHtaccess(path: string, info: FileInfo): FileInfo {
  return info.isHtaccess ||
    info.fileContext !== undefined ||
    info.htaccessContexts !== undefined ||
    isHttpdPath(path) === true
    ? info
    : { ...info, htaccessContexts: [null] };
}
