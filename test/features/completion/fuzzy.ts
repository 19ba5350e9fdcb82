/**
 * Filtering and ranking like VS Code, as far as needed: characters in order, better at the
 * beginning of words and next to each other; equal scores are sorted by sortText.
 */
import type { CompletionItem } from 'vscode-languageserver-types';

export function fuzzyRank(items: readonly CompletionItem[], typed: (item: CompletionItem) => string): CompletionItem[] {
  const ranked = items.flatMap((item) => {
    const score = fuzzyScore(typed(item).trimStart(), item.filterText ?? item.label);
    return score === null ? [] : [{ item, score }];
  });
  const by = (item: CompletionItem) => (item.sortText ?? item.label).toLowerCase();
  ranked.sort((a, b) => b.score - a.score || (by(a.item) < by(b.item) ? -1 : by(a.item) > by(b.item) ? 1 : 0));
  return ranked.map(({ item }) => item);
}

/**
 * null where the characters are not all there, in order. The first one must begin a word, as VS
 * Code wants it.
 */
function fuzzyScore(pattern: string, word: string): number | null {
  if (pattern === '') return 0;
  const lowerPattern = pattern.toLowerCase();
  const lower = word.toLowerCase();
  let best: number | null = null;
  const starts = [...lower]
    .map((_, index) => index)
    .filter((index) => lower[index] === lowerPattern[0] && isWordStart(word, index));
  for (const start of starts) {
    let score = 0;
    let last = start - 1;
    for (let i = 0; i < lowerPattern.length; i++) {
      const at = i === 0 ? start : lower.indexOf(lowerPattern[i], last + 1);
      if (at < 0) {
        score = NaN;
        break;
      }
      score += at === last + 1 ? 5 : isWordStart(word, at) ? 4 : 1;
      if (word[at] === pattern[i]) score += 1;
      if (at === 0) score += 8;
      last = at;
    }
    score -= Math.min(start, 10) * 0.5;
    if (!Number.isNaN(score) && (best === null || score > best)) best = score;
  }
  return best;
}

function isWordStart(word: string, index: number): boolean {
  return (
    index === 0 ||
    !/\w/.test(word[index - 1]) ||
    word[index - 1] === '_' ||
    (/[A-Z]/.test(word[index]) && !/[A-Z]/.test(word[index - 1]))
  );
}
