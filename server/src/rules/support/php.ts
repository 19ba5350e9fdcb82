/** The question how PHP runs, for several rules: each version of PHP has another module name. */
import { choice } from '../../access/open-question';

export const PHP = choice('php');
