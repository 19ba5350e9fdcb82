/** Suggests the known names that are nearest to an unknown one. */
import { cacheOf } from '../syntax/memory';

/**
 * The names whose edit distance from a word is at most a third of its length, the nearest first. A
 * name that begins with the word is nearest. Pass the same array in each call, because data about
 * the array is cached.
 */
export function findNearestNames(word: string, names: readonly string[], maxCount = 5): string[] {
  const wantedName = nameWithoutPrefix(word);
  if (wantedName === '') return [];
  const { preparedNames, nearestByWord } = preparedNamesOf(names);
  let nearestNames = nearestByWord.get(wantedName);
  if (!nearestNames) {
    if (nearestByWord.size >= MAX_CACHED_ANSWERS) nearestByWord.clear();
    nearestByWord.set(wantedName, (nearestNames = searchNearest(wantedName, names, preparedNames)));
  }
  return nearestNames.slice(0, maxCount);
}

// ---------------------------------------------------------------------------------------------------------------------

/** A known name, and the set of its letters for a quick test before the full comparison. */
interface PreparedName {
  readonly text: string;
  /** One bit for each letter in the text. */
  readonly letterBits: number;
}

/** A list of known names, and the answers for words that were already searched. */
interface PreparedNames {
  readonly preparedNames: readonly PreparedName[];
  readonly nearestByWord: Map<string, readonly string[]>;
}

const preparedNamesCache = cacheOf<readonly string[], PreparedNames>();

/**
 * Limit of cached answers, because a file that is no configuration has as many unknown words as
 * lines.
 */
const MAX_CACHED_ANSWERS = 1000;

function preparedNamesOf(names: readonly string[]): PreparedNames {
  let cacheEntry = preparedNamesCache.get(names);
  if (!cacheEntry) {
    const preparedNames = names.map(nameWithoutPrefix).map((text) => ({ text, letterBits: letterBitsOf(text) }));
    preparedNamesCache.set(names, (cacheEntry = { preparedNames, nearestByWord: new Map() }));
  }
  return cacheEntry;
}

function searchNearest(wantedName: string, names: readonly string[], preparedNames: readonly PreparedName[]): string[] {
  const limit = Math.max(1, Math.floor(wantedName.length / 3));
  const letterBits = letterBitsOf(wantedName);
  const candidates: { name: string; editDistance: number }[] = [];
  for (const [i, preparedName] of preparedNames.entries()) {
    const editDistance = distanceToCandidate(wantedName, letterBits, preparedName, limit);
    if (editDistance <= limit) candidates.push({ name: names[i]!, editDistance });
  }
  return candidates.sort((a, b) => a.editDistance - b.editDistance).map(({ name }) => name);
}

function nameWithoutPrefix(name: string): string {
  return name.toLowerCase().replace(/^<\/?|>$/g, '');
}

/** One bit for each letter that occurs in the text. */
function letterBitsOf(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) & 31);
  return letters;
}

/**
 * The edit distance between a term and a name; 0.5 if the name begins with a term of four letters
 * or more. Infinity if the lengths or the letters show that the distance exceeds the limit.
 */
function distanceToCandidate(term: string, letterBits: number, candidate: PreparedName, limit: number): number {
  if (term.length >= 4 && candidate.text.startsWith(term)) return 0.5;
  // One edit changes the length by at most one, adds at most one kind of letter, and removes at
  // most one.
  if (
    Math.abs(term.length - candidate.text.length) > limit ||
    bitCount(letterBits & ~candidate.letterBits) > limit ||
    bitCount(candidate.letterBits & ~letterBits) > limit
  )
    return Infinity;
  return editDistance(term, candidate.text);
}

function bitCount(bits: number): number {
  let count = 0;
  for (let remainingBits = bits; remainingBits !== 0; remainingBits &= remainingBits - 1) count++;
  return count;
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbours that turn one word into
 * the other.
 */
function editDistance(a: string, b: string): number {
  let rowBeforeLast: number[] = [];
  let lastRow = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const currentRow = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSameLetter = a[row - 1] === b[column - 1];
      currentRow[column] = Math.min(
        lastRow[column]! + 1,
        currentRow[column - 1]! + 1,
        lastRow[column - 1]! + (isSameLetter ? 0 : 1),
      );
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) currentRow[column] = Math.min(currentRow[column]!, rowBeforeLast[column - 2]! + 1);
    }
    [rowBeforeLast, lastRow] = [lastRow, currentRow];
  }
  return lastRow[b.length]!;
}
