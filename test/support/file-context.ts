/** Hand-made file context: the facts of a configuration about a file, for tests of one file. */
import type { Activity } from '../../server/src/config/activity';
import { activityOf } from '../../server/src/config/activity';
import type { FileContext } from '../../server/src/config/file-context';
import { module, modules } from '../../server/src/directives';
import { argumentsOf } from '../../server/src/syntax/line';
import type { Section } from '../../server/src/syntax/tree';

export interface Made {
  /**
   * Container sections around the file, outermost first; undefined for the main server's top level,
   * null if unknown.
   */
  readonly containers?: readonly string[] | null;
  /**
   * By the manual's names; left out for every module of 2.4 that runs on Unix, with the event MPM.
   */
  readonly modules?: Iterable<string> | null;
  /** For a .htaccess. Left out for all. */
  readonly overrides?: readonly string[] | null;
  /** What `-D` and Define set. */
  readonly defines?: ReadonlySet<string>;
  /** The values of variables; undefined if unknown. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly fileExists?: (path: string) => boolean;
  /** Macros that other files define, in lower case; undefined if unknown. */
  readonly macros?: readonly string[];
  /** Names of providers that the configuration defines; undefined if unknown. */
  readonly providers?: readonly string[];
}

/** Modules of 2.4 that a build for Unix has, and one MPM. */
export function unixModules(mpm = 'event'): Set<string> {
  const others = new Set([
    'prefork',
    'worker',
    'event',
    'mpm_winnt',
    'mpm_netware',
    'mpmt_os2',
    'mod_isapi',
    'mod_nw_ssl',
    'mod_privileges',
    'mod_socache_dc',
  ]);
  const names = modules()
    .filter((known) => known['2.4']?.identifier && !others.has(known.name))
    .map(({ name }) => name);
  return new Set([...names, 'core', mpm]);
}

export function fileContext(made: Made = {}): FileContext {
  const loaded = made.modules === null ? null : new Set(made.modules ?? unixModules());
  return {
    containers: made.containers === undefined ? [] : made.containers,
    modules: loaded,
    overrides: made.overrides === null ? null : new Set(made.overrides ?? ['all']),
    macros: made.macros ? new Set(made.macros) : null,
    providers: made.providers ? new Set(made.providers) : null,
    activityOf: (section) => activity(section, loaded, made),
    variable: (name) => made.variables?.[name],
  };
}

function activity(section: Section, loaded: ReadonlySet<string> | null, made: Made): Activity | undefined {
  const [word] = argumentsOf(section.open);
  if (word === undefined) return undefined;
  const isNegated = word.value.startsWith('!');
  const name = word.value.slice(isNegated ? 1 : 0);
  const answer = (holds: boolean): Activity => (holds !== isNegated ? 'active' : 'inactive');
  if (section.name === 'ifmodule' && loaded !== null) return answer(isLoaded(name, loaded));
  if (section.name === 'ifdefine' && made.defines) return answer(made.defines.has(name));
  if (section.name === 'iffile' && made.fileExists) return answer(made.fileExists(name));
  if (section.name === 'ifversion') return activityOf(section.open, { major: 2, minor: 4, patch: 71 });
  return undefined;
}

/** Names of source files and identifiers, in the very letters. */
function isLoaded(name: string, loaded: ReadonlySet<string>): boolean {
  if (name === 'http_core.c') return true;
  const known = module(name);
  const facts = known?.['2.4'];
  return known !== undefined && loaded.has(known.name) && (facts?.identifier === name || facts?.sourceFile === name);
}
