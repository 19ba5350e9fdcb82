/**
 * Who goes when. Long work is done in slices, one at a time, and whoever waits for an answer goes before the next slice: a keystroke
 * waits for what is left of one slice at most, however many jobs there are.
 */
import type { Steps } from '../config/resumable';

/** Milliseconds of a slice. */
const SLICE_MS = 3;

/** After a change in a document its client asks what is found now: so long the next slice waits for question and answer. */
const COURTESY_MS = 10;

/** What tells the time and calls back, for tests that count. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Calls back once everything that is there has had its turn. */
  soon(callback: () => void): void;
  /** The same after a millisecond or so. */
  later(callback: () => void): void;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  soon:
    typeof setImmediate === 'function'
      ? (callback) => void setImmediate(callback)
      : (callback) => void setTimeout(callback, 0),
  later: (callback) => void setTimeout(callback, 1),
};

export class Turns {
  private readonly queue: (() => void)[] = [];
  private isScheduled = false;
  /** Since when somebody is expected to ask. */
  private expectedSince = -Infinity;
  /** When the slice began that runs, or the last one. */
  private begun = -Infinity;
  private waitingSince: number | null = null;

  constructor(private readonly clock: Clock = CLOCK) {}

  /** A document changed: a question about it will come. */
  expect(): void {
    this.expectedSince = this.clock.now();
  }

  /** It came and is answered, or the answer has to wait for the work. */
  answered(): void {
    this.expectedSince = -Infinity;
  }

  /** Whether whoever works now should pause. */
  get isOver(): boolean {
    return this.clock.now() - this.begun >= SLICE_MS;
  }

  /** Resolves when it is time for another slice. */
  pause(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.queue.push(resolve);
      this.schedule('soon');
    });
  }

  /** Runs all of it in slices; null where it was cancelled. */
  async run<Result>(steps: Steps<Result>, isCancelled: () => boolean): Promise<Result | null> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (!this.isOver) continue;
      await this.pause();
      if (isCancelled()) return null;
    }
  }

  private schedule(when: 'soon' | 'later'): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.clock[when](() => {
      this.isScheduled = false;
      this.next();
    });
  }

  private next(): void {
    const now = this.clock.now();
    if (this.isSomebodyExpected(now)) return this.schedule('later');
    this.waitingSince = null;
    this.begun = now;
    this.queue.shift()?.();
    if (this.queue.length > 0) this.schedule('soon');
  }

  /** Not for ever: who types on and on lets slices in between. */
  private isSomebodyExpected(now: number): boolean {
    if (now - this.expectedSince > COURTESY_MS) return false;
    this.waitingSince ??= now;
    return now - this.waitingSince <= COURTESY_MS;
  }
}
