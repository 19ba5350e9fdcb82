import { sectionKind } from '../config/sections';
import { argumentsOf, indentOf, LineKind, type Line } from '../syntax/line';
import { contentSpan, lineEnd, NO_FINDINGS } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { Context, SectionRule, Finding, Fix, Summary } from './rule';

export const authtypeWithoutRequire: SectionRule = {
  id: 'authtype-without-require',
  title: 'AuthType without any Require line, which causes 500',
  consequence: 'requests get 500',
  fix: 'suggestion',
  checks: 'section',
  names: ['authtype', 'require', 'requireall', 'requireany', 'requirenone'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authn_core.html#authtype',
  examples: [
    {
      title: 'AuthType without Require',
      before:
        'PidFile logs/httpd.pid\n<Location /old>\n    AuthType Basic\n    AuthName "members"\n    AuthUserFile conf/users\n</Location>\n',
      after:
        'PidFile logs/httpd.pid\n<Location /old>\n    AuthType Basic\n    Require all granted\n    AuthName "members"\n    AuthUserFile conf/users\n</Location>\n',
      finds: ['no-require'],
    },
  ],
  checkFile({ facts, context, mayHaveDirective, firstMatch, summaryOf }) {
    const isWholeConfiguration =
      hasFact(facts, Fact.isRoot) && !hasFact(facts, Fact.includes, Fact.allowsOverride) && !context.isHtaccess;
    const summary = isWholeConfiguration && mayHaveDirective('authtype') ? summaryOf(LOGIN_SUMMARY) : null;
    if (!summary?.hasLogin || summary.hasRequire) return NO_FINDINGS;
    const findings: Finding[] = [];
    for (let nth = 1; nth <= MAX_FINDINGS; nth++) {
      let seenCount = 0;
      const loginPlace = firstMatch(
        LOGIN_SUMMARY,
        (part) => part.hasLogin,
        (line) => isAuthType(line) && ++seenCount === nth,
      );
      if (!loginPlace) break;
      findings.push(findingWithoutRequire(loginPlace.line, loginPlace.offset, hasFact(facts, Fact.oldAccess)));
    }
    return findings;
  },
};

const LOGIN_SUMMARY: Summary<LoginFacts> = {
  summarize(line, context) {
    if (line.name !== 'authtype') return WITH_REQUIRE;
    return isLogin(line, context) ? WITH_LOGIN : null;
  },
  plus(a, b) {
    return { hasLogin: a.hasLogin || b.hasLogin, hasRequire: a.hasRequire || b.hasRequire };
  },
};

/** What a part of a file has: an AuthType that switches a login on, and lines of Require. */
interface LoginFacts {
  readonly hasLogin: boolean;
  readonly hasRequire: boolean;
}

const WITH_LOGIN: LoginFacts = { hasLogin: true, hasRequire: false };
const WITH_REQUIRE: LoginFacts = { hasLogin: false, hasRequire: true };
/** Maximum number of findings in a file. */
const MAX_FINDINGS = 32;

/** Whether the line certainly switches a login on for a section. */
function isLogin(line: Line, { containers, activity }: Context): boolean {
  return (
    activity === 'active' &&
    containers.length > 0 &&
    !containers.includes('macro') &&
    containers.every((name) => sectionKind(name) === 'container') &&
    isAuthType(line)
  );
}

/**
 * Whether the line is an AuthType line that switches a login on. False if its argument has a
 * variable.
 */
export function isAuthType(line: Line): boolean {
  if (line.name !== 'authtype' || line.kind !== LineKind.Directive) return false;
  const words = argumentsOf(line);
  return words.length === 1 && !/^none$|\$\{|%\{/i.test(words[0]!.value);
}

/**
 * The finding for an AuthType line. `hasOldAccess`: whether the file has Order, Allow or Deny
 * lines. Then the fix of those lines writes the Require lines, and this finding has no fix.
 */
export function findingWithoutRequire(line: Line, offset: number, hasOldAccess: boolean): Finding {
  const lineEndOffset = offset + line.length;
  const fixAdding = (text: string, assumes: string): Fix => ({
    title: `Add ${text}`,
    safety: 'suggestion',
    assumes,
    edits: [{ start: lineEndOffset, end: lineEndOffset, text: `${indentOf(line)}${text}${lineEnd(line)}` }],
  });
  const fixes =
    hasOldAccess || !line.text.endsWith('\n') || line.isJoined
      ? []
      : [
          fixAdding('Require all granted', 'everyone may have access without a password, as in 2.2'),
          fixAdding('Require valid-user', 'you want to ask for a password; httpd 2.2 did not ask for a password'),
        ];
  return {
    messageId: 'no-require',
    what: '`AuthType` without `Require`: requests get 500',
    consequence: 'requests get 500',
    cause: 'Without `Require`, httpd 2.2 asked nobody for a password. httpd 2.4 answers 500 (AH01627).',
    help: hasOldAccess
      ? 'Use the fix of the `Order`, `Allow` or `Deny` line: it writes the `Require` lines.'
      : 'Add `Require valid-user` to ask for a password, or `Require all granted` to ask for none, as in 2.2.',
    ...contentSpan(line, offset),
    fixes,
  };
}
