/**
 * Recognizes files that are no configuration of httpd. An Include of a directory, or with a
 * wildcard, may read any file.
 */
import { directive } from '../directives';
import { LineKind } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { type List, NodeKind } from '../syntax/tree';

/**
 * Whether the first line of a file is no known directive. Empty lines and comments do not count. A
 * line with a variable or a macro parameter in its name may become any directive, and so may a line
 * of a template. For these, the result is false.
 */
export function isForeignText(root: List): boolean {
  const cachedAnswer = isForeignCache.get(root);
  if (cachedAnswer !== undefined) return cachedAnswer;
  const isForeign = isFirstNameUnknown(root) === true;
  isForeignCache.set(root, isForeign);
  return isForeign;
}

const isForeignCache = cacheOf<List, boolean>();

/**
 * Whether httpd does not know the first directive or section of a list. Null if the list has no
 * directive and no section.
 */
function isFirstNameUnknown(list: List): boolean | null {
  for (const child of list.children) {
    if (child.kind === NodeKind.List) {
      const isUnknownInList = isFirstNameUnknown(child);
      if (isUnknownInList !== null) return isUnknownInList;
    } else if (child.kind === NodeKind.Section) return isUnknownName(child.name, true);
    else if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment)
      return (
        (child.kind === LineKind.Directive || child.kind === LineKind.Open) &&
        isUnknownName(child.name, child.kind === LineKind.Open)
      );
  }
  return null;
}

function isUnknownName(name: string, isSection: boolean): boolean {
  return !/[${%@]/.test(name) && directive(name, { section: isSection }) === undefined;
}
