/**
 * Converts the access control of a whole server: each section gets the Require tree that decides in
 * 2.4 as its lines do in 2.2 (docs/how-httpd-reads.md, "The order of sections";
 * docs/access-control.md).
 *
 * In 2.4 the tree of the last section that applies to a request decides alone. So a section is
 * converted only if it inherits the same access for every request to which it may apply. Its new
 * tree stands for its own lines and the inherited ones. If it is uncertain whether another section
 * applies, the new tree must be right with that section and without it.
 */
import {
  loadsModuleFiles,
  type ConfigFile,
  type ConfigLine,
  type Configuration,
  type Scope,
  type VersionCondition,
} from '../config/configuration';
import { namesIn } from '../config/name-set';
import { groupedBy } from '../syntax/groups';
import type { Section } from '../syntax/tree';
import { accessReader, foldersForbiddingRequireFinder } from './access-of-entries';
import { AccessStates } from './access-states';
import {
  conversionInput,
  filesOf,
  hasLine,
  type ConversionInput,
  type ConversionOptions,
  type ConditionRemovals,
} from './conversion-input';
import { questionFinder, questionsForSafety } from './conversion-questions';
import { decideSection, type DirectoryCopy, type HostCopy, type SectionLines } from './decide-section';
import type { OpenQuestion } from './open-question';
import { removableConditions, removedConditionsIn } from './removable-conditions';
import { linesWithDirectoryCopies } from './directory-copies';
import { linesWithHostCopies } from './host-copies';
import { accessInheritedBy } from './inherited-by-section';
import { RequestsWithOldLines } from './requests-with-old-lines';
import { DIRECTIVES_ANSWERING_WITHOUT_FILE } from './mappers';
import type { Tree24 } from './model';
import { textIfOneLine } from './print';
import {
  isReason,
  isSafeToKeep,
  isSameReason,
  notConvertedBecauseOfLine,
  notConverted,
  placeText,
  reasonText,
  type NotConverted,
  type ReasonCode,
} from './not-converted';
import { isReadBy22Only } from './one-version';
import { OLD_ACCESS_NAMES } from './read';
import { needsOwnTree } from './section-access';
import type { InlinedInclude } from './inlined-includes';
import type { SecondMacro } from './second-macros';
import { tagPosition, type SectionEntry } from './section-order';
import { sectionEdits } from './section-edits';
import { forEachScope, listSections, usesWindowsPaths, type HtaccessFile, type ServerFiles } from './sections';
import { SectionsBefore } from './sections-before';
import { ServedFolders } from './served-folders';
import { reasonOfDifferingCondition, sectionsExcludedByOthers } from './excluded-sections';
import { sectionName } from './section-name';
import { unknownDirectivesInScope } from './template';
import { otherSectionsFinder, type OtherSections } from './what-differs';
import {
  copiesOf,
  groupNumbers,
  reasonsForMistakableGroups,
  addRelated,
  relateSectionsInConditions,
  reasonsWithCopies,
  type Copies,
  type Decisions,
  type RelatedSections,
  type SplitTexts,
} from './together';

/** The new lines of a section. */
export interface Conversion {
  readonly scope: Scope;
  /**
   * The new Require tree of the section. If `authMerging` is set, httpd combines it with the
   * inherited tree. Null if the old lines are removed without new ones: the section then inherits
   * its access.
   */
  readonly tree: Tree24 | null;
  readonly authMerging: 'And' | 'Or' | null;
  /**
   * The old lines of a section that already has the lines for 2.4, in a condition. The conversion
   * removes the old lines, and writes none. Absent if it has to write `tree`.
   */
  readonly removedLines?: readonly ConfigLine[];
  /**
   * Copies of the section in virtual hosts that need a different tree. Absent if there are none.
   */
  readonly hostCopies?: readonly HostCopy[];
  /** Copies of the section in directories that need a different tree. Absent if there are none. */
  readonly directoryCopies?: readonly DirectoryCopy[];
  /**
   * Copies of the macro with the old lines, to write after that macro. Absent if there are none.
   */
  readonly secondMacros?: readonly SecondMacro[];
  /**
   * Include lines that are replaced, because their sections need other new lines than the included
   * file gets. Absent if there are none.
   */
  readonly inlinedIncludes?: readonly InlinedInclude[];
  /**
   * For a .htaccess file: those of its folders in which AllowOverride allows the class Limit but
   * not the directive Require, so that the conversion must change AllowOverride. A file has several
   * folders if links lead to it. Otherwise empty.
   */
  readonly foldersForbiddingRequire: readonly string[];
  /** Conversions with the same number are made together or not at all. */
  readonly groupNumber: number;
  /** The conditions that the conversion removes, because 2.2 reads their lines and 2.4 does not. */
  readonly removedConditions: readonly VersionCondition[];
}

