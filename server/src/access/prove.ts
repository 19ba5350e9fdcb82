/**
 * Proves that a Require tree decides as the old lines of a section do: it evaluates both for every
 * possible request (`Assignment`).
 * An assignment sets which operands match and who the user is. Each operand is a Boolean variable.
 * Several operands share one variable if the old lines and the new lines use them only together,
 * such as all addresses of the Allow lines. So a section with thousands of addresses has only a few
 * variables.
 * The variables are independent. So there is an assignment for an address that is in two networks,
 * and for a network inside another.
 */
import { decide22 } from './decide22';
import { decide24 } from './decide24';
import { decideCompatTree } from './decide-compat';
import type { Section22, SectionCompat, Tree24, UserRequirement, Assignment } from './model';
import type { Operand } from './operand';
import { addTo } from '../syntax/groups';

/** 2^16 assignments take a fraction of a second. A section with more assignments is not proven. */
const MAX_VARIABLES = 16;

/** The result of a proof: `proven`, or the reason why the program cannot prove it. */
export type Proof = 'proven' | 'differs' | 'too-large' | 'unknown-operand';

/** Proves that `newTree` decides in 2.4 as `oldSection` does in 2.2. */
export function prove(oldSection: Section22, newTree: Tree24): Proof {
  const operands = [...(oldSection.hostRules?.allow ?? []), ...(oldSection.hostRules?.deny ?? [])];
  if (operands.some((operand) => operand.kind === 'unknown' || operand.kind === 'error')) return 'unknown-operand';
  const variables = proofVariables(oldSection, newTree);
  if (!variables) return 'differs';
  const possibleUsers = possibleUsersFor(oldSection.userRequirements);
  const [shortSection, shortTree] = withOneOperandPerVariable(oldSection, newTree, variables.variableByOperand);
  if (variables.variableCount + Math.log2(possibleUsers.length) > MAX_VARIABLES) return 'too-large';
  const variableByOperand = joinedVariables(variables.variableByOperand, oldSection, newTree);
  const variableOf = variableFinder(variableByOperand);
  for (let bits = 0; bits < assignmentCount(variableByOperand); bits++) {
    const matches: Assignment['matches'] = (provider, operand) => {
      const variable = variableOf(provider, operand);
      return variable !== undefined && (bits & (1 << variable)) !== 0;
    };
    for (const user of possibleUsers) {
      const assignment: Assignment = { matches, user };
      if (decide22(shortSection, assignment) !== decide24(shortTree, assignment)) return 'differs';
    }
  }
  return 'proven';
}

/**
 * Like `prove`, for a section that 2.4 evaluates with mod_access_compat. Operands that only occur
 * together are one variable (`variableNumbers`). Each Require line that is not about operands or
 * users, such as `Require local`, is a variable of its own.
 */
