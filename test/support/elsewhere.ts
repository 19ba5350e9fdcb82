/**
 * The names in the other files of a configuration, for tests: texts of files in; the first is the
 * main file.
 */
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';
import { namesInOtherFiles, type NamesInOtherFiles } from '../../server/src/symbols/names-elsewhere';
import { fileNamesOf } from '../../server/src/symbols/names-of-file';
import { NameIndex } from '../../server/src/symbols/name-index';
import { memoryFiles } from '../../server/src/config/memory-files';

/** Of the file that is asked about; files named in `open` are read as an editor has them. */
export function elsewhereOf(
  files: Readonly<Record<string, string>>,
  path: string,
  open: readonly string[] = [],
): NamesInOtherFiles {
  const view = memoryFiles(files);
  const model = readModel({ mainFile: Object.keys(files)[0], view: configView(view) })!;
  const index = new NameIndex();
  for (const file of Object.keys(files)) index.set(file, fileNamesOf(view.read(file)!));
  return namesInOtherFiles({
    index,
    isInConfiguration: (file) => file !== path && model.files.has(file),
    openFiles: new Map(open.map((file) => [file, fileNamesOf(view.read(file)!)])),
  });
}
