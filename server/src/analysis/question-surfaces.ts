/** What every surface that asks a question takes into account. Pure; clients import it without the texts of the questions. */

/** Kinds of questions whose first answer gives access to no more requests than before, even if it is wrong. */
const HARMLESS: ReadonlySet<string> = new Set(['mpm', 'rewrite-log', 'php', 'defaults', 'modules']);

/** Whether a wrong answer to a question of this kind can open access: a surface then selects no answer before the user does. */
export function canOpenAccess(kind: string): boolean {
  return !HARMLESS.has(kind);
}

/** What `findOut` of a question is: a command for the server, an address, or a sentence, which begins as one does. */
export function wayToFindOut(findOut: string): 'command' | 'page' | 'advice' {
  if (/^https?:/.test(findOut)) return 'page';
  return /^\p{Lu}/u.test(findOut) ? 'advice' : 'command';
}

/** What follows from *I don't know*, which records nothing. `fixes`: how many wait for the answer, or rest on it. */
export function ifUnknown(fixes: number): string {
  if (fixes === 0) return 'no fix waits for the answer';
  return fixes === 1 ? '1 fix stays waiting' : `${fixes} fixes stay waiting`;
}
