/** Makes the rows in which `check` and `plan` list old lines that the server does not read. */
import type { DormantFile } from '../analysis/upgrade-plan';
import { shellWord } from '../syntax/shell-word';
import { countWithNoun, printable } from './terminal';
import { wrapTextAfter } from './wrap';

/** Maximum number of main files for which a command is shown. */
const MAX_MAIN_FILES = 3;

/**
 * The rows and an empty row at the end; no row if `dormantFiles` is empty. `lastSentence`: the end
 * of the introduction. `paths`: the arguments for the command that converts the lines; null if no
 * command can do that. `title` styles the heading. `mayBeForBoth`: whether 2.2 may read the lines,
 * too.
 */
export function dormantRows(
  dormantFiles: readonly DormantFile[],
  lastSentence: string,
  paths: string | null,
  title: (text: string) => string,
  mayBeForBoth = false,
): readonly string[] {
  if (dormantFiles.length === 0) return [];
  return [
    title('Old lines not read by the server'),
    ...wrapTextAfter(
      '  ',
      `They are in comments, in conditions that are false, or in files that nothing includes. ${lastSentence}`,
    ),
    ...dormantFiles.flatMap(({ file, lines }) =>
      wrapTextAfter('    ', `${printable(file)}: ${countWithNoun(lines, 'old line')}`),
    ),
    ...(paths === null
      ? []
      : dormantFiles
          .filter(({ isMainFile }) => isMainFile)
          .slice(0, MAX_MAIN_FILES)
          .flatMap(({ file }) => [
            ...wrapTextAfter(
              '  ',
              `${printable(file)} is a main file, too. If a server starts with it, convert both together, because they share files:`,
            ),
            `    httpd-upgrade plan ${printable(`${paths} ${shellWord(file)}`)}`,
          ])),
    ...(paths === null
      ? []
      : [
          ...wrapTextAfter(
            '  ',
            `You can leave these lines. If you want them converted anyway, without a look at the rest of the configuration${mayBeForBoth ? ' (add --keep-both if 2.2 reads them, too)' : ''}:`,
          ),
          `    httpd-upgrade fix --write --dormant ${printable(paths)}`,
          ...wrapTextAfter(
            '  ',
            'If the server will read them later, do not use this command: convert them with the whole configuration. For a file, add an Include line for it, and run:',
          ),
          `    httpd-upgrade plan ${printable(paths)}`,
          '  For a section in <IfDefine NAME>, run:',
          `    httpd-upgrade plan -D NAME ${printable(paths)}`,
        ]),
    '',
  ];
}