/** The Require trees that a conversion writes. */
export function treesOf(conversion: Conversion): readonly (Tree24 | null)[] {
  const { hostCopies = [], directoryCopies = [], secondMacros = [], inlinedIncludes = [] } = conversion;
  return [conversion, ...hostCopies, ...directoryCopies, ...secondMacros, ...inlinedIncludes].map(({ tree }) => tree);
}

/** A section that is not converted. */
export interface Unconverted {
  readonly scope: Scope;
  /**
   * The section that prevents the conversion: the unconverted section itself, or a section that
   * applies to the same requests.
   */
  readonly causingScope: Scope;
  readonly reason: NotConverted;
  /** Questions to the user. Some answers to them make the conversion of the section possible. */
  readonly questions: readonly OpenQuestion[];
  /** Whether an answer about a condition may make the conversion possible. */
  readonly mayDependOnCondition: boolean;
}

/** The result of the conversion of a whole configuration. */
export interface ConfigurationConversion {
  readonly conversions: readonly Conversion[];
  readonly refusals: readonly Unconverted[];
  readonly openQuestions: readonly OpenQuestion[];
  /** Sections for whose requests no other section decides access. */
  readonly scopesDecidingAlone: readonly Scope[];
  /** Number of comparisons between two sections. It shows how much work the conversion is. */
  readonly comparisonCount: number;
}

/**
 * Converts the access lines of a configuration and its .htaccess files. If a section inside of a
 * condition cannot be converted, tries again without the removal of that condition.
 */
export function convertConfiguration(
  configuration: Configuration,
  htaccess: readonly HtaccessFile[],
  options: ConversionOptions = {},
): ConfigurationConversion {
  const resultIfReadTooOften = sectionsReadTooOften(configuration);
  if (resultIfReadTooOften !== null) return resultIfReadTooOften;
  const files: ServerFiles = { configuration, htaccess };
  const reasonBySection = new Map<Section, NotConverted>();
  let removedConditions: ReadonlySet<Section> =
    options.source === '2.4' ? NO_CONDITIONS : removableConditions(configuration, htaccess);
  for (let round = 0; ; round++) {
    const input = conversionInput(files, options, { removedConditions, reasonBySection });
    const anyPathResult = convertAnyPath(input);
    if (anyPathResult !== null) return anyPathResult;
    const { conversion, reasonByRemainingCondition } = convertOnce(input);
    if (reasonByRemainingCondition.size === 0) return conversion;
    reasonByRemainingCondition.forEach((reason, section) => reasonBySection.set(section, reason));
    removedConditions =
      round < MAX_ATTEMPTS
        ? new Set([...removedConditions].filter((section) => !reasonByRemainingCondition.has(section)))
        : NO_CONDITIONS;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const NO_CONDITIONS: ReadonlySet<Section> = new Set();
const NO_CONVERSION: ConfigurationConversion = {
  conversions: [],
  refusals: [],
  openQuestions: [],
  scopesDecidingAlone: [],
  comparisonCount: 0,
};

/**
 * Maximum number of attempts in which conditions are removed. Each attempt removes fewer conditions
 * than the attempt before. If all of them fail, a last attempt removes no condition.
 */
const MAX_ATTEMPTS = 3;

/**
 * Limit of comparisons between two sections: a base, and an allowance for each character of the
 * files (both together at most `MAX_COMPARISONS_FOR_TEXT`), for each section and each virtual host.
 * Above the limit, nothing is converted. Hosting servers need at most 70 for each virtual host
 * (test/access/large.slow.test.ts). A file that includes itself has thousands of sections.
 */
const COMPARISONS_OF_SHORT_FILE = 100_000;
const COMPARISONS_PER_CHARACTER = 5;
const MAX_COMPARISONS_FOR_TEXT = 500_000;
const MORE_COMPARISONS_PER_SECTION = 100;
const MORE_COMPARISONS_PER_HOST = 500;

/**
 * Limit of sections whose text a Use or Include line inserts once more: a base, and one section for
 * every 10 characters of the files. The limit permits ten thousand virtual hosts from one macro. It
 * does not permit 30,000 sections from a file of 10 kB.
 */
const MAX_REPEATED_SECTIONS = 5_000;
const CHARACTERS_PER_REPEATED_SECTION = 10;

/** Reasons that may go away after the user answers a question about a condition. */
const REASONS_FROM_CONDITIONS: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'inherits-different',
  'too-many-sections',
  'in-condition',
]);

