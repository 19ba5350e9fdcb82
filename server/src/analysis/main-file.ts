/** Decides whether a file is the main file of a server, by its name and the files around it. */
import type { Configuration } from '../config/configuration';
import { isMainFileName, isMainFileTree } from '../config/file-summary';
import { parentFolders, globPattern, localPathOf, parentOf, type FileView } from '../config/files';
import { namesIn } from '../config/name-set';
import type { Tree } from '../syntax/document';
import { argumentsOf, Line, LineKind } from '../syntax/line';
import { forEachItem, type List } from '../syntax/tree';

/** Whether a path is one to which packages install a main file. */
export function isMainFilePath(path: string): boolean {
  return /(^|\/)(httpd|apache2?)\.conf$/.test(path);
}

/** A file near a main file that the configuration of the main file does not include. */
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

/** Limit of levels of directories that are searched. */
const MAX_DEPTH = 2;
const MAX_FILES = 300;

/**
 * Finds files near a main file that may include it, or that look like main files themselves. Then
 * it is unknown with which file the server starts. The search covers the directory of the file, and
 * the directories above and below. For a file in a directory `conf`, or directly below the
 * ServerRoot, it also covers the directories next to that one.
 */
export function nearbyMainFiles(root: string, configuration: Configuration, view: FileView): NearbyFile[] {
  const found: NearbyFile[] = [];
  let files = 0;
  const seen = new Set<string>();
  const look = (directory: string, depth: number): void => {
    if (seen.has(directory)) return;
    seen.add(directory);
    for (const name of [...(view.list(directory) ?? [])].sort()) {
      const path = directory === '/' ? `/${name}` : `${directory}/${name}`;
      if (CONFIGURATION_EXTENSION.test(name)) {
        const identity = view.identity(path);
        // In a copy of a server, a link may lead to a file outside of the copy, which is not
        // available.
        const isAway =
          configuration.pathMap.copyFolders !== undefined && view.kind(path) === null && view.link?.(path) != null;
        if (isAway && isMainFileName(path))
          found.push({ path, mayIncludeMainFile: false, isInSiblingDirectory: isApart });
        if (configuration.files.has(identity) || view.kind(path) !== 'file' || ++files > MAX_FILES) continue;
        const tree = view.read(path);
        if (tree) consider(identity, tree);
      } else if (depth > 0 && mayContainMainFile(name) && view.kind(path) === 'folder') look(path, depth - 1);
    }
  };
  let isApart = false;
  const consider = (path: string, tree: Tree): void => {
    const names = namesIn(tree.root);
    if ((names.hasName('include') || names.hasName('includeoptional')) && mayInclude(tree.root, root))
      found.push({ path, mayIncludeMainFile: true, isInSiblingDirectory: isApart });
    else if (isMainFileTree(tree.root, path) && (names.hasName('listen') || names.hasName('port')))
      found.push({ path, mayIncludeMainFile: false, isInSiblingDirectory: isApart });
  };
  const directory = parentOf(root);
  look(directory, MAX_DEPTH);
  if (directory === '/') return found;
  const around = parentOf(directory);
  const isOfServer =
    /\/conf$/.test(directory) || around === localPathOf(configuration.serverRoot, configuration.pathMap);
  look(around, 0);
  isApart = true;
  if (isOfServer && around !== '/')
    for (const name of view.list(around) ?? [])
      if (mayContainMainFile(name) && view.kind(`${around}/${name}`) === 'folder') look(`${around}/${name}`, 0);
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------

const CONFIGURATION_EXTENSION = /\.(conf|cfg|cf|inc)$/i;

/**
 * Names of folders whose files no server uses, such as `original`, into which `make install` puts
 * copies.
 */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['original', 'node_modules']);

function mayContainMainFile(name: string): boolean {
  return !SKIPPED_FOLDERS.has(name) && !name.includes('.');
}

function mayInclude(list: List, root: string): boolean {
  let may = false;
  forEachItem(list, 0, (item) => {
    if (item instanceof Line)
      may ||=
        item.kind === LineKind.Directive &&
        /^include(optional)?$/.test(item.name) &&
        mayIncludePath(argumentsOf(item)[0]?.value ?? '', root);
    else may ||= mayInclude(item.body, root);
  });
  return may;
}

/**
 * Whether an Include of this path may read `path` or a directory around it. Paths of the server may
 * have another beginning on this machine.
 */
function mayIncludePath(what: string, path: string): boolean {
  const all = what.split('/').filter((part) => part !== '' && part !== '.');
  // Only the end of an absolute path is compared, because its beginning may differ on another
  // machine.
  const wanted = what.startsWith('/') ? all.slice(-2) : all;
  if (wanted.length === 0) return false;
  for (const at of [path, ...parentFolders(path).slice(1).reverse()]) {
    const parts = at.split('/').filter(Boolean);
    const isOne = wanted.every((part, index) => {
      const other = parts[parts.length - wanted.length + index];
      return part.includes('${') || part === '..' || (other !== undefined && globPattern(part).test(other));
    });
    if (isOne) return true;
  }
  return false;
}
