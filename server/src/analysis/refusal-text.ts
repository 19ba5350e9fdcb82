/**
 * The text with which the plan explains why an old line is not converted. If other sections wait
 * until the section of the line is converted, the text also says how many.
 */
import { reasonText, type NotConverted } from '../access/not-converted';
import type { AccessRefusal } from '../access/plan';
import { cacheOf } from '../syntax/memory';
import { addTo } from '../syntax/groups';

/** A configuration, with the sections that are not converted. */
interface WithRefusals {
  readonly refusals: readonly AccessRefusal[];
}

/**
 * Returns the reason as a clause without a full stop. If other sections wait for the section of the
 * line, the clause ends with their number. `path` and `offset`: the place of the line.
 */
export function reasonWithWaitingCount(
  configurations: readonly WithRefusals[],
  reason: NotConverted,
  { path, offset }: { readonly path: string; readonly offset: number },
): string {
  const waitingCount = Math.max(
    0,
    ...configurations.map(({ refusals }) => waitingCounts(refusals).get(`${offset} ${path}`) ?? 0),
  );
  const textOfReason = reasonText(reason);
  return waitingCount === 0
    ? textOfReason
    : `${textOfReason} (${waitingCount} more ${waitingCount === 1 ? 'section waits' : 'sections wait'} for it)`;
}

/**
 * The text of a reason in a standalone file. The conversion calls such a file `file`; the text gets
 * the real name instead.
 */
export function reasonInFile(reason: NotConverted, path: string): string {
  return reasonText(reason).replaceAll('(file:', `(${path.slice(path.lastIndexOf('/') + 1)}:`);
}

// ---------------------------------------------------------------------------------------------------------------------

const waitingCountCache = cacheOf<readonly AccessRefusal[], ReadonlyMap<string, number>>();

/**
 * For each old line: how many other sections wait for the section of this line. The key consists of
 * the offset and the file of the line.
 */
function waitingCounts(refusals: readonly AccessRefusal[]): ReadonlyMap<string, number> {
  let cachedCounts = waitingCountCache.get(refusals);
  if (cachedCounts) return cachedCounts;
  const refusalsByCause = new Map<string, AccessRefusal[]>();
  for (const each of refusals) {
    const { cause } = each;
    if (cause.path !== each.path || cause.offset !== each.offset)
      addTo(refusalsByCause, `${cause.offset} ${cause.path}`, each);
  }
  const countsByLine = new Map<string, number>();
  for (const { path, offset, lines } of refusals) {
    const count = refusalsByCause.get(`${offset} ${path}`)?.length ?? 0;
    if (count > 0) for (const line of lines) countsByLine.set(`${line.offset} ${line.path}`, count);
  }
  waitingCountCache.set(refusals, (cachedCounts = countsByLine));
  return cachedCounts;
}
