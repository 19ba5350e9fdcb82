/** Builds the tree that mod_authz_core of 2.4 makes of the Require lines of one scope. */
import { argumentsOf, rawArguments } from '../syntax/line';
import type { Section } from '../syntax/tree';
import type { ConfigLine } from '../config/configuration';
import type { Leaf24, Tree24 } from './model';
import { needsLogin } from './require';
import { requirementText } from './read';

/** The argument of AuthMerging: how a section combines its own tree with the inherited one. */
export type Merging = 'off' | 'and' | 'or';

interface OpenContainer {
  readonly type: 'any' | 'all' | 'none';
  readonly inner: (Tree24 | OpenContainer)[];
}

/**
 * Returns the Require tree of some lines of one scope. Null if none is a Require line. Lines that
 * prevent the start of the server (an unknown provider, or only negative lines) are read as if they
 * were valid.
 */
export function readTree(lines: readonly Pick<ConfigLine, 'line' | 'enclosingSections'>[]): Tree24 | null {
  const top: OpenContainer = { type: 'any', inner: [] };
  const containers = new Map<Section, OpenContainer>();
  for (const { line, enclosingSections } of lines) {
    if (line.name !== 'require') continue;
    let parent = top;
    for (const { section } of enclosingSections) {
      if (!section.name.startsWith('require')) continue;
      let container = containers.get(section);
      if (!container) {
        containers.set(
          section,
          (container = { type: section.name.slice('require'.length) as OpenContainer['type'], inner: [] }),
        );
        parent.inner.push(container);
      }
      parent = container;
    }
    const words = argumentsOf(line).map((word) => word.value);
    const isNot = words[0]?.toLowerCase() === 'not';
    const leaf = isNot
      ? leafOf(words.slice(1), rawArguments(line).value.replace(/^\S+\s+/, ''))
      : leafOf(words, requirementText(line, words));
    const limits = enclosingSections.filter(
      ({ section }) => section.name === 'limit' || section.name === 'limitexcept',
    );
    parent.inner.push(
      limits.reduceRight(
        (of: Tree24, { section }) => limitedTree(of, section),
        isNot ? { type: 'not', inner: leaf } : leaf,
      ),
    );
  }
  return top.inner.length > 0 ? (top as Tree24) : null;
}

/** The tree and AuthMerging of a section, or of several merged ones. */
export interface Authorization {
  readonly tree: Tree24 | null;
  readonly authMerging: Merging | null;
}

export const NO_AUTHORIZATION: Authorization = { tree: null, authMerging: null };

/**
 * Merges the tree of a section with the inherited one (merge_authz_core_dir_config in
 * mod_authz_core.c). The result has the AuthMerging of the section. httpd goes through directories,
 * then files, then locations. Each time it merges the sections of this kind with each other, and
 * then their result with that of the kind before, by the AuthMerging of the last section
 * (ap_location_walk in server/request.c).
 */
export function mergeAuthorization(inherited: Authorization, own: Authorization): Authorization {
  const { tree, authMerging } = own;
  if (tree === null && authMerging === null) return inherited;
  if (authMerging === null || authMerging === 'off' || !tree || !inherited.tree)
    return authMerging === null || authMerging === 'off' ? own : { tree: tree ?? inherited.tree, authMerging };
  return { tree: { type: authMerging === 'and' ? 'all' : 'any', inner: [inherited.tree, tree] }, authMerging };
}

/**
 * Returns the part of a tree that applies to a method. Null if no part does. `isFor`: whether a
 * `<Limit>` or `<LimitExcept>` includes the method.
 */
export function treeFor(tree: Tree24, isFor: (limit: Extract<Tree24, { type: 'limited' }>) => boolean): Tree24 | null {
  switch (tree.type) {
    case 'limited':
      return isFor(tree) ? treeFor(tree.inner, isFor) : null;
    case 'any':
    case 'all':
    case 'none': {
      const inner = tree.inner.flatMap((child) => treeFor(child, isFor) ?? []);
      return inner.length > 0 ? { type: tree.type, inner } : null;
    }
    default:
      return tree;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function leafOf([provider = '', ...operands]: readonly string[], text: string): Leaf24 {
  switch (provider) {
    case 'all':
      return operands[0]?.toLowerCase() === 'granted' ? { type: 'granted' } : { type: 'denied' };
    case 'ip':
    case 'host':
    case 'env':
      return { type: 'match', provider, operands };
    case 'method':
      return {
        type: 'method',
        methods: operands.map((method) => (method === 'HEAD' ? 'GET' : method)),
        isNegated: false,
      };
    default:
      return needsLogin(provider.toLowerCase()) ? { type: 'user', requirement: { text } } : { type: 'other', text };
  }
}

function limitedTree(inner: Tree24, limit: Section): Tree24 {
  const methods = argumentsOf(limit.open).map(({ value }) => (value === 'HEAD' ? 'GET' : value));
  return { type: 'limited', methods, isExcept: limit.name === 'limitexcept', inner };
}
