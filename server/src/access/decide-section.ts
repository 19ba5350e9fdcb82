/** Decides what one section becomes in 2.4, from its lines and from what it inherits. */
import type { Scope } from '../config/configuration';
import type { AccessStates } from './access-states';
import { fold, type InheritedAccess } from './inherited-access';
import type { Inherited } from './inherited-by-section';
import type { Section22, Tree24 } from './model';
import { isReason, notConverted, type NotConverted } from './not-converted';
import type { SectionAccess } from './section-access';
import type { Entry } from './section-order';
import { hostTree, simplified } from './translate';

export interface SectionLines {
  /**
   * The Require tree. With `merging`, it is only the section's own part. Null if the lines are
   * removed and the section inherits its access.
   */
  readonly tree: Tree24 | null;
  readonly merging: 'And' | 'Or' | null;
  /** Virtual hosts in which the section is written once more. Absent if there are none. */
  readonly copies?: readonly HostCopy[];
}

/** A section of the main server, written once more in a virtual host. */
export interface HostCopy {
  readonly host: Scope;
  readonly tree: Tree24;
}

/** Returns the new lines, or why there are none. Null if the section needs no change. */
export function decideSection(
  { own, readBy }: Pick<Entry, 'own' | 'readBy'>,
  { states: bases, isFirstOfWalk }: Inherited,
  states: AccessStates,
): SectionLines | NotConverted | null {
  const { source } = states.survey;
  // If 2.4 reads the section and 2.2 does not, its tree must equal the inherited one.
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
      : notConverted('inherits-different', null, []);
  const merged = isFirstOfWalk && !isNew ? mergedLines(own, bases, states) : null;
  return merged ?? notConverted('inherits-different', null, []);
}

// ---------------------------------------------------------------------------------------------------------------------

/** The access before and after a section. */
interface Result {
  readonly base: InheritedAccess;
  readonly after: InheritedAccess;
}

function isOnlyAuthType({ written, host, satisfy, requires }: SectionAccess): boolean {
  return written === null && host === null && satisfy.size === 0 && requires === null;
}

/**
 * An AuthType without Require. If no tree applies, 2.4 answers 500 (AH01627), and the conversion of
 * the outer sections would add a tree.
 */
function loginAlone(results: readonly Result[]): NotConverted | null {
  const isUnasked = results.some(({ base, after }) => base.isTouched && after.tree === null);
  return isUnasked ? notConverted('login-without-require', null) : null;
}

/**
 * Whether a section for 2.4 has only Require lines and no old lines apply. It then needs no change.
 */
function isRightAsWritten({ tree, host, satisfy }: SectionAccess, trees: ReadonlySet<Tree24>): boolean {
  if (tree === null || host !== null || satisfy.size > 0) return false;
  const text = JSON.stringify(simplified(tree));
  return [...trees].every((each) => JSON.stringify(each) === text);
}

/**
 * Whether host rules that allow every client replace others that also do. Then mod_access_compat
 * has no effect with or without them, for any Require lines around (check_dir_access in
 * mod_access_compat.c). With an AuthType, some section must state a tree.
 */
function decidesNothing({ base, after }: Result, { survey }: AccessStates): boolean {
  const allowsAll = ({ host, satisfy }: Section22) =>
    satisfy === 'all' && (host === null || hostTree(host).type === 'granted');
  return (
    !after.hasAuthType &&
    survey.classes.every((method) => allowsAll(base.byMethod.get(method)!) && allowsAll(after.byMethod.get(method)!))
  );
}

/**
 * A section with lines for both versions keeps its lines for 2.4 if they decide as its lines for
 * 2.2.
 */
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
  if (trees.size > 1) return notConverted('inherits-different', null, []);
  const tree = [...trees][0]!;
  if (JSON.stringify(simplified(written)) !== JSON.stringify(tree)) return notConverted('lines-for-24-differ', null);
  return { tree, merging: null };
}

/**
 * `AuthMerging And` and `Or` do what 2.2 does with a section that adds a login to inherited host
 * rules. Returns null if they do not. After another section of its stage, httpd would first merge
 * the two, and then merge the result with the directories (mergeAuthorization).
 */
function mergedLines(own: SectionAccess, bases: readonly InheritedAccess[], states: AccessStates): SectionLines | null {
  const { survey, start } = states;
  if (own.host !== null || own.requires === null) return null;
  if (bases.some((base) => [...base.byMethod.values()].some(({ requires }) => requires.length > 0))) return null;
  // For other methods than its own, the section asks for nothing, and the inherited tree
  // decides.
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
