/** For sections that inherit `Satisfy Any`: what their Require lines demand, and the fix. */
import { parseRequire } from '../../access/require';
import { argumentsOf, indentOf, type Line } from '../../syntax/line';
import { lineEnd } from './edits';
import type { Fix } from '../rule';

/**
 * The directives of mod_access_compat. A section with a line of one of them inherits no lines of
 * any of them.
 */
export const OLD_ACCESS_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

const CLIENT_PROVIDERS = new Set(['ip', 'host', 'forward-dns', 'env', 'local']);

/**
 * Takes a Require line. Returns `denied` if it denies all clients, `narrow` if it tests the client
 * and needs no login, or else `other`.
 */
export function kindOfRequirement(line: Line): 'denied' | 'narrow' | 'other' {
  const { isNegated, provider, operands, hasVariable } = parseRequire(line);
  if (isNegated || hasVariable || provider === null) return 'other';
  if (CLIENT_PROVIDERS.has(provider.value)) return 'narrow';
  return provider.value === 'all' && argumentsOf(line).length === 2 && /^denied$/i.test(operands[0]!.value)
    ? 'denied'
    : 'other';
}

/** The fix that writes `Satisfy All` above the line. */
export function fixWithSatisfyAll(line: Line, offset: number): Fix {
  return {
    title: 'Add Satisfy All',
    safety: 'suggestion',
    assumes: 'mod_access_compat stays loaded',
    edits: [{ start: offset, end: offset, text: `${indentOf(line)}Satisfy All${lineEnd(line)}` }],
  };
}
