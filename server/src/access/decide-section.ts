/** What one section becomes in 2.4, from its lines and from what it inherits. */
import type { AccessStates } from './access-states';
import { fold, type InheritedAccess } from './inherited-access';
import type { Inherited } from './inherited-by-section';
import type { Section22, Tree24 } from './model';
import { isReason, notConverted, type NotConverted } from './not-converted';
import type { SectionAccess } from './section-access';
import type { Entry } from './section-order';
import { hostTree, simplified } from './translate';

/** The new lines of a section. */
export interface SectionLines {
  /**
   * The Require tree. With `merging` it is the section's own part of it. null: its lines are
   * removed, and the section inherits.
   */
  readonly tree: Tree24 | null;
  readonly merging: 'And' | 'Or' | null;
}

/** Null if the section is right as it is. */
export function decideSection(
  { own, readBy }: Pick<Entry, 'own' | 'readBy'>,
  { states: bases, isFirstOfWalk }: Inherited,
  states: AccessStates,
): SectionLines | NotConverted | null {
  const { source } = states.survey;
  // If 2.4 reads it and 2.2 does not, it has to state what is around it.
  const isNew = readBy.before === 'unknown' && readBy.now === 'active';
  const results = bases.map((base): Result => ({ base, after: states.after(base, own) }));
  if (isNew) results.push(...bases.map((base) => ({ base, after: base })));
  if (isOnlyAuthType(own)) {
    if (source === '2.4') return loginAlone(results);
    // It decides nothing in 2.2. In 2.4 it needs a tree, its own or an inherited one.
    if (bases.every((base) => base.isTouched)) return null;
  }
  const trees = new Set<Tree24>();
  for (const { after } of results) {
    const tree = states.treeOf(after);
    if (isReason(tree)) return tree;
    trees.add(tree);
  }
  if (source === '2.4' && isRightAsWritten(own, trees)) return null;
  if (own.written !== null) return linesAsWritten(own.written.tree, results, trees, states);
  if (trees.size === 1) return { tree: [...trees][0]!, merging: null };
  if (source === '2.4')
    return own.tree === null && results.every((each) => decidesNothing(each, states))
      ? { tree: null, merging: null }
      : notConverted('inherits-different', null);
  const merged = isFirstOfWalk && !isNew ? mergedLines(own, bases, states) : null;
  return merged ?? notConverted('inherits-different', null);
}

// ---------------------------------------------------------------------------------------------------------------------

/** What a section inherits, and what applies after it. */
interface Result {
  readonly base: InheritedAccess;
  readonly after: InheritedAccess;
}

function isOnlyAuthType({ written, host, satisfy, requires }: SectionAccess): boolean {
  return written === null && host === null && satisfy.size === 0 && requires === null;
}

/**
 * A login without Require: 500 if no tree applies (AH01627), and the conversion of the sections
 * around it would add one.
 */
function loginAlone(results: readonly Result[]): NotConverted | null {
  const isUnasked = results.some(({ base, after }) => base.isTouched && after.tree === null);
  return isUnasked ? notConverted('login-without-require', null) : null;
}

/**
 * Whether a section of 2.4 has Require lines alone, and no old lines apply: then it does not
 * change.
 */
function isRightAsWritten({ tree, host, satisfy }: SectionAccess, trees: ReadonlySet<Tree24>): boolean {
  if (tree === null || host !== null || satisfy.size > 0) return false;
  const text = JSON.stringify(simplified(tree));
  return [...trees].every((each) => JSON.stringify(each) === text);
}

/**
 * Whether host rules that allow everyone replace rules that do, too. Then mod_access_compat does
 * nothing with them or without them, whatever Require lines are around (check_dir_access in
 * mod_access_compat.c). Beside an AuthType some section has to state a tree.
 */
function decidesNothing({ base, after }: Result, { survey }: AccessStates): boolean {
  const allowsAll = ({ host, satisfy }: Section22) =>
    satisfy === 'all' && (host === null || hostTree(host).type === 'granted');
  return (
    !after.hasAuthType &&
    survey.classes.every((method) => allowsAll(base.byMethod.get(method)!) && allowsAll(after.byMethod.get(method)!))
  );
}

/** A section for both versions: its lines for 2.4 stay if they decide as the lines for 2.2 do. */
function linesAsWritten(
  written: Tree24 | null,
  results: readonly Result[],
  trees: ReadonlySet<Tree24>,
  states: AccessStates,
): SectionLines | NotConverted | null {
  if (written === null)
    return results.every(({ base, after }) => base.isTouched && states.treeOf(base) === states.treeOf(after))
      ? null
      : notConverted('no-lines-for-24', null);
  if (trees.size > 1) return notConverted('inherits-different', null);
  const tree = [...trees][0]!;
  if (JSON.stringify(simplified(written)) !== JSON.stringify(tree)) return notConverted('lines-for-24-differ', null);
  return { tree, merging: null };
}

/**
 * `AuthMerging And` and `Or` do what 2.2 does with a section that adds a login to inherited host
 * rules. Null if they do not: after another section of its stage, the two would be merged with each
 * other first, and then with the directories (mergeAuthorization).
 */
function mergedLines(own: SectionAccess, bases: readonly InheritedAccess[], states: AccessStates): SectionLines | null {
  const { survey, start } = states;
  if (own.host !== null || own.requires === null) return null;
  if (bases.some((base) => [...base.byMethod.values()].some(({ requires }) => requires.length > 0))) return null;
  // The section asks nothing for methods that it does not name: there the inherited tree decides.
  const tree = states.treeOfAny(fold(start, { ...own, satisfy: new Map() }, survey.source));
  if (isReason(tree)) return null;
  const satisfies = new Set(
    bases.flatMap((base) =>
      survey.classes.map((method) => own.satisfy.get(method) ?? base.byMethod.get(method)!.satisfy),
    ),
  );
  if (satisfies.size !== 1) return null;
  if (satisfies.has('all')) return { tree, merging: 'And' };
  const isForAll = own.requires.every(({ methods }) => methods.size === survey.classes.length);
  return isForAll && bases.every((base) => base.isTouched) ? { tree, merging: 'Or' } : null;
}
