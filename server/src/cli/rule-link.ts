/** Links from the id of a rule to its page, in terminals that have links. */
import { rulePageAddress } from '../rules/support/links';
import type { Terminal } from './terminal';

/** The id of a rule as a link to its page. */
export function ruleLink(terminal: Terminal, id: string): string {
  return terminal.link(rulePageAddress(id), id);
}

/**
 * Makes `[ID]` in rows a link. This is done after wrapping, because the address takes no columns.
 */
export function withRuleLink(rows: readonly string[], terminal: Terminal, id: string): string[] {
  return rows.map((row) => row.replace(`[${id}]`, () => `[${ruleLink(terminal, id)}]`));
}
