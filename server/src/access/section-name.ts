/** Makes the names of sections for users. */
import type { Scope } from '../config/configuration';
import { spelledName } from '../syntax/line';
import type { SectionEntry } from './section-order';

/**
 * The subject of an `overlap` question, which asks whether two sections apply to the same request:
 * the names of both. `writtenName` is its first part and `secondPartOfSubject` its second.
 */
export function overlapSubject(first: SectionEntry, second: SectionEntry): string {
  return `${writtenName(first)}${secondPartOfSubject(second)}`;
}

/** The name of the first section in the subject of an `overlap` question. */
export function writtenName({ scope }: SectionEntry): string {
  return scope.section?.open.text.trim() ?? sectionName(scope);
}

/** The part of that subject after the name of the first section. */
export function secondPartOfSubject(second: SectionEntry): string {
  return ` and ${writtenName(second)}`;
}

/**
 * The name of a section in texts: its tag as written. If the tag has a variable or several lines,
 * the name has the values and is on one line.
 */
export function sectionName({ kind, folder, section, words }: Scope): string {
  // A .htaccess file outside of any configuration has the folder `/`.
  if (kind === 'htaccess') return folder === '/' ? 'the .htaccess file' : `the .htaccess file in ${folder}`;
  const tagText = section?.open.text.trim() ?? '';
  if (/^<[^$\\\n]*>$/.test(tagText)) return tagText;
  return `<${section ? spelledName(section.open) : kind}${words.length > 0 ? ` ${words.join(' ')}` : ''}>`;
}
