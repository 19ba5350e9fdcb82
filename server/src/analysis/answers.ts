/**
 * Questions and answers: what a user can answer once, in `.httpd-upgrade.json` or by `--answer`, so
 * that fixes become safe. One question covers all open questions of one kind and subject
 * (access/open-question.ts). This file has the texts of each kind, its answers, and their effects.
 * Pure: the caller decides how local paths are written, so that an answer is valid on every
 * machine.
 */
import {
  ALL_MISSING_INCLUDES,
  openQuestionId,
  parentDirectories,
  RUNNING_VERSION,
  UNKNOWN_DIRECTIVES,
  NO_LINE_SUFFIX,
  type OpenQuestion,
  type OpenQuestionKind,
  type ServerSearch,
} from '../access/open-question';
import type { AssumedConditions } from '../access/condition-branches';
import type { OperandMeaning } from '../access/section-access';
import type { Source } from '../access/model';
import { isAbsolute, resolvePath } from '../config/files';
import {
  asksServerRoot,
  commandListingClients,
  commandListingConfiguration,
  commandListingHtaccess,
  commandListingLines,
  commandListingModules,
  commandListingPhpModules,
  isForWindows,
  WINDOWS_COMMENT,
} from './find-out';

/** Answers by the id of the question: `htaccess-unseen:/var/www` -> `none`, or `here=www`. */
export type Answers = ReadonlyMap<string, string>;

export const NO_ANSWERS: ReadonlyMap<string, string> = new Map();

/**
 * The answer that keeps the old lines, which mod_access_compat reads. No fix that waits for the
 * question is made.
 */
export const ANSWER_KEEP = 'keep';

export interface Choice {
  /** The text of the answer in files, such as `none`. For an answer with a value: `here=DIR`. */
  readonly value: string;
  readonly label: string;
}

export interface QuestionText {
  /** The question in a few words, for a narrow list. */
  readonly title: string;
  readonly question: string;
  readonly why: string;
  /** A command to run on the server, or where to look for the answer. */
  readonly findOut: string;
  /** The usual answer is the first, and settles the question. */
  readonly choices: readonly Choice[];
}

/** Writes a local path, in the id of a question, relative to a folder that every machine has. */
type PathWriter = (path: string) => string;

/**
 * Returns a function that makes paths relative to `folder` (no slash at its end). Paths outside of
 * it do not change.
 */
export function pathWriterBelow(folder: string): PathWriter {
  return (path) => (path === folder ? '.' : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path);
}

/** The user's answers. Local paths in their ids are relative to `folder`. */
export interface AnswerSet {
  readonly answers: Answers;
  readonly folder: string;
  /**
   * Whether fixes of this program were already applied to a configuration of 2.2. Lines of 2.4 then
   * are no sign of the running version.
   */
  readonly isFrom22?: boolean;
}

/**
 * Whether the server certainly runs 2.2, although the files may have lines of 2.4: the user
 * answered so, or fixes wrote these lines.
 */
export function isFrom22(answered: AnswerSet): boolean {
  return answered.isFrom22 === true || runningVersion(answered) === '2.2';
}

/** Answers to questions about the meaning of lines. */
export const ANSWER_NONE = 'none';
export const ANSWER_OFF = 'off';
export const ANSWER_ON = 'on';
export const ANSWER_NEVER_MATCHES = 'never-matches';
export const ANSWER_IS_A_HOST = 'is-a-host';
export const ANSWER_NEVER_MEET = 'never-meet';
export const ANSWER_NO_ACCESS_CONTROL = 'no-access-control';

/**
 * Whether the user answered that httpd 2.2 also reads the files, for example because they belong to
 * an application. Access control is then written for both versions, and nothing else is changed.
 */
export function isForBothVersions({ answers }: Pick<AnswerSet, 'answers'>): boolean {
  return answers.get('versions') === 'both';
}

/** The question about all words that look like mistakes. */
export const ALL_SUSPECT_OPERANDS = { kind: 'operand-host', subject: '*' } as const;

/** The version that the server runs now, by the user's answer. Null if there is none. */
export function runningVersion({ answers }: Pick<AnswerSet, 'answers'>): Source | null {
  const answer = answers.get(openQuestionId(RUNNING_VERSION));
  return answer === '2.2' || answer === '2.4' ? answer : null;
}

const OVERLAP_PREFIX = 'overlap:';

/**
 * The effects of answers about the meaning of lines. Reading the configuration takes them into
 * account.
 */
export interface AnswerEffects {
  /**
   * The version whose decisions the conversion keeps, in a trial with another answer. Absent: as
   * the engine's option.
   */
  readonly source?: Source;
  /** Names of `<IfDefine>`, with whether the server starts with them (`-D`). */
  readonly defineFlags: ReadonlyMap<string, boolean>;
  readonly meaningOf: OperandMeaning;
  /**
   * Subjects of the questions whether two sections can apply to the same request, if they never do.
   */
  readonly subjectsNeverTogether: ReadonlySet<string>;
  /** Whether directives of unknown modules do not affect access. */
  readonly areUnknownNeutral: boolean;
  /** The MPM of the 2.4 server. Null if it is not answered. */
  readonly mpm: string | null;
  /** Whether lines in conditions of unknown result are read, in a trial. Absent: no trial. */
  readonly assumedConditions?: AssumedConditions;
}

export function effectsOfAnswers({ answers }: Pick<AnswerSet, 'answers'>): AnswerEffects {
  const mpm = answers.get('mpm') ?? null;
  return {
    mpm: mpm === ANSWER_KEEP ? null : mpm,
    defineFlags: flagsIn(answers),
    meaningOf: (word) => {
      const answer = answers.get(`operand-host:${word}`) ?? answers.get(openQuestionId(ALL_SUSPECT_OPERANDS));
      return answer === ANSWER_NEVER_MATCHES || answer === ANSWER_IS_A_HOST ? answer : null;
    },
    subjectsNeverTogether: new Set(
      [...answers].flatMap(([id, answer]) =>
        id.startsWith(OVERLAP_PREFIX) && answer === ANSWER_NEVER_MEET ? [id.slice(OVERLAP_PREFIX.length)] : [],
      ),
    ),
    areUnknownNeutral: answers.get(openQuestionId(UNKNOWN_DIRECTIVES)) === ANSWER_NO_ACCESS_CONTROL,
  };
}

/**
 * The names of `<IfDefine>` about which the user answered, with whether the server starts with them
 * (`-D`).
 */
export function flagsIn(answers: Answers): ReadonlyMap<string, boolean> {
  const asked = [...answers].filter(
    ([id, answer]) => id.startsWith('define:') && (answer === ANSWER_OFF || answer === ANSWER_ON),
  );
  return new Map(asked.map(([id, answer]) => [kindAndSubject(id)[1], answer === ANSWER_ON]));
}

/**
 * The id of the question for an open question. If there is no such question, the id that it would
 * have.
 */
export function questionIdOrOwn(openQuestion: OpenQuestion, answered: AnswerSet): string {
  return questionId(openQuestion, answered) ?? openQuestionId(openQuestion);
}

/**
 * Whether the user's answers settle an open question. `vouches`: whether the user states that no
 * file outside affects access (`--assume-standalone`).
 */
