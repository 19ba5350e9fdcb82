/**
 * Lets other work run between synchronous file operations, once in a few milliseconds. A promise
 * for each operation would take ten times as long as the operation. Uses `Date`, because node loads
 * `performance` when it is first used, and that takes a twentieth of a short `check`.
 */
export class Slice {
  private start = Date.now();

  get isOver(): boolean {
    return Date.now() - this.start > SLICE_MS;
  }

  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.start = Date.now();
  }
}

const SLICE_MS = 3;
