/**
 * The command line, wiring only: what the commands do is in cli/.
 *
 * Exit codes: 0 nothing at or above the threshold, 1 findings, 2 it could not run (or could not read what it was given).
 */
import { isMainThread } from 'node:worker_threads';
import { onManyFiles } from './cli/heap';
import { main } from './cli/main';

// In the npm package the language server is in this bundle, and its thread for long work begins here.
if (process.argv.includes('--apart') && !isMainThread) void import('./thread');

/** Runs the command line of this process. `growing` is called where it comes to hold many files. */
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

/** Ends the process as soon as all that was written is out: taking a large heap apart first takes time, and nobody needs it. */
function leave(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
