/**
 * The lossless tree: logical lines, sections, and the balanced lists that contain them.
 *
 * Every node is immutable and stores its length but not its offset. A search from the root computes
 * offsets as sums of lengths. Lists are (a,b)-trees that can be joined and split in logarithmic
 * time, so an edit creates new nodes only on the path to the root.
 *
 * Tags are paired by one rule that does not depend on the order in which texts are joined: a close
 * tag pairs with the nearest open tag of its name before it, unless an unpaired close tag is
 * between the two. An open tag or a close tag that has no partner is a plain line. The rule is
 * associative: `concatLists` of the parsed `a` and the parsed `b` is the parsed `a + b`. Therefore
 * an edit can split the tree around the changed lines, parse these again, and concatenate. (In
 * broken files, `pairRemainingTags` in document.ts pairs tags that the rule leaves unpaired.)
 */
import { Line, LineBits, LineKind } from './line';
import { Template } from './template';
import { counters } from './memory';

/**
 * The maximum depth of nested sections. The tags of deeper sections stay unpaired, so that
 * recursive functions do not overflow the stack.
 */
export const MAX_SECTION_DEPTH = 200;

/** An item of a list: a line, or a section with its lines. */
export type Item = Line | Section;

/** A line with its UTF-16 offset from the start of the file, section or scope that was searched. */
export interface PlacedLine {
  readonly line: Line;
  readonly offset: number;
}

/**
 * Mask for the bits of `Line.traitBits` that describe template text. These bits are 0 in a line
 * without template text.
 */
const TEMPLATE_BITS = (1 << LineBits.LineEnds) - (1 << LineBits.Template);

/**
 * Kinds of nodes other than lines, numbered after `LineKind`. Comparing numbers costs less than
 * `instanceof`.
 */
export const enum NodeKind {
  Section = 5,
  List = 6,
}

/** A section with both of its tags. */
export class Section {
  declare readonly kind: NodeKind.Section;
  cache: unknown = undefined;
  readonly length: number;
  readonly lineEnds: number;
  /** How deep other sections are nested in this section; 1 for a section without inner sections. */
  readonly depth: number;
  /** See `List.pragmaCount`. */
  readonly pragmaCount: number;
  /** The number of broken or unpaired tags in the section; its close tag can be broken, too. */
  readonly looseTagCount: number;
  /** These three: see `List`. They include the tags of the section. */
  readonly templateLineCount: number;
  readonly branchLineCount: number;
  readonly templateTraits: number;

  constructor(
    readonly open: Line,
    readonly body: List,
    readonly close: Line,
  ) {
    this.length = open.length + body.length + close.length;
    this.lineEnds = open.lineEnds + body.lineEnds + close.lineEnds;
    this.depth = body.depth + 1;
    this.pragmaCount = body.pragmaCount;
    this.looseTagCount = body.looseTagCount + (close.isComplete ? 0 : 1);
    let { templateLineCount, branchLineCount, templateTraits } = body;
    if (((open.traitBits | close.traitBits) & TEMPLATE_BITS) !== 0) {
      for (const tag of [open, close]) {
        if (tag.template !== Template.None) templateLineCount++;
        if (tag.template === Template.Structure) branchLineCount++;
        templateTraits |= tag.templateTraits;
      }
    }
    this.templateLineCount = templateLineCount;
    this.branchLineCount = branchLineCount;
    this.templateTraits = templateTraits;
    nodeCounts.nodes++;
  }

  /** The section's name in lower case. */
  get name(): string {
    return this.open.name;
  }
}

