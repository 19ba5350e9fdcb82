/**
 * Computes the answers of several servers to one request. For facts that the files do not show, the
 * same assumptions are made for all servers.
 */
import { computeAnswer, type ComputedAnswer } from './decide';
import type { Access, Request, UnknownFact } from './model';
import { explore, OpenFacts } from './open-facts';
import type { Site } from './site';
import { decisionIfNotStarting } from './start';

/** The answers of several servers to one request. */
export interface AnswersOfServers {
  /** The answers with the usual assumptions, in the order of the servers. */
  readonly usualAnswers: readonly ComputedAnswer[];
  /** The answers of all servers, for each combination of assumptions that gives a new outcome. */
  readonly answersOfCombinations: readonly (readonly ComputedAnswer[])[];
  /**
   * The outcomes of all servers, for each item of `answersOfCombinations`. The usual one is first.
   */
  readonly outcomes: readonly (readonly Outcome[])[];
  /** The facts that change the outcome. */
  readonly decisiveFacts: readonly UnknownFact[];
  /** The work for all answers, as in OpenFacts. It measures how long they took. */
  readonly workDone: number;
  /**
   * Whether combinations of assumptions were left out, because the limit of the work was reached.
   */
  readonly isStopped: boolean;
}

/** The part of an answer that is compared. */
export interface Outcome {
  readonly access: Access;
  /** Why the answer is unknown. Empty if it is known. */
  readonly why: string;
}

/** The assumptions and the limit with which answers are computed. */
export interface ExploreOptions {
  /** Whether to assume that 2.4 reads `Require USER` as `Require user` (OpenFacts). */
  readonly correctsProviders?: boolean;
  /**
   * Whether to assume that the parts that are missing in this copy of the files do not matter
   * (OpenFacts).
   */
  readonly ignoresMissingParts?: boolean;
  /**
   * Limit of the work, in the unit of `AnswersOfServers.workDone`. At the limit, the result has
   * `AnswersOfServers.isStopped`.
   */
  readonly maxWork?: number;
  /**
   * Whether the caller needs only the access at each server. Then the search ends as soon as the
   * access at each server is unknown, that is, has two possible values.
   */
  readonly needsOnlyAccess?: boolean;
}

/** The answers of some servers to one request with the usual assumptions. */
export interface UsualAnswers {
  /** One answer for each server, in the order of the servers. */
  readonly usualAnswers: readonly ComputedAnswer[];
  /** The work that was needed, as in `AnswersOfServers.workDone`. */
  readonly workDone: number;
}

/** Computes only the answers with the usual assumptions: once for each server. */
export function usualAnswersTogether(
  request: Request,
  sites: readonly Site[],
  { correctsProviders }: ExploreOptions = {},
): UsualAnswers {
  const facts = new OpenFacts(null, true, correctsProviders);
  const usualAnswers = sites.map((site) => computeAnswer(request, site, facts));
  return { usualAnswers, workDone: facts.workDone };
}

/**
 * Computes the answers of several servers under the same assumptions. RewriteRules with an unknown
 * effect are ignored (`assumesUsual` in OpenFacts).
 */
export function answersTogether(
  request: Request,
  sites: readonly Site[],
  { correctsProviders, ignoresMissingParts, maxWork = Infinity, needsOnlyAccess = false }: ExploreOptions = {},
): AnswersOfServers {
  let workDone = 0;
  const { results, decisiveFacts, isStopped } = explore(
    (facts) => {
      const answersOfSites = sites.map((site) => computeAnswer(request, site, facts));
      workDone += facts.workDone;
      return answersOfSites;
    },
    (answersOfRun) => JSON.stringify(answersOfRun.map(outcomeOf)),
    {
      correctsProviders,
      ignoresMissingParts,
      assumesUsual: true,
      mayGoOn: () => workDone <= maxWork,
      isSettled: (results) =>
        needsOnlyAccess &&
        sites.every(
          (site, serverIndex) =>
            decisionIfNotStarting(site) !== null ||
            new Set(results.map((each) => each[serverIndex]!.answer.access)).size > 1,
        ),
    },
  );
  return {
    usualAnswers: results[0]!,
    answersOfCombinations: results,
    outcomes: results.map((answersOfRun) => answersOfRun.map(outcomeOf)),
    decisiveFacts,
    workDone,
    isStopped,
  };
}

/**
 * The access at the server with this index. Unknown if it depends on facts that the files do not
 * show.
 */
export function accessAt(serverIndex: number, { outcomes }: AnswersOfServers): Access {
  const accesses = new Set(outcomes.map((each) => each[serverIndex]!.access));
  return accesses.size === 1 ? [...accesses][0]! : 'unknown';
}

// ---------------------------------------------------------------------------------------------------------------------

/** The part of an answer that is compared. */
function outcomeOf({ answer: { access, why } }: ComputedAnswer): Outcome {
  return { access, why: access === 'unknown' ? why : '' };
}
