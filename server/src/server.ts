/** The language server wherever it is started: as a process, or as a web worker. One bundle, because nearly all of it is the same. */
if (typeof process === 'object' && process.versions?.node !== undefined) void import('./node');
else void import('./browser');
