/**
 * The hover of a Use line: the lines of the macro with its arguments put in, as the server reads
 * them.
 */
import { summarize } from '../../config/file-summary';
import type { Expansion } from '../../config/macro';
import { usesFromFileAlone } from '../../config/uses-in-file';
import type { FileContext } from '../../config/file-context';
import type { Target } from '../../config/target';
import type { Tree } from '../../syntax/document';
import type { Line } from '../../syntax/line';
import { codeBlock } from '../markdown-text';

/** The hover as Markdown; '' if the line is no Use, or if it is unknown what the server reads. */
export function macroUseMarkdown(tree: Tree, line: Line, fileContext: FileContext | null, target: Target): string {
  if (line.name !== 'use') return '';
  const uses =
    fileContext?.uses === undefined
      ? usesFromFileAlone(summarize(tree.root), fileContext?.macros ?? null, target)
      : fileContext.uses;
  const useResult = uses?.resultOf(line) ?? null;
  return useResult?.kind === 'expands' ? expansionMarkdown(useResult) : '';
}

// ---------------------------------------------------------------------------------------------------------------------

/** The lines that the use of a macro brings in, as Markdown. */
function expansionMarkdown({ text }: Expansion): string {
  const expandedLines = text.split('\n').filter((line) => line.trim() !== '');
  if (expandedLines.length === 0) return 'Brings in nothing.';
  return `Brings in:\n\n${codeBlock(expandedLines.join('\n'))}`;
}
