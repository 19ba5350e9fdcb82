import { readByMethod, type LimitedLine } from '../access/by-method';
import { isReason } from '../access/not-converted';
import { printTree } from '../access/print';
import { hostTree } from '../access/translate';
import { readSection } from '../access/read';
import { sectionAt } from '../access/require';
import { sectionKind } from '../config/sections';
import { LineKind, type Line } from '../syntax/line';
import { forEachItem, forEachLine, Section } from '../syntax/tree';
import { contentSpan, fittingHeadline } from './support/edits';
import { OLD_ACCESS_NAMES, fixWithSatisfyAll, kindOfRequirement } from './support/satisfied';
import type { Finding, Member, Scope, SectionRule } from './rule';

export const satisfyAnyInherited: SectionRule = {
  id: 'satisfy-any-inherited',
  title: 'A <Files> or <If> section that stays open because the section around it has Satisfy Any',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'section',
  names: [
    'satisfy',
    'order',
    'allow',
    'deny',
    'require',
    'files',
    'filesmatch',
    'if',
    'include',
    'includeoptional',
    'use',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html#satisfy',
  examples: [
    {
      title: 'A private file inside an open directory',
      before:
        '<Directory /srv>\n    Satisfy Any\n    <Files secret.txt>\n        Require all denied\n    </Files>\n</Directory>\n',
      after:
        '<Directory /srv>\n    Satisfy Any\n    <Files secret.txt>\n        Satisfy All\n        Require all denied\n    </Files>\n</Directory>\n',
      finds: ['open'],
    },
    {
      title: 'A denied file that users with a login may read in 2.2',
      before:
        '<Directory /srv>\n    Require valid-user\n    Satisfy Any\n    <Files secret.txt>\n        Deny from all\n    </Files>\n</Directory>\n',
      after:
        '<Directory /srv>\n    Require valid-user\n    Satisfy Any\n    <Files secret.txt>\n        Satisfy All\n        Deny from all\n    </Files>\n</Directory>\n',
      finds: ['open-to-login'],
    },
  ],
  check(scope) {
    // Both kinds of findings are about inner sections.
    if (!scope.members.some(({ line }) => line.kind === LineKind.Open)) return [];
    return [...findingsOfRequire(scope), ...findingsOfDeny(scope)];
  },
};

/** The inner sections that 2.4 leaves open although their Require lines deny. */
function findingsOfRequire(scope: Scope): Finding[] {
  const oldMembers = scope.members.filter(({ line }) => OLD_ACCESS_NAMES.has(line.name));
  const hasOnlyDirectLines = scope.members.every(
    ({ line, enclosingSections }) =>
      enclosingSections.length === 0 && !/^(include|includeoptional|use)$/.test(line.name),
  );
  if (!hasOnlyDirectLines || scope.context.containers.includes('macro')) return [];
  const oldSection = readSection(oldMembers.map(({ line }) => line));
  if (
    oldSection.satisfy !== 'any' ||
    oldSection.obstacle !== null ||
    (oldSection.hostRules && hostTree(oldSection.hostRules).type === 'denied')
  )
    return [];
  return scope.members.flatMap(({ line, offset }) => {
    const section = innerSectionOf(scope, { line, offset });
    return section ? findingsOfDenyingSection(section, offset) : [];
  });
}

/** The section that the line opens; null if it opens none. */
function innerSectionOf({ body, bodyOffset }: Scope, { line, offset }: Pick<Member, 'line' | 'offset'>) {
  return line.kind === LineKind.Open && line.isComplete ? sectionAt(body, offset - bodyOffset) : null;
}

/**
 * The inner sections whose old lines deny all clients, but which a login opens in 2.2, because they
 * inherit `Satisfy Any` and a Require line.
 */
function findingsOfDeny(scope: Scope): Finding[] {
  const enclosingMembers = scope.members.filter(
    ({ line }) => OLD_ACCESS_NAMES.has(line.name) || line.name === 'require',
  );
  const satisfyMember = enclosingMembers.find(({ line }) => line.name === 'satisfy' && /\bany\b/i.test(line.text));
  const areOnlyInLimits = enclosingMembers.every(({ enclosingSections }) => enclosingSections.every(isLimit));
  if (!satisfyMember || !areOnlyInLimits || scope.context.containers.includes('macro')) return [];
  const enclosingLines = enclosingMembers.map(({ line, enclosingSections }) => ({
    line,
    limitSections: enclosingSections,
  }));
  return scope.members.flatMap((member) => {
    const section = member.enclosingSections.length === 0 ? innerSectionOf(scope, member) : null;
    const sectionLines = section && denyingLines(section, member.offset + section.open.length);
    if (!sectionLines) return [];
    const access = readByMethod(sectionLines, enclosingLines);
    if (isReason(access)) return [];
    const openMethods = [...access.rulesByMethod].filter(
      ([, { satisfy, userRequirements }]) => satisfy === 'any' && userRequirements.length > 0,
    );
    if (openMethods.length === 0) return [];
    const { line, offset } = sectionLines.find((each) => each.line.name === 'deny') ?? sectionLines[0]!;
    const loginText = openMethods[0]![1].userRequirements.map(({ text }) => `\`Require ${text}\``).join(', ');
    return [
      {
        messageId: 'open-to-login',
        what: fittingHeadline(
          `\`${line.text.trim()}\` leaves access open to a login: \`Satisfy Any\` is inherited`,
          'A login opens this section: `Satisfy Any` is inherited',
        ),
        cause: `\`Satisfy Any\` of the enclosing lines also applies here: a login (${loginText}) opens these files in 2.2, and after the conversion.`,
        help: `If it must not, write \`Satisfy All\` into the section. If it may, these lines are equivalent:\n${printTree(access.tree, { indent: '', indentStep: '    ', eol: '\n' }).trimEnd()}`,
        ...contentSpan(line, offset),
        places: [contentSpan(satisfyMember.line, satisfyMember.offset)],
        consequence: 'probably a mistake',
        fixes: [
          {
            ...fixWithSatisfyAll(sectionLines[0]!.line, sectionLines[0]!.offset),
            assumes: 'a login must not open these files',
            isAppliedAlone: true,
          },
        ],
      },
    ];
  });
}

/** Whether the section restricts its lines to some methods. */
function isLimit({ name }: Section): boolean {
  return name === 'limit' || name === 'limitexcept';
}

/**
 * The Order, Allow and Deny lines of a section, if they deny all clients and nothing else in the
 * section decides about access. Otherwise null.
 */
function denyingLines(section: Section, bodyOffset: number): (LimitedLine & { readonly offset: number })[] | null {
  if (section.body.length > MAX_SECTION_LENGTH) return null;
  const sectionLines: (LimitedLine & { readonly offset: number })[] = [];
  let hasOnlyHostLines = true;
  forEachItem(section.body, bodyOffset, (item, offset) => {
    if (item instanceof Section || /^(satisfy|require|include|includeoptional|use)$/.test(item.name))
      hasOnlyHostLines = false;
    else if (OLD_ACCESS_NAMES.has(item.name) && item.kind === LineKind.Directive)
      sectionLines.push({ line: item, limitSections: [], offset });
  });
  const { hostRules, obstacle } = readSection(sectionLines.map(({ line }) => line));
  const deniesAll = hostRules !== null && obstacle === null && hostTree(hostRules).type === 'denied';
  return hasOnlyHostLines && deniesAll ? sectionLines : null;
}

/**
 * Maximum length of a section that is checked. A longer section is assumed to do more than deny
 * access to some files.
 */
const MAX_SECTION_LENGTH = 4000;

/**
 * The finding at the Require line that should deny access. The list is empty if the section has
 * other access lines, which may end the inherited `Satisfy Any`, or if it may include such lines.
 */
function findingsOfDenyingSection(section: Section, offset: number): Finding[] {
  if (section.body.length > MAX_SECTION_LENGTH) return [];
  const bodyOffset = offset + section.open.length;
  const requireLines: { line: Line; offset: number }[] = [];
  let hasOnlyRequireLines = true;
  forEachLine(section.body, 0, section.body.length, (line, lineOffset) => {
    if (line.name === 'require') requireLines.push({ line, offset: bodyOffset + lineOffset });
    else if (
      OLD_ACCESS_NAMES.has(line.name) ||
      line.kind === LineKind.Open ||
      sectionKind(line.name) !== 'other' ||
      /^(include|use$|authmerging$)/.test(line.name)
    )
      hasOnlyRequireLines = false;
  });
  const [first] = requireLines;
  if (!hasOnlyRequireLines || !first) return [];
  const kinds = requireLines.map(({ line }) => kindOfRequirement(line));
  if (kinds.includes('other')) return [];
  const areAllDenied = kinds.every((kind) => kind === 'denied');
  return [
    {
      messageId: areAllDenied ? 'open' : 'open-to-more',
      what: areAllDenied
        ? '`Require all denied` leaves access open: `Satisfy Any` is inherited'
        : '`Require` leaves access open to more clients: `Satisfy Any` is inherited',
      cause:
        'With the inherited `Satisfy Any`, a request gets access if `Order`, `Allow` and `Deny` of the enclosing section allow it, even where `Require` denies it.',
      help: 'Add `Satisfy All` to this section, or convert the enclosing section to `Require`.',
      ...contentSpan(first.line, first.offset),
      consequence: areAllDenied ? 'access opens' : 'meaning changed',
      fixes: [fixWithSatisfyAll(first.line, first.offset)],
    },
  ];
}
