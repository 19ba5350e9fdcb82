/** Makes the edits that replace the old lines of a section by its Require tree. */
import { argumentsOf, indentOf, Line, LineKind } from '../syntax/line';
import { forEachItem, type List, type PlacedLine, type Section } from '../syntax/tree';
import type { Tree24 } from './model';
import { parseOperand } from './operand';
import { printTree, type OperandNotes, type PrintStyle } from './print';
import { requirementText } from './read';

/** An edit of a file: replaces the text between two offsets. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The input of `editsFor24` and `editsForBothVersions` for one section: its old lines and its new
 * tree.
 */
export interface SectionRewrite {
  /** The section's Order, Allow, Deny and Satisfy lines. */
  readonly oldLines: readonly PlacedLine[];
  /** The section's own Require lines. */
  readonly requireLines: readonly PlacedLine[];
  readonly tree: Tree24;
  /** The indentation of the section's tag; empty at the top of a file. */
  readonly outerIndent: string;
  /**
   * `<Limit>` sections and Require containers that contain only `oldLines` and `requireLines`. The
   * edits remove them with their lines. They do not overlap.
   */
  readonly removedLimits?: readonly { readonly section: Section; readonly offset: number }[];
  /**
   * `<Limit>` sections and Require containers that also contain other lines, so they stay. The new
   * lines are written before them, because a line inside would apply only to their methods.
   */
  readonly remainingLimits?: readonly { readonly section: Section; readonly offset: number }[];
  /**
   * The line before which the new lines are written if the section has neither old lines nor
   * Require lines.
   */
  readonly anchor?: PlacedLine;
  /**
   * The comments directly above old lines and `<Limit>` sections, by the offset of the line or
   * section. They move to the new lines for that line or section.
   */
  readonly commentsByOffset?: ReadonlyMap<number, readonly PlacedLine[]>;
  /** Lines to write before the Require tree, such as `AuthMerging And`. */
  readonly linesBeforeTree?: readonly string[];
}

/**
 * Finds the comments directly above some lines or sections. The key is the offset of the line or
 * section. Comments with settings for this program, such as httpd-upgrade-ignore, are left out.
 */
export function commentsAbove(
  body: List,
  base: number,
  items: readonly { readonly offset: number }[],
): Map<number, readonly PlacedLine[]> {
  const commentsByOffset = new Map<number, readonly PlacedLine[]>();
  const offsets = new Set(items.map(({ offset }) => offset));
  let commentBlock: PlacedLine[] = [];
  forEachItem(body, base, (item, offset) => {
    if (
      item instanceof Line &&
      item.kind === LineKind.Comment &&
      !item.isPragma &&
      !item.text.trimEnd().includes('\n')
    ) {
      commentBlock.push({ line: item, offset });
      return;
    }
    if (commentBlock.length > 0 && offsets.has(offset)) commentsByOffset.set(offset, commentBlock);
    if (commentBlock.length > 0) commentBlock = [];
  });
  return commentsByOffset;
}

/**
 * Makes the edits for 2.4 alone. The comments above an old line move with its new lines. Require
 * lines stay where they are if they are also right there in 2.4.
 */
export function editsFor24(rewrite: SectionRewrite): TextEdit[] {
  const { requireLines, tree, removedLimits = [], remainingLimits = [] } = rewrite;
  const keepsRequireLines =
    requireLines.length > 0 &&
    mayRequireLinesStay(tree, requireLines.length) &&
    requireLines.every(({ line }) => hasNamesAsWritten(line, tree)) &&
    removedLimits.length === 0 &&
    remainingLimits.length === 0;
  return [
    ...treeEdits(rewrite, keepsRequireLines),
    ...(keepsRequireLines ? requireLines.flatMap(editsToLowerCase) : []),
  ];
}

/**
 * Makes the edits for both versions. The new lines are in a condition that is true if
 * mod_authz_core exists, which only 2.4 has. The old lines, with their `<Limit>` sections, are in
 * the opposite condition. Null if there is no old line, if a `<Limit>` also contains other lines,
 * or if there is a Require container.
 */
