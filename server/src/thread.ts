/** A worker thread of the language server, which checks whole configurations. */
import { parentPort, workerData } from 'node:worker_threads';
import { cachingFileViews } from './host/node-files';
import type { WorkerMessage } from './host/worker';
import { newChecker, type CheckRequest } from './lsp/worker-protocol';

const cancelFlag = workerData as Int32Array;
const sendMessage = (message: WorkerMessage) => parentPort!.postMessage(message);
const runCheck = newChecker({
  makeView: cachingFileViews(),
  isCancelled: () => Atomics.load(cancelFlag, 0) !== 0,
  sendPart: (part) => sendMessage({ part }),
});

parentPort!.on('message', (request: CheckRequest) => {
  try {
    sendMessage({ end: runCheck(request) ? 'done' : 'cancelled' });
  } catch (error) {
    sendMessage({ error: (error as Error).message });
  }
});
