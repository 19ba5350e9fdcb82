/**
 * Questions and answers: what a person can say once, in `.httpd-upgrade.json` or by `--answer`, so that fixes which wait for it become ready.
 * A question is all doubts of one kind and subject (access/doubt.ts); this file has the texts of each kind, its answers, and what an answer does.
 *
 * Pure: paths of this machine are shown the way the caller says, so that an answer holds on every machine.
 */
import { doubtId, type Doubt, type DoubtKind } from '../access/doubt';
import { shellWord } from './shell-word';

/** By the id of the question: `htaccess-unseen:/var/www` -> `none`, or `here=www`. */
export type Answers = ReadonlyMap<string, string>;

export const NO_ANSWERS: Answers = new Map();

/** Leave the lines to mod_access_compat: nothing that waits for the question is converted. */
export const KEEP = 'keep';

export interface Choice {
  /** `none`; with a value of its own, `here=DIR`. */
  readonly value: string;
  readonly label: string;
}

export interface QuestionText {
  readonly question: string;
  readonly why: string;
  /** A command for the server, or what to look at. */
  readonly findOut: string;
  /** The usual one first: it settles the question. */
  readonly choices: readonly Choice[];
}

/** How a path of this machine is named in an id: relative to what is the same on every machine. */
export type NamesPath = (path: string) => string;

/** Names below a folder, which has no slash at its end; what lies elsewhere has its whole path. */
export function namesBelow(folder: string): NamesPath {
  return (path) => (path === folder ? '.' : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path);
}

/** Answers, and the folder that paths of this machine are named from in their ids. */
export interface Answered {
  readonly answers: Answers;
  readonly folder: string;
}

/** How a doubt is named where these answers are: by the id of its question where it has one, and alike where no answer settles it. */
export function idIn(doubt: Doubt, { folder }: Answered): string {
  return questionId(doubt, namesBelow(folder)) ?? doubtId(doubt);
}

/** Whether what a person has said settles a doubt. `vouches`: for all that lies outside of the files at hand (`--assume-standalone`). */
export function isSettled(doubt: Doubt, { answers, folder }: Answered, vouches: boolean): boolean {
  const id = questionId(doubt, namesBelow(folder));
  if (id !== null && answers.get(id) === KEEP) return false;
  return (vouches && doubt.lies === 'outside') || (id !== null && settles(id, answers.get(id)));
}

/** The first question among those of some doubts whose answer is to keep what waits for it; null for none. */
export function keptBy(doubts: readonly Doubt[], { answers, folder }: Answered): string | null {
  const named = namesBelow(folder);
  return doubts.map((doubt) => questionId(doubt, named)).find((id) => id !== null && answers.get(id) === KEEP) ?? null;
}

/** The question that a doubt belongs to; null where no answer of a person can settle it. */
export function questionId({ kind, subject, detail }: Doubt, named: NamesPath): string | null {
  // Of files that no configuration reads the same is asked, and once. A main file has a reason of its own.
  if (kind === 'outside-unseen' && detail === undefined) return LONE_QUESTION;
  if (!(kind in QUESTIONS)) return null;
  return `${kind}:${LOCAL.has(kind) ? named(subject) : subject}`;
}

/** The id of the question about all files that no configuration at hand reads. */
export const LONE_QUESTION = 'outside-unseen:.';

/** What is asked, for the id of a question; null for no such kind. */
export function questionText(id: string): QuestionText | null {
  const at = id.indexOf(':');
  const kind = id.slice(0, at) as DoubtKind;
  const text = at < 0 ? undefined : QUESTIONS[kind];
  return text ? text(id.slice(at + 1)) : null;
}

/** Whether an answer settles its question: the fixes that wait for it are ready. A `here=` has none of its own: what it maps is read. */
export function settles(id: string, answer: string | undefined): boolean {
  if (answer === undefined || answer === KEEP || answer.includes('=')) return false;
  return questionText(id)?.choices.some(({ value }) => value === answer) === true;
}

/** Why a text is no answer to a question; null where it is one, or the id is of no kind that is known here. */
export function answerProblem(id: string, answer: string): string | null {
  const text = questionText(id);
  if (!text) return `There is no question "${id}".`;
  const values = text.choices.map(({ value }) => value);
  const isOne = values.some((value) => (value.endsWith('=') ? answer.startsWith(value) && answer.length > value.length : value === answer));
  const shown = values.map((value) => (value.endsWith('=') ? `"${value}PATH"` : `"${value}"`));
  return isOne ? null : `The answer to "${id}" is ${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}, not "${answer}".`;
}

