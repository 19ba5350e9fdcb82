/**
 * Translates the access rules of a 2.2 section to a Require tree that decides the same, as in
 * docs/access-control.md, "The translation". `Order allow,deny`: an Allow matches, and no Deny.
 * `Order deny,allow`: no Deny matches, or an Allow does. The functions below keep every tree short
 * and valid.
 */
import type { HostRules, Section22, SectionCompat, Tree24 } from './model';
import type { Operand } from './operand';

const GRANTED: Tree24 = { type: 'granted' };
const DENIED: Tree24 = { type: 'denied' };

/** The Require tree for a section of 2.2 that inherits nothing. */
export function translate(section: Section22): Tree24 {
  const host = section.hostRules ? hostTree(section.hostRules) : GRANTED;
  if (section.userRequirements.length === 0) return host;
  const users = anyOfTrees(section.userRequirements.map((requirement) => ({ type: 'user', requirement })));
  return section.satisfy === 'any' ? anyOfTrees([users, host]) : allOfTrees([users, host]);
}

/** The tree for a section of 2.4 with mod_access_compat. */
export function translateCompat({ hostRules, satisfy, tree }: SectionCompat): Tree24 {
  const hosts = hostRules ? hostTree(hostRules) : GRANTED;
  const rest = tree ? withoutNeedlessContainers(tree) : GRANTED;
  return satisfy === 'any' ? anyOfTrees([rest, hosts]) : allOfTrees([rest, hosts]);
}

/** Removes containers that have no effect. */
export function withoutNeedlessContainers(tree: Tree24): Tree24 {
  if (tree.type === 'any') return anyOfTrees(tree.inner.map(withoutNeedlessContainers));
  if (tree.type === 'all') return allOfTrees(tree.inner.map(withoutNeedlessContainers));
  return tree;
}

/** The tree for the host rules alone. */
export function hostTree(host: HostRules): Tree24 {
  const allowed = anyOf(host.allow);
  const notDenied = noneOf(host.deny);
  return host.order === 'deny,allow' ? anyOfTrees([allowed, notDenied]) : allOfTrees([allowed, notDenied]);
}

// ---------------------------------------------------------------------------------------------------------------------

type Provider = 'ip' | 'host' | 'env';

/** A tree that grants access if an operand matches. */
function anyOf(operands: readonly Operand[]): Tree24 {
  if (operands.some((operand) => operand.kind === 'all')) return GRANTED;
  const unset = operands.flatMap((operand) => (operand.kind === 'env' && operand.isNegated ? [operand.name] : []));
  return anyOfTrees([
    ...matchTrees(operands),
    ...distinctTexts(unset).map(
      (name): Tree24 => allOfTrees([{ type: 'not', inner: { type: 'match', provider: 'env', operands: [name] } }]),
    ),
  ]);
}

/** A tree that grants access if no operand matches. */
function noneOf(operands: readonly Operand[]): Tree24 {
  if (operands.some((operand) => operand.kind === 'all')) return DENIED;
  const unset = operands.flatMap((operand) => (operand.kind === 'env' && operand.isNegated ? [operand.name] : []));
  return allOfTrees([
    ...distinctTexts(unset).map((name): Tree24 => ({ type: 'match', provider: 'env', operands: [name] })),
    ...matchTrees(operands).map((inner): Tree24 => ({ type: 'not', inner })),
  ]);
}

/** One Require line for each provider. Operands that never match are left out. */
function matchTrees(operands: readonly Operand[]): Extract<Tree24, { type: 'match' }>[] {
  const found: Record<Provider, string[]> = { ip: [], host: [], env: [] };
  for (const operand of operands) {
    if (operand.kind === 'ip') found.ip.push(operand.text);
    else if (operand.kind === 'host') found.host.push(operand.name);
    else if (operand.kind === 'env' && !operand.isNegated) found.env.push(operand.name);
  }
  const providers: Provider[] = ['ip', 'host', 'env'];
  return providers
    .filter((provider) => found[provider].length > 0)
    .map((provider) => ({ type: 'match', provider, operands: distinctTexts(found[provider]) }));
}

/** Makes a RequireAny, or a simpler tree. Without children it denies. */
function anyOfTrees(children: readonly Tree24[]): Tree24 {
  const flat = distinctTrees(children.flatMap((child) => (child.type === 'any' ? child.inner : [child]))).filter(
    (child) => child.type !== 'denied',
  );
  if (flat.some((child) => child.type === 'granted')) return GRANTED;
  if (flat.length === 0) return DENIED;
  return flat.length === 1 ? flat[0]! : { type: 'any', inner: flat };
}

/**
 * Makes a RequireAll, or a simpler tree. Without children it grants. httpd refuses a RequireAll
 * with only negated children, so it then gets `all granted`.
 */
function allOfTrees(children: readonly Tree24[]): Tree24 {
  const flat = distinctTrees(children.flatMap((child) => (child.type === 'all' ? child.inner : [child]))).filter(
    (child) => child.type !== 'granted',
  );
  if (flat.some((child) => child.type === 'denied')) return DENIED;
  if (flat.length === 0) return GRANTED;
  if (flat.every((child) => child.type === 'not')) return { type: 'all', inner: [GRANTED, ...flat] };
  return flat.length === 1 ? flat[0]! : { type: 'all', inner: flat };
}

/**
 * Removes duplicate children. Children of different types are no duplicates: in nested sections,
 * the text of each child would be made again at each level.
 */
function distinctTrees(trees: readonly Tree24[]): readonly Tree24[] {
  if (new Set(trees.map(({ type }) => type)).size === trees.length) return trees;
  return [...new Map(trees.map((tree) => [JSON.stringify(tree), tree])).values()];
}

function distinctTexts(values: readonly string[]): string[] {
  return [...new Set(values)];
}
