/**
 * Whether access may open if an AllowOverride line ends the error 500 that 2.4 answers for a
 * .htaccess file. The error keeps all clients out. Without the error, the .htaccess file and all
 * sections for the same requests decide. 2.4 reads some of their lines differently from 2.2 did
 * (docs/access-control.md, "What mod_access_compat decides").
 */
import { ACCESS_NAMES } from '../../access/conversion-input';
import { openQuestion } from '../../access/open-question';
import { DIRECTIVES_SERVING_ANY_FOLDER } from '../../access/mappers';
import { isOverrideDefault } from '../../access/override';
import { differentlyReadLine } from '../../access/read-differently';
import type { HtaccessFile } from '../../access/sections';
import type { Configuration } from '../../config/configuration';
import { parentFolders, joinedPath, localPathOf, resolvePath, type FileView } from '../../config/files';
import { linesOf } from '../../config/loaded-modules';
import { namesIn } from '../../config/name-set';
import { sectionKind } from '../../config/sections';
import type { Tree } from '../../syntax/document';
import { argumentsOf, LineKind, type Line } from '../../syntax/line';
import { List, type Section } from '../../syntax/tree';
import type { ConfigurationRuleInput } from '../rule';

/**
 * Directives whose lines `mayHtaccessDecideDifferently` reads, besides those of
 * DIRECTIVES_SERVING_ANY_FOLDER.
 */
export const SERVING_NAMES = ['documentroot', 'alias', 'scriptalias', 'accessfilename', 'serverroot'];

/**
 * Directives, in lower case, that decide in which directories httpd reads .htaccess files, how the
 * files are named, and what they may contain.
 */
export const DIRECTIVES_ENABLING_HTACCESS: ReadonlySet<string> = new Set([
  ...SERVING_NAMES,
  ...DIRECTIVES_SERVING_ANY_FOLDER,
  'wsgiscriptalias',
  'allowoverride',
  'allowoverridelist',
]);

/**
 * Whether some host certainly reads a .htaccess file, and accepts lines of the class AuthConfig
 * in it.
 */
export function acceptsAuthLines(
  { scope: { folder }, overrideWords, readingHosts }: HtaccessFile,
  configuration: Configuration,
): boolean {
  return (
    overrideWords?.some((word) => word === 'all' || word === 'authconfig') === true &&
    folder !== undefined &&
    readingHosts !== null &&
    !isOverrideDefault(configuration, folder)
  );
}

/** Maximum number of directories that are searched. */
const MAX_SEARCHED_FOLDERS = 2000;
const MAX_PENDING_FOLDERS = 100_000;

/**
 * Whether 2.4 may decide a request differently from 2.2 because of a .htaccess file. Searches the
 * served directories, and all directories above and below them. If `folder` is given (a path of the
 * server), searches only this directory and those below it. A file that cannot be read counts,
 * unless the user states that it restricts nothing. Reads the lines of SERVING_NAMES and
 * DIRECTIVES_SERVING_ANY_FOLDER.
 */
export function mayHtaccessDecideDifferently(
  { configuration, view, answerTo }: ConfigurationRuleInput,
  folder?: string,
): boolean {
  const servesAnywhere = [...DIRECTIVES_SERVING_ANY_FOLDER].some((name) =>
    linesOf(configuration, name).some(({ line }) => !/^\s*\S+\s+(disabled|enabled|none)\b/i.test(line.text)),
  );
  if (servesAnywhere && folder === undefined) return true;
  const htaccessNames = accessFileNames(configuration);
  const servedPaths = folder === undefined ? servedFolders(configuration) : [folder];
  // If no line serves a directory, the files may be part of a larger configuration that sets
  // AllowOverride itself. Then this returns true, because nothing is known about its .htaccess
  // files.
  if (servedPaths.length === 0) return true;
  const mayMainFilesDiffer = [...configuration.files.values()].some(({ tree }) => mayDecideDifferently(tree));
  const mayDifferAt = (place: string) =>
    htaccessNames.some((name) => {
      const htaccessPath = `${place === '/' ? '' : place}/${name}`;
      if (view.kind(htaccessPath) !== 'file') return false;
      if (mayMainFilesDiffer) return true;
      const tree = view.read(htaccessPath);
      return tree !== null && mayDecideDifferently(tree);
    });
  const localPath = (path: string) => localPathOf(path, configuration.pathMap);
  const isUnseenFolder = (path: string) => view.kind(localPath(path)) === null;
  const pendingFolders: string[] = [];
  for (const each of servedPaths) {
    const foldersAbove = folder === undefined ? parentFolders(each) : [];
    // The user's answer for a directory also covers the .htaccess files in its parent directories.
    if (
      (isUnseenFolder(each) || foldersAbove.some(isUnseenFolder)) &&
      (mayMainFilesDiffer || answerTo(openQuestion('htaccess-unseen', each)) !== 'none')
    )
      return true;
    if (foldersAbove.some((path) => mayDifferAt(localPath(path)))) return true;
    pendingFolders.push(localPath(each));
  }
  const visitedFolders = new Set<string>();
  for (let folderPath = pendingFolders.pop(); folderPath !== undefined; folderPath = pendingFolders.pop()) {
    const realPath = view.realPath(folderPath);
    if (visitedFolders.has(realPath) || view.kind(folderPath) !== 'folder') continue;
    if (visitedFolders.add(realPath).size > MAX_SEARCHED_FOLDERS || pendingFolders.length > MAX_PENDING_FOLDERS)
      return true;
    if (mayDifferAt(folderPath)) return true;
    const entryNames = view.list(folderPath);
    // A directory that cannot be read, or that has an entry whose name is in an unknown encoding,
    // may contain a .htaccess file.
    if (entryNames === null || entryNames.some((name) => name.includes('\ufffd'))) return true;
    for (const name of entryNames) pendingFolders.push(`${folderPath}/${name}`);
  }
  return false;
}

