/** The files of a configuration as summaries, from which a `Model` is read. */
import { isForeignText } from './foreign';
import { summarizeLazily, type FileSummary } from './file-summary';
import { includedFiles, type FileView } from './files';

/** Files by absolute paths with forward slashes. */
export interface ConfigView {
  /** The summary of a file; null if it cannot be read. */
  fileSummary(path: string): FileSummary | null;
  kind(path: string): 'file' | 'folder' | null;
  /** Names in a folder; null if it is no folder or cannot be read. */
  list(path: string): readonly string[] | null;
  /** The path, with symbolic links resolved. */
  realPath(path: string): string;
  /** The target of a symbolic link. Null and undefined as in `FileView.link`. */
  link?(path: string): string | null;
  /** The files that an Include of this path reads; see includedFiles. */
  included(path: string): readonly string[];
  /**
   * Whether a file is no text, or its first line is no directive (`isForeignText`). False until the
   * file is read.
   */
  isForeign(path: string): boolean;
  /**
   * The text of a file that is no configuration, but has the options with which the server is
   * started. Null if it cannot be read. Undefined if the view has no such files.
   */
  content?(path: string): string | null;
}

/** Makes the view of summaries for a view of files. */
export function configView(files: FileView): ConfigView {
  return {
    fileSummary(path) {
      const tree = files.read(path);
      return tree && summarizeLazily(tree.root);
    },
    kind: (path) => files.kind(path),
    list: (path) => files.list(path),
    realPath: (path) => files.realPath(path),
    link: (path) => files.link?.(path) ?? null,
    included: (path) => includedFiles(path, files),
    isForeign(path) {
      const tree = files.read(path);
      return tree === null ? files.kind(path) === 'file' : isForeignText(tree.root);
    },
    content: (path) => files.read(path)?.text() ?? null,
  };
}
