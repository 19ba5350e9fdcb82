import { discoverHtaccess } from '../access/htaccess-files';
import { requestFor, urlClasses } from '../requests/access-sections';
import { SIMPLE_CLIENT } from '../requests/clients';
import type { ComputedAnswer } from '../requests/decide';
import { requestText } from '../requests/request-text';
import { siteOf } from '../requests/site';
import { answersTogether } from '../requests/together';
import { accessFilesOf } from '../requests/urls';
import { forbidsAccessEverywhere } from '../access/override';
import { readSection } from '../access/read';
import type { HtaccessFile } from '../access/sections';
import { hostTree } from '../access/translate';
import { readHtaccess, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import { namesInUse } from '../config/lines-by-name';
import { namesIn } from '../config/name-set';
import { MAY_SERVE_ANY_FOLDER } from '../access/mappers';
import { Directories, directoryOf, isCertainAndPlain } from './support/directories';
import { contentSpan } from './support/edits';
import { acceptsAuthLines, SERVING_NAMES } from './support/htaccess-effect';
import { OLD_ACCESS_NAMES, fixWithSatisfyAll, kindOfRequirement } from './support/satisfied';
import { addTo } from '../syntax/groups';
import type { ConfigurationFinding, ConfigurationRule, ConfigurationRuleInput } from './rule';

/** Finds `Require` lines that deny no request, because a directory above has `Satisfy Any`. */
export const satisfyAnyAbove: ConfigurationRule = {
  id: 'satisfy-any-above',
  title: 'A <Directory> or <Location> section that stays open because another <Directory> has Satisfy Any',
  consequence: 'access opens',
  fix: 'suggestion',
  checks: 'configuration',
  names: [
    ...OLD_ACCESS_NAMES,
    ...SERVING_NAMES,
    ...MAY_SERVE_ANY_FOLDER,
    'require',
    'authmerging',
    'allowoverride',
    'allowoverridelist',
    'include',
    'includeoptional',
    'use',
    'files',
    'filesmatch',
    'location',
    'locationmatch',
    'directorymatch',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html#satisfy',
  examples: [
    {
      title: 'A private directory below an open one',
      before:
        '<Directory /srv>\n    Satisfy Any\n</Directory>\n<Directory /srv/private>\n    Require all denied\n</Directory>\n',
      after:
        '<Directory /srv>\n    Satisfy Any\n</Directory>\n<Directory /srv/private>\n    Satisfy All\n    Require all denied\n</Directory>\n',
      finds: ['open'],
    },
    {
      title: 'A private URL',
      before:
        'DocumentRoot /srv\n<Directory /srv>\n    AllowOverride None\n    Satisfy Any\n</Directory>\n<Location /private>\n    Require all denied\n</Location>\n',
      after:
        'DocumentRoot /srv\n<Directory /srv>\n    AllowOverride None\n    Satisfy Any\n</Directory>\n<Location /private>\n    Satisfy All\n    Require all denied\n</Location>\n',
      finds: ['open'],
    },
    {
      title: 'Not reported: the directory has old lines of its own',
      before:
        '<Directory /srv>\n    Satisfy Any\n</Directory>\n<Directory /srv/private>\n    Order deny,allow\n    Deny from all\n    Require all denied\n</Directory>\n',
      finds: [],
    },
  ],
  check(ruleInput) {
    const { configuration } = ruleInput;
    const hasAnyWord = ({ text }: { readonly text: string }) => /\bany\b/i.test(text);
    const htaccessFiles = forbidsAccessEverywhere(configuration)
      ? []
      : discoverHtaccess(configuration, ruleInput.view).files;
    const isInHtaccessFile = htaccessFiles.some(({ scope }) => namesIn(scope.file.tree.root).hasName('satisfy'));
    if (!isInHtaccessFile && !namesInUse(configuration).lines('satisfy').some(hasAnyWord)) return [];
    const placesOfFiles = htaccessPlaces(ruleInput, htaccessFiles);
    const findingByLine = new Map<ConfigLine['line'], ConfigurationFinding>();
    for (const openSection of [
      ...sectionsOfDifferentHosts(configuration, placesOfFiles).flatMap(openSectionsIn),
      ...openSectionsOfRequests(ruleInput, htaccessFiles.length > 0),
    ])
      if (!findingByLine.has(openSection.requireLine.line))
        findingByLine.set(openSection.requireLine.line, findingOfLine(openSection));
    return [...findingByLine.values()];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** A section for a directory, or the .htaccess file in it. */
interface AccessPlace {
  readonly scope: Scope;
  readonly path: string;
  /** The virtual hosts that may read the file; null if all hosts may. */
  readonly readingHosts: readonly Scope[] | null;
}

/** A section whose Require lines deny no client that the old lines of a section above allow. */
interface OpenSection {
  /** The first of its Require lines. */
  readonly requireLine: ConfigLine;
  /** Whether all its Require lines are `Require all denied`. */
  readonly deniesAll: boolean;
  readonly sectionAbove: Pick<AccessPlace, 'scope' | 'path'>;
  /** A request, as text, that 2.4 allows although the section should deny it. */
  readonly example?: string;
}

/** The .htaccess files that the server certainly reads and in which it allows Require lines. */
function htaccessPlaces(
  { configuration, view, target }: ConfigurationRuleInput,
  htaccessFiles: readonly HtaccessFile[],
): AccessPlace[] {
  return htaccessFiles.flatMap((each) => {
    if (!acceptsAuthLines(each, configuration)) return [];
    const { file, folder } = each.scope;
    const scope = readHtaccess({ root: file.path, view, folder: folder!, names: SEARCHED_NAMES, target });
    return scope
      ? [{ scope, path: folder!, readingHosts: each.readingHosts === 'all' ? null : (each.readingHosts ?? null) }]
      : [];
  });
}

const SEARCHED_NAMES: ReadonlySet<string> = new Set([...OLD_ACCESS_NAMES, 'require', 'authmerging', 'include', 'use']);

/** The sections and .htaccess files that decide access in the directories of a host. */
interface SectionsOfHost {
  readonly places: readonly AccessPlace[];
  /** Sections with old lines that httpd may apply after the sections for directories. */
  readonly otherScopes: readonly Scope[];
}

/**
 * The sections that decide access, for the main server and for each virtual host. Leaves out a host
 * without a `Satisfy Any` that opens directories, and a host with the same sections and files as
 * another one.
 */
function sectionsOfDifferentHosts(
  { rootScope, serverRoot }: Configuration,
  files: readonly AccessPlace[],
): SectionsOfHost[] {
  const sectionsOf = (scopes: readonly Scope[]): SectionsOfHost => ({
    places: scopes.flatMap((scope): AccessPlace[] => {
      const path = directoryOf(scope, serverRoot);
      return path === null ? [] : [{ scope, path, readingHosts: null }];
    }),
    otherScopes: scopes.filter(
      (scope) => LATER_SECTION_KINDS.has(scope.kind) && directoryOf(scope, serverRoot) === null && hasOldLines(scope),
    ),
  });
  const filesByHost = new Map<Scope, AccessPlace[]>();
  for (const file of files) for (const host of file.readingHosts ?? []) addTo(filesByHost, host, file);
  const mainSections = sectionsOf(rootScope.children);
  const filesForAllHosts = files.filter(({ readingHosts }) => readingHosts === null);
  const opensAccess = (places: readonly AccessPlace[]) => places.some(({ scope }) => opensByOldLines(scope));
  const opensInEachHost = opensAccess([...mainSections.places, ...filesForAllHosts]);
  let hasHostWithoutSections = false;
  return [rootScope, ...rootScope.children.filter(({ kind }) => kind === 'virtualhost')].flatMap(
    (host): SectionsOfHost[] => {
      const hostSections = sectionsOf(host === rootScope ? [] : host.children);
      const filesOfHost = filesByHost.get(host) ?? [];
      const hasNoSections = hostSections.places.length + hostSections.otherScopes.length + filesOfHost.length === 0;
      if (
        (hasNoSections && hasHostWithoutSections) ||
        !(opensInEachHost || opensAccess([...hostSections.places, ...filesOfHost]))
      )
        return [];
      hasHostWithoutSections ||= hasNoSections;
      return [
        {
          places: [...mainSections.places, ...hostSections.places, ...filesForAllHosts, ...filesOfHost],
          otherScopes: [...mainSections.otherScopes, ...hostSections.otherScopes],
        },
      ];
    },
  );
}

/**
 * The sections that stay open. Leaves out a section if another one may decide for its directory.
 */
function openSectionsIn({ places, otherScopes }: SectionsOfHost): readonly OpenSection[] {
  const directories = new Directories(places);
  return directories.placesInOrder.flatMap((place) => {
    const openSection = openSectionAt(place, directories);
    return openSection && !otherScopes.some((scope) => mayApply(scope, place.path)) ? openSection : [];
  });
}

/**
 * Sections that may decide for a whole directory, because httpd applies them after directory
 * sections without a pattern.
 */
const LATER_SECTION_KINDS = new Set(['directory', 'directorymatch', 'location', 'locationmatch']);

/** Whether a section for URLs or for a pattern may apply to files in a directory. */
function mayApply({ kind, words }: Scope, path: string): boolean {
  const [word = ''] = words;
  if (words.length !== 1 || kind.endsWith('match') || word.includes('$')) return true;
  const literalStart = word.replace(/[*?[].*/s, '');
  if (kind === 'directory') return path.startsWith(literalStart.slice(0, literalStart.lastIndexOf('/')));
  return `${path}/`.includes(literalStart.replace(/(?<!\/)\/+$/, ''));
}

/** Whether the section itself has an Order, Allow, Deny or Satisfy line. */
function hasOldLines(scope: Scope): boolean {
  return scope.lines.some(({ line }) => OLD_ACCESS_NAMES.has(line.name));
}

/**
 * The section of a place, if `Satisfy Any` of a directory above opens it. Null if its Require lines
 * take effect, or if that is uncertain.
 */
function openSectionAt(place: AccessPlace, directories: Directories<AccessPlace>): OpenSection | null {
  const { path } = place;
  const requireFacts = requireFactsOf(place.scope);
  if (requireFacts === null) return null;
  const placesOnPath = directories.placesAround(path);
  const isLastToDecide = placesOnPath
    .slice(placesOnPath.indexOf(place) + 1)
    .every(({ scope: { lines } }) => !lines.some(isAboutAccess));
  const placeAbove = placesOnPath.findLast((other) => hasOldLines(other.scope));
  if (!isLastToDecide || !placeAbove || !opensByOldLines(placeAbove.scope)) return null;
  return { ...requireFacts, sectionAbove: placeAbove };
}

/**
 * The first Require line of a section, and whether all its Require lines deny all clients. Null if
 * the section has no Require line or has other access lines. Also null if a line is conditional or
 * comes from a macro, or if a Require line tests something else than the client or a variable.
 */
function requireFactsOf(scope: Scope): Pick<OpenSection, 'requireLine' | 'deniesAll'> | null {
  const requireLines = scope.lines.filter(({ line }) => line.name === 'require');
  const [requireLine] = requireLines;
  if (
    requireLine === undefined ||
    requireLines.length !== scope.lines.filter(isAboutAccess).length ||
    !isCertainAndPlain(scope, isAboutAccess)
  )
    return null;
  const kinds = requireLines.map(({ expandedLine }) => kindOfRequirement(expandedLine));
  return kinds.includes('other') ? null : { requireLine, deniesAll: kinds.every((kind) => kind === 'denied') };
}

/**
 * The sections for URLs, file names and patterns that stay open. They are found by computing the
 * answers of 2.4 to a limited number of URLs.
 */
function openSectionsOfRequests(
  { configuration, requests }: ConfigurationRuleInput,
  hasAccessFiles: boolean,
): OpenSection[] {
  const site = requests === null ? null : siteOf(requests(), '2.4-compat');
  if (!site) return [];
  const requireFactsByScope = new Map<Scope, Pick<OpenSection, 'requireLine' | 'deniesAll'>>();
  const addRequireFactsIn = (scope: Scope): void => {
    const isForUrls = RESTRICTING_KINDS.has(scope.kind) && directoryOf(scope, configuration.serverRoot) === null;
    const requireFacts = isForUrls ? requireFactsOf(scope) : null;
    if (requireFacts !== null) requireFactsByScope.set(scope, requireFacts);
    for (const child of scope.children) if (child.activity !== 'inactive') addRequireFactsIn(child);
  };
  addRequireFactsIn(site.root);
  if (hasAccessFiles) accessFilesOf(site).forEach(addRequireFactsIn);
  if (requireFactsByScope.size === 0) return [];
  const openSectionByScope = new Map<Scope, OpenSection>();
  const limit = { workLeft: MAX_COMPUTED_WORK };
  for (const { host, path, answersToSimpleClient } of urlClasses([site], undefined, {
    maxUrls: MAX_COMPUTED_URLS,
    limit,
  })) {
    const openSection = openSectionOfRequest(answersToSimpleClient.usualAnswers[0]!);
    const requireFacts = openSection && requireFactsByScope.get(openSection.scope);
    if (!openSection || !requireFacts || openSectionByScope.has(openSection.scope)) continue;
    const request = requestFor(host, path, SIMPLE_CLIENT);
    const { outcomes, isStopped, workDone } = answersTogether(request, [site], { maxWork: limit.workLeft });
    limit.workLeft -= workDone;
    if (isStopped || !outcomes.flat().every(({ access }) => access === 'granted')) continue;
    const sectionAbove = { scope: openSection.above, path: openSection.above.words[0] ?? openSection.above.file.path };
    openSectionByScope.set(openSection.scope, { ...requireFacts, sectionAbove, example: requestText(request) });
  }
  return [...openSectionByScope.values()];
}

/** Maximum number of URLs for which answers are computed. */
const MAX_COMPUTED_URLS = 500;
/** Maximum work for all answers, as `answersTogether` counts it. */
const MAX_COMPUTED_WORK = 1_000_000;
/** Sections whose Require lines are checked by computing answers. */
const RESTRICTING_KINDS = new Set([...LATER_SECTION_KINDS, 'files', 'filesmatch']);

/**
 * For an allowed request: the last section with Require lines, and the section with the old lines
 * that apply. Null if the request is not allowed, or if the rule satisfy-any-inherited reports it.
 */
function openSectionOfRequest({
  answer,
  sections,
}: ComputedAnswer): { readonly scope: Scope; readonly above: Scope } | null {
  if (answer.access !== 'granted') return null;
  const lastScopeWith = (isOne: (line: ConfigLine) => boolean) =>
    sections.findLast(({ lines }) => lines.some(isOne))?.scope ?? null;
  const scope = lastScopeWith(({ line }) => line.name === 'require');
  const above = lastScopeWith(({ line }) => OLD_ACCESS_NAMES.has(line.name));
  if (scope === null || above === null || scope === above || scope.parent === above) return null;
  return opensByOldLines(above) ? { scope, above } : null;
}

/** Whether the line decides about access, or may insert lines that do. */
function isAboutAccess({ line }: ConfigLine): boolean {
  return SEARCHED_NAMES.has(line.name);
}

/**
 * Whether the section has `Satisfy Any`, and its Order, Allow and Deny lines allow some clients.
 */
function opensByOldLines(scope: Scope): boolean {
  if (
    !isCertainAndPlain(scope, isAboutAccess) ||
    scope.lines.some(({ line }) => line.name === 'include' || line.name === 'use')
  )
    return false;
  const oldLines = scope.lines.filter(({ line }) => OLD_ACCESS_NAMES.has(line.name));
  const oldSection = readSection(oldLines.map(({ expandedLine }) => expandedLine));
  if (oldSection.satisfy !== 'any' || oldSection.obstacle !== null) return false;
  return !oldSection.hostRules || hostTree(oldSection.hostRules).type !== 'denied';
}

function findingOfLine({ requireLine, deniesAll, sectionAbove, example }: OpenSection): ConfigurationFinding {
  const satisfyLine = sectionAbove.scope.lines.find(({ line }) => line.name === 'satisfy')!;
  const satisfyRow = satisfyLine.file.tree.positionAt(satisfyLine.offset).line;
  return {
    file: requireLine.file.path,
    messageId: deniesAll ? 'open' : 'open-to-more',
    what: deniesAll
      ? '`Require all denied` leaves access open: `Satisfy Any` is inherited'
      : '`Require` leaves access open to more clients: `Satisfy Any` is inherited',
    cause: `This ${example === undefined ? 'directory' : 'section'} inherits \`Satisfy Any\` of ${sectionAbove.path} (${satisfyLine.file.path}:${satisfyRow + 1}). A request gets access if \`Order\`, \`Allow\` and \`Deny\` there allow it, even where \`Require\` denies it.${example === undefined ? '' : ` Example: \`${example}\`.`}`,
    help: `Add \`Satisfy All\` above this line, or convert ${example === undefined ? 'the directory above' : sectionAbove.path} to \`Require\`.`,
    ...contentSpan(requireLine.line, requireLine.offset),
    consequence: deniesAll ? 'access opens' : 'meaning changed',
    fixes: [fixWithSatisfyAll(requireLine.line, requireLine.offset)],
    related: [
      {
        file: satisfyLine.file.path,
        line: satisfyLine.line,
        row: satisfyRow,
        rowOffset: 0,
        message: '`Satisfy Any`',
      },
    ],
  };
}
