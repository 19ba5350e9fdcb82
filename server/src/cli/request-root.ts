/** The main configuration file that a command reads, from a file or a directory. */
import path from 'node:path';
import { isHtaccessName } from '../config/configurations';
import { isMainFilePath } from '../analysis/main-file';
import { isMainFileTree } from '../config/file-summary';
import type { FileView } from '../config/files';
import { isUnusedCopy } from '../directives/recognize';
import { configurationFiles } from '../host/node';
import { mainFileProblem } from './files';
import { shortPath } from './short-path';

/**
 * Finds the main file at a path: the file itself, or the only main file in a directory. Copies in a
 * directory that no server reads do not count (`conf/original/httpd.conf`). Returns the path of the
 * main file with links resolved, or the reason why there is none, as words to put after the path. A
 * .htaccess file is no main file.
 */
export async function mainFileAt(
  givenPath: string,
  view: FileView,
): Promise<{ readonly mainFile: string } | { readonly problem: string }> {
  const realPath = view.realPath(path.resolve(givenPath));
  const kindOfPath = view.kind(realPath);
  // httpd compares the patterns and paths of a .htaccess file with names below its directory, so an
  // answer from this file alone would be wrong.
  if (kindOfPath === 'file') return isHtaccessName(realPath) ? { problem: HTACCESS_PROBLEM } : { mainFile: realPath };
  if (kindOfPath === null) return { problem: mainFileProblem(kindOfPath) };
  const isMainFile = (file: string): boolean => {
    const tree = view.kind(file) === 'file' ? view.read(file) : null;
    return tree !== null && isMainFileTree(tree.root, file);
  };
  const usualMainFile = USUAL_MAIN_FILE_PATHS.map((name) => view.realPath(path.join(realPath, name))).find(isMainFile);
  if (usualMainFile !== undefined) return { mainFile: usualMainFile };
  const mainFiles = new Set<string>();
  const unusedCopies: string[] = [];
  let areAllHtaccess: boolean | null = null;
  for await (const file of configurationFiles(realPath, {})) {
    areAllHtaccess = areAllHtaccess !== false && isHtaccessName(file);
    if (isMainFilePath(file) && isMainFile(view.realPath(file)))
      if (isUnusedCopy(path.relative(realPath, file).split(path.sep).join('/'))) unusedCopies.push(file);
      else mainFiles.add(view.realPath(file));
  }
  const [first, ...others] = mainFiles;
  if (first === undefined)
    return { problem: areAllHtaccess ? HTACCESS_ALONE_PROBLEM : noMainFileProblem(unusedCopies) };
  if (others.length > 0)
    return {
      problem: `has ${mainFiles.size} main configuration files; give one of them: ${firstPathsText([...mainFiles])}`,
    };
  return { mainFile: first };
}

/**
 * Like `mainFileAt`, but does not resolve links in the path of a file, and does not check that the
 * file can be read.
 */
export async function mainFileAsGiven(
  givenPath: string,
  view: FileView,
): Promise<{ readonly mainFile: string } | { readonly problem: string }> {
  const root = path.resolve(givenPath);
  return view.kind(view.realPath(root)) === 'folder' ? mainFileAt(givenPath, view) : { mainFile: root };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Why a .htaccess file is not read alone, as words to put after its path. */
const HTACCESS_PROBLEM =
  'what a .htaccess file does depends on the main configuration file: give that file, such as httpd.conf';

/** Why a directory that has only .htaccess files is not read, as words to put after its path. */
const HTACCESS_ALONE_PROBLEM =
  'has only .htaccess files, and what they do depends on the main configuration file of the server. "httpd-upgrade plan" and "fix" work without that file';

/** Why a directory has no main file. `unusedCopies`: main files in it that no server reads. */
function noMainFileProblem(unusedCopies: readonly string[]): string {
  const noMainFileText = 'has no main configuration file (httpd.conf or apache2.conf)';
  return unusedCopies.length === 0
    ? `${noMainFileText}; give the path of the file that the server reads first`
    : `${noMainFileText}, only copies that no server reads; if a server starts with one, give its path: ${firstPathsText(unusedCopies)}`;
}

function firstPathsText(paths: readonly string[]): string {
  return paths.slice(0, 5).map(shortPath).join(', ');
}

/** Usual places of the main file, so that a large directory need not be searched. */
const USUAL_MAIN_FILE_PATHS = [
  'httpd.conf',
  'apache2.conf',
  'conf/httpd.conf',
  'conf/apache2.conf',
  'etc/httpd/conf/httpd.conf',
  'etc/apache2/apache2.conf',
  'etc/apache2/httpd.conf',
  'httpd/conf/httpd.conf',
  'apache2/apache2.conf',
];
