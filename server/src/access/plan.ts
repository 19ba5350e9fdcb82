/**
 * Plans the conversion of a whole configuration: edits for each file, and reasons for sections that
 * are not converted.
 */
import type { ConfigLine, Configuration, VersionCondition, Scope } from '../config/configuration';
import { indentOf } from '../syntax/line';
import { resolvePath } from '../config/files';
import { isMissingPackageFolder } from '../config/loaded-modules';
import { guessServerRoot } from '../config/server-root';
import { addTo } from '../syntax/groups';
import { lazy } from '../syntax/memory';
import { openQuestion, questionOfGap, joinedQuestions, type OpenQuestion, type FilePosition } from './open-question';
import { withoutCondition } from './removable-conditions';
import type { TextEdit } from './rewrite';
import { overrideLines, forbiddingLinesBelow } from './override';
import { printTree } from './print';
import { notConverted, type NotConverted } from './not-converted';
import { fileOf, isOldLine, NO_TREE, sectionEdits } from './section-edits';
import { sectionName } from './section-name';
import { templateQuestions } from './template';
import { directoryCopyEdit } from './directory-copies';
import { hostCopyEdit } from './host-copies';
import { convertConfiguration, type Conversion } from './configuration-conversion';
import { ACCESS_NAMES, filesOf, type ConversionOptions } from './conversion-input';
import { inlinedIncludeEdit } from './inlined-includes';
import { secondMacroEdits } from './second-macros';
import type { HtaccessFile } from './sections';

/** The plan for the access lines of a whole configuration. */
export interface AccessPlan {
  /** Edits by path, with offsets in the file. Computed on first use. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /**
   * The files that the edits may change. If the lines of a file are already right, it is in this
   * set, but has no edit.
   */
  readonly paths: ReadonlySet<string>;
  /** Number of sections that get a Require tree. */
  readonly convertedCount: number;
  /**
   * The same edits in groups. The edits of one group must be made together. Sections of different
   * groups never apply to the same request.
   */
  readonly groups: readonly AccessGroup[];
  readonly refusals: readonly AccessRefusal[];
  /** Number of comparisons between two sections. It shows how much work the conversion is. */
  readonly comparisonCount: number;
  /**
   * Open questions that must be answered before the edits are safe. If there is one, the edits are
   * suggestions.
   */
  readonly openQuestions: readonly OpenQuestion[];
  /**
   * The group of edits that converts the old access line at an offset of a file. Null if there is
   * no such line, or if it is not converted.
   */
  groupAt(path: string, offset: number): AccessGroup | null;
  /**
   * The reason why the old access line at an offset of a file is not converted. Null if there is no
   * such line, or if it is converted.
   */
  reasonAt(path: string, offset: number): NotConverted | null;
  /**
   * Whether the section with the old line at an offset decides alone: no other section decides
   * access for its requests.
   */
  isAloneAt(path: string, offset: number): boolean;
}

/** A section that is not converted. */
export interface AccessRefusal {
  readonly path: string;
  readonly offset: number;
  /** The name of the section, such as `<Directory /srv>`. */
  readonly section: string;
  readonly reason: NotConverted;
  /** Questions whose answers may make the conversion possible. */
  readonly questions: readonly OpenQuestion[];
  /** Whether an answer to a question about a condition may make the conversion possible. */
  readonly mayDependOnCondition: boolean;
  /** The old lines of the section, because of which it had to be converted. */
  readonly lines: readonly FilePosition[];
  /**
   * The section that prevents the conversion: this section, or one that applies to the same
   * requests.
   */
  readonly cause: RefusedPlace;
}

/** The place of a section that is not converted. */
export interface RefusedPlace {
  readonly path: string;
  readonly offset: number;
  /** The name of the section, such as `<Directory /srv>`. */
  readonly section: string;
  /** The old lines of the section. */
  readonly lines: readonly FilePosition[];
}

/** Conversions of sections that must be made together. */
export interface AccessGroup {
  /**
   * Edits by path, with offsets in the file. Computed on first use, so `paths` is faster if only
   * the files are needed.
   */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /**
   * The files that the edits may change. If the lines of a file are already right, it is in this
   * set, but has no edit.
   */
  readonly paths: ReadonlySet<string>;
  readonly conversions: readonly Conversion[];
  /** Whether the group is right for each answer to unknown conditions (condition-branches.ts). */
  readonly isForBranches?: true;
  /** Whether a section gets different lines in different branches of a condition. */
  readonly hasBranches?: boolean;
}

