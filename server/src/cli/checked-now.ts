/**
 * Reads the files of a configuration again, to find out whether they are still the files that a
 * real httpd has accepted.
 */
import { configView } from '../config/config-view';
import { readModel } from '../config/read-model';
import { checkedFiles } from '../features/checked-files';
import type { CheckedFiles } from '../host/host';
import { diskFileView } from '../host/node-files';
import type { SettingsByFile } from '../features/project';

/**
 * Returns the current contents of the configuration, and the options of httpd. `mainFile`: its path
 * with links resolved. Null if a file cannot be read.
 */
export function readCheckedFiles(mainFile: string, settings: SettingsByFile): CheckedFiles | null {
  const view = diskFileView();
  const server = settings.serverOf(mainFile);
  const model = readModel({ mainFile, view: configView(view), target: settings.engineOf(mainFile).target, server });
  return model && checkedFiles(model, (path) => view.read(path), server);
}