/** A .htaccess file, and its directory by its path on this machine. */
export interface AccessFile {
  readonly path: string;
  readonly folder: string;
}

/**
 * The .htaccess files in and below a directory of this machine. Follows links to directories, and
 * visits each directory once. Stops after MAX_SEARCHED_FOLDERS directories.
 */
export function accessFilesBelow(top: string, names: readonly string[], view: FileView): AccessFile[] {
  const foundFiles: AccessFile[] = [];
  const visitedFolders = new Set<string>();
  const pendingFolders = [top];
  for (let folder = pendingFolders.shift(); folder !== undefined; folder = pendingFolders.shift()) {
    const realPath = view.realPath(folder);
    if (visitedFolders.has(realPath) || visitedFolders.size >= MAX_SEARCHED_FOLDERS || view.kind(folder) !== 'folder')
      continue;
    visitedFolders.add(realPath);
    const htaccessName = names.find((name) => view.kind(joinedPath(folder!, name)) === 'file');
    if (htaccessName !== undefined) foundFiles.push({ path: joinedPath(folder, htaccessName), folder });
    const entryNames = pendingFolders.length > MAX_PENDING_FOLDERS ? [] : (view.list(folder) ?? []);
    for (const name of entryNames) pendingFolders.push(joinedPath(folder, name));
  }
  return foundFiles;
}

/**
 * The values of AccessFileName in all virtual hosts, or the default. Reads the lines of
 * `accessfilename`.
 */
export function accessFileNames(configuration: Configuration): readonly string[] {
  const names = linesOf(configuration, 'accessfilename').flatMap(({ line }) =>
    argumentsOf(line).map((word) => word.value),
  );
  return names.length > 0 ? names : ['.htaccess'];
}

/** The served directories, as paths of the server. Leaves out paths with a variable. */
function servedFolders(configuration: Configuration): readonly string[] {
  return ['documentroot', 'alias', 'scriptalias']
    .flatMap((name) => linesOf(configuration, name))
    .flatMap(({ line }) => argumentsOf(line)[line.name === 'documentroot' ? 0 : 1]?.value ?? [])
    .filter((path) => !path.includes('${'))
    .map((path) => resolvePath(configuration.serverRoot, path));
}

// ---------------------------------------------------------------------------------------------------------------------

const HOST_RULE_NAMES = ['order', 'allow', 'deny'];

/**
 * Whether 2.4 with mod_access_compat may read the file differently from 2.2. It may if the file has
 * a Satisfy line, or access lines that only one version reads or that 2.2 drops. It also may if a
 * section has more than one Require line, or one that is not plain. 2.4 accepts the words of
 * Require only in lower case, and one matching line of any module is enough.
 */
function mayDecideDifferently(tree: Tree): boolean {
  const usedNames = namesIn(tree.root);
  if (usedNames.hasName('satisfy') || differentlyReadLine(tree, ACCESS_NAMES, true) !== null) return true;
  return [...HOST_RULE_NAMES, 'require'].some((name) => usedNames.hasName(name)) && mayListDecideDifferently(tree.root);
}

/** Whether 2.4 may read the lines of a section, or of the sections in it, differently from 2.2. */
function mayListDecideDifferently(body: List): boolean {
  let requireCount = 0;
  let mayDiffer = false;
  const walk = (list: List, isInInnerSection: boolean): void => {
    for (const child of list.children) {
      if (mayDiffer) return;
      if (child instanceof List) walk(child, isInInnerSection);
      else if (isSection(child)) {
        const kindOfSection = sectionKind(child.name);
        if (kindOfSection === 'container' || kindOfSection === 'opaque' || kindOfSection === 'other')
          mayDiffer = mayListDecideDifferently(child.body);
        else if (kindOfSection === 'authorization') mayDiffer = true;
        else if (kindOfSection === 'conditional' && !isSameInBothVersions(child.open))
          mayDiffer = hasAccessLines(child.body);
        else walk(child.body, true);
      } else if (child.kind === LineKind.Directive && child.name === 'require') {
        mayDiffer = isInInnerSection || ++requireCount > 1 || !PLAIN_REQUIRE.test(child.text);
      }
    }
  };
  walk(body, false);
  return mayDiffer;
}

function isSection(child: Line | Section): child is Section {
  return 'body' in child;
}

function hasAccessLines(body: List): boolean {
  const usedNames = namesIn(body);
  return [...HOST_RULE_NAMES, 'require'].some((name) => usedNames.hasName(name));
}

/**
 * Whether both versions give the condition the same result. Returns false if it tests the version,
 * or a module that may be in one version only.
 */
function isSameInBothVersions(open: Line): boolean {
  return (
    open.name === 'ifdefine' || (open.name === 'ifmodule' && !/auth|access|cache|version|unixd|\$/i.test(open.text))
  );
}

/** Require lines that both versions read alike. */
const PLAIN_REQUIRE = /^\s*[Rr]equire\s+(user|group|valid-user)(\s+[\w.@-]+)*\s*$/;
