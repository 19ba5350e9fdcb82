/**
 * Which comments silence something. Asked whenever findings are shown, so it may not look at everything: comments are found by the
 * sums of the tree, and what is found below a section is a set of rules that each node remembers.
 */
import type { Context, Finding, IgnoreComment, IgnoredRule } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { Line, LineKind } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { lineAt, List, Section } from '../syntax/tree';
import type { NodeResults } from './engine-view';
import { HOT, type ListResult } from './results';
import { around, namedRules, type Place } from './suppression';

/** Sets of rules put together since the start of the program, for the test that counts what an edit costs. */
export const work = counters({ sets: 0 });

export interface FoundInFile {
  readonly tree: Tree;
  /** Of the file's top level. */
  readonly context: Context;
  /** What is known of nodes where they stand. */
  readonly engine: NodeResults;
  /** What belongs to the file as a whole, by rule and offset in the file. */
  readonly whole: readonly { readonly id: string; readonly finding: Lines }[];
  /** `judged` where the rule looks at files, so that nothing found means that there is nothing. */
  stateOf(ruleId: string): 'judged' | 'unjudged' | 'unknown';
}

/** Every comment that silences rules, in order. */
export function ignoreComments(file: FoundInFile): IgnoreComment[] {
  const comments: IgnoreComment[] = [];
  collect(file, file.tree.root, 0, file.context, (line, offset) => {
    const named = namedRules(line);
    if (named)
      comments.push({
        line,
        offset,
        rules: named.map((rule) => ({ ...rule, state: stateOf(file, rule.id, offset, offset + line.length) })),
      });
  });
  return comments;
}

/** Where the lines of a finding begin. */
type Lines = Pick<Finding, 'start' | 'places'>;

// ---------------------------------------------------------------------------------------------------------------------

function collect(
  file: FoundInFile,
  list: List,
  base: number,
  context: Context,
  visit: (line: Line, offset: number) => void,
): void {
  if (list.pragmas === 0) return;
  let offset = base;
  for (const child of list.children) {
    if (child instanceof List) collect(file, child, offset, context, visit);
    else if (child instanceof Line) {
      if (child.isPragma) visit(child, offset);
    } else if (child.pragmas > 0) {
      // Nobody looks at what is not there, nor at another language.
      const { bodyContext } = file.engine.sectionIn(child, context);
      if (bodyContext) collect(file, child.body, offset + child.open.length, bodyContext, visit);
    }
    offset += child.length;
  }
}

/** What a rule is good for that a comment from `start` to `end` names. */
function stateOf(file: FoundInFile, id: string, start: number, end: number): IgnoredRule['state'] {
  const known = file.stateOf(id);
  if (known !== 'judged') return known === 'unknown' ? 'unknown' : 'used';
  const outer = around(file.tree, start).slice(0, -1);
  const covered = coveredFrom(file.tree, end);
  if (covered === null) return 'unused';
  const { item } = covered;
  const isIn = (at: number) => at >= covered.offset && at < covered.offset + item.length;
  const hasIn = ({ start, places = [] }: Lines, base: number) =>
    isIn(base + start) || places.some((place) => isIn(base + place.start));
  if (file.whole.some((found) => found.id === id && hasIn(found.finding, 0))) return 'used';
  let context = file.context;
  for (const { item: section, offset } of outer) {
    const { found, bodyContext } = file.engine.sectionIn(section as Section, context);
    if (found.some((each) => each.rule.id === id && hasIn(each.finding, offset))) return 'used';
    context = bodyContext ?? context;
  }
  if (item instanceof Line)
    return file.engine.lineIn(item, context).some(({ rule }) => rule.id === id) ? 'used' : 'unused';
  return file.engine.sectionIn(item, context).bodyContext === null || rulesIn(file, item, context).has(id)
    ? 'used'
    : 'unused';
}

/** The line or section that a comment stands above, other comments between them aside; null for none. */
function coveredFrom(tree: Tree, from: number): Place | null {
  let offset = from;
  for (;;) {
    const placed = offset < tree.length ? lineAt(tree.root, offset) : null;
    if (!placed) return null;
    if (placed.line.kind !== LineKind.Comment) break;
    offset = placed.offset + placed.line.length;
  }
  // Above the closing tag of a section stands what covers nothing: there the section itself is the innermost.
  const last = around(tree, offset).at(-1);
  return last?.offset === offset ? last : null;
}

const sets = cacheOf<ListResult, ReadonlySet<string>>();

/** The rules that found something in a section or list, or below. */
function rulesIn(file: FoundInFile, node: Section | List, context: Context): ReadonlySet<string> {
  const result = node instanceof Section ? file.engine.sectionIn(node, context) : file.engine.listIn(node, context);
  let ids = sets.get(result);
  if (!ids) {
    work.sets++;
    sets.set(
      result,
      (ids = node instanceof Section ? rulesOfSection(file, node, context) : rulesOfList(file, node, context)),
    );
  }
  return ids;
}

function rulesOfSection(file: FoundInFile, section: Section, context: Context): ReadonlySet<string> {
  const { found, bodyContext } = file.engine.sectionIn(section, context);
  const ids = new Set(found.map(({ rule }) => rule.id));
  for (const { rule } of file.engine.lineIn(section.open, context)) ids.add(rule.id);
  if (!bodyContext) return ids;
  for (const { rule } of file.engine.lineIn(section.close, context)) ids.add(rule.id);
  for (const id of rulesIn(file, section.body, bodyContext)) ids.add(id);
  return ids;
}

function rulesOfList(file: FoundInFile, list: List, context: Context): ReadonlySet<string> {
  const ids = new Set<string>();
  const { hot } = file.engine.listIn(list, context);
  for (let i = 0; hot !== null && i < hot.length; i += HOT) {
    const child = list.children[hot[i]!]!;
    if (child instanceof Line) for (const { rule } of file.engine.lineIn(child, context)) ids.add(rule.id);
    else for (const id of rulesIn(file, child, context)) ids.add(id);
  }
  return ids;
}
