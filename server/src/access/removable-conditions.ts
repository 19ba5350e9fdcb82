/**
 * Finds conditions around access control that are true in 2.2 and false in 2.4. If such a condition
 * is removed, 2.4 reads the same lines as 2.2. This file decides by the lines inside which
 * conditions can be removed. The conversion of the whole configuration then checks that each access
 * decision stays the same.
 */
import type { ConfigFile, Configuration, ActivityByVersion, VersionCondition, Scope } from '../config/configuration';
import { namesIn } from '../config/name-set';
import { argumentsOf, indentOf, LineKind, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { forEachItem, Section, type List } from '../syntax/tree';
import type { RemovedConditions } from './one-version';
import type { TextEdit } from './rewrite';
import { sectionName } from './section-name';

/**
 * Returns the conditions that can be removed. A condition stays if the same section also has lines
 * for 2.4 only.
 */
export function removableConditions(
  { rootScope, files }: Pick<Configuration, 'rootScope' | 'files'>,
  htaccess: readonly { readonly scope: Scope }[],
): ReadonlySet<Section> {
  const mayHaveOne = ({ tree }: ConfigFile) => CONDITIONS.some((name) => namesIn(tree.root).hasName(name));
  const found: ConditionSections = new Map();
  const namesOf24 = new Set<string>();
  const walk = (scope: Scope, host: Scope | null): void => {
    const differences = differencesOf(scope);
    if (differences.size > 0) {
      const name = keyOfRequests(scope, host);
      if ([...differences].some(({ before }) => before === 'inactive')) namesOf24.add(name);
      recordSections(differences, name, found);
    }
    const inner = scope.kind === 'virtualhost' ? scope : host;
    const { children } = scope;
    for (let i = 0; i < children.length; i++) walk(children[i]!, inner);
  };
  if ([...files.values()].some(mayHaveOne)) walk(rootScope, null);
  for (const { scope } of htaccess) if (mayHaveOne(scope.file)) walk(scope, null);
  if (found.size === 0) return NO_CONDITIONS;
  return new Set(
    [...found.values()]
      .filter(({ condition, names }) => mayRemove(condition) && ![...names].some((name) => namesOf24.has(name)))
      .map(({ condition }) => condition.section),
  );
}

/**
 * For each condition: the keys (`keyOfRequests`) of the sections inside, and of the sections around
 * lines inside.
 */
type ConditionSections = Map<Section, { readonly condition: VersionCondition; readonly names: Set<string> }>;

function recordSections(differences: ReadonlySet<ActivityByVersion>, name: string, found: ConditionSections): void {
  for (const byVersion of differences) {
    const [condition] = byVersion.conditions.length === 1 ? byVersion.conditions : [];
    if (!condition || byVersion.before !== 'active') continue;
    const known = found.get(condition.section) ?? { condition, names: new Set() };
    found.set(condition.section, known);
    known.names.add(name);
  }
}

/** Returns a key that is equal for sections which apply to the same requests. */
function keyOfRequests(scope: Scope, host: Scope | null): string {
  if (scope.section === null) return `${sectionName(scope)} ${scope.file.path}`;
  return host === null ? sectionName(scope) : `${sectionName(scope)} ${host.offset} ${host.file.path}`;
}

/**
 * The conditions around a section or its lines about which 2.2 and 2.4 differ. Empty if there are
 * none.
 */
function differencesOf({ byVersion, lines }: Scope): ReadonlySet<ActivityByVersion> {
  const differences = new Set<ActivityByVersion>();
  if (byVersion !== undefined) differences.add(byVersion);
  for (let i = 0; i < lines.length; i++) {
    const own = lines[i]!.byVersion;
    if (own !== undefined) differences.add(own);
  }
  return differences;
}

const CONDITIONS = ['<ifversion', '<ifmodule'] as const;

const NO_CONDITIONS: ReadonlySet<Section> = new Set();

/** Which of the removed conditions are around a section or around its lines. */
export function removedConditionsIn(
  { byVersion, lines }: Scope,
  removedConditions: RemovedConditions,
): readonly VersionCondition[] {
  // This is so for nearly all sections, so they share one empty list.
  if (byVersion === undefined && lines.every(isSameInBothVersions)) return NO_REMOVED_CONDITIONS;
  const found = new Map<Section, VersionCondition>();
  for (const each of [byVersion, ...lines.map((line) => line.byVersion)]) {
    const [condition] = each?.conditions.length === 1 ? each.conditions : [];
    if (condition && removedConditions.has(condition.section)) found.set(condition.section, condition);
  }
  return [...found.values()];
}

const NO_REMOVED_CONDITIONS: readonly VersionCondition[] = [];

/** Whether no condition around the line differs between 2.2 and 2.4. */
function isSameInBothVersions(line: Scope['lines'][number]): boolean {
  return line.byVersion === undefined;
}

/**
 * Returns `edits`, those of one file, with the edits that remove a condition and shift its lines
 * one indentation step to the left.
 */
export function withoutCondition(edits: readonly TextEdit[], { section, offset }: VersionCondition): TextEdit[] {
  const { open, body, close } = section;
  const start = offset + open.length;
  const end = start + body.length;
  const tags = [
    { start: offset, end: start, text: '' },
    { start: end, end: end + close.length, text: '' },
  ];
  const outer = indentOf(open);
  const inner = indentOf(firstIn(body) ?? open);
  const step = inner.length - outer.length;
  if (step <= 0 || !inner.startsWith(outer)) return [...edits, ...tags];
  const isIn = (at: number) => at >= start && at < end;
  const moved = edits.map((edit) =>
    isIn(edit.start) ? { ...edit, text: edit.text.replaceAll(new RegExp(`^${inner}`, 'gm'), outer) } : edit,
  );
  const left: TextEdit[] = [];
  forEachLine(body, start, (line, at) => {
    const isTouched = edits.some((edit) => at >= edit.start && at < edit.end);
    if (!isTouched && line.text.startsWith(inner)) left.push({ start: at, end: at + step, text: '' });
  });
  return [...moved, ...left, ...tags];
}

// ---------------------------------------------------------------------------------------------------------------------

function firstIn(list: List): Line | null {
  let first: Line | null = null;
  forEachLine(list, 0, (line) => {
    if (line.kind !== LineKind.Blank) first ??= line;
  });
  return first;
}

function forEachLine(list: List, base: number, visit: (line: Line, offset: number) => void): void {
  forEachItem(list, base, (item, offset) => {
    if (!(item instanceof Section)) return visit(item, offset);
    visit(item.open, offset);
    forEachLine(item.body, offset + item.open.length, visit);
    visit(item.close, offset + item.open.length + item.body.length);
  });
}

/** Whether 2.4 would read everything inside the condition as 2.2 does. */
function mayRemove({ section, file, answers, isOfMacro, files, isWhole }: VersionCondition): boolean {
  return (
    answers.before === 'active' &&
    answers.now !== 'active' &&
    !isOfMacro &&
    isWhole &&
    [file, ...files].every(({ readings }) => readings === 1) &&
    section.open.template === Template.None &&
    section.open.text.endsWith('\n') &&
    [section.body, ...files.map(({ tree }) => tree.root)].every(isReadAlikeInBoth)
  );
}

function isReadAlikeInBoth(list: List): boolean {
  let are = true;
  forEachItem(list, 0, (item) => {
    if (item instanceof Section) are &&= SECTIONS.has(item.name) && isReadAlikeInBoth(item.body);
    else are &&= item.kind !== LineKind.Directive || isLineReadAlikeInBoth(item);
  });
  return are;
}

const SECTIONS: ReadonlySet<string> = new Set([
  'directory',
  'directorymatch',
  'files',
  'filesmatch',
  'location',
  'locationmatch',
  'limit',
  'limitexcept',
]);

/** Whether both versions read a line in the same way, or the conversion handles the difference. */
function isLineReadAlikeInBoth(line: Line): boolean {
  if (line.template !== Template.None || line.text.includes('${')) return false;
  switch (line.name) {
    case 'order':
    case 'allow':
    case 'deny':
    case 'satisfy':
    case 'require':
    case 'authtype':
    case 'authuserfile':
    case 'authgroupfile':
    // The included files are in `files`, and are checked separately.
    case 'include':
      return true;
    // 2.4 reads the argument as an expression.
    case 'authname':
      return !/[\\$%]/.test(line.text);
    case 'allowoverride':
      return argumentsOf(line).every(({ value }) => /^(all|none|authconfig|fileinfo|indexes|limit)$/i.test(value));
    // 2.4 does not start if only some of the words have a sign.
    case 'options': {
      const signed = argumentsOf(line).filter(({ value }) => /^[+-]/.test(value)).length;
      return signed === 0 || signed === argumentsOf(line).length;
    }
    default:
      return false;
  }
}
