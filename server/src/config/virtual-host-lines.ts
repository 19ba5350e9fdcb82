/**
 * The virtual hosts of a configuration as data for virtual-hosts.ts. Where a condition around a section, a name, a port or a NameVirtualHost line is open, there are several
 * readings: what is reported has to hold in each.
 */
import { argumentsOf, type Line } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { linesIn, type ConfigLine, type Configuration, type Scope } from './configuration';
import { mentionsIn } from './lines-by-name';
import { listenersOf } from './listeners';
import { linesOf } from './loaded-modules';
import { connectionsTo, type Listening } from './virtual-host-changes';
import {
  HostTable,
  literalAddress,
  splitAddress,
  type Connection,
  type HostSection,
  type NamedAddress,
  type VirtualHosts,
} from './virtual-hosts';

/** One reading of a configuration. */
export interface HostReading {
  readonly hosts: VirtualHosts;
  /** The sections of `hosts.sections`, by their numbers. */
  readonly scopes: readonly Scope[];
  readonly connections: readonly Connection[];
}

/** All readings; an empty list where names, ports or addresses are not known. Without `withNames` the sections have no names. */
export function hostReadings(configuration: Configuration, withNames: boolean): readonly HostReading[] {
  const scopes = configuration.root.children.filter(
    ({ kind, activity, words }) => kind === 'virtualhost' && activity !== 'inactive' && words.length > 0,
  );
  const named = linesOf(configuration, 'namevirtualhost');
  const words = [...scopes.flatMap((scope) => scope.words), ...named.flatMap(wordsOf)];
  const ports = mainPorts(configuration, words);
  const resolve = resolverFor(words);
  if (words.some((word) => word.includes('${')) || !ports || !resolve) return [];
  const names = withNames ? scopes.map((scope) => linesIn(scope, NAMES)) : [];
  if (names.flat().some(({ expanded }) => argumentsOf(expanded).some(({ value }) => value.includes('${')))) return [];
  const conditional = [...scopes, ...named, ...names.flat(), ...linesOf(configuration, 'listen')];
  const isOpen = conditional.some(({ activity }) => activity === 'unknown');
  const hidden = hiddenNames(configuration, named);
  if (hidden === null) return [];
  const readings: HostReading[] = [];
  for (const isIncluded of isOpen ? [true, false] : [true]) {
    const isThere = ({ activity }: Pick<ConfigLine, 'activity'>) =>
      activity === 'active' || (isIncluded && activity === 'unknown');
    const listening = listenedPorts(configuration, words, isThere);
    if (!listening) return [];
    for (const more of hidden.length > 0 ? [[], hidden] : [[]]) {
      const own = scopes.filter(isThere);
      const hosts: VirtualHosts = {
        mainName: ports.mainName,
        named: [
          ...named
            .filter(isThere)
            .flatMap((at) => wordsOf(at).map((address): NamedAddress => ({ address, mainPort: ports.portAt(at) }))),
          ...more,
        ],
        sections: own.map((scope) =>
          sectionOf(scope, ports.portAt(scope), withNames ? linesIn(scope, NAMES).filter(isThere) : []),
        ),
        resolve,
        reverse: (address) => (address === '127.0.0.1' ? 'localhost' : null),
      };
      readings.push({ hosts, scopes: own, connections: connectionsTo(listening, hosts) });
    }
  }
  return readings;
}

/**
 * Whether names matter: false where both versions have the same sections in the same order at each connection, and no section is asked for by its address.
 * Told by the tags alone, so that thousands of hosts in the usual form are not read.
 */
export function mayDiffer({ hosts, connections }: HostReading): boolean {
  const [old, now] = [HostTable.of(hosts, '2.2'), HostTable.of(hosts, '2.4')];
  return connections.some((to) => {
    const [a, b] = [old.candidates(to), now.candidates(to)];
    if (a.first !== b.first || a.named.length !== b.named.length) return true;
    if (a.named.some((section, index) => section !== b.named[index])) return true;
    return a.named.length > 1 && !a.isForAll;
  });
}

/**
 * Whether lines that decide about virtual hosts stand in text that 2.4 does not read, as in `<IfVersion < 2.4>`, or in a macro: 2.2 may read them. Then a change of the
 * sections cannot be shown to keep what 2.2 does.
 */
export function hasHiddenLines(configuration: Configuration): boolean {
  const mentions = mentionsIn(configuration);
  const hosts = configuration.root.children.filter(
    ({ kind, activity }) => kind === 'virtualhost' && activity !== 'inactive',
  );
  const seen = new Set<Line | Section | null>([
    ...hosts.map(({ section }) => section),
    ...hosts.flatMap((host) => linesIn(host, NAMES)).map(({ line }) => line),
    ...configuration.root.lines.filter(({ activity }) => activity !== 'inactive').map(({ line }) => line),
  ]);
  return [
    ...mentions.sections('virtualhost'),
    ...[...NAMES, 'listen', 'namevirtualhost'].flatMap((name) => mentions.lines(name)),
  ].some((each) => !seen.has(each));
}

// ---------------------------------------------------------------------------------------------------------------------

