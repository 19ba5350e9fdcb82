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

export interface AccessByMethod {
  /** The rules for each method. The key `*` stands for all methods that no `<Limit>` names. */
  readonly rulesByMethod: ReadonlyMap<MethodClass, Section22>;
  /** The rules that mod_access_compat reads: a section with one of its lines inherits none. */
  readonly rulesInCompat: ReadonlyMap<MethodClass, Section22>;
  readonly tree: Tree24;
}

/** An access line, and the `<Limit>` and `<LimitExcept>` sections around it. */
export interface LimitedLine {
  readonly line: Line;
  readonly limits: readonly Section[];
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
  const problem = survey.reason ?? outerAccess!.reason ?? ownAccess!.reason;
  if (problem !== null) return problem;
  const inherited = accessAfter(startState(survey), outerAccess!, survey.source);
  const access = accessAfter(inherited, ownAccess!, survey.source);
  const tree = treeOf(access, survey);
  if (isReason(tree)) return tree;
  const inCompat = accessAfter(inherited, ownAccess!, '2.4').byMethod;
  const rulesInCompat = new Map(
    [...access.byMethod].map(([method, { userRequirements }]) => [
      method,
      { ...inCompat.get(method)!, userRequirements },
    ]),
  );
  return { rulesByMethod: access.byMethod, rulesInCompat, tree };
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
    lines: lines.map(({ line, limits }) => ({
      line,
      expandedLine: line,
      offset: 0,
      activity: 'active',
      file: PLACEHOLDER_FILE,
      conditionals: [],
      enclosingSections: limits.map((section) => ({ section, file: PLACEHOLDER_FILE, offset: 0, isInMacro: false })),
    })),
  };
}

/** The caller passes lines without their file, so this empty file stands for it. */
const PLACEHOLDER_FILE: ConfigFile = { path: '', tree: Tree.parse(''), readingCount: 1 };
