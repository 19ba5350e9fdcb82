import { driveOf } from '../config/files';
import { lacksAtMostPackageLoads, linesOf } from '../config/loaded-modules';
import { argumentsOf } from '../syntax/line';
import { nameSpan } from './support/edits';
import type { ConfigurationRule } from './rule';

export const serverNameMissing: ConfigurationRule = {
  id: 'server-name-missing',
  title: 'A configuration without a ServerName for the main server',
  consequence: 'check after the upgrade',
  fix: 'suggestion',
  scope: 'configuration',
  names: ['servername', 'listen', 'loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#servername',
  examples: [
    {
      title: 'Only virtual hosts have a ServerName',
      before:
        'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\nListen 80\n<VirtualHost *:80>\n    ServerName www.example.com\n</VirtualHost>\n',
      after:
        'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\nServerName www.example.com\nListen 80\n<VirtualHost *:80>\n    ServerName www.example.com\n</VirtualHost>\n',
      finds: ['missing'],
    },
  ],
  check({ configuration, modules }) {
    const isWhole =
      modules.isComplete || (modules.missingPackageLoads !== null && lacksAtMostPackageLoads(configuration));
    if (!isWhole || configuration.rootScope.lines.some(({ line }) => line.name === 'servername')) return [];
    const first = linesOf(configuration, 'listen').find(({ activity }) => activity === 'active');
    if (!first) return [];
    const name = linesOf(configuration, 'servername').flatMap(({ line }) => argumentsOf(line)[0]?.value ?? [])[0];
    const added = `ServerName ${name}`;
    const indent = /^[ \t]*/.exec(first.line.text)![0];
    const end = first.line.text.includes('\r\n') ? '\r\n' : '\n';
    return [
      {
        file: first.file.path,
        messageId: 'missing',
        ...nameSpan(first.line, first.offset),
        what: '`ServerName` is missing in the main configuration',
        cause:
          'If the host name of the machine cannot be resolved, httpd logs AH00558 at each start, and with `httpd -t`.',
        help: `Add a \`ServerName\` line outside of the virtual hosts, with the host name of this server (\`${driveOf(configuration.serverRoot) === '' ? 'hostname -f' : 'hostname'}\`).`,
        // If no file has a server name, the fix cannot know it.
        fixes:
          name === undefined
            ? []
            : [
                {
                  title: added.length < 50 ? `Add \`${added}\`` : 'Add ServerName',
                  safety: 'suggestion',
                  assumes: 'the server has this name',
                  edits: [{ start: first.offset, end: first.offset, text: `${indent}${added}${end}` }],
                },
              ],
      },
    ];
  },
};