export function proveCompat(oldSection: SectionCompat, newTree: Tree24): Proof {
  const operands = [...(oldSection.hostRules?.allow ?? []), ...(oldSection.hostRules?.deny ?? [])];
  if (operands.some((operand) => operand.kind === 'unknown' || operand.kind === 'error')) return 'unknown-operand';
  const operandKeys = new Set(operands.flatMap((operand) => keyOf(operand) ?? []));
  const otherTexts = new Set<string>();
  const users = new Set<string>();
  const collectFrom = (tree: Tree24): void => {
    if (tree.type === 'match') for (const operand of tree.operands) operandKeys.add(`${tree.provider} ${operand}`);
    else if (tree.type === 'other') otherTexts.add(tree.text);
    else if (tree.type === 'user') users.add(tree.requirement.text);
    else if (tree.type === 'method') otherTexts.add(`method ${tree.methods.join(' ')}`);
    else if (tree.type === 'not' || tree.type === 'limited') collectFrom(tree.inner);
    else if ('inner' in tree) tree.inner.forEach(collectFrom);
  };
  if (oldSection.tree) collectFrom(oldSection.tree);
  const keysBefore = [...operandKeys, ...otherTexts];
  collectFrom(newTree);
  const possibleUsers = possibleUsersFor([...users].map((text) => ({ text })));
  if (operandKeys.size + otherTexts.size > keysBefore.length) return 'differs';
  // The proof cannot evaluate expressions about users or `Require method`.
  if ([...otherTexts].some((text) => text.startsWith('method ') || text.includes('REMOTE_USER'))) return 'too-large';
  if (keysBefore.length + Math.log2(possibleUsers.length) > MAX_VARIABLES) return 'too-large';
  const variables = variableNumbers(keysBefore, oldSection, newTree);
  const variableOf = variableFinder(variables);
  for (let bits = 0; bits < assignmentCount(variables); bits++) {
    for (const user of possibleUsers) {
      const assignment: Assignment = {
        matches: (provider, operand) => (bits & (1 << variableOf(provider, operand)!)) !== 0,
        holds: (text) => (bits & (1 << variables.get(text)!)) !== 0,
        user,
      };
      if (decideCompatTree(oldSection, assignment) !== decide24(newTree, assignment)) return 'differs';
    }
  }
  return 'proven';
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Joins the variables further, as `variableNumbers` does, so that there are fewer. If that would
 * split the operands of one variable, returns the variables unchanged.
 */
function joinedVariables(
  variableByOperand: ReadonlyMap<string, number>,
  { hostRules }: Section22,
  newTree: Tree24,
): ReadonlyMap<string, number> {
  const numberByKey = variableNumbers([...variableByOperand.keys()], { hostRules, tree: null }, newTree);
  const numberByVariable = new Map([...variableByOperand].map(([key, variable]) => [variable, numberByKey.get(key)]));
  const isVariableSplit = [...variableByOperand].some(
    ([key, variable]) => numberByVariable.get(variable) !== numberByKey.get(key),
  );
  return isVariableSplit ? variableByOperand : numberByKey;
}

/** The number of combinations of the values of variables that are numbered from 0. */
function assignmentCount(variables: ReadonlyMap<string, number>): number {
  return 2 ** new Set(variables.values()).size;
}

/**
 * Returns a function that finds the variable of an operand. The function does not join the texts of
 * the provider and the operand, to save time: a proof calls it very often.
 */
function variableFinder(
  variables: ReadonlyMap<string, number>,
): (provider: string, operand: string) => number | undefined {
  const variablesByProvider = new Map<string, Map<string, number>>();
  for (const [key, variable] of variables) {
    const nameStart = key.indexOf(' ') + 1;
    const provider = key.slice(0, nameStart - 1);
    let variablesOfProvider = variablesByProvider.get(provider);
    if (!variablesOfProvider) variablesByProvider.set(provider, (variablesOfProvider = new Map()));
    variablesOfProvider.set(key.slice(nameStart), variable);
  }
  return (provider, operand) => variablesByProvider.get(provider)?.get(operand);
}

/**
 * Numbers the variables: operands that are in the same lists (`OperandList`) get the same number,
 * because they are interchangeable. These lists must all have the same `dependsOnAll`.
 */
function variableNumbers(
  keys: readonly string[],
  { hostRules, tree }: Pick<SectionCompat, 'hostRules' | 'tree'>,
  newTree: Tree24,
): ReadonlyMap<string, number> {
  const listsByKey = new Map<string, string[]>();
  [...listsInHostRules(hostRules), ...(tree ? operandListsIn(tree) : []), ...operandListsIn(newTree)].forEach(
    (operandList, index) => {
      for (const key of new Set(operandList.keys))
        addTo(listsByKey, key, `${operandList.dependsOnAll ? '!' : ''}${index}`);
    },
  );
  const numberByKey = new Map<string, number>();
  const numberByLists = new Map<string, number>();
  for (const key of keys) {
    const listsOfKey = listsByKey.get(key) ?? [];
    const areOfOneKind =
      listsOfKey.length > 0 && new Set(listsOfKey.map((listMark) => listMark.startsWith('!'))).size === 1;
    const listsText = areOfOneKind ? listsOfKey.join(' ') : key;
    if (!numberByLists.has(listsText)) numberByLists.set(listsText, numberByLists.size);
    numberByKey.set(key, numberByLists.get(listsText)!);
  }
  return numberByKey;
}

/** A Require line with operands, without `not`. */
type Match = Extract<Tree24, { type: 'match' }>;

/**
 * Operands of which it only matters whether any one matches: the Allow lines, the Deny lines, a
 * Require line, the Require lines in a RequireAny or RequireNone, the `Require not` lines in a
 * RequireAll.
 */
interface OperandList {
  readonly keys: readonly string[];
  /**
   * True if it only matters whether all of the operands match: `env=!a` of the Allow or Deny lines,
   * Require lines with one operand in a RequireAll, and what a RequireAny has for `env=!a`.
   */
  readonly dependsOnAll: boolean;
}

/**
 * The operand lists in host rules: the Allow and the Deny operands, each without and with negation.
 */
function listsInHostRules(hostRules: SectionCompat['hostRules']): OperandList[] {
  return [hostRules?.allow ?? [], hostRules?.deny ?? []].flatMap((operands) =>
    [false, true].map((dependsOnAll) => {
      const operandsOfKind = operands.filter((operand) => isNegated(operand) === dependsOnAll);
      return { keys: operandsOfKind.flatMap((operand) => keyOf(operand) ?? []), dependsOnAll };
    }),
  );
}

/** The operand lists in a Require tree. */
function operandListsIn(tree: Tree24): OperandList[] {
  switch (tree.type) {
    case 'match':
      return [operandListOf([tree])];
    case 'not':
    case 'limited':
      return operandListsIn(tree.inner);
    case 'any':
    case 'none': {
      const others = tree.inner.filter((child) => child.type !== 'match' && matchThatMustFail(child) === null);
      return [
        operandListOf(tree.inner.filter((child) => child.type === 'match')),
        operandListOf(
          tree.inner.flatMap((child) => matchThatMustFail(child) ?? []),
          true,
        ),
        ...others.flatMap(operandListsIn),
      ];
    }
    case 'all': {
      const others = tree.inner.filter((child) => singleMatch(child) === null && negatedMatch(child) === null);
      return [
        operandListOf(tree.inner.flatMap((child) => negatedMatch(child) ?? [])),
        operandListOf(
          tree.inner.flatMap((child) => singleMatch(child) ?? []),
          true,
        ),
        ...others.flatMap(operandListsIn),
      ];
    }
    default:
      return [];
  }
}

function operandListOf(matches: readonly Match[], dependsOnAll = false): OperandList {
  const keys = matches.flatMap(({ provider, operands }) => operands.map((operand) => `${provider} ${operand}`));
  return { keys, dependsOnAll };
}

/** A Require line with one operand; null for everything else. */
function singleMatch(tree: Tree24): Match | null {
  return tree.type === 'match' && tree.operands.length === 1 ? tree : null;
}

/**
 * The line with one operand, if the tree grants access if this operand does not match, and refuses
 * it otherwise. That is how a RequireAny has `env=!a`. Null for every other tree.
 */
function matchThatMustFail(tree: Tree24): Match | null {
  if (tree.type !== 'all' || tree.inner.length !== 2 || tree.inner[0]!.type !== 'granted') return null;
  const negatedLine = negatedMatch(tree.inner[1]!);
  return negatedLine?.operands.length === 1 ? negatedLine : null;
}

/** The line that a `Require not` with operands negates; null for everything else. */
function negatedMatch(tree: Tree24): Match | null {
  return tree.type === 'not' && tree.inner.type === 'match' ? tree.inner : null;
}

function isNegated(operand: Operand): boolean {
  return operand.kind === 'env' && operand.isNegated;
}

/**
 * The Boolean variables of the proof: their count, and for each operand the index of its variable.
 */
interface ProofVariables {
  readonly variableCount: number;
  readonly variableByOperand: ReadonlyMap<string, number>;
}

/**
 * Groups the operands of one kind by the old lines that have them: only Allow lines, only Deny
 * lines, or both. A negated operand is a group of its own. Each group becomes one variable. Null if
 * the new tree has only some of the operands of a group, or an operand that the old lines lack.
 */
function proofVariables(oldSection: Section22, newTree: Tree24): ProofVariables | null {
  const lineKindsByOperand = new Map<string, string>();
  const addOperands = (operands: readonly Operand[], lineKind: string) => {
    for (const operand of operands) {
      const operandKey = keyOf(operand);
      if (operandKey === null) continue;
      const negation = isNegated(operand) ? '!' : '';
      const lineMark = ` ${lineKind}${negation}`;
      const lineKinds = lineKindsByOperand.get(operandKey) ?? operandKey.slice(0, operandKey.indexOf(' '));
      if (!lineKinds.includes(lineMark)) lineKindsByOperand.set(operandKey, lineKinds + lineMark);
      else lineKindsByOperand.set(operandKey, lineKinds);
    }
  };
  addOperands(oldSection.hostRules?.allow ?? [], 'allow');
  addOperands(oldSection.hostRules?.deny ?? [], 'deny');
  const keysByGroup = new Map<string, string[]>();
  for (const [key, lineKinds] of lineKindsByOperand) {
    // A negated operand has a variable of its own: "not A or not B" is not "not (A or B)".
    const groupName = lineKinds.includes('!') ? key : lineKinds;
    const group = keysByGroup.get(groupName);
    if (group) group.push(key);
    else keysByGroup.set(groupName, [key]);
  }
  const variableByOperand = new Map<string, number>();
  [...keysByGroup.values()].forEach((keys, variable) => keys.forEach((key) => variableByOperand.set(key, variable)));
  const groupSizes = [...keysByGroup.values()].map((keys) => keys.length);
  return usesWholeGroups(newTree, variableByOperand, groupSizes)
    ? { variableCount: keysByGroup.size, variableByOperand }
    : null;
}

/**
 * Whether each container of the tree has either all operands of a variable or none. The operands
 * may be divided among the lines of an `any`, or among the `not` lines of an `all`. `groupSizes`:
 * the number of operands of each variable.
 */
function usesWholeGroups(
  tree: Tree24,
  variableByOperand: ReadonlyMap<string, number>,
  groupSizes: readonly number[],
): boolean {
  const children = tree.type === 'any' || tree.type === 'all' ? tree.inner : [tree];
  const areGroupsWhole = (matches: readonly Extract<Tree24, { type: 'match' }>[]): boolean => {
    const keysByVariable = new Map<number, Set<string>>();
    for (const match of matches) {
      for (const operand of match.operands) {
        const operandKey = `${match.provider} ${operand}`;
        const variable = variableByOperand.get(operandKey);
        if (variable === undefined) return false;
        (keysByVariable.get(variable) ?? keysByVariable.set(variable, new Set()).get(variable)!).add(operandKey);
      }
    }
    return [...keysByVariable].every(([variable, keys]) => keys.size === groupSizes[variable]);
  };
  const positiveMatches = children.flatMap((child) => (child.type === 'match' ? [child] : []));
  const negatedMatches = children.flatMap((child) => negatedMatch(child) ?? []);
  const arePlainGroupsWhole =
    tree.type === 'all' ? positiveMatches.every((match) => areGroupsWhole([match])) : areGroupsWhole(positiveMatches);
  const nestedTrees = children.filter((child) => child.type === 'any' || child.type === 'all');
  return (
    arePlainGroupsWhole &&
    areGroupsWhole(negatedMatches) &&
    nestedTrees.every((child) => usesWholeGroups(child, variableByOperand, groupSizes))
  );
}

/**
 * Keeps only one operand of each variable, in the old lines and in the tree. The decisions stay the
 * same, and the evaluation of long lists is faster.
 */
function withOneOperandPerVariable(
  oldSection: Section22,
  newTree: Tree24,
  variableByOperand: ReadonlyMap<string, number>,
): [Section22, Tree24] {
  const onePerVariable = (operands: readonly Operand[]) =>
    firstOfEachKey(
      operands,
      (operand) => `${operand.kind} ${variableByOperand.get(keyOf(operand) ?? '') ?? ''} ${isNegated(operand)}`,
    );
  const shorterTree = (tree: Tree24): Tree24 => {
    switch (tree.type) {
      case 'match':
        return {
          ...tree,
          operands: firstOfEachKey(tree.operands, (operand) =>
            String(variableByOperand.get(`${tree.provider} ${operand}`)),
          ),
        };
      case 'not':
        return { ...tree, inner: shorterTree(tree.inner) as typeof tree.inner };
      case 'any':
      case 'all':
      case 'none':
        return { ...tree, inner: tree.inner.map(shorterTree) };
      default:
        return tree;
    }
  };
  const hostRules = oldSection.hostRules && {
    ...oldSection.hostRules,
    allow: onePerVariable(oldSection.hostRules.allow),
    deny: onePerVariable(oldSection.hostRules.deny),
  };
  return [{ ...oldSection, hostRules }, shorterTree(newTree)];
}

function firstOfEachKey<T>(values: readonly T[], keyOf: (value: T) => string): T[] {
  const firstByKey = new Map<string, T>();
  for (const value of values) if (!firstByKey.has(keyOf(value))) firstByKey.set(keyOf(value), value);
  return [...firstByKey.values()];
}

/** The provider and the text of an operand. Null for `all`, and for operands that never match. */
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
 * The users to try: no user (null), and one for each set of requirements that a user can fulfil.
 * Every user fulfils `valid-user`. Only the first 12 of the other requirements are combined. For
 * each further one there is a user who fulfils nothing else.
 */
function possibleUsersFor(requirements: readonly UserRequirement[]): Assignment['user'][] {
  if (requirements.length === 0) return [null];
  const isValidUser = (text: string) => text.toLowerCase() === 'valid-user';
  const requirementTexts = [...new Set(requirements.map(({ text }) => text))].filter((text) => !isValidUser(text));
  const combinedTexts = requirementTexts.slice(0, 12);
  const userPredicates: Assignment['user'][] = [null];
  for (let bits = 0; bits < 2 ** combinedTexts.length; bits++) {
    userPredicates.push(({ text }) => isValidUser(text) || (bits & (1 << combinedTexts.indexOf(text))) !== 0);
  }
  for (const furtherText of requirementTexts.slice(12))
    userPredicates.push(({ text }) => isValidUser(text) || text === furtherText);
  return userPredicates;
}
