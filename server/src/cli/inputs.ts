import type { IsExcluded } from './exclude';
import type { InputFile } from './files';
import type { ProjectOfPaths } from './project-of-paths';

/** The input of a run. */
export interface Inputs {
  /** Files and directories, with patterns expanded; without standard input and FIFOs. */
  readonly paths: readonly string[];
  /** Those of `paths` that the server does not read. */
  readonly unreadPaths: readonly string[];
  /** The given PHP files, which are not in `paths`. */
  readonly phpPaths: readonly string[];
  readonly streams: readonly InputFile[];
  readonly isExcluded: IsExcluded;
  /** All input files, including those that the configurations among them read. */
  files(
    read: Pick<ProjectOfPaths, 'further' | 'knownFiles'> & Partial<Pick<ProjectOfPaths, 'snapshot'>>,
  ): AsyncGenerator<InputFile>;
}
