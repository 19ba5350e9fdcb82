/**
 * Edits the text of `.httpd-upgrade.json` to record answers and settings. Everything else in the
 * file stays, including comments. All functions are pure.
 */
import { getLocation, parse, type Edit, type ParseError } from 'jsonc-parser';
import { DONT_KNOW_LABEL, dontKnowText, markOfUsualAnswer } from '../../server/src/analysis/question-surfaces';
import { editsThatSet } from '../../server/src/settings/json';

/** A question of the upgrade plan, with the texts that a hover on its id shows. */
export interface DescribedQuestion {
  readonly id: string;
  readonly question: string;
  readonly why: string;
  readonly ifUnknown: string;
  readonly answers: readonly { readonly value: string; readonly label: string }[];
}

/** The value of a property in `.httpd-upgrade.json`. */
export type PropertyValue = string | readonly string[];

/**
 * The list of the setting `unused` with one more file. Its paths are relative to the directory of
 * the settings file. Null if the file is not below that directory, or is already in the list.
 */
export function unusedListWith(text: string, settings: FileWithPath, file: FileWithPath): readonly string[] | null {
  const folder = settings.path.slice(0, settings.path.lastIndexOf('/') + 1);
  if (!file.path.startsWith(folder)) return null;
  const { unused } = (parse(text) ?? {}) as { readonly unused?: unknown };
  const unusedPaths = Array.isArray(unused) ? unused.filter((each) => typeof each === 'string') : [];
  const relativePath = file.path.slice(folder.length);
  return unusedPaths.includes(relativePath) ? null : [...unusedPaths, relativePath];
}

/** The part of `vscode.Uri` that this file needs. */
interface FileWithPath {
  readonly path: string;
}

/**
 * The edits that set a property of the JSON text, and create the objects around it if needed.
 * `path`: the names of these objects and of the property. An undefined value removes the property.
 * Null if the text is not a JSON object.
 */
export function propertyEdits(text: string, path: readonly string[], value: PropertyValue | undefined): Edit[] | null {
  const problems: ParseError[] = [];
  const isEmpty = text.trim() === '';
  const parsedFile: unknown = isEmpty ? {} : parse(text, problems, { allowTrailingComma: true });
  if (problems.length > 0 || typeof parsedFile !== 'object' || parsedFile === null || Array.isArray(parsedFile))
    return null;
  if (!isEmpty) return editsThatSet(text, path, value);
  const content = path.reduceRight<unknown>((innerValue, name) => ({ [name]: innerValue }), value);
  return value === undefined
    ? []
    : [{ offset: 0, length: text.length, content: `${JSON.stringify(content, null, 2)}\n` }];
}

/**
 * The path of a chosen directory of this machine, relative to `folder`, the directory of the
 * settings file. Null if the chosen directory is not below `folder`.
 */
export function relativePathFrom(
  folder: { readonly path: string },
  chosenUri: { readonly path: string },
): string | null {
  const folderPath = folder.path.replace(/\/?$/, '/');
  const chosenPath = chosenUri.path.replace(/\/?$/, '/');
  if (chosenPath === folderPath) return '.';
  return chosenPath.startsWith(folderPath) ? chosenPath.slice(folderPath.length, -1) : null;
}

/**
 * The property to write when the user has chosen the directory with a copy of the server's files.
 * If the question is about a path of the server, the property is an entry of `pathMap`. Otherwise,
 * it is the answer: `value` followed by the path of the copy.
 */
export function propertyForCopy(
  { id, subject }: { readonly id: string; readonly subject: string },
  value: string,
  path: string,
): { readonly path: readonly string[]; readonly value: string } {
  return subject.startsWith('/')
    ? { path: ['pathMap', subject], value: path }
    : { path: ['answers', id], value: `${value}${path}` };
}

/**
 * What can be completed at an offset:
 * - kind `id`: the id of a question; `id` is the text of the incomplete id;
 * - kind `value`: an answer to the question with this `id`.
 */
export type CompletionPlace =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'value'; readonly id: string };

/** What can be completed at an offset of `.httpd-upgrade.json`; null outside of `answers`. */
export function completionPlaceAt(text: string, offset: number): CompletionPlace | null {
  const { path, isAtPropertyKey } = getLocation(text, offset);
  if (path.length !== 2 || path[0] !== 'answers' || typeof path[1] !== 'string') return null;
  return { kind: isAtPropertyKey ? 'id' : 'value', id: path[1] };
}

/** The text of the hover on the id of a question, as Markdown. */
export function questionMarkdown({ id, question, why, answers, ifUnknown }: DescribedQuestion): string {
  const answerRows = answers.map(
    ({ value, label }, index) =>
      `- \`${value}\`: ${label}${markOfUsualAnswer(id, index, value) && ' (the usual answer)'}`,
  );
  return [
    `**${question}**`,
    why.replace(/\n(?!- )/g, '\n\n'),
    [...answerRows, `- ${DONT_KNOW_LABEL}: ${dontKnowText(ifUnknown)}`].join('\n'),
  ].join('\n\n');
}
