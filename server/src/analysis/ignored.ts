/**
 * Which comments silence something. Asked whenever findings are shown, so it may not look at everything: comments are found by the
 * sums of the tree, and what is found below a section is a set of rules that each node remembers.
 */
import type { IgnoreComment, IgnoredRule } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { Line, LineKind } from '../syntax/line';
import { lineAt, List, Section } from '../syntax/tree';
import type { LineResult, ListResult, SectionResult } from './engine';
import { around, namedRules, type Place } from './suppression';

/** Sets of rules put together since the start of the program, for the test that counts what an edit costs. */
export const work = { sets: 0 };

export interface FoundInFile {
  readonly tree: Tree;
  /** What belongs to the file as a whole, by rule and offset in the file. */
  readonly whole: readonly { readonly id: string; readonly start: number }[];
  /** `judged` where the rule looks at files, so that nothing found means that there is nothing. */
  stateOf(ruleId: string): 'judged' | 'unjudged' | 'unknown';
}

/** Every comment that silences rules, in order. */
export function ignoreComments(file: FoundInFile): IgnoreComment[] {
  const comments: IgnoreComment[] = [];
  collect(file.tree.root, 0, (line, offset) => {
    const named = namedRules(line);
    if (named) comments.push({ line, offset, rules: named.map((rule) => ({ ...rule, state: stateOf(file, rule.id, offset, offset + line.length) })) });
  });
  return comments;
}

// ---------------------------------------------------------------------------------------------------------------------

function collect(list: List, base: number, visit: (line: Line, offset: number) => void): void {
  if (list.pragmas === 0) return;
  let offset = base;
  for (const child of list.children) {
    if (child instanceof List) collect(child, offset, visit);
    else if (child instanceof Line) {
      if (child.isPragma) visit(child, offset);
    } else if ((child.cache as SectionResult | undefined)?.bodyContext) {
      // Nobody looks at what is not there, nor at another language.
      collect(child.body, offset + child.open.length, visit);
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
  if (file.whole.some((found) => found.id === id && isIn(found.start))) return 'used';
  for (const { item: section, offset } of outer) {
    if ((section.cache as SectionResult).found.some((found) => found.rule.id === id && isIn(offset + found.finding.start))) return 'used';
  }
  if (item instanceof Line) return has(item, id) ? 'used' : 'unused';
  return (item.cache as SectionResult | undefined)?.bodyContext == null || rulesIn(item).has(id) ? 'used' : 'unused';
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

function has(line: Line, id: string): boolean {
  return (line.cache as LineResult | undefined)?.found.some((found) => found.rule.id === id) ?? false;
}

const sets = new WeakMap<ListResult, ReadonlySet<string>>();

/** The rules that found something in a section or list, or below. */
function rulesIn(node: Section | List): ReadonlySet<string> {
  const result = node.cache as ListResult;
  let ids = sets.get(result);
  if (!ids) {
    work.sets++;
    sets.set(result, (ids = node instanceof Section ? rulesOfSection(node) : rulesOfList(node)));
  }
  return ids;
}

function rulesOfSection(section: Section): ReadonlySet<string> {
  const { found, bodyContext } = section.cache as SectionResult;
  const ids = new Set(found.map(({ rule }) => rule.id));
  for (const tag of [section.open, section.close]) for (const { rule } of (tag.cache as LineResult | undefined)?.found ?? []) ids.add(rule.id);
  if (bodyContext) for (const id of rulesIn(section.body)) ids.add(id);
  return ids;
}

function rulesOfList(list: List): ReadonlySet<string> {
  const ids = new Set<string>();
  const { hot } = list.cache as ListResult;
  for (let i = 0; hot !== null && i < hot.length; i += 2) {
    const child = list.children[hot[i]];
    if (child instanceof Line) for (const { rule } of (child.cache as LineResult).found) ids.add(rule.id);
    else for (const id of rulesIn(child)) ids.add(id);
  }
  return ids;
}
