/**
 * Decides which files root may write if only Include lines name them. A user who may change such a
 * line, or a directory on the path, could make it name any file of the machine. So root writes a
 * file only if these lines and directories belong to root, or to the owner of the file.
 */
import { lstatSync, statSync, type Stats } from 'node:fs';
import type { IncludeNode, Model } from '../config/model';
import { explainReadError } from '../host/read-now';
import { whyLeadingFileIsUnsafe, whyPathIsUnsafe } from '../host/replaceable';
import { addTo } from '../syntax/groups';
import { shortPath } from './short-path';

/**
 * Returns a function that says why root must not write a file, given as its path with links
 * resolved. It returns null if root may write it, and for all other users.
 */
export function whyRootMustNotWrite(models: readonly Pick<Model, 'includes'>[]): (file: string) => string | null {
  if (process.geteuid?.() !== 0) return () => null;
  const nodesByFile = new Map<string, { readonly name: string; readonly node: IncludeNode }[]>();
  for (const { includes } of models)
    for (const node of [...includes.values()].flat())
      for (const { path, name } of node.files) addTo(nodesByFile, path, { name, node });
  return (file) => {
    try {
      const status = statSync(file, { throwIfNoEntry: false });
      return status ? whyOthersMayChangePath(file, status, nodesByFile, new Set()) : null;
    } catch (error) {
      // The path cannot be read, for example because another user changes its directories at this
      // moment.
      return explainReadError(error).message;
    }
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Returns why another user may change one of the Include lines that lead to a file, or a directory
 * on its path. Null if no other user may do that.
 */
function whyOthersMayChangePath(
  file: string,
  info: Stats,
  nodesByFile: ReadonlyMap<string, readonly { readonly name: string; readonly node: IncludeNode }[]>,
  visitedFiles: Set<string>,
): string | null {
  visitedFiles.add(file);
  for (const { name, node } of nodesByFile.get(file) ?? []) {
    const includingFile = node.file;
    const includerStatus = lstatSync(includingFile, { throwIfNoEntry: false });
    const reason =
      whyPathIsUnsafe(name, info) ??
      (includerStatus
        ? whyLeadingFileIsUnsafe(`is included by ${shortPath(includingFile)}`, includerStatus, info)
        : null) ??
      (visitedFiles.has(includingFile) ? null : whyOthersMayChangePath(includingFile, info, nodesByFile, visitedFiles));
    if (reason !== null) return reason;
  }
  return null;
}
