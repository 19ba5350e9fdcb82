/** How `check` and `plan` show old lines that the server does not read. */
import type { DormantFile } from '../analysis/upgrade-plan';
import { amount, printable } from './terminal';
import { hanging } from './wrap';

/**
 * The rows, with an empty one at the end; none if there is nothing. `lead`: the last sentence of the
 * explanation. `paths`: for the command that converts them; null if it cannot write.
 */
export function dormantRows(
  dormant: readonly DormantFile[],
  lead: string,
  paths: string | null,
  title: (text: string) => string,
): readonly string[] {
  if (dormant.length === 0) return [];
  return [
    title('Old lines not read by the server'),
    ...hanging('  ', `They are in comments, in conditions that are false, or in files that nothing includes. ${lead}`),
    ...dormant.flatMap(({ file, lines }) => hanging('    ', `${printable(file)}: ${amount(lines, 'old line')}`)),
    ...(paths === null
      ? []
      : ['  To convert them, too:', `    httpd-upgrade fix --write --dormant ${printable(paths)}`]),
    '',
  ];
}
