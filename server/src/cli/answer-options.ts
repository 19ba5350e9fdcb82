/**
 * Writes the command-line options that answer the questions of a plan, for the user's next command.
 */
import { idParts, KEEP } from '../analysis/answers';
import { canOpenAccess } from '../analysis/question-surfaces';
import { shellWord } from '../syntax/shell-word';
import { printable } from './terminal';

interface Answerable {
  readonly id: string;
  /** The question in a few words. */
  readonly title: string;
  readonly answers: readonly { readonly value: string }[];
}

/**
 * The open questions in a few words, each with an option for each answer, of which the user gives
 * one. The usual answer comes first, or the most cautious one if a wrong answer can open access.
 */
export function optionLines(questions: readonly Answerable[]): string[] {
  const byId = new Map(questions.map((question) => [question.id, question]));
  return [...byId.values()].flatMap(({ id, title, answers }) => {
    const offered = canOpenAccess(idParts(id)[0]) ? [...answers].reverse() : answers;
    return [
      printable(title),
      ...offered.map(({ value }, index) => `  ${index > 0 ? 'or ' : ''}${answerOption(id, value)}${noteOn(id, value)}`),
    ];
  });
}

/** What an answer means, if its word does not show it. */
function noteOn(id: string, value: string): string {
  if (value.endsWith('=')) return '   (PATH: your copy)';
  if (value !== KEEP) return '';
  return BY_HAND.has(idParts(id)[0]) ? '   (I do it by hand)' : '   (keep the old lines)';
}

/** Kinds of questions where the answer `keep` leaves a change to the user. */
const BY_HAND: ReadonlySet<string> = new Set(['mpm', 'rewrite-log', 'php', 'defaults', 'modules', 'client-address']);

/** The option for one answer. `PATH` stands for the path that an answer needs. */
export function answerOption(id: string, value: string): string {
  return printable(`--answer ${shellWord(`${id}=${value}${value.endsWith('=') ? 'PATH' : ''}`)}`);
}
