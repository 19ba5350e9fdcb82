import { addressAndPort } from '../config/address';
import { argumentsOf } from '../syntax/line';
import { listenersOf } from './listeners';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

/** A virtual host for a port on which nothing listens. */
export const virtualHostWithoutListen: ConfigurationRule = {
  id: 'virtual-host-without-listen',
  title: 'A virtual host for a port without Listen',
  consequence: 'check before the upgrade',
  fix: 'none',
  scope: 'configuration',
  names: ['listen'],
  url: 'https://httpd.apache.org/docs/2.4/vhosts/details.html',
  page: {
    what: 'A `<VirtualHost>` for a port that no `Listen` line opens. It never gets a request.',
    why: 'A `<VirtualHost>` chooses among connections that the server has accepted; it does not make the server listen. So no request ever gets to it. httpd says nothing about it, neither in the check nor at the start, in 2.2 as in 2.4.',
    httpd: 'nothing: `httpd -t` passes, and the server starts. What stands in the section must be right all the same: `SSLEngine on` without a certificate keeps the server from starting there, too.',
    fixing: 'There is none: either a `Listen` is missing, or the section is not needed any more.',
    sources: ['manual 2.4: bind.html, "How This Works With Virtual Hosts"', 'experiment: test/httpd/start.test.ts'],
  },
  examples: [
    {
      title: 'The port of before',
      before: 'Listen 80\n<VirtualHost *:80>\n    ServerName www.example.com\n</VirtualHost>\n<VirtualHost *:8080>\n    ServerName old.example.com\n</VirtualHost>\n',
      finds: ['no-listen'],
    },
  ],
  check({ configuration }) {
    if (configuration.gaps.length > 0) return [];
    const listeners = listenersOf(configuration);
    if (!listeners || listeners.length === 0) return [];
    const ports = new Set(listeners.map(({ port }) => port));
    const findings: ConfigurationFinding[] = [];
    /** Tags that nothing is to be said of: many read alike. */
    const fine = new Set<string>();
    for (const host of configuration.root.children) {
      const { kind, section, activity, file, offset } = host;
      if (kind !== 'virtualhost' || activity !== 'active' || !section || fine.has(section.open.text)) continue;
      const { words } = host;
      if (words.length === 0) continue;
      const own = words.map((word) => (word.includes('${') ? null : addressAndPort(word)?.port ?? null));
      if (own.some((port) => port === null || port === 0 || ports.has(port))) {
        if (!section.open.text.includes('${')) fine.add(section.open.text);
        continue;
      }
      const last = argumentsOf(section.open).at(-1)!;
      findings.push({
        file: file.path, messageId: 'no-listen', start: offset + argumentsOf(section.open)[0]!.start, end: offset + last.end,
        what: `\`<VirtualHost>\` gets no request: no \`Listen\` has port ${[...new Set(own)].slice(0, 3).join(' or ')}`,
        cause: 'httpd starts, and logs nothing about it.', help: 'Add a `Listen` line for the port, or remove the virtual host.',
      });
    }
    return findings;
  },
};
