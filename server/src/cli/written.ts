/** `fix --write` and `format --write`: all that a run writes is one change; what needs a file that cannot be written is left out of it. */
import path from 'node:path';
import { globPattern, hasWildcard } from '../config/files';
import { encode } from '../host/decode';
import { changesOn, realPaths, type Change, type Changes, type Refusal } from '../host/change';
import type { InputFile } from './files';
import { amount, type Terminal } from './terminal';
import { recover, tellProblems } from './undo';

export interface FixedFile {
  readonly file: InputFile;
  readonly before: string;
  readonly after: string;
}

export interface Together<F extends FixedFile> {
  readonly changes: Changes;
  readonly terminal: Terminal;
  /** Files and directories that may be written to, without links. */
  readonly within: readonly string[];
  readonly mayHold: (directory: string) => boolean;
  /** Takes note of files that cannot be written. Says whether others are to be fixed in another way now. */
  readonly refuse: (problems: readonly Refusal[]) => boolean;
  /** What is made of a file after that. */
  readonly again: (fixed: F) => F;
}

/** What writes the files of a command. */
export interface Writer {
  /** What it is told of every file that is read, for where it may put its own. */
  readonly reach: Reach;
  /** Settles where the given paths lead, before anything is read: a link that takes the place of one of them later is not followed. */
  admit(paths: readonly string[]): Promise<void>;
  /** `further`: what may be written beside the paths that were given. */
  write<F extends FixedFile>(
    files: readonly F[],
    options: Pick<Together<F>, 'refuse' | 'again'> & { readonly further: readonly string[] },
  ): Promise<readonly F[]>;
}

/** null where an interrupted run has left what cannot be settled: then nothing is read that is about to change. */
export async function writerOf(terminal: Terminal): Promise<Writer | null> {
  const changes = changesOn();
  if (!(await recover(changes, terminal))) return null;
  const reach = new Reach();
  const given: string[] = [];
  return {
    reach,
    admit: async (paths) => void given.push(...(await realPaths(paths))),
    write: async (files, { further, ...options }) =>
      writeTogether(files, {
        changes,
        terminal,
        mayHold: (directory) => reach.mayHold(directory),
        within: [...given, ...(await realPaths(further))],
        ...options,
      }),
  };
}

/** Writes all of them, but for those that cannot be written and what has to change together with these. Returns what is written. */
export async function writeTogether<F extends FixedFile>(
  fixed: readonly F[],
  options: Together<F>,
): Promise<readonly F[]> {
  const { changes, terminal, within, mayHold } = options;
  let files = fixed;
  for (;;) {
    const problems = [
      ...files.flatMap(problemOfEncoding),
      ...(await changes.preflight(files.flatMap(changeOf), { within })),
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
  const outcome = await changes.write(files.flatMap(changeOf), { within, mayHold });
  if ('id' in outcome) return files;
  tellProblems(outcome.problems, terminal, files.length === 1 ? '; not written' : '; nothing is written');
  return [];
}

/**
 * Where a directory may be made for a moment, if a file system has no other place: where no Include of these files reaches, going by names alone (which server root
 * and which variables count is not asked). Beside files only where there is a main file: a directory that has it cannot be included as a whole.
 */
export class Reach {
  private readonly names: { test(name: string): boolean }[] = [];
  private readonly mains: string[] = [];
  private readonly folders = new Set<string>();

  add({ path: file }: InputFile, text: string, isMain: boolean): void {
    const full = path.resolve(file);
    this.folders.add(path.dirname(full));
    if (isMain) this.mains.push(full);
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
    if (this.folders.has(directory) && !this.mains.some((main) => main.startsWith(`${directory}/`))) return false;
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
