/**
 * Finds the user's own lines in the files of Debian's mods-available, and makes a task from them:
 * these lines are lost if the user does not copy that directory. Does no I/O.
 */
import type { Distribution } from '../config/distribution';
import { baseName, parentOf, type FileView } from '../config/files';
import { changesOfUser, stockPath } from '../config/stock-changes';
import { stockDifference, stockPaths } from '../config/stock-files';
import { namesIn } from '../config/name-set';
import { joinedItems } from '../rules/support/edits';
import { isLinkText } from '../rules/unknown-directive';
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';
import { spelledDirective, type StockFile } from './stock-layout';
import type { OnServerItem } from './server-tasks';

/** A file of mods-available or mods-enabled that is not that of the package. */
interface ChangedFile {
  /** The end of the file's path, such as `mods-available/alias.conf`. */
  readonly name: string;
  readonly file: StockFile;
  /** The release of the package with the most similar file; null if none is similar. */
  readonly release: string | null;
  /** The offsets of the lines and sections that are not from the package. */
  readonly offsetsOfUserLines: readonly number[];
  /** Directives of the package's lines that the file does not have. */
  readonly removedNames: readonly string[];
  /** Whether the package apache2 does not have the file. Then all its lines are the user's. */
  readonly isForeign: boolean;
}

/**
 * The task to carry over the user's lines in module files. Empty if there are none, or if the
 * distribution is not Debian. `files`: the files to search. Files outside of mods-available and
 * mods-enabled are ignored.
 */
export function moduleLinesTasks(files: readonly StockFile[], distribution: Distribution | null): OnServerItem[] {
  if (distribution !== 'debian') return [];
  const packagePaths = stockPaths(distribution);
  const changedFiles = files
    .flatMap((file) => changedModuleFile(file, packagePaths) ?? [])
    // The editor and the command line read the files in different orders.
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (changedFiles.length === 0) return [];
  const filesOfPackage = changedFiles.filter(({ isForeign }) => !isForeign);
  const foreignFiles = changedFiles.filter(({ isForeign }) => isForeign);
  const releases = [...new Set(filesOfPackage.flatMap(({ release }) => release ?? []))];
  const isOneForeign = foreignFiles.length === 1;
  return [
    {
      id: 'module-lines',
      title: 'Carry over own module lines',
      what: [
        'The 2.4 package has its own mods-available. Do not copy that directory, but carry over your own lines.',
        filesOfPackage.length > 0 &&
          `These lines differ from the 2.2 package${releases.length === 1 ? ` of ${releases[0]}` : ''}: ${joinedItems(filesOfPackage.map(changesText))}. Add them to the files of these names on the 2.4 server, with the section around them, after the fixes are written.`,
        foreignFiles.length > 0 &&
          `${joinedItems(foreignFiles.map(({ name }) => name))} ${isOneForeign ? 'is' : 'are'} not from this package: carry over what the 2.4 package of ${isOneForeign ? 'its module' : 'the module'} does not have.`,
      ]
        .filter(Boolean)
        .join(' '),
      because: changedFiles.flatMap(({ file, offsetsOfUserLines, isForeign }) =>
        isForeign || offsetsOfUserLines.length === 0
          ? [file.placeOf(0)]
          : offsetsOfUserLines.map((offset) => file.placeOf(offset)),
      ),
    },
  ];
}

/**
 * The files of the enabled modules beside a main file, which the server may read. If the copy does
 * not show which modules are enabled, the files of all modules.
 */
export function moduleFilesBeside(
  root: string,
  view: Pick<FileView, 'list' | 'kind' | 'realPath' | 'read'>,
): { readonly path: string; readonly tree: Tree }[] {
  const filesIn = (directory: string) =>
    (view.list(directory) ?? [])
      .filter((name) => /\.(conf|load)$/.test(name))
      .map((name) => `${directory}/${name}`)
      .filter((path) => view.kind(path) === 'file');
  const enabledFiles = filesIn(`${parentOf(root)}/mods-enabled`);
  const paths = enabledFiles.length > 0 ? enabledFiles : filesIn(`${parentOf(root)}/mods-available`);
  return paths.flatMap((each) => {
    const path = view.realPath(each);
    const tree = view.read(path);
    return tree === null ? [] : [{ path, tree }];
  });
}

/**
 * The names of the module files beside a main file that have access lines of the user. Then access
 * depends on which modules are enabled.
 */
