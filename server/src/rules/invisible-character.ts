import { isByteOrderMark, LineKind, spelledName, type Line } from '../syntax/line';
import { codePointName, hasHidden, isInvisible, withHiddenShown } from '../syntax/hidden-text';
import { joinedItems, fittingHeadline, NO_FINDINGS, shortened } from './support/edits';
import type { Edit, LineRule } from './rule';

/**
 * Finds characters that are invisible or reverse the text, so that the line looks like another one.
 */
export const invisibleCharacter: LineRule = {
  id: 'invisible-character',
  title: 'An invisible character, which makes a line look like another one',
  consequence: 'probably a mistake',
  fix: 'suggestion',
  checks: 'line',
  names: [],
  checksOddLines: true,
  url: 'https://httpd.apache.org/docs/2.4/configuring.html#syntax',
  examples: [
    {
      title: 'A zero width space in a name',
      before: 'ServerAdmin web\u200Bmaster@example.org\n',
      after: 'ServerAdmin webmaster@example.org\n',
      finds: ['invisible'],
    },
    {
      title: 'A comment that shows its text in another order',
      before: '# Access: \u202Eenon\u202C\nTimeout 60\n',
      after: '# Access: enon\nTimeout 60\n',
      finds: ['invisible'],
    },
    {
      title: 'Not reported: text that is written from right to left',
      before: '# \u05d4\u05e9\u05e8\u05ea\nTimeout 60\n',
      finds: [],
    },
  ],
  check({ line }) {
    if (!line.mayHaveInvisible || !hasHidden(line.text)) return NO_FINDINGS;
    const hiddenCharacters = hiddenCharactersIn(line);
    const [first] = hiddenCharacters;
    if (first === undefined) return NO_FINDINGS;
    const codeNames = [...new Set(hiddenCharacters.map(({ character }) => codePointName(character)))];
    const lineOrComment = line.kind === LineKind.Comment ? 'comment' : 'line';
    const shownName = line.kind === LineKind.Comment ? '#' : withHiddenShown(shortened(spelledName(line)));
    const shownNames = codeNames.length > 3 ? [...codeNames.slice(0, 3), `${codeNames.length - 3} more`] : codeNames;
    const oneCharacterText = `an invisible character (${codeNames[0]!})`;
    return [
      {
        messageId: 'invisible',
        what: fittingHeadline(
          `\`${shownName}\`: the ${lineOrComment} has ${hiddenCharacters.length === 1 ? oneCharacterText : `invisible characters (${joinedItems(shownNames)})`}`,
          `\`${lineOrComment === 'comment' ? '#' : withHiddenShown(shortened(spelledName(line), 10))}\`: the ${lineOrComment} has invisible characters`,
        ),
        cause: `The ${lineOrComment} is: ${withHiddenShown(shortened(line.text.trim(), 200))}`,
        help: `Remove ${hiddenCharacters.length === 1 ? 'the character' : 'the characters'}, or write the word again.`,
        start: first.start,
        end: first.end,
        fixes: [
          {
            title: hiddenCharacters.length === 1 ? `Remove ${codeNames[0]!}` : 'Remove the invisible characters',
            safety: 'suggestion',
            // The character may belong to a name, so the user decides about each.
            isAppliedAlone: true,
            edits: hiddenCharacters.map(({ start, end }): Edit => ({ start, end, text: '' })),
          },
        ],
      },
    ];
  },
};

/** An invisible character, with its offsets in the line. */
interface HiddenCharacter {
  readonly start: number;
  readonly end: number;
  readonly character: string;
}

function hiddenCharactersIn(line: Line): HiddenCharacter[] {
  const hiddenCharacters: HiddenCharacter[] = [];
  let offset = 0;
  let previousCharacter = '';
  for (const character of line.text) {
    const start = offset;
    offset += character.length;
    const isUsualJoiner =
      previousCharacter !== '' && JOINER_CHARACTER.test(character) && CHARACTER_BEFORE_JOINER.test(previousCharacter);
    // The rule byte-order-mark reports a mark at the beginning of a name.
    const isMarkBeforeName = start === line.nameStart && line.kind === LineKind.Directive && isByteOrderMark(character);
    if (isReported(character) && !isUsualJoiner && !isMarkBeforeName)
      hiddenCharacters.push({ start, end: offset, character });
    previousCharacter = character;
  }
  return hiddenCharacters;
}

/**
 * Whether the character is reported. The bytes 80 to 9F are not, because in Windows-1252 they are
 * letters and quotation marks. NUL is not either, because httpd ends the line there.
 */
function isReported(character: string): boolean {
  return isInvisible(character) || /[\x01-\x08\x0e-\x1f\x7f]/.test(character);
}

const JOINER_CHARACTER = /[\u200c\u200d]/;

/** Matches characters that are usual before a joiner: emoji, marks, and letters of some scripts. */
const CHARACTER_BEFORE_JOINER = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\u0600-\u109f\u1780-\u18af]/u;
