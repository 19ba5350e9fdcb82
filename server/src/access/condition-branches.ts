/**
 * Converts access lines in `<IfModule>` sections if it is unknown whether the server has the
 * module. The new lines stay inside of the conditions.
 * The configuration is planned once for each case, which is one combination of answers to the
 * conditions. An edit is made only if it is in the plan of every case in which httpd reads the
 * edited lines. So the edits are right in each case.
 */
import { nameInTag } from '../config/condition';
import type { ConfigLine, Configuration, ReadOptions, Scope } from '../config/configuration';
import { moduleNamed } from '../config/modules';
import { namesIn } from '../config/name-set';
import { module } from '../directives/index';
import { addTo } from '../syntax/groups';
import type { Line } from '../syntax/line';
import { List, Section } from '../syntax/tree';
import { treeComparesAddress } from './client-address';
import { treesOf, type Conversion } from './configuration-conversion';
import { joinedQuestions } from './open-question';
import type { AccessGroup, AccessPlan } from './plan';
import { isAccessLine } from './read';
import type { TextEdit } from './rewrite';
import type { HtaccessFile } from './sections';

/**
 * For the open tag of a condition: whether the program assumes that httpd reads the lines inside.
 */
export type AssumedConditions = ReadonlyMap<Line, boolean>;

type ConditionDecider = NonNullable<ReadOptions['decideCondition']>;

/**
 * Returns a function like `decideCondition` that also uses the assumptions: for an `<IfModule>` tag
 * that `decideCondition` cannot answer. It adds each tag without an answer and without an
 * assumption to `unknownTags`.
 */
export function withAssumptions(
  decideCondition: ConditionDecider,
  assumptions: AssumedConditions,
  unknownTags: Set<Line>,
): ConditionDecider {
  return (open, loadedModules, isAboveLoads) => {
    const answerWithoutAssumption = decideCondition(open, loadedModules, isAboveLoads);
    if (answerWithoutAssumption !== 'unknown' || open.name !== 'ifmodule') return answerWithoutAssumption;
    const isAssumedRead = assumptions.get(open);
    if (isAssumedRead !== undefined) return isAssumedRead ? 'active' : 'inactive';
    unknownTags.add(open);
    return answerWithoutAssumption;
  };
}

/** A plan, with the files and conditions from which it was made. */
interface PlanWithInput {
  readonly plan: AccessPlan;
  readonly configuration: Configuration;
  readonly htaccess: readonly HtaccessFile[];
  /** The open tags of unknown conditions. */
  readonly unknownTags: ReadonlySet<Line>;
  /**
   * Whether httpd may also read files that are not in this copy. Such a file may load any module.
   */
  readonly mayHaveMissingFiles?: boolean;
}

/**
 * Returns the plan that also converts the lines in unknown conditions. Returns `plan` itself if
 * there are no such lines, or if they cannot be converted in each case.
 * `planWith`: makes the plan with assumptions about conditions; null if it cannot.
 */
