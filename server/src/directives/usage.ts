/**
 * The order of directives by frequency in a few hundred public configurations
 * (server/scripts/generate-usage.mjs).
 */
import { lazy } from '../syntax/memory';

/**
 * The rank of a directive; lower is more common. The name is in lower case, a section's with its
 * `<`. Names that no configuration uses come last.
 */
export function usageRank(key: string): number {
  return rankByName().get(key) ?? rankByName().size;
}

// ---------------------------------------------------------------------------------------------------------------------

const rankByName = lazy(
  (): ReadonlyMap<string, number> =>
    new Map((require('./generated/usage.json') as readonly string[]).map((name, index) => [name, index])),
);
