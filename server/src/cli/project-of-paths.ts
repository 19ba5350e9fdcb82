/** Makes the project (features/project.ts) of the files and folders that a command gets. */
import path from 'node:path';
import { isMainFilePath } from '../analysis/main-file';
import {
  projectOfFiles,
  type GivenFiles,
  type ProjectOfFiles,
  type ProjectOfFilesOptions,
} from '../features/project-of-files';
import { mayBeUnusuallyNamed } from '../directives/recognize';
import { configurationFiles } from '../host/node';
import { diskFileView, readFile, type DiskFileView } from '../host/node-files';
import { readBytesNow } from '../host/read-now';
import { FileSystemSnapshot } from '../host/file-system-snapshot';
import { sharedFolders, type FindFileAlreadyRead } from './files';
import { heapHooks } from './heap';
import { originalFinder } from './main-file-copies';
import { shortPath } from './short-path';

/** The project of the files that a command reads, with what was read from the disk. */
export interface ProjectOfPaths extends ProjectOfFiles {
  /** Returns a file if it has already been read; otherwise null. */
  readonly findFileAlreadyRead: FindFileAlreadyRead;
  /** The directories and files that the search below the given folders has read from the disk. */
  readonly snapshot: FileSystemSnapshot;
  /** Files below the given directories that may be configuration, but have no usual name. */
  readonly unusuallyNamedFiles: readonly string[];
  /** Whether a file is among those that the command reads. */
  isRead(file: string): boolean;
}

/** The paths of a command, and how to read the files there. */
export interface PathOptions extends Pick<ProjectOfFilesOptions, 'settings' | 'unsafe' | 'isExcluded'> {
  /** Files and folders, as the user gave them. */
  readonly paths: readonly string[];
  /** The names of standard input and FIFOs. */
  readonly streams?: readonly string[];
  /**
   * Whether the server does not use a file, to judge by the file's name, the project file, or a
   * main file beside it of which it is a copy. False for files that the user named. By default, all
   * files are used.
   */
  readonly isUnused?: (file: string) => boolean;
  /** Called each time a file is read for the first time, with the number of files so far. */
  readonly onRead?: (count: number, path: string) => void;
}

