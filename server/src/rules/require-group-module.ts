import { parseRequire, PROVIDERS } from '../access/require';
import { groupWordOf, thirdPartyModules } from '../directives/third-party';
import { argumentsOf, spelledName, type Line, type Word } from '../syntax/line';
import { NO_FINDINGS, replaceWord, shortened } from './support/edits';
import type { Finding, Member, Scope, SectionRule } from './rule';
import { titleToChange } from './support/fix-title';

/**
 * Directives that name the database table with groups, and its fields with the group and the user.
 */
const GROUP_TABLE_DIRECTIVES = [
  {
    table: ['authmysqlgrouptable', 'authmysql_group_table', 'auth_mysql_group_table'],
    group: ['authmysqlgroupfield', 'authmysql_group_field', 'auth_mysql_group_field'],
    user: [
      'authmysqlgroupusernamefield',
      'authmysqlnamefield',
      'auth_mysql_group_user_field',
      'auth_mysql_username_field',
    ],
  },
  { table: ['auth_pg_grp_table'], group: ['auth_pg_grp_group_field'], user: ['auth_pg_grp_user_field'] },
] as const;

/**
 * Directives that name the database field with the group. Without such a directive, mod_auth_mysql
 * and mod_auth_pgsql do not decide `Require group`.
 */
const GROUP_FIELD_DIRECTIVES = GROUP_TABLE_DIRECTIVES.flatMap(({ group }) => group);
const DATABASE_NAMES = GROUP_TABLE_DIRECTIVES.flatMap(({ table, group, user }) => [...table, ...group, ...user]);

/**
 * Directives of modules that have no provider for groups in 2.4. The advice about the module names
 * a replacement.
 */
const DIRECTIVES_WITHOUT_GROUP_PROVIDER = [
  'auth_pg_grp_table',
  'authpam_enabled',
  'authzldapmethod',
  'authibmdb2grouptable',
  'authibmdb2groupproc',
  'auth_memcookie_memcacheservers',
  'authntgroups',
  'perlauthzhandler',
];

