import { linesIn, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import { namesInUse } from '../config/lines-by-name';
import { argumentsOf } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { contentSpan, fittingHeadline, shortened } from './support/edits';
import type { ConfigurationFinding, ConfigurationRule } from './rule';

export const locationOpens: ConfigurationRule = {
  id: 'location-opens',
  title: 'A <Location /> with "Require all granted" that opens other sections',
  consequence: 'probably a mistake',
  fix: 'none',
  checks: 'configuration',
  names: ['require', 'authmerging', 'requireall', 'requireany', 'requirenone', 'location', 'directory', 'files'],
  url: 'https://httpd.apache.org/docs/2.4/sections.html#merging',
  examples: [
    {
      title: 'A directory for some addresses, and a Location that opens it',
      before:
        '<Directory "/srv/private">\n    Require ip 10.0.0.0/8\n</Directory>\n<Location />\n    Require all granted\n</Location>\n',
      finds: ['opened'],
    },
    {
      title: 'Not reported: both have to allow',
      before:
        '<Directory "/srv/private">\n    Require ip 10.0.0.0/8\n</Directory>\n<Location />\n    AuthMerging And\n    Require all granted\n</Location>\n',
      finds: [],
    },
  ],
  check({ configuration }) {
    const usedNames = namesInUse(configuration);
    usedNames.gatherLines(['<location', '<locationmatch']);
    const isForEveryUrl = ({ open }: Section) =>
      isEveryUrl(
        open.name,
        argumentsOf(open).map(({ value }) => value),
      );
    if (![...usedNames.sections('location'), ...usedNames.sections('locationmatch')].some(isForEveryUrl)) return [];
    const { rootScope } = configuration;
    const hosts = rootScope.children.filter(({ kind }) => kind === 'virtualhost');
    return [rootScope, ...hosts].flatMap((scope) => findingsInScope(scope, rootScope, configuration));
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether the section applies to all URLs. False for a pattern that EVERY_URL_PATTERN does not
 * match.
 */
function isEveryUrl(name: string, words: readonly string[]): boolean {
  const isPattern = name === 'locationmatch' || words[0] === '~';
  const [word, ...more] = words[0] === '~' ? words.slice(1) : words;
  if (word === undefined || more.length > 0) return false;
  return isPattern ? EVERY_URL_PATTERN.test(word.replace(/[()]/g, '')) : word === '/';
}

/**
 * Matches usual patterns for all URLs, such as `^/`, `/.*` and `.*$`, after their parentheses are
 * removed. It does not match `^/$`, which is for one URL.
 */
const EVERY_URL_PATTERN = /^\^?\/?(?:\.\*\??\$?)?$/;

const REQUIRE_NAMES = new Set(['require', 'authmerging']);
const FILE_SECTION_KINDS = new Set(['directory', 'directorymatch', 'files', 'filesmatch']);

/**
 * The finding about a section of the server or virtual host `scope`, if the section opens another
 * one. `mainServer`: the main server, whose sections also apply in virtual hosts.
 */
function findingsInScope(scope: Scope, mainServer: Scope, { gaps }: Configuration): readonly ConfigurationFinding[] {
  const openingSection = scope.children.find((child) => grantingLine(child) !== null);
  const grantingRequire = openingSection && grantingLine(openingSection);
  if (!openingSection || !grantingRequire || (gaps.length > 0 && scope !== mainServer)) return [];
  const restrictedSection = [...(scope === mainServer ? [] : mainServer.children), ...scope.children].find(
    isRestricted,
  );
  if (restrictedSection === undefined) return [];
  return [
    {
      file: grantingRequire.file.path,
      messageId: 'opened',
      ...contentSpan(grantingRequire.line, grantingRequire.offset),
      what: fittingHeadline(
        `\`Require all granted\` also opens \`${tagOf(restrictedSection)}\``,
        '`Require all granted` also opens other sections',
      ),
      cause: `\`${tagOf(openingSection)}\` matches every URL and is merged after \`${tagOf(restrictedSection)}\` in ${restrictedSection.file.path}. Its \`Require\` line replaces those of that section.`,
      help: `Move the line into the \`<Directory>\` section that should be open, or add \`AuthMerging And\` to \`${tagOf(openingSection)}\`.`,
      helpForBothVersions: `Move the line into the \`<Directory>\` section that should be open. Or add \`AuthMerging And\` to \`${tagOf(openingSection)}\`, in \`<IfModule mod_authz_core.c>\`.`,
    },
  ];
}

/** The tag as the user writes it, cut if it is long. */
function tagOf({ section, kind, words }: Scope): string {
  const tagName = section?.open.text.trim().match(/^<(\w+)/)?.[1] ?? kind;
  return `<${tagName} ${shortened(words.join(' '))}>`;
}

/**
 * The line that allows all clients for all URLs. Null if the section has no such line, or if it has
 * other access lines.
 */
function grantingLine(scope: Scope): ConfigLine | null {
  if (scope.kind !== 'location' && scope.kind !== 'locationmatch') return null;
  if (scope.activity !== 'active' || !isEveryUrl(scope.kind, scope.words)) return null;
  const requireLines = linesIn(scope, REQUIRE_NAMES).filter(({ activity }) => activity === 'active');
  const isOpenToAll =
    requireLines.length > 0 && requireLines.every((at) => at.enclosingSections.length === 0 && isAllGranted(at));
  return isOpenToAll ? requireLines[0]! : null;
}

function isAllGranted({ line, expandedLine }: ConfigLine): boolean {
  return (
    line.name === 'require' &&
    argumentsOf(expandedLine)
      .map(({ value }) => value)
      .join(' ')
      .toLowerCase() === 'all granted'
  );
}

/**
 * Whether Require lines in the section restrict access. The usual `<Directory />` section, which
 * denies access to the whole disk, does not count.
 */
function isRestricted(scope: Scope): boolean {
  if (!FILE_SECTION_KINDS.has(scope.kind) || scope.activity !== 'active') return false;
  const requireLines = linesIn(scope, REQUIRE_NAMES).filter(
    ({ line, activity }) => line.name === 'require' && activity === 'active',
  );
  if (requireLines.length === 0 || requireLines.some(isAllGranted)) return false;
  const isForWholeDisk =
    scope.kind.startsWith('directory') && /^["']?(?:\/|[a-z]:\/?)["']?$/i.test(scope.words.at(-1) ?? '');
  return !isForWholeDisk;
}