interface ConversionAttempt {
  readonly conversion: ConfigurationConversion;
  /**
   * The conditions that must stay because a section inside is not converted. The value is the
   * reason why that section is not converted.
   */
  readonly reasonByRemainingCondition: ReadonlyMap<Section, NotConverted>;
}

/**
 * Converts a configuration with a variable in the path of a section, such as `<Directory ${DOCS}>`.
 * Null if there is no such path, or if it may matter. It does not matter if each section with
 * access lines has Order, Allow and Deny lines, and nothing else. Such a section inherits nothing,
 * and so does its Require tree. Both versions apply the sections in the same order, so in both the
 * same section decides, whatever the path is. The sections are converted together or not at all.
 */
function convertAnyPath(input: ConversionInput): ConfigurationConversion | null {
  const { options, htaccess, conditionRemovals, configuration } = input;
  if (options.source === '2.4' || htaccess.length > 0 || !hasVariableInTag(configuration.rootScope)) return null;
  if (usesWindowsPaths(input)) return null;
  const entries = listSections(input, false, conditionRemovals.removedConditions, accessReader(input));
  const decidingSections = entries.filter(({ ownAccess }) => needsOwnTree(ownAccess));
  const entriesWithVariable = decidingSections.filter(({ ownAccess }) => ownAccess.reason?.code === 'tag-variable');
  if (entriesWithVariable.length === 0 || !decidingSections.every(inheritsNothing)) return null;
  for (const entry of entriesWithVariable)
    entry.ownAccess = { ...entry.ownAccess, reason: null, isDecisionKnown: true };
  const { conversion } = convertOnce(input, entries);
  const [firstConversion] = conversion.conversions;
  if (firstConversion === undefined || conversion.refusals.length > 0) return null;
  return {
    ...conversion,
    conversions: conversion.conversions.map((each) => ({ ...each, groupNumber: firstConversion.groupNumber })),
  };
}

function hasVariableInTag({ words, children }: Scope): boolean {
  return words.some((word) => word.includes('${')) || children.some(hasVariableInTag);
}

/**
 * Whether a section inherits nothing, whatever its path is: both versions read it, and it has host
 * rules and nothing else.
 */
function inheritsNothing({ scope, ownAccess, readBy }: SectionEntry): boolean {
  const { reason, hostRules, satisfyByMethod, userRequirements, hasAuthType, unconverted24, cancelsGroupFile } =
    ownAccess;
  return (
    (reason === null || (reason.code === 'tag-variable' && isPlainPath(scope))) &&
    hostRules !== null &&
    satisfyByMethod.size === 0 &&
    userRequirements === null &&
    unconverted24 === null &&
    !hasAuthType &&
    !cancelsGroupFile &&
    readBy.in22 === 'active' &&
    readBy.in24 === 'active'
  );
}

/** Whether the tag has one path, without a pattern that the two versions may read differently. */
function isPlainPath({ kind, words }: Scope): boolean {
  return (kind === 'directory' || kind === 'location') && words.length === 1 && /^[\w/.${}-]+$/.test(words[0]!);
}

/**
 * Makes one attempt to convert the configuration. It removes the conditions in `conditionRemovals`.
 * `listedEntries`: the sections, if the caller already listed them.
 */
