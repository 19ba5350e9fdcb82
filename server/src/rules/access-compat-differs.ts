import { readSection, type SectionAsReadBy22 } from '../access/read';
import { spelledName } from '../syntax/line';
import { contentSpan } from './support/edits';
import { Fact, hasFact, type FileFacts } from './support/facts';
import type { Finding, Member, SectionRule } from './rule';

/**
 * Whether the file is a whole configuration in which no line denies a client by address. Then no
 * section inherits a Deny.
 */
function deniesNoClient(facts: FileFacts): boolean {
  return hasFact(facts, Fact.isRoot) && !hasFact(facts, Fact.includes, Fact.allowsOverride, Fact.deniesHosts);
}

/**
 * Whether the file is a whole configuration without a Require line. Then no section inherits one.
 */
function hasNoRequire(facts: FileFacts): boolean {
  return hasFact(facts, Fact.isRoot) && !hasFact(facts, Fact.includes, Fact.allowsOverride, Fact.requires);
}

/**
 * The texts of the message `grants-refused` if certainly no `Require` line can deny the request.
 */
const TEXT_IF_CERTAIN = {
  what: '`Satisfy Any` opens access to clients that `Order`, `Allow` and `Deny` deny',
  cause: '2.2 answered 403. With mod_access_compat, 2.4 allows the request: no `Require` line denies it.',
};

/** The help if the setting `accessControl.source` says that the server already runs 2.4. */
const HELP_IF_24_RUNS =
  'Check that this access is right. A conversion keeps it, because the setting `accessControl.source` says that 2.4 runs now.';

