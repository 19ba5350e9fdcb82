/**
 * The project of given files: the configurations whose main files are among them, the files that
 * these include, and the .htaccess files below the served directories. Files are read through a
 * view; writes nothing.
 */
import type { PlacedFinding } from '../analysis/engine';
import { isHtaccessName } from '../config/configurations';
import { isMainFileTree } from '../config/file-summary';
import type { FileView } from '../config/files';
import type { Tree } from '../syntax/document';
import { isBesideComplete, type Project, type ProjectFile, type SettingsOf } from './project';
import { readProject } from './read-project';

/** A file by its path as given. */
export interface NamedFile {
  readonly path: string;
  readonly tree: Tree;
}

export interface ProjectOfFiles {
  /** The project of the files; `refuse` replaces it. */
  readonly project: Project;
  /** Files of given configurations that no search by name finds, in the order of their names. */
  readonly further: readonly string[];
  /** The path, with symbolic links resolved. */
  identityOf(path: string): string;
  fileOf(file: NamedFile): ProjectFile;
  /** All findings of a file in the order of the text. */
  findings(file: NamedFile): readonly PlacedFinding[];
  /** The main files of the configurations that read a file; '' if there are none. */
  rootsOf(path: string): readonly string[];
  /**
   * Whether no server reads a file, because it lies next to a complete configuration that does not
   * include it.
   */
  isUnread(path: string): boolean;
  /**
   * Records files that cannot be written, with reasons as texts after their names. Returns whether
   * the project has changed: a change that needs one of them is dropped as a whole.
   */
  refuse(problems: readonly { readonly path: string; readonly reason: string }[]): boolean;
}

export interface ProjectOfFilesOptions {
  readonly view: FileView;
  readonly namedFiles: GivenFiles;
  readonly settings: SettingsOf;
  /** Whether suggestions are applied, including a wider AllowOverride. */
  readonly unsafe?: boolean;
  /** Files that the user excludes: they are read but not changed. */
  readonly isExcluded?: (file: string) => boolean;
  /** Makes a given path absolute. */
  readonly absolute: (file: string) => string;
}

/** The given files. Their paths have symbolic links resolved unless noted. */
export interface GivenFiles {
  /**
   * Files that may be the main file of a configuration, because of their names or because they were
   * given by themselves.
   */
  readonly candidates: readonly string[];
  /** All files that were given or found, with symbolic links resolved. */
  readonly all: readonly string[];
  /** Files that may be links to others. */
  readonly others: readonly string[];
  /** Whether the file was given by itself. */
  isFile(file: string): boolean;
  /** Whether the file was given, or is below a given folder. */
  holds(file: string): boolean;
  /** Whether the file is checked independently of configurations. */
  finds(file: string): boolean;
  /**
   * The given directory that contains the file, with symbolic links resolved; null if the file was
   * given by itself.
   */
  folderOf(file: string): string | null;
  /** The path below the given directory, as given. */
  named(file: string): string;
}

export function projectOfFiles({
  view,
  namedFiles,
  settings,
  unsafe,
  isExcluded = () => false,
  absolute,
}: ProjectOfFilesOptions): ProjectOfFiles {
  const refused = new Map<string, string>();
  const hasNeighbours = new Set([...namedFiles.all, ...namedFiles.others]).size > 1;
  let project = readProject({
    view,
    settings,
    roots: rootsAmong(namedFiles, view),
    givenFolder: (file) => (namedFiles.isFile(file) ? null : namedFiles.folderOf(file)),
    others: namedFiles.others,
    standaloneFiles: hasNeighbours ? namedFiles.all : [],
    mayWidenOverride: unsafe,
    // If a directory was given, only files in it are changed.
    obstacle: (file, root) =>
      refused.get(file) ??
      (isExcluded(file) ? 'is left out of this run' : null) ??
      (namedFiles.isFile(root) || namedFiles.holds(file) ? null : 'lies outside of what was given'),
    mayChange: (file) => !refused.has(file) && !isExcluded(file) && (namedFiles.holds(file) || mayChange.has(file)),
  });
  const identities = new Map<string, string>();
  const identityOf = (file: string) => {
    let identity = identities.get(file);
    if (identity === undefined) identities.set(file, (identity = view.identity(absolute(file))));
    return identity;
  };
  // Files that a main file reads are checked whatever their names: anywhere if the main file was
  // given by itself, otherwise below the given directory.
  const reached = [
    ...project.access.configurations,
    ...project.models.map(({ root, files }) => ({ root, files: [...files.keys()] })),
  ].flatMap(({ root, files }) =>
    files.filter((file) => !namedFiles.finds(file) && (namedFiles.isFile(root) || namedFiles.holds(file))),
  );
  const further = [...new Set(reached)].map(namedFiles.named);
  const mayChange = new Set(further.map(identityOf));
  /** The last file: a run needs it several times in a row. */
  let last: { readonly project: Project; readonly path: string; readonly file: ProjectFile } | null = null;
  const fileOf = ({ path, tree }: NamedFile): ProjectFile => {
    if (last?.project === project && last.path === path && last.file.tree === tree) return last.file;
    const identity = identityOf(path);
    // Settings are searched from the folder as given.
    const engine = settings.engineOf(path);
    const file = { path: identity, tree, info: { ...project.infoOf(identity, tree), hasNeighbours }, engine };
    last = { project, path, file };
    return file;
  };
  const rootsOf = (path: string) => project.rootsOf(identityOf(path));
  return {
    get project() {
      return project;
    },
    further,
    identityOf,
    fileOf,
    findings: (file) => project.findings(fileOf(file)),
    rootsOf,
    isUnread(path) {
      const identity = identityOf(path);
      if (isHtaccessName(identity) || rootsOf(path)[0] !== '') return false;
      const { answered } = settings.engineOf(path);
      return isBesideComplete(identity, view.read(identity), { models: project.models, answered });
    },
    refuse(problems) {
      const countOf = (each: Project) =>
        [each.access.changes, each.changes(false), each.changes(true)].map(({ length }) => length).join();
      const before = project;
      for (const { path, reason } of problems) refused.set(identityOf(path), reason);
      project = project.again();
      return countOf(before) !== countOf(project);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function rootsAmong(namedFiles: GivenFiles, view: FileView): string[] {
  return namedFiles.candidates.filter((file) => {
    const tree = view.read(file);
    return tree !== null && isMainFileTree(tree.root);
  });
}
