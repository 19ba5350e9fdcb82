/**
 * Computes what httpd 2.4 with mod_access_compat decides for one section with old lines, without
 * the sections around it. If Satisfy Any applies and mod_access_compat refuses the host,
 * mod_authz_core decides; without a Require line it grants access (docs/access-control.md, "What
 * mod_access_compat decides"; experiment: test/httpd/access-sections.slow.test.ts).
 */
import { decide22 } from './decide22';
import { decide24 } from './decide24';
import type { Decision, Section22, SectionCompat, Assignment } from './model';

/**
 * The decision for a section with old lines. `broken` means status 500: an AuthType applies, so
 * httpd needs a Require line, but there is none (AH01627).
 */
export function decideCompat(section: Section22, hasAuthType: boolean, assignment: Assignment): Decision | 'broken' {
  const hostDecision = decide22({ ...section, satisfy: 'all', userRequirements: [] }, assignment);
  if (section.satisfy === 'any' && hostDecision === 'allowed') return 'allowed';
  if (section.satisfy === 'all' && hostDecision !== 'allowed') return 'forbidden';
  if (section.userRequirements.length === 0) return hasAuthType ? 'broken' : 'allowed';
  return decide22({ hostRules: null, satisfy: 'all', userRequirements: section.userRequirements }, assignment);
}

/**
 * Like `decideCompat`, for a section that also has a Require tree of 2.4. It never returns
 * `broken`: the caller handles an AuthType without a Require.
 */
export function decideCompatTree({ hostRules, satisfy, tree }: SectionCompat, assignment: Assignment): Decision {
  const hostDecision = decide22({ hostRules, satisfy: 'all', userRequirements: [] }, assignment);
  if (satisfy === 'any' && hostDecision === 'allowed') return 'allowed';
  if (satisfy === 'all' && hostDecision !== 'allowed') return 'forbidden';
  return tree === null ? 'allowed' : decide24(tree, assignment);
}