export function editsForBothVersions({
  oldLines,
  requireLines,
  tree,
  outerIndent,
  removedLimits = [],
  remainingLimits = [],
  commentsByOffset,
  linesBeforeTree = [],
}: SectionRewrite): TextEdit[] | null {
  const replacedLines = sortedByOffset([...oldLines, ...requireLines]);
  const replacedLineSet = new Set(replacedLines.map(({ line }) => line));
  const isMovable = ({ section }: { section: Section }) =>
    LIMIT_SECTION_NAMES.has(section.name) &&
    containsOnly(section, (line) => line.kind === LineKind.Comment || replacedLineSet.has(line), LIMIT_SECTION_NAMES);
  const movedLimits = [...removedLimits, ...remainingLimits];
  if (oldLines.length === 0 || !movedLimits.every(isMovable)) return null;
  const isInMovedLimit = ({ offset }: PlacedLine) =>
    movedLimits.some((limit) => offset >= limit.offset && offset < endOf(limit));
  const blocks = [
    ...movedLimits.map(({ section, offset }) => ({ offset, lines: placedLines(section, offset) })),
    ...replacedLines.filter((line) => !isInMovedLimit(line)).map((line) => ({ offset: line.offset, lines: [line] })),
  ].sort((a, b) => a.offset - b.offset);
  const firstPlacedLine = blocks[0]!.lines[0]!;
  const style = styleOfNewLines(firstPlacedLine.line, outerIndent);
  const { indent, indentStep, eol } = style;
  const withLineEnd = (text: string) => (text.endsWith('\n') ? text : text + eol);
  const placedLinesAndComments = blocks.flatMap(({ offset, lines }) => [
    ...(offset === firstPlacedLine.offset ? [] : (commentsByOffset?.get(offset) ?? [])),
    ...lines,
  ]);
  const linesFor22 = placedLinesAndComments
    .map(({ line }) => (line.kind === LineKind.Blank ? '' : indentStep) + withLineEnd(line.text))
    .join('');
  const linesFor24 = `${linesBeforeTree.map((line) => `${indent}${indentStep}${line}${eol}`).join('')}${printTree(tree, { ...style, indent: indent + indentStep })}`;
  // Without new lines, the section inherits its access in 2.4, so it gets no condition for 2.4.
  const conditionalText = `${linesFor24 === '' ? '' : `${indent}<IfModule mod_authz_core.c>${eol}${linesFor24}${indent}</IfModule>${eol}`}${indent}<IfModule !mod_authz_core.c>${eol}${linesFor22}${indent}</IfModule>${eol}`;
  return [
    {
      start: firstPlacedLine.offset,
      end: firstPlacedLine.offset + firstPlacedLine.line.length,
      text: withLineEndOf(placedLinesAndComments.at(-1)!.line, conditionalText),
    },
    ...placedLinesAndComments
      .filter((each) => each !== firstPlacedLine)
      .map(({ line, offset }) => ({ start: offset, end: offset + line.length, text: '' })),
  ];
}

/** Puts the lines before the tree of a section into a condition that is true only in 2.4. */
export function linesOnlyIn24({ linesBeforeTree = [], requireLines, outerIndent }: SectionRewrite): readonly string[] {
  const indentStep = requireLines.length > 0 ? styleOfNewLines(requireLines[0]!.line, outerIndent).indentStep : '';
  return ['<IfModule mod_authz_core.c>', ...linesBeforeTree.map((line) => indentStep + line), '</IfModule>'];
}

const LIMIT_SECTION_NAMES: ReadonlySet<string> = new Set(['limit', 'limitexcept']);

function endOf({ section, offset }: { readonly section: Section; readonly offset: number }): number {
  return offset + section.length;
}

/** All lines of a section, including its opening and closing tag, with their offsets. */
function placedLines({ open, body, close }: Section, offset: number): PlacedLine[] {
  const linesOfBody: PlacedLine[] = [];
  forEachItem(body, offset + open.length, (item, at) => {
    linesOfBody.push(...(item instanceof Line ? [{ line: item, offset: at }] : placedLines(item, at)));
  });
  return [{ line: open, offset }, ...linesOfBody, { line: close, offset: offset + open.length + body.length }];
}

/**
 * Whether the tree has the text of a Require line as written. It does not if backslashes of the
 * line are doubled in the tree.
 */
