/** What is found in a file, with what its configuration says about it. */
import type { FileInfo, PlacedFinding } from '../analysis/engine';
import { together } from '../features/configuration-wide';
import type { InputFile } from './files';
import type { Projects } from './project';
import type { WholeConfigurations } from './whole';

export function fileInfo(file: InputFile, whole: WholeConfigurations): FileInfo {
  return whole.infoOf(file.path, file.tree);
}

/** In the order of the text. */
export function* findingsIn(project: Projects, file: InputFile, whole: WholeConfigurations): Iterable<PlacedFinding> {
  const own = project.engineOf(file.path).analyze(file.tree, fileInfo(file, whole)).inOrder();
  for (const finding of together(file.tree, own, whole.findings(file.path))) yield whole.informed(file.path, file.tree, finding);
}
