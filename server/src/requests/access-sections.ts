/**
 * Lists the sections of a configuration that decide access. For each section, finds a few URLs to
 * which it applies.
 */
import { isAccessLine } from '../access/read';
import type { ConfigLine, Scope } from '../config/configuration';
import type { Tree } from '../syntax/document';
import { addTo } from '../syntax/groups';
import { cacheOf, lazy } from '../syntax/memory';
import { clientsToTry, SIMPLE_CLIENT, type ClientToTry } from './clients';
import type { ComputedAnswer } from './decide';
import type { Request, FileLine } from './model';
import { textOf, type Site } from './site';
import { usualAnswersTogether, type ExploreOptions, type UsualAnswers } from './together';
import { accessFilesOf, hostsToTry, pathsToTry, type HostToTry, type SearchState } from './urls';

/** A section or .htaccess file with lines that decide access. */
export interface AccessSection extends FileLine {
  /** The tag as written, or the path of the .htaccess file. */
  readonly name: string;
  readonly scope: Scope;
  /** The tags of the section and of the sections around it, in lower case. */
  readonly tags: () => string;
  /** All lines of the section and of its inner sections, without comments. */
  readonly text: () => string;
  /** The place of the Use line that inserts the section; null if none does. */
  readonly use: FileLine | null;
}

/**
 * The sections with lines about access, in the order of the files. The .htaccess files come last.
 * If there are too many, because Use or Include lines read the same text very often, the last ones
 * are left out (`leftOutSections`).
 */
export function accessSections(site: Site): readonly AccessSection[] {
  return foundSectionsOf(site).sections;
}

/**
 * One entry for all sections that `accessSections` leaves out, with their number. Null if there are
 * none.
 */
export function leftOutSections(site: Site): (AccessSection & { readonly count: number }) | null {
  const { leftOutCount: count } = foundSectionsOf(site);
  if (count === 0) return null;
  const name = `${count} more ${count === 1 ? 'section' : 'sections'}, not compared`;
  const place = { file: site.root.file.path, line: 0 };
  return { ...place, name, scope: site.root, tags: () => name, text: () => '', use: null, count };
}

/**
 * A URL that stands for all URLs to which the same sections apply. `findClients` returns one client
 * for each group of clients that these sections treat alike.
 */
export interface UrlClass {
  readonly host: HostToTry;
  readonly path: string;
  readonly answersToSimpleClient: UsualAnswers;
  readonly findClients: () => readonly ClientToTry[];
}

/** The work (AnswersOfServers.workDone) that several searches may still do together. */
export interface WorkBudget {
  /** Below 0 after the limit is reached. */
  workLeft: number;
}

/** Limits for the search for URLs. At a limit, further URLs are left out. */
export interface UrlLimits {
  /** The largest number of URLs that are tried. */
  readonly maxUrls?: number;
  /** Limit of the work for all answers together. The work that is done is subtracted from it. */
  readonly limit?: WorkBudget;
}

/**
 * Finds classes of URLs: URLs of one class get the same decisions from each of the given servers.
 * All classes of one host come before those of the next host, and simple URLs come first. If a
 * limit leaves out URLs, sets `searchState.isComplete` to false.
 */
export function* urlClasses(
  sites: readonly Site[],
  searchState: SearchState = { isComplete: true },
  { maxUrls = MAX_TRIED_URLS, limit = { workLeft: Infinity }, ...options }: UrlLimits & ExploreOptions = {},
): Generator<UrlClass> {
  const seenUrlClasses = new Set<string>();
  const hostsByName = new Map<string, HostToTry[]>();
  for (const site of sites)
    for (const host of hostsToTry(site)) addTo(hostsByName, `${host.name} ${host.port} ${host.isSecure}`, host);
  const scopesOfSites = sites.map(({ root }) => new Set(root.children));
  let triedCount = 0;
  for (const [index, hostsWithSameName] of [...hostsByName.values()].entries()) {
    const paths = new Set(
      sites.flatMap((site, siteIndex) => {
        const scope =
          hostsWithSameName.find((each) => each.scope && scopesOfSites[siteIndex]!.has(each.scope))?.scope ?? null;
        return index < MAX_HOSTS_WITH_ALL_URLS || scope === null
          ? pathsToTry(site, scope, searchState)
          : firstPathsOfHost(site, scope, searchState);
      }),
    );
    const [host] = hostsWithSameName as [HostToTry];
    for (const path of paths) {
      if (triedCount++ > maxUrls || limit.workLeft < 0) {
        searchState.isComplete = false;
        return;
      }
      const firstAnswers = usualAnswersTogether(requestFor(host, path, SIMPLE_CLIENT), sites, options);
      limit.workLeft -= firstAnswers.workDone;
      const classKey = JSON.stringify(firstAnswers.usualAnswers.map((each) => urlClassKey(each)));
      if (seenUrlClasses.has(classKey)) continue;
      seenUrlClasses.add(classKey);
      yield {
        host,
        path,
        answersToSimpleClient: firstAnswers,
        findClients: () => clientsOf(firstAnswers.usualAnswers, sites),
      };
    }
  }
}

