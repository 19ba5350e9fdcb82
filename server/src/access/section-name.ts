/** Names of sections for users. */
import type { Scope } from '../config/configuration';
import { spelledName } from '../syntax/line';
import type { Entry } from './section-order';

/**
 * The subject of the question whether two sections apply to the same request: both names.
 * `writtenName` is the first part and `secondNameOfMeeting` the second.
 */
export function meetingOf(first: Entry, second: Entry): string {
  return `${writtenName(first)}${secondNameOfMeeting(second)}`;
}

/** The name of the first section in such a subject. */
export function writtenName({ scope }: Entry): string {
  return scope.section?.open.text.trim() ?? nameOf(scope);
}

/** The part of such a subject after the first section. */
export function secondNameOfMeeting(second: Entry): string {
  return ` and ${writtenName(second)}`;
}

/** The name of a section in texts: its tag as written, on one line and with variables replaced. */
export function nameOf({ kind, folder, section, words }: Scope): string {
  if (kind === 'htaccess') return `the .htaccess file in ${folder}`;
  const written = section?.open.text.trim() ?? '';
  if (/^<[^$\\\n]*>$/.test(written)) return written;
  return `<${section ? spelledName(section.open) : kind}${words.length > 0 ? ` ${words.join(' ')}` : ''}>`;
}
