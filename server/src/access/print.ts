/** A Require tree as an administrator would write it. */
import type { Tree24 } from './model';

export interface Style {
  /** In front of each line. */
  readonly indent: string;
  /** One step further in. */
  readonly step: string;
  readonly eol: string;
}

/** The lines of a section's tree, each with its line end. The top level is an implicit RequireAny. */
export function printTree(tree: Tree24, style: Style): string {
  return topLines(tree)
    .flatMap((child) => linesOf(child, style, 0))
    .map((line) => `${style.indent}${line}${style.eol}`)
    .join('');
}

/** The tree on one line, where it is one Require line; null where it takes a container or several lines. */
export function oneLine(tree: Tree24): string | null {
  const lines = topLines(tree).flatMap((child) => linesOf(child, { indent: '', step: '', eol: '' }, 0));
  return lines.length === 1 ? lines[0] : null;
}

/** Longest line of operands to write: people read them, and 2.4 reads no line of a .htaccess beyond 8192 bytes. */
const MAX_OPERANDS = 20;

// ---------------------------------------------------------------------------------------------------------------------

function topLines(tree: Tree24): readonly Tree24[] {
  return tree.type === 'any' ? tree.of : [tree];
}

function linesOf(tree: Tree24, style: Style, depth: number): string[] {
  const lead = style.step.repeat(depth);
  switch (tree.type) {
    case 'granted':
      return [`${lead}Require all granted`];
    case 'denied':
      return [`${lead}Require all denied`];
    case 'user':
      return [`${lead}Require ${tree.requirement.text}`];
    case 'match':
      return matchLines(tree, `${lead}Require`);
    case 'not':
      if (tree.of.type !== 'match') return linesOf(tree.of, style, depth).map((line) => line.replace('Require ', 'Require not '));
      return matchLines(tree.of, `${lead}Require not`);
    case 'other':
      return [`${lead}Require ${tree.text}`];
    case 'limited':
      return container(tree.isExcept ? 'LimitExcept' : 'Limit', [tree.of], style, depth, tree.methods.join(' '));
    case 'none':
      return container('RequireNone', tree.of, style, depth);
    case 'method':
      return [`${lead}Require ${tree.isNegated ? 'not ' : ''}method ${tree.methods.join(' ')}`];
    case 'any':
      return container('RequireAny', tree.of, style, depth);
    case 'all':
      // Here several lines of one kind would all have to match: a long one needs its own RequireAny.
      return container('RequireAll', tree.of.map((child) => (isLong(child) ? { type: 'any', of: [child] } : child)), style, depth);
  }
}

function matchLines({ provider, operands }: Extract<Tree24, { type: 'match' }>, lead: string): string[] {
  return chunks(operands).map((some) => `${lead} ${provider} ${some.map(quoted).join(' ')}`);
}

function container(name: string, children: readonly Tree24[], style: Style, depth: number, words = ''): string[] {
  const lead = style.step.repeat(depth);
  return [`${lead}<${name}${words && ` ${words}`}>`, ...children.flatMap((child) => linesOf(child, style, depth + 1)), `${lead}</${name}>`];
}

function isLong(tree: Tree24): boolean {
  return tree.type === 'match' && tree.operands.length > MAX_OPERANDS;
}

/** Several lines say the same as one with all operands: in a RequireAny, and for `not` in a RequireAll. */
function chunks(operands: readonly string[]): (readonly string[])[] {
  const pieces: (readonly string[])[] = [];
  for (let i = 0; i < operands.length; i += MAX_OPERANDS) pieces.push(operands.slice(i, i + MAX_OPERANDS));
  return pieces;
}

/** Names of environment variables may hold anything. */
function quoted(operand: string): string {
  return /[\s"'\\]/.test(operand) ? `"${operand.replace(/(["\\])/g, '\\$1')}"` : operand;
}
