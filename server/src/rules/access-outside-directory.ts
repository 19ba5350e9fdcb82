import { sectionAt } from '../access/require';
import { sectionKind, spelledSection } from '../config/sections';
import { indentOf, LineKind, lexLines, spelledName, type Line } from '../syntax/line';
import { isNotEmpty } from '../syntax/some';
import { textOf } from '../syntax/tree';
import { contentSpan, joinedItems, lineEnd, NO_FINDINGS } from './support/edits';
import { Fact, hasFact } from './support/facts';
import { fittingTitle } from './support/fix-title';
import type { Fix, Member, Scope, SectionRule } from './rule';

export const accessOutsideDirectory: SectionRule = {
  id: 'access-outside-directory',
  title: 'Access control outside of a <Directory>, <Location> or similar section',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'section',
  isAboutSingleLines: true,
  names: [
    'require',
    'requireall',
    'requireany',
    'requirenone',
    'authmerging',
    'order',
    'allow',
    'deny',
    'satisfy',
    'authtype',
    'authname',
    'authuserfile',
    'authgroupfile',
    'authdbmuserfile',
    'authdbmgroupfile',
    'authbasicprovider',
    'authdigestprovider',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#require',
  examples: [
    {
      title: 'Access control directly in a virtual host',
      before:
        '<VirtualHost *:80>\n    ServerName www.example.org\n    Require ip 192.0.2.0/24\n    Require host example.org\n</VirtualHost>\n',
      after:
        '<VirtualHost *:80>\n    ServerName www.example.org\n    <Location />\n        Require ip 192.0.2.0/24\n        Require host example.org\n    </Location>\n</VirtualHost>\n',
      finds: ['outside'],
    },
    {
      title: 'Access control outside of all sections',
      before: 'PidFile logs/httpd.pid\n<RequireAll>\n    Require all granted\n    Require method GET\n</RequireAll>\n',
      after:
        'PidFile logs/httpd.pid\n<Location />\n    <RequireAll>\n        Require all granted\n        Require method GET\n    </RequireAll>\n</Location>\n',
      finds: ['outside'],
    },
  ],
  check(scope) {
    if (!isOutsideOfDirectory(scope)) return NO_FINDINGS;
    const members = scope.members.filter(
      ({ enclosingSections }) =>
        !enclosingSections.some(({ name }) => sectionKind(name) === 'limit' || sectionKind(name) === 'authorization'),
    );
    const fix = fixWithSection(members, scope);
    // If one fix covers all lines, they are one finding.
    const memberGroups: (readonly Member[])[] = fix ? [members] : members.map((member) => [member]);
    return memberGroups.filter(isNotEmpty).map(([first, ...others]) => {
      const directiveName = nameOf(first);
      return {
        messageId: 'outside',
        what: `\`${directiveName}\` is not allowed ${scope.tag ? 'directly in `<VirtualHost>`' : 'outside of a section'}`,
        cause:
          'Neither 2.2 nor 2.4 accepts the line at this place. Access control belongs in a `<Directory>`, a `<Location>` or a .htaccess file.',
        help: 'Move the line into a section, such as `<Location />`.',
        ...contentSpan(first.line, first.offset),
        ...(others.length > 0 && { places: others.map(({ line, offset }) => contentSpan(line, offset)) }),
        fixes: fix ? [fix] : [],
      };
    });
  },
};

/**
 * Whether the scope is directly in a virtual host, or outside of all sections of a main file. httpd
 * accepts no access lines there.
 */
function isOutsideOfDirectory({ context, tag, facts }: Scope): boolean {
  const { containers, isHtaccess } = context;
  if (isHtaccess) return false;
  const isInHost = containers.length === 1 && containers[0] === 'virtualhost';
  return tag || isInHost ? isInHost : hasFact(facts, Fact.isRoot);
}

function nameOf({ line }: Member): string {
  return line.kind === LineKind.Open ? `<${spelledSection(line.name)}>` : spelledName(line);
}

/**
 * The fix that puts all these lines into one `<Location />` section. Null if other lines are
 * between them, or if the last one has no end of line.
 */
function fixWithSection(members: readonly Member[], scope: Scope): Fix | null {
  const [firstMember] = members;
  const lastMember = members.at(-1);
  if (!firstMember || !lastMember || members.some((member) => !areInSameSections(member, firstMember))) return null;
  const start = firstMember.offset;
  const end = lastMember.offset + lengthOfLineOrSection(lastMember, scope);
  const originalText = textOf(scope.body, start - scope.bodyOffset, end - scope.bodyOffset);
  if (!originalText.endsWith('\n') || !hasOnlyMembers(originalText, members)) return null;
  const directiveNames = joinedItems([...new Set(members.map(nameOf))]);
  const indent = indentOf(firstMember.line);
  const eol = lineEnd(firstMember.line);
  const indentStep = indent.includes('\t')
    ? '\t'
    : indent.length > 0 && indent.length < 8 && scope.tag?.indent === ''
      ? indent
      : '    ';
  const indentedText = lexLines(originalText)
    .map((line) => (line.kind === LineKind.Blank ? line.text : indentStep + line.text))
    .join('');
  return {
    title: fittingTitle(`Move ${directiveNames} into <Location />`, 'Move the access lines into <Location />'),
    safety: 'suggestion',
    assumes: 'these lines should apply to every request, and override <Directory> sections',
    edits: [{ start, end, text: `${indent}<Location />${eol}${indentedText}${indent}</Location>${eol}` }],
  };
}

/** Whether the same conditionals, Limit and Require sections are around two lines. */
function areInSameSections(a: Member, b: Member): boolean {
  return (
    a.enclosingSections.length === b.enclosingSections.length &&
    a.enclosingSections.every((section, index) => section === b.enclosingSections[index])
  );
}

/** The length of the line or, for an opening tag, of the whole section. */
function lengthOfLineOrSection({ line, offset }: Member, scope: Scope): number {
  return sectionAt(scope.body, offset - scope.bodyOffset)?.length ?? line.length;
}

/**
 * Whether the text has only access lines, comments and blank lines, and closes all its sections.
 */
function hasOnlyMembers(text: string, members: readonly Member[]): boolean {
  const accessNames = new Set(accessOutsideDirectory.names);
  const isAllowedLine = (line: Line) =>
    line.kind === LineKind.Blank || line.kind === LineKind.Comment || accessNames.has(line.name);
  const lines = lexLines(text);
  const openCount = lines.filter((line) => line.kind === LineKind.Open).length;
  return (
    members.length > 0 &&
    lines.every(isAllowedLine) &&
    openCount === lines.filter((line) => line.kind === LineKind.Close).length
  );
}