/** A sequence of items as a balanced tree. All leaves (`height` 0) are equally deep. */
export class List {
  declare readonly kind: NodeKind.List;
  cache: unknown = undefined;
  /** The cached summary of the list; only config/file-summary.ts uses it. */
  fileSummary: unknown = undefined;
  /** The cached set of names in the list; only config/name-set.ts uses it. */
  names: unknown = undefined;
  /** The length of the text in UTF-16 units. */
  readonly length: number;
  /** Number of line ends. */
  readonly lineEnds: number;
  /** Number of unpaired open tags among the items, without those inside of sections. */
  readonly unpairedOpens: number;
  readonly unpairedCloses: number;
  /** How deep sections are nested in the list; 0 without sections. */
  readonly depth: number;
  /** Number of comments that are instructions to this program, including those in sections. */
  readonly pragmaCount: number;
  /** Number of broken or unpaired tags, including those in sections. */
  readonly looseTagCount: number;
  /**
   * `templateLineCount`: number of lines with template text (template.ts), including comments and
   * lines in sections. `branchLineCount`: number of those for which it is unknown what httpd reads.
   */
  readonly templateLineCount: number;
  readonly branchLineCount: number;
  /** All bits of `TemplateTrait` that lines of the list have. */
  readonly templateTraits: number;

  constructor(
    readonly height: number,
    readonly children: readonly (Item | List)[],
  ) {
    let length = 0;
    let lineEnds = 0;
    let openCount = 0;
    let closeCount = 0;
    let depth = 0;
    let pragmaLineCount = 0;
    let looseTagCount = 0;
    let templateCount = 0;
    let branchCount = 0;
    let traits = 0;
    for (let i = 0; i < children.length; i++) {
      const child = children[i]!;
      length += child.length;
      if (child.kind <= LineKind.Close) {
        const { traitBits } = child as Line;
        lineEnds += traitBits >> LineBits.LineEnds;
        if ((traitBits & TEMPLATE_BITS) !== 0) {
          const { template, templateTraits } = child as Line;
          if (template !== Template.None) templateCount++;
          if (template === Template.Structure) branchCount++;
          traits |= templateTraits;
        }
      } else lineEnds += child.lineEnds;
      switch (child.kind) {
        case LineKind.Directive:
        case LineKind.Blank:
          continue;
        case LineKind.Comment:
          if (child.isPragma) pragmaLineCount++;
          continue;
        case LineKind.Open:
          if (child.isComplete) openCount++;
          looseTagCount++;
          continue;
        case LineKind.Close:
          closeCount++;
          looseTagCount++;
          continue;
        case NodeKind.List:
          openCount += child.unpairedOpens;
          closeCount += child.unpairedCloses;
      }
      pragmaLineCount += child.pragmaCount;
      looseTagCount += child.looseTagCount;
      templateCount += child.templateLineCount;
      branchCount += child.branchLineCount;
      traits |= child.templateTraits;
      if (child.depth > depth) depth = child.depth;
    }
    this.length = length;
    this.lineEnds = lineEnds;
    this.unpairedOpens = openCount;
    this.unpairedCloses = closeCount;
    this.depth = depth;
    this.pragmaCount = pragmaLineCount;
    this.looseTagCount = looseTagCount;
    this.templateLineCount = templateCount;
    this.branchLineCount = branchCount;
    this.templateTraits = traits;
    nodeCounts.nodes++;
  }
}

// The kind is the same for all sections, and for all lists. So it is on the prototype and takes no
// memory.
Object.assign(Section.prototype, { kind: NodeKind.Section });
Object.assign(List.prototype, { kind: NodeKind.List });

/**
 * Counts the nodes that were built since the start of the program; tests measure the cost of an
 * edit.
 */
export const nodeCounts = counters({ nodes: 0 });

/** The list without items. */
export const EMPTY_LIST = new List(0, []);

/**
 * The maximum number of children of a node. A node other than the root has at least `MIN_CHILDREN`.
 */
const MAX_CHILDREN = 32;
const MIN_CHILDREN = 8;

/** Builds a list from items in one pass. */
export function listOf(items: readonly Item[]): List {
  // The tree keeps the array, which may have more capacity than it needs. A copy takes exactly the
  // memory that it needs.
  return listOfArray(items.length <= MAX_CHILDREN ? items.slice() : items);
}

