/** Finds out how a server gets its modules, from the lines of its configuration. */
import type { ConfigLine, Configuration, Scope } from '../config/configuration';

/**
 * How the server gets its modules. `all`: LoadModule lines load at least three modules that every
 * server has, so no module is compiled in. `some`: they load one or two of these modules, so the
 * others are compiled in. `none`: they load none.
 */
export function modulesLoadedByLines({ loadedModules }: Pick<Configuration, 'loadedModules'>): 'all' | 'some' | 'none' {
  const loadedCount = MODULES_OF_EVERY_SERVER.filter((name) => loadedModules.has(`mod_${name}.c`)).length;
  return loadedCount >= MIN_LOADED_IF_NONE_BUILT_IN ? 'all' : loadedCount > 0 ? 'some' : 'none';
}

/**
 * Returns the first Order, Allow or Deny line of a scope or an inner scope for which `isWanted` is
 * true. Null if there is none.
 */
export function findHostLine({ lines, children }: Scope, isWanted: (line: ConfigLine) => boolean): ConfigLine | null {
  const ownLine = lines.find((each) => HOST_LINE_NAMES.has(each.line.name) && isWanted(each));
  if (ownLine) return ownLine;
  for (const child of children) {
    const lineOfChild = findHostLine(child, isWanted);
    if (lineOfChild) return lineOfChild;
  }
  return null;
}

// ---------------------------------------------------------------------------------------------------------------------

const HOST_LINE_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny']);

/**
 * Modules that every server has. If LoadModule lines load at least `MIN_LOADED_IF_NONE_BUILT_IN` of
 * them, no module is compiled in.
 */
const MODULES_OF_EVERY_SERVER = [
  'mime',
  'dir',
  'alias',
  'negotiation',
  'autoindex',
  'setenvif',
  'auth_basic',
  'log_config',
  'env',
];
const MIN_LOADED_IF_NONE_BUILT_IN = 3;
