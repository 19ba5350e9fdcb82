/**
 * Symbols of a workspace by a few letters of their names: virtual hosts, locations, directories,
 * macros, variables …
 */
import { counters } from '../syntax/memory';
import type { NameKind } from './names-in-line';
import type { FileSymbol } from './occurrences';

export interface FoundSymbol extends FileSymbol {
  /** Without links. */
  readonly path: string;
}

/**
 * The symbols of one file: asks for the name of each in small letters, and hands over those that
 * are wanted, until it gets false.
 */
export interface SymbolsOfFile {
  readonly path: string;
  forEach(visit: (symbol: FileSymbol) => boolean, test: (small: string) => boolean): void;
}

/** Symbols looked at since the start of the program, for the tests that count. */
export const work = counters({ looks: 0 });

/** Nobody goes through more. */
export const MAX_SYMBOLS = 256;

/** Symbols looked at for one question: some milliseconds' worth. */
const MAX_LOOKS = 100_000;

/**
 * Those whose names have the letters of the query in this order, in whatever case; the best first:
 * the name itself, what begins with it, what has it in one piece, what has its letters. Of a very
 * large workspace not all are looked at.
 */
export function workspaceSymbols(query: string, files: Iterable<SymbolsOfFile>): FoundSymbol[] {
  const wanted = query.replace(/\s+/g, '').toLowerCase();
  const ranks: FoundSymbol[][] = [[], [], [], []];
  let left = MAX_LOOKS;
  // The worst that is still wanted: once there are enough of one rank, only better ones are looked
  // for.
  let worst = ranks.length - 1;
  const best = wanted === '' ? 1 : 0;
  let rank: number | null = null;
  const test = (small: string) => {
    if (left > 0) work.looks++;
    return left-- <= 0 || (rank = rankOf(small, wanted, worst)) !== null;
  };
  for (const { path, forEach } of files) {
    forEach((symbol) => {
      if (left < 0) return false;
      ranks[rank!]!.push({ ...symbol, path });
      if (ranks[rank!]!.length === MAX_SYMBOLS) worst = rank! - 1;
      return worst >= best;
    }, test);
    if (left < 0 || worst < best) break;
  }
  return ranks.flat().slice(0, MAX_SYMBOLS);
}

/** What a symbol is, for people. */
export function symbolDetail({ kind, within }: FileSymbol): string {
  return within !== '' ? within : (DETAIL[kind] ?? '');
}

// ---------------------------------------------------------------------------------------------------------------------

const DETAIL: Readonly<Partial<Record<NameKind | 'virtual-host' | 'section', string>>> = {
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

/** How well a name in small letters fits: 0 is best; null for not at all, or worse than `worst`. */
function rankOf(name: string, wanted: string, worst: number): number | null {
  if (name === wanted || (name.length === wanted.length + 2 && name === `<${wanted}>`)) return 0;
  if (worst === 0) return null;
  const at = name.indexOf(wanted);
  if (at >= 0) {
    const rank = at === 0 || /[^\w]/.test(name[at - 1]!) ? 1 : 2;
    return rank <= worst ? rank : null;
  }
  if (worst < 3) return null;
  let from = 0;
  for (const letter of wanted) {
    from = name.indexOf(letter, from) + 1;
    if (from === 0) return null;
  }
  return 3;
}
