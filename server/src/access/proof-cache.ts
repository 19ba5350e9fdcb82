/** Caches translations with their proofs, because many sections have the same lines. */
import { cache, cacheOf } from '../syntax/memory';
import type { Section22, Tree24 } from './model';
import { textIfOneLine } from './print';
import { prove } from './prove';
import { translate } from './translate';

/**
 * Returns the Require tree that decides as a section of 2.2 does. Equal sections get the same
 * object. Null if the program cannot prove it.
 */
export function provenTranslation({ hostRules, satisfy, userRequirements }: Section22): Tree24 | null {
  const key = JSON.stringify([
    hostRules && [hostRules.order, hostRules.allow, hostRules.deny],
    satisfy,
    userRequirements.map(({ text }) => text),
  ]);
  let tree = treeByRules.get(key);
  if (tree === undefined) {
    const section: Section22 = { hostRules, satisfy, userRequirements };
    const made = translate(section);
    tree = prove(section, made) === 'proven' ? made : null;
    if (key.length > MAX_KEY_LENGTH) return tree;
    if (treeByRules.size >= MAX_CACHED) treeByRules.clear();
    treeByRules.set(key, tree);
  }
  return tree;
}

/** Like `textIfOneLine`, but computed only once for each tree. */
export function cachedOneLineText(tree: Tree24): string | null {
  let line = lineByTree.get(tree);
  if (line === undefined) lineByTree.set(tree, (line = textIfOneLine(tree)));
  return line;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum length of a key. Long lists of addresses are rarely equal, so they are not cached. */
const MAX_KEY_LENGTH = 1000;
const MAX_CACHED = 1000;

const treeByRules = cache<string, Tree24 | null>();
const lineByTree = cacheOf<Tree24, string | null>();
