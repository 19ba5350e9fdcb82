/**
 * Lets other work run between synchronous file operations: a promise for each call costs ten times
 * as much as the call.
 */
export class Slice {
  private start = performance.now();

  get isOver(): boolean {
    return performance.now() - this.start > SLICE_MS;
  }

  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.start = performance.now();
  }
}

const SLICE_MS = 3;
