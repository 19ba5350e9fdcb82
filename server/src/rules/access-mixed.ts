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
  scope: 'section',
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
    const old = scope.members.filter(({ line }) => OLD_NAMES.has(line.name));
    const recent = scope.members.filter(isOnlyIn24);
    const pair = old.find((member) => recent.some((other) => areInSamePlace(member, other)));
    // A `Satisfy All` alone only ends an inherited `Satisfy Any`, and decides nothing else.
    const decides = old.some(({ line }) => line.name !== 'satisfy' || !/satisfy\s+["']?all/i.test(line.text));
    if (!pair || !decides || scope.context.containers.includes('macro')) return [];
    const name = spelledName(pair.line);
    const isAny = old.some(({ line }) => line.name === 'satisfy' && /satisfy\s+["']?any/i.test(line.text));
    return [
      {
        messageId: isAny ? 'mixed-any' : 'mixed',
        what: isAny
          ? `\`${name}\` and \`Require\` together: with \`Satisfy Any\`, one of them is enough`
          : `\`${name}\` and \`Require\` together: both must allow a request`,
        cause: isAny
          ? 'A request that `Order`, `Allow` and `Deny` allow gets access, even where `Require` denies it.'
          : 'Where `Order`, `Allow` and `Deny` deny a request, `Require` cannot allow it (AH01797).',
        help: 'Replace `Order`, `Allow`, `Deny` and `Satisfy` in this section by `Require`, or remove them.',
        ...contentSpan(pair.line, pair.offset),
        fixes: fixesFor(scope, old, isAny),
      },
    ];
  },
};

/** The names of the directives as the user spells them, without duplicates. */
function namesOf(members: readonly Member[]): string {
  return joinedItems([...new Map(members.map(({ line }) => [line.name, spelledName(line)])).values()]);
}

const OLD_NAMES = new Set(['order', 'allow', 'deny', 'satisfy']);

/** Whether only 2.4 has the line. */
function isOnlyIn24({ line }: Member): boolean {
  if (sectionKind(line.name) === 'authorization') return true;
  if (line.name !== 'require') return false;
  const { isNegated: isNot, provider, hasVariable } = parseRequire(line);
  return (
    !hasVariable &&
    provider !== null &&
    (isNot || (PROVIDERS_OF_24.has(provider.value.toLowerCase()) && !PROVIDERS_22.has(provider.value.toLowerCase())))
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

function areInSamePlace(a: Member, b: Member): boolean {
  const [ofA, ofB] = [conditionalsIn(a.enclosingSections), conditionalsIn(b.enclosingSections)];
  return (
    keyOfLimits(a.enclosingSections) === keyOfLimits(b.enclosingSections) &&
    ofA.length === ofB.length &&
    ofA.every((section, index) => section === ofB[index])
  );
}

function fixesFor(scope: Scope, old: readonly Member[], isAny: boolean): Fix[] {
  if (isAny || scope.members.some(({ enclosingSections }) => enclosingSections.length > 0)) return [];
  const rest = scope.members.filter(({ line }) => !OLD_NAMES.has(line.name));
  if (rest.some(({ line }) => line.name !== 'require')) return [];
  const section = readSection(old.map(({ line }) => line));
  if (section.obstacle !== null || section.neverMatching.length > 0) return [];
  const removed = old.map(({ line, offset }) => removeLine(line, offset));
  const assumes = 'no enclosing section has Order, Allow, Deny or Satisfy';
  const only = rest.length === 1 ? /^all\s+(granted|denied)$/i.exec(parsed(rest[0]!))?.[1]!.toLowerCase() : undefined;
  const hosts = section.hostRules === null ? null : hostTree(section.hostRules);
  if (hosts === null) return [];
  if (only === 'denied' || hosts.type === 'granted') {
    return [{ title: `Remove ${namesOf(old)}`, safety: 'suggestion', assumes, edits: removed }];
  }
  if (only !== 'granted') return [];
  const { line, offset } = rest[0]!;
  const text = printTree(hosts, {
    indent: indentOf(line),
    indentStep: indentStepAt(rest[0]!, scope),
    eol: lineEnd(line),
  });
  const edit: Edit = {
    start: offset,
    end: offset + line.length,
    text: line.text.endsWith('\n') ? text : text.replace(/\r?\n$/, ''),
  };
  return [
    {
      title: convertTitle(namesOf(old), textIfOneLine(hosts)),
      safety: 'suggestion',
      assumes,
      edits: [...removed, edit],
    },
  ];
}

function convertTitle(names: string, line: string | null): string {
  return line === null || line.length > 49 ? `Convert ${names} to Require lines` : `Convert to ${line}`;
}

function parsed({ line }: Member): string {
  const { isNegated: isNot, provider, operands } = parseRequire(line);
  return isNot ? '' : [provider?.value ?? '', ...operands.map(({ value }) => value)].join(' ');
}
