/**
 * Whether the body of a conditional section exists for the target server. What one file cannot tell is `unknown`; what
 * is called inactive is certain.
 */
import { argumentsOf, type Line, type Word } from '../syntax/line';
import { regexMatches } from '../syntax/regex-match';
import { Template } from '../syntax/template';
import { moduleNameMeant } from './modules';
import type { Target } from './target';

export type Activity = 'active' | 'inactive' | 'unknown';

/** The activity of the body of a conditional section, given its open tag. */
export function activityOf(open: Line, target: Target): Activity {
  if (open.template !== Template.None) return 'unknown';
  if (open.name === 'ifversion') return ifVersion(argumentsOf(open), target);
  if (open.name === 'ifmodule') return ifModule(argumentsOf(open));
  return 'unknown';
}

/** A body inside a body exists when both do. */
export function both(outer: Activity, inner: Activity): Activity {
  if (outer === 'inactive' || inner === 'inactive') return 'inactive';
  return outer === 'unknown' || inner === 'unknown' ? 'unknown' : 'active';
}

/**
 * Modules that every 2.4 server has, by source file and identifier: compiled in, or without them no 2.4 server starts
 * (AH00136 without mod_unixd, "Invalid command 'Require'" without mod_authz_core). docs/how-httpd-reads.md, "Conditions"; directives/data/modules.json.
 */
const ALWAYS_IN_24 = new Set([
  'core.c',
  'core_module',
  'http_core.c',
  'http_module',
  'mod_so.c',
  'so_module',
  'mod_authz_core.c',
  'authz_core_module',
]);

/** Modules that 2.4 does not have under this name (directives/data/modules.json). */
const NEVER_IN_24 = new Set([
  'mod_authn_default.c',
  'authn_default_module',
  'mod_authz_default.c',
  'authz_default_module',
  'mod_authn_alias.c',
  'authn_alias_module',
  'mod_disk_cache.c',
  'disk_cache_module',
  'mod_mem_cache.c',
  'mem_cache_module',
  'beos.c',
  'mpm_beos_module',
  'perchild.c',
  // Of 2.0, whose modules for authentication 2.2 took apart.
  'mod_access.c',
  'access_module',
  'mod_auth.c',
  'auth_module',
  'mod_auth_anon.c',
  'auth_anon_module',
  'mod_auth_dbm.c',
  'auth_dbm_module',
]);

function ifModule(words: readonly Word[]): Activity {
  if (words.length === 0) return 'unknown';
  const isNegated = words[0]!.value.startsWith('!');
  const name = words[0]!.value.slice(isNegated ? 1 : 0);
  if (ALWAYS_IN_24.has(name)) return isNegated ? 'inactive' : 'active';
  if (NEVER_IN_24.has(name)) return isNegated ? 'active' : 'inactive';
  // Compared letter by letter, with source files and identifiers (server/core.c, start_ifmod): a name that is neither is nobody's.
  if (moduleNameMeant(name) !== undefined) return isNegated ? 'active' : 'inactive';
  // Whoever asks for this module wrote for 2.4: on 2.2 there is none, and where 2.4 has it, what it guards works.
  if ((name === 'mod_access_compat.c' || name === 'access_compat_module') && !isNegated) return 'inactive';
  return 'unknown';
}

/** `<IfVersion [[!]operator] version>`, mod_version.c of 2.4: `=`, `==`, `<`, `<=`, `>`, `>=`, `~`; a regular expression as `/re/` or after `~`. */
function ifVersion(words: readonly Word[], target: Target): Activity {
  const [first, second] = words.map((word) => word.value);
  if (first === undefined) return 'unknown';
  const operator = second === undefined ? '=' : first;
  const version = second ?? first;
  const isNegated = operator.startsWith('!');
  const plain = isNegated ? operator.slice(1) : operator;
  const isRegex = plain === '~' || ((plain === '=' || plain === '==') && /^\/.*\/$/.test(version));
  const answer = isRegex ? matchesRegex(version, plain, target) : compareAs(plain, version, target);
  if (answer === null) return 'unknown';
  return answer !== isNegated ? 'active' : 'inactive';
}

function matchesRegex(version: string, operator: string, target: Target): boolean | null {
  if (!Number.isFinite(target.patch)) return null;
  const source = operator === '~' ? version : version.slice(1, -1);
  return regexMatches(source, `${target.major}.${target.minor}.${target.patch}`);
}

/** null where the operator or the version is not one, or where it depends on a patch level that is not known. */
function compareAs(operator: string, version: string, target: Target): boolean | null {
  const match = /^(\d+)(?:\.(\d+)(?:\.(\d+))?)?$/.exec(version);
  if (!match) return null;
  const wanted = [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)];
  const given = [target.major, target.minor, target.patch];
  let order = 0;
  for (let i = 0; i < 3 && order === 0; i++) {
    if (i === 2 && !Number.isFinite(given[2])) {
      // Any 2.4.N is at least 2.4.0; whether it is at least 2.4.6, nobody said.
      if (wanted[2]! > 0) return null;
      if (operator === '>=') return true;
      if (operator === '<') return false;
      return null;
    }
    order = Math.sign(given[i]! - wanted[i]!);
  }
  switch (operator) {
    case '=':
    case '==':
      return order === 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    default:
      return null;
  }
}
