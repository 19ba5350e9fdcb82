/**
 * Computes the results of Use lines from the file alone: with the macros that it defines before.
 * For files that belong to no configuration, or if the configuration was not read.
 */
import { cache, cacheOf } from '../syntax/memory';
import type { FileSummary } from './file-summary';
import { FileUses, type UsesOfFile } from './macro';
import type { ConfigView } from './config-view';
import { readModel } from './read-model';
import type { Target } from './target';

/** The file path of macros that the file itself defines. */
export const OWN_FILE = '/';

/**
 * The expansions of a file's Use lines, as far as its own macros show; null if it has no Use line.
 * `macros`: the names that the rest of the configuration defines, in lower case; null if unknown.
 */
export function ownUses(
  fileSummary: FileSummary,
  macros: ReadonlySet<string> | null,
  target: Target,
): UsesOfFile | null {
  if (!fileSummary.hasUse) return null;
  const cached = usesBySummary.get(fileSummary);
  if (cached && cached.macros === macros && cached.target === target) return cached.uses;
  const { sum1, sum2 } = fileSummary.sums;
  const key = `${sum1} ${sum2} ${fileSummary.variables.join(' ')} ${target.major}.${target.minor}.${target.patch ?? ''} ${macros ? [...macros].sort().join(' ') : '?'}`;
  let uses = recentUses.get(key);
  if (!uses) {
    uses = usesIn(fileSummary, macros, target);
    if (recentUses.size >= MOST_RECENT) recentUses.delete(recentUses.keys().next().value!);
    recentUses.set(key, uses);
  }
  uses.bind(fileSummary);
  usesBySummary.set(fileSummary, { macros, target, uses });
  return uses;
}

// ---------------------------------------------------------------------------------------------------------------------

const usesBySummary = cacheOf<
  FileSummary,
  { readonly macros: ReadonlySet<string> | null; readonly target: Target; readonly uses: UsesOfFile }
>();

/** By contents, because an edit of other lines makes another summary with the same sums. */
const recentUses = cache<string, FileUses>();
const MOST_RECENT = 64;

function usesIn(fileSummary: FileSummary, macros: ReadonlySet<string> | null, target: Target): FileUses {
  const view: ConfigView = {
    fileSummary: (path) => (path === OWN_FILE ? fileSummary : null),
    kind: () => null,
    list: () => null,
    identity: (path) => path,
    included: () => [],
    isForeign: () => false,
  };
  const model = readModel({ root: OWN_FILE, view, target, partOf: { macros } });
  return new FileUses(model?.files.get(OWN_FILE)?.[0]!.uses ?? new Map(), fileSummary);
}
