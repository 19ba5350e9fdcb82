/** Answers of several servers to one request, where all of them have the same open facts. */
import { computed, type Computed } from './decide';
import type { Access, Request, UnknownFact } from './model';
import { explore } from './open-facts';
import type { Site } from './site';

export interface Together {
  /** The answers with the usual facts, in the order of the servers. */
  readonly usual: readonly Computed[];
  /** The answers of each outcome. */
  readonly results: readonly (readonly Computed[])[];
  /** All different answers, each with one set of facts; the usual ones first. */
  readonly outcomes: readonly (readonly Outcome[])[];
  /** The facts on which they depend. */
  readonly decisive: readonly UnknownFact[];
}

export interface Outcome {
  readonly access: Access;
  /** Why it is unknown. Empty if it is known. */
  readonly why: string;
}

export interface ExploreOptions {
  /** See OpenFacts. */
  readonly correctsProviders?: boolean;
  readonly mostRuns?: number;
}

/** Rules of mod_rewrite that may change the target are left out: see OpenFacts. */
export function answersTogether(request: Request, sites: readonly Site[], options: ExploreOptions = {}): Together {
  const { results, decisive } = explore(
    (facts) => sites.map((site) => computed(request, site, facts)),
    (all) => JSON.stringify(all.map(outcomeOf)),
    { ...options, assumesUsual: true },
  );
  return { usual: results[0]!, results, outcomes: results.map((all) => all.map(outcomeOf)), decisive };
}

/** How many sections apply to the request at all servers: the cost of an answer. */
export function sectionsFor({ usual }: Together): number {
  return usual.reduce((sum, { sections }) => sum + sections.length, 0);
}

/** The access at one server: unknown if it depends on the facts. */
export function accessAt(server: number, { outcomes }: Together): Access {
  const all = new Set(outcomes.map((each) => each[server]!.access));
  return all.size === 1 ? [...all][0]! : 'unknown';
}

// ---------------------------------------------------------------------------------------------------------------------

function outcomeOf({ answer: { access, why } }: Computed): Outcome {
  return { access, why: access === 'unknown' ? why : '' };
}
