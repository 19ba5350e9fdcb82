import { linesOf } from '../config/loaded-modules';
import { nameSpan } from './support/edits';
import type { ConfigurationRule } from './rule';

export const listenMissing: ConfigurationRule = {
  id: 'listen-missing',
  title: 'A configuration without a Listen line, which does not start',
  consequence: 'will not start',
  fix: 'none',
  checks: 'configuration',
  names: ['listen', 'loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/bind.html',
  examples: [
    {
      title: 'A whole configuration without Listen',
      before:
        'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\nServerName www.example.com\n',
      finds: ['missing'],
    },
    {
      title: 'Not reported: an included file that is missing can contain the line',
      before:
        'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\nInclude /srv/conf/ports.conf\n',
      finds: [],
    },
  ],
  check({ configuration, modules }) {
    if (!modules.isComplete || linesOf(configuration, 'listen').length > 0) return [];
    const firstLoadLine = modules.loadLines.find(({ configLine }) => configLine.activity === 'active');
    if (!firstLoadLine) return [];
    const { line, offset, file } = firstLoadLine.configLine;
    return [
      {
        file: file.path,
        messageId: 'missing',
        ...nameSpan(line, offset),
        what: '`Listen` is missing: the server has no port',
        cause: '`httpd -t` does not report this.',
        help: 'Add a `Listen` line, for example `Listen 80`.',
        serverText: 'no listening sockets available, shutting down',
      },
    ];
  },
};
