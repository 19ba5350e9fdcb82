/**
 * Memory settings of the running program. The entry point (start.ts) sets them, because it knows
 * the engine.
 */
import { latestValue } from '../syntax/memory';

/**
 * Called before many files are read into memory. start.ts sets it to change V8's memory settings.
 */
export const onManyFiles = latestValue<() => void>(() => {});
