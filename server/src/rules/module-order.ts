import type { LoadModuleLine } from '../config/loaded-modules';
import { module as moduleNamed } from '../directives';
import { nameSpan } from './support/edits';
import { shortName } from './support/load-module-fix';
import { runsOnWindows } from './support/windows';
import type { ConfigurationFinding, ConfigurationRule, Fix } from './rule';
import { fittingTitle } from './support/fix-title';

export const moduleOrder: ConfigurationRule = {
  id: 'module-order',
  title: 'A module that is loaded before another module that it needs',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'configuration',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_so.html#loadmodule',
  examples: [
    {
      title: 'LoadModule lines in alphabetical order',
      before:
        'LoadModule proxy_http_module modules/mod_proxy_http.so\nLoadModule proxy_module modules/mod_proxy.so\nLoadModule dir_module modules/mod_dir.so\n',
      after:
        'LoadModule proxy_module modules/mod_proxy.so\nLoadModule proxy_http_module modules/mod_proxy_http.so\nLoadModule dir_module modules/mod_dir.so\n',
      finds: ['order'],
    },
  ],
  check(ruleInput) {
    // On Windows, loading a module also loads the files that it is linked with.
    if (runsOnWindows(ruleInput)) return [];
    const { modules, target } = ruleInput;
    const findings: ConfigurationFinding[] = [];
    const activeLoads = modules.loadLines.filter(({ configLine }) => configLine.activity === 'active');
    const indexByModule = new Map<string, number>();
    activeLoads.forEach(({ module }, index) => indexByModule.has(module) || indexByModule.set(module, index));
    activeLoads.forEach((load, index) => {
      if (indexByModule.get(load.module) !== index) return;
      const neededModule = (moduleNamed(load.module)?.loadAfter ?? []).find(
        (module) => (indexByModule.get(module) ?? -1) > index,
      );
      if (neededModule !== undefined)
        findings.push(findingOfOrder(load, activeLoads[indexByModule.get(neededModule)!]!, 'will not start'));
      else if (
        load.module.startsWith('mod_lbmethod_') &&
        target.patch === 34 &&
        (indexByModule.get('mod_proxy_balancer') ?? -1) > index
      ) {
        findings.push(findingOfOrder(load, activeLoads[indexByModule.get('mod_proxy_balancer')!]!, 'may not start'));
      }
    });
    return findings;
  },
};

function findingOfOrder(
  load: LoadModuleLine,
  neededLoad: LoadModuleLine,
  consequence: 'will not start' | 'may not start',
): ConfigurationFinding {
  const { line, offset, file } = load.configLine;
  const reason =
    consequence === 'will not start'
      ? 'In the other order, httpd reports an undefined symbol.'
      : 'In the other order, httpd 2.4.34 reports an undefined symbol: ap_proxy_balancer_get_best_worker.';
  return {
    file: file.path,
    messageId: consequence === 'will not start' ? 'order' : 'lbmethod-order',
    consequence,
    ...nameSpan(line, offset),
    what: `\`${shortName(load.module)}_module\` must be loaded after ${shortName(neededLoad.module)}_module`,
    cause: reason,
    help: `Move the line after \`LoadModule ${shortName(neededLoad.module)}_module\`.`,
    fixes: fixesMovingLine(load, neededLoad),
  };
}

function orderTitle(module: string, neededModule: string): string {
  const belowText = `below ${shortName(neededModule)}_module`;
  return fittingTitle(
    `Move LoadModule ${shortName(module)}_module ${belowText}`,
    `Move the LoadModule line ${belowText}`,
  );
}

/**
 * The fix that moves a LoadModule line below the line of the module that it needs. Empty if the
 * lines are in different files, in a section, or in a file that is read several times.
 */
function fixesMovingLine(load: LoadModuleLine, { module, configLine: neededLine }: LoadModuleLine): readonly Fix[] {
  const { configLine } = load;
  const areReadOnceAtTopLevel = [configLine, neededLine].every(
    ({ conditionals, enclosingSections, file }) =>
      conditionals.length === 0 && enclosingSections.length === 0 && file.readingCount === 1,
  );
  if (configLine.file !== neededLine.file || !areReadOnceAtTopLevel || !/\n$/.test(neededLine.line.text)) return [];
  const endOfNeeded = neededLine.offset + neededLine.line.length;
  const edits = [
    { start: configLine.offset, end: configLine.offset + configLine.line.length, text: '' },
    { start: endOfNeeded, end: endOfNeeded, text: configLine.line.text },
  ];
  return [{ title: orderTitle(load.module, module), safety: 'safe', edits }];
}
