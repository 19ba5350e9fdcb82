/** What people call a section. */
import type { Scope } from '../config/configuration';
import { spelledName } from '../syntax/line';
import type { Entry } from './section-order';

/** The subject of the question whether two sections meet, as their tags are written. */
export function meetingOf(first: Entry, second: Entry): string {
  const written = ({ scope }: Entry) => scope.section?.open.text.trim() ?? nameOf(scope);
  return `${written(first)} and ${written(second)}`;
}

/** What people call a section: as its tag is written, unless variables or continuations are in it. */
export function nameOf({ kind, folder, section, words }: Scope): string {
  if (kind === 'htaccess') return `the .htaccess file in ${folder}`;
  const written = section?.open.text.trim() ?? '';
  if (/^<[^$\\\n]*>$/.test(written)) return written;
  return `<${section ? spelledName(section.open) : kind}${words.length > 0 ? ` ${words.join(' ')}` : ''}>`;
}
