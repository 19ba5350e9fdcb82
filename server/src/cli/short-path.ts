import path from 'node:path';

/** The path relative to the current directory, if that is shorter; otherwise the path itself. */
export function shortPath(file: string): string {
  const relative = path.relative('', file);
  return relative !== '' && relative.length < file.length ? relative : file;
}
