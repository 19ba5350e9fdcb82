/**
 * Computes what httpd 2.4 with mod_access_compat decides for one section with old lines, without
 * the sections around it. If mod_access_compat refuses a host under Satisfy Any, mod_authz_core
 * decides, and grants access if there is no Require (docs/access-control.md, "What
 * mod_access_compat decides"; experiment: test/httpd/access-sections.slow.test.ts).
 */
import { decide22 } from './decide22';
import { decide24 } from './decide24';
import type { Decision, Section22, SectionCompat, Assignment } from './model';

/** The decision. `broken` is status 500: an AuthType applies without a Require (AH01627). */
export function decideCompat(section: Section22, hasAuthType: boolean, assignment: Assignment): Decision | 'broken' {
  const host = decide22({ ...section, satisfy: 'all', userRequirements: [] }, assignment);
  if (section.satisfy === 'any' && host === 'allowed') return 'allowed';
  if (section.satisfy === 'all' && host !== 'allowed') return 'forbidden';
  if (section.userRequirements.length === 0) return hasAuthType ? 'broken' : 'allowed';
  return decide22({ hostRules: null, satisfy: 'all', userRequirements: section.userRequirements }, assignment);
}

/**
 * Like `decideCompat`, for a section that also has Require lines of 2.4. The caller handles an
 * AuthType without a Require.
 */
export function decideCompatTree({ hostRules, satisfy, tree }: SectionCompat, assignment: Assignment): Decision {
  const answer = decide22({ hostRules, satisfy: 'all', userRequirements: [] }, assignment);
  if (satisfy === 'any' && answer === 'allowed') return 'allowed';
  if (satisfy === 'all' && answer !== 'allowed') return 'forbidden';
  return tree === null ? 'allowed' : decide24(tree, assignment);
}
