/**
 * Which directives are usual: their order by how often a few hundred public configurations use them
 * (server/scripts/generate-usage.mjs).
 */
import { lazy } from '../syntax/memory';

/** Lower is more usual. The name in lower case, a section's with its `<`; names that none uses come behind all others, in no order. */
export function usageRank(key: string): number {
  return ranks().get(key) ?? ranks().size;
}

// ---------------------------------------------------------------------------------------------------------------------

const ranks = lazy(
  (): ReadonlyMap<string, number> =>
    new Map((require('./generated/usage.json') as readonly string[]).map((name, index) => [name, index])),
);
