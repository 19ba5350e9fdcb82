import { contentSpan, isVariable, NOTHING, quoted, removeLine, replaceContent, words } from './support/edits';
import type { Fix, LineRule } from './rule';

export const defaultType: LineRule = {
  id: 'default-type',
  title: 'DefaultType, ignored in 2.4',
  consequence: 'ignored',
  fix: 'safe',
  scope: 'line',
  names: ['defaulttype'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#defaulttype',
  page: {
    what: '`DefaultType` set the media type of files whose type is unknown. httpd 2.4 accepts the line and ignores it.',
    why:
      '2.2 sent a `Content-Type` header with every response, `text/plain` if nothing else was configured. 2.4 omits the header if it does not know the type, and the browser ' +
      'guesses the type. This matters for files without an extension, or with an extension that mime.types does not list.',
    httpd:
      '`AH00117: Ignoring deprecated use of DefaultType in line N of FILE`, a warning. Inside `<VirtualHost>`, 2.4 ignores the line without a warning. `DefaultType none` gives no warning, because 2.4 always works this way.',
    fixing:
      '- **Safe**: remove the line. 2.4 ignores it, so nothing changes in 2.4.\n' +
      '- **Suggestion**: replace it by a `Header` line that sets the type of responses without one. This needs mod_headers. If several such lines apply to a response, the ' +
      'outermost one sets the type.\n\n' +
      '`ForceType` is not a replacement, because it also changes known types. Use `ForceType` only for a set of files without any known type, such as `<FilesMatch "^[^.]+$">` (files ' +
      'without an extension). For one extension, use `AddType`.',
    sources: [
      'manual 2.4, core: DefaultType; mod_headers: Header (the note on Content-Type and setifempty)',
      'server/core.c of 2.4: set_default_type',
      'experiments: test/httpd/claims.test.ts and test/httpd/replacements.test.ts',
    ],
  },
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
  check(subject) {
    const [word, ...more] = words(subject);
    if (word === undefined || more.length > 0) return NOTHING;
    const { line } = subject;
    const removal = (title: string): Fix => ({
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
          consequence: 'deprecated',
          ...contentSpan(line),
          tag: 'unnecessary',
          fixes: [removal('Remove DefaultType none')],
        },
      ];
    }
    const fixes: Fix[] = [removal('Remove DefaultType')];
    // Header reads a `%` as a format.
    if (!isVariable(word) && /^[^%\s;]+(\s*;[^%]*)?$/.test(word.value)) {
      fixes.push({
        title: 'Change DefaultType to a Header line',
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
        ...contentSpan(line),
        tag: 'deprecated',
        fixes,
      },
    ];
  },
};