function hasNamesAsWritten(line: Line, tree: Tree24): boolean {
  if (!line.text.includes('\\')) return true;
  const requirement = requirementText(
    line,
    argumentsOf(line).map(({ value }) => value),
  );
  return !requirement.includes('\\') || userRequirementsIn(tree).includes(requirement);
}

/** The texts of all requirements about users in a tree. */
function userRequirementsIn(tree: Tree24): string[] {
  if (tree.type === 'user') return [tree.requirement.text];
  return 'inner' in tree
    ? (Array.isArray(tree.inner) ? tree.inner : [tree.inner as Tree24]).flatMap(userRequirementsIn)
    : [];
}

/**
 * Makes the edits that write the tree and remove the old lines. `keepsRequireLines`: whether the
 * section's Require lines stay, so that only the rest of the tree is written.
 */
function treeEdits(
  {
    oldLines,
    requireLines,
    tree,
    outerIndent,
    removedLimits = [],
    remainingLimits = [],
    anchor: givenAnchor,
    commentsByOffset,
    linesBeforeTree = [],
  }: SectionRewrite,
  keepsRequireLines: boolean,
): TextEdit[] {
  const replacedLines = sortedByOffset([...oldLines, ...(keepsRequireLines ? [] : requireLines)]);
  const firstReplacedLine = sortedByOffset(oldLines)[0] ?? replacedLines[0];
  const anchor = firstReplacedLine ?? requireLines[0] ?? givenAnchor;
  if (!anchor) return [];
  const containsAnchor = ({ section, offset }: { section: Section; offset: number }) =>
    anchor.offset > offset && anchor.offset < offset + section.length;
  const anchorLimit = removedLimits.find(containsAnchor);
  const remainingAnchorLimit = remainingLimits.find(containsAnchor);
  const styleLine = (remainingAnchorLimit ?? anchorLimit)?.section.open ?? anchor.line;
  const style = styleOfNewLines(styleLine, outerIndent);
  const textBeforeTree = linesBeforeTree.map((line) => `${style.indent}${line}${style.eol}`).join('');
  const writtenTree = keepsRequireLines ? withoutUserRequirements(tree) : tree;
  const notes =
    commentsByOffset && removedLimits.length === 0 && remainingLimits.length === 0
      ? notesAbove(sortedByOffset(oldLines), commentsByOffset)
      : null;
  const printedTree = printTree(writtenTree, notes ? { ...style, notes } : style);
  const movedComments = printedTree === '' || !notes ? [] : notes.allCommentLines;
  // A line such as `Deny from all` may have no replacement. Its comments go above the new Require
  // lines.
  const remainingCommentsText =
    movedComments.length > 0 && notes
      ? notes
          .takeRemainingComments()
          .map((comment) => `${style.indent}${comment}${style.eol}`)
          .join('')
      : '';
  const commentsOfLimits = commentsToMove(
    removedLimits,
    { replacedLimit: anchorLimit, newLinesText: printedTree },
    commentsByOffset,
  );
  const textOfLimitComments = commentsOfLimits
    .map(({ line }) => `${style.indent}${line.text.trim()}${style.eol}`)
    .join('');
  const newText = textBeforeTree + remainingCommentsText + textOfLimitComments + printedTree;
  if (!firstReplacedLine) return newText === '' ? [] : [{ start: anchor.offset, end: anchor.offset, text: newText }];

  const replacedStart = anchorLimit ? anchorLimit.offset : firstReplacedLine.offset;
  const replacedEnd = anchorLimit
    ? replacedStart + anchorLimit.section.length
    : replacedStart + firstReplacedLine.line.length;
  const edits: TextEdit[] = remainingAnchorLimit
    ? [
        { start: remainingAnchorLimit.offset, end: remainingAnchorLimit.offset, text: newText },
        { start: replacedStart, end: replacedEnd, text: '' },
      ]
    : [
        {
          start: replacedStart,
          end: replacedEnd,
          text: anchorLimit ? newText : withLineEndOf(firstReplacedLine.line, newText),
        },
      ];
  for (const { line, offset } of [...movedComments, ...commentsOfLimits])
    edits.push({ start: offset, end: offset + line.length, text: '' });
  for (const other of removedLimits)
    if (other !== anchorLimit) edits.push({ start: other.offset, end: other.offset + other.section.length, text: '' });
  const limitRanges = removedLimits.map(({ section, offset }) => ({ offset, end: offset + section.length }));
  limitRanges.sort((a, b) => a.offset - b.offset);
  let rangeIndex = 0;
  for (const { line, offset } of replacedLines) {
    while (rangeIndex < limitRanges.length && limitRanges[rangeIndex]!.end <= offset) rangeIndex++;
    const isInLimit = rangeIndex < limitRanges.length && offset >= limitRanges[rangeIndex]!.offset;
    if (offset !== firstReplacedLine.offset && !isInLimit)
      edits.push({ start: offset, end: offset + line.length, text: '' });
  }
  return edits;
}

