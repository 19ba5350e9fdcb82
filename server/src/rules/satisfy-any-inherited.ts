import { hostTree } from '../access/translate';
import { readSection } from '../access/read';
import { sectionAt } from '../access/require';
import { sectionKind } from '../config/sections';
import { LineKind, type Line } from '../syntax/line';
import { forEachLine, type Section } from '../syntax/tree';
import { contentSpan } from './support/edits';
import { OLD_ACCESS, fixWithSatisfyAll, kindOfRequirement } from './support/satisfied';
import type { Finding, SectionRule } from './rule';

export const satisfyAnyInherited: SectionRule = {
  id: 'satisfy-any-inherited',
  title: 'A section that stays open because it inherits Satisfy Any',
  consequence: 'will not start',
  fix: 'suggestion',
  scope: 'section',
  names: ['satisfy', 'order', 'allow', 'deny', 'files', 'filesmatch', 'if', 'include', 'includeoptional', 'use'],
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
  ],
  check(scope) {
    const oldMembers = scope.members.filter(({ line }) => OLD_ACCESS.has(line.name));
    const hasOnlyOwnLines = scope.members.every(
      ({ line, enclosingSections }) =>
        enclosingSections.length === 0 && !/^(include|includeoptional|use)$/.test(line.name),
    );
    if (!hasOnlyOwnLines || scope.context.containers.includes('macro')) return [];
    const hosts = readSection(oldMembers.map(({ line }) => line));
    if (
      hosts.satisfy !== 'any' ||
      hosts.obstacle !== null ||
      (hosts.hostRules && hostTree(hosts.hostRules).type === 'denied')
    )
      return [];
    return scope.members.flatMap(({ line, offset }) => {
      const section =
        line.kind === LineKind.Open && line.isComplete ? sectionAt(scope.body, offset - scope.bodyOffset) : null;
      return section ? findingsOfClosing(section, offset) : [];
    });
  },
};

/**
 * Maximum length of a section that is checked. A longer section is assumed to do more than deny
 * access to some files.
 */
const MAX_LENGTH = 4000;

/**
 * The finding at the Require line that should deny access. The list is empty if a line of the
 * section ends the inherited `Satisfy Any`.
 */
function findingsOfClosing(section: Section, offset: number): Finding[] {
  if (section.body.length > MAX_LENGTH) return [];
  const bodyOffset = offset + section.open.length;
  const requires: { line: Line; at: number }[] = [];
  let hasOnlyRequires = true;
  forEachLine(section.body, 0, section.body.length, (line, lineOffset) => {
    if (line.name === 'require') requires.push({ line, at: bodyOffset + lineOffset });
    else if (
      OLD_ACCESS.has(line.name) ||
      line.kind === LineKind.Open ||
      sectionKind(line.name) !== 'other' ||
      /^(include|use$|authmerging$)/.test(line.name)
    )
      hasOnlyRequires = false;
  });
  const [first] = requires;
  if (!hasOnlyRequires || !first) return [];
  const kinds = requires.map(({ line }) => kindOfRequirement(line));
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
      ...contentSpan(first.line, first.at),
      consequence: areAllDenied ? 'access opens' : 'meaning changed',
      fixes: [fixWithSatisfyAll(first.line, first.at)],
    },
  ];
}
