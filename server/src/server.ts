/** The language server wherever it is started: as a process, as a web worker, or as a process's thread for long work. One bundle, because nearly all of it is the same. */
if (typeof process !== 'object' || process.versions?.node === undefined) void import('./browser');
else if (process.argv.includes('--apart')) void import('./thread');
else void import('./node');