function convertOnce(input: ConversionInput, listedEntries?: readonly SectionEntry[]): ConversionAttempt {
  const { conditionRemovals, survey } = input;
  const { removedConditions } = conditionRemovals;
  const isOnWindows = usesWindowsPaths(input);
  const entries = listedEntries ?? listSections(input, isOnWindows, removedConditions, accessReader(input));
  // If 2.4 reads no old lines, there is nothing to convert: the configuration may be written for
  // 2.4.
  if (
    !entries.some(
      ({ ownAccess, scope }) => ownAccess.hasOldLines && removedConditionsIn(scope, removedConditions).length === 0,
    )
  )
    return { conversion: NO_CONVERSION, reasonByRemainingCondition: reasonsThatOnly22Reads(removedConditions) };
  const earlierSections = makeSectionsBefore(input, entries, isOnWindows);
  const states = new AccessStates(survey);
  const sectionCount = entries.length + earlierSections.hostCount;
  const maxComparisons =
    Math.min(
      COMPARISONS_OF_SHORT_FILE + COMPARISONS_PER_CHARACTER * totalLengthOf(filesOf(input)),
      MAX_COMPARISONS_FOR_TEXT,
    ) +
    MORE_COMPARISONS_PER_SECTION * entries.length +
    MORE_COMPARISONS_PER_HOST * earlierSections.hostCount;
  const decisionsOfSections = decideSections(entries, input, states, earlierSections, maxComparisons);
  if (decisionsOfSections === null)
    return {
      conversion: tooManySections(
        entries.filter(({ ownAccess }) => needsOwnTree(ownAccess)).map(({ scope }) => scope),
        earlierSections.comparisonCount,
      ),
      reasonByRemainingCondition: reasonsThatOnly22Reads(removedConditions),
    };
  const copies = copiesOf(entries, input);
  const splitTexts: SplitTexts = new Map();
  const reasonByEntry = reasonsWithCopies(decisionsOfSections, copies, input, splitTexts);
  const limits = { sectionCount, maxComparisons, hasSatisfyAny: input.hasSatisfyAny };
  const requests = new RequestsWithOldLines(decisionsOfSections, reasonByEntry, states, earlierSections, limits);
  const causeByEntry = sectionsExcludedByOthers(
    entries,
    decisionsOfSections,
    reasonByEntry,
    requests,
    copies,
    input.options.isConvertedInPart === true,
  );
  const decisions: Decisions = { ...decisionsOfSections, reasonByEntry };
  if (survey.source === '2.2')
    for (const [entry, reason] of reasonsForMistakableGroups(decisions, copies))
      requests.markUnconverted(entry, reason);
  const questionsOfCause = questionFinder(input, earlierSections, states);
  const shownReason = shownReasonFinder(decisions, input, otherSectionsFinder(earlierSections, states));
  const unconvertedSection = (entry: SectionEntry): Unconverted => {
    const cause = causeByEntry.get(entry) ?? entry;
    const reasonOfCause = decisions.reasonByEntry.get(cause) ?? reasonOfDifferingCondition(cause);
    return {
      scope: entry.scope,
      causingScope: cause.scope,
      reason: shownReason(entry, cause),
      questions: questionsOfCause(cause, reasonOfCause),
      mayDependOnCondition: REASONS_FROM_CONDITIONS.has(reasonOfCause.code),
    };
  };
  const sameScopeCopies = copiesInSameScope(copies);
  const firstEntries = entries.filter((entry) => (sameScopeCopies.get(entry)?.[0] ?? entry) === entry);
  const unconvertedEntries = firstEntries.filter(
    (entry) => decisions.reasonByEntry.has(entry) && !requests.hasEquivalentFor24(entry),
  );
  const conversion = {
    conversions: makeConversions(entries, decisions, { copies, splitTexts }, input),
    refusals: unconvertedEntries.map(unconvertedSection),
    openQuestions: questionsForSafety(entries, input, earlierSections),
    scopesDecidingAlone: firstEntries
      .filter((entry) => decidesAlone(entry, decisions, sameScopeCopies))
      .map(({ scope }) => scope),
    comparisonCount: earlierSections.comparisonCount,
  };
  return {
    conversion,
    reasonByRemainingCondition: reasonOfEachRemainingCondition(decisions.reasonByEntry, removedConditions),
  };
}

/** Makes the object that finds the sections before each section of a configuration. */
function makeSectionsBefore(
  input: ConversionInput,
  entries: readonly SectionEntry[],
  isOnWindows: boolean,
): SectionsBefore {
  const { configuration, options } = input;
  return new SectionsBefore(
    configuration,
    entries,
    new ServedFolders(configuration, entries, (visit) => forEachScope(input, visit), isOnWindows),
    hasLine(input, DIRECTIVES_ANSWERING_WITHOUT_FILE, () => true),
    options.subjectsNeverTogether,
  );
}

/**
 * Decides for each section by itself whether it can be converted, and which new lines it gets. Null
 * if that takes more comparisons than `maxComparisons`.
 */
