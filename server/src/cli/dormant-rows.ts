/** Makes the rows in which `check` and `plan` list old lines that the server does not read. */
import type { DormantFile } from '../analysis/upgrade-plan';
import { amount, printable } from './terminal';
import { hanging } from './wrap';

/**
 * Returns the rows and an empty row at the end; no row if there are no such lines. `lead`: the last
 * sentence of the introduction. `paths`: the paths for the command that converts the lines; null if
 * it cannot write.
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
      : [
          '  To convert them, too, each part by itself:',
          `    httpd-upgrade fix --write --dormant ${printable(paths)}`,
          ...hanging(
            '  ',
            'Will the server read a part later? Then first enable its file, or name its condition with -D NAME, and run plan: that also looks at other sections and .htaccess files.',
          ),
        ]),
    '',
  ];
}
