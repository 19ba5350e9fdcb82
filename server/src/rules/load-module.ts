/** What the rules about LoadModule have in common. */
import { argumentsOf, type Line, type Word } from '../syntax/line';
import { isVariable } from './edits';
import type { Edit } from './rule';

export interface LoadModule {
  /** As in `alias_module`. */
  readonly identifier: Word;
  readonly file: Word;
  /** The file's last component: `mod_alias.so`. */
  readonly fileName: string;
}

/** The two arguments of a LoadModule line; null where it has not two, or where they have variables. */
export function loadModuleOf(line: Line): LoadModule | null {
  const [identifier, file, ...more] = argumentsOf(line);
  if (identifier === undefined || file === undefined || more.length > 0 || isVariable(identifier) || isVariable(file)) return null;
  return { identifier, file, fileName: file.value.slice(Math.max(file.value.lastIndexOf('/'), file.value.lastIndexOf('\\')) + 1) };
}

/** Edits that make a LoadModule line load another of httpd's modules from the same folder: `cache_disk` for cache_disk_module. */
export function loadInstead({ identifier, file, fileName }: LoadModule, name: string): Edit[] {
  const end = endInQuotes(file);
  return [
    { start: identifier.start + (identifier.quote === '' ? 0 : 1), end: endInQuotes(identifier), text: `${name}_module` },
    { start: end - fileName.length, end, text: `mod_${name}.so` },
  ];
}

/** The end of what a word says. */
export function endInQuotes(word: Word): number {
  return word.quote !== '' && word.isTerminated ? word.end - 1 : word.end;
}
