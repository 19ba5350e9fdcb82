/**
 * Plans the conversion of a whole configuration: edits for each file, and reasons for sections that
 * are not converted.
 */
import type { ConfigLine, Configuration, VersionCondition, Scope } from '../config/configuration';
import { indentOf } from '../syntax/line';
import { resolvePath } from '../config/files';
import { guessServerRoot } from '../config/server-root';
import { addTo } from '../syntax/groups';
import { lazy } from '../syntax/memory';
import { openQuestion, questionOfGap, mergedQuestions, type OpenQuestion, type FilePosition } from './open-question';
import { withoutCondition } from './removable-conditions';
import type { TextEdit } from './rewrite';
import { overrideLines, forbiddingLinesBelow } from './override';
import { printTree } from './print';
import { notConverted, type NotConverted } from './not-converted';
import { fileOf, isOldLine, NO_TREE, sectionEdits } from './section-edits';
import { sectionName } from './section-name';
import { templateQuestions } from './template';
import { copyEdit } from './host-copies';
import { convertConfiguration, type Conversion } from './configuration-conversion';
import { ACCESS_NAMES, filesOf, type ConversionOptions } from './conversion-input';
import { inlinedIncludeEdit } from './inlined-includes';
import { secondMacroEdits } from './second-macros';
import type { HtaccessFile } from './sections';

export interface AccessPlan {
  /** Edits by path, with offsets in the file. Computed on first use. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** The files that the edits may change. A file whose lines are already right has no edits. */
  readonly paths: ReadonlySet<string>;
  /** Number of sections that get a Require tree. */
  readonly convertedCount: number;
  /**
   * The same edits in groups. All edits of one group must be made together. Sections of different
   * groups never apply to the same request.
   */
  readonly groups: readonly AccessGroup[];
  readonly refusals: readonly AccessRefusal[];
  /** Number of comparisons between two sections: the cost. */
  readonly comparisonCount: number;
  /**
   * Questions that must be answered before the edits are safe. If there are any, the edits are only
   * suggestions.
   */
  readonly openQuestions: readonly OpenQuestion[];
  /**
   * The group of edits that converts the old access line at an offset of a file. Null if there is
   * no such line, or if it is not converted.
   */
  groupAt(path: string, offset: number): AccessGroup | null;
  /**
   * Why the old line at an offset is not converted. Null if there is no old line or it is
   * converted.
   */
  reasonAt(path: string, offset: number): NotConverted | null;
  /** Whether, for the requests to the section of this old line, no other section decides access. */
  isAloneAt(path: string, offset: number): boolean;
}

/** A section that is not converted. */
export interface AccessRefusal {
  readonly path: string;
  readonly offset: number;
  readonly section: string;
  readonly reason: NotConverted;
  /** Questions whose answers may make the conversion possible. */
  readonly questions: readonly OpenQuestion[];
  /** Whether an answer to a question about a condition may make the conversion possible. */
  readonly mayDependOnCondition: boolean;
  /** The old lines of the section. */
  readonly lines: readonly FilePosition[];
  /**
   * The section that prevents the conversion: the same one, or one that applies to the same
   * requests.
   */
  readonly cause: RefusedPlace;
}

/** The place of a section that is not converted. */
export interface RefusedPlace {
  readonly path: string;
  readonly offset: number;
  readonly section: string;
  /** The old lines of the section. */
  readonly lines: readonly FilePosition[];
}

export interface AccessGroup {
  /**
   * Edits by path, with offsets in the file. Computed on first use. To count files, `paths` is
   * enough.
   */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** The files that the edits may change. A file whose lines are already right has no edits. */
  readonly paths: ReadonlySet<string>;
  readonly conversions: readonly Conversion[];
  /** Whether it is planned for each answer to conditions (condition-branches.ts). */
  readonly isForBranches?: true;
  /** Whether a section has other lines in each branch of a condition. */
  readonly hasBranches?: boolean;
}

