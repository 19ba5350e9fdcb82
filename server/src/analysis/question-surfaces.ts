/**
 * Decisions about how questions are shown, which all surfaces share. Does no I/O. Clients import
 * this file without the texts of the questions.
 */

/** Kinds of questions for which a wrong answer cannot open access. */
const HARMLESS_QUESTION_KINDS: ReadonlySet<string> = new Set(['mpm', 'rewrite-log', 'php', 'defaults', 'modules']);

/**
 * Whether a wrong answer to a question of this kind can open access. For such a question, a surface
 * must not preselect an answer.
 */
export function canOpenAccess(kind: string): boolean {
  return !HARMLESS_QUESTION_KINDS.has(kind);
}

/**
 * Kinds of questions without a usual answer, because the right answer depends on the server or on
 * missing files.
 */
const KINDS_WITHOUT_USUAL: ReadonlySet<string> = new Set([
  'include-unseen',
  'outside-unseen',
  'overlap',
  'running-version',
  'denied-now',
]);

/**
 * Matches the ids of questions whether the server uses a file that has the usual name of a main
 * file.
 */
const QUESTION_ABOUT_MAIN_FILE = /^other-main:(?:.*\/)?(?:httpd|apache2)\.conf$/;

/**
 * Returns the mark `the usual answer` for the first answer to a question (`index` is 0), if this
 * kind of question has a usual answer, or if the answer is an offered directory of the copy
 * (`here=PATH`). Otherwise returns ''. `id`: the question. `index`: the index of the answer.
 * `value`: the text of the answer.
 */
export function markOfUsualAnswer(id: string, index: number, value = ''): 'the usual answer' | '' {
  if (index > 0) return '';
  if (/^here=./.test(value)) return 'the usual answer';
  return !KINDS_WITHOUT_USUAL.has(id.split(':', 1)[0]!) && !QUESTION_ABOUT_MAIN_FILE.test(id) ? 'the usual answer' : '';
}

/** The type of a `findOut` text: a command for the server, a web address, or a sentence. */
export function typeOfFindOut(findOut: string): 'command' | 'page' | 'advice' {
  if (/^https?:/.test(findOut)) return 'page';
  return /^\p{Lu}/u.test(findOut) ? 'advice' : 'command';
}

/** The parts of a `findOut` command. `placeToRun` and `meaning` may be empty. */
export interface FindOutCommand {
  /** Where to run the command, such as `on the 2.2 server, as root`. */
  readonly placeToRun: string;
  readonly command: string;
  /** What the output of the command means, as a sentence. */
  readonly meaning: string;
}

/** The texts with which a comment begins: in the command prompt of Windows, and in a shell. */
const COMMENT_STARTS = [' & rem ', ' # '];

/** Splits a `findOut` text into the command and the comment at its end. */
export function findOutCommandOf(findOut: string): FindOutCommand {
  const commentStart = COMMENT_STARTS.find((each) => findOut.includes(each));
  if (commentStart === undefined) return { placeToRun: '', command: findOut, meaning: '' };
  const commentIndex = findOut.lastIndexOf(commentStart);
  const comment = findOut.slice(commentIndex + commentStart.length);
  const endOfPlace = /^(on|in) the /.test(comment) ? comment.search(/[:;]|$/) : 0;
  const placeToRun = comment.slice(0, endOfPlace);
  const meaningText = comment.slice(endOfPlace).replace(/^[:;] /, '');
  const meaning = meaningText === '' ? '' : `${meaningText.charAt(0).toUpperCase()}${meaningText.slice(1)}.`;
  return { placeToRun, command: findOut.slice(0, commentIndex), meaning };
}

/**
 * Splits the meaning of a command's output at its rules, such as `Ignore: …` and `Yes: …`.
 * `rules` is empty if it has none.
 */
export function partsOfMeaning(meaning: string): { readonly intro: string; readonly rules: readonly string[] } {
  const [intro = '', ...rules] = meaning.split(START_OF_RULE);
  return START_OF_RULE.test(` ${intro}`) ? { intro: '', rules: [intro, ...rules] } : { intro, rules };
}

/** Matches the space before a rule. Its first words name an answer, or what to ignore. */
const START_OF_RULE = /(?:^|(?<=\.)) (?=(?:Ignore|(?:Also )?Yes|No|I don't know)(?:,[^.:]{1,60})?: )/;

/** The answer *I don't know*, in the words that all surfaces use. It is not stored. */
export const DONT_KNOW_LABEL = "I don't know";

/**
 * Returns the text about the consequence of the answer *I don't know*. `fixes`: the number of fixes
 * that need the answer.
 */
export function consequenceOfDontKnow(fixes: number): string {
  if (fixes === 0) return 'no fix waits for the answer';
  return fixes === 1 ? '1 fix waits' : `${fixes} fixes wait`;
}

/**
 * The consequence of the answer *I don't know* for the fixes and the lines. `consequence`: from
 * `consequenceOfDontKnow`, or another text about what waits.
 */
export function dontKnowText(consequence: string): string {
  return consequence === consequenceOfDontKnow(0)
    ? consequence
    : `${consequence}; the lines stay as they are until you answer`;
}
