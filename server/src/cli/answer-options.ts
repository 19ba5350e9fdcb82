/**
 * Writes the command-line options that answer the questions of a plan, for the user's next command.
 */
import { idParts } from '../analysis/answers';
import { canOpenAccess } from '../analysis/question-surfaces';
import { shellWord } from '../syntax/shell-word';
import { printable } from './terminal';

interface Answerable {
  readonly id: string;
  readonly answers: readonly { readonly value: string }[];
}

/**
 * Returns the options for questions, one on a line. A question can have several options, of which
 * the user gives one: `or` marks these if there are several questions.
 */
export function optionLines(questions: readonly Answerable[]): string[] {
  const byId = new Map(questions.map((question) => [question.id, answerOptions(question)]));
  return [...byId.values()].flatMap((options) =>
    options.map((option, index) => (index > 0 && byId.size > 1 ? `or ${option}` : option)),
  );
}

/**
 * The options for one question: normally one, with the usual answer. If a wrong answer can open
 * access, one for each answer, the most cautious first, so that the user has to choose.
 */
function answerOptions({ id, answers }: Answerable): string[] {
  const offered = canOpenAccess(idParts(id)[0]) ? [...answers].reverse() : answers.slice(0, 1);
  return offered.map(({ value }) => answerOption(id, value));
}

/** The option for one answer. `PATH` stands for the path that an answer needs. */
export function answerOption(id: string, value: string): string {
  return printable(`--answer ${shellWord(`${id}=${value}${value.endsWith('=') ? 'PATH' : ''}`)}`);
}
