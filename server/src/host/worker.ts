/** Work beside everything else: in a thread of its own, which sees what is sent to it and the disk. */
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Apart } from './host';

/** The argument by which a process's bundle knows that it runs as such a thread: server.ts asks for it, and imports nothing that a web worker has not. */
const APART = '--apart';

/** What a thread tells: parts of an answer, and its end. */
export type Told = { readonly part: unknown } | { readonly end: 'done' | 'cancelled' } | { readonly error: string };

/** For a large workspace: left alone, a heap grows to three times what is in it before anybody looks for what is not needed any more. */
export function spareMemory(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/** Starts a thread of this very bundle. */
export function newApart(bundle: string): Apart {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(bundle, {
    argv: [APART],
    workerData: flag,
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
  worker.unref();
  let isEnded = false;
  let settle: ((error: Error | null, isDone: boolean) => void) | null = null;
  let onPart: (part: unknown) => void = () => undefined;
  const settled = (error: Error | null, isDone: boolean) => {
    const waiting = settle;
    settle = null;
    waiting?.(error, isDone);
  };
  worker.on('message', (told: Told) => {
    if ('part' in told) onPart(told.part);
    else if ('end' in told) settled(null, told.end === 'done');
    else settled(new Error(told.error), false);
  });
  worker.on('error', (error) => settled(error, false));
  worker.on('exit', () => {
    isEnded = true;
    settled(null, false);
  });
  return {
    get isEnded() {
      return isEnded;
    },
    ask(question, listener) {
      Atomics.store(flag, 0, 0);
      onPart = listener;
      worker.postMessage(question);
      return new Promise((resolve, reject) => {
        settle = (error, isDone) => (error ? reject(error) : resolve(isDone));
      });
    },
    cancel: () => void Atomics.store(flag, 0, 1),
    end: () => void worker.terminate(),
  };
}
