/** The whole configuration of files in memory, as `check` gathers it. */
import type { FileView } from '../../server/src/config/files';
import { wholeConfigurations } from '../../server/src/features/whole-configurations';

type Given = Parameters<typeof wholeConfigurations>[0];

/** `main`: the main file; `all`: the files that were found. */
export function wholeOf(view: FileView, projects: Given['projects'], main: string, all: readonly string[] = [main]) {
  const isMain = (file: string) => file === main;
  return wholeConfigurations({
    view,
    given: {
      candidates: [main],
      all,
      others: [],
      isFile: isMain,
      holds: () => true,
      finds: () => true,
      folderOf: () => null,
      named: (file) => file,
    },
    projects,
    absolute: (file) => file,
    shown: (file) => file,
  });
}
