/**
 * Finds conditions around access control that are true in 2.2 and false in 2.4. Without such a
 * condition, 2.4 reads the same lines as 2.2. This file finds the conditions whose lines both
 * versions read alike. The conversion of the whole configuration then checks that each access
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
 * Returns the conditions that can be removed, by their sections. A condition stays if a section
 * with its lines, or another section for the same requests, also has lines that only 2.4 reads.
 */
export function removableConditions(
  { rootScope, files }: Pick<Configuration, 'rootScope' | 'files'>,
  htaccess: readonly { readonly scope: Scope }[],
): ReadonlySet<Section> {
  const mayHaveConditions = ({ tree }: ConfigFile) => CONDITION_NAMES.some((name) => namesIn(tree.root).hasName(name));
  const conditionSections: ConditionSections = new Map();
  const keysWithLinesOf24 = new Set<string>();
  const walk = (scope: Scope, host: Scope | null): void => {
    const differences = differencesOf(scope);
    if (differences.size > 0) {
      const requestsKey = keyOfRequests(scope, host);
      if ([...differences].some(({ in22 }) => in22 === 'inactive')) keysWithLinesOf24.add(requestsKey);
      recordSections(differences, requestsKey, conditionSections);
    }
    const innerHost = scope.kind === 'virtualhost' ? scope : host;
    const { children } = scope;
    for (let i = 0; i < children.length; i++) walk(children[i]!, innerHost);
  };
  if ([...files.values()].some(mayHaveConditions)) walk(rootScope, null);
  for (const { scope } of htaccess) if (mayHaveConditions(scope.file)) walk(scope, null);
  if (conditionSections.size === 0) return NO_CONDITIONS;
  return new Set(
    [...conditionSections.values()]
      .filter(
        ({ condition, requestKeys: keys }) =>
          mayRemoveCondition(condition) && ![...keys].some((key) => keysWithLinesOf24.has(key)),
      )
      .map(({ condition }) => condition.section),
  );
}

/**
 * The key is the section of a condition, such as an `<IfVersion>`. The value has the condition, and
 * the `keyOfRequests` of each access section that is inside the condition or has lines inside it.
 */
type ConditionSections = Map<Section, { readonly condition: VersionCondition; readonly requestKeys: Set<string> }>;

/**
 * Adds the key of a section to each condition that only 2.2 fulfils, and that is around the section
 * or its lines.
 */
function recordSections(
  differences: ReadonlySet<ActivityByVersion>,
  key: string,
  conditionSections: ConditionSections,
): void {
  for (const activityByVersion of differences) {
    const [condition] = activityByVersion.conditions.length === 1 ? activityByVersion.conditions : [];
    if (!condition || activityByVersion.in22 !== 'active') continue;
    const conditionKeys = conditionSections.get(condition.section) ?? { condition, requestKeys: new Set() };
    conditionSections.set(condition.section, conditionKeys);
    conditionKeys.requestKeys.add(key);
  }
}

/** Returns a key that is equal for sections which apply to the same requests. */
function keyOfRequests(scope: Scope, host: Scope | null): string {
  if (scope.section === null) return `${sectionName(scope)} ${scope.file.path}`;
  return host === null ? sectionName(scope) : `${sectionName(scope)} ${host.offset} ${host.file.path}`;
}

/**
 * The activities of a section and its lines in both versions, if the versions differ. Empty if they
 * do not.
 */
function differencesOf({ activityByVersion, lines }: Scope): ReadonlySet<ActivityByVersion> {
  const differences = new Set<ActivityByVersion>();
  if (activityByVersion !== undefined) differences.add(activityByVersion);
  for (let i = 0; i < lines.length; i++) {
    const activityOfLine = lines[i]!.activityByVersion;
    if (activityOfLine !== undefined) differences.add(activityOfLine);
  }
  return differences;
}

const CONDITION_NAMES = ['<ifversion', '<ifmodule'] as const;

const NO_CONDITIONS: ReadonlySet<Section> = new Set();

