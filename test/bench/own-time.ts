/**
 * Runs in the server's process, ahead of it: tells on descriptor 3 how many milliseconds lie between reading a request and having written
 * its answer, one line each: `textDocument/completion 2.31`. Waiting for others is in it, the way there and back is not.
 */
import { writeSync } from 'node:fs';

if (process.argv.includes('--stdio')) {
  let asked: { readonly method: string; readonly id: string; readonly at: number } | null = null;
  const emit = process.stdin.emit.bind(process.stdin) as (event: string | symbol, ...values: unknown[]) => boolean;
  process.stdin.emit = ((event: string | symbol, ...values: unknown[]) => {
    if (event === 'data') {
      const text = String(values[0]);
      const method = /"method":"(textDocument\/completion)"/.exec(text)?.[1];
      if (method)
        asked = { method, id: /"id":(\d+),"method":"textDocument\/completion"/.exec(text)![1], at: performance.now() };
    }
    return emit(event, ...values);
  }) as typeof process.stdin.emit;
  const write = process.stdout.write.bind(process.stdout) as (...values: unknown[]) => boolean;
  process.stdout.write = ((...values: unknown[]) => {
    const isTaken = write(...values);
    // Header and content are written one after the other.
    const start = Buffer.isBuffer(values[0]) ? values[0].toString('latin1', 0, 60) : String(values[0]).slice(0, 60);
    if (asked && start.includes(`"id":${asked.id},`)) {
      writeSync(3, `${asked.method} ${(performance.now() - asked.at).toFixed(2)}\n`);
      asked = null;
    }
    return isTaken;
  }) as typeof process.stdout.write;
}
