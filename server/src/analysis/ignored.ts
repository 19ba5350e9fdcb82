/**
 * Finds the comments that silence rules (`httpd-upgrade-ignore`), and whether each has an effect.
 * This runs each time findings are shown, so it must not visit all nodes. Lists without such
 * comments are skipped, and the set of rules with findings in a node is cached.
 */
import type { Context, Finding, IgnoreComment, IgnoredRule } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { Line, LineKind } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { lineAt, List, Section } from '../syntax/tree';
import type { NodeResults } from './engine-view';
import { NUMBERS_PER_CHILD, type CachedFinding, type ListResult } from './results';
import { itemsAround, rulesNamedIn, type PlacedItem } from './suppression';

/**
 * Counts the sets of rules that were computed since the start of the program. A test uses it to
 * measure the work for an edit.
 */
export const ruleSetCounts = counters({ sets: 0 });

/** The findings of a file. They show which comments have an effect. */
export interface FindingsForComments {
  readonly tree: Tree;
  /** The context of the file's top level. */
  readonly context: Context;
  /** The results of nodes in their contexts. */
  readonly engine: NodeResults;
  /** The findings about the whole file, by rule, with offsets in the file. */
  readonly wholeFileFindings: readonly { readonly id: string; readonly finding: FindingLines }[];
  /**
   * Whether the findings of a rule show if a comment about it has an effect. `judged`: they do,
   * because the rule checks this file. `unjudged`: they do not, because the rule does not check
   * this file. `unknown`: there is no such rule.
   */
  commentStateOf(ruleId: string): 'judged' | 'unjudged' | 'unknown';
}

/** All comments that silence rules, in order. */
export function ignoreComments(file: FindingsForComments): IgnoreComment[] {
  const comments: IgnoreComment[] = [];
  const ignoreSearch: IgnoreSearch = {
    file,
    wholeFilePositions: positionsByRule(file.wholeFileFindings.map(({ id, finding }) => ({ id, lines: finding }))),
    lastCommentRun: null,
  };
  visitIgnoreComments(file, file.tree.root, 0, file.context, (line, offset) => {
    const namedRules = rulesNamedIn(line);
    if (namedRules)
      comments.push({
        line,
        offset,
        rules: namedRules.map((rule) => ({
          ...rule,
          state: stateOfNamedRule(ignoreSearch, rule.id, offset, offset + line.length),
        })),
      });
  });
  return comments;
}

/** The positions of the lines of a finding. */
type FindingLines = Pick<Finding, 'start' | 'places'>;

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Calls `visit` for each comment in the list that silences rules, in the order of the file, with
 * the offset of the comment in the file. `base`: the offset of the list in the file. Leaves out
 * bodies of sections that have no results.
 */
function visitIgnoreComments(
  file: FindingsForComments,
  list: List,
  base: number,
  context: Context,
  visit: (line: Line, offset: number) => void,
): void {
  if (list.pragmaCount === 0) return;
  let offset = base;
  for (const child of list.children) {
    if (child instanceof List) visitIgnoreComments(file, child, offset, context, visit);
    else if (child instanceof Line) {
      if (child.isPragma) visit(child, offset);
    } else if (child.pragmaCount > 0) {
      // The lines of a section have no results if httpd does not read them, or if they are in
      // another language.
      const { bodyContext } = file.engine.sectionIn(child, context);
      if (bodyContext) visitIgnoreComments(file, child.body, offset + child.open.length, bodyContext, visit);
    }
    offset += child.length;
  }
}

/** What the search for the effects of comments uses for all comments of a file. */
interface IgnoreSearch {
  readonly file: FindingsForComments;
  /** The positions of the findings about the whole file, by rule. */
  readonly wholeFilePositions: PositionsByRule;
  /**
   * The last run of consecutive comments that was visited, and the item below the run. `from`: the
   * end of the comment with which the visit began. Null before the first visit.
   */
  lastCommentRun: { readonly from: number; readonly to: number; readonly itemBelow: PlacedItem | null } | null;
}

/**
 * Whether a comment from `start` to `end` silences a finding of the rule `id`. `used` also if that
 * cannot be known: the rule does not check this file, or httpd does not read the lines below the
 * comment. `unknown` if there is no such rule.
 */
function stateOfNamedRule(ignoreSearch: IgnoreSearch, id: string, start: number, end: number): IgnoredRule['state'] {
  const { file } = ignoreSearch;
  const commentState = file.commentStateOf(id);
  if (commentState !== 'judged') return commentState === 'unknown' ? 'unknown' : 'used';
  const outerItems = itemsAround(file.tree, start).slice(0, -1);
  const coveredItem = itemBelowComments(ignoreSearch, end);
  if (coveredItem === null) return 'unused';
  const { item } = coveredItem;
  const hasFindingIn = (places: PositionsByRule, base: number) =>
    hasPositionBetween(places.get(id), coveredItem.offset - base, coveredItem.offset - base + item.length);
  if (hasFindingIn(ignoreSearch.wholeFilePositions, 0)) return 'used';
  let context = file.context;
  for (const { item: section, offset } of outerItems) {
    const { findings, bodyContext } = file.engine.sectionIn(section as Section, context);
    if (hasFindingIn(positionsOfCached(findings), offset)) return 'used';
    context = bodyContext ?? context;
  }
  if (item instanceof Line)
    return file.engine.lineIn(item, context).some(({ rule }) => rule.id === id) ? 'used' : 'unused';
  return file.engine.sectionIn(item, context).bodyContext === null || rulesIn(file, item, context).has(id)
    ? 'used'
    : 'unused';
}

