/**
 * Facts about stock files: hashes of the lines of the configuration files that distributions
 * install with httpd 2.2, and of Debian's main file for 2.4. Each release has its source
 * (server/scripts/generate-stock-files.mjs writes these facts). Pure.
 */
import { lazy } from '../syntax/memory';

/** A configuration file as a distribution installs it. */
export interface StockFile {
  readonly path: string;
  /** `debian` or `rhel`. */
  readonly distribution: string;
  /** Whether the file is from packages of 2.4; otherwise it is from packages of 2.2. */
  readonly isFor24: boolean;
  readonly releases: readonly string[];
  /** Hashes of the whole text in these releases. */
  readonly texts: readonly string[];
  /** For the hash of each line, the name of its directive. */
  readonly lines: ReadonlyMap<string, string>;
}

/** The form of the generated data file. */
interface PackedStockFiles {
  readonly releases: readonly {
    readonly title: string;
    readonly distribution: string;
    readonly isFor24?: true;
    readonly source: string;
  }[];
  readonly names: readonly string[];
  readonly files: readonly {
    readonly path: string;
    /** The indexes in `releases` of the releases that have the file. */
    readonly in: readonly number[];
    /** Hashes of the whole text in these releases. */
    readonly texts: readonly string[];
    /**
     * For each line of the file its hash, and two letters for the index of its directive in
     * `names`.
     */
    readonly lines: string;
  }[];
}

/** The length of the hash of a line in characters. */
export const HASH_LENGTH = 5;
const ROW_LENGTH = HASH_LENGTH + 2;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A number below 64 ** `length`, as a text of `length` letters. */
export function encodedNumber(value: number, length: number): string {
  let letters = '';
  for (let i = 0; i < length; i++) {
    letters = DIGITS[value % 64]! + letters;
    value = Math.floor(value / 64);
  }
  return letters;
}

/** The configuration files that distributions install, unpacked when first needed. */
export const stockFiles = lazy((): readonly StockFile[] => {
  const { releases, names, files } = require('./data/stock-files.json') as PackedStockFiles;
  return files.map(({ path, in: releaseIndexes, texts, lines }) => {
    const packedLines = lines.match(new RegExp(`.{${ROW_LENGTH}}`, 'g')) ?? [];
    const nameIndexIn = (row: string) => DIGITS.indexOf(row[HASH_LENGTH]!) * 64 + DIGITS.indexOf(row[HASH_LENGTH + 1]!);
    return {
      path,
      distribution: releases[releaseIndexes[0]!]!.distribution,
      isFor24: releases[releaseIndexes[0]!]!.isFor24 === true,
      releases: releaseIndexes.map((releaseIndex) => releases[releaseIndex]!.title),
      texts,
      lines: new Map(packedLines.map((row) => [row.slice(0, HASH_LENGTH), names[nameIndexIn(row)]!])),
    };
  });
});
