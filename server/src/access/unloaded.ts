/**
 * Old lines of a .htaccess whose module the server does not have: an unknown directive is a 500 for every request there (invoke_cmd's callers in server/config.c of both
 * versions), and Require lines would end it. In a server's own file such a line stops the start, so one of these shows that the module is there.
 */
import type { Configuration } from '../config/configuration';
import { doubt, type Doubt } from './doubt';
import { hostLine, loadedByLines } from './loading';
import type { Source } from './model';
import type { Htaccess } from './sections';

/** `builtIn`: what a person said that is compiled in, by the manual's names. */
export function unloadedDoubts(
  configuration: Configuration,
  htaccess: readonly Htaccess[],
  source: Source,
  builtIn: ReadonlySet<string> | null | undefined,
): Doubt[] {
  const owner = source === '2.2' ? 'mod_authz_host' : 'mod_access_compat';
  // Where some modules are loaded by lines, this one may be compiled in, and nobody has said so.
  if (loadedByLines(configuration) === 'none') return [];
  if (configuration.loaded.has(`${owner}.c`) || builtIn?.has(owner)) return [];
  if (hostLine(configuration.root, ({ activity, half }) => activity === 'active' && half?.before !== 'inactive'))
    return [];
  for (const { scope } of htaccess) {
    const found = hostLine(scope, ({ activity, half }) => activity !== 'inactive' && half?.before !== 'inactive');
    if (!found) continue;
    const { line, file, offset } = found;
    const why = `no line loads ${owner}, and without it requests get 500 in ${source}`;
    return [doubt('read-otherwise', line.text.trim(), [{ path: file.path, offset }], why)];
  }
  return [];
}
