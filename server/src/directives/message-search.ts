/** Finds the messages of the server (messages.ts) that a text contains. */
import { lazy } from '../syntax/memory';
import { serverMessages, type Message } from './messages';
import { vocabulary } from './vocabularies';
import { WORDS_OF_22 } from './words-of-22';

/**
 * The message with this code: `AH01797`, `ah1797`, `1797`. A number that is an HTTP status (`502`)
 * is no code. Undefined if no message is found.
 */
export function messageByCode(term: string): Message | undefined {
  const digits = /^(?:AH)?0*(\d{1,5})$/i.exec(term.trim())?.[1];
  if (digits === undefined || statusCodes().has(term.trim())) return undefined;
  return messagesByCode().get(`AH${digits.padStart(5, '0')}`);
}

const messagesByCode = lazy(
  (): ReadonlyMap<string, Message> =>
    new Map(serverMessages().flatMap((message) => (message.code === undefined ? [] : [[message.code, message]]))),
);

const statusCodes = lazy((): ReadonlySet<string> => new Set(vocabulary('status').map(({ word }) => word)));

/**
 * The messages in a text: a line copied from a log (its code is enough), the server's words with
 * any variable parts, a piece of these words, or search words. Returns several messages if they fit
 * equally well.
 */
export function messagesIn(text: string): readonly Message[] {
  const messagesWithCode = [...text.matchAll(/AH\d{5}/g)].flatMap(([code]) => messageByCode(code) ?? []);
  // AH00526 only gives the file and line. The message on the next line gives the reason, so it is
  // preferred.
  const explainingMessages = messagesWithCode.filter(({ code }) => code !== 'AH00526');
  if (explainingMessages.length > 0) return explainingMessages;
  const searchedText = searchText(text);
  const scoredMessages = serverMessages().map((message) => ({
    message,
    score:
      message.code === 'AH00526'
        ? 0
        : Math.max(
            matchScore(message, searchedText),
            ...wordsOf22(message).map((text) => matchScore({ ...message, text, aliases: [] }, searchedText)),
          ),
  }));
  const bestScore = Math.max(MIN_COMMON_LETTERS, ...scoredMessages.map(({ score }) => score));
  const bestMessages = scoredMessages.filter(({ score }) => score === bestScore).map(({ message }) => message);
  // The MPMs log the same message with different codes, so such messages count as one.
  const messagesOfDistinctMeaning = bestMessages.filter(
    ({ meaning }, index) => bestMessages.findIndex((each) => each.meaning === meaning) === index,
  );
  return messagesOfDistinctMeaning.length > 0 ? messagesOfDistinctMeaning : messagesWithCode;
}

/**
 * The messages that match `words` from the beginning. Only the variable parts (`…`) may differ. Of
 * these messages, returns those with the longest match, and only those for which `isWanted` is
 * true. `words` is the text of a log line without the fields at its start, such as time and level.
 */
export function messagesMatching(
  words: string,
  isWanted: (message: Message) => boolean = () => true,
): readonly Message[] {
  const searchedWords = searchText(words);
  const searchedWithoutNames =
    searchedWords.length >= MIN_COMMON_LETTERS * 2 ? searchedWords.replace(/'[^']*'/, "'…'") : null;
  let bestLength = 1;
  let longestMessages: Message[] = [];
  for (const { message, text, forms } of preparedMessages()) {
    if (!isWanted(message)) continue;
    const alias = message.aliases?.find((each) => searchedWords.startsWith(each));
    const matchesPiece = searchedWithoutNames !== null && text.startsWith(searchedWithoutNames);
    let matchedLength = matchesPiece ? searchedWords.length : (alias?.length ?? 0);
    if (matchedLength === 0)
      for (const form of forms) matchedLength = Math.max(matchedLength, matchedLetters(form, searchedWords));
    if (matchedLength > bestLength) longestMessages = [];
    if (matchedLength >= bestLength) longestMessages.push(message);
    bestLength = Math.max(bestLength, matchedLength);
  }
  return longestMessages.filter(
    ({ meaning }, index) => longestMessages.findIndex((each) => each.meaning === meaning) === index,
  );
}

/** A message of httpd, prepared for the search. */
interface PreparedMessage {
  readonly message: Message;
  readonly text: string;
  /**
   * The fixed parts of the text in order, between the variable parts. A message may have several
   * forms: with and without the name of a program at its beginning (which log-line.ts removes), and
   * with the words of 2.2.
   */
  readonly forms: readonly (readonly string[])[];
}

