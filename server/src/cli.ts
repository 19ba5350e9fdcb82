/**
 * Entry point of the command line; the commands are in cli/. Exit codes: 0 if no problem is as
 * severe as `--fail-on` says, 1 if one is, 2 if the command could not run or not read its input.
 */
import { isMainThread } from 'node:worker_threads';
import { heapHooks, type HeapHooks } from './cli/heap';
import { main } from './cli/main';

// In the npm package this bundle contains the language server, and its worker thread starts here.
if (process.argv.includes('--apart') && !isMainThread) void import('./thread');

/** Runs the command line of this process. `hooks` change the memory settings. */
export function run(hooks: HeapHooks = {}): void {
  heapHooks.value = hooks;
  // `httpd-upgrade check … | head` closes the pipe early. That is no error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
      throw error;
    });
  }
  main(process.argv.slice(2)).then(
    (code) => {
      if (code !== null) endProcess(code);
    },
    (error: Error) => {
      process.stderr.write(`httpd-upgrade: ${error.stack ?? error.message}\nThis is a defect of httpd-upgrade.\n`);
      endProcess(2);
    },
  );
}

/**
 * Ends the process as soon as all output is written. Uses `process.exit`, because a normal end
 * first frees the heap, which takes time if the heap is large.
 */
function endProcess(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
