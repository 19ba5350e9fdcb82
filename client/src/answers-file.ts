/** `.httpd-upgrade.json` as answers are written into it: what else stands there stays, comments too. Values only. */
import { applyEdits, getLocation, parse, type Edit, type ParseError } from 'jsonc-parser';
import { editsThatSet } from '../../server/src/settings/json';

export interface Asked {
  readonly id: string;
  readonly question: string;
  readonly why: string;
  readonly answers: readonly { readonly value: string; readonly label: string }[];
}

export type Value = string | readonly string[];

/** What `unused` is with one more file, named from the directory of the settings file; null where that file does not lie above it, or lists it already. */
export function withUnused(text: string, settings: Located, file: Located): readonly string[] | null {
  const folder = settings.path.slice(0, settings.path.lastIndexOf('/') + 1);
  if (!file.path.startsWith(folder)) return null;
  const { unused } = (parse(text) ?? {}) as { readonly unused?: unknown };
  const known = Array.isArray(unused) ? unused.filter((each) => typeof each === 'string') : [];
  const name = file.path.slice(folder.length);
  return known.includes(name) ? null : [...known, name];
}

interface Located {
  readonly path: string;
}

/** The edits that set a property, or take it away (undefined), with the objects around it where need be; null for a text that is no JSON object. */
export function propertyEdits(text: string, path: readonly string[], value: Value | undefined): Edit[] | null {
  const problems: ParseError[] = [];
  const isEmpty = text.trim() === '';
  const whole: unknown = isEmpty ? {} : parse(text, problems, { allowTrailingComma: true });
  if (problems.length > 0 || typeof whole !== 'object' || whole === null || Array.isArray(whole)) return null;
  if (!isEmpty) return editsThatSet(text, path, value);
  const content = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return value === undefined
    ? []
    : [{ offset: 0, length: text.length, content: `${JSON.stringify(content, null, 2)}\n` }];
}

/** The text after that. */
export function withProperty(text: string, path: readonly string[], value: Value | undefined): string | null {
  const edits = propertyEdits(text, path, value);
  return edits && applyEdits(text, edits);
}

/** A directory of this machine as the file names it, from the file's own directory; null where it does not lie below that. */
export function pathFrom(folder: { readonly path: string }, chosen: { readonly path: string }): string | null {
  const own = folder.path.replace(/\/?$/, '/');
  const there = chosen.path.replace(/\/?$/, '/');
  if (there === own) return '.';
  return there.startsWith(own) ? there.slice(own.length, -1) : null;
}

/**
 * What is written where a person has chosen a copy of the files: for a path of the server, where it lies here; else the answer itself, which ends with the path. `value`
 * is the answer without it.
 */
export function copyAnswer(
  { id, subject }: { readonly id: string; readonly subject: string },
  value: string,
  path: string,
): { readonly path: readonly string[]; readonly value: string } {
  return subject.startsWith('/')
    ? { path: ['pathMap', subject], value: path }
    : { path: ['answers', id], value: `${value}${path}` };
}

/** What may stand at an offset: ids of questions that are asked, or answers to one of them; null where neither belongs. */
export type Place = { readonly is: 'id'; readonly id: string } | { readonly is: 'value'; readonly id: string };

export function placeAt(text: string, offset: number): Place | null {
  const { path, isAtPropertyKey } = getLocation(text, offset);
  if (path.length !== 2 || path[0] !== 'answers' || typeof path[1] !== 'string') return null;
  return { is: isAtPropertyKey ? 'id' : 'value', id: path[1] };
}

/** What is said of a question where its id stands. */
export function questionMarkdown({ question, why, answers }: Asked): string {
  return [`**${question}**`, why, answers.map(({ value, label }) => `- \`${value}\`: ${label}`).join('\n')].join(
    '\n\n',
  );
}
