/**
 * Finds old lines in .htaccess files if the server may not have the module for them. With an
 * unknown directive in such a file, every request to its folder gets status 500 (callers of
 * invoke_cmd in server/config.c of both versions). With new Require lines, the server would allow
 * some of these requests. In the server's own files, an unknown directive prevents the start. So an
 * old line in these files shows that the module is loaded.
 */
import type { Configuration } from '../config/configuration';
import { openQuestion, type OpenQuestion } from './open-question';
import { findHostLine, modulesLoadedByLines } from './loading';
import type { Source } from './model';
import type { HtaccessFile } from './sections';

/**
 * Makes the question whether the server has the module for the old lines in .htaccess files. Empty
 * if it certainly has, or if there are no such lines. `builtInModules`: the names of the modules
 * that are compiled in; absent or null if that is unknown.
 */
export function unloadedQuestions(
  configuration: Configuration,
  htaccess: readonly HtaccessFile[],
  source: Source,
  builtInModules: ReadonlySet<string> | null | undefined,
): OpenQuestion[] {
  const neededModule = source === '2.2' ? 'mod_authz_host' : 'mod_access_compat';
  // If LoadModule lines load none of the usual modules, modules are compiled in, and perhaps also
  // this module. The user could not know that, so there is no question.
  if (modulesLoadedByLines(configuration) === 'none') return [];
  if (configuration.loadedModules.has(`${neededModule}.c`) || builtInModules?.has(neededModule)) return [];
  if (
    findHostLine(
      configuration.rootScope,
      ({ activity, activityByVersion }) => activity === 'active' && activityByVersion?.in22 !== 'inactive',
    )
  )
    return [];
  for (const { scope } of htaccess) {
    const hostLine = findHostLine(
      scope,
      ({ activity, activityByVersion }) => activity !== 'inactive' && activityByVersion?.in22 !== 'inactive',
    );
    if (!hostLine) continue;
    const { line, file, offset } = hostLine;
    const why = `no line loads ${neededModule}, and without it requests get 500 in ${source}`;
    return [openQuestion('read-otherwise', line.text.trim(), [{ path: file.path, offset }], why)];
  }
  return [];
}