/** The id that a question has where paths of this machine are named from another folder. */
export function renamedId(id: string, from: string, to: string): string {
  const at = id.indexOf(':');
  const subject = id.slice(at + 1);
  if (id === LONE_QUESTION || !LOCAL.has(id.slice(0, at) as DoubtKind)) return id;
  return `${id.slice(0, at)}:${namesBelow(to)(subject.startsWith('/') ? subject : subject === '.' ? from : `${from}/${subject}`)}`;
}

/** Where answers say that parts of the server are here: as entries of a path map, `to` as written. */
export function mappedByAnswers(answers: Answers): { readonly from: string; readonly to: string }[] {
  return [...answers].flatMap(([id, answer]) => {
    const [, kind, from] = /^([\w-]+):(\/.*)$/s.exec(id) ?? [];
    if ((kind !== 'htaccess-unseen' && kind !== 'include-unseen') || !answer.startsWith(HERE) || answer === HERE) return [];
    return [{ from, to: answer.slice(HERE.length) }];
  });
}

// ---------------------------------------------------------------------------------------------------------------------

const HERE = 'here=';

/** Kinds whose subject is a path of this machine and not of the server. */
const LOCAL: ReadonlySet<DoubtKind> = new Set<DoubtKind>(['outside-unseen', 'other-main']);

const KEPT: Choice = { value: KEEP, label: 'Keep the old lines for mod_access_compat' };

const QUESTIONS: Partial<Readonly<Record<DoubtKind, (subject: string) => QuestionText>>> = {
  'htaccess-unseen': (directory) => ({
    question: `Which .htaccess files below ${directory} restrict access?`,
    why: `${directory} is not here, and AllowOverride lets .htaccess files there decide. A Require line in the configuration replaces what such a file inherits.`,
    findOut: `find ${shellWord(directory)} -name .htaccess -exec grep -liE '^[[:space:]]*<?(order|allow|deny|satisfy|require|limit)' {} +`,
    choices: [
      { value: 'none', label: 'None: no .htaccess there has access lines' },
      { value: HERE, label: 'They are here: read them from a copy' },
      KEPT,
    ],
  }),
  'include-unseen': (path) => ({
    question: `Does ${path} restrict access?`,
    why: `${path} is included and not here. Access lines in it would apply to the same requests.`,
    findOut: `grep -nriE '^[[:space:]]*<?(order|allow|deny|satisfy|require|limit|allowoverride)' ${shellWord(path, true)}`,
    choices: [
      { value: 'no-access-control', label: 'No: there are no access lines in it, or there is no such file' },
      { value: HERE, label: 'It is here: read it from a copy' },
      KEPT,
    ],
  }),
  'outside-unseen': (file) => ({
    question: file === '.' ? 'Does anything outside of these files restrict access to what they govern?' : `Does another file restrict access to what ${file} governs?`,
    why: file === '.' ? 'No main file at hand includes these files, so what surrounds them is not known.' : `${file} may be a part of a configuration that is not here.`,
    findOut: 'apache2ctl -t -D DUMP_INCLUDES, or httpd -t -D DUMP_INCLUDES: lists the files of the server',
    choices: [{ value: 'none', label: 'No: nothing else restricts it' }, KEPT],
  }),
  'served-anywhere': (line) => ({
    question: `Do .htaccess files restrict access in the directories that "${line}" serves?`,
    why: `"${line}" serves directories that the configuration does not name, and AllowOverride lets .htaccess files decide there.`,
    findOut: "find /home -name .htaccess -exec grep -liE '^[[:space:]]*<?(order|allow|deny|satisfy|require|limit)' {} +",
    choices: [{ value: 'no-htaccess', label: 'No: no .htaccess there has access lines' }, KEPT],
  }),
  'other-main': (file) => ({
    question: `Does a server begin with ${file}, or include the other main file from it?`,
    why: `${file} looks like a main file, too. What it says would apply to the same requests if it includes the other one.`,
    findOut: "apache2ctl -V | grep SERVER_CONFIG_FILE, or httpd -V | grep SERVER_CONFIG_FILE",
    choices: [{ value: 'unused', label: 'No: the server does not read it' }, KEPT],
  }),
  'override-admitted': (line) => ({
    question: `May every .htaccess under "${line}" use Require?`,
    why: 'The converted .htaccess files need AllowOverrideList Require. It admits Require in every .htaccess that this line is for.',
    findOut: 'Who may write .htaccess files there?',
    choices: [{ value: 'admit', label: 'Yes: add AllowOverrideList' }, KEPT],
  }),
};