/** Finds sections for which 2.4 with mod_access_compat decides differently than 2.2. */
export const accessCompatDiffers: SectionRule = {
  id: 'access-compat-differs',
  title: 'Satisfy lines that allow more clients in 2.4 (mod_access_compat) than in 2.2',
  consequence: 'meaning changed',
  fix: 'none',
  checks: 'section',
  names: ['order', 'allow', 'deny', 'satisfy', 'require', 'authzsvnaccessfile', 'authzsvnreposrelativeaccessfile'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html#satisfy',
  examples: [
    {
      title: 'A section with only Satisfy Any',
      before: '<Directory /srv/open>\n    Satisfy Any\n</Directory>\n',
      finds: ['forgets-hosts'],
    },
    {
      title: 'A section with only Satisfy All',
      before: '<Directory /srv/open>\n    Satisfy All\n</Directory>\n',
      finds: ['forgets-hosts'],
    },
    {
      title: 'Satisfy Any with denied hosts and without Require',
      before:
        '<Directory /srv/internal>\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8\n    Satisfy Any\n</Directory>\n',
      finds: ['grants-refused'],
    },
    {
      title: 'Not reported: Satisfy Any with a Require line',
      before:
        '<Directory /srv/internal>\n    Order deny,allow\n    Deny from all\n    Allow from 10.0.0.0/8\n    Require valid-user\n    Satisfy Any\n</Directory>\n',
      finds: [],
    },
  ],
  check(scope) {
    if (!scope.members.some(({ line }) => line.name === 'satisfy')) return [];
    const members = linesForUnnamedMethods(scope.members);
    const lastSatisfy = [...members].reverse().find((member) => member.line.name === 'satisfy');
    if (
      !lastSatisfy ||
      members.some(({ enclosingSections }) => enclosingSections.some(({ name }) => /^(limit|require)/.test(name)))
    )
      return [];
    // A section that has both Require and Order, Allow or Deny gets no finding. Most sections with
    // a login have both, so this quick test saves the reading of their lines.
    const hasName = (isName: (name: string) => boolean) => members.some(({ line }) => isName(line.name));
    if (hasName((name) => name === 'require') && hasName(isHostDirective)) return [];
    const svnMember = members.find(({ line }) => line.name.startsWith('authzsvn'));
    const section = readSection(
      members.filter(({ line }) => !line.name.startsWith('authzsvn')).map((member) => member.line),
    );
    if (section.obstacle) return [];
    const createFindings = (messageId: string, what: string, cause: string): Finding[] => [
      {
        messageId,
        what,
        cause,
        help: svnMember
          ? HELP_WITH_SVN
          : messageId === 'forgets-hosts'
            ? helpToCombine(section)
            : 'Write `Require` instead of `Order`, `Allow`, `Deny` and `Satisfy`, here and in the other sections that apply to the same requests.',
        ...contentSpan(lastSatisfy.line, lastSatisfy.offset),
        resolve: (facts) => {
          if (messageId === 'forgets-hosts' && !scope.context.isHtaccess && deniesNoClient(facts)) return null;
          const certainTexts = messageId === 'grants-refused' && hasNoRequire(facts) ? TEXT_IF_CERTAIN : {};
          return hasFact(facts, Fact.fromCompat)
            ? { ...certainTexts, consequence: 'deprecated', help: HELP_IF_24_RUNS }
            : certainTexts;
        },
      },
    ];
    if (section.hostRules === null) {
      const isSatisfyAny = section.satisfy === 'any';
      return createFindings(
        'forgets-hosts',
        isSatisfyAny
          ? '`Satisfy Any` without `Order`, `Allow` and `Deny`: 2.4 ignores inherited `Deny` lines'
          : '`Satisfy All` without `Order`, `Allow` and `Deny`: 2.4 ignores inherited `Deny` lines',
        isSatisfyAny
          ? `If another section denies clients, they had access here in 2.2 only with a login. With mod_access_compat, 2.4 does not deny them: ${svnMember ? `only \`${spelledName(svnMember.line)}\` decides who has access without a login` : 'everyone has access, without a login'}.`
          : 'If another section denies clients, 2.2 still denied them here. With mod_access_compat, 2.4 does not: only `Require` lines decide who has access.',
      );
    }
    if (section.satisfy !== 'any') return [];
    const { order, allow, deny } = section.hostRules;
    const allowsAll = allow.some(({ kind }) => kind === 'all');
    const canRefuse = !(order === 'deny,allow' ? deny.length === 0 || allowsAll : allowsAll && deny.length === 0);
    if (section.userRequirements.length > 0 || !canRefuse) return [];
    return createFindings(
      'grants-refused',
      '`Satisfy Any` without a `Require` line: 2.4 may allow requests that 2.2 denied',
      '2.2 answered 403. With mod_access_compat, 2.4 allows the request, unless a `Require` line that applies here denies it. With an `AuthType` and without `Require`, 2.4 answers 500.',
    );
  },
};

/**
 * The help for a section that has `Satisfy`, but none of `Order`, `Allow` and `Deny`: how `Require`
 * lines combine the login with the clients that other sections allow.
 */
function helpToCombine({ satisfy, userRequirements }: SectionAsReadBy22): string {
  if (satisfy === 'any' && userRequirements.length === 0)
    return `Replace \`Satisfy\` by \`Require\` lines. Write one for each client that inherited lines allow, such as \`Require ip 10\` for \`Allow from 10\`. Copy the \`Require\` lines of the other sections that apply here. One matching line is enough. ${CONVERT_OTHERS_TOO}`;
  if (satisfy === 'any')
    return `Remove \`Satisfy\`, and keep the \`Require\` lines. Add \`Require\` lines for the clients that the inherited \`Order\`, \`Allow\` and \`Deny\` lines allow, such as \`Require ip 10\` for \`Allow from 10\`. In 2.4, one matching line is enough. ${CONVERT_OTHERS_TOO}`;
  if (userRequirements.length === 0)
    return `Write one \`Require ip\` line with all addresses that the inherited \`Order\`, \`Allow\` and \`Deny\` lines allow, such as \`Require ip 10 192.168\`, and remove \`Satisfy\`. If there is a login, too, write this line and the \`Require\` line of the login into a RequireAll section. ${CONVERT_OTHERS_TOO}`;
  const [keepText, moveText] =
    userRequirements.length === 1
      ? ['keep the `Require` line', 'this line']
      : ['keep the `Require` lines', 'these lines, in a RequireAny section,'];
  return `If no \`Order\`, \`Allow\` or \`Deny\` line of another section applies here, remove \`Satisfy\`, and ${keepText}. Otherwise write ${moveText} and one \`Require ip\` line with all addresses that those lines allow, such as \`Require ip 10 192.168\`, into a RequireAll section. ${CONVERT_OTHERS_TOO}`;
}

const CONVERT_OTHERS_TOO = 'Also convert the other sections that apply to the same requests.';

function isHostDirective(name: string): boolean {
  return name === 'order' || name === 'allow' || name === 'deny';
}

/**
 * Returns the lines that apply to methods that no `<Limit>` names. If the section has only
 * `<Limit>` sections or only `<LimitExcept>` sections, this leaves out the Require lines in them.
 * If it has both, perhaps all methods are named, so this returns all lines.
 */
function linesForUnnamedMethods(members: readonly Member[]): readonly Member[] {
  const isRequireIn = ({ line, enclosingSections }: Member, limit: string) =>
    line.name === 'require' && enclosingSections.some(({ name }) => name === limit);
  const limitKinds = ['limit', 'limitexcept'].filter((limit) => members.some((each) => isRequireIn(each, limit)));
  return limitKinds.length === 1 ? members.filter((each) => !isRequireIn(each, limitKinds[0]!)) : members;
}

/**
 * The help if the section uses mod_authz_svn. This module denies requests in httpd's access_checker
 * phase. `Satisfy Any` overrides such a denial, and `Require` lines do not.
 */
const HELP_WITH_SVN =
  'Load mod_access_compat, keep `Satisfy Any`, and repeat the `Order`, `Allow` and `Deny` lines of the enclosing sections here. `Require` lines cannot override `AuthzSVNAccessFile`. Or give anonymous readers a `<Location>` of their own, without a login.';
