/** What a name or an argument in the text is, and what became of it. */
import { MarkupKind, type Hover } from 'vscode-languageserver-types';
import { targetName, type Target } from '../config/target';
import type { Tree } from '../syntax/document';
import { LineKind } from '../syntax/line';
import { rangeOf } from './convert';
import { directiveMarkdown } from './directive-markdown';
import { explainAccess } from './explain-access';
import { argumentHover, type HoverKnowledge } from './hover-argument';

/** The hover at an offset (UTF-16); null where there is nothing to say. */
export function hover(tree: Tree, offset: number, target: Target, knowledge: HoverKnowledge = {}): Hover | null {
  const placed = tree.lineAt(offset);
  if (!placed) return null;
  const { line } = placed;
  const within = offset - placed.offset;
  if (line.name === '' || within < line.nameStart) return null;
  if (within > line.nameEnd) {
    const said = argumentHover({ ...knowledge, tree, line, lineOffset: placed.offset, offset: within });
    return said && { contents: { kind: MarkupKind.Markdown, value: said.markdown }, range: rangeOf(tree, { start: placed.offset + said.start, end: placed.offset + said.end }) };
  }
  const isSection = line.kind === LineKind.Open || line.kind === LineKind.Close;
  const facts = directiveMarkdown(line.name, { section: isSection, target: targetName(target) });
  const access = explainAccess(tree, offset);
  const value = [access, facts].filter(Boolean).join('\n\n---\n\n');
  if (!value) return null;
  const span = { start: placed.offset + line.nameStart, end: placed.offset + line.nameEnd };
  return { contents: { kind: MarkupKind.Markdown, value }, range: rangeOf(tree, span) };
}