/**
 * The comments that move to the new lines: those above the removed `<Limit>` sections, without
 * those above the `<Limit>` that the new lines replace. Empty if there are no new lines.
 */
function commentsToMove(
  removedLimits: NonNullable<SectionRewrite['removedLimits']>,
  {
    replacedLimit,
    newLinesText,
  }: { readonly replacedLimit: (typeof removedLimits)[number] | undefined; readonly newLinesText: string },
  commentsByOffset: SectionRewrite['commentsByOffset'],
): readonly PlacedLine[] {
  return newLinesText === ''
    ? []
    : removedLimits
        .filter((each) => each !== replacedLimit)
        .flatMap(({ offset }) => commentsByOffset?.get(offset) ?? []);
}

/**
 * The style of the new lines: the indentation of `firstLine`, and its line end. `outerIndent` is
 * the indentation of the section's tag. If `firstLine` is indented further, inner lines get one
 * more step of the same width. Otherwise the step is a tab or four spaces.
 */
export function styleOfNewLines(firstLine: Line, outerIndent: string): PrintStyle {
  const indent = indentOf(firstLine);
  const isIndentDeeper = indent.length > outerIndent.length && indent.startsWith(outerIndent);
  const step = isIndentDeeper ? indent.slice(outerIndent.length) : indent.includes('\t') ? '\t' : '    ';
  return { indent, indentStep: step, eol: firstLine.text.endsWith('\r\n') ? '\r\n' : '\n' };
}

/**
 * The outermost of the given sections, in two lists. Those in `removedLimits` contain only lines of
 * `removedLines`. Those in `remainingLimits` also contain other lines.
 */
