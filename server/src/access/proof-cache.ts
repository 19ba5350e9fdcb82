/** Caches translations with their proofs, because many sections have the same lines. */
import { cache, cacheOf } from '../syntax/memory';
import type { Section22, Tree24 } from './model';
import { oneLine } from './print';
import { prove } from './prove';
import { translate } from './translate';

/**
 * Returns the Require tree that decides as a section of 2.2 does. Equal sections get the same
 * object. Null if the program cannot prove it.
 */
export function provenTranslation({ host, satisfy, requires }: Section22): Tree24 | null {
  const key = JSON.stringify([host && [host.order, host.allow, host.deny], satisfy, requires.map(({ text }) => text)]);
  let tree = treesByLines.get(key);
  if (tree === undefined) {
    const section: Section22 = { host, satisfy, requires };
    const made = translate(section);
    tree = prove(section, made) === 'proven' ? made : null;
    if (key.length > LONG_KEY) return tree;
    if (treesByLines.size >= MOST_CACHED) treesByLines.clear();
    treesByLines.set(key, tree);
  }
  return tree;
}

/** Like `oneLine`, but computed only once for each tree. */
export function cachedLine(tree: Tree24): string | null {
  let line = lineByTree.get(tree);
  if (line === undefined) lineByTree.set(tree, (line = oneLine(tree)));
  return line;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Long lists of addresses are rarely equal, so they are not cached. */
const LONG_KEY = 1000;
const MOST_CACHED = 1000;

const treesByLines = cache<string, Tree24 | null>();
const lineByTree = cacheOf<Tree24, string | null>();
