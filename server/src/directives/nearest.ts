/** What somebody probably meant: the known names that are nearest to one that is not known. */

/** Names at most a third of the word's length away, the nearest first; a name that goes on where the word stops is nearest. */
export function nearest(word: string, names: Iterable<string>, most = 5): string[] {
  const wanted = plain(word);
  if (wanted === '') return [];
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return [...names]
    .map((name) => ({ name, distance: nearness(wanted, plain(name), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

// ---------------------------------------------------------------------------------------------------------------------

function plain(name: string): string {
  return name.toLowerCase().replace(/^<\/?|>$/g, '');
}

/** The edit distance; half of one for a name that goes on where the term stops. */
function nearness(term: string, name: string, limit: number): number {
  if (term.length >= 4 && name.startsWith(term)) return 0.5;
  return Math.abs(term.length - name.length) > limit ? Infinity : editDistance(term, name);
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      current[column] = Math.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1));
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) current[column] = Math.min(current[column], before[column - 2] + 1);
    }
    [before, last] = [last, current];
  }
  return last[b.length];
}
