/** Writes a Require tree in the style of an administrator. */
import type { Tree24 } from './model';

export interface PrintStyle {
  /** The indentation of each line. */
  readonly indent: string;
  /** The additional indentation of each inner level. */
  readonly indentStep: string;
  readonly eol: string;
  /** Comments about single operands. */
  readonly notes?: OperandNotes;
}

/**
 * Comments of the old lines about their operands. They are printed above the new lines with these
 * operands.
 */
export interface OperandNotes {
  /** The number of the note about an operand; -1 if it has none. */
  noteOf(provider: string, operand: string): number;
  /** Returns the comment lines of a note at the first call, and an empty list at later calls. */
  takeComments(note: number): readonly string[];
}

/**
 * Prints the lines of a section's Require tree, each with its line end. Lines at the top level are
 * alternatives, as in a RequireAny.
 */
export function printTree(tree: Tree24, style: PrintStyle): string {
  return topLevelTrees(tree)
    .flatMap((child) => linesOf(child, style, 0))
    .map((line) => `${style.indent}${line}${style.eol}`)
    .join('');
}

/** The tree as a single Require line. Null if it needs a container or several lines. */
export function textIfOneLine(tree: Tree24): string | null {
  const lines = topLevelTrees(tree).flatMap((child) => linesOf(child, { indent: '', indentStep: '', eol: '' }, 0));
  return lines.length === 1 ? lines[0]! : null;
}

/**
 * Maximum operands on a line, for readers, and because 2.4 refuses lines of a .htaccess file beyond
 * 8192 bytes.
 */
const MAX_OPERANDS_PER_LINE = 20;

// ---------------------------------------------------------------------------------------------------------------------

function topLevelTrees(tree: Tree24): readonly Tree24[] {
  return tree.type === 'any' ? tree.inner : [tree];
}

/**
 * Prints a tree at a depth of nesting. `isAlternative`: whether one matching line is enough, so
 * that operands can be on several lines. For `not`, the reverse is true.
 */
function linesOf(tree: Tree24, style: PrintStyle, depth: number, isAlternative = true): string[] {
  const lead = style.indentStep.repeat(depth);
  switch (tree.type) {
    case 'granted':
      return [`${lead}Require all granted`];
    case 'denied':
      return [`${lead}Require all denied`];
    case 'user':
      return [`${lead}Require ${tree.requirement.text}`];
    case 'match':
      return matchLines(tree, `${lead}Require`, style, lead, isAlternative);
    case 'not':
      if (tree.inner.type !== 'match')
        return linesOf(tree.inner, style, depth, isAlternative).map((line) => line.replace('Require ', 'Require not '));
      return matchLines(tree.inner, `${lead}Require not`, style, lead, !isAlternative);
    case 'other':
      return [`${lead}Require ${tree.text}`];
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
      return [`${lead}Require ${tree.isNegated ? 'not ' : ''}method ${tree.methods.join(' ')}`];
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

function matchLines(
  { provider, operands }: Extract<Tree24, { type: 'match' }>,
  start: string,
  { notes }: PrintStyle,
  indent: string,
  maySplit: boolean,
): string[] {
  const write = (some: readonly string[]) =>
    operandsByLine(some).map((chunk) => `${start} ${provider} ${chunk.map(quotedOperand).join(' ')}`);
  if (!notes) return write(operands);
  const byNote = new Map<number, string[]>();
  for (const operand of operands) {
    const note = notes.noteOf(provider, operand);
    const some = byNote.get(note);
    if (some) some.push(operand);
    else byNote.set(note, [operand]);
  }
  // Operands without a note come first. After a comment, they would seem to belong to it.
  const sorted = [...byNote].sort(([a], [b]) => a - b);
  const comments = (note: number) => notes.takeComments(note).map((text) => `${indent}${text}`);
  if (!maySplit) return [...sorted.flatMap(([note]) => comments(note)), ...write(operands)];
  return sorted.flatMap(([note, some]) => [...comments(note), ...write(some)]);
}

function containerLines(
  name: string,
  children: readonly Tree24[],
  style: PrintStyle,
  depth: number,
  words = '',
  isAlternative = true,
): string[] {
  const lead = style.indentStep.repeat(depth);
  return [
    `${lead}<${name}${words && ` ${words}`}>`,
    ...children.flatMap((child) => linesOf(child, style, depth + 1, isAlternative)),
    `${lead}</${name}>`,
  ];
}

function needsSeveralLines(tree: Tree24): boolean {
  return tree.type === 'match' && tree.operands.length > MAX_OPERANDS_PER_LINE;
}

/**
 * Splits operands for several lines. In a RequireAny, and for `not` in a RequireAll, they have the
 * same meaning as one line.
 */
function operandsByLine(operands: readonly string[]): (readonly string[])[] {
  const pieces: (readonly string[])[] = [];
  for (let i = 0; i < operands.length; i += MAX_OPERANDS_PER_LINE)
    pieces.push(operands.slice(i, i + MAX_OPERANDS_PER_LINE));
  return pieces;
}

/**
 * Quotes an operand if it needs quotes, because the name of an environment variable may contain any
 * character.
 */
function quotedOperand(operand: string): string {
  return /[\s"'\\]/.test(operand) ? `"${operand.replace(/(["\\])/g, '\\$1')}"` : operand;
}
