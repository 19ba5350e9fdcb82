import { isTransparent, sectionKind } from '../config/sections';
import { contentEnd, contentStart } from '../syntax/line';
import { forEachItem, Section, textOf, type List } from '../syntax/tree';
import type { Finding, SectionRule } from './rule';

/** Finds access control of 2.2 in a `<Perl>` section, which the conversion cannot read. */
export const accessInPerl: SectionRule = {
  id: 'access-in-perl',
  title: 'Perl code that writes Order, Allow, Deny or Satisfy lines',
  consequence: 'deprecated',
  fix: 'none',
  checks: 'section',
  names: ['perl'],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html#access',
  examples: [
    {
      title: 'Perl code that writes Order and Allow',
      before: '<Perl>\n$Location{"/private"} = { Order => "deny,allow", Deny => "from all" };\n</Perl>\n',
      finds: ['old-words'],
    },
    {
      title: 'Not reported: Perl code without access control',
      before: '<Perl>\n$ServerAdmin = "me@example.org";\n</Perl>\n',
      finds: [],
    },
  ],
  check({ body, bodyOffset }) {
    const findings: Finding[] = [];
    const walk = (list: List, from: number): void =>
      forEachItem(list, from, (item, offset) => {
        if (!(item instanceof Section)) return;
        if (isTransparent(sectionKind(item.name))) return walk(item.body, offset + item.open.length);
        if (item.name !== 'perl') return;
        const oldWords = [
          ...new Set(
            textOf(item.body, 0, item.body.length)
              .replace(/^[ \t]*#.*$/gm, '')
              .match(OLD_ACCESS_WORDS) ?? [],
          ),
        ];
        if (oldWords.length === 0) return;
        findings.push({
          messageId: 'old-words',
          what: `${oldWords.map((word) => `\`${word}\``).join(', ')} in \`<Perl>\`: access control of 2.2`,
          cause:
            'httpd 2.4 accepts these directives only if mod_access_compat is loaded. httpd-upgrade does not convert Perl code.',
          help: 'Change the Perl code so that it writes `Require`.',
          start: offset + contentStart(item.open),
          end: offset + contentEnd(item.open),
        });
      });
    walk(body, bodyOffset);
    return findings;
  },
};

/**
 * Matches the names Order, Allow, Deny and Satisfy as hash keys (`Order => …`, `"Order"`) and at
 * the start of configuration lines (`Order deny,allow`, `Allow from`).
 */
const OLD_ACCESS_WORDS = /\b(?:Order|Allow|Deny|Satisfy)\b(?=\s*(?:=>|["'}]|from\b|(?:deny|allow)\s*,|any\b|all\b))/gi;
