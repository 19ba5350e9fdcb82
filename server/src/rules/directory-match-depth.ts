import { LineKind } from '../syntax/line';
import { containsVariable, NO_FINDINGS, wordsOfInput } from './support/edits';
import type { LineRule } from './rule';
import { withoutClasses } from '../syntax/regex';

/** Finds a `$` in `<DirectoryMatch>`. In 2.2 it never matches the end of a path, in 2.4 it does. */
export const directoryMatchDepth: LineRule = {
  id: 'directory-match-depth',
  title: '<DirectoryMatch> with $ in its pattern, which never matched in 2.2',
  consequence: 'meaning changed',
  since: 0,
  fix: 'none',
  checks: 'line',
  names: ['directorymatch', 'directory'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#directorymatch',
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
  check(ruleInput) {
    if (ruleInput.line.kind !== LineKind.Open) return NO_FINDINGS;
    const argumentWords = wordsOfInput(ruleInput);
    const needsTilde = ruleInput.line.name === 'directory';
    if (needsTilde && argumentWords[0]?.value !== '~') return NO_FINDINGS;
    const regexWord = argumentWords[needsTilde ? 1 : 0];
    if (regexWord === undefined || containsVariable(regexWord) || !hasPlainDollar(regexWord.value)) return NO_FINDINGS;
    return [
      {
        messageId: 'end-of-path',
        what: '`<DirectoryMatch>` with `$` can apply in 2.4; in 2.2 it never matched',
        cause:
          'In 2.4 `$` matches the end of the path of the requested file or directory. So the section can apply to a plain file, and `/a$` does not apply to the files in `/a`.',
        help: 'To keep what 2.2 does, remove the section. If it should apply to a directory and all that is in it, write the pattern without `$`.',
        start: regexWord.start,
        end: regexWord.end,
      },
    ];
  },
};

/** Whether there is a `$` that is not escaped and not in brackets. */
function hasPlainDollar(expression: string): boolean {
  return withoutClasses(expression.replace(/\\./gs, '')).includes('$');
}