export function filesWithUserAccessLines(root: string, view: Parameters<typeof moduleFilesBeside>[1]): string[] {
  const packagePaths = stockPaths('debian');
  return moduleFilesBeside(root, view).flatMap(({ path, tree }) => {
    if (!namesIn(tree.root).hasSome((name) => ACCESS_LINE_NAMES.test(name))) return [];
    const changedFile = changedModuleFile({ tree, placeOf: () => ({ file: path, line: 0 }) }, packagePaths);
    const mayDecideAccess = (offset: number) => {
      const { kind, name } = tree.lineAt(offset)!.line;
      return kind === LineKind.Open || ACCESS_LINE_NAMES.test(name);
    };
    return changedFile?.isForeign || changedFile?.offsetsOfUserLines.some(mayDecideAccess) ? [baseName(path)] : [];
  });
}

/** Matches the names of lines that decide access, or let .htaccess files decide it. */
const ACCESS_LINE_NAMES = /^(?:order|allow|deny|satisfy|require|auth.*|allowoverride|limit|<limit|<limitexcept)$/;

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The user's changes of a module file. Null if there are none, or if the file is not in
 * mods-available or mods-enabled. `packagePaths`: the paths of all files of the package.
 */
function changedModuleFile(file: StockFile, packagePaths: ReadonlySet<string>): ChangedFile | null {
  const { tree } = file;
  const [, name = '', extension] =
    /(?:^|\/)(mods-(?:available|enabled)\/[^/]+\.(conf|load))$/.exec(file.placeOf(0).file) ?? [];
  if (extension === undefined) return null;
  const itemOffsets = offsetsOfItems(tree.root);
  // The line of a link that is stored as text is not the user's.
  if (itemOffsets.length === 1 && isLinkText(tree.lineAt(itemOffsets[0]!)!.line)) return null;
  const changedFileWith = (
    offsetsOfUserLines: readonly number[],
    otherFields: Partial<ChangedFile> = {},
  ): ChangedFile | null =>
    offsetsOfUserLines.length + (otherFields.removedNames?.length ?? 0) === 0
      ? null
      : { name, file, release: null, offsetsOfUserLines, removedNames: [], isForeign: false, ...otherFields };
  if (extension === 'load') return changedFileWith(itemOffsets.filter((offset) => !loadsModuleOfPackage(tree, offset)));
  const packagePath = stockPath(`/${name}`, packagePaths);
  if (packagePath === null) return changedFileWith(itemOffsets, { isForeign: true });
  const difference = stockDifference(tree, packagePath, 'debian');
  if (difference === null) return changedFileWith(itemOffsets);
  const { addedLines, removedNames } = changesOfUser(tree, difference);
  return changedFileWith(
    addedLines.map(({ offset }) => offset),
    { release: difference.release, removedNames },
  );
}

/** The offsets of the directives and sections at the top level of a list. */
function offsetsOfItems(list: List, base = 0): number[] {
  const offsets: number[] = [];
  forEachItem(list, base, (item, offset) => {
    if (item instanceof Section || item.kind === LineKind.Directive) offsets.push(offset);
  });
  return offsets;
}

/** Whether a line only loads a module or a library that a package installs. */
function loadsModuleOfPackage(tree: Tree, offset: number): boolean {
  const { line } = tree.lineAt(offset)!;
  const [, path = ''] = argumentsOf(line).map(({ value }) => value);
  return line.name === 'loadfile' || (line.name === 'loadmodule' && /^(\/usr\/lib\/|modules\/)/.test(path));
}

/**
 * The name of a file, the numbers of the user's lines (`line 3-5, 8`), and the directives that it
 * lacks.
 */
function changesText({ name, file: { tree }, offsetsOfUserLines, removedNames }: ChangedFile): string {
  const ranges = lineRanges(tree, new Set(offsetsOfUserLines));
  const parts = [
    ranges.length > 0 &&
      `line ${ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(', ')}`,
    removedNames.length > 0 && `without ${removedNames.map(spelledDirective).join(', ')}`,
  ];
  return `${name} (${parts.filter(Boolean).join('; ')})`;
}

/**
 * The first and last line numbers of the user's own lines, from 1. Lines between which there are
 * only comments are one range.
 */
function lineRanges(tree: Tree, offsetsOfUserLines: ReadonlySet<number>): (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  let isAfterUserLine = false;
  const lineNumberAt = (offset: number) => tree.positionAt(offset).line + 1;
  const walk = (list: List, base: number): void =>
    forEachItem(list, base, (item, offset) => {
      const isSection = item instanceof Section;
      if (!isSection && item.kind !== LineKind.Directive) return;
      const isUserLine = offsetsOfUserLines.has(offset);
      if (isUserLine) {
        const lastLine = lineNumberAt(offset + item.length - 1);
        if (isAfterUserLine) ranges.at(-1)![1] = lastLine;
        else ranges.push([lineNumberAt(offset), lastLine]);
      }
      isAfterUserLine = isUserLine;
      if (!isSection || isUserLine) return;
      walk(item.body, offset + item.open.length);
      isAfterUserLine = false;
    });
  walk(tree.root, 0);
  return ranges;
}
