/**
 * Reads input that is not a regular file: `-` for standard input, and FIFOs of a shell (`check
 * <(generate)`). Such input can be read only once, so it is read before the command starts.
 */
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { decode } from '../host/decode';
import { explain } from '../host/node';
import { MAX_FILE_SIZE } from '../host/read-now';
import { Tree } from '../syntax/document';
import type { InputFile } from './files';
import type { Terminal } from './terminal';

/** The path that stands for standard input. */
export const STDIN = '-';

/** The paths of a command, divided into streams, which were read, and other paths. */
export interface StreamsAndPaths {
  /** The texts of the streams. `path` is the name in the report. */
  readonly streams: readonly InputFile[];
  /** The paths of files and directories. */
  readonly paths: readonly string[];
}

/**
 * Reads the streams among the given paths. `stdinName`: the name of standard input; null for `-`.
 * Unreadable input is reported to `terminal`.
 */
export async function readStreams(
  givenPaths: readonly string[],
  stdinName: string | null,
  terminal: Terminal,
): Promise<StreamsAndPaths> {
  const streams: InputFile[] = [];
  const otherPaths: string[] = [];
  for (const path of new Set(givenPaths)) {
    const descriptor = path === STDIN ? 0 : isFifo(path) ? openStream(path, terminal) : null;
    if (descriptor === undefined) continue;
    if (descriptor === null) {
      otherPaths.push(path);
      continue;
    }
    const bytes = await readAll(descriptor).catch((error: Error) =>
      'code' in error ? explain(error).message : error.message,
    );
    if (descriptor !== 0) closeSync(descriptor);
    const decodedFile = typeof bytes === 'string' ? { problem: bytes } : decode(bytes);
    const streamName = path === STDIN ? (stdinName ?? STDIN) : path;
    if ('problem' in decodedFile) terminal.reportProblem(streamName, decodedFile.problem);
    else streams.push({ path: streamName, tree: Tree.parse(decodedFile.text), encoding: decodedFile.encoding });
  }
  return { streams, paths: otherPaths };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether a path is a FIFO. */
function isFifo(path: string): boolean {
  try {
    return statSync(path).isFIFO();
  } catch {
    return false;
  }
}

/** Opens a FIFO or standard input. If that fails, reports it and returns undefined. */
function openStream(path: string, terminal: Terminal): number | undefined {
  try {
    // With O_NONBLOCK, opening does not wait for a writer.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    terminal.reportProblem(path, explain(error).message);
    return undefined;
  }
}

/**
 * How long to wait until a process opens a FIFO for writing, in milliseconds. For standard input
 * there is no limit.
 */
const FIFO_TIMEOUT_MS = 1000;

/**
 * Reads a stream to its end. Throws if no process writes to a FIFO, or if the stream is too large.
 */
async function readAll(descriptor: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let totalSize = 0;
  const startTime = Date.now();
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024);
    const readCount = readNow(descriptor, chunk);
    if (readCount === 0) {
      // No process has opened the other end of the FIFO yet, or all have closed it.
      if (descriptor === 0 || totalSize > 0) break;
      if (Date.now() - startTime > FIFO_TIMEOUT_MS) throw new Error('is a FIFO to which no program writes');
    }
    if (readCount === null || readCount === 0) {
      await pause(5);
      continue;
    }
    chunks.push(chunk.subarray(0, readCount));
    totalSize += readCount;
    if (totalSize > MAX_FILE_SIZE) throw new Error(`is larger than ${MAX_FILE_SIZE / 1024 / 1024} MB`);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads the data that are available now into `chunk`. Returns the number of bytes: 0 at the end,
 * null if there are none yet.
 */
function readNow(descriptor: number, chunk: Buffer): number | null {
  try {
    return readSync(descriptor, chunk, 0, chunk.length, null);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') return null;
    // Windows reports the end of a pipe as this error.
    if (code === 'EOF') return 0;
    throw error;
  }
}
