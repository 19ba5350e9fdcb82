import { LineKind } from '../syntax/line';
import { isVariable, NOTHING, words } from './edits';
import type { LineRule } from './rule';

/** `<DirectoryMatch>` with `$`: the end of a path, which 2.2 never found. */
export const directoryMatchDepth: LineRule = {
  id: 'directory-match-depth',
  title: '<DirectoryMatch> with $ in its pattern',
  consequence: 'meaning changed',
  fix: 'none',
  scope: 'line',
  names: ['directorymatch', 'directory'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#directorymatch',
  page: {
    what: '`<DirectoryMatch>` or `<Directory ~ …>` whose pattern has a `$`. The section never applied in 2.2 and applies in 2.4.',
    why:
      '2.2 tried the expression on the path as if something followed, so that `$` matched nothing, and the section, or the alternative with the `$`, was never applied. In 2.4 `$` is the end of the path of what is asked for, as everywhere else, ' +
      'and the section comes alive: for that path, not for what is below it. Expressions without `$` match everything below in both versions.',
    httpd: 'Nothing: the section just applies.',
    fixing: 'None: whether the section should be in force now, for a directory alone or for all below it (without the `$`), a person has to decide.',
    sources: ['server/request.c of 2.2 and 2.4: ap_directory_walk (REG_NOTEOL)', 'manual 2.4, core: DirectoryMatch', 'experiment: test/httpd/claims-removed.test.ts'],
  },
  examples: [
    { title: 'The end of a path', before: '<DirectoryMatch "^/srv/www/[^/]+/private$">\n    Options None\n</DirectoryMatch>\n', finds: ['end-of-path'] },
    { title: 'Everything below', before: '<DirectoryMatch "^/srv/www/[^/]+/private/">\n    Options None\n</DirectoryMatch>\n', finds: [] },
  ],
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
  return expression.replace(/\\./gs, '').replace(/\[\^?\]?[^\]]*\]/g, '').includes('$');
}