/** Like `listOf`, but the list uses the array without a copy. */
function listOfArray(items: readonly Item[]): List {
  if (items.length === 0) return EMPTY_LIST;
  let nodesOfLevel: readonly (Item | List)[] = items;
  for (let height = 0; ; height++) {
    if (nodesOfLevel.length <= MAX_CHILDREN) return new List(height, nodesOfLevel);
    const nodeCount = Math.ceil(nodesOfLevel.length / 24);
    const nodes: List[] = [];
    for (let i = 0; i < nodeCount; i++) {
      nodes.push(
        new List(
          height,
          nodesOfLevel.slice(
            Math.floor((i * nodesOfLevel.length) / nodeCount),
            Math.floor(((i + 1) * nodesOfLevel.length) / nodeCount),
          ),
        ),
      );
    }
    nodesOfLevel = nodes;
  }
}

/** Joins two lists. Does not pair open tags of `a` with close tags of `b`. */
export function joinLists(a: List, b: List): List {
  if (a.children.length === 0) return b;
  if (b.children.length === 0) return a;
  if (a.height === b.height) return joinSameHeight(a, b);
  if (a.height > b.height) {
    const joinedNode = joinLists(a.children[a.children.length - 1] as List, b);
    return withChildren(a.height, [
      ...a.children.slice(0, -1),
      ...(joinedNode.height === a.height ? joinedNode.children : [joinedNode]),
    ]);
  }
  const joinedNode = joinLists(a, b.children[0] as List);
  return withChildren(b.height, [
    ...(joinedNode.height === b.height ? joinedNode.children : [joinedNode]),
    ...b.children.slice(1),
  ]);
}

/**
 * Joins two lists and pairs open tags of `a` with close tags of `b`. The result is the parse of the
 * joined text.
 */
export function concatLists(a: List, b: List): List {
  let left = a;
  let right = b;
  while (right.unpairedCloses > 0 && left.unpairedOpens > 0) {
    const close = firstUnpairedClose(right, 0);
    const openTag = lastUnpairedOpen(left, 0, close.line.name);
    if (openTag === null || openTag === UNPAIRED_CLOSE) break;
    const [listBefore, fromOpen] = splitItems(left, openTag.offset);
    const [, afterOpen] = splitItems(fromOpen, openTag.line.length);
    const [beforeClose, fromClose] = splitItems(right, close.offset);
    const [, afterClose] = splitItems(fromClose, close.line.length);
    const body = joinLists(afterOpen, beforeClose);
    if (body.depth >= MAX_SECTION_DEPTH) break;
    left = joinLists(listBefore, listOf([new Section(openTag.line, body, close.line)]));
    right = afterClose;
  }
  return joinLists(left, right);
}

/**
 * Parses logical lines in one pass. The result is the same as that of `concatLists` for line after
 * line.
 */
export class Pairing {
  /**
   * The items that were added so far. An open tag is a plain line until its close tag is added.
   * Then the open tag and all items after it become a section.
   */
  private readonly items: Item[] = [];
  /** Indices in `items` of the open tags whose close tag may still follow. */
  private readonly openIndices: number[] = [];
  /**
   * The nesting depth of the sections after each open tag in `openIndices`; the first entry is for
   * the sections before all of them.
   */
  private readonly depths: number[] = [0];

  /**
   * Calls `onBody` with the body of each section as soon as it is complete, because its lines are
   * then still in the processor's cache.
   */
  constructor(private readonly onBody?: (body: List) => void) {}

  /** Adds the next line. */
  push(line: Line): void {
    if (line.kind === LineKind.Close && this.pairsWithOpen(line)) return;
    if (line.kind === LineKind.Open && line.isComplete) {
      this.openIndices.push(this.items.length);
      this.depths.push(0);
    }
    this.items.push(line);
  }

  /** Returns the list of all lines that were added. */
  list(): List {
    return listOf(this.items);
  }

  /**
   * Pairs a close tag with its open tag. Returns false if the close tag has no open tag. In that
   * case, no close tag that follows can pair with an open tag before this close tag.
   */
  private pairsWithOpen(close: Line): boolean {
    const { items, openIndices, depths } = this;
    let height = openIndices.length;
    while (height > 0 && (items[openIndices[height - 1]!] as Line).name !== close.name) height--;
    if (height > 0) this.removeOpenTagsAfter(height);
    if (height === 0 || depths[height]! >= MAX_SECTION_DEPTH) {
      this.removeOpenTagsAfter(0);
      return false;
    }
    const openIndex = openIndices.pop()!;
    const depth = depths.pop()!;
    const body = listOfArray(items.slice(openIndex + 1));
    items.length = openIndex + 1;
    this.onBody?.(body);
    items[openIndex] = new Section(items[openIndex] as Line, body, close);
    depths[height - 1] = Math.max(depths[height - 1]!, depth + 1);
    return true;
  }

