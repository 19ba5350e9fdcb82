import { isWrittenAtStart } from '../config/service-file';
import { linesOf } from '../config/loaded-modules';
import { isModuleOf22Only, REPLACED_MODULES } from '../config/old-modules';
import { argumentsOf, spelledName } from '../syntax/line';
import { contentSpan, fittingHeadline } from './support/edits';
import type { ConfigurationRule } from './rule';

export const sysconfigModules: ConfigurationRule = {
  id: 'sysconfig-modules',
  title: 'A module in /etc/sysconfig/apache2 that 2.4 does not have',
  consequence: 'may not start',
  since: 0,
  fix: 'none',
  checks: 'configuration',
  names: ['include', 'loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html',
  examples: [
    {
      title: 'A server of SUSE',
      before: 'Include /etc/apache2/sysconfig.d/loadmodule.conf\n',
      finds: ['removed'],
      files: { '/etc/sysconfig/apache2': 'APACHE_MODULES="alias authz_default dir mime"\n' },
    },
    {
      title: 'Not reported: modules of 2.4',
      before: 'Include /etc/apache2/sysconfig.d/loadmodule.conf\n',
      finds: [],
      files: { '/etc/sysconfig/apache2': 'APACHE_MODULES="alias authz_core dir mime"\n' },
    },
  ],
  check({ configuration, modules: { serviceFile } }) {
    const modulesOf22 = (serviceFile?.modules ?? []).filter(({ name }) => isModuleOf22Only(name));
    const includeLine = linesOf(configuration, 'include').find(
      ({ expandedLine, activity }) =>
        activity !== 'inactive' && isWrittenAtStart(argumentsOf(expandedLine)[0]?.value ?? ''),
    );
    if (!serviceFile || !includeLine || modulesOf22.length === 0) return [];
    const moduleNames = [...new Set(modulesOf22.map(({ name }) => name))];
    const replacingModules = [...new Set(moduleNames.flatMap((name) => REPLACED_MODULES.get(name) ?? []))].filter(
      (name) => !serviceFile.modules.some((each) => each.name === name),
    );
    const commands = [
      ...moduleNames.map((name) => `a2dismod ${name}`),
      ...replacingModules.map((name) => `a2enmod ${name}`),
    ];
    const isOneModule = moduleNames.length === 1;
    return [
      {
        file: includeLine.file.path,
        messageId: 'removed',
        ...contentSpan(includeLine.line, includeLine.offset),
        what: fittingHeadline(
          `\`${spelledName(includeLine.line)}\`: APACHE_MODULES names ${isOneModule ? 'a module' : `${moduleNames.length} modules`} that 2.4 does not have`,
          `\`${spelledName(includeLine.line)}\`: modules that 2.4 does not have`,
        ),
        cause: `APACHE_MODULES names ${modulesOf22.map(({ name, row }) => `${name} (${serviceFile.name}:${row + 1})`).join(', ')}. The start script of SUSE writes the included file from APACHE_MODULES.`,
        help: `Run ${commands.map((command) => `\`${command}\``).join(', ')}.`,
        run: commands.join('\n'),
      },
    ];
  },
};
