/**
 * Finds copies of a main file beside it, such as `apache2-old.conf` with the bytes of
 * `apache2.conf`. The copy does not count as a second server, because its plan would be the same.
 * `fix` gives it the same changes.
 */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { isMainFilePath } from '../analysis/main-file';
import { isUnusedCopy } from '../directives/recognize';
import { readBytesNow } from '../host/read-now';
import type { ChangedFilesOutput } from './changed-files';
import type { InputFile } from './files';
import { shortPath } from './short-path';
import { printable, type Terminal } from './terminal';
import type { FixedFile } from './written';

/**
 * Returns the full path of the main file in the same directory with the same bytes as a file, or
 * null. Null also for a main file with a usual name, for a link, and for a backup: no server reads
 * a backup, and no fix changes it.
 */
export type FindOriginal = (file: string) => string | null;

/** The usual names of main files. */
const USUAL_MAIN_FILE_NAMES = ['apache2.conf', 'httpd.conf', 'apache.conf'];

/** The ends of names that a main file can have. */
const MAIN_FILE_EXTENSION = /\.(conf|cf|cnf|cfg|config|inc)$/i;

/**
 * Makes a `FindOriginal` for many files: it looks up the main files of each directory only once.
 * `isUnused`: whether the settings say that no server uses a file.
 */
export function originalFinder(isUnused: (file: string) => boolean): FindOriginal {
  const sizesByFolder = new Map<string, ReadonlyMap<string, number>>();
  const sizesIn = (folder: string) => {
    const knownSizes = sizesByFolder.get(folder);
    if (knownSizes) return knownSizes;
    const sizeByPath = new Map<string, number>();
    for (const name of USUAL_MAIN_FILE_NAMES) {
      const size = sizeOf(path.join(folder, name));
      if (size !== null && size > 0) sizeByPath.set(path.join(folder, name), size);
    }
    sizesByFolder.set(folder, sizeByPath);
    return sizeByPath;
  };
  return (file) => {
    const fullPath = path.resolve(file);
    const mayBeMainFile = MAIN_FILE_EXTENSION.test(file) && !isUnusedCopy(path.basename(file)) && !isUnused(file);
    if (!mayBeMainFile || isMainFilePath(fullPath)) return null;
    const sizeByPath = sizesIn(path.dirname(fullPath));
    if (sizeByPath.size === 0) return null;
    const size = sizeOf(fullPath);
    const isOriginal = ([mainFile, mainSize]: readonly [string, number]) =>
      mainSize === size && haveSameBytes(mainFile, fullPath);
    return [...sizeByPath].find(isOriginal)?.[0] ?? null;
  };
}

/** A changed file of `fix`. */
type ChangedFile = FixedFile & { readonly file: InputFile };

/** The copies of main files in one run, and the changes that they get. */
export class CopiesOfMainFiles<Result extends ChangedFile> {
  private readonly findOriginal: FindOriginal;

  /**
   * `isUnused`: see `originalFinder`. `terminal`: gets a note about each copy, if `hasNotes`. Null
   * if the user already has the notes.
   */
  constructor(
    isUnused: (file: string) => boolean,
    private readonly terminal: Terminal | null,
    private readonly hasNotes = true,
  ) {
    this.findOriginal = originalFinder(isUnused);
  }

  private readonly originalByCopy = new Map<InputFile, string>();
  private readonly resultByFile = new Map<string, Result>();

  /** Remembers a file if it is a copy, and notes it for the user. Returns whether it is one. */
  addFile(file: InputFile): boolean {
    const original = this.findOriginal(file.path);
    if (original === null) return false;
    this.originalByCopy.set(file, original);
    if (!this.hasNotes) return true;
    this.terminal?.note(
      `${printable(shortPath(file.path))} has the same text as ${printable(shortPath(original))} and counts once: a fix of the directory gives both the same changes`,
    );
    return true;
  }

  /** Remembers the changes of a file, in case it has a copy. */
  addResult(result: Result): void {
    if (result.before !== result.after && isMainFilePath(result.file.path))
      this.resultByFile.set(path.resolve(result.file.path), result);
  }

  /** The results for the copies: for each copy, the changes of its original. */
  results(): Result[] {
    return [...this.originalByCopy].flatMap(([file, original]) => {
      const result = this.resultByFile.get(original);
      return result ? [{ ...result, file }] : [];
    });
  }

  /**
   * Shows the changes of the copies. `writesFiles`: whether the command writes files.
   * `writtenByFile`: the files that were written.
   */
  async showChanges(
    results: readonly Result[],
    output: Pick<ChangedFilesOutput, 'addChange' | 'addWrittenFile'>,
    writesFiles: boolean,
    writtenByFile: ReadonlyMap<InputFile, Result>,
  ): Promise<void> {
    for (const result of results) {
      const writtenResult = writtenByFile.get(result.file);
      if (!writesFiles) await output.addChange(result);
      else if (writtenResult) await output.addWrittenFile(writtenResult, 'the same changes as its main file');
    }
  }

  /** The result for a file, from `resultOf`. A copy gets that of its main file. */
  resultOf(file: InputFile, resultOf: (file: InputFile) => Result): Result {
    const result = this.resultByFile.get(this.originalByCopy.get(file) ?? '');
    return result ? { ...resultOf(result.file), file } : resultOf(file);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** The size of a regular file that is no link; otherwise null. */
function sizeOf(file: string): number | null {
  const status = lstatSync(file, { throwIfNoEntry: false });
  return status?.isFile() && status.nlink === 1 ? status.size : null;
}

function haveSameBytes(one: string, other: string): boolean {
  const [first, second] = [readBytesNow(one), readBytesNow(other)];
  return 'bytes' in first && 'bytes' in second && Buffer.from(first.bytes).equals(second.bytes);
}
