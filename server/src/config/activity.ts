/**
 * Decides whether httpd reads the body of a conditional section in the target version. `active` and
 * `inactive` are certain. `unknown` means that the section alone does not show it.
 */
import type { Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { nameInTag, resultsForReleases, type Release } from './condition';
import { moduleNameMeant } from './modules';
import type { Target } from './target';

/**
 * Whether httpd reads some lines: certainly (`active`), certainly not (`inactive`), or `unknown`.
 */
export type Activity = 'active' | 'inactive' | 'unknown';

/** The activity of the body of a conditional section, from its open tag. */
export function activityOf(open: Line, target: Target): Activity {
  if (open.template !== Template.None) return 'unknown';
  if (open.name === 'ifversion') return activityOfIfVersion(open, target);
  if (open.name === 'ifmodule') return activityOfIfModule(open);
  return 'unknown';
}

/** The activity of a body in another body. It is `active` only if both are active. */
export function activityInside(outerActivity: Activity, innerActivity: Activity): Activity {
  if (outerActivity === 'inactive' || innerActivity === 'inactive') return 'inactive';
  return outerActivity === 'unknown' || innerActivity === 'unknown' ? 'unknown' : 'active';
}

/**
 * Modules that every 2.4 server has, by source file and identifier. They are compiled in, or 2.4
 * does not start without them (AH00136 without mod_unixd, "Invalid command 'Require'" without
 * mod_authz_core). docs/how-httpd-reads.md, "Conditions"; directives/data/modules.json.
 */
const MODULES_ALWAYS_IN_24 = new Set([
  'core.c',
  'core_module',
  'http_core.c',
  'http_module',
  'mod_so.c',
  'so_module',
  'mod_authz_core.c',
  'authz_core_module',
]);

/** Modules that 2.4 does not have under these names (directives/data/modules.json). */
const MODULES_NEVER_IN_24 = new Set([
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
  // Modules of 2.0. In 2.2, other modules with new names replace them.
  'mod_access.c',
  'access_module',
  'mod_auth.c',
  'auth_module',
  'mod_auth_anon.c',
  'auth_anon_module',
  'mod_auth_dbm.c',
  'auth_dbm_module',
]);

/**
 * Whether an `<IfModule>` with this name tests a module that 2.4 no longer has. The name is
 * case-sensitive.
 */
export function isModuleAbsentIn24(name: string): boolean {
  return MODULES_NEVER_IN_24.has(name);
}

function activityOfIfModule(open: Line): Activity {
  const condition = nameInTag(open, 4);
  if (condition === null || condition.name.includes('${')) return 'unknown';
  const { name, isNegated } = condition;
  if (MODULES_ALWAYS_IN_24.has(name)) return isNegated ? 'inactive' : 'active';
  if (MODULES_NEVER_IN_24.has(name)) return isNegated ? 'active' : 'inactive';
  // httpd compares the name with source files and identifiers, case-sensitively (server/core.c,
  // start_ifmod). So a name that is neither, such as `mod_rewrite`, is never that of a loaded
  // module.
  if (moduleNameMeant(name) !== undefined) return isNegated ? 'active' : 'inactive';
  // 2.2 does not have this module, so the section was written for 2.4. A 2.4 with the module
  // accepts the old lines in it, so they need no change and count as inactive.
  if ((name === 'mod_access_compat.c' || name === 'access_compat_module') && !isNegated) return 'inactive';
  return 'unknown';
}

/**
 * The activity of the lines in an `<IfVersion>`. If the patch release of 2.4 is unknown, the result
 * is certain only if all releases give the same result.
 */
function activityOfIfVersion(open: Line, { major, minor, patch }: Target): Activity {
  if (open.text.includes('${')) return 'unknown';
  const answersOfReleases = resultsForReleases(open, Number.isFinite(patch) ? [{ major, minor, patch }] : RELEASES_24);
  const [firstAnswer = null] = answersOfReleases;
  if (firstAnswer === null || answersOfReleases.some((each) => each !== firstAnswer)) return 'unknown';
  return firstAnswer ? 'active' : 'inactive';
}

/** The releases of 2.4. The first public one was 2.4.1. */
const RELEASES_24: readonly Release[] = Array.from({ length: 99 }, (_, index) => ({
  major: 2,
  minor: 4,
  patch: index + 1,
}));
