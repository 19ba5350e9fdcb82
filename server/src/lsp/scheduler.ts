/**
 * Schedules long work: it runs in slices, one at a time, and requests run before the next slice, so
 * a keystroke waits for the rest of one slice at most, however many jobs there are.
 */
import type { Steps } from '../config/resumable';

/** Length of a slice in milliseconds. */
const SLICE_MS = 3;

/**
 * Milliseconds that the next slice waits after a change, because the client then requests the new
 * findings.
 */
const COURTESY_MS = 10;

/** The clock and timers; tests replace them. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Calls back after all pending events. */
  afterEvents(callback: () => void): void;
  /** Calls back after about a millisecond. */
  later(callback: () => void): void;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  afterEvents:
    typeof setImmediate === 'function'
      ? (callback) => void setImmediate(callback)
      : (callback) => void setTimeout(callback, 0),
  later: (callback) => void setTimeout(callback, 1),
};

export class Turns {
  private readonly queue: (() => void)[] = [];
  private isScheduled = false;
  /** Since when a request is expected. */
  private expectedSince = -Infinity;
  /** The time at which the current or last slice began. */
  private begun = -Infinity;
  private waitingSince: number | null = null;

  constructor(private readonly clock: Clock = CLOCK) {}

  /** Call after a change of a document: a request for it will come. */
  expect(): void {
    this.expectedSince = this.clock.now();
  }

  /** Call when the expected request is answered, or has to wait for the work. */
  answered(): void {
    this.expectedSince = -Infinity;
  }

  /** Whether the current slice is over. */
  get isOver(): boolean {
    return this.clock.now() - this.begun >= SLICE_MS;
  }

  /** Resolves when it is time for another slice. */
  pause(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.queue.push(resolve);
      this.schedule('afterEvents');
    });
  }

  /** Runs all steps in slices; null if cancelled. */
  async run<Result>(steps: Steps<Result>, isCancelled: () => boolean): Promise<Result | null> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (!this.isOver) continue;
      await this.pause();
      if (isCancelled()) return null;
    }
  }

  private schedule(when: 'afterEvents' | 'later'): void {
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
    if (this.queue.length > 0) this.schedule('afterEvents');
  }

  /** Limited in time: continuous typing lets slices run in between. */
  private isSomebodyExpected(now: number): boolean {
    if (now - this.expectedSince > COURTESY_MS) return false;
    this.waitingSince ??= now;
    return now - this.waitingSince <= COURTESY_MS;
  }
}
