/**
 * Computes what httpd 2.4 decides with a Require tree (apply_authz_sections and authorize_user_core
 * in modules/aaa/mod_authz_core.c). httpd first evaluates the tree without a user. It asks for a
 * login only if a user could change the result. test/httpd/require-trees.slow.test.ts compares this
 * function with a real server.
 */
import type { Decision, Tree24, Assignment } from './model';

/** The result of one Require line or of one container. */
type Status = 'granted' | 'denied' | 'denied-no-user' | 'neutral';

/**
 * The decision for a request to a section with this tree. httpd treats the top level of a tree like
 * the inside of a RequireAny.
 */
export function decide24(tree: Tree24, assignment: Assignment): Decision {
  const statusWithoutUser = evaluate(tree, { ...assignment, user: null }, 'all');
  if (statusWithoutUser === 'granted') return 'allowed';
  if (statusWithoutUser !== 'denied-no-user') return 'forbidden';
  if (!assignment.user) return 'unauthorized';
  return evaluate(tree, assignment, 'all') === 'granted' ? 'allowed' : 'unauthorized';
}

/**
 * Evaluates a tree. `parent`: whether the container around the tree is a RequireAll (`all`) or
 * another container (`any`). If the tree has no lines for the request's method, `parent` decides
 * its status.
 */
function evaluate(tree: Tree24, assignment: Assignment, parent: 'all' | 'any'): Status {
  if (!appliesToMethod(tree, assignment.method)) return parent === 'all' ? 'granted' : 'neutral';
  switch (tree.type) {
    case 'granted':
      return 'granted';
    case 'denied':
      return 'denied';
    case 'match':
      return tree.operands.some((operand) => assignment.matches(tree.provider, operand)) ? 'granted' : 'denied';
    case 'user':
      if (!assignment.user) return 'denied-no-user';
      return assignment.user(tree.requirement) ? 'granted' : 'denied';
    case 'other':
      if (assignment.holds?.(tree.text, assignment.user !== null)) return 'granted';
      // An expression about the user may have another result after a login
      // (expr_check_authorization).
      return !assignment.user && tree.text.includes('REMOTE_USER') ? 'denied-no-user' : 'denied';
    case 'method': {
      const isMethodNamed = assignment.method !== undefined && tree.methods.includes(assignment.method);
      if (tree.isNegated) return isMethodNamed ? 'denied' : 'neutral';
      return isMethodNamed ? 'granted' : 'denied';
    }
    case 'not':
      return negatedStatus(evaluate(tree.inner, assignment, 'any'));
    case 'limited':
      return evaluate(tree.inner, assignment, parent);
    case 'any':
      return statusOfContainer(tree.inner, assignment, 'any');
    case 'all':
      return statusOfContainer(tree.inner, assignment, 'all');
    case 'none':
      return negatedStatus(statusOfContainer(tree.inner, assignment, 'any'));
  }
}

/**
 * Whether a tree has lines for a method. A container has lines for a method if one of its children
 * does.
 */
function appliesToMethod(tree: Tree24, method: string | undefined): boolean {
  switch (tree.type) {
    case 'limited':
      return (
        method === undefined || (tree.methods.includes(method) !== tree.isExcept && appliesToMethod(tree.inner, method))
      );
    case 'any':
    case 'all':
    case 'none':
      return tree.inner.some((child) => appliesToMethod(child, method));
    default:
      return true;
  }
}

/** The status of a negated line. It can refuse a request, but never grants it. */
function negatedStatus(status: Status): Status {
  if (status === 'granted') return 'denied';
  return 'neutral';
}

/**
 * The status of a container. A RequireAll (`all`) refuses access if one of its children does; other
 * containers (`any`) grant access if one of their children does. The children after the one that
 * decides are not evaluated, to save time: a proof evaluates a tree thousands of times.
 */
function statusOfContainer(children: readonly Tree24[], assignment: Assignment, kind: 'all' | 'any'): Status {
  const decisiveStatus = kind === 'all' ? 'denied' : 'granted';
  let status: Status = 'neutral';
  for (const child of children) {
    const statusOfChild = evaluate(child, assignment, kind);
    if (statusOfChild === decisiveStatus) return decisiveStatus;
    if (statusOfChild === 'denied-no-user' || status === 'neutral') status = statusOfChild;
  }
  return status;
}
