import { conditionalsIn, keyOfLimits, parseRequire, PROVIDERS_22 } from '../access/require';
import { argumentsOf, type Line } from '../syntax/line';
import { contentSpan, containsVariable, removeLine } from './support/edits';
import { titleToRemove } from './support/fix-title';
import type { Fix, Member, SectionRule } from './rule';

/**
 * Directives with which mod_shib decides all Require lines in 2.2 (shib_auth_checker in its
 * mod_apache.cpp). AuthType counts only with the value `shibboleth`.
 */
const SHIBBOLETH_NAMES = ['authtype', 'shibrequireall', 'shibrequiresession', 'shibrequestsetting'];

export const requireMixedModules: SectionRule = {
  id: 'require-mixed-modules',
  title: 'Require lines of several modules, which allow more users in 2.4',
  consequence: 'meaning changed',
  since: 0,
  fix: 'suggestion',
  checks: 'section',
  names: [
    'require',
    'requireall',
    'requireany',
    'requirenone',
    'authmerging',
    'authzuserauthoritative',
    'authzgroupfileauthoritative',
    'authzdbmauthoritative',
    'authzldapauthoritative',
    'authzownerauthoritative',
    ...SHIBBOLETH_NAMES,
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#requireany',
  examples: [
    {
      title: 'Lines about a group and about a user',
      before:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    AuthGroupFile /etc/httpd/groups\n    Require user ann\n    Require group staff\n</Directory>\n',
      after:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    AuthGroupFile /etc/httpd/groups\n    Require group staff\n</Directory>\n',
      finds: ['mixed'],
    },
  ],
  check(scope) {
    if (scope.members.some(isShibbolethLine)) return [];
    const requireLines = scope.members.filter(({ line }) => line.name === 'require');
    const requireModules = requireLines.map(moduleOfRequire);
    const areAllLinesOf22 =
      scope.members.every(({ line }) => /^(authtype|authz.*|require)$/.test(line.name)) &&
      requireModules.every((owner) => owner !== null);
    const modules = [...new Set(requireModules)] as RequireModule[];
    if (!areAllLinesOf22 || modules.length < 2 || scope.context.containers.includes('macro')) return [];
    // Lines with different conditions or limits around them cannot be compared, so the rule skips
    // them.
    const firstRequire = requireLines[0]!;
    const areInSameSections = requireLines.every(
      (member) =>
        keyOfLimits(member.enclosingSections) === keyOfLimits(firstRequire.enclosingSections) &&
        haveSameConditionals(member, firstRequire),
    );
    const decidingModules = modulesDecidingAlone(modules, scope.members);
    if (!areInSameSections || decidingModules.length === 0) return [];
    const decidingModulesInOrder = MODULES_IN_ASKED_ORDER.filter((module) => decidingModules.includes(module));
    const fixes = decidingModulesInOrder.map(
      (module): Fix => ({
        title: titleOf(
          module,
          requireLines.filter((_, index) => requireModules[index] !== module).map(({ line }) => line),
        ),
        safety: 'suggestion',
        assumes:
          decidingModulesInOrder.length === 1
            ? `${MODULE_TEXT[module]} decided alone in 2.2`
            : `${MODULE_TEXT[module]} was loaded first in 2.2`,
        edits: requireLines
          .filter((_, index) => requireModules[index] !== module)
          .map((member) => removeLine(member.line, member.offset)),
      }),
    );
    const lineOfOtherModule = requireLines.find((_, index) => requireModules[index] !== requireModules[0])!;
    return [
      {
        messageId: 'mixed',
        what: '`Require` may allow more users: in 2.4 one matching line is enough',
        cause:
          decidingModulesInOrder.length === 1
            ? `httpd 2.2 could use only the \`Require\` lines of one module: ${MODULE_TEXT[decidingModulesInOrder[0]!]}.`
            : `httpd 2.2 used only the \`Require\` lines of one module, whichever was loaded first: ${decidingModulesInOrder.map((module) => MODULE_TEXT[module]).join(' or ')}.`,
        help: `2.2 used only the \`Require\` lines about ${decidingModulesInOrder.map((module) => TOPIC_TEXT[module]).join(', or only those about ')}, and ignored the others.${decidingModulesInOrder.length > 1 ? ' To see which, log in on 2.2 as a user who fulfils only one of these lines.' : ''} Keep only the \`Require\` lines that 2.2 used.`,
        ...contentSpan(lineOfOtherModule.line, lineOfOtherModule.offset),
        fixes,
      },
    ];
  },
};

/** A module that decides Require lines in 2.2, as a short name. */
type RequireModule = 'user' | 'group' | 'ldap' | 'owner';

/** The order in which 2.2 asks the modules, if they are loaded as in httpd's default httpd.conf. */
const MODULES_IN_ASKED_ORDER: readonly RequireModule[] = ['owner', 'group', 'ldap', 'user'];
const MODULE_TEXT: Readonly<Record<RequireModule, string>> = {
  user: 'mod_authz_user',
  group: 'the module for groups (mod_authz_groupfile, mod_authz_dbm)',
  ldap: 'mod_authnz_ldap',
  owner: 'mod_authz_owner',
};
/**
 * The title of the fix that removes the lines of other modules. "Keep only groups" would be unclear
 * if the removed line is about groups of LDAP, so the title then names this line.
 */
function titleOf(module: RequireModule, removedLines: readonly Line[]): string {
  const [first] = removedLines;
  return module === 'group' && removedLines.length === 1 && /group/i.test(first!.text)
    ? titleToRemove(first!)
    : `Keep only the Require lines about ${TOPIC_TEXT[module]}`;
}

const TOPIC_TEXT: Readonly<Record<RequireModule, string>> = {
  user: 'users',
  group: 'groups',
  ldap: 'LDAP',
  owner: 'owners of files',
};
/** The directives that decide whether a module passes users on to the next module. */
const AUTHORITATIVE_NAMES: Readonly<Record<RequireModule, readonly string[]>> = {
  user: ['authzuserauthoritative'],
  group: ['authzgroupfileauthoritative', 'authzdbmauthoritative'],
  ldap: ['authzldapauthoritative'],
  owner: ['authzownerauthoritative'],
};

/** Whether mod_shib decides all Require lines of a section because of this line. */
function isShibbolethLine({ line }: Member): boolean {
  if (line.name !== 'authtype') return line.name.startsWith('shib');
  return argumentsOf(line)[0]?.value.toLowerCase() === 'shibboleth';
}

/**
 * The module that decides a Require line in 2.2. Null if the line is only for 2.4, or if the module
 * is unknown.
 */
function moduleOfRequire({ line, enclosingSections }: Member): RequireModule | null {
  const { isNegated: isNot, provider, hasVariable } = parseRequire(line);
  const providerName = provider?.value.toLowerCase() ?? '';
  if (
    isNot ||
    hasVariable ||
    enclosingSections.some((section) => section.name.startsWith('require')) ||
    !PROVIDERS_22.has(providerName)
  )
    return null;
  if (providerName === 'user' || providerName === 'valid-user') return 'user';
  if (providerName === 'group') return 'group';
  return providerName.startsWith('ldap-') ? 'ldap' : 'owner';
}

/**
 * Pairs of modules of which 2.2 always asks the first before the second, whatever their order of
 * loading is (register_hooks of both).
 */
const MODULES_ALWAYS_ASKED_BEFORE: readonly (readonly [RequireModule, RequireModule])[] = [
  ['ldap', 'user'],
  ['owner', 'group'],
];

/**
 * The modules that could decide alone in 2.2, because they do not pass requests on to the next
 * module. Leaves out a module if 2.2 always asks another such module before it, or asks all other
 * modules before it. Empty if one matching line of any module was enough in 2.2.
 */
function modulesDecidingAlone(modules: readonly RequireModule[], members: readonly Member[]): readonly RequireModule[] {
  const isBefore = (askedFirst: RequireModule, second: RequireModule) =>
    MODULES_ALWAYS_ASKED_BEFORE.some(([a, b]) => a === askedFirst && b === second);
  const modulesNotPassingOn = modules.filter((module) => !passesUsersOn(module, members));
  const modulesAskedFirst = modulesNotPassingOn.filter(
    (module) => !modulesNotPassingOn.some((other) => isBefore(other, module)),
  );
  return modulesAskedFirst.filter((module) => !modules.every((other) => other === module || isBefore(other, module)));
}

/**
 * Whether the module leaves users that it does not allow to the next module, because its
 * authoritative directive is Off. Also true if the value of this directive is a variable.
 */
function passesUsersOn(module: RequireModule, members: readonly Member[]): boolean {
  return members.some(({ line }) => {
    const [word] = argumentsOf(line);
    return (
      AUTHORITATIVE_NAMES[module].includes(line.name) &&
      word !== undefined &&
      (containsVariable(word) || /^off$/i.test(word.value))
    );
  });
}

/** Whether both lines are under the same conditions. */
function haveSameConditionals(a: Member, b: Member): boolean {
  const [conditionalsOfA, conditionalsOfB] = [conditionalsIn(a.enclosingSections), conditionalsIn(b.enclosingSections)];
  return (
    conditionalsOfA.length === conditionalsOfB.length &&
    conditionalsOfA.every((section, index) => section === conditionalsOfB[index])
  );
}
