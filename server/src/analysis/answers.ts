/**
 * Questions and answers. A user answers a question once, in `.httpd-upgrade.json` or with
 * `--answer`, and fixes become safe. One question covers all open questions of one kind and subject
 * (access/open-question.ts). This file has the texts and answers of each kind, and the effects of
 * the answers. It does no I/O. The caller decides how local paths are written, so that an answer is
 * valid on every machine.
 */
import {
  ALL_MISSING_INCLUDES_QUESTION,
  openQuestionId,
  parentDirectories,
  RUNNING_VERSION_QUESTION,
  UNKNOWN_DIRECTIVES_QUESTION,
  NO_LINE_SUFFIX,
  type OpenQuestion,
  type OpenQuestionKind,
  type ServerSearch,
} from '../access/open-question';
import type { AssumedConditions } from '../access/condition-branches';
import type { OperandMeaning } from '../access/section-access';
import type { Source } from '../access/model';
import { isAbsolute, parentOf, resolvePath } from '../config/files';
import { LOGIN_MODULES } from '../rules/missing-module';
import { ANY_PHP_ANSWER, stopsPhp } from '../rules/support/php';
import {
  asksServerRoot,
  commandListingClients,
  commandListingConfiguration,
  commandListingHtaccess,
  commandListingLines,
  commandListingModules,
  commandListingPhpModules,
  COMMAND_SEPARATOR,
  isForWindows,
  WINDOWS_COMMENT,
} from './find-out';

/**
 * Answers by the id of the question: for example `none` or `here=www` for the question
 * `htaccess-unseen:/var/www`.
 */
export type Answers = ReadonlyMap<string, string>;

/** The answers of a user who has given none. */
export const NO_ANSWERS: ReadonlyMap<string, string> = new Map();

/**
 * The answer that keeps the old lines, which 2.4 reads with mod_access_compat. Fixes that wait for
 * the question are then not made.
 */
export const ANSWER_KEEP = 'keep';

/** A possible answer to a question. */
export interface Choice {
  /** The text of the answer in files, such as `none`. For an answer with a value: `here=DIR`. */
  readonly value: string;
  /** The answer in words. */
  readonly label: string;
}

/** The texts with which a question is shown to the user. */
export interface QuestionText {
  /** The question in a few words, for a narrow list. */
  readonly title: string;
  /** The question as a sentence. */
  readonly question: string;
  /** Why the answer matters. */
  readonly why: string;
  /** How to find the answer: a command to run on the server, or a place to look. */
  readonly findOut: string;
  /** The possible answers. The first one is the usual answer, after which fixes can be made. */
  readonly choices: readonly Choice[];
}

/**
 * Makes the text that stands for a local path in the id of a question. The text is relative to a
 * folder that every machine has.
 */
export type PathWriter = (path: string) => string;

/**
 * Returns a function that makes paths relative to `folder`, which has no slash at its end. The
 * function does not change paths outside of `folder`.
 */
export function pathWriterBelow(folder: string): PathWriter {
  return (path) => (path === folder ? '.' : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path);
}

/** The user's answers. Local paths in the ids of their questions are relative to `folder`. */
export interface AnswerSet {
  /** The answers by the id of their question. */
  readonly answers: Answers;
  /** The directory to which local paths are relative, with no slash at its end. */
  readonly folder: string;
  /** The directory to which paths in answers are relative, if it is not `folder`. */
  readonly folderOfCopies?: string;
  /**
   * Whether fixes of this program were applied to a configuration of 2.2, and wrote its lines of
   * 2.4. Then such lines are no sign of the running version.
   */
  readonly isConvertedInPart?: boolean;
}

/**
 * Whether the server certainly runs 2.2, although the files may have lines of 2.4. The user
 * answered so, or fixes of this program wrote these lines.
 */
export function certainlyRuns22(answerSet: AnswerSet): boolean {
  return answerSet.isConvertedInPart === true || runningVersion(answerSet) === '2.2';
}

/** The answer No, for example: no other file has access lines. */
export const ANSWER_NONE = 'none';
/** The answer that the server starts without a name in `<IfDefine>`. */
export const ANSWER_OFF = 'off';
/** The answer that the server starts with a name in `<IfDefine>`. */
export const ANSWER_ON = 'on';
/** The answer that a word in an Allow or Deny line matches no client, as in 2.2. */
export const ANSWER_NEVER_MATCHES = 'never-matches';
/** The answer that a word in an Allow or Deny line is the name of a host. */
export const ANSWER_IS_A_HOST = 'is-a-host';
/** The answer that two sections never apply to the same request. */
export const ANSWER_NEVER_MEET = 'never-meet';
/** The answer that the server does not use a file that looks like a main file. */
const ANSWER_UNUSED = 'unused';
/** The answer that missing files have no virtual hosts, and do not affect access. */
export const ANSWER_NO_HOSTS = 'no-hosts';
/** The answer that missing files, or directives of unknown modules, do not affect access. */
export const ANSWER_NO_ACCESS_CONTROL = 'no-access-control';

/**
 * Whether the user answered that httpd 2.2 will also read the files, for example because they
 * belong to an application. Then access control is written for both versions, and nothing else
 * changes.
 */
export function isForBothVersions({ answers }: Pick<AnswerSet, 'answers'>): boolean {
  return answers.get('versions') === 'both';
}

/** The one question about all words in Allow and Deny lines that look like mistakes. */
export const ALL_SUSPECT_OPERANDS = { kind: 'operand-host', subject: '*' } as const;

/** The version that the server runs now, by the user's answer. Null without an answer. */
export function runningVersion({ answers }: Pick<AnswerSet, 'answers'>): Source | null {
  const versionAnswer = answers.get(openQuestionId(RUNNING_VERSION_QUESTION));
  return versionAnswer === '2.2' || versionAnswer === '2.4' ? versionAnswer : null;
}

/** The beginning of the id of an `overlap` question. */
const OVERLAP_PREFIX = 'overlap:';

/** The effects of answers that change how lines are read and converted. */
export interface AnswerEffects {
  /**
   * The version whose decisions the conversion keeps. Set only while another version is tried;
   * otherwise the option of the engine decides.
   */
  readonly source?: Source;
  /**
   * For each name in `<IfDefine>` about which the user answered: whether the server starts with `-D
   * NAME`.
   */
  readonly defineFlags: ReadonlyMap<string, boolean>;
  /** What words in Allow and Deny lines mean, by the user's answers. */
  readonly meaningOf: OperandMeaning;
  /**
   * The subjects of `overlap` questions (whether two sections can apply to the same request) that
   * the user answered with `never-meet`.
   */
  readonly subjectsNeverTogether: ReadonlySet<string>;
  /** Whether the user answered that directives of unknown modules do not affect access. */
  readonly areUnknownDirectivesNeutral: boolean;
  /**
   * Whether sections that 2.4 denies now get the access that their Allow lines say
   * (`ConversionOptions.countsAsGranted`).
   */
  readonly areAllowLinesMeant: boolean;
  /** Whether fixes of this program wrote the lines of 2.4 (`AnswerSet.isConvertedInPart`). */
  readonly isConvertedInPart: boolean;
  /** The MPM of the 2.4 server. Null without an answer. */
  readonly mpm: string | null;
  /**
   * Assumptions about conditions with an unknown result: whether httpd reads the lines inside.
   * Absent if nothing is assumed.
   */
  readonly assumedConditions?: AssumedConditions;
}

/** The effects of the answers that a user has given. */
export function answerEffectsOf({
  answers,
  isConvertedInPart = false,
}: Pick<AnswerSet, 'answers' | 'isConvertedInPart'>): AnswerEffects {
  const mpm = answers.get('mpm') ?? null;
  return {
    mpm: mpm === ANSWER_KEEP ? null : mpm,
    defineFlags: defineFlagsIn(answers),
    meaningOf: (word) => {
      const operandAnswer = answers.get(`operand-host:${word}`) ?? answers.get(openQuestionId(ALL_SUSPECT_OPERANDS));
      return operandAnswer === ANSWER_NEVER_MATCHES || operandAnswer === ANSWER_IS_A_HOST ? operandAnswer : null;
    },
    subjectsNeverTogether: new Set(
      [...answers].flatMap(([id, answer]) =>
        id.startsWith(OVERLAP_PREFIX) && answer === ANSWER_NEVER_MEET ? [id.slice(OVERLAP_PREFIX.length)] : [],
      ),
    ),
    areAllowLinesMeant: answers.get('denied-now') === ANSWER_ALLOWED,
    isConvertedInPart,
    areUnknownDirectivesNeutral: answers.get(openQuestionId(UNKNOWN_DIRECTIVES_QUESTION)) === ANSWER_NO_ACCESS_CONTROL,
  };
}

/**
 * For each name in `<IfDefine>` about which the user answered: whether the server starts with `-D
 * NAME`.
 */
export function defineFlagsIn(answers: Answers): ReadonlyMap<string, boolean> {
  const flagAnswers = [...answers].filter(
    ([id, answer]) => id.startsWith('define:') && (answer === ANSWER_OFF || answer === ANSWER_ON),
  );
  return new Map(flagAnswers.map(([id, answer]) => [kindAndSubject(id)[1], answer === ANSWER_ON]));
}

/**
 * The id of the question that the user gets for an open question. If the user gets none, the id of
 * the open question itself.
 */
export function questionIdOrFallback(openQuestion: OpenQuestion, answerSet: AnswerSet): string {
  return questionId(openQuestion, answerSet) ?? openQuestionId(openQuestion);
}

/**
 * Whether the user's answers decide an open question, so that fixes can be made.
 * `assumesStandalone`: whether the user stated that no other file affects access
 * (`--assume-standalone`).
 */
export function isSettled(openQuestion: OpenQuestion, answerSet: AnswerSet, assumesStandalone: boolean): boolean {
  const idOfQuestion = questionId(openQuestion, answerSet);
  const answer = idOfQuestion === null ? undefined : answerSet.answers.get(idOfQuestion);
  if (answer === ANSWER_KEEP) return false;
  return (
    (assumesStandalone && openQuestion.scope === 'outside') ||
    (idOfQuestion !== null && settlesQuestion(idOfQuestion, answer) && allowsFix(openQuestion, answer))
  );
}

/**
 * Whether the user answered that the server does not use this file, which looks like a main file.
 * The answers about two main files can contradict each other. So false if no main file with a usual
 * name is in its directory or the parent directory: no answer hides such a main file. `path`:
 * absolute. `exists`: whether a path is that of a main file.
 */
