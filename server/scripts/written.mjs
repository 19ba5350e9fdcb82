// Writes the results of generators. With `--check` it only reports what it would write, and fails
// if there is something.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** A file's text, by its path from the root; '' where there is none. */
export function read(file) {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return '';
  }
}

/**
 * Writes the texts that differ from what is there, by their paths from the root. `extra`: paths of
 * files that are to go.
 */
export function write(texts, extra = []) {
  const isCheck = process.argv.includes('--check');
  const stale = Object.keys(texts).filter((file) => read(file) !== texts[file]);
  for (const file of stale) console.log(`${isCheck ? 'stale' : 'written'}: ${file}`);
  for (const file of extra) console.log(`${isCheck ? 'stale' : 'removed'}: ${file}`);
  if (isCheck) {
    if (stale.length + extra.length > 0) process.exitCode = 1;
    return;
  }
  for (const file of stale) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), texts[file]);
  }
  for (const file of extra) rmSync(path.join(root, file));
}
