/**
 * Rules for all surfaces that ask questions. Pure. Clients import it without the texts of the
 * questions.
 */

/** Kinds of questions whose first answer cannot open access, even if it is wrong. */
const HARMLESS: ReadonlySet<string> = new Set(['mpm', 'rewrite-log', 'php', 'defaults', 'modules']);

/**
 * Whether a wrong answer to a question of this kind can open access. A surface must then not
 * preselect an answer.
 */
export function canOpenAccess(kind: string): boolean {
  return !HARMLESS.has(kind);
}

/** Kinds whose answer depends on files that are not at hand, so that no answer is the usual one. */
const WITHOUT_USUAL: ReadonlySet<string> = new Set(['include-unseen', 'outside-unseen', 'overlap']);

/**
 * `usual` for the first answer to a question, if its kind has a usual answer; otherwise empty.
 * `id`: of the question.
 */
export function usualMark(id: string, index: number): 'usual' | '' {
  return index === 0 && !WITHOUT_USUAL.has(id.split(':', 1)[0]!) ? 'usual' : '';
}

/**
 * The type of a `findOut` text: a command for the server, an address, or a sentence, which begins
 * with a capital letter.
 */
export function wayToFindOut(findOut: string): 'command' | 'page' | 'advice' {
  if (/^https?:/.test(findOut)) return 'page';
  return /^\p{Lu}/u.test(findOut) ? 'advice' : 'command';
}

/** The answer that records nothing, in the same words on all surfaces. */
export const UNKNOWN_LABEL = "I don't know";

/**
 * The consequence of *I don't know*, which records nothing. `fixes`: number of fixes that wait for
 * the answer, or depend on it.
 */
export function ifUnknown(fixes: number): string {
  if (fixes === 0) return 'no fix waits for the answer';
  return fixes === 1 ? '1 fix stays waiting' : `${fixes} fixes stay waiting`;
}

/** The same for a surface: what waits, and what then happens to the lines. */
export function unknownText(consequence: string): string {
  return consequence === ifUnknown(0) ? consequence : `${consequence}; the lines stay as they are until you answer`;
}
