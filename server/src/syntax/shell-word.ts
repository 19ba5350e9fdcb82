import { hasHiddenCharacter, isInvisible } from './hidden-text';

/**
 * Quotes a word for a shell. With `isPattern`, wildcards are not quoted, so the shell expands them.
 * Invisible characters become escapes that bash, zsh and ksh read: `$'a\xe2\x80\xae'`.
 */
export function shellWord(word: string, isPattern = false): string {
  if (isPattern ? /^[\w@%+=:,./*?[\]-]+$/.test(word) : /^[\w@%+=:,./-]+$/.test(word)) return word;
  if (hasHiddenCharacter(word)) return `$'${[...word].map(escapedForShell).join('')}'`;
  return `'${word.replace(/'/g, "'\\''")}'`;
}

/**
 * Quotes a path for a shell. A path that looks like an option, such as `--write`, gets `./` before
 * it. `-` stays: it means standard input.
 */
export function shellPath(path: string): string {
  return shellWord(/^-./.test(path) ? `./${path}` : path);
}

function escapedForShell(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`;
  if (!isInvisible(character) && !/[\0-\x1f\x7f-\x9f]/.test(character)) return character;
  return utf8Bytes(character.codePointAt(0)!)
    .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
    .join('');
}

function utf8Bytes(code: number): number[] {
  if (code < 0x80) return [code];
  const continuationByte = (bits: number) => 0x80 | ((code >> bits) & 0x3f);
  if (code < 0x800) return [0xc0 | (code >> 6), continuationByte(0)];
  if (code < 0x10000) return [0xe0 | (code >> 12), continuationByte(6), continuationByte(0)];
  return [0xf0 | (code >> 18), continuationByte(12), continuationByte(6), continuationByte(0)];
}
