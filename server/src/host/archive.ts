/**
 * Reads and writes archives (.tar.gz) of configurations. An archive comes from another machine, so
 * nothing in it may lead out of the directory to which it is unpacked, and its size is limited.
 */
import {
  createReadStream,
  createWriteStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { extract, pack, type Header } from 'tar-stream';
import { collectedFolder, projectFileText } from './collected';
import { withHiddenShown } from '../syntax/hidden-text';

/**
 * Thrown if an archive cannot be read. The message is the reason, as words to put after the
 * archive's name.
 */
export class ArchiveError extends Error {}

/** Limits for the contents of an archive. */
export interface ArchiveLimits {
  /** Limit of the unpacked size of all files together, in bytes. */
  readonly maxBytes: number;
  /** Limit of the number of files, directories and links. */
  readonly maxEntries: number;
}

const DEFAULT_LIMITS: ArchiveLimits = { maxBytes: 256 * 1024 * 1024, maxEntries: 200_000 };

/**
 * The size of a header in bytes. The limit for the unpacked size also counts headers and padding,
 * so that an archive of many empty files is refused.
 */
const HEADER_SIZE = 512;
const MAX_ENTRY_NAME_LENGTH = 4096;
/** The largest number of nested directories. The deeper a path is, the longer each access takes. */
const MAX_DIRECTORY_DEPTH = 100;

/**
 * Unpacks an archive into an empty directory. Only this user can read the unpacked files. Throws
 * `ArchiveError` if the archive is damaged or exceeds a limit, or if an entry is not allowed: it
 * leads out of the directory, has the name of another entry, or is no file, directory or link. The
 * entries before it are then already unpacked.
 */
export async function unpackArchive(
  file: string,
  folder: string,
  limits: ArchiveLimits = DEFAULT_LIMITS,
): Promise<void> {
  const unpacking = new Unpacking(folder, limits);
  const entryReader = extract();
  entryReader.on('entry', (header, stream, next) => {
    const chunks: Uint8Array[] = [];
    stream.on('data', (chunk) => chunks.push(chunk as Uint8Array));
    stream.on('error', next);
    stream.on('end', () => {
      try {
        unpacking.addEntry(header, chunks);
        next();
      } catch (error) {
        next(error as Error);
      }
    });
    try {
      unpacking.checkEntry(header);
    } catch (error) {
      entryReader.destroy(error as Error);
      return;
    }
    stream.resume();
  });
  let unpackedSize = 0;
  try {
    await pipeline(
      createReadStream(file),
      createGunzip(),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          unpackedSize += chunk.length;
          if (unpackedSize > limits.maxBytes + limits.maxEntries * 3 * HEADER_SIZE)
            throw new ArchiveError('is too large');
          yield chunk;
        }
      },
      entryReader,
    );
  } catch (error) {
    throw error instanceof ArchiveError ? error : asArchiveError(error as NodeJS.ErrnoException);
  }
  unpacking.createLinks();
}

/**
 * Unpacks an archive into a new or empty directory. If cli/collect.sh made the archive, writes the
 * collected settings into the file `settingsName`, unless the archive has such a file. Returns the
 * directory of the collected server, or `folder` for another archive.
 */
export async function unpackCollected(file: string, folder: string, settingsName: string): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await unpackArchive(file, folder);
  const collection = collectedFolder(folder);
  if (collection === null) return folder;
  const settings = projectFileText(path.resolve(collection));
  const settingsFile = path.join(collection, settingsName);
  if (settings !== null && !existsSync(settingsFile)) writeFileSync(settingsFile, settings, { flag: 'wx' });
  return collection;
}

/**
 * Writes a directory as an archive. The names of the entries begin with the directory's name.
 * Throws if the file `file` exists.
 */
