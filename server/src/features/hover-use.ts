/** What a Use brings in, for people: the lines of the macro with its arguments, as the server reads them. */
import { digestOf } from '../config/digest';
import type { Expansion } from '../config/macro';
import { ownUses } from '../config/own-uses';
import type { Surroundings } from '../config/surroundings';
import type { Target } from '../config/target';
import type { Tree } from '../syntax/document';
import type { Line } from '../syntax/line';

/** More lines than these nobody reads in a hover. */
const MOST_LINES = 40;

/** '' where the line is no Use, or nobody knows what it brings in. */
export function useMarkdown(tree: Tree, line: Line, surroundings: Surroundings | null, target: Target): string {
  if (line.name !== 'use') return '';
  const uses = surroundings?.uses === undefined ? ownUses(digestOf(tree.root), surroundings?.macros ?? null, target) : surroundings.uses;
  const answer = uses?.of(line) ?? null;
  return answer?.kind === 'expands' ? expansionMarkdown(answer) : '';
}

// ---------------------------------------------------------------------------------------------------------------------

function expansionMarkdown({ text }: Expansion): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return 'Brings in nothing.';
  const shown = lines.slice(0, MOST_LINES).join('\n');
  const fence = '`'.repeat(Math.max(3, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const more = lines.length > MOST_LINES ? `\n\n… and ${lines.length - MOST_LINES} more lines.` : '';
  return `Brings in:\n\n${fence}apacheconf\n${shown}\n${fence}${more}`;
}
