import { differencesIn22, LineKind, logicalLength, spelledName, type Line } from '../syntax/line';
import { NOTHING, short } from './support/edits';
import type { LineRule } from './rule';

/**
 * Finds lines of more than 8 KiB. They are an error in a `.htaccess` file of 2.4, and 2.2 cuts them
 * into two lines.
 */
export const lineTooLong: LineRule = {
  id: 'line-too-long',
  title: 'A line of more than 8,192 bytes, which 2.2 and 2.4 read differently',
  consequence: 'will not start',
  fix: 'none',
  scope: 'line',
  names: [],
  oddLines: true,
  url: 'https://httpd.apache.org/docs/2.4/configuring.html#syntax',
  page: {
    what: 'A line of more than 8,192 bytes, including the lines that continue it. Comments count as well.',
    why:
      '2.4 has a limit for the lines of a `.htaccess` file, and a longer line causes an error for all requests below. In the main configuration 2.4 accepts lines of up to 16 MiB.\n\n' +
      '2.2 cut every line after 8,191 bytes and read the rest as a new line. In 2.4 the rest belongs to the line.',
    httpd:
      'In a `.htaccess` file: `…/.htaccess: Error reading …/.htaccess at line 1: Line too long`, and requests get 500. In the main configuration there is no message.',
    fixing:
      'There is no automatic fix. Split the line: use several `RewriteCond` lines, or a `RewriteMap` for a long list of alternatives.',
    sources: [
      'server/util.c of 2.2 and 2.4: ap_cfg_getline; server/config.c of 2.4: VARBUF_MAX_LEN, ap_parse_htaccess',
      'experiment: test/httpd/claims-removed.test.ts (the limit to the byte)',
    ],
  },
  examples: [
    {
      title: 'Not reported: a line of normal length',
      before: 'RewriteCond %{HTTP_USER_AGENT} ^(a|b|c)\n',
      finds: [],
      file: '.htaccess',
    },
  ],
  check({ line, context }) {
    const length = logicalLength(line);
    if (context.isHtaccess) {
      if (length <= HTACCESS_LIMIT) return NOTHING;
      return [
        {
          messageId: 'too-long',
          consequence: 'requests get 500',
          what: `${nameIn(line)} is on a line of ${length} bytes; ${HTACCESS_LIMIT} are allowed`,
          cause: 'The limit is for lines in .htaccess files.',
          help: 'Split the line into several directives.',
          serverText: 'Line too long',
          ...firstLine(line.text),
        },
      ];
    }
    // The rest of a comment is hardly a directive. As an error it would have stopped 2.2.
    if (line.kind === LineKind.Blank || line.kind === LineKind.Comment || !differencesIn22(line, false).includes('cut'))
      return NOTHING;
    return [
      {
        messageId: 'cut',
        what: `${nameIn(line)} is on a line of ${length} bytes; httpd 2.2 cut it`,
        cause:
          'httpd 2.2 read the text after the first 8191 bytes as another directive. httpd 2.4 reads all of the line.',
        ...firstLine(line.text),
        consequence: 'meaning changed',
      },
    ];
  },
};

/** Includes the line end. */
const HTACCESS_LIMIT = 8192;

/** The first word, for the headline. */
function nameIn(line: Line): string {
  return line.nameEnd > line.nameStart ? `\`${short(spelledName(line))}\`` : '`#`';
}

function firstLine(text: string): { start: number; end: number } {
  return { start: 0, end: /^[^\r\n]*/.exec(text)![0].length };
}
