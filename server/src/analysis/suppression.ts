/**
 * Reads comments that silence a rule:
 *     # httpd-upgrade-ignore rule-id[, rule-id ...][: reason]
 * The comment is on a separate line above a directive, or above a section for everything in the
 * section. Other comments may be between.
 */
import type { Tree } from '../syntax/document';
import { LineKind, type Line } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { lineAt, List, Section } from '../syntax/tree';

/** Matches a comment that silences rules. The first group has the ids of the rules. */
const IGNORE_COMMENT = /^\s*#\s*httpd-upgrade-ignore\s+([\w-]+(?:\s*,\s*[\w-]+)*)/i;

/** The ids of the rules that a comment silences. Empty for other comments. */
function suppressedRules(line: Line): string[] {
  const commentMatch = line.isPragma ? IGNORE_COMMENT.exec(line.text) : null;
  return commentMatch
    ? commentMatch[1]!
        .toLowerCase()
        .split(',')
        .map((id) => id.trim())
    : [];
}

/**
 * The rules that a comment silences, with their positions in the line. Empty for such a comment
 * without a rule. Null for other comments.
 */
export function rulesNamedIn(
  line: Line,
): { readonly id: string; readonly start: number; readonly end: number }[] | null {
  const commentMatch = line.isPragma ? IGNORE_COMMENT.exec(line.text) : null;
  if (!commentMatch) return line.isPragma && IGNORE_WITHOUT_RULE.test(line.text) ? [] : null;
  const idsStart = commentMatch[0].length - commentMatch[1]!.length;
  return [...commentMatch[1]!.matchAll(/[\w-]+/g)].map(({ 0: word, index }) => ({
    id: word.toLowerCase(),
    start: idsStart + index,
    end: idsStart + index + word.length,
  }));
}

/** Matches a comment that should silence a rule, but names none. */
const IGNORE_WITHOUT_RULE = /^\s*#\s*httpd-upgrade-ignore\s*(:|$)/i;

/** The comment to put above a line, without indentation and line end. */
export function suppressionComment(ruleId: string): string {
  return `# httpd-upgrade-ignore ${ruleId}: reason`;
}

/**
 * Whether a comment silences the rule for the line at `offset`. The comment must be above the line,
 * or above a section around the line.
 */
export function isSuppressed(tree: Tree, offset: number, ruleId: string): boolean {
  return itemsAround(tree, offset).some((place) => rulesSilencedAbove(tree.root, place.offset).has(ruleId));
}

/**
 * The silenced rules, by tree and by offset of a line. They are cached, because many findings can
 * be in one section.
 */
const silencedCache = cacheOf<List, Map<number, ReadonlySet<string>>>();

const NO_RULES: ReadonlySet<string> = new Set();

/**
 * The rules that are silenced by the comments directly above a line or section. Each comment is
 * read only once, because the result below each comment is cached.
 */
function rulesSilencedAbove(root: List, offset: number): ReadonlySet<string> {
  let cachedRulesByOffset = silencedCache.get(root);
  if (!cachedRulesByOffset) silencedCache.set(root, (cachedRulesByOffset = new Map()));
  const passedComments: { readonly below: number; readonly comment: Line }[] = [];
  let lineOffset = offset;
  let rules = cachedRulesByOffset.get(lineOffset);
  while (!rules) {
    const lineAbove = lineOffset > 0 ? lineAt(root, lineOffset - 1) : null;
    if (lineAbove?.line.kind !== LineKind.Comment) {
      cachedRulesByOffset.set(lineOffset, (rules = NO_RULES));
      break;
    }
    passedComments.push({ below: lineOffset, comment: lineAbove.line });
    lineOffset = lineAbove.offset;
    rules = cachedRulesByOffset.get(lineOffset);
  }
  for (const { below, comment } of passedComments.reverse()) {
    const rulesAbove: ReadonlySet<string> = rules;
    const addedRules = suppressedRules(comment).filter((rule) => !rulesAbove.has(rule));
    if (addedRules.length > 0) rules = new Set([...rulesAbove, ...addedRules]);
    cachedRulesByOffset.set(below, rules);
  }
  return rules;
}

/** A line or a section, with its offset. */
export interface PlacedItem {
  readonly item: Line | Section;
  readonly offset: number;
}

/**
 * The sections around the line at `offset`, the outermost first, and the line itself. If the line
 * is a tag, its section comes last instead.
 */
export function itemsAround(tree: Tree, offset: number): PlacedItem[] {
  const foundItems: PlacedItem[] = [];
  let list: List = tree.root;
  let listStart = 0;
  descend: for (;;) {
    for (const child of list.children) {
      if (offset >= listStart + child.length) {
        listStart += child.length;
        continue;
      }
      if (child instanceof List) {
        list = child;
        continue descend;
      }
      foundItems.push({ item: child, offset: listStart });
      if (
        !(child instanceof Section) ||
        offset < listStart + child.open.length ||
        offset >= listStart + child.length - child.close.length
      )
        return foundItems;
      listStart += child.open.length;
      list = child.body;
      continue descend;
    }
    return foundItems;
  }
}