/**
 * The line or section below a comment and the comments that follow it. Null if there is none. Only
 * the last result is cached, so callers should ask in text order.
 */
function itemBelowComments(ignoreSearch: IgnoreSearch, from: number): PlacedItem | null {
  const { lastCommentRun } = ignoreSearch;
  if (lastCommentRun && from >= lastCommentRun.from && from <= lastCommentRun.to) return lastCommentRun.itemBelow;
  const { tree } = ignoreSearch.file;
  let offset = from;
  let coveredItem: PlacedItem | null = null;
  for (;;) {
    const placedLine = offset < tree.length ? lineAt(tree.root, offset) : null;
    if (!placedLine) break;
    if (placedLine.line.kind !== LineKind.Comment) {
      // A closing tag below the comments ends the section, so nothing is below them. In that case
      // the innermost item at this offset is the section, which begins earlier.
      const innermostItem = itemsAround(tree, offset).at(-1);
      coveredItem = innermostItem?.offset === offset ? innermostItem : null;
      break;
    }
    offset = placedLine.offset + placedLine.line.length;
  }
  ignoreSearch.lastCommentRun = { from, to: offset, itemBelow: coveredItem };
  return coveredItem;
}

/** Sorted positions of findings, by rule. */
type PositionsByRule = ReadonlyMap<string, readonly number[]>;

/** The sorted positions of the lines of these findings, by the id of the rule. */
function positionsByRule(findings: readonly { readonly id: string; readonly lines: FindingLines }[]): PositionsByRule {
  const positionsById = new Map<string, number[]>();
  for (const { id, lines } of findings) {
    const positions = positionsById.get(id) ?? positionsById.set(id, []).get(id)!;
    positions.push(lines.start);
    for (const { start } of lines.places ?? []) positions.push(start);
  }
  for (const positions of positionsById.values()) positions.sort((a, b) => a - b);
  return positionsById;
}

const positionsCache = cacheOf<readonly CachedFinding[], PositionsByRule>();

/**
 * The positions of the cached findings of a section, by rule. They count from the start of the
 * section.
 */
function positionsOfCached(cachedFindings: readonly CachedFinding[]): PositionsByRule {
  let cachedPositions = positionsCache.get(cachedFindings);
  if (!cachedPositions)
    positionsCache.set(
      cachedFindings,
      (cachedPositions = positionsByRule(cachedFindings.map(({ rule, finding }) => ({ id: rule.id, lines: finding })))),
    );
  return cachedPositions;
}

/** Whether one of the sorted positions is at `from` or later, and before `to`. */
function hasPositionBetween(positions: readonly number[] = [], from: number, to: number): boolean {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return low < positions.length && positions[low]! < to;
}

const ruleSetCache = cacheOf<ListResult, ReadonlySet<string>>();

/** The rules with findings in a section or list, at any depth. */
function rulesIn(file: FindingsForComments, node: Section | List, context: Context): ReadonlySet<string> {
  const nodeResult = node instanceof Section ? file.engine.sectionIn(node, context) : file.engine.listIn(node, context);
  let ruleIds = ruleSetCache.get(nodeResult);
  if (!ruleIds) {
    ruleSetCounts.sets++;
    ruleSetCache.set(
      nodeResult,
      (ruleIds = node instanceof Section ? rulesOfSection(file, node, context) : rulesOfList(file, node, context)),
    );
  }
  return ruleIds;
}

/** The rules with findings about a section, its tags or lines inside it. */
function rulesOfSection(file: FindingsForComments, section: Section, context: Context): ReadonlySet<string> {
  const { findings, bodyContext } = file.engine.sectionIn(section, context);
  const ruleIds = new Set(findings.map(({ rule }) => rule.id));
  for (const { rule } of file.engine.lineIn(section.open, context)) ruleIds.add(rule.id);
  if (!bodyContext) return ruleIds;
  for (const { rule } of file.engine.lineIn(section.close, context)) ruleIds.add(rule.id);
  for (const id of rulesIn(file, section.body, bodyContext)) ruleIds.add(id);
  return ruleIds;
}

/** The rules with findings about lines of a list, at any depth. */
function rulesOfList(file: FindingsForComments, list: List, context: Context): ReadonlySet<string> {
  const ruleIds = new Set<string>();
  const { childrenWithFindings } = file.engine.listIn(list, context);
  for (let i = 0; childrenWithFindings !== null && i < childrenWithFindings.length; i += NUMBERS_PER_CHILD) {
    const child = list.children[childrenWithFindings[i]!]!;
    if (child instanceof Line) for (const { rule } of file.engine.lineIn(child, context)) ruleIds.add(rule.id);
    else for (const id of rulesIn(file, child, context)) ruleIds.add(id);
  }
  return ruleIds;
}
