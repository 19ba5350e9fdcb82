import { contentSpan } from './support/edits';
import type { SectionRule } from './rule';

export const multiviewsMatchInLimit: SectionRule = {
  id: 'multiviews-match-in-limit',
  title: 'MultiviewsMatch in <Limit>, where 2.4 rejects it',
  consequence: 'will not start',
  fix: 'none',
  scope: 'section',
  standsAlone: true,
  names: ['multiviewsmatch'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_mime.html#multiviewsmatch',
  page: {
    what: '`MultiviewsMatch` inside `<Limit>` or `<LimitExcept>`. httpd 2.2 accepted it there, and 2.4 does not.',
    why: '`<Limit>` is about request methods. `MultiviewsMatch` never depended on the method. 2.2 accepted the line there and applied it to all methods. 2.4 rejects the line.',
    httpd:
      '`AH00526: Syntax error …: MultiviewsMatch cannot occur within <Limit> or <LimitExcept> section`. httpd does not start. In a `.htaccess` file, requests get 500.',
    fixing: 'There is no automatic fix. Move the line out of the section, or remove it.',
    sources: [
      'modules/http/mod_mime.c of 2.2 and 2.4: multiviews_match',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'MultiviewsMatch inside a Limit section',
      before:
        '<Directory "/srv/www">\n    <Limit GET>\n        MultiviewsMatch Any\n    </Limit>\n    MultiviewsMatch Any\n</Directory>\n',
      finds: ['in-limit'],
    },
  ],
  check({ members }) {
    return members
      .filter(({ within }) => within.some(({ name }) => name === 'limit' || name === 'limitexcept'))
      .map(({ line, offset }) => ({
        messageId: 'in-limit',
        what: '`MultiviewsMatch` is no longer allowed in `<Limit>`',
        cause:
          '`MultiviewsMatch` applies to all methods, so 2.4 accepts it neither in `<Limit>` nor in `<LimitExcept>`.',
        help: 'Move the line out of the section.',
        ...contentSpan(line, offset),
      }));
  },
};
