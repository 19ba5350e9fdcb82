/** How `check` and `plan` show old lines that the server does not read. */
import type { DormantFile } from '../analysis/upgrade-plan';
import { amount, printable } from './terminal';
import { hanging } from './wrap';

/**
 * The rows, with an empty one at the end; none if there is nothing. `lead`: the sentence before the
 * command that changes them.
 */
export function dormantRows(
  dormant: readonly DormantFile[],
  lead: string,
  title: (text: string) => string,
): readonly string[] {
  if (dormant.length === 0) return [];
  return [
    title('Old lines not read by the server'),
    ...hanging(
      '  ',
      `They are in comments, in conditions that are false, or in files that nothing includes. ${lead} fix --write --dormant converts them.`,
    ),
    ...dormant.flatMap(({ file, lines }) => hanging('    ', `${printable(file)}: ${amount(lines, 'old line')}`)),
    '',
  ];
}
