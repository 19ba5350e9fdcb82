/**
 * Reads the access lines of one section, including those in `<Limit>` and `<LimitExcept>`. The
 * result has the rules for each class of methods, and one Require tree for all methods.
 */
import type { ConfigFile, Scope } from '../config/configuration';
import { Tree } from '../syntax/document';
import type { Line } from '../syntax/line';
import type { Section } from '../syntax/tree';
import type { Section22, Tree24 } from './model';
import { isReason, type NotConverted } from './not-converted';
import { treeOf } from './access-tree';
import { accessAfter, startState } from './inherited-access';
import { readSectionAccess } from './section-access';
import { surveyOf, type MethodClass } from './survey';

/** The access rules of one section, for each class of methods. */
export interface AccessByMethod {
  /** The rules for each class of methods. The class `*` has all methods that no `<Limit>` names. */
  readonly rulesByMethod: ReadonlyMap<MethodClass, Section22>;
  /**
   * Like `rulesByMethod`, but with the host rules and Satisfy that mod_access_compat applies. It
   * inherits none of them in a section with an Order, Allow, Deny or Satisfy line.
   */
  readonly rulesInCompat: ReadonlyMap<MethodClass, Section22>;
  /** The Require tree that decides in 2.4 as the rules do in 2.2. */
  readonly tree: Tree24;
}

/** An access line, and the `<Limit>` and `<LimitExcept>` sections around it. */
export interface LimitedLine {
  readonly line: Line;
  readonly limitSections: readonly Section[];
}

/**
 * Reads the access lines of one scope. `enclosingLines`: those of the scope around it, from which
 * it inherits. If the lines cannot be read, returns the reason.
 */
export function readByMethod(
  lines: readonly LimitedLine[],
  enclosingLines: readonly LimitedLine[] = [],
): AccessByMethod | NotConverted {
  const scopes = [scopeOf(enclosingLines), scopeOf(lines)] as const;
  const survey = surveyOf(scopes, []);
  const [outerAccess, ownAccess] = scopes.map((scope) => readSectionAccess(scope, survey));
  const reason = survey.reason ?? outerAccess!.reason ?? ownAccess!.reason;
  if (reason !== null) return reason;
  const inheritedAccess = accessAfter(startState(survey), outerAccess!, survey.source);
  const access = accessAfter(inheritedAccess, ownAccess!, survey.source);
  const tree = treeOf(access, survey);
  if (isReason(tree)) return tree;
  const compatRulesByMethod = accessAfter(inheritedAccess, ownAccess!, '2.4').rulesByMethod;
  const rulesInCompat = new Map(
    [...access.rulesByMethod].map(([method, { userRequirements }]) => [
      method,
      { ...compatRulesByMethod.get(method)!, userRequirements },
    ]),
  );
  return { rulesByMethod: access.rulesByMethod, rulesInCompat, tree };
}

function scopeOf(lines: readonly LimitedLine[]): Scope {
  return {
    kind: 'directory',
    words: [],
    parent: null,
    file: PLACEHOLDER_FILE,
    section: null,
    offset: 0,
    activity: 'active',
    children: [],
    lines: lines.map(({ line, limitSections }) => ({
      line,
      expandedLine: line,
      offset: 0,
      activity: 'active',
      file: PLACEHOLDER_FILE,
      conditionals: [],
      enclosingSections: limitSections.map((section) => ({
        section,
        file: PLACEHOLDER_FILE,
        offset: 0,
        isInMacro: false,
      })),
    })),
  };
}

/** An empty file, because the caller passes lines without their file. */
const PLACEHOLDER_FILE: ConfigFile = { path: '', tree: Tree.parse(''), readingCount: 1 };
