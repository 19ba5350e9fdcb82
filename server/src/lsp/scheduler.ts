/**
 * Schedules long work. Jobs run in time slices, one slice at a time, and waiting requests run
 * before the next slice. So a key press waits at most for the rest of one slice, however many jobs
 * there are.
 */
import type { Steps } from '../config/resumable';

/** The length of a slice in milliseconds. */
const SLICE_MS = 3;

/**
 * Milliseconds that the next slice waits after a change, because the client requests the new
 * findings in that time.
 */
const WAIT_FOR_REQUEST_MS = 10;

/** The clock and timers of the scheduler; tests replace them. */
export interface Clock {
  /** The time in milliseconds. */
  now(): number;
  /** Calls back after all pending events have run. */
  afterEvents(callback: () => void): void;
  /** Calls back after about a millisecond. */
  afterMillisecond(callback: () => void): void;
}

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  afterEvents:
    typeof setImmediate === 'function'
      ? (callback) => void setImmediate(callback)
      : (callback) => void setTimeout(callback, 0),
  afterMillisecond: (callback) => void setTimeout(callback, 1),
};

/** Runs long work in slices. */
export class Scheduler {
  private readonly queue: (() => void)[] = [];
  private isScheduled = false;
  /** The time since which a request is expected, in milliseconds; -Infinity if none is expected. */
  private requestExpectedSince = -Infinity;
  /** The time when the current or last slice began, in milliseconds. */
  private sliceStart = -Infinity;
  /** The time since which the next slice waits for a request; null if it does not wait. */
  private sliceWaitsSince: number | null = null;

  constructor(private readonly clock: Clock = SYSTEM_CLOCK) {}

  /**
   * Must be called after a change of a document, because a request for the document will follow.
   */
  expectRequest(): void {
    this.requestExpectedSince = this.clock.now();
  }

  /**
   * Must be called when the expected request has its reply. Must also be called when that request
   * waits for scheduled work, because the work must then go on.
   */
  stopExpectingRequest(): void {
    this.requestExpectedSince = -Infinity;
  }

  /** Whether the time of the current slice is over. */
  get isSliceOver(): boolean {
    return this.clock.now() - this.sliceStart >= SLICE_MS;
  }

  /** Ends the slice of the caller. Resolves when its next slice begins. */
  pause(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.queue.push(resolve);
      this.schedule('afterEvents');
    });
  }

  /** Runs all steps in slices and returns their result; null if cancelled. */
  async run<Result>(steps: Steps<Result>, isCancelled: () => boolean): Promise<Result | null> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (!this.isSliceOver) continue;
      await this.pause();
      if (isCancelled()) return null;
    }
  }

  private schedule(when: 'afterEvents' | 'afterMillisecond'): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.clock[when](() => {
      this.isScheduled = false;
      this.runNextSlice();
    });
  }

  private runNextSlice(): void {
    const nowMs = this.clock.now();
    if (this.isRequestExpected(nowMs)) return this.schedule('afterMillisecond');
    this.sliceWaitsSince = null;
    this.sliceStart = nowMs;
    this.queue.shift()?.();
    if (this.queue.length > 0) this.schedule('afterEvents');
  }

  /**
   * Whether a slice has to wait because the client is expected to send a request. A slice waits
   * only for a limited time, so that work goes on even if the user types all the time.
   */
  private isRequestExpected(now: number): boolean {
    if (now - this.requestExpectedSince > WAIT_FOR_REQUEST_MS) return false;
    this.sliceWaitsSince ??= now;
    return now - this.sliceWaitsSince <= WAIT_FOR_REQUEST_MS;
  }
}
