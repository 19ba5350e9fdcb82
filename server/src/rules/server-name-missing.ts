import { linesOf } from '../config/loaded-modules';
import { nameSpan } from './edits';
import type { ConfigurationRule } from './rule';

/** A whole configuration without a ServerName for the main server. */
export const serverNameMissing: ConfigurationRule = {
  id: 'server-name-missing',
  title: 'A configuration without a ServerName for the main server',
  consequence: 'check after the upgrade',
  fix: 'none',
  scope: 'configuration',
  names: ['servername', 'listen', 'loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#servername',
  page: {
    what: 'A configuration that has no `ServerName` outside of its virtual hosts.',
    why: 'Then the server asks the machine for its own name. Where that has no full name, in a container for example, it says so at every check and every start, and calls itself by an address.',
    httpd: "`AH00558: … Could not reliably determine the server's fully qualified domain name, using 127.0.0.1. Set the 'ServerName' directive globally to suppress this message`: a warning, and only where the machine's name does not resolve.",
    fixing: 'There is none: the name is for a person to say.',
    sources: ['server/util.c: ap_get_local_host; server/vhost.c: ap_fini_vhost_config', 'experiment: test/httpd/start.test.ts'],
  },
  examples: [
    {
      title: 'Names for virtual hosts only',
      before: 'LoadModule authz_core_module modules/mod_authz_core.so\nLoadModule dir_module modules/mod_dir.so\nLoadModule mime_module modules/mod_mime.so\nListen 80\n<VirtualHost *:80>\n    ServerName www.example.com\n</VirtualHost>\n',
      finds: ['missing'],
    },
  ],
  check({ configuration, modules }) {
    if (!modules.isComplete || configuration.root.lines.some(({ line }) => line.name === 'servername')) return [];
    const first = linesOf(configuration, 'listen').find(({ activity }) => activity === 'active');
    if (!first) return [];
    return [
      {
        file: first.file.path, messageId: 'missing', ...nameSpan(first.line, first.offset),
        what: '`ServerName` is missing outside of the virtual hosts',
        cause: 'If the host name of the machine does not resolve, httpd logs AH00558 at each start and `httpd -t`.',
        help: 'Add a `ServerName` line to the main configuration.',
      },
    ];
  },
};
