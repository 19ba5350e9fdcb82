/**
 * Rules for showing questions, which all surfaces follow. Pure. Clients import it without the texts
 * of the questions.
 */

/** Kinds of questions whose first answer cannot open access, even if it is wrong. */
const HARMLESS: ReadonlySet<string> = new Set(['mpm', 'rewrite-log', 'php', 'defaults', 'modules']);

/**
 * Whether a wrong answer to a question of this kind can open access. Then a surface must not
 * preselect an answer.
 */
export function canOpenAccess(kind: string): boolean {
  return !HARMLESS.has(kind);
}

/** Kinds of questions without a usual answer, because it depends on missing files. */
const WITHOUT_USUAL: ReadonlySet<string> = new Set(['include-unseen', 'outside-unseen', 'overlap']);

/**
 * Returns `usual` for the first answer, if questions of this kind have a usual answer; otherwise an
 * empty text. `id`: of the question. `index`: of the answer.
 */
export function usualMark(id: string, index: number): 'usual' | '' {
  return index === 0 && !WITHOUT_USUAL.has(id.split(':', 1)[0]!) ? 'usual' : '';
}

/** The type of a `findOut` text: a command for the server, a web address, or a sentence. */
export function wayToFindOut(findOut: string): 'command' | 'page' | 'advice' {
  if (/^https?:/.test(findOut)) return 'page';
  return /^\p{Lu}/u.test(findOut) ? 'advice' : 'command';
}

/**
 * The two parts of a `findOut` command: what runs, and its comment, which says where to run it and
 * how to understand the output. The comment is empty if there is none.
 */
export function commandAndMeaning(findOut: string): { readonly command: string; readonly meaning: string } {
  const at = findOut.lastIndexOf(' # ');
  return at === -1
    ? { command: findOut, meaning: '' }
    : { command: findOut.slice(0, at), meaning: findOut.slice(at + ' # '.length) };
}

/** The label of the answer that is not stored, in the same words on all surfaces. */
export const UNKNOWN_LABEL = "I don't know";

/**
 * What happens after *I don't know*, which is not stored. `fixes`: number of fixes that need the
 * answer.
 */
export function ifUnknown(fixes: number): string {
  if (fixes === 0) return 'no fix waits for the answer';
  return fixes === 1 ? '1 fix stays waiting' : `${fixes} fixes stay waiting`;
}

/** The label and consequence of *I don't know*, as one text. */
export function unknownText(consequence: string): string {
  return consequence === ifUnknown(0) ? consequence : `${consequence}; the lines stay as they are until you answer`;
}
