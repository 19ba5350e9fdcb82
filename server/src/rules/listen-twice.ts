import { parseAddressAndPort } from '../config/address';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { contentSpan, containsVariable, NO_FINDINGS, removeLine } from './support/edits';
import type { Context, SectionRule, Finding, Summary } from './rule';
import { titleToRemove } from './support/fix-title';

/** The addresses of the Listen lines in a part of a file, as `addressOfListen` writes them. */
interface Listeners {
  readonly addresses: ReadonlySet<string>;
  readonly repeatedAddresses: ReadonlySet<string>;
}

export const listenTwice: SectionRule = {
  id: 'listen-twice',
  title: 'Two Listen lines with the same address and port',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'section',
  names: ['listen'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html#listen',
  examples: [
    {
      title: 'The same port twice',
      before: 'Listen 80\nListen 443 https\nListen *:80\n',
      after: 'Listen 80\nListen 443 https\n',
      finds: ['twice'],
    },
  ],
  checkFile({ context, firstMatch, summaryOf }) {
    const summary = summaryOf(LISTENERS_SUMMARY);
    if (summary === null) return NO_FINDINGS;
    return [...summary.repeatedAddresses].flatMap((address): Finding[] => {
      let seenCount = 0;
      const secondPlace = firstMatch(
        LISTENERS_SUMMARY,
        ({ addresses }) => addresses.has(address),
        (line) => addressOfListen(line, context) === address && ++seenCount === 2,
      );
      if (secondPlace === null) return [];
      return [
        {
          messageId: 'twice',
          what: '`Listen` is repeated: a line above has the same address',
          help: 'Remove one of the two lines.',
          serverText: 'Cannot define multiple Listeners on the same IP:port',
          ...contentSpan(secondPlace.line, secondPlace.offset),
          fixes: [
            {
              title: titleToRemove(secondPlace.line),
              safety: 'suggestion',
              edits: [removeLine(secondPlace.line, secondPlace.offset)],
            },
          ],
        },
      ];
    });
  },
};

const LISTENERS_SUMMARY: Summary<Listeners> = {
  summarize(line, context) {
    const address = addressOfListen(line, context);
    return address === null ? null : { addresses: new Set([address]), repeatedAddresses: NO_ADDRESSES };
  },
  plus(a, b) {
    const repeatedAddresses = new Set([...a.repeatedAddresses, ...b.repeatedAddresses]);
    for (const address of b.addresses) if (a.addresses.has(address)) repeatedAddresses.add(address);
    return { addresses: new Set([...a.addresses, ...b.addresses]), repeatedAddresses };
  },
};

// ---------------------------------------------------------------------------------------------------------------------

const NO_ADDRESSES: ReadonlySet<string> = new Set();

/**
 * The address and port of a Listen line: `80` for all addresses, or `192.0.2.1:80`. Null if the
 * line is no Listen, or if it is uncertain whether httpd reads it.
 */
function addressOfListen(
  line: Line,
  { activity, containers }: Pick<Context, 'activity' | 'containers'>,
): string | null {
  if (line.kind !== LineKind.Directive || line.name !== 'listen' || activity !== 'active' || containers.length > 0)
    return null;
  const [word, , more] = argumentsOf(line);
  if (word === undefined || more !== undefined || containsVariable(word)) return null;
  const address = parseAddressAndPort(word.value);
  if (address === null || address.port === 0) return null;
  return address.host === null || address.host === '*'
    ? String(address.port)
    : `${address.host.toLowerCase()}:${address.port}`;
}
