import { isCovered, parseOperand, type Operand } from '../access/operand';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { contentSpan, headline, short } from './support/edits';
import type { Finding, Fix, Member, SectionRule } from './rule';

/**
 * Finds Deny lines that an Allow line overrides in both versions, although they were written to
 * deny these clients.
 */
export const denyWithoutEffect: SectionRule = {
  id: 'deny-without-effect',
  title: 'Deny lines that an Allow line overrides',
  consequence: 'probably a mistake',
  fix: 'suggestion',
  scope: 'section',
  names: ['order', 'allow', 'deny'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html#order',
  page: {
    what: 'A `Deny` line for some clients beside an `Allow` line that matches all of them, with `Order deny,allow`. The clients are not denied, in 2.2 or in 2.4.',
    why: 'With `Order deny,allow`, an `Allow` line that matches overrides each `Deny` line. `Allow from all` matches every client, and `Allow from 192.0.2.0/24` matches `192.0.2.7`. `Order deny,allow` is also the default without an `Order` line.',
    httpd: 'No message. The clients get 200.',
    fixing:
      '- **Suggestion** beside `Allow from all`: change the line to `Order allow,deny`. Then the `Deny` lines deny these clients, which they did not do before.\n\n' +
      'There is no automatic fix for other `Allow` lines: the other order also denies the clients that no line matches. ' +
      'The rule reports nothing if some of the lines are in a conditional section, or if two `<Limit>` sections have a method in common.',
    sources: ['modules/aaa/mod_authz_host.c of 2.2 and mod_access_compat.c of 2.4: check_dir_access, DENY_THEN_ALLOW'],
  },
  examples: [
    {
      title: 'An address that is not denied',
      before:
        '<Directory "/srv/www">\n    Order deny,allow\n    Deny from 203.0.113.5\n    Allow from all\n</Directory>\n',
      after:
        '<Directory "/srv/www">\n    Order allow,deny\n    Deny from 203.0.113.5\n    Allow from all\n</Directory>\n',
      finds: ['overridden'],
    },
    {
      title: 'Not reported: the order in which Deny decides',
      before:
        '<Directory "/srv/www">\n    Order allow,deny\n    Allow from all\n    Deny from 203.0.113.5\n</Directory>\n',
      finds: [],
    },
  ],
  check({ members, context }) {
    if (!members.some(({ line }) => line.name === 'deny' && isSome(line))) return [];
    if (context.containers.includes('macro')) return [];
    return groupsOf(members).flatMap(inGroup);
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The lines that decide together: those of the scope, or those of each `<Limit>`. None if a
 * condition, or the method, decides.
 */
function groupsOf(members: readonly Member[]): readonly (readonly Member[])[] {
  const groups = new Map<Section | undefined, Member[]>();
  for (const member of members) {
    const [limit, ...more] = member.within;
    if (more.length > 0 || (limit !== undefined && !LIMITS.has(limit.open.name))) return [];
    groups.set(limit, [...(groups.get(limit) ?? []), member]);
  }
  const sections = [...groups.keys()];
  const areApart = sections.every((one, at) => sections.slice(at + 1).every((other) => areDisjoint(one, other)));
  return areApart ? [...groups.values()] : [];
}

const LIMITS = new Set(['limit', 'limitexcept']);

/** Whether the sections have no method in common. */
function areDisjoint(one: Section | undefined, other: Section | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const [a, b] = [one, other].map((section) => ({
    isExcept: section.open.name === 'limitexcept',
    names: methodsOf(section),
  }));
  if (a!.isExcept && b!.isExcept) return false;
  if (!a!.isExcept && !b!.isExcept) return !a!.names.some((name) => b!.names.includes(name));
  const [limit, except] = a!.isExcept ? [b!, a!] : [a!, b!];
  return limit.names.every((name) => except.names.includes(name));
}

/** HEAD has the method number of GET (register_one_method in modules/http/http_protocol.c). */
function methodsOf({ open }: Section): readonly string[] {
  return wordsOf(open).map((name) => (name === 'HEAD' ? 'GET' : name));
}

function inGroup(members: readonly Member[]): readonly Finding[] {
  const lines = (name: string) => members.filter(({ line }) => line.name === name);
  const order = lines('order').at(-1);
  if (order && !/^deny,allow$/i.test(wordsOf(order.line).join(' '))) return [];
  const allowed = lines('allow').flatMap((allow) => operandsOf(allow.line).map((operand) => ({ allow, operand })));
  const overriding = (deny: Member) => {
    const found = operandsOf(deny.line).map((inner) => allowed.find(({ operand }) => isCovered(inner, operand))?.allow);
    return isSome(deny.line) && found.every((allow) => allow !== undefined) ? found[0] : undefined;
  };
  const denies = lines('deny').filter((deny) => overriding(deny) !== undefined);
  const [first] = denies;
  if (first === undefined) return [];
  const isAll = allowed.some(({ operand }) => operand.kind === 'all');
  const allow = isAll ? 'Allow from all' : short(contentText(overriding(first)!.line), 50);
  return [
    {
      messageId: 'overridden',
      what: headline(
        `\`${spelledName(first.line)}\` has no effect: \`${allow}\` wins`,
        `\`${spelledName(first.line)}\` has no effect: an \`Allow\` line wins`,
      ),
      cause: `With \`Order deny,allow\`${order ? '' : ', the default'}, an \`Allow\` line that matches overrides \`Deny\`, in 2.2 and in 2.4.`,
      help: `To deny these clients, ${isAll ? 'write `Order allow,deny`' : 'write the `Allow` line without them'}. If they may have access, remove the \`Deny\` line.`,
      ...contentSpan(first.line, first.offset),
      ...(denies.length > 1 && { places: denies.slice(1).map(({ line, offset }) => contentSpan(line, offset)) }),
      fixes: isAll ? fixesOf(order) : [],
    },
  ];
}

/** With `Allow from all`, the other order only changes which clients are denied. */
function fixesOf(order: Member | undefined): readonly Fix[] {
  const word = order && argumentsOf(order.line)[0];
  if (!order || !word) return [];
  return [
    {
      title: 'Change Order deny,allow to Order allow,deny',
      safety: 'suggestion',
      assumes: 'these clients should be denied, which they are not today',
      edits: [{ start: order.offset + word.start, end: order.offset + word.end, text: 'allow,deny' }],
    },
  ];
}

function contentText({ text }: Line): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** The operands after `from`. */
function operandsOf(line: Line): readonly Operand[] {
  const [from = '', ...operands] = wordsOf(line);
  return /^from$/i.test(from) ? operands.map(parseOperand) : [];
}

function wordsOf(line: Line): readonly string[] {
  return argumentsOf(line).map(({ value }) => value);
}

/** Whether the line denies some clients, but not all. */
function isSome(line: Line): boolean {
  const [from = '', ...operands] = wordsOf(line);
  return (
    /^from$/i.test(from) &&
    operands.length > 0 &&
    operands.every((word) => !/^(?:all|none)$/i.test(word) && !/[#$]/.test(word))
  );
}
