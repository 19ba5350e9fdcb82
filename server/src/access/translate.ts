/**
 * Translates the access rules of a 2.2 section to a Require tree that decides in the same way
 * (docs/access-control.md, "The translation"). With `Order allow,deny`, a client has access if an
 * Allow matches it and no Deny does. With `Order deny,allow`, it has access if no Deny matches it
 * or an Allow does. All trees are valid for httpd and as short as possible.
 */
import type { HostRules, Section22, SectionCompat, Tree24 } from './model';
import type { Operand } from './operand';

const GRANTED: Tree24 = { type: 'granted' };
const DENIED: Tree24 = { type: 'denied' };

/** The Require tree for a section of 2.2 that inherits nothing. */
export function translate(section: Section22): Tree24 {
  const treeOfHosts = section.hostRules ? hostTree(section.hostRules) : GRANTED;
  if (section.userRequirements.length === 0) return treeOfHosts;
  const userTree = anyOfTrees(section.userRequirements.map((requirement) => ({ type: 'user', requirement })));
  return section.satisfy === 'any' ? anyOfTrees([userTree, treeOfHosts]) : allOfTrees([userTree, treeOfHosts]);
}

/** The tree for a section of 2.4 with mod_access_compat. */
export function translateCompat({ hostRules, satisfy, tree }: SectionCompat): Tree24 {
  const treeOfHosts = hostRules ? hostTree(hostRules) : GRANTED;
  const requireTree = tree ? withoutNeedlessContainers(tree) : GRANTED;
  return satisfy === 'any' ? anyOfTrees([requireTree, treeOfHosts]) : allOfTrees([requireTree, treeOfHosts]);
}

/** Removes containers that have no effect, such as a container with one child. */
export function withoutNeedlessContainers(tree: Tree24): Tree24 {
  if (tree.type === 'any') return anyOfTrees(tree.inner.map(withoutNeedlessContainers));
  if (tree.type === 'all') return allOfTrees(tree.inner.map(withoutNeedlessContainers));
  return tree;
}

/** The tree for the host rules alone. */
export function hostTree(hostRules: HostRules): Tree24 {
  const allowedTree = treeIfAnyMatches(hostRules.allow);
  const notDeniedTree = treeIfNoneMatches(hostRules.deny);
  return hostRules.order === 'deny,allow'
    ? anyOfTrees([allowedTree, notDeniedTree])
    : allOfTrees([allowedTree, notDeniedTree]);
}

// ---------------------------------------------------------------------------------------------------------------------

type Provider = 'ip' | 'host' | 'env';

/** A tree that grants access if an operand matches. */
function treeIfAnyMatches(operands: readonly Operand[]): Tree24 {
  if (operands.some((operand) => operand.kind === 'all')) return GRANTED;
  const negatedVariables = operands.flatMap((operand) =>
    operand.kind === 'env' && operand.isNegated ? [operand.name] : [],
  );
  return anyOfTrees([
    ...matchTrees(operands),
    ...distinctTexts(negatedVariables).map(
      (name): Tree24 => allOfTrees([{ type: 'not', inner: { type: 'match', provider: 'env', operands: [name] } }]),
    ),
  ]);
}

/** A tree that grants access if no operand matches. */
function treeIfNoneMatches(operands: readonly Operand[]): Tree24 {
  if (operands.some((operand) => operand.kind === 'all')) return DENIED;
  const negatedVariables = operands.flatMap((operand) =>
    operand.kind === 'env' && operand.isNegated ? [operand.name] : [],
  );
  return allOfTrees([
    ...distinctTexts(negatedVariables).map((name): Tree24 => ({ type: 'match', provider: 'env', operands: [name] })),
    ...matchTrees(operands).map((inner): Tree24 => ({ type: 'not', inner })),
  ]);
}

/** The operands as one Require line for each provider. Operands that never match are left out. */
function matchTrees(operands: readonly Operand[]): Extract<Tree24, { type: 'match' }>[] {
  const operandsByProvider: Record<Provider, string[]> = { ip: [], host: [], env: [] };
  for (const operand of operands) {
    if (operand.kind === 'ip') operandsByProvider.ip.push(operand.text);
    else if (operand.kind === 'host') operandsByProvider.host.push(operand.name);
    else if (operand.kind === 'env' && !operand.isNegated) operandsByProvider.env.push(operand.name);
  }
  const providers: Provider[] = ['ip', 'host', 'env'];
  return providers
    .filter((provider) => operandsByProvider[provider].length > 0)
    .map((provider) => ({ type: 'match', provider, operands: distinctTexts(operandsByProvider[provider]) }));
}

/**
 * Makes a RequireAny, or a shorter tree with the same effect. Without children it refuses access.
 */
function anyOfTrees(children: readonly Tree24[]): Tree24 {
  const alternatives = distinctTrees(
    children.flatMap((child) => (child.type === 'any' ? child.inner : [child])),
  ).filter((child) => child.type !== 'denied');
  if (alternatives.some((child) => child.type === 'granted')) return GRANTED;
  if (alternatives.length === 0) return DENIED;
  return alternatives.length === 1 ? alternatives[0]! : { type: 'any', inner: alternatives };
}

/**
 * Makes a RequireAll, or a shorter tree with the same effect. Without children it grants access.
 * httpd refuses a RequireAll with only negated children, so such a tree also gets `all granted`.
 */
function allOfTrees(children: readonly Tree24[]): Tree24 {
  const conditions = distinctTrees(children.flatMap((child) => (child.type === 'all' ? child.inner : [child]))).filter(
    (child) => child.type !== 'granted',
  );
  if (conditions.some((child) => child.type === 'denied')) return DENIED;
  if (conditions.length === 0) return GRANTED;
  if (conditions.every((child) => child.type === 'not')) return { type: 'all', inner: [GRANTED, ...conditions] };
  return conditions.length === 1 ? conditions[0]! : { type: 'all', inner: conditions };
}

/**
 * Removes duplicate trees. If all trees have different types, there are none. This quick check
 * saves time with nested trees: without it, the text of each inner tree would be made again at each
 * level.
 */
function distinctTrees(trees: readonly Tree24[]): readonly Tree24[] {
  if (new Set(trees.map(({ type }) => type)).size === trees.length) return trees;
  return [...new Map(trees.map((tree) => [JSON.stringify(tree), tree])).values()];
}

function distinctTexts(values: readonly string[]): string[] {
  return [...new Set(values)];
}
