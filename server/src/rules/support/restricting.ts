import { LineKind } from '../../syntax/line';
import { forEachLine, type Section } from '../../syntax/tree';

/** A longer section is no section that restricts a few files. */
const MOST = 4000;

const RESTRICTING = new Set(['deny', 'require', 'authtype']);

/** Takes a section. Returns whether one of its lines may keep a client out: `Require all granted` and `Allow` do not. */
export function restricts({ body }: Section): boolean {
  if (body.length > MOST) return false;
  let isRestricting = false;
  forEachLine(body, 0, body.length, ({ kind, name, text }) => {
    if (kind === LineKind.Directive && RESTRICTING.has(name) && !/^\s*require\s+all\s+granted\s*$/i.test(text))
      isRestricting = true;
  });
  return isRestricting;
}
