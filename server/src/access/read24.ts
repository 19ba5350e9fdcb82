/** Builds the tree that mod_authz_core of 2.4 makes from the Require lines of one scope. */
import { argumentsOf, rawArguments } from '../syntax/line';
import type { Section } from '../syntax/tree';
import type { ConfigLine } from '../config/configuration';
import type { Leaf24, Tree24 } from './model';
import { needsLogin } from './require';
import { requirementText } from './read';

/** The argument of AuthMerging: how a section combines its own tree with the inherited one. */
export type Merging = 'off' | 'and' | 'or';

/** A container of the tree while lines are added to it. */
interface OpenRequireContainer {
  readonly type: 'any' | 'all' | 'none';
  readonly inner: (Tree24 | OpenRequireContainer)[];
}

/**
 * Returns the Require tree for the lines of one scope. Null if there is no Require line. A line
 * that 2.4 refuses (with an unknown provider, or with `not` alone) is read as if it were valid.
 */
export function readTree(lines: readonly Pick<ConfigLine, 'line' | 'enclosingSections'>[]): Tree24 | null {
  const topContainer: OpenRequireContainer = { type: 'any', inner: [] };
  const containerBySection = new Map<Section, OpenRequireContainer>();
  for (const { line, enclosingSections } of lines) {
    if (line.name !== 'require') continue;
    let parent = topContainer;
    for (const { section } of enclosingSections) {
      if (!section.name.startsWith('require')) continue;
      let container = containerBySection.get(section);
      if (!container) {
        containerBySection.set(
          section,
          (container = { type: section.name.slice('require'.length) as OpenRequireContainer['type'], inner: [] }),
        );
        parent.inner.push(container);
      }
      parent = container;
    }
    const words = argumentsOf(line).map((word) => word.value);
    const isNegated = words[0]?.toLowerCase() === 'not';
    const leaf = isNegated
      ? leafOf(words.slice(1), rawArguments(line).value.replace(/^\S+\s+/, ''))
      : leafOf(words, requirementText(line, words));
    const limitSections = enclosingSections.filter(
      ({ section }) => section.name === 'limit' || section.name === 'limitexcept',
    );
    parent.inner.push(
      limitSections.reduceRight(
        (limited: Tree24, { section }) => limitedTree(limited, section),
        isNegated ? { type: 'not', inner: leaf } : leaf,
      ),
    );
  }
  return topContainer.inner.length > 0 ? (topContainer as Tree24) : null;
}

/** The Require tree and the AuthMerging of one section, or of several merged sections. */
export interface Authorization {
  readonly tree: Tree24 | null;
  readonly authMerging: Merging | null;
}

export const NO_AUTHORIZATION: Authorization = { tree: null, authMerging: null };

/**
 * Merges the tree of a section with the inherited tree, by the AuthMerging of the section
 * (merge_authz_core_dir_config in mod_authz_core.c). The result has that AuthMerging. A section
 * without a tree and an AuthMerging changes nothing.
 * httpd applies sections in stages: directories, then files, then locations. In each stage it first
 * merges the sections of the stage with each other. Then it merges the result with that of the
 * stage before, by the AuthMerging of the last section (ap_location_walk in server/request.c).
 */
export function mergeAuthorization(
  inheritedAuthorization: Authorization,
  ownAuthorization: Authorization,
): Authorization {
  const { tree, authMerging } = ownAuthorization;
  if (tree === null && authMerging === null) return inheritedAuthorization;
  if (authMerging === null || authMerging === 'off' || !tree || !inheritedAuthorization.tree)
    return authMerging === null || authMerging === 'off'
      ? ownAuthorization
      : { tree: tree ?? inheritedAuthorization.tree, authMerging };
  return {
    tree: { type: authMerging === 'and' ? 'all' : 'any', inner: [inheritedAuthorization.tree, tree] },
    authMerging,
  };
}

/**
 * Returns the part of a tree that applies to a method. Null if the tree has no such part.
 * `appliesToMethod`: whether a `<Limit>` or `<LimitExcept>` applies to the method.
 */
export function treeFor(
  tree: Tree24,
  appliesToMethod: (limit: Extract<Tree24, { type: 'limited' }>) => boolean,
): Tree24 | null {
  switch (tree.type) {
    case 'limited':
      return appliesToMethod(tree) ? treeFor(tree.inner, appliesToMethod) : null;
    case 'any':
    case 'all':
    case 'none': {
      const inner = tree.inner.flatMap((child) => treeFor(child, appliesToMethod) ?? []);
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
