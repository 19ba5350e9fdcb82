/**
 * Edits comments together with the directives that they are about. If a fix renames a directive,
 * comments about it get the new name. If a fix removes a line, a comment that is only about that
 * line is removed, too.
 */
import { directive } from '../directives';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { LineKind, type Line } from '../syntax/line';
import { forEachItem, Section, type List, type PlacedLine } from '../syntax/tree';
import { isTransparent, sectionKind } from '../config/sections';
import { itemsAround } from './suppression';

/**
 * Returns the edits of comments that belong to some edits of a file. The given edits must not
 * overlap each other, and the returned edits do not overlap them. Only text near the given edits is
 * searched.
 */
export function commentEdits(tree: Tree, edits: readonly Edit[]): Edit[] {
  if (edits.length === 0) return [];
  const removedOffsets = new Set(edits.filter(({ text }) => text === '').map(({ start }) => start));
  const editsByOffset = new Map<number, Edit>();
  for (const edit of edits) {
    const placedLine = tree.lineAt(edit.start);
    if (!placedLine || placedLine.line.kind !== LineKind.Directive) continue;
    const { line, offset } = placedLine;
    if (edit.text === '' && edit.start === offset && edit.end === offset + line.length) {
      const block = commentBlockAbove(tree, offset);
      if (isAboutLineAlone(line, block) && !mayBeAboutNextLine(tree, placedLine, removedOffsets))
        for (const each of block)
          editsByOffset.set(each.offset, { start: each.offset, end: each.offset + each.line.length, text: '' });
    } else if (
      edit.start === offset + line.nameStart &&
      edit.end === offset + line.nameEnd &&
      /^\w+$/.test(edit.text)
    ) {
      for (const each of commentBlocksAbove(tree, offset))
        for (const rename of renameEditsIn(each, line, edit.text)) editsByOffset.set(rename.start, rename);
    }
  }
  return [...editsByOffset.values()].filter(
    ({ start, end }) => !edits.some((edit) => edit.start < end && start < edit.end),
  );
}

/** A comment that stays above a removed line, although it may be about that line. */
export interface StaleComment {
  /** UTF-16 offset of the first line of the comment. */
  readonly offset: number;
  /** The removed directive, as written. */
  readonly removedDirective: string;
}

/** The comments that the user has to check after some edits of a file. */
export function staleComments(tree: Tree, edits: readonly Edit[]): StaleComment[] {
  const removedOffsets = new Set(edits.filter(({ text }) => text === '').map(({ start }) => start));
  return edits.flatMap(({ start, end, text }): StaleComment[] => {
    const placedLine = text === '' ? tree.lineAt(start) : null;
    if (
      !placedLine ||
      placedLine.line.kind !== LineKind.Directive ||
      placedLine.offset !== start ||
      start + placedLine.line.length !== end
    )
      return [];
    const block = commentBlockAbove(tree, start);
    const [first] = block;
    const isSharedWithNextLine = mayBeAboutNextLine(tree, placedLine, removedOffsets);
    if (
      !first ||
      (isAboutLineAlone(placedLine.line, block) && !isSharedWithNextLine) ||
      block.some((each) => isCommentedOut(each.line.text))
    )
      return [];
    const isLineNamed = block.some((each) => wholeWordPattern(placedLine.line).test(each.line.text));
    if (!isLineNamed && (isSharedWithNextLine || namesOtherDirective(placedLine.line, block))) return [];
    return [
      {
        offset: first.offset,
        removedDirective: placedLine.line.text.slice(placedLine.line.nameStart, placedLine.line.nameEnd),
      },
    ];
  });
}

/** A section with its offset in the file. */
export interface PlacedSection {
  readonly section: Section;
  readonly offset: number;
}

/**
 * The innermost section around an offset that changes the scope. Null if there is none, so that the
 * offset is at the top level of the file.
 */
export function scopeAround(tree: Tree, offset: number): PlacedSection | null {
  const placedItems = itemsAround(tree, offset);
  for (let i = placedItems.length - 1; i >= 0; i--) {
    const { item, offset: at } = placedItems[i]!;
    if (item instanceof Section && !isTransparent(sectionKind(item.name))) return { section: item, offset: at };
  }
  return null;
}

/**
 * The commented-out access lines of 2.2 in a section; for null, those at the top level of the file.
 * Lines inside conditional sections and `<Limit>` are included.
 */
export function commentedAccess(tree: Tree, scope: PlacedSection | null): PlacedLine[] {
  const accessComments: PlacedLine[] = [];
  const walk = (list: List, base: number): void =>
    forEachItem(list, base, (item, at) => {
      if (item instanceof Section) {
        if (isTransparent(sectionKind(item.name))) walk(item.body, at + item.open.length);
      } else if (item.kind === LineKind.Comment && COMMENTED_OUT_ACCESS_LINE.test(item.text))
        accessComments.push({ line: item, offset: at });
    });
  if (scope) walk(scope.section.body, scope.offset + scope.section.open.length);
  else walk(tree.root, 0);
  return accessComments;
}

