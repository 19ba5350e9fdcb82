/** The files of a configuration as they are on the disk now, for the memory of what a real httpd has accepted. */
import { configView } from '../config/config-view';
import { readModel } from '../config/read-model';
import { checkedFiles } from '../features/checked-files';
import type { CheckedFiles } from '../host/host';
import { nodeFiles } from '../host/node-files';
import type { Projects } from './project';

/** `root`: the main file, by its path without links. Null if a file cannot be read. */
export function checkedNow(root: string, project: Projects): CheckedFiles | null {
  const view = nodeFiles();
  const server = project.serverOf(root);
  const model = readModel({ root, view: configView(view), target: project.engineOf(root).target, server });
  return model && checkedFiles(model, (path) => view.read(path), server);
}
