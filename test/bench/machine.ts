/** The machine of a benchmark, written at the head of each record. */
import os from 'node:os';

/** `loadAverage`: of the minute before; with other work beside it times mean less. */
export function machine() {
  return {
    node: process.version,
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.cpus().length,
    loadAverage: os.loadavg()[0],
  };
}
