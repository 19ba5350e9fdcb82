/** `Satisfy Any` that a section inherits: what its own Require lines ask for, and how to end it. */
import { parseRequire } from '../../access/require';
import { argumentsOf, indentOf, type Line } from '../../syntax/line';
import { lineEnd } from './edits';
import type { Fix } from '../rule';

/** The directives of mod_access_compat. A section with one of them inherits none of them. */
export const OLD_ACCESS: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

const NARROW = new Set(['ip', 'host', 'forward-dns', 'env', 'local']);

/**
 * Takes a Require line. Returns `denied` for all clients, `narrow` for a line about the client that
 * needs no login, `other` for all else.
 */
export function whatIsRequired(line: Line): 'denied' | 'narrow' | 'other' {
  const { isNot, provider, operands, hasVariable } = parseRequire(line);
  if (isNot || hasVariable || provider === null) return 'other';
  if (NARROW.has(provider.value)) return 'narrow';
  return provider.value === 'all' && argumentsOf(line).length === 2 && /^denied$/i.test(operands[0]!.value)
    ? 'denied'
    : 'other';
}

/** Writes `Satisfy All` above a line. */
export function satisfyAll(line: Line, offset: number): Fix {
  return {
    title: 'Add Satisfy All',
    safety: 'suggestion',
    assumes: 'mod_access_compat stays loaded',
    edits: [{ start: offset, end: offset, text: `${indentOf(line)}Satisfy All${lineEnd(line)}` }],
  };
}
