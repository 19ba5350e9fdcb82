/** Conditions about modules whose LoadModule line 2.4 does not have as it is: their truth changes with that line. */
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { forEachLine, type List } from '../syntax/tree';

/** Whether a section is an `<IfModule>` of such a module, with more in it than directives of a cache. */
export function asksForOldModule(open: Line, body: List): boolean {
  if (open.name !== 'ifmodule') return false;
  const name = (argumentsOf(open)[0]?.value ?? '').replace(/^!/, '').toLowerCase();
  if (!name.includes('${') && !OLD_MODULES.has(name.replace(/^mod_(.*)\.c$/, '$1_module'))) return false;
  let isInert = true;
  forEachLine(body, 0, body.length, ({ kind, name: directive }) => {
    if (kind === LineKind.Directive || kind === LineKind.Open) isInert &&= /^(m?cache|ifmodule$)/.test(directive);
  });
  return !isInert;
}

const OLD_MODULES = new Set([
  'authn_default_module',
  'authz_default_module',
  'authn_alias_module',
  'disk_cache_module',
  'mem_cache_module',
]);