export function isAnsweredUnused(
  path: string,
  { answers, folder }: AnswerSet,
  exists: (path: string) => boolean,
): boolean {
  if (answers.size === 0) return false;
  const subject = pathWriterBelow(folder)(path);
  if (answers.get(openQuestionId({ kind: 'other-main', subject })) !== ANSWER_UNUSED) return false;
  const folderOfFile = parentOf(path);
  const usualPaths = [folderOfFile, parentOf(folderOfFile)].flatMap((each) =>
    USUAL_MAIN_FILE_NAMES.map((name) => `${each}/${name}`),
  );
  return !usualPaths.includes(path) && usualPaths.some(exists);
}

/** The names of main files that no answer hides. */
const USUAL_MAIN_FILE_NAMES = ['httpd.conf', 'apache2.conf'];

/**
 * The id of the first of these questions that the user answered with `keep`, so that the lines
 * stay. Null if there is none.
 */
export function idOfQuestionAnsweredKeep(openQuestions: readonly OpenQuestion[], answerSet: AnswerSet): string | null {
  return (
    openQuestions
      .map((openQuestion) => questionId(openQuestion, answerSet))
      .find((id) => id !== null && answerSet.answers.get(id) === ANSWER_KEEP) ?? null
  );
}

/**
 * The id of the question that the user gets for an open question. Null if no answer can decide the
 * open question. Several questions can cover the open question, such as those for its directory and
 * for the parent directory. If the user answered one of them, the result is its id; the nearest
 * directory comes first.
 */
export function questionId(openQuestion: OpenQuestion, { answers, folder }: AnswerSet): string | null {
  const { kind, subject, detail, coveringQuestion } = openQuestion;
  // All files that no configuration reads share one question. An open question about a main file
  // has a reason in `detail`, and gets a question of its own.
  if (kind === 'outside-unseen' && detail === undefined) return STANDALONE_QUESTION_ID;
  if (!(kind in QUESTIONS) && !coveringQuestion) return null;
  // The user answered the covering question, but the answer does not decide this open question.
  if (
    coveringQuestion === RUNNING_VERSION_QUESTION &&
    !allowsFix(openQuestion, answers.get(openQuestionId(coveringQuestion)))
  )
    return null;
  const writtenPath = pathWriterBelow(folder);
  const idOf = (question: Pick<OpenQuestion, 'kind' | 'subject'>) =>
    openQuestionId({
      kind: question.kind,
      subject: KINDS_OF_LOCAL_PATHS.has(question.kind) ? writtenPath(question.subject) : question.subject,
    });
  const idOfOpenQuestion = idOf({ kind, subject });
  if (answers.has(idOfOpenQuestion)) return idOfOpenQuestion;
  if (kind === 'operand-host' && answers.has(openQuestionId(ALL_SUSPECT_OPERANDS)))
    return openQuestionId(ALL_SUSPECT_OPERANDS);
  if (answers.size > 0 && KINDS_COVERING_SUBDIRECTORIES.has(kind)) {
    for (const parentFolder of parentDirectories(subject)) {
      const idOfParent = idOf({ kind, subject: parentFolder });
      const answerForParent = answers.get(idOfParent);
      // A `here=` answer covers only the files in that copy, and not all files below the directory.
      if (answerForParent !== undefined && !answerForParent.startsWith(HERE_PREFIX)) return idOfParent;
    }
  }
  const questionForAll = QUESTION_FOR_ALL[kind];
  if (questionForAll !== undefined && answers.has(openQuestionId(questionForAll)))
    return openQuestionId(questionForAll);
  return coveringQuestion ? idOf(coveringQuestion) : idOfOpenQuestion;
}

/** For some kinds: the one question that covers all open questions of that kind. */
const QUESTION_FOR_ALL: Partial<Readonly<Record<OpenQuestionKind, Pick<OpenQuestion, 'kind' | 'subject'>>>> = {
  'include-unseen': ALL_MISSING_INCLUDES_QUESTION,
  'served-anywhere': { kind: 'htaccess-unseen', subject: '/' },
};

/** False if an answer other than `keep` excludes the fixes that wait for the open question. */
function allowsFix({ safeAnswers }: OpenQuestion, answer: string | undefined): boolean {
  return safeAnswers === undefined || answer === undefined || answer === ANSWER_KEEP || safeAnswers.includes(answer);
}

/** The question about all files that no known configuration reads. */
export const STANDALONE_QUESTION_ID = 'outside-unseen:.';

/**
 * The answer to `STANDALONE_QUESTION_ID` that no other files affect access, and that the server now
 * runs 2.4.
 */
export const ANSWER_NONE_24 = 'none-2.4';
/** The same answer as `ANSWER_NONE_24`, but for a server that now runs 2.2. */
export const ANSWER_NONE_22 = 'none-2.2';

/**
 * The version that the server now runs, by the answer to `STANDALONE_QUESTION_ID` that names it.
 */
const VERSION_IN_ANSWER: ReadonlyMap<string, Source> = new Map([
  [ANSWER_NONE_24, '2.4'],
  [ANSWER_NONE_22, '2.2'],
]);

/** The answer to `denied-now` that the Allow lines are right, and 2.4 denies by mistake. */
const ANSWER_ALLOWED = 'allowed';

/** The version that the user's answer about other files names. Null if it names none. */
export function versionInStandaloneAnswer({ answers }: Pick<AnswerSet, 'answers'>): Source | null {
  return VERSION_IN_ANSWER.get(answers.get(STANDALONE_QUESTION_ID) ?? '') ?? null;
}

/**
 * Adds an answer to the question `running-version` if the user's answer about other files names the
 * running version, and if the user has not answered that question.
 */
export function withVersionAnswer(answerSet: AnswerSet): AnswerSet {
  const version = versionInStandaloneAnswer(answerSet);
  const versionId = openQuestionId(RUNNING_VERSION_QUESTION);
  if (version === null || answerSet.answers.has(versionId)) return answerSet;
  return { ...answerSet, answers: new Map([...answerSet.answers, [versionId, version]]) };
}

/**
 * Returns the choices of a question that the user is offered: all, with one exception. If the
 * question about other files also asks for the version (`asksVersion`), its choices that name a
 * version replace `none`; otherwise they are left out. The choice that is already the user's answer
 * is always offered.
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

/** Whether there is a question with which the user can answer the open question. */
export function hasQuestion({ kind, coveringQuestion }: OpenQuestion): boolean {
  return coveringQuestion !== undefined || Object.hasOwn(QUESTIONS, kind);
}

/**
 * The texts of a question, by its id. Null if the kind is unknown, or if the id lacks its subject.
 * `subjects`: the subjects that the question covers. `search`: what to search for on the server.
 * `shownFacts`: see `OpenQuestion`. `linesOf24`: the lines of 2.4, if the question also asks for
 * the version; otherwise null.
 */
export function questionText(
  id: string,
  subjects: readonly string[] = [],
  search: ServerSearch = NOTHING_SEARCHED,
  shownFacts: readonly string[] = [],
  linesOf24: readonly string[] | null = null,
): QuestionText | null {
  const [kind, subject] = kindAndSubject(id);
  const makeText =
    Object.hasOwn(QUESTIONS, kind) && KINDS_WITHOUT_SUBJECT.has(kind) === (subject === '')
      ? QUESTIONS[kind]
      : undefined;
  return makeText
    ? makeText(subject, {
        subjects: subjects.length > 1 || subject === '' ? subjects : [],
        search,
        shownFacts,
        linesOf24,
      })
    : null;
}

/** Whether a question is about .htaccess files, alone or with other files. */
function includesHtaccess({ names }: ServerSearch): boolean {
  return names.length === 0 || names.includes('.htaccess');
}

/**
 * Whether a question is only about .htaccess files. Then the user may be on a shared host, and may
 * not have any other files.
 */
function areAllHtaccess({ names }: ServerSearch): boolean {
  return names.length > 0 && names.every((name) => name === '.htaccess');
}

/**
 * A clause for the label of a choice: .htaccess files can use Require (`AllowOverride AuthConfig`).
 * Empty if the search is not about .htaccess files.
 */
function requireClauseFor(search: ServerSearch): string {
  return includesHtaccess(search) ? ', and .htaccess files can use Require (AllowOverride AuthConfig)' : '';
}

const NOTHING_SEARCHED: ServerSearch = { folders: [], names: [] };

/**
 * Splits the id of a question into its kind and its subject. The subject is empty for a question
 * without one.
 */
export function kindAndSubject(id: string): readonly [kind: OpenQuestionKind, subject: string] {
  const colonIndex = id.indexOf(':');
  return colonIndex < 0
    ? [id as OpenQuestionKind, '']
    : [id.slice(0, colonIndex) as OpenQuestionKind, id.slice(colonIndex + 1)];
}

/**
 * Whether an answer decides its question, so that fixes become safe. `here=` does not: after it,
 * the program reads the files at the given path, and they decide.
 */
export function settlesQuestion(id: string, answer: string | undefined): boolean {
  if (answer === undefined || answer === ANSWER_KEEP || answer.includes('=')) return false;
  return (
    !ANSWERS_SETTLING_NOTHING.has(answer) && questionText(id)?.choices.some(({ value }) => value === answer) === true
  );
}

/**
 * The message that says why a text is no valid answer to a question. Null if it is a valid answer.
 */
export function answerProblem(id: string, answer: string): string | null {
  const text = questionText(id);
  if (!text) return `There is no question "${id}": "httpd-upgrade plan" shows the questions with their ids.`;
  const choiceValues = text.choices.map(({ value }) => value);
  const isValidChoice = choiceValues.some((value) =>
    value.endsWith('=') ? answer.startsWith(value) && answer.length > value.length : value === answer,
  );
  const shownValues = choiceValues.map((value) => (value.endsWith('=') ? `"${value}PATH"` : `"${value}"`));
  return isValidChoice
    ? null
    : `The answer to "${id}" must be ${shownValues.slice(0, -1).join(', ')} or ${shownValues.at(-1)}, not "${answer}".`;
}

/**
 * Returns the id of a question in which the local path is relative to `to` instead of `from`. An id
 * without a local path does not change.
 */
export function idBelowFolder(id: string, from: string, to: string): string {
  const colonIndex = id.indexOf(':');
  const subject = id.slice(colonIndex + 1);
  if (id === STANDALONE_QUESTION_ID || !KINDS_OF_LOCAL_PATHS.has(id.slice(0, colonIndex) as OpenQuestionKind))
    return id;
  return `${id.slice(0, colonIndex)}:${pathWriterBelow(to)(subject.startsWith('/') ? subject : subject === '.' ? from : `${from}/${subject}`)}`;
}

/** The answer that the missing files are in a local directory. */
export function answerWithCopy(
  directory: string,
  { folder, folderOfCopies = folder }: Pick<AnswerSet, 'folder' | 'folderOfCopies'>,
): string {
  return HERE_PREFIX + pathWriterBelow(folderOfCopies)(directory);
}

