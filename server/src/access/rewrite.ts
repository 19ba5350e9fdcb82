/** Makes the edits that replace the old lines of a section by its Require tree. */
import { argumentsOf, indentOf, Line, LineKind } from '../syntax/line';
import { forEachItem, type List, type PlacedLine, type Section } from '../syntax/tree';
import type { Tree24 } from './model';
import { parseOperand } from './operand';
import { printTree, type OperandNotes, type PrintStyle } from './print';
import { requirementText } from './read';

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * What `editsFor24` and `editsForBothVersions` need to know about one section: its old lines and
 * its new tree.
 */
export interface SectionRewrite {
  /** Order, Allow, Deny, Satisfy. */
  readonly oldLines: readonly PlacedLine[];
  /** The section's own Require lines. */
  readonly requireLines: readonly PlacedLine[];
  readonly tree: Tree24;
  /** The indentation of the section's tag; empty at the top of a file. */
  readonly outerIndent: string;
  /**
   * Limits and Require containers that contain only `oldLines` and `requireLines`, so they are
   * removed, too. They do not overlap.
   */
  readonly limits?: readonly { readonly section: Section; readonly offset: number }[];
  /**
   * Limits and containers that also contain other lines, so they stay. The new lines come before
   * them, because a line inside would only apply to their methods.
   */
  readonly keptLimits?: readonly { readonly section: Section; readonly offset: number }[];
  /**
   * If the section has neither old lines nor Require lines: the line before which the new lines are
   * written.
   */
  readonly anchor?: PlacedLine;
  /**
   * Comments directly above old lines, by the offset of the line. They move with the line's
   * replacement.
   */
  readonly comments?: ReadonlyMap<number, readonly PlacedLine[]>;
  /** Lines to write before the Require tree, such as `AuthMerging And`. */
  readonly linesBefore?: readonly string[];
}

/**
 * Finds the comments directly above some lines. The key is the offset of the line. Comments that
 * configure this program are left out.
 */
export function commentsAbove(
  body: List,
  base: number,
  lines: readonly PlacedLine[],
): Map<number, readonly PlacedLine[]> {
  const found = new Map<number, readonly PlacedLine[]>();
  const wanted = new Set(lines.map(({ offset }) => offset));
  let block: PlacedLine[] = [];
  forEachItem(body, base, (item, offset) => {
    if (
      item instanceof Line &&
      item.kind === LineKind.Comment &&
      !item.isPragma &&
      !item.text.trimEnd().includes('\n')
    ) {
      block.push({ line: item, offset });
      return;
    }
    if (block.length > 0 && wanted.has(offset)) found.set(offset, block);
    if (block.length > 0) block = [];
  });
  return found;
}

/**
 * Edits for 2.4 alone. Comments move with the replacement of their line. All other lines stay, and
 * also Require lines if possible.
 */
export function editsFor24(rewrite: SectionRewrite): TextEdit[] {
  const { requireLines, tree, limits = [], keptLimits = [] } = rewrite;
  const keepsRequires =
    requireLines.length > 0 &&
    mayRequiresStay(tree, requireLines.length) &&
    requireLines.every(({ line }) => hasNamesAsWritten(line, tree)) &&
    limits.length === 0 &&
    keptLimits.length === 0;
  return [...treeEdits(rewrite, keepsRequires), ...(keepsRequires ? requireLines.flatMap(editsToLowerCase) : [])];
}

/**
 * Edits for both versions: the new lines in a condition that is true if mod_authz_core exists (only
 * 2.4 has it), and the old lines with their limits in the opposite condition. Null if a limit
 * contains other lines, too, or if there is no old line.
 */
