import { appendWord, shortened, wordsOfInput } from './support/edits';
import type { LineRule } from './rule';
import { fittingTitle } from './support/fix-title';
import { spelledName } from '../syntax/line';

/** Finds arguments that are only the end of a parameter's name. 2.4 compares only whole names. */
export const cacheIgnoreSessionIds: LineRule = {
  id: 'cache-ignore-session-ids',
  title: 'CacheIgnoreURLSessionIdentifiers with only a part of a parameter name',
  consequence: 'meaning changed',
  since: 0,
  fix: 'suggestion',
  checks: 'line',
  names: ['cacheignoreurlsessionidentifiers'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_cache.html#cacheignoreurlsessionidentifiers',
  examples: [
    {
      title: 'A part of the name (Java applications)',
      before: 'CacheIgnoreURLSessionIdentifiers sessionid\n',
      after: 'CacheIgnoreURLSessionIdentifiers sessionid jsessionid\n',
      finds: ['part'],
    },
    {
      title: 'Not reported: the whole name',
      before: 'CacheIgnoreURLSessionIdentifiers jsessionid PHPSESSID\n',
      finds: [],
    },
  ],
  check(ruleInput) {
    const identifiers = wordsOfInput(ruleInput);
    const missingNames = (part: string) =>
      WELL_KNOWN_SESSION_PARAMETERS.filter(
        (name) => name !== part && name.endsWith(part) && !identifiers.some((word) => word.value === name),
      );
    return identifiers
      .filter((word) => word.value.length >= 3 && missingNames(word.value).length > 0)
      .map((word) => {
        const lostNames = missingNames(word.value);
        return {
          messageId: 'part',
          what: `\`CacheIgnoreURLSessionIdentifiers\`: \`${shortened(word.value, 12)}\` no longer matches parts of names`,
          cause: `httpd 2.4 compares whole names. This line no longer matches ${lostNames.join(', ')}.`,
          help: 'Add the full names of the session identifiers that your applications use.',
          start: word.start,
          end: word.end,
          fixes: [
            {
              title: fittingTitle(
                `Add ${lostNames.join(' ')} to ${spelledName(ruleInput.line)}`,
                `Add ${lostNames.join(' ')}`,
              ),
              safety: 'suggestion' as const,
              assumes: `the cached pages do not depend on ${lostNames.join(', ')}`,
              edits: [appendWord(ruleInput.line, lostNames.join(' '))],
            },
          ],
        };
      });
  },
};

/** Well-known names of session parameters. Both versions distinguish upper and lower case. */
const WELL_KNOWN_SESSION_PARAMETERS = ['jsessionid', 'JSESSIONID', 'PHPSESSID', 'phpsessid'];
