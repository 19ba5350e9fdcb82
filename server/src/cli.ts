/**
 * The command line: `check`, `fix`, `explain`, `server`. Wiring only: what the commands do is in cli/.
 *
 * Exit codes: 0 nothing at or above the threshold, 1 findings, 2 it could not run (or could not read what it was given).
 */
import { main } from './cli/main';

main(process.argv.slice(2)).then(
  (code) => {
    if (code !== null) leave(code);
  },
  (error: Error) => {
    process.stderr.write(`httpd-upgrade: ${error.stack ?? error.message}\nThis is a defect of httpd-upgrade.\n`);
    leave(2);
  },
);

/** Ends the process as soon as all that was written is out: taking a large heap apart first takes time, and nobody needs it. */
function leave(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

// `httpd-upgrade check … | head` closes the pipe: nothing to complain about.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    throw error;
  });
}