  /**
   * Removes all open tags but the first `remainingCount` from the stack, so that they stay plain
   * lines. No close tag that follows can pair with them.
   */
  private removeOpenTagsAfter(remainingCount: number): void {
    const { openIndices, depths } = this;
    while (openIndices.length > remainingCount) {
      openIndices.pop();
      const depth = depths.pop()!;
      if (depth > depths[openIndices.length]!) depths[openIndices.length] = depth;
    }
  }
}

/** Splits a list between two items; `offset` must be the start or end of an item. */
export function splitItems(list: List, offset: number): [List, List] {
  if (offset <= 0) return [EMPTY_LIST, list];
  if (offset >= list.length) return [list, EMPTY_LIST];
  const { index, start } = childAt(list, offset);
  const child = list.children[index];
  const listBefore = withChildren(list.height, list.children.slice(0, index));
  if (list.height === 0 || start === offset) return [listBefore, withChildren(list.height, list.children.slice(index))];
  const listAfter = withChildren(list.height, list.children.slice(index + 1));
  const [left, right] = splitItems(child as List, offset - start);
  return [joinLists(listBefore, left), joinLists(right, listAfter)];
}

/**
 * Splits a list between two logical lines. A section that is split has its open tag unpaired on the
 * left and its close tag unpaired on the right. No new pairs appear, because the body of a section
 * has no unpaired close tag and no unpaired open tag with the section's name.
 */
export function splitLines(list: List, offset: number): [List, List] {
  if (offset <= 0) return [EMPTY_LIST, list];
  if (offset >= list.length) return [list, EMPTY_LIST];
  const { index, start } = childAt(list, offset);
  const listBefore = withChildren(list.height, list.children.slice(0, index));
  if (start === offset) return [listBefore, withChildren(list.height, list.children.slice(index))];
  const listAfter = withChildren(list.height, list.children.slice(index + 1));
  const child = list.children[index]!;
  if (child instanceof List) {
    const [left, right] = splitLines(child, offset - start);
    return [joinLists(listBefore, left), joinLists(right, listAfter)];
  }
  if (child instanceof Line) throw new RangeError(`offset ${offset} is inside a logical line`);
  const [left, right] = splitLines(child.body, offset - start - child.open.length);
  return [
    joinLists(joinLists(listBefore, listOf([child.open])), left),
    joinLists(joinLists(right, listOf([child.close])), listAfter),
  ];
}

/** A line, its offset in the searched list, and the number of line ends before it in that list. */
export interface LocatedLine extends PlacedLine {
  readonly lineEnds: number;
}

/**
 * The logical line at an offset. For an offset at the end of the list, the last line; null in an
 * empty list.
 */
export function lineAt(list: List, offset: number): LocatedLine | null {
  if (list.length === 0) return null;
  let node: List = list;
  let offsetInNode = Math.min(offset, list.length - 1);
  let nodeOffset = 0;
  let lineEnds = 0;
  descend: for (;;) {
    for (const child of node.children) {
      if (offsetInNode >= child.length) {
        offsetInNode -= child.length;
        nodeOffset += child.length;
        lineEnds += child.lineEnds;
        continue;
      }
      if (child instanceof Line) return { line: child, offset: nodeOffset, lineEnds };
      if (child instanceof List) {
        node = child;
        continue descend;
      }
      const { open, body, close } = child;
      if (offsetInNode < open.length) return { line: open, offset: nodeOffset, lineEnds };
      const offsetInBody = offsetInNode - open.length;
      nodeOffset += open.length;
      lineEnds += open.lineEnds;
      if (offsetInBody >= body.length)
        return { line: close, offset: nodeOffset + body.length, lineEnds: lineEnds + body.lineEnds };
      offsetInNode = offsetInBody;
      node = body;
      continue descend;
    }
    throw new RangeError(`no line at ${offset}`);
  }
}

