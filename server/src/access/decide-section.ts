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
import { isProvenCompat } from './proof-cache';
import type { LinesFor24, SectionAccess } from './section-access';
import type { SectionEntry } from './section-order';
import { hostTree, withoutNeedlessContainers } from './translate';

/** The new lines of a section for 2.4, as a Require tree. */
export interface SectionLines {
  /**
   * The new Require tree. With `authMerging`, httpd combines it with the inherited tree. Null if
   * the old lines are removed without a replacement, and the section inherits its access.
   */
  readonly tree: Tree24 | null;
  readonly authMerging: 'And' | 'Or' | null;
  /**
   * Copies of the section in virtual hosts that need a different tree. Absent if there are none.
   */
  readonly hostCopies?: readonly HostCopy[];
  /** Copies of the section in directories that need a different tree. Absent if there are none. */
  readonly directoryCopies?: readonly DirectoryCopy[];
}

/** A section of the main server, written once more in a virtual host. */
export interface HostCopy {
  readonly host: Scope;
  readonly tree: Tree24;
}

/**
 * A `<Files>` section, written once more at the end of a directory section or .htaccess file.
 */
export interface DirectoryCopy {
  readonly directory: Scope;
  readonly tree: Tree24;
  /** Whether a login alone opens the files there, because of a Satisfy Any line. */
  readonly isLoginEnough: boolean;
  /** Whether 2.2 still reads the file. Then the copy is in a condition that is true only in 2.4. */
  readonly isOnlyFor24: boolean;
  /**
   * The position of the copied section among those with copies, in the order in which httpd applies
   * them. Copies in one directory must be in this order.
   */
  readonly position: number;
}

/**
 * Returns the new lines of a section, or the reason why it cannot be converted. Null if the section
 * needs no change.
 */
export function decideSection(
  { ownAccess, readBy }: Pick<SectionEntry, 'ownAccess' | 'readBy'>,
  { possibleStates: inheritedStates, isFirstOfStage }: PossibleAccess,
  states: AccessStates,
): SectionLines | NotConverted | null {
  const { source } = states.survey;
  // 2.4 certainly reads this section, but 2.2 may skip it, and then its requests get the inherited
  // access in 2.2. So the new tree must also be right for the inherited access alone.
  const isUncertainFor22 = readBy.in22 === 'unknown' && readBy.in24 === 'active';
  const accessPairs = inheritedStates.map(
    (inheritedAccess): AccessBeforeAndAfter => ({
      inheritedAccess,
      resultingAccess: states.accessAfter(inheritedAccess, ownAccess),
    }),
  );
  if (isUncertainFor22)
    accessPairs.push(...inheritedStates.map((base) => ({ inheritedAccess: base, resultingAccess: base })));
  if (isOnlyAuthType(ownAccess)) {
    if (source === '2.4') return reasonOfLoginWithoutRequire(accessPairs);
    // In 2.2, a section with only an AuthType decides nothing. In 2.4, it needs a Require tree. If
    // it always inherits such a tree, it needs no lines of its own.
    if (inheritedStates.every((base) => base.hasTreeIn24)) return null;
  }
  const trees = new Set<Tree24>();
  for (const { resultingAccess } of accessPairs) {
    const tree = states.treeOf(resultingAccess);
    if (isReason(tree)) return tree;
    trees.add(tree);
  }
  if (source === '2.4' && isRightAsWritten(ownAccess, trees)) return null;
  const makeMergedLines = () =>
    isFirstOfStage && !isUncertainFor22 ? mergedLines(ownAccess, inheritedStates, states) : null;
  if (ownAccess.unconverted24 !== null)
    return ownAccess.unconverted24.authMerging === null
      ? linesIfRightAsWritten(ownAccess.unconverted24.tree, accessPairs, {
          trees,
          states,
          makeMergedLines,
        })
      : linesIfMergingIsRight(ownAccess.unconverted24, makeMergedLines());
  if (source === '2.2' && accessPairs.some(({ resultingAccess }) => hasLoginOf22Alone(resultingAccess, states)))
    return notConverted('login-of-22-alone', null);
  if (trees.size === 1) return { tree: [...trees][0]!, authMerging: null };
  const lines =
    source === '2.4'
      ? linesOnServerOf24(ownAccess, accessPairs, {
          isMergedWithOuterOnly: isFirstOfStage && !isUncertainFor22,
          states,
        })
      : makeMergedLines();
  return lines ?? notConverted('inherits-different', null, []);
}

// ---------------------------------------------------------------------------------------------------------------------

/** The access that a section inherits, and the access after the section's own lines. */
interface AccessBeforeAndAfter {
  readonly inheritedAccess: InheritedAccess;
  readonly resultingAccess: InheritedAccess;
}

