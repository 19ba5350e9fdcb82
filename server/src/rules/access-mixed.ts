import { textIfOneLine, printTree } from '../access/print';
import { readSection } from '../access/read';
import { conditionalsIn, keyOfLimits, parseRequire, PROVIDERS_22 } from '../access/require';
import { hostTree } from '../access/translate';
import { sectionKind } from '../config/sections';
import { indentOf, spelledName } from '../syntax/line';
import { contentSpan, joinedItems, lineEnd, removeLine } from './support/edits';
import { indentStepAt } from './support/scope';
import type { Edit, Fix, Member, Scope, SectionRule } from './rule';

/** Finds Order, Allow and Deny together with Require lines that only 2.4 has. */
export const accessMixed: SectionRule = {
  id: 'access-mixed',
  title: 'Access control of 2.2 and of 2.4 in one section',
  consequence: 'meaning changed',
  fix: 'suggestion',
  checks: 'section',
  names: [
    'order',
    'allow',
    'deny',
    'satisfy',
    'require',
    'requireall',
    'requireany',
    'requirenone',
    'include',
    'includeoptional',
    'use',
  ],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html#access',
  examples: [
    {
      title: 'Old and new lines allow everyone',
      before: '<Directory /srv>\n    Order allow,deny\n    Allow from all\n    Require all granted\n</Directory>\n',
      after: '<Directory /srv>\n    Require all granted\n</Directory>\n',
      finds: ['mixed'],
    },
    {
      title: 'Only the old lines restrict access',
      before:
        '<Location /server-status>\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.1\n    Require all granted\n</Location>\n',
      after: '<Location /server-status>\n    Require ip 192.0.2.1\n</Location>\n',
      finds: ['mixed'],
    },
    {
      title: 'With Satisfy Any, the old or the new lines are enough',
      before:
        '<Location /server-status>\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.1\n    Require ip 192.0.2.2\n    Satisfy Any\n</Location>\n',
      finds: ['mixed-any'],
    },
  ],
  check(scope) {
    const oldMembers = scope.members.filter(({ line }) => OLD_NAMES.has(line.name));
    const membersOnlyIn24 = scope.members.filter(isOnlyIn24);
    const firstMixedMember = oldMembers.find((member) =>
      membersOnlyIn24.some((other) => areInSameSections(member, other)),
    );
    // If `Satisfy All` is the only old line, it only ends an inherited `Satisfy Any`, so it is no
    // mixture.
    const hasDecisiveOldLine = oldMembers.some(
      ({ line }) => line.name !== 'satisfy' || !/satisfy\s+["']?all/i.test(line.text),
    );
    if (!firstMixedMember || !hasDecisiveOldLine || scope.context.containers.includes('macro')) return [];
    const directiveName = spelledName(firstMixedMember.line);
    const isSatisfyAny = oldMembers.some(
      ({ line }) => line.name === 'satisfy' && /satisfy\s+["']?any/i.test(line.text),
    );
    return [
      {
        messageId: isSatisfyAny ? 'mixed-any' : 'mixed',
        what: isSatisfyAny
          ? `\`${directiveName}\` and \`Require\` together: with \`Satisfy Any\`, one of them is enough`
          : `\`${directiveName}\` and \`Require\` together: both must allow a request`,
        cause: isSatisfyAny
          ? 'A request that `Order`, `Allow` and `Deny` allow gets access, even where `Require` denies it.'
          : 'Where `Order`, `Allow` and `Deny` deny a request, `Require` cannot allow it (AH01797).',
        help: 'Replace `Order`, `Allow`, `Deny` and `Satisfy` in this section by `Require`, or remove them.',
        ...contentSpan(firstMixedMember.line, firstMixedMember.offset),
        fixes: fixesFor(scope, oldMembers, isSatisfyAny),
      },
    ];
  },
};

/** The names of the directives as the user spells them, without duplicates. */
function namesOf(members: readonly Member[]): string {
  return joinedItems([...new Map(members.map(({ line }) => [line.name, spelledName(line)])).values()]);
}

const OLD_NAMES = new Set(['order', 'allow', 'deny', 'satisfy']);

/** Whether only 2.4 accepts the line: a tag such as `<RequireAll>`, or a new form of Require. */
function isOnlyIn24({ line }: Member): boolean {
  if (sectionKind(line.name) === 'authorization') return true;
  if (line.name !== 'require') return false;
  const { isNegated, provider, hasVariable } = parseRequire(line);
  return (
    !hasVariable &&
    provider !== null &&
    (isNegated ||
      (PROVIDERS_OF_24.has(provider.value.toLowerCase()) && !PROVIDERS_22.has(provider.value.toLowerCase())))
  );
}

const PROVIDERS_OF_24 = new Set([
  'all',
  'ip',
  'host',
  'forward-dns',
  'local',
  'env',
  'expr',
  'method',
  'ssl',
  'ssl-verify-client',
  'dbm-group',
  'dbm-file-group',
  'dbd-group',
]);

/** Whether both lines are for the same methods and under the same conditions. */
function areInSameSections(a: Member, b: Member): boolean {
  const [conditionalsOfA, conditionalsOfB] = [conditionalsIn(a.enclosingSections), conditionalsIn(b.enclosingSections)];
  return (
    keyOfLimits(a.enclosingSections) === keyOfLimits(b.enclosingSections) &&
    conditionalsOfA.length === conditionalsOfB.length &&
    conditionalsOfA.every((section, index) => section === conditionalsOfB[index])
  );
}

/**
 * The fix that removes the old lines, or puts their conversion in place of `Require all granted`.
 * Empty in cases that are not clear, such as `Satisfy Any` or inner sections.
 */
function fixesFor(scope: Scope, oldMembers: readonly Member[], isSatisfyAny: boolean): Fix[] {
  if (isSatisfyAny || scope.members.some(({ enclosingSections }) => enclosingSections.length > 0)) return [];
  const otherMembers = scope.members.filter(({ line }) => !OLD_NAMES.has(line.name));
  if (otherMembers.some(({ line }) => line.name !== 'require')) return [];
  const section = readSection(oldMembers.map(({ line }) => line));
  if (section.obstacle !== null || section.neverMatchingTexts.length > 0) return [];
  const removalEdits = oldMembers.map(({ line, offset }) => removeLine(line, offset));
  const assumes = 'no enclosing section has Order, Allow, Deny or Satisfy';
  const argumentOfRequireAll =
    otherMembers.length === 1
      ? /^all\s+(granted|denied)$/i.exec(requireText(otherMembers[0]!))?.[1]!.toLowerCase()
      : undefined;
  const hosts = section.hostRules === null ? null : hostTree(section.hostRules);
  if (hosts === null) return [];
  if (argumentOfRequireAll === 'denied' || hosts.type === 'granted') {
    return [{ title: `Remove ${namesOf(oldMembers)}`, safety: 'suggestion', assumes, edits: removalEdits }];
  }
  if (argumentOfRequireAll !== 'granted') return [];
  const { line, offset } = otherMembers[0]!;
  const requireLines = printTree(hosts, {
    indent: indentOf(line),
    indentStep: indentStepAt(otherMembers[0]!, scope),
    eol: lineEnd(line),
  });
  const edit: Edit = {
    start: offset,
    end: offset + line.length,
    text: line.text.endsWith('\n') ? requireLines : requireLines.replace(/\r?\n$/, ''),
  };
  return [
    {
      title: conversionTitle(namesOf(oldMembers), textIfOneLine(hosts)),
      safety: 'suggestion',
      assumes,
      edits: [...removalEdits, edit],
    },
  ];
}

/** The title of a conversion. `line`: the only new line; null if there are several. */
function conversionTitle(names: string, line: string | null): string {
  return line === null || line.length > 49 ? `Convert ${names} to Require lines` : `Convert to ${line}`;
}

/** The provider and the operands of a Require line; '' if the line has `not`. */
function requireText({ line }: Member): string {
  const { isNegated, provider, operands } = parseRequire(line);
  return isNegated ? '' : [provider?.value ?? '', ...operands.map(({ value }) => value)].join(' ');
}
