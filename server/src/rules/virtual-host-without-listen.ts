import { parseAddressAndPort } from '../config/address';
import { argumentsOf } from '../syntax/line';
import { listenersOf } from '../config/listeners';
import { lacksAtMostPackageLoads } from '../config/loaded-modules';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const virtualHostWithoutListen: ConfigurationRule = {
  id: 'virtual-host-without-listen',
  title: 'A virtual host for a port that no Listen line opens',
  consequence: 'check before the upgrade',
  fix: 'none',
  checks: 'configuration',
  names: ['listen'],
  url: 'https://httpd.apache.org/docs/2.4/vhosts/details.html',
  examples: [
    {
      title: 'A port without a Listen line',
      before:
        'Listen 80\n<VirtualHost *:80>\n    ServerName www.example.com\n</VirtualHost>\n<VirtualHost *:8080>\n    ServerName old.example.com\n</VirtualHost>\n',
      finds: ['no-listen'],
    },
  ],
  check({ configuration }) {
    if (!lacksAtMostPackageLoads(configuration)) return [];
    const listeners = listenersOf(configuration);
    if (!listeners || listeners.length === 0) return [];
    const ports = new Set(listeners.map(({ port }) => port));
    const findings: ConfigurationFinding[] = [];
    /** The tags for which there is no finding. Many tags are equal, so each is checked once. */
    const tagsWithoutFinding = new Set<string>();
    for (const host of configuration.rootScope.children) {
      const { kind, section, activity, file, offset } = host;
      if (kind !== 'virtualhost' || activity !== 'active' || !section || tagsWithoutFinding.has(section.open.text))
        continue;
      const { words } = host;
      if (words.length === 0) continue;
      const hostPorts = words.map((word) => (word.includes('${') ? null : (parseAddressAndPort(word)?.port ?? null)));
      if (hostPorts.some((port) => port === null || port === 0 || ports.has(port))) {
        if (!section.open.text.includes('${')) tagsWithoutFinding.add(section.open.text);
        continue;
      }
      const lastAddress = argumentsOf(section.open).at(-1)!;
      findings.push({
        file: file.path,
        messageId: 'no-listen',
        start: offset + argumentsOf(section.open)[0]!.start,
        end: offset + lastAddress.end,
        what: `\`<VirtualHost>\` gets no request: no \`Listen\` has port ${[...new Set(hostPorts)].slice(0, 3).join(' or ')}`,
        cause: 'httpd starts without a warning.',
        help: 'Add a `Listen` line for the port, or remove the virtual host.',
      });
    }
    return findings;
  },
};
