import type { IsExcluded } from './exclude';
import type { InputFile } from './files';
import type { WholeConfigurations } from './whole';

/** What a run looks at. */
export interface Inputs {
  /** Files and directories, patterns expanded; without standard input and FIFOs. */
  readonly paths: readonly string[];
  readonly streams: readonly InputFile[];
  readonly isExcluded: IsExcluded;
  /** All of it, with what the configurations among them read. */
  files(
    whole: Pick<WholeConfigurations, 'further' | 'known'> & Partial<Pick<WholeConfigurations, 'sights'>>,
  ): AsyncGenerator<InputFile>;
}
