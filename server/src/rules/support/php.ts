/** The question how PHP runs, for several rules: each version of PHP has another module name. */
import { choice, type OpenQuestion } from '../../access/open-question';

export const PHP = choice('php');

/** The same question, with the line that needs the right name. */
export function phpIn(text: string): OpenQuestion {
  return choice('php', [text]);
}
