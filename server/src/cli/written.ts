/**
 * Writes the files of `fix --write` and `format --write`. All files of one run are one change.
 * Fixes that also need a file that cannot be written are left out.
 */
import path from 'node:path';
import { globPattern, hasWildcard } from '../config/files';
import { encode } from '../host/decode';
import {
  changeFunctions,
  digest,
  realPaths,
  type Change,
  type ChangeOptions,
  type ChangeFunctions,
  type Refusal,
} from '../host/change';
import type { InputFile } from './files';
import { countWithNoun, type Terminal } from './terminal';
import { recover, reportRefusals } from './undo';

/** A file with its text before and after a command. */
export interface FixedFile {
  readonly file: InputFile;
  readonly before: string;
  readonly after: string;
}

/** Which files may be written, and what to do if one cannot be written. */
export interface WriteOptions<F extends FixedFile> {
  readonly changes: ChangeFunctions;
  readonly terminal: Terminal;
  /** Files and directories that may be written to, with links resolved. */
  readonly writablePaths: readonly string[];
  /** Returns whether a temporary directory may be created in a directory (`TemporaryPlaces`). */
  readonly mayHoldTemporary: (directory: string) => boolean;
  /** The digests of files that are read but not written: see `Writer.recordUnchanged`. */
  readonly expectedDigests?: ChangeOptions['expectedDigests'];
  /** Why a file that the configuration names must not be written; null if it may be written. */
  readonly whyNotWritten?: (file: string) => string | null;
  /**
   * Records files that cannot be written. Returns whether the other files must be fixed differently
   * because of them.
   */
  readonly recordRefusals: (problems: readonly Refusal[]) => boolean;
  /** Fixes a file again, without the fixes that also need a file that cannot be written. */
  readonly fixWithoutRefused: (fixedFile: F) => F;
}

/** Writes the files of a command. */
export interface Writer {
  /**
   * Decides where temporary directories may be created. Every file that is read must be added to
   * this object.
   */
  readonly temporaryPlaces: TemporaryPlaces;
  /**
   * Allows writing to these paths. Links in them are resolved now, before anything is read, so that
   * a link which replaces a file later is not followed.
   */
  allowPaths(paths: readonly string[]): Promise<void>;
  /**
   * Records the text of a file that is not written but on which the fixes of other files depend. If
   * this text changes before the other files are written, nothing is written.
   */
  recordUnchanged(file: Pick<FixedFile, 'file' | 'before'>): void;
  /**
   * Writes the files. `furtherTargets`: files that may be written in addition to the paths of
   * `allowPaths`. Their links were resolved when the files were read, so that a link which replaces
   * a directory later is not followed.
   */
  write<F extends FixedFile>(
    files: readonly F[],
    options: Pick<WriteOptions<F>, 'recordRefusals' | 'fixWithoutRefused' | 'whyNotWritten'> & {
      readonly furtherTargets: readonly string[];
    },
  ): Promise<readonly F[]>;
}

/**
 * Makes the writer. Null if an interrupted run can neither be completed nor taken back; the caller
 * must then read no file, because the files may still change.
 */
export async function openWriter(terminal: Terminal): Promise<Writer | null> {
  const changes = changeFunctions();
  if (!(await recover(changes, terminal))) return null;
  const temporaryPlaces = new TemporaryPlaces();
  const writablePaths: string[] = [];
  const expectedDigests = new Map<string, string>();
  return {
    temporaryPlaces,
    allowPaths: async (paths) => void writablePaths.push(...(await realPaths(paths))),
    recordUnchanged: ({ file, before }) => {
      const bytes = encode(before, file.encoding);
      if (bytes) expectedDigests.set(file.path, digest(bytes));
    },
    write: async (files, { furtherTargets, ...options }) =>
      writeTogether(files, {
        changes,
        terminal,
        mayHoldTemporary: (directory) => temporaryPlaces.mayHoldTemporary(directory),
        expectedDigests,
        writablePaths: [...writablePaths, ...furtherTargets],
        ...options,
      }),
  };
}

/**
 * Writes all files, except those that cannot be written and those that must change together with
 * them. Returns the files that were written.
 */
