import { argumentsOf, indentOf } from '../syntax/line';
import { appendWord, containsVariable, lineEnd } from './support/edits';
import type { Finding, Fix, Member, Scope, SectionRule } from './rule';

export const allowOverrideClass: SectionRule = {
  id: 'allow-override-class',
  title: 'AllowOverride that allows Order and Deny but not Require',
  consequence: 'requests may get 500',
  fix: 'suggestion',
  checks: 'section',
  names: ['allowoverride', 'allowoverridelist'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#allowoverride',
  examples: [
    {
      title: 'AllowOverride Limit',
      before: '<Directory /srv>\n    AllowOverride Indexes Limit\n</Directory>\n',
      after: '<Directory /srv>\n    AllowOverride Indexes Limit AuthConfig\n</Directory>\n',
      finds: ['limit'],
    },
    {
      title: 'AllowOverrideList without Require',
      before: '<Directory /srv>\n    AllowOverride None\n    AllowOverrideList Order Allow Deny\n</Directory>\n',
      after:
        '<Directory /srv>\n    AllowOverride None\n    AllowOverrideList Order Allow Deny Require "<RequireAll" "<RequireAny" "<RequireNone"\n</Directory>\n',
      finds: ['list'],
    },
  ],
  check(scope) {
    if (scope.context.isHtaccess || scope.context.containers.includes('macro')) return [];
    return scope.members.flatMap((member) =>
      member.line.name === 'allowoverride' ? findingsOfClass(member, scope) : findingsOfList(member, scope),
    );
  },
};

/**
 * The words that AllowOverrideList needs so that .htaccess files may use `Require` and its
 * sections. test/httpd/access-claims.test.ts tests this with a server.
 */
const WORDS_ALLOWING_REQUIRE = 'Require "<RequireAll" "<RequireAny" "<RequireNone"';

/** The finding about an AllowOverride line with `Limit` but without `AuthConfig`. */
function findingsOfClass(member: Member, scope: Scope): Finding[] {
  const { line, offset } = member;
  const words = argumentsOf(line);
  const classes = words.map((word) => word.value.toLowerCase());
  const limitWords = words.filter((_, index) => classes[index] === 'limit');
  if (
    words.some(containsVariable) ||
    limitWords.length === 0 ||
    classes.includes('authconfig') ||
    classes.includes('all')
  )
    return [];
  // `None` cancels the words before it, but not the words after it.
  if (classes.lastIndexOf('none') > classes.lastIndexOf('limit')) return [];
  const listMember = appliedOverrideListLine(scope);
  if (listMember && allowsRequire(listMember)) return [];
  const fixAddingAuthConfig: Fix = {
    title: 'Add AuthConfig to AllowOverride',
    safety: 'suggestion',
    assumes: 'you accept that .htaccess files can also ask for a login',
    edits: [appendWord(line, 'AuthConfig', offset)],
  };
  const lineEndOffset = offset + line.length;
  const addedLine = `${indentOf(line)}AllowOverrideList ${WORDS_ALLOWING_REQUIRE}`;
  const fixAddingList: Fix = {
    title: listMember ? 'Add Require to AllowOverrideList' : 'Add AllowOverrideList Require',
    safety: 'suggestion',
    ...(!listMember && {
      assumes: 'no section for a directory below disables .htaccess files with AllowOverride None',
    }),
    edits: [
      listMember
        ? appendWord(listMember.line, WORDS_ALLOWING_REQUIRE, listMember.offset)
        : {
            start: lineEndOffset,
            end: lineEndOffset,
            text: line.text.endsWith('\n') ? addedLine + lineEnd(line) : lineEnd(line) + addedLine,
          },
    ],
  };
  // A new list is only the second fix, because of its side effect: httpd then also reads .htaccess
  // files in directories below that have AllowOverride None (test/trees/htaccess.slow.test.ts).
  return [
    findingWithFixes(
      'limit',
      limitWords[0]!.start + offset,
      limitWords.at(-1)!.end + offset,
      listMember ? [fixAddingList, fixAddingAuthConfig] : [fixAddingAuthConfig, fixAddingList],
      listMember !== undefined,
    ),
  ];
}

/** The finding about an AllowOverrideList line with old directives but without `Require`. */
function findingsOfList(member: Member, scope: Scope): Finding[] {
  const { line, offset } = member;
  const words = argumentsOf(line);
  const oldWords = words.filter((word) => ['order', 'allow', 'deny'].includes(word.value.toLowerCase()));
  if (
    words.some(containsVariable) ||
    oldWords.length === 0 ||
    allowsRequire(member) ||
    member !== appliedOverrideListLine(scope)
  )
    return [];
  return [
    findingWithFixes('list', oldWords[0]!.start + offset, oldWords.at(-1)!.end + offset, [
      {
        title: 'Add Require and <RequireAll> to AllowOverrideList',
        safety: 'suggestion',
        edits: [appendWord(line, WORDS_ALLOWING_REQUIRE, offset)],
      },
    ]),
  ];
}

/**
 * The AllowOverrideList line that applies. It is the last one, because each line replaces the list
 * of an earlier line (set_override_list in server/core.c). Undefined if the scope has none.
 */
function appliedOverrideListLine(scope: Scope): Member | undefined {
  return scope.members.findLast(({ line }) => line.name === 'allowoverridelist');
}

/** Whether an AllowOverrideList line names Require, or may do so through a variable. */
function allowsRequire({ line }: Member): boolean {
  return argumentsOf(line).some((word) => containsVariable(word) || word.value.toLowerCase() === 'require');
}

function findingWithFixes(
  messageId: string,
  start: number,
  end: number,
  fixes: readonly Fix[],
  hasList = true,
): Finding {
  return {
    messageId,
    start,
    end,
    fixes,
    what:
      messageId === 'list'
        ? '`AllowOverrideList`: `Require` in .htaccess files gets 500'
        : '`AllowOverride Limit`: `Require` in .htaccess files gets 500',
    cause: 'With this line, requests get 500 where a .htaccess file has `Require`.',
    help:
      messageId === 'list'
        ? 'In 2.4 `Require` replaces `Order`, `Allow` and `Deny`. If a .htaccess file here has lines with one of these four, add `Require`, `<RequireAll`, `<RequireAny` and `<RequireNone` to `AllowOverrideList`. If none has, leave this line.'
        : `In 2.4 \`Require\` replaces \`Order\`, \`Allow\` and \`Deny\`. If a .htaccess file here has one of these four directives, add \`AuthConfig\` to \`AllowOverride\`, or ${hasList ? 'add `Require` to the `AllowOverrideList` line' : 'add the line `AllowOverrideList Require`'}. If none has, leave this line.`,
  };
}
