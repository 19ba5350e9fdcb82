/**
 * Computes the result of `fix --write` for one file of an editor. A change may need several edits,
 * in one file or in several; it is made only if all of its files can be changed.
 */
import type { FileInfo } from '../analysis/engine';
import { applyEdits, fixText } from '../analysis/fixes';
import { isMainFileTree } from '../config/file-summary';
import type { FileView } from '../config/files';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import type { SettingsByFile } from './project';
import { readProject } from './read-project';

/** The file to fix, and what is known about the files around it. */
export interface FixFileOptions {
  /** The path, with symbolic links resolved. */
  readonly file: string;
  readonly tree: Tree;
  readonly view: FileView;
  readonly settings: SettingsByFile;
  /** Returns whether another file can be changed together with this one. */
  readonly mayChange: (file: string) => boolean;
  /** Facts that other files show about this one. */
  readonly fileFacts?: Pick<FileInfo, 'isOfConfiguration' | 'hasNeighbours' | 'htaccessContexts' | 'asksForOldModule'>;
}

/** The result of `fix --write` for one file. */
export interface FixedFile {
  /** The text after all fixes. */
  readonly text: string;
  /**
   * The edits in this file that belong to changes of the whole configuration. `text` also contains
   * the fixes of single lines, which are made after these edits.
   */
  readonly edits: readonly Edit[];
  /** The edits that must be made in other files at the same time, by path. */
  readonly editsInOtherFiles: ReadonlyMap<string, readonly Edit[]>;
}

/**
 * Applies all safe fixes to a file: those of single lines, and those of the configuration with this
 * main file.
 */
export function fixedFile({
  file,
  tree,
  view,
  settings,
  mayChange: mayChangePath,
  fileFacts = {},
}: FixFileOptions): FixedFile {
  const mayChange = (otherPath: string) => otherPath === file || mayChangePath(otherPath);
  const whyUnchanged = (otherPath: string) => (mayChange(otherPath) ? null : 'This file cannot be changed.');
  const project = readProject({
    view,
    settings,
    roots: isMainFileTree(tree.root, file) ? [file] : [],
    whyUnchanged,
  });
  const editsByPath = new Map<string, readonly Edit[]>();
  const addEdits = (change: ReadonlyMap<string, readonly Edit[]>) => {
    for (const [path, fileEdits] of change) editsByPath.set(path, [...(editsByPath.get(path) ?? []), ...fileEdits]);
  };
  for (const { safety, edits: change } of project.accessConversion.changes) {
    if (safety !== 'safe' || !change.has(file)) continue;
    if ([...change.keys()].every(mayChange)) addEdits(change);
  }
  for (const change of project.editsOfConfigurationFixes(false)) if (change.has(file)) addEdits(change);
  const { [file]: editsInFile = [], ...editsElsewhere } = Object.fromEntries(editsByPath);
  const convertedText = editsInFile.length > 0 ? applyEdits(tree.text(), editsInFile) : tree.text();
  const fileInfo = project.infoOf(file, tree);
  const { text } = fixText(settings.engineOf(file), convertedText, {
    ...fileInfo,
    isOfConfiguration: fileInfo.isOfConfiguration || fileFacts.isOfConfiguration,
    hasNeighbours: fileFacts.hasNeighbours,
    ...(fileFacts.asksForOldModule && { asksForOldModule: true }),
    htaccessContexts: fileFacts.htaccessContexts ?? fileInfo.htaccessContexts,
  });
  return { text, edits: editsInFile, editsInOtherFiles: new Map(Object.entries(editsElsewhere)) };
}
