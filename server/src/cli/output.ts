/**
 * Writes a result to standard output in pieces of moderate size, or to a file. The file gets the
 * whole result, or stays unchanged.
 */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/** The size of a piece in bytes. */
const PIECE_BYTES = 64 * 1024;

/** The place where a command writes its result: standard output or a file. */
export class Output {
  private pendingBytes: Uint8Array[] = [];
  private pendingLength = 0;
  private readonly file: PendingFile | null;

  /** `file`: null for standard output. Throws if the file cannot be written. */
  constructor(file: string | null = null) {
    this.file = file === null ? null : new PendingFile(file);
  }

  /** Writes a text as UTF-8, or bytes unchanged. */
  write(content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.pendingBytes.push(bytes);
    this.pendingLength += bytes.length;
    if (this.pendingLength > 16 * PIECE_BYTES) this.send(this.takePending());
  }

  /**
   * Keeps little output in memory if the reader is slow: if more than `PIECE_BYTES` are pending,
   * sends them and waits until the reader has everything. Otherwise returns at once.
   */
  async waitForReader(): Promise<void> {
    if (this.pendingLength > PIECE_BYTES) await this.flush();
  }

  /** Sends everything that was written so far, and waits until the reader has it. */
  async flush(): Promise<void> {
    // Waits even if nothing is pending, because standard output may still hold earlier pieces.
    await new Promise<void>((resolve) => this.send(this.takePending(), () => resolve()));
  }

  /** Writes everything that is left and completes the file. Must be called after the last piece. */
  async end(): Promise<void> {
    await this.flush();
    this.file?.finish();
  }

  /** Sends bytes to standard output or to the file. Calls `done` when the reader has them. */
  private send(bytes: Buffer, done: () => void = () => {}): void {
    if (!this.file) {
      process.stdout.write(bytes, done);
      return;
    }
    this.file.write(bytes);
    done();
  }

  /** Returns the pending bytes, and forgets them. */
  private takePending(): Buffer {
    const bytes = Buffer.concat(this.pendingBytes);
    this.pendingBytes = [];
    this.pendingLength = 0;
    return bytes;
  }
}

/** Writes a small file completely or not at all. */
export function writeWhole(file: string, text: string): void {
  const target = new PendingFile(file);
  target.write(Buffer.from(text));
  target.finish();
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Writes a file under a temporary name until it is complete. A link, device or FIFO is written
 * directly, so that it is not replaced by a file.
 */
class PendingFile {
  private readonly descriptor: number;
  private readonly temporaryPath: string | null;
  private readonly file: string;

  constructor(givenPath: string) {
    this.file = givenPath;
    const existingStats = statSync(givenPath, { throwIfNoEntry: false });
    if (
      (existingStats && !existingStats.isFile()) ||
      lstatSync(givenPath, { throwIfNoEntry: false })?.isSymbolicLink()
    ) {
      this.temporaryPath = null;
      this.descriptor = openSync(givenPath, 'w');
      return;
    }
    this.temporaryPath = path.join(path.dirname(givenPath), `.${path.basename(givenPath)}.${process.pid}`);
    this.descriptor = openSync(this.temporaryPath, 'wx');
    process.once('exit', this.removeTemporary);
    if (existingStats) fchmodSync(this.descriptor, existingStats.mode & 0o7777);
  }

  write(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; ) start += writeSync(this.descriptor, bytes, start);
  }

  /** Closes the file, and gives it its name. */
  finish(): void {
    if (this.temporaryPath === null) {
      closeSync(this.descriptor);
      return;
    }
    fsyncSync(this.descriptor);
    closeSync(this.descriptor);
    renameSync(this.temporaryPath, this.file);
    process.off('exit', this.removeTemporary);
  }

  /** Removes the temporary file if the program ends early. */
  private readonly removeTemporary = (): void => {
    if (this.temporaryPath !== null) rmSync(this.temporaryPath, { force: true });
  };
}