/**
 * Whether the section asks for a login, but only 2.2 reads the AuthType because of a condition. In
 * 2.4, Require lines for users without an AuthType make httpd answer 500 (AH00027).
 */
function hasLoginOf22Alone(access: InheritedAccess, states: AccessStates): boolean {
  if (!access.hasAuthType || access.hasAuthType24) return false;
  const tree = states.treeOf(access);
  return !isReason(tree) && requiresUser(tree);
}

function requiresUser(tree: Tree24): boolean {
  switch (tree.type) {
    case 'user':
      return true;
    case 'any':
    case 'all':
    case 'none':
      return tree.inner.some(requiresUser);
    case 'not':
    case 'limited':
      return requiresUser(tree.inner);
    default:
      return false;
  }
}

function isOnlyAuthType({ unconverted24, hostRules, satisfyByMethod, userRequirements }: SectionAccess): boolean {
  return unconverted24 === null && hostRules === null && satisfyByMethod.size === 0 && userRequirements === null;
}

/**
 * Returns the reason not to convert a section with an AuthType and no Require, on a server that
 * runs 2.4. If no Require tree applies to the section, 2.4 answers 500 (AH01627). The conversion of
 * the outer sections would add a tree, and requests would no longer get 500. Returns null if a tree
 * applies in each case.
 */
function reasonOfLoginWithoutRequire(accessPairs: readonly AccessBeforeAndAfter[]): NotConverted | null {
  const lacksTree = accessPairs.some(
    ({ inheritedAccess, resultingAccess }) => inheritedAccess.hasTreeIn24 && resultingAccess.tree === null,
  );
  return lacksTree ? notConverted('login-without-require', null) : null;
}

/**
 * Whether a section is already written for 2.4: it has only Require lines, and they alone decide.
 */
function isRightAsWritten({ tree24, hostRules, satisfyByMethod }: SectionAccess, trees: ReadonlySet<Tree24>): boolean {
  if (tree24 === null || hostRules !== null || satisfyByMethod.size > 0) return false;
  const wantedTreeText = JSON.stringify(withoutNeedlessContainers(tree24));
  return [...trees].every((each) => JSON.stringify(each) === wantedTreeText);
}

/**
 * Whether the host rules allow every client, both those that the section inherits and those that
 * result from its lines. If they do, its old lines have no effect in 2.4, with or without
 * mod_access_compat (check_dir_access in mod_access_compat.c). False if an AuthType applies,
 * because 2.4 then needs a Require tree.
 */
function allowsEveryClient(
  { inheritedAccess, resultingAccess }: AccessBeforeAndAfter,
  { survey }: AccessStates,
): boolean {
  const allowsAll = ({ hostRules, satisfy }: Section22) =>
    satisfy === 'all' && (hostRules === null || hostTree(hostRules).type === 'granted');
  return (
    !resultingAccess.hasAuthType &&
    survey.methodClasses.every(
      (method) =>
        allowsAll(inheritedAccess.rulesByMethod.get(method)!) && allowsAll(resultingAccess.rulesByMethod.get(method)!),
    )
  );
}

/**
 * For a section that has lines for each version in conditions. If its lines for 2.4 decide as its
 * lines for 2.2 do, returns those for 2.4. Null if it has none for 2.4 and needs none. Otherwise
 * returns the reason not to convert the section.
 */
function linesIfRightAsWritten(
  writtenTree: Tree24 | null,
  accessPairs: readonly AccessBeforeAndAfter[],
  {
    trees,
    states,
    makeMergedLines,
  }: {
    readonly trees: ReadonlySet<Tree24>;
    readonly states: AccessStates;
    readonly makeMergedLines: () => SectionLines | null;
  },
): SectionLines | NotConverted | null {
  if (writtenTree === null)
    return accessPairs.every(
      ({ inheritedAccess, resultingAccess }) =>
        inheritedAccess.hasTreeIn24 && states.treeOf(inheritedAccess) === states.treeOf(resultingAccess),
    )
      ? null
      : notConverted('no-lines-for-24', null);
  if (trees.size > 1) {
    const neededLines = makeMergedLines();
    return neededLines !== null && neededLines.authMerging !== null && hasWrittenTree(neededLines, writtenTree)
      ? notConverted('lines-for-24-need-merging', null, neededLines.authMerging)
      : notConverted('inherits-different', null, []);
  }
  const tree = [...trees][0]!;
  if (!hasWrittenTree({ tree }, writtenTree)) return notConverted('lines-for-24-differ', null);
  return { tree, authMerging: null };
}

/** Whether the written tree equals the needed tree, except for containers without an effect. */
function hasWrittenTree({ tree }: Pick<SectionLines, 'tree'>, writtenTree: Tree24): boolean {
  return JSON.stringify(withoutNeedlessContainers(writtenTree)) === JSON.stringify(tree);
}

