/** Counts old access lines, and compares those of a .htaccess file with its new lines. */
import { activityInVersion } from '../access/conditions';
import { OLD_NAMES } from '../access/read';
import { sectionKind } from '../config/sections';
import type { Target } from '../config/target';
import { LineKind } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';

/**
 * The number of Order, Allow, Deny and Satisfy lines in a list. Comments are not counted, and
 * neither are lines in a section whose condition is false in 2.4, because these are for 2.2.
 */
export function oldAccessLineCount(list: List, target: Target): number {
  let lineCount = 0;
  forEachItem(list, 0, (item) => {
    if (!(item instanceof Section)) {
      if (item.kind === LineKind.Directive && OLD_NAMES.has(item.name)) lineCount++;
      return;
    }
    const kindOfSection = sectionKind(item.name);
    const isReadBy22Only =
      kindOfSection === 'conditional' && activityInVersion('2.4', item.open, target) === 'inactive';
    if (kindOfSection !== 'opaque' && !isReadBy22Only) lineCount += oldAccessLineCount(item.body, target);
  });
  return lineCount;
}

/**
 * Whether a fix of a .htaccess file can only refuse more requests, whatever directory the file is
 * in. For that, each new Require line must be `Require all denied`; then requests are refused even
 * if a section above asks for a login.
 *
 * False if there are `<Limit>` sections: after a change in such a section, lines above may no
 * longer apply to other methods.
 */
export function canOnlyDeny(listBefore: List, listAfter: List): boolean {
  const hasOnlyAcceptedLines = (list: List, isAccepted: (name: string, text: string) => boolean): boolean => {
    let areAllAccepted = true;
    forEachItem(list, 0, (item) => {
      if (item instanceof Section) {
        areAllAccepted &&= !/^limit(?:except)?$/.test(item.name) && hasOnlyAcceptedLines(item.body, isAccepted);
      } else if (item.kind === LineKind.Directive) areAllAccepted &&= isAccepted(item.name, item.text);
    });
    return areAllAccepted;
  };
  return (
    hasOnlyAcceptedLines(listBefore, (name) => name !== 'require' && name !== 'satisfy') &&
    hasOnlyAcceptedLines(listAfter, (name, text) => name !== 'require' || DENIES_ALL.test(text))
  );
}

/** Matches the line `Require all denied`. */
const DENIES_ALL = /^\s*require\s+all\s+denied\s*$/i;
