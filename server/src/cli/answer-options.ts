/** Answers to a question as options of the next command. */
import { idParts } from '../analysis/answers';
import { canOpenAccess } from '../analysis/question-surfaces';
import { shellWord } from '../syntax/shell-word';
import { printable } from './terminal';

interface Answerable {
  readonly id: string;
  readonly answers: readonly { readonly value: string }[];
}

/**
 * The options that answer a question on the command line: the usual answer; where a wrong answer can open access, each
 * answer, so that the user has to choose, and first the one that changes the least.
 */
export function answerOptions({ id, answers }: Answerable): string[] {
  const offered = canOpenAccess(idParts(id)[0]) ? [...answers].reverse() : answers.slice(0, 1);
  return offered.map(({ value }) =>
    printable(`--answer ${shellWord(`${id}=${value}${value.endsWith('=') ? 'PATH' : ''}`)}`),
  );
}