export async function packArchive(folder: string, file: string): Promise<void> {
  const archive = pack();
  const topName = path.basename(folder);
  const addEntryAndChildren = (name: string): void => {
    const fullPath = path.join(path.dirname(folder), name);
    const status = lstatSync(fullPath);
    const header = { name, mtime: status.mtime };
    if (status.isSymbolicLink()) archive.entry({ ...header, type: 'symlink', linkname: readlinkSync(fullPath) });
    else if (status.isFile()) archive.entry({ ...header, mode: 0o600 }, readFileSync(fullPath));
    else if (status.isDirectory()) {
      archive.entry({ ...header, type: 'directory', mode: 0o700 });
      for (const child of readdirSync(fullPath).sort()) addEntryAndChildren(`${name}/${child}`);
    }
  };
  addEntryAndChildren(topName);
  archive.finalize();
  await pipeline(archive, createGzip(), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
}

// ---------------------------------------------------------------------------------------------------------------------

/** The entries of an archive while it is unpacked into `folder`, with all checks. Names use `/`. */
class Unpacking {
  private readonly directories = new Set<string>();
  private readonly files = new Set<string>();
  /** The targets of links, by the names of the links in the archive. */
  private readonly targetByLink = new Map<string, string>();
  /** The targets of links, by the names that `nameIgnoringCase` returns for the links. */
  private readonly targetByComparableName = new Map<string, string>();
  /** What `nameIgnoringCase` returns for the names of all entries so far. */
  private readonly comparableNamesInUse = new Set<string>();
  private byteCount = 0;
  private entryCount = 0;

  constructor(
    private readonly folder: string,
    private readonly limits: ArchiveLimits,
  ) {}

  /**
   * Checks the type and the size of an entry before its content is read. Throws `ArchiveError` if
   * the type is not allowed, or if the archive exceeds a limit.
   */
  checkEntry({ type, name, size = 0 }: Header): void {
    const shownName = withHiddenShown(name).slice(0, 200);
    if (type !== 'file' && type !== 'contiguous-file' && type !== 'directory' && type !== 'symlink')
      throw new ArchiveError(`has an entry that is neither a file, a directory nor a link: ${shownName}`);
    this.byteCount += size;
    this.entryCount++;
    if (this.byteCount > this.limits.maxBytes) throw new ArchiveError('is too large');
    if (this.entryCount > this.limits.maxEntries) throw new ArchiveError('has too many files');
  }

  /** Writes a file or a directory. A link is only noted; `createLinks` creates it later. */
  addEntry({ type, name, linkname }: Header, chunks: readonly Uint8Array[]): void {
    const pathParts = nameComponents(name);
    const entryPath = pathParts.join('/');
    if (type === 'directory') return this.makeDirectory(pathParts);
    // A link may not have the name of an earlier entry, with upper and lower case taken as equal.
    // `reserveName` refuses later entries with the name of a link. Otherwise the system could
    // follow another link than the one that was checked.
    const isNameOfOtherEntry = type === 'symlink' && this.comparableNamesInUse.has(nameIgnoringCase(entryPath));
    if (
      entryPath === '' ||
      isNameOfOtherEntry ||
      this.files.has(entryPath) ||
      this.targetByLink.has(entryPath) ||
      this.directories.has(entryPath)
    )
      throw new ArchiveError(`has two entries with the same name: ${withHiddenShown(name)}`);
    this.makeDirectory(pathParts.slice(0, -1));
    this.reserveName(entryPath);
    if (type === 'symlink') {
      this.targetByLink.set(entryPath, linkname ?? '');
      this.targetByComparableName.set(nameIgnoringCase(entryPath), linkname ?? '');
      return;
    }
    this.files.add(entryPath);
    // Links are created last, so that no file is written through a link.
    writeFileSync(path.join(this.folder, entryPath), Buffer.concat(chunks), { flag: 'wx', mode: 0o600 });
  }

  /** Creates the links, after all of them were checked. */
  createLinks(): void {
    for (const link of this.targetByLink.keys()) this.checkLink(link);
    for (const [link, target] of this.targetByLink) symlinkSync(target, path.join(this.folder, link));
  }

  /** Creates a directory of the archive and all missing directories above it. */
  private makeDirectory(parts: readonly string[]): void {
    let directoryPath = '';
    for (const part of parts) {
      directoryPath += directoryPath === '' ? part : `/${part}`;
      if (this.directories.has(directoryPath)) continue;
      if (this.files.has(directoryPath) || this.targetByLink.has(directoryPath))
        throw new ArchiveError(`has files below a file or a link: ${withHiddenShown(directoryPath)}`);
      this.reserveName(directoryPath);
      mkdirSync(path.join(this.folder, directoryPath), { mode: 0o700 });
      this.directories.add(directoryPath);
    }
  }

  /**
   * Records that an entry has this name. Throws if a link has the same name, with upper and lower
   * case taken as equal.
   */
  private reserveName(entryPath: string): void {
    const comparableName = nameIgnoringCase(entryPath);
    if (this.targetByComparableName.has(comparableName))
      throw new ArchiveError(`has two entries with the same name: ${withHiddenShown(entryPath)}`);
    this.comparableNamesInUse.add(comparableName);
  }

  /**
   * Follows a link as the system does, also through other links. Throws if it leads out of the
   * directory.
   */
  private checkLink(link: string): void {
    const remainingParts = link.split('/').reverse();
    const currentPath: string[] = [];
    let followedLinks = 0;
    for (let part = remainingParts.pop(); part !== undefined; part = remainingParts.pop()) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        if (currentPath.pop() === undefined) throw outsideError(link);
        continue;
      }
      const target = this.targetByComparableName.get(nameIgnoringCase([...currentPath, part].join('/')));
      if (target === undefined) {
        currentPath.push(part);
        continue;
      }
      if (target.startsWith('/') || isUnsafePath(target) || mayHaveWindowsShortName(target)) throw outsideError(link);
      // Links in a circle lead nowhere, so they do no harm.
      if (++followedLinks > MAX_LINK_HOPS) return;
      remainingParts.push(...target.split('/').reverse());
    }
  }
}