const preparedMessages = lazy((): readonly PreparedMessage[] =>
  serverMessages()
    .filter(({ isSymptom }) => !isSymptom)
    .map((message) => {
      const text = searchText(message.text);
      const forms = [text, ...(text.startsWith('…: ') ? [text.slice(3)] : []), ...wordsOf22(message)].map((form) => {
        const formParts = form.split('…');
        // The marks at the end, such as `.` and `:`, are left out, because they differ between
        // messages.
        return [...formParts.slice(0, -1), formParts.at(-1)!.replace(/(?<![\s.:!])[\s.:!]+$/, '')];
      });
      // Messages with a code, a variable part at the beginning and few letters, such as `… returned
      // by …`, also match lines of other messages. So they have no `forms`: they match only by
      // their code or the beginning of their text.
      const isTooVague = message.code !== undefined && text.startsWith('…') && text.replace(/[^a-z]/g, '').length < 16;
      return { message, text, forms: isTooVague || CODES_WITH_SHARED_WORDS.has(message.code ?? '') ? [] : forms };
    }),
);

/**
 * Codes of messages whose words other modules also log, for other causes. A line with these words
 * is recognized only by its code.
 */
const CODES_WITH_SHARED_WORDS: ReadonlySet<string> = new Set(
  'AH00099 AH00589 AH00590 AH01079 AH01675 AH01762 AH02339 AH02390 AH02391'.split(' '),
);

/** The words of 2.2 for a message that 2.4 changed. */
function wordsOf22({ code, text }: Message): string[] {
  return (WORDS_OF_22[code ?? text] ?? []).map(searchText);
}

/**
 * The total length of the parts, if all of them occur in `words` in this order. 0 if a part does
 * not occur, if the match is too short, or if another word follows a short match.
 */
function matchedLetters(parts: readonly string[], words: string): number {
  if (!words.startsWith(parts[0]!)) return 0;
  let searchStart = 0;
  let matchedLength = 0;
  for (const part of parts) {
    const partIndex = words.indexOf(part, searchStart);
    if (partIndex === -1) return 0;
    searchStart = partIndex + part.length;
    matchedLength += part.length;
  }
  // For example, `failed to initialise global mutex` is not the message `failed to initialise`.
  const continuesWithWord =
    matchedLength < SHORT_MATCH_LENGTH && parts.at(-1) !== '' && /^ [a-z]/.test(words.slice(searchStart));
  return continuesWithWord || matchedLength < MIN_COMMON_LETTERS ? 0 : matchedLength;
}

/** Matches with fewer letters may be only the beginning of a longer message. */
const SHORT_MATCH_LENGTH = 24;

/**
 * The symptoms that a short question names (`403 after upgrade`), those with the longest alias in
 * the text first.
 */
export function symptomsIn(text: string): readonly Message[] {
  const wantedWords = ` ${searchText(text)
    .replace(/[^\w.]+/g, ' ')
    .replace(/\.(?= |$)/g, ' ')} `;
  const matchingMessages = serverMessages().flatMap((message) => {
    const matchingAliases = message.isSymptom
      ? (message.aliases ?? []).filter((alias) => wantedWords.includes(` ${alias.replace(/[^\w.]+/g, ' ')} `))
      : [];
    return matchingAliases.length === 0
      ? []
      : [{ message, length: Math.max(...matchingAliases.map((alias) => alias.length)) }];
  });
  return matchingMessages.sort((a, b) => b.length - a.length).map(({ message }) => message);
}

/** The least number of letters that a text and a message must have in common. */
const MIN_COMMON_LETTERS = 11;

/**
 * How well a message fits a text: 1000 for a known alias; otherwise about the number of letters of
 * the message, without its variable parts, that occur in the text. 0 if it does not fit.
 */
function matchScore({ text, aliases = [], isSymptom }: Message, wantedText: string): number {
  if (aliases.some((alias) => (isSymptom ? alias === wantedText : wantedText.includes(alias)))) return 1000;
  const messageText = searchText(text);
  if (wantedText.length >= MIN_COMMON_LETTERS && messageText.includes(wantedText)) return wantedText.length + 1;
  if (isSymptom) return 0;
  const pieces = messageText
    .split('…')
    .map((part) => part.replace(/^[^\w(]+/, '').trim())
    .filter(Boolean);
  let searchStart = 0;
  let score = 0;
  for (const piece of pieces) {
    const pieceIndex = wantedText.indexOf(piece, searchStart);
    if (pieceIndex === -1) continue;
    searchStart = pieceIndex + piece.length;
    score += piece.length;
  }
  // A few words from the end of a message occur in many messages, so they are not enough.
  const totalLength = pieces.reduce((sum, { length }) => sum + length, 0);
  if (wantedText.includes(pieces[0] ?? '')) return score;
  return score * 2 >= totalLength ? score - 1 : 0;
}

/** The text in the form in which texts are compared: lower case, simple quotes, single spaces. */
function searchText(text: string): string {
  return text.toLowerCase().replaceAll('’', "'").replace(/\s+/g, ' ').trim();
}
