/**
 * Which lines of a distribution's package the user has changed, and which files of the package of
 * 2.2 the user leaves out, because the package of 2.4 has its own. Does no I/O.
 */
import type { Tree } from '../syntax/document';
import { directive } from '../directives';
import { argumentsOf, type Line } from '../syntax/line';
import type { Distribution } from './distribution';
import { isThirdPartyModule, moduleNamed } from './modules';
import { namesIn } from './name-set';
import { stockDifference, stockPaths, type StockDifference } from './stock-files';

/** The path of a package's file that `file` ends with. Null if there is none. */
export function stockPath(file: string, paths: ReadonlySet<string>): string | null {
  const pathParts = file.replace(/\/(mods|sites)-enabled\/(?:\d+-)?([^/]+)$/, '/$1-available/$2').split('/');
  for (const length of [2, 1]) {
    const pathEnd = pathParts.slice(-length).join('/');
    if (paths.has(pathEnd)) return pathEnd;
  }
  return null;
}

/** How a file differs from the most similar stock file, without what fixes change. */
export interface ChangesOfUser {
  readonly addedLines: readonly { readonly line: Line; readonly offset: number }[];
  /** The names of the directives in the removed lines. */
  readonly removedNames: readonly string[];
}

/**
 * Old names of directives, by the new names that fixes write instead. If the package's line with
 * the old name is missing, a line with the new name is not counted as the user's.
 */
const OLD_NAMES_BY_NEW_NAME: ReadonlyMap<string, readonly string[]> = new Map([
  ['require', ['order', 'allow', 'deny', 'satisfy', '<limit', '<limitexcept']],
  ['includeoptional', ['include']],
  ['maxrequestworkers', ['maxclients']],
  ['maxconnectionsperchild', ['maxrequestsperchild']],
  ['mutex', ['lockfile', 'sslmutex']],
]);
/** Directives that 2.4 knows, but that fixes remove. */
const DIRECTIVES_REMOVED_BY_FIXES: ReadonlySet<string> = new Set([
  'defaulttype',
  'namevirtualhost',
  'order',
  'allow',
  'deny',
  'satisfy',
]);

/**
 * The directories and files that the packages of 2.4 read: their own main files have the Include
 * lines. The httpd.conf beside Debian's main file belongs to the step `debian-layout`.
 */
const PATH_READ_BY_PACKAGE =
  /(?:^|\/)(?:(?:conf\.modules\.d|conf\.d|(?:mods|sites|conf)-enabled)(?:\/|$)|(?:ports|httpd)\.conf$)/;

/** Whether 2.4 does not have a directive of 2.2. Then a fix removes or replaces its lines. */
function isGoneIn24(name: string): boolean {
  const directiveFacts = directive(name);
  return directiveFacts !== undefined && directiveFacts['2.2'] !== undefined && directiveFacts['2.4'] === undefined;
}

/** The lines that the user changed, without changes that fixes of this program make. */
export function changesOfUser(tree: Tree, { addedOffsets, removedDirectives }: StockDifference): ChangesOfUser {
  const lowerCaseNames = new Set(removedDirectives.map((name) => name.toLowerCase()));
  const addedLines = addedOffsets.map((offset) => ({ line: tree.lineAt(offset)!.line, offset }));
  const isLineOfFix = ({ line }: { line: Line }) => {
    const [word = ''] = argumentsOf(line).map(({ value }) => value);
    if (line.name === 'loadmodule' || (line.name === 'ifmodule' && word.startsWith('!'))) {
      const module = moduleNamed(word.replace(/^!/, ''));
      return module !== null && !isThirdPartyModule(module);
    }
    if (line.name === 'include' || line.name === 'includeoptional') return PATH_READ_BY_PACKAGE.test(word);
    if (argumentsOf(line).some(({ value }) => value.startsWith('/usr/share/httpd/'))) return true;
    return OLD_NAMES_BY_NEW_NAME.get(line.name)?.some((name) => lowerCaseNames.has(name)) === true;
  };
  const linesOfUser = addedLines.filter((each) => !isLineOfFix(each));
  const changedNames = new Set(addedLines.map(({ line }) => line.name));
  const isNameChangedByFix = (name: string) =>
    DIRECTIVES_REMOVED_BY_FIXES.has(name) ||
    isGoneIn24(name) ||
    name === 'loadmodule' ||
    [...OLD_NAMES_BY_NEW_NAME].some(([now, before]) => before.includes(name) && changedNames.has(now));
  return {
    addedLines: linesOfUser,
    removedNames: removedDirectives.filter((name) => {
      const lowerCaseName = name.toLowerCase();
      return (
        !isNameChangedByFix(lowerCaseName) &&
        !changedNames.has(lowerCaseName) &&
        !namesIn(tree.root).hasName(lowerCaseName)
      );
    }),
  };
}

/** Whether the user has changed nothing in a file, apart from changes that fixes make. */
export function isUnchanged({ addedLines, removedNames }: ChangesOfUser): boolean {
  return addedLines.length + removedNames.length === 0;
}

/**
 * Whether the user leaves an unchanged file of the package of 2.2 out. `packagePath`: its path
 * below the directory of the distribution. `takesNewMainFile`: whether the user takes the main file
 * of 2.4.
 */
export function isReplacedBy24(packagePath: string, distribution: Distribution, takesNewMainFile: boolean): boolean {
  // Without its site, a link in sites-enabled leads nowhere, and 2.4 does not start.
  if (packagePath.startsWith('sites-')) return false;
  // A main file that the user keeps still reads Debian's conf.d, which 2.4 no longer comes with.
  return takesNewMainFile || distribution !== 'debian' || !packagePath.startsWith('conf.d/');
}

/**
 * The paths of the files that a user of Debian leaves out: unchanged files of the package of 2.2.
 * `mainFile`: the path of the main file.
 */
export function stockFilesToLeaveOut(
  files: Iterable<{ readonly path: string; readonly tree: Tree }>,
  mainFile: string,
): ReadonlySet<string> {
  const packagePaths = stockPaths('debian');
  const packagePathByFile = new Map<string, string>();
  for (const { path, tree } of files) {
    const packagePath = stockPath(path, packagePaths);
    const difference = packagePath === null ? null : stockDifference(tree, packagePath, 'debian');
    if (packagePath !== null && difference !== null && isUnchanged(changesOfUser(tree, difference)))
      packagePathByFile.set(path, packagePath);
  }
  const takesNewMainFile = packagePathByFile.has(mainFile);
  const filesToLeave = [...packagePathByFile].filter(
    ([path, packagePath]) => path === mainFile || isReplacedBy24(packagePath, 'debian', takesNewMainFile),
  );
  return new Set(filesToLeave.map(([path]) => path));
}
