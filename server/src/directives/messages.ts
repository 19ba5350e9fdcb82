import { lazy } from '../syntax/memory';
import { opensslRows, searchWordsOf } from './openssl-messages';

/**
 * Messages that httpd 2.4 logs or prints after an upgrade, with the remedies: error log lines with
 * an AH code, and start-up errors that have none. `text` has the server's words, checked against
 * its binaries by test/directives/messages.slow.test.ts. `meaning` and `remedy` are our own words.
 */
export interface Message {
  /** `AH01797`; undefined for a start-up error without a code. */
  readonly code?: string;
  /** The server's words, with `…` for variable parts. */
  readonly text: string;
  /** The meaning, and when it occurs after an upgrade. */
  readonly meaning: string;
  readonly remedy: string;
  /** Ids of rules that find the cause in a configuration. */
  readonly rules: readonly string[];
  /** The directives and modules that the message is about. Sections begin with `<`. */
  readonly about: readonly string[];
  /** Other words with which users search for the message, in lower case. */
  readonly aliases?: readonly string[];
  /**
   * Whether the message has no code and is logged for a request, not while the configuration is
   * read.
   */
  readonly isOfRequest?: boolean;
  /** Whether suexec writes the message to its own log. */
  readonly isOfSuexec?: boolean;
  /** Whether this is no message of the server but something that users see. */
  readonly isSymptom?: boolean;
  /**
   * The source of the meaning: a configuration test or request on 2.4.71; the manual; or the source
   * code alone.
   */
  readonly source: 'experiment' | 'manual' | 'source';
}

/**
 * A line of data/messages.json. It stands for one message with each of `codes`, or for one message
 * without a code.
 */
type MessageRow = Omit<Message, 'code' | 'rules' | 'about'> &
  Partial<Pick<Message, 'rules' | 'about'>> & { readonly codes?: readonly string[] };

/** All messages: those of data/messages.json, of OpenSSL, and of data/log-messages.json. */
export const serverMessages = lazy((): readonly Message[] => {
  const rows = require('./data/messages.json') as readonly MessageRow[];
  const httpdMessages = rows.flatMap(({ codes = [undefined], rules = [], about = [], ...rest }) =>
    codes.map((code): Message => ({ ...(code !== undefined && { code }), ...rest, rules, about })),
  );
  return [...httpdMessages, ...opensslMessages(), ...logMessages()];
});

/** The messages of data/openssl-messages.json, one for each row. */
function opensslMessages(): Message[] {
  return opensslRows().map(({ title, words, meaning, remedy, about }) => ({
    text: title,
    aliases: searchWordsOf(words),
    isSymptom: true,
    meaning,
    remedy,
    rules: [],
    about,
    source: 'source',
  }));
}

/** An entry of data/log-messages.json. */
type LogRow = readonly [
  /**
   * Codes with this meaning, separated by spaces. Empty for a message without a code; `suexec` for
   * a message of that program.
   */
  codes: string,
  text: string,
  meaning: string,
  remedy: string,
  rules: readonly string[],
  about: readonly string[],
];

/**
 * Lines of the error log, one message for each code. The texts in data/log-messages.json are those
 * of the server's binaries. The meanings are from the functions that log the codes.
 */
function logMessages(): Message[] {
  return (require('./data/log-messages.json') as readonly LogRow[]).flatMap(
    ([codes, text, meaning, remedy, rules, about]) =>
      codes.split(' ').map(
        (code): Message => ({
          ...(code === 'suexec' ? { isOfRequest: true, isOfSuexec: true } : code ? { code } : { isOfRequest: true }),
          text,
          meaning,
          remedy,
          rules,
          about,
          source: 'source',
        }),
      ),
  );
}
