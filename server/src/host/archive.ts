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
import { withVisibleCharacters } from '../syntax/hidden-text';

/**
 * Thrown if an archive cannot be read. The message is the reason, as words to put after the
 * archive's name.
 */
export class ArchiveError extends Error {}

/** Limits for the contents of an archive. */
export interface ArchiveLimits {
  /** Limit of the unpacked size of all files together, in bytes. */
  readonly byteCount: number;
  readonly entryCount: number;
}

const DEFAULT_LIMITS: ArchiveLimits = { byteCount: 256 * 1024 * 1024, entryCount: 200_000 };

/**
 * The size of a header in bytes. The limit for the unpacked size also counts headers and padding,
 * so that an archive of many empty files is refused.
 */
const BLOCK_SIZE = 512;
const MAX_ENTRY_NAME_LENGTH = 4096;
/** The largest number of nested directories. The deeper a path is, the longer each access takes. */
const MAX_DIRECTORY_DEPTH = 100;

/**
 * Unpacks an archive into an empty directory. Only this user can read the unpacked files. Throws
 * `ArchiveError` if an entry is not a file, directory or link, or if it leads out of the directory;
 * the entries before it are then already unpacked.
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
          if (unpackedSize > limits.byteCount + limits.entryCount * 3 * BLOCK_SIZE)
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
 * collected settings into the file `settingsName`. Returns the directory of the collected server,
 * or `folder` for another archive.
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

/** Writes a directory as an archive, whose entries begin with the directory's name. */
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
  /** Targets of links, by the names of the links. */
  private readonly links = new Map<string, string>();
  /** The targets of links, by the names that `nameIgnoringCase` returns for the links. */
  private readonly targetByComparableName = new Map<string, string>();
  private readonly takenNames = new Set<string>();
  private byteCount = 0;
  private entryCount = 0;

  constructor(
    private readonly folder: string,
    private readonly limits: ArchiveLimits,
  ) {}

  /** Checks an entry before its content is read. */
  checkEntry({ type, name, size = 0 }: Header): void {
    const shownName = withVisibleCharacters(name).slice(0, 200);
    if (type !== 'file' && type !== 'contiguous-file' && type !== 'directory' && type !== 'symlink')
      throw new ArchiveError(`has an entry that is neither a file, a directory nor a link: ${shownName}`);
    this.byteCount += size;
    this.entryCount++;
    if (this.byteCount > this.limits.byteCount) throw new ArchiveError('is too large');
    if (this.entryCount > this.limits.entryCount) throw new ArchiveError('has too many files');
  }

  /** Writes a file or a directory. A link is only noted; `createLinks` creates it later. */
  addEntry({ type, name, linkname }: Header, chunks: readonly Uint8Array[]): void {
    const pathParts = nameComponents(name);
    const entryPath = pathParts.join('/');
    if (type === 'directory') return this.makeDirectory(pathParts);
    // A link may not have the name of an earlier entry, with upper and lower case taken as equal.
    // `reserveName` refuses later entries with the name of a link. Otherwise the system could
    // follow another link than the one that was checked.
    const isNameOfOtherEntry = type === 'symlink' && this.takenNames.has(nameIgnoringCase(entryPath));
    if (
      entryPath === '' ||
      isNameOfOtherEntry ||
      this.files.has(entryPath) ||
      this.links.has(entryPath) ||
      this.directories.has(entryPath)
    )
      throw new ArchiveError(`has two entries with the same name: ${withVisibleCharacters(name)}`);
    this.makeDirectory(pathParts.slice(0, -1));
    this.reserveName(entryPath);
    if (type === 'symlink') {
      this.links.set(entryPath, linkname ?? '');
      this.targetByComparableName.set(nameIgnoringCase(entryPath), linkname ?? '');
      return;
    }
    this.files.add(entryPath);
    // Links are created last, so that no file is written through a link.
    writeFileSync(path.join(this.folder, entryPath), Buffer.concat(chunks), { flag: 'wx', mode: 0o600 });
  }

  /** Creates the links, after all of them were checked. */
  createLinks(): void {
    for (const link of this.links.keys()) this.checkLink(link);
    for (const [link, target] of this.links) symlinkSync(target, path.join(this.folder, link));
  }

  private makeDirectory(parts: readonly string[]): void {
    let directoryPath = '';
    for (const part of parts) {
      directoryPath += directoryPath === '' ? part : `/${part}`;
      if (this.directories.has(directoryPath)) continue;
      if (this.files.has(directoryPath) || this.links.has(directoryPath))
        throw new ArchiveError(`has files below a file or a link: ${withVisibleCharacters(directoryPath)}`);
      this.reserveName(directoryPath);
      mkdirSync(path.join(this.folder, directoryPath), { mode: 0o700 });
      this.directories.add(directoryPath);
    }
  }

  /**
   * Records that a name is used. Throws if a link has the same name, with upper and lower case
   * taken as equal.
   */
  private reserveName(place: string): void {
    const comparableName = nameIgnoringCase(place);
    if (this.targetByComparableName.has(comparableName))
      throw new ArchiveError(`has two entries with the same name: ${withVisibleCharacters(place)}`);
    this.takenNames.add(comparableName);
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
      if (target.startsWith('/') || isUnsafeOnWindows(target) || isWindowsShortName(target)) throw outsideError(link);
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

function outsideError(name: string): ArchiveError {
  return new ArchiveError(`has an entry that leads out of it: ${withVisibleCharacters(name)}`);
}

/** The parts of an entry's name between slashes. Throws if the name leads out of the directory. */
function nameComponents(name: string): string[] {
  const pathParts = name.split('/');
  if (
    name.startsWith('/') ||
    name === '' ||
    name.length > MAX_ENTRY_NAME_LENGTH ||
    pathParts.includes('..') ||
    isUnsafeOnWindows(name)
  )
    throw outsideError(name.slice(0, 200));
  const components = pathParts.filter((part) => part !== '' && part !== '.');
  if (components.length > MAX_DIRECTORY_DEPTH)
    throw new ArchiveError(`has more than ${MAX_DIRECTORY_DEPTH} directories in each other`);
  return components;
}

/** Whether the name contains NUL, or Windows would read it as another path. */
function isUnsafeOnWindows(name: string): boolean {
  return name.includes('\0') || (process.platform === 'win32' && (/[\\:]/.test(name) || hasEndThatWindowsDrops(name)));
}

/**
 * Whether a path may have a short name such as `LONGNA~1`, which Windows gives to each file with a
 * long name, too.
 */
function isWindowsShortName(target: string): boolean {
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
