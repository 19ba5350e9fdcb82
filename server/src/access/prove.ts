/**
 * Proves that a Require tree decides as the old lines of a section: it evaluates both for every
 * possible request (`Assignment`).
 *
 * An assignment sets which operands match and who the user is. Operands that old and new lines only
 * use together, such as all addresses of the Allow lines, share one variable, after a check that
 * the new tree contains each of them. So a section with thousands of addresses has only a few
 * variables. Variables are independent, so the assignments include an address that lies in two
 * networks, and a network inside another.
 */
import { decide22 } from './decide22';
import { decide24 } from './decide24';
import { decideCompatTree } from './decide-compat';
import type { Section22, SectionCompat, Tree24, UserRequirement, Assignment } from './model';
import type { Operand } from './operand';

/** 2^16 assignments take a fraction of a second. A section that needs more is not proven. */
const MAX_VARIABLES = 16;

/** The result of a proof: `proven`, or the reason why the program cannot prove it. */
export type Proof = 'proven' | 'differs' | 'too-large' | 'unknown-operand';

export function prove(before: Section22, after: Tree24): Proof {
  const operands = [...(before.hostRules?.allow ?? []), ...(before.hostRules?.deny ?? [])];
  if (operands.some((operand) => operand.kind === 'unknown' || operand.kind === 'error')) return 'unknown-operand';
  const variables = variablesOf(before, after);
  if (!variables) return 'differs';
  const users = userStates(before.userRequirements);
  const [old, fresh] = withOneOperandEach(before, after, variables.byOperand);
  if (variables.variableCount + Math.log2(users.length) > MAX_VARIABLES) return 'too-large';
  for (let bits = 0; bits < 2 ** variables.variableCount; bits++) {
    const matches: Assignment['matches'] = (provider, operand) => {
      const variable = variables.byOperand.get(`${provider} ${operand}`);
      return variable !== undefined && (bits & (1 << variable)) !== 0;
    };
    for (const user of users) {
      const assignment: Assignment = { matches, user };
      if (decide22(old, assignment) !== decide24(fresh, assignment)) return 'differs';
    }
  }
  return 'proven';
}

/**
 * The same for a section of 2.4 with mod_access_compat. Each operand, and each Require line without
 * operands, is a variable.
 */