export function isSettled(openQuestion: OpenQuestion, answered: AnswerSet, vouches: boolean): boolean {
  const id = questionId(openQuestion, answered);
  const answer = id === null ? undefined : answered.answers.get(id);
  if (answer === ANSWER_KEEP) return false;
  return (
    (vouches && openQuestion.scope === 'outside') ||
    (id !== null && settlesQuestion(id, answer) && allowsFix(openQuestion, answer))
  );
}

/**
 * The id of the first of these questions that the user answered with `keep`, so that the lines
 * stay. Null if there is none.
 */
export function idOfAnswerKeep(openQuestions: readonly OpenQuestion[], answered: AnswerSet): string | null {
  return (
    openQuestions
      .map((openQuestion) => questionId(openQuestion, answered))
      .find((id) => id !== null && answered.answers.get(id) === ANSWER_KEEP) ?? null
  );
}

/**
 * The id of the question for an open question. Null if no answer can settle it. An open question
 * may belong to several questions, such as those for a directory and for its parent. If one is
 * answered, its id is returned; the nearest directory first.
 */
export function questionId(openQuestion: OpenQuestion, { answers, folder }: AnswerSet): string | null {
  const { kind, subject, detail, coveringQuestion } = openQuestion;
  // All files that no configuration reads share one question. A main file has its own reason in
  // `detail`.
  if (kind === 'outside-unseen' && detail === undefined) return STANDALONE_QUESTION_ID;
  if (!(kind in QUESTIONS) && !coveringQuestion) return null;
  // The question has an answer, but the answer does not settle this open question.
  if (coveringQuestion === RUNNING_VERSION && !allowsFix(openQuestion, answers.get(openQuestionId(coveringQuestion))))
    return null;
  const named = pathWriterBelow(folder);
  const idOf = (question: Pick<OpenQuestion, 'kind' | 'subject'>) =>
    openQuestionId({
      kind: question.kind,
      subject: KINDS_OF_LOCAL_PATHS.has(question.kind) ? named(question.subject) : question.subject,
    });
  const ownId = idOf({ kind, subject });
  if (answers.has(ownId)) return ownId;
  if (kind === 'operand-host' && answers.has(openQuestionId(ALL_SUSPECT_OPERANDS)))
    return openQuestionId(ALL_SUSPECT_OPERANDS);
  if (answers.size > 0 && KINDS_COVERING_SUBDIRECTORIES.has(kind)) {
    for (const around of parentDirectories(subject)) {
      const id = idOf({ kind, subject: around });
      const answer = answers.get(id);
      // A `here=` answer only covers the files in that copy.
      if (answer !== undefined && !answer.startsWith(HERE_PREFIX)) return id;
    }
  }
  const widest = WIDEST_QUESTIONS[kind];
  if (widest !== undefined && answers.has(openQuestionId(widest))) return openQuestionId(widest);
  return coveringQuestion ? idOf(coveringQuestion) : ownId;
}

/** For some kinds: the one question that covers all open questions of that kind. */
const WIDEST_QUESTIONS: Partial<Readonly<Record<OpenQuestionKind, Pick<OpenQuestion, 'kind' | 'subject'>>>> = {
  'include-unseen': ALL_MISSING_INCLUDES,
  'served-anywhere': { kind: 'htaccess-unseen', subject: '/' },
};

/** Whether an answer makes the fixes safe that wait for the open question. */
function allowsFix({ safeAnswers }: OpenQuestion, answer: string | undefined): boolean {
  return safeAnswers === undefined || answer === undefined || answer === ANSWER_KEEP || safeAnswers.includes(answer);
}

/** The question about all files that no available configuration reads. */
export const STANDALONE_QUESTION_ID = 'outside-unseen:.';

/** Answers to `STANDALONE_QUESTION_ID` that also name the version that the server runs now. */
export const ANSWER_NONE_24 = 'none-2.4';
export const ANSWER_NONE_22 = 'none-2.2';

const VERSION_IN_ANSWER: ReadonlyMap<string, Source> = new Map([
  [ANSWER_NONE_24, '2.4'],
  [ANSWER_NONE_22, '2.2'],
]);

/** The version that the user's answer about other files names. Null if it names none. */
export function versionInStandaloneAnswer({ answers }: Pick<AnswerSet, 'answers'>): Source | null {
  return VERSION_IN_ANSWER.get(answers.get(STANDALONE_QUESTION_ID) ?? '') ?? null;
}

/** Adds the answer to `running-version` that the answer about other files contains. */
export function withContainedAnswers(answered: AnswerSet): AnswerSet {
  const version = versionInStandaloneAnswer(answered);
  const id = openQuestionId(RUNNING_VERSION);
  if (version === null || answered.answers.has(id)) return answered;
  return { ...answered, answers: new Map([...answered.answers, [id, version]]) };
}

/**
 * The choices that a question offers. A question about other files also asks for the version if
 * `asksVersion`. An answer that is already given stays among the choices.
 */
export function offeredChoices(
  id: string,
  { choices }: Pick<QuestionText, 'choices'>,
  asksVersion: boolean,
  answer: string | null = null,
): readonly Choice[] {
  if (id !== STANDALONE_QUESTION_ID) return choices;
  return choices.filter(
    ({ value }) =>
      value === answer || (VERSION_IN_ANSWER.has(value) ? asksVersion : value !== ANSWER_NONE || !asksVersion),
  );
}

/** Whether the user can answer the open question. */
export function hasQuestion({ kind, coveringQuestion }: OpenQuestion): boolean {
  return coveringQuestion !== undefined || Object.hasOwn(QUESTIONS, kind);
}

/**
 * The texts of a question, by its id. Null for an unknown kind. `parts`: the subjects that it
 * covers. `search`: what to search for on the server. `facts`: the lines or values that the answer
 * affects. `linesOf24`: the lines of 2.4, if the question also asks for the version.
 */
export function questionText(
  id: string,
  parts: readonly string[] = [],
  search: ServerSearch = NOTHING_SEARCHED,
  facts: readonly string[] = [],
  linesOf24: readonly string[] | null = null,
): QuestionText | null {
  const [kind, subject] = kindAndSubject(id);
  const text =
    Object.hasOwn(QUESTIONS, kind) && CHOICE_KINDS.has(kind) === (subject === '') ? QUESTIONS[kind] : undefined;
  return text
    ? text(subject, { subjects: parts.length > 1 || subject === '' ? parts : [], search, facts, linesOf24 })
    : null;
}

/** Whether a question is about .htaccess files, among others. */
function includesHtaccess({ names }: ServerSearch): boolean {
  return names.length === 0 || names.includes('.htaccess');
}

/** Whether a question is about .htaccess files alone: on a shared host, users have only these. */
function areAllHtaccess({ names }: ServerSearch): boolean {
  return names.length > 0 && names.every((name) => name === '.htaccess');
}

/** The part of an answer about .htaccess files that need `AllowOverride AuthConfig`. */
function requireTextIn(search: ServerSearch): string {
  return includesHtaccess(search) ? ', and .htaccess files can use Require (AllowOverride AuthConfig)' : '';
}

const NOTHING_SEARCHED: ServerSearch = { folders: [], names: [] };

/**
 * Takes the id of a question apart into its kind and its subject. The subject of a choice is empty.
 */
