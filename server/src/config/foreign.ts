/**
 * Files that are no configuration of httpd: an Include of a directory, or with a wildcard, may
 * bring in any file.
 */
import { directive } from '../directives';
import { LineKind } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { type List, NodeKind } from '../syntax/tree';

/**
 * Whether the first line of a file that is neither blank nor a comment is no directive that we
 * know. A line with a variable
 * or a macro in its name, and one of a template, may be any directive: not so for these.
 */
export function beginsForeign(root: List): boolean {
  const known = answers.get(root);
  if (known !== undefined) return known;
  const answer = firstAnswer(root) === true;
  answers.set(root, answer);
  return answer;
}

const answers = cacheOf<List, boolean>();

/** null where a list has no such line. */
function firstAnswer(list: List): boolean | null {
  for (const child of list.children) {
    if (child.kind === NodeKind.List) {
      const answer = firstAnswer(child);
      if (answer !== null) return answer;
    } else if (child.kind === NodeKind.Section) return isForeign(child.name, true);
    else if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment)
      return (
        (child.kind === LineKind.Directive || child.kind === LineKind.Open) &&
        isForeign(child.name, child.kind === LineKind.Open)
      );
  }
  return null;
}

function isForeign(name: string, section: boolean): boolean {
  return !/[${%@]/.test(name) && directive(name, { section }) === undefined;
}