/**
 * The limit of the work (AnswersOfServers.workDone) for finding requests to these sites. It grows
 * with the length of their files, each counted once. So a small file that is included often cannot
 * take long, and the limit of a long configuration is high enough to compare it.
 */
export function maxWorkFor(sites: readonly Site[]): number {
  return WORK_OF_SMALL_FILE + WORK_OF_CHARACTER * Math.max(...sites.map(lengthOfFiles));
}

/** The total length of the files with access sections. */
function lengthOfFiles(site: Site): number {
  const trees = new Set<Tree>();
  const addFileOf = (scope: Scope): void => {
    const { tree } = scope.file;
    if (!trees.has(tree) && hasAccessLine(scope)) trees.add(tree);
    for (const child of scope.children) if (child.activity !== 'inactive') addFileOf(child);
  };
  for (const scope of [site.root, ...accessFilesOf(site)]) addFileOf(scope);
  return [...trees].reduce((sum, { root }) => sum + root.length, 0);
}

/** Makes the request of a client for a URL. */
export function requestFor(host: HostToTry, path: string, client: ClientToTry): Request {
  return {
    method: client.method,
    path,
    query: '',
    host: host.name,
    port: host.port,
    isSecure: host.isSecure,
    from: client.from,
    user: client.user,
    headers: client.headers,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The sections with lines about access, and the number of further ones. */
interface FoundSections {
  readonly sections: readonly AccessSection[];
  readonly leftOutCount: number;
}

const sectionsBySite = cacheOf<Site, FoundSections>();

/**
 * Limit for the number of sections: this number, plus one for each `SHORTEST_SECTION` characters of
 * the files. A site has more sections only if it includes the same text very often.
 */
const MAX_LISTED_SECTIONS = 5000;
/** About the length of the shortest section with an access line, in characters. */
const SHORTEST_SECTION = 30;

/**
 * Number of hosts for which all URLs are tried. For all other hosts, only the first URLs are tried
 * (`firstPathsOfHost`).
 */
const MAX_HOSTS_WITH_ALL_URLS = 12;
/** The largest number of URLs that are tried, if the caller sets no limit. */
const MAX_TRIED_URLS = 60_000;
/** The limit of the work for files without text. */
const WORK_OF_SMALL_FILE = 1_400_000;
/** Work that each character of the files adds to the limit. A usual section needs 10,000 or so. */
const WORK_OF_CHARACTER = 120;

/** Directives that decide access, besides those that `isAccessLine` knows. */
const OTHER_ACCESS_DIRECTIVES = new Set([
  'authtype',
  'authmerging',
  'allowoverride',
  'allowoverridelist',
  'sslrequiressl',
  'sslrequire',
]);

/** The sections of a site, from the cache or searched now. */
function foundSectionsOf(site: Site): FoundSections {
  let foundSections = sectionsBySite.get(site);
  if (!foundSections) sectionsBySite.set(site, (foundSections = findSections(site)));
  return foundSections;
}

/** Finds the sections with access lines that the server may read, with those of .htaccess files. */
function findSections(site: Site): FoundSections {
  const sections: AccessSection[] = [];
  const accessFiles = accessFilesOf(site);
  const files = new Set([...site.configuration.files.values(), ...accessFiles.map(({ file }) => file)]);
  const totalLength = [...files].reduce((sum, { tree }) => sum + tree.length, 0);
  const maxSections = MAX_LISTED_SECTIONS + totalLength / SHORTEST_SECTION + accessFiles.length;
  let leftOutCount = 0;
  const addSectionsIn = (scope: Scope, outerTags: () => string): void => {
    const isLeftOut = sections.length >= maxSections;
    const name = scope.section ? textOf(scope.section.open) : (scope.folder ?? scope.file.path);
    const tags = isLeftOut ? outerTags : lazy(() => `${outerTags()} ${name.toLowerCase().replace(/["\s]+/g, ' ')}`);
    if (scope.kind !== 'server' && hasAccessLine(scope)) {
      if (isLeftOut) leftOutCount++;
      else {
        const place = site.placeOf(scope);
        const text = lazy(() => textOfScope(scope));
        sections.push({
          ...place,
          name: scope.section ? name : place.file,
          scope,
          tags,
          text,
          use: useOfSection(scope, site),
        });
      }
    }
    for (const child of scope.children)
      if (child.activity !== 'inactive') addSectionsIn(child, scope.section ? tags : outerTags);
  };
  addSectionsIn(site.root, () => '');
  for (const scope of accessFiles) addSectionsIn(scope, () => '');
  return { sections, leftOutCount };
}

/** Whether a line directly in the scope decides access. */
function hasAccessLine({ lines }: Scope): boolean {
  return lines.some(
    (configLine) =>
      configLine.activity !== 'inactive' &&
      (isAccessLine(configLine) || OTHER_ACCESS_DIRECTIVES.has(configLine.line.name)),
  );
}

/** The place of the Use line that inserts all lines of a section; null if there is none. */
function useOfSection({ lines }: Scope, site: Site): FileLine | null {
  const use = lines[0]?.use;
  return use && lines.every((configLine) => configLine.use === use) ? site.placeOf(use) : null;
}

/** The lines of a scope and of its inner sections, without those that httpd does not read. */
function textOfScope(scope: Scope): string {
  const lines = scope.lines.filter(({ activity }) => activity !== 'inactive').map((configLine) => lineText(configLine));
  return [
    ...lines,
    ...scope.children.map((child) => `${child.section ? textOf(child.section.open) : ''} ${textOfScope(child)}`),
  ].join('\n');
}

/** The text of a line, after the tags of the sections around it, such as `<Limit>`. */
function lineText({ expandedLine, enclosingSections }: ConfigLine): string {
  return [...enclosingSections.map(({ section }) => textOf(section.open)), textOf(expandedLine)]
    .join(' ')
    .replace(/\s+/g, ' ');
}

/**
 * The values that decide the answers for a URL. If they are equal for two URLs (as JSON), all
 * clients get the same answers for both.
 */
function urlClassKey({ answer, hostScope, sections }: ComputedAnswer): unknown[] {
  const { host, target, access, why, because } = answer;
  const hasNoSections = sections.length === 0;
  return [
    hostScope === null ? (host.place ?? host.name) : [...sectionKeyParts(hostScope), host.name],
    target.kind === 'proxy' || target.kind === 'redirect' ? target.kind : '',
    sections.map(({ scope }) => sectionKeyParts(scope)),
    hasNoSections ? [access, why, because] : '',
  ];
}

/**
 * The values that identify a section: its place, and the words of its tag, because Use lines can
 * insert one section of a macro several times, with other words.
 */
export function sectionKeyParts({ file, offset, folder = '', words }: Scope): readonly unknown[] {
  return [file.path, offset, folder, ...words];
}

/** One client for each group of clients that the sections of these answers treat alike. */
export function clientsOf(usualAnswers: readonly ComputedAnswer[], sites: readonly Site[]): ClientToTry[] {
  return clientsToTry(
    usualAnswers.map(({ sections, hostScope }, index) => {
      const site = sites[index]!;
      const servers = hostScope ? [site.root, hostScope] : [site.root];
      // `<If>` sections of the server count even if they do not apply to the first client.
      return { site, servers, scopes: [...new Set([...servers, ...sections.map(({ scope }) => scope)])] };
    }),
  );
}

/** The first URLs of a virtual host. If it has more, sets `searchState.isComplete` to false. */
function firstPathsOfHost(site: Site, host: Scope, searchState: SearchState): string[] {
  const maxPaths = host.children.length === 0 ? 20 : 200;
  // One path above the limit shows that the host has more. Finding all paths takes long if each
  // host has thousands.
  const pathsOfHost = pathsToTry(site, host, searchState, maxPaths + 1);
  if (pathsOfHost.length > maxPaths) searchState.isComplete = false;
  return pathsOfHost.slice(0, maxPaths);
}
