/** Writes a Require tree as an administrator would write it. */
import type { Tree24 } from './model';

/** How a Require tree is printed. */
export interface PrintStyle {
  /** The indentation of each line. */
  readonly indent: string;
  /** The additional indentation of each inner level. */
  readonly indentStep: string;
  readonly eol: string;
  /** Comments to write after single operands of Require lines. Absent if there are none. */
  readonly notes?: OperandNotes;
}

/**
 * Comments in the old lines about single operands. They are printed above the new lines with these
 * operands.
 */
export interface OperandNotes {
  /** The number of the comment about an operand, or -1 if there is none. */
  noteOf(provider: string, operand: string): number;
  /**
   * Returns the lines of a comment at the first call for it. Later calls return an empty list, so
   * that no comment is printed twice.
   */
  takeComments(note: number): readonly string[];
}

/**
 * Prints the lines of a section's Require tree, each with its line end. If the top of the tree is a
 * RequireAny, its lines are printed without the container: lines at the top level are alternatives
 * anyway.
 */
export function printTree(tree: Tree24, style: PrintStyle): string {
  return topLevelTrees(tree)
    .flatMap((child) => printedLines(child, style, 0))
    .map((line) => `${style.indent}${line}${style.eol}`)
    .join('');
}

/** The tree as a single Require line. Null if it needs a container or several lines. */
export function textIfOneLine(tree: Tree24): string | null {
  const lines = topLevelTrees(tree).flatMap((child) => printedLines(child, { indent: '', indentStep: '', eol: '' }, 0));
  return lines.length === 1 ? lines[0]! : null;
}

/**
 * Maximum number of operands on a line. Longer lines are hard to read, and 2.4 refuses lines of
 * more than 8192 bytes in .htaccess files.
 */
const MAX_OPERANDS_PER_LINE = 20;

// ---------------------------------------------------------------------------------------------------------------------

function topLevelTrees(tree: Tree24): readonly Tree24[] {
  return tree.type === 'any' ? tree.inner : [tree];
}

/**
 * Prints a tree at a depth of nesting. `isAlternative`: whether one matching line is enough, as in
 * a RequireAny. Then many operands can be divided among several lines. It is the reverse for `not`:
 * its operands can be divided only if all lines must match.
 */
function printedLines(tree: Tree24, style: PrintStyle, depth: number, isAlternative = true): string[] {
  const indent = style.indentStep.repeat(depth);
  switch (tree.type) {
    case 'granted':
      return [`${indent}Require all granted`];
    case 'denied':
      return [`${indent}Require all denied`];
    case 'user':
      return [`${indent}Require ${tree.requirement.text}`];
    case 'match':
      return matchLines(tree, `${indent}Require`, style, indent, isAlternative);
    case 'not':
      if (tree.inner.type !== 'match')
        return printedLines(tree.inner, style, depth, isAlternative).map((line) =>
          line.replace('Require ', 'Require not '),
        );
      return matchLines(tree.inner, `${indent}Require not`, style, indent, !isAlternative);
    case 'other':
      return [`${indent}Require ${tree.text}`];
    case 'limited':
      return containerLines(
        tree.isExcept ? 'LimitExcept' : 'Limit',
        [tree.inner],
        style,
        depth,
        tree.methods.join(' '),
      );
    case 'none':
      return containerLines('RequireNone', tree.inner, style, depth);
    case 'method':
      return [`${indent}Require ${tree.isNegated ? 'not ' : ''}method ${tree.methods.join(' ')}`];
    case 'any':
      return containerLines('RequireAny', tree.inner, style, depth);
    case 'all':
      // In a RequireAll all lines must match, so operands on several lines need a RequireAny.
      return containerLines(
        'RequireAll',
        tree.inner.map((child) => (needsSeveralLines(child) ? { type: 'any', inner: [child] } : child)),
        style,
        depth,
        '',
        false,
      );
  }
}

/**
 * The Require lines for some operands. `lineStart`: the text before the provider, such as `Require
 * not`. `maySplitLine`: whether the operands may be divided among several lines.
 */
function matchLines(
  { provider, operands }: Extract<Tree24, { type: 'match' }>,
  lineStart: string,
  { notes }: PrintStyle,
  indent: string,
  maySplitLine: boolean,
): string[] {
  const writeLines = (operandsOfNote: readonly string[]) =>
    splitIntoLines(operandsOfNote).map(
      (lineOperands) => `${lineStart} ${provider} ${lineOperands.map(quotedOperand).join(' ')}`,
    );
  if (!notes) return writeLines(operands);
  const operandsByNote = new Map<number, string[]>();
  for (const operand of operands) {
    const noteNumber = notes.noteOf(provider, operand);
    const operandsOfNote = operandsByNote.get(noteNumber);
    if (operandsOfNote) operandsOfNote.push(operand);
    else operandsByNote.set(noteNumber, [operand]);
  }
  // Operands without a comment come first. If they came after a comment, readers would think that
  // the comment is also about these operands.
  const operandsInNoteOrder = [...operandsByNote].sort(([a], [b]) => a - b);
  const commentsOf = (note: number) => notes.takeComments(note).map((text) => `${indent}${text}`);
  if (!maySplitLine) return [...operandsInNoteOrder.flatMap(([note]) => commentsOf(note)), ...writeLines(operands)];
  return operandsInNoteOrder.flatMap(([note, operandsOfNote]) => [...commentsOf(note), ...writeLines(operandsOfNote)]);
}

/**
 * The lines of a container with its children. `words`: the arguments in the tag. `isAlternative`:
 * as in `printedLines`, for the children.
 */
function containerLines(
  name: string,
  children: readonly Tree24[],
  style: PrintStyle,
  depth: number,
  words = '',
  isAlternative = true,
): string[] {
  const indent = style.indentStep.repeat(depth);
  return [
    `${indent}<${name}${words && ` ${words}`}>`,
    ...children.flatMap((child) => printedLines(child, style, depth + 1, isAlternative)),
    `${indent}</${name}>`,
  ];
}

function needsSeveralLines(tree: Tree24): boolean {
  return tree.type === 'match' && tree.operands.length > MAX_OPERANDS_PER_LINE;
}

/** Splits operands into the lists for each line. */
function splitIntoLines(operands: readonly string[]): (readonly string[])[] {
  const operandLists: (readonly string[])[] = [];
  for (let i = 0; i < operands.length; i += MAX_OPERANDS_PER_LINE)
    operandLists.push(operands.slice(i, i + MAX_OPERANDS_PER_LINE));
  return operandLists;
}

/**
 * Puts an operand in quotes if it contains spaces, quotes or backslashes. The names of environment
 * variables may contain any character.
 */
function quotedOperand(operand: string): string {
  return /[\s"'\\]/.test(operand) ? `"${operand.replace(/(["\\])/g, '\\$1')}"` : operand;
}
