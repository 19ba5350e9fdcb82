/** Symbols of a workspace by a few letters of their names: virtual hosts, locations, directories, macros, variables … */
import { counters } from '../syntax/memory';
import type { NameKind } from './names-in-line';
import type { FileSymbol } from './occurrences';

export interface FoundSymbol extends FileSymbol {
  /** Without links. */
  readonly path: string;
}

/** The symbols of one file: calls back with each until it gets false. */
export interface SymbolsOfFile {
  readonly path: string;
  forEach(visit: (symbol: FileSymbol) => boolean, test: (text: string) => boolean): void;
}

/** Symbols looked at since the start of the program, for the tests that count. */
export const work = counters({ looks: 0 });

/** Nobody goes through more. */
export const MAX_SYMBOLS = 256;

/** Symbols looked at for one question: some milliseconds' worth. */
const MAX_LOOKS = 100_000;

/**
 * Those whose names have the letters of the query in this order, in whatever case; the best first: the name itself, what begins with it, what has it in one piece,
 * what has its letters. Of a very large workspace not all are looked at.
 */
export function workspaceSymbols(query: string, files: Iterable<SymbolsOfFile>): FoundSymbol[] {
  const wanted = query.replace(/\s+/g, '').toLowerCase();
  const ranks: FoundSymbol[][] = [[], [], [], []];
  let left = MAX_LOOKS;
  const pattern = subsequence(wanted);
  const test = (text: string) => {
    work.looks++;
    left--;
    return left <= 0 || pattern.test(text);
  };
  for (const { path, forEach } of files) {
    forEach((symbol) => {
      const rank = rankOf(symbol.name.toLowerCase(), wanted);
      if (rank !== null && ranks[rank]!.length < MAX_SYMBOLS) ranks[rank]!.push({ ...symbol, path });
      return left > 0;
    }, test);
    if (left <= 0 || ranks[0]!.length >= MAX_SYMBOLS) break;
  }
  return ranks.flat().slice(0, MAX_SYMBOLS);
}

/** Whether a text has the letters in their order, in whatever case: in one pass, wherever they are. */
function subsequence(letters: string): RegExp {
  const pattern = [...letters]
    .map((letter) => letter.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .map((letter) => `[^${letter}]*${letter}`)
    .join('');
  return new RegExp(`^${pattern}`, 'iu');
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

function rankOf(name: string, wanted: string): 0 | 1 | 2 | 3 | null {
  const plain = name.replace(/^<|>$/g, '');
  if (plain === wanted) return 0;
  const at = name.indexOf(wanted);
  if (at >= 0) return at === 0 || /[^\w]/.test(name[at - 1]!) ? 1 : 2;
  let from = 0;
  for (const letter of wanted) {
    from = name.indexOf(letter, from) + 1;
    if (from === 0) return null;
  }
  return 3;
}