function decideSections(
  entries: readonly SectionEntry[],
  { configuration, conditionRemovals, options }: ConversionInput,
  states: AccessStates,
  earlierSections: SectionsBefore,
  maxComparisons: number,
): Decisions | null {
  const linesByEntry = new Map<SectionEntry, SectionLines>();
  const reasonByEntry = new Map<SectionEntry, NotConverted>();
  const relatedSectionsByEntry: RelatedSections = new Map();
  for (const entry of entries) {
    if (!needsOwnTree(entry.ownAccess)) continue;
    // No lines of 2.2 apply to requests for this virtual host, so its sections are already written
    // for 2.4.
    if (entry.host !== null && !earlierSections.hasOldLinesFor(entry.host)) continue;
    const inheritedAccess = accessInheritedBy(entry, earlierSections, states, (other) =>
      addRelated(relatedSectionsByEntry, entry, other),
    );
    if (earlierSections.comparisonCount > maxComparisons) return null;
    const problem = states.survey.reason ?? entry.ownAccess.reason ?? reasonOfSectionFor22(entry, conditionRemovals);
    const decision =
      problem ?? (isReason(inheritedAccess) ? inheritedAccess : decideSection(entry, inheritedAccess, states));
    if (isReason(decision))
      reasonByEntry.set(
        entry,
        reasonNamingSectionOf24(decision, entry, relatedSectionsByEntry, options.isConvertedInPart === true),
      );
    else if (decision !== null) linesByEntry.set(entry, decision);
  }
  const entriesInheritingDifferentAccess = [...reasonByEntry].flatMap(([entry, { code }]) =>
    code === 'inherits-different' ? [entry] : [],
  );
  const convertWithLines = (entry: SectionEntry, lines: SectionLines) => {
    reasonByEntry.delete(entry);
    linesByEntry.set(entry, lines);
  };
  for (const entry of entriesInheritingDifferentAccess) {
    const lines = linesWithHostCopies(entry, earlierSections, states, relatedSectionsByEntry);
    if (lines !== null) convertWithLines(entry, lines);
  }
  linesWithDirectoryCopies(entriesInheritingDifferentAccess, {
    entries,
    earlierSections,
    states,
    relatedSections: relatedSectionsByEntry,
    linesByEntry,
    keepsBoth: options.keepsBoth === true,
  }).forEach((lines, entry) => convertWithLines(entry, lines));
  if (options.keepsBoth === true) addReasonsAgainstBothVersions(linesByEntry, reasonByEntry, configuration);
  relateSectionsInConditions(relatedSectionsByEntry, entries, conditionRemovals.removedConditions);
  return { linesByEntry, reasonByEntry, relatedSectionsByEntry };
}

/**
 * If a section is not converted because it inherits a Require line of 2.4, returns a reason that
 * names the outer section with this line. Otherwise returns `reason`.
 */
function reasonNamingSectionOf24(
  reason: NotConverted,
  entry: SectionEntry,
  relatedSections: RelatedSections,
  isConvertedInPart: boolean,
): NotConverted {
  const isInherited = reason.code === 'require-of-24' && entry.ownAccess.reason === null;
  const sectionOf24 =
    isInherited && [...(relatedSections.get(entry) ?? [])].find(({ ownAccess }) => ownAccess.hasLinesOf24);
  if (!sectionOf24) return reason;
  const { scope } = sectionOf24;
  return notConverted(
    'beside-section-of-24',
    tagPosition(sectionOf24),
    sectionName(scope),
    placeText(scope.file, scope.offset),
    isConvertedInPart,
  );
}

/**
 * Adds a reason for each section whose lines for 2.2 and for 2.4 cannot be in the file together.
 */
function addReasonsAgainstBothVersions(
  linesByEntry: ReadonlyMap<SectionEntry, SectionLines>,
  reasonByEntry: Map<SectionEntry, NotConverted>,
  { loadedModules, gaps }: Configuration,
): void {
  const areModulesLoadedByLines = loadsModuleFiles(loadedModules, gaps);
  for (const [entry, lines] of linesByEntry) {
    const writtenScopes = [entry.scope, ...(lines.directoryCopies ?? []).map(({ directory }) => directory)];
    const reason = reasonAgainstBothVersions(
      entry,
      lines,
      areModulesLoadedByLines && writtenScopes.some(({ isAboveLoads }) => isAboveLoads === true),
    );
    if (reason !== null) reasonByEntry.set(entry, reason);
  }
}

/**
 * Why the lines for 2.2 and for 2.4 cannot be in the file together. Null if they can.
 * `isAboveLoads`: whether 2.4 loads its modules after it decides the conditions in the section.
 */
function reasonAgainstBothVersions(
  { scope, ownAccess }: SectionEntry,
  lines: SectionLines,
  isAboveLoads: boolean,
): NotConverted | null {
  if (ownAccess.unconverted24 !== null)
    return ownAccess.unconverted24.oldLines.length > 0 ? notConverted('both-not-adjacent', null) : null;
  if (lines.hostCopies?.length) return notConverted('both-by-host', null);
  const edits = sectionEdits({ scope, ...lines }, true);
  if (edits !== null) return isAboveLoads && edits.length > 0 ? notConverted('both-above-loads', null) : null;
  return ownAccess.hostRules !== null || ownAccess.satisfyByMethod.size > 0
    ? notConverted('both-not-adjacent', null)
    : notConverted('both-need-new-lines', null, lines.tree && textIfOneLine(lines.tree));
}

