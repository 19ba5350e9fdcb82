/** What people call a section. */
import type { Scope } from '../config/configuration';
import { spelledName } from '../syntax/line';
import type { Entry } from './section-order';

/** The subject of the question whether two sections meet, as their tags are written. */
export function meetingOf(first: Entry, second: Entry): string {
  return `${writtenName(first)}${behindMeeting(second)}`;
}

/** How a section begins in such a subject, as the first of the two. */
export function writtenName({ scope }: Entry): string {
  return scope.section?.open.text.trim() ?? nameOf(scope);
}

/** What follows the name of the first one there. */
export function behindMeeting(second: Entry): string {
  return ` and ${writtenName(second)}`;
}

/** What people call a section: as its tag is written, unless variables or continuations are in it. */
export function nameOf({ kind, folder, section, words }: Scope): string {
  if (kind === 'htaccess') return `the .htaccess file in ${folder}`;
  const written = section?.open.text.trim() ?? '';
  if (/^<[^$\\\n]*>$/.test(written)) return written;
  return `<${section ? spelledName(section.open) : kind}${words.length > 0 ? ` ${words.join(' ')}` : ''}>`;
}
