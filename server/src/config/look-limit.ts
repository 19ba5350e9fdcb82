/**
 * Limits how often a synchronous computation may ask the file system, where it must not keep a user
 * waiting: a section for `/home/*` may lead to any number of directories.
 */
import type { FileView } from './files';

/** Questions to the file system that take less than half a second on a usual machine. */
export const MOST_LOOKS = 20_000;

/**
 * Thrown where the computation asks the file system too often. It is not an error, so that no rule
 * that was running counts as failed (analysis/engine.ts).
 */
export class TooManyLooks {}

/** Counts questions to a view of files, and throws `TooManyLooks` at the limit. */
export class LookLimit {
  constructor(private left: number) {}

  of(view: FileView): FileView {
    return {
      ...view,
      read: (path) => this.counted(1, () => view.read(path)),
      list: (path) => this.counted(10, () => view.list(path)),
      kind: (path) => this.counted(1, () => view.kind(path)),
      identity: (path) => this.counted(1, () => view.identity(path)),
    };
  }

  /** Ends the limit for results that ask only when they are used. */
  lift(): void {
    this.left = Number.POSITIVE_INFINITY;
  }

  private counted<Answer>(cost: number, ask: () => Answer): Answer {
    this.left -= cost;
    if (this.left < 0) throw new TooManyLooks();
    return ask();
  }
}
