/**
 * Converts access lines in `<IfModule>` sections of which it is unknown whether the server has the
 * module: each branch under its condition. The configuration is planned once for each combination
 * of answers. An edit is made only if each of these plans makes it, except those for which its
 * place is not read. So each combination is converted as its own plan proves it.
 */
import { nameInTag } from '../config/condition';
import type { ConditionAnswer, ConfigLine, Configuration, Scope } from '../config/configuration';
import { moduleNamed } from '../config/modules';
import { namesIn } from '../config/name-set';
import { module } from '../directives/index';
import { addTo } from '../syntax/groups';
import type { Line } from '../syntax/line';
import { List, Section } from '../syntax/tree';
import { treeComparesAddress } from './client-address';
import { treesOf, type Conversion } from './configuration-conversion';
import { mergedQuestions } from './open-question';
import type { AccessGroup, AccessPlan } from './plan';
import { isAccessLine } from './read';
import type { TextEdit } from './rewrite';
import type { HtaccessFile } from './sections';

/** Whether the lines in a condition are read, by its open tag. */
export type AssumedConditions = ReadonlyMap<Line, boolean>;

type Conditions = (open: Line, loaded: ReadonlySet<string>) => ConditionAnswer | undefined;

/**
 * The same conditions with assumptions about some of them. Adds the `<IfModule>` tags whose answer
 * is unknown to `unknown`.
 */
export function withAssumed(conditions: Conditions, assumed: AssumedConditions, unknown: Set<Line>): Conditions {
  return (open, loaded) => {
    const answer = conditions(open, loaded);
    if (answer !== 'unknown' || open.name !== 'ifmodule') return answer;
    const isRead = assumed.get(open);
    if (isRead !== undefined) return isRead ? 'active' : 'inactive';
    unknown.add(open);
    return answer;
  };
}

interface Planned {
  readonly plan: AccessPlan;
  readonly configuration: Configuration;
  readonly htaccess: readonly HtaccessFile[];
  /** The open tags of unknown conditions. */
  readonly unknown: ReadonlySet<Line>;
  /** Whether lines that are not at hand may be read between its files. */
  readonly isOpen?: boolean;
}

/**
 * The plan with the lines in unknown conditions. Returns the plan itself if there are none, or if
 * they are not converted in each case. `planned`: the plan with assumptions, null if there is none.
 */
export function withBranches(
  { plan, configuration, htaccess, unknown, isOpen = false }: Planned,
  planned: (assumed: AssumedConditions) => AccessPlan | null,
): AccessPlan {
  if (unknown.size === 0 || !plan.refusals.some(({ reason }) => reason.code === 'in-condition')) return plan;
  if (plan.comparisonCount > MOST_COMPARISONS || plan.convertedCount + plan.refusals.length > MOST_SECTIONS)
    return plan;
  const scopes = [configuration.rootScope, ...htaccess.map(({ scope }) => scope)];
  const questions = questionsAbout(scopes, unknown, (module) => isOpen || mayLoad(configuration, module));
  const branches = questions.flat();
  // A file that is read in several places has the same branches in each of them.
  const isOnce = new Set(branches.map(({ section }) => section.open)).size === branches.length;
  if (questions.length === 0 || questions.length > MOST_QUESTIONS || !isOnce) return plan;
  const cases = combinations(questions).flatMap((answers): Case[] => {
    const own = planned(new Map(answers.map(({ section, isRead }) => [section.open, isRead])));
    return own === null ? [] : [{ plan: own, unread: answers.filter(({ isRead }) => !isRead) }];
  });
  return cases.length < 2 ** questions.length ? plan : joined(plan, cases);
}

// ---------------------------------------------------------------------------------------------------------------------

/** The number of cases is 2 to this power. */
const MOST_QUESTIONS = 3;
/** A plan with more comparisons or sections takes too long to be made several times. */
const MOST_COMPARISONS = 20_000;
const MOST_SECTIONS = 500;

/** A conditional section with access lines. Its offsets are those of its body. */
interface Branch {
  readonly section: Section;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly isNegated: boolean;
}

interface CaseBranch extends Branch {
  readonly isRead: boolean;
}

/** One combination of answers, with its plan and the branches that are not read. */
interface Case {
  readonly plan: AccessPlan;
  readonly unread: readonly Branch[];
}

/**
 * The branches by question: those that ask about the same module. If a line between two sections
 * may load the module, the branches of each section have a question of their own: in a section no
 * module can be loaded.
 */
