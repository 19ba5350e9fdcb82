/** The findings of a file, with what its configuration says about them. */
import type { FileInfo, PlacedFinding } from '../analysis/engine';
import type { Tree } from '../syntax/document';
import { together } from './configuration-wide';
import type { Projects } from './given-configurations';
import type { WholeConfigurations } from './whole-configurations';

/** A file by its path as given. */
export interface LookedAt {
  readonly path: string;
  readonly tree: Tree;
}

export function fileInfo(file: LookedAt, whole: WholeConfigurations): FileInfo {
  return whole.infoOf(file.path, file.tree);
}

/** In the order of the text. */
export function findingsIn(project: Projects, file: LookedAt, whole: WholeConfigurations): Iterable<PlacedFinding> {
  const fileFindings = project.engineOf(file.path).analyze(file.tree, fileInfo(file, whole)).inOrder();
  return together(file.tree, fileFindings, whole.findings(file.path), whole.informing(file.path, file.tree));
}
