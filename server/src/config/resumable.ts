/** Long work in steps: whoever has other things to do takes a pause wherever it yields, or leaves it there for good. */
export type Steps<Result> = Generator<void, Result, void>;

/** All of it, for callers that nobody else waits for. */
export function toEnd<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