/** The path in an answer `here=PATH`. Null for other answers. */
export function pathInAnswer(answer: string): string | null {
  return answer.startsWith(HERE_PREFIX) ? answer.slice(HERE_PREFIX.length) : null;
}

/**
 * The answers `here=PATH` as entries of a path map. `from`: the path on the server. `to`: the local
 * path, as the user wrote it.
 */
export function mapEntriesOf(
  answers: Answers,
): { readonly from: string; readonly to: string; readonly isForMissing: true }[] {
  return [...answers].flatMap(([id, answer]) => {
    const [, kind, from = ''] = /^([\w-]+):((?:[A-Za-z]:)?\/.*)$/s.exec(id) ?? [];
    if (
      (kind !== 'htaccess-unseen' && kind !== 'include-unseen') ||
      !answer.startsWith(HERE_PREFIX) ||
      answer === HERE_PREFIX
    )
      return [];
    return [{ from: resolvePath('/', from), to: answer.slice(HERE_PREFIX.length), isForMissing: true }];
  });
}

/**
 * The JSON schema of `answers` in .httpd-upgrade.json. It has each kind of question with its
 * answers.
 */
export function answersSchema(): object {
  const schemaOf = (kind: string): [string, object] => {
    const hasNoSubject = questionText(kind) !== null;
    const { question, choices } = questionText(hasNoSubject ? kind : `${kind}:…`)!;
    const wordChoices = choices.filter(({ value }) => !value.endsWith('='));
    const wordSchema = {
      type: 'string',
      enum: wordChoices.map(({ value }) => value),
      enumDescriptions: wordChoices.map(({ label }) => label),
    };
    const pathSchemas = choices
      .filter(({ value }) => value.endsWith('='))
      .map(({ value, label }) => ({ type: 'string', pattern: `^${value}.+`, description: label }));
    return [
      hasNoSubject ? `^${kind}$` : `^${kind}:.`,
      { description: question, ...(pathSchemas.length > 0 ? { anyOf: [wordSchema, ...pathSchemas] } : wordSchema) },
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

/** The beginning of the answer that the missing files are in a local directory. */
const HERE_PREFIX = 'here=';

/** Kinds whose subject is a path on this machine, not on the server. */
const KINDS_OF_LOCAL_PATHS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>(['outside-unseen', 'other-main']);

/**
 * Kinds of questions for which the answer for a directory also counts for all directories below it.
 */
const KINDS_COVERING_SUBDIRECTORIES: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'htaccess-unseen',
  'include-unseen',
  'other-main',
]);

/** Kinds of which there is only one question. The id of such a question is the kind alone. */
const KINDS_WITHOUT_SUBJECT: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'running-version',
  'denied-now',
  'unknown-directives',
  'client-address',
  'mpm',
  'rewrite-log',
  'php',
  'defaults',
  'modules',
  'versions',
]);

/** Answers that do not decide their question, so that the lines stay. */
const ANSWERS_SETTLING_NOTHING: ReadonlySet<string> = new Set(['both', 'meet']);

/** The choice with which the lines stay, and the user changes them. */
const CHOICE_BY_HAND: Choice = { value: ANSWER_KEEP, label: 'None of these: I change the lines by hand' };

/** The part of a label that stands for keeping the lines. */
const KEEP_LINES_TEXT = 'keep the old lines, which 2.4 reads with mod_access_compat';

/**
 * Texts for those subjects that are lines. Such a line serves directories that the configuration
 * does not name, so the text contains the line.
 */
function servingLinesIn(subjects: readonly string[]): string[] {
  return subjects.filter((each) => !isAbsolute(each)).map((each) => `the directories of "${shortenedLine(each)}"`);
}

/** Adds a comment to a command: where to run it, and what its output means. */
function withComment(command: string, meaning: string, server = 'the 2.2 server'): string {
  return isForWindows(command)
    ? `${command}${WINDOWS_COMMENT}on ${server}, as administrator: ${meaning}`
    : `${command} # on ${server}, as root: ${meaning}`;
}

/** What it means that `commandAskingHttpd` has no output, and what to do then. */
function noOutputOfHttpd(option: string): string {
  return `No output: httpd 2.4 is not installed there, or its directory is not in the PATH. If it is installed, run it with its full path, such as /usr/local/apache2/bin/httpd ${option}`;
}

/** The meaning of the output of `commandListingHtaccess`. */
function meaningOfListedHtaccess(command: string): string {
  return isForWindows(command)
    ? 'open each file in the output. An Order, Allow, Deny, Satisfy or Require line means Yes; a line that begins with # or AllowOverride does not count. No file in the output means No'
    : 'the output names the .htaccess files with Order, Allow, Deny, Satisfy or Require. "No such file or directory" does not matter. Yes: the output names a file. No: it names none, and it has no "Permission denied"';
}

/** The meaning of the output of `commandListingLines`. `server`: the server of the command. */
function meaningOfListedLines(command: string, server: string): string {
  const isWindows = isForWindows(command);
  const ignoredText = isWindows ? ' Ignore: AllowOverride lines, and lines that begin with #.' : '';
  const noSuchFile = isWindows || asksServerRoot(command) ? '' : `, or ${server} answers "No such file"`;
  const unknownText = asksServerRoot(command)
    ? ` I don't know: "No such file", because this httpd has another ServerRoot. Or ${UNKNOWN_LINES_TEXT}`
    : ` I don't know: ${UNKNOWN_LINES_TEXT}`;
  return `if the output has an Include line, search the files of that line in the same way.${ignoredText} Yes: a line with Order, Allow, Deny, Satisfy or Require. No, but with <VirtualHost>: no such line, but a <VirtualHost> line. No, and without <VirtualHost>: the output has neither of the two${noSuchFile}.${unknownText}`;
}

/** Lines in the output of which the user may not know what they do. */
const UNKNOWN_LINES_TEXT =
  'the output has "Use NAME" (a macro) or a <Perl> section, and you cannot see which access lines it adds';

/** The beginning of a line, in one row. A line can be long, and can continue over several rows. */
function shortenedLine(line: string): string {
  const singleSpacedLine = line.replace(/\\?\s+/g, ' ');
  return singleSpacedLine.length <= MAX_SHOWN_LINE_LENGTH
    ? singleSpacedLine
    : `${singleSpacedLine.slice(0, MAX_SHOWN_LINE_LENGTH)}…`;
}

/** Maximum length of a line in a question, in UTF-16 units. */
const MAX_SHOWN_LINE_LENGTH = 60;
/**
 * Maximum length of a list of directories in a question. A longer list is in the explanation of the
 * question.
 */
const MAX_DIRECTORIES_LENGTH = 60;

/** The answer Yes of questions for which Yes means that the old lines stay. */
const YES_KEEP_LINES: Choice = { value: ANSWER_KEEP, label: `Yes: ${KEEP_LINES_TEXT}` };
/**
 * The answer Yes to the question whether other files have access lines. `search`: the files that
 * the question is about.
 */
function yesChoiceFor(search: ServerSearch): Choice {
  return areAllHtaccess(search)
    ? { ...YES_KEEP_LINES, label: `Yes, or .htaccess files cannot use Require: ${KEEP_LINES_TEXT}` }
    : YES_KEEP_LINES;
}

/** The answer No of questions for which No means that the old lines stay. */
const NO_KEEP_LINES: Choice = { value: ANSWER_KEEP, label: `No: ${KEEP_LINES_TEXT}` };

/** The values that the texts of a question can contain. */
interface TextParts {
  /** The subjects that the question covers. Empty if it covers only the subject in its id. */
  readonly subjects: readonly string[];
  readonly search: ServerSearch;
  /** See `OpenQuestion.shownFacts`. */
  readonly shownFacts: readonly string[];
  /** The lines of 2.4, if the question also asks which version the server runs. Otherwise null. */
  readonly linesOf24: readonly string[] | null;
}

/**
 * Advises to run the plan on the whole configuration, so that the question is not needed. `drive`:
 * the drive of a server on Windows; otherwise ''.
 */
function adviceToPlanWhole(drive: string): string {
  const examples = drive === '' ? '/etc/httpd or /etc/apache2' : `${drive}\\Apache2.2\\conf`;
  return `Best: run plan on the whole configuration directory of the 2.2 server, such as ${examples}, or on a backup of it.`;
}
/** Tells a user without the 2.2 server how to answer a question about .htaccess files. */
const HTACCESS_BACKUP_TEXT =
  'If you no longer have the 2.2 server, take these directories from a backup, and give the answer "I have a copy".';

/**
 * Words for the server that has these files. Files in conf.modules.d may be from the 2.4 server,
 * because conf.modules.d came with 2.4.
 */
