import { driveOf } from '../config/files';
import { lacksAtMostPackageLoads, linesOf } from '../config/loaded-modules';
import { argumentsOf } from '../syntax/line';
import { nameSpan, shortened } from './support/edits';
import type { ConfigurationRule } from './rule';

export const serverNameMissing: ConfigurationRule = {
  id: 'server-name-missing',
  title: 'A configuration without a ServerName for the main server',
  consequence: 'check after the upgrade',
  fix: 'suggestion',
  checks: 'configuration',
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
    const isWholeConfiguration =
      modules.isComplete || (modules.pathOfMissingPackageLoads !== null && lacksAtMostPackageLoads(configuration));
    if (!isWholeConfiguration || configuration.rootScope.lines.some(({ line }) => line.name === 'servername'))
      return [];
    const listenLine = linesOf(configuration, 'listen').find(({ activity }) => activity === 'active');
    if (!listenLine) return [];
    const serverName = linesOf(configuration, 'servername').flatMap(({ line }) => argumentsOf(line)[0]?.value ?? [])[0];
    const addedLine = `ServerName ${serverName}`;
    const indent = /^[ \t]*/.exec(listenLine.line.text)![0];
    const newline = listenLine.line.text.includes('\r\n') ? '\r\n' : '\n';
    return [
      {
        file: listenLine.file.path,
        messageId: 'missing',
        ...nameSpan(listenLine.line, listenLine.offset),
        what: '`ServerName` is missing in the main configuration',
        cause:
          'If the host name of the machine cannot be resolved, httpd logs AH00558 at each start, and with `httpd -t`.',
        help: `Add a \`ServerName\` line outside of the virtual hosts, with the host name of this server: the output of \`${driveOf(configuration.serverRoot) === '' ? 'hostname -f' : 'hostname'}\`${serverName === undefined ? '' : `, or the name of a virtual host, such as ${shortened(serverName, 40)}`}.`,
        // If no file has a server name, there is no fix, because the right name is unknown.
        fixes:
          serverName === undefined
            ? []
            : [
                {
                  title: addedLine.length < 50 ? `Add \`${addedLine}\`` : 'Add ServerName',
                  safety: 'suggestion',
                  assumes: 'the server has this name',
                  edits: [
                    { start: listenLine.offset, end: listenLine.offset, text: `${indent}${addedLine}${newline}` },
                  ],
                },
              ],
      },
    ];
  },
};