export function editsForBothVersions({
  oldLines,
  requireLines,
  tree,
  outerIndent,
  limits = [],
  keptLimits = [],
  comments,
  linesBefore = [],
}: SectionRewrite): TextEdit[] | null {
  const gone = sortedByOffset([...oldLines, ...requireLines]);
  const goneLines = new Set(gone.map(({ line }) => line));
  const isMovable = ({ section }: { section: Section }) =>
    LIMITS.has(section.name) &&
    containsOnly(section, (line) => line.kind === LineKind.Comment || goneLines.has(line), LIMITS);
  const moved = [...limits, ...keptLimits];
  if (oldLines.length === 0 || !moved.every(isMovable)) return null;
  const isIn = ({ offset }: PlacedLine) => moved.some((limit) => offset >= limit.offset && offset < endOf(limit));
  const blocks = [
    ...moved.map(({ section, offset }) => ({ offset, lines: placedLines(section, offset) })),
    ...gone.filter((line) => !isIn(line)).map((line) => ({ offset: line.offset, lines: [line] })),
  ].sort((a, b) => a.offset - b.offset);
  const first = blocks[0]!.lines[0]!;
  const style = styleOfNewLines(first.line, outerIndent);
  const { indent, indentStep, eol } = style;
  const ended = (text: string) => (text.endsWith('\n') ? text : text + eol);
  const all = blocks.flatMap(({ offset, lines }) => [
    ...(offset === first.offset ? [] : (comments?.get(offset) ?? [])),
    ...lines,
  ]);
  const before = all.map(({ line }) => (line.kind === LineKind.Blank ? '' : indentStep) + ended(line.text)).join('');
  const now = `${linesBefore.map((line) => `${indent}${indentStep}${line}${eol}`).join('')}${printTree(tree, { ...style, indent: indent + indentStep })}`;
  // If there are no new lines, the section inherits its access in 2.4.
  const text = `${now === '' ? '' : `${indent}<IfModule mod_authz_core.c>${eol}${now}${indent}</IfModule>${eol}`}${indent}<IfModule !mod_authz_core.c>${eol}${before}${indent}</IfModule>${eol}`;
  return [
    { start: first.offset, end: first.offset + first.line.length, text: keepLastBreak(all.at(-1)!.line, text) },
    ...all
      .filter((each) => each !== first)
      .map(({ line, offset }) => ({ start: offset, end: offset + line.length, text: '' })),
  ];
}

const LIMITS: ReadonlySet<string> = new Set(['limit', 'limitexcept']);

function endOf({ section, offset }: { readonly section: Section; readonly offset: number }): number {
  return offset + section.length;
}

/** All lines of a section, including its opening and closing tag, with their offsets. */
function placedLines({ open, body, close }: Section, offset: number): PlacedLine[] {
  const inner: PlacedLine[] = [];
  forEachItem(body, offset + open.length, (item, at) => {
    inner.push(...(item instanceof Line ? [{ line: item, offset: at }] : placedLines(item, at)));
  });
  return [{ line: open, offset }, ...inner, { line: close, offset: offset + open.length + body.length }];
}

/**
 * Whether the tree has the names of a Require line exactly as written. It does not if its
 * backslashes were doubled.
 */
function hasNamesAsWritten(line: Line, tree: Tree24): boolean {
  if (!line.text.includes('\\')) return true;
  const text = requirementText(
    line,
    argumentsOf(line).map(({ value }) => value),
  );
  return !text.includes('\\') || userRequirementsIn(tree).includes(text);
}

function userRequirementsIn(tree: Tree24): string[] {
  if (tree.type === 'user') return [tree.requirement.text];
  return 'inner' in tree
    ? (Array.isArray(tree.inner) ? tree.inner : [tree.inner as Tree24]).flatMap(userRequirementsIn)
    : [];
}

