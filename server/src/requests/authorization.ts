/** The Require tree that applies to a request in 2.4, and which of its lines decide. */
import { decide24 } from '../access/decide24';
import type { Decision, Tree24, Assignment } from '../access/model';
import { mergeAuthorization, NO_AUTHORIZATION, readTree, type Authorization, type Merging } from '../access/read24';
import type { ConfigLine } from '../config/configuration';
import { isLoopback } from './addresses';
import type { AppliedSection } from './section';
import type { Asking } from './asking';
import type { Environment } from './environment';
import { conditionHolds } from './expressions';
import { corrected } from './line-problem';
import { wordsOf } from './site';

/** With the line of each leaf. */
export interface PlacedAuthorization extends Authorization {
  readonly lines: ReadonlyMap<Tree24, ConfigLine>;
}

/**
 * Merges the sections as the walks of the server do: each walk merges its own sections first.
 * `correctsProviders`: see OpenFacts.
 */
export function authorizationOf(sections: readonly AppliedSection[], correctsProviders: boolean): PlacedAuthorization {
  const lines = new Map<Tree24, ConfigLine>();
  let merged = NO_AUTHORIZATION;
  for (const walk of ['directories', 'files', 'locations', 'conditions'] as const) {
    const own = sections
      .filter((section) => section.walk === walk)
      .map((section) => ownAuthorization(section, lines, correctsProviders));
    merged = mergeAuthorization(merged, own.reduce(mergeAuthorization, NO_AUTHORIZATION));
  }
  return { ...merged, lines };
}

interface Deciding {
  readonly world: Assignment;
  readonly environment: Environment;
}

export function decidedBy(
  { tree, lines }: PlacedAuthorization,
  { world, environment }: Deciding,
  asking: Asking,
): { readonly decision: Decision; readonly lines: readonly ConfigLine[]; readonly needsLogin: boolean } {
  const whole: Assignment = {
    ...world,
    holds: (text, isUserKnown) => otherHolds(text, isUserKnown, environment, asking),
  };
  const decision = decide24(tree!, whole);
  const needsLogin =
    decision === 'unauthorized' ||
    (world.user !== null && decide24(tree!, { ...whole, user: null }) === 'unauthorized');
  const deciding = decidingLeaves(tree!, decision, whole).flatMap((leaf) => lines.get(leaf) ?? []);
  return { decision, needsLogin, lines: deciding };
}

// ---------------------------------------------------------------------------------------------------------------------

function ownAuthorization(
  { lines }: AppliedSection,
  placed: Map<Tree24, ConfigLine>,
  correctsProviders: boolean,
): Authorization {
  const requires = lines.filter(({ line }) => line.name === 'require');
  const tree = readTree(
    requires.map(({ expanded, within }) => ({ line: correctsProviders ? corrected(expanded) : expanded, within })),
  );
  if (tree) leavesOf(tree).forEach((leaf, index) => placed.set(leaf, requires[index]!));
  const merging = lines.findLast(({ line }) => line.name === 'authmerging');
  return { tree, merging: merging ? (wordsOf(merging)[0]?.toLowerCase() as Merging) : null };
}

/** The leaves in the order of their lines. */
function leavesOf(tree: Tree24): Tree24[] {
  switch (tree.type) {
    case 'any':
    case 'all':
    case 'none':
      return tree.of.flatMap(leavesOf);
    case 'limited':
      return leavesOf(tree.of);
    default:
      return [tree];
  }
}

/** The leaves that decide: those that grant, or those that refuse. */
function decidingLeaves(tree: Tree24, decision: Decision, world: Assignment): readonly Tree24[] {
  const of = (child: Tree24): Decision => decide24(child, world);
  switch (tree.type) {
    case 'limited':
      return decidingLeaves(tree.of, decision, world);
    case 'any':
    case 'all': {
      const same = tree.of.filter((child) => of(child) === decision && isCounted(child, world));
      const negative: readonly Tree24[] = tree.of.filter(({ type }) => type === 'not' || type === 'none');
      if (decision === 'allowed') {
        const granting = tree.of.filter((child) => of(child) === 'allowed');
        return (tree.type === 'any' ? granting.slice(0, 1) : granting).flatMap((child) =>
          decidingLeaves(child, decision, world),
        );
      }
      const refusing = negative.filter(
        (child) => decide24({ type: 'all', of: [{ type: 'granted' }, child] }, world) === 'forbidden',
      );
      if (tree.type === 'all' && refusing.length > 0) return refusing.flatMap(leavesOf);
      return same
        .filter((child) => !negative.includes(child))
        .flatMap((child) => decidingLeaves(child, decision, world));
    }
    default:
      return leavesOf(tree);
  }
}

/** Whether a child applies to the method. */
function isCounted(child: Tree24, { method }: Assignment): boolean {
  return child.type !== 'limited' || method === undefined || child.methods.includes(method) !== child.isExcept;
}

/** Providers besides those of decide24.ts. */
function otherHolds(text: string, isUserKnown: boolean, environment: Environment, asking: Asking): boolean {
  const { request, facts, site } = asking;
  const [name = '', ...rest] = text.trim().split(/\s+/);
  const place = { file: site.root.file.path, line: 0 };
  switch (name) {
    case 'expr': {
      const source = text.trim().slice(4).trim();
      const quote = source[0];
      const plain =
        (quote === '"' || quote === "'") && source.endsWith(quote)
          ? source.slice(1, -1).replaceAll(`\\${quote}`, quote)
          : source;
      return conditionHolds(plain, { place, asking, isUserKnown, hasVariable: environment });
    }
    case 'local':
      if (request.from !== null && isLoopback(request.from)) return true;
      break;
    case 'ssl':
      return request.isSecure;
    default:
  }
  return facts.holds(`provider ${text}`, {
    what: `whether \`Require ${[name, ...rest].join(' ')}\` holds`,
    place: null,
  });
}
