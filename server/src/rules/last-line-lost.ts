import type { ConfigLine } from '../config/configuration';
import { linesOf } from '../config/loaded-modules';
import { sectionKind } from '../config/sections';
import { lexLines, LineKind, spelledName, type Line } from '../syntax/line';
import type { ConfigurationFinding, ConfigurationRule } from './rule';
import { contentSpan } from './support/edits';

/**
 * Finds the last line of a file that has no newline and stands below a Use line. mod_macro of 2.4
 * loses it (array_getstr of modules/core/mod_macro.c); mod_macro 1.1, for 2.2, read it.
 */
export const lastLineLost: ConfigurationRule = {
  id: 'last-line-lost',
  title: 'A last line without a newline, below a Use line',
  consequence: 'will not start',
  fix: 'suggestion',
  scope: 'configuration',
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
  check({ configuration, isConverted }) {
    return linesOf(configuration, 'use').flatMap((use) => {
      const last = lastLineBelow(use);
      return last === null ? [] : [findingOf(use, last, isConverted)];
    });
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** The last line of the file, if it is the one below, has no newline and means something. */
function lastLineBelow({ line, offset, file, macro, activity }: ConfigLine): Line | null {
  const { root } = file.tree;
  const start = offset + line.length;
  if (activity === 'inactive' || macro !== undefined || root.length - start > MAX_LENGTH) return null;
  const text = file.tree.text().slice(start);
  if (text === '' || text.includes('\n')) return null;
  const [last] = lexLines(text);
  return last === undefined || last.kind === LineKind.Blank || last.kind === LineKind.Comment ? null : last;
}

/** Longer lines are no lines of a configuration; httpd reads at most 8192 bytes at once. */
const MAX_LENGTH = 8192;

function findingOf(use: ConfigLine, last: Line, isConverted: boolean): ConfigurationFinding {
  const offset = use.offset + use.line.length;
  const isClose = last.kind === LineKind.Close;
  const name = isClose ? `</${spelledName(last)}>` : spelledName(last);
  const isCondition = isClose && sectionKind(last.name) === 'conditional';
  return {
    file: use.file.path,
    messageId: isClose ? 'unclosed' : 'lost',
    consequence: isClose && !isCondition ? 'will not start' : isCondition ? 'no effect' : 'ignored',
    ...contentSpan(last, offset),
    what: `\`${name}\`: 2.4 does not read this last line of the file, because it has no newline`,
    cause: 'It stands directly below a `Use` line. mod_macro of 2.2 read such a line, and mod_macro of 2.4 loses it.',
    help: 'Add a newline at the end of the file.',
    fixes: [
      {
        title: 'Add a newline at the end of the file',
        edits: [
          {
            start: offset + last.length,
            end: offset + last.length,
            text: use.line.text.endsWith('\r\n') ? '\r\n' : '\n',
          },
        ],
        ...(isConverted
          ? { safety: 'safe' as const }
          : { safety: 'suggestion' as const, assumes: '2.2 reads this line today' }),
      },
    ],
  };
}