const NAMES = new Set(['servername', 'serveralias', 'serverpath']);

function wordsOf({ expanded }: ConfigLine): string[] {
  return argumentsOf(expanded)
    .slice(0, 1)
    .map((word) => word.value);
}

/** A section with the names of some of its lines: the last ServerName and ServerPath count, and all aliases. */
function sectionOf(scope: Scope, mainPort: number, lines: readonly ConfigLine[]): HostSection {
  let serverName: string | null = null;
  let serverPath: string | null = null;
  const aliases: string[] = [];
  for (const { line, expanded } of lines) {
    const words = argumentsOf(expanded).map((word) => word.value);
    if (line.name === 'serveralias') aliases.push(...words);
    else if (line.name === 'serverpath') serverPath = words[0] ?? null;
    else serverName = hostOfName(words[0] ?? '').host;
  }
  return { addresses: scope.words, mainPort, serverName, serverPath, aliases };
}

/** `https://name:443` of a ServerName line (server_hostname_port in server/core.c). */
function hostOfName(word: string): { readonly host: string; readonly port: number } {
  const plain = word.slice(word.includes('://') ? word.indexOf('://') + 3 : 0);
  const colon = plain.indexOf(':');
  return colon < 0
    ? { host: plain, port: 0 }
    : { host: plain.slice(0, colon), port: Number.parseInt(plain.slice(colon + 1), 10) || 0 };
}

/** The Listen lines that are there; without any in the configuration, the ports that the sections name, as if each were listened on. null where they are not known. */
function listenedPorts(
  configuration: Configuration,
  words: readonly string[],
  isThere: (at: ConfigLine) => boolean,
): readonly Listening[] | null {
  const listeners = listenersOf(configuration);
  if (listeners === null || listeners.some(({ kind }) => kind === 'name')) return null;
  if (listeners.length > 0)
    return listeners
      .filter(({ at }) => isThere(at))
      .map(({ kind, key, port }) => ({
        address: kind === 'ip4' || kind === 'ip6' ? literalAddress(key.slice(0, key.lastIndexOf(':'))) : null,
        port,
      }));
  const ports = new Set(words.map((word) => splitAddress(word, 0)?.port ?? 0));
  ports.delete(0);
  return [...ports].map((port) => ({ address: null, port }));
}

interface MainPorts {
  readonly mainName: string | null;
  /** The port of the main server's ServerName at a place. */
  portAt(place: Pick<ConfigLine, 'file' | 'offset'>): number;
}

/** null where a word without a port needs it, and the order of the lines is not known. */
function mainPorts(configuration: Configuration, words: readonly string[]): MainPorts | null {
  const lines = configuration.root.lines.filter(
    ({ line, activity }) => line.name === 'servername' && activity !== 'inactive',
  );
  const read = lines.map((at) => ({ at, ...hostOfName(wordsOf(at)[0] ?? '') }));
  const mainName = read.at(-1)?.host ?? null;
  const needsPort = words.some((word) => !word.endsWith('*') && splitAddress(word, 0)?.port === 0);
  if (!needsPort || read.every(({ port }) => port === 0)) return { mainName, portAt: () => 0 };
  const file = configuration.root.file;
  const isPlain = [...read.map(({ at }) => at), ...configuration.root.children].every((place) => place.file === file);
  if (!isPlain) return null;
  return {
    mainName,
    portAt: ({ offset }) => read.filter(({ at }) => at.offset < offset).at(-1)?.port ?? 0,
  };
}

/**
 * The addresses of the names that words have: `localhost` has its own, .invalid has none (RFC 6761). One other name is taken for an address of its own where
 * no word is an address; null where names may stand for addresses that other words have.
 */
function resolverFor(words: readonly string[]): VirtualHosts['resolve'] | null {
  const hosts = new Set(words.map((word) => splitAddress(word, 0)?.host.toLowerCase() ?? ''));
  const names = [...hosts].filter(
    (host) => host !== '*' && host !== '_default_' && literalAddress(host) === null && !isReserved(host),
  );
  const hasAddress = [...hosts].some((host) => literalAddress(host) !== null || host === 'localhost');
  if (names.length > 1 || (names.length === 1 && hasAddress)) return null;
  return (name) => {
    const host = name.toLowerCase();
    if (host === 'localhost') return ['127.0.0.1'];
    return isReserved(host) ? [] : [host];
  };
}

function isReserved(host: string): boolean {
  return host === '' || host === 'localhost' || host.endsWith('.invalid');
}

/** NameVirtualHost lines in text that 2.4 does not read, as in `<IfVersion < 2.4>`: 2.2 may read them. null where a variable is in one. */
function hiddenNames(configuration: Configuration, seen: readonly ConfigLine[]): readonly NamedAddress[] | null {
  const known = new Set(seen.map(({ line }) => line));
  const hidden = mentionsIn(configuration)
    .lines('namevirtualhost')
    .filter((line) => !known.has(line))
    .flatMap((line) => argumentsOf(line).slice(0, 1))
    .map((word) => word.value);
  return hidden.some((word) => word.includes('${')) ? null : hidden.map((address) => ({ address, mainPort: 0 }));
}