export function proveCompat(before: SectionCompat, after: Tree24): Proof {
  const operands = [...(before.hostRules?.allow ?? []), ...(before.hostRules?.deny ?? [])];
  if (operands.some((operand) => operand.kind === 'unknown' || operand.kind === 'error')) return 'unknown-operand';
  const matched = new Set(operands.flatMap((operand) => keyOf(operand) ?? []));
  const held = new Set<string>();
  const users = new Set<string>();
  const gather = (tree: Tree24): void => {
    if (tree.type === 'match') for (const operand of tree.operands) matched.add(`${tree.provider} ${operand}`);
    else if (tree.type === 'other') held.add(tree.text);
    else if (tree.type === 'user') users.add(tree.requirement.text);
    else if (tree.type === 'method') held.add(`method ${tree.methods.join(' ')}`);
    else if (tree.type === 'not' || tree.type === 'limited') gather(tree.inner);
    else if ('inner' in tree) tree.inner.forEach(gather);
  };
  if (before.tree) gather(before.tree);
  const known = [...matched, ...held];
  gather(after);
  const states = userStates([...users].map((text) => ({ text })));
  if (matched.size + held.size > known.length) return 'differs';
  // The proof cannot evaluate expressions about users, and requirements on methods.
  if ([...held].some((text) => text.startsWith('method ') || text.includes('REMOTE_USER'))) return 'too-large';
  if (known.length + Math.log2(states.length) > MAX_VARIABLES) return 'too-large';
  const variables = new Map(known.map((key, variable) => [key, variable]));
  for (let bits = 0; bits < 2 ** known.length; bits++) {
    const isSet = (key: string) => (bits & (1 << variables.get(key)!)) !== 0;
    for (const user of states) {
      const assignment: Assignment = {
        matches: (provider, operand) => isSet(`${provider} ${operand}`),
        holds: isSet,
        user,
      };
      if (decideCompatTree(before, assignment) !== decide24(after, assignment)) return 'differs';
    }
  }
  return 'proven';
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The Boolean variables of the proof: how many there are, and the number of the variable that
 * stands for each operand.
 */
interface Variables {
  readonly variableCount: number;
  readonly byOperand: ReadonlyMap<string, number>;
}

/**
 * Groups operands by where they occur in the old rules, and makes one variable for each group. Null
 * if the new tree contains only a part of a group, or an operand that the old rules do not have.
 */
function variablesOf(before: Section22, after: Tree24): Variables | null {
  const signatures = new Map<string, string>();
  const sign = (operands: readonly Operand[], where: string) => {
    for (const operand of operands) {
      const key = keyOf(operand);
      if (key === null) continue;
      const negation = operand.kind === 'env' && operand.isNegated ? '!' : '';
      const mark = ` ${where}${negation}`;
      const signature = signatures.get(key) ?? key.slice(0, key.indexOf(' '));
      if (!signature.includes(mark)) signatures.set(key, signature + mark);
      else signatures.set(key, signature);
    }
  };
  sign(before.hostRules?.allow ?? [], 'allow');
  sign(before.hostRules?.deny ?? [], 'deny');
  const groups = new Map<string, string[]>();
  for (const [key, signature] of signatures) {
    // A negated operand is never grouped with others: "not A or not B" is not "not (A or B)".
    const name = signature.includes('!') ? key : signature;
    const group = groups.get(name);
    if (group) group.push(key);
    else groups.set(name, [key]);
  }
  const of = new Map<string, number>();
  [...groups.values()].forEach((keys, variable) => keys.forEach((key) => of.set(key, variable)));
  const sizes = [...groups.values()].map((keys) => keys.length);
  return usesWholeGroups(after, of, sizes) ? { variableCount: groups.size, byOperand: of } : null;
}

/**
 * Whether each container of the tree contains groups completely. In an "any" or an "all not",
 * several lines add up, so the operands of a group may be on several lines of the container.
 */
function usesWholeGroups(tree: Tree24, of: ReadonlyMap<string, number>, sizes: readonly number[]): boolean {
  const children = tree.type === 'any' || tree.type === 'all' ? tree.inner : [tree];
  const isSound = (matches: readonly Extract<Tree24, { type: 'match' }>[]): boolean => {
    const used = new Map<number, Set<string>>();
    for (const match of matches) {
      for (const operand of match.operands) {
        const key = `${match.provider} ${operand}`;
        const variable = of.get(key);
        if (variable === undefined) return false;
        (used.get(variable) ?? used.set(variable, new Set()).get(variable)!).add(key);
      }
    }
    return [...used].every(([variable, keys]) => keys.size === sizes[variable]);
  };
  const plain = children.flatMap((child) => (child.type === 'match' ? [child] : []));
  const negated = children.flatMap((child) =>
    child.type === 'not' && child.inner.type === 'match' ? [child.inner] : [],
  );
  const isPlainSound = tree.type === 'all' ? plain.every((match) => isSound([match])) : isSound(plain);
  const nested = children.filter((child) => child.type === 'any' || child.type === 'all');
  return isPlainSound && isSound(negated) && nested.every((child) => usesWholeGroups(child, of, sizes));
}

/**
 * Replaces the operands of each variable by one of them, in both sides. The decisions stay the
 * same, and long lists cost less.
 */
function withOneOperandEach(before: Section22, after: Tree24, of: ReadonlyMap<string, number>): [Section22, Tree24] {
  const once = (operands: readonly Operand[]) =>
    firstOfEachKey(
      operands,
      (operand) =>
        `${operand.kind} ${of.get(keyOf(operand) ?? '') ?? ''} ${operand.kind === 'env' && operand.isNegated}`,
    );
  const shorter = (tree: Tree24): Tree24 => {
    switch (tree.type) {
      case 'match':
        return {
          ...tree,
          operands: firstOfEachKey(tree.operands, (operand) => String(of.get(`${tree.provider} ${operand}`))),
        };
      case 'not':
        return { ...tree, inner: shorter(tree.inner) as typeof tree.inner };
      case 'any':
      case 'all':
      case 'none':
        return { ...tree, inner: tree.inner.map(shorter) };
      default:
        return tree;
    }
  };
  const hostRules = before.hostRules && {
    ...before.hostRules,
    allow: once(before.hostRules.allow),
    deny: once(before.hostRules.deny),
  };
  return [{ ...before, hostRules }, shorter(after)];
}

function firstOfEachKey<T>(values: readonly T[], keyOf: (value: T) => string): T[] {
  const found = new Map<string, T>();
  for (const value of values) if (!found.has(keyOf(value))) found.set(keyOf(value), value);
  return [...found.values()];
}

function keyOf(operand: Operand): string | null {
  switch (operand.kind) {
    case 'ip':
      return `ip ${operand.text}`;
    case 'host':
      return `host ${operand.name}`;
    case 'env':
      return `env ${operand.name}`;
    default:
      return null;
  }
}

/**
 * The users to try: none, and one for each set of requirements that a user can fulfil. All users
 * fulfil `valid-user`.
 */
function userStates(requires: readonly UserRequirement[]): Assignment['user'][] {
  if (requires.length === 0) return [null];
  const distinct = [...new Set(requires.map((requirement) => requirement.text))];
  const free = distinct.filter((text) => text.toLowerCase() !== 'valid-user').slice(0, 12);
  const states: Assignment['user'][] = [null];
  for (let bits = 0; bits < 2 ** free.length; bits++) {
    states.push(({ text }) => text.toLowerCase() === 'valid-user' || (bits & (1 << free.indexOf(text))) !== 0);
  }
  return states;
}