function questionsAbout(
  roots: readonly Scope[],
  unknown: ReadonlySet<Line>,
  mayBeLoaded: (module: string) => boolean,
): (readonly Branch[])[] {
  const questions = new Map<string, Map<Section, Branch>>();
  let number = 0;
  const visit = (scope: Scope): void => {
    const ownNumber = number++;
    for (const at of scope.lines) {
      if (!isConditional(at)) continue;
      for (const section of at.conditionals) {
        const branch = unknown.has(section.open) ? branchOf(section, at) : null;
        const module = branch && moduleOf(section.open);
        if (!branch || !module) continue;
        const key = mayBeLoaded(module) ? `${module} ${ownNumber}` : module;
        const found = questions.get(key) ?? new Map<Section, Branch>();
        questions.set(key, found.set(section, branch));
      }
    }
    scope.children.forEach(visit);
  };
  roots.forEach(visit);
  return [...questions.values()].map((branches) => [...branches.values()]);
}

/** Whether a line of the configuration, or one that is not at hand, may load a module. */
function mayLoad({ files, gaps }: Configuration, module: string): boolean {
  const name = module.replace(/^mod_|_module$|\.c$/g, '');
  const mayName = (text: string) => text.includes(name) || /[$%@&]/.test(text);
  return gaps.length > 0 || [...files.values()].some(({ tree }) => someLoadLine(tree.root, mayName));
}

function someLoadLine(list: List, test: (text: string) => boolean): boolean {
  if (!namesIn(list).hasName('loadmodule')) return false;
  return list.children.some((child) =>
    child instanceof List
      ? someLoadLine(child, test)
      : child instanceof Section
        ? someLoadLine(child.body, test)
        : child.name === 'loadmodule' && test(child.text),
  );
}

/** Whether a line is about access, and in conditions that are unknown for both versions. */
function isConditional(at: ConfigLine): boolean {
  const { activity, byVersion, macro, file, conditionals, line } = at;
  if (conditionals.length === 0 || activity !== 'unknown' || byVersion !== undefined || macro !== undefined)
    return false;
  return file.readings === 1 && (isAccessLine(at) || line.name === 'authtype');
}

/**
 * The module of a condition, or null if it may not be the same for both versions, or if the module
 * itself decides about access: its lines mean something else without it.
 */
function moduleOf(open: Line): string | null {
  const [before, now] = [nameInTag(open, 2), nameInTag(open, 4)];
  if (before === null || now === null || before.name !== now.name || open.text.includes('${')) return null;
  const known = module(moduleNamed(now.name) ?? '');
  if (!known?.['2.2'] || !known['2.4'] || DECIDES_ABOUT_ACCESS.test(known.name)) return null;
  return known.name;
}

const DECIDES_ABOUT_ACCESS = /^mod_(?:auth(?!z_host$)|access)/;

function branchOf(section: Section, { file, offset }: ConfigLine): Branch | null {
  const start = bodyOffset(section, file.tree.root, offset);
  if (start === null) return null;
  const isNegated = nameInTag(section.open, 4)?.isNegated === true;
  return { section, path: file.path, start, end: start + section.body.length, isNegated };
}

/**
 * Where the body of a section begins. `inside`: the offset of a line in it. Null if the section is
 * not around that line.
 */
