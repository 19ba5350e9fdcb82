/** Makes the names of sections that texts for users show. */
import type { Scope } from '../config/configuration';
import { spelledName } from '../syntax/line';
import type { SectionEntry } from './section-order';

/**
 * The subject of an `overlap` question. The question is whether `secondSection` applies to a
 * request to which one of `firstSections` applies. The subject ends in `secondPartOfSubject`.
 */
export function overlapSubject(firstSections: readonly SectionEntry[], secondSection: SectionEntry): string {
  return `${firstSections.map(writtenName).join(OR)}${secondPartOfSubject(secondSection)}`;
}

/**
 * Whether the first part of the subject of an `overlap` question names a section. `name`: the
 * `writtenName` of that section.
 */
export function isAmongNames(firstPart: string, name: string): boolean {
  return `${OR}${firstPart}${OR}`.includes(`${OR}${name}${OR}`);
}

const OR = ' or ';

/** The name of a section in the subject of an `overlap` question. */
export function writtenName({ scope }: SectionEntry): string {
  return scope.section?.open.text.trim() ?? sectionName(scope);
}

/** The end of the subject of an `overlap` question: the part that names the second section. */
export function secondPartOfSubject(secondSection: SectionEntry): string {
  return ` and ${writtenName(secondSection)}`;
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