function serverTextFor(files: readonly string[]): string {
  return files.some((each) => /(?:^|\/)conf\.modules\.d\//.test(each))
    ? 'the server that reads these files'
    : 'the 2.2 server';
}

/**
 * Tells the user how to give the missing included files to the program. `them`: words for the
 * files. `path`: the directory of all these files, or `/` if they are in several directories. Then
 * the user copies them into one directory, with their full paths below it.
 */
function bestCopyText(them: string, path: string, files: readonly string[], isWindows: boolean): string {
  const [example] = files.filter(isAbsolute);
  const links = isWindows ? '' : files.some((each) => each.endsWith('/')) ? ' (cp -rL)' : ' (cp -L)';
  return path === '/' && example !== undefined
    ? `Best: copy ${them} from the 2.2 server or a backup of it${links} into one directory PATH, below their paths (PATH${example} and so on). Then give the answer "I have a copy".`
    : `Best: copy ${them} from ${serverTextFor(files)} or a backup of it${links} to the same place in this copy, relative to the main file. Then run again.`;
}

const FIND_OUT_BELOW_TEXT = 'Or find the answer as described below.';

/**
 * A list of what users do who cannot copy the missing included files. `isOneFile`: whether one file
 * is missing. `serverText`: words for the server that has the files.
 */
function adviceWithoutCopy(isOneFile: boolean, serverText: string): string {
  const [them, areLost, doNotExist, their] = isOneFile
    ? ['it', 'It is lost', 'does not exist', 'Its']
    : ['them', 'They are lost', 'do not exist', 'Their'];
  return [
    `If you cannot copy ${them}:`,
    `- You can log in to ${serverText}: find the answer as described below.`,
    `- ${areLost}, and you will not write new ones: give the answer with "${doNotExist}". ${their} restrictions are lost then.`,
    `- ${areLost}, and you will write new ones for the 2.4 server: answer Yes, which keeps the old lines.`,
    '',
  ].join('\n');
}

const ACCESS_DIRECTIVES_TEXT = 'Order, Allow, Deny or Require';
/** The beginning of the question about other files. */
const OTHER_FILES_QUESTION_START = `Do other files of the server have ${ACCESS_DIRECTIVES_TEXT} lines`;

/**
 * The meaning of the commands that list access lines of other files. `file`: the file that the
 * question is about, or `.` for several files. `sections`: the tags of the sections here.
 * `isFirst`: whether no other command is before them. `withHtaccess`: whether the last command
 * lists .htaccess files.
 */
function meaningOfAccessLines(
  file: string,
  sections: readonly string[],
  isFirst: boolean,
  withHtaccess: boolean,
): string {
  const isWindows = driveInTags(sections) !== '';
  const [listing, listingHtaccess] = isFirst ? ['first', 'second'] : ['second', 'third'];
  const listingText = isFirst && !withHtaccess ? 'the output' : `the output of the ${listing} command`;
  const ownFiles = file === '.' ? 'the files that you gave to httpd-upgrade' : `${file} and the files that it includes`;
  const reach = reachOf(sections);
  const { yes, htaccess } = REACH_TEXTS[reach];
  const sectionsText =
    file !== '.'
      ? `the sections of ${file}`
      : tagsText(reach === 'directory' ? sections.map(directoryInTag) : sections);
  const htaccessRule =
    withHtaccess && htaccess !== null
      ? ` Also Yes: the ${listingHtaccess} command names a .htaccess file ${htaccess}.`
      : '';
  return [
    `${listingText} has the access lines (Order, Allow, Deny, Satisfy, Require) and the tags around them.`,
    withHtaccess ? ` The ${listingHtaccess} command names .htaccess files with access lines. It can take minutes.` : '',
    `${isWindows ? ' Ignore: AllowOverride lines, and lines that begin with #.' : ` If ${listingText} is empty, write the directory of the configuration after "find -L", and run it again.`} Do not count ${ownFiles}, and backups. If an Include line names a file in another directory, search that file, too.`,
    ` Yes: an access line is ${yes(sectionsText, ignoresHtNames(sections), sections.length === 1)}.${htaccessRule} No: ${htaccessRule === '' ? 'there is no such access line' : 'neither of the two'}.`,
    ` I don't know: ${UNKNOWN_LINES_TEXT}`,
  ].join('');
}

/**
 * Which requests the sections of a question can apply to. `paths`: sections of several kinds, or of
 * a kind without texts of its own.
 */
type SectionReach = 'directory' | 'directory pattern' | 'URL' | 'URL pattern' | 'paths' | 'everything' | 'proxied';

/**
 * How far sections with these tags reach. `<Directory />`, `<Location />`, and a `<Files>` outside
 * of other sections reach everything. A `<Proxy>` reaches requests for a backend, which have no
 * directory.
 */
function reachOf(tags: readonly string[]): SectionReach {
  const reaches = new Set(tags.map(reachOfTag));
  if (reaches.has('everything')) return 'everything';
  const [reach = 'paths'] = reaches;
  return reaches.size > 1 ? 'paths' : reach;
}

function reachOfTag(tag: string): SectionReach {
  if (whyReachesEverything(tag) !== null) return 'everything';
  if (/^<proxy/i.test(tag)) return 'proxied';
  const [, name, match] = /^<(directory|location)(match|\s+~)?/i.exec(tag) ?? [];
  if (name === undefined) return 'paths';
  const kind = name.toLowerCase() === 'directory' ? 'directory' : 'URL';
  return match !== undefined || /[*?[]/.test(tag) ? `${kind} pattern` : kind;
}

/** Why a section with this tag reaches everything. Null if it does not. */
function whyReachesEverything(tag: string): string | null {
  if (/^<files/i.test(tag)) return `${shortenedLine(tag)} applies in all directories`;
  const name = /^<(directory|location)(?:\s+"?\/"?|(?:match|\s+~)\s+"?\^?\/(?:\.\*)?"?)\s*>$/i.exec(tag)?.[1];
  if (name === undefined) return null;
  return `${shortenedLine(tag)} applies to all ${name.toLowerCase() === 'directory' ? 'directories' : 'URLs'}`;
}

/**
 * Whether lines in `<Files>` sections for names that begin with .ht do not count. They count if a
 * section here can be for such names.
 */
function ignoresHtNames(tags: readonly string[]): boolean {
  return tags.every((tag) => !/^<files/i.test(tag) || /^<files\s+"?[\w-][\w. -]*"?>$/i.test(tag));
}

/** The tags of the sections of a question, or words for them. */
function tagsText(tags: readonly string[]): string {
  return tags.length === 0 ? 'these files' : listedSections(tags);
}

/** The drive of the first tag with a path of Windows, such as `C:`; '' if there is none. */
function driveInTags(tags: readonly string[]): string {
  return tags.map((tag) => /["\s]([A-Za-z]:)[\\/]/.exec(tag)?.[1] ?? '').find((drive) => drive !== '') ?? '';
}

/** The path in a tag such as `<Directory "/srv/www">`. */
function directoryInTag(tag: string): string {
  return tag.slice('<Directory'.length, -1).trim().replaceAll('"', '');
}

/** Why access lines in all sections count. Empty if no section here reaches everything. */
function whyAllCount(tags: readonly string[]): string {
  const reasons = tags.flatMap((tag) => whyReachesEverything(tag) ?? []).slice(0, MAX_NAMED_TAGS);
  return reasons.length === 0 ? '' : `${joinedWithAnd(reasons)}, so access lines in any section count. `;
}

/**
 * The last case in which a line means Yes. A `<Files>` section outside of other sections applies in
 * all directories.
 */
const OR_IN_FILES_SECTION = '; or in a <Files> section, except one for .ht names';

/**
 * The parts of the question about other files that depend on the reach of its sections. `asked`:
 * the question, without a question mark. `yes`: where a line means Yes, for the paths of
 * `<Directory>` sections, or for the tags of others. `htaccess`: which .htaccess files mean Yes;
 * null if none does.
 */
const REACH_TEXTS: Readonly<
  Record<
    SectionReach,
    {
      readonly asked: (tags: string, isOne: boolean) => string;
      readonly yes: (tagsOrPaths: string, ignoresHt: boolean, isOne: boolean) => string;
      readonly htaccess: string | null;
    }
  >
> = {
  directory: {
    asked: (tags) => `${OTHER_FILES_QUESTION_START} for the same directory as ${tags}, or for one above or below`,
    yes: (paths, _, isOne) =>
      `in a section for ${paths}, for a directory above or below ${isOne ? 'it' : 'them'} (<Directory /> counts), or for a URL that leads there (<Location>)${OR_IN_FILES_SECTION}`,
    htaccess: 'in, above or below such a directory',
  },
  'directory pattern': {
    asked: (tags, isOne) =>
      `${OTHER_FILES_QUESTION_START} for directories that ${tags} ${isOne ? 'matches' : 'match'}, or for ones above or below`,
    yes: (tags) =>
      `in a section for a directory that matches ${tags}, for a directory above or below it (<Directory /> counts), or for a URL that leads there (<Location>)${OR_IN_FILES_SECTION}`,
    htaccess: 'in, above or below such a directory',
  },
  URL: {
    asked: (tags) =>
      `${OTHER_FILES_QUESTION_START} for the same URL as ${tags}, for one above or below, or for the directory to which it leads`,
    yes: (tags, _, isOne) =>
      `in a section for the URL of ${tags}, for a URL above or below ${isOne ? 'it' : 'them'} (<Location /> counts), or for the directory to which it leads (<Directory>)${OR_IN_FILES_SECTION}`,
    htaccess: 'in the directory to which the URL leads, or above or below it',
  },
  'URL pattern': {
    asked: (tags, isOne) =>
      `${OTHER_FILES_QUESTION_START} for URLs that ${tags} ${isOne ? 'matches' : 'match'}, or for the directories of their files`,
    yes: (tags) =>
      `in a section for a URL that matches ${tags}, or for the directory of its file (<Directory>)${OR_IN_FILES_SECTION}`,
    htaccess: 'in the directory of such a file, or above it',
  },
  paths: {
    asked: (tags) =>
      `${OTHER_FILES_QUESTION_START} for the same directories or URLs as ${tags}, or for ones above or below`,
    yes: (tags) =>
      `in a section for a directory or URL that ${tags} names, or for one above or below it${OR_IN_FILES_SECTION}`,
    htaccess: 'in, above or below such a directory',
  },
  everything: {
    asked: () => `${OTHER_FILES_QUESTION_START} for any directory, URL or file name`,
    yes: (_, ignoresHt) => (ignoresHt ? 'in any section that is not for .ht names' : 'in any section'),
    htaccess: 'in a directory of a web site',
  },
  proxied: {
    asked: (tags) => `${OTHER_FILES_QUESTION_START} for ${tags}, or for URLs that ProxyPass sends there`,
    yes: (tags) =>
      `in a <Proxy> section for the same backend as ${tags}, in a <Location> for a URL that ProxyPass sends there, or in another section, such as <Location />, of the <VirtualHost> with the ProxyPass line`,
    htaccess: null,
  },
};

/**
 * Tells the user how to find out whether other files have access lines. `asksVersion`: whether the
 * question also asks for the version of the running server.
 */
function findOutTextForOtherFiles(
  file: string,
  sections: readonly string[],
  search: ServerSearch,
  asksVersion: boolean,
): string {
  if (areAllHtaccess(search)) {
    const askHosting =
      'find . -name .htaccess # in the top directory of the site: the output names all .htaccess files. Run plan on all of them together (httpd-upgrade plan .). Then ask your hosting provider: does the configuration have Order, Allow, Deny or Require for these directories or those above them; and does AllowOverride there include AuthConfig, so that .htaccess files can use Require';
    return asksVersion ? `${askHosting}; and does the server run httpd 2.2 or 2.4` : askHosting;
  }
  const searchesHtaccess =
    file === '.' && !includesHtaccess(search) && REACH_TEXTS[reachOf(sections)].htaccess !== null;
  const drive = driveInTags(sections);
  const commands = [
    ...(asksVersion ? [drive === '' ? commandAskingHttpd('-v') : 'httpd -v'] : []),
    commandListingConfiguration(drive),
    ...(searchesHtaccess ? [commandListingHtaccess([`${drive}/`], NOTHING_SEARCHED)] : []),
  ].join(drive === '' ? COMMAND_SEPARATOR : ' & ');
  const meaning = meaningOfAccessLines(file, sections, !asksVersion, searchesHtaccess);
  return asksVersion
    ? withComment(
        commands,
        `the first command shows the version. T${meaning.slice(1)}`,
        'the server that reads these files',
      )
    : withComment(commands, meaning);
}

/** The tags of sections in a question: at most three, or two and the number of the others. */
function listedSections(tags: readonly string[]): string {
  const listedTags = (tags.length > MAX_NAMED_TAGS ? tags.slice(0, 2) : tags).map(shortenedLine);
  const otherCount = tags.length - listedTags.length;
  if (otherCount > 0) return `${listedTags.join(', ')} or one of the ${otherCount} other sections here`;
  return [...(listedTags.length > 1 ? [listedTags.slice(0, -1).join(', ')] : []), listedTags.at(-1)!].join(' or ');
}

/** Maximum number of sections whose tags a question names. */
const MAX_NAMED_TAGS = 3;

/** Tells why it matters which version runs. `subjects`: the lines of 2.4 in the files. */
function textOfLines24(subjects: readonly string[]): string {
  const linesAndTags = subjects.filter((line) => line !== '');
  const areAllTags = linesAndTags.every((line) => TAG_WITH_REQUIRE.test(line));
  const shortenedLines = linesAndTags.map((line) =>
    TAG_WITH_REQUIRE.test(line) && !areAllTags ? `Require in ${shortenedLine(line)}` : shortenedLine(line),
  );
  const listText =
    shortenedLines.length === 0
      ? ''
      : `${areAllTags ? ', such as "Require all granted", in ' : ': '}${shortList(shortenedLines)}`;
  return `The files have lines of httpd 2.4${listText}. They also have Order, Allow or Deny lines of 2.2, and with these lines 2.4 can give other access than 2.2.`;
}

/** Adds the question for the running version to a question, if the files have lines of 2.4. */
function withVersionAsked(question: string, linesOf24: readonly string[] | null): string {
  return linesOf24 ? `${question.replace(/\?$/, '')}, and does the server already run httpd 2.4?` : question;
}

/** The text of the question whether other files have access lines for the same requests. */
function questionAboutOtherFiles(file: string, { search, shownFacts: facts, linesOf24 }: TextParts): QuestionText {
  return {
    title: file === '.' ? 'Access control elsewhere?' : `Access control outside ${file}?`,
    question: withVersionAsked(
      file === '.'
        ? areAllHtaccess(search)
          ? `Does the configuration of the server have ${ACCESS_DIRECTIVES_TEXT} lines for the directories of these .htaccess files?`
          : facts.length === 0
            ? `${OTHER_FILES_QUESTION_START} for a directory or URL of these files, or for one above or below it?`
            : `${REACH_TEXTS[reachOf(facts)].asked(tagsText(facts), facts.length === 1)}?`
        : `Do other files have ${ACCESS_DIRECTIVES_TEXT} lines for the directories of the sections in ${file}?`,
      linesOf24,
    ),
    why: `${linesOf24 ? `${textOfLines24(linesOf24)} ` : ''}${
      file === '.'
        ? `${
            includesHtaccess(search)
              ? 'The main configuration file, or a file that it includes, can restrict the same directories, or directories above or below them: new Require lines here can then allow too much or too little. Its AllowOverride lines can forbid Require in .htaccess files. If you give several .htaccess files, they must be in the same directories here as on the server. If they are not, do not answer No.'
              : `The files here are only a part of a configuration, without ServerRoot and Listen. ${whyAllCount(facts)}If other files restrict access to the same directories or URLs, new Require lines here can allow too much or too little.`
          }${areAllHtaccess(search) ? '' : ` ${adviceToPlanWhole(driveInTags(facts))}`}`
        : `This file ${facts.length > 0 ? facts.join(' and ').replace(' and has no ServerRoot', ', no ServerRoot') : 'can be a part of a larger configuration'}, so a main configuration file may include it. If the main file has access lines, too, new Require lines here can allow too much or too little. If the file here is a backup that no server reads, answer No. ${adviceToPlanWhole('')}`
    }`,
    findOut: findOutTextForOtherFiles(file, file === '.' ? facts : [], search, linesOf24 !== null),
    choices: [
      {
        value: ANSWER_NONE,
        label:
          file !== '.'
            ? 'No: only this file and the files that it includes do'
            : `No: only these files do${requireClauseFor(search)}`,
      },
      ...(file === '.'
        ? [
            {
              value: ANSWER_NONE_24,
              label: `No, and the server already runs 2.4: keep the access that 2.4 gives now, also where it answers 403${requireClauseFor(search)}`,
            },
            {
              value: ANSWER_NONE_22,
              label: `No, and the server runs 2.2: keep the access that 2.2 gives now. Sections with lines that 2.2 does not accept stay as they are`,
            },
          ]
        : []),
      yesChoiceFor(search),
    ],
  };
}

/**
 * For each kind of question: makes its texts. `subject`: the subject in the id of the question;
 * empty if it has none.
 */
const QUESTIONS: Partial<Readonly<Record<OpenQuestionKind, (subject: string, asking: TextParts) => QuestionText>>> = {
  'htaccess-unseen': (directory, { subjects, search }) => {
    const isOneDirectory = subjects.length === 0;
    const directoryText = isOneDirectory
      ? directory
      : shortList([...subjects.filter(isAbsolute), ...servingLinesIn(subjects)]);
    const areDirectoriesNamed =
      directory !== '/' || (!isOneDirectory && directoryText.length <= MAX_DIRECTORIES_LENGTH);
    const command = commandListingHtaccess(isOneDirectory ? [directory] : subjects.filter(isAbsolute), search);
    return {
      title: areDirectoriesNamed && isOneDirectory ? `.htaccess in ${directory}?` : 'Access lines in .htaccess files?',
      question: `Does any .htaccess file ${areDirectoriesNamed ? `in, below or above ${directoryText}` : 'on the server'} use ${ACCESS_DIRECTIVES_TEXT}?`,
      why: `${
        areDirectoriesNamed || isOneDirectory
          ? 'The server reads .htaccess files there'
          : `The server reads .htaccess files in ${directoryText}`
      }, but this copy does not have all of them. If one of them restricts access, new Require lines here can allow too much or too little. ${HTACCESS_BACKUP_TEXT}`,
      findOut: withComment(command, meaningOfListedHtaccess(command)),
      choices: [
        { value: 'none', label: `No: no .htaccess file there has ${ACCESS_DIRECTIVES_TEXT}` },
        {
          value: HERE_PREFIX,
          label: `I have a copy of ${isOneDirectory && areDirectoriesNamed ? directory : 'these directories'}: read the .htaccess files there`,
        },
        YES_KEEP_LINES,
      ],
    };
  },
  'include-unseen': (path, { subjects, search, shownFacts: facts }) => {
    const isForAllFiles = path === ALL_MISSING_INCLUDES_QUESTION.subject;
    const isOnePath = subjects.length === 0 && !isForAllFiles && path !== '/';
    const isOneFile = isOnePath && !/[*?]|\/$/.test(path);
    // Writing a slash twice does not change the path, so both spellings count as one file.
    const files = [...new Set(subjects.map((part) => part.replace(/\/{2,}/g, '/')))];
    const isAboutSites = [path, ...files].some(isPathOfSites);
    const fileText = isOnePath
      ? path
      : shortList([...files].sort((a, b) => Number(isPathOfSites(b)) - Number(isPathOfSites(a))));
    const isCopiedElsewhere = facts.length > 0;
    // The question itself has one or two names. A longer list is in the explanation.
    const areFilesNamed = isOnePath || (!isCopiedElsewhere && fileText.length <= MAX_DIRECTORIES_LENGTH);
    const itOrThem = isOneFile ? 'it' : 'them';
    const searchedPaths = search.folders.length > 0 ? search.folders : subjects.length > 0 ? subjects : [path];
    const command = commandListingLines(searchedPaths);
    const adviceText = isCopiedElsewhere
      ? `${facts.join(' ')} ${FIND_OUT_BELOW_TEXT} `
      : [
          bestCopyText(itOrThem, path, searchedPaths, isForWindows(command)),
          adviceWithoutCopy(isOneFile, serverTextFor(searchedPaths)),
        ].join(' ');
    const [they, have, theseHave, missingFiles] = isOneFile
      ? ['it', 'has', 'this file has', 'the missing file']
      : ['they', 'have', 'these files have', 'the missing files'];
    const choiceWithHosts = { value: ANSWER_NO_ACCESS_CONTROL, label: `No, but ${they} ${have} <VirtualHost>` };
    const choiceWithoutHosts = {
      value: ANSWER_NO_HOSTS,
      label: `No, and ${they} ${have} no <VirtualHost>, or ${they} ${isOneFile ? 'does' : 'do'} not exist`,
    };
    return {
      title: isOnePath ? `Missing ${path}?` : 'Missing included files?',
      question: isOneFile
        ? `The included file ${fileText} is not in this copy. Does it use ${ACCESS_DIRECTIVES_TEXT}?`
        : missingFilesQuestion(areFilesNamed ? fileText : '', isOnePath ? [path] : files, isCopiedElsewhere),
      why: `${areFilesNamed || fileText === '' ? '' : `They are ${fileText}. `}${adviceText}Access lines in ${missingFiles} can apply to the same requests as the lines here. Also look for <VirtualHost> in ${itOrThem}: until it is known whether ${theseHave} virtual hosts, the NameVirtualHost lines stay.`,
      findOut: withComment(
        command,
        meaningOfListedLines(command, serverTextFor(searchedPaths)),
        serverTextFor(searchedPaths),
      ),
      choices: [
        ...(isAboutSites ? [choiceWithHosts, choiceWithoutHosts] : [choiceWithoutHosts, choiceWithHosts]),
        // A relative path does not show where the files are on the server, so the choice is offered
        // only for an absolute path.
        ...(!isAbsolute(path) && path !== '…'
          ? []
          : [
              {
                value: HERE_PREFIX,
                label: `I have a copy of ${isOneFile ? 'this file: read it' : 'these files: read them'}`,
              },
            ]),
        YES_KEEP_LINES,
      ],
    };
  },
  'outside-unseen': questionAboutOtherFiles,
  'served-anywhere': (line, { subjects, search }) => {
    const linesText =
      subjects.length > 0
        ? shortList(subjects.map((each) => `"${shortenedLine(each)}"`))
        : line === '*'
          ? 'these lines'
          : `"${shortenedLine(line)}"`;
    const isOneLine = subjects.length === 0 && line !== '*';
    const fileNamesText = search.names.length > 0 ? search.names.join(' or ') : '.htaccess';
    const command = commandListingHtaccess(search.folders.length > 0 ? [] : ['/'], search);
    return {
      title: isOneLine ? `.htaccess for ${line}?` : '.htaccess files?',
      question: `Do ${fileNamesText} files use ${ACCESS_DIRECTIVES_TEXT} in the directories that ${linesText} can lead to?`,
      why: `This copy does not have all ${fileNamesText} files of these directories, and AllowOverride allows them there. If such a file restricts access, new Require lines can allow too much or too little. If you no longer have the 2.2 server, search a backup of these directories.`,
      findOut: withComment(command, meaningOfListedHtaccess(command)),
      choices: [
        { value: 'no-htaccess', label: `No: no ${fileNamesText} file there has ${ACCESS_DIRECTIVES_TEXT}` },
        YES_KEEP_LINES,
      ],
    };
  },
  'other-main': (file, { subjects }) => {
    const isOneFile = subjects.length === 0;
    const fileText = isOneFile ? file : shortList(subjects);
    return {
      title: isOneFile ? `Is ${file} used?` : 'Other main files?',
      question: isOneFile ? `Does the server use ${fileText}?` : `Does the server use any of these files: ${fileText}?`,
      why: `${fileText} also ${isOneFile ? 'looks like a main configuration file' : 'look like main configuration files'}. If the server uses ${isOneFile ? 'it' : 'them'}, ${isOneFile ? 'its' : 'their'} access lines could apply to the same requests.`,
      findOut: `${commandAskingHttpd('-V')} | grep -E 'HTTPD_ROOT|SERVER_CONFIG_FILE'${COMMAND_SEPARATOR}${RUNNING_HTTPD} # on the 2.2 server: SERVER_CONFIG_FILE, below HTTPD_ROOT, is the main configuration file. If a process has the option -f FILE, it is that file. Yes if ${isOneFile ? `it is ${fileText}` : 'it is one of these files'}, for any httpd on the server. Without the 2.2 server: packages of Debian start with /etc/apache2/apache2.conf, those of Red Hat with /etc/httpd/conf/httpd.conf`,
      choices: [
        {
          value: ANSWER_UNUSED,
          label: `No: the server does not use ${isOneFile ? 'this file' : 'any of these files'}`,
        },
        isOneFile ? YES_KEEP_LINES : { value: ANSWER_KEEP, label: `Yes, at least one of them: ${KEEP_LINES_TEXT}` },
      ],
    };
  },
  'override-admitted': (line) => ({
    title: 'Require in .htaccess files?',
    question: `May .htaccess files use Require in all directories that "${line}" applies to?`,
    why: 'Converted .htaccess files have Require lines, and 2.4 does not allow these lines there yet. "AllowOverrideList Require" allows Require in all .htaccess files of these directories.',
    findOut:
      'Find out who can write .htaccess files in these directories. Yes is right if all of them may decide who has access there',
    choices: [{ value: 'admit', label: 'Yes: add "AllowOverrideList Require"' }, NO_KEEP_LINES],
  }),
  define: (name) => ({
    title: `Start with -D ${name}?`,
    question: `Does the server start with "-D ${name}"?`,
    why: `The server reads the lines in <IfDefine ${name}> only if it starts with -D ${name}. With them, sections need other Require lines than without them.`,
    findOut: `${RUNNING_HTTPD}${COMMAND_SEPARATOR}grep -sHE '^[^#]*(APACHE2_OPTS|APACHE_SERVER_FLAGS|OPTIONS|APACHE_ARGUMENTS)=' /etc/conf.d/apache2 /etc/sysconfig/apache2 /etc/sysconfig/httpd /etc/apache2/envvars # on the 2.2 server: Yes if the output has -D ${name} or -D${name}, or ${name} alone in APACHE_SERVER_FLAGS (SUSE). Without the 2.2 server, look into the same files of a backup`,
    choices: [
      { value: ANSWER_OFF, label: `No: it never starts with -D ${name}` },
      { value: ANSWER_ON, label: `Yes: it always starts with -D ${name}` },
      { value: 'both', label: 'Sometimes: keep the lines that depend on it as they are' },
    ],
  }),
  'operand-host': (word, { subjects }) => {
    const askedWords = subjects.length > 0 ? subjects : [word];
    const isPlural = askedWords.length > 1 || word === '*';
    const areWordsUnknown = word === '*' && subjects.length === 0;
    const wordText = areWordsUnknown
      ? 'the arguments of Allow and Deny that look like mistakes'
      : askedWords.length > 1
        ? shortList(askedWords.map((each) => `"${each}"`))
        : `"${askedWords[0]}"`;
    return {
      title: isPlural ? 'Are these host names?' : `Is "${askedWords[0]}" a host name?`,
      question: isPlural ? `Are ${wordText} host names?` : `Is ${wordText} a host name?`,
      why: `${isPlural ? 'They stand' : 'It stands'} in Allow or Deny lines, and ${isPlural ? 'are' : 'is'} no address and no network. So 2.2 compares ${isPlural ? 'them' : 'it'} with the host names of clients. But ${isPlural ? 'they do' : 'it does'} not look like ${isPlural ? 'host names, and are' : 'a host name, and is'} perhaps a mistake.`,
      findOut: areWordsUnknown
        ? 'Search the access log for these names'
        : `${commandListingClients(askedWords)} # on the 2.2 server: the output shows requests of clients with ${askedWords.length > 1 ? 'these names' : 'this name'}, and means Yes: httpd logs the names of clients if an Allow or Deny line has a name. No output means No. Without the 2.2 server, search a backup of its access logs`,
      choices: [
        {
          value: ANSWER_NEVER_MATCHES,
          label: isPlural ? 'No: they match no client; remove them' : 'No: it matches no client; remove it',
        },
        {
          value: ANSWER_IS_A_HOST,
          label: isPlural ? 'Yes: write them in a "Require host" line' : `Yes: write "Require host ${word}"`,
        },
      ],
    };
  },
  'unknown-directives': (_, { subjects }) => {
    const directiveNames = subjects.filter((name) => name !== '');
    const isOneName = directiveNames.length === 1;
    const nameText =
      directiveNames.length > 1 ? shortList(directiveNames) : (directiveNames[0] ?? 'directives of unknown modules');
    return {
      title: isOneName ? `Does ${nameText} control access?` : 'Do these directives control access?',
      question: `${isOneName ? 'Does' : 'Do'} ${nameText} allow or deny requests?`,
      why: `httpd-upgrade does not know the ${isOneName ? 'module of this directive' : 'modules of these directives'}. If ${isOneName ? 'it' : 'one of them'} allows or denies requests, new Require lines beside it can allow too much or too little.`,
      findOut:
        directiveNames.length > 0
          ? `${commandListingModules(directiveNames.slice(0, 9))} # on the 2.2 server: the output names the ${isOneName ? 'module' : 'modules'}. Read in ${isOneName ? 'its manual whether this directive allows or denies' : 'their manuals whether these directives allow or deny'} requests. No output: the modules are in another directory`
          : 'Look up the module of each directive, and read in its manual whether the directive allows or denies requests',
      choices: [
        {
          value: ANSWER_NO_ACCESS_CONTROL,
          label: isOneName ? 'No: it does not allow or deny requests' : 'No: none of them allows or denies requests',
        },
        YES_KEEP_LINES,
      ],
    };
  },
  'running-version': (_, { subjects, shownFacts: facts }) => {
    return {
      title: 'Already on 2.4?',
      question: 'Does the server already run httpd 2.4?',
      why: `${textOfLines24(subjects)} ${facts.length > 0 ? `${facts.join(' ')} ` : ''}The fixes keep the access of the version that you name.`,
      findOut: `${commandAskingHttpd('-v')} # on the server: Yes if the output has Apache/2.4`,
      choices: [
        {
          value: '2.4',
          label:
            'Yes: keep the access that 2.4 gives now. A request that gets 403 now still gets 403, even if an old Allow line allows it',
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
  'denied-now': (_, { shownFacts: facts }) => ({
    title: 'Denied on purpose?',
    question: 'Is it right that 2.4 denies requests here that the Allow lines allow?',
    why: `${facts.length > 0 ? facts.join(' ') : 'In some sections, httpd 2.4 denies all requests, although the Allow lines there say otherwise.'} With lines of both versions, 2.4 allows a request only if the Require lines and the Allow lines both do. An outer "Require all denied" applies until a section below has a Require line of its own.`,
    findOut:
      'Open a page in such a directory from outside. No is right if the answer is 403 and visitors need the page. Yes is right if no client must get files from there',
    choices: [
      { value: 'denied', label: 'Yes: keep denying. The new line is Require all denied' },
      {
        value: ANSWER_ALLOWED,
        label:
          'No, it is a mistake: write what the Allow lines say, such as Require all granted. Requests that get 403 now are then allowed',
      },
      { value: ANSWER_KEEP, label: `Do not convert, I correct the lines first: ${KEEP_LINES_TEXT}` },
    ],
  }),
  overlap: (sections) => {
    const { firstTags, lastTag } = partsOfOverlap(sections);
    return {
      title: 'One URL in both sections?',
      question: / or </.test(firstTags)
        ? `Can one URL fall under ${lastTag}, and also under ${firstTags}?`
        : `Can one URL fall under both ${firstTags} and ${lastTag}?`,
      why: `In 2.2, a URL that falls under ${/ or </.test(firstTags) ? 'one of the first sections' : firstTags} and ${lastTag} gets other access than one that falls under ${lastTag} alone. One set of Require lines in ${lastTag} cannot give both. So ${lastTag} is converted only if no URL falls under both.`,
      findOut: `${conditionOfOverlap(firstTags, lastTag)}. An example with other sections: ${exampleOfOverlap(firstTags, lastTag)}. Yes: your server has such a ${wordForOverlap(firstTags, lastTag)}. No: it has none`,
      choices: [
        { value: ANSWER_NEVER_MEET, label: 'No: no URL falls under both, convert them' },
        { value: 'meet', label: 'Yes, or maybe: leave these sections as they are' },
      ],
    };
  },
  'client-address': (_, { shownFacts: facts }) => ({
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
  mpm: (_, { shownFacts: facts }) => {
    const preforkChoice = {
      value: 'prefork',
      label: 'prefork: processes. Right for mod_php, and if 2.2 runs prefork, as most 2.2 servers do',
    };
    const threadedChoices = [
      { value: 'event', label: 'event: threads. The default of 2.4' },
      { value: 'worker', label: 'worker: threads. Right if 2.2 runs worker' },
    ];
    const [threadLine] = facts;
    return {
      title: 'Which MPM in 2.4?',
      question: 'Which MPM will the 2.4 server use?',
      why: `2.4 does not start without an MPM, the module that runs processes and threads. In 2.2 it was compiled in, ${threadLine === undefined ? 'usually prefork' : `and not prefork, which does not accept the line "${threadLine}"`}; in 2.4 it is usually loaded by LoadModule.`,
      findOut: `${commandAskingHttpd('-V')} | grep MPM # on the 2.2 server: the output names the MPM of 2.2, for example Prefork. If 2.4 already runs somewhere, the same command there names the MPM of 2.4. If httpd -l (Debian: apache2 -l) of 2.4 lists prefork.c, worker.c or event.c, that MPM is compiled in.${threadLine === undefined ? ' Without the 2.2 server: prefork works with every module. Choose event only if you do not use mod_php' : ''}`,
      choices: [
        ...(threadLine === undefined
          ? [preforkChoice, ...threadedChoices]
          : [...threadedChoices, { ...preforkChoice, label: 'prefork: processes. First remove that line' }]),
        {
          value: ANSWER_KEEP,
          label: 'Compiled in, or another one: add no LoadModule line for the MPM (Debian: no a2enmod command)',
        },
      ],
    };
  },
  'rewrite-log': (_, { shownFacts: facts }) => ({
    title: 'Keep the rewrite log?',
    question: 'Do you still need the log of mod_rewrite?',
    why: `httpd 2.4 has no RewriteLog${facts.length > 0 ? ` (${shortList(facts.map((each) => `"${each}"`))})` : ''}. In 2.4 mod_rewrite writes to the ErrorLog, and LogLevel sets the level.`,
    findOut:
      'Ask whether anyone, or any program, still reads the file of RewriteLog. If not, No is right. No is also right if RewriteLogLevel is 0 or not set: then 2.2 writes no log',
    choices: [
      {
        value: 'error-log',
        label: `Yes: write it to the ErrorLog, with the level of 2.2 (LogLevel ${rewriteLevel(facts)}${rewriteLevel(facts).endsWith('N') ? ', where N is the RewriteLogLevel' : ''})`,
      },
      { value: 'none', label: 'No: remove the RewriteLog lines' },
      CHOICE_BY_HAND,
    ],
  }),
  php: (_, { shownFacts: facts }) => {
    const phpSettings = facts.filter((each) => PHP_SETTING.test(each));
    const moduleLines = facts.filter((each) => !PHP_SETTING.test(each));
    const reasonTexts = [
      ...(moduleLines.length > 0 || phpSettings.length === 0
        ? [
            `The PHP module has a different name in PHP 5, 7 and 8. ${moduleLines.length > 0 ? `These lines need the right one: ${shortList(moduleLines)}.` : 'LoadModule and <IfModule> lines need the right one.'}`,
          ]
        : []),
      ...(phpSettings.length > 0
        ? [
            `These lines are only valid with a PHP module: ${shortList(phpSettings)}. Without one, httpd does not start, or requests get 500.`,
          ]
        : []),
    ];
    const isWindows = facts.some((each) => /\.dll\b/i.test(each));
    const textForNoChange = moduleLines.length === 0 && phpSettings.length > 0 ? ': keep these lines' : null;
    const newNamesText = (source: string, module: string, handler: string) =>
      [
        ...(moduleLines.length === 0 || moduleLines.some((each) => /\.c\b/.test(each)) ? [source] : []),
        ...(moduleLines.length === 0 || moduleLines.some((each) => /_module\b/.test(each)) ? [module] : []),
        ...(moduleLines.some((each) => /php\d-script/.test(each)) ? [handler] : []),
      ].join(', ');
    return {
      title: 'PHP on the 2.4 server?',
      question: 'How will the 2.4 server run PHP?',
      why: reasonTexts.join(' '),
      findOut: isWindows
        ? `${commandListingPhpModules({ isWindows: true })}${WINDOWS_COMMENT}on the 2.4 server: the file php8apache2_4.dll is PHP 8, php7apache2_4.dll is PHP 7, php5apache2_4.dll is PHP 5. No such file means that there is no PHP module on this drive`
        : `${commandListingPhpModules({ isMac: facts.some((each) => each.includes('/Applications/')) })} # on the 2.4 server: the number in the name of the file, such as libphp5.so, is the version of PHP. Without a number, as in libphp.so, it is PHP 8. No output means PHP-FPM, no PHP, or a module in another directory${facts.length > 0 && !moduleLines.some((name) => /^loadmodule/i.test(name)) ? WITHOUT_ACCESS_TO_SERVER : ''}`,
      choices: [
        {
          value: '8',
          label: `PHP 8 as a module${textForNoChange ?? `: write ${newNamesText('mod_php.c', 'php_module', 'php-script')}`}`,
        },
        {
          value: '7',
          label: `PHP 7 as a module${textForNoChange ?? `: write ${newNamesText('mod_php7.c', 'php7_module', 'php7-script')}`}`,
        },
        { value: '5', label: `PHP 5 as a module${textForNoChange ?? ': keep the names'}` },
        {
          value: 'none',
          label: `No PHP module: ${isWindows ? 'FastCGI (php-cgi.exe)' : 'PHP-FPM'}, or no PHP. ${changesWithoutPhpModule(facts)}`,
        },
        ...(facts.length === 0 || phpSettings.some((each) => !stopsPhp(each)) ? [CHOICE_FOR_ANY_PHP] : []),
        CHOICE_BY_HAND,
      ],
    };
  },
  modules: (_, { shownFacts: facts }) => modulesText(facts),
  defaults: (_, { shownFacts: facts }) => ({
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
    findOut: findOutTextForDefaults(facts),
    choices: [
      { value: '2.4', label: `Yes: use the ${facts.length === 1 ? 'value' : 'values'} of 2.4 (nothing is added)` },
      {
        value: '2.2',
        label: `No: keep ${facts.length === 1 ? 'the value' : 'the values'} of 2.2: add lines${limitTextForDefaults(facts)}`,
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

/** The tags in the subject of an `overlap` question: the last one, and those before it. */
function partsOfOverlap(subject: string): { readonly firstTags: string; readonly lastTag: string } {
  const end = subject.lastIndexOf(' and <');
  return end < 0
    ? { firstTags: subject, lastTag: 'the last section' }
    : { firstTags: subject.slice(0, end), lastTag: subject.slice(end + 5) };
}

/** Whether a text begins with the tag of a section of this kind, such as `directory`. */
function isTagOf(kind: string, text: string): boolean {
  return text.toLowerCase().startsWith(`<${kind}`);
}

/** An example of two sections of the same kinds that apply to the same request. */
function exampleOfOverlap(firstTags: string, lastTag: string): string {
  const isEither = (kind: string) => isTagOf(kind, firstTags) || isTagOf(kind, lastTag);
  const areBoth = (kind: string) => isTagOf(kind, firstTags) && isTagOf(kind, lastTag);
  if (areBoth('directory')) return '<Directory /srv/a*> and <Directory /srv/*b> both apply to files in /srv/ab';
  if (areBoth('files')) return '<FilesMatch "\\.cgi$"> and <FilesMatch "^x"> both apply to the file x.cgi';
  if (isEither('proxy'))
    return '<Proxy http://b/*> and <Location /app> both apply to /app/x, if ProxyPass sends it to http://b/';
  if (isEither('files') && isEither('location'))
    return '<FilesMatch "\\.cgi$"> and <Location /status> both apply to /status/x.cgi';
  if (isEither('files')) return '<FilesMatch "\\.cgi$"> and <Directory /srv/a> both apply to the file /srv/a/x.cgi';
  if (isEither('directory'))
    return '<Directory /srv/a> and <Location /b> both apply to /b/x.html, if Alias or a link leads from /b to /srv/a';
  return '<LocationMatch "\\.cgi$"> and <Location /status> both apply to /status/x.cgi';
}

/** When both sections apply to one request, and what to look for on the server. */
function conditionOfOverlap(firstTags: string, lastTag: string): string {
  const isEither = (kind: string) => isTagOf(kind, firstTags) || isTagOf(kind, lastTag);
  const areBoth = (kind: string) => isTagOf(kind, firstTags) && isTagOf(kind, lastTag);
  if (areBoth('directory')) return 'Both sections apply to a file if its directory matches both paths or patterns';
  if (areBoth('files')) return 'Both sections apply to a file if its name matches both patterns';
  if (isEither('proxy'))
    return isEither('location')
      ? 'Both sections apply if the URL matches the <Location>, and a proxy line sends it to the URL of the <Proxy>. Look at the ProxyPass lines, and at the RewriteRule lines with the flag P'
      : 'Both sections apply if a proxy line sends such a request to the URL of the <Proxy>. Look at the ProxyPass lines, and at the RewriteRule lines with the flag P';
  if (isEither('files'))
    return isEither('location')
      ? 'Both sections apply if the URL matches the <Location>, and the name of its file matches the <Files>. Look at the names of the files there'
      : 'Both sections apply if the file is in the directory, or below it, and its name matches the <Files>. Look at the names of the files there';
  if (isEither('directory'))
    return `Both sections apply if the URL matches the <Location>, and its file is in the directory, or below it. Look for symbolic links that lead there, and for ${linesThatMap(`${firstTags} ${lastTag}`)}`;
  return 'Both sections apply if the URL matches both paths or patterns';
}

/**
 * Words for the lines that can lead from a URL of one of these sections to a directory. UserDir is
 * only for URLs that begin with /~, such as /~user.
 */
function linesThatMap(tags: string): string {
  const mayBeUserUrl = /<location(?:match|\s+~)|<location\s+"?\/(?:"?\s*>|~|[*?[])/i.test(tags);
  const names = ['Alias', 'AliasMatch', 'ScriptAlias', 'ScriptAliasMatch', ...(mayBeUserUrl ? ['UserDir'] : [])];
  return `${joinedWithAnd([...names, 'DocumentRoot', 'VirtualDocumentRoot', 'RewriteRule'])} lines that do`;
}

/** The word for what the user looks for: something that falls under both sections. */
function wordForOverlap(firstTags: string, lastTag: string): string {
  if (isTagOf('directory', firstTags) && isTagOf('directory', lastTag)) return 'directory';
  return isTagOf('files', firstTags) && isTagOf('files', lastTag) ? 'file' : 'URL';
}

/** Lists the new defaults of 2.4. Defaults for which the answer `2.2` adds a line come first. */
function listedDefaults(defaults: readonly string[]): string {
  const headedRows = (items: readonly string[], heading: string) =>
    items.length === 0 ? [] : [heading, ...items.map((each) => `- ${each}`)];
  const [withoutLine, withLine] = [true, false].map((hasNoLine) =>
    defaults.filter((each) => each.endsWith(NO_LINE_SUFFIX) === hasNoLine),
  ) as [string[], string[]];
  return [
    ...headedRows(withLine, withLine.length === 1 ? 'The new default of 2.4:' : 'The new defaults of 2.4:'),
    ...headedRows(
      withoutLine.map((each) => {
        const why = REASONS_FOR_NO_LINE.find(([start]) => each.startsWith(start))?.[1];
        return `${each.slice(0, -NO_LINE_SUFFIX.length)}${why === undefined ? '' : `. ${why[0]!.toUpperCase()}${why.slice(1)}`}`;
      }),
      withLine.length === 0
        ? `The new ${withoutLine.length === 1 ? 'default' : 'defaults'} of 2.4. ${NO_LINE_TEXT} ${withoutLine.length === 1 ? 'it' : 'them'}:`
        : `${NO_LINE_TEXT} ${withoutLine.length === 1 ? 'this one' : `these ${withoutLine.length}`}:`,
    ),
  ].join('\n');
}

/** The beginning of the text about new defaults that stay even after the answer No. */
const NO_LINE_TEXT = 'The answer No does not restore';
/** Why the answer No adds no line for a default. `start`: the first words of the default's text. */
const REASONS_FOR_NO_LINE: readonly (readonly [start: string, why: string])[] = [
  [
    'AllowOverride ',
    'in the <Directory> of each site, write AllowOverride All (to use its .htaccess files) or None (to ignore them)',
  ],
  ['DefaultType ', '2.4 ignores DefaultType: use AddType'],
  ['SSL', 'the value of 2.2 is not secure'],
];

/**
 * The `findOut` text of the question about the new defaults of 2.4. `defaults`: one text for each
 * default, such as `KeepAlive On: an effect`; not every text has an effect. If the list is empty,
 * the result is the address of a page of the manual.
 */
function findOutTextForDefaults(defaults: readonly string[]): string {
  if (defaults.length === 0) return 'https://httpd.apache.org/docs/2.4/mod/quickreference.html';
  const overrideText = defaults.some((each) => each.startsWith('AllowOverride '))
    ? '. None of the answers adds the AllowOverride lines: write them yourself'
    : '';
  const hasEffect = defaults.some((each) => each.includes(': ') && !each.endsWith(NO_LINE_SUFFIX));
  if (!hasEffect) return `Yes is right for most servers${overrideText}`;
  return defaults.length === 1
    ? `Yes is right for most servers. If a site here needs the old value, answer No${overrideText}`
    : `Yes is right for most servers. If a site here needs an old value, answer No, or Some of them${overrideText}`;
}

/**
 * The argument of LogLevel that logs as much as the RewriteLogLevel lines among `lines`. If these
 * lines have different levels or there are none, the argument has the letter N for the level.
 */
function rewriteLevel(lines: readonly string[]): string {
  const levels = new Set(lines.flatMap((each) => /^rewriteloglevel\s+"?(\d+)/i.exec(each)?.[1] ?? []));
  const [level] = levels;
  return levels.size === 1 ? `rewrite:trace${Math.min(Number(level), 8)}` : 'rewrite:traceN';
}

/**
 * Words that limit an answer to some of the settings, such as `, for 4 of the 6 settings`. Empty if
 * the answer adds a line for each setting.
 */
function limitTextForDefaults(defaults: readonly string[]): string {
  const countWithLine = defaults.filter((each) => !each.endsWith(NO_LINE_SUFFIX)).length;
  return countWithLine === defaults.length ? '' : `, for ${countWithLine} of the ${defaults.length} settings`;
}

/**
 * Modules that set the address of the client, and whose lines also refuse requests. No fix replaces
 * these lines, because of the refusals.
 */
const REFUSING_MODULES: ReadonlySet<string> = new Set(['mod_extract_forwarded']);

/**
 * The question about missing files of several Include lines, or of an Include line with a wildcard.
 * `fileText`: the list of files; empty if the list is long. `isCopiedElsewhere`: whether the copy
 * has some of the files in another directory.
 */
function missingFilesQuestion(fileText: string, files: readonly string[], isCopiedElsewhere: boolean): string {
  const pathsOrFiles = files.some((each) => /[*?]|\/$/.test(each)) ? 'included paths' : 'included files';
  const countText = files.length > 0 ? `${files.length} ${pathsOrFiles}` : 'Included files';
  const questionEnd = `Do they use ${ACCESS_DIRECTIVES_TEXT}?`;
  if (isCopiedElsewhere) return `${countText} are not at their paths in this copy. ${questionEnd}`;
  if (!files.some(isPathOfSites))
    return `${fileText === '' ? `${countText} are not in this copy` : `Included files are not in this copy: ${fileText}`}. ${questionEnd}`;
  return `Your sites were not read: ${fileText === '' ? countText : fileText} ${files.length > 1 ? 'are' : 'is'} not in this copy. ${files.length > 1 ? questionEnd : questionEnd.replace('they', files[0]?.endsWith('/') === true ? 'the files in it' : 'these files')}`;
}

/** Whether a path is in a directory in which packages and administrators keep sites. */
function isPathOfSites(path: string): boolean {
  return PATH_OF_SITES.test(path);
}

/** Matches paths in directories in which packages and administrators keep sites. */
const PATH_OF_SITES = /(?:^|\/)(?:sites(?:-enabled)?|v(?:irtual)?hosts?(?:\.d)?)(?:\/|$)/i;

/**
 * What happens to the files with the answer that 2.4 has no PHP module. `texts`: the lines that the
 * answer affects. If there are none, the texts about LoadModule lines and settings are used.
 */
function changesWithoutPhpModule(texts: readonly string[]): string {
  const someTextMatches = (pattern: RegExp) => texts.some((each) => pattern.test(each));
  const isEmpty = texts.length === 0;
  return [
    isEmpty || someTextMatches(/^loadmodule/i) ? 'The LoadModule line of PHP is removed.' : '',
    someTextMatches(/^phpinidir/i) ? 'The PHPIniDir line is removed.' : '',
    isEmpty || texts.some((each) => /^php_/i.test(each) && !stopsPhp(each))
      ? 'The settings become comments that name their new place: .user.ini, or the pool of PHP-FPM.'
      : '',
    someTextMatches(/^<ifmodule/i) ? '<IfModule> sections of PHP stay as they are.' : '',
    someTextMatches(/php5-script/i)
      ? 'You replace the php5-script lines by hand, because without a PHP module clients get the source text.'
      : '',
    texts.some(stopsPhp) ? 'You replace the lines with "engine off" by hand, because PHP-FPM does not read them.' : '',
  ]
    .filter((each) => each !== '')
    .join(' ')
    .replace(/\.$/, '');
}

/** The answer for files that must work however PHP runs, for example on a shared host. */
const CHOICE_FOR_ANY_PHP: Choice = {
  value: ANY_PHP_ANSWER,
  label:
    'Not known, or it differs: write the settings so that each PHP module reads them, and httpd without one skips them. For PHP-FPM, you also write them into .user.ini',
};

/** Tells a user who cannot run commands on the server how to find out how PHP runs. */
const WITHOUT_ACCESS_TO_SERVER =
  '. If you cannot run commands there, open a page with <?php phpinfo(); on it. "Server API" is "Apache 2.0 Handler" if PHP runs as a module';

/** Matches a line with a setting of PHP, which only a PHP module knows. */
const PHP_SETTING = /^php(?:_|inidir)/i;

/**
 * Matches a subject of the question `running-version` if it is a place that can have Require lines:
 * the tag of a section, or a .htaccess file.
 */
const TAG_WITH_REQUIRE = /^(?:<(?:directory|files|location|proxy|virtualhost)|the \.htaccess )/i;

/**
 * A command that runs the installed httpd with an option, under each of its usual names until one
 * works.
 */
function commandAskingHttpd(option: string): string {
  return `{ apache2ctl ${option} || apachectl ${option} || httpd ${option}; } 2>/dev/null`;
}

/** A command that lists the running httpd processes with their options. */
const RUNNING_HTTPD = "ps -eo args | grep -E '[h]ttpd|[a]pache2'";

/** The kinds of all questions that the user can answer. */
export const QUESTION_KINDS: readonly string[] = Object.keys(QUESTIONS);

/**
 * The texts of the question `modules`. If one of the texts is an Include path, of files that load
 * the modules of the packages, the question is about these files.
 */
function modulesText(shownFacts: readonly string[]): QuestionText {
  const includedPath = shownFacts.find((fact) => fact.includes('/') || fact.startsWith('conf.modules.d'));
  const modules = shownFacts.filter((fact) => fact !== includedPath && fact !== '');
  const isOneModule = modules.length === 1;
  if (includedPath !== undefined) {
    const [it, these] = isOneModule ? ['it', 'this module'] : ['them', 'these modules'];
    return {
      title: 'Modules: loaded by the packages?',
      question: `Do the files of ${includedPath} load ${modules.length === 0 ? 'the other modules' : shortList(modules)} on the 2.4 server?`,
      why: `${includedPath} is not in this copy, and no other line loads ${it}. The 2.4 packages of Red Hat and Fedora load their modules there. A second LoadModule line for a module is only a warning.`,
      findOut: `${commandAskingHttpd('-M')} # on the 2.4 server: if the output lists ${it}, the answer is Yes. ${noOutputOfHttpd('-M')}`,
      choices: [
        { value: ANSWER_KEEP, label: `Yes: the packages load ${it}, so add no line` },
        { value: 'files', label: `No: add a LoadModule line for ${isOneModule ? these : `each of ${these}`}` },
      ],
    };
  }
  const areLoginsNeeded = modules.some((module) => LOGIN_MODULES.has(module));
  return {
    title: 'Modules: separate files?',
    question: 'Are the modules of the 2.4 server separate files (.so), or compiled in?',
    why: isOneModule
      ? `httpd 2.4 needs a module that no LoadModule line loads: ${modules[0]}. If it is a separate file, it needs a LoadModule line. If it is compiled in, that line is an error.`
      : `httpd 2.4 needs modules that no LoadModule line loads: ${modules.length > 0 ? joinedWithAnd(modules) : 'for example mod_authz_core'}. If they are separate files, each needs a LoadModule line. If they are compiled in, that line is an error.`,
    findOut: `${commandAskingHttpd('-l')} # on the 2.4 server: the output lists the modules that are compiled in. ${isOneModule ? `If ${modules[0]} is not in it, it is a separate file` : 'If these modules are not in it, they are separate files'}. ${noOutputOfHttpd('-l')}`,
    choices: [
      {
        value: 'files',
        label: `Separate files${areLoginsNeeded ? ', and logins work on 2.2' : ''}: add a LoadModule line for ${isOneModule ? 'this module' : 'each of these modules'}`,
      },
      {
        value: ANSWER_KEEP,
        label: isOneModule
          ? 'Compiled in: add no line'
          : 'Compiled in, all or some of them: I add the LoadModule lines of the others by hand',
      },
    ],
  };
}

/** The parts as a list in a sentence: `a`, `a and b`, or `a, b and c`. */
function joinedWithAnd(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/**
 * A list of at most three of these texts. If there are more, their number is added. Empty texts are
 * left out.
 */
function shortList(texts: readonly string[]): string {
  const partsWithText = texts.filter((part) => part !== '');
  if (partsWithText.length < 2) return partsWithText.join('');
  const firstParts = partsWithText.slice(0, 3);
  const otherCount = partsWithText.length - firstParts.length;
  return otherCount > 0 ? `${firstParts.join(', ')} and ${otherCount} more` : joinedWithAnd(firstParts);
}
