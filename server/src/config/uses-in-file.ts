/**
 * What the Use lines of a file come to as far as the file itself tells: by the macros that it defines in front of them. For files that
 * belong to no configuration, or to one of which no walk was made.
 */
import { cache, cacheOf } from '../syntax/memory';
import type { Digest } from './file-summary';
import { FileUses, type UsesOfFile } from './macro';
import type { ConfigView } from './config-view';
import { readModel } from './read-model';
import type { Target } from './target';

/** What macros of the file itself have for their file. */
export const OWN_FILE = '/';

/** `macros` are the names that the rest of the configuration defines, in lower case; null where nobody knows. */
export function ownUses(digest: Digest, macros: ReadonlySet<string> | null, target: Target): UsesOfFile | null {
  if (!digest.hasUse) return null;
  const known = memory.get(digest);
  if (known && known.macros === macros && known.target === target) return known.uses;
  const { sum1, sum2 } = digest.sums;
  const key = `${sum1} ${sum2} ${digest.variables.join(' ')} ${target.major}.${target.minor}.${target.patch ?? ''} ${macros ? [...macros].sort().join(' ') : '?'}`;
  let uses = lately.get(key);
  if (!uses) {
    uses = usesIn(digest, macros, target);
    if (lately.size >= LATELY) lately.delete(lately.keys().next().value!);
    lately.set(key, uses);
  }
  uses.bind(digest);
  memory.set(digest, { macros, target, uses });
  return uses;
}

// ---------------------------------------------------------------------------------------------------------------------

const memory = cacheOf<
  Digest,
  { readonly macros: ReadonlySet<string> | null; readonly target: Target; readonly uses: UsesOfFile }
>();

/** By what the file says: an edit that changes nothing of it makes another digest with the same sums. */
const lately = cache<string, FileUses>();
const LATELY = 64;

function usesIn(digest: Digest, macros: ReadonlySet<string> | null, target: Target): FileUses {
  const view: ConfigView = {
    digest: (path) => (path === OWN_FILE ? digest : null),
    kind: () => null,
    list: () => null,
    identity: (path) => path,
    included: () => [],
    isForeign: () => false,
  };
  const model = readModel({ root: OWN_FILE, view, target, partOf: { macros } });
  return new FileUses(model?.files.get(OWN_FILE)?.[0]!.uses ?? new Map(), digest);
}