/** The removed conditions that are around a section or around its lines. */
export function removedConditionsIn(
  { activityByVersion, lines }: Scope,
  removedConditions: RemovedConditions,
): readonly VersionCondition[] {
  // Nearly all sections have no such condition. They share one empty list.
  if (activityByVersion === undefined && lines.every(isSameInBothVersions)) return NO_VERSION_CONDITIONS;
  const removedBySection = new Map<Section, VersionCondition>();
  for (const each of [activityByVersion, ...lines.map((line) => line.activityByVersion)]) {
    const [condition] = each?.conditions.length === 1 ? each.conditions : [];
    if (condition && removedConditions.has(condition.section)) removedBySection.set(condition.section, condition);
  }
  return [...removedBySection.values()];
}

const NO_VERSION_CONDITIONS: readonly VersionCondition[] = [];

/** Whether 2.2 and 2.4 agree about all conditions around the line. */
function isSameInBothVersions(line: Scope['lines'][number]): boolean {
  return line.activityByVersion === undefined;
}

/**
 * Returns the edits of a file, with the edits that remove the tags of a condition and shift its
 * lines one step to the left. The new lines in `edits` are shifted, too.
 */
export function withoutCondition(edits: readonly TextEdit[], { section, offset }: VersionCondition): TextEdit[] {
  const { open, body, close } = section;
  const bodyStart = offset + open.length;
  const bodyEnd = bodyStart + body.length;
  const tagEdits = [
    { start: offset, end: bodyStart, text: '' },
    { start: bodyEnd, end: bodyEnd + close.length, text: '' },
  ];
  const outerIndent = indentOf(open);
  const innerIndent = indentOf(firstNonBlankLineIn(body) ?? open);
  const indentDifference = innerIndent.length - outerIndent.length;
  if (indentDifference <= 0 || !innerIndent.startsWith(outerIndent)) return [...edits, ...tagEdits];
  const isInBody = (at: number) => at >= bodyStart && at < bodyEnd;
  const shiftedEdits = edits.map((edit) =>
    isInBody(edit.start)
      ? { ...edit, text: edit.text.replaceAll(new RegExp(`^${innerIndent}`, 'gm'), outerIndent) }
      : edit,
  );
  const unindentEdits: TextEdit[] = [];
  forEachLine(body, bodyStart, (line, at) => {
    const isReplaced = edits.some((edit) => at >= edit.start && at < edit.end);
    if (!isReplaced && line.text.startsWith(innerIndent))
      unindentEdits.push({ start: at, end: at + indentDifference, text: '' });
  });
  return [...shiftedEdits, ...unindentEdits, ...tagEdits];
}

// ---------------------------------------------------------------------------------------------------------------------

function firstNonBlankLineIn(list: List): Line | null {
  let firstLine: Line | null = null;
  forEachLine(list, 0, (line) => {
    if (line.kind !== LineKind.Blank) firstLine ??= line;
  });
  return firstLine;
}

function forEachLine(list: List, base: number, visit: (line: Line, offset: number) => void): void {
  forEachItem(list, base, (item, offset) => {
    if (!(item instanceof Section)) return visit(item, offset);
    visit(item.open, offset);
    forEachLine(item.body, offset + item.open.length, visit);
    visit(item.close, offset + item.open.length + item.body.length);
  });
}

/** Whether 2.4 would read all lines in the condition as 2.2 does, if the condition were removed. */
function mayRemoveCondition({ section, file, answers, isInMacro, files, knowsAllLines }: VersionCondition): boolean {
  return (
    answers.in22 === 'active' &&
    answers.in24 !== 'active' &&
    !isInMacro &&
    knowsAllLines &&
    [file, ...files].every(({ readingCount }) => readingCount === 1) &&
    section.open.template === Template.None &&
    section.open.text.endsWith('\n') &&
    [section.body, ...files.map(({ tree }) => tree.root)].every(isReadAlikeInBoth)
  );
}

/** Whether both versions read all lines of a list in the same way. */
function isReadAlikeInBoth(list: List): boolean {
  let areAllAlike = true;
  forEachItem(list, 0, (item) => {
    if (item instanceof Section) areAllAlike &&= SECTIONS_READ_ALIKE.has(item.name) && isReadAlikeInBoth(item.body);
    else areAllAlike &&= item.kind !== LineKind.Directive || isLineReadAlikeInBoth(item);
  });
  return areAllAlike;
}

const SECTIONS_READ_ALIKE: ReadonlySet<string> = new Set([
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
      const signedCount = argumentsOf(line).filter(({ value }) => /^[+-]/.test(value)).length;
      return signedCount === 0 || signedCount === argumentsOf(line).length;
    }
    default:
      return false;
  }
}
