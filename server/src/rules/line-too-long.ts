import { differencesIn22, LineKind, logicalByteLength, spelledName, type Line } from '../syntax/line';
import { NO_FINDINGS, shortened } from './support/edits';
import type { LineRule } from './rule';

/**
 * Finds lines of more than 8 KiB. They are an error in a `.htaccess` file of 2.4, and 2.2 cuts them
 * into two lines.
 */
export const lineTooLong: LineRule = {
  id: 'line-too-long',
  title: 'A line of more than 8,192 bytes, which 2.2 and 2.4 read differently',
  consequence: 'will not start',
  since: 0,
  fix: 'none',
  checks: 'line',
  names: [],
  checksOddLines: true,
  url: 'https://httpd.apache.org/docs/2.4/configuring.html#syntax',
  examples: [
    {
      title: 'Not reported: a line of normal length',
      before: 'RewriteCond %{HTTP_USER_AGENT} ^(a|b|c)\n',
      finds: [],
      file: '.htaccess',
    },
  ],
  check({ line, context }) {
    const byteCount = logicalByteLength(line);
    if (context.isHtaccess) {
      if (byteCount <= HTACCESS_LIMIT) return NO_FINDINGS;
      return [
        {
          messageId: 'too-long',
          consequence: 'requests get 500',
          what: `${firstWord(line)}: this line has ${byteCount} bytes, and at most ${HTACCESS_LIMIT} are allowed`,
          cause: 'The limit is for lines in .htaccess files.',
          help: 'Split the line into several directives.',
          serverText: 'Line too long',
          ...spanOfFirstRow(line.text),
        },
      ];
    }
    // 2.2 reads the rest of a cut comment as a directive. If that were an error, 2.2 would not
    // start with this file, so the rule is silent about comments.
    if (line.kind === LineKind.Blank || line.kind === LineKind.Comment || !differencesIn22(line, false).includes('cut'))
      return NO_FINDINGS;
    return [
      {
        messageId: 'cut',
        what: `${firstWord(line)}: 2.2 cut this line of ${byteCount} bytes, and 2.4 reads all of it`,
        cause:
          'httpd 2.2 read the text after the first 8191 bytes as another directive. httpd 2.4 reads all of the line.',
        help: 'Check that the end of the line is right. If not, shorten the line.',
        ...spanOfFirstRow(line.text),
        consequence: 'meaning changed',
      },
    ];
  },
};

/** Maximum length of a line in an .htaccess file of 2.4: in bytes, with the line end. */
const HTACCESS_LIMIT = 8192;

/** The first word of the line in backticks, for the headline. `#` if the line has no word. */
function firstWord(line: Line): string {
  return line.nameEnd > line.nameStart ? `\`${shortened(spelledName(line))}\`` : '`#`';
}

function spanOfFirstRow(text: string): { start: number; end: number } {
  return { start: 0, end: /^[^\r\n]*/.exec(text)![0].length };
}
