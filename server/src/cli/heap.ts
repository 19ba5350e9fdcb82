/**
 * Memory settings of the running program. The entry point (start.ts) sets them, because it knows
 * the engine.
 */
import { latest } from '../syntax/memory';

/** Called when a run is going to hold many files in memory. */
export const onManyFiles = latest<() => void>(() => {});
