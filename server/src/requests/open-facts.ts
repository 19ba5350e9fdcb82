/**
 * Facts that the files do not show, such as a module that no line loads, or a look-up of a name. A
 * decision asks for them where it needs them. `explore` computes the decision for each combination
 * of answers: it is known if all combinations agree.
 */
import type { UnknownFact } from './model';

/** The facts for one computation. */
export class OpenFacts {
  readonly asked = new Map<string, { readonly fact: UnknownFact; readonly holds: boolean }>();

  /**
   * `assumesUsual`: rules and modules that map URLs in ways that are not computed are taken not to
   * change the target, and password files that are not here to be on the server. Without that, many
   * answers of such servers are unknown.
   * `correctsProviders`: 2.4 reads `Require USER` as `Require user`, instead of refusing to start.
   */
  constructor(
    private readonly given: ReadonlyMap<string, boolean>,
    readonly assumesUsual = false,
    readonly correctsProviders = false,
  ) {}

  /** Whether a fact holds in this computation. `usual`: the first answer to try. */
  holds(key: string, fact: UnknownFact, usual = false): boolean {
    const asked = this.asked.get(key);
    if (asked) return asked.holds;
    const holds = this.given.get(key) ?? usual;
    this.asked.set(key, { fact, holds });
    return holds;
  }
}

export interface Explored<Result> {
  /** The results, each once. The first is that of the usual answers. */
  readonly results: readonly Result[];
  /** The facts on which the result depends. */
  readonly decisive: readonly UnknownFact[];
}

const MAX_RUNS = 128;

/** `keyOf`: results with the same key are equal. `mostRuns`: the limit of combinations. */
export function explore<Result>(
  compute: (facts: OpenFacts) => Result,
  keyOf: (result: Result) => string,
  { assumesUsual = false, correctsProviders = false, mostRuns = MAX_RUNS } = {},
): Explored<Result> {
  const results = new Map<string, Result>();
  const runs: { readonly key: string; readonly asked: OpenFacts['asked'] }[] = [];
  const pending: ReadonlyMap<string, boolean>[] = [new Map()];
  for (let given = pending.pop(); given && runs.length < mostRuns; given = pending.pop()) {
    const facts = new OpenFacts(given, assumesUsual, correctsProviders);
    const result = compute(facts);
    const key = keyOf(result);
    if (!results.has(key)) results.set(key, result);
    runs.push({ key, asked: facts.asked });
    const next = new Map<string, boolean>();
    for (const [name, { holds }] of facts.asked) {
      if (!given.has(name)) pending.push(new Map([...next, [name, !holds]]));
      next.set(name, holds);
    }
  }
  const isCut = pending.length > 0;
  const decisive = new Map<string, UnknownFact>();
  if (results.size > 1 || isCut)
    for (const { asked } of runs)
      for (const [name, { fact }] of asked)
        if (!decisive.has(name) && (isCut || dependsOn(runs, name))) decisive.set(name, fact);
  return { results: [...results.values()], decisive: [...decisive.values()] };
}

// ---------------------------------------------------------------------------------------------------------------------

function dependsOn(
  runs: readonly { readonly key: string; readonly asked: OpenFacts['asked'] }[],
  name: string,
): boolean {
  const keys = (holds: boolean) =>
    [...new Set(runs.flatMap(({ key, asked }) => (asked.get(name)?.holds === holds ? [key] : [])))].sort().join('\n');
  return keys(true) !== keys(false);
}
