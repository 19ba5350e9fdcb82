/**
 * Makes a project of texts that the caller passes by their paths: for the library and for the page
 * in a browser. Reads no disk.
 */
import { Engine } from '../analysis/engine';
import { isMainFilePath } from '../analysis/main-file';
import { namesIn } from '../config/name-set';
import { resolvePath, type FileView } from '../config/files';
import { memoryFiles } from '../config/memory-files';
import { DEFAULT_TARGET } from '../config/target';
import { ALL_RULES } from '../rules/all';
import { engineOptions } from '../settings/engine-options';
import { readProjectSettings } from '../settings/project-file';
import { settingValues } from '../settings/values';
import type { SettingsByFile } from './project';
import { projectOfFiles, type NamedFile, type ProjectOfFiles } from './project-of-files';

/**
 * The folder of files with relative names. It is not `/`, because then all directories of the
 * server, such as `/srv/www`, would seem to be in the copy.
 */
const COPY_FOLDER = '/configuration';

/** A project of files that exist only as texts, not on a disk. */
export interface ProjectOfTexts {
  /** The files that the caller passed. `name`: the path as the caller passed it. */
  readonly namedFiles: readonly (NamedFile & { readonly name: string })[];
  readonly settings: SettingsByFile;
  readonly projectOfFiles: ProjectOfFiles;
  /** Reads the files by their paths. */
  readonly view: FileView;
}

/** The options with which the project of texts is made. */
export interface ProjectOfTextsOptions {
  /** Whether to apply also suggestions. */
  readonly unsafe?: boolean;
  /**
   * Returns whether a file is not used by any server, judged by its name: a copy that a user made.
   */
  readonly isUnused?: (name: string) => boolean;
}

/**
 * Makes the project. A single file is read as a main file, like a file that the user names on the
 * command line. `options`: the keys of `.httpd-upgrade.json`. Throws a TypeError if an option or
 * the files are invalid.
 */
export function projectOfTexts(
  files: Readonly<Record<string, string>>,
  options: object,
  { unsafe = false, isUnused = () => false }: ProjectOfTextsOptions = {},
): ProjectOfTexts {
  const nameByPath = namesByPath(files);
  const settings = settingsFor(options, copyFolderOf(files));
  const textByPath = Object.fromEntries([...nameByPath].map(([path, name]) => [path, files[name]!]));
  const view = memoryFiles(textByPath);
  const allFiles = Object.keys(textByPath).filter((file) => !isUnused(nameByPath.get(file)!));
  const usedPaths = new Set(allFiles);
  // The lines for which the command line looks in files with other names.
  const mayBeMainFile = (file: string) =>
    namesIn(view.read(file)!.root).hasSome((name) => /^(?:serverroot|pidfile|include(?:optional)?)$/.test(name));
  const candidates = allFiles.length === 1 ? allFiles : allFiles.filter(isMainFilePath);
  const namedFiles = {
    mainFileCandidates: candidates,
    allFiles,
    possibleLinks: allFiles.filter((file) => !candidates.includes(file) && mayBeMainFile(file)),
    isNamedFile: (file: string) => allFiles.length === 1 && file === allFiles[0],
    isNamedOrBelow: (file: string) => textByPath[file] !== undefined,
    isChecked: (file: string) => usedPaths.has(file),
    folderOf: () => null,
    pathAsNamed: (file: string) => file,
  };
  const readProject = projectOfFiles({ view, namedFiles, settings, unsafe, absolutePath: (file) => file });
  return {
    namedFiles: allFiles.map((path) => ({ path, name: nameByPath.get(path)!, tree: view.read(path)! })),
    settings,
    projectOfFiles: readProject,
    view,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The folder to which relative names belong: `/` if there are absolute names, otherwise
 * COPY_FOLDER.
 */
function copyFolderOf(files: Readonly<Record<string, string>>): string {
  return Object.keys(files).some((name) => name.startsWith('/') || /^[A-Za-z]:/.test(name)) ? '/' : COPY_FOLDER;
}

/** The names of the files, by their paths. */
function namesByPath(files: Readonly<Record<string, string>>): Map<string, string> {
  // A caller without types may pass one text, whose characters would be read as files.
  if (typeof files !== 'object' || files === null || Array.isArray(files))
    throw new TypeError('files: an object is expected, with texts by their paths');
  const folder = copyFolderOf(files);
  const nameByPath = new Map<string, string>();
  for (const [name, text] of Object.entries(files)) {
    if (typeof text !== 'string') throw new TypeError(`files: ${name} is not a text`);
    const resolvedPath = resolvePath(folder, name);
    const nameOfSamePath = nameByPath.get(resolvedPath);
    if (nameOfSamePath !== undefined) throw new TypeError(`files: ${nameOfSamePath} and ${name} are the same file`);
    nameByPath.set(resolvedPath, name);
  }
  return nameByPath;
}

/**
 * The settings for all files. `options`: the keys of `.httpd-upgrade.json`. Throws a TypeError if
 * one is invalid.
 */
function settingsFor(options: object, folder: string): SettingsByFile {
  const { settings, problems } = readProjectSettings(JSON.stringify(options), { folder });
  const [problem] = problems;
  if (problem) throw new TypeError(problem.message);
  const engine = new Engine({
    rules: ALL_RULES,
    target: settings.target ?? DEFAULT_TARGET,
    distribution: settings.distribution ?? null,
    severities: settings.severities,
    ...engineOptions(settingValues({}, settings.values)),
    answerSet: { answers: settings.answers, folder },
    showsAnswered: true,
  });
  const server = {
    serverRoot: settings.serverRoot,
    pathMap:
      settings.pathMap.length > 0
        ? { entries: settings.pathMap.map(({ from, to }) => ({ from, to: resolvePath(folder, to) })) }
        : undefined,
    defines: settings.defines.size > 0 ? settings.defines : null,
    distribution: settings.distribution ?? null,
    builtIn: settings.builtIn ?? null,
  };
  return { engineOf: () => engine, serverOf: () => server };
}
