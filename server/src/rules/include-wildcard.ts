import { argumentsOf } from '../syntax/line';
import { nameSpan, NO_FINDINGS, renameDirective } from './support/edits';
import type { LineRule } from './rule';

export const includeWildcard: LineRule = {
  id: 'include-wildcard',
  title: 'Include with a wildcard, which fails in 2.4 if no file matches',
  consequence: 'check before the upgrade',
  since: 0,
  fix: 'safe',
  checks: 'line',
  names: ['include'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#includeoptional',
  examples: [
    {
      title: 'A directory with several files',
      before: 'Include conf.d/*.conf\n',
      after: 'IncludeOptional conf.d/*.conf\n',
      finds: ['wildcard'],
    },
    {
      title: 'Not reported: a file or a directory',
      before: 'Include extra/httpd-ssl.conf\nInclude sites-enabled/\n',
      finds: [],
    },
  ],
  check({ line }) {
    const [path, ...more] = argumentsOf(line);
    if (path === undefined || more.length > 0) return NO_FINDINGS;
    // The packages of Red Hat always have files in conf.modules.d, and the plan advises to write
    // this line.
    if (path.value.endsWith('conf.modules.d/*.conf')) return NO_FINDINGS;
    const lastSlash = path.value.lastIndexOf('/');
    if (!isWildcard(path.value.slice(lastSlash + 1)) || isWildcard(path.value.slice(0, lastSlash + 1)))
      return NO_FINDINGS;
    return [
      {
        messageId: 'wildcard',
        what: '`Include` with a wildcard fails in 2.4 if no file matches',
        cause: 'httpd 2.2 ignored the line if the directory existed and no file matched.',
        help: 'Use `IncludeOptional`: it ignores a wildcard without a match, as `Include` did in 2.2.',
        helpForBothVersions:
          'Keep the line, and keep one file that always matches, even an empty one: then both versions read the line. Only 2.4 knows `IncludeOptional`.',
        isReadByBoth: true,
        ...nameSpan(line),
        fixes: [
          {
            title: 'Rename Include to IncludeOptional',
            safety: 'safe',
            edits: [renameDirective(line, 'IncludeOptional')],
          },
        ],
      },
    ];
  },
};

/** Whether httpd takes the text for a wildcard, by the rules of apr_fnmatch_test. */
function isWildcard(text: string): boolean {
  const withoutEscapes = text.replace(/\\./g, '');
  if (/[*?]/.test(withoutEscapes)) return true;
  return withoutEscapes.split('/').some((part) => part.includes('[') && part.lastIndexOf(']') > part.indexOf('['));
}
