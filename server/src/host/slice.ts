/**
 * Files are looked at and written without waiting for each: a promise for every call costs ten times what the call costs. In between, others get
 * their turn.
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
