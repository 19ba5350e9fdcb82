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

const IGNORE_COMMENT = /^\s*#\s*httpd-upgrade-ignore\s+([\w-]+(?:\s*,\s*[\w-]+)*)/i;

/** The ids of the rules that a comment silences. Empty for other comments. */
function suppressedRules(line: Line): string[] {
  const match = line.isPragma ? IGNORE_COMMENT.exec(line.text) : null;
  return match
    ? match[1]!
        .toLowerCase()
        .split(',')
        .map((id) => id.trim())
    : [];
}

/**
 * The rules that a comment silences, with their positions in the line. Empty if it names no rule.
 * Null for other comments.
 */
export function rulesNamedIn(
  line: Line,
): { readonly id: string; readonly start: number; readonly end: number }[] | null {
  const match = line.isPragma ? IGNORE_COMMENT.exec(line.text) : null;
  if (!match) return line.isPragma && IGNORE_WITHOUT_RULE.test(line.text) ? [] : null;
  const from = match[0].length - match[1]!.length;
  return [...match[1]!.matchAll(/[\w-]+/g)].map(({ 0: word, index }) => ({
    id: word.toLowerCase(),
    start: from + index,
    end: from + index + word.length,
  }));
}

const IGNORE_WITHOUT_RULE = /^\s*#\s*httpd-upgrade-ignore\s*(:|$)/i;

/** The comment to put above a line, without indentation and line end. */
export function suppressionComment(ruleId: string): string {
  return `# httpd-upgrade-ignore ${ruleId}: reason`;
}

/**
 * Whether a comment silences the rule for the line at `offset`. The comment is above the line, or
 * above a section around it.
 */
export function isSuppressed(tree: Tree, offset: number, ruleId: string): boolean {
  return itemsAround(tree, offset).some((place) => rulesSilencedAbove(tree.root, place.offset).has(ruleId));
}

/**
 * The silenced rules by tree and offset. They are cached, because many findings are in the same
 * section.
 */
const silencedCache = cacheOf<List, Map<number, ReadonlySet<string>>>();

const NO_RULES: ReadonlySet<string> = new Set();

/**
 * The rules that the comments directly above a line or section silence. Consecutive comments are
 * read once: the results for all of them are cached.
 */
function rulesSilencedAbove(root: List, offset: number): ReadonlySet<string> {
  let cached = silencedCache.get(root);
  if (!cached) silencedCache.set(root, (cached = new Map()));
  const passed: { readonly below: number; readonly comment: Line }[] = [];
  let at = offset;
  let rules = cached.get(at);
  while (!rules) {
    const above = at > 0 ? lineAt(root, at - 1) : null;
    if (above?.line.kind !== LineKind.Comment) {
      cached.set(at, (rules = NO_RULES));
      break;
    }
    passed.push({ below: at, comment: above.line });
    at = above.offset;
    rules = cached.get(at);
  }
  for (const { below, comment } of passed.reverse()) {
    const around: ReadonlySet<string> = rules;
    const further = suppressedRules(comment).filter((rule) => !around.has(rule));
    if (further.length > 0) rules = new Set([...around, ...further]);
    cached.set(below, rules);
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
  const found: PlacedItem[] = [];
  let list: List = tree.root;
  let base = 0;
  descend: for (;;) {
    for (const child of list.children) {
      if (offset >= base + child.length) {
        base += child.length;
        continue;
      }
      if (child instanceof List) {
        list = child;
        continue descend;
      }
      found.push({ item: child, offset: base });
      if (
        !(child instanceof Section) ||
        offset < base + child.open.length ||
        offset >= base + child.length - child.close.length
      )
        return found;
      base += child.open.length;
      list = child.body;
      continue descend;
    }
    return found;
  }
}
