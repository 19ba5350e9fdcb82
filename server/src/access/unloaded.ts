/**
 * Old lines of a .htaccess whose module the server does not have: an unknown directive is a 500 for every request there (ap_invoke_cmd's callers in server/config.c of both
 * versions), and Require lines would end it. In a server's own file such a line stops the start, so one of these shows that the module is there.
 */
import type { Configuration, Scope } from '../config/configuration';
import { doubt, type Doubt } from './doubt';
import type { Htaccess } from './configuration-conversion';
import type { Source } from './model';

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

/** `builtIn`: what a person said that is compiled in, by the manual's names. */
export function unloadedDoubts(
  configuration: Configuration,
  htaccess: readonly Htaccess[],
  source: Source,
  builtIn: ReadonlySet<string> | null | undefined,
): Doubt[] {
  const { loaded } = configuration;
  const owner = source === '2.2' ? 'mod_authz_host' : 'mod_access_compat';
  const isLoading = USUALLY_BESIDE.filter((name) => loaded.has(`mod_${name}.c`)).length >= ENOUGH;
  if (!isLoading || loaded.has(`${owner}.c`) || builtIn?.has(owner)) return [];
  if (hostLine(configuration.root, (activity) => activity === 'active')) return [];
  for (const { scope } of htaccess) {
    const found = hostLine(scope, (activity) => activity !== 'inactive');
    if (!found) continue;
    const { line, file, offset } = found;
    const why = `no line loads ${owner}, and without it requests get 500 in ${source}`;
    return [doubt('read-otherwise', line.text.trim(), [{ path: file.path, offset }], why)];
  }
  return [];
}

type Found = Scope['lines'][number];

function hostLine({ lines, children }: Scope, isOne: (activity: Found['activity']) => boolean): Found | null {
  const found = lines.find(({ line, activity }) => HOSTS.has(line.name) && isOne(activity));
  if (found) return found;
  for (const child of children) {
    const inside = hostLine(child, isOne);
    if (inside) return inside;
  }
  return null;
}
