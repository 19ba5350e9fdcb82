import { OperandIndex, parseOperand, type Operand } from '../access/operand';
import { addTo } from '../syntax/groups';
import { argumentsOf, spelledName, type Line } from '../syntax/line';
import type { Section } from '../syntax/tree';
import { contentSpan, fittingHeadline, shortened } from './support/edits';
import type { Finding, Fix, Member, SectionRule } from './rule';

/**
 * Finds Deny lines that an Allow line overrides in both versions, although they were written to
 * deny these clients, and Allow lines that a Deny line overrides.
 */
export const denyWithoutEffect: SectionRule = {
  id: 'deny-without-effect',
  title: 'Deny and Allow lines without effect',
  consequence: 'probably a mistake',
  fix: 'suggestion',
  checks: 'section',
  names: ['order', 'allow', 'deny'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html#order',
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
      title: 'An address that is not allowed',
      before:
        '<Directory "/srv/www">\n    Order allow,deny\n    Allow from 192.0.2.7\n    Deny from all\n</Directory>\n',
      finds: ['allow-overridden'],
    },
    {
      title: 'Not reported: the order in which Deny decides',
      before:
        '<Directory "/srv/www">\n    Order allow,deny\n    Allow from all\n    Deny from 203.0.113.5\n</Directory>\n',
      finds: [],
    },
  ],
  check({ members, context }) {
    if (!members.some(({ line }) => line.name !== 'order' && isForSomeClients(line))) return [];
    if (context.containers.includes('macro')) return [];
    return groupsOf(members).flatMap(findingsInGroup);
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Groups of lines that decide together: the lines directly in the scope are one group, and the
 * lines of each `<Limit>` are another one. Empty if two groups may apply to the same method, or if
 * a condition decides which lines apply.
 */
function groupsOf(members: readonly Member[]): readonly (readonly Member[])[] {
  const groups = new Map<Section | undefined, Member[]>();
  for (const member of members) {
    const [limit, ...more] = member.enclosingSections;
    if (more.length > 0 || (limit !== undefined && !LIMIT_SECTIONS.has(limit.open.name))) return [];
    addTo(groups, limit, member);
  }
  const sections = [...groups.keys()];
  const areSectionsDisjoint = sections.every((one, at) =>
    sections.slice(at + 1).every((other) => areDisjoint(one, other)),
  );
  return areSectionsDisjoint ? [...groups.values()] : [];
}

const LIMIT_SECTIONS = new Set(['limit', 'limitexcept']);

/**
 * Whether two `<Limit>` or `<LimitExcept>` sections have no method in common. Undefined stands for
 * the lines outside of such sections.
 */
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

/**
 * The methods that a `<Limit>` or `<LimitExcept>` section names. HEAD counts as GET
 * (register_one_method in modules/http/http_protocol.c).
 */
function methodsOf({ open }: Section): readonly string[] {
  return wordsOf(open).map((name) => (name === 'HEAD' ? 'GET' : name));
}

/** The finding about the lines of a group that have no effect; empty if there are none. */
function findingsInGroup(members: readonly Member[]): readonly Finding[] {
  const orderMember = members.filter(({ line }) => line.name === 'order').at(-1);
  const orderValue = orderMember ? wordsOf(orderMember.line).join(' ').toLowerCase() : 'deny,allow';
  const overriddenKind = OVERRIDDEN_BY_ORDER[orderValue];
  if (overriddenKind === undefined) return [];
  const linesNamed = (name: string) => members.filter(({ line }) => line.name === name);
  const possibleLosers = linesNamed(overriddenKind.loser).filter(({ line }) => isForSomeClients(line));
  if (possibleLosers.length === 0) return [];
  const winningOperands = linesNamed(overriddenKind.winner).flatMap((at) =>
    operandsOf(at.line).map((operand) => ({ at, operand })),
  );
  const operandIndex = new OperandIndex(winningOperands.map(({ operand }) => operand));
  const overridingLineOf = (loser: Member) => {
    const containingIndexes = operandsOf(loser.line).map((inner) => operandIndex.firstContaining(inner));
    return containingIndexes.every((at) => at !== undefined) ? winningOperands[containingIndexes[0]!]?.at : undefined;
  };
  const overriddenLines = possibleLosers.filter((loser) => overridingLineOf(loser) !== undefined);
  const [first] = overriddenLines;
  if (first === undefined) return [];
  const isFromAll = winningOperands.some(({ operand }) => operand.kind === 'all');
  // The help proposes the other order. If the Deny line is not for all clients, that order also
  // changes the answer for clients that no line matches. So there is no finding.
  if (overriddenKind === OVERRIDDEN_ALLOW && !isFromAll) return [];
  const winnerText = isFromAll
    ? `${overriddenKind.winnerName} from all`
    : shortened(contentText(overridingLineOf(first)!.line), 50);
  return [
    {
      messageId: overriddenKind.messageId,
      what: fittingHeadline(
        `\`${spelledName(first.line)}\` has no effect: \`${winnerText}\` wins`,
        `\`${spelledName(first.line)}\` has no effect: an \`${overriddenKind.winnerName}\` line wins`,
      ),
      cause: `With \`Order ${orderValue}\`${orderMember ? '' : ', the default'}, ${overriddenKind.winnerName === 'Allow' ? 'an' : 'a'} \`${overriddenKind.winnerName}\` line that matches overrides \`${overriddenKind.loserName}\`, in 2.2 and in 2.4.`,
      help: overriddenKind.help(isFromAll),
      ...contentSpan(first.line, first.offset),
      ...(overriddenLines.length > 1 && {
        places: overriddenLines.slice(1).map(({ line, offset }) => contentSpan(line, offset)),
      }),
      fixes: isFromAll ? fixesOf(orderMember, overriddenKind.orderChange) : [],
    },
  ];
}

/** The kind of line that has no effect (`loser`), and the kind that overrides it (`winner`). */
interface OverriddenKind {
  readonly messageId: string;
  readonly loser: string;
  readonly loserName: string;
  readonly winner: string;
  readonly winnerName: string;
  readonly help: (isWinnerForAll: boolean) => string;
  /**
   * The Order in which the overridden line has an effect. Null if this Order would give access to
   * more clients.
   */
  readonly orderChange: { readonly orderWithEffect: string; readonly assumes: string } | null;
}

const OVERRIDDEN_DENY: OverriddenKind = {
  messageId: 'overridden',
  loser: 'deny',
  loserName: 'Deny',
  winner: 'allow',
  winnerName: 'Allow',
  help: (isAll) =>
    `To deny these clients, ${isAll ? 'write `Order allow,deny`' : 'write the `Allow` line without them'}. If they may have access, remove the \`Deny\` line.`,
  orderChange: { orderWithEffect: 'allow,deny', assumes: 'these clients should be denied, which they are not today' },
};

const OVERRIDDEN_ALLOW: OverriddenKind = {
  messageId: 'allow-overridden',
  loser: 'allow',
  loserName: 'Allow',
  winner: 'deny',
  winnerName: 'Deny',
  help: () =>
    'To allow only these clients, write `Order deny,allow`. If they may not have access, remove the `Allow` line.',
  orderChange: null,
};

const OVERRIDDEN_BY_ORDER: Readonly<Record<string, OverriddenKind>> = {
  'deny,allow': OVERRIDDEN_DENY,
  'allow,deny': OVERRIDDEN_ALLOW,
  'mutual-failure': OVERRIDDEN_ALLOW,
};

/**
 * The fix that changes the Order line; empty if there is no such line, or if no other order is
 * better. The caller makes sure that the winning line is for all clients. Then only the clients of
 * the overridden line get another answer.
 */
function fixesOf(orderMember: Member | undefined, orderChange: OverriddenKind['orderChange']): readonly Fix[] {
  const orderWord = orderMember && argumentsOf(orderMember.line)[0];
  if (!orderMember || !orderWord || orderChange === null) return [];
  const { orderWithEffect: otherOrder, assumes } = orderChange;
  return [
    {
      title: `Change Order deny,allow to Order ${otherOrder}`,
      safety: 'suggestion',
      assumes,
      edits: [
        { start: orderMember.offset + orderWord.start, end: orderMember.offset + orderWord.end, text: otherOrder },
      ],
    },
  ];
}

function contentText({ text }: Line): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** The operands after `from`; empty if the line does not begin with `from`. */
function operandsOf(line: Line): readonly Operand[] {
  const [from = '', ...operands] = wordsOf(line);
  return /^from$/i.test(from) ? operands.map(parseOperand) : [];
}

function wordsOf(line: Line): readonly string[] {
  return argumentsOf(line).map(({ value }) => value);
}

/**
 * Whether the line is for some clients: it has operands, and none of them is `all`, `none`, a
 * comment or a variable.
 */
function isForSomeClients(line: Line): boolean {
  const [from = '', ...operands] = wordsOf(line);
  return (
    /^from$/i.test(from) &&
    operands.length > 0 &&
    operands.every((word) => !/^(?:all|none)$/i.test(word) && !/[#$]/.test(word))
  );
}
