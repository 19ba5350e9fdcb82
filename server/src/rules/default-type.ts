import {
  contentSpan,
  containsVariable,
  NO_FINDINGS,
  quoted,
  removeLine,
  replaceContent,
  wordsOfInput,
} from './support/edits';
import type { Fix, LineRule } from './rule';
import { fittingTitle } from './support/fix-title';

export const defaultType: LineRule = {
  id: 'default-type',
  title: 'DefaultType, ignored in 2.4',
  consequence: 'ignored',
  since: 0,
  fix: 'safe',
  checks: 'line',
  names: ['defaulttype'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#defaulttype',
  examples: [
    {
      title: 'The line of the httpd.conf that 2.2 installs',
      before: 'TypesConfig /etc/mime.types\nDefaultType text/plain\n',
      after: 'TypesConfig /etc/mime.types\n',
      finds: ['ignored'],
    },
    {
      title: 'DefaultType none',
      before: '<Directory "/srv/ftp">\n    DefaultType None\n</Directory>\n',
      after: '<Directory "/srv/ftp">\n</Directory>\n',
      finds: ['none'],
    },
  ],
  check(ruleInput) {
    const [word, ...more] = wordsOfInput(ruleInput);
    if (word === undefined || more.length > 0) return NO_FINDINGS;
    const { line } = ruleInput;
    const removalFix = (title: string): Fix => ({
      title,
      edits: [removeLine(line)],
      safety: 'safe',
    });
    if (word.value.toLowerCase() === 'none') {
      return [
        {
          messageId: 'none',
          what: '`DefaultType none` is no longer needed: 2.4 always works this way',
          help: 'Remove the line.',
          isReadByBoth: true,
          consequence: 'deprecated',
          ...contentSpan(line),
          tag: 'unnecessary',
          fixes: [removalFix('Remove DefaultType none')],
        },
      ];
    }
    const fixes: Fix[] = [removalFix('Remove DefaultType')];
    // In a Header line, `%` begins a format, so a value with `%` cannot be copied into it.
    if (!containsVariable(word) && /^[^%\s;]+(\s*;[^%]*)?$/.test(word.value)) {
      fixes.push({
        title: fittingTitle(
          `Write a Header line, ${word.value} for files without a type`,
          'Write a Header line for files without a type',
        ),
        safety: 'suggestion',
        assumes: 'mod_headers is loaded',
        edits: [replaceContent(line, `Header set Content-Type ${quoted(word.value)} "expr=-z %{CONTENT_TYPE}"`)],
      });
    }
    return [
      {
        messageId: 'ignored',
        what: '`DefaultType` is ignored: files of unknown type have no Content-Type',
        cause: `httpd 2.2 sent ${word.value} for such files. httpd 2.4 warns about the line (AH00117).`,
        help: 'Remove the line, or set a type with `AddType`, `ForceType` or `Header`.',
        helpForBothVersions:
          'Keep the line for 2.2: 2.4 only warns about it. For 2.4, set a type with `AddType` or `ForceType`.',
        isReadByBoth: true,
        ...contentSpan(line),
        tag: 'deprecated',
        fixes,
      },
    ];
  },
};
