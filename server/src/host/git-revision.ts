/**
 * Reads the files of a revision of a git repository, with `git ls-tree` and `git cat-file`. These
 * commands run no hook, filter, pager or diff program of the repository. With the environment below
 * they contact no other repository.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { FileView } from '../config/files';
import { Tree } from '../syntax/document';
import { decode } from './decode';
import { splitCommand } from './httpd';

/**
 * Thrown if a file of the revision cannot be read, because the repository has only a part of its
 * objects.
 */
export class RevisionError extends Error {}

/**
 * Returns a view in which the files of the git repository that contains `file` are as in a
 * revision; all other files are as on the disk. If that is impossible, returns the reason as a
 * clause. The view throws a `RevisionError` for a file whose content is missing.
 */
export function revisionFiles(revision: string, file: string, disk: FileView): FileView | string {
  const repositoryFolder = repositoryAround(path.dirname(file));
  if (repositoryFolder === null) return `${file} is in no git repository`;
  if (!/^[^-\s\0][^\s\0]*$/.test(revision)) return 'the revision is missing: write git:REVISION, such as git:HEAD';
  try {
    const git = gitRunner(repositoryFolder);
    const treeId = git(['rev-parse', '--verify', '--quiet', `${revision}^{tree}`])
      .toString('utf8')
      .trim();
    if (!/^[\da-f]{40,64}$/.test(treeId)) return 'this revision does not exist';
    const files = new RevisionFiles(
      repositoryFolder,
      parseListing(git(['ls-tree', '-r', '-z', '--full-tree', treeId])),
      git,
      disk,
    );
    return {
      read: (file) => files.read(file),
      list: (file) => files.list(file),
      kind: (file) => files.kind(file),
      realPath: (file) => files.realPath(file),
      link: (file) => files.link(file),
    };
  } catch (error) {
    return errorReason(error);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Runs git with these arguments and returns its output. Throws if git fails. */
type RunGit = (gitArguments: readonly string[]) => Buffer;

/** Limit for the output of git. A larger file is not a configuration. */
const MAX_GIT_OUTPUT_BYTES = 64 * 1024 * 1024;
const GIT_TIMEOUT_MS = 60_000;

/** The top directory of the git repository that contains a directory; null if there is none. */
function repositoryAround(folder: string): string | null {
  for (let currentFolder = folder; ; currentFolder = path.dirname(currentFolder)) {
    if (existsSync(path.join(currentFolder, '.git'))) return currentFolder;
    if (path.dirname(currentFolder) === currentFolder) return null;
  }
}

/**
 * Returns the function that runs git in a repository, without hooks and without access to other
 * repositories.
 */
function gitRunner(topFolder: string): RunGit {
  const [program = 'git'] = splitCommand('git');
  if (!path.isAbsolute(program)) throw new Error('git is not installed');
  const settings = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'protocol.allow=never'];
  const options = ['--no-pager', '--no-replace-objects', ...settings.flatMap((each) => ['-c', each])];
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_OBJECT_DIRECTORY, ...environment } = process.env;
  return (gitArguments) =>
    execFileSync(program, [...options, ...gitArguments], {
      cwd: topFolder,
      env: {
        ...environment,
        GIT_NO_LAZY_FETCH: '1',
        GIT_ALLOW_PROTOCOL: 'none',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_TERMINAL_PROMPT: '0',
        GIT_CEILING_DIRECTORIES: path.dirname(topFolder),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: MAX_GIT_OUTPUT_BYTES,
      timeout: GIT_TIMEOUT_MS,
    });
}

/** Why git failed, as a clause for users. */
function errorReason(error: unknown): string {
  const { stderr, message, status, code } = error as NodeJS.ErrnoException & { stderr?: Buffer; status?: number };
  if (code === 'ENOBUFS') return 'the revision has too many files, or one that is too large';
  const lastErrorLine =
    stderr
      ?.toString('utf8')
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^fatal: /, '') ?? '';
  if (lastErrorLine !== '') return `git cannot read it: ${lastErrorLine}`;
  return status === 1 ? 'this revision does not exist' : message;
}

/** A file or a link of the revision. */
interface RevisionEntry {
  /** The id of the object that has the content. */
  readonly object: string;
  readonly isLink: boolean;
}

/**
 * Parses the output of `git ls-tree`: the files of the revision by their paths in the repository.
 * Submodules are skipped.
 */
function parseListing(listing: Buffer): Map<string, RevisionEntry> {
  const entryByName = new Map<string, RevisionEntry>();
  for (const row of listing.toString('utf8').split('\0')) {
    const [, mode, type, object, name] = /^(\d+) (\w+) ([\da-f]+)\t(.*)$/s.exec(row) ?? [];
    if (type === 'blob') entryByName.set(name!, { object: object!, isLink: mode === '120000' });
  }
  return entryByName;
}

