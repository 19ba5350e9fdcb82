/**
 * Limits the number of file-system queries of a synchronous computation, because the user waits for
 * it. A section for `/home/*`, for example, can apply to any number of directories.
 */
import type { FileView } from './files';

/** Maximum number of file-system queries. They take less than 0.5 seconds on a usual machine. */
export const MAX_QUERIES = 20_000;

/**
 * Thrown when a computation makes too many file-system queries. The class is not an `Error`, so the
 * engine does not count the running rule as failed (analysis/engine.ts).
 */
export class TooManyQueries {}

/** Counts queries to a view of files, and throws `TooManyQueries` at the limit. */
export class QueryLimit {
  constructor(private queriesLeft: number) {}

  /** A view of the same files that counts its queries; listing a directory counts as ten. */
  viewWithLimit(view: FileView): FileView {
    return {
      ...view,
      read: (path) => this.countQueries(1, () => view.read(path)),
      list: (path) => this.countQueries(10, () => view.list(path)),
      kind: (path) => this.countQueries(1, () => view.kind(path)),
      realPath: (path) => this.countQueries(1, () => view.realPath(path)),
    };
  }

  /**
   * Removes the limit. The results of a computation may query the file system later, when they are
   * used, and these queries must not fail.
   */
  removeLimit(): void {
    this.queriesLeft = Number.POSITIVE_INFINITY;
  }

  private countQueries<Answer>(cost: number, ask: () => Answer): Answer {
    this.queriesLeft -= cost;
    if (this.queriesLeft < 0) throw new TooManyQueries();
    return ask();
  }
}
