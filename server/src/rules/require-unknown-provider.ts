import { parseOperand } from '../access/operand';
import { parseRequire, PROVIDERS } from '../access/require';
import { areAllOfHttpd } from '../config/modules';
import { foreignProviderModule } from '../validation/refusals';
import { argumentsOf, LineKind, type Line, type Word } from '../syntax/line';
import { contentSpan, NO_FINDINGS, replaceWord, shortened } from './support/edits';
import type { Context, SectionRule, Finding, Fix, Summary } from './rule';
import { titleToChange } from './support/fix-title';

/**
 * Finds words after Require that are no provider of httpd's modules. If the configuration of the
 * file is unknown, finds only words that are hardly providers of third-party modules.
 */
export const requireUnknownProvider: SectionRule = {
  id: 'require-unknown-provider',
  title: 'Require with an unknown first word',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'section',
  names: ['require', 'authzprovideralias', 'luaauthzprovider', 'perladdauthzprovider'],
  url: 'https://httpd.apache.org/docs/2.4/howto/access.html',
  examples: [
    {
      title: 'Misspelled words',
      before:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require vaild-user\n    Require users ann\n</Directory>\n',
      after:
        '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require valid-user\n    Require user ann\n</Directory>\n',
      finds: ['unknown', 'unknown'],
    },
    {
      title: 'An address without the word "ip"',
      before:
        '<Directory /srv>\n    Require 192.0.2.0/24\n</Directory>\n<Directory /srv/closed>\n    Require none\n</Directory>\n',
      after:
        '<Directory /srv>\n    Require ip 192.0.2.0/24\n</Directory>\n<Directory /srv/closed>\n    Require all denied\n</Directory>\n',
      finds: ['not-a-name', 'not-a-name'],
    },
    {
      title: 'Quotes around all arguments',
      before: '<Directory /srv>\n    Require "all granted"\n</Directory>\n',
      after: '<Directory /srv>\n    Require all granted\n</Directory>\n',
      finds: ['not-a-name'],
    },
  ],
  checkLine({ line, context }) {
    if (
      !areProvidersKnown(context) ||
      line.name !== 'require' ||
      line.kind !== LineKind.Directive ||
      context.containers.includes('macro')
    )
      return NO_FINDINGS;
    const { provider, hasVariable } = parseRequire(line);
    if (hasVariable) return NO_FINDINGS;
    const providerName = provider?.value ?? '';
    const isKnownProvider =
      PROVIDERS.has(providerName.toLowerCase()) ||
      context.fileContext!.providers!.has(providerName) ||
      foreignProviderModule(providerName) !== undefined;
    return isKnownProvider ? NO_FINDINGS : [findingOfLine(line, 0)];
  },
  checkFile({ firstMatch, summaryOf }) {
    const summary = summaryOf(PROVIDER_WORDS_SUMMARY);
    if (summary === null) return NO_FINDINGS;
    const findings: Finding[] = [];
    for (const suspect of summary.suspectWords) {
      if (summary.definedProviders.has(suspect)) continue;
      for (let nth = 1; nth <= MAX_LINES_OF_PROVIDER; nth++) {
        let seenCount = 0;
        const suspectPlace = firstMatch(
          PROVIDER_WORDS_SUMMARY,
          (part) => part.suspectWords.has(suspect),
          (line) => suspectWord(line) === suspect && ++seenCount === nth,
        );
        if (!suspectPlace) break;
        findings.push(findingOfLine(suspectPlace.line, suspectPlace.offset));
      }
    }
    return findings;
  },
};

const PROVIDER_WORDS_SUMMARY: Summary<ProviderWords> = {
  summarize(line, context) {
    if (areProvidersKnown(context) || context.containers.includes('macro')) return null;
    if (line.name === 'require') return suspectWordsOf(line, context);
    const words = argumentsOf(line);
    const definedName = line.name === 'authzprovideralias' ? words[1]?.value : words[0]?.value;
    return definedName === undefined || definedName.includes('${')
      ? null
      : { definedProviders: new Set([definedName]), suspectWords: NO_WORDS };
  },
  plus(a, b) {
    return {
      definedProviders: joinedUpToLimit(a.definedProviders, b.definedProviders),
      suspectWords: joinedUpToLimit(a.suspectWords, b.suspectWords),
    };
  },
};