export function planAccessConversion(
  configuration: Configuration,
  htaccess: readonly HtaccessFile[],
  openQuestions: readonly OpenQuestion[],
  options: ConversionOptions = {},
): AccessPlan {
  const {
    conversions,
    refusals,
    decidingAlone,
    comparisonCount,
    openQuestions: own,
  } = convertConfiguration(configuration, htaccess, options);
  const admitted = overrideChangesFor(configuration, conversions);
  const needs = overrideChangesByConversion(admitted);
  const reasons = new ValuesByOldLine<NotConverted>();
  const groups: AccessGroup[] = [];
  const places = new ValuesByOldLine<AccessGroup>();
  for (const members of joinedGroups(conversions, admitted)) {
    if (!members.some(isReported)) continue;
    const needed = overrideChangesNeededBy(members, needs);
    // 2.2 does not know AllowOverrideList.
    const obstacle = options.keepsBoth && needed.length > 0 ? notConverted('both-need-override-list', null) : null;
    if (obstacle !== null) {
      for (const { scope } of members) reasons.setOldLines(scope, obstacle);
      continue;
    }
    const group = groupOf(members, needed, options.keepsBoth === true);
    groups.push(group);
    for (const { scope } of members) places.setOldLines(scope, group);
    for (const { file, offset } of conditionsRemovedBy(members)) places.set(file.path, offset, group);
  }
  const edits = lazy(() => editsOfAll(groups));
  for (const { scope, reason } of refusals) reasons.setOldLines(scope, reason);
  // Only files that no configuration reads need this, so it is computed on first use.
  const aloneAt = lazy(() => {
    const lines = new ValuesByOldLine<true>();
    for (const scope of decidingAlone) lines.setOldLines(scope, true);
    return lines;
  });
  return {
    get edits() {
      return edits();
    },
    paths: new Set(groups.flatMap(({ paths }) => [...paths])),
    groups,
    convertedCount: conversions.length,
    comparisonCount,
    refusals: refusals.map(({ scope, causingScope, ...why }) => ({
      ...placeOf(scope),
      ...why,
      cause: placeOf(causingScope),
    })),
    openQuestions: mergedQuestions([
      ...configuration.gaps.map((gap) => withSearch(questionOfGap(gap), configuration)),
      ...own,
      ...templateQuestions(filesOf({ configuration, htaccess }), (name) => ACCESS_NAMES.has(name)),
      ...openQuestions,
      ...admitted.map(overrideChangeQuestion),
    ]),
    groupAt: (path, offset) => places.valueAt(path, offset) ?? null,
    reasonAt: (path, offset) => reasons.valueAt(path, offset) ?? null,
    isAloneAt: (path, offset) => aloneAt().valueAt(path, offset) !== undefined,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function placeOf(scope: Scope): RefusedPlace {
  return {
    path: scope.file.path,
    offset: scope.offset,
    section: sectionName(scope),
    lines: scope.lines.filter(isOldLine).map(({ file, offset }) => ({ path: file.path, offset })),
  };
}

/**
 * Returns a question with what to search on the server. For a missing Include, that is the path
 * below ServerRoot. The path stays relative if ServerRoot is only a guess from the place of the
 * main file.
 */
function withSearch(question: OpenQuestion, { serverRoot, rootScope }: Configuration): OpenQuestion {
  if (question.kind !== 'include-unseen') return question;
  const isGuess =
    serverRoot === guessServerRoot(rootScope.file.path) &&
    !rootScope.lines.some(({ line }) => line.name === 'serverroot');
  const path = isGuess ? question.subject : resolvePath(serverRoot, question.subject);
  return { ...question, search: { folders: [path], names: [] } };
}

/** The same plan with other open questions. Does not compute the edits. */
export function withQuestions(plan: AccessPlan, openQuestions: readonly OpenQuestion[]): AccessPlan {
  return Object.assign(Object.create(plan) as AccessPlan, { openQuestions });
}

/** Makes a group from some conversions and the AllowOverride edits that they need. */
function groupOf(
  conversions: readonly Conversion[],
  needed: readonly OverrideChange[],
  keepsBoth: boolean,
): AccessGroup {
  const files = [
    ...conversions.map(({ scope }) => fileOf(scope)),
    ...conversions.flatMap(({ hostCopies = [] }) => hostCopies.map(({ host }) => host.file)),
    ...conversions.flatMap(({ secondMacros = [] }) => [...secondMacroEdits(secondMacros)].map(([file]) => file)),
    ...conversions.flatMap(({ inlinedIncludes = [] }) => inlinedIncludes.map(({ scope }) => scope.file)),
    ...[...conditionsRemovedBy(conversions)].map(({ file }) => file),
    ...needed.flatMap(({ line, forbiddingLines }) => [line, ...forbiddingLines].map(({ file }) => file)),
  ];
  const edits = lazy(() => groupEdits(conversions, needed, keepsBoth));
  return {
    conversions,
    paths: new Set(files.map(({ path }) => path)),
    get edits() {
      return edits();
    },
  };
}

function groupEdits(
  conversions: readonly Conversion[],
  needed: readonly OverrideChange[],
  keepsBoth: boolean,
): ReadonlyMap<string, readonly TextEdit[]> {
  const edits = new Map<string, TextEdit[]>();
  const add = (path: string, own: readonly TextEdit[]) => {
    if (own.length > 0) appendAll(edits, path, own);
  };
  // Edits are applied in this order. At the same place, the insertion must be before the
  // replacement.
  for (const { line, names } of needed) add(line.file.path, [listEdit(line, names)]);
  for (const line of new Set(needed.flatMap(({ forbiddingLines }) => forbiddingLines)))
    add(line.file.path, [listEdit(line, ['None'])]);
  for (const { scope, hostCopies = [] } of conversions)
    for (const copy of hostCopies) add(copy.host.file.path, [copyEdit(scope, copy)]);
  for (const conversion of conversions) add(fileOf(conversion.scope).path, sectionEdits(conversion, keepsBoth)!);
  for (const { secondMacros = [] } of conversions)
    for (const [{ path }, edit] of secondMacroEdits(secondMacros)) add(path, [edit]);
  for (const { inlinedIncludes = [] } of conversions)
    for (const each of inlinedIncludes) add(each.scope.file.path, [inlinedIncludeEdit(each)]);
  for (const condition of conditionsRemovedBy(conversions)) {
    const { path } = condition.file;
    edits.set(path, withoutCondition(edits.get(path) ?? [], condition));
  }
  return edits;
}

/** The conditions that these conversions remove, without duplicates. */
function conditionsRemovedBy(conversions: readonly Conversion[]): Iterable<VersionCondition> {
  return new Map(
    conversions.flatMap(({ removedConditions }) => removedConditions.map((each) => [each.section, each] as const)),
  ).values();
}

function editsOfAll(groups: readonly AccessGroup[]): ReadonlyMap<string, readonly TextEdit[]> {
  const edits = new Map<string, TextEdit[]>();
  for (const group of groups) for (const [path, own] of group.edits) appendAll(edits, path, own);
  return edits;
}

function overrideChangesByConversion(
  admitted: readonly OverrideChange[],
): ReadonlyMap<Conversion, readonly OverrideChange[]> {
  const needs = new Map<Conversion, OverrideChange[]>();
  for (const admission of admitted)
    for (const conversion of new Set(admission.conversions)) appendAll(needs, conversion, [admission]);
  return needs;
}

/** Appends `more` to the list of a key. Does not copy the list, which may be long. */
function appendAll<K, V>(lists: Map<K, V[]>, key: K, more: readonly V[]): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [...more]);
  else for (const each of more) list.push(each);
}