/** Why a section that only 2.2 reads is not converted. Null if 2.4 may read it, too. */
function reasonOfSectionFor22(entry: SectionEntry, { reasonBySection }: ConditionRemovals): NotConverted | null {
  const { activityByVersion } = entry.scope;
  if (activityByVersion === undefined || !isReadBy22Only(entry)) return null;
  const reasonOfCondition = activityByVersion.conditions
    .map(({ section }) => reasonBySection.get(section))
    .find((reason) => reason !== undefined);
  return reasonOfCondition ?? notConverted('only-22-reads', null);
}

/**
 * If Use and Include lines insert the same sections too often, returns the result in which nothing
 * is converted, and each section is listed once. Otherwise null.
 */
function sectionsReadTooOften({ rootScope, files }: Configuration): ConfigurationConversion | null {
  const isReadOnce = ({ readingCount, tree }: ConfigFile) => readingCount === 1 && !namesIn(tree.root).hasName('use');
  if ([...files.values()].every(isReadOnce)) return null;
  const scopesByPlace = new Map<string, Scope>();
  let repeatedCount = 0;
  const visit = (scope: Scope): void => {
    const placeKey = `${scope.offset} ${scope.file.path}`;
    if (scopesByPlace.has(placeKey)) repeatedCount++;
    else scopesByPlace.set(placeKey, scope);
    scope.children.forEach(visit);
  };
  visit(rootScope);
  if (repeatedCount <= MAX_REPEATED_SECTIONS + totalLengthOf([...files.values()]) / CHARACTERS_PER_REPEATED_SECTION)
    return null;
  const scopes = [...scopesByPlace.values()].filter(({ lines }) =>
    lines.some(({ line }) => OLD_ACCESS_NAMES.has(line.name)),
  );
  return tooManySections(scopes, repeatedCount);
}

/** The length of these files together. A file that is read more than once counts once. */
function totalLengthOf(files: readonly ConfigFile[]): number {
  return [...new Set(files.map(({ tree }) => tree))].reduce((sum, { length }) => sum + length, 0);
}

/** The result if there are too many sections: no section is converted. */
function tooManySections(scopes: readonly Scope[], comparisonCount: number): ConfigurationConversion {
  const reason = notConverted('too-many-sections', null);
  const refusals = scopes.map((scope) => ({
    scope,
    causingScope: scope,
    reason,
    questions: [],
    mayDependOnCondition: false,
  }));
  return { ...NO_CONVERSION, refusals, comparisonCount };
}

/** Gives each of the conditions the reason that only 2.2 reads the lines inside. */
function reasonsThatOnly22Reads(removedConditions: ReadonlySet<Section>): ReadonlyMap<Section, NotConverted> {
  return new Map([...removedConditions].map((section) => [section, notConverted('only-22-reads', null)]));
}

/**
 * The conditions that cannot be removed, because a section inside is not converted. The value is
 * the reason for that section.
 */
function reasonOfEachRemainingCondition(
  reasonByEntry: ReadonlyMap<SectionEntry, NotConverted>,
  removedConditions: ReadonlySet<Section>,
): ReadonlyMap<Section, NotConverted> {
  const reasonByCondition = new Map<Section, NotConverted>();
  if (removedConditions.size === 0) return reasonByCondition;
  for (const [{ scope }, reason] of reasonByEntry)
    for (const { section } of removedConditionsIn(scope, removedConditions))
      if (!reasonByCondition.has(section)) reasonByCondition.set(section, reason);
  return reasonByCondition;
}

/**
 * Returns a function that gives the reason to show for a section. The reason names the sections
 * that cause it, and ends with what the user can do. If a section waits for another section, the
 * reason says why that other section is not converted. If unknown directives anywhere prevent all
 * conversions, a section that contains such directives shows only these.
 */