/** The text of a list, or the part of it between two offsets. */
export function textOf(list: List, from = 0, to = list.length): string {
  const pieces: string[] = [];
  forEachLine(list, from, to, (line, offset) => {
    const partStart = Math.max(0, from - offset);
    const partEnd = Math.min(line.length, to - offset);
    pieces.push(partStart === 0 && partEnd === line.length ? line.text : line.text.slice(partStart, partEnd));
  });
  return pieces.join('');
}

/**
 * Calls `visit` for each logical line that overlaps the range from `from` to `to`, in order. The
 * tags of sections count as lines.
 */
export function forEachLine(list: List, from: number, to: number, visit: (line: Line, offset: number) => void): void {
  const walk = (node: List, nodeOffset: number) => {
    let offset = nodeOffset;
    for (const child of node.children) {
      const childEnd = offset + child.length;
      if (childEnd > from && offset < to) {
        if (child instanceof List) walk(child, offset);
        else if (child instanceof Line) visit(child, offset);
        else {
          const bodyStart = offset + child.open.length;
          const bodyEnd = bodyStart + child.body.length;
          if (bodyStart > from) visit(child.open, offset);
          if (bodyEnd > from && bodyStart < to) walk(child.body, bodyStart);
          if (bodyEnd < to) visit(child.close, bodyEnd);
        }
      }
      offset = childEnd;
      if (offset >= to) return;
    }
  };
  walk(list, 0);
}

/**
 * Calls `visit` for each line with template text in order (also tags and comments) until it returns
 * true. With `traits`, only for lines that have one of these bits of `TemplateTrait`. Skips all
 * other lines quickly. Returns whether `visit` returned true.
 */
export function someTemplateLine(
  list: List,
  visit: (line: Line, offset: number) => boolean,
  listOffset = 0,
  traits = 0,
): boolean {
  const isSearchedLine = (line: Line) =>
    line.template !== Template.None && (traits === 0 || (line.templateTraits & traits) !== 0);
  let offset = listOffset;
  for (const child of list.children) {
    if (child instanceof Line) {
      if (isSearchedLine(child) && visit(child, offset)) return true;
    } else if (child.templateLineCount > 0 && (traits === 0 || (child.templateTraits & traits) !== 0)) {
      if (child instanceof List) {
        if (someTemplateLine(child, visit, offset, traits)) return true;
      } else {
        const { open, body, close } = child;
        if (isSearchedLine(open) && visit(open, offset)) return true;
        if (someTemplateLine(body, visit, offset + open.length, traits)) return true;
        if (isSearchedLine(close) && visit(close, offset + child.length - close.length)) return true;
      }
    }
    offset += child.length;
  }
  return false;
}

/**
 * Whether a line that overlaps [from, to) has template text. For `branchLineCount`, considers only
 * lines for which it is unknown what httpd reads. Visits only the nodes at the ends of the range.
 */
export function hasTemplateBetween(
  list: List,
  from: number,
  to: number,
  kind: 'templateLineCount' | 'branchLineCount',
): boolean {
  const isLineOfKind = ({ template }: Line) =>
    template >= (kind === 'branchLineCount' ? Template.Structure : Template.Value);
  let offset = 0;
  for (const child of list.children) {
    const childStart = offset;
    offset += child.length;
    if (offset <= from) continue;
    if (childStart >= to) return false;
    if (child instanceof Line) {
      if (isLineOfKind(child)) return true;
    } else if (child[kind] > 0) {
      if (childStart >= from && offset <= to) return true;
      if (child instanceof List) {
        if (hasTemplateBetween(child, from - childStart, to - childStart, kind)) return true;
        continue;
      }
      const { open, body, close } = child;
      const bodyStart = childStart + open.length;
      const closeStart = offset - close.length;
      if (bodyStart > from && isLineOfKind(open)) return true;
      if (hasTemplateBetween(body, from - bodyStart, to - bodyStart, kind)) return true;
      if (closeStart < to && isLineOfKind(close)) return true;
    }
  }
  return false;
}

