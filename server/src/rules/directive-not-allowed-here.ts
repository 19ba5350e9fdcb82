import { misplacement, type Misplacement, type Place } from '../validation/place';
import { spelledSection } from '../config/sections';
import { commandNamed, ForbiddenIn, Override, type Command } from '../directives/commands';
import { directive, displayName } from '../directives/index';
import { refusedInVirtualHost, thirdPartyModule } from '../directives/third-party';
import { hasUnknownModules } from '../config/modules';
import { contentEnd, contentStart, LineKind, type Line } from '../syntax/line';
import { accessOutsideDirectory } from './access-outside-directory';
import { joinedItems, NO_FINDINGS } from './support/edits';
import { Fact, hasFact } from './support/facts';
import { limitOutsideDirectory } from './limit-outside-directory';
import { multiviewsMatchInLimit } from './multiviews-match-in-limit';
import type { Context, Finding, LineRule } from './rule';

export const directiveNotAllowedHere: LineRule = {
  id: 'directive-not-allowed-here',
  title: 'A directive or section in a place where it is not allowed',
  consequence: 'will not start',
  fix: 'none',
  checks: 'line',
  names: [],
  checksEveryLine: true,
  url: 'https://httpd.apache.org/docs/2.4/mod/directive-dict.html#Context',
  examples: [
    {
      title: 'Directives that are allowed only outside of sections',
      before:
        '<VirtualHost *:80>\n    Listen 8080\n    <Directory "/srv/www">\n        DocumentRoot "/srv/www"\n        Alias /docs /srv/docs\n    </Directory>\n</VirtualHost>\n',
      finds: ['virtualhost', 'override', 'directory'],
    },
    {
      title: 'Sections inside other sections',
      before:
        '<Location "/a">\n    <Directory "/srv/www">\n        Options None\n    </Directory>\n    <Files "b">\n        Require all denied\n    </Files>\n</Location>\n',
      finds: ['override', 'location'],
    },
    {
      title: 'ServerAdmin in a directory',
      before: '<Directory "/srv/www">\n    ServerAdmin webmaster@example.org\n</Directory>\n',
      finds: ['override'],
    },
    {
      title: 'ServerName in a .htaccess file',
      before: 'ServerName www.example.org\nRedirect /old /new\n',
      finds: ['override'],
      file: '.htaccess',
    },
  ],
  mayConcern({ name, kind }, { place }) {
    if (place === null || kind === LineKind.Close) return false;
    const command = commandNamed(name, kind === LineKind.Open);
    if (command === undefined)
      return kind === LineKind.Directive && isInVirtualHost(place) && refusedInVirtualHost(name) !== undefined;
    return misplacement(command, place, name) !== null;
  },
  check({ line, context }) {
    const { place } = context;
    if (place === null || line.kind === LineKind.Close) return NO_FINDINGS;
    const isSection = line.kind === LineKind.Open;
    const command = commandNamed(line.name, isSection);
    if (command === undefined) return isSection ? NO_FINDINGS : findingsOfThirdParty(line, place, context);
    const problem = misplacement(command, place, line.name);
    if (problem === null) return NO_FINDINGS;
    const reportedElsewhere = reportOfOtherRule(line.name, problem, context);
    if (reportedElsewhere === true) return NO_FINDINGS;
    const { text, messageId, forbiddenPlace, cause } = textsOf(command, problem, place, context);
    const facts = directive(line.name, { section: isSection })!;
    const allowedPlaces = facts['2.4']!.contexts.filter((allowed) => allowed !== '<Proxy> section');
    const help =
      allowedPlaces.length === 0
        ? undefined
        : `Move it: \`${displayName(facts)}\` is allowed ${joinedItems(allowedPlaces.flatMap((allowed) => placeText(allowed, command, facts['2.4']!.override)))}.`;
    return [
      {
        messageId,
        what: `\`${displayName(facts)}\` is not allowed ${forbiddenPlace}`,
        cause,
        help,
        serverText: text,
        start: contentStart(line),
        end: contentEnd(line),
        ...(reportedElsewhere && { resolve: reportedElsewhere }),
      },
    ];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** The finding for a directive that its third-party module refuses in a virtual host. */
function findingsOfThirdParty(line: Line, place: Place, { fileContext }: Context): readonly Finding[] {
  const refusal = isInVirtualHost(place) ? refusedInVirtualHost(line.name) : undefined;
  if (refusal === undefined) return NO_FINDINGS;
  const loadedModules = fileContext?.modules ?? null;
  // Without the module, httpd does not know the directive, and the rule unknown-directive reports
  // it.
  if (
    loadedModules !== null &&
    !hasUnknownModules(loadedModules) &&
    ![...loadedModules].some((name) => refusal.modules.some((owner) => owner === thirdPartyModule(name)))
  )
    return NO_FINDINGS;
  const moduleNames = refusal.modules.map(({ file }) => file.replace(/\.so$/, '')).join(' and ');
  return [
    {
      messageId: 'virtualhost',
      what: `\`${refusal.spelled}\` is not allowed in \`<VirtualHost>\``,
      cause: `The version of ${moduleNames} for 2.4 has one value for the whole server.`,
      help: `Move it: \`${refusal.spelled}\` is allowed outside of sections.`,
      serverText: `${refusal.spelled} cannot occur within <VirtualHost> section`,
      start: contentStart(line),
      end: contentEnd(line),
    },
  ];
}

/** Whether the place is in a virtual host, and in no section for directories inside it. */
function isInVirtualHost({ surroundingPlaces, allowedOverrides }: Place): boolean {
  return (surroundingPlaces & ForbiddenIn.virtualHost) !== 0 && (allowedOverrides & Override.server) !== 0;
}

const NAMES_OF_OTHER_RULES = new Set([...accessOutsideDirectory.names, ...limitOutsideDirectory.names]);

/**
 * Returns true if another rule reports the directive, and false if none does. If that depends on
 * facts about the file, returns a function for `resolve`, which drops the finding if necessary.
 */
function reportOfOtherRule(
  name: string,
  { reason }: Misplacement,
  { containers, limits, isHtaccess }: Context,
): boolean | Finding['resolve'] {
  if (reason === 'inside') return multiviewsMatchInLimit.names.includes(name) && limits.length > 0;
  if (isHtaccess || limits.length > 0 || !NAMES_OF_OTHER_RULES.has(name)) return false;
  if (containers.length > 0) return containers.join() === 'virtualhost';
  return (facts) => (hasFact(facts, Fact.isRoot) ? null : {});
}

/** The message id for each place in which httpd forbids a directive (`ForbiddenIn`). */
const MESSAGE_IDS: Readonly<Record<number, string>> = {
  [ForbiddenIn.virtualHost]: 'virtualhost',
  [ForbiddenIn.limit]: 'limit',
  [ForbiddenIn.htaccess]: 'htaccess',
  [ForbiddenIn.directory]: 'directory',
  [ForbiddenIn.location]: 'location',
  [ForbiddenIn.files]: 'files',
  [ForbiddenIn.proxy]: 'proxy',
  [ForbiddenIn.path]: 'section',
};

/** The texts of the finding. `text` is the message of httpd. */
function textsOf(
  { name, forbiddenBits }: Command,
  problem: Misplacement,
  place: Place,
  context: Context,
): { messageId: string; text: string; forbiddenPlace: string; cause?: string } {
  const shownName = name.startsWith('<') ? `${name}>` : name;
  const innermostSection = context.limits.at(-1) ?? context.containers.at(-1);
  const forbiddenPlace =
    innermostSection === undefined
      ? context.isHtaccess
        ? 'in this .htaccess file'
        : 'outside of sections'
      : `in \`<${spelledSection(innermostSection)}>\``;
  if (problem.reason === 'override') {
    const text =
      innermostSection === undefined
        ? `${name} not allowed here`
        : `${name} not allowed in <${spelledSection(innermostSection)}> context`;
    const isLimitedByOverride =
      context.isHtaccess && context.fileContext?.overrides != null && place.allowedOverrides !== Override.authConfig;
    return {
      messageId: 'override',
      text,
      forbiddenPlace,
      ...(isLimitedByOverride && {
        cause: `AllowOverride allows ${allowedClassesText(context.fileContext!.overrides!)} here.`,
      }),
    };
  }
  const { refusedPlace } = problem;
  const text =
    refusedPlace === ForbiddenIn.virtualHost
      ? 'cannot occur within <VirtualHost> section'
      : refusedPlace === ForbiddenIn.limit
        ? 'cannot occur within <Limit> or <LimitExcept> section'
        : refusedPlace === ForbiddenIn.htaccess
          ? 'cannot occur within htaccess files'
          : (forbiddenBits & ForbiddenIn.path) !== 0
            ? 'cannot occur within directory context'
            : `cannot occur within <${spelledSection(innermostSection ?? '')}> section`;
  return {
    messageId: MESSAGE_IDS[refusedPlace]!,
    text: `${shownName} ${text}`,
    forbiddenPlace: refusedPlace === ForbiddenIn.htaccess ? 'in .htaccess files' : forbiddenPlace,
  };
}

/** What the AllowOverride line allows, as text. */
function allowedClassesText(overrides: ReadonlySet<string>): string {
  return overrides.size === 0 ? 'nothing' : [...overrides].join(', ');
}

/**
 * Names one kind of place of the manual, such as `directory`, as users do. Leaves out sections that
 * the C function of the directive refuses. `classes`: the AllowOverride classes that allow the
 * directive in .htaccess files; may be empty.
 */
function placeText(
  allowedPlace: string,
  { name, forbiddenBits }: Command,
  classes: readonly string[],
): readonly string[] {
  switch (allowedPlace) {
    case 'server config':
      return ['outside of sections'];
    case 'virtual host':
      return ['in `<VirtualHost>`'];
    case 'directory':
      return FORBIDDEN_BITS_OF_SECTIONS.flatMap(([section, bit]) =>
        (forbiddenBits & bit) === 0 && !section.toLowerCase().startsWith(name.toLowerCase())
          ? [`in \`${section}\``]
          : [],
      );
    default:
      return [`in .htaccess files${classes.length === 0 ? '' : ` (AllowOverride ${classes.join(' or ')})`}`];
  }
}

const FORBIDDEN_BITS_OF_SECTIONS = [
  ['<Directory>', ForbiddenIn.directory | ForbiddenIn.path],
  ['<Location>', ForbiddenIn.location | ForbiddenIn.path],
  ['<Files>', ForbiddenIn.files | ForbiddenIn.path],
] as const;
