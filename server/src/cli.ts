/**
 * The command line: only connects the parts; cli/ has the commands.
 *
 * Exit codes: 0 nothing at or above the threshold, 1 findings, 2 it could not run (or not read its
 * input).
 */
import { isMainThread } from 'node:worker_threads';
import { onManyFiles } from './cli/heap';
import { main } from './cli/main';

// In the npm package this bundle contains the language server, and its worker thread starts here.
if (process.argv.includes('--apart') && !isMainThread) void import('./thread');

/**
 * Runs the command line of this process. Calls `growing` when it is going to hold many files in
 * memory.
 */
export function run(growing = () => {}): void {
  onManyFiles.value = growing;
  // `httpd-upgrade check … | head` closes the pipe: nothing to complain about.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
      throw error;
    });
  }
  main(process.argv.slice(2)).then(
    (code) => {
      if (code !== null) leave(code);
    },
    (error: Error) => {
      process.stderr.write(`httpd-upgrade: ${error.stack ?? error.message}\nThis is a defect of httpd-upgrade.\n`);
      leave(2);
    },
  );
}

/** Ends the process when all output is written: freeing a large heap would take time. */
function leave(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