/** Values of old access lines. The key of a line is its file and its offset there. */
class ValuesByOldLine<T> {
  private readonly files = new Map<string, Map<number, T>>();

  valueAt(path: string, offset: number): T | undefined {
    return this.files.get(path)?.get(offset);
  }

  set(path: string, offset: number, value: T): void {
    let ofFile = this.files.get(path);
    if (!ofFile) this.files.set(path, (ofFile = new Map()));
    ofFile.set(offset, value);
  }

  setOldLines({ lines }: Scope, value: T): void {
    for (const at of lines) if (isOldLine(at)) this.set(at.file.path, at.offset, value);
  }
}

/**
 * Joins the conversions of a group into one list. Groups that edit the same AllowOverride line are
 * also joined.
 */
function joinedGroups(conversions: readonly Conversion[], admitted: readonly OverrideChange[]): Conversion[][] {
  const groups = new Map<number, Conversion[]>();
  for (const conversion of conversions) addTo(groups, conversion.groupNumber, conversion);
  if (admitted.length === 0) return [...groups.values()];
  const numbers = new Map<number, number>();
  const numberOf = ({ groupNumber }: Conversion): number => {
    let number = groupNumber;
    for (let next = numbers.get(number); next !== undefined; next = numbers.get(number)) number = next;
    return number;
  };
  for (const bound of conversionsSharingOverrideEdits(admitted)) {
    const [first = 0, ...others] = new Set(bound.map(numberOf));
    for (const other of others) {
      numbers.set(other, first);
      appendAll(groups, first, groups.get(other)!);
      groups.delete(other);
    }
  }
  return [...groups.values()];
}