export function withBranches(
  { plan, configuration, htaccess, unknownTags, mayHaveMissingFiles = false }: PlanWithInput,
  planWith: (assumptions: AssumedConditions) => AccessPlan | null,
): AccessPlan {
  if (unknownTags.size === 0 || !plan.refusals.some(({ reason }) => reason.code === 'in-condition')) return plan;
  if (
    plan.comparisonCount > MAX_COMPARISONS_OF_PLAN ||
    plan.convertedCount + plan.refusals.length > MAX_SECTIONS_OF_PLAN
  )
    return plan;
  const scopes = [configuration.rootScope, ...htaccess.map(({ scope }) => scope)];
  const questions = groupBranchesByQuestion(
    scopes,
    unknownTags,
    (module) => mayHaveMissingFiles || mayLoadModule(configuration, module),
  );
  const branches = questions.flat();
  // If httpd reads a file in several places, each branch of the file occurs several times. Its
  // lines can need different edits in these places, so no case is planned.
  const areSectionsReadOnce = new Set(branches.map(({ section }) => section.open)).size === branches.length;
  if (questions.length === 0 || questions.length > MAX_QUESTIONS || !areSectionsReadOnce) return plan;
  const cases = combinations(questions).flatMap((answers): Case[] => {
    const casePlan = planWith(new Map(answers.map(({ section, isRead }) => [section.open, isRead])));
    return casePlan === null ? [] : [{ plan: casePlan, unreadBranches: answers.filter(({ isRead }) => !isRead) }];
  });
  return cases.length < 2 ** questions.length ? plan : joinedPlan(plan, cases);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Limit of the questions about conditions. With n questions there are 2^n cases, and each case
 * needs a plan.
 */
const MAX_QUESTIONS = 3;
/** A plan with more comparisons or sections takes too long to be made several times. */
const MAX_COMPARISONS_OF_PLAN = 20_000;
const MAX_SECTIONS_OF_PLAN = 500;

/**
 * A conditional section with access lines. `start` and `end` are the offsets of its body.
 * `isNegated`: whether its condition is `!module`.
 */
interface Branch {
  readonly section: Section;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly isNegated: boolean;
}

/** A branch in one case. `isRead`: whether httpd reads the lines inside. */
interface CaseBranch extends Branch {
  readonly isRead: boolean;
}

/**
 * One combination of answers to the questions, with its plan and the branches that are not read.
 */
interface Case {
  readonly plan: AccessPlan;
  readonly unreadBranches: readonly Branch[];
}

/**
 * The branches, grouped by question. Usually the question is whether the server has a module, and
 * all branches with this module belong to it. If a line may load the module, the answer can be
 * different before and after that line. Then the branches in each container section are a question
 * of their own, because no module is loaded within a container section.
 */
function groupBranchesByQuestion(
  roots: readonly Scope[],
  unknownTags: ReadonlySet<Line>,
  mayModuleBeLoaded: (module: string) => boolean,
): (readonly Branch[])[] {
  const branchesByQuestion = new Map<string, Map<Section, Branch>>();
  let scopeCount = 0;
  const visit = (scope: Scope): void => {
    const scopeNumber = scopeCount++;
    for (const configLine of scope.lines) {
      if (!isAccessLineInCondition(configLine)) continue;
      for (const section of configLine.conditionals) {
        const branch = unknownTags.has(section.open) ? branchOf(section, configLine) : null;
        const module = branch && moduleOfCondition(section.open);
        if (!branch || !module) continue;
        const questionKey = mayModuleBeLoaded(module) ? `${module} ${scopeNumber}` : module;
        const branchesOfQuestion = branchesByQuestion.get(questionKey) ?? new Map<Section, Branch>();
        branchesByQuestion.set(questionKey, branchesOfQuestion.set(section, branch));
      }
    }
    scope.children.forEach(visit);
  };
  roots.forEach(visit);
  return [...branchesByQuestion.values()].map((branches) => [...branches.values()]);
}

/** Whether a line of the configuration, or a line of a missing file, may load a module. */
function mayLoadModule({ files, gaps }: Configuration, moduleName: string): boolean {
  const shortModuleName = moduleName.replace(/^mod_|_module$|\.c$/g, '');
  const mayNameModule = (text: string) => text.includes(shortModuleName) || /[$%@&]/.test(text);
  return gaps.length > 0 || [...files.values()].some(({ tree }) => hasLoadLine(tree.root, mayNameModule));
}

function hasLoadLine(list: List, test: (text: string) => boolean): boolean {
  if (!namesIn(list).hasName('loadmodule')) return false;
  return list.children.some((child) =>
    child instanceof List
      ? hasLoadLine(child, test)
      : child instanceof Section
        ? hasLoadLine(child.body, test)
        : child.name === 'loadmodule' && test(child.text),
  );
}

/**
 * Whether a line is an access line in a condition, it is unknown for both versions whether httpd
 * reads it, and its file is read only once.
 */
function isAccessLineInCondition(configLine: ConfigLine): boolean {
  const { activity, activityByVersion, macro, file, conditionals, line } = configLine;
  if (conditionals.length === 0 || activity !== 'unknown' || activityByVersion !== undefined || macro !== undefined)
    return false;
  return file.readingCount === 1 && (isAccessLine(configLine) || line.name === 'authtype');
}

/**
 * The module of a condition. Null if the two versions may read different module names in the tag,
 * or if one version has no such module. Also null if the module decides about access, because then
 * the access lines mean something else without it.
 */
function moduleOfCondition(open: Line): string | null {
  const [nameIn22, nameIn24] = [nameInTag(open, 2), nameInTag(open, 4)];
  if (nameIn22 === null || nameIn24 === null || nameIn22.name !== nameIn24.name || open.text.includes('${'))
    return null;
  const knownModule = module(moduleNamed(nameIn24.name) ?? '');
  if (!knownModule?.['2.2'] || !knownModule['2.4'] || DECIDES_ABOUT_ACCESS.test(knownModule.name)) return null;
  return knownModule.name;
}

const DECIDES_ABOUT_ACCESS = /^mod_(?:auth(?!z_host$)|access)/;

/** The branch that a conditional section makes. Null if the section does not contain the line. */
function branchOf(section: Section, { file, offset }: ConfigLine): Branch | null {
  const bodyStart = bodyOffset(section, file.tree.root, offset);
  if (bodyStart === null) return null;
  const isNegated = nameInTag(section.open, 4)?.isNegated === true;
  return { section, path: file.path, start: bodyStart, end: bodyStart + section.body.length, isNegated };
}

/**
 * The offset at which the body of a section begins. `offsetInside`: the offset of a line in the
 * section. Null if the section does not contain that line.
 */
function bodyOffset(section: Section, root: List, offsetInside: number): number | null {
  let list = root;
  let offset = 0;
  descend: for (;;) {
    for (const child of list.children) {
      if (offsetInside >= offset + child.length) {
        offset += child.length;
        continue;
      }
      if (child instanceof List) {
        list = child;
        continue descend;
      }
      if (!(child instanceof Section)) return null;
      offset += child.open.length;
      if (child === section) return offset;
      list = child.body;
      continue descend;
    }
    return null;
  }
}

/** All combinations of answers. Each one is a list of branches that httpd reads or skips. */
function combinations(questions: readonly (readonly Branch[])[]): CaseBranch[][] {
  return questions.reduce<CaseBranch[][]>(
    (cases, branches) =>
      cases.flatMap((before) =>
        [true, false].map((isLoaded) => [
          ...before,
          ...branches.map((branch) => ({ ...branch, isRead: isLoaded !== branch.isNegated })),
        ]),
      ),
    [[]],
  );
}

/** An edit that one case or several cases make. */
interface SharedEdit {
  readonly path: string;
  readonly edit: TextEdit;
  readonly casesThatMakeIt: Set<Case>;
  readonly groups: AccessGroup[];
}

/**
 * Groups that are connected by common edits or sections, and all edits of these groups. The edits
 * are made together or not at all.
 */
interface Component {
  readonly groups: Set<AccessGroup>;
  readonly edits: Set<SharedEdit>;
}

/**
 * The plan that is right in each case. Returns `planWithoutAssumptions` if the joined plan would
 * lose a conversion of it, or has no edit.
 */
function joinedPlan(planWithoutAssumptions: AccessPlan, cases: readonly Case[]): AccessPlan {
  const allEdits = sharedEdits(cases);
  const acceptedComponents = componentsOf(allEdits).filter(({ edits }) =>
    [...edits].every((each) => isRightInEachCase(each, allEdits, cases)),
  );
  const joinedGroupByGroup = new Map<AccessGroup, AccessGroup>();
  const groups = acceptedComponents.map((component) => {
    const group = joinedGroup(component);
    for (const each of component.groups) joinedGroupByGroup.set(each, group);
    return group;
  });
  const acceptedKeys = new Set(
    acceptedComponents.flatMap(({ edits }) => [...edits].map(({ path, edit }) => keyOfEdit(path, edit))),
  );
  const keepsAllEditsOfBase = planWithoutAssumptions.groups.every(({ edits }) =>
    [...edits].every(([path, editsOfFile]) => editsOfFile.every((edit) => acceptedKeys.has(keyOfEdit(path, edit)))),
  );
  if (!keepsAllEditsOfBase || acceptedKeys.size === 0) return planWithoutAssumptions;
  const groupAt = (path: string, offset: number): AccessGroup | null => {
    for (const { plan, unreadBranches } of cases) {
      if (isInUnreadBranch(unreadBranches, path, offset, offset)) continue;
      const group = plan.groupAt(path, offset);
      if (group) return joinedGroupByGroup.get(group) ?? null;
    }
    return null;
  };
  const refusals = planWithoutAssumptions.refusals.filter(
    ({ lines }) => lines.length === 0 || !lines.every(({ path, offset }) => groupAt(path, offset)),
  );
  return {
    get edits() {
      return editsOfGroups(groups);
    },
    paths: new Set(groups.flatMap(({ paths }) => [...paths])),
    convertedCount: groups.reduce((sum, { conversions }) => sum + conversions.length, 0),
    groups,
    refusals,
    comparisonCount: cases.reduce(
      (sum, { plan }) => sum + plan.comparisonCount,
      planWithoutAssumptions.comparisonCount,
    ),
    openQuestions: joinedQuestions(
      [planWithoutAssumptions, ...cases.map(({ plan }) => plan)].flatMap((each) => each.openQuestions),
    ),
    groupAt,
    reasonAt: (path, offset) => (groupAt(path, offset) === null ? planWithoutAssumptions.reasonAt(path, offset) : null),
    isAloneAt: (path, offset) => planWithoutAssumptions.isAloneAt(path, offset),
  };
}

/** All edits of the cases. An edit that several cases make is listed once, with all these cases. */
function sharedEdits(cases: readonly Case[]): readonly SharedEdit[] {
  const editsByKey = new Map<string, SharedEdit>();
  for (const each of cases)
    for (const group of each.plan.groups)
      for (const [path, editsOfFile] of group.edits)
        for (const edit of editsOfFile) {
          const editKey = keyOfEdit(path, edit);
          const sharedEdit = editsByKey.get(editKey) ?? { path, edit, casesThatMakeIt: new Set(), groups: [] };
          editsByKey.set(editKey, sharedEdit);
          sharedEdit.casesThatMakeIt.add(each);
          sharedEdit.groups.push(group);
        }
  return [...editsByKey.values()];
}

/**
 * Divides the edits into components. Two edits are in one component if they are of one group, or of
 * groups with a common section.
 */
function componentsOf(edits: readonly SharedEdit[]): Component[] {
  const componentByKey = new Map<AccessGroup | string, Component>();
  for (const sharedEdit of edits) {
    const component: Component = { groups: new Set(), edits: new Set([sharedEdit]) };
    const connectedComponents = new Set(sharedEdit.groups.flatMap(keysOfGroup).map((key) => componentByKey.get(key)));
    for (const each of connectedComponents) {
      each?.groups.forEach((group) => component.groups.add(group));
      each?.edits.forEach((edit) => component.edits.add(edit));
    }
    for (const group of sharedEdit.groups) component.groups.add(group);
    for (const group of component.groups) for (const key of keysOfGroup(group)) componentByKey.set(key, component);
  }
  return [...new Set(componentByKey.values())];
}

/**
 * Two groups with a key in common must be made together. The keys are the group itself and its
 * sections.
 */
function keysOfGroup(group: AccessGroup): (AccessGroup | string)[] {
  return [group, ...group.conversions.map(({ scope }) => keyOfScope(scope))];
}

function keyOfScope({ offset, file }: Scope): string {
  return `${offset} ${file.path}`;
}

/**
 * Whether each case makes the edit or does not read the edited lines, and no other edit overlaps
 * it.
 */
function isRightInEachCase(
  { path, edit, casesThatMakeIt }: SharedEdit,
  allEdits: readonly SharedEdit[],
  cases: readonly Case[],
): boolean {
  return (
    cases.every(
      (each) => casesThatMakeIt.has(each) || isInUnreadBranch(each.unreadBranches, path, edit.start, edit.end),
    ) && !allEdits.some((other) => other.edit !== edit && other.path === path && doOverlap(other.edit, edit))
  );
}

function doOverlap(a: TextEdit, b: TextEdit): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Whether a range of text is inside of a branch that is not read. */
function isInUnreadBranch(unreadBranches: readonly Branch[], path: string, start: number, end: number): boolean {
  return unreadBranches.some((branch) => branch.path === path && start >= branch.start && end <= branch.end);
}

/** Makes one group of a component: all its edits, and one conversion for each section. */
function joinedGroup({ groups, edits }: Component): AccessGroup {
  const conversionByScope = new Map<string, Conversion>();
  const comparesAddressIn = (conversion: Conversion) => treesOf(conversion).some(treeComparesAddress);
  let hasBranches = false;
  for (const each of [...groups].flatMap((group) => group.conversions)) {
    const { scope, tree } = each;
    const scopeKey = keyOfScope(scope);
    const chosenConversion = conversionByScope.get(scopeKey);
    hasBranches ||= chosenConversion !== undefined && JSON.stringify(chosenConversion.tree) !== JSON.stringify(tree);
    // Of several conversions of a section, one that compares addresses is chosen, so that the group
    // counts as a group that compares addresses.
    if (!chosenConversion || (comparesAddressIn(each) && !comparesAddressIn(chosenConversion)))
      conversionByScope.set(scopeKey, each);
  }
  const editsByPath = new Map<string, TextEdit[]>();
  for (const { path, edit } of edits) addTo(editsByPath, path, edit);
  return {
    conversions: [...conversionByScope.values()],
    paths: new Set([...groups].flatMap(({ paths }) => [...paths])),
    edits: editsByPath,
    isForBranches: true,
    hasBranches,
  };
}

function editsOfGroups(groups: readonly AccessGroup[]): ReadonlyMap<string, readonly TextEdit[]> {
  const editsByPath = new Map<string, TextEdit[]>();
  for (const group of groups)
    for (const [path, editsOfFile] of group.edits)
      editsByPath.set(path, [...(editsByPath.get(path) ?? []), ...editsOfFile]);
  return editsByPath;
}

function keyOfEdit(path: string, { start, end, text }: TextEdit): string {
  return JSON.stringify([path, start, end, text]);
}
