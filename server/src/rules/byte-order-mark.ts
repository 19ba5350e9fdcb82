import { isByteOrderMark, LineKind, spelledName } from '../syntax/line';
import { NO_FINDINGS } from './support/edits';
import type { LineRule } from './rule';

/**
 * Matches byte order marks at the start of a text. A mark is one character, or three characters if
 * the file was decoded byte by byte.
 */
const BYTE_ORDER_MARKS = /^(?:\ufeff|\u00ef\u00bb\u00bf)+/;

/** Finds a byte order mark, which httpd reads as part of the first word. */
export const byteOrderMark: LineRule = {
  id: 'byte-order-mark',
  title: 'An invisible byte order mark at the beginning of a file',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  names: [],
  checksOddLines: true,
  url: 'https://httpd.apache.org/docs/2.4/configuring.html',
  examples: [
    {
      title: 'A byte order mark before a directive',
      before: '\uFEFFListen 80\n',
      after: 'Listen 80\n',
      finds: ['byte-order-mark'],
    },
    {
      title: 'A byte order mark before a comment',
      before: '\uFEFF# The server\nTimeout 60\n',
      after: '# The server\nTimeout 60\n',
      finds: ['byte-order-mark'],
    },
  ],
  check({ line, context }) {
    if (line.kind !== LineKind.Directive || !isByteOrderMark(line.name)) return NO_FINDINGS;
    const markLength = BYTE_ORDER_MARKS.exec(line.name)![0].length;
    const visibleName = spelledName(line).slice(markLength);
    const isComment = visibleName.startsWith('#');
    return [
      {
        messageId: 'byte-order-mark',
        what: isComment
          ? '`#`: an invisible byte order mark stands before this comment'
          : visibleName === ''
            ? 'This line contains only an invisible byte order mark'
            : `\`${visibleName}\` starts with an invisible byte order mark`,
        cause: isComment
          ? 'For httpd this line is not a comment, because the invisible mark comes before the `#`.'
          : visibleName === ''
            ? 'httpd takes the mark for the name of a directive.'
            : 'httpd reads the invisible mark as part of the directive name.',
        help: 'Remove the byte order mark.',
        start: line.nameStart,
        end: line.nameEnd,
        fixes: [
          {
            title: 'Remove the byte order mark',
            safety: context.isHtaccess ? 'suggestion' : 'safe',
            edits: [{ start: line.nameStart, end: line.nameStart + markLength, text: '' }],
          },
        ],
      },
    ];
  },
};