/**
 * Plans the conversion of a configuration and its .htaccess files. `openQuestions`: those that the
 * caller found, for example about .htaccess files that are missing. The plan contains them, too.
 */
export function planAccessConversion(
  configuration: Configuration,
  htaccess: readonly HtaccessFile[],
  openQuestions: readonly OpenQuestion[],
  options: ConversionOptions = {},
): AccessPlan {
  const {
    conversions,
    refusals,
    scopesDecidingAlone,
    comparisonCount,
    openQuestions: conversionQuestions,
  } = convertConfiguration(configuration, htaccess, options);
  const overrideChanges = overrideChangesFor(configuration, conversions);
  const changesByConversion = overrideChangesByConversion(overrideChanges);
  const placeOf = refusedPlaces();
  const reasonsByOldLine = new ValuesByOldLine<NotConverted>();
  const groups: AccessGroup[] = [];
  const groupsByOldLine = new ValuesByOldLine<AccessGroup>();
  for (const members of joinedGroups(conversions, overrideChanges)) {
    if (!members.some(isReportedAsConverted)) continue;
    const neededChanges = overrideChangesNeededBy(members, changesByConversion);
    // 2.2 does not know AllowOverrideList, so files for both versions cannot contain it.
    const reasonAgainstBoth =
      options.keepsBoth && neededChanges.length > 0 ? notConverted('both-need-override-list', null) : null;
    if (reasonAgainstBoth !== null) {
      for (const { scope } of members) reasonsByOldLine.setOldLines(scope, reasonAgainstBoth);
      continue;
    }
    const group = groupOf(members, neededChanges, options.keepsBoth === true);
    groups.push(group);
    for (const { scope } of members) groupsByOldLine.setOldLines(scope, group);
    for (const { file, offset } of conditionsRemovedBy(members)) groupsByOldLine.set(file.path, offset, group);
  }
  const edits = lazy(() => editsOfGroups(groups));
  for (const { scope, reason } of refusals) reasonsByOldLine.setOldLines(scope, reason);
  // This is needed only for files outside of any configuration, so it is computed on first use.
  const linesOfScopesDecidingAlone = lazy(() => {
    const decidingLines = new ValuesByOldLine<true>();
    for (const scope of scopesDecidingAlone) decidingLines.setOldLines(scope, true);
    return decidingLines;
  });
  return {
    get edits() {
      return edits();
    },
    paths: new Set(groups.flatMap(({ paths }) => [...paths])),
    groups,
    convertedCount: conversions.length,
    comparisonCount,
    refusals: refusals.map(({ scope, causingScope, reason, questions, mayDependOnCondition }) => ({
      reason,
      questions,
      mayDependOnCondition,
      cause: placeOf(causingScope),
      ...placeOf(scope),
    })),
    openQuestions: joinedQuestions([
      ...configuration.gaps
        .filter((gap) => !isMissingPackageFolder(gap, configuration.serverRoot, options.distribution ?? null))
        .map((gap) => withSearch(questionOfGap(gap), configuration)),
      ...conversionQuestions,
      ...templateQuestions(filesOf({ configuration, htaccess }), (name) => ACCESS_NAMES.has(name)),
      ...openQuestions,
      ...overrideChanges.map(overrideChangeQuestion),
    ]),
    groupAt: (path, offset) => groupsByOldLine.valueAt(path, offset) ?? null,
    reasonAt: (path, offset) => reasonsByOldLine.valueAt(path, offset) ?? null,
    isAloneAt: (path, offset) => linesOfScopesDecidingAlone().valueAt(path, offset) !== undefined,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Returns a function that gives the place of a section. It makes each place once, because one
 * section with thousands of lines can be the cause for thousands of others.
 */
function refusedPlaces(): (scope: Scope) => RefusedPlace {
  const placeByScope = new Map<Scope, RefusedPlace>();
  return (scope) => {
    let place = placeByScope.get(scope);
    if (!place) placeByScope.set(scope, (place = refusedPlaceOf(scope)));
    return place;
  };
}

function refusedPlaceOf(scope: Scope): RefusedPlace {
  return {
    path: scope.file.path,
    offset: scope.offset,
    section: sectionName(scope),
    lines: scope.lines.filter(isOldLine).map(({ file, offset }) => ({ path: file.path, offset })),
  };
}

/**
 * For the question about a missing Include, adds the path to search for on the server. A relative
 * path is resolved with ServerRoot. It stays relative if ServerRoot is only a guess: it is guessed
 * from the folder of the main file, and no line at the top level sets it. Returns all other
 * questions unchanged.
 */
function withSearch(question: OpenQuestion, { serverRoot, rootScope }: Configuration): OpenQuestion {
  if (question.kind !== 'include-unseen') return question;
  const isGuess =
    serverRoot === guessServerRoot(rootScope.file.path) &&
    !rootScope.lines.some(({ line }) => line.name === 'serverroot');
  const searchedPath = isGuess ? question.subject : resolvePath(serverRoot, question.subject);
  return { ...question, search: { folders: [searchedPath], names: [] } };
}

/** Returns the plan with other open questions. Does not compute the edits. */
export function withQuestions(plan: AccessPlan, openQuestions: readonly OpenQuestion[]): AccessPlan {
  return Object.assign(Object.create(plan) as AccessPlan, { openQuestions });
}

/** Makes a group from conversions and the changes of AllowOverride that they need. */
function groupOf(
  conversions: readonly Conversion[],
  neededChanges: readonly OverrideChange[],
  keepsBoth: boolean,
): AccessGroup {
  const files = [
    ...conversions.map(({ scope }) => fileOf(scope)),
    ...conversions.flatMap(({ hostCopies = [] }) => hostCopies.map(({ host }) => host.file)),
    ...conversions.flatMap(({ directoryCopies = [] }) => directoryCopies.map(({ directory }) => directory.file)),
    ...conversions.flatMap(({ secondMacros = [] }) => [...secondMacroEdits(secondMacros)].map(([file]) => file)),
    ...conversions.flatMap(({ inlinedIncludes = [] }) => inlinedIncludes.map(({ scope }) => scope.file)),
    ...[...conditionsRemovedBy(conversions)].map(({ file }) => file),
    ...neededChanges.flatMap(({ line, forbiddingLines }) => [line, ...forbiddingLines].map(({ file }) => file)),
  ];
  return new GroupOfConversions(conversions, new Set(files.map(({ path }) => path)), () =>
    groupEdits(conversions, neededChanges, keepsBoth),
  );
}

/**
 * A group that makes its edits on first use. It is a class, because each object literal with a
 * getter has a function of its own, and a configuration can have thousands of groups.
 */
class GroupOfConversions implements AccessGroup {
  private cachedEdits: ReadonlyMap<string, readonly TextEdit[]> | null = null;

  constructor(
    readonly conversions: readonly Conversion[],
    readonly paths: ReadonlySet<string>,
    private readonly makeEdits: () => ReadonlyMap<string, readonly TextEdit[]>,
  ) {}

  get edits(): ReadonlyMap<string, readonly TextEdit[]> {
    return (this.cachedEdits ??= this.makeEdits());
  }
}

/** Makes the edits of a group, by the path of the file. */
function groupEdits(
  conversions: readonly Conversion[],
  neededChanges: readonly OverrideChange[],
  keepsBoth: boolean,
): ReadonlyMap<string, readonly TextEdit[]> {
  const editsByPath = new Map<string, TextEdit[]>();
  const addEdits = (path: string, newEdits: readonly TextEdit[]) => {
    if (newEdits.length > 0) appendAll(editsByPath, path, newEdits);
  };
  // Edits are applied in this order. If two edits are at the same place, the insertion must come
  // before the replacement.
  for (const { line, names } of neededChanges) addEdits(line.file.path, [overrideListEdit(line, names)]);
  for (const line of new Set(neededChanges.flatMap(({ forbiddingLines }) => forbiddingLines)))
    addEdits(line.file.path, [overrideListEdit(line, ['None'])]);
  for (const { scope, hostCopies = [] } of conversions)
    for (const copy of hostCopies) addEdits(copy.host.file.path, [hostCopyEdit(scope, copy)]);
  for (const conversion of conversions) addEdits(fileOf(conversion.scope).path, sectionEdits(conversion, keepsBoth)!);
  const directoryCopies = conversions
    .flatMap(({ scope, directoryCopies: copies = [] }) => copies.map((copy) => ({ scope, copy })))
    .sort((a, b) => a.copy.position - b.copy.position);
  for (const { scope, copy } of directoryCopies) addEdits(copy.directory.file.path, [directoryCopyEdit(scope, copy)]);
  for (const { secondMacros = [] } of conversions)
    for (const [{ path }, edit] of secondMacroEdits(secondMacros)) addEdits(path, [edit]);
  for (const { inlinedIncludes = [] } of conversions)
    for (const each of inlinedIncludes) addEdits(each.scope.file.path, [inlinedIncludeEdit(each)]);
  for (const condition of conditionsRemovedBy(conversions)) {
    const { path } = condition.file;
    editsByPath.set(path, withoutCondition(editsByPath.get(path) ?? [], condition));
  }
  return editsByPath;
}

/** The conditions that these conversions remove, without duplicates. */
function conditionsRemovedBy(conversions: readonly Conversion[]): Iterable<VersionCondition> {
  return new Map(
    conversions.flatMap(({ removedConditions }) => removedConditions.map((each) => [each.section, each] as const)),
  ).values();
}

/** All edits of these groups, by the path of the file. */
function editsOfGroups(groups: readonly AccessGroup[]): ReadonlyMap<string, readonly TextEdit[]> {
  const editsByPath = new Map<string, TextEdit[]>();
  for (const group of groups) for (const [path, newEdits] of group.edits) appendAll(editsByPath, path, newEdits);
  return editsByPath;
}

/** For each conversion: the changes of AllowOverride that it needs. */
function overrideChangesByConversion(
  overrideChanges: readonly OverrideChange[],
): ReadonlyMap<Conversion, readonly OverrideChange[]> {
  const changesByConversion = new Map<Conversion, OverrideChange[]>();
  for (const overrideChange of overrideChanges)
    for (const conversion of new Set(overrideChange.conversions))
      appendAll(changesByConversion, conversion, [overrideChange]);
  return changesByConversion;
}

/**
 * Appends `newValues` to the list of a key. It pushes the items one by one, because a copy of a
 * long list for each call would be slow.
 */
function appendAll<K, V>(listByKey: Map<K, V[]>, key: K, newValues: readonly V[]): void {
  const listOfKey = listByKey.get(key);
  if (listOfKey === undefined) listByKey.set(key, [...newValues]);
  else for (const each of newValues) listOfKey.push(each);
}

/** Values for old access lines. The key of a line is its file and its offset in that file. */
class ValuesByOldLine<T> {
  private readonly valuesByFile = new Map<string, Map<number, T>>();

  valueAt(path: string, offset: number): T | undefined {
    return this.valuesByFile.get(path)?.get(offset);
  }

  set(path: string, offset: number, value: T): void {
    let valuesOfFile = this.valuesByFile.get(path);
    if (!valuesOfFile) this.valuesByFile.set(path, (valuesOfFile = new Map()));
    valuesOfFile.set(offset, value);
  }

  /** Sets the value of each old line of a scope. */
  setOldLines({ lines }: Scope, value: T): void {
    for (const at of lines) if (isOldLine(at)) this.set(at.file.path, at.offset, value);
  }
}

/**
 * Joins conversions with the same group number into one list. Also joins groups that change the
 * same AllowOverride line.
 */
function joinedGroups(conversions: readonly Conversion[], overrideChanges: readonly OverrideChange[]): Conversion[][] {
  const conversionsByNumber = new Map<number, Conversion[]>();
  for (const conversion of conversions) addTo(conversionsByNumber, conversion.groupNumber, conversion);
  if (overrideChanges.length === 0) return [...conversionsByNumber.values()];
  const joinedNumberByGroupNumber = new Map<number, number>();
  const numberOf = ({ groupNumber }: Conversion): number => {
    let joinedNumber = groupNumber;
    for (
      let next = joinedNumberByGroupNumber.get(joinedNumber);
      next !== undefined;
      next = joinedNumberByGroupNumber.get(joinedNumber)
    )
      joinedNumber = next;
    return joinedNumber;
  };
  for (const sharingConversions of conversionsSharingOverrideEdits(overrideChanges)) {
    const [first = 0, ...others] = new Set(sharingConversions.map(numberOf));
    for (const other of others) {
      joinedNumberByGroupNumber.set(other, first);
      appendAll(conversionsByNumber, first, conversionsByNumber.get(other)!);
      conversionsByNumber.delete(other);
    }
  }
  return [...conversionsByNumber.values()];
}

/** The changes of AllowOverride that these conversions need, without duplicates. */
function overrideChangesNeededBy(
  members: readonly Conversion[],
  changesByConversion: ReadonlyMap<Conversion, readonly OverrideChange[]>,
): readonly OverrideChange[] {
  return [...new Set(members.flatMap((member) => changesByConversion.get(member) ?? []))];
}

/** For each AllowOverride line that changes: the conversions that need the change. */
function conversionsSharingOverrideEdits(overrideChanges: readonly OverrideChange[]): Conversion[][] {
  const conversionsByLine = new Map<ConfigLine, Conversion[]>();
  for (const { line, forbiddingLines, conversions } of overrideChanges)
    for (const each of [line, ...forbiddingLines]) appendAll(conversionsByLine, each, conversions);
  return [...conversionsByLine.values()];
}

/**
 * An AllowOverride line after which the conversion adds an AllowOverrideList, so that httpd accepts
 * Require in .htaccess files.
 */
interface OverrideChange {
  /** The AllowOverride line that applies. */
  readonly line: ConfigLine;
  /**
   * The words of the list: `Require`, and the containers that the new lines use, such as
   * `"<RequireAny"`.
   */
  readonly names: readonly string[];
  /**
   * AllowOverride lines of inner folders that forbid access control in .htaccess files. They get
   * their own AllowOverrideList, so that they still forbid it.
   */
  readonly forbiddingLines: readonly ConfigLine[];
  /** The conversions that need this change of AllowOverride. */
  readonly conversions: readonly Conversion[];
}

/** The changes of AllowOverride with which httpd accepts the converted .htaccess files. */
function overrideChangesFor(configuration: Configuration, conversions: readonly Conversion[]): OverrideChange[] {
  const changesByLine = new Map<ConfigLine, { readonly names: Set<string>; readonly conversions: Conversion[] }>();
  for (let i = 0; i < conversions.length; i++) {
    const conversion = conversions[i]!;
    if (conversion.foldersForbiddingRequire.length === 0) continue;
    for (const line of conversion.foldersForbiddingRequire.flatMap(
      (folder) => overrideLines(configuration, folder) ?? [],
    )) {
      const changeOfLine = changesByLine.get(line) ?? { names: new Set(['Require']), conversions: [] };
      for (const [, name] of printTree(conversion.tree ?? NO_TREE, { indent: '', indentStep: '', eol: '\n' }).matchAll(
        /^<(Require\w+)>/gm,
      ))
        changeOfLine.names.add(`"<${name}"`);
      changeOfLine.conversions.push(conversion);
      changesByLine.set(line, changeOfLine);
    }
  }
  return [...changesByLine].map(([line, changeOfLine]) => ({
    line,
    names: [...changeOfLine.names],
    forbiddingLines: forbiddingLinesBelow(configuration, line).filter((each) => !changesByLine.has(each)),
    conversions: changeOfLine.conversions,
  }));
}

/** The edit that adds an AllowOverrideList after an AllowOverride line. */
function overrideListEdit({ line, offset }: ConfigLine, names: readonly string[]): TextEdit {
  const eol = line.text.endsWith('\r\n') ? '\r\n' : '\n';
  const newLine = `${indentOf(line)}AllowOverrideList ${names.join(' ')}`;
  const lineEnd = offset + line.length;
  return { start: lineEnd, end: lineEnd, text: line.text.endsWith('\n') ? newLine + eol : eol + newLine };
}

/** Tells the user about an AllowOverride line that the conversion widens. */
function overrideChangeQuestion({ line: at, names }: OverrideChange): OpenQuestion {
  const directiveNames = names.map((name) => name.replace(/["<]/g, '')).join(', ');
  return openQuestion(
    'override-admitted',
    at.line.text.trim(),
    [{ path: at.file.path, offset: at.offset }],
    directiveNames,
  );
}

/**
 * Whether the user gets a finding for the section: about an old line, a removed condition, or a
 * login without a Require. Without a finding, the section is not changed, because the user would
 * not see why.
 */
function isReportedAsConverted({ scope: { lines }, removedConditions }: Conversion): boolean {
  return removedConditions.length > 0 || lines.some(isOldLine) || !lines.some(({ line }) => line.name === 'require');
}