/** Whether all provider names are known, so that each line can be checked alone. */
function areProvidersKnown({ fileContext, activity }: Context): boolean {
  return (
    activity !== 'inactive' &&
    fileContext !== null &&
    fileContext.modules !== null &&
    fileContext.providers != null &&
    areAllOfHttpd(fileContext.modules)
  );
}

/**
 * Words in a part of a file: the providers that its lines define, and the words after `Require`
 * that may be misspelled. Each set has a limit, so that joining the sets of two parts takes the
 * same time in any file.
 */
interface ProviderWords {
  readonly definedProviders: ReadonlySet<string>;
  readonly suspectWords: ReadonlySet<string>;
}

const NO_WORDS: ReadonlySet<string> = new Set();
/** Maximum number of different words in each set. A file rarely has more misspelled words. */
const MAX_PROVIDER_WORDS = 24;
/** Maximum number of reported lines with the same word. */
const MAX_LINES_OF_PROVIDER = 24;

/** The words of both sets; if they are more than MAX_PROVIDER_WORDS, only the first ones. */
function joinedUpToLimit(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  if (b.size === 0 || a.size >= MAX_PROVIDER_WORDS) return a;
  return a.size === 0 ? b : new Set([...a, ...b].slice(0, MAX_PROVIDER_WORDS));
}

/** The summary of a Require line with a suspect word; null for other lines. */
function suspectWordsOf(line: Line, { activity }: Context): ProviderWords | null {
  const suspect = activity === 'inactive' ? null : suspectWord(line);
  return suspect === null ? null : { definedProviders: NO_WORDS, suspectWords: new Set([suspect]) };
}

/**
 * The first word after Require, if it is probably wrong; '' if there is no word. Null if the word
 * may be right, or if the line is no Require line.
 */
function suspectWord(line: Line): string | null {
  if (line.name !== 'require' || line.kind !== LineKind.Directive) return null;
  // A fast path: most lines have `all`.
  if (!line.isJoined && /^\s*require\s+all\s/i.test(line.text)) return null;
  const { provider, hasVariable } = parseRequire(line);
  if (hasVariable) return null;
  if (provider === null || provider.value === '') return '';
  const { value } = provider;
  if (PROVIDERS.has(value.toLowerCase())) return null;
  return isNoProviderName(value) || meantProvider(value) !== null ? value : null;
}

/** The finding for a Require line whose first word is missing, misspelled or unknown. */
function findingOfLine(line: Line, offset: number): Finding {
  const { provider } = parseRequire(line);
  if (provider === null || provider.value === '') {
    return {
      messageId: 'nothing',
      what: '`Require` needs an argument',
      cause: 'In 2.2 such a line allowed no user.',
      help: 'Write, for example, `Require valid-user`.',
      ...contentSpan(line, offset),
    };
  }
  const span = { start: offset + provider.start, end: offset + provider.end };
  const meantName = meantProvider(provider.value);
  if (meantName !== null) {
    return {
      messageId: 'unknown',
      what: `\`Require ${shortened(provider.value)}\`: httpd 2.4 does not know this word`,
      cause: `In 2.2 the line allowed no user. Perhaps you meant \`${meantName}\`, which is in ${PROVIDERS.get(meantName)}.`,
      help: `To allow these users, write \`Require ${meantName}\`. To deny them as 2.2 did, write \`Require all denied\`.`,
      serverText: `Unknown Authz provider: ${provider.value}`,
      ...span,
      fixes: [
        {
          title: titleToChange(`Require ${provider.value}`, `Require ${meantName}`),
          safety: 'suggestion',
          assumes: 'you want to allow users that 2.2 denied',
          edits: [replaceWord(provider, meantName, offset)],
        },
      ],
    };
  }
  if (!isNoProviderName(provider.value)) {
    return {
      messageId: 'not-provided',
      what: `\`Require ${shortened(provider.value)}\`: httpd 2.4 does not know this word`,
      cause:
        'No module of httpd has this word, and no line of the configuration defines it. In 2.2 the line allowed no user.',
      help: 'Load the module that has this word. To deny as 2.2 did, write `Require all denied`.',
      serverText: `Unknown Authz provider: ${provider.value}`,
      ...span,
    };
  }
  const correctedText = meantArguments(provider, line);
  const fixes: Fix[] =
    correctedText === null
      ? []
      : [
          {
            title: titleToChange(line.text.trim(), `Require ${correctedText}`),
            safety: 'suggestion',
            edits: [replaceWord(provider, correctedText, offset)],
          },
        ];
  return {
    messageId: 'not-a-name',
    what: `\`Require\`: \`${shortened(provider.value)}\` is not a valid first word`,
    cause: 'In 2.2 the line allowed no user.',
    help: /\s/.test(provider.value)
      ? 'Remove the quotes: httpd reads quoted text as one word.'
      : 'Valid first words are, for example, `all`, `ip`, `host` and `valid-user`.',
    serverText: `Unknown Authz provider: ${provider.value}`,
    ...span,
    fixes,
  };
}

