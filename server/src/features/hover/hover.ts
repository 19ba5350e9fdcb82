/** The hover of a name or an argument. */
import { MarkupKind, type Hover } from 'vscode-languageserver-types';
import { itemsAround } from '../../analysis/suppression';
import { conditionResultFor } from '../../config/inactive';
import { sectionKind } from '../../config/sections';
import type { FileContext } from '../../config/file-context';
import { targetName, type Target } from '../../config/target';
import type { Tree } from '../../syntax/document';
import { argumentsOf, LineKind, type Line } from '../../syntax/line';
import { Section } from '../../syntax/tree';
import { rangeOf } from '../convert';
import { directiveMarkdown } from './directive-markdown';
import { explainAccess } from '../explain-access';
import { argumentHover, type HoverKnowledge } from './argument';
import { macroUseMarkdown } from './macro-use';
import { shortenedMarkdown, escapeMarkdown } from '../markdown-text';

/**
 * Markdown for the tag of a conditional section that says whether its condition is true, and why.
 * Empty for other lines.
 */
function conditionMarkdown(
  tree: Tree,
  { line, offset }: { readonly line: Line; readonly offset: number },
  fileContext: FileContext | null,
  target: Target,
): string {
  if (sectionKind(line.name) !== 'conditional') return '';
  const section = itemsAround(tree, offset).at(-1)?.item;
  if (!(section instanceof Section)) return '';
  const { activity, why } = conditionResultFor(section, fileContext, target);
  if (activity === 'unknown') return `**Perhaps read** by httpd ${targetName(target)}: ${escapeMarkdown(why)}.`;
  return `**${activity === 'active' ? 'Read' : 'Not read'}** by httpd ${targetName(target)}: ${escapeMarkdown(why)}.`;
}

/** Whether an offset in the line is in its first argument, or before it. */
function isFirstWord(line: Line, offsetInLine: number): boolean {
  const [firstWord] = argumentsOf(line);
  return firstWord !== undefined && offsetInLine <= firstWord.end;
}

/** The hover at a UTF-16 offset; null if there is none. */
export function hover(tree: Tree, offset: number, target: Target, knowledge: HoverKnowledge = {}): Hover | null {
  const placedLine = tree.lineAt(offset);
  if (!placedLine) return null;
  const { line } = placedLine;
  const offsetInLine = offset - placedLine.offset;
  if (line.name === '' || offsetInLine < line.nameStart) return null;
  if (offsetInLine > line.nameEnd) {
    const argumentExplanation = argumentHover({
      ...knowledge,
      tree,
      line,
      lineOffset: placedLine.offset,
      offset: offsetInLine,
    });
    const useText =
      argumentExplanation && isFirstWord(line, offsetInLine)
        ? macroUseMarkdown(tree, line, knowledge.fileContext ?? null, target)
        : '';
    return (
      argumentExplanation && {
        contents: {
          kind: MarkupKind.Markdown,
          value: shortenedMarkdown([argumentExplanation.markdown, useText].filter(Boolean).join('\n\n---\n\n')),
        },
        range: rangeOf(tree, {
          start: placedLine.offset + argumentExplanation.start,
          end: placedLine.offset + argumentExplanation.end,
        }),
      }
    );
  }
  const isSection = line.kind === LineKind.Open || line.kind === LineKind.Close;
  const access = explainAccess(tree, offset, { isShort: true });
  // If there is an access table, it explains the directive. The table and the facts must fit
  // without scrolling, so the facts are then short.
  const facts = directiveMarkdown(line.name, {
    isSection,
    target: targetName(target),
    isShort: access !== null,
  });
  const unreadNote =
    knowledge.unreadReason === undefined
      ? ''
      : `**Not read** by httpd ${targetName(target)}: ${escapeMarkdown(knowledge.unreadReason)}.`;
  const hoverParts = [
    unreadNote,
    conditionMarkdown(tree, placedLine, knowledge.fileContext ?? null, target),
    macroUseMarkdown(tree, line, knowledge.fileContext ?? null, target),
    access,
    facts,
  ]
    .filter(Boolean)
    .join('\n\n---\n\n');
  if (!hoverParts) return null;
  const span = { start: placedLine.offset + line.nameStart, end: placedLine.offset + line.nameEnd };
  return { contents: { kind: MarkupKind.Markdown, value: shortenedMarkdown(hoverParts) }, range: rangeOf(tree, span) };
}
