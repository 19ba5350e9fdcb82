import path from 'node:path';

/** The path relative to the current directory, if that is shorter; otherwise the path itself. */
export function shortPath(file: string): string {
  const relativePath = path.relative('', file);
  return relativePath !== '' && relativePath.length < file.length ? relativePath : file;
}
