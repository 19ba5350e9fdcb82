/** The corpus as single files: which parts of each are checked, and in which context. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { decode } from '../../server/src/host/decode';
import { corpusFolder } from '../support/paths';

export interface CorpusFile {
  /** Below the corpus. */
  readonly name: string;
  readonly text: string;
  readonly isHtaccess: boolean;
}

/** What reads other files or loads modules is emptied: a file is looked at by itself here. */
export function corpusFiles(): CorpusFile[] {
  return walk(corpusFolder).flatMap((file) => {
    const name = path.relative(corpusFolder, file);
    if (!name.includes(path.sep)) return [];
    const decoded = decode(readFileSync(file));
    return 'text' in decoded
      ? [{ name, text: alone(decoded.text), isHtaccess: path.basename(file) === '.htaccess' }]
      : [];
  });
}

function alone(text: string): string {
  return text.replace(/^[ \t]*(LoadModule|LoadFile|AddModule|ClearModuleList|Include(Optional)?)\b[^\n]*$/gim, '');
}

function walk(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const full = path.join(folder, name);
      return statSync(full).isDirectory() ? walk(full) : [full];
    });
}
