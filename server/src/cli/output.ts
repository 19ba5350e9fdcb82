/** Standard output in pieces of reasonable size. */

const ENOUGH = 64 * 1024;

export class Output {
  private pending: Uint8Array[] = [];
  private size = 0;

  /** Text goes out as UTF-8, bytes as they are. */
  write(content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.pending.push(bytes);
    this.size += bytes.length;
    if (this.size > 16 * ENOUGH) process.stdout.write(this.taken());
  }

  /** Waits where the reader is slow. */
  async settle(): Promise<void> {
    if (this.size > ENOUGH) await this.flush();
  }

  async flush(): Promise<void> {
    // Also when there is nothing left: what went out before may be on its way still.
    await new Promise<void>((resolve) => process.stdout.write(this.taken(), () => resolve()));
  }

  private taken(): Buffer {
    const bytes = Buffer.concat(this.pending);
    this.pending = [];
    this.size = 0;
    return bytes;
  }
}
