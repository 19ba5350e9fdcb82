/**
 * A section by itself, where limits make a difference: what it says for each class of methods, and
 * the one tree for them all.
 */
import type { ConfigFile, Scope } from '../config/configuration';
import { Tree } from '../syntax/document';
import type { Line } from '../syntax/line';
import type { Section } from '../syntax/tree';
import type { Section22, Tree24 } from './model';
import { isReason, type NotConverted } from './not-converted';
import { treeOf } from './access-tree';
import { fold, startState } from './inherited-access';
import { readSectionAccess } from './section-access';
import { surveyOf, type MethodClass } from './survey';

export interface ByMethod {
  /** By method; `*` for those that no limit names. */
  readonly sections: ReadonlyMap<MethodClass, Section22>;
  readonly tree: Tree24;
}

/** Lines of one scope, each with the limits around it; or why they are not read. */
export function readByMethod(
  lines: readonly { readonly line: Line; readonly limits: readonly Section[] }[],
): ByMethod | NotConverted {
  const scope: Scope = {
    kind: 'directory',
    words: [],
    parent: null,
    file: THIS_FILE,
    section: null,
    offset: 0,
    activity: 'active',
    children: [],
    lines: lines.map(({ line, limits }) => ({
      line,
      expanded: line,
      offset: 0,
      activity: 'active',
      file: THIS_FILE,
      conditionals: [],
      within: limits.map((section) => ({ section, file: THIS_FILE, offset: 0, isOfMacro: false })),
    })),
  };
  const survey = surveyOf([scope], []);
  const own = readSectionAccess(scope, survey);
  const problem = survey.trouble ?? own.reason;
  if (problem !== null) return problem;
  const state = fold(startState(survey), own, survey.source);
  const tree = treeOf(state, survey);
  return isReason(tree) ? tree : { sections: state.byMethod, tree };
}

/** Stands for the file that is looked at. */
const THIS_FILE: ConfigFile = { path: '', tree: Tree.parse(''), readings: 1 };
