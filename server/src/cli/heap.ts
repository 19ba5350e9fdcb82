/**
 * Hooks for memory settings. The entry point (start.ts) sets them, because only start.ts knows the
 * version of V8.
 */
import { latestValue } from '../syntax/memory';

/** Functions that change V8's memory settings. */
export interface HeapHooks {
  /** Called once, before the program parses much text. */
  readonly beforeMuchText?: () => void;
  /** Called before the program reads many files into memory. */
  readonly beforeManyFiles?: () => void;
}

/** The hooks that start.ts has set; empty if another entry point runs the program. */
export const heapHooks = latestValue<HeapHooks>({});
