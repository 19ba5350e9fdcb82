/** The project of files in memory, as `check` reads it. */
import type { FileView } from '../../server/src/config/files';
import { projectOfFiles } from '../../server/src/features/project-of-files';

type Given = Parameters<typeof projectOfFiles>[0];

/** `main`: the main file; `all`: the files that were found. */
export function projectOf(view: FileView, settings: Given['settings'], main: string, all: readonly string[] = [main]) {
  const isMain = (file: string) => file === main;
  return projectOfFiles({
    view,
    namedFiles: {
      mainFileCandidates: [main],
      allFiles: all,
      possibleLinks: [],
      isNamedFile: isMain,
      isNamedOrBelow: () => true,
      isChecked: () => true,
      folderOf: () => null,
      pathAsNamed: (file) => file,
    },
    settings,
    absolutePath: (file) => file,
  });
}
