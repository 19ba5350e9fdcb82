/**
 * Makes the project of the files that a user names: the configurations whose main files are among
 * them, the files that these include, and the .htaccess files below the served directories. Reads
 * files through a view, and writes nothing.
 */
import type { PlacedFinding } from '../analysis/engine';
import { isHtaccessName } from '../config/configurations';
import { isCertainMainFileTree, isMainFileTree } from '../config/file-summary';
import { makeChangeTest } from '../config/changeable-folders';
import type { FileView } from '../config/files';
import type { Tree } from '../syntax/document';
import { htaccessFilesAround } from './htaccess-around';
import { isUnreadNeighbour, type Project, type ProjectFile, type SettingsByFile } from './project';
import { readProject, type ReadProject } from './read-project';

/** A file; its path is the one that the user gave. */
export interface NamedFile {
  readonly path: string;
  readonly tree: Tree;
}

/** The project of the files that the user named on the command line. */
export interface ProjectOfFiles {
  /** The current project of the files. `markUnwritable` replaces it. */
  readonly project: Project;
  /**
   * Files whose names are not those of configuration files. They are checked because a
   * configuration reads them.
   */
  readonly furtherFiles: readonly string[];
  /** Those of `furtherFiles` that a command may change. */
  readonly changeableFiles: readonly string[];
  /**
   * Files that a configuration in a named directory reads, and that are outside of this directory.
   * They are not checked. Files that the user excludes are not in this list.
   */
  readonly outsideFiles: readonly string[];
  /** The path of a file with symbolic links resolved. */
  realPathOf(path: string): string;
  /** The file with what rules need to know about it. */
  projectFileOf(file: NamedFile): ProjectFile;
  /** All findings of a file in the order of the text. */
  findings(file: NamedFile): readonly PlacedFinding[];
  /** The main files of the configurations that read a file; '' if none does. */
  rootsOf(path: string): readonly string[];
  /**
   * Whether no server reads a file, because it is next to a complete configuration that does not
   * include it.
   */
  isUnread(path: string): boolean;
  /**
   * Marks files as not writable. `reason`: words that follow the name of the file in a message. A
   * change that needs one of these files is left out completely. Returns whether the number of
   * changes is another one then.
   */
  markUnwritable(problems: readonly { readonly path: string; readonly reason: string }[]): boolean;
}

/** The named files and the settings for them. */
export interface ProjectOfFilesOptions {
  readonly view: FileView;
  /** The files that the user named. */
  readonly namedFiles: GivenFiles;
  readonly settings: SettingsByFile;
  /** Whether to apply also suggestions, including a wider AllowOverride. */
  readonly unsafe?: boolean;
  /** Returns whether the user excludes a file: it is read but not changed. */
  readonly isExcluded?: (file: string) => boolean;
  /** Returns the absolute form of a path that the user gave. */
  readonly absolutePath: (file: string) => string;
  /** Directories that contain more than one server or program, such as the user's home. */
  readonly sharedFolders?: ReadonlySet<string>;
}

/** The files that the user named. Paths have symbolic links resolved unless noted. */
export interface GivenFiles {
  /**
   * Files that may be the main file of a configuration: they have a name of main files, or the user
   * named the file itself.
   */
  readonly mainFileCandidates: readonly string[];
  /** All files that the user named or that were found in directories. */
  readonly allFiles: readonly string[];
  /** Files that may be links to other files. */
  readonly possibleLinks: readonly string[];
  /** Whether the user named the file itself, not only a directory that contains it. */
  isNamedFile(file: string): boolean;
  /** Whether the user named the file, or a directory above it. */
  isNamedOrBelow(file: string): boolean;
  /** Whether a file is a copy of a main file beside it, with the same bytes. */
  isCopy?(file: string): boolean;
  /** Whether this is the path of a stream, such as standard input, that the user named. */
  isStream?(file: string): boolean;
  /** Whether the file is checked even if no configuration reads it. */
  isChecked(file: string): boolean;
  /** The named directory that contains the file; null if the user named the file itself. */
  folderOf(file: string): string | null;
  /** The path of the file, beginning with the directory as the user named it. */
  pathAsNamed(file: string): string;
}

