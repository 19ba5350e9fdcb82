/**
 * With these flags V8 counts every run of a block from the first one on: without them it counts
 * nothing in a function before its first few hundred calls, and less in an optimized one.
 */
export const FLAGS: readonly string[] = ['--no-lazy-feedback-allocation', '--no-opt'];
