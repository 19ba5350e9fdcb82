/** The files of server/src, and what they import. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';

export const SOURCES = path.join(repositoryRoot, 'server', 'src');

/** The TypeScript files in and below a folder, with their full paths. */
export function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return sources(full);
    return entry.name.endsWith('.ts') ? [full] : [];
  });
}

/** What a file imports, as it is written, types included. */
export function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [
    ...text.matchAll(
      /^\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|\brequire\(\s*['"]([^'"]+)['"]/gm,
    ),
  ].map((match) => match[1] ?? match[2] ?? match[3]);
}

/** The files of ours that a file imports, with their full paths. */
export function importedFiles(file: string): string[] {
  return importsOf(file)
    .filter((imported) => imported.startsWith('.'))
    .map((imported) => `${path.resolve(path.dirname(file), imported)}.ts`)
    .filter((imported) => existsSync(imported));
}
