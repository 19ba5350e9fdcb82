/**
 * The language server, however it is started: as a process, as a web worker, or as a worker thread.
 * One bundle, because they share nearly all code.
 */
if (typeof process !== 'object' || process.versions?.node === undefined) void import('./browser');
else if (process.argv.includes('--apart')) void import('./thread');
else void import('./node');
