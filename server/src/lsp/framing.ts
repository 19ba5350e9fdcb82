/**
 * Checks the frames of the protocol over stdio: a header with the length of the message, then the
 * message. After a wrong length, nothing that follows can be read: the server then has to end,
 * because a client that waits for an answer would wait forever. Only observes the bytes.
 */

/** A header has two short lines. */
const MOST_HEADER = 4096;

/** No valid message has so many bytes. */
const MOST_BODY = 1024 ** 3;

const LF = 10;
const QUOTE = 34;
const BACKSLASH = 92;

export class Framing {
  /** The header so far, as text; headers are ASCII. */
  private header = '';
  /** Missing bytes of the message; null in a header. */
  private missing: number | null = null;
  /** The parts of an incomplete message. */
  private parts: Uint8Array[] = [];

  /** Checks the next bytes. Returns the problem with the frames, or null. */
  push(bytes: Uint8Array): string | null {
    for (let index = 0; index < bytes.length; ) {
      if (this.missing === null) {
        const line = bytes.indexOf(LF, index);
        const end = line < 0 ? bytes.length : line + 1;
        if (this.header.length + end - index > MOST_HEADER) return 'a header has no end';
        this.header += String.fromCharCode(...bytes.subarray(index, end));
        index = end;
        const problem = this.readHeader();
        if (problem !== null) return problem;
        continue;
      }
      const end = Math.min(bytes.length, index + this.missing);
      this.missing -= end - index;
      if (this.missing > 0) this.parts.push(bytes.subarray(index, end));
      else [this.missing, this.parts] = [null, []];
      index = end;
    }
    return null;
  }

  /**
   * Whether a message waits for more bytes although it is a complete value: its length is too
   * large. Check it when no more bytes come.
   */
  get isStuck(): boolean {
    return this.parts.length > 0 && isWhole(this.parts);
  }

  get isWaiting(): boolean {
    return this.parts.length > 0;
  }

  private readHeader(): string | null {
    const { header } = this;
    // The rest of a message with a wrong length does not look like a header.
    if (!NAME.test(header.slice(header.lastIndexOf('\n', header.length - 2) + 1)))
      return 'something that is no header stands between two messages';
    if (!header.endsWith('\r\n\r\n') && header !== '\r\n') return null;
    const length = /^content-length:[ \t]*(\d+)[ \t]*\r$/im.exec(header)?.[1];
    if (length === undefined) return 'a header has no Content-Length';
    if (Number(length) > MOST_BODY) return `a message of ${length} bytes is too long`;
    this.header = '';
    this.missing = Number(length) === 0 ? null : Number(length);
    return null;
  }
}

/** A line of a header, or the beginning of one. */
const NAME = /^(?:[A-Za-z-]+(?::.*)?\r?\n?|\r?\n?)$/;

/** Whether the bytes are a JSON value from the first brace to the last, whatever comes after. */
function isWhole(parts: readonly Uint8Array[]): boolean {
  let depth = 0;
  let isInText = false;
  let isQuoted = false;
  for (const part of parts)
    for (const byte of part) {
      if (isQuoted) isQuoted = false;
      else if (isInText) {
        if (byte === BACKSLASH) isQuoted = true;
        else if (byte === QUOTE) isInText = false;
      } else if (byte === QUOTE) isInText = true;
      else if (OPENS.includes(byte)) depth++;
      else if (CLOSES.includes(byte) && --depth <= 0) return true;
    }
  return false;
}

/** Brackets and braces. */
const OPENS: readonly number[] = [91, 123];
const CLOSES: readonly number[] = [93, 125];
