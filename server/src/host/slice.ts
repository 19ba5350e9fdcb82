/**
 * Lets other work run between synchronous file operations, every few milliseconds. A promise for
 * each operation would take ten times as long as the operation itself. Uses `Date`, because node
 * loads `performance` at its first use, which takes a twentieth of the time of a short `check`.
 */
export class TimeSlice {
  private start = Date.now();

  /** Whether other work should run now. */
  get isOver(): boolean {
    return Date.now() - this.start > SLICE_MS;
  }

  /** Lets other work run, and begins the next slice. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.start = Date.now();
  }
}

const SLICE_MS = 3;
