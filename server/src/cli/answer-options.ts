/** The options of the next command that answer a question. */
import { idParts } from '../analysis/answers';
import { canOpenAccess } from '../analysis/question-surfaces';
import { shellWord } from '../syntax/shell-word';
import { printable } from './terminal';

interface Answerable {
  readonly id: string;
  readonly answers: readonly { readonly value: string }[];
}

/**
 * The options for open questions, one on a line. If there are several questions, `or` marks the
 * further options of a question, because the user gives one of them.
 */
export function optionLines(questions: readonly Answerable[]): string[] {
  const byId = new Map(questions.map((question) => [question.id, answerOptions(question)]));
  return [...byId.values()].flatMap((options) =>
    options.map((option, index) => (index > 0 && byId.size > 1 ? `or ${option}` : option)),
  );
}

/**
 * Normally one option with the usual answer. If a wrong answer can open access, one option for each
 * answer, so that the user has to choose, the most cautious first.
 */
function answerOptions({ id, answers }: Answerable): string[] {
  const offered = canOpenAccess(idParts(id)[0]) ? [...answers].reverse() : answers.slice(0, 1);
  return offered.map(({ value }) => answerOption(id, value));
}

/** The option for one answer. `PATH` stands for the path that an answer needs. */
export function answerOption(id: string, value: string): string {
  return printable(`--answer ${shellWord(`${id}=${value}${value.endsWith('=') ? 'PATH' : ''}`)}`);
}
