import { spelledSection } from '../config/sections';
import { spelledName } from '../syntax/line';
import { contentSpan, NO_FINDINGS } from './support/edits';
import type { LineRule } from './rule';

export const proxyPassInDirectory: LineRule = {
  id: 'proxy-pass-in-directory',
  title: 'ProxyPass in <Directory> or <Files>, where 2.4 rejects it',
  consequence: 'will not start',
  fix: 'none',
  checks: 'line',
  names: ['proxypass', 'proxypassmatch', 'proxypassreverse'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_proxy.html#proxypass',
  examples: [
    {
      title: 'ProxyPass inside a directory section',
      before:
        '<Directory "/srv/www/app">\n    ProxyPass http://127.0.0.1:8080/\n    ProxyPassReverse http://127.0.0.1:8080/\n</Directory>\n',
      finds: ['in-directory', 'in-directory'],
    },
    {
      title: 'Not reported: ProxyPass inside a location section',
      before: '<Location "/app">\n    ProxyPass http://127.0.0.1:8080/app\n</Location>\n',
      finds: [],
    },
  ],
  check({ line, context }) {
    const section = context.containers.at(-1);
    if (section === undefined || !/^(directory|files)(match)?$/.test(section)) return NO_FINDINGS;
    return [
      {
        messageId: 'in-directory',
        what: `\`${spelledName(line)}\` is no longer allowed in \`<${spelledSection(section)}>\``,
        cause: 'The directive maps URLs, and this section names files or directories.',
        help: 'Move the line into a `<Location>`, or write it outside of sections with its URL path as first argument.',
        ...contentSpan(line),
      },
    ];
  },
};
