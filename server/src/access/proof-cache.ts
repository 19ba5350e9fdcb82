/** Caches Require trees with their proofs, because many sections have the same lines. */
import { cache, cacheOf, latestValue } from '../syntax/memory';
import type { Section22, SectionCompat, Tree24 } from './model';
import { textIfOneLine } from './print';
import { prove, proveCompat } from './prove';
import { translate } from './translate';

/**
 * Returns the Require tree that decides as a section of 2.2 does, or null if the program cannot
 * prove that. Sections with the same lines get the same object.
 */
export function provenTranslation({ hostRules, satisfy, userRequirements }: Section22): Tree24 | null {
  const rulesKey = JSON.stringify([
    hostRules && [hostRules.order, hostRules.allow, hostRules.deny],
    satisfy,
    userRequirements.map(({ text }) => text),
  ]);
  return cachedTree(rulesKey, () => {
    const section: Section22 = { hostRules, satisfy, userRequirements };
    const translatedTree = translate(section);
    return prove(section, translatedTree) === 'proven' ? translatedTree : null;
  });
}

/**
 * Whether the program can prove that a Require tree decides as the lines of a section do in 2.4
 * with mod_access_compat.
 */
export function isProvenCompat({ hostRules, satisfy, tree }: SectionCompat, newTree: Tree24): boolean {
  const rules = hostRules && [hostRules.order, hostRules.allow, hostRules.deny];
  const proofKey = `2.4 ${JSON.stringify([rules, satisfy, tree, newTree])}`;
  return (
    cachedTree(proofKey, () => (proveCompat({ hostRules, satisfy, tree }, newTree) === 'proven' ? newTree : null)) !==
    null
  );
}

/** The result of `textIfOneLine` for a tree, computed only once for each tree object. */
export function cachedOneLineText(tree: Tree24): string | null {
  let text = oneLineTextByTree.get(tree);
  if (text === undefined) oneLineTextByTree.set(tree, (text = textIfOneLine(tree)));
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Returns the cached tree, or makes it. Null is cached, too. */
function cachedTree(key: string, makeTree: () => Tree24 | null): Tree24 | null {
  let tree = treeByKey.get(key);
  if (tree === undefined) {
    tree = makeTree();
    if (key.length > MAX_KEYS_LENGTH / 10) return tree;
    keysLength.value += key.length;
    if (treeByKey.size >= MAX_CACHED_TREES || keysLength.value > MAX_KEYS_LENGTH) {
      treeByKey.clear();
      keysLength.value = key.length;
    }
    treeByKey.set(key, tree);
  }
  return tree;
}

const MAX_CACHED_TREES = 1000;
/**
 * Limit for the length of all keys together. Many sections may inherit one long list of addresses,
 * so long keys are cached, too; one that is longer than a tenth of this is not.
 */
const MAX_KEYS_LENGTH = 2_000_000;

const treeByKey = cache<string, Tree24 | null>();
/** The length of all keys in the cache. */
const keysLength = latestValue(0);
const oneLineTextByTree = cacheOf<Tree24, string | null>();
