/**
 * Before a configuration is read, its reader must assume which modules are compiled in, and whether
 * LoadModule lines load all other modules. This file makes that assumption.
 */
import { builtInModules, isWindowsServerRoot, type Distribution } from './distribution';
import type { Assumption, ServerSettings } from './model';

/** The MPMs of 2.4, by the manual's names of their modules. */
export const MPM_MODULES = ['event', 'worker', 'prefork', 'mpm_winnt'];

/** Facts that an earlier reading of the same configuration found. */
export interface FactsFromReading {
  /** Modules whose LoadModule lines httpd reads under every assumption. */
  readonly certainModules: ReadonlySet<string>;
  detectDistribution(): Distribution | null;
  /** The ServerRoot as a path of the server. */
  readonly serverRoot: string;
}

export function areEqualAssumptions(a: Assumption, b: Assumption): boolean {
  return a.builtIn === b.builtIn && a.knowsModules === b.knowsModules && a.distribution === b.distribution;
}

const MINIMAL_BUILT_IN: ReadonlySet<string> = new Set(['core', 'mod_so']);

/**
 * Makes the assumption from the user's settings, and from an earlier reading (null if there is
 * none).
 *
 * The LoadModule lines are complete if a 2.4 server could start with them: they load
 * mod_authz_core, an MPM and, except on Windows, mod_unixd (AH00534, AH00136). Otherwise the lines
 * are of a 2.2 server, or of an incomplete configuration, and do not show what 2.4 will load.
 */
export function makeAssumption(server: ServerSettings, earlierReading: FactsFromReading | null): Assumption {
  const distribution = server.distribution ?? (earlierReading ? earlierReading.detectDistribution() : null);
  const serverRoot = earlierReading?.serverRoot ?? '';
  const isOnWindows = distribution === 'windows' || isWindowsServerRoot(serverRoot);
  const builtIn = server.builtIn ?? builtInModules(distribution, serverRoot) ?? MINIMAL_BUILT_IN;
  const isModulePresent = (name: string) => builtIn.has(name) || earlierReading?.certainModules.has(name) === true;
  const knowsModules =
    server.builtIn != null ||
    (earlierReading !== null &&
      isModulePresent('mod_authz_core') &&
      (isOnWindows || isModulePresent('mod_unixd')) &&
      MPM_MODULES.some(isModulePresent));
  return { distribution, builtIn, knowsModules };
}
