/**
 * Computes the results of Use lines from the file alone, with the macros that the file defines
 * above each line. Used for a file that belongs to no configuration, or if the configuration was
 * not read.
 */
import { cache, cacheOf } from '../syntax/memory';
import type { FileSummary } from './file-summary';
import { FileUses, type UsesOfFile } from './macro';
import type { ConfigView } from './config-view';
import { readModel } from './read-model';
import type { Target } from './target';

/** Stands for the path of the file in the macros that the file defines. */
export const THIS_FILE_PATH = '/';

/**
 * The results of a file's Use lines, as far as the file's own macros show them; null if the file
 * has no Use line. `macros`: the names of macros that the rest of the configuration defines, in
 * lower case; null if unknown.
 */
export function usesFromFileAlone(
  fileSummary: FileSummary,
  macros: ReadonlySet<string> | null,
  target: Target,
): UsesOfFile | null {
  if (!fileSummary.hasUse) return null;
  const cachedUses = usesBySummary.get(fileSummary);
  if (cachedUses && cachedUses.macros === macros && cachedUses.target === target) return cachedUses.uses;
  const { sum1, sum2 } = fileSummary.hashes;
  const summaryKey = `${sum1} ${sum2} ${fileSummary.variables.join(' ')} ${target.major}.${target.minor}.${target.patch ?? ''} ${macros ? [...macros].sort().join(' ') : '?'}`;
  let uses = recentUses.get(summaryKey);
  if (!uses) {
    uses = usesIn(fileSummary, macros, target);
    if (recentUses.size >= MAX_CACHED_USES) recentUses.delete(recentUses.keys().next().value!);
    recentUses.set(summaryKey, uses);
  }
  uses.bindLines(fileSummary);
  usesBySummary.set(fileSummary, { macros, target, uses });
  return uses;
}

// ---------------------------------------------------------------------------------------------------------------------

const usesBySummary = cacheOf<
  FileSummary,
  { readonly macros: ReadonlySet<string> | null; readonly target: Target; readonly uses: UsesOfFile }
>();

/**
 * The results by the contents of the summary. After an edit of other lines, the file has a new
 * summary with the same contents, and finds its results here.
 */
const recentUses = cache<string, FileUses>();
const MAX_CACHED_USES = 64;

/** As `usesFromFileAlone`, without the caches. */
function usesIn(fileSummary: FileSummary, macros: ReadonlySet<string> | null, target: Target): FileUses {
  const view: ConfigView = {
    fileSummary: (path) => (path === THIS_FILE_PATH ? fileSummary : null),
    kind: () => null,
    list: () => null,
    realPath: (path) => path,
    included: () => [],
    isForeign: () => false,
  };
  const model = readModel({ mainFile: THIS_FILE_PATH, view, target, partOf: { macros } });
  return new FileUses(model?.files.get(THIS_FILE_PATH)?.[0]!.uses ?? new Map(), fileSummary);
}
