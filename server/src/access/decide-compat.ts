/**
 * What httpd 2.4 with mod_access_compat decides for the old lines of a section, taken alone. Its Satisfy belongs to the record of
 * Order, Allow and Deny; a host that it refuses under Satisfy Any is handed to mod_authz_core, which grants where there is no
 * Require (docs/access-control.md, "What mod_access_compat decides"; experiment: test/httpd/access-sections.slow.test.ts).
 */
import { decide22 } from './decide22';
import { decide24 } from './decide24';
import type { Decision, Section22, SectionCompat, World } from './model';

/** The answer; `broken` is 500: an AuthType is in effect and no Require (AH01627). */
export function decideCompat(section: Section22, hasAuthType: boolean, world: World): Decision | 'broken' {
  const host = decide22({ ...section, satisfy: 'all', requires: [] }, world);
  if (section.satisfy === 'any' && host === 'allowed') return 'allowed';
  if (section.satisfy === 'all' && host !== 'allowed') return 'forbidden';
  if (section.requires.length === 0) return hasAuthType ? 'broken' : 'allowed';
  return decide22({ host: null, satisfy: 'all', requires: section.requires }, world);
}

/** The same for a section whose Require lines are 2.4's. No AuthType without a Require is in effect. */
export function decideCompatTree({ host, satisfy, tree }: SectionCompat, world: World): Decision {
  const answer = decide22({ host, satisfy: 'all', requires: [] }, world);
  if (satisfy === 'any' && answer === 'allowed') return 'allowed';
  if (satisfy === 'all' && answer !== 'allowed') return 'forbidden';
  return tree === null ? 'allowed' : decide24(tree, world);
}