export function limitsAround<Limit extends { readonly section: Section; readonly offset: number }>(
  sections: readonly Limit[],
  removedLines: ReadonlySet<Line>,
): { readonly removedLimits: readonly Limit[]; readonly remainingLimits: readonly Limit[] } {
  const isRemovable = ({ section }: Limit) => containsOnly(section, (line) => removedLines.has(line));
  return {
    removedLimits: outermostSections(sections.filter(isRemovable)),
    remainingLimits: outermostSections(sections.filter((limit) => !isRemovable(limit))),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

const REQUIRE_CONTAINERS: ReadonlySet<string> = new Set(['requireall', 'requireany', 'requirenone']);

/** The given sections, without those that are inside another given section. */
function outermostSections<Placed extends { readonly section: Section; readonly offset: number }>(
  sections: readonly Placed[],
): readonly Placed[] {
  const innerSections = new Set<Placed>();
  let [start, end] = [-1, -1];
  for (const each of [...sections].sort((a, b) => a.offset - b.offset)) {
    if (each.offset > start && each.offset < end) innerSections.add(each);
    else [start, end] = [each.offset, Math.max(end, each.offset + each.section.length)];
  }
  return sections.filter((each) => !innerSections.has(each));
}

/**
 * Whether a section contains nothing except blank lines, lines for which `isRemoved` is true, and
 * sections of such lines. `containers`: the names that these inner sections may have.
 */
function containsOnly(section: Section, isRemoved: (line: Line) => boolean, containers = REQUIRE_CONTAINERS): boolean {
  let hasOnlyThese = true;
  forEachItem(section.body, 0, (item) => {
    if (item instanceof Line) hasOnlyThese &&= item.kind === LineKind.Blank || isRemoved(item);
    else hasOnlyThese &&= containers.has(item.name) && containsOnly(item, isRemoved, containers);
  });
  return hasOnlyThese;
}

/**
 * The comments above old lines, as `OperandNotes` for the printer. The comments of the first old
 * line are left out, because they stay where they are. An old line directly after a line with
 * comments shares these comments. Null if there are no comments.
 */
function notesAbove(
  oldLines: readonly PlacedLine[],
  commentsByOffset: ReadonlyMap<number, readonly PlacedLine[]>,
):
  | (OperandNotes & { readonly allCommentLines: readonly PlacedLine[]; takeRemainingComments(): readonly string[] })
  | null {
  const commentTexts: (readonly string[])[] = [];
  const allCommentLines: PlacedLine[] = [];
  const noteNumberByOperand = new Map<string, number>();
  let currentNote = -1;
  let endOfLastLine = -1;
  for (const { line, offset } of oldLines) {
    const commentsOfLine = offset === oldLines[0]!.offset ? undefined : commentsByOffset.get(offset);
    if (commentsOfLine) {
      currentNote = commentTexts.push(commentsOfLine.map((comment) => comment.line.text.trim())) - 1;
      allCommentLines.push(...commentsOfLine);
    } else if (offset !== endOfLastLine) currentNote = -1;
    endOfLastLine = offset + line.length;
    if (line.name !== 'allow' && line.name !== 'deny') continue;
    for (const word of argumentsOf(line).slice(1)) {
      const operand = parseOperand(word.value);
      const operandKey =
        operand.kind === 'ip'
          ? `ip ${operand.text}`
          : operand.kind === 'host' || operand.kind === 'env'
            ? `${operand.kind} ${operand.name}`
            : '';
      if (!noteNumberByOperand.has(operandKey)) noteNumberByOperand.set(operandKey, currentNote);
    }
  }
  if (commentTexts.length === 0) return null;
  const takeTexts = (note: number): readonly string[] => {
    const takenTexts = commentTexts[note] ?? [];
    if (note >= 0) commentTexts[note] = [];
    return takenTexts;
  };
  return {
    noteOf: (provider, operand) => noteNumberByOperand.get(`${provider} ${operand}`) ?? -1,
    takeComments: takeTexts,
    allCommentLines,
    takeRemainingComments: () => commentTexts.flatMap((_, note) => takeTexts(note)),
  };
}

/**
 * Changes the first word after Require to lower case, because 2.2 ignores its case and 2.4 does
 * not.
 */
function editsToLowerCase({ line, offset }: PlacedLine): TextEdit[] {
  const [name] = argumentsOf(line);
  if (
    !name ||
    name.quote !== '' ||
    name.value !== line.text.slice(name.start, name.end) ||
    name.value === name.value.toLowerCase()
  )
    return [];
  return [{ start: offset + name.start, end: offset + name.end, text: name.value.toLowerCase() }];
}

/**
 * Whether the Require lines can stay where they are. They can if they are the whole tree, or
 * alternatives at its top level.
 */
function mayRequireLinesStay(tree: Tree24, requireLineCount: number): boolean {
  if (tree.type === 'user') return requireLineCount === 1;
  return tree.type === 'any' && tree.inner.filter((child) => child.type === 'user').length === requireLineCount;
}

function withoutUserRequirements(tree: Tree24): Tree24 {
  return { type: 'any', inner: tree.type === 'any' ? tree.inner.filter((child) => child.type !== 'user') : [] };
}

/** Returns `text`, without its line end if the replaced line has none, as at the end of a file. */
function withLineEndOf(line: Line, text: string): string {
  if (line.text.endsWith('\n') || text === '') return text;
  return text.replace(/\r?\n$/, '');
}

/** Sorts lines by offset. Returns the list itself if it is in order, as it usually is. */
function sortedByOffset(lines: readonly PlacedLine[]): readonly PlacedLine[] {
  const isInOrder = lines.every((line, index) => index === 0 || lines[index - 1]!.offset <= line.offset);
  return isInOrder ? lines : [...lines].sort((a, b) => a.offset - b.offset);
}
