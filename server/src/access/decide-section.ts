/**
 * Computes the new lines of one section for 2.4, from its old lines and the access that it
 * inherits.
 */
import type { Scope } from '../config/configuration';
import type { AccessStates } from './access-states';
import { accessAfter, type InheritedAccess } from './inherited-access';
import type { PossibleAccess } from './inherited-by-section';
import type { Section22, Tree24 } from './model';
import { isReason, notConverted, type NotConverted } from './not-converted';
import type { SectionAccess } from './section-access';
import type { SectionEntry } from './section-order';
import { hostTree, withoutNeedlessContainers } from './translate';

export interface SectionLines {
  /**
   * The new Require tree. With `authMerging`, it is only the section's own part. Null if the old
   * lines are removed without a replacement, and the section inherits its access.
   */
  readonly tree: Tree24 | null;
  readonly authMerging: 'And' | 'Or' | null;
  /**
   * Copies of the section in virtual hosts that need a different tree. Absent if there are none.
   */
  readonly hostCopies?: readonly HostCopy[];
}

/** A section of the main server, written once more in a virtual host. */
export interface HostCopy {
  readonly host: Scope;
  readonly tree: Tree24;
}

/**
 * Returns the new lines of a section, or the reason why it cannot be converted. Null if the section
 * needs no change.
 */
