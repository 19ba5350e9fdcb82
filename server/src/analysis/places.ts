/** What the configurations say about a file, as the engine asks for it. */
import type { FileContext } from '../config/configurations';
import type { FileInfo } from './engine';

export function placesOf({ isHtaccess, surroundings, unread }: FileContext): FileInfo {
  const [first, ...others] = surroundings;
  return first === undefined ? { isHtaccess, unread } : { isHtaccess, surroundings: first, others };
}