export async function writeTogether<F extends FixedFile>(
  fixedFiles: readonly F[],
  options: WriteOptions<F>,
): Promise<readonly F[]> {
  const { changes, terminal, writablePaths, mayHoldTemporary, expectedDigests } = options;
  for (let files = fixedFiles; files.length > 0; ) {
    const changesToWrite = files.flatMap(changesOf);
    const refusals = [
      ...files.flatMap(encodingProblems),
      ...files.flatMap(({ file: { path } }) => {
        const reason = options.whyNotWritten?.(path) ?? null;
        return reason === null ? [] : [{ path, reason }];
      }),
    ];
    // `preflight` is not called before `write`, which makes the same checks.
    const outcome =
      refusals.length === 0
        ? await changes.write(changesToWrite, { writablePaths, mayHoldTemporary, expectedDigests })
        : { problems: [] };
    if ('id' in outcome) return files;
    const problems = [
      ...refusals,
      ...(outcome.refused ?? (await changes.preflight(changesToWrite, { writablePaths }))),
    ];
    if (problems.length === 0) {
      reportRefusals(outcome.problems, terminal, files.length === 1 ? '; not written' : '; nothing is written');
      break;
    }
    reportRefusals(problems, terminal, '; not written');
    const refusedPaths = new Set(problems.map((problem) => problem.path));
    const writableFiles = files.filter(({ file }) => !refusedPaths.has(file.path));
    files = options.recordRefusals(problems)
      ? writableFiles.map(options.fixWithoutRefused).filter(({ before, after }) => before !== after)
      : writableFiles;
    const waitingCount = writableFiles.length - files.length;
    if (waitingCount > 0)
      terminal.note(
        `${countWithNoun(waitingCount, 'file')} that would have to change together with ${refusedPaths.size === 1 ? 'it' : 'them'}: not written`,
      );
  }
  return [];
}

/**
 * Decides in which directories a temporary directory may be created, if the file system has no
 * other place. It may be created only where no Include of these files would find it, judged by
 * names alone (ServerRoot and variables are ignored). It may be beside the files only if one of
 * them is a main file; otherwise another configuration may include the whole directory.
 */
export class TemporaryPlaces {
  private readonly includedNamePatterns: { test(name: string): boolean }[] = [];
  private readonly mainFiles: string[] = [];
  private readonly folders = new Set<string>();

  /** Adds a file that is read. `isMain`: whether it is a main file. */
  addFile({ path: file }: InputFile, text: string, isMain: boolean): void {
    const fullPath = path.resolve(file);
    this.folders.add(path.dirname(fullPath));
    if (isMain) this.mainFiles.push(fullPath);
    for (const [, includedPath = ''] of text.matchAll(INCLUDE_LINE)) {
      const lastPathPart =
        includedPath
          .trim()
          .replace(/^["']|["']$/g, '')
          .split('/')
          .findLast((part) => part !== '') ?? '';
      if (/[$%\\]/.test(lastPathPart)) this.includedNamePatterns.push(/^/);
      else if (hasWildcard(lastPathPart)) this.includedNamePatterns.push(globPattern(lastPathPart));
      else this.includedNamePatterns.push(new RegExp(`^${lastPathPart.replace(/[^\w]/g, '\\$&')}$`));
    }
  }

  /** Whether a temporary directory may be created in a directory. */
  mayHoldTemporary(directory: string): boolean {
    if (this.folders.has(directory) && !this.mainFiles.some((main) => main.startsWith(`${directory}/`))) return false;
    return directory
      .split('/')
      .filter(Boolean)
      .every((name) => !this.includedNamePatterns.some((pattern) => pattern.test(name)));
  }
}

/** Matches an Include line. Group 1: its path. */
const INCLUDE_LINE = /^[ \t]*Include(?:Optional)?[ \t]+(\S.*)$/gim;

// ---------------------------------------------------------------------------------------------------------------------

/** Why a file cannot be written in its encoding; empty if it can. */
function encodingProblems({ file, after }: FixedFile): Refusal[] {
  return encode(after, file.encoding)
    ? []
    : [{ path: file.path, reason: 'is not UTF-8, and the fix needs a character that its encoding lacks' }];
}

/** The change of a file in bytes; empty if its encoding lacks a character of the new text. */
function changesOf({ file, before, after }: FixedFile): Change[] {
  const [oldBytes, newBytes] = [encode(before, file.encoding), encode(after, file.encoding)];
  return oldBytes && newBytes ? [{ path: file.path, before: oldBytes, after: newBytes }] : [];
}