export function kindAndSubject(id: string): readonly [kind: OpenQuestionKind, subject: string] {
  const at = id.indexOf(':');
  return at < 0 ? [id as OpenQuestionKind, ''] : [id.slice(0, at) as OpenQuestionKind, id.slice(at + 1)];
}

/**
 * Whether an answer settles its question, so that the fixes become safe. `here=` does not: instead,
 * the program reads the files at that path.
 */
export function settlesQuestion(id: string, answer: string | undefined): boolean {
  if (answer === undefined || answer === ANSWER_KEEP || answer.includes('=')) return false;
  return (
    !ANSWERS_SETTLING_NOTHING.has(answer) && questionText(id)?.choices.some(({ value }) => value === answer) === true
  );
}

/** Why a text is no valid answer to a question. Null if it is valid. */
export function answerProblem(id: string, answer: string): string | null {
  const text = questionText(id);
  if (!text) return `There is no question "${id}": "httpd-upgrade plan" shows the questions with their ids.`;
  const values = text.choices.map(({ value }) => value);
  const isOne = values.some((value) =>
    value.endsWith('=') ? answer.startsWith(value) && answer.length > value.length : value === answer,
  );
  const shown = values.map((value) => (value.endsWith('=') ? `"${value}PATH"` : `"${value}"`));
  return isOne
    ? null
    : `The answer to "${id}" must be ${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}, not "${answer}".`;
}

/**
 * Returns the id of a question with its local path, which is relative to `from`, written relative
 * to `to`.
 */
export function idBelowFolder(id: string, from: string, to: string): string {
  const at = id.indexOf(':');
  const subject = id.slice(at + 1);
  if (id === STANDALONE_QUESTION_ID || !KINDS_OF_LOCAL_PATHS.has(id.slice(0, at) as OpenQuestionKind)) return id;
  return `${id.slice(0, at)}:${pathWriterBelow(to)(subject.startsWith('/') ? subject : subject === '.' ? from : `${from}/${subject}`)}`;
}

/** The path in an answer `here=PATH`. Null for other answers. */
export function pathInAnswer(answer: string): string | null {
  return answer.startsWith(HERE_PREFIX) ? answer.slice(HERE_PREFIX.length) : null;
}

/**
 * The answers `here=PATH` as entries of a path map: the server's path and, as written, the local
 * one.
 */
export function mapEntriesOf(answers: Answers): { readonly from: string; readonly to: string }[] {
  return [...answers].flatMap(([id, answer]) => {
    const [, kind, from = ''] = /^([\w-]+):((?:[A-Za-z]:)?\/.*)$/s.exec(id) ?? [];
    if (
      (kind !== 'htaccess-unseen' && kind !== 'include-unseen') ||
      !answer.startsWith(HERE_PREFIX) ||
      answer === HERE_PREFIX
    )
      return [];
    return [{ from: resolvePath('/', from), to: answer.slice(HERE_PREFIX.length) }];
  });
}

/** The JSON schema of `answers` in .httpd-upgrade.json: each kind of question, with its answers. */
export function answersSchema(): object {
  const schemaOf = (kind: string): [string, object] => {
    const isChoice = questionText(kind) !== null;
    const { question, choices } = questionText(isChoice ? kind : `${kind}:…`)!;
    const words = choices.filter(({ value }) => !value.endsWith('='));
    const plain = {
      type: 'string',
      enum: words.map(({ value }) => value),
      enumDescriptions: words.map(({ label }) => label),
    };
    const open = choices
      .filter(({ value }) => value.endsWith('='))
      .map(({ value, label }) => ({ type: 'string', pattern: `^${value}.+`, description: label }));
    return [
      isChoice ? `^${kind}$` : `^${kind}:.`,
      { description: question, ...(open.length > 0 ? { anyOf: [plain, ...open] } : plain) },
    ];
  };
  return {
    description: 'Answers to the questions of the upgrade plan, by their ids. The plan lists the questions.',
    type: 'object',
    patternProperties: Object.fromEntries(QUESTION_KINDS.map(schemaOf)),
    additionalProperties: false,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

const HERE_PREFIX = 'here=';

/** Kinds whose subject is a path of this machine instead of the server. */
const KINDS_OF_LOCAL_PATHS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>(['outside-unseen', 'other-main']);

/** Kinds for which the answer about a directory also holds for everything below it. */
const KINDS_COVERING_SUBDIRECTORIES: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'htaccess-unseen',
  'include-unseen',
  'other-main',
]);

/** Kinds in which the user chooses between fixes. No answer is wrong. */
const CHOICE_KINDS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'running-version',
  'unknown-directives',
  'client-address',
  'mpm',
  'rewrite-log',
  'php',
  'defaults',
  'modules',
  'versions',
]);

/** Answers after which the question stays open and the lines stay. */
const ANSWERS_SETTLING_NOTHING: ReadonlySet<string> = new Set(['both', 'meet']);

const CHOICE_BY_HAND: Choice = { value: ANSWER_KEEP, label: 'None of these: I change the lines by hand' };

const KEEP_LINES_TEXT = 'keep the old lines, which 2.4 reads with mod_access_compat';

/**
 * The lines that serve directories which the configuration does not name: texts show the line
 * instead of the directory.
 */
function servingLinesIn(subjects: readonly string[]): string[] {
  return subjects.filter((each) => !isAbsolute(each)).map((each) => `the directories of "${shortenedLine(each)}"`);
}

/** Appends a comment to a command: where to run it, and what its output means. */
function withComment(command: string, meaning: string, server = 'the 2.2 server'): string {
  return isForWindows(command)
    ? `${command}${WINDOWS_COMMENT}on ${server}, as administrator: ${meaning}`
    : `${command} # on ${server}, as root: ${meaning}`;
}

const HTACCESS_LISTED_TEXT = 'any file in the output means Yes. No file in the output means No';
const UNLESS_DENIED_TEXT = ', unless it says "Permission denied"';

/** The meaning of the output of `commandListingHtaccess`. */
function meaningOfListedHtaccess(command: string): string {
  return isForWindows(command)
    ? 'open each file in the output. An Order, Allow, Deny, Satisfy or Require line means Yes; a line that begins with # or AllowOverride does not count. No file in the output means No'
    : `${HTACCESS_LISTED_TEXT}${UNLESS_DENIED_TEXT}`;
}

/** The meaning of the output of `commandListingLines`. */
function meaningOfListedLines(command: string): string {
  const missing = asksServerRoot(command)
    ? '"No such file" means that this httpd has another ServerRoot: answer "I don\'t know"'
    : '"No such file" means No, if this is the server that reads these files';
  return `a line with Order, Allow, Deny, Satisfy or Require means Yes. Search the files of Include lines in the same way. AllowOverride lines do not count. No such line means No${isForWindows(command) ? '; lines that begin with # do not count' : `. ${missing}`}`;
}

/**
 * The beginning of a line for a text, because a line can be long and continued over several rows.
 */
function shortenedLine(line: string): string {
  const words = line.replace(/\\?\s+/g, ' ');
  return words.length <= MAX_LINE_LENGTH ? words : `${words.slice(0, MAX_LINE_LENGTH)}…`;
}

const MAX_LINE_LENGTH = 60;
/**
 * Maximum length of a list of directories in a question. A longer list is in the explanation of the
 * question instead.
 */
