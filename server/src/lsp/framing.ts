/**
 * The frames of the protocol over stdio: a header with the length of the message, and the message. Once a length is wrong, nothing that follows can be read: then the server
 * has to end, because a client that waits for an answer waits forever. Looks at the bytes that pass, and changes none.
 */

/** A header is two lines of a few words. */
const MOST_HEADER = 4096;

/** A message of this many bytes does not come. */
const MOST_BODY = 1024 ** 3;

const LF = 10;
const QUOTE = 34;
const BACKSLASH = 92;

export class Framing {
  /** The header so far, as text; what it has is ASCII. */
  private header = '';
  /** Bytes of the message that are still to come; null in a header. */
  private missing: number | null = null;
  /** The message so far, while it is not whole. */
  private parts: Uint8Array[] = [];

  /** Looks at the next bytes. Returns what is wrong with the frames, or null. */
  push(bytes: Uint8Array): string | null {
    for (let at = 0; at < bytes.length; ) {
      if (this.missing === null) {
        const line = bytes.indexOf(LF, at);
        const end = line < 0 ? bytes.length : line + 1;
        if (this.header.length + end - at > MOST_HEADER) return 'a header has no end';
        this.header += String.fromCharCode(...bytes.subarray(at, end));
        at = end;
        const problem = this.readHeader();
        if (problem !== null) return problem;
        continue;
      }
      const end = Math.min(bytes.length, at + this.missing);
      this.missing -= end - at;
      if (this.missing > 0) this.parts.push(bytes.subarray(at, end));
      else [this.missing, this.parts] = [null, []];
      at = end;
    }
    return null;
  }

  /** Whether a message waits for more bytes although it is a whole value already: its length is too large. To be asked when nothing comes any more. */
  get isStuck(): boolean {
    return this.parts.length > 0 && isWhole(this.parts);
  }

  get isWaiting(): boolean {
    return this.parts.length > 0;
  }

  private readHeader(): string | null {
    const { header } = this;
    // The first letters tell: what is left of a message with a wrong length is no header.
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

/** The beginning of a line of a header, its end, or as much of it as there is. */
const NAME = /^(?:[A-Za-z-]+(?::.*)?\r?\n?|\r?\n?)$/;

/** Whether the bytes are a value of JSON from its first brace to its last, whatever comes after. */
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
