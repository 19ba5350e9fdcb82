/**
 * What httpd 2.2 decides for a section, taken alone: the host check of mod_authz_host
 * (check_dir_access and find_allowdeny in modules/aaa/mod_authz_host.c), combined with the login by
 * ap_process_request_internal in server/request.c.
 */
import type { Decision, HostRules, Section22, World } from './model';
import type { Operand } from './operand';

export function decide22(section: Section22, world: World): Decision {
  const isHostAccepted = acceptsHost(section.host, world);
  const needsUser = section.requires.length > 0;
  if (section.satisfy === 'any') {
    if (isHostAccepted) return 'allowed';
    return needsUser ? authenticate(section, world) : 'forbidden';
  }
  if (!isHostAccepted) return 'forbidden';
  return needsUser ? authenticate(section, world) : 'allowed';
}

function acceptsHost(host: HostRules | null, world: World): boolean {
  if (!host) return true;
  const isAllowed = host.allow.some((operand) => matches(operand, world));
  const isDenied = host.deny.some((operand) => matches(operand, world));
  return host.order === 'deny,allow' ? !isDenied || isAllowed : isAllowed && !isDenied;
}

function matches(operand: Operand, world: World): boolean {
  switch (operand.kind) {
    case 'all':
      return true;
    case 'ip':
      return world.matches('ip', operand.text);
    case 'host':
      return world.matches('host', operand.name);
    case 'env':
      return world.matches('env', operand.name) !== operand.isNegated;
    case 'never':
      return false;
    case 'error':
    case 'unknown':
      throw new Error(`nobody knows what "${operand.text}" matches`);
  }
}

/** One fulfilled Require line is enough, because all lines belong to one module. */
function authenticate(section: Section22, world: World): Decision {
  const { user } = world;
  return user && section.requires.some((requirement) => user(requirement)) ? 'allowed' : 'unauthorized';
}
