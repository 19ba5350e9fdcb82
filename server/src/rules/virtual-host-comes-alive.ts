import { parseRequire, PROVIDERS, REQUIREMENTS_22 } from '../access/require';
import { linesOf, type LoadedModules } from '../config/loaded-modules';
import { mentionsIn } from '../config/lines-by-name';
import type { Configuration, Scope } from '../config/configuration';
import { module as moduleNamed } from '../directives';
import { argumentsOf } from '../syntax/line';
import { contentSpan, headline } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

/** Directives that 2.4 refuses. */
const ONLY_IN_22 = ['lockfile', 'acceptmutex', 'sslmutex', 'rewritelog', 'rewriteloglevel', 'rewritelock'];

/** Virtual hosts of one address that no NameVirtualHost names: 2.2 used the first of them, and 2.4 serves all. */
export const virtualHostComesAlive: ConfigurationRule = {
  id: 'virtual-host-comes-alive',
  title: 'A virtual host that 2.2 never used and 2.4 uses',
  consequence: 'meaning changed',
  fix: 'none',
  scope: 'configuration',
  names: ['namevirtualhost', 'order', 'satisfy', 'require', 'includeoptional', ...ONLY_IN_22],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#namevirtualhost',
  page: {
    what: 'Several `<VirtualHost>` sections with the same address, which no `NameVirtualHost` line names. 2.2 used only the first one. 2.4 serves all of them.',
    why:
      'In 2.2 virtual hosts with the same address were selected by name only if a `NameVirtualHost` line named this address. Otherwise the first one answered every request. ' +
      '2.4 always selects by name. So the other virtual hosts answer requests for the first time, and clients get files that 2.2 never served.\n\n' +
      'A `NameVirtualHost` line can be missing or misspelled without a visible problem in 2.2.\n\n' +
      'The rule reports such virtual hosts only if all of this is true:\n\n' +
      '- All included files are here.\n' +
      '- The configuration was written for 2.2: it has a `NameVirtualHost` line for another address, or lines of 2.2 and none of 2.4.\n\n' +
      'It compares addresses as 2.2 did: `*` and `_default_` are the same, and a missing port or the port `*` can be any port. The rule ignores virtual hosts in a conditional section if it is not known whether httpd reads it. It respects a `NameVirtualHost` line there.',
    httpd:
      'No message in 2.4. The warning of 2.2 is `VirtualHost … overlaps with VirtualHost …, the first has precedence, perhaps you need a NameVirtualHost directive`.',
    fixing:
      'There is no automatic fix. You decide whether to keep these virtual hosts. Check who has access to their files before you switch to 2.4.',
    sources: [
      'server/vhost.c of 2.2: get_addresses, add_name_vhost_config, ap_fini_vhost_config',
      'manual 2.4, core: NameVirtualHost',
      'experiment: test/httpd/claims.test.ts',
    ],
  },
  examples: [
    {
      title: 'NameVirtualHost for another address',
      before:
        'PidFile run/httpd.pid\nListen 8080\nNameVirtualHost *:80\n<VirtualHost *:8080>\n    ServerName a.example\n</VirtualHost>\n<VirtualHost *:8080>\n    ServerName b.example\n</VirtualHost>\n',
      finds: ['comes-alive'],
    },
    {
      title: 'No NameVirtualHost in a configuration of 2.2',
      before:
        'ServerRoot /etc/httpd\nListen 80\n<Directory />\n    Order deny,allow\n    Deny from all\n</Directory>\n<VirtualHost *:80>\n    ServerName a.example\n</VirtualHost>\n<VirtualHost *:80>\n    ServerName b.example\n</VirtualHost>\n',
      finds: ['comes-alive'],
    },
  ],
  check({ configuration, modules }) {
    if (configuration.gaps.length > 0) return [];
    const second = secondHosts(configuration);
    if (second.size === 0) return [];
    const names = linesOf(configuration, 'namevirtualhost').flatMap(({ expanded }) => {
      const [word, ...more] = argumentsOf(expanded);
      return word === undefined || more.length > 0 ? [] : [normalized(word.value)];
    });
    if (names.length === 0 && !isFor22(configuration, modules)) return [];
    return [...second].flatMap(([address, { section, file, offset }]): ConfigurationFinding[] =>
      section === null || names.some((name) => mayCover(name, address))
        ? []
        : [
            {
              file: file.path,
              messageId: 'comes-alive',
              what: headline(
                `\`<VirtualHost ${address}>\` is now selected by name; 2.2 used only the first one`,
                '`<VirtualHost>` is now selected by name; 2.2 used only the first one',
              ),
              cause:
                'Several virtual hosts have this address, without `NameVirtualHost`. In 2.2 the first one got all requests. In 2.4 the host name decides.',
              help: 'Remove the virtual hosts that should not get requests.',
              ...contentSpan(section.open, offset),
            },
          ],
    );
  },
};

