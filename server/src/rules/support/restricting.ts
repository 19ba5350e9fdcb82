import { LineKind } from '../../syntax/line';
import { forEachLine, type Section } from '../../syntax/tree';

/**
 * Maximum length of a section that is checked. Sections that restrict a few files are assumed to be
 * shorter.
 */
const MAX_SECTION_LENGTH = 4000;

const RESTRICTING_NAMES = new Set(['deny', 'require', 'authtype']);

/**
 * Whether a line of the section may keep a client out. `Require all granted` and `Allow` do not.
 */
export function mayRestrict({ body }: Section): boolean {
  if (body.length > MAX_SECTION_LENGTH) return false;
  let isRestricting = false;
  forEachLine(body, 0, body.length, ({ kind, name, text }) => {
    if (kind === LineKind.Directive && RESTRICTING_NAMES.has(name) && !/^\s*require\s+all\s+granted\s*$/i.test(text))
      isRestricting = true;
  });
  return isRestricting;
}
