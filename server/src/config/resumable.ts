/** A long computation in steps. The caller may pause at each yield, or stop there. */
export type Steps<Result> = Generator<void, Result, void>;

/** Runs all steps at once. */
export function runToEnd<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