/** Matches a comment that is a commented-out access line of 2.2. */
const COMMENTED_OUT_ACCESS_LINE =
  /^\s*#+\s*(order\s+(allow\s*,\s*deny|deny\s*,\s*allow|mutual-failure)|(allow|deny)\s+from\s+\S+|satisfy\s+(any|all))\b/i;

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The comments directly above a line, and those directly above the conditional sections around the
 * line.
 */
function commentBlocksAbove(tree: Tree, offset: number): PlacedLine[] {
  const sections = itemsAround(tree, offset).flatMap(({ item, offset: at }) =>
    item instanceof Section && sectionKind(item.name) === 'conditional' ? [at] : [],
  );
  return [offset, ...sections].flatMap((at) => commentBlockAbove(tree, at));
}

/**
 * The comment lines directly above the line at an offset, from top to bottom. Ignore comments and
 * continued comments end the block.
 */
function commentBlockAbove(tree: Tree, offset: number): PlacedLine[] {
  const block: PlacedLine[] = [];
  for (let at = offset; at > 0; ) {
    const lineAbove = tree.lineAt(at - 1);
    if (!lineAbove || lineAbove.line.kind !== LineKind.Comment || lineAbove.line.isPragma || lineAbove.line.isJoined)
      break;
    block.push(lineAbove);
    at = lineAbove.offset;
  }
  return block.reverse();
}

/**
 * Matches the name of the line's directive in a comment, as a whole word. If the name is not a
 * word, such as `\`, the pattern matches nothing.
 */
function wholeWordPattern({ name }: Line): RegExp {
  return /^\w+$/.test(name) ? new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'gi') : /(?!)/g;
}

/** The edits that replace the name of the directive in a comment line. */
function* renameEditsIn({ line, offset }: PlacedLine, directiveLine: Line, newName: string): Iterable<Edit> {
  // A name such as Include is also an English word, so it is not changed in comments. A name with
  // an inner capital letter, such as MaxClients, is certainly a directive.
  if (!/[a-z][A-Z]/.test(directive(directiveLine.name, { section: false })?.name ?? '')) return;
  for (const { index, 0: word } of line.text.matchAll(wholeWordPattern(directiveLine)))
    yield { start: offset + index, end: offset + index + word.length, text: newName };
}

/**
 * Whether a comment names the directive of this line, and no other directive. False if a line of
 * the comment is a commented-out directive.
 */
function isAboutLineAlone(line: Line, block: readonly PlacedLine[]): boolean {
  const commentText = block.map((each) => each.line.text).join('');
  return wholeWordPattern(line).test(commentText) && !namesOtherDirective(line, block);
}

/**
 * Whether a comment names a directive other than that of this line. True if a line of the comment
 * is a commented-out directive.
 */
function namesOtherDirective(line: Line, block: readonly PlacedLine[]): boolean {
  if (block.some((each) => isCommentedOut(each.line.text))) return true;
  const commentText = block.map((each) => each.line.text).join('');
  return [...commentText.matchAll(/[A-Za-z]\w+/g)].some(
    ([word]) =>
      word.toLowerCase() !== line.name && /^[A-Z]/.test(word) && directive(word, { section: false }) !== undefined,
  );
}

/**
 * Whether a comment is a commented-out directive, such as `#Listen 80`, and not a sentence that
 * begins with the name of a directive.
 */
function isCommentedOut(comment: string): boolean {
  const [, firstWord, otherWords = ''] = /^[ \t]*#[ \t]*(\w+)[ \t]+(\S.*)$/m.exec(comment) ?? [];
  return (
    firstWord !== undefined &&
    directive(firstWord, { section: false }) !== undefined &&
    !/^(is|was|are|has|sets?|says?|controls?|defines?|specif(y|ies)|names?|allows?|must|should|may|can)\b/i.test(
      otherWords,
    ) &&
    otherWords.split(/\s+/).length <= 4
  );
}

/**
 * Whether the next line is a directive that is not removed. Then a comment above the removed line
 * may be about both lines.
 */
function mayBeAboutNextLine(tree: Tree, { line, offset }: PlacedLine, removedOffsets: ReadonlySet<number>): boolean {
  const nextLine = offset + line.length < tree.length ? tree.lineAt(offset + line.length) : null;
  return nextLine !== null && nextLine.line.kind === LineKind.Directive && !removedOffsets.has(nextLine.offset);
}
