import { argumentsOf, spelledName, type Line } from '../syntax/line';
import { contentSpan } from './support/edits';
import type { Fix, UnitRule } from './rule';

/** Deny lines that `Allow from all` overrides, in both versions: whoever wrote them wanted to deny these clients. */
export const denyWithoutEffect: UnitRule = {
  id: 'deny-without-effect',
  title: 'Deny lines that an "Allow from all" overrides',
  consequence: 'probably a mistake',
  fix: 'suggestion',
  scope: 'unit',
  names: ['order', 'allow', 'deny'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html#order',
  page: {
    what: 'A `Deny` line for some clients beside `Allow from all`, with `Order deny,allow`. The clients are not denied, in 2.2 or in 2.4.',
    why: 'With `Order deny,allow`, an `Allow` line that matches overrides each `Deny` line. `Allow from all` matches every client. `Order deny,allow` is also the default without an `Order` line.',
    httpd: 'No message. The clients get 200.',
    fixing:
      '- **Suggestion**: change the line to `Order allow,deny`. Then the `Deny` lines deny these clients, which they did not do before.\n\n' +
      'The rule reports nothing if some of the lines are in a conditional section or in `<Limit>`.',
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
  wakes: { names: ['deny'] },
  check({ members, context }) {
    if (context.containers.includes('macro') || members.some(({ within }) => within.length > 0)) return [];
    const lines = (name: string) => members.filter(({ line }) => line.name === name);
    const order = lines('order').at(-1);
    if (order && !/^deny,allow$/i.test(wordsOf(order.line).join(' '))) return [];
    const denies = lines('deny').filter(({ line }) => isSome(line));
    const [first] = denies;
    if (first === undefined || !lines('allow').some(({ line }) => /^from all$/i.test(wordsOf(line).join(' '))))
      return [];
    const word = order && argumentsOf(order.line)[0]!;
    const fixes: Fix[] = word
      ? [
          {
            title: 'Replace by Order allow,deny',
            safety: 'suggestion',
            assumes: 'these clients should be denied, which they are not today',
            edits: [{ start: order.offset + word.start, end: order.offset + word.end, text: 'allow,deny' }],
          },
        ]
      : [];
    return [
      {
        messageId: 'overridden',
        what: `\`${spelledName(first.line)}\` has no effect: \`Allow from all\` wins`,
        cause: `With \`Order deny,allow\`${order ? '' : ', the default'}, an \`Allow\` line that matches overrides \`Deny\`, in 2.2 and in 2.4.`,
        help: 'To deny these clients, write `Order allow,deny`. If they may have access, remove the `Deny` line.',
        ...contentSpan(first.line, first.offset),
        ...(denies.length > 1 && { places: denies.slice(1).map(({ line, offset }) => contentSpan(line, offset)) }),
        fixes,
      },
    ];
  },
};

function wordsOf(line: Line): readonly string[] {
  return argumentsOf(line).map(({ value }) => value);
}

/** Whether a line denies some clients and not all. */
function isSome(line: Line): boolean {
  const [from = '', ...operands] = wordsOf(line);
  return (
    /^from$/i.test(from) &&
    operands.length > 0 &&
    operands.every((word) => !/^(?:all|none)$/i.test(word) && !/[#$]/.test(word))
  );
}
