/**
 * Writes the command-line options that answer the questions of a plan, for the user's next command.
 */
import { kindAndSubject, ANSWER_KEEP } from '../analysis/answers';
import { canOpenAccess } from '../analysis/question-surfaces';
import { shellWord } from '../syntax/shell-word';
import { printable } from './terminal';
import { wrapTextAfter } from './wrap';

/** A question of the plan, with its possible answers. */
interface QuestionWithAnswers {
  readonly id: string;
  readonly question: string;
  readonly answers: readonly { readonly value: string; readonly label: string }[];
}

/**
 * The rows for each question: its text, and one row for each possible answer with the option that
 * gives this answer. The usual answer comes first. If a wrong answer could open access, the most
 * cautious answer comes first.
 */
export function optionRows(questions: readonly QuestionWithAnswers[]): string[] {
  const questionById = new Map(questions.map((question) => [question.id, question]));
  return [...questionById.values()].flatMap(({ id, question, answers }) => {
    const answersInOrder = canOpenAccess(kindAndSubject(id)[0]) ? [...answers].reverse() : answers;
    return [
      ...wrapTextAfter('', printable(question), QUESTION_WIDTH),
      ...answersInOrder.map(
        ({ value, label }, index) =>
          `  ${index > 0 ? 'or ' : ''}${answerOption(id, value)}${answerNote(id, value, label)}`,
      ),
    ];
  });
}

/**
 * A short note that explains an answer: what PATH stands for, Yes or No, or the beginning of the
 * label. For the answer `keep`, it also says what happens to the old lines.
 */
function answerNote(id: string, value: string, label: string): string {
  if (value.endsWith('=')) return `   (I have a copy. ${pathText(printable(kindAndSubject(id)[1]))})`;
  const [word = ''] = /^(?:Yes|No)(?:, and [^:]*)?(?=[:,])/.exec(label) ?? [];
  if (value !== ANSWER_KEEP) return `   (${word === '' ? shortLabel(label) : word})`;
  const action = KINDS_LEFT_TO_USER.has(kindAndSubject(id)[0]) ? 'I do it by hand' : 'keep the old lines';
  return `   (${word === '' ? '' : `${word}: `}${action})`;
}

/** Says what to write for PATH in an answer. `subject`: the directory of the server, or `/`. */
export function pathText(subject: string): string {
  return subject === '/'
    ? 'For PATH, write the directory of the copy. It must have the paths of the server: PATH/etc, PATH/var and so on'
    : `For PATH, write the path of your copy of ${subject}`;
}

/** The first sentence of a label. If this sentence is long, only the part before its colon. */
function shortLabel(label: string): string {
  const [sentence = label] = label.split('. ', 1);
  return printable(sentence.length > MAX_NOTE_LENGTH ? sentence.replace(/:.*/s, '') : sentence);
}

/** Limit for the length of a note in characters. */
const MAX_NOTE_LENGTH = 45;

/** The width of a question in columns. It leaves room for the indentation by callers. */
const QUESTION_WIDTH = 76;

/** For these kinds of questions, the answer `keep` means that the user makes the change by hand. */
const KINDS_LEFT_TO_USER: ReadonlySet<string> = new Set([
  'mpm',
  'rewrite-log',
  'php',
  'defaults',
  'modules',
  'client-address',
]);

/** The option for one answer. `PATH` stands for the path that an answer needs. */
export function answerOption(id: string, value: string): string {
  return printable(`--answer ${shellWord(`${id}=${value}${value.endsWith('=') ? 'PATH' : ''}`)}`);
}
