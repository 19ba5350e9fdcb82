import { isByteOrderMark, LineKind, spelledName } from '../syntax/line';
import { NOTHING } from './support/edits';
import type { LineRule } from './rule';

/** Finds a byte order mark, which httpd reads as part of the first word. */
export const byteOrderMark: LineRule = {
  id: 'byte-order-mark',
  title: 'An invisible byte order mark at the beginning of a file',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: [],
  oddLines: true,
  url: 'https://httpd.apache.org/docs/2.4/configuring.html',
  page: {
    what: 'The invisible character U+FEFF (bytes EF BB BF) in front of the first word. Some editors write it when they save a file as UTF-8.',
    why:
      'httpd reads bytes. The mark becomes a part of the first word, even if the word is `#`. Only httpd on Windows skips it. Editors do not show the mark. They remove ' +
      'it when you save the file as "UTF-8 without BOM".',
    httpd:
      "`AH00526: Syntax error …: Invalid command '\\\\xef\\\\xbb\\\\xbfListen', perhaps misspelled or defined by a module not included in the server configuration`, in 2.2 and " +
      '2.4. In a `.htaccess` file, requests get 500.',
    fixing:
      '- **Safe**: remove the mark. On Unix no server starts with the mark, and on Windows httpd ignores it.\n' +
      '- **Suggestion** in a `.htaccess` file: the server then serves pages that got 500 before.',
    sources: [
      'server/util.c of 2.2 and 2.4: ap_cfg_getline, ap_pcfg_openfile',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
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
    if (line.kind !== LineKind.Directive || !isByteOrderMark(line.name)) return NOTHING;
    const mark = line.name.charCodeAt(0) === 0xfeff ? 1 : 3;
    const name = spelledName(line).slice(mark);
    const isComment = name.startsWith('#');
    return [
      {
        messageId: 'byte-order-mark',
        what: isComment
          ? '`#`: an invisible byte order mark stands before this comment'
          : name === ''
            ? 'This line contains only an invisible byte order mark'
            : `\`${name}\` starts with an invisible byte order mark`,
        cause: isComment
          ? 'For httpd this line is not a comment, because the invisible mark comes before the `#`.'
          : name === ''
            ? 'httpd takes the mark for the name of a directive.'
            : 'httpd reads the invisible mark as part of the directive name.',
        help: 'Remove the byte order mark.',
        start: line.nameStart,
        end: line.nameEnd,
        fixes: [
          {
            title: 'Remove the byte order mark',
            safety: context.isHtaccess ? 'suggestion' : 'safe',
            edits: [{ start: line.nameStart, end: line.nameStart + mark, text: '' }],
          },
        ],
      },
    ];
  },
};