function shownReasonFinder(
  { reasonByEntry }: Decisions,
  { unknownInConfiguration, configuration, options, hasSatisfyAny }: ConversionInput,
  otherSectionsOf: (entry: SectionEntry) => OtherSections,
): (entry: SectionEntry, cause: SectionEntry) => NotConverted {
  const shownReasonByEntry = new Map<SectionEntry, NotConverted>();
  // One section with thousands of lines can be the cause for thousands of others.
  const mayChangeByEntry = new Map<SectionEntry, boolean>();
  const reasonOfItself = (entry: SectionEntry): NotConverted => {
    let cachedReason = shownReasonByEntry.get(entry);
    if (cachedReason === undefined)
      shownReasonByEntry.set(
        entry,
        (cachedReason = {
          ...withSectionNamed(entry, reasonByEntry.get(entry) ?? reasonOfDifferingCondition(entry)),
          mayAccessChangeIfKept: mayAccessChange(entry),
        }),
      );
    return cachedReason;
  };
  // A server that already runs 2.4 reads the old lines with mod_access_compat, so they change
  // nothing if they stay.
  const mayAccessChange = (entry: SectionEntry): boolean => {
    let mayChange = mayChangeByEntry.get(entry);
    if (mayChange === undefined)
      mayChangeByEntry.set(
        entry,
        (mayChange = options.source !== '2.4' && !isSafeToKeep(entry.scope.lines, hasSatisfyAny)),
      );
    return mayChange;
  };
  const withSectionNamed = (entry: SectionEntry, reason: NotConverted): NotConverted => {
    const { ownAccess, scope } = entry;
    if (reason.code !== 'inherits-different')
      return { ...reason, sectionText: scope.kind === 'htaccess' ? 'this .htaccess file' : 'this section' };
    // The text names a second section, so "this section" would be unclear.
    const section = scope.kind === 'htaccess' ? 'this .htaccess file' : sectionName(scope);
    const { differingSections, replaceableSections } = otherSectionsOf(entry);
    const satisfyLine =
      ownAccess.hostRules !== null && ownAccess.satisfyByMethod.size === 0 && differingSections.length === 1
        ? satisfyAnyIn(differingSections[0]!)
        : null;
    const inheritsRequire =
      ownAccess.userRequirements === null &&
      differingSections[0]?.ownAccess.userRequirements != null &&
      !deniesEveryone(scope);
    if (satisfyLine && section.startsWith('<') && entry.host === null && differingSections[0]!.host !== null)
      return {
        ...notConvertedBecauseOfLine('inherits-satisfy-of-host', satisfyLine, inheritsRequire),
        sectionText: section,
      };
    if (satisfyLine)
      return {
        ...notConvertedBecauseOfLine(
          'inherits-satisfy',
          satisfyLine,
          nameInReason(differingSections[0]!.scope),
          scope.kind.startsWith('files') && DIRECTORY_KINDS.has(differingSections[0]!.scope.kind),
          inheritsRequire,
        ),
        sectionText: section,
      };
    const areAllReplaceable = replaceableSections?.every(
      ({ stage, isRegex, isPattern }) => stage !== 'files' && !isRegex && !isPattern,
    );
    return {
      ...notConverted(
        'inherits-different',
        null,
        differingSections.map(nameWithPlace),
        (replaceableSections ?? []).map(nameWithPlace),
        areAllReplaceable === true,
        ownAccess.hostRules === null ? 'Order, Allow or Deny' : 'Require',
        differingSections.length === 1 && isForPathBelow(differingSections[0]!, entry),
      ),
      sectionText: section,
    };
  };
  return (entry, cause) => {
    const reasonOfEntry = reasonByEntry.get(entry)!;
    if (isSameReason(reasonByEntry.get(cause) ?? reasonOfEntry, unknownInConfiguration?.reason))
      return unknownDirectivesInScope(entry.scope, configuration)?.reason ?? reasonOfEntry;
    if (reasonOfEntry.code !== 'beside-section') return reasonOfItself(entry);
    const reasonOfCause: NotConverted = {
      ...reasonOfItself(cause),
      sectionText: sectionName(cause.scope),
      linesText: 'the access lines of both sections',
      mayAccessChangeIfKept: mayAccessChange(entry) || mayAccessChange(cause),
    };
    return { ...reasonOfEntry, parameters: [...reasonOfEntry.parameters.slice(0, -1), reasonText(reasonOfCause)] };
  };
}

/** Whether the Order and Deny lines of a section deny everyone. It then has no Allow line. */
function deniesEveryone({ lines }: Scope): boolean {
  const hasLine = (pattern: RegExp) => lines.some(({ line }) => pattern.test(line.text.trim()));
  return !hasLine(/^allow\b/i) && (hasLine(/^deny\s+from\s+all$/i) || hasLine(/^order\s+"?allow,deny"?$/i));
}

/** The kinds of scopes for directories. A `<Files>` section can be inside of them. */
const DIRECTORY_KINDS: ReadonlySet<string> = new Set(['directory', 'directorymatch', 'htaccess']);

/** The name of a section in a reason. For a .htaccess file: its name with the directory. */
function nameInReason(scope: Scope): string {
  return scope.kind === 'htaccess' ? placeText(scope.file, scope.offset).replace(/:\d+$/, '') : sectionName(scope);
}