function treeEdits(
  {
    oldLines,
    requireLines,
    tree,
    outerIndent,
    limits = [],
    keptLimits = [],
    anchor: given,
    comments,
    linesBefore: leadLines = [],
  }: SectionRewrite,
  keepsRequires: boolean,
): TextEdit[] {
  const gone = sortedByOffset([...oldLines, ...(keepsRequires ? [] : requireLines)]);
  const first = sortedByOffset(oldLines)[0] ?? gone[0];
  const anchor = first ?? requireLines[0] ?? given;
  if (!anchor) return [];
  const containsAnchor = ({ section, offset }: { section: Section; offset: number }) =>
    anchor.offset > offset && anchor.offset < offset + section.length;
  const limit = limits.find(containsAnchor);
  const shell = keptLimits.find(containsAnchor);
  const model = (shell ?? limit)?.section.open ?? anchor.line;
  const style = styleOfNewLines(model, outerIndent);
  const lead = leadLines.map((line) => `${style.indent}${line}${style.eol}`).join('');
  const written = keepsRequires ? withoutUserRequirements(tree) : tree;
  const notes =
    comments && limits.length === 0 && keptLimits.length === 0 ? notesAbove(sortedByOffset(oldLines), comments) : null;
  const lines = printTree(written, notes ? { ...style, notes } : style);
  const moved = lines === '' || !notes ? [] : notes.allLines;
  // If a line such as "Deny from all" has no replacement, its comment goes above all new lines.
  const above =
    moved.length > 0 && notes
      ? notes
          .rest()
          .map((comment) => `${style.indent}${comment}${style.eol}`)
          .join('')
      : '';
  const text = lead + above + lines;
  if (!first) return text === '' ? [] : [{ start: anchor.offset, end: anchor.offset, text }];

  const start = limit ? limit.offset : first.offset;
  const end = limit ? start + limit.section.length : start + first.line.length;
  const edits: TextEdit[] = shell
    ? [
        { start: shell.offset, end: shell.offset, text },
        { start, end, text: '' },
      ]
    : [{ start, end, text: limit ? text : keepLastBreak(first.line, text) }];
  for (const { line, offset } of moved) edits.push({ start: offset, end: offset + line.length, text: '' });
  for (const other of limits)
    if (other !== limit) edits.push({ start: other.offset, end: other.offset + other.section.length, text: '' });
  const ends = limits.map(({ section, offset }) => ({ offset, end: offset + section.length }));
  ends.sort((a, b) => a.offset - b.offset);
  let next = 0;
  for (const { line, offset } of gone) {
    while (next < ends.length && ends[next]!.end <= offset) next++;
    const isCovered = next < ends.length && offset >= ends[next]!.offset;
    if (offset !== first.offset && !isCovered) edits.push({ start: offset, end: offset + line.length, text: '' });
  }
  return edits;
}

/**
 * The style of the new lines: indentation of the old lines and of one level, if the section shows
 * it.
 */
export function styleOfNewLines(first: Line, outer: string): PrintStyle {
  const indent = indentOf(first);
  const isDeeper = indent.length > outer.length && indent.startsWith(outer);
  const step = isDeeper ? indent.slice(outer.length) : indent.includes('\t') ? '\t' : '    ';
  return { indent, indentStep: step, eol: first.text.endsWith('\r\n') ? '\r\n' : '\n' };
}

/**
 * The outermost limits around removed lines. `limits`: those without other lines. `keptLimits`: the
 * rest.
 */
