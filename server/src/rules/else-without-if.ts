import { LineKind } from '../syntax/line';
import { contentSpan, NO_FINDINGS } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { Member, SectionRule } from './rule';

export const elseWithoutIf: SectionRule = {
  id: 'else-without-if',
  title: '<Else> or <ElseIf> without an <If> before it',
  consequence: 'will not start',
  fix: 'none',
  checks: 'section',
  names: ['if', 'elseif', 'else'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#elseif',
  examples: [
    {
      title: 'An If section in another section',
      before:
        '<If "%{HTTPS} == \'on\'">\n</If>\n<Directory "/srv/www">\n    <Else>\n        Options None\n    </Else>\n</Directory>\n',
      finds: ['alone'],
    },
    {
      title: 'Two Else sections after one If',
      before:
        '<Directory "/srv/www">\n    <If "true">\n    </If>\n    <Else>\n    </Else>\n    <Else>\n    </Else>\n</Directory>\n',
      finds: ['alone'],
    },
  ],
  check({ members, tag, context, facts }) {
    // The `<If>` may be in an included file or a macro.
    if (context.containers.includes('macro') || hasFact(facts, Fact.includes)) return NO_FINDINGS;
    // If another file includes this one, the `<If>` may be in the other file.
    const mayFollowOtherFile = tag === null && !context.isHtaccess && !hasFact(facts, Fact.isRoot);
    const openingTags = members.filter(({ line }) => line.kind === LineKind.Open);
    return openingTags.flatMap((member, index) => {
      if (
        member.line.name === 'if' ||
        member.activity === 'inactive' ||
        mayFollowIf(openingTags, index, mayFollowOtherFile)
      )
        return [];
      const sectionTag = member.line.name === 'else' ? '<Else>' : '<ElseIf>';
      return [
        {
          messageId: 'alone',
          what: `\`${sectionTag}\` has no \`<If>\` before it`,
          help: 'Move the section directly after the `</If>` of an `<If>` in the same enclosing section.',
          serverText: '<Else> or <ElseIf> section without previous <If> or <ElseIf> section in same scope',
          ...contentSpan(member.line, member.offset),
        },
      ];
    });
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Whether an `<If>` or `<ElseIf>` is before the section of the tag at `index`. Also true if another
 * file may have it (`mayFollowOtherFile`).
 */
function mayFollowIf(openingTags: readonly Member[], index: number, mayFollowOtherFile: boolean): boolean {
  for (let earlierIndex = index - 1; earlierIndex >= 0; earlierIndex--) {
    if (openingTags[earlierIndex]!.activity === 'inactive') continue;
    if (openingTags[earlierIndex]!.line.name !== 'else') return true;
    if (openingTags[earlierIndex]!.activity === 'active') return false;
  }
  return mayFollowOtherFile;
}