/** Whether the word is certainly no name of a provider, because it is, for example, an address. */
function isNoProviderName(word: string): boolean {
  return (
    /[\s,;#*/]/.test(word) ||
    parseOperand(word).kind === 'ip' ||
    /^env=/i.test(word) ||
    ARGUMENTS_MEANT_BY_WORD.has(word.toLowerCase())
  );
}

/**
 * Words that users write in the place of a provider, with the arguments that they probably mean.
 * Null if the meaning is unclear.
 */
const ARGUMENTS_MEANT_BY_WORD = new Map([
  ['none', 'all denied'],
  ['nobody', 'all denied'],
  ['denied', 'all denied'],
  ['deny', 'all denied'],
  ['granted', 'all granted'],
  ['everyone', 'all granted'],
  ['everybody', 'all granted'],
  ['allow', null],
  ['from', null],
  ['any', null],
  ['localhost', 'local'],
]);

/** The arguments of Require that the user probably means by the first word; null if unclear. */
function meantArguments(provider: Word, line: Line): string | null {
  const { value } = provider;
  const hasNoOperands = parseRequire(line).operands.length === 0;
  if (parseOperand(value).kind === 'ip') return `ip ${value}`;
  if (!hasNoOperands) return null;
  const [first = ''] = value.split(/\s+/);
  if (/\s/.test(value) && PROVIDERS.has(first) && !/["'\\]/.test(value)) return value;
  return ARGUMENTS_MEANT_BY_WORD.get(value.toLowerCase()) ?? null;
}

/**
 * The provider that differs from the word by one typo; null if there is none. Leaves out names of
 * less than four letters, because they are similar to too many words.
 */
function meantProvider(word: string): string | null {
  const lowerCaseWord = word.toLowerCase();
  for (const name of PROVIDERS.keys())
    if (name.length >= 4 && isOneTypoAway(lowerCaseWord, name) && !KNOWN_SIMILAR_NAMES.has(lowerCaseWord)) return name;
  return null;
}

/**
 * Names that resemble the name of a provider of httpd, but are aliases or providers of other
 * modules.
 */
const KNOWN_SIMILAR_NAMES = new Set(['post', 'claim', 'vhost', 'ghost', 'locale', 'dbd-groups', 'cgroup', 'hostip']);

/** Whether two words differ in one letter, which may be missing, or in the order of two letters. */
function isOneTypoAway(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let differenceIndex = 0;
  while (differenceIndex < a.length && a[differenceIndex] === b[differenceIndex]) differenceIndex++;
  const textFrom = (text: string, from: number) => text.slice(from);
  return (
    textFrom(a, differenceIndex + 1) === textFrom(b, differenceIndex + 1) ||
    textFrom(a, differenceIndex + 1) === textFrom(b, differenceIndex) ||
    textFrom(a, differenceIndex) === textFrom(b, differenceIndex + 1) ||
    (a[differenceIndex] === b[differenceIndex + 1] &&
      a[differenceIndex + 1] === b[differenceIndex] &&
      textFrom(a, differenceIndex + 2) === textFrom(b, differenceIndex + 2))
  );
}
