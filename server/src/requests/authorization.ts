/** Finds the Require tree that applies to a request in 2.4, and which of its lines decide. */
import { decide24 } from '../access/decide24';
import type { Decision, Tree24, Assignment } from '../access/model';
import { mergeAuthorization, NO_AUTHORIZATION, readTree, type Authorization, type Merging } from '../access/read24';
import type { ConfigLine } from '../config/configuration';
import { isLoopback } from './addresses';
import type { AppliedSection } from './section';
import type { RequestContext } from './asking';
import type { IsVariableSet } from './environment';
import { isConditionTrue } from './expressions';
import { withLowerCaseProvider } from './line-problem';
import { wordsOf } from './site';

/** A Require tree, with the line of the configuration for each leaf of the tree. */
export interface PlacedAuthorization extends Authorization {
  readonly lineByTree: ReadonlyMap<Tree24, ConfigLine>;
}

/**
 * Merges the Require lines of the sections that apply, as httpd does: first the directories with
 * each other, then the files, and so on, then these results. `correctsProviders`: see OpenFacts.
 */
export function mergeSectionAuthorizations(
  sections: readonly AppliedSection[],
  correctsProviders: boolean,
): PlacedAuthorization {
  const lineByTree = new Map<Tree24, ConfigLine>();
  let mergedAuthorization = NO_AUTHORIZATION;
  for (const step of ['directories', 'files', 'locations', 'conditions'] as const) {
    const authorizationsOfStep = sections
      .filter((section) => section.step === step)
      .map((section) => authorizationOfSection(section, lineByTree, correctsProviders));
    mergedAuthorization = mergeAuthorization(
      mergedAuthorization,
      authorizationsOfStep.reduce(mergeAuthorization, NO_AUTHORIZATION),
    );
  }
  return { ...mergedAuthorization, lineByTree };
}

/** The properties of the request that Require lines test. */
interface RequestProperties {
  readonly assignment: Assignment;
  readonly isVariableSet: IsVariableSet;
}

/**
 * Decides a request by the Require tree. Returns the decision, the lines that decide, and whether
 * the decision needs a login.
 */
export function decideByTree(
  { tree, lineByTree }: PlacedAuthorization,
  { assignment, isVariableSet }: RequestProperties,
  requestContext: RequestContext,
): { readonly decision: Decision; readonly lines: readonly ConfigLine[]; readonly needsLogin: boolean } {
  const fullAssignment: Assignment = {
    ...assignment,
    holds: (text, isUserKnown) => isOtherProviderFulfilled(text, isUserKnown, isVariableSet, requestContext),
  };
  const decision = decide24(tree!, fullAssignment);
  const needsLogin =
    decision === 'unauthorized' ||
    (assignment.user !== null && decide24(tree!, { ...fullAssignment, user: null }) === 'unauthorized');
  const decidingLines = decidingLeaves(tree!, decision, fullAssignment).flatMap((leaf) => lineByTree.get(leaf) ?? []);
  return { decision, needsLogin, lines: decidingLines };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The Require tree of one section, and how it is merged. Adds the line of each leaf to
 * `lineByTree`.
 */
function authorizationOfSection(
  { lines }: AppliedSection,
  lineByTree: Map<Tree24, ConfigLine>,
  correctsProviders: boolean,
): Authorization {
  const requireLines = lines.filter(({ line }) => line.name === 'require');
  const tree = readTree(
    requireLines.map(({ expandedLine, enclosingSections }) => ({
      line: correctsProviders ? withLowerCaseProvider(expandedLine) : expandedLine,
      enclosingSections,
    })),
  );
  if (tree) leavesOf(tree).forEach((leaf, index) => lineByTree.set(leaf, requireLines[index]!));
  const mergingLine = lines.findLast(({ line }) => line.name === 'authmerging');
  return { tree, authMerging: mergingLine ? (wordsOf(mergingLine)[0]?.toLowerCase() as Merging) : null };
}

/** The leaves of a tree, in the order of their Require lines. */
function leavesOf(tree: Tree24): Tree24[] {
  switch (tree.type) {
    case 'any':
    case 'all':
    case 'none':
      return tree.inner.flatMap(leavesOf);
    case 'limited':
      return leavesOf(tree.inner);
    default:
      return [tree];
  }
}

/** The leaves of a tree that decide: those that grant access, or those that refuse it. */
function decidingLeaves(tree: Tree24, decision: Decision, assignment: Assignment): readonly Tree24[] {
  const decisionOf = (child: Tree24): Decision => decide24(child, assignment);
  switch (tree.type) {
    case 'limited':
      return decidingLeaves(tree.inner, decision, assignment);
    case 'any':
    case 'all': {
      const decidingChildren = tree.inner.filter(
        (child) => decisionOf(child) === decision && appliesToMethod(child, assignment),
      );
      const negativeChildren: readonly Tree24[] = tree.inner.filter(({ type }) => type === 'not' || type === 'none');
      if (decision === 'allowed') {
        const grantingChildren = tree.inner.filter((child) => decisionOf(child) === 'allowed');
        return (tree.type === 'any' ? grantingChildren.slice(0, 1) : grantingChildren).flatMap((child) =>
          decidingLeaves(child, decision, assignment),
        );
      }
      const refusingChildren = negativeChildren.filter(
        (child) => decide24({ type: 'all', inner: [{ type: 'granted' }, child] }, assignment) === 'forbidden',
      );
      if (tree.type === 'all' && refusingChildren.length > 0) return refusingChildren.flatMap(leavesOf);
      return decidingChildren
        .filter((child) => !negativeChildren.includes(child))
        .flatMap((child) => decidingLeaves(child, decision, assignment));
    }
    default:
      return leavesOf(tree);
  }
}

/** Whether a child in the tree applies to the method of the request (`<Limit>`). */
function appliesToMethod(child: Tree24, { method }: Assignment): boolean {
  return child.type !== 'limited' || method === undefined || child.methods.includes(method) !== child.isExcept;
}

/** Whether a Require line is fulfilled, if decide24.ts does not compute its provider. */
function isOtherProviderFulfilled(
  text: string,
  isUserKnown: boolean,
  isVariableSet: IsVariableSet,
  requestContext: RequestContext,
): boolean {
  const { request, facts, site } = requestContext;
  const [name = '', ...otherWords] = text.trim().split(/\s+/);
  const place = { file: site.root.file.path, line: 0 };
  switch (name) {
    case 'expr': {
      const expressionText = text.trim().slice(4).trim();
      const quote = expressionText[0];
      const unquotedExpression =
        (quote === '"' || quote === "'") && expressionText.endsWith(quote)
          ? expressionText.slice(1, -1).replaceAll(`\\${quote}`, quote)
          : expressionText;
      return isConditionTrue(unquotedExpression, { place, requestContext, isUserKnown, hasVariable: isVariableSet });
    }
    case 'local':
      if (request.from !== null && isLoopback(request.from)) return true;
      break;
    case 'ssl':
      return request.isSecure;
    default:
  }
  return facts.holds(`provider ${text}`, {
    what: `whether \`Require ${[name, ...otherWords].join(' ')}\` holds`,
    place: null,
  });
}
