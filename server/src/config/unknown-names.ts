/** Lines whose first word is no directive that anybody knows: httpd would refuse them, so whoever wrote them knows of something that reads the file before httpd does. */
import { command } from '../directives/commands';
import { directive } from '../directives/index';
import { thirdPartyModules } from '../directives/third-party';
import { isByteOrderMark, LineKind } from '../syntax/line';
import { NodeKind, type List } from '../syntax/tree';
import { askedOnce, namesIn } from './name-set';
import { sectionKind } from './sections';

/**
 * Whether such a line stands in a list or in the sections in it. Under a condition nobody knows whose directives there are (`<IfModule mod_nss.c>`). Asked once of each set of
 * names, and of lists that have such names only.
 */
export function hasUnknownName(list: List): boolean {
  const names = namesIn(list);
  if (!names.isEverything && !hasOne(names)) return false;
  return list.children.some((child) => {
    switch (child.kind) {
      case NodeKind.List:
        return hasUnknownName(child);
      case NodeKind.Section:
        return (
          !isKnown(child.name, true) ||
          (!['conditional', 'opaque'].includes(sectionKind(child.name)) && hasUnknownName(child.body))
        );
      case LineKind.Directive:
        return !isKnown(child.name, false);
    }
    return false;
  });
}

const hasOne = askedOnce((names) =>
  names.some((name) => !(name.startsWith('<') ? isKnown(name.slice(1), true) : isKnown(name, false))),
);

/** Of a variable, and of nothing between quotes, nobody can tell. */
function isKnown(name: string, isSection: boolean): boolean {
  if (name === '' || name.includes('${') || isByteOrderMark(name)) return true;
  return (
    command(name, isSection) !== undefined ||
    directive(name, { section: isSection }) !== undefined ||
    thirdPartyModules(name, isSection).length > 0
  );
}
