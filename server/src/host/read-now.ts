/** Reads files synchronously, and has the limit for what may be read. */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { latestValue } from '../syntax/memory';
import type { FileContent, FileProblem } from './host';
import { insideTest, type ReadableFolders } from './within';

/**
 * The directories in which this program may read configurations, with links resolved; null for no
 * limit. The MCP server sets it, because links and Include lines can lead to any file.
 */
export const readingLimit = latestValue<ReadableFolders>(null);

/**
 * Whether a file or directory is below the directories of `readingLimit` after links are resolved.
 * For a missing file, the nearest directory that exists decides.
 */
export function mayRead(file: string): boolean {
  const folders = readingLimit.value;
  return folders === null || insideTest(folders)(realPathOfNearest(path.resolve(file)));
}

/** The result for a file that `readingLimit` does not allow to read. */
export const OUTSIDE_OF_LIMIT_PROBLEM: FileContent = {
  problem: { code: 'denied', message: 'is outside of the directories that may be read' },
};

/** Limit for the size of a file in bytes. A larger file is not a configuration. */
export const MAX_FILE_SIZE = 256 * 1024 * 1024;

/** Reads a complete regular file. Does not wait for a FIFO and does not read a device. */
export function readBytesNow(file: string, maxSize = MAX_FILE_SIZE): FileContent {
  if (!mayRead(file)) return OUTSIDE_OF_LIMIT_PROBLEM;
  let descriptor: number | undefined;
  try {
    const statusBefore = statSync(file);
    if (statusBefore.isDirectory()) return problemContent('directory', 'is a directory');
    if (!statusBefore.isFile()) return problemContent('special', `is ${kindInWords(statusBefore)}, not a regular file`);
    if (statusBefore.size > maxSize) return problemContent('large', `is larger than ${maxSize / 1024 / 1024} MB`);
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) return problemContent('special', 'is not a regular file');
    return readOpenFile(descriptor, statusBefore.size);
  } catch (error) {
    return { problem: explainReadError(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Reads a file with settings, a baseline or patterns. Throws `UnreadableError` for devices and
 * FIFOs, for files over the size limit, and for files that cannot be read.
 */
export function readSettingsNow(file: string): Buffer {
  const content = readBytesNow(file, MAX_SETTINGS_SIZE);
  if ('problem' in content) throw new UnreadableError(content.problem);
  return Buffer.from(content.bytes);
}

/** Thrown if a file cannot be read. `problem` is the reason, as `explainReadError` returns it. */
class UnreadableError extends Error {
  constructor(readonly problem: FileProblem) {
    super(problem.message);
  }
}

/** Limit for the size in bytes: about that of a baseline with a hundred thousand problems. */
const MAX_SETTINGS_SIZE = 16 * 1024 * 1024;

/** The reason why a file cannot be read, as a text for users. */
export function explainReadError(error: unknown): FileProblem {
  if (error instanceof UnreadableError) return error.problem;
  const code = (error as NodeJS.ErrnoException).code;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { code: 'missing', message: 'does not exist' };
    case 'EACCES':
    case 'EPERM':
      return { code: 'denied', message: 'permission denied' };
    case 'EISDIR':
      return { code: 'directory', message: 'is a directory' };
    case 'ELOOP':
      return { code: 'loop', message: 'is a symbolic link that leads back to itself' };
    case 'ENXIO':
      return { code: 'special', message: 'is not a regular file' };
    default:
      return { code: 'other', message: `cannot be read (${code ?? (error as Error).message})` };
  }
}

/**
 * Whether the kernel generates the files at a path, as in /proc. Files in /dev/shm are usual files.
 */
export function isKernelFile(path: string): boolean {
  return /^\/(proc|sys|dev(?!\/shm\/))(\/|$)/.test(path);
}

/**
 * Reads an open file of this size. A file that the kernel generates (in /proc) has size 0 and may
 * be endless, so only a limited number of bytes is read from it.
 */
export function readOpenFile(descriptor: number, size: number): FileContent {
  const limit = size === 0 ? MAX_KERNEL_FILE_SIZE : MAX_FILE_SIZE;
  const chunks: Buffer[] = [];
  let totalLength = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.max(size - totalLength, 4096));
    const readCount = readSync(descriptor, chunk, 0, chunk.length, null);
    if (readCount === 0) break;
    chunks.push(chunk.subarray(0, readCount));
    totalLength += readCount;
    if (totalLength === size) break;
    if (totalLength > limit) return problemContent('large', 'has no end');
  }
  return { bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) };
}

/** Limit for the bytes that are read from a file of size 0, which the kernel generates. */
const MAX_KERNEL_FILE_SIZE = 1024 * 1024;

/** The kind of a file that is not regular, as words for users. */
export function kindInWords(info: {
  isFIFO(): boolean;
  isSocket(): boolean;
  isCharacterDevice(): boolean;
  isBlockDevice(): boolean;
}): string {
  if (info.isFIFO()) return 'a FIFO';
  if (info.isSocket()) return 'a socket';
  return info.isCharacterDevice() || info.isBlockDevice() ? 'a device' : 'something special';
}

/** The result for a file that cannot be read. `message`: words to put after the file's name. */
export function problemContent(code: FileProblem['code'], message: string): FileContent {
  return { problem: { code, message } };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The path with links resolved. If the file is missing, links in its nearest existing directory are
 * resolved.
 */
function realPathOfNearest(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const parentFolder = path.dirname(file);
    return parentFolder === file ? file : path.join(realPathOfNearest(parentFolder), path.basename(file));
  }
}