/** By address, the second of the virtual hosts that certainly have it. */
function secondHosts({ root }: Configuration): Map<string, Scope> {
  const first = new Set<string>();
  const second = new Map<string, Scope>();
  // As the tag is written: nearly all have the same one.
  const settled = new Set<string>();
  for (const host of root.children) {
    if (host.kind !== 'virtualhost' || host.activity !== 'active' || host.section === null) continue;
    const { text } = host.section.open;
    if (settled.has(text)) continue;
    for (const address of new Set(host.words.map(normalized))) {
      if (address.includes('${')) continue;
      if (!first.has(address)) first.add(address);
      else if (!second.has(address)) second.set(address, host);
    }
    // What stands for a variable may be something else the next time.
    if (!text.includes('${') && host.words.every((word) => second.has(normalized(word)))) settled.add(text);
  }
  return second;
}

/** Whether a configuration without NameVirtualHost tells that 2.2 read it: it has lines of 2.2, and none that 2.2 refuses. */
function isFor22(configuration: Configuration, { loads }: LoadedModules): boolean {
  const mentions = mentionsIn(configuration);
  const has = (name: string) => mentions.has(name);
  if (!['order', 'satisfy', ...ONLY_IN_22].some(has)) return false;
  const is24 =
    has('includeoptional') ||
    mentions.sectionNames().some((name) => /^(require(all|any|none)|if|elseif|else)$/.test(name)) ||
    loads.some(({ at }) => isOnlyIn24(argumentsOf(at.line)[0]?.value ?? '')) ||
    mentions.lines('require').some((line) => {
      const { isNot, provider } = parseRequire(line);
      const name = provider?.value.toLowerCase() ?? '';
      return isNot || (PROVIDERS.has(name) && !REQUIREMENTS_22.has(name));
    });
  return !is24;
}

/** Of the name in a LoadModule line. 2.2 had no MPM in a file. */
function isOnlyIn24(identifier: string): boolean {
  const facts = moduleNamed(identifier);
  return identifier.startsWith('mpm_') || (facts?.['2.4']?.identifier === identifier && facts['2.2'] === undefined);
}

/** `host:port` in one spelling. To 2.2 `*` and `_default_` go into one list, in which only the port counts. */
function normalized(address: string): string {
  const { host, port } = split(address.toLowerCase());
  const isAny = ['*', '_default_', '0.0.0.0', '255.255.255.255', '[::]'].includes(host);
  return `${isAny ? '*' : host}${port === '' ? '' : `:${port}`}`;
}

function split(address: string): { host: string; port: string } {
  const match = /^(\[[^\]]*\]|[^:]*):(\*|\d+)$/.exec(address);
  return match ? { host: match[1]!, port: match[2]! } : { host: address, port: '' };
}

/** Whether a NameVirtualHost may have made an address one of names. In doubt it has: a name stands for some address, a port left out for any. */
function mayCover(name: string, address: string): boolean {
  if (name.includes('${')) return true;
  const [a, b] = [split(name), split(address)];
  const isPortPossible = a.port === b.port || ![a.port, b.port].every((port) => /^\d+$/.test(port));
  const isHostPossible =
    a.host === b.host || [a.host, b.host].some((host) => host !== '*' && !/^(\d+(\.\d+){3}|\[.*\])$/.test(host));
  return isPortPossible && isHostPossible;
}