/** The tag of a section and its place, as in `<Location /a> (httpd.conf:11)`. */
function nameWithPlace({ scope }: SectionEntry): string {
  return `${sectionName(scope)} (${placeText(scope.file, scope.offset)})`;
}

/** Whether a section is for a path below the path of another section of the same kind. */
function isForPathBelow({ scope: inner }: SectionEntry, { scope: outer }: SectionEntry): boolean {
  const [innerPath = '', outerPath = ''] = [inner.words[0], outer.words[0]];
  return (
    inner.kind === outer.kind &&
    (inner.kind === 'location' || inner.kind === 'directory') &&
    inner.words.length === 1 &&
    outer.words.length === 1 &&
    !/[*?[\]$]/.test(innerPath + outerPath) &&
    innerPath.startsWith(`${outerPath.replace(/\/$/, '')}/`)
  );
}

/**
 * The first Satisfy line of a section, if `Satisfy Any` applies to some or all methods. Otherwise
 * undefined.
 */
function satisfyAnyIn({ ownAccess, scope }: SectionEntry): ConfigLine | undefined {
  if (![...ownAccess.satisfyByMethod.values()].includes('any')) return undefined;
  return scope.lines.find(({ line }) => line.name === 'satisfy');
}

/**
 * Makes the conversions from the decisions. If several sections share one text, such as an included
 * file, only one of them gets a conversion.
 */
function makeConversions(
  entries: readonly SectionEntry[],
  decisions: Decisions,
  { copies, splitTexts }: { readonly copies: Copies; readonly splitTexts: SplitTexts },
  input: ConversionInput,
): readonly Conversion[] {
  const { linesByEntry, reasonByEntry } = decisions;
  const entryToConvert = (list: readonly SectionEntry[]) => splitTexts.get(list)?.entryWithSharedLines ?? list[0];
  const skippedEntries = new Set<SectionEntry>(
    [...new Set(copies.values())].flatMap((list) => list.filter((entry) => entry !== entryToConvert(list))),
  );
  const groups = groupNumbers(decisions, copies);
  const findForbiddingFolders = foldersForbiddingRequireFinder(input);
  const foldersForbiddingRequireOf = (entry: SectionEntry): readonly string[] => {
    const lines = linesByEntry.get(entry);
    return lines && lines.tree !== null && lines.authMerging === null ? findForbiddingFolders(entry.scope) : [];
  };
  const conversions: Conversion[] = [];
  for (const entry of entries) {
    const convertedLines = linesByEntry.get(entry);
    if (
      !convertedLines ||
      reasonByEntry.has(entry) ||
      skippedEntries.has(entry) ||
      entry.ownAccess.unconverted24?.oldLines.length === 0
    )
      continue;
    const splitText = splitTexts.get(copies.get(entry) ?? []);
    conversions.push({
      scope: entry.scope,
      tree: convertedLines.tree,
      authMerging: convertedLines.authMerging,
      hostCopies: convertedLines.hostCopies,
      directoryCopies: convertedLines.directoryCopies,
      removedLines: entry.ownAccess.unconverted24?.oldLines,
      foldersForbiddingRequire:
        copies.get(entry)?.flatMap(foldersForbiddingRequireOf) ?? foldersForbiddingRequireOf(entry),
      secondMacros: splitText?.secondMacros,
      inlinedIncludes: splitText?.inlinedIncludes,
      groupNumber: groups.get(entry)!,
      removedConditions: removedConditionsIn(entry.scope, input.conditionRemovals.removedConditions),
    });
  }
  return conversions;
}

/**
 * For each section with copies: the copies that have the same scope, for example one copy for each
 * virtual host that reads a .htaccess file.
 */
function copiesInSameScope(copies: Copies): Copies {
  const sameScopeCopiesByEntry = new Map<SectionEntry, readonly SectionEntry[]>();
  for (const list of new Set(copies.values()))
    for (const sameScopeEntries of groupedBy(list, ({ scope }) => scope).values())
      for (const entry of sameScopeEntries) sameScopeCopiesByEntry.set(entry, sameScopeEntries);
  return sameScopeCopiesByEntry;
}

/** Whether no other section decides access for the requests of a section. */
function decidesAlone(entry: SectionEntry, { relatedSectionsByEntry }: Decisions, sameScopeCopies: Copies): boolean {
  const copiesOfEntry = sameScopeCopies.get(entry) ?? [entry];
  return needsOwnTree(entry.ownAccess) && !copiesOfEntry.some((each) => relatedSectionsByEntry.has(each));
}
