/**
 * Loaded into the server's process: reports on descriptor 3, for each request, the milliseconds
 * between reading it and having written its answer, and the computing time of the process, one line
 * each: `textDocument/completion 2.31 2.2`. The first includes waiting for others; neither includes
 * the transport.
 */
import { writeSync } from 'node:fs';

if (process.argv.includes('--stdio')) {
  const used = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let asked: { readonly method: string; readonly id: string; readonly at: number; readonly used: number } | null = null;
  const emit = process.stdin.emit.bind(process.stdin) as (event: string | symbol, ...values: unknown[]) => boolean;
  process.stdin.emit = ((event: string | symbol, ...values: unknown[]) => {
    if (event === 'data') {
      const [, id, method] = /"id":(\d+),"method":"([\w/]+)"/.exec(String(values[0])) ?? [];
      if (id !== undefined && method !== undefined) asked = { method, id, at: performance.now(), used: used() };
    }
    return emit(event, ...values);
  }) as typeof process.stdin.emit;
  const write = process.stdout.write.bind(process.stdout) as (...values: unknown[]) => boolean;
  process.stdout.write = ((...values: unknown[]) => {
    const isTaken = write(...values);
    // Header and content are written one after the other.
    const start = Buffer.isBuffer(values[0]) ? values[0].toString('latin1', 0, 60) : String(values[0]).slice(0, 60);
    if (asked && start.includes(`"id":${asked.id},`)) {
      writeSync(
        3,
        `${asked.method} ${(performance.now() - asked.at).toFixed(2)} ${(used() - asked.used).toFixed(2)}\n`,
      );
      asked = null;
    }
    return isTaken;
  }) as typeof process.stdout.write;
}
