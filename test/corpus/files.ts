/** The files of the corpus, if present: their kinds and their texts. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { decode } from '../../server/src/host/decode';
import { corpusFolder } from '../support/paths';

export type CorpusKind = 'htaccess' | 'vhost' | 'conf.d' | 'server-config' | 'tree-root';

export interface CorpusFile {
  /** Below the corpus. */
  readonly path: string;
  readonly kind: CorpusKind;
  readonly text: string;
  /** As the program itself decides it, by the name. */
  readonly isHtaccess: boolean;
}

/**
 * The files that MANIFEST.tsv names, once each by content, in its order. Those that are no text are
 * left out.
 */
export function corpusFiles(): CorpusFile[] {
  const seen = new Set<string>();
  return rows('MANIFEST.tsv').flatMap(([file, , , , , kind]) => {
    const text = corpusText(file);
    if (text === null || seen.has(`${kind} ${text}`)) return [];
    seen.add(`${kind} ${text}`);
    return [{ path: file, kind: kind as CorpusKind, text, isHtaccess: isHtaccess(file) }];
  });
}

/** Rows of a table of the corpus, without its head. */
export function rows(table: string): string[][] {
  return readFileSync(path.join(corpusFolder, table), 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((row) => row.split('\t'));
}

/** The text of a file of the corpus; null where there is none. */
export function corpusText(file: string): string | null {
  const full = path.join(corpusFolder, file);
  if (!existsSync(full)) return null;
  const decoded = decode(readFileSync(full));
  return 'text' in decoded ? decoded.text : null;
}

export function isHtaccess(file: string): boolean {
  return /(^|\/)\.?htaccess[^/]*$/.test(file);
}
