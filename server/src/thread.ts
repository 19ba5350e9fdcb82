/** A worker thread of the language server, which checks whole configurations. */
import { parentPort, workerData } from 'node:worker_threads';
import { cachingFileViews } from './host/node-files';
import type { WorkerMessage } from './host/worker';
import { newChecker, type CheckRequest } from './lsp/worker-protocol';

const flag = workerData as Int32Array;
const tell = (message: WorkerMessage) => parentPort!.postMessage(message);
const look = newChecker({
  makeView: cachingFileViews(),
  isCancelled: () => Atomics.load(flag, 0) !== 0,
  sendReply: (part) => tell({ part }),
});

parentPort!.on('message', (asked: CheckRequest) => {
  try {
    tell({ end: look(asked) ? 'done' : 'cancelled' });
  } catch (error) {
    tell({ error: (error as Error).message });
  }
});
