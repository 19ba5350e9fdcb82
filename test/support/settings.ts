/** Values for settings that are one word, a number, or yes or no. */
import type { Setting } from '../../server/src/settings/schema';

/** One that is not the default; undefined for settings that take something else. */
export function otherThanDefault({ manifest }: Setting): unknown {
  if (manifest.type === 'boolean') return !manifest.default;
  if (manifest.type === 'integer') return Number(manifest.default) + 1;
  return manifest.enum?.find((word) => word !== manifest.default);
}