const MAX_LINK_HOPS = 40;

/** The files of a repository as in one revision, and all other files as on the disk. */
class RevisionFiles {
  private readonly namesByFolder = new Map<string, Set<string>>();
  private readonly entryByPath: ReadonlyMap<string, RevisionEntry>;
  private readonly treeByPath = new Map<string, Tree | null>();
  private readonly targetByLink = new Map<string, string>();
  /** The top directory of the repository: the given path, then the path with links resolved. */
  private readonly topFolders: readonly string[];

  constructor(
    topFolder: string,
    entryByName: ReadonlyMap<string, RevisionEntry>,
    private readonly git: RunGit,
    private readonly disk: FileView,
  ) {
    this.topFolders = [...new Set([topFolder, realpathSync(topFolder)])].map((each) => each.split(path.sep).join('/'));
    const realTop = this.topFolders.at(-1)!;
    const entryByPath = new Map<string, RevisionEntry>();
    for (const [name, entry] of entryByName) {
      const file = `${realTop}/${name}`;
      entryByPath.set(file, entry);
      for (let child = file; child !== realTop; ) {
        const folder = child.slice(0, child.lastIndexOf('/'));
        const namesInFolder = this.namesByFolder.get(folder) ?? new Set();
        this.namesByFolder.set(folder, namesInFolder.add(child.slice(folder.length + 1)));
        child = folder;
      }
    }
    this.entryByPath = entryByPath;
  }

  read(file: string): Tree | null {
    const resolvedPath = this.realPathInside(file);
    if (resolvedPath === null) return this.disk.read(file);
    let tree = this.treeByPath.get(resolvedPath);
    if (tree === undefined) {
      const entry = this.entryByPath.get(resolvedPath);
      const decodedFile = entry && decode(this.contentOf(entry));
      this.treeByPath.set(
        resolvedPath,
        (tree = decodedFile && 'text' in decodedFile ? Tree.parse(decodedFile.text) : null),
      );
    }
    return tree;
  }

  list(file: string): readonly string[] | null {
    const resolvedPath = this.realPathInside(file);
    return resolvedPath === null ? this.disk.list(file) : [...(this.namesByFolder.get(resolvedPath) ?? [])].sort();
  }

  kind(file: string): 'file' | 'folder' | null {
    const resolvedPath = this.realPathInside(file);
    if (resolvedPath === null) return this.disk.kind(file);
    return this.entryByPath.has(resolvedPath) ? 'file' : this.namesByFolder.has(resolvedPath) ? 'folder' : null;
  }

  realPath(file: string): string {
    return this.realPathInside(file) ?? this.disk.realPath(file);
  }

  link(file: string): string | null {
    const lastSlash = file.lastIndexOf('/');
    const folder = this.realPathInside(file.slice(0, lastSlash));
    if (folder === null) return this.disk.link?.(file) ?? null;
    return this.linkTargetOf(`${folder}${file.slice(lastSlash)}`);
  }

  /** Returns the path with links resolved; null if it is outside of the repository. */
  private realPathInside(file: string): string | null {
    let currentPath = file;
    for (let count = 0; count < MAX_LINK_HOPS; count++) {
      const topFolder = this.topFolders.find((each) => currentPath === each || currentPath.startsWith(`${each}/`));
      if (topFolder === undefined) return null;
      const partsBelowTop = currentPath.slice(topFolder.length + 1).split('/');
      let folder = this.topFolders.at(-1)!;
      let nextPath: string | null = null;
      for (const [index, part] of partsBelowTop.entries()) {
        if (part === '') continue;
        const target = this.linkTargetOf(`${folder}/${part}`);
        if (target !== null) {
          nextPath = path.posix.resolve(folder, target, ...partsBelowTop.slice(index + 1));
          break;
        }
        folder = `${folder}/${part}`;
      }
      if (nextPath === null) return folder;
      currentPath = nextPath;
    }
    return file;
  }

  /** The target of a link as written; null if the path is not a link of the revision. */
  private linkTargetOf(file: string): string | null {
    const entry = this.entryByPath.get(file);
    if (!entry?.isLink) return null;
    let target = this.targetByLink.get(file);
    if (target === undefined) this.targetByLink.set(file, (target = this.contentOf(entry).toString('utf8')));
    return target;
  }

  /** The bytes of a file. Throws a `RevisionError` if the repository lacks them. */
  private contentOf({ object }: RevisionEntry): Buffer {
    try {
      return this.git(['cat-file', 'blob', object]);
    } catch (error) {
      throw new RevisionError(errorReason(error));
    }
  }
}
