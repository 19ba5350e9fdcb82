/**
 * Finds symbols of a workspace by a few letters of their names: virtual hosts, locations,
 * directories, macros, variables and so on.
 */
import { counters } from '../syntax/memory';
import type { NameKind } from './names-in-line';
import type { FileSymbol } from './occurrences';

/** A symbol of the workspace that matches a search. */
export interface FoundSymbol extends FileSymbol {
  /** The path, with symbolic links resolved. */
  readonly path: string;
}

/**
 * The symbols of one file. `forEach` calls `test` with each lower-case name, and `visit` with the
 * symbols whose names pass, until `visit` returns false.
 */
export interface SymbolsOfFile {
  readonly path: string;
  forEach(visit: (symbol: FileSymbol) => boolean, test: (lowerName: string) => boolean): void;
}

/** Counts the symbols that were compared since the start of the program; tests read it. */
export const workCounts = counters({ comparedSymbols: 0 });

/** The maximum number of symbols in a result. A longer list is of no use. */
export const MAX_FOUND_SYMBOLS = 256;

/** Limit for the symbols that one search compares. That takes a few milliseconds. */
const MAX_SEARCHED_SYMBOLS = 100_000;

/**
 * The symbols whose names contain the letters of the query in order; case does not matter. The best
 * come first: equal names, names that begin with the query, names that contain it, names with its
 * letters. In a very large workspace not all symbols are searched.
 */
export function workspaceSymbols(query: string, files: Iterable<SymbolsOfFile>): FoundSymbol[] {
  const lowerQuery = query.replace(/\s+/g, '').toLowerCase();
  const symbolsByRank: FoundSymbol[][] = [[], [], [], []];
  let symbolsLeft = MAX_SEARCHED_SYMBOLS;
  // The largest rank number that is still needed: once there are enough results of a rank, only
  // better ones are searched.
  let worstRank = symbolsByRank.length - 1;
  const bestRank = lowerQuery === '' ? 1 : 0;
  let rank: number | null = null;
  const test = (lowerName: string) => {
    if (symbolsLeft > 0) workCounts.comparedSymbols++;
    return symbolsLeft-- <= 0 || (rank = rankOf(lowerName, lowerQuery, worstRank)) !== null;
  };
  for (const { path, forEach } of files) {
    forEach((symbol) => {
      if (symbolsLeft < 0) return false;
      symbolsByRank[rank!]!.push({ ...symbol, path });
      if (symbolsByRank[rank!]!.length === MAX_FOUND_SYMBOLS) worstRank = rank! - 1;
      return worstRank >= bestRank;
    }, test);
    if (symbolsLeft < 0 || worstRank < bestRank) break;
  }
  return symbolsByRank.flat().slice(0, MAX_FOUND_SYMBOLS);
}

/**
 * The open tag of the section around a symbol; if there is none, the kind of the symbol in words.
 */
export function symbolDetail({ kind, containerTag }: FileSymbol): string {
  return containerTag !== '' ? containerTag : (DETAIL_BY_KIND[kind] ?? '');
}

// ---------------------------------------------------------------------------------------------------------------------

/** The words for kinds of symbols. */
const DETAIL_BY_KIND: Readonly<Partial<Record<NameKind | 'virtual-host' | 'section', string>>> = {
  host: 'host name',
  macro: 'macro',
  variable: 'variable',
  'rewrite-map': 'rewrite map',
  balancer: 'balancer',
  'log-format': 'log format',
  filter: 'filter',
  'authn-provider': 'authentication provider',
  'authz-provider': 'authorization provider',
};

/**
 * How well a lower-case name fits: 0 is best. Null if it does not fit, or fits worse than
 * `worstRank`.
 */
function rankOf(name: string, lowerQuery: string, worstRank: number): number | null {
  if (name === lowerQuery || (name.length === lowerQuery.length + 2 && name === `<${lowerQuery}>`)) return 0;
  if (worstRank === 0) return null;
  const queryIndex = name.indexOf(lowerQuery);
  if (queryIndex >= 0) {
    const rank = queryIndex === 0 || /[^\w]/.test(name[queryIndex - 1]!) ? 1 : 2;
    return rank <= worstRank ? rank : null;
  }
  if (worstRank < 3) return null;
  let searchStart = 0;
  for (const letter of lowerQuery) {
    searchStart = name.indexOf(letter, searchStart) + 1;
    if (searchStart === 0) return null;
  }
  return 3;
}
