/**
 * Writes the files of `fix --write` and `format --write`. All files of one run are one change.
 * Fixes that also need a file that cannot be written are left out.
 */
import path from 'node:path';
import { globPattern, hasWildcard } from '../config/files';
import { encode } from '../host/decode';
import {
  changesOn,
  digest,
  realPaths,
  type Change,
  type ChangeOptions,
  type Changes,
  type Refusal,
} from '../host/change';
import type { InputFile } from './files';
import { amount, type Terminal } from './terminal';
import { recover, tellProblems } from './undo';

export interface FixedFile {
  readonly file: InputFile;
  readonly before: string;
  readonly after: string;
}

export interface WriteOptions<F extends FixedFile> {
  readonly changes: Changes;
  readonly terminal: Terminal;
  /** Files and directories that may be written to, with links resolved. */
  readonly writablePaths: readonly string[];
  readonly mayHold: (directory: string) => boolean;
  readonly basis?: ChangeOptions['basis'];
  /**
   * Records files that cannot be written. Returns whether other files must now be fixed
   * differently.
   */
  readonly refuse: (problems: readonly Refusal[]) => boolean;
  /**
   * Fixes a file again, without those fixes that must also change a file which cannot be written.
   */
  readonly again: (fixed: F) => F;
}

/** Writes the files of a command. */
export interface Writer {
  /**
   * Decides where temporary directories may be created. It must get every file that is read
   * (`add`).
   */
  readonly reach: TemporaryPlaces;
  /**
   * Allows writing to these paths. Their links are resolved now, before anything is read: if a link
   * replaces one of them later, it is not followed.
   */
  admit(paths: readonly string[]): Promise<void>;
  /** Records a file that stays as it is. The fixes of other files depend on its text. */
  keep(file: Pick<FixedFile, 'file' | 'before'>): void;
  /** Writes the files. `further`: paths that may be written in addition to the given ones. */
  write<F extends FixedFile>(
    files: readonly F[],
    options: Pick<WriteOptions<F>, 'refuse' | 'again'> & { readonly further: readonly string[] },
  ): Promise<readonly F[]>;
}

/**
 * Makes the writer. Null if an interrupted run can neither be completed nor taken back. Then no
 * file may be read, because it may still change.
 */
export async function writerOf(terminal: Terminal): Promise<Writer | null> {
  const changes = changesOn();
  if (!(await recover(changes, terminal))) return null;
  const reach = new TemporaryPlaces();
  const given: string[] = [];
  const basis = new Map<string, string>();
  return {
    reach,
    admit: async (paths) => void given.push(...(await realPaths(paths))),
    keep: ({ file, before }) => {
      const bytes = encode(before, file.encoding);
      if (bytes) basis.set(file.path, digest(bytes));
    },
    write: async (files, { further, ...options }) =>
      writeTogether(files, {
        changes,
        terminal,
        mayHold: (directory) => reach.mayHold(directory),
        basis,
        writablePaths: [...given, ...(await realPaths(further))],
        ...options,
      }),
  };
}

/**
 * Writes all files, except those that cannot be written and those that must change together with
 * them. Returns the files that were written.
 */
export async function writeTogether<F extends FixedFile>(
  fixed: readonly F[],
  options: WriteOptions<F>,
): Promise<readonly F[]> {
  const { changes, terminal, writablePaths, mayHold, basis } = options;
  let files = fixed;
  for (;;) {
    const problems = [
      ...files.flatMap(problemOfEncoding),
      ...(await changes.preflight(files.flatMap(changeOf), { within: writablePaths })),
    ];
    if (problems.length === 0) break;
    tellProblems(problems, terminal, '; not written');
    const refused = new Set(problems.map((problem) => problem.path));
    const rest = files.filter(({ file }) => !refused.has(file.path));
    files = options.refuse(problems) ? rest.map(options.again).filter(({ before, after }) => before !== after) : rest;
    const waiting = rest.length - files.length;
    if (waiting > 0)
      terminal.note(
        `${amount(waiting, 'file')} that would have to change together with ${refused.size === 1 ? 'it' : 'them'}: not written`,
      );
  }
  if (files.length === 0) return [];
  const outcome = await changes.write(files.flatMap(changeOf), { within: writablePaths, mayHold, basis });
  if ('id' in outcome) return files;
  tellProblems(outcome.problems, terminal, files.length === 1 ? '; not written' : '; nothing is written');
  return [];
}

/**
 * Decides where a temporary directory may be created, if a file system has no other place: only
 * where no Include of these files finds it, judged by names alone (ignoring ServerRoot and
 * variables). Beside files only if there is a main file: otherwise the whole directory may be
 * included.
 */
export class TemporaryPlaces {
  private readonly names: { test(name: string): boolean }[] = [];
  private readonly mainFiles: string[] = [];
  private readonly folders = new Set<string>();

  add({ path: file }: InputFile, text: string, isMain: boolean): void {
    const full = path.resolve(file);
    this.folders.add(path.dirname(full));
    if (isMain) this.mainFiles.push(full);
    for (const [, rest = ''] of text.matchAll(INCLUDE)) {
      const last =
        rest
          .trim()
          .replace(/^["']|["']$/g, '')
          .split('/')
          .findLast((part) => part !== '') ?? '';
      if (/[$%\\]/.test(last)) this.names.push(/^/);
      else if (hasWildcard(last)) this.names.push(globPattern(last));
      else this.names.push(new RegExp(`^${last.replace(/[^\w]/g, '\\$&')}$`));
    }
  }

  mayHold(directory: string): boolean {
    if (this.folders.has(directory) && !this.mainFiles.some((main) => main.startsWith(`${directory}/`))) return false;
    return directory
      .split('/')
      .filter(Boolean)
      .every((name) => !this.names.some((pattern) => pattern.test(name)));
  }
}

const INCLUDE = /^[ \t]*Include(?:Optional)?[ \t]+(\S.*)$/gim;

// ---------------------------------------------------------------------------------------------------------------------

function problemOfEncoding({ file, after }: FixedFile): Refusal[] {
  return encode(after, file.encoding)
    ? []
    : [{ path: file.path, reason: 'is not UTF-8, and the fix needs a character that its encoding lacks' }];
}

function changeOf({ file, before, after }: FixedFile): Change[] {
  const [old, fresh] = [encode(before, file.encoding), encode(after, file.encoding)];
  return old && fresh ? [{ path: file.path, before: old, after: fresh }] : [];
}