function bodyOffset(section: Section, root: List, inside: number): number | null {
  let list = root;
  let offset = 0;
  descend: for (;;) {
    for (const child of list.children) {
      if (inside >= offset + child.length) {
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

/** All combinations of answers, as branches that are read or not. */
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

/** An edit of some of the cases. */
interface SharedEdit {
  readonly path: string;
  readonly edit: TextEdit;
  readonly madeIn: Set<Case>;
  readonly groups: AccessGroup[];
}

/** Groups of several cases that have an edit or a section in common, with all their edits. */
interface Component {
  readonly groups: Set<AccessGroup>;
  readonly edits: Set<SharedEdit>;
}

/** The plan that is right in each case. Returns `base` if it would lose one of its conversions. */
function joined(base: AccessPlan, cases: readonly Case[]): AccessPlan {
  const all = sharedEdits(cases);
  const accepted = componentsOf(all).filter(({ edits }) => [...edits].every((each) => isRight(each, all, cases)));
  const merged = new Map<AccessGroup, AccessGroup>();
  const groups = accepted.map((component) => {
    const group = mergedGroup(component);
    for (const each of component.groups) merged.set(each, group);
    return group;
  });
  const kept = new Set(accepted.flatMap(({ edits }) => [...edits].map(({ path, edit }) => keyOf(path, edit))));
  const areKept = base.groups.every(({ edits }) =>
    [...edits].every(([path, own]) => own.every((edit) => kept.has(keyOf(path, edit)))),
  );
  if (!areKept || kept.size === 0) return base;
  const groupAt = (path: string, offset: number): AccessGroup | null => {
    for (const { plan, unread } of cases) {
      if (isUnread(unread, path, offset, offset)) continue;
      const group = plan.groupAt(path, offset);
      if (group) return merged.get(group) ?? null;
    }
    return null;
  };
  const refusals = base.refusals.filter(
    ({ lines }) => lines.length === 0 || !lines.every(({ path, offset }) => groupAt(path, offset)),
  );
  return {
    get edits() {
      return editsOfAll(groups);
    },
    paths: new Set(groups.flatMap(({ paths }) => [...paths])),
    convertedCount: groups.reduce((sum, { conversions }) => sum + conversions.length, 0),
    groups,
    refusals,
    comparisonCount: cases.reduce((sum, { plan }) => sum + plan.comparisonCount, base.comparisonCount),
    openQuestions: mergedQuestions([base, ...cases.map(({ plan }) => plan)].flatMap((each) => each.openQuestions)),
    groupAt,
    reasonAt: (path, offset) => (groupAt(path, offset) === null ? base.reasonAt(path, offset) : null),
    isAloneAt: (path, offset) => base.isAloneAt(path, offset),
  };
}

function sharedEdits(cases: readonly Case[]): readonly SharedEdit[] {
  const found = new Map<string, SharedEdit>();
  for (const each of cases)
    for (const group of each.plan.groups)
      for (const [path, own] of group.edits)
        for (const edit of own) {
          const key = keyOf(path, edit);
          const shared = found.get(key) ?? { path, edit, madeIn: new Set(), groups: [] };
          found.set(key, shared);
          shared.madeIn.add(each);
          shared.groups.push(group);
        }
  return [...found.values()];
}

function componentsOf(edits: readonly SharedEdit[]): Component[] {
  const components = new Map<AccessGroup | string, Component>();
  for (const shared of edits) {
    const component: Component = { groups: new Set(), edits: new Set([shared]) };
    const known = new Set(shared.groups.flatMap(keysOf).map((key) => components.get(key)));
    for (const each of known) {
      each?.groups.forEach((group) => component.groups.add(group));
      each?.edits.forEach((edit) => component.edits.add(edit));
    }
    for (const group of shared.groups) component.groups.add(group);
    for (const group of component.groups) for (const key of keysOf(group)) components.set(key, component);
  }
  return [...new Set(components.values())];
}

/** What groups have in common that must be made together: themselves, and their sections. */
function keysOf(group: AccessGroup): (AccessGroup | string)[] {
  return [group, ...group.conversions.map(({ scope }) => keyOfScope(scope))];
}

function keyOfScope({ offset, file }: Scope): string {
  return `${offset} ${file.path}`;
}

/** Whether each case makes the edit or does not read its lines, and no other edit overlaps it. */
function isRight({ path, edit, madeIn }: SharedEdit, all: readonly SharedEdit[], cases: readonly Case[]): boolean {
  return (
    cases.every((each) => madeIn.has(each) || isUnread(each.unread, path, edit.start, edit.end)) &&
    !all.some((other) => other.edit !== edit && other.path === path && overlap(other.edit, edit))
  );
}

function overlap(a: TextEdit, b: TextEdit): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Whether a place is inside of a branch that is not read. */
function isUnread(unread: readonly Branch[], path: string, start: number, end: number): boolean {
  return unread.some((branch) => branch.path === path && start >= branch.start && end <= branch.end);
}

function mergedGroup({ groups, edits }: Component): AccessGroup {
  const conversions = new Map<string, Conversion>();
  const comparesAddress = (conversion: Conversion) => treesOf(conversion).some(treeComparesAddress);
  let hasBranches = false;
  for (const each of [...groups].flatMap((group) => group.conversions)) {
    const { scope, tree } = each;
    const key = keyOfScope(scope);
    const known = conversions.get(key);
    hasBranches ||= known !== undefined && JSON.stringify(known.tree) !== JSON.stringify(tree);
    // A group counts as one that compares addresses if it does so in one of the cases.
    if (!known || (comparesAddress(each) && !comparesAddress(known))) conversions.set(key, each);
  }
  const byPath = new Map<string, TextEdit[]>();
  for (const { path, edit } of edits) addTo(byPath, path, edit);
  return {
    conversions: [...conversions.values()],
    paths: new Set([...groups].flatMap(({ paths }) => [...paths])),
    edits: byPath,
    isForBranches: true,
    hasBranches,
  };
}

function editsOfAll(groups: readonly AccessGroup[]): ReadonlyMap<string, readonly TextEdit[]> {
  const edits = new Map<string, TextEdit[]>();
  for (const group of groups)
    for (const [path, own] of group.edits) edits.set(path, [...(edits.get(path) ?? []), ...own]);
  return edits;
}

function keyOf(path: string, { start, end, text }: TextEdit): string {
  return JSON.stringify([path, start, end, text]);
}
