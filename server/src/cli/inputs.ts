import type { IsExcluded } from './exclude';
import type { InputFile } from './files';
import type { ProjectOfPaths } from './project-of-paths';

/** The files that a command reads. */
export interface Inputs {
  /** Files and directories, with patterns expanded. Standard input and FIFOs are in `streams`. */
  readonly paths: readonly string[];
  /** The files in `paths` that the server does not read. */
  readonly unreadPaths: readonly string[];
  /** The given PHP files, which are not in `paths`. */
  readonly phpPaths: readonly string[];
  readonly streams: readonly InputFile[];
  readonly isExcluded: IsExcluded;
  /**
   * Yields the files of `paths` and `streams`, and then the files that configurations among them
   * include. `read`: the project that was read from them, which lists the included files and has
   * the contents.
   */
  files(
    read: Pick<ProjectOfPaths, 'furtherFiles' | 'findFileAlreadyRead'> & Partial<Pick<ProjectOfPaths, 'snapshot'>>,
  ): AsyncGenerator<InputFile>;
}
