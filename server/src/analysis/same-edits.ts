/** Compares the edits of access plans for different versions of httpd. */
import type { Conversion } from '../access/configuration-conversion';
import type { AccessGroup, AccessPlan } from '../access/plan';
import { printTree } from '../access/print';
import { isOldLine, NO_TREE } from '../access/section-edits';
import type { Edit } from '../rules/rule';
import { groupedBy } from '../syntax/groups';
import { lazy } from '../syntax/memory';

/**
 * Returns a function that tests whether a group of `plan` has the same edits as a group of `other`,
 * a plan for the same files. The function makes edits only if the lines of the groups do not show
 * the answer.
 */
export function sameEditsTest(plan: AccessPlan, other: AccessPlan): (group: AccessGroup) => boolean {
  const hasEqualEdits = lazy(() => equalEditsTest(other.groups));
  return (group) => {
    const groupOfOther = groupWithLinesOf(group, other);
    const hasOtherLines = groupOfOther !== null && convertsLineOutside(groupOfOther, group, plan);
    return !hasOtherLines && (haveSameLines(group, groupOfOther) ?? hasEqualEdits()(group));
  };
}

/** A text that is equal for equal edits, in whatever order. */
export function keyOfEdits(edits: readonly Edit[] = []): string {
  return JSON.stringify([...edits].sort((a, b) => a.start - b.start || a.end - b.end));
}

// ---------------------------------------------------------------------------------------------------------------------

/** The group of a plan that converts the first old line of a group. Null if there is none. */
function groupWithLinesOf({ conversions }: AccessGroup, plan: AccessPlan): AccessGroup | null {
  const oldLine = conversions[0]?.scope.lines.find(isOldLine);
  return oldLine === undefined ? null : plan.groupAt(oldLine.file.path, oldLine.offset);
}

/**
 * Whether `group` converts an old line that `other`, a group of `planOfOther`, does not convert. If
 * so, no group of that plan has the edits of `group`: only `other` could have them, but its edits
 * do not remove that line. This test is faster than making the edits of a large group.
 */
function convertsLineOutside(group: AccessGroup, other: AccessGroup, planOfOther: AccessPlan): boolean {
  if (group.isForBranches || other.isForBranches) return false;
  return group.conversions.some((conversion) => {
    if (!editsOnlyItsSection(conversion) || conversion.removedLines !== undefined) return false;
    const { file, lines } = conversion.scope;
    const oldLine = lines.find((line) => line.file === file && isOldLine(line));
    return oldLine !== undefined && planOfOther.groupAt(file.path, oldLine.offset) !== other;
  });
}

/**
 * Whether two groups of plans for the same reading have equal edits. It compares the new lines of
 * each section, which is faster than making the edits. Null if only the edits can show it, because
 * the groups have other sections, or change more than their sections.
 */
function haveSameLines(one: AccessGroup, other: AccessGroup | null): boolean | null {
  if (other === null || one.isForBranches || other.isForBranches) return null;
  const conversionByScope = new Map(other.conversions.map((conversion) => [conversion.scope, conversion]));
  let areAllComparable = one.conversions.length === other.conversions.length;
  for (const conversion of one.conversions) {
    const conversionOfOther = conversionByScope.get(conversion.scope);
    if (!conversionOfOther || !editsOnlyItsSection(conversion) || !editsOnlyItsSection(conversionOfOther))
      areAllComparable = false;
    else if (!haveSameNewLines(conversion, conversionOfOther)) return false;
  }
  return areAllComparable ? true : null;
}

/** Whether two conversions write the same lines into their section. */
function haveSameNewLines(one: Conversion, other: Conversion): boolean {
  const textOf = ({ tree }: Conversion) => printTree(tree ?? NO_TREE, { indent: '', indentStep: ' ', eol: '\n' });
  return one.authMerging === other.authMerging && textOf(one) === textOf(other);
}

/** Whether a conversion changes only the lines of its section. */
function editsOnlyItsSection(conversion: Conversion): boolean {
  return (
    conversion.hostCopies === undefined &&
    conversion.directoryCopies === undefined &&
    conversion.secondMacros === undefined &&
    conversion.inlinedIncludes === undefined &&
    conversion.foldersForbiddingRequire.length === 0 &&
    conversion.removedConditions.length === 0
  );
}

/** Returns a function that tests whether a group has the same edits as one of `groups`. */
function equalEditsTest(groups: readonly AccessGroup[]): (other: AccessGroup) => boolean {
  // Groups with different numbers of edits are different. Making the key of a large group takes
  // long, so keys are made only for groups with equal numbers.
  const groupsOfSize = groupedBy(groups, sizeOfGroup);
  const keysOfSize = new Map<number, ReadonlySet<string>>();
  return (other) => {
    const groupSize = sizeOfGroup(other);
    let groupKeys = keysOfSize.get(groupSize);
    if (!groupKeys)
      keysOfSize.set(groupSize, (groupKeys = new Set((groupsOfSize.get(groupSize) ?? []).map(keyOfGroup))));
    return groupKeys.has(keyOfGroup(other));
  };
}

/** The number of edits in a group. */
function sizeOfGroup({ edits }: AccessGroup): number {
  let editCount = 0;
  for (const editsOfFile of edits.values()) editCount += editsOfFile.length;
  return editCount;
}

/** A text that is equal for groups with equal edits. */
function keyOfGroup({ edits }: AccessGroup): string {
  return JSON.stringify([...edits].map(([path, editsOfFile]) => [path, keyOfEdits(editsOfFile)]).sort());
}
