/** Answers of several servers to one request, where all of them have the same open facts. */
import { computed, type Computed } from './decide';
import type { Access, Request } from './model';
import { explore } from './open-facts';
import type { Site } from './site';

export interface Together {
  /** The answers with the usual facts, in the order of the servers. */
  readonly usual: readonly Computed[];
  /** All different answers, each with one set of facts; the usual ones first. */
  readonly outcomes: readonly (readonly Outcome[])[];
}

export interface Outcome {
  readonly access: Access;
  /** Why it is unknown. Empty if it is known. */
  readonly why: string;
}

/** Rules of mod_rewrite that may change the target are left out: see OpenFacts. */
export function answersTogether(request: Request, sites: readonly Site[]): Together {
  const { results } = explore(
    (facts) => sites.map((site) => computed(request, site, facts)),
    (all) => JSON.stringify(all.map(outcomeOf)),
    { assumesPlainUrls: true },
  );
  return { usual: results[0]!, outcomes: results.map((all) => all.map(outcomeOf)) };
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