/** The AllowOverride edits that some conversions need, without duplicates. */
function overrideChangesNeededBy(
  members: readonly Conversion[],
  needs: ReadonlyMap<Conversion, readonly OverrideChange[]>,
): readonly OverrideChange[] {
  return [...new Set(members.flatMap((member) => needs.get(member) ?? []))];
}

/** The lists of conversions that need an edit of the same AllowOverride line. */
function conversionsSharingOverrideEdits(admitted: readonly OverrideChange[]): Conversion[][] {
  const byLine = new Map<ConfigLine, Conversion[]>();
  for (const { line, forbiddingLines, conversions } of admitted)
    for (const each of [line, ...forbiddingLines]) appendAll(byLine, each, conversions);
  return [...byLine.values()];
}

/**
 * An AllowOverride line that the conversion must extend by an AllowOverrideList, so that httpd
 * accepts Require in .htaccess files.
 */
interface OverrideChange {
  /** The AllowOverride line that applies. */
  readonly line: ConfigLine;
  readonly names: readonly string[];
  /**
   * AllowOverride lines of inner folders that forbid access control in .htaccess files. They must
   * continue to do so.
   */
  readonly forbiddingLines: readonly ConfigLine[];
  /** The conversions that need this change of AllowOverride. */
  readonly conversions: readonly Conversion[];
}

/**
 * The AllowOverride lines after which the conversion adds an AllowOverrideList, so that httpd
 * accepts converted .htaccess files. `names`: the words of that list, `Require` and the names of
 * containers.
 */
function overrideChangesFor(configuration: Configuration, conversions: readonly Conversion[]): OverrideChange[] {
  const found = new Map<ConfigLine, { readonly names: Set<string>; readonly conversions: Conversion[] }>();
  for (let i = 0; i < conversions.length; i++) {
    const conversion = conversions[i]!;
    if (conversion.foldersForbiddingRequire.length === 0) continue;
    for (const line of conversion.foldersForbiddingRequire.flatMap(
      (folder) => overrideLines(configuration, folder) ?? [],
    )) {
      const known = found.get(line) ?? { names: new Set(['Require']), conversions: [] };
      for (const [, name] of printTree(conversion.tree ?? NO_TREE, { indent: '', indentStep: '', eol: '\n' }).matchAll(
        /^<(Require\w+)>/gm,
      ))
        known.names.add(`"<${name}"`);
      known.conversions.push(conversion);
      found.set(line, known);
    }
  }
  return [...found].map(([line, known]) => ({
    line,
    names: [...known.names],
    forbiddingLines: forbiddingLinesBelow(configuration, line).filter((each) => !found.has(each)),
    conversions: known.conversions,
  }));
}

/** The edit that adds an AllowOverrideList after an AllowOverride line. */
function listEdit({ line, offset }: ConfigLine, names: readonly string[]): TextEdit {
  const eol = line.text.endsWith('\r\n') ? '\r\n' : '\n';
  const text = `${indentOf(line)}AllowOverrideList ${names.join(' ')}`;
  const end = offset + line.length;
  return { start: end, end, text: line.text.endsWith('\n') ? text + eol : eol + text };
}

function overrideChangeQuestion({ line: at, names }: OverrideChange): OpenQuestion {
  const all = names.map((name) => name.replace(/["<]/g, '')).join(', ');
  return openQuestion('override-admitted', at.line.text.trim(), [{ path: at.file.path, offset: at.offset }], all);
}

/**
 * Whether some finding reports the section: for an old line, or for a login without a Require. If
 * none does, the section is not changed, because the user would not see why.
 */
function isReported({ scope: { lines }, removedConditions }: Conversion): boolean {
  return removedConditions.length > 0 || lines.some(isOldLine) || !lines.some(({ line }) => line.name === 'require');
}
