/** What the lines of a configuration tell of the modules that its server has. */
import type { ConfigLine, Configuration, Scope } from '../config/configuration';

/**
 * Whether a configuration loads its modules by lines: `all` where so many are that none is compiled in, `some` where one is that every server has, so that nobody knows what else is
 * compiled in, `none` where nothing tells of lines at all.
 */
export function loadedByLines({ loaded }: Pick<Configuration, 'loaded'>): 'all' | 'some' | 'none' {
  const count = USUALLY_BESIDE.filter((name) => loaded.has(`mod_${name}.c`)).length;
  return count >= ENOUGH ? 'all' : count > 0 ? 'some' : 'none';
}

/** The first Order, Allow or Deny in a scope, or in one below it, that is one. */
export function hostLine({ lines, children }: Scope, isOne: (line: ConfigLine) => boolean): ConfigLine | null {
  const found = lines.find((each) => HOSTS.has(each.line.name) && isOne(each));
  if (found) return found;
  for (const child of children) {
    const inside = hostLine(child, isOne);
    if (inside) return inside;
  }
  return null;
}

// ---------------------------------------------------------------------------------------------------------------------

const HOSTS: ReadonlySet<string> = new Set(['order', 'allow', 'deny']);

/** Of these every server has some: one that loads so many loads them all, and compiles in none. */
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
