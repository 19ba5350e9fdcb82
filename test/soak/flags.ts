/**
 * With these V8 counts a block from its first run on, and each of its runs: without them it counts
 * nothing of a function before its first few hundred calls, and less of one that it has optimized.
 */
export const FLAGS: readonly string[] = ['--no-lazy-feedback-allocation', '--no-opt'];