const MAX_LINK_HOPS = 40;

/**
 * Returns a key that is equal for two names if a file system that ignores case (macOS, Windows)
 * treats them as the same name. HFS+ also ignores invisible characters.
 */
function nameIgnoringCase(name: string): string {
  return name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase();
}

/** The error for an entry whose path leads out of the directory for the archive. */
function outsideError(name: string): ArchiveError {
  return new ArchiveError(`has an entry that leads out of it: ${withHiddenShown(name)}`);
}

/**
 * The parts of an entry's name between slashes, without empty ones and `.`. Throws `ArchiveError`
 * if the name leads out of the directory, is too long, or has too many parts.
 */
function nameComponents(name: string): string[] {
  const pathParts = name.split('/');
  if (
    name.startsWith('/') ||
    name === '' ||
    name.length > MAX_ENTRY_NAME_LENGTH ||
    pathParts.includes('..') ||
    isUnsafePath(name)
  )
    throw outsideError(name.slice(0, 200));
  const components = pathParts.filter((part) => part !== '' && part !== '.');
  if (components.length > MAX_DIRECTORY_DEPTH)
    throw new ArchiveError(`has more than ${MAX_DIRECTORY_DEPTH} directories in each other`);
  return components;
}

/** Whether the name contains NUL, or Windows would read it as another path. */
function isUnsafePath(name: string): boolean {
  return name.includes('\0') || (process.platform === 'win32' && (/[\\:]/.test(name) || hasEndThatWindowsDrops(name)));
}

/**
 * Whether a part of a path may be a short name such as `LONGNA~1`. Windows gives each file with a
 * long name such a second name.
 */
function mayHaveWindowsShortName(target: string): boolean {
  return process.platform === 'win32' && /~\d/.test(target);
}

/** Whether a name in a path ends in dots or spaces, which Windows ignores. */
function hasEndThatWindowsDrops(name: string): boolean {
  return name.split('/').some((part) => part !== '.' && part !== '..' && /[. ]$/.test(part));
}

/** An `ArchiveError` if the error comes from damaged data; otherwise the error itself. */
function asArchiveError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'Z_DATA_ERROR' || error.code === 'Z_BUF_ERROR' || /tar header|Unexpected end/i.test(error.message))
    return new ArchiveError('is no archive (.tar.gz), or it is damaged');
  return error;
}
