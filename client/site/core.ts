/** The worker of the page, asked by functions that return promises. */
import type { Question, Reply, Requests } from './protocol';

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

const worker = new Worker(new URL('worker.js', document.baseURI));
const waiting = new Map<number, Waiting>();
let asked = 0;

worker.onmessage = ({ data }: MessageEvent<Reply>) => {
  const one = waiting.get(data.id);
  waiting.delete(data.id);
  if ('error' in data) one?.reject(new Error(data.error));
  else one?.resolve(data.answer);
};

// An error outside of any question: nothing that waits gets an answer.
worker.onerror = ({ message }) => {
  for (const { reject } of waiting.values()) reject(new Error(message || 'the program could not be loaded'));
  waiting.clear();
};

export function ask<Name extends keyof Requests>(
  name: Name,
  given: Parameters<Requests[Name]>[0],
): Promise<ReturnType<Requests[Name]>> {
  const id = ++asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
    worker.postMessage({ id, name, asked: given } satisfies Question);
  });
}
