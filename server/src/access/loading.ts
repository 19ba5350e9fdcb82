/** Finds out how a server gets its modules, from the lines of its configuration. */
import type { ConfigLine, Configuration, Scope } from '../config/configuration';

/**
 * How the server gets its modules. `all`: LoadModule lines load so many that none is compiled in.
 * `some`: lines load a module that every server has, so others may be compiled in. `none`: there is
 * no such line.
 */
export function loadedByLines({ loaded }: Pick<Configuration, 'loaded'>): 'all' | 'some' | 'none' {
  const count = USUALLY_BESIDE.filter((name) => loaded.has(`mod_${name}.c`)).length;
  return count >= ENOUGH_LOADED ? 'all' : count > 0 ? 'some' : 'none';
}

/**
 * Returns the first Order, Allow or Deny line of a scope or its children for which `isOne` is true.
 * Null if there is none.
 */
export function hostLine({ lines, children }: Scope, isOne: (line: ConfigLine) => boolean): ConfigLine | null {
  const found = lines.find((each) => HOST_LINES.has(each.line.name) && isOne(each));
  if (found) return found;
  for (const child of children) {
    const inside = hostLine(child, isOne);
    if (inside) return inside;
  }
  return null;
}

// ---------------------------------------------------------------------------------------------------------------------

const HOST_LINES: ReadonlySet<string> = new Set(['order', 'allow', 'deny']);

/** Modules that every server has. If LoadModule lines load three of them, none is compiled in. */
const USUALLY_BESIDE = [
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
const ENOUGH_LOADED = 3;
