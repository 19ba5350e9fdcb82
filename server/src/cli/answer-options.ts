/**
 * Writes the command-line options that answer the questions of a plan, for the user's next command.
 */
import { kindAndSubject, ANSWER_KEEP } from '../analysis/answers';
import { canOpenAccess } from '../analysis/question-surfaces';
import { shellWord } from '../syntax/shell-word';
import { printable } from './terminal';
import { hanging } from './wrap';

interface Answerable {
  readonly id: string;
  readonly question: string;
  readonly answers: readonly { readonly value: string; readonly label: string }[];
}

/**
 * The open questions, each with an option for each answer, of which the user gives
 * one. The usual answer comes first, or the most cautious one if a wrong answer can open access.
 */
export function optionLines(questions: readonly Answerable[]): string[] {
  const byId = new Map(questions.map((question) => [question.id, question]));
  return [...byId.values()].flatMap(({ id, question, answers }) => {
    const offered = canOpenAccess(kindAndSubject(id)[0]) ? [...answers].reverse() : answers;
    return [
      ...hanging('', printable(question), WIDTH),
      ...offered.map(
        ({ value, label }, index) => `  ${index > 0 ? 'or ' : ''}${answerOption(id, value)}${noteOn(id, value, label)}`,
      ),
    ];
  });
}

/** What an answer means, if its word does not show it. */
function noteOn(id: string, value: string, label: string): string {
  if (value.endsWith('=')) return `   (PATH: your copy of ${printable(kindAndSubject(id)[1])})`;
  const [word = ''] = /^(?:Yes|No)(?=[:,])/.exec(label) ?? [];
  if (value !== ANSWER_KEEP) return word === '' ? '' : `   (${word})`;
  const action = BY_HAND.has(kindAndSubject(id)[0]) ? 'I do it by hand' : 'keep the old lines';
  return `   (${word === '' ? '' : `${word}: `}${action})`;
}

/** The width of a question, which callers indent. */
const WIDTH = 76;

/** Kinds of questions where the answer `keep` leaves a change to the user. */
const BY_HAND: ReadonlySet<string> = new Set(['mpm', 'rewrite-log', 'php', 'defaults', 'modules', 'client-address']);

/** The option for one answer. `PATH` stands for the path that an answer needs. */
export function answerOption(id: string, value: string): string {
  return printable(`--answer ${shellWord(`${id}=${value}${value.endsWith('=') ? 'PATH' : ''}`)}`);
}
