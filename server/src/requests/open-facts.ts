/**
 * Facts that the files do not show, such as whether a module is compiled in, or the DNS name of a
 * client. A computation asks for the facts that it needs (`holds`). `explore` repeats the
 * computation for each combination of answers to these questions. If all results are equal, the
 * result is known.
 */
import type { UnknownFact } from './model';

/**
 * A fact that a computation asked for, and the answer that was assumed. `position`: its index among
 * the facts of this computation.
 */
export interface AskedFact {
  readonly fact: UnknownFact;
  readonly holds: boolean;
  readonly position: number;
}

/**
 * The answers that a computation tries. For the facts before `position`, these are the answers of
 * an earlier computation. For the fact at `position`, it is the opposite answer. `askedFacts` has
 * the facts of that earlier computation. It is not copied, because that would take longer than the
 * computation.
 */
export interface AssumedAnswers {
  readonly askedFacts: ReadonlyMap<string, AskedFact>;
  readonly position: number;
}

/** The answers that one computation assumes, and the facts for which it asked. */
export class OpenFacts {
  /** The facts for which the computation asked, by key, in the order of the questions. */
  readonly askedFacts = new Map<string, AskedFact>();

  /**
   * The number of lines and sections that the computation visited. It measures how long the
   * computation takes.
   */
  workDone = 0;

  /**
   * `assumesUsual`: assumes that missing password files are on the server. Also assumes that
   * RewriteRules and modules do not change the target of a URL if their effect is not computed.
   * Otherwise many answers would be unknown. `correctsProviders`: assumes that 2.4 reads `Require
   * USER` as `Require user`, instead of refusing to start. `ignoresMissingParts`: assumes that the
   * parts that are missing in this copy of the server's files do not matter. Also assumes that the
   * server has the modules that the files use.
   */
  constructor(
    private readonly assumedAnswers: AssumedAnswers | null,
    readonly assumesUsual = false,
    readonly correctsProviders = false,
    private readonly ignoresMissingParts = false,
  ) {}

  /** The answer that is assumed for a fact. `usualAnswer`: the answer to try first. */
  holds(key: string, fact: UnknownFact, usualAnswer = false): boolean {
    if (this.ignoresMissingParts && fact.isOfMissingPart) return usualAnswer;
    const earlierAnswer = this.askedFacts.get(key);
    if (earlierAnswer) return earlierAnswer.holds;
    const assumedToHold = this.assumedAnswer(key) ?? usualAnswer;
    this.askedFacts.set(key, { fact, holds: assumedToHold, position: this.askedFacts.size });
    return assumedToHold;
  }

  /** Whether the answer for a fact was set before the computation began. */
  hasAssumedAnswer(key: string): boolean {
    return this.assumedAnswer(key) !== null;
  }

  /**
   * The assumed answer to an open fact: the opposite for the fact at `position`, and the earlier
   * answer for those before it. Null if nothing is assumed about the fact.
   */
  private assumedAnswer(key: string): boolean | null {
    if (this.assumedAnswers === null) return null;
    const { askedFacts, position } = this.assumedAnswers;
    const givenAnswer = askedFacts.get(key);
    if (givenAnswer === undefined || givenAnswer.position > position) return null;
    return givenAnswer.position === position ? !givenAnswer.holds : givenAnswer.holds;
  }
}

/** The results of a computation under all combinations of answers to open facts. */
export interface ExploredResults<Result> {
  /** All different results. The first one has the usual answers. */
  readonly results: readonly Result[];
  /** The facts on which the result depends. */
  readonly decisiveFacts: readonly UnknownFact[];
  /**
   * Whether `mayGoOn` ended the search before the last combination. Then results may be missing.
   */
  readonly isStopped: boolean;
}

/** Maximum number of computations, if the caller sets no limit. */
const MAX_COMPUTATIONS = 128;
/**
 * The number of computations after which `isSettled` can end the search. Fewer computations would
 * not show which facts matter.
 */
const MIN_COMPUTATIONS = 32;

/**
 * Runs `compute` once for each combination of answers to the open facts that it asks for, and
 * returns the different results. `keyOf`: results with the same key count as one. `assumesUsual`,
 * `correctsProviders`, `ignoresMissingParts`: see OpenFacts. Stops after `maxRuns` runs, or if
 * `mayGoOn` returns false before a run; then each fact that was asked for counts as decisive. Also
 * stops if `isSettled` returns true for the results: further ones would say nothing new.
 */
export function explore<Result>(
  compute: (facts: OpenFacts) => Result,
  keyOf: (result: Result) => string,
  {
    assumesUsual = false,
    correctsProviders = false,
    ignoresMissingParts = false,
    maxRuns = MAX_COMPUTATIONS,
    mayGoOn = (): boolean => true,
    isSettled = (_: readonly Result[]): boolean => false,
  } = {},
): ExploredResults<Result> {
  const resultByKey = new Map<string, Result>();
  const runs: Run[] = [];
  const pendingAssumptions: (AssumedAnswers | null)[] = [null];
  let isStopped = false;
  let isEnoughKnown = false;
  for (
    let assumedAnswers = pendingAssumptions.pop();
    assumedAnswers !== undefined && runs.length < maxRuns;
    assumedAnswers = pendingAssumptions.pop()
  ) {
    if (runs.length >= MIN_COMPUTATIONS && isSettled([...resultByKey.values()])) {
      isEnoughKnown = true;
      break;
    }
    if (!mayGoOn()) {
      isStopped = true;
      break;
    }
    const facts = new OpenFacts(assumedAnswers, assumesUsual, correctsProviders, ignoresMissingParts);
    const computedResult = compute(facts);
    const resultKey = keyOf(computedResult);
    if (!resultByKey.has(resultKey)) resultByKey.set(resultKey, computedResult);
    const askedFacts = facts.askedFacts;
    runs.push({ keyOfResult: resultKey, askedFacts });
    for (const [name, { position }] of askedFacts)
      if (!facts.hasAssumedAnswer(name)) pendingAssumptions.push({ askedFacts, position });
  }
  const isIncomplete = !isEnoughKnown && (isStopped || pendingAssumptions.length > 0);
  const decisiveFacts = resultByKey.size > 1 || isIncomplete ? decisiveFactsOf(runs, isIncomplete) : [];
  return { results: [...resultByKey.values()], decisiveFacts, isStopped };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The key of the result of one run, and the facts that it asked for. */
interface Run {
  readonly keyOfResult: string;
  readonly askedFacts: OpenFacts['askedFacts'];
}

/** The facts on which the results depend; all facts if runs are missing. */
function decisiveFactsOf(runs: readonly Run[], isIncomplete: boolean): UnknownFact[] {
  const decisiveFactByKey = new Map<string, UnknownFact>();
  for (const { askedFacts } of runs)
    for (const [name, { fact }] of askedFacts)
      if (!decisiveFactByKey.has(name) && (isIncomplete || doResultsDependOn(runs, name)))
        decisiveFactByKey.set(name, fact);
  return [...decisiveFactByKey.values()];
}

/**
 * Whether the results differ between the runs in which a fact holds and those in which it does not.
 * `name`: the key of the fact.
 */
function doResultsDependOn(runs: readonly Run[], keyOfFact: string): boolean {
  const joinedKeysIf = (factHolds: boolean) =>
    [
      ...new Set(
        runs.flatMap(({ keyOfResult, askedFacts }) =>
          askedFacts.get(keyOfFact)?.holds === factHolds ? [keyOfResult] : [],
        ),
      ),
    ]
      .sort()
      .join('\n');
  return joinedKeysIf(true) !== joinedKeysIf(false);
}
