/**
 * Limits the number of file-system queries of a synchronous computation, so that the user does not
 * wait: a section for `/home/*` may lead to any number of directories.
 */
import type { FileView } from './files';

/** Limit for file-system queries: they take less than 0.5 seconds on a usual machine. */
export const MAX_QUERIES = 20_000;

/**
 * Thrown when a computation makes too many file-system queries. It is not an error, so that no rule
 * that was running counts as failed (analysis/engine.ts).
 */
export class TooManyQueries {}

/** Counts questions to a view of files, and throws `TooManyQueries` at the limit. */
export class QueryLimit {
  constructor(private queriesLeft: number) {}

  /** A view of the same files that counts its queries; listing a directory counts as ten. */
  limitedView(view: FileView): FileView {
    return {
      ...view,
      read: (path) => this.countQueries(1, () => view.read(path)),
      list: (path) => this.countQueries(10, () => view.list(path)),
      kind: (path) => this.countQueries(1, () => view.kind(path)),
      identity: (path) => this.countQueries(1, () => view.identity(path)),
    };
  }

  /** Removes the limit, for results that query the file system only when they are used. */
  removeLimit(): void {
    this.queriesLeft = Number.POSITIVE_INFINITY;
  }

  private countQueries<Answer>(cost: number, ask: () => Answer): Answer {
    this.queriesLeft -= cost;
    if (this.queriesLeft < 0) throw new TooManyQueries();
    return ask();
  }
}
