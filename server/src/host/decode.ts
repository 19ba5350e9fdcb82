/**
 * Converts bytes to text and back without loss. httpd reads bytes; editors and this program work
 * with text. A file is read as UTF-8 if it is valid UTF-8, otherwise as ISO 8859-1 (each byte is
 * the character with the same number), so that writing gives the same bytes again. A byte order
 * mark stays in the text, because httpd reads it, too.
 */
export type Encoding = 'utf-8' | 'latin1';

/** The text of a file with its encoding, or why there is none. */
export type Decoded =
  | { readonly text: string; readonly encoding: Encoding }
  /** Why the bytes are not a configuration. httpd cannot read them, either. */
  | { readonly problem: string };

/** Decodes the bytes of a file. */
export function decode(bytes: Uint8Array): Decoded {
  if (startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff])) {
    return { problem: 'is UTF-16, which httpd does not read; save it as UTF-8' };
  }
  if (looksBinary(bytes)) return { problem: 'is a binary file' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    return { text: fromLatin1(bytes), encoding: 'latin1' };
  }
}

/** The bytes of a text; null if the encoding has no byte for a character. */
export function encode(text: string, encoding: Encoding): Uint8Array | null {
  if (encoding === 'utf-8') return new TextEncoder().encode(text);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0xff) return null;
    bytes[i] = code;
  }
  return bytes;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The number of bytes at the beginning that `looksBinary` tests. */
const SAMPLE_SIZE = 8192;

/**
 * Whether the first bytes have a NUL, and more than a fiftieth of them are NULs or other control
 * characters. A few of them may be mistakes in a text; many mean binary data.
 */
function looksBinary(bytes: Uint8Array): boolean {
  let nulCount = 0;
  let controlCount = 0;
  const sampleEnd = Math.min(SAMPLE_SIZE, bytes.length);
  for (let i = 0; i < sampleEnd; i++) {
    const byte = bytes[i]!;
    if (byte === 0) nulCount++;
    else if (byte < 32 && (byte < 7 || byte > 13) && byte !== 27) controlCount++;
  }
  return nulCount > 0 && (nulCount + controlCount) * 50 > sampleEnd;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

/**
 * Decodes ISO 8859-1. TextDecoder cannot: its "latin1" is windows-1252, which differs between 0x80
 * and 0x9f.
 */
function fromLatin1(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length; i += 8192) pieces.push(String.fromCharCode(...bytes.subarray(i, i + 8192)));
  return pieces.join('');
}
