/**
 * A hook for memory settings. The entry point (start.ts) sets it, because only start.ts knows the
 * version of V8.
 */
import { latestValue } from '../syntax/memory';

/**
 * The function to call before many files are read into memory. start.ts puts a function here that
 * changes V8's memory settings.
 */
export const onManyFiles = latestValue<() => void>(() => {});
