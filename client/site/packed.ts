/** Links that hold a configuration, and archives. */
import { deflateSync, Inflate, strFromU8, strToU8, zipSync } from 'fflate';
import { encode } from '../../server/src/host/decode';
import type { Requests, SharedState, Texts } from './protocol';

/** Limit for the text that a link may unfold to, in bytes: a short link can unfold to much. */
const MOST_UNPACKED = 8_000_000;

/** The state as letters, digits, `-` and `_`, for the part of an address after `#`. */
export function pack(state: SharedState): string {
  const bytes = deflateSync(strToU8(JSON.stringify(state)), { level: 9 });
  let characters = '';
  // A call takes only a limited number of arguments.
  for (let i = 0; i < bytes.length; i += 8192) characters += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(characters).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** The reverse of `pack`; null if the text is damaged, too large or of another kind. */
export function unpack(packed: string): SharedState | null {
  try {
    const characters = atob(packed.replace(/-/g, '+').replace(/_/g, '/'));
    const state: unknown = JSON.parse(inflated(Uint8Array.from(characters, (each) => each.charCodeAt(0))));
    if (!isTexts((state as SharedState)?.files) || !isTexts((state as SharedState)?.answers)) return null;
    const { files, answers } = state as SharedState;
    return Object.keys(files).length > 0 ? { files, answers } : null;
  } catch {
    return null;
  }
}

/** One file as bytes, several as an archive. A file that its encoding cannot hold becomes UTF-8. */
export function save({ files, encodings }: Parameters<Requests['save']>[0]): Uint8Array {
  const all = Object.entries(files).map(([name, text]): [string, Uint8Array] => [
    name.replace(/^\/+/, ''),
    encode(text, encodings[name] ?? 'utf-8') ?? strToU8(text),
  ]);
  return all.length === 1 ? all[0]![1] : zipSync(Object.fromEntries(all));
}

// ---------------------------------------------------------------------------------------------------------------------

function inflated(bytes: Uint8Array): string {
  const parts: Uint8Array[] = [];
  let size = 0;
  const inflate = new Inflate((part) => {
    size += part.length;
    if (size > MOST_UNPACKED) throw new Error('too large');
    parts.push(part);
  });
  // In pieces, so that it ends before a large text is in memory.
  for (let i = 0; i < bytes.length; i += 4096) inflate.push(bytes.subarray(i, i + 4096), i + 4096 >= bytes.length);
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return strFromU8(all);
}

function isTexts(value: unknown): value is Texts {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string')
  );
}
