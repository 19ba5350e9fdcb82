/**
 * Which directives are usual: their order by how often a few hundred public configurations use them
 * (server/scripts/generate-usage.mjs).
 */

/** Lower is more usual. The name in lower case, a section's with its `<`; names that none uses come behind all others, in no order. */
export function usageRank(key: string): number {
  ranks ??= new Map((require('./generated/usage.json') as readonly string[]).map((name, index) => [name, index]));
  return ranks.get(key) ?? ranks.size;
}

// ---------------------------------------------------------------------------------------------------------------------

let ranks: ReadonlyMap<string, number> | undefined;
