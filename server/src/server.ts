/**
 * The language server for all ways to start it: as a process, a web worker, or a worker thread.
 * They are one bundle, because they share nearly all code.
 */
if (typeof process !== 'object' || process.versions?.node === undefined) void import('./browser');
else if (process.argv.includes('--apart')) void import('./thread');
else void import('./node');