const MAX_DIRECTORIES_LENGTH = 60;

/** The labels of the answer `keep` for questions that are answered with Yes or No. */
const YES_KEEP: Choice = { value: ANSWER_KEEP, label: `Yes: ${KEEP_LINES_TEXT}` };
/** The answer Yes about files that are not in this copy. */
function yesAbout(search: ServerSearch): Choice {
  return areAllHtaccess(search)
    ? { ...YES_KEEP, label: `Yes, or .htaccess files cannot use Require: ${KEEP_LINES_TEXT}` }
    : YES_KEEP;
}

const NO_KEEP: Choice = { value: ANSWER_KEEP, label: `No: ${KEEP_LINES_TEXT}` };

/** The values that the text of a question can contain. */
interface TextParts {
  /** The subjects that a question covers, if there are several. */
  readonly subjects: readonly string[];
  readonly search: ServerSearch;
  /** The lines or values that the answer affects (`OpenQuestion.facts`). */
  readonly facts: readonly string[];
  /** The lines of 2.4, if the question also asks which version the server runs. Else null. */
  readonly linesOf24: readonly string[] | null;
}

const PLAN_WHOLE_TEXT = 'Best: run plan on the whole configuration directory of the 2.2 server.';

/**
 * How to give the program the included files that are missing. `/` stands for files in several
 * directories: they have no place in a copy of one of them.
 */
