/** Every rule, in the order of the documentation. */
import { maxClients } from './max-clients';
import { orderAllowDeny } from './order-allow-deny';
import type { Rule } from './rule';

export const ALL_RULES: readonly Rule[] = [
  orderAllowDeny,
  maxClients,
];

/** A rule by its id, in any case. */
export function ruleById(id: string): Rule | undefined {
  const wanted = id.toLowerCase();
  return ALL_RULES.find((rule) => rule.id === wanted);
}
