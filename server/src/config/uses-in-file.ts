/**
 * The results of the Use lines of a file, as far as the file itself shows them: from the macros
 * that it defines before. For files that belong to no configuration, or to one without a walk.
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
  const cached = memory.get(fileSummary);
  if (cached && cached.macros === macros && cached.target === target) return cached.uses;
  const { sum1, sum2 } = fileSummary.sums;
  const key = `${sum1} ${sum2} ${fileSummary.variables.join(' ')} ${target.major}.${target.minor}.${target.patch ?? ''} ${macros ? [...macros].sort().join(' ') : '?'}`;
  let uses = lately.get(key);
  if (!uses) {
    uses = usesIn(fileSummary, macros, target);
    if (lately.size >= LATELY) lately.delete(lately.keys().next().value!);
    lately.set(key, uses);
  }
  uses.bind(fileSummary);
  memory.set(fileSummary, { macros, target, uses });
  return uses;
}

// ---------------------------------------------------------------------------------------------------------------------

const memory = cacheOf<
  FileSummary,
  { readonly macros: ReadonlySet<string> | null; readonly target: Target; readonly uses: UsesOfFile }
>();

/** By contents: an irrelevant edit makes another summary with the same sums. */
const lately = cache<string, FileUses>();
const LATELY = 64;

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
