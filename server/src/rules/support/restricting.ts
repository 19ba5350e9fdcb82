import { LineKind } from '../../syntax/line';
import { forEachLine, type Section } from '../../syntax/tree';

/** A section with more lines is not one that restricts a few files. */
const MOST = 4000;

const RESTRICTING = new Set(['deny', 'require', 'authtype']);

/**
 * Whether a line of the section may keep a client out. `Require all granted` and `Allow` do not.
 */
export function restricts({ body }: Section): boolean {
  if (body.length > MOST) return false;
  let isRestricting = false;
  forEachLine(body, 0, body.length, ({ kind, name, text }) => {
    if (kind === LineKind.Directive && RESTRICTING.has(name) && !/^\s*require\s+all\s+granted\s*$/i.test(text))
      isRestricting = true;
  });
  return isRestricting;
}
