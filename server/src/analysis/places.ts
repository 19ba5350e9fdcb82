/** What the configurations say about a file, as the engine asks for it. */
import type { FileContext } from '../config/configurations';
import type { FileInfo } from './engine';

export function placesOf({ isHtaccess, surroundings }: FileContext): FileInfo {
  const [first, ...others] = surroundings;
  return first === undefined ? { isHtaccess } : { isHtaccess, surroundings: first, others };
}