/** Finds `Require` lines for a third-party module, for which 2.4 needs another provider name. */
export const requireGroupModule: SectionRule = {
  id: 'require-group-module',
  title: '"Require" whose groups or attributes belong to another module',
  consequence: 'will not start',
  since: 0,
  fix: 'suggestion',
  checks: 'section',
  names: [
    'require',
    'authtype',
    'authgroupfile',
    'authzgroupfileauthoritative',
    'authdbmgroupfile',
    'groupexternal',
    'authzunixgroup',
    'wsgiauthgroupscript',
    'sspiauth',
    ...DATABASE_NAMES,
    ...DIRECTIVES_WITHOUT_GROUP_PROVIDER,
    'include',
    'includeoptional',
    'use',
  ],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html#access',
  examples: [
    {
      title: 'Groups of an external program',
      before:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    AuthBasicProvider external\n    AuthExternal pwauth\n    GroupExternal unixgroup\n    Require group staff\n</Directory>\n',
      after:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    AuthBasicProvider external\n    AuthExternal pwauth\n    GroupExternal unixgroup\n    Require external-group staff\n</Directory>\n',
      finds: ['group'],
    },
    {
      title: 'An attribute of Shibboleth',
      before: '<Location /secure>\n    AuthType shibboleth\n    Require affiliation staff@example.org\n</Location>\n',
      after:
        '<Location /secure>\n    AuthType shibboleth\n    Require shib-attr affiliation staff@example.org\n</Location>\n',
      finds: ['attribute'],
    },
  ],
  check(scope) {
    if (scope.context.containers.includes('macro')) return NO_FINDINGS;
    const requireLines = scope.members.filter(({ line }) => line.name === 'require');
    if (requireLines.length === 0) return NO_FINDINGS;
    return isShibboleth(scope) ? findingsOfShibboleth(requireLines) : findingsOfGroups(scope, requireLines);
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** The findings about `Require group` lines beside a directive of another module about groups. */
function findingsOfGroups({ members }: Scope, requireLines: readonly Member[]): readonly Finding[] {
  const groupDirective = members.find(({ line }) => decidesGroups(line))?.line;
  if (!groupDirective) return NO_FINDINGS;
  return requireLines.flatMap(({ line, offset }) => groupFinding({ line, offset, groupDirective, members }) ?? []);
}

/** Whether a directive makes a third-party module decide `Require group` in 2.2. */
export function decidesGroups(line: Line): boolean {
  return GROUP_DECIDING_NAMES.has(line.name) && !isValueOff(argumentsOf(line)[0]);
}

/** A Require line, and the directive that decides about groups where the line applies. */
export interface GroupLine extends Pick<Member, 'line' | 'offset'> {
  /** The directive of the module that decides `Require group` in 2.2. */
  readonly groupDirective: Line;
  /**
   * The lines that are looked at: those of the section of `line`, of the section of
   * `groupDirective`, and of the other sections that apply to the directory of `line`.
   */
  readonly members: readonly { readonly line: Line }[];
  /**
   * Where `groupDirective` is, as text, such as `in the section for /srv (httpd.conf:12)`. Absent
   * if it is in the section of `line`.
   */
  readonly placeAbove?: string;
}

/**
 * The finding for a `Require group` line that a third-party module decides in 2.2. Null if 2.4
 * answers as 2.2, or if an Include or a similar line may change the answer.
 */
export function groupFinding({ line, offset, groupDirective, members, placeAbove = '' }: GroupLine): Finding | null {
  const hasLineNamed = (name: string) => members.some((each) => each.line.name === name);
  if (['authdbmgroupfile', 'include', 'includeoptional', 'use'].some(hasLineNamed)) return null;
  // With `AuthzGroupFileAuthoritative Off`, 2.2 asks the third-party module about users who are
  // not in the group file.
  const isBesideFile = hasLineNamed('authgroupfile');
  const passesUsersOn = members.some(
    (each) => each.line.name === 'authzgroupfileauthoritative' && isValueOff(argumentsOf(each.line)[0]),
  );
  const { provider } = parseRequire(line);
  if (provider?.value.toLowerCase() !== 'group' || (isBesideFile && !passesUsersOn)) return null;
  const module = thirdPartyModules(groupDirective.name, false)[0]!;
  const groupWord = DIRECTIVES_WITHOUT_GROUP_PROVIDER.includes(groupDirective.name)
    ? null
    : groupWordOf(groupDirective.name)!;
  const query = groupQueryOf(members);
  const notSetText = placeAbove === '' ? 'not set in this section' : 'not set';
  return {
    messageId: 'group',
    consequence: 'meaning changed',
    what: `\`Require group\` ignores \`${spelledName(groupDirective)}\` in 2.4${isBesideFile ? '' : ' and allows nobody'}`,
    cause:
      (placeAbove === '' ? '' : `\`${spelledName(groupDirective)}\` ${placeAbove} applies here, too. `) +
      (isBesideFile
        ? 'In 2.4 `Require group` looks only into `AuthGroupFile`. 2.2 then asked the other module (`AuthzGroupFileAuthoritative Off`).'
        : `In 2.4 \`Require group\` looks only into \`AuthGroupFile\`, which is ${notSetText} (AH01664).`),
    help:
      query === null && groupWord === null
        ? `${module.advice} Then write its word for groups in \`Require\`.`
        : query === null
          ? `${isBesideFile ? 'Add' : 'Use'} \`Require ${groupWord}\`: it belongs to ${groupWord === 'sspi-group' ? 'mod_authnz_sspi' : module.file.replace(/\.so$/, '')}, which you must install in a version for 2.4.`
          : `Use mod_authz_dbd, which comes with httpd. Write \`Require dbd-group\` and:\nAuthzDBDQuery "${query}"`,
    ...spanOfWord(provider, offset),
    fixes:
      query !== null || groupWord === null || isBesideFile
        ? []
        : [
            {
              title: titleToChange(`Require ${provider.value}`, `Require ${groupWord}`),
              safety: 'suggestion',
              assumes: 'the module is installed for 2.4, and no enclosing section sets AuthGroupFile',
              edits: [replaceWord(provider, groupWord, offset)],
            },
          ],
  };
}

/**
 * The SQL query for the groups of a user, for mod_authz_dbd. Null if no line names a database field
 * with the group.
 */
function groupQueryOf(members: GroupLine['members']): string | null {
  const database = GROUP_TABLE_DIRECTIVES.find(({ group }) =>
    members.some(({ line }) => (group as readonly string[]).includes(line.name)),
  );
  if (database === undefined) return null;
  const nameFrom = (names: readonly string[], placeholder: string) => {
    const line = members.find((each) => names.includes(each.line.name))?.line;
    return shortened((line && argumentsOf(line)[0]?.value) ?? placeholder, 40);
  };
  return `SELECT ${nameFrom(database.group, 'GROUP')} FROM ${nameFrom(database.table, 'TABLE')} WHERE ${nameFrom(database.user, 'USER')} = %s`;
}

/** Directives that make a third-party module decide `Require group` in 2.2. */
export const GROUP_DECIDING_NAMES: ReadonlySet<string> = new Set([
  'groupexternal',
  'authzunixgroup',
  'wsgiauthgroupscript',
  'sspiauth',
  ...GROUP_FIELD_DIRECTIVES,
  ...DIRECTIVES_WITHOUT_GROUP_PROVIDER,
]);

function isValueOff(word: Word | undefined): boolean {
  return word?.value.toLowerCase() === 'off';
}

function isShibboleth({ members }: Scope): boolean {
  return members.some(
    ({ line }) => line.name === 'authtype' && argumentsOf(line)[0]?.value.toLowerCase() === 'shibboleth',
  );
}

/** The findings for Require lines that mod_shib decides, which have other words in 2.4. */
function findingsOfShibboleth(requireLines: readonly Member[]): readonly Finding[] {
  return requireLines.flatMap(({ line, offset }) => {
    const { provider, operands, hasVariable } = parseRequire(line);
    if (provider === null || hasVariable || !/^[a-z][\w.-]*$/i.test(provider.value)) return [];
    const isPattern = provider.value.toLowerCase() === 'user' && operands[0]?.value === '~';
    if (!isPattern && (operands.length === 0 || isWordOf24(provider.value))) return [];
    const newRequirement = isPattern ? 'shib-user' : `shib-attr ${provider.value}`;
    return {
      messageId: isPattern ? 'pattern' : 'attribute',
      what: isPattern
        ? '`Require user ~`: in 2.4 write `Require shib-user ~`'
        : `\`Require ${shortened(provider.value)}\`: in 2.4 write \`Require shib-attr ${shortened(provider.value)}\``,
      consequence: isPattern ? 'meaning changed' : 'will not start',
      cause: isPattern
        ? 'In 2.4 `Require user` belongs to mod_authz_user, which compares names and knows no patterns.'
        : 'In 2.2 mod_shib took any word after `Require` as an attribute. In 2.4 attributes need the word `shib-attr`.',
      help: `Install mod_shib in a version for 2.4: \`Require ${shortened(newRequirement, 60)}\` belongs to it.`,
      serverText: isPattern ? undefined : `Unknown Authz provider: ${provider.value}`,
      ...spanOfWord(provider, offset),
      fixes: [
        {
          title: titleToChange(`Require ${provider.value}`, `Require ${newRequirement}`),
          safety: 'suggestion',
          assumes: 'mod_shib is installed for 2.4',
          edits: [replaceWord(provider, newRequirement, offset)],
        },
      ],
    } satisfies Finding;
  });
}

/** Whether the word is a provider of httpd's modules or of mod_shib for 2.4. */
function isWordOf24(word: string): boolean {
  return (
    PROVIDERS.has(word.toLowerCase()) ||
    /^(?:shibboleth|shib-\w+|authncontext(?:class|decl)ref|(?:dbm|dbd|ldap|unix|external|pam)-[\w-]+)$/i.test(word)
  );
}

function spanOfWord(word: Word, offset: number): { readonly start: number; readonly end: number } {
  return { start: offset + word.start, end: offset + word.end };
}