/** Visits the items of a list in order. Does not visit the items inside of sections. */
export function forEachItem(list: List, listOffset: number, visit: (item: Item, offset: number) => void): void {
  let offset = listOffset;
  for (let i = 0; i < list.children.length; i++) {
    const child = list.children[i]!;
    if (child instanceof List) forEachItem(child, offset, visit);
    else visit(child, offset);
    offset += child.length;
  }
}

/** The unpaired tags in the order of the file. Does not visit lists without such tags. */
export function unpairedTags(list: List, listOffset = 0, tags: PlacedLine[] = []): PlacedLine[] {
  let offset = listOffset;
  for (const child of list.children) {
    if (child instanceof List) {
      if (child.unpairedOpens + child.unpairedCloses > 0) unpairedTags(child, offset, tags);
    } else {
      const tag = unpairedTagOf(child);
      if (tag) tags.push({ line: tag, offset });
    }
    offset += child.length;
  }
  return tags;
}

/** A tag that is broken or unpaired. */
export interface LooseTag extends PlacedLine {
  /**
   * The enclosing sections, outermost first. For the close tag of a section, the last one is this
   * section.
   */
  readonly sections: readonly Section[];
  /** Whether the tag closes the last section of `sections`, but is not exactly `</Name>`. */
  readonly isPaired: boolean;
}

/** The broken or unpaired tags in order, at most `maxCount` of them. */
export function looseTags(list: List, maxCount: number): LooseTag[] {
  const tags: LooseTag[] = [];
  const walk = (node: List, nodeOffset: number, sections: readonly Section[]) => {
    let offset = nodeOffset;
    for (const child of node.children) {
      if (tags.length >= maxCount) return;
      if (child instanceof Line) {
        if (child.kind === LineKind.Open || child.kind === LineKind.Close)
          tags.push({ line: child, offset, sections, isPaired: false });
      } else if (child.looseTagCount > 0) {
        if (child instanceof List) walk(child, offset, sections);
        else {
          const enclosingSections = [...sections, child];
          walk(child.body, offset + child.open.length, enclosingSections);
          if (!child.close.isComplete)
            tags.push({
              line: child.close,
              offset: offset + child.length - child.close.length,
              sections: enclosingSections,
              isPaired: true,
            });
        }
      }
      offset += child.length;
    }
  };
  walk(list, 0, []);
  return tags;
}

/**
 * Replaces the lines from `from` to `to` (UTF-16 offsets) by `items`, which must not contain
 * unpaired tags, because the function pairs no tags. Returns null if the lines contain tags or are
 * not in one leaf of one list. Also returns null if the new tree would not be balanced, or would be
 * too deep.
 */
export function replaceItems(list: List, from: number, to: number, items: readonly Item[]): List | null {
  const { index, start } = childAt(list, from);
  const child = list.children[index];
  if (child instanceof List) {
    if (to > start + child.length) return null;
    const listAfterReplacement = replaceItems(child, from - start, to - start, items);
    return listAfterReplacement && listAfterReplacement.children.length > 0
      ? withReplacedChild(list, index, listAfterReplacement)
      : null;
  }
  if (child instanceof Section && from > start) {
    const bodyStart = start + child.open.length;
    if (from < bodyStart || to > bodyStart + child.body.length) return null;
    const body = replaceItems(child.body, from - bodyStart, to - bodyStart, items);
    if (!body || body.depth >= MAX_SECTION_DEPTH) return null;
    return withReplacedChild(list, index, new Section(child.open, body, child.close));
  }
  if (from !== start) return null;
  let endIndex = index;
  let replacedEnd = start;
  while (endIndex < list.children.length && replacedEnd < to) {
    const item = list.children[endIndex] as Item;
    if (item instanceof Section || unpairedTagOf(item)) return null;
    replacedEnd += item.length;
    endIndex++;
  }
  if (replacedEnd !== to) return null;
  const children = [...list.children.slice(0, index), ...items, ...list.children.slice(endIndex)];
  if (children.length < MIN_CHILDREN && list.children.length >= MIN_CHILDREN) return null;
  return withChildren(0, children);
}

// ---------------------------------------------------------------------------------------------------------------------

