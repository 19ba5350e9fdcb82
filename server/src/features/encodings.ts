/** How a client counts the characters of a line. This program itself counts UTF-16 units. */

/** The unit in which client and server count the characters of a line. */
export type Encoding = 'utf-8' | 'utf-16' | 'utf-32';

/** All encodings of positions, the preferred one first. */
export const ENCODINGS: readonly Encoding[] = ['utf-16', 'utf-8', 'utf-32'];

/**
 * Converts a client's position in a line to UTF-16 units. `text` is the line without its line end.
 * For a position after the end, returns the end; for a position in a character, its start.
 */
export function fromEncoding(text: string, character: number, encoding: Encoding): number {
  if (encoding === 'utf-16') return character;
  let units = 0;
  let countedUnits = 0;
  for (const each of text) {
    countedUnits += unitCount(each, encoding);
    if (countedUnits > character) break;
    units += each.length;
  }
  return units;
}

/** Converts a position in a line from UTF-16 units to the units of the client. */
export function toEncoding(text: string, units: number, encoding: Encoding): number {
  if (encoding === 'utf-16') return units;
  let unitsBefore = 0;
  let position = 0;
  for (const each of text) {
    if (position >= units) break;
    position += each.length;
    unitsBefore += unitCount(each, encoding);
  }
  return unitsBefore;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The number of units that a character has in this encoding. */
function unitCount(character: string, encoding: Encoding): number {
  if (encoding === 'utf-32') return 1;
  const code = character.codePointAt(0)!;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