export function limitsAround<Limit extends { readonly section: Section; readonly offset: number }>(
  around: readonly Limit[],
  gone: ReadonlySet<Line>,
): { readonly limits: readonly Limit[]; readonly keptLimits: readonly Limit[] } {
  const isGone = ({ section }: Limit) => containsOnly(section, (line) => gone.has(line));
  return {
    limits: outermostSections(around.filter(isGone)),
    keptLimits: outermostSections(around.filter((limit) => !isGone(limit))),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

const REQUIRE_CONTAINERS: ReadonlySet<string> = new Set(['requireall', 'requireany', 'requirenone']);

/** The given sections, without those that are inside another given section. */
function outermostSections<Placed extends { readonly section: Section; readonly offset: number }>(
  sections: readonly Placed[],
): readonly Placed[] {
  const inside = new Set<Placed>();
  let [start, end] = [-1, -1];
  for (const each of [...sections].sort((a, b) => a.offset - b.offset)) {
    if (each.offset > start && each.offset < end) inside.add(each);
    else [start, end] = [each.offset, Math.max(end, each.offset + each.section.length)];
  }
  return sections.filter((each) => !inside.has(each));
}

/**
 * Whether a section contains nothing except blank lines, lines for which `isGone` is true, and
 * containers of such lines. `containers`: the names of these containers.
 */
function containsOnly(section: Section, isGone: (line: Line) => boolean, containers = REQUIRE_CONTAINERS): boolean {
  let isOnly = true;
  forEachItem(section.body, 0, (item) => {
    if (item instanceof Line) isOnly &&= item.kind === LineKind.Blank || isGone(item);
    else isOnly &&= containers.has(item.name) && containsOnly(item, isGone, containers);
  });
  return isOnly;
}

/**
 * The comments above old lines, as `Notes` for the printer. The comment of the first line is left
 * out, because it stays above the whole. A line directly after a line with a comment shares that
 * comment.
 */
function notesAbove(
  old: readonly PlacedLine[],
  comments: ReadonlyMap<number, readonly PlacedLine[]>,
): (OperandNotes & { readonly allLines: readonly PlacedLine[]; rest(): readonly string[] }) | null {
  const texts: (readonly string[])[] = [];
  const allLines: PlacedLine[] = [];
  const notes = new Map<string, number>();
  let current = -1;
  let end = -1;
  for (const { line, offset } of old) {
    const own = offset === old[0]!.offset ? undefined : comments.get(offset);
    if (own) {
      current = texts.push(own.map((comment) => comment.line.text.trim())) - 1;
      allLines.push(...own);
    } else if (offset !== end) current = -1;
    end = offset + line.length;
    if (line.name !== 'allow' && line.name !== 'deny') continue;
    for (const word of argumentsOf(line).slice(1)) {
      const operand = parseOperand(word.value);
      const key =
        operand.kind === 'ip'
          ? `ip ${operand.text}`
          : operand.kind === 'host' || operand.kind === 'env'
            ? `${operand.kind} ${operand.name}`
            : '';
      if (!notes.has(key)) notes.set(key, current);
    }
  }
  if (texts.length === 0) return null;
  const take = (note: number): readonly string[] => {
    const taken = texts[note] ?? [];
    if (note >= 0) texts[note] = [];
    return taken;
  };
  return {
    noteOf: (provider, operand) => notes.get(`${provider} ${operand}`) ?? -1,
    takeComments: take,
    allLines,
    rest: () => texts.flatMap((_, note) => take(note)),
  };
}

/** Lower-cases the name after Require, because 2.2 ignores its case and 2.4 does not. */
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
 * Whether Require lines can stay where they are: they are the whole tree, or alternatives at its
 * top level.
 */
function mayRequiresStay(tree: Tree24, own: number): boolean {
  if (tree.type === 'user') return own === 1;
  return tree.type === 'any' && tree.inner.filter((child) => child.type === 'user').length === own;
}

function withoutUserRequirements(tree: Tree24): Tree24 {
  return { type: 'any', inner: tree.type === 'any' ? tree.inner.filter((child) => child.type !== 'user') : [] };
}

/** Removes the line end from a replacement if the last line of the file has none. */
function keepLastBreak(line: Line, text: string): string {
  if (line.text.endsWith('\n') || text === '') return text;
  return text.replace(/\r?\n$/, '');
}

/** Usually the lines are in order already. */
function sortedByOffset(lines: readonly PlacedLine[]): readonly PlacedLine[] {
  const isInOrder = lines.every((line, index) => index === 0 || lines[index - 1]!.offset <= line.offset);
  return isInOrder ? lines : [...lines].sort((a, b) => a.offset - b.offset);
}
