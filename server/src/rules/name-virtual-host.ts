import type { Line } from '../syntax/line';
import { argumentsOf, LineKind } from '../syntax/line';
import { latest } from '../syntax/memory';
import { contentSpan, headline, isVariable, NOTHING, removeLine, values } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { Context, FileRule, Finding } from './rule';

/**
 * `NameVirtualHost`: read and ignored by 2.4, which tells names apart wherever virtual hosts share an address. So the lines
 * can go; and where one address was left out of them, 2.4 serves hosts that 2.2 never did.
 */
export const nameVirtualHost: FileRule<Addresses> = {
  id: 'name-virtual-host',
  title: 'NameVirtualHost, which has no effect in 2.4',
  consequence: 'meaning changed',
  fix: 'safe',
  scope: 'file',
  names: ['namevirtualhost', 'virtualhost'],
  asks: Fact.namesHosts,
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#namevirtualhost',
  page: {
    what: '`NameVirtualHost` has no effect in 2.4: virtual hosts with the same address are always selected by name. Also reported: virtual hosts that 2.2 never used because their `NameVirtualHost` was missing.',
    why:
      'In 2.2 virtual hosts with the same address were selected by name only if a `NameVirtualHost` line named this address. Otherwise the first one answered every request. ' +
      '2.4 always selects by name, so the directive is not needed.\n\n' +
      'A `NameVirtualHost` line can be missing or misspelled. Some of the virtual hosts then never answered a request in 2.2, but 2.4 serves them.',
    httpd:
      '`AH00548: NameVirtualHost has no effect and will be removed in the next release`, a warning. For a missing line, the warning of 2.2 is `VirtualHost … overlaps with ' +
      'VirtualHost …, the first has precedence, perhaps you need a NameVirtualHost directive`.',
    fixing:
      '- **Safe**: remove the line. 2.4 ignores it. Comments above it stay.\n' +
      '- **No fix** for virtual hosts that 2.4 serves for the first time. You decide whether to keep them.\n\n' +
      'The rule reports such virtual hosts only if all of this is true:\n\n' +
      '- The file is a whole configuration: it has ServerRoot or PidFile and includes nothing.\n' +
      '- The file has a `NameVirtualHost` line for another address. Without such a line, the file was perhaps written for 2.4.\n' +
      '- The file has virtual hosts for at most 32 addresses.\n\n' +
      'The rule compares addresses as 2.2 did: `*` and `_default_` are the same, and a missing port or the port `*` can be any port. The rule ignores virtual hosts in conditions that cannot be decided, but not `NameVirtualHost` lines in such conditions.',
    sources: [
      'server/vhost.c of 2.2: get_addresses, add_name_vhost_config, ap_fini_vhost_config; server/core.c of 2.4: ap_set_name_virtual_host',
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
    {
      title: 'A virtual host that 2.2 never used',
      before:
        'PidFile run/httpd.pid\nListen 8080\nNameVirtualHost *:80\n<VirtualHost *:8080>\n    ServerName a.example\n</VirtualHost>\n<VirtualHost *:8080>\n    ServerName b.example\n</VirtualHost>\n',
      after:
        'PidFile run/httpd.pid\nListen 8080\n<VirtualHost *:8080>\n    ServerName a.example\n</VirtualHost>\n<VirtualHost *:8080>\n    ServerName b.example\n</VirtualHost>\n',
      finds: ['ignored', 'comes-alive'],
    },
  ],
  checkLine({ line }) {
    if (line.name !== 'namevirtualhost' || values(line).length !== 1) return NOTHING;
    return [
      {
        messageId: 'ignored',
        consequence: 'ignored',
        what: '`NameVirtualHost` has no effect in 2.4',
        cause: 'In 2.4 virtual hosts with the same address are always selected by name (AH00548).',
        help: 'Remove the line.',
        ...contentSpan(line),
        tag: 'unnecessary',
        fixes: [{ title: 'Remove NameVirtualHost', safety: 'safe', edits: [removeLine(line)] }],
      },
    ];
  },
  of(line, context) {
    return line.name === 'namevirtualhost' ? ofName(line) : ofHost(line, context);
  },
  plus(a, b) {
    if (a.isTooMuch || b.isTooMuch) return TOO_MUCH;
    if (b.named.size === 0 && [...b.hosts.keys()].every((address) => a.hosts.get(address) === 2)) return a;
    const hosts = new Map(a.hosts);
    for (const [address, count] of b.hosts) hosts.set(address, (hosts.get(address) ?? 0) + count > 1 ? 2 : 1);
    const named = new Set([...a.named, ...b.named]);
    return hosts.size + named.size > MOST_ADDRESSES ? TOO_MUCH : { hosts, named, isTooMuch: false };
  },
  check({ summary, facts, locate }) {
    if (summary.isTooMuch || summary.named.size === 0 || !hasFact(facts, Fact.isRoot) || hasFact(facts, Fact.includes))
      return NOTHING;
    const findings: Finding[] = [];
    for (const [address, count] of summary.hosts) {
      if (count < 2 || [...summary.named].some((name) => mayCover(name, address))) continue;
      let seen = 0;
      const second = locate(
        (part) => part.hosts.has(address),
        (line) => hostAddresses(line).includes(address) && ++seen === 2,
      );
      if (!second) continue;
      findings.push({
        messageId: 'comes-alive',
        what: headline(
          `\`<VirtualHost ${address}>\` is now selected by name; 2.2 used only the first one`,
          '`<VirtualHost>` is now selected by name; 2.2 used only the first one',
        ),
        cause:
          'Several virtual hosts have this address, without `NameVirtualHost`. In 2.2 the first one got all requests. In 2.4 the host name decides.',
        help: 'Remove the virtual hosts that should not get requests.',
        ...contentSpan(second.line, second.offset),
      });
    }
    return findings;
  },
};

/** What a part of a file says about addresses. Bounded, so that adding up costs the same in any file. */
interface Addresses {
  /** Of virtual hosts that certainly exist: how many have the address, 2 for more. */
  readonly hosts: ReadonlyMap<string, number>;
  /** Of NameVirtualHosts that may exist. */
  readonly named: ReadonlySet<string>;
  readonly isTooMuch: boolean;
}

const MOST_ADDRESSES = 32;
const TOO_MUCH: Addresses = { hosts: new Map(), named: new Set(), isTooMuch: true };

function ofName(line: Line): Addresses | null {
  const [value, ...more] = values(line);
  if (value === undefined || more.length > 0) return null;
  return { hosts: new Map(), named: new Set([normalized(value)]), isTooMuch: false };
}

function ofHost(line: Line, context: Context): Addresses | null {
  if (line.kind !== LineKind.Open || context.activity !== 'active' || context.containers.length > 0) return null;
  // Files with many virtual hosts have the same tag again and again.
  if (line.text !== recent.value.tag) recent.value = { tag: line.text, addresses: addressesOf(line) };
  return recent.value.addresses;
}

const recent = latest<{ readonly tag: string; readonly addresses: Addresses | null }>({ tag: '', addresses: null });

function addressesOf(line: Line): Addresses | null {
  const addresses = hostAddresses(line);
  if (addresses.length === 0) return null;
  return addresses.length > MOST_ADDRESSES
    ? TOO_MUCH
    : { hosts: new Map(addresses.map((address) => [address, 1])), named: new Set(), isTooMuch: false };
}

/** The addresses of a `<VirtualHost>` tag, each once; those with variables are left out. */
function hostAddresses(line: Line): string[] {
  if (line.kind !== LineKind.Open || line.name !== 'virtualhost') return [];
  return [
    ...new Set(
      argumentsOf(line)
        .filter((word) => !isVariable(word))
        .map((word) => normalized(word.value)),
    ),
  ];
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
  if (isVariable(name)) return true;
  const [a, b] = [split(name), split(address)];
  const isPortPossible = a.port === b.port || ![a.port, b.port].every((port) => /^\d+$/.test(port));
  const isHostPossible =
    a.host === b.host || [a.host, b.host].some((host) => host !== '*' && !/^(\d+(\.\d+){3}|\[.*\])$/.test(host));
  return isPortPossible && isHostPossible;
}