/**
 * For a section whose lines for 2.4 have an AuthMerging. `neededLines`: the lines with AuthMerging
 * that the section needs in 2.4; null if no such lines are right. Returns `neededLines` if the file
 * already has these lines. Otherwise returns the reason not to convert.
 */
function linesIfMergingIsRight(
  { tree, authMerging }: LinesFor24,
  neededLines: SectionLines | null,
): SectionLines | NotConverted {
  const areLinesAsNeeded =
    tree !== null &&
    neededLines !== null &&
    neededLines.authMerging === authMerging &&
    hasWrittenTree(neededLines, tree);
  return areLinesAsNeeded ? neededLines : notConverted('auth-merging-for-24', null);
}

/**
 * Returns the section's own lines with `AuthMerging And` or `Or`, if httpd then decides as 2.2 does
 * when it combines them with the inherited tree. Null if it does not.
 * The caller makes sure that the section is the first of its stage. Otherwise httpd would merge it
 * with the other sections of its stage before it merges the inherited tree (mergeAuthorization).
 */
function mergedLines(
  ownAccess: SectionAccess,
  inheritedStates: readonly InheritedAccess[],
  states: AccessStates,
): SectionLines | null {
  const { survey, initialAccess } = states;
  if (ownAccess.hostRules !== null || ownAccess.userRequirements === null) return null;
  if (
    inheritedStates.some((base) =>
      [...base.rulesByMethod.values()].some(({ userRequirements }) => userRequirements.length > 0),
    )
  )
    return null;
  // The tree must decide only for the methods that the section limits. For other methods the
  // section asks for nothing, and the inherited tree decides.
  const tree = states.treeOfAnyState(
    accessAfter(initialAccess, { ...ownAccess, satisfyByMethod: new Map() }, survey.source),
  );
  if (isReason(tree)) return null;
  const satisfies = new Set(
    inheritedStates.flatMap((base) =>
      survey.methodClasses.map(
        (method) => ownAccess.satisfyByMethod.get(method) ?? base.rulesByMethod.get(method)!.satisfy,
      ),
    ),
  );
  if (satisfies.size !== 1) return null;
  if (satisfies.has('all')) return { tree, authMerging: 'And' };
  const isForAllMethods = ownAccess.userRequirements.every(
    ({ methods }) => methods.size === survey.methodClasses.length,
  );
  return isForAllMethods && inheritedStates.every((base) => base.hasTreeIn24) ? { tree, authMerging: 'Or' } : null;
}

/**
 * The lines of a section that inherits different access for different requests, on a server that
 * runs 2.4. `isMergedWithOuterOnly`: whether httpd would merge a Require tree of the section only
 * with the tree of the outer sections. Null if no lines are right.
 */
function linesOnServerOf24(
  ownAccess: SectionAccess,
  accessPairs: readonly AccessBeforeAndAfter[],
  { isMergedWithOuterOnly, states }: { readonly isMergedWithOuterOnly: boolean; readonly states: AccessStates },
): SectionLines | null {
  if (ownAccess.tree24 !== null)
    return isMergedWithOuterOnly ? mergedLinesOnServerOf24(ownAccess, accessPairs, states) : null;
  return accessPairs.every((each) => allowsEveryClient(each, states)) ? { tree: null, authMerging: null } : null;
}

/**
 * As `mergedLines`, for a section that has only Require lines, on a server that runs 2.4. There,
 * mod_access_compat checks the inherited host rules in addition to these lines. After the
 * conversion, the inherited Require tree has these host rules, so `AuthMerging And` keeps them.
 * Null if that tree may refuse more, because of inherited Require lines that the section's lines
 * replace.
 */
function mergedLinesOnServerOf24(
  { tree24, hostRules, satisfyByMethod }: SectionAccess,
  accessPairs: readonly AccessBeforeAndAfter[],
  states: AccessStates,
): SectionLines | null {
  if (tree24 === null || hostRules !== null || satisfyByMethod.size > 0) return null;
  const inheritsOnlyHostRules = ({ tree, rulesByMethod }: InheritedAccess) =>
    tree === null && [...rulesByMethod.values()].every((each) => each.satisfy === 'all');
  const decidesTheSame = ({ inheritedAccess, resultingAccess }: AccessBeforeAndAfter) => {
    const [inheritedTree, tree] = [inheritedAccess, resultingAccess].map((each) => states.treeOf(each));
    if (isReason(inheritedTree!) || isReason(tree!)) return false;
    const mergedTree: Tree24 = { type: 'all', inner: [inheritedTree!, tree24] };
    return isProvenCompat({ hostRules: null, satisfy: 'all', tree: mergedTree }, tree!);
  };
  return accessPairs.every((each) => inheritsOnlyHostRules(each.inheritedAccess) || decidesTheSame(each))
    ? { tree: tree24, authMerging: 'And' }
    : null;
}