/** Makes the project of the files that the user named. */
export function projectOfFiles(options: ProjectOfFilesOptions): ProjectOfFiles {
  const { view, namedFiles, settings, unsafe, isExcluded = () => false, absolutePath } = options;
  const refusalByFile = new Map<string, string>();
  /** For each main file, the function that tests whether a file may change with it. */
  const changeTests = new Map<string, (file: string) => boolean>();
  const isFileChangeable = (mainFile: string, file: string): boolean => {
    if (namedFiles.isNamedOrBelow(file)) return true;
    let isChangeableWith = changeTests.get(mainFile);
    if (!isChangeableWith) changeTests.set(mainFile, (isChangeableWith = changeTestFor(mainFile, options)));
    return isChangeableWith(file);
  };
  const htaccessAround = htaccessFilesAround(namedFiles.allFiles, view, view.realPath(absolutePath('.')));
  // All files in a directory that the user named are among `allFiles`.
  const hasUnsearchedFolders =
    htaccessAround.isIncomplete &&
    namedFiles.allFiles.some((file) => isHtaccessName(file) && namedFiles.isNamedFile(file));
  const hasNeighbours =
    hasUnsearchedFolders ||
    new Set([...namedFiles.allFiles, ...namedFiles.possibleLinks, ...htaccessAround.files]).size > 1;
  const readProjectWithRoots = (roots: readonly string[]): ReadProject =>
    readProject({
      view,
      settings,
      roots,
      givenFolder: (file) => (namedFiles.isNamedFile(file) ? null : namedFiles.folderOf(file)),
      possibleLinks: namedFiles.possibleLinks,
      standaloneFiles: hasNeighbours ? [...namedFiles.allFiles, ...htaccessAround.files] : [],
      hasUnsearchedFolders,
      mayWidenOverride: unsafe,
      whyUnchangeable: (file, root) =>
        refusalByFile.get(file) ??
        (isExcluded(file) ? 'is left out of this run' : null) ??
        (isFileChangeable(root, file) ? null : OUTSIDE_TEXT),
      whyUnchanged(file) {
        const isChangeable =
          namedFiles.isNamedOrBelow(file) || changeableFiles.has(file) || namedFiles.isStream?.(file) === true;
        const reason = refusalByFile.get(file) ?? (isExcluded(file) ? 'is left out of this run' : null);
        if (reason !== null) return `No fix changes this file: ${file} ${reason}.`;
        return isChangeable
          ? null
          : `No fix changes this file: ${file} ${OUTSIDE_TEXT}. To change it, add this path to the command.`;
      },
    });
  const mainFiles = mainFilesAmong(namedFiles, view);
  let project = readProjectWithRoots(mainFiles);
  const furtherMainFiles = furtherMainFilesAmong(namedFiles, project);
  if (furtherMainFiles.length > 0) project = readProjectWithRoots([...mainFiles, ...furtherMainFiles]);
  const realPathByPath = new Map<string, string>();
  const realPathOf = (file: string) => {
    let realPath = realPathByPath.get(file);
    if (realPath === undefined) realPathByPath.set(file, (realPath = view.realPath(absolutePath(file))));
    return realPath;
  };
  // Files that a main file reads are checked, whatever their names are: all of them if the user
  // named the main file itself, otherwise those below the named directory.
  const filesOfMainFiles = [
    ...project.accessConversion.configurations.filter(({ isStandalone }) => !isStandalone),
    ...project.configurationModels.map(({ mainFile, files }) => ({ mainFile, files: [...files.keys()] })),
  ].flatMap(({ mainFile, files }) =>
    files
      .filter((file) => !namedFiles.isChecked(file))
      .map((file) => ({
        file,
        isReached: namedFiles.isNamedFile(mainFile) || namedFiles.isNamedOrBelow(file),
        isChangeable: isFileChangeable(mainFile, file),
      })),
  );
  const reachedPaths = filesOfMainFiles.flatMap(({ file, isReached }) => (isReached ? [file] : []));
  const outsidePaths = new Set(filesOfMainFiles.flatMap(({ file, isReached }) => (isReached ? [] : [file])));
  const furtherFiles = [...new Set(reachedPaths)].map(namedFiles.pathAsNamed);
  const reachedFiles = new Set(furtherFiles.map(realPathOf));
  const changeableFiles = new Set(filesOfMainFiles.flatMap(({ file, isChangeable }) => (isChangeable ? [file] : [])));
  /** The last result, with its project: a run asks for the same file several times in a row. */
  let lastFile: { readonly project: Project; readonly path: string; readonly file: ProjectFile } | null = null;
  const projectFileOf = ({ path, tree }: NamedFile): ProjectFile => {
    if (lastFile?.project === project && lastFile.path === path && lastFile.file.tree === tree) return lastFile.file;
    const realPath = realPathOf(path);
    // Settings are searched upwards from the path as the user gave it.
    const engine = settings.engineOf(path);
    const file = { path: realPath, tree, info: { ...project.infoOf(realPath, tree), hasNeighbours }, engine };
    lastFile = { project, path, file };
    return file;
  };
  const rootsOf = (path: string) => project.rootsOf(realPathOf(path));
  return {
    get project() {
      return project;
    },
    furtherFiles,
    changeableFiles: furtherFiles.filter((file) => changeableFiles.has(realPathOf(file))),
    outsideFiles: [...outsidePaths]
      .filter((file) => !reachedFiles.has(file) && !isExcluded(file))
      .map(namedFiles.pathAsNamed),
    realPathOf,
    projectFileOf,
    findings: (file) => project.findings(projectFileOf(file)),
    rootsOf,
    isUnread(path) {
      const realPath = realPathOf(path);
      if (isHtaccessName(realPath) || rootsOf(path)[0] !== '') return false;
      const { answerSet } = settings.engineOf(path);
      return isUnreadNeighbour(realPath, view.read(realPath), {
        configurationModels: project.configurationModels,
        answerSet,
      });
    },
    markUnwritable(problems) {
      const joinedChangeCounts = (each: Project) =>
        [each.accessConversion.changes, each.editsOfConfigurationFixes(false), each.editsOfConfigurationFixes(true)]
          .map(({ length }) => length)
          .join();
      const projectBefore = project;
      for (const { path, reason } of problems) refusalByFile.set(realPathOf(path), reason);
      project = project.rebuildProject();
      return joinedChangeCounts(projectBefore) !== joinedChangeCounts(project);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Words after the name of a file: why it is not changed if it lies outside of the files and
 * directories that the user named.
 */
const OUTSIDE_TEXT = 'lies outside of what was given';

/**
 * Returns a function that tests whether a command may change a file that `mainFile` includes and
 * that the user did not name. If the user named a directory, only files in it are changed.
 */
function changeTestFor(
  mainFile: string,
  { view, namedFiles, settings, sharedFolders }: ProjectOfFilesOptions,
): (file: string) => boolean {
  const tree = namedFiles.isNamedFile(mainFile) ? view.read(mainFile) : null;
  if (tree === null) return () => false;
  const { serverRoot, pathMap } = settings.serverOf(mainFile);
  return makeChangeTest(tree.root, {
    ...{ root: mainFile, serverRoot, pathMap, sharedFolders },
    realPath: (file) => view.realPath(file),
    kind: (file) => view.kind(file),
  });
}

/**
 * The files with the lines of a main file that have another name, and that no configuration reads:
 * a server can start with each of them. A copy of a main file is left out.
 */
function furtherMainFilesAmong(namedFiles: GivenFiles, project: Project): string[] {
  return namedFiles.possibleLinks.filter((file) => {
    const isRead = project.configurationModels.some(({ files }) => files.has(file));
    if (isRead || !namedFiles.isChecked(file) || namedFiles.isCopy?.(file) === true) return false;
    const tree = project.view.read(file);
    return tree !== null && isCertainMainFileTree(tree.root);
  });
}

function mainFilesAmong(namedFiles: GivenFiles, view: FileView): string[] {
  return namedFiles.mainFileCandidates.filter((file) => {
    const tree = view.read(file);
    return tree !== null && isMainFileTree(tree.root, file);
  });
}
