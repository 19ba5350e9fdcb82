import { contentSpan, NOTHING, removeLine, values } from './support/edits';
import type { LineRule } from './rule';

/** `NameVirtualHost`: read and ignored by 2.4, which tells names apart wherever virtual hosts share an address. So the lines can go. */
export const nameVirtualHost: LineRule = {
  id: 'name-virtual-host',
  title: 'NameVirtualHost, which has no effect in 2.4',
  consequence: 'ignored',
  fix: 'safe',
  scope: 'line',
  names: ['namevirtualhost'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#namevirtualhost',
  page: {
    what: '`NameVirtualHost` has no effect in 2.4: virtual hosts with the same address are always selected by name.',
    why:
      'In 2.2 virtual hosts with the same address were selected by name only if a `NameVirtualHost` line named this address. Otherwise the first one answered every request. ' +
      '2.4 always selects by name, so the directive is not needed.\n\n' +
      'The rule virtual-host-comes-alive reports virtual hosts for which the two versions differ. The line then waits for the change of the virtual hosts.',
    httpd: '`AH00548: NameVirtualHost has no effect and will be removed in the next release`, a warning.',
    fixing: '- **Safe**: remove the line. 2.4 ignores it. Comments above it stay.',
    sources: [
      'server/core.c of 2.4: ap_set_name_virtual_host',
      'manual 2.4, core: NameVirtualHost',
      'experiment: test/httpd/claims.test.ts',
    ],
  },
  examples: [
    {
      title: 'NameVirtualHost for the address of virtual hosts',
      before:
        'Listen 80\nNameVirtualHost *:80\n<VirtualHost *:80>\n    ServerName a.example\n</VirtualHost>\n<VirtualHost *:80>\n    ServerName b.example\n</VirtualHost>\n',
      after:
        'Listen 80\n<VirtualHost *:80>\n    ServerName a.example\n</VirtualHost>\n<VirtualHost *:80>\n    ServerName b.example\n</VirtualHost>\n',
      finds: ['ignored'],
    },
  ],
  check({ line }) {
    if (line.name !== 'namevirtualhost' || values(line).length !== 1) return NOTHING;
    return [
      {
        messageId: 'ignored',
        what: '`NameVirtualHost` has no effect in 2.4',
        cause: 'In 2.4 virtual hosts with the same address are always selected by name (AH00548).',
        help: 'Remove the line.',
        ...contentSpan(line),
        tag: 'unnecessary',
        fixes: [{ title: 'Remove NameVirtualHost', safety: 'safe', edits: [removeLine(line)] }],
      },
    ];
  },
};
