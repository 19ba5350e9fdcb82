/** Runs a program of this machine, without a shell. */
import { spawn } from 'node:child_process';
import type { RunProgram } from './verify';

/** More than this nobody reads. */
const MOST_TEXT = 200_000;

export const runProgram: RunProgram = ([program, ...given], { cwd, isCancelled }) =>
  new Promise((resolve) => {
    const child = spawn(program, given, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    const read = (data: Buffer) => {
      if (text.length < MOST_TEXT) text += data.toString();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    const stopped = isCancelled.onCancellationRequested(() => child.kill());
    const end = (code: number | null, more = '') => {
      stopped.dispose();
      resolve({ code, text: text + more });
    };
    child.on('error', (error) => end(null, error.message));
    child.on('close', (code) => end(code));
  });
