/** Lines whose first word is no directive that anybody knows: httpd would refuse them, so whoever wrote them knows of something that reads the file before httpd does. */
import { command } from '../directives/commands';
import { directive } from '../directives/index';
import { thirdPartyModules } from '../directives/third-party';
import { isByteOrderMark } from '../syntax/line';
import { NodeKind, type List } from '../syntax/tree';
import { askedOnce, namesIn } from './names';

/** Whether such a line stands in a list or in the sections in it. Asked once of each set of names: an edit looks at the lists of one path. */
export function hasUnknownName(list: List): boolean {
  const names = namesIn(list);
  // More names than are counted: each of the lists in it has fewer.
  if (names.isEverything) return list.children.some((child) => (child.kind === NodeKind.List && hasUnknownName(child)) || (child.kind === NodeKind.Section && hasUnknownName(child.body)));
  return hasOne(names);
}

const hasOne = askedOnce((names) => names.some((name) => !isKnown(name)));

/** As sets of names have it: with a `<` in front of a section's. Of the names of variables and of nothing nobody can tell. */
function isKnown(name: string): boolean {
  const isSection = name.startsWith('<');
  const own = isSection ? name.slice(1) : name;
  if (own === '' || own.includes('${') || isByteOrderMark(own)) return true;
  return command(own, isSection) !== undefined || directive(own, { section: isSection }) !== undefined || thirdPartyModules(own, isSection).length > 0;
}
