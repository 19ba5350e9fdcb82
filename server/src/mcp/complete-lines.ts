/**
 * Divides what a client sends into lines, each of which is a message. A message that is too long is
 * left out while it arrives, so it never fills the memory.
 */
import { Transform, type TransformCallback } from 'node:stream';

/**
 * The largest length of a message in bytes. The arguments of a tool have smaller limits (tools.ts),
 * so they always fit into a message.
 */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** How many bytes of the beginning and of the end of a long line are searched for its id. */
const BYTES_SEARCHED_FOR_ID = 200;

const LINE_FEED = 10;

/** A stream that passes on each line as one piece, except lines that are too long. */
export class CompleteLines extends Transform {
  private lineParts: Buffer[] = [];
  /** The number of bytes of the current line. */
  private lineLength = 0;
  private lineBeginning = Buffer.alloc(0);
  private lineTail = Buffer.alloc(0);

  /** `onTooLong` gets the id of a message that is too long; null if it is not known. */
  constructor(
    private readonly onTooLong: (id: string | number | null) => void,
    private readonly maxBytes = MAX_MESSAGE_BYTES,
  ) {
    super();
  }

  /** The number of bytes of the current line that are in memory. */
  get storedByteCount(): number {
    return this.lineParts.reduce((sum, part) => sum + part.length, this.lineBeginning.length + this.lineTail.length);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.addPart(chunk.subarray(start, end + 1));
      this.endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.addPart(chunk.subarray(start));
    done();
  }

  private addPart(part: Buffer): void {
    this.lineLength += part.length;
    if (this.lineBeginning.length < BYTES_SEARCHED_FOR_ID)
      this.lineBeginning = Buffer.concat([this.lineBeginning, part.subarray(0, BYTES_SEARCHED_FOR_ID)]).subarray(
        0,
        BYTES_SEARCHED_FOR_ID,
      );
    this.lineTail = Buffer.concat([this.lineTail, part.subarray(-BYTES_SEARCHED_FOR_ID)]).subarray(
      -BYTES_SEARCHED_FOR_ID,
    );
    if (this.lineLength > this.maxBytes) this.lineParts = [];
    else this.lineParts.push(part);
  }

  private endLine(): void {
    if (this.lineLength <= this.maxBytes) this.push(Buffer.concat(this.lineParts));
    else this.onTooLong(idOfMessage(this.lineBeginning.toString(), this.lineTail.toString()));
    this.lineParts = [];
    this.lineLength = 0;
    this.lineBeginning = Buffer.alloc(0);
    this.lineTail = Buffer.alloc(0);
  }
}

/**
 * The id of a message, from the beginning and the end of its line. Finds the id if it is one of the
 * first members or the last member, where clients write it. Otherwise null, because a value inside
 * of the message can look like an id.
 */
function idOfMessage(beginning: string, ending: string): string | number | null {
  const idMatch =
    /^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*"id"\s*:\s*(\d{1,15}|"[^"\\]*")\s*,/.exec(beginning) ??
    /,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]*")\s*\}\s*$/.exec(ending);
  return idMatch ? (JSON.parse(idMatch[1]!) as string | number) : null;
}
