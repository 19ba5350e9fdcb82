import { contentSpan } from './support/edits';
import type { SectionRule } from './rule';

export const multiviewsMatchInLimit: SectionRule = {
  id: 'multiviews-match-in-limit',
  title: 'MultiviewsMatch in <Limit>, where 2.4 rejects it',
  consequence: 'will not start',
  fix: 'none',
  checks: 'section',
  isAboutSingleLines: true,
  names: ['multiviewsmatch'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_mime.html#multiviewsmatch',
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
      .filter(({ enclosingSections }) =>
        enclosingSections.some(({ name }) => name === 'limit' || name === 'limitexcept'),
      )
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
