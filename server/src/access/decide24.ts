/**
 * What httpd 2.4 decides with a Require tree: modules/aaa/mod_authz_core.c, apply_authz_sections and
 * authorize_user_core. The tree is evaluated without a user first; only if a user could change the answer is one asked for.
 */
import type { Decision, Tree24, World } from './model';

/** What a provider or container answers. */
type Status = 'granted' | 'denied' | 'denied-no-user' | 'neutral';

/** The decision of a section that holds this tree; its top level is an implicit RequireAny. */
export function decide24(tree: Tree24, world: World): Decision {
  const before = evaluate(tree, { ...world, user: null });
  if (before === 'granted') return 'allowed';
  if (before !== 'denied-no-user') return 'forbidden';
  if (!world.user) return 'unauthorized';
  return evaluate(tree, world) === 'granted' ? 'allowed' : 'unauthorized';
}

function evaluate(tree: Tree24, world: World): Status {
  switch (tree.type) {
    case 'granted':
      return 'granted';
    case 'denied':
      return 'denied';
    case 'match':
      return tree.operands.some((operand) => world.matches(tree.provider, operand)) ? 'granted' : 'denied';
    case 'user':
      if (!world.user) return 'denied-no-user';
      return world.user(tree.requirement) ? 'granted' : 'denied';
    case 'not':
      return evaluate(tree.of, world) === 'granted' ? 'denied' : 'neutral';
    case 'method': {
      const isNamed = world.method !== undefined && tree.methods.includes(world.method);
      if (tree.isNegated) return isNamed ? 'denied' : 'neutral';
      return isNamed ? 'granted' : 'denied';
    }
    case 'any':
      return any(tree.of.map((child) => evaluate(child, world)));
    case 'all':
      return all(tree.of.map((child) => evaluate(child, world)));
  }
}

function any(statuses: readonly Status[]): Status {
  if (statuses.includes('granted')) return 'granted';
  if (statuses.includes('denied-no-user')) return 'denied-no-user';
  return statuses.includes('denied') ? 'denied' : 'neutral';
}

function all(statuses: readonly Status[]): Status {
  if (statuses.includes('denied')) return 'denied';
  if (statuses.includes('denied-no-user')) return 'denied-no-user';
  return statuses.includes('granted') ? 'granted' : 'neutral';
}
