import {
  conditionalsIn,
  forEachNode,
  isNegative,
  keyOfLimits,
  needsLogin,
  readRequires,
  REQUIRE_NAMES,
  type RequireContainer,
  type RequireNode,
  type RequireRoot,
} from '../access/require';
import { contentSpan } from './support/edits';
import { isIncludable } from './support/scope';
import type { Finding, SectionRule } from './rule';

export const requireGrantedBesideAuth: SectionRule = {
  id: 'require-granted-beside-auth',
  title: '"Require all granted" that makes other Require lines useless',
  consequence: 'probably a mistake',
  fix: 'none',
  checks: 'section',
  names: [...REQUIRE_NAMES],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#requireany',
  examples: [
    {
      title: 'Require all granted and a login',
      before:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require valid-user\n    Require all granted\n</Directory>\n',
      finds: ['beside-login'],
    },
    {
      title: 'Require all granted and addresses',
      before: '<Location /admin>\n    Require local\n    Require all granted\n</Location>\n',
      finds: ['beside-others'],
    },
  ],
  check(scope) {
    const requireRoot = readRequires(scope.members, scope.body, scope.bodyOffset);
    if (requireRoot === null || scope.context.containers.includes('macro')) return [];
    const findings: Finding[] = [];
    const check = (parent: RequireRoot | RequireContainer) => {
      if (parent.kind === 'any') findings.push(...findingsAmong(parent));
    };
    // If another file may include this one inside a <RequireAll>, the lines at the top level of
    // this file may not be alternatives. So they are not checked.
    if (!isIncludable(scope)) check(requireRoot);
    forEachNode(requireRoot, (node) => node.type === 'container' && check(node));
    return findings;
  },
};

/** The findings about `Require all granted` lines in a container where one match is enough. */
function findingsAmong(parent: RequireRoot | RequireContainer): Finding[] {
  let alternatives: readonly RequireNode[] | null = null;
  return parent.children.flatMap((node) => {
    if (!grantsAll(node)) return [];
    alternatives ??= parent.children.filter((each) => !isNegative(each) && !grantsAll(each) && !isEmptyContainer(each));
    const otherAlternatives = alternatives.filter((each) => applyTogether(node, each));
    if (otherAlternatives.length === 0) return [];
    const hasLoginAlternative = otherAlternatives.some(asksForLogin);
    return [
      {
        messageId: hasLoginAlternative ? 'beside-login' : 'beside-others',
        what: hasLoginAlternative
          ? '`Require all granted` allows everyone: nobody is asked to log in'
          : '`Require all granted` makes the other `Require` lines useless',
        cause: 'One matching `Require` line is enough, and `Require all granted` always matches.',
        help: hasLoginAlternative
          ? 'If a login is needed, remove this line. If everyone may have access, remove the lines that ask for a login.'
          : 'To restrict access, remove this line. To allow everyone, remove the other `Require` lines.',
        ...contentSpan(node.line, node.offset),
      },
    ];
  });
}

function grantsAll(node: RequireNode): boolean {
  return (
    node.type === 'require' &&
    !node.require.isNegated &&
    node.require.provider?.value === 'all' &&
    /^granted$/i.test(node.require.operands.map(({ value }) => value).join(' '))
  );
}

/**
 * Whether the node is an empty container. This rule ignores such a node, because the rule
 * require-not-alone reports it.
 */
function isEmptyContainer(node: RequireNode): boolean {
  return node.type === 'container' && node.children.length === 0;
}

/** Whether both nodes apply to the same requests, by the limits and conditions around them. */
function applyTogether(a: RequireNode, b: RequireNode): boolean {
  if (keyOfLimits(a.enclosingSections) !== keyOfLimits(b.enclosingSections)) return false;
  const [conditionalsOfA, conditionalsOfB] = [conditionalsIn(a.enclosingSections), conditionalsIn(b.enclosingSections)];
  return conditionalsOfA.length === conditionalsOfB.length
    ? conditionalsOfA.every((section, index) => section === conditionalsOfB[index])
    : a.isCertain && b.isCertain;
}

/** Whether the line, or a line in the container, tests the user who is logged in. */
function asksForLogin(node: RequireNode): boolean {
  if (node.type === 'container') return node.children.some(asksForLogin);
  return !node.require.isNegated && needsLogin(node.require.provider?.value.toLowerCase() ?? '');
}
