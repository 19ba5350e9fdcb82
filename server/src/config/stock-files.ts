/**
 * Compares files with stock files: the configuration files that a distribution's package of 2.2
 * installs, and Debian's main file for 2.4. The comparison shows which lines a user has changed.
 * The program contains only hashes of the stock lines (directives/data/stock-files.json, with the
 * source of each release).
 */
import { argumentsOf, LineKind } from '../syntax/line';
import type { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import { forEachItem, Section, type List } from '../syntax/tree';
import { REPLACEMENT_BY_MODULE } from './old-modules';
import { encodedNumber, HASH_LENGTH, stockFiles, type StockFile } from '../directives/stock-facts';
import type { Distribution } from './distribution';

/** The hash of a line, or of the opening tag of a section. */
interface HashedLine {
  readonly hash: string;
  /** UTF-16 offset in the file. */
  readonly offset: number;
  readonly isSection: boolean;
}

/** The differences between a file and the most similar stock file. */
export interface StockDifference {
  /** The release for users, such as `Debian 6`. */
  readonly release: string;
  /** Whether the stock file is from a package of 2.4. */
  readonly isFor24: boolean;
  /** Offsets of the lines and sections that the stock file does not have. */
  readonly addedOffsets: readonly number[];
  /** Names of directives in stock lines that the file does not have, each name once. */
  readonly removedDirectives: readonly string[];
  /**
   * Whether the whole text is the same, including comments. Then the new package replaces the file.
   */
  readonly hasSameText: boolean;
}

/** The hash of a text: FNV-1a, of which 30 bits are kept. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return encodedNumber((hash ^ (hash >>> 30)) & 0x3fffffff, HASH_LENGTH);
}

/** The text without white space at the ends of lines, because that must not affect the hash. */
export function textForComparison(tree: Tree): string {
  return tree
    .text()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/**
 * Hashes each line of a file, together with the tags of the sections around it. Comments, quotes
 * and spaces do not affect the hash. If `isWanted` returns false for the hash of a section, the
 * lines in the section are left out. `replacedNames`: names of modules in `<IfModule>` tags, by the
 * names that are hashed instead.
 */
export function hashedLines(
  tree: Tree,
  isWanted: (hash: string) => boolean = () => true,
  replacedNames: ReadonlyMap<string, string> = NO_REPLACED_NAMES,
): HashedLine[] {
  const foundLines: HashedLine[] = [];
  const walk = (list: List, base: number, textAbove: string): void =>
    forEachItem(list, base, (item, offset) => {
      const lineOrTag = item instanceof Section ? item.open : item;
      if (lineOrTag.kind !== LineKind.Directive && !(item instanceof Section)) return;
      const words = argumentsOf(lineOrTag).map(({ value }) =>
        item.name === 'ifmodule' ? (replacedNames.get(value) ?? value) : value,
      );
      const textWithTags = `${textAbove}\n${[item.name, ...words].join(' ')}`;
      const hash = hashText(textWithTags);
      foundLines.push({ hash, offset, isSection: item instanceof Section });
      if (item instanceof Section && isWanted(hash)) walk(item.body, offset + item.open.length, textWithTags);
    });
  walk(tree.root, 0, '');
  return foundLines;
}

/** Maximum length of the text of a stock file, in UTF-16 units. */
const MAX_STOCK_FILE_LENGTH = 200_000;
/**
 * If a file has less than this part of a stock file's lines, it was not made from the stock file.
 */
const MIN_SHARED_PART = 1 / 3;
/**
 * Directives whose lines the fixes change or remove. Their lines do not count as shared lines, so a
 * fixed file is still recognized.
 */
const DIRECTIVES_CHANGED_BY_FIXES: ReadonlySet<string> = new Set(
  'order allow deny satisfy <limit <limitexcept include maxclients maxrequestsperchild lockfile sslmutex defaulttype namevirtualhost loadmodule loglevel'.split(
    ' ',
  ),
);

const NO_REPLACED_NAMES: ReadonlyMap<string, string> = new Map();
/** The names of modules of 2.2 in `<IfModule>`, by the names that fixes write instead. */
const NAMES_BEFORE_FIXES: ReadonlyMap<string, string> = new Map(
  [...REPLACEMENT_BY_MODULE].flatMap(([before, now]) => [
    [`mod_${now}.c`, `mod_${before}.c`],
    [`${now}_module`, `${before}_module`],
  ]),
);

const differenceCache = cacheOf<Tree, Map<string, StockDifference | null>>();

/**
 * The differences between a file and the stock file with the same path. `path`: below the directory
 * of the distribution, such as `conf.d/security`. Null if no stock file has this path, or if the
 * file was not made from a stock file.
 */
export function stockDifference(tree: Tree, path: string, distribution: Distribution): StockDifference | null {
  const differencesByPath = differenceCache.get(tree) ?? new Map<string, StockDifference | null>();
  differenceCache.set(tree, differencesByPath);
  const stockKey = `${distribution} ${path}`;
  if (!differencesByPath.has(stockKey))
    differencesByPath.set(stockKey, computeStockDifference(tree, path, distribution));
  return differencesByPath.get(stockKey)!;
}

/** The paths of stock files of a distribution, below its directory. */
export function stockPaths(distribution: Distribution): ReadonlySet<string> {
  return new Set(stockFiles().flatMap((file) => (file.distribution === distribution ? [file.path] : [])));
}

// ---------------------------------------------------------------------------------------------------------------------

/** As `stockDifference`, without the cache. */
function computeStockDifference(tree: Tree, path: string, distribution: Distribution): StockDifference | null {
  const filesWithPath = stockFiles().filter((file) => file.path === path && file.distribution === distribution);
  if (filesWithPath.length === 0 || tree.length > MAX_STOCK_FILE_LENGTH) return null;
  const hashesAsWritten = new Set(hashedLines(tree).map(({ hash }) => hash));
  const candidates = comparableFiles(filesWithPath, hashesAsWritten);
  if (candidates.length === 0) return null;
  // A file of 2.2 is compared as it was before the fixes of this program.
  const replacedNames = candidates.some(({ isFor24 }) => isFor24) ? NO_REPLACED_NAMES : NAMES_BEFORE_FIXES;
  const hashes = new Set(hashedLines(tree, undefined, replacedNames).map(({ hash }) => hash));
  const sharedLineCount = ({ directiveByHash }: StockFile) =>
    [...directiveByHash.keys()].filter((hash) => hashes.has(hash)).length;
  const textHash = hashText(textForComparison(tree));
  const isMissing = ([hash, name]: readonly [string, string]) =>
    !hashes.has(hash) && !DIRECTIVES_CHANGED_BY_FIXES.has(name.toLowerCase());
  const differingLineCount = (file: StockFile) =>
    file.textHashes.includes(textHash)
      ? -1
      : hashes.size - sharedLineCount(file) + [...file.directiveByHash].filter(isMissing).length;
  const mostSimilarFile = candidates.reduce((a, b) => (differingLineCount(b) < differingLineCount(a) ? b : a));
  const linesAsInstalled = [...mostSimilarFile.directiveByHash].filter(
    ([, name]) => !DIRECTIVES_CHANGED_BY_FIXES.has(name.toLowerCase()),
  );
  if (linesAsInstalled.filter(([hash]) => hashes.has(hash)).length < linesAsInstalled.length * MIN_SHARED_PART)
    return null;
  const addedLines = hashedLines(tree, (hash) => mostSimilarFile.directiveByHash.has(hash), replacedNames).filter(
    ({ hash }) => !mostSimilarFile.directiveByHash.has(hash),
  );
  const removedNames = [...mostSimilarFile.directiveByHash].flatMap(([hash, name]) => (hashes.has(hash) ? [] : [name]));
  const indexOfSameText = mostSimilarFile.textHashes.indexOf(textHash);
  return {
    release: mostSimilarFile.releases[Math.max(indexOfSameText, 0)]!,
    isFor24: mostSimilarFile.isFor24,
    addedOffsets: addedLines.map(({ offset }) => offset),
    removedDirectives: [...new Set(removedNames)],
    hasSameText: indexOfSameText >= 0,
  };
}

/**
 * The stock files that a file with these lines may come from. Only those of 2.4, if the file has at
 * least half of the lines that one of them has, and that no stock file of 2.2 has. A fixed file of
 * 2.2 has fewer of these lines.
 */
function comparableFiles(files: readonly StockFile[], hashes: ReadonlySet<string>): readonly StockFile[] {
  const linesOf22 = new Set(
    files.flatMap(({ isFor24, directiveByHash }) => (isFor24 ? [] : [...directiveByHash.keys()])),
  );
  const isFrom24 = ({ isFor24, directiveByHash }: StockFile): boolean => {
    const linesOf24 = isFor24 ? [...directiveByHash.keys()].filter((hash) => !linesOf22.has(hash)) : [];
    return linesOf24.length > 0 && linesOf24.filter((hash) => hashes.has(hash)).length >= linesOf24.length / 2;
  };
  const isFileFor24 = files.some(isFrom24);
  return files.filter(({ isFor24 }) => isFor24 === isFileFor24);
}
