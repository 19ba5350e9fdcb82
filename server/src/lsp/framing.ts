/**
 * Checks the framing of messages on stdio: a header with the length of a message, then the message.
 * After a wrong length, no later message can be read, and a client that waits for a reply would
 * wait forever. So the server has to end. This class only finds the mistake.
 */

/** Limit for a header in bytes. A valid header has two short lines. */
const MAX_HEADER_BYTES = 4096;

/** Limit for a message in bytes; no valid message is as long. */
const MAX_MESSAGE_BYTES = 1024 ** 3;

const LINE_FEED = 10;
const QUOTE = 34;
const BACKSLASH = 92;

/** Checks the messages in a stream of the language server protocol while their bytes arrive. */
export class FrameChecker {
  /** The received part of the header, which is ASCII. */
  private header = '';
  /** The number of bytes of the message that are still missing; null while reading a header. */
  private missingBytes: number | null = null;
  /** The received parts of an incomplete message. */
  private receivedParts: Uint8Array[] = [];

  /** Checks the next bytes. Returns what is wrong, as a sentence; null if nothing is wrong. */
  push(bytes: Uint8Array): string | null {
    for (let index = 0; index < bytes.length; ) {
      if (this.missingBytes === null) {
        const lineFeedIndex = bytes.indexOf(LINE_FEED, index);
        const lineEnd = lineFeedIndex < 0 ? bytes.length : lineFeedIndex + 1;
        if (this.header.length + lineEnd - index > MAX_HEADER_BYTES) return 'a header has no end';
        this.header += String.fromCharCode(...bytes.subarray(index, lineEnd));
        index = lineEnd;
        const problem = this.readHeader();
        if (problem !== null) return problem;
        continue;
      }
      const bodyEnd = Math.min(bytes.length, index + this.missingBytes);
      this.missingBytes -= bodyEnd - index;
      if (this.missingBytes > 0) this.receivedParts.push(bytes.subarray(index, bodyEnd));
      else [this.missingBytes, this.receivedParts] = [null, []];
      index = bodyEnd;
    }
    return null;
  }

  /**
   * Whether the header gives too large a length: the bytes so far are already a complete JSON
   * value. Valid only when no more bytes arrive.
   */
  get isLengthTooLarge(): boolean {
    return this.receivedParts.length > 0 && isCompleteJson(this.receivedParts);
  }

  /** Whether the beginning of a message was received, but not its end. */
  get isMessageIncomplete(): boolean {
    return this.receivedParts.length > 0;
  }

  /**
   * Reads the received header if it is complete. Returns what is wrong with it; null if nothing.
   */
  private readHeader(): string | null {
    const { header } = this;
    // After a wrong length, the next bytes do not look like a header.
    if (!HEADER_LINE.test(header.slice(header.lastIndexOf('\n', header.length - 2) + 1)))
      return 'something that is no header stands between two messages';
    if (!header.endsWith('\r\n\r\n') && header !== '\r\n') return null;
    const contentLength = /^content-length:[ \t]*(\d+)[ \t]*\r$/im.exec(header)?.[1];
    if (contentLength === undefined) return 'a header has no Content-Length';
    if (Number(contentLength) > MAX_MESSAGE_BYTES) return `a message of ${contentLength} bytes is too long`;
    this.header = '';
    this.missingBytes = Number(contentLength) === 0 ? null : Number(contentLength);
    return null;
  }
}

/** Matches a line of a header, complete or not. */
const HEADER_LINE = /^(?:[A-Za-z-]+(?::.*)?\r?\n?|\r?\n?)$/;

/**
 * Whether the bytes contain a complete JSON object or list, from its first bracket to its last.
 * Bytes after it do not matter.
 */
function isCompleteJson(receivedParts: readonly Uint8Array[]): boolean {
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  for (const part of receivedParts)
    for (const byte of part) {
      if (isEscaped) isEscaped = false;
      else if (isInText) {
        if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInText = false;
      } else if (byte === QUOTE) isInText = true;
      else if (OPEN_BRACKETS.includes(byte)) depth++;
      else if (CLOSE_BRACKETS.includes(byte) && --depth <= 0) return true;
    }
  return false;
}

/** Character codes of `[` and `{`. */
const OPEN_BRACKETS: readonly number[] = [91, 123];
const CLOSE_BRACKETS: readonly number[] = [93, 125];
