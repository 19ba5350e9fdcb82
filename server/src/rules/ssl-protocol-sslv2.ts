import { spelledName } from '../syntax/line';
import type { Line, Word } from '../syntax/line';
import { containsVariable, NO_FINDINGS, removeLine, removeWord, wordsOfInput } from './support/edits';
import type { Edit, Finding, Fix, LineRule } from './rule';
import { titleToChangeLine, titleToRemove } from './support/fix-title';

export const sslProtocolSslv2: LineRule = {
  id: 'ssl-protocol-sslv2',
  title: 'SSLProtocol with SSLv2 or SSLv3, which are no longer supported',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  names: ['sslprotocol', 'sslproxyprotocol'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#sslprotocol',
  examples: [
    {
      title: 'A list of protocols',
      before: 'SSLProtocol -all +SSLv2 +TLSv1.2\n',
      after: 'SSLProtocol -all +TLSv1.2\n',
      finds: ['sslv2'],
    },
    {
      title: 'A list that without SSLv2 has only TLS 1.0',
      before: 'SSLProtocol -all +SSLv2 +TLSv1\n',
      after: 'SSLProtocol all -SSLv3\n',
      finds: ['sslv2'],
    },
    {
      title: 'SSLProtocol with only SSLv2',
      before: 'SSLProxyProtocol SSLv2\n',
      after: '',
      finds: ['sslv2'],
    },
    { title: 'Not reported: SSLv2 is disabled', before: 'SSLProtocol all -SSLv2\n', finds: [] },
  ],
  check(ruleInput) {
    const protocolWords = wordsOfInput(ruleInput);
    return [
      ...findingsFor('sslv2', ruleInput.line, protocolWords),
      ...findingsFor('sslv3', ruleInput.line, protocolWords),
    ];
  },
};

/** The findings at the words that enable the protocol. They share one fix. */
function findingsFor(protocol: 'sslv2' | 'sslv3', line: Line, protocolWords: readonly Word[]): readonly Finding[] {
  const wordsOfProtocol = protocolWords.filter((word) => enablesProtocol(word, protocol));
  if (wordsOfProtocol.length === 0) return NO_FINDINGS;
  const oldTlsText = oldTlsTextOf(
    protocol === 'sslv2' ? protocolsOf(protocolWords) : protocolsOf(protocolWords.filter((word) => !isOldSsl(word))),
  );
  const fixes = [
    oldTlsText !== null
      ? fixAllowingNewTls(line, protocolWords)
      : protocol === 'sslv2'
        ? fixRemovingSslv2(line, protocolWords)
        : fixRemovingSslv3(line, protocolWords),
  ];
  return wordsOfProtocol.map((word) => ({
    messageId: protocol,
    what:
      protocol === 'sslv2'
        ? `\`${spelledName(line)}\`: SSLv2 was removed`
        : `\`${spelledName(line)}\`: most OpenSSL builds have no SSLv3`,
    ...(protocol === 'sslv3' && { cause: 'The server does not start if OpenSSL was built without SSLv3.' }),
    help:
      oldTlsText === null
        ? `Remove ${protocol === 'sslv2' ? 'SSLv2' : 'SSLv3'} from the line.`
        : `Write \`${spelledName(line)} all -SSLv3\`. The old line without ${protocol === 'sslv2' ? 'SSLv2' : 'SSLv3'} would allow only ${oldTlsText}, and that fails with OpenSSL 3.`,
    consequence: protocol === 'sslv2' ? 'will not start' : 'may not start',
    start: word.start,
    end: word.end,
    fixes,
  }));
}

/**
 * The TLS versions in `protocols`, as text. Null if one of them works with OpenSSL 3 at its usual
 * security level, or if the versions are unknown.
 */
function oldTlsTextOf(protocols: ReadonlySet<string> | null): string | null {
  const namedProtocols = protocols && [...protocols].filter((protocol) => !protocol.startsWith('sslv'));
  if (
    namedProtocols === null ||
    namedProtocols.length === 0 ||
    !namedProtocols.every((protocol) => TEXT_BY_OLD_TLS.has(protocol))
  )
    return null;
  return namedProtocols.map((protocol) => TEXT_BY_OLD_TLS.get(protocol)).join(' and ');
}

/** The TLS versions that OpenSSL 3 refuses at its usual security level, with their usual names. */
const TEXT_BY_OLD_TLS: ReadonlyMap<string, string> = new Map([
  ['tlsv1', 'TLS 1.0'],
  ['tlsv1.1', 'TLS 1.1'],
]);

/** The fix for a line that would allow only old TLS versions: it allows all that OpenSSL allows. */
function fixAllowingNewTls(line: Line, protocolWords: readonly Word[]): Fix {
  const edit = { start: protocolWords[0]!.start, end: protocolWords.at(-1)!.end, text: 'all -SSLv3' };
  return {
    title: titleToChangeLine(line, edit),
    safety: 'suggestion',
    assumes: `${isForBackends(line) ? 'httpd may use' : 'clients may use'} all versions of TLS that OpenSSL allows${isForBackends(line) ? ' to backends' : ''}`,
    edits: [edit],
  };
}

/**
 * The fix that removes SSLv2 from the line. It is safe if the remaining words select the same other
 * protocols. If no words do, the fix removes the whole line.
 */
function fixRemovingSslv2(line: Line, protocolWords: readonly Word[]): Fix {
  const protocolsBefore = protocolsOf(protocolWords);
  const remainingProtocols =
    protocolsBefore && new Set([...protocolsBefore].filter((protocol) => protocol !== 'sslv2'));
  if (remainingProtocols === null)
    return {
      title: `Remove SSLv2 from ${spelledName(line)}`,
      safety: 'suggestion',
      assumes: 'at least one other protocol stays enabled',
      edits: editsRemovingProtocol(line, protocolWords, 'sslv2'),
    };
  if (remainingProtocols.size > 0) {
    const enablesSslv2 = (word: Word) => enablesProtocol(word, 'sslv2');
    // A word without a sign replaces the words before it. Without `SSLv2`, these words would count
    // again, so a second attempt leaves them out.
    const lastUnsignedIndex = protocolWords.findLastIndex((word) => enablesSslv2(word) && !/^[+-]/.test(word.value));
    for (const firstIndex of [0, lastUnsignedIndex + 1]) {
      const remainingWords = protocolWords.filter((word, index) => index >= firstIndex && !enablesSslv2(word));
      if (areSameProtocols(protocolsOf(remainingWords), remainingProtocols))
        return {
          title: `Remove SSLv2 from ${spelledName(line)}`,
          safety: 'safe',
          edits: editsKeepingWords(line, protocolWords, remainingWords),
        };
    }
  }
  return {
    title: titleToRemove(line),
    safety: 'suggestion',
    assumes: effectOfOnlyWord(line),
    edits: [removeLine(line)],
  };
}

/** The fix that removes SSLv3 from the line, or the whole line if no other protocol is left. */
function fixRemovingSslv3(line: Line, protocolWords: readonly Word[]): Fix {
  const remainingWords = protocolWords.filter((word) => !enablesProtocol(word, 'sslv3'));
  const remainingProtocols = protocolsOf(remainingWords);
  if (remainingProtocols !== null && ![...remainingProtocols].some((protocol) => protocol !== 'sslv2'))
    return {
      title: titleToRemove(line),
      safety: 'suggestion',
      assumes: effectOfOnlyWord(line),
      edits: [removeLine(line)],
    };
  return {
    title: `Remove SSLv3 from ${spelledName(line)}`,
    safety: 'suggestion',
    assumes: 'no client needs SSLv3',
    edits: editsRemovingProtocol(line, protocolWords, 'sslv3'),
  };
}

/** Whether the word enables SSLv2 or SSLv3. */
function isOldSsl(word: Word): boolean {
  return enablesProtocol(word, 'sslv2') || enablesProtocol(word, 'sslv3');
}

/** Whether the line is about connections to backends, not from clients. */
function isForBackends(line: Line): boolean {
  return line.name === 'sslproxyprotocol';
}

/** The effect of removing the only word of the line, so that the default applies. */
function effectOfOnlyWord(line: Line): string {
  return isForBackends(line)
    ? 'httpd may use all TLS versions (the default) to backends'
    : 'clients may use all TLS versions (the default)';
}

/**
 * Whether the word names this protocol (in lower case) with a plus sign or no sign. `all` does not.
 */
function enablesProtocol(word: Word, protocol: string): boolean {
  return word.value.replace(/^\+/, '').toLowerCase() === protocol;
}

/** The names of the protocols. `all` stands for all of them. */
const PROTOCOL_NAMES = ['sslv2', 'sslv3', 'tlsv1', 'tlsv1.1', 'tlsv1.2', 'tlsv1.3'];

/**
 * The protocols that the words select, in 2.2 and in 2.4 (ssl_cmd_protocol_parse). Null if a word
 * is unknown.
 */
function protocolsOf(protocolWords: readonly Word[]): Set<string> | null {
  let enabledProtocols = new Set<string>();
  for (const word of protocolWords) {
    const [, sign, name] = /^([+-]?)(.*)$/s.exec(word.value.toLowerCase())!;
    const matchingProtocols = name === 'all' ? PROTOCOL_NAMES : PROTOCOL_NAMES.filter((protocol) => protocol === name);
    if (matchingProtocols.length === 0 || containsVariable(word)) return null;
    if (sign === '') enabledProtocols = new Set();
    for (const protocol of matchingProtocols)
      sign === '-' ? enabledProtocols.delete(protocol) : enabledProtocols.add(protocol);
  }
  return enabledProtocols;
}

/** Whether `a` without SSLv2 has the protocols of `b`, which has no SSLv2. */
function areSameProtocols(a: ReadonlySet<string> | null, b: ReadonlySet<string>): boolean {
  const protocolsWithoutSslv2 = a && [...a].filter((protocol) => protocol !== 'sslv2');
  return (
    protocolsWithoutSslv2 !== null &&
    protocolsWithoutSslv2.length === b.size &&
    protocolsWithoutSslv2.every((protocol) => b.has(protocol))
  );
}

/** Edits that remove the words that enable the protocol. */
function editsRemovingProtocol(line: Line, protocolWords: readonly Word[], protocol: string): Edit[] {
  return editsKeepingWords(
    line,
    protocolWords,
    protocolWords.filter((word) => !enablesProtocol(word, protocol)),
  );
}

/** Edits that remove all words except the remaining ones. */
function editsKeepingWords(line: Line, protocolWords: readonly Word[], remainingWords: readonly Word[]): Edit[] {
  return protocolWords.flatMap((word, index) => (remainingWords.includes(word) ? [] : [removeWord(line, index)]));
}