/** The directory conf.modules.d came with 2.4. */
function serverOf(files: readonly string[]): string {
  return files.some((each) => /(?:^|\/)conf\.modules\.d\//.test(each))
    ? 'the server that reads these files'
    : 'the 2.2 server';
}

function bestCopyText(them: string, path: string, files: readonly string[], isWindows: boolean): string {
  const [example] = files.filter(isAbsolute);
  const links = isWindows ? '' : files.some((each) => each.endsWith('/')) ? ' (cp -rL)' : ' (cp -L)';
  return path === '/' && example !== undefined
    ? `Best: copy ${them} from the 2.2 server${links} into one directory PATH, below their paths (PATH${example} and so on). Then give the answer "I have a copy".`
    : `Best: copy ${them} from ${serverOf(files)}${links} to the same place in this copy, then run again.`;
}

/**
 * The last part of a text about access lines in other files. `file`: the file of the question; `.`
 * for several. `withHtaccess`: whether the command also lists .htaccess files. `nothing`: what the
 * output is like if it has no line of a configuration.
 */
function otherFilesText(file: string, withHtaccess: boolean, nothing: string): string {
  const ignored =
    file === '.'
      ? 'the files that you have here'
      : 'this file, the files that it includes, and backups that no server reads';
  const htaccess = withHtaccess
    ? ' Also Yes if the output has a .htaccess file in, above or below one of these directories.'
    : '';
  return `the output shows lines with Order, Allow, Deny, Satisfy or Require, and the tags of their sections. Yes if such a line is for the same directory or URL as a section here, or for one above or below it. <Directory /> is above all directories.${htaccess} Otherwise No. These do not count: AllowOverride lines, ${ignored}. Search the files of Include lines, too. ${nothing}: the configuration is in another place, so answer "I don't know"`;
}

/**
 * How to find out whether other files have access lines. `asksVersion`: whether the question also
 * asks for the version of the running server.
 */
function waysToFindOtherFiles(file: string, search: ServerSearch, asksVersion: boolean): string {
  if (areAllHtaccess(search)) {
    const askHosting =
      'find . -name .htaccess # in the top directory of the site: the output names all .htaccess files. Run plan on all of them together (httpd-upgrade plan .). Then ask your hosting provider: does the configuration have Order, Allow, Deny or Require for these directories or those above them; and does AllowOverride there include AuthConfig, so that .htaccess files can use Require';
    return asksVersion ? `${askHosting}; and does the server run httpd 2.2 or 2.4` : askHosting;
  }
  const withHtaccess = file === '.' && !includesHtaccess(search);
  const command = `${commandListingConfiguration()}${withHtaccess ? `; ${commandListingHtaccess(['/'], NOTHING_SEARCHED)}` : ''}`;
  return asksVersion
    ? withComment(
        `${commandAskingHttpd('-v')}; ${command}`,
        `the first line names the version. Below it, ${otherFilesText(file, withHtaccess, 'No line below the version')}`,
        'the server that reads these files',
      )
    : withComment(command, otherFilesText(file, withHtaccess, 'No output at all'));
}

/** Why the running version matters. `subjects`: the lines of 2.4 in the files. */
function textOfLines24(subjects: readonly string[]): string {
  const lines = subjects
    .filter((line) => line !== '')
    .map((line) => (TAG_WITH_REQUIRE.test(line) ? `Require in ${shortenedLine(line)}` : shortenedLine(line)));
  return `The files have lines of httpd 2.4${lines.length === 0 ? '' : `: ${shortList(lines)}`}. They also have Order, Allow or Deny lines of 2.2, and with these lines 2.4 can give other access than 2.2.`;
}

/** The text of a question that also asks for the version if there are lines of 2.4. */
function withVersionAsked(question: string, linesOf24: readonly string[] | null): string {
  return linesOf24 ? `${question.replace(/\?$/, '')}, and does the server already run httpd 2.4?` : question;
}

const ACCESS_DIRECTIVES_TEXT = 'Order, Allow, Deny or Require';

const QUESTIONS: Partial<Readonly<Record<OpenQuestionKind, (subject: string, asking: TextParts) => QuestionText>>> = {
  'htaccess-unseen': (directory, { subjects, search }) => {
    const isOne = subjects.length === 0;
    const named = isOne ? directory : shortList([...subjects.filter(isAbsolute), ...servingLinesIn(subjects)]);
    const isNamed = directory !== '/' || (!isOne && named.length <= MAX_DIRECTORIES_LENGTH);
    const command = commandListingHtaccess(isOne ? [directory] : subjects.filter(isAbsolute), search);
    return {
      title: isNamed && isOne ? `.htaccess in ${directory}?` : 'Access lines in .htaccess files?',
      question: `Does any .htaccess file ${isNamed ? `in, below or above ${named}` : 'on the server'} use ${ACCESS_DIRECTIVES_TEXT}?`,
      why: `${
        isNamed || isOne ? 'The server reads .htaccess files there' : `The server reads .htaccess files in ${named}`
      }, but this copy does not have all of them. If one of them restricts access, new Require lines here can allow too much or too little.`,
      findOut: withComment(command, meaningOfListedHtaccess(command)),
      choices: [
        { value: 'none', label: `No: no .htaccess file there has ${ACCESS_DIRECTIVES_TEXT}` },
        {
          value: HERE_PREFIX,
          label: `I have a copy of ${isOne && isNamed ? directory : 'these directories'}: read the .htaccess files there`,
        },
        YES_KEEP,
      ],
    };
  },
  'include-unseen': (path, { subjects, search, facts }) => {
    const isAll = path === ALL_MISSING_INCLUDES.subject;
    const isOne = subjects.length === 0 && !isAll && path !== '/';
    const isOneFile = isOne && !/[*?]|\/$/.test(path);
    // `conf.d//allows` and `conf.d/allows` are the same file.
    const files = [...new Set(subjects.map((part) => part.replace(/\/{2,}/g, '/')))];
    const named = isOne ? path : shortList([...files].sort((a, b) => Number(isOfSites(b)) - Number(isOfSites(a))));
    const isMapped = facts.length > 0;
    // The question has one or two names. More names are in the explanation.
    const isNamed = isOne || (!isMapped && named.length <= MAX_DIRECTORIES_LENGTH);
    const them = isOneFile ? 'it' : 'them';
    const searched = search.folders.length > 0 ? search.folders : subjects.length > 0 ? subjects : [path];
    const command = commandListingLines(searched);
    return {
      title: isOne ? `Missing ${path}?` : 'Missing included files?',
      question: isOneFile
        ? `The included file ${named} is not in this copy. Does it use ${ACCESS_DIRECTIVES_TEXT}?`
        : missingFilesQuestion(isNamed ? named : '', isOne ? [path] : files, isMapped),
      why: `${isNamed || named === '' ? '' : `They are ${named}. `}${isMapped ? facts.join(' ') : bestCopyText(them, path, searched, isForWindows(command))} If you cannot, answer this question: access lines in ${them} can apply to the same requests as the lines here.`,
      findOut: withComment(command, meaningOfListedLines(command), serverOf(searched)),
      choices: [
        {
          value: ANSWER_NO_ACCESS_CONTROL,
          label: isOneFile
            ? `No: it has no ${ACCESS_DIRECTIVES_TEXT}, or does not exist`
            : `No: they have no ${ACCESS_DIRECTIVES_TEXT}, or do not exist`,
        },
        // An answer with a path is only possible for an absolute path.
        ...(!isAbsolute(path) && path !== '…'
          ? []
          : [
              {
                value: HERE_PREFIX,
                label: `I have a copy of ${isOneFile ? 'this file: read it' : 'these files: read them'}`,
              },
            ]),
        YES_KEEP,
      ],
    };
  },
  'outside-unseen': (file, { search, facts, linesOf24 }) => ({
    title: file === '.' ? 'Access control elsewhere?' : `Access control outside ${file}?`,
    question: withVersionAsked(
      file === '.'
        ? areAllHtaccess(search)
          ? `Does the configuration of the server use ${ACCESS_DIRECTIVES_TEXT} for the directories of these .htaccess files?`
          : `Do other files of the server use ${ACCESS_DIRECTIVES_TEXT} for the directories or URLs of the sections in these files?`
        : `Do files other than ${file} use ${ACCESS_DIRECTIVES_TEXT} for the directories of its sections?`,
      linesOf24,
    ),
    why: `${linesOf24 ? `${textOfLines24(linesOf24)} ` : ''}${
      file === '.'
        ? `No file here has the lines of a whole configuration, such as ServerRoot and Listen. ${
            includesHtaccess(search)
              ? 'The main configuration file, or a file that it includes, can restrict the same directories, or directories above or below them. Its AllowOverride lines can forbid Require in .htaccess files.'
              : 'The main configuration file, a file that it includes or a .htaccess file can restrict the same directories, or directories above or below them.'
          }${areAllHtaccess(search) ? '' : ` ${PLAN_WHOLE_TEXT}`}`
        : `This file ${facts.length > 0 ? facts.join(' and ').replace(' and has no ServerRoot', ', no ServerRoot') : 'can be a part of a larger configuration'}, so a main configuration file may include it. The main file can have access lines, too. If the file here is a backup that no server reads, answer No. ${PLAN_WHOLE_TEXT}`
    }`,
    findOut: waysToFindOtherFiles(file, search, linesOf24 !== null),
    choices: [
      {
        value: ANSWER_NONE,
        label:
          file !== '.'
            ? 'No: only this file and the files that it includes do'
            : `No: only these files do${requireTextIn(search)}`,
      },
      ...(file === '.'
        ? [
            {
              value: ANSWER_NONE_24,
              label: `No, and the server already runs 2.4: keep the access that 2.4 gives now, also where it answers 403${requireTextIn(search)}`,
            },
            {
              value: ANSWER_NONE_22,
              label: `No, and the server runs 2.2: keep the access that 2.2 gives now. Sections with lines that 2.2 does not accept stay as they are`,
            },
          ]
        : []),
      yesAbout(search),
    ],
  }),
  'served-anywhere': (line, { subjects, search }) => {
    const lines =
      subjects.length > 0
        ? shortList(subjects.map((each) => `"${shortenedLine(each)}"`))
        : line === '*'
          ? 'these lines'
          : `"${shortenedLine(line)}"`;
    const isOne = subjects.length === 0 && line !== '*';
    const files = search.names.length > 0 ? search.names.join(' or ') : '.htaccess';
    const command = commandListingHtaccess(search.folders.length > 0 ? [] : ['/'], search);
    return {
      title: isOne ? `.htaccess for ${line}?` : '.htaccess files?',
      question: `Do ${files} files use ${ACCESS_DIRECTIVES_TEXT} in the directories that ${lines} can lead to?`,
      why: `This copy does not have all ${files} files of these directories, and AllowOverride allows them there. If such a file restricts access, new Require lines can allow too much or too little.`,
      findOut: withComment(command, meaningOfListedHtaccess(command)),
      choices: [{ value: 'no-htaccess', label: `No: no ${files} file there has ${ACCESS_DIRECTIVES_TEXT}` }, YES_KEEP],
    };
  },
  'other-main': (file, { subjects }) => {
    const isOne = subjects.length === 0;
    const named = isOne ? file : shortList(subjects);
    return {
      title: isOne ? `Is ${file} used?` : 'Other main files?',
      question: isOne ? `Does the server use ${named}?` : `Does the server use any of these files: ${named}?`,
      why: `${named} also ${isOne ? 'looks like a main configuration file' : 'look like main configuration files'}. If the server uses ${isOne ? 'it' : 'them'}, ${isOne ? 'its' : 'their'} access lines could apply to the same requests.`,
      findOut: `${commandAskingHttpd('-V')} | grep -E 'HTTPD_ROOT|SERVER_CONFIG_FILE'; ${RUNNING_HTTPD} # on the 2.2 server: SERVER_CONFIG_FILE, below HTTPD_ROOT, is the main configuration file. If a process has the option -f FILE, it is that file. Yes if ${isOne ? `it is ${named}` : 'it is one of these files'}, for any httpd on the server`,
      choices: [
        { value: 'unused', label: `No: the server does not use ${isOne ? 'this file' : 'any of these files'}` },
        isOne ? YES_KEEP : { value: ANSWER_KEEP, label: `Yes, at least one of them: ${KEEP_LINES_TEXT}` },
      ],
    };
  },
  'override-admitted': (line) => ({
    title: 'Require in .htaccess files?',
    question: `May .htaccess files use Require in all directories that "${line}" applies to?`,
    why: 'Converted .htaccess files have Require lines, and 2.4 does not allow them there yet. "AllowOverrideList Require" allows them, in all .htaccess files of these directories.',
    findOut: 'Find out who can write .htaccess files in these directories: they can then write Require lines',
    choices: [{ value: 'admit', label: 'Yes: add "AllowOverrideList Require"' }, NO_KEEP],
  }),
  define: (name) => ({
    title: `Start with -D ${name}?`,
    question: `Does the server start with "-D ${name}"?`,
    why: `The server reads the lines in <IfDefine ${name}> only if it starts with -D ${name}. With them, sections need other Require lines than without them.`,
    findOut: `${RUNNING_HTTPD}; grep -sHE '^[^#]*(APACHE2_OPTS|APACHE_SERVER_FLAGS|OPTIONS|APACHE_ARGUMENTS)=' /etc/conf.d/apache2 /etc/sysconfig/apache2 /etc/sysconfig/httpd /etc/apache2/envvars # on the 2.2 server: Yes if the output has "-D ${name}"`,
    choices: [
      { value: ANSWER_OFF, label: `No: it never starts with -D ${name}` },
      { value: ANSWER_ON, label: `Yes: it always starts with -D ${name}` },
      { value: 'both', label: 'Sometimes: keep the lines that depend on it as they are' },
    ],
  }),
  'operand-host': (word, { subjects }) => {
    const words = subjects.length > 0 ? subjects : [word];
    const isSeveral = words.length > 1 || word === '*';
    const isUnnamed = word === '*' && subjects.length === 0;
    const named = isUnnamed
      ? 'the arguments of Allow and Deny that look like mistakes'
      : words.length > 1
        ? shortList(words.map((each) => `"${each}"`))
        : `"${words[0]}"`;
    return {
      title: isSeveral ? 'Are these host names?' : `Is "${words[0]}" a host name?`,
      question: isSeveral ? `Are ${named} host names?` : `Is ${named} a host name?`,
      why: `${isSeveral ? 'They stand' : 'It stands'} in Allow or Deny lines, and ${isSeveral ? 'are' : 'is'} no address and no network. So 2.2 compares ${isSeveral ? 'them' : 'it'} with the host names of clients. But ${isSeveral ? 'they do' : 'it does'} not look like ${isSeveral ? 'host names, and are' : 'a host name, and is'} perhaps a mistake.`,
      findOut: isUnnamed
        ? 'Search the access log for these names'
        : `${commandListingClients(words)} # on the 2.2 server: the output shows requests of clients with ${words.length > 1 ? 'these names' : 'this name'}, and means Yes: httpd logs the names of clients if an Allow or Deny line has a name. No output means No`,
      choices: [
        {
          value: ANSWER_NEVER_MATCHES,
          label: isSeveral ? 'No: they match no client; remove them' : 'No: it matches no client; remove it',
        },
        {
          value: ANSWER_IS_A_HOST,
          label: isSeveral ? 'Yes: write them in a "Require host" line' : `Yes: write "Require host ${word}"`,
        },
      ],
    };
  },
  'unknown-directives': (_, { subjects }) => {
    const names = subjects.filter((name) => name !== '');
    const isOne = names.length === 1;
    const named = names.length > 1 ? shortList(names) : (names[0] ?? 'directives of unknown modules');
    return {
      title: isOne ? `Does ${named} control access?` : 'Do these directives control access?',
      question: `${isOne ? 'Does' : 'Do'} ${named} allow or deny requests?`,
      why: `httpd-upgrade does not know the ${isOne ? 'module of this directive' : 'modules of these directives'}. If ${isOne ? 'it' : 'one of them'} allows or denies requests, new Require lines beside it can allow too much or too little.`,
      findOut:
        names.length > 0
          ? `${commandListingModules(names.slice(0, 9))} # on the 2.2 server: the output names the ${isOne ? 'module' : 'modules'}. Read in ${isOne ? 'its manual whether this directive allows or denies' : 'their manuals whether these directives allow or deny'} requests. No output: the modules are in another directory`
          : 'Look up the module of each directive, and read in its manual whether the directive allows or denies requests',
      choices: [
        {
          value: ANSWER_NO_ACCESS_CONTROL,
          label: isOne ? 'No: it does not allow or deny requests' : 'No: none of them allows or denies requests',
        },
        YES_KEEP,
      ],
    };
  },
  'running-version': (_, { subjects, facts }) => {
    return {
      title: 'Already on 2.4?',
      question: 'Does the server already run httpd 2.4?',
      why: `${textOfLines24(subjects)} ${facts.length > 0 ? `${facts.join(' ')} ` : ''}The fixes keep the access of the version that you name.`,
      findOut: `${commandAskingHttpd('-v')} # on the server: Yes if the output has Apache/2.4`,
      choices: [
        {
          value: '2.4',
          label:
            'Yes: keep the access that 2.4 gives now. It still answers 403 where it does so now, even where an old Allow line allows the request',
        },
        {
          value: '2.2',
          label:
            'No, it runs 2.2: keep the access that 2.2 gives now. Sections with lines that 2.2 does not accept stay as they are',
        },
        { value: ANSWER_KEEP, label: `Do not convert, for example to correct the access first: ${KEEP_LINES_TEXT}` },
      ],
    };
  },
  overlap: (sections) => ({
    title: 'One URL in both sections?',
    question: sections.includes('> or <')
      ? `Can one URL fall under ${sections.slice(sections.lastIndexOf(' and ') + 5)}, and also under ${sections.slice(0, sections.lastIndexOf(' and '))}?`
      : `Can one URL fall under both ${sections}?`,
    why: 'A URL in both has other access now than the other URLs of the last section. One set of Require lines cannot do both, so that section is converted only if no URL is in both.',
    findOut:
      'Compare the two sections. For example, <FilesMatch "\\.cgi$"> and <Location /status> both apply to /status/x.cgi, if this file or program exists. If there is no such URL, No is right',
    choices: [
      { value: ANSWER_NEVER_MEET, label: 'No: no URL falls under both, convert them' },
      { value: 'meet', label: 'Yes, or maybe: leave these sections as they are' },
    ],
  }),
  'client-address': (_, { facts }) => ({
    title: 'Client address behind a proxy?',
    question: `Which module gives the 2.4 server the address of the client${facts.length > 0 ? `, instead of ${shortList(facts)}` : ''}?`,
    why: 'A proxy passes requests to this server. In 2.2 a module replaced the address of the proxy by the address of the client. Without it, lines such as "Require ip" compare the address of the proxy: they can allow or deny all clients.',
    findOut: `${commandAskingHttpd('-M')} | grep -iE 'remoteip|rpaf|realip|cloudflare|extract_forwarded' # on the 2.4 server: the output names the module that is loaded. No output: none is loaded, or the configuration has an error; then choose mod_remoteip, which comes with 2.4`,
    choices: [
      {
        value: 'remoteip',
        label: facts.some((each) => REFUSING_MODULES.has(each))
          ? 'mod_remoteip, which comes with 2.4: I replace the lines of the old module by RemoteIPHeader and RemoteIPInternalProxy'
          : 'mod_remoteip, which comes with 2.4: replace the lines of the old module by RemoteIPHeader and RemoteIPInternalProxy',
      },
      { value: 'module', label: 'The same module, installed in a version for 2.4' },
      CHOICE_BY_HAND,
    ],
  }),
  mpm: () => ({
    title: 'Which MPM in 2.4?',
    question: 'Which MPM will the 2.4 server use?',
    why: '2.4 does not start without an MPM, the module that runs processes and threads. In 2.2 it was compiled in, usually prefork; in 2.4 it is usually loaded by LoadModule.',
    findOut: `${commandAskingHttpd('-V')} | grep MPM # on the 2.2 server: the output names the MPM of 2.2, for example Prefork`,
    choices: [
      { value: 'prefork', label: 'prefork: processes. Right for mod_php, and if 2.2 runs prefork' },
      { value: 'event', label: 'event: threads. The default of 2.4' },
      { value: 'worker', label: 'worker: threads. Right if 2.2 runs worker' },
      { value: ANSWER_KEEP, label: 'Another one, or compiled in: I add what it needs by hand' },
    ],
  }),
  'rewrite-log': (_, { facts }) => ({
    title: 'Keep the rewrite log?',
    question: 'Do you still need the log of mod_rewrite?',
    why: `httpd 2.4 has no RewriteLog${facts.length > 0 ? ` (${shortList(facts.map((each) => `"${each}"`))})` : ''}. In 2.4 mod_rewrite writes to the ErrorLog, and LogLevel sets the level.`,
    findOut:
      'Ask whether anyone, or any program, still reads the file of RewriteLog. If not, No is right. No is also right if RewriteLogLevel is 0 or not set: then 2.2 writes no log',
    choices: [
      {
        value: 'error-log',
        label: `Yes: write it to the ErrorLog, with the level of 2.2 (LogLevel ${rewriteLevel(facts)})`,
      },
      { value: 'none', label: 'No: remove the RewriteLog lines' },
      CHOICE_BY_HAND,
    ],
  }),
  php: (_, { facts }) => {
    const settings = facts.filter((each) => PHP_SETTING.test(each));
    const names = facts.filter((each) => !PHP_SETTING.test(each));
    const needs = [
      ...(names.length > 0 || settings.length === 0
        ? [
            `The PHP module has a different name in PHP 5, 7 and 8. ${names.length > 0 ? `These lines need the right one: ${shortList(names)}.` : 'LoadModule and <IfModule> lines need the right one.'}`,
          ]
        : []),
      ...(settings.length > 0
        ? [
            `These lines are only valid with a PHP module: ${shortList(settings)}. Without one, httpd does not start, or requests get 500.`,
          ]
        : []),
    ];
    const isWindows = facts.some((each) => /\.dll\b/i.test(each));
    const kept = names.length === 0 && settings.length > 0 ? ': keep these lines' : null;
    return {
      title: 'PHP on the 2.4 server?',
      question: 'How will the 2.4 server run PHP?',
      why: needs.join(' '),
      findOut: isWindows
        ? `${commandListingPhpModules(true)}${WINDOWS_COMMENT}on the 2.4 server: the file php8apache2_4.dll is PHP 8, php7apache2_4.dll is PHP 7, php5apache2_4.dll is PHP 5. No such file means that there is no PHP module on this drive`
        : `${commandListingPhpModules()} # on the 2.4 server: the number in the name of the file, such as libphp5.so, is the version of PHP. Without a number, as in libphp.so, it is PHP 8. No output means PHP-FPM, no PHP, or a module in another directory${facts.length > 0 && !names.some((name) => /^loadmodule/i.test(name)) ? WITHOUT_ACCESS_TO_SERVER : ''}`,
      choices: [
        { value: '8', label: `PHP 8 as a module${kept ?? ': mod_php.c, php_module'}` },
        { value: '7', label: `PHP 7 as a module${kept ?? ': mod_php7.c, php7_module'}` },
        { value: '5', label: `PHP 5 as a module${kept ?? ': keep the names'}` },
        {
          value: 'none',
          label: `No PHP module: ${isWindows ? 'FastCGI (php-cgi.exe)' : 'PHP-FPM'}, or no PHP${facts.some((each) => /php5-script/i.test(each)) ? '. You replace the php5-script lines by hand, because without a PHP module clients get the source text' : ''}${settings.length > 0 ? '. The settings become comments that name their new place: .user.ini, or the pool of PHP-FPM' : ''}`,
        },
        CHOICE_BY_HAND,
      ],
    };
  },
  modules: (_, { facts }) => modulesText(facts),
  defaults: (_, { facts }) => ({
    title: 'New defaults of 2.4?',
    question:
      facts.length === 0
        ? 'Some settings have new defaults in 2.4, and no line sets them for the whole server. Use the new ones?'
        : facts.length === 1
          ? 'A setting has a new default in 2.4, and no line sets it for the whole server. Use the new one?'
          : `${facts.length} settings have new defaults in 2.4, and no line sets them for the whole server. Use the new ones?`,
    why:
      facts.length === 0
        ? 'Some directives that the configuration does not set for the whole server have new defaults in 2.4.'
        : listedDefaults(facts),
    findOut: whenToKeepDefaults(facts),
    choices: [
      { value: '2.4', label: `Yes: use the ${facts.length === 1 ? 'value' : 'values'} of 2.4, and add no line` },
      {
        value: '2.2',
        label: `No: keep ${facts.length === 1 ? 'the value' : 'the values'} of 2.2: add lines${exceptionText(facts)}`,
      },
      { value: ANSWER_KEEP, label: facts.length === 1 ? CHOICE_BY_HAND.label : 'Some of them: I add lines by hand' },
    ],
  }),
  versions: () => ({
    title: 'Also read by 2.2?',
    question: 'Does httpd 2.2 also read these files?',
    why: 'Files of an application are often read by both versions. Each version then needs its own access lines.',
    findOut: 'Look up the versions of httpd that the application supports',
    choices: [
      { value: '2.4', label: 'No: only 2.4 reads them' },
      { value: 'both', label: 'Yes: write the access lines of both versions, and change nothing else' },
    ],
  }),
};

/** Lists the new defaults. Those for which the answer `2.2` adds lines come first. */
function listedDefaults(facts: readonly string[]): string {
  const rows = (those: readonly string[], head: string) =>
    those.length === 0 ? [] : [head, ...those.map((each) => `- ${each}`)];
  const [others, written] = [true, false].map((isOther) =>
    facts.filter((each) => each.endsWith(NO_LINE_SUFFIX) === isOther),
  ) as [string[], string[]];
  return [
    ...rows(written, written.length === 1 ? 'The new default of 2.4:' : 'The new defaults of 2.4:'),
    ...rows(
      others.map((each) => {
        const why = REASONS_FOR_NO_LINE.find(([start]) => each.startsWith(start))?.[1];
        return `${each.slice(0, -NO_LINE_SUFFIX.length)}${why === undefined ? '' : `. ${why[0]!.toUpperCase()}${why.slice(1)}`}`;
      }),
      written.length === 0
        ? `The new ${others.length === 1 ? 'default' : 'defaults'} of 2.4. ${NO_LINE_TEXT} ${others.length === 1 ? 'it' : 'them'}:`
        : `${NO_LINE_TEXT} ${others.length === 1 ? 'this one' : `these ${others.length}`}:`,
    ),
  ].join('\n');
}

const NO_LINE_TEXT = 'The answer No does not restore';
/** Why the answer No adds no line, by the beginning of the fact. */
const REASONS_FOR_NO_LINE: readonly (readonly [start: string, why: string])[] = [
  [
    'AllowOverride ',
    'in the <Directory> of each site, write AllowOverride All (to use its .htaccess files) or None (to ignore them)',
  ],
  ['DefaultType ', '2.4 ignores DefaultType: use AddType'],
  ['SSL', 'the value of 2.2 is not secure'],
];

/** How to decide about the new defaults. Some facts name an effect, after a colon. */
function whenToKeepDefaults(facts: readonly string[]): string {
  if (facts.length === 0) return 'https://httpd.apache.org/docs/2.4/mod/quickreference.html';
  const mayUse = facts.some((each) => each.startsWith('AllowOverride '))
    ? '. With each answer, write the AllowOverride lines yourself'
    : '';
  const isNoticed = facts.some((each) => each.includes(': ') && !each.endsWith(NO_LINE_SUFFIX));
  if (!isNoticed) return `Yes is right for most servers${mayUse}`;
  return facts.length === 1
    ? `Yes is right for most servers. If this change breaks a site here, answer No${mayUse}`
    : `Yes is right for most servers. If one of these changes breaks a site here, answer No, or Some of them${mayUse}`;
}

/** The argument of LogLevel that logs as much as the RewriteLogLevel lines do. */
function rewriteLevel(facts: readonly string[]): string {
  const levels = new Set(facts.flatMap((each) => /^rewriteloglevel\s+"?(\d+)/i.exec(each)?.[1] ?? []));
  const [level] = levels;
  return levels.size === 1 ? `rewrite:trace${Math.min(Number(level), 8)}` : 'rewrite:traceN';
}

/**
 * A phrase with the number of settings for which the answer `2.2` adds no line: `, for 4 of the 6
 * settings`. Empty if there are none.
 */
function exceptionText(facts: readonly string[]): string {
  const written = facts.filter((each) => !each.endsWith(NO_LINE_SUFFIX)).length;
  return written === facts.length ? '' : `, for ${written} of the ${facts.length} settings`;
}

/**
 * Modules for the address of the client whose lines also refuse requests, so that no fix replaces
 * them.
 */
const REFUSING_MODULES: ReadonlySet<string> = new Set(['mod_extract_forwarded']);

/**
 * The question about missing files of several Include lines, or of one with a wildcard. `named`:
 * the files as a list; empty if it is long. `isMapped`: whether the copy has some of the files in
 * another directory.
 */
function missingFilesQuestion(named: string, files: readonly string[], isMapped: boolean): string {
  const kind = files.some((each) => /[*?]|\/$/.test(each)) ? 'included paths' : 'included files';
  const counted = files.length > 0 ? `${files.length} ${kind}` : 'Included files';
  const asked = `Do they use ${ACCESS_DIRECTIVES_TEXT}?`;
  if (isMapped) return `${counted} are not at their paths in this copy. ${asked}`;
  if (!files.some(isOfSites))
    return `${named === '' ? `${counted} are not in this copy` : `Included files are not in this copy: ${named}`}. ${asked}`;
  return `Your sites were not read: ${named === '' ? counted : named} ${files.length > 1 ? 'are' : 'is'} not in this copy. ${files.length > 1 ? asked : asked.replace('they', 'these files')}`;
}

/** Whether packages and administrators keep the sites of a server in a path. */
function isOfSites(path: string): boolean {
  return PATH_OF_SITES.test(path);
}

/** Paths in which packages and administrators keep the sites of a server. */
const PATH_OF_SITES = /(?:^|\/)(?:sites(?:-enabled)?|v(?:irtual)?hosts?(?:\.d)?)(?:\/|$)/i;

/** How a user of a shared server finds out how PHP runs. */
const WITHOUT_ACCESS_TO_SERVER =
  '. If you cannot run commands there, open a page with <?php phpinfo(); on it. "Server API" is "Apache 2.0 Handler" if PHP runs as a module';

/** A line with a setting of PHP, which only a PHP module knows. */
const PHP_SETTING = /^php(?:_|inidir)/i;

/** Tags of sections that can have Require lines, in the subjects of `running-version`. */
const TAG_WITH_REQUIRE = /^(?:<(?:directory|files|location|proxy|virtualhost)|the \.htaccess )/i;

/** A command that runs the installed httpd with an option, under each of its usual names. */
function commandAskingHttpd(option: string): string {
  return `{ apache2ctl ${option} || apachectl ${option} || httpd ${option}; } 2>/dev/null`;
}

/** A command that lists the running httpd processes with their options. */
const RUNNING_HTTPD = "ps -eo args | grep -E '[h]ttpd|[a]pache2'";

export const QUESTION_KINDS: readonly string[] = Object.keys(QUESTIONS);

/**
 * The question `modules`. A fact with a slash is the Include of the files that load the modules of
 * the packages.
 */
function modulesText(all: readonly string[]): QuestionText {
  const loads = all.find((fact) => fact.includes('/') || fact.startsWith('conf.modules.d'));
  const facts = all.filter((fact) => fact !== loads && fact !== '');
  const isOne = facts.length === 1;
  if (loads !== undefined) {
    const [it, these] = isOne ? ['it', 'this module'] : ['them', 'these modules'];
    return {
      title: 'Modules: loaded by the packages?',
      question: `Do the files of ${loads} load ${facts.length === 0 ? 'the other modules' : shortList(facts)} on the 2.4 server?`,
      why: `${loads} is not in this copy, and no other line loads ${it}. The 2.4 packages of Red Hat and Fedora load their modules there. A second LoadModule line for a module is only a warning.`,
      findOut: `${commandAskingHttpd('-M')} # on the 2.4 server: if the output lists ${it}, the answer is Yes. No output: httpd 2.4 is not installed there, or in another directory`,
      choices: [
        { value: ANSWER_KEEP, label: `Yes: the packages load ${it}, so add no line` },
        { value: 'files', label: `No: add a LoadModule line for ${isOne ? these : `each of ${these}`}` },
      ],
    };
  }
  return {
    title: 'Modules: separate files?',
    question: 'Are the modules of the 2.4 server separate files (.so), or compiled in?',
    why: isOne
      ? `httpd 2.4 needs a module that no LoadModule line loads: ${facts[0]}. If it is a separate file, it needs a LoadModule line. If it is compiled in, that line is an error.`
      : `httpd 2.4 needs modules that no LoadModule line loads: ${facts.length > 0 ? joinedParts(facts) : 'for example mod_authz_core'}. If they are separate files, each needs a LoadModule line. If they are compiled in, that line is an error.`,
    findOut: `${commandAskingHttpd('-l')} # on the 2.4 server: the output lists the modules that are compiled in. ${isOne ? `If ${facts[0]} is not in it, it is a separate file` : 'If these modules are not in it, they are separate files'}. No output: httpd 2.4 is not installed there, or in another directory`,
    choices: [
      {
        value: 'files',
        label: isOne
          ? 'Separate files: add a LoadModule line for this module'
          : 'Separate files: add a LoadModule line for each of these modules',
      },
      {
        value: ANSWER_KEEP,
        label: isOne
          ? 'Compiled in: add no line'
          : 'Compiled in, all or some of them: I add the LoadModule lines of the others by hand',
      },
    ],
  };
}

function joinedParts(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** A list of at most three texts, with the number of the others. Empty texts do not count. */
function shortList(all: readonly string[]): string {
  const parts = all.filter((part) => part !== '');
  if (parts.length < 2) return parts.join('');
  const few = parts.slice(0, 3);
  const more = parts.length - few.length;
  return more > 0 ? `${few.join(', ')} and ${more} more` : joinedParts(few);
}
