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
  readonly tree: Tree24;
}

/**
 * Reads the access lines of one scope. `limits`: the `<Limit>` and `<LimitExcept>` sections around
 * a line. If the lines cannot be read, returns the reason.
 */
export function readByMethod(
  lines: readonly { readonly line: Line; readonly limits: readonly Section[] }[],
): AccessByMethod | NotConverted {
  const scope: Scope = {
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
  const survey = surveyOf([scope], []);
  const ownAccess = readSectionAccess(scope, survey);
  const problem = survey.reason ?? ownAccess.reason;
  if (problem !== null) return problem;
  const accessOfScope = accessAfter(startState(survey), ownAccess, survey.source);
  const tree = treeOf(accessOfScope, survey);
  return isReason(tree) ? tree : { rulesByMethod: accessOfScope.byMethod, tree };
}

/** The caller passes lines without their file, so this empty file stands for it. */
const PLACEHOLDER_FILE: ConfigFile = { path: '', tree: Tree.parse(''), readingCount: 1 };
