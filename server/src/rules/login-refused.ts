import { namesIn } from '../config/name-set';
import { isNewForServer } from '../config/target';
import { LineKind, spelledName } from '../syntax/line';
import { contentSpan, removeLine, argumentValues } from './support/edits';
import type { Finding, Member, SectionRule } from './rule';

/** Finds login directives because of which 2.4 answers 500, although 2.2 asks for a password. */
export const loginRefused: SectionRule = {
  id: 'login-refused',
  title: 'Login directives that give 500 in 2.4 instead of 401',
  consequence: 'meaning changed',
  comparesVersions: true,
  fix: 'suggestion',
  checks: 'section',
  names: ['authbasicauthoritative', 'authbasicprovider', 'authtype', 'require', 'satisfy', 'allow'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_auth_basic.html#authbasicauthoritative',
  examples: [
    {
      title: 'A login that hands on unknown users',
      before:
        '<Directory "/srv/www">\n    AuthType Basic\n    AuthName Staff\n    AuthBasicAuthoritative Off\n    Require valid-user\n</Directory>\n',
      after: '<Directory "/srv/www">\n    AuthType Basic\n    AuthName Staff\n    Require valid-user\n</Directory>\n',
      finds: ['unknown-user'],
    },
    {
      title: 'AuthType None below a login',
      before: '<Directory "/srv/www/open">\n    AuthType None\n</Directory>\n',
      finds: ['no-type'],
    },
    {
      title: 'Not reported: AuthType None with access for everyone',
      before: '<Directory "/srv/www/open">\n    AuthType None\n    Require all granted\n</Directory>\n',
      finds: [],
    },
  ],
  check({ members, tag, context, body }) {
    if (!isNewForServer(0, context.target)) return [];
    const directiveLines = members.filter(
      ({ activity, line }) => activity !== 'inactive' && line.kind === LineKind.Directive,
    );
    const isSection = tag !== null || context.isHtaccess;
    const requireLines = directiveLines.filter(({ line }) => line.name === 'require');
    const asksLogin =
      requireLines.length > 0 && requireLines.every(({ line }) => REQUIRE_NEEDING_LOGIN.test(line.text));
    const hasOtherDecision =
      directiveLines.some(({ line }) => line.name === 'satisfy') || (requireLines.length > 0 && !asksLogin);
    return directiveLines.flatMap((member): Finding[] => {
      const [value = '', ...more] = argumentValues(member.line);
      if (more.length > 0) return [];
      if (member.line.name === 'authbasicauthoritative' && /^off$/i.test(value))
        return namesIn(body).hasSome((name) => USER_CHECKING_DIRECTIVE.test(name))
          ? []
          : [
              findingOfUnknownUser(
                member,
                directiveLines.some(({ line }) => line.name === 'authbasicprovider'),
              ),
            ];
      return member.line.name === 'authtype' && /^none$/i.test(value) && !hasOtherDecision && isSection
        ? [findingWithoutType(member, asksLogin)]
        : [];
    });
  },
};

/** Matches `Require` lines that only a user who is logged in satisfies. */
const REQUIRE_NEEDING_LOGIN = /^\s*require\s+(?:valid-user|user|group)\b/i;

/** Matches directives of modules that check users who are not in the password file. */
const USER_CHECKING_DIRECTIVE =
  /^(?:(?:perl|python|ruby|netcgi|luahook)\w*(?:authen|checkuser)\w*|auth_?(?:external|mysql|pg|pam|radius|sasl|imap|cas|kerb|tkt)\w*|krb\w*|sspi\w*)$/;

/**
 * The finding for `AuthBasicAuthoritative Off`. `hasProvider`: whether the section has an
 * AuthBasicProvider line. Without it, 2.2 used the provider `file`, because mod_auth_basic did not
 * merge its settings. 2.4 uses the inherited providers.
 */
function findingOfUnknownUser({ line, offset }: Member, hasProvider: boolean): Finding {
  const textAboutInheriting =
    'If an outer section has `AuthBasicProvider`, 2.4 uses it here too: write `AuthBasicProvider file`.';
  return {
    messageId: 'unknown-user',
    consequence: 'requests may get 500',
    what: `\`${spelledName(line)} Off\`: unknown users get 500`,
    cause: 'mod_authn_default of 2.2 answered 401 for them, and 2.4 does not have this module.',
    help: `Remove the line, or name a further provider in \`AuthBasicProvider\`.${hasProvider ? '' : ` ${textAboutInheriting}`}`,
    ...contentSpan(line, offset),
    fixes: [
      {
        title: 'Remove AuthBasicAuthoritative Off',
        safety: 'suggestion',
        assumes: 'no other module checks these users',
        edits: [removeLine(line, offset)],
      },
    ],
  };
}

/**
 * The finding for `AuthType None`. `asksLogin`: whether the section's Require lines need a login.
 */
function findingWithoutType({ line, offset }: Member, asksLogin: boolean): Finding {
  return {
    messageId: 'no-type',
    ...(asksLogin ? {} : { consequence: 'check after the upgrade' as const }),
    what: `\`${spelledName(line)} None\` switches the login off`,
    cause: asksLogin
      ? 'The `Require` line beside it asks for a login. Requests get 500 (401 in 2.2).'
      : 'If the section inherits a `Require` line that asks for a login, requests get 500 (401 in 2.2).',
    help: asksLogin
      ? 'Write the `AuthType` of the login, such as `Basic`, or `Require all granted` if everyone may have access.'
      : 'Add `Require all granted` if everyone may have access, or remove the line.',
    ...contentSpan(line, offset),
  };
}
