/**
 * Computes what httpd 2.2 decides for one section, without the sections around it: the host check
 * of mod_authz_host (check_dir_access and find_allowdeny in modules/aaa/mod_authz_host.c), combined
 * with the login by ap_process_request_internal in server/request.c.
 */
import type { Decision, HostRules, Section22, Assignment } from './model';
import type { Operand } from './operand';

/** The decision of 2.2 for one section, with the facts of one request (`assignment`). */
export function decide22(section: Section22, assignment: Assignment): Decision {
  const isHostAccepted = acceptsHost(section.hostRules, assignment);
  const needsUser = section.userRequirements.length > 0;
  if (section.satisfy === 'any') {
    if (isHostAccepted) return 'allowed';
    return needsUser ? authenticate(section, assignment) : 'forbidden';
  }
  if (!isHostAccepted) return 'forbidden';
  return needsUser ? authenticate(section, assignment) : 'allowed';
}

function acceptsHost(hostRules: HostRules | null, assignment: Assignment): boolean {
  if (!hostRules) return true;
  const isAllowed = hostRules.allow.some((operand) => matchesOperand(operand, assignment));
  const isDenied = hostRules.deny.some((operand) => matchesOperand(operand, assignment));
  return hostRules.order === 'deny,allow' ? !isDenied || isAllowed : isAllowed && !isDenied;
}

function matchesOperand(operand: Operand, assignment: Assignment): boolean {
  switch (operand.kind) {
    case 'all':
      return true;
    case 'ip':
      return assignment.matches('ip', operand.text);
    case 'host':
      return assignment.matches('host', operand.name);
    case 'env':
      return assignment.matches('env', operand.name) !== operand.isNegated;
    case 'never':
      return false;
    case 'error':
    case 'unknown':
      throw new Error(`it is unknown what "${operand.text}" matches`);
  }
}

/**
 * Decides by the login. One fulfilled Require line is enough: one module evaluates all lines of
 * `userRequirements`, and accepts a user who fulfils any of them.
 */
function authenticate(section: Section22, assignment: Assignment): Decision {
  const { user } = assignment;
  return user && section.userRequirements.some((requirement) => user(requirement)) ? 'allowed' : 'unauthorized';
}
