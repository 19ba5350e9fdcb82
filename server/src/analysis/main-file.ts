/** Finds out whether a file is the main file of a server, by its name and the files around it. */
import type { Configuration } from '../config/configuration';
import { isMainFileName, isMainFileTree } from '../config/file-summary';
import { parentFolders, globPattern, localPathOf, parentOf, type FileView } from '../config/files';
import { namesIn } from '../config/name-set';
import { isCopyName } from '../directives/recognize';
import type { Tree } from '../syntax/document';
import { argumentsOf, Line, LineKind } from '../syntax/line';
import { forEachItem, type List } from '../syntax/tree';

/** Whether a path is one to which packages install a main file. */
export function isMainFilePath(path: string): boolean {
  return /(^|\/)(httpd|apache2?)\.conf$/.test(path);
}

/** A file near a main file. The configuration of the main file does not include it. */
export interface NearbyFile {
  /** The path of the file. */
  readonly path: string;
  /**
   * Whether the nearby file may include the main file. If not, it looks like a main file itself.
   */
  readonly mayIncludeMainFile: boolean;
  /**
   * Whether the file is in a directory next to that of the main file. Then both files may be main
   * files of separate servers.
   */
  readonly isInSiblingDirectory: boolean;
}

/** How many levels of directories are searched, and how many files are read, at most. */
const MAX_SEARCHED_LEVELS = 2;
const MAX_READ_FILES = 300;

/**
 * Finds files near a main file that may include it, or that look like main files themselves. If
 * there is such a file, it is unknown with which file the server starts. The search covers the
 * directory of the main file, two levels of directories below, and the directory above. It also
 * covers the directories next to that of the main file, if that directory is `conf` or directly
 * below the ServerRoot.
 */
export function nearbyMainFiles(root: string, configuration: Configuration, view: FileView): NearbyFile[] {
  const nearbyFiles: NearbyFile[] = [];
  let readFileCount = 0;
  const seenDirectories = new Set<string>();
  const searchDirectory = (directory: string, depth: number): void => {
    if (seenDirectories.has(directory)) return;
    seenDirectories.add(directory);
    for (const name of [...(view.list(directory) ?? [])].sort()) {
      const childPath = directory === '/' ? `/${name}` : `${directory}/${name}`;
      if (hasNameOfConfiguration(name)) {
        const realPath = view.realPath(childPath);
        // In a copy of a server, a link may lead to a file that was not copied.
        const isLinkOutOfCopy =
          configuration.pathMap.copyFolders !== undefined &&
          view.kind(childPath) === null &&
          view.link?.(childPath) != null;
        if (isLinkOutOfCopy && isMainFileName(childPath))
          nearbyFiles.push({ path: childPath, mayIncludeMainFile: false, isInSiblingDirectory: searchesSiblings });
        if (configuration.files.has(realPath) || view.kind(childPath) !== 'file' || ++readFileCount > MAX_READ_FILES)
          continue;
        const tree = view.read(childPath);
        if (tree) addIfMainFile(realPath, tree);
      } else if (depth > 0 && mayContainMainFile(name) && view.kind(childPath) === 'folder')
        searchDirectory(childPath, depth - 1);
    }
  };
  let searchesSiblings = false;
  const addIfMainFile = (path: string, tree: Tree): void => {
    const namesInFile = namesIn(tree.root);
    if ((namesInFile.hasName('include') || namesInFile.hasName('includeoptional')) && mayInclude(tree.root, root))
      nearbyFiles.push({ path, mayIncludeMainFile: true, isInSiblingDirectory: searchesSiblings });
    else if (isMainFileTree(tree.root, path) && (namesInFile.hasName('listen') || namesInFile.hasName('port')))
      nearbyFiles.push({ path, mayIncludeMainFile: false, isInSiblingDirectory: searchesSiblings });
  };
  const directory = parentOf(root);
  searchDirectory(directory, MAX_SEARCHED_LEVELS);
  if (directory === '/') return nearbyFiles;
  const parentDirectory = parentOf(directory);
  const mayHaveSiblings =
    /\/conf$/.test(directory) || parentDirectory === localPathOf(configuration.serverRoot, configuration.pathMap);
  searchDirectory(parentDirectory, 0);
  searchesSiblings = true;
  if (mayHaveSiblings && parentDirectory !== '/')
    for (const name of view.list(parentDirectory) ?? [])
      if (mayContainMainFile(name) && view.kind(`${parentDirectory}/${name}`) === 'folder')
        searchDirectory(`${parentDirectory}/${name}`, 0);
  return nearbyFiles;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Matches file names that configuration files usually have. */
const CONFIGURATION_EXTENSION = /\.(conf|cfg|cf|inc)$/i;

/**
 * Names of folders whose files no server uses. For example, `make install` puts copies into
 * `original`.
 */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['original', 'node_modules']);

/** Whether a name is that of a configuration, and not that of a copy or an original. */
function hasNameOfConfiguration(name: string): boolean {
  return CONFIGURATION_EXTENSION.test(name) && !isCopyName(name);
}

/** Whether a folder with this name is searched. Names with a dot are skipped, such as `conf.d`. */
function mayContainMainFile(name: string): boolean {
  return !SKIPPED_FOLDERS.has(name) && !name.includes('.');
}

/** Whether a list, or a section in it, has an Include line that may read the file `root`. */
function mayInclude(list: List, root: string): boolean {
  let hasSuchInclude = false;
  forEachItem(list, 0, (item) => {
    if (item instanceof Line)
      hasSuchInclude ||=
        item.kind === LineKind.Directive &&
        /^include(optional)?$/.test(item.name) &&
        mayIncludePath(argumentsOf(item)[0]?.value ?? '', root);
    else hasSuchInclude ||= mayInclude(item.body, root);
  });
  return hasSuchInclude;
}

/** Whether an Include of `includePath` may read `path`, or a directory that contains it. */
function mayIncludePath(includePath: string, path: string): boolean {
  const includeParts = includePath.split('/').filter((part) => part !== '' && part !== '.');
  // The beginning of an absolute path may differ on another machine, so only its end is compared.
  const comparedParts = includePath.startsWith('/') ? includeParts.slice(-2) : includeParts;
  if (comparedParts.length === 0) return false;
  for (const possiblePath of [path, ...parentFolders(path).slice(1).reverse()]) {
    const pathParts = possiblePath.split('/').filter(Boolean);
    const doLastNamesMatch = comparedParts.every((part, index) => {
      const partOfPath = pathParts[pathParts.length - comparedParts.length + index];
      return part.includes('${') || part === '..' || (partOfPath !== undefined && globPattern(part).test(partOfPath));
    });
    if (doLastNamesMatch) return true;
  }
  return false;
}