export function decideSection(
  { ownAccess, readBy }: Pick<SectionEntry, 'ownAccess' | 'readBy'>,
  { possibleStates: bases, isFirstOfStage }: PossibleAccess,
  states: AccessStates,
): SectionLines | NotConverted | null {
  const { source } = states.survey;
  // If 2.4 reads the section and 2.2 does not, its tree must equal the inherited one.
  const isNew = readBy.before === 'unknown' && readBy.now === 'active';
  const results = bases.map(
    (inheritedAccess): AccessAroundSection => ({
      inheritedAccess,
      resultingAccess: states.accessAfter(inheritedAccess, ownAccess),
    }),
  );
  if (isNew) results.push(...bases.map((base) => ({ inheritedAccess: base, resultingAccess: base })));
  if (isOnlyAuthType(ownAccess)) {
    if (source === '2.4') return reasonOfLoginWithoutRequire(results);
    // In 2.2 the section decides nothing. In 2.4 it needs a Require tree, and all inherited
    // accesses have one.
    if (bases.every((base) => base.hasOwnTree)) return null;
  }
  const trees = new Set<Tree24>();
  for (const { resultingAccess } of results) {
    const tree = states.treeOf(resultingAccess);
    if (isReason(tree)) return tree;
    trees.add(tree);
  }
  if (source === '2.4' && isRightAsWritten(ownAccess, trees)) return null;
  if (ownAccess.unconverted24 !== null)
    return linesIfRightAsWritten(ownAccess.unconverted24.tree, results, trees, states);
  if (source === '2.2' && results.some(({ resultingAccess }) => hasLoginOf22Alone(resultingAccess, states)))
    return notConverted('login-of-22-alone', null);
  if (trees.size === 1) return { tree: [...trees][0]!, authMerging: null };
  if (source === '2.4')
    return ownAccess.tree24 === null && results.every((each) => allowsAllAnyway(each, states))
      ? { tree: null, authMerging: null }
      : notConverted('inherits-different', null, []);
  const merged = isFirstOfStage && !isNew ? mergedLines(ownAccess, bases, states) : null;
  return merged ?? notConverted('inherits-different', null, []);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The access that a section inherits (`inheritedAccess`), and the access with its own lines
 * (`resultingAccess`).
 */
interface AccessAroundSection {
  readonly inheritedAccess: InheritedAccess;
  readonly resultingAccess: InheritedAccess;
}

/**
 * Whether the section needs a user, and a condition lets only 2.2 read the AuthType. 2.4 answers
 * 500 (AH00027) to a Require line for users without an AuthType.
 */
function hasLoginOf22Alone(after: InheritedAccess, states: AccessStates): boolean {
  if (!after.hasAuthType || after.hasAuthType24) return false;
  const tree = states.treeOf(after);
  return !isReason(tree) && asksForUser(tree);
}

function asksForUser(tree: Tree24): boolean {
  switch (tree.type) {
    case 'user':
      return true;
    case 'any':
    case 'all':
    case 'none':
      return tree.inner.some(asksForUser);
    case 'not':
    case 'limited':
      return asksForUser(tree.inner);
    default:
      return false;
  }
}

function isOnlyAuthType({ unconverted24, hostRules, satisfy, userRequirements }: SectionAccess): boolean {
  return unconverted24 === null && hostRules === null && satisfy.size === 0 && userRequirements === null;
}

/**
 * Returns the reason not to convert a section with an AuthType and no Require. If no tree applies
 * to it, 2.4 answers 500 (AH01627); the conversion of the outer sections would add a tree and so
 * end that. Null if a tree applies.
 */
function reasonOfLoginWithoutRequire(results: readonly AccessAroundSection[]): NotConverted | null {
  const isUnasked = results.some(
    ({ inheritedAccess, resultingAccess }) => inheritedAccess.hasOwnTree && resultingAccess.tree === null,
  );
  return isUnasked ? notConverted('login-without-require', null) : null;
}

/**
 * Whether a section is already written for 2.4: it has only Require lines, and no old lines apply
 * to it.
 */
function isRightAsWritten({ tree24, hostRules, satisfy }: SectionAccess, trees: ReadonlySet<Tree24>): boolean {
  if (tree24 === null || hostRules !== null || satisfy.size > 0) return false;
  const text = JSON.stringify(withoutNeedlessContainers(tree24));
  return [...trees].every((each) => JSON.stringify(each) === text);
}

/**
 * Whether the section's host rules allow every client, as the inherited ones do. Then the rules
 * have no effect in 2.4, with or without mod_access_compat (check_dir_access in
 * mod_access_compat.c). If an AuthType applies, 2.4 still needs a Require tree.
 */
function allowsAllAnyway({ inheritedAccess, resultingAccess }: AccessAroundSection, { survey }: AccessStates): boolean {
  const allowsAll = ({ hostRules, satisfy }: Section22) =>
    satisfy === 'all' && (hostRules === null || hostTree(hostRules).type === 'granted');
  return (
    !resultingAccess.hasAuthType &&
    survey.methodClasses.every(
      (method) => allowsAll(inheritedAccess.byMethod.get(method)!) && allowsAll(resultingAccess.byMethod.get(method)!),
    )
  );
}

/**
 * For a section with lines for both versions: returns its lines for 2.4 if they decide as its lines
 * for 2.2 do.
 */
function linesIfRightAsWritten(
  written: Tree24 | null,
  results: readonly AccessAroundSection[],
  trees: ReadonlySet<Tree24>,
  states: AccessStates,
): SectionLines | NotConverted | null {
  if (written === null)
    return results.every(
      ({ inheritedAccess, resultingAccess }) =>
        inheritedAccess.hasOwnTree && states.treeOf(inheritedAccess) === states.treeOf(resultingAccess),
    )
      ? null
      : notConverted('no-lines-for-24', null);
  if (trees.size > 1) return notConverted('inherits-different', null, []);
  const tree = [...trees][0]!;
  if (JSON.stringify(withoutNeedlessContainers(written)) !== JSON.stringify(tree))
    return notConverted('lines-for-24-differ', null);
  return { tree, authMerging: null };
}

/**
 * Returns the section's own lines with `AuthMerging And` or `Or`, if together with the inherited
 * tree they decide as 2.2 does. Null if they do not. After another section of its stage it does not
 * work: httpd would first merge these two, and then merge the result with the directories
 * (mergeAuthorization).
 */
function mergedLines(own: SectionAccess, bases: readonly InheritedAccess[], states: AccessStates): SectionLines | null {
  const { survey, initialAccess } = states;
  if (own.hostRules !== null || own.userRequirements === null) return null;
  if (bases.some((base) => [...base.byMethod.values()].some(({ userRequirements }) => userRequirements.length > 0)))
    return null;
  // For other methods than its own, the section asks for nothing, and the inherited tree
  // decides.
  const tree = states.treeOfAny(accessAfter(initialAccess, { ...own, satisfy: new Map() }, survey.source));
  if (isReason(tree)) return null;
  const satisfies = new Set(
    bases.flatMap((base) =>
      survey.methodClasses.map((method) => own.satisfy.get(method) ?? base.byMethod.get(method)!.satisfy),
    ),
  );
  if (satisfies.size !== 1) return null;
  if (satisfies.has('all')) return { tree, authMerging: 'And' };
  const isForAll = own.userRequirements.every(({ methods }) => methods.size === survey.methodClasses.length);
  return isForAll && bases.every((base) => base.hasOwnTree) ? { tree, authMerging: 'Or' } : null;
}
