import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { contentSpan, invalidCommandText, removeLine, argumentValues } from './support/edits';
import type { Finding, Fix, Member, Scope, SectionRule } from './rule';

const REMOVED_NAMES = [
  'authzuserauthoritative',
  'authzgroupfileauthoritative',
  'authzdbmauthoritative',
  'authzldapauthoritative',
  'authzownerauthoritative',
  'authzdefaultauthoritative',
  'authdefaultauthoritative',
  'authzdbdauthoritative',
  'authldapauthzenabled',
];
const DECIDING_NAMES = ['require', 'authgroupfile', 'authdbmgroupfile', 'authldapurl'];

export const authzAuthoritative: SectionRule = {
  id: 'authz-authoritative',
  title: 'AuthzUserAuthoritative and similar directives, removed in 2.4',
  consequence: 'will not start',
  fix: 'safe',
  needsLineIn22: true,
  checks: 'section',
  isAboutSingleLines: true,
  // The rule reports only lines of REMOVED_NAMES. Lines of DECIDING_NAMES decide what the reported
  // lines do in 2.2.
  names: [...REMOVED_NAMES, ...DECIDING_NAMES],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#requireany',
  examples: [
    {
      title: 'The value On, with Require lines of one module',
      before:
        '<Directory "/srv/staff">\n    AuthType Basic\n    AuthName staff\n    AuthzUserAuthoritative On\n    Require user ann joe\n    Require valid-user\n</Directory>\n',
      after:
        '<Directory "/srv/staff">\n    AuthType Basic\n    AuthName staff\n    Require user ann joe\n    Require valid-user\n</Directory>\n',
      finds: ['on'],
    },
    {
      title: 'The value Off',
      before:
        '<Location "/svn">\n    AuthLDAPURL ldap://ldap.example/o=x\n    AuthzLDAPAuthoritative Off\n    Require valid-user\n</Location>\n',
      after: '<Location "/svn">\n    AuthLDAPURL ldap://ldap.example/o=x\n    Require valid-user\n</Location>\n',
      finds: ['off'],
    },
  ],
  check(scope) {
    const removedMembers = scope.members.filter(({ line }) => REMOVED_NAMES.includes(line.name));
    return removedMembers.map((member) => findingOfLine(member, scope));
  },
};

/**
 * For each removed directive, another directive of its module. In 2.2, a section with one of the
 * two does not inherit the module's settings. So if the section has both, the removal changes
 * nothing.
 */
const OTHER_DIRECTIVE_OF_MODULE: Readonly<Record<string, string>> = {
  authzgroupfileauthoritative: 'authgroupfile',
  authzdbmauthoritative: 'authdbmgroupfile',
  authzldapauthoritative: 'authldapurl',
};

/** The short name of the module of each directive, as `moduleOfRequire` returns it. */
const MODULE_OF_DIRECTIVE: Readonly<Record<string, string>> = {
  authzuserauthoritative: 'user',
  authzgroupfileauthoritative: 'group',
  authzdbmauthoritative: 'group',
  authzldapauthoritative: 'ldap',
  authzownerauthoritative: 'owner',
};

const DEFAULT_MODULE_DIRECTIVES = new Set(['authzdefaultauthoritative', 'authdefaultauthoritative']);
/** Directives that neither 2.2 nor 2.4 has. */
const NAMES_IN_NO_VERSION = new Set(['authzdbdauthoritative', 'authldapauthzenabled']);

function findingOfLine({ line, offset }: Member, scope: Scope): Finding {
  const onOrOff = /^(on|off)$/i.exec(argumentValues(line).join(' '))?.[1]!.toLowerCase();
  const fix: Fix = { ...fixWithoutEdits(line, onOrOff, scope), edits: [removeLine(line, offset)] };
  const reason = NAMES_IN_NO_VERSION.has(line.name)
    ? 'httpd 2.2 did not have this directive either.'
    : 'In 2.4 the `Require` lines of all modules count together: one matching line is enough.';
  return {
    messageId: onOrOff ?? 'unclear',
    what: `\`${spelledName(line)}\` ${NAMES_IN_NO_VERSION.has(line.name) ? 'is not a directive of 2.4' : 'was removed'}`,
    cause: reason,
    help: 'Remove the line.',
    serverText: invalidCommandText(line),
    ...contentSpan(line, offset),
    tag: fix.safety === 'safe' ? 'unnecessary' : 'deprecated',
    fixes: [fix],
  };
}

/**
 * The fix that removes a line, without its edits. `value`: `on`, `off`, or undefined for others.
 */
function fixWithoutEdits(line: Line, value: string | undefined, scope: Scope): Omit<Fix, 'edits'> {
  const suggestionAssuming = (assumes: string) => ({
    title: `Remove ${spelledName(line)}`,
    safety: 'suggestion' as const,
    assumes,
  });
  if (NAMES_IN_NO_VERSION.has(line.name) || value === undefined) return suggestionAssuming('the line is not needed');
  if (DEFAULT_MODULE_DIRECTIVES.has(line.name)) {
    if (value === 'on') return { title: `Remove ${spelledName(line)} On`, safety: 'safe' };
    return suggestionAssuming('httpd may answer 403 where 2.2 answered 500');
  }
  const requireModules = modulesOfRequires(scope);
  const settingsDirective = OTHER_DIRECTIVE_OF_MODULE[line.name];
  const keepsSettings = !settingsDirective || scope.members.some((member) => member.line.name === settingsDirective);
  if (value === 'off') {
    // Without a Require line of its own, the module leaves the decision to the others.
    const ownModule = MODULE_OF_DIRECTIVE[line.name];
    const [onlyModule, ...moreModules] = requireModules;
    const isOfOtherModule = onlyModule !== undefined && onlyModule !== 'unknown' && onlyModule !== ownModule;
    if (isOfOtherModule && moreModules.length === 0 && keepsSettings)
      return { title: `Remove ${spelledName(line)} Off`, safety: 'safe' };
    // After this fix, the rule require-mixed-modules no longer sees that all Require lines had an
    // effect. So `settles` makes that rule ask nothing in the same run.
    return {
      ...suggestionAssuming('one matching Require line is enough, as with Off'),
      settles: 'require-mixed-modules',
    };
  }
  if (requireModules.size === 0) return suggestionAssuming('one matching Require line is enough');
  if (requireModules.size > 1 || requireModules.has('unknown'))
    return suggestionAssuming('one matching Require line is enough; 2.2 used the lines of only one module');
  if (!keepsSettings) {
    return suggestionAssuming('what this section inherits may apply; in 2.2 the line dropped it');
  }
  return { title: `Remove ${spelledName(line)} On`, safety: 'safe' };
}

/** The modules that evaluate the Require lines of the scope in 2.2, as short names or `unknown`. */
function modulesOfRequires(scope: Scope): Set<string> {
  return new Set(scope.members.filter(({ line }) => line.name === 'require').map(moduleOfRequire));
}

/** The module of 2.2 that checks a Require line, by a short name. */
function moduleOfRequire({ line, enclosingSections }: Member): string {
  // 2.2 has no containers for Require lines, so their module is unknown.
  if (enclosingSections.some(({ name }) => name.startsWith('require'))) return 'unknown';
  const firstWord = argumentsOf(line)[0]?.value.toLowerCase() ?? '';
  if (firstWord === 'valid-user' || firstWord === 'user') return 'user';
  if (firstWord === 'group') return 'group';
  if (firstWord.startsWith('ldap-')) return 'ldap';
  if (firstWord === 'file-owner') return 'owner';
  // `file-group` needs two modules, and for other words the module is unknown.
  return 'unknown';
}
