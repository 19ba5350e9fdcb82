/** Facts about the modules of a server, from the lines of its configuration. */
import type { ConfigLine, Configuration, Scope } from '../config/configuration';

/**
 * Whether the modules are loaded by LoadModule lines. `all`: so many are that none is compiled in.
 * `some`: one module that every server has is loaded by a line, so it is unknown which others are
 * compiled in. `none`: no such line exists.
 */
export function loadedByLines({ loaded }: Pick<Configuration, 'loaded'>): 'all' | 'some' | 'none' {
  const count = USUALLY_BESIDE.filter((name) => loaded.has(`mod_${name}.c`)).length;
  return count >= ENOUGH ? 'all' : count > 0 ? 'some' : 'none';
}

/**
 * The first Order, Allow or Deny line of a scope and its children that passes a test. Null if there
 * is none.
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

/** Modules that every server has. A server that loads three of them by lines compiles in none. */
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
const ENOUGH = 3;
