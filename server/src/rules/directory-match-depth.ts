import { LineKind } from '../syntax/line';
import { isVariable, NOTHING, words } from './support/edits';
import type { LineRule } from './rule';
import { withoutClasses } from '../syntax/regex';

/** `<DirectoryMatch>` with `$`: the end of a path, which 2.2 never found. */
export const directoryMatchDepth: LineRule = {
  id: 'directory-match-depth',
  title: '<DirectoryMatch> with $ in its pattern, which never matched in 2.2',
  consequence: 'meaning changed',
  fix: 'none',
  scope: 'line',
  names: ['directorymatch', 'directory'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#directorymatch',
  page: {
    what: '`<DirectoryMatch>` or `<Directory ~ …>` whose pattern has a `$`. The section never applied in 2.2 and applies in 2.4.',
    why:
      '2.2 compared the pattern with the path as if more text followed. So `$` never matched, and a section whose pattern needs `$` never applied. In 2.4 `$` matches the ' +
      'end of the requested path. The section now applies to that path, but not to the paths below it. Patterns without `$` match everything below in both versions.',
    httpd: 'No message. The section applies.',
    fixing:
      'There is no automatic fix. You decide whether the section should apply now. With `$` it applies to one directory. Without `$` it also applies to everything below.',
    sources: [
      'server/request.c of 2.2 and 2.4: ap_directory_walk (REG_NOTEOL)',
      'manual 2.4, core: DirectoryMatch',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A pattern with $',
      before: '<DirectoryMatch "^/srv/www/[^/]+/private$">\n    Options None\n</DirectoryMatch>\n',
      finds: ['end-of-path'],
    },
    {
      title: 'Not reported: a pattern without $',
      before: '<DirectoryMatch "^/srv/www/[^/]+/private/">\n    Options None\n</DirectoryMatch>\n',
      finds: [],
    },
  ],
  glances: { '*': { needs: /\$/ } },
  check(subject) {
    if (subject.line.kind !== LineKind.Open) return NOTHING;
    const list = words(subject);
    const isTilde = subject.line.name === 'directory';
    if (isTilde && list[0]?.value !== '~') return NOTHING;
    const expression = list[isTilde ? 1 : 0];
    if (expression === undefined || isVariable(expression) || !hasDollar(expression.value)) return NOTHING;
    return [
      {
        messageId: 'end-of-path',
        what: '`<DirectoryMatch>` with `$` now applies; in 2.2 it never matched',
        cause: 'In 2.4 `$` matches the end of the directory path, so the lines in this section take effect.',
        help: 'Check whether you want the lines in this section.',
        start: expression.start,
        end: expression.end,
      },
    ];
  },
};

/** A `$` that is neither escaped nor in brackets. */
function hasDollar(expression: string): boolean {
  return withoutClasses(expression.replace(/\\./gs, '')).includes('$');
}
