import { fittingHeadline, shortened } from './support/edits';
import { nearest } from '../directives/nearest';
import type { SectionRule, Finding, Fix, IgnoreComment, IgnoredRule } from './rule';
import { titleToChange } from './support/fix-title';

/** Finds comments of this program that silence nothing, or that name an unknown rule. */
export const ignoreComment: SectionRule = {
  id: 'ignore-comment',
  title: 'A comment "# httpd-upgrade-ignore" that has no effect',
  consequence: 'probably a mistake',
  fix: 'safe',
  checks: 'section',
  names: [],
  url: 'https://httpd.apache.org/docs/2.4/configuring.html#syntax',
  examples: [
    {
      title: 'A comment with a rule that finds nothing any more',
      before: '# httpd-upgrade-ignore max-clients: the old name is known here\nMaxRequestWorkers 150\n',
      after: 'MaxRequestWorkers 150\n',
      finds: ['unused'],
    },
    {
      title: 'A comment with two rules, one of which finds nothing',
      before: '# httpd-upgrade-ignore max-clients, name-virtual-host: for the old machine\nNameVirtualHost *:80\n',
      after: '# httpd-upgrade-ignore name-virtual-host: for the old machine\nNameVirtualHost *:80\n',
      finds: ['unused'],
    },
    {
      title: 'A misspelled rule name',
      before: '# httpd-upgrade-ignore name-virtal-host\nServerName www.example.org\n',
      after: 'ServerName www.example.org\n',
      finds: ['unknown'],
    },
    {
      title: 'A comment without a rule name',
      before: '# httpd-upgrade-ignore\nServerName www.example.org\n',
      finds: ['no-rule'],
    },
  ],
  checkComments: ({ comments, ruleIds }) => comments.flatMap((comment) => findingsOf(comment, ruleIds)),
};

function findingsOf(comment: IgnoreComment, ruleIds: readonly string[]): Finding[] {
  const { line, offset, rules } = comment;
  if (rules.length === 0) {
    const start = offset + line.text.indexOf('#');
    return [
      {
        messageId: 'no-rule',
        what: '`# httpd-upgrade-ignore` names no rule',
        help: 'Write `# httpd-upgrade-ignore rule: reason` above a line or a section.',
        start,
        end: offset + line.text.trimEnd().length,
      },
    ];
  }
  return rules.flatMap((rule): Finding[] => {
    const ruleSpan = { start: offset + rule.start, end: offset + rule.end };
    if (rule.state === 'unused') {
      return [
        {
          messageId: 'unused',
          what: fittingHeadline(
            `\`# httpd-upgrade-ignore\`: the rule ${rule.id} finds nothing here`,
            '`# httpd-upgrade-ignore`: this rule finds nothing here',
          ),
          help: rules.length === 1 ? 'Remove the comment.' : `Remove ${rule.id} from the comment.`,
          ...ruleSpan,
          consequence: 'no effect' as const,
          tag: 'unnecessary' as const,
          fixes: [removalFix(comment, rule)],
        },
      ];
    }
    if (rule.state !== 'unknown') return [];
    const similarIds = nearest(rule.id, ruleIds, 3);
    const fixes = similarIds.map(
      (id): Fix => ({ title: titleToChange(rule.id, id), safety: 'suggestion', edits: [{ ...ruleSpan, text: id }] }),
    );
    return [
      {
        messageId: 'unknown',
        what: `\`# httpd-upgrade-ignore\`: there is no rule ${shortened(rule.id, 32)}`,
        cause: 'The comment has no effect.',
        ...(similarIds.length > 0 && { help: `Did you mean ${similarIds.join(' or ')}?` }),
        ...ruleSpan,
        fixes,
      },
    ];
  });
}

/**
 * The fix that removes the name with its comma, or the whole line if no name in it has an effect.
 */
function removalFix({ line, offset, rules }: IgnoreComment, rule: IgnoredRule): Fix {
  if (rules.every(({ state }) => state === 'unused')) {
    return {
      title: 'Remove the httpd-upgrade-ignore comment',
      safety: 'safe',
      edits: [{ start: offset, end: offset + line.length, text: '' }],
    };
  }
  const ruleIndex = rules.indexOf(rule);
  const [start, end] =
    ruleIndex + 1 < rules.length ? [rule.start, rules[ruleIndex + 1]!.start] : [rules[ruleIndex - 1]!.end, rule.end];
  return {
    title: `Remove ${rule.id} from # httpd-upgrade-ignore`,
    safety: 'safe',
    edits: [{ start: offset + start, end: offset + end, text: '' }],
  };
}
