import { lostLastLine, type LostLine } from '../config/last-line';
import { linesOf } from '../config/loaded-modules';
import { isNewForServer } from '../config/target';
import { LineKind, spelledName } from '../syntax/line';
import type { ConfigurationFinding, ConfigurationRule } from './rule';
import { contentSpan } from './support/edits';
import { loadsModuleOf24 } from './support/facts';

/**
 * Finds the last line of a file that has no newline and stands below a Use line. mod_macro of 2.4
 * loses it (array_getstr of modules/core/mod_macro.c); mod_macro 1.1, for 2.2, read it.
 */
export const lastLineLost: ConfigurationRule = {
  id: 'last-line-lost',
  title: 'A last line without a newline, below a Use line',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'configuration',
  names: ['use'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_macro.html#use',
  examples: [
    {
      title: 'Two Use lines at the end of a file',
      before: '<Macro Port $port>\n    Listen $port\n</Macro>\nUse Port 80\nUse Port 81',
      after: '<Macro Port $port>\n    Listen $port\n</Macro>\nUse Port 80\nUse Port 81\n',
      finds: ['lost'],
    },
    {
      title: 'A section that is not closed',
      before: '<Macro All>\n    Require all granted\n</Macro>\n<Directory /srv>\n    Use All\n</Directory>',
      after: '<Macro All>\n    Require all granted\n</Macro>\n<Directory /srv>\n    Use All\n</Directory>\n',
      finds: ['unclosed'],
    },
    {
      title: 'Not reported: another line is between the two',
      before:
        '<Macro All>\n    Require all granted\n</Macro>\n<Directory /srv>\n    Use All\n    # all clients\n</Directory>',
      finds: [],
    },
  ],
  check({ configuration, isConverted, target }) {
    const isFileOf22 = () =>
      isConverted ||
      (isNewForServer(0, target) &&
        configuration.gaps.length === 0 &&
        ![...configuration.files.values()].some(({ tree }) => loadsModuleOf24(tree.root)));
    return linesOf(configuration, 'use').flatMap(({ line, file, activity, macro }) => {
      if (activity === 'inactive' || macro !== undefined) return [];
      const lostLine = lostLastLine(file.tree);
      return lostLine?.useLine === line ? [findingOf(lostLine, file.path, isFileOf22())] : [];
    });
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The finding at the lost line. `isOf22`: whether 2.2 reads the file today. Then the fix is safe,
 * because the newline keeps the line's effect.
 */
function findingOf({ useLine, lastLine, offset }: LostLine, file: string, isOf22: boolean): ConfigurationFinding {
  const isClosingTag = lastLine.kind === LineKind.Close;
  const shownName = isClosingTag ? `</${spelledName(lastLine)}>` : spelledName(lastLine);
  return {
    file,
    messageId: isClosingTag ? 'unclosed' : 'lost',
    consequence: isClosingTag ? 'will not start' : 'ignored',
    ...contentSpan(lastLine, offset),
    what: `\`${shownName}\`: 2.4 does not read this last line of the file, because it has no newline`,
    cause: 'It stands directly below a `Use` line. mod_macro of 2.2 read such a line, and mod_macro of 2.4 loses it.',
    help: 'Add a newline at the end of the file.',
    fixes: [
      {
        title: 'Add a newline at the end of the file',
        edits: [
          {
            start: offset + lastLine.length,
            end: offset + lastLine.length,
            text: useLine.text.endsWith('\r\n') ? '\r\n' : '\n',
          },
        ],
        ...(isOf22
          ? { safety: 'safe' as const }
          : { safety: 'suggestion' as const, assumes: '2.2 reads this line today' }),
      },
    ],
  };
}
