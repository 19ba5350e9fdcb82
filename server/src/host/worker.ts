/** Starts worker threads. A thread gets copies of data, and can read the disk. */
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { WorkerThread } from './host';

/**
 * The argument that tells a new thread that it is a worker. server.ts has a copy of it instead of
 * an import: this file needs modules of node, which a web worker lacks.
 */
const WORKER_ARGUMENT = '--apart';

/** A message from the thread: a part of the answer, or its end. */
export type WorkerMessage =
  | { readonly part: unknown }
  | { readonly end: 'done' | 'cancelled' }
  | { readonly error: string };

/**
 * Makes V8 collect garbage when its memory has grown by half. By default, it lets the memory grow
 * threefold before.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/** Starts a worker thread that runs the file `bundle`. */
export function newWorker(bundle: string): WorkerThread {
  const cancelFlag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(bundle, {
    argv: [WORKER_ARGUMENT],
    workerData: cancelFlag,
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
  worker.unref();
  let hasWorkerEnded = false;
  let endCurrentQuestion: ((error: Error | null, isDone: boolean) => void) | null = null;
  let onPart: (part: unknown) => void = () => undefined;
  const endQuestion = (error: Error | null, isDone: boolean) => {
    const endOfWaitingQuestion = endCurrentQuestion;
    endCurrentQuestion = null;
    endOfWaitingQuestion?.(error, isDone);
  };
  worker.on('message', (message: WorkerMessage) => {
    if ('part' in message) onPart(message.part);
    else if ('end' in message) endQuestion(null, message.end === 'done');
    else endQuestion(new Error(message.error), false);
  });
  worker.on('error', (error) => endQuestion(error, false));
  worker.on('exit', () => {
    hasWorkerEnded = true;
    endQuestion(null, false);
  });
  return {
    get isEnded() {
      return hasWorkerEnded;
    },
    ask(question, listener) {
      Atomics.store(cancelFlag, 0, 0);
      onPart = listener;
      worker.postMessage(question);
      return new Promise((resolve, reject) => {
        endCurrentQuestion = (error, isDone) => (error ? reject(error) : resolve(isDone));
      });
    },
    cancel: () => void Atomics.store(cancelFlag, 0, 1),
    end: () => void worker.terminate(),
  };
}
