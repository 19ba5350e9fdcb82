/** How PHP runs, which several rules wait for: the name of its module is another one with every version. */
import { choice } from '../../access/doubt';

export const PHP = choice('php');
