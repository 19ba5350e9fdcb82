/** What a walk through a configuration takes for granted before it begins: what is compiled in, and whether the LoadModule lines are all there are. */
import { builtInOf, isOfWindows, type Distribution } from './distribution';
import type { Assumption, ServerSettings } from './model';

export const MPMS = ['event', 'worker', 'prefork', 'mpm_winnt'];

/** What an earlier walk has seen. */
export interface SeenByWalk {
  /** Modules that are loaded whatever is taken for granted. */
  readonly certain: ReadonlySet<string>;
  detected(): Distribution | null;
  /** The server's own. */
  readonly serverRoot: string;
}

export function isEqualTo(a: Assumption, b: Assumption): boolean {
  return a.builtIn === b.builtIn && a.knowsModules === b.knowsModules && a.distribution === b.distribution;
}

const LEAST_BUILT_IN: ReadonlySet<string> = new Set(['core', 'mod_so']);

/**
 * What to go by. A set of LoadModule lines is complete when a 2.4 server could start with it (mod_authz_core, an MPM, and but for Windows mod_unixd:
 * AH00534, AH00136); one for 2.2, or half a configuration, tells nothing of what 2.4 will have.
 */
export function assumption(server: ServerSettings, walk: SeenByWalk | null): Assumption {
  const distribution = server.distribution ?? (walk ? walk.detected() : null);
  const serverRoot = walk?.serverRoot ?? '';
  const isOnWindows = distribution === 'windows' || isOfWindows(serverRoot);
  const builtIn = server.builtIn ?? builtInOf(distribution, serverRoot) ?? LEAST_BUILT_IN;
  const has = (name: string) => builtIn.has(name) || walk?.certain.has(name) === true;
  const knowsModules =
    server.builtIn != null ||
    (walk !== null && has('mod_authz_core') && (isOnWindows || has('mod_unixd')) && MPMS.some(has));
  return { distribution, builtIn, knowsModules };
}