/** A result of `lastUnpairedOpen`. */
const UNPAIRED_CLOSE = 'barrier';

/**
 * The item if it is an unpaired tag; otherwise null. An open tag without `>` counts as a plain
 * line.
 */
function unpairedTagOf(item: Item | List): Line | null {
  const isTag =
    item instanceof Line && (item.kind === LineKind.Close || (item.kind === LineKind.Open && item.isComplete));
  return isTag ? item : null;
}

/**
 * The index of the child that contains the character at `offset` (0 to length - 1), and the child's
 * start offset.
 */
function childAt(list: List, offset: number): { index: number; start: number } {
  let start = 0;
  const lastIndex = list.children.length - 1;
  for (let index = 0; index < lastIndex; index++) {
    const nextChildStart = start + list.children[index]!.length;
    if (offset < nextChildStart) return { index, start };
    start = nextChildStart;
  }
  return { index: lastIndex, start };
}

/**
 * A list with any number of children. If there is only one child and it is a list, returns that
 * child; if there are too many, divides them among several nodes.
 */
function withChildren(height: number, children: readonly (Item | List)[]): List {
  if (children.length === 0) return EMPTY_LIST;
  if (height > 0 && children.length === 1) return children[0] as List;
  if (children.length <= MAX_CHILDREN) return new List(height, children);
  const nodeCount = Math.ceil(children.length / MAX_CHILDREN);
  const nodes: List[] = [];
  for (let i = 0; i < nodeCount; i++) {
    const from = Math.floor((i * children.length) / nodeCount);
    const to = Math.floor(((i + 1) * children.length) / nodeCount);
    nodes.push(new List(height, children.slice(from, to)));
  }
  return withChildren(height + 1, nodes);
}

function joinSameHeight(a: List, b: List): List {
  const childCount = a.children.length + b.children.length;
  if (childCount <= MAX_CHILDREN) return new List(a.height, [...a.children, ...b.children]);
  if (a.children.length >= MIN_CHILDREN && b.children.length >= MIN_CHILDREN) return new List(a.height + 1, [a, b]);
  return withChildren(a.height, [...a.children, ...b.children]);
}

/**
 * The list with `child` in place of the child at `index`. If `child` is a list, its height and that
 * of the old child differ by at most one.
 */
function withReplacedChild(list: List, index: number, child: Item | List): List {
  if (child instanceof List && child.height !== list.height - 1) {
    const listBefore = withChildren(list.height, list.children.slice(0, index));
    const listAfter = withChildren(list.height, list.children.slice(index + 1));
    return joinLists(joinLists(listBefore, child), listAfter);
  }
  const children = list.children.slice();
  children[index] = child;
  return new List(list.height, children);
}

/** The first unpaired close tag. The list must have one. */
function firstUnpairedClose(list: List, listOffset: number): PlacedLine {
  let offset = listOffset;
  for (const child of list.children) {
    if (child instanceof List) {
      if (child.unpairedCloses > 0) return firstUnpairedClose(child, offset);
    } else if (child instanceof Line && child.kind === LineKind.Close) return { line: child, offset };
    offset += child.length;
  }
  throw new Error('a list that counts an unpaired close has one');
}

/**
 * The last unpaired open tag with this name, if no unpaired close tag follows it. `UNPAIRED_CLOSE`
 * if such a close tag follows; null if there is no tag of either kind.
 */
function lastUnpairedOpen(list: List, listOffset: number, name: string): PlacedLine | typeof UNPAIRED_CLOSE | null {
  let childEnd = listOffset + list.length;
  for (let index = list.children.length - 1; index >= 0; index--) {
    const child = list.children[index]!;
    const childStart = childEnd - child.length;
    if (child instanceof List) {
      if (child.unpairedOpens + child.unpairedCloses > 0) {
        const openTag = lastUnpairedOpen(child, childStart, name);
        if (openTag !== null) return openTag;
      }
    } else {
      const tag = unpairedTagOf(child);
      if (tag?.kind === LineKind.Close) return UNPAIRED_CLOSE;
      if (tag?.name === name) return { line: tag, offset: childStart };
    }
    childEnd = childStart;
  }
  return null;
}