/** Reads the files at the paths and makes their project. */
export async function projectOfPaths({
  paths,
  streams = [],
  isUnused = () => false,
  onRead,
  ...options
}: PathOptions): Promise<ProjectOfPaths> {
  let readCount = 0;
  /** Bytes of files. The key is the path with links resolved. */
  const bytesByPath = new Map<string, Uint8Array>();
  let byteCount = 0;
  // The hook for much text must come before the one for many files, which changes the same setting.
  const countBytes = (fileSize: number) => {
    if (byteCount <= MIN_BYTES_FOR_HOOK && byteCount + fileSize > MIN_BYTES_FOR_HOOK)
      heapHooks.value.beforeMuchText?.();
    byteCount += fileSize;
  };
  const readAndCount: typeof readFile = (file, budget) => {
    onRead?.(++readCount, file);
    const bytes = bytesByPath.get(file);
    bytesByPath.delete(file);
    return readFile(file, budget, bytes, countBytes);
  };
  const view = diskFileView(undefined, readAndCount, { isOnce: true });
  const snapshot = new FileSystemSnapshot(looksLikeMainFile);
  const unusuallyNamedFiles: string[] = [];
  const onOtherFile = (file: string) => {
    if (mayBeUnusuallyNamed(file)) unusuallyNamedFiles.push(file);
  };
  const givenFiles = await findGivenFiles(paths, { view, snapshot, bytesByPath, isUnused, onOtherFile });
  if (givenFiles.allFiles.length > MIN_FILES_FOR_HOOK) {
    countBytes(MIN_BYTES_FOR_HOOK + 1);
    heapHooks.value.beforeManyFiles?.();
  }
  const streamNames = new Set(streams.map((each) => view.realPath(path.resolve(each))));
  const namedFiles = { ...givenFiles, isStream: (file: string) => streamNames.has(file) };
  const project = projectOfFiles({
    ...{ view, namedFiles, sharedFolders: sharedFolders(), ...options },
    absolutePath: (file) => path.resolve(file),
  });
  const filesRead = new Set([...givenFiles.allFiles, ...project.furtherFiles.map(project.realPathOf)]);
  return Object.assign(project, {
    findFileAlreadyRead: (file: string) => view.cachedFile(path.resolve(file)),
    snapshot,
    unusuallyNamedFiles,
    isRead: (file: string) => filesRead.has(project.realPathOf(file)),
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Finds the main files and the other files at the paths. Puts the bytes of files that were read
 * whole into `bytesByPath`. Calls `onOtherFile` for each file below a given directory whose name is
 * not that of a configuration.
 */
async function findGivenFiles(
  paths: readonly string[],
  {
    view,
    snapshot,
    bytesByPath,
    isUnused,
    onOtherFile,
  }: {
    readonly view: DiskFileView;
    readonly snapshot: FileSystemSnapshot;
    readonly bytesByPath: Map<string, Uint8Array>;
    readonly isUnused: (file: string) => boolean;
    readonly onOtherFile: (file: string) => void;
  },
): Promise<GivenFiles> {
  const files = new Set<string>();
  const folders: { readonly givenPath: string; readonly realPath: string }[] = [];
  const candidates = new Set<string>();
  const foundFiles = new Set<string>();
  const possibleMainFiles = new Set<string>();
  const unusuallyNamedMainFiles = new Set<string>();
  // A main file can also have a name that does not end in `.conf`, and may include the files that
  // the user wants to change.
  const addUnusuallyNamed = (file: string) => {
    if (UNUSUAL_MAIN_FILE_NAME.test(file) && !isUnused(file) && mayBeMainFile(file))
      unusuallyNamedMainFiles.add(view.realPath(path.resolve(file)));
  };
  for (const givenPath of paths) {
    const realPath = view.realPath(path.resolve(givenPath));
    if (view.kind(realPath) === 'file') {
      files.add(realPath);
      candidates.add(realPath);
    } else if (view.kind(realPath) === 'folder') {
      folders.push({ givenPath, realPath });
      const otherFiles: string[] = [];
      const configurationPaths: string[] = [];
      for await (const file of configurationFiles(givenPath, {
        onOtherFile: (other) => otherFiles.push(other),
        snapshot,
      }))
        configurationPaths.push(file);
      view.useSnapshot(snapshot);
      otherFiles.forEach(addUnusuallyNamed);
      otherFiles.forEach(onOtherFile);
      for (const file of configurationPaths) {
        // A file that the server does not use cannot be a main file.
        if (isUnused(file)) continue;
        const realPath = view.realPath(path.resolve(file));
        foundFiles.add(realPath);
        if (isMainFilePath(file)) candidates.add(realPath);
        else if (snapshot.looksLikeConfigurationByPath.get(file) ?? mayBeMainFile(file, snapshot))
          possibleMainFiles.add(realPath);
        const bytes = snapshot.contentByPath.get(file);
        if (bytes !== undefined) bytesByPath.set(realPath, bytes);
      }
      snapshot.contentByPath.clear();
    }
  }
  const findOriginal = originalFinder(isUnused);
  const folderOf = (file: string) =>
    folders.find(({ realPath }) => file.startsWith(`${realPath === '/' ? '' : realPath}/`));
  return {
    mainFileCandidates: [...candidates],
    allFiles: [...new Set([...files, ...foundFiles])],
    possibleLinks: [
      ...new Set([...[...possibleMainFiles].filter((file) => !candidates.has(file)), ...unusuallyNamedMainFiles]),
    ],
    isNamedFile: (file) => files.has(file),
    isCopy: (file) => findOriginal(file) !== null,
    isNamedOrBelow: (file) => files.has(file) || folderOf(file) !== undefined,
    folderOf: (file) => folderOf(file)?.realPath ?? null,
    isChecked: (file) => files.has(file) || foundFiles.has(file),
    pathAsNamed(file) {
      const folder = folderOf(file);
      if (folder) return path.join(folder.givenPath, path.relative(folder.realPath, file));
      return shortPath(file);
    },
  };
}

/** If there are more files than this, `heapHooks` change the memory settings. */
const MIN_FILES_FOR_HOOK = 500;

/** If there are more bytes of text than this, `heapHooks` change the memory settings. */
const MIN_BYTES_FOR_HOOK = 100_000;

/** Names of main files that do not end in `.conf`. */
const UNUSUAL_MAIN_FILE_NAME = /\.(cf|cnf|cfg|config|inc)$/i;

/**
 * Whether a file may be a main file. Looks at the bytes without parsing, which is faster: most
 * files of a directory are no main files.
 */
function mayBeMainFile(file: string, snapshot?: FileSystemSnapshot): boolean {
  const content = readBytesNow(file);
  if (!('bytes' in content)) return false;
  snapshot?.storeContent(file, content.bytes);
  return looksLikeMainFile(Buffer.from(content.bytes).toString('latin1'));
}

/** Whether a text has a line that main files have: ServerRoot, PidFile or Include. */
function looksLikeMainFile(text: string): boolean {
  return /^[ \t]*(ServerRoot|PidFile|Include)/im.test(text);
}
