/**
 * Facts that the files do not show, such as whether a module is compiled in, or the DNS name of a
 * client. A computation asks for the ones that it needs (`holds`). `explore` repeats the
 * computation for each combination of answers. Its result is known if it is always the same.
 */
import type { UnknownFact } from './model';

/** The assumed answers for one computation, and which of them it used. */
export class OpenFacts {
  readonly askedFacts = new Map<string, { readonly fact: UnknownFact; readonly holds: boolean }>();

  /** A measure of the time that the computation takes: how many lines and sections it looked at. */
  workDone = 0;

  /**
   * `assumesUsual`: assumes that RewriteRules and modules whose effect is not computed do not
   * change the target of a URL, and that missing password files are on the server. Otherwise many
   * answers would be unknown. `correctsProviders`: assumes that 2.4 reads `Require USER` as
   * `Require user`, instead of refusing to start.
   */
  constructor(
    private readonly assumedAnswers: ReadonlyMap<string, boolean>,
    readonly assumesUsual = false,
    readonly correctsProviders = false,
  ) {}

  /** The assumed answer to a question about a fact. `usual`: the answer to try first. */
  holds(key: string, fact: UnknownFact, usual = false): boolean {
    const asked = this.askedFacts.get(key);
    if (asked) return asked.holds;
    const holds = this.assumedAnswers.get(key) ?? usual;
    this.askedFacts.set(key, { fact, holds });
    return holds;
  }
}

export interface ExploredResults<Result> {
  /** All different results. The first is that of the usual answers. */
  readonly results: readonly Result[];
  /** The facts that change the result. */
  readonly decisiveFacts: readonly UnknownFact[];
}

const MAX_RUNS = 128;

/**
 * Runs `compute` once for each combination of answers to the open facts that it asks, and returns
 * the different results. `keyOf`: results with the same key count as one. `assumesUsual`,
 * `correctsProviders`: see OpenFacts. Stops after `mostRuns` runs; then each fact that was asked
 * counts as decisive.
 */
export function explore<Result>(
  compute: (facts: OpenFacts) => Result,
  keyOf: (result: Result) => string,
  { assumesUsual = false, correctsProviders = false, mostRuns = MAX_RUNS } = {},
): ExploredResults<Result> {
  const results = new Map<string, Result>();
  const runs: { readonly runKey: string; readonly factsOfRun: OpenFacts['askedFacts'] }[] = [];
  const pending: ReadonlyMap<string, boolean>[] = [new Map()];
  for (let given = pending.pop(); given && runs.length < mostRuns; given = pending.pop()) {
    const facts = new OpenFacts(given, assumesUsual, correctsProviders);
    const result = compute(facts);
    const runKey = keyOf(result);
    if (!results.has(runKey)) results.set(runKey, result);
    runs.push({ runKey, factsOfRun: facts.askedFacts });
    const next = new Map<string, boolean>();
    for (const [name, { holds }] of facts.askedFacts) {
      if (!given.has(name)) pending.push(new Map([...next, [name, !holds]]));
      next.set(name, holds);
    }
  }
  const isCut = pending.length > 0;
  const decisive = new Map<string, UnknownFact>();
  if (results.size > 1 || isCut)
    for (const { factsOfRun } of runs)
      for (const [name, { fact }] of factsOfRun)
        if (!decisive.has(name) && (isCut || doResultsDependOn(runs, name))) decisive.set(name, fact);
  return { results: [...results.values()], decisiveFacts: [...decisive.values()] };
}

// ---------------------------------------------------------------------------------------------------------------------

function doResultsDependOn(
  runs: readonly { readonly runKey: string; readonly factsOfRun: OpenFacts['askedFacts'] }[],
  name: string,
): boolean {
  const keys = (holds: boolean) =>
    [...new Set(runs.flatMap(({ runKey, factsOfRun }) => (factsOfRun.get(name)?.holds === holds ? [runKey] : [])))]
      .sort()
      .join('\n');
  return keys(true) !== keys(false);
}
