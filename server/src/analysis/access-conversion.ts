/**
 * Converts the access control of whole configurations for `check`, `fix`, the lightbulb, Fix All
 * and the commands. For each old line it finds the change that converts the line, and the open
 * questions that must be answered first. If a line is not converted, it finds the reason.
 *
 * A section that `planAccessConversion` refuses is not converted. The edits of a change are made
 * together or not at all, so a change that needs an unchangeable file is not offered. This file
 * does no I/O: it reads files through a view.
 */
import { CLIENT_ADDRESS_DIRECTIVES, treeComparesAddress, lostAddressModule } from '../access/client-address';
import { withAssumptions, withBranches } from '../access/condition-branches';
import { accessConditionDecider, knownMpm } from '../access/conditions';
import { discoverHtaccess, type DiscoveredHtaccess } from '../access/htaccess-files';
import {
  withCoveringQuestions,
  openQuestion,
  openQuestionTexts,
  questionOfGap,
  joinedQuestions,
  RUNNING_VERSION_QUESTION,
  type FilePosition,
  type OpenQuestion,
  type OpenQuestionKind,
} from '../access/open-question';
import type { Source } from '../access/model';
import { notConverted, reasonText, type NotConverted } from '../access/not-converted';
import {
  planAccessConversion,
  withQuestions,
  type AccessGroup,
  type AccessPlan,
  type AccessRefusal,
} from '../access/plan';
import { treesOf } from '../access/configuration-conversion';
import { cachedOneLineText } from '../access/proof-cache';
import { ACCESS_NAMES, filesOf, type ConversionOptions } from '../access/conversion-input';
import { ONE_VERSION_NAMES } from '../access/one-version';
import type { HtaccessFile } from '../access/sections';
import { lineOf24Finders, runningQuestion } from '../access/running';
import { sectionName } from '../access/section-name';
import { unloadedQuestions } from '../access/unloaded';
import {
  readConfiguration,
  readHtaccessFile,
  type ConfigFile,
  type Configuration,
  type ReadOptions,
  type Scope,
} from '../config/configuration';
import { isCertainMainFileTree, isMainFileName } from '../config/file-summary';
import { isHtaccessName, type HtaccessPlaces } from '../config/configurations';
import {
  baseName,
  globPattern,
  hasNonAscii,
  isWithin,
  parentOf,
  resolvePath,
  serverPathOf,
  viewOfCopy,
  withoutQuotes,
  type FileView,
} from '../config/files';
import { distributionOf } from '../config/loaded-modules';
import type { ServerSettings } from '../config/model';
import { lostLastLine } from '../config/last-line';
import { DEFAULT_TARGET } from '../config/target';
import { namesIn } from '../config/name-set';
import { isTransparent, sectionKind } from '../config/sections';
import { conditionOneVersion } from '../rules/condition-one-version';
import { ASSUMES_NOTHING_OUTSIDE, orderAllowDeny } from '../rules/order-allow-deny';
import { joinedItems } from '../rules/support/edits';
import { fittingTitle } from '../rules/support/fix-title';
import { Fact, factsOf, hasFact, NO_FACTS, plusFacts, type FileFacts } from '../rules/support/facts';
import { changedFix, fixMadeLater, type Edit, type Fix, type Rule, type FixParts } from '../rules/rule';
import { Tree } from '../syntax/document';
import { argumentsOf, Line, spelledName } from '../syntax/line';
import { lazy } from '../syntax/memory';
import { forEachItem, List, Section } from '../syntax/tree';
import {
  hasQuestion,
  isSettled,
  NO_ANSWERS,
  pathWriterBelow,
  questionId,
  runningVersion,
  answerEffectsOf,
  type AnswerSet,
  type AnswerEffects,
} from './answers';
import { conversionsDenying, sentencesAboutDenying, differencesOf24 } from './decided-by-24';
import type { EngineView, FileInfo } from './engine-view';
import type { PlacedFixes } from './findings';
import {
  answeredFlagQuestions,
  furtherQuestions,
  answeredMpmQuestions,
  unansweredFlagQuestions,
  answeredWithoutEffect,
} from './further-questions';
import { nearbyMainFiles } from './main-file';
import { withModulesToRead, withOfferedMapping, withSitesToLink } from './offered-mapping';
import { keyOfEdits, sameEditsTest } from './same-edits';
import { isSuppressed } from './suppression';
import { addTo } from '../syntax/groups';

/** A main file with the settings of its server. */
export interface AccessRoot {
  /** Path with links resolved. */
  readonly mainFile: string;
  /**
   * The engine with the settings for this main file: the target, the version whose decisions the
   * conversion keeps, and whether files that no configuration reads may affect access.
   */
  readonly engine: EngineView;
  /** The facts about the server in the user's settings. */
  readonly server: ServerSettings;
  /**
   * Whether a setting names this file as a main file. Then it is one, whatever its name is and
   * whichever files are beside it.
   */
  readonly isNamed?: boolean;
  /**
   * The directory that the user named, if the main file was found in that directory. Absent if the
   * user named the main file itself.
   */
  readonly namedDirectory?: string;
  /**
   * Makes the `FileInfo` with which the main file is analyzed. Must return the object that is used
   * for the findings of the file, too, so that the file is analyzed only once.
   */
  readonly infoOf?: (tree: Tree) => FileInfo;
}

/** The files whose access control is converted, and what is known about their servers. */
export interface AccessOptions {
  /** The main files. */
  readonly roots: readonly AccessRoot[];
  /**
   * Further files that may be main files, or that may include the same files as a main file. A file
   * that turns out to be neither is ignored.
   */
  readonly otherRoots?: readonly AccessRoot[];
  /**
   * All further files. If the user states that no other file affects access (`assumeStandalone`),
   * the further files that no configuration reads are converted together.
   */
  readonly standaloneFiles?: readonly AccessRoot[];
  /**
   * Whether .htaccess files that are not among `standaloneFiles` may exist below those that are,
   * because there were too many directories to search. Then no such .htaccess file is converted.
   */
  readonly hasUnsearchedFolders?: boolean;
  /** Reads the files. */
  readonly view: FileView;
  /**
   * Returns why a file cannot be changed, as a clause that follows the file's name. Null if the
   * file can be changed. `root`: the main file of the configuration that reads the file.
   */
  readonly whyUnchangeable?: (file: string, root: string) => string | null;
  /**
   * Whether the conversion may add AllowOverride words so that .htaccess files can use Require. The
   * change is then a suggestion.
   */
  readonly mayWidenOverride?: boolean;
}

/**
 * Whether a rule may report lines that the conversion changes, or conditions around these lines.
 */
export function mayReportConvertedLines(rule: Rule): boolean {
  return rule === orderAllowDeny || rule === conditionOneVersion;
}

/**
 * The conversion of one configuration: its changes, and the reasons for sections that do not
 * change.
 */
export interface AccessOfConfiguration {
  /** Path of the main file, with links resolved. */
  readonly mainFile: string;
  /**
   * Paths of all files that the configuration reads, with links resolved. They include .htaccess
   * files.
   */
  readonly files: readonly string[];
  /**
   * The changes of this configuration. If another configuration reads the same files, a change can
   * include edits for it.
   */
  readonly changes: readonly AccessChange[];
  /** The sections that are not converted, and why. */
  readonly refusals: readonly AccessRefusal[];
  /** Why no old line of the configuration is converted. Null if each section is decided alone. */
  readonly whyNothingConverted: NotConverted | null;
  /** The open questions that the user must answer before the changes are safe. */
  readonly waitsFor: readonly OpenQuestion[];
  /** The open questions that the user answered, and on which the changes depend. */
  readonly restsOn: readonly OpenQuestion[];
  /**
   * Open questions that prevent the conversion of some sections, and answered questions whose
   * answers had no effect.
   */
  readonly furtherQuestions: readonly OpenQuestion[];
  /** Whether some line shows that the server already runs 2.4. */
  showsSignsOf24(): boolean;
  /**
   * Sentences about what 2.2 decided differently, if the changes keep what 2.4 decides. Otherwise
   * empty.
   */
  readonly differencesOf24: readonly string[];
  /**
   * Whether this object stands for all files that no configuration reads
   * (`AccessOptions.standaloneFiles`), and not for a configuration.
   */
  readonly isStandalone: boolean;
}

/** Edits of access control that are made together or not at all. */
export interface AccessChange {
  /** `safe` if the change keeps each access decision. Otherwise `suggestion`. */
  readonly safety: Fix['safety'];
  /**
   * The edits, by path with links resolved. Offsets count from the start of the file. Computed on
   * first use.
   */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  /**
   * The files that the change may edit. A file whose lines are already right is in this set, too,
   * but has no edits.
   */
  readonly paths: ReadonlySet<string>;
  /** The number of sections that the change converts. */
  readonly sectionCount: number;
  /** Whether no known configuration reads the files (`AccessOptions.standaloneFiles`). */
  readonly isStandalone: boolean;
  /** Open questions that must be answered before the change is safe. */
  readonly waitsFor: readonly OpenQuestion[];
  /** Open questions that the user answered and on which the change depends. */
  readonly restsOn: readonly OpenQuestion[];
}

/** The result for an old line: the change that converts it, or why it is not converted. */
export type AccessOfLine = { readonly change: AccessChange } | RefusedLine;

/** The result for an old line that is not converted. */
export interface RefusedLine {
  /** The reason why the line is not converted. */
  readonly refusal: NotConverted;
  /**
   * Questions whose answers may make the conversion of the line possible. Empty if there are none.
   */
  readonly waitsFor: readonly OpenQuestion[];
}

/** The conversion of the access control of several configurations. */
export interface AccessConversion {
  /** The result for each configuration, in the order of the input. */
  readonly configurations: readonly AccessOfConfiguration[];
  /** All changes, each once. */
  readonly changes: readonly AccessChange[];
  /**
   * Whether a known configuration reads the file. Then the file is converted only as a part of
   * that configuration.
   */
  isPartOfConfiguration(file: string): boolean;
  /**
   * Whether a known configuration includes files with unknown names. Then it may include any
   * file.
   */
  readonly mayIncludeAnyFile: boolean;
  /** The folders in which known configurations read the file as a .htaccess file. */
  htaccessPlaces(file: string): HtaccessPlaces & {
    /**
     * `roots`: the main files of these configurations. `mayHaveOthers`: whether a server whose
     * configuration is unknown may also read the file.
     */
    readonly roots: readonly string[];
    readonly mayHaveOthers: boolean;
  };
  /**
   * The result for the old line at an offset. Null if there is no old line, or if no known
   * configuration reads the file.
   */
  resultAt(file: string, offset: number): AccessOfLine | null;
  /**
   * The edits of all changes in a file. `includesUnsafe`: whether to include the changes that still
   * wait for answers.
   */
  editsOfFile(file: string, includesUnsafe: boolean): readonly Edit[];
}

/** Plans the conversion of all configurations. The edits of a change are computed on first use. */
export function accessConversion(options: AccessOptions): AccessConversion {
  const drafts = withQuestionsAboutAvailableFiles(options, draftsOf(options));
  drafts.push(...draftsOfStandaloneFiles(options, drafts));
  refuseConflictingSharedFiles(drafts);
  const draftGroups = groupsSharingFiles(drafts);
  const changesByDraft = new Map<Draft, readonly AccessChange[]>();
  const changeByGroup = new Map<AccessGroup, AccessChange>();
  for (const draftsOfGroup of draftGroups) {
    const openQuestions = openQuestionsOf(draftsOfGroup);
    const isStandalone = draftsOfGroup.every((draft) => draft.isStandalone === true);
    const changes =
      draftsOfGroup.length === 1
        ? draftsOfGroup[0]!.plan.groups.map((group) => changeOf([group], openQuestions, isStandalone))
        : [
            changeOf(
              draftsOfGroup.flatMap(({ plan }) => plan.groups),
              openQuestions,
              isStandalone,
            ),
          ];
    draftsOfGroup.forEach((draft) => changesByDraft.set(draft, changes));
    for (const { plan } of draftsOfGroup)
      plan.groups.forEach((group, index) => changeByGroup.set(group, changes[draftsOfGroup.length === 1 ? index : 0]!));
  }
  const changes = [...new Set([...changesByDraft.values()].flat())];
  const draftsByFile = new Map<string, Draft[]>();
  for (const draft of drafts) for (const file of draft.files) addTo(draftsByFile, file, draft);
  return {
    configurations: drafts.map(
      (draft): AccessOfConfiguration => ({
        ...openQuestionsOf([draft]).allQuestions,
        mainFile: draft.mainFile,
        files: draft.files,
        changes: changesByDraft.get(draft) ?? [],
        refusals: draft.plan.refusals,
        whyNothingConverted: draft.whyNothingConverted,
        furtherQuestions: draft.furtherQuestions,
        showsSignsOf24: draft.showsSignsOf24,
        get differencesOf24() {
          return draft.differencesOf24();
        },
        isStandalone: draft.isStandalone === true,
      }),
    ),
    changes,
    isPartOfConfiguration: (file) => draftsByFile.has(file),
    mayIncludeAnyFile: mayIncludeAnyFile(drafts),
    htaccessPlaces(file) {
      const draftsReading = drafts.filter(({ foldersByHtaccess }) => foldersByHtaccess.has(file));
      const hasQuestion = (isWanted: (each: OpenQuestion, draft: Draft) => boolean) =>
        draftsReading.some((draft) => draft.plan.openQuestions.some((each) => isWanted(each, draft)));
      return {
        folders: [...new Set(draftsReading.flatMap(({ foldersByHtaccess }) => [...foldersByHtaccess.get(file)!]))],
        // These questions stay open even if the user states that no other file affects access: they
        // are about unknown directories and links, not about other files.
        completeness: hasQuestion(({ kind }) => KINDS_ABOUT_UNKNOWN_FOLDERS.has(kind)) ? 'open' : 'all',
        roots: draftsReading.map(({ mainFile }) => mainFile),
        mayHaveOthers: hasQuestion(
          (each, { isSettled }) => KINDS_ABOUT_OTHER_SERVERS.has(each.kind) && !isSettled(each),
        ),
      };
    },
    resultAt(file, offset) {
      for (const { plan, whyNothingConverted, waitsFor } of draftsByFile.get(file) ?? []) {
        const group = plan.groupAt(file, offset);
        if (group)
          return whyNothingConverted === null
            ? { change: changeByGroup.get(group)! }
            : { refusal: whyNothingConverted, waitsFor: [] };
        const refusal = plan.reasonAt(file, offset);
        if (refusal !== null) return { refusal, waitsFor: whyNothingConverted === null ? waitsFor(file, offset) : [] };
      }
      return null;
    },
    editsOfFile: (file, includesUnsafe) =>
      changes.flatMap((change) => (includesUnsafe || change.safety === 'safe' ? (change.edits.get(file) ?? []) : [])),
  };
}

/** The conversion of the access lines in a file that no known configuration reads. */
export interface StandaloneAccess {
  /**
   * The fixes for the old line at an offset. `fixesOfRule`: the fixes that a rule makes when it
   * sees only the section of the line.
   */
  fixesAt(offset: number, fixesOfRule: PlacedFixes): PlacedFixes;
  /**
   * The reason why there is no fix for the old line at an offset, if other sections of the file are
   * the cause. Otherwise null.
   */
  reasonAt(offset: number): NotConverted | null;
}

/** A file that no known configuration reads, and the settings for it. */
export interface StandaloneOptions {
  readonly tree: Tree;
  /** Whether the file is a .htaccess file. */
  readonly isHtaccess: boolean;
  /** The version whose decisions the conversion keeps. */
  readonly source: Source;
  /** Whether the user answered that nothing outside the file affects its access. */
  readonly isAnsweredStandalone: boolean;
  /** Whether to write the lines for both versions. */
  readonly keepsBoth?: boolean;
  /**
   * Whether there are further files. Such a file may have other lines for the sections of this
   * file.
   */
  readonly hasOtherFiles?: boolean;
  /** Whether a known configuration may include this file (`FileInfo.mayBeIncluded`). */
  readonly mayBeIncluded?: boolean;
  /** Whether the user answered that the lines stay as they are. */
  readonly userKeepsLines?: boolean;
  /** The user's answers. */
  readonly answerSet?: AnswerSet;
}

/**
 * Plans the conversion of a file that no known configuration reads. Because the configuration
 * around the file is unknown, the plan is made for a server of which only these lines are known.
 * Sections that may apply to the same request are converted together or not at all.
 */
export function standaloneAccess({
  isAnsweredStandalone,
  hasOtherFiles = false,
  mayBeIncluded = false,
  userKeepsLines = false,
  answerSet = NOTHING_ANSWERED,
  ...file
}: StandaloneOptions): StandaloneAccess {
  const effects = answerEffectsOf(answerSet);
  const planWith = cachedPlanner((effectsToTry: AnswerEffects) =>
    standalonePlan([{ path: STANDALONE_PATH, folder: '/', ...file }], effectsToTry),
  );
  const { unansweredFlagQuestions: flagQuestionsToAsk, ...planOfFile } = planWith(effects);
  const plan = withoutVersionQuestions(planOfFile.plan, answerSet, () => planWith({ ...effects, source: '2.4' }).plan);
  const isSnippet = planOfFile.isSnippet && (hasOtherFiles || !mayBeWholeSection(file.tree.root));
  const isAnswered = (each: OpenQuestion) => isSettled(each, answerSet, false);
  const outsideQuestion = file.isHtaccess ? HTACCESS_QUESTION : withSectionsNamed(CONFIGURATION_QUESTION, plan);
  const [openOutside, answeredOutside] = isAnsweredStandalone ? [[], [outsideQuestion]] : [[outsideQuestion], []];
  const insideQuestions = plan.openQuestions.filter(({ scope }) => scope === 'inside').map(withoutPlacesInFile);
  const openQuestionsInside = insideQuestions.filter((each) => !isAnswered(each));
  const answeredQuestions = [...insideQuestions.filter(isAnswered), ...runningVersionQuestion(file.source, answerSet)];
  const safetyFor = (isAbout: (each: OpenQuestion) => boolean) => {
    const openQuestionsOfThese = openQuestionsInside.filter(isAbout);
    const answeredOfThese = answeredQuestions.filter(isAbout);
    const isConversionSafe = isAnsweredStandalone && openQuestionsOfThese.length === 0 && !isSnippet;
    // If one of the open questions cannot be put to the user, none of them is. Then the user must
    // check the lines.
    const areAllAskable =
      !isSnippet && !mayBeIncluded && openQuestionsOfThese.every((each) => questionId(each, answerSet) !== null);
    const reasons = isConversionSafe
      ? { restsOn: [...answeredOutside, ...answeredOfThese] }
      : areAllAskable
        ? { waitsFor: [...openOutside, ...openQuestionsOfThese], restsOn: [...answeredOutside, ...answeredOfThese] }
        : {};
    const assumptions =
      openQuestionsOfThese.length > 0
        ? [`access does not depend on this: ${openQuestionTexts(openQuestionsOfThese).join('; ')}`]
        : [];
    return { assumptions, answeredOfThese, isSafe: isConversionSafe, reasons };
  };
  const safetyForAllQuestions = safetyFor(() => true);
  const safetyWithoutAddresses = lazy(() => safetyFor(({ kind }) => kind !== 'client-address'));
  /**
   * Whether the fix for a group is safe, and on which questions that depends. `group` is null for a
   * line that is not converted.
   */
  const safetyOf = (group: AccessGroup | null) =>
    group === null || comparesAddresses(group) ? safetyForAllQuestions : safetyWithoutAddresses();
  const questionsAboutRest = lazy(() =>
    furtherQuestions({
      plan,
      effects,
      answerSet,
      flagQuestionsToAsk,
      fileCount: 1,
      planWith: (each) => planWith(each).plan,
      isSettled: (each) => each.scope === 'outside' || isAnswered(each),
    }),
  );
  const fixByGroup = new Map<AccessGroup, Fix>();
  const fixOf = (group: AccessGroup): Fix => {
    let fix = fixByGroup.get(group);
    if (!fix) {
      const title = titleOfGroup(group);
      const { assumptions, isSafe, reasons } = safetyOf(group);
      const outsideText = isAnsweredStandalone && !isSnippet ? [] : [nothingOutside(group, file.isHtaccess)];
      const assumes = [...outsideText, ...assumptions].join(', and ');
      fixByGroup.set(
        group,
        (fix = fixMadeLater(
          { title, safety: isSafe ? 'safe' : 'suggestion', ...(!isSafe && { assumes }), ...reasons },
          () => group.edits.get(STANDALONE_PATH) ?? [],
        )),
      );
    }
    return fix;
  };
  /**
   * Makes the fix for a section that is converted only after further answers, or null:
   * - A section that has lines of both versions. For a server that runs 2.4, it is known what 2.4
   *   decides with these lines.
   * - A section that inherits other access for some of its requests, if the user answers that no
   *   request is for both sections.
   */
  const fixesAfterAnswers = (
    offset: number,
    helpfulQuestions: readonly OpenQuestion[],
    waitsFor: readonly OpenQuestion[],
  ): PlacedFixes | null => {
    const areAnswersEnough = helpfulQuestions.every(
      ({ kind, scope }) => kind === 'running-version' || kind === 'overlap' || scope === 'outside',
    );
    const groupAfterAnswers = areAnswersEnough ? questionsAboutRest().groupAt(STANDALONE_PATH, offset) : null;
    if (groupAfterAnswers === null) return null;
    const assumes = helpfulQuestions.map(assumptionOf).join(', and ');
    const edits = groupAfterAnswers.edits.get(STANDALONE_PATH) ?? [];
    const title = titleOfGroup(groupAfterAnswers);
    const restsOn = answeredOutside;
    return {
      fixes: [{ title, safety: 'suggestion', isAppliedAlone: true, assumes, waitsFor, restsOn, edits }],
      baseOffset: 0,
    };
  };
  /**
   * The fixes for a section that is converted alone and for which the rule makes no fix. This is
   * the fix of the group if some lines are in conditions, or if only the old lines are removed.
   * Otherwise the result is `fixesOfRule`, which is empty.
   */
  const fixesWithoutFixOfRule = (group: AccessGroup, fixesOfRule: PlacedFixes): PlacedFixes =>
    group.isForBranches || group.conversions.some(({ removedLines }) => removedLines !== undefined)
      ? { fixes: [fixOf(group)], baseOffset: 0 }
      : fixesOfRule;
  /**
   * The assumption under which a fix of the rule is right. If the section can replace lines of
   * .htaccess files, the text also mentions these files. It also has the open questions that cannot
   * be put to the user, for example about an unknown macro.
   */
  const assumptionIn = (group: AccessGroup, { assumes }: Fix): string | undefined => {
    if (assumes !== ASSUMES_NOTHING_OUTSIDE) return assumes;
    const { assumptions, reasons } = safetyOf(group);
    return [nothingOutside(group, file.isHtaccess), ...('waitsFor' in reasons ? [] : assumptions)].join(', and ');
  };
  /**
   * The reason why the old line at an offset is not converted, if a macro adds lines to its section
   * or is around the line. The lines of the section are then only a part of those that decide.
   */
  const macroReasonAt = (offset: number): NotConverted | null => {
    const reason = plan.reasonAt(STANDALONE_PATH, offset);
    return reason?.code === 'from-macro' ? reason : null;
  };
  /** Returns the open questions whose answers may convert an old line that is not converted. */
  const questionsAt = (offset: number) => {
    const helpfulQuestions =
      isSnippet || mayBeIncluded ? [] : questionsAboutRest().waitsFor(STANDALONE_PATH, offset).map(withoutPlacesInFile);
    return { helpfulQuestions, waitsFor: [...openOutside, ...helpfulQuestions] };
  };
  return {
    fixesAt(offset, fixesOfRule) {
      if (userKeepsLines) return NO_FIXES_HERE;
      if (macroReasonAt(offset) !== null) return NO_FIXES_HERE;
      const group = plan.groupAt(STANDALONE_PATH, offset);
      const { answeredOfThese, isSafe, reasons } = safetyOf(group);
      if (!plan.isAloneAt(STANDALONE_PATH, offset)) {
        if (group) return { fixes: [fixOf(group)], baseOffset: 0 };
        const { helpfulQuestions, waitsFor } = questionsAt(offset);
        return (helpfulQuestions.length > 0 && fixesAfterAnswers(offset, helpfulQuestions, waitsFor)) || NO_FIXES_HERE;
      }
      // If no other section affects the conversion, the fixes of the rule are usually better. They
      // state their assumptions, and one of them is for both versions. The fix of the group
      // replaces the first one only if it is safe, or if the user has answered a question about it.
      if (group && (isSafe || answeredOfThese.length > 0))
        return { fixes: [fixOf(group), ...fixesWithFileOffsets(fixesOfRule).slice(1)], baseOffset: 0 };
      const { fixes } = fixesOfRule;
      const [firstFix] = fixes;
      const withFirstFixChanged = (change: Partial<FixParts>): PlacedFixes => ({
        baseOffset: fixesOfRule.baseOffset,
        fixes: fixes.map((fix, index) => (index === 0 ? changedFix(fix, change) : fix)),
      });
      if (group)
        return firstFix
          ? withFirstFixChanged({ ...reasons, assumes: assumptionIn(group, firstFix) })
          : fixesWithoutFixOfRule(group, fixesOfRule);
      const { helpfulQuestions, waitsFor } = questionsAt(offset);
      if (helpfulQuestions.length === 0) return fixesOfRule;
      return firstFix
        ? withFirstFixChanged({ waitsFor, restsOn: answeredOutside })
        : (fixesAfterAnswers(offset, helpfulQuestions, waitsFor) ?? fixesOfRule);
    },
    reasonAt: (offset) =>
      plan.isAloneAt(STANDALONE_PATH, offset) ? macroReasonAt(offset) : plan.reasonAt(STANDALONE_PATH, offset),
  };
}

/**
 * The assumption that nothing outside of a file affects its sections. A section that applies after
 * .htaccess files ("How the sections are merged" in sections.html) can replace the Require lines of
 * such a file. Then the text also mentions .htaccess files.
 */
function nothingOutside({ conversions }: AccessGroup, isHtaccess: boolean): string {
  const mayEndLogin = conversions.some(
    ({ scope: { kind, words }, tree }) =>
      (SECTIONS_AFTER_HTACCESS.has(kind) || (kind === 'directory' && words[0] === '~')) &&
      tree !== null &&
      tree.type !== 'denied',
  );
  return mayEndLogin && !isHtaccess
    ? `${ASSUMES_NOTHING_OUTSIDE}, and no .htaccess file there asks for a login, which the new lines would end`
    : ASSUMES_NOTHING_OUTSIDE;
}

/** Kinds of sections that httpd applies after the lines of .htaccess files. */
const SECTIONS_AFTER_HTACCESS: ReadonlySet<string> = new Set([
  'directorymatch',
  'files',
  'filesmatch',
  'location',
  'locationmatch',
]);

/** A plan that converts nothing. */
const NOTHING_PLANNED: AccessPlan = {
  edits: new Map(),
  paths: new Set(),
  convertedCount: 0,
  groups: [],
  refusals: [],
  comparisonCount: 0,
  openQuestions: [],
  groupAt: () => null,
  reasonAt: () => null,
  isAloneAt: () => false,
};

/**
 * The open question whether other files affect the access that a file controls. No known
 * configuration reads the file.
 */
export const STANDALONE_QUESTION: OpenQuestion = openQuestion('outside-unseen', '.');

/**
 * Removes the places in the standalone file from a question. They would have the wrong path,
 * because the file was planned under another path.
 */
function withoutPlacesInFile(question: OpenQuestion): OpenQuestion {
  return { ...question, places: question.places.filter(({ path }) => path !== STANDALONE_PATH) };
}

/**
 * Removes the questions which version runs now, if the plan for a server that runs 2.4 has the same
 * groups. Then the edits are right for both versions. The plan for 2.4 is compared even after the
 * answer `2.2`, because fixes of this program may have written the lines of 2.4. If they certainly
 * did, nothing is asked, and groups that only one of the two plans has stay as they are.
 */
function withoutVersionQuestions(
  plan: AccessPlan,
  answerSet: AnswerSet,
  planIfSourceIs24: () => AccessPlan,
): AccessPlan {
  const isVersionQuestion = ({ kind }: OpenQuestion) => kind === 'running-version' || kind === 'half-converted';
  const asksForVersion = plan.groups.length > 0 && plan.openQuestions.some(isVersionQuestion);
  if (!asksForVersion || runningVersion(answerSet) === '2.4') return plan;
  const planFor24 = planIfSourceIs24();
  const hasSameEdits = sameEditsTest(plan, planFor24);
  const isConverted = answerSet.isConvertedInPart === true;
  if (!isConverted && !plan.groups.every(hasSameEdits)) return plan;
  const differingGroups = new Set(isConverted ? plan.groups.filter((group) => !hasSameEdits(group)) : []);
  const openQuestions = joinedQuestions([...plan.openQuestions, ...planFor24.openQuestions]);
  return withQuestions(
    withoutGroups(plan, (group) => differingGroups.has(group), notConverted('beside-converted-sections', null)),
    openQuestions.filter((each) => !isVersionQuestion(each)),
  );
}

/**
 * Replaces the reasons that advise to answer that the server runs 2.4, for lines that stay even
 * with this answer. These lines get the reason that they have in the plan after that answer
 * (`planIfSourceIs24`).
 */
function withoutUselessVersionAdvice(
  plan: AccessPlan,
  answerSet: AnswerSet,
  planIfSourceIs24: () => AccessPlan,
): AccessPlan {
  if (runningVersion(answerSet) !== null) return plan;
  const reasonAt = (path: string, offset: number): NotConverted | null => {
    const reason = plan.reasonAt(path, offset);
    if (reason === null || !reasonText(reason).includes(`--answer ${RUNNING_VERSION_QUESTION.kind}=2.4`)) return reason;
    const planFor24 = planIfSourceIs24();
    return planFor24.groupAt(path, offset) === null ? (planFor24.reasonAt(path, offset) ?? reason) : reason;
  };
  return Object.assign(Object.create(plan) as AccessPlan, { reasonAt });
}

/**
 * Returns the question which version runs now, if the user answered `2.4` and the conversion keeps
 * what 2.4 decides. Otherwise empty.
 */
function runningVersionQuestion(source: Source, answerSet: AnswerSet): OpenQuestion[] {
  return source === '2.4' && runningVersion(answerSet) === '2.4' ? [runningQuestion('', [])] : [];
}

/** The result for a line that gets no fix. */
/** What a fix assumes that is right only after one answer to a question. */
function assumptionOf(helpfulQuestion: OpenQuestion): string {
  const { kind, subject } = helpfulQuestion;
  if (kind === 'overlap') return `no request falls under both ${subject}`;
  return kind === 'running-version' ? 'the server already runs 2.4' : openQuestionTexts([helpfulQuestion])[0]!;
}

const NO_FIXES_HERE: PlacedFixes = { fixes: [], baseOffset: 0 };

/**
 * `STANDALONE_QUESTION` with the names of the files that the user should search for: .htaccess
 * files, or configuration files.
 */
export function standaloneQuestion(isHtaccess: boolean): OpenQuestion {
  return isHtaccess ? HTACCESS_QUESTION : CONFIGURATION_QUESTION;
}

/**
 * Adds the tags of the sections with old access lines to the question about other files, so that
 * the user can compare them with the lines of other files.
 */
function withSectionsNamed(question: OpenQuestion, { groups, refusals }: AccessPlan): OpenQuestion {
  const sections = [
    ...groups.flatMap(({ conversions }) => conversions.map(({ scope }) => sectionName(scope))),
    ...refusals.map(({ section }) => section),
  ];
  const tags = [...new Set(sections)].filter((each) => each.startsWith('<'));
  return tags.length === 0 ? question : { ...question, shownFacts: tags };
}

/** The question about other files, for a .htaccess file. */
const HTACCESS_QUESTION = { ...STANDALONE_QUESTION, search: { folders: [], names: ['.htaccess'] } };
/** The question about other files, for a configuration file. */
const CONFIGURATION_QUESTION = { ...STANDALONE_QUESTION, search: { folders: [], names: ['*.conf'] } };

const NOTHING_ANSWERED: AnswerSet = { answers: NO_ANSWERS, folder: '' };

/** Makes the fix that shows a change to the user in one of the changed files. */
export function accessFix(change: AccessChange, file: string): Fix {
  const { safety, waitsFor, restsOn } = change;
  // The plan asks the user the open questions that have a question text. So the fix names only the
  // other open questions, as assumptions.
  const questionsWithoutText = waitsFor.filter((each) => !hasQuestion(each));
  const fix = {
    title: change.isStandalone ? titleForStandalone(change.paths) : CONVERSION_TITLE,
    safety,
    ...(questionsWithoutText.length > 0 && {
      assumes: `access does not depend on this: ${openQuestionTexts(questionsWithoutText).join('; ')}`,
    }),
    ...(waitsFor.length > 0 && { waitsFor }),
    ...(restsOn.length > 0 && { restsOn }),
  };
  // The change edits only this one file.
  if (change.paths.size === 1 && change.paths.has(file)) return fixMadeLater(fix, () => change.edits.get(file) ?? []);
  let editsOfOtherFiles: ReadonlyMap<string, readonly Edit[]> | null = null;
  return {
    ...fix,
    get edits() {
      return change.edits.get(file) ?? [];
    },
    // A change can edit thousands of files. The fix in each file has the edits of all other files,
    // so these are computed on first use.
    get elsewhere() {
      editsOfOtherFiles ??= new Map([...change.edits].filter(([path]) => path !== file));
      return editsOfOtherFiles.size > 0 ? editsOfOtherFiles : undefined;
    },
  };
}

/** The title of the fixes for files that a configuration reads. */
const CONVERSION_TITLE = 'Convert the access control of the whole configuration';

/** The title of the fix for these files, which no configuration reads. */
function titleForStandalone(paths: ReadonlySet<string>): string {
  return `Convert the access control of ${paths.size === 1 ? 'this file' : `these ${paths.size} files together`}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The plan for one configuration, before it is compared with those of other configurations that
 * share files with it.
 */
interface Draft {
  readonly mainFile: string;
  /**
   * Whether the main file may be only a part of a configuration: it includes files, but nothing
   * shows that it is a main file.
   */
  readonly isPartial: boolean;
  readonly files: readonly string[];
  /**
   * The files that the server reads as .htaccess files. The value has the folders in which it reads
   * the file.
   */
  readonly foldersByHtaccess: ReadonlyMap<string, ReadonlySet<string>>;
  readonly plan: AccessPlan;
  /** Whether the user's answers already decide an open question. */
  readonly isSettled: (openQuestion: OpenQuestion) => boolean;
  /** The open questions that must be answered before the old line at an offset is converted. */
  readonly waitsFor: (file: string, offset: number) => readonly OpenQuestion[];
  readonly furtherQuestions: readonly OpenQuestion[];
  readonly showsSignsOf24: () => boolean;
  readonly differencesOf24: () => readonly string[];
  readonly isStandalone?: boolean;
  /** As in `AccessOfConfiguration`. */
  whyNothingConverted: NotConverted | null;
}

/**
 * The drafts of all main files. Those of `otherRoots` are left out if a configuration reads them,
 * or if they may be only a part of a configuration and include no other file.
 */
function draftsOf(options: AccessOptions): Draft[] {
  const drafts = withoutIncludedConfigurations(options.roots.flatMap((root) => draftOf(root, options) ?? []));
  const filesRead = filesReadBy(drafts);
  const otherDrafts = (options.otherRoots ?? [])
    .filter(({ mainFile }) => !filesRead.has(mainFile))
    .flatMap((other) => draftOf(other, options) ?? []);
  return withoutIncludedConfigurations([
    ...drafts,
    ...otherDrafts.filter(({ isPartial, files }) => !isPartial || files.length > 1),
  ]);
}

/** The files that at least one configuration reads. */
function filesReadBy(drafts: readonly Draft[]): ReadonlySet<string> {
  return new Set(drafts.flatMap(({ files }) => files));
}

/** Plans the conversion of one configuration. Null if its main file cannot be read. */
function draftOf(
  accessRoot: AccessRoot,
  { view, whyUnchangeable, mayWidenOverride, roots, otherRoots = [] }: AccessOptions,
): Draft | null {
  const { mainFile, engine, isNamed = false } = accessRoot;
  const readingFor = cachedReader(accessRoot, view);
  const planWith: (effects: AnswerEffects) => DraftPlan | null = cachedPlanner((effects): DraftPlan | null => {
    const source = effects.source ?? engine.accessSource;
    const reading = readingFor(effects, source);
    if (!reading) return null;
    const {
      configuration,
      options,
      unknownTags,
      discovered: { files: htaccessFiles, accessFiles: foldersByHtaccess, openQuestions },
    } = reading;
    const questionsOfFiles = [
      ...openQuestions,
      ...encodingQuestions(configuration, htaccessFiles, view),
      ...mainFileQuestions(
        accessRoot,
        configuration,
        viewOfCopy(view, configuration.pathMap),
        new Set([...roots, ...otherRoots].map((each) => each.mainFile)),
      ),
      ...answeredFlagQuestions(configuration, effects),
      ...answeredMpmQuestions(configuration, effects),
      ...addressQuestions(configuration),
      ...unloadedQuestions(configuration, htaccessFiles, source, accessRoot.server.builtIn),
      ...runningVersionQuestion(source, engine.answerSet),
    ];
    const finderOf24 = lineOf24Finders(options, accessRoot.server.builtIn);
    const showsSignsOf24 = () =>
      finderOf24.findLineOf24(configuration) !== null ||
      htaccessFiles.some(({ scope }) => finderOf24.findHtaccessLineOf24(scope) !== null);
    const conversionOptions: ConversionOptions = {
      // If fixes of this program were already applied, they wrote the lines of 2.4. Then such lines
      // are no sign of the running version.
      ...(engine.answerSet.isConvertedInPart !== true && finderOf24),
      mayWidenOverride,
      distribution: engine.options.distribution ?? accessRoot.server.distribution ?? distributionOf(configuration),
      furtherReasonFor: reasonOfIgnoreComment,
      keepsBoth: engine.keepsBoth,
      ...effects,
      source,
    };
    const plan = planAskingAboutDenied(conversionOptions, effects, (options) =>
      planAccessConversion(configuration, htaccessFiles, questionsOfFiles, options),
    );
    const planWithBranches =
      effects.assumedConditions || engine.keepsBoth || source === '2.4'
        ? plan
        : withBranches(
            { plan, configuration, htaccess: htaccessFiles, unknownTags },
            (assumedConditions) => planWith({ ...effects, assumedConditions })?.plan ?? null,
          );
    return {
      configuration,
      htaccessFiles,
      foldersByHtaccess,
      showsSignsOf24,
      plan: withQuestions(
        planWithBranches,
        withSitesToLink(
          withOfferedMapping(
            withCoveringQuestions(withModulesToRead(planWithBranches.openQuestions, configuration, mainFile, view)),
            mainFile,
            viewOfCopy(view, configuration.pathMap),
            {
              nameInOption: pathWriterBelow(engine.answerSet.folderOfCopies ?? engine.answerSet.folder),
              nameInProjectFile: pathWriterBelow(engine.answerSet.folder),
            },
          ),
          mainFile,
          view,
        ),
      ),
    };
  });
  const effects = answerEffectsOf(engine.answerSet);
  const draftPlan = planWith(effects);
  if (!draftPlan) return null;
  const { configuration, htaccessFiles, foldersByHtaccess, showsSignsOf24 } = draftPlan;
  const planIfSourceIs24 = () => planWith({ ...effects, source: '2.4' })?.plan ?? NOTHING_PLANNED;
  const plan = withoutUselessVersionAdvice(
    withoutVersionQuestions(draftPlan.plan, engine.answerSet, planIfSourceIs24),
    engine.answerSet,
    planIfSourceIs24,
  );
  const trialPlanFor = (further: AnswerEffects): AccessPlan | null => {
    const trial = planWith(further)?.plan ?? null;
    if (trial === null || engine.answerSet.isConvertedInPart !== true) return trial;
    const trialIfSourceIs24 = () => planWith({ ...further, source: '2.4' })?.plan ?? NOTHING_PLANNED;
    return withoutVersionQuestions(trial, engine.answerSet, trialIfSourceIs24);
  };
  const files = [...new Set([...configuration.files.keys(), ...htaccessFiles.map(({ scope }) => scope.file.path)])];
  const { questions, waitsFor } = furtherQuestions({
    plan,
    effects,
    answerSet: engine.answerSet,
    flagQuestionsToAsk: unansweredFlagQuestions(configuration, effects),
    fileCount: files.length,
    planWith: trialPlanFor,
    isSettled: (each) => engine.isSettled(each),
  });
  const isPartial = !isNamed && !mayBeMain(configuration, mainFile);
  const isAboutAddress = ({ kind }: OpenQuestion) => kind === 'client-address';
  const questionAnsweredKeep = engine.idOfQuestionAnsweredKeep(
    plan.openQuestions.filter((each) => !isAboutAddress(each)),
  );
  const addressQuestionAnsweredKeep = engine.idOfQuestionAnsweredKeep(plan.openQuestions.filter(isAboutAddress));
  const whyNothingConverted = engine.isRuleOff(orderAllowDeny)
    ? notConverted('rule-off', null, orderAllowDeny.id)
    : questionAnsweredKeep === null
      ? (reasonForWholePlan(plan, (file) => whyUnchangeable?.(file, mainFile) ?? null) ??
        reasonOfLostLine(configuration))
      : notConverted('kept-by-answer', null, questionAnsweredKeep);
  return {
    mainFile,
    isPartial,
    files,
    foldersByHtaccess,
    plan:
      addressQuestionAnsweredKeep === null
        ? plan
        : withoutGroups(plan, comparesAddresses, notConverted('kept-by-answer', null, addressQuestionAnsweredKeep)),
    waitsFor,
    showsSignsOf24,
    isSettled: (each) => engine.isSettled(each),
    whyNothingConverted: plan.groups.length > 0 ? whyNothingConverted : null,
    differencesOf24: () => (engine.accessSource === '2.4' ? differencesOf24(plan) : []),
    furtherQuestions: [
      ...questions,
      ...versionQuestionWithDifferences([...questions, ...plan.openQuestions], engine.answerSet, planIfSourceIs24),
      ...answeredWithoutEffect(plan.refusals, configuration, engine.answerSet),
      ...ineffectiveVersionAnswer(plan, engine),
    ],
  };
}

/**
 * Plans a conversion. On a server that runs 2.4, the Require lines can deny all requests in a
 * section whose Allow lines allow some. Then the plan has the question whether that is right. If
 * the user answered that it is a mistake, these sections get the access of their Allow lines.
 */
function planAskingAboutDenied(
  options: ConversionOptions,
  { areAllowLinesMeant }: AnswerEffects,
  planWith: (options: ConversionOptions) => AccessPlan,
): AccessPlan {
  const plan = planWith(options);
  const denyingConversions = options.source === '2.4' ? conversionsDenying(plan) : [];
  if (denyingConversions.length === 0) return plan;
  const places = denyingConversions.map(({ scope }) => ({ path: scope.file.path, offset: scope.offset }));
  const question = { ...openQuestion('denied-now', '', places), shownFacts: sentencesAboutDenying(denyingConversions) };
  const keyOf = ({ path, offset }: FilePosition) => `${offset} ${path}`;
  const deniedPlaces = new Set(places.map(keyOf));
  const chosenPlan = areAllowLinesMeant
    ? planWith({
        ...options,
        countsAsGranted: ({ file, offset }) => deniedPlaces.has(keyOf({ path: file.path, offset })),
      })
    : plan;
  return withQuestions(chosenPlan, [...chosenPlan.openQuestions, question]);
}

/**
 * The open question which version runs, with texts that show what 2.4 decides differently from 2.2
 * if it reads the old lines. Empty if `openQuestions` does not have this question, or if 2.4
 * decides nothing differently.
 */
function versionQuestionWithDifferences(
  openQuestions: readonly OpenQuestion[],
  answerSet: AnswerSet,
  planIfSourceIs24: () => AccessPlan,
): readonly OpenQuestion[] {
  if (runningVersion(answerSet) !== null || !openQuestions.some(({ kind }) => kind === 'running-version')) return [];
  const differenceTexts = differencesOf24(planIfSourceIs24());
  return differenceTexts.length > 0 ? [{ ...runningQuestion('', []), shownFacts: differenceTexts }] : [];
}

/**
 * Returns a planner that makes each plan only once. For example, the plan for a server that runs
 * 2.4 is needed twice. It shows which edits are right for both versions, and what the answer `2.4`
 * converts.
 */
function cachedPlanner<Plan>(plan: (effects: AnswerEffects) => Plan): (effects: AnswerEffects) => Plan {
  const plans: { readonly effects: AnswerEffects; readonly plan: Plan }[] = [];
  return (effects) => {
    const cachedPlan = plans.find((each) => areAllSame(each.effects, effects));
    if (cachedPlan) return cachedPlan.plan;
    const newPlan = { effects, plan: plan(effects) };
    plans.push(newPlan);
    return newPlan.plan;
  };
}

/** Whether all values of the two objects are the same. */
function areAllSame(one: AnswerEffects, other: AnswerEffects): boolean {
  const effectNames = Object.keys({ ...one, ...other }) as (keyof AnswerEffects)[];
  return effectNames.every((name) => one[name] === other[name]);
}

/**
 * Returns the question which version runs, if the user answered `2.2` but the plan still asks the
 * question, because the answer had no effect. Otherwise empty.
 */
function ineffectiveVersionAnswer(
  { openQuestions, refusals }: AccessPlan,
  { answerSet }: EngineView,
): readonly OpenQuestion[] {
  const isRunningVersionQuestion = (each: OpenQuestion) => each.coveringQuestion === RUNNING_VERSION_QUESTION;
  return runningVersion(answerSet) === '2.2' &&
    [...openQuestions, ...refusals.flatMap(({ questions }) => questions)].some(isRunningVersionQuestion)
    ? [runningQuestion('', [])]
    : [];
}

/**
 * Asks about the address of the client, if a module sets it in 2.2 and 2.4 does not have that
 * module. Lines with addresses then match other clients in 2.4.
 */
function addressQuestions(configuration: Configuration): OpenQuestion[] {
  const lostAddress = lostAddressModule(configuration);
  if (lostAddress === null) return [];
  const addressPlaces = lostAddress.lines.map(({ file, offset }) => ({ path: file.path, offset }));
  return [openQuestion('client-address', '', addressPlaces, lostAddress.module.file.replace(/\.so$/, ''))];
}

/** A plan for one configuration, with the files that it was made from. */
interface DraftPlan {
  readonly configuration: Configuration;
  readonly htaccessFiles: readonly HtaccessFile[];
  readonly foldersByHtaccess: Draft['foldersByHtaccess'];
  readonly showsSignsOf24: () => boolean;
  readonly plan: AccessPlan;
}

/**
 * Asks about lines with non-ASCII names in files that are not UTF-8, because such a name cannot be
 * compared with file names.
 */
function encodingQuestions(
  configuration: Configuration,
  htaccessFiles: readonly HtaccessFile[],
  view: FileView,
): OpenQuestion[] {
  const openQuestions: OpenQuestion[] = [];
  const filesInOtherEncoding = new Set(
    filesOf({ configuration, htaccess: htaccessFiles }).filter((file) => view.isOtherEncoding?.(file.path) === true),
  );
  // Nearly all files are UTF-8, so usually there is nothing to search.
  if (filesInOtherEncoding.size === 0) return openQuestions;
  const isInOtherEncoding = (file: ConfigFile): boolean => filesInOtherEncoding.has(file);
  const visit = (scope: Scope): void => {
    if (scope.section !== null && isInOtherEncoding(scope.file) && scope.words.some(hasNonAscii))
      openQuestions.push(
        openQuestion('other-encoding', scope.section.open.text.trim(), [
          { path: scope.file.path, offset: scope.offset },
        ]),
      );
    for (const { line, file, offset } of scope.lines) {
      if (DIRECTIVES_NAMING_FILES.has(line.name) && isInOtherEncoding(file) && hasNonAscii(line.text))
        openQuestions.push(openQuestion('other-encoding', line.text.trim(), [{ path: file.path, offset }]));
    }
    scope.children.forEach(visit);
  };
  [configuration.rootScope, ...htaccessFiles.map(({ scope }) => scope)].forEach(visit);
  return openQuestions;
}

/** Directives with paths of files or directories in their arguments. */
const DIRECTIVES_NAMING_FILES: ReadonlySet<string> = new Set([
  'serverroot',
  'documentroot',
  'alias',
  'aliasmatch',
  'scriptalias',
  'scriptaliasmatch',
  'wsgiscriptalias',
  'wsgiscriptaliasmatch',
  'userdir',
  'virtualdocumentroot',
  'virtualdocumentrootip',
  'virtualscriptalias',
  'virtualscriptaliasip',
  'accessfilename',
  'rewriterule',
]);

/**
 * The reason why nothing is converted, if 2.4 loses a line that 2.2 reads. Null if there is no such
 * line.
 */
function reasonOfLostLine({ files }: Configuration): NotConverted | null {
  for (const { path, tree } of files.values()) {
    const lost = lostLastLine(tree);
    if (lost !== null)
      return notConverted('last-line-lost', { path, offset: lost.offset }, path, lost.lastLine.text.trim());
  }
  return null;
}

/**
 * The reason why nothing of a plan is converted, if one of the files that it edits cannot be
 * changed. Otherwise null. `whyUnchangeable`: see `AccessOptions`.
 */
function reasonForWholePlan(plan: AccessPlan, whyUnchangeable: (file: string) => string | null): NotConverted | null {
  for (const file of plan.paths) {
    const why = whyUnchangeable(file);
    if (why !== null && plan.edits.has(file))
      return notConverted('file-cannot-change', { path: file, offset: 0 }, file, why);
  }
  return null;
}

/**
 * The reason why a section is not converted, if an `httpd-upgrade-ignore` comment is about one of
 * its lines. Otherwise null.
 */
function reasonOfIgnoreComment(scope: Scope): NotConverted | null {
  const isSilenced = (tree: Tree, offset: number) =>
    tree.root.pragmaCount > 0 && isSuppressed(tree, offset, orderAllowDeny.id);
  if (!mayHaveIgnoreComment(scope)) return null;
  const accessPlaces = scope.lines
    .filter(({ line }) => orderAllowDeny.names.includes(line.name))
    .map(({ file, offset }) => ({ file, offset }));
  const silencedPlace = [...accessPlaces, ...(scope.section ? [scope] : [])].find(({ file, offset }) =>
    isSilenced(file.tree, offset),
  );
  return silencedPlace === undefined
    ? null
    : notConverted('kept-by-comment', { path: silencedPlace.file.path, offset: silencedPlace.offset });
}

/** Whether a file with lines of the section contains an `httpd-upgrade-ignore` comment. */
function mayHaveIgnoreComment({ lines, file, section }: Scope): boolean {
  if (section !== null && file.tree.root.pragmaCount > 0) return true;
  for (let i = 0; i < lines.length; i++) if (lines[i]!.file.tree.root.pragmaCount > 0) return true;
  return false;
}

/**
 * Sets the scope of an open question to `inside` if its answer may be in a file with access lines
 * that the program can read, but that no configuration reads. The user's statement that no other
 * files exist (`--assume-standalone`) does not settle such a question. There are two cases:
 * - A line serves unknown directories, and there is such a .htaccess file.
 * - An Include finds no file, but the last word of its path matches the name of such a file or of
 *   its directory.
 */
function withQuestionsAboutAvailableFiles({ standaloneFiles = [], view }: AccessOptions, drafts: Draft[]): Draft[] {
  if (
    !drafts.some(({ plan }) =>
      plan.openQuestions.some(({ kind }) => KINDS_ABOUT_SERVED_FOLDERS.has(kind) || kind === 'include-unseen'),
    )
  )
    return drafts;
  const filesRead = filesReadBy(drafts);
  const filesWithAccessLines = standaloneFiles
    .map(({ mainFile }) => mainFile)
    .filter(
      (path) =>
        !filesRead.has(path) &&
        namesIn(view.read(path)?.root ?? EMPTY_LIST).hasSome((name) => ACCESS_DIRECTIVES.has(name)),
    );
  const hasHtaccessFile = filesWithAccessLines.some(isHtaccessName);
  // The last word of an Include can be the name of a directory that contains the file.
  const fileAndFolderNames = new Set(
    filesWithAccessLines.flatMap((path) => [baseName(path), baseName(parentOf(path))]),
  );
  const mayBeAvailable = ({ kind, subject }: OpenQuestion) => {
    if (KINDS_ABOUT_SERVED_FOLDERS.has(kind)) return hasHtaccessFile;
    if (kind !== 'include-unseen') return false;
    const pattern = globPattern(baseName(subject.split('/').filter(Boolean).join('/')).toLowerCase());
    return [...fileAndFolderNames].some((name) => pattern.test(name.toLowerCase()));
  };
  return drafts.map((draft) => ({
    ...draft,
    plan: withQuestions(
      draft.plan,
      draft.plan.openQuestions.map(
        (each): OpenQuestion => (mayBeAvailable(each) ? { ...each, scope: 'inside' } : each),
      ),
    ),
  }));
}

/**
 * Open questions of these kinds are about .htaccess files in directories that the program does not
 * know or cannot read.
 */
const KINDS_ABOUT_SERVED_FOLDERS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'served-anywhere',
  'htaccess-unseen',
]);

const EMPTY_LIST = Tree.parse('').root;

/**
 * Plans all files that no configuration reads as one configuration, if the user answered that no
 * other file affects access. They are planned together in both orders. The paths of .htaccess files
 * show which of them apply to the same requests, so their edits must be those of a plan of all
 * .htaccess files. The edits of any other file must be those of a plan of this file alone. If they
 * are not, the file is left out. So are files that cannot be changed, and all files that must be
 * converted with a file that is left out.
 *
 * Before the user answers, this function finds the files that will be left out, so that no fix is
 * promised for them. It also plans the .htaccess files that must change together: alone, each of
 * them would get other lines.
 */
function draftsOfStandaloneFiles(
  { standaloneFiles = [], hasUnsearchedFolders = false, otherRoots = [], view, whyUnchangeable }: AccessOptions,
  drafts: readonly Draft[],
): Draft[] {
  if (mayIncludeAnyFile(drafts)) return [];
  const isAnsweredStandalone = standaloneFiles.some(({ engine }) => engine.isSettled(STANDALONE_QUESTION));
  const filesToConvert = filesToPlanAlone({ standaloneFiles, otherRoots, view }, drafts, isAnsweredStandalone);
  let files =
    filesToConvert.length === 0 ? [] : [...filesToConvert, ...filesOfPartialDrafts(drafts, filesToConvert, view)];
  // A single file is always converted alone, so no other file can prevent its conversion.
  const canBeLeftOut = files.length > 1 || hasUnsearchedFolders;
  if (!isAnsweredStandalone && (!canBeLeftOut || files.length > MAX_FORESEEN_FILES)) return [];
  const effects = answerEffectsOf(files.length > 0 ? standaloneFiles[0]!.engine.answerSet : NOTHING_ANSWERED);
  const isSettled = (each: OpenQuestion) =>
    each.scope === 'outside' ? isAnsweredStandalone : standaloneFiles[0]!.engine.isSettled(each);
  const planByFile = new Map(files.map((file) => [file.path, standalonePlan([file], effects)]));
  const keyInPlan = ({ edits }: AccessPlan, { path }: StandaloneFile) => keyOfEdits(edits.get(path));
  const keyAlone = (file: StandaloneFile) => keyInPlan(planByFile.get(file.path)!.plan, file);
  const filesOfKnownPlaces = filesOfKnownPlacesAmong(files);
  const planOfKnownPlaces =
    filesOfKnownPlaces.length > 0 ? standalonePlan(filesOfKnownPlaces, effects).plan : NOTHING_PLANNED;
  const expectedKeys = new Map(
    files.map((file) => [
      file,
      filesOfKnownPlaces.includes(file) ? keyInPlan(planOfKnownPlaces, file) : keyAlone(file),
    ]),
  );
  const mayBeConverted = ({ path }: StandaloneFile) => mayBeConvertedAlone(planByFile.get(path)!, isSettled);
  const isUnchangeable = (file: StandaloneFile) =>
    mustStay(file, { hasUnsearchedFolders, whyUnchangeable }, isAnsweredStandalone);
  const plansOfLeftOutFiles = new Map<string, AccessPlan>();
  const filesWithUnknownPlace = new Set<string>();
  const draftOf = (plan: AccessPlan) =>
    standaloneDraft({
      plan,
      paths: files.map(({ path }) => path),
      planByLeftOutFile: plansOfLeftOutFiles,
      filesWithUnknownPlace,
      isSettled,
      hasUnsearchedFolders,
      whyUnchangeable,
    });
  while (files.length > 0) {
    const placements = placementsOf(files);
    const plans = plansToCompare(files, placements, effects);
    const { plan } = plans[0]!;
    const differingPlans = new Map(
      files.map((file) => [file.path, plans.find((each) => !hasEdits(each, file, expectedKeys.get(file)))] as const),
    );
    const hasExpectedEdits = (file: StandaloneFile) =>
      mayBeConverted(file) &&
      !isUnchangeable(file) &&
      differingPlans.get(file.path) === undefined &&
      !isPlaceUnchecked(file, placements);
    const filesToLeaveOut = withFilesConvertedTogether(
      files.filter((file) => !hasExpectedEdits(file)),
      plans.flatMap((each) => each.plan.groups),
    );
    if (filesToLeaveOut.size === 0) {
      // Before the answer, only files that change together are planned here.
      const filesDifferingAlone = files.filter((file) => expectedKeys.get(file) !== keyAlone(file));
      const changingTogether = withFilesConvertedTogether(filesDifferingAlone, plan.groups);
      if (isAnsweredStandalone || changingTogether.size === files.length) return [draftOf(plan)];
      files = files.filter(({ path }) => changingTogether.has(path));
      continue;
    }
    const leftOutFiles = filesToConvert.filter((file) => filesToLeaveOut.has(file.path) && mayBeConverted(file));
    for (const file of leftOutFiles) {
      // A file that gets the expected edits in all plans is left out together with others. The
      // plans with other places come last.
      const { plan: planWithReason, isAtOtherPlace } = differingPlans.get(file.path) ?? { ...plans.at(-1)!, plan };
      plansOfLeftOutFiles.set(file.path, planWithReason);
      const isPlaceUnknown = isAtOtherPlace || isPlaceUnchecked(file, placements);
      if (isPlaceUnknown && !isUnchangeable(file)) filesWithUnknownPlace.add(file.path);
    }
    files = files.filter(({ path }) => !filesToLeaveOut.has(path));
  }
  return plansOfLeftOutFiles.size === 0 ? [] : [draftOf(NOTHING_PLANNED)];
}

/**
 * The files with lines about access that no configuration reads. Without .htaccess files, if a
 * whole configuration is known, or if an AllowOverride line of another file may apply to them.
 * `isAnsweredStandalone`: whether the user answered for a file that no other file affects access.
 * Then only such files are planned.
 */
function filesToPlanAlone(
  { standaloneFiles, otherRoots, view }: Required<Pick<AccessOptions, 'standaloneFiles' | 'otherRoots' | 'view'>>,
  drafts: readonly Draft[],
  isAnsweredStandalone: boolean,
): StandaloneFile[] {
  // If an AllowOverride line of a known file allows only some directives, it may apply to the
  // .htaccess files among `standaloneFiles`. It is unknown whether it does.
  const mayNarrowOverride = [
    ...[...standaloneFiles, ...otherRoots].map(({ mainFile }) => mainFile),
    ...drafts.flatMap((draft) => draft.files),
  ].some((path) => narrowsOverride(view.read(path)));
  const filesRead = filesReadBy(drafts);
  const areHtaccessFilesExcluded = mayNarrowOverride || drafts.some(({ isPartial }) => !isPartial);
  return standaloneFiles.flatMap(({ mainFile: path, engine, server }): StandaloneFile[] => {
    const isHtaccess = isHtaccessName(path);
    const isCandidateFile = isAnsweredStandalone
      ? engine.isSettled(STANDALONE_QUESTION)
      : isStandaloneQuestionOpen(engine);
    const tree =
      isCandidateFile && !filesRead.has(path) && !(isHtaccess && areHtaccessFilesExcluded) ? view.read(path) : null;
    if (!tree || !namesIn(tree.root).hasSome((name) => ACCESS_DIRECTIVES.has(name) || ADDRESS_DIRECTIVES.has(name)))
      return [];
    const localFolder = parentOf(path);
    const folder = server.pathMap === undefined ? localFolder : serverPathOf(localFolder, server.pathMap);
    return [
      {
        ...{ path, tree, isHtaccess, folder, isFolderKnown: folder !== localFolder },
        ...{ source: engine.accessSource, keepsBoth: engine.keepsBoth },
      },
    ];
  });
}

/**
 * The configuration files with access lines that drafts of parts of a configuration read. No answer
 * says that their lines are for other requests than those of `filesToConvert`.
 */
function filesOfPartialDrafts(
  drafts: readonly Draft[],
  filesToConvert: readonly StandaloneFile[],
  view: FileView,
): StandaloneFile[] {
  const { source, keepsBoth } = filesToConvert[0]!;
  const paths = new Set(drafts.flatMap(({ isPartial, files }) => (isPartial ? files : [])));
  return [...paths].flatMap((path): StandaloneFile[] => {
    const tree = isHtaccessName(path) ? null : view.read(path);
    if (!tree || !namesIn(tree.root).hasSome((name) => ACCESS_DIRECTIVES.has(name))) return [];
    return [{ path, tree, isHtaccess: false, folder: parentOf(path), source, keepsBoth, isOfPartialDraft: true }];
  });
}

/**
 * Whether a known configuration includes files with unknown names. Then it may include any
 * file.
 */
function mayIncludeAnyFile(drafts: readonly Draft[]): boolean {
  return drafts.some(({ plan }) => plan.openQuestions.some(({ kind }) => KINDS_ABOUT_UNKNOWN_INCLUDES.has(kind)));
}

/** Whether no fix may change a file, so that files that must change with it stay, too. */
function mustStay(
  { path, isHtaccess, isOfPartialDraft }: StandaloneFile,
  { hasUnsearchedFolders, whyUnchangeable }: Pick<AccessOptions, 'hasUnsearchedFolders' | 'whyUnchangeable'>,
  isAnsweredStandalone: boolean,
): boolean {
  if (isOfPartialDraft === true || (isHtaccess && hasUnsearchedFolders === true)) return true;
  // Before the answer, a configuration file that cannot be changed holds no other file back.
  return (isHtaccess || isAnsweredStandalone) && (whyUnchangeable?.(path, path) ?? null) !== null;
}

/**
 * Whether a file can be converted, by its plan alone: no section of an unknown file is around its
 * lines, and all questions about it are answered.
 */
function mayBeConvertedAlone(
  { plan, isSnippet }: ReturnType<typeof standalonePlan>,
  isSettled: (each: OpenQuestion) => boolean,
): boolean {
  // One question about client addresses is asked for all these files together, so it does not
  // exclude a file.
  const mayStayOpen = ({ scope, kind }: OpenQuestion) => scope === 'outside' || kind === 'client-address';
  return !isSnippet && plan.openQuestions.every((each) => mayStayOpen(each) || isSettled(each));
}

/** A plan for converting files together. */
interface ComparedPlan {
  readonly plan: AccessPlan;
  readonly files: readonly StandaloneFile[];
  /** Whether .htaccess files are at other places than here. */
  readonly isAtOtherPlace: boolean;
}

/**
 * The files that can be planned together, because their places on the server are known relative to
 * each other: all .htaccess files. Also the configuration file, if there is only one, and settings
 * say where all .htaccess files are on the server.
 */
function filesOfKnownPlacesAmong(files: readonly StandaloneFile[]): readonly StandaloneFile[] {
  const htaccessFiles = files.filter(({ isHtaccess }) => isHtaccess);
  const hasOneConfigurationFile = files.length - htaccessFiles.length === 1;
  return hasOneConfigurationFile && htaccessFiles.every(({ isFolderKnown }) => isFolderKnown) ? files : htaccessFiles;
}

/**
 * The plans that must have the same edits for each file: in both orders, and with the .htaccess
 * files at each place where they may be on the server.
 */
function plansToCompare(
  files: readonly StandaloneFile[],
  placements: readonly StandaloneFile[][] | null,
  effects: AnswerEffects,
): ComparedPlan[] {
  const comparedPlan = (filesOfPlan: readonly StandaloneFile[], isAtOtherPlace: boolean): ComparedPlan => ({
    plan: standalonePlan(filesOfPlan, effects).plan,
    files: filesOfPlan,
    isAtOtherPlace,
  });
  return [
    comparedPlan(files, false),
    comparedPlan([...files].reverse(), false),
    ...(placements ?? []).map((each) => comparedPlan(each, true)),
  ];
}

/** Whether a plan has these edits for a file, or does not have the file. */
function hasEdits({ plan, files }: ComparedPlan, { path }: StandaloneFile, key: string | undefined): boolean {
  return !files.some((file) => file.path === path) || keyOfEdits(plan.edits.get(path)) === key;
}

/**
 * The places at which .htaccess files may be on the server, if there are configuration files with
 * `<Directory>` sections beside them: the directory of such a section can be that of a .htaccess
 * file, although their paths here differ. Returns a list of all files for each place of a .htaccess
 * file. In it, the other .htaccess files are in the same relative directories. Those that cannot
 * exist there are left out. The place `/` stands for any directory above those of the sections.
 * Null if there are too many places, or the directory of a section is not known.
 */
function placementsOf(files: readonly StandaloneFile[]): StandaloneFile[][] | null {
  const sectionFolders = new Set(files.flatMap((file) => (dependsOnPlaces(file) ? sectionFoldersOf(file) : [])));
  const relativeFiles = files.filter(({ isHtaccess, isFolderKnown }) => isHtaccess && !isFolderKnown);
  if (sectionFolders.size === 0 || relativeFiles.length === 0) return [];
  const newFolders = [...new Set(['/', ...sectionFolders])];
  if (sectionFolders.has(UNKNOWN_FOLDER)) return null;
  if (relativeFiles.length * newFolders.length * files.length > MAX_FILES_IN_PLACES) return null;
  const placements = relativeFiles.flatMap(({ folder: ownFolder }) =>
    newFolders.map((newFolder) =>
      files.flatMap((file) => {
        if (!relativeFiles.includes(file)) return [file];
        const folder = movedFolder(file.folder, ownFolder, newFolder);
        return folder === null ? [] : [{ ...file, folder }];
      }),
    ),
  );
  const keyOf = (each: readonly StandaloneFile[]) => each.map(({ path, folder }) => `${path}\n${folder}`).join('\n');
  return [...new Map(placements.map((each) => [keyOf(each), each])).values()];
}

/** Maximum number of files in all plans for other places of .htaccess files. */
const MAX_FILES_IN_PLACES = 20_000;

/** Whether it matters for a file at which places the .htaccess files beside it are on the server. */
function dependsOnPlaces(file: StandaloneFile): boolean {
  return file.isHtaccess ? !file.isFolderKnown : sectionFoldersOf(file).length > 0;
}

/** Whether a file depends on places that cannot all be planned (`placements` is null). */
function isPlaceUnchecked(file: StandaloneFile, placements: readonly StandaloneFile[][] | null): boolean {
  return placements === null && dependsOnPlaces(file);
}

/** The directory `folder` after `from` was moved to `to`. Null if it would be above `/`. */
function movedFolder(folder: string, from: string, to: string): string | null {
  const [parts, fromParts, toParts] = [folder, from, to].map(partsOf);
  let sharedCount = 0;
  while (sharedCount < fromParts!.length && parts![sharedCount] === fromParts![sharedCount]) sharedCount++;
  const stepsUp = fromParts!.length - sharedCount;
  if (stepsUp > toParts!.length) return null;
  return `/${[...toParts!.slice(0, toParts!.length - stepsUp), ...parts!.slice(sharedCount)].join('/')}`;
}

/** The names in a path, without empty ones. */
function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

/**
 * The directories of the `<Directory>` sections with access lines in a configuration file. A
 * wildcard is replaced by a name that it matches. `/` for a section with a regular expression, and
 * `UNKNOWN_FOLDER` for a section whose directory is not known.
 */
function sectionFoldersOf({ tree, isHtaccess }: StandaloneFile): string[] {
  return isHtaccess ? [] : foldersOfAccessSections(tree.root);
}

/**
 * Stands for the directory of a section whose path has a variable or a drive, or is relative. Also
 * for the directories where the lines of a macro apply.
 */
const UNKNOWN_FOLDER = '';

/** A path that the path of a `<Directory>` matches: a name in place of each wildcard. */
function matchingPath(pattern: string): string {
  return withoutQuotes(pattern).replace(/[*?]|\[([^[\]]?)[^[\]]*\]/g, (_, first: string | undefined) =>
    first === undefined || first === '!' || first === '^' ? 'x' : first,
  );
}

/** Like `sectionFoldersOf`, for the sections in a list. */
function foldersOfAccessSections(list: List): string[] {
  const folders: string[] = [];
  forEachItem(list, 0, (item) => {
    if (!(item instanceof Section) || !namesIn(item.body).hasSome((name) => ACCESS_DIRECTIVES.has(name))) return;
    const [firstWord] = argumentsOf(item.open);
    if (item.name === 'directorymatch' || firstWord?.value === '~') folders.push('/');
    else if (item.name === 'directory' && firstWord?.value.startsWith('/') && !firstWord.value.includes('$'))
      folders.push(resolvePath('/', matchingPath(firstWord.value)));
    else if (item.name === 'directory' || item.name === 'macro') folders.push(UNKNOWN_FOLDER);
    else folders.push(...foldersOfAccessSections(item.body));
  });
  return folders;
}

/** The paths of these files, and of all files that must be converted together with one of them. */
function withFilesConvertedTogether(
  files: readonly Pick<StandaloneFile, 'path'>[],
  groups: readonly AccessGroup[],
): ReadonlySet<string> {
  const paths = new Set(files.map(({ path }) => path));
  for (let sizeBefore = -1; sizeBefore !== paths.size; ) {
    sizeBefore = paths.size;
    for (const { edits } of groups)
      if ([...edits.keys()].some((path) => paths.has(path))) for (const path of edits.keys()) paths.add(path);
  }
  return paths;
}

/** Whether the user still has to answer the question whether other files affect a file. */
function isStandaloneQuestionOpen(engine: EngineView): boolean {
  return !engine.isSettled(STANDALONE_QUESTION) && engine.idOfQuestionAnsweredKeep([STANDALONE_QUESTION]) === null;
}

/**
 * Maximum number of files for which the program finds out, before the user answers, which files
 * will be left out.
 */
const MAX_FORESEEN_FILES = 500;

/** Maximum number of other files that the text of a reason names. */
const MAX_NAMED_FILES = 3;

interface StandaloneDraftInput {
  /** The plan for converting the files in `paths` alone, without the configuration around them. */
  readonly plan: AccessPlan;
  readonly paths: readonly string[];
  /** Files that are not converted, each with the plan that shows why not. */
  readonly planByLeftOutFile: ReadonlyMap<string, AccessPlan>;
  /** Files that are not converted because their directory on the server is not known. */
  readonly filesWithUnknownPlace: ReadonlySet<string>;
  readonly isSettled: (each: OpenQuestion) => boolean;
  readonly hasUnsearchedFolders: boolean;
  readonly whyUnchangeable: AccessOptions['whyUnchangeable'];
}

/** The draft that stands for all files that no configuration reads. */
function standaloneDraft({
  plan,
  paths,
  planByLeftOutFile,
  filesWithUnknownPlace,
  isSettled,
  hasUnsearchedFolders,
  whyUnchangeable,
}: StandaloneDraftInput): Draft {
  const files = [...paths, ...planByLeftOutFile.keys()];
  const openQuestions = joinedQuestions([
    ...plan.openQuestions,
    ...paths.map((path) =>
      withSectionsNamed(
        { ...openQuestion('outside-unseen', path), search: standaloneQuestion(isHtaccessName(path)).search },
        plan,
      ),
    ),
  ]);
  const reasonAt = (path: string, offset: number): NotConverted | null => {
    const reason = reasonBesideOthers(path, offset);
    return reason?.code === 'template-line' && reason.location !== null && reason.location.path !== path
      ? notConverted('beside-template', null, baseName(reason.location.path))
      : reason;
  };
  const reasonBesideOthers = (path: string, offset: number): NotConverted | null => {
    const planWithOthers = planByLeftOutFile.get(path);
    if (planWithOthers === undefined) return plan.reasonAt(path, offset);
    if (filesWithUnknownPlace.has(path)) {
      const folders = files
        .filter((each) => isHtaccessName(each) && filesWithUnknownPlace.has(each))
        .map((each) => partsOf(parentOf(each)));
      const [firstParts = []] = folders;
      const sharedCount = firstParts.findIndex((part, index) => folders.some((parts) => parts[index] !== part));
      const topFolder = `/${firstParts.slice(0, sharedCount < 0 ? undefined : sharedCount).join('/')}`;
      return notConverted('directory-unknown', null, topFolder);
    }
    const reason = planWithOthers.reasonAt(path, offset);
    if (reason !== null || planWithOthers.groupAt(path, offset) === null) return reason;
    if (hasUnsearchedFolders && isHtaccessName(path)) return notConverted('directories-not-searched', null);
    const together = withFilesConvertedTogether([{ path }], planWithOthers.groups);
    const unchangeableFile = [...together].find(
      (each) => each !== path && (whyUnchangeable?.(each, each) ?? null) !== null,
    );
    if (unchangeableFile !== undefined)
      return notConverted(
        'other-file-cannot-change',
        null,
        unchangeableFile,
        whyUnchangeable!(unchangeableFile, unchangeableFile)!,
      );
    const otherFiles = (together.size > 1 ? [...together] : files).filter((each) => each !== path);
    const areSiblings = otherFiles.every((each) => parentOf(each) === parentOf(path));
    return notConverted(
      areSiblings && otherFiles.length > 0 ? 'differs-beside-siblings' : 'differs-beside-files',
      null,
      otherFiles.slice(0, MAX_NAMED_FILES).map((each) => `${baseName(parentOf(each))}/${baseName(each)}`),
    );
  };
  return {
    mainFile: files[0]!,
    isPartial: true,
    files,
    foldersByHtaccess: new Map(),
    plan: Object.assign(withQuestions(plan, openQuestions), { reasonAt }),
    isSettled,
    waitsFor: () => [],
    furtherQuestions: [],
    showsSignsOf24: () => false,
    differencesOf24: () => [],
    isStandalone: true,
    whyNothingConverted: reasonForWholePlan(plan, (file) => whyUnchangeable?.(file, file) ?? null),
  };
}

/** Whether a file has an AllowOverrideList, or an AllowOverride other than All and None. */
function narrowsOverride(tree: Tree | null): boolean {
  if (!tree) return false;
  const namesInFile = namesIn(tree.root);
  if (namesInFile.hasName('allowoverridelist')) return true;
  return namesInFile.hasName('allowoverride') && narrowsOverrideInList(tree.root);
}

/** Like `narrowsOverride`, for the lines of a list. Lists without an AllowOverride are skipped. */
function narrowsOverrideInList({ children }: List): boolean {
  return children.some((child) => {
    if (child instanceof List) return namesIn(child).hasName('allowoverride') && narrowsOverrideInList(child);
    if (child instanceof Section)
      return namesIn(child.body).hasName('allowoverride') && narrowsOverrideInList(child.body);
    return child.name === 'allowoverride' && !/^\s*\S+\s+(all|none)\s*$/i.test(child.text);
  });
}

/**
 * Open questions of these kinds mean that there may be directories or links that the program does
 * not know.
 */
const KINDS_ABOUT_UNKNOWN_FOLDERS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'served-anywhere',
  'htaccess-unseen',
  'too-many-directories',
  'unreadable',
  'linked',
]);

/** Open questions of these kinds mean that another server may also read the files. */
const KINDS_ABOUT_OTHER_SERVERS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>(['other-main', 'shared']);

/**
 * Open questions of these kinds mean that the configuration may include files whose names are
 * unknown.
 */
const KINDS_ABOUT_UNKNOWN_INCLUDES: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'include-unseen',
  'variable',
  'macro',
  'perl',
  'too-deep',
  'template',
]);

/** Directives that can replace the client's address. */
const ADDRESS_DIRECTIVES: ReadonlySet<string> = new Set(CLIENT_ADDRESS_DIRECTIVES);
/** Directives of both versions that control access. */
const ACCESS_DIRECTIVES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require', 'authtype']);

// ---- Standalone files ----

/** The path under which a standalone file is planned. No real file has this path. */
const STANDALONE_PATH = '/lone/file';
/** The path of the made-up main file that includes standalone files (`UNKNOWN_SERVER`). */
const STANDALONE_MAIN_PATH = '/lone/main';

/** A file that is planned without a configuration that reads it. */
interface StandaloneFile {
  readonly path: string;
  readonly tree: Tree;
  readonly isHtaccess: boolean;
  /** For a .htaccess file: its directory on the server, or here if that is not known. */
  readonly folder: string;
  /** Whether a setting says which directory on the server the directory of the file is. */
  readonly isFolderKnown?: boolean;
  /**
   * Whether the draft of a part of a configuration converts the file. Its lines can be for the same
   * requests as those of other files, so it is planned with them, but not changed by this plan.
   */
  readonly isOfPartialDraft?: boolean;
  readonly source: Source;
  readonly keepsBoth?: boolean;
}

/**
 * The main file of a made-up server. Its lines mean that it is unknown which directories the server
 * serves, and which requests it proxies.
 */
const UNKNOWN_SERVER = 'VirtualDocumentRoot /%0\nProxyPass /proxied http://unknown/\n';

/**
 * Plans files without a configuration. `isSnippet`: whether a file that is no .htaccess file has
 * access lines outside of sections. A section of another file probably includes such a file.
 * `unansweredFlagQuestions`: the questions about names in `<IfDefine>` that the user has not
 * answered.
 */
function standalonePlan(
  files: readonly StandaloneFile[],
  effects: AnswerEffects,
): {
  readonly plan: AccessPlan;
  readonly isSnippet: boolean;
  readonly unansweredFlagQuestions: readonly OpenQuestion[];
} {
  const isSnippet = ({ tree, isHtaccess }: StandaloneFile) => !isHtaccess && hasAccessAtTopLevel(tree.root);
  const readAsHtaccess = files.filter((file) => file.isHtaccess || isSnippet(file));
  const includeLines = files.filter((file) => !readAsHtaccess.includes(file)).map(({ path }) => `Include "${path}"\n`);
  const treeByPath = new Map([
    ...files.map(({ path, tree }): [string, Tree] => [path, tree]),
    [STANDALONE_MAIN_PATH, Tree.parse(UNKNOWN_SERVER + includeLines.join(''))],
  ]);
  const view: FileView = {
    read: (path) => treeByPath.get(path) ?? null,
    list: () => null,
    kind: (path) => (treeByPath.has(path) ? 'file' : null),
    realPath: (path) => path,
  };
  const source = effects.source ?? files[0]!.source;
  const unknownTags = new Set<Line>();
  const conditions = accessConditionDecider(source, DEFAULT_TARGET, knownMpm(effects.mpm, null));
  const options = {
    view,
    names: ACCESS_NAMES,
    oneVersionNames: ONE_VERSION_NAMES,
    decideCondition: withAssumptions(conditions, effects.assumedConditions ?? NOTHING_ASSUMED, unknownTags),
    defineFlags: effects.defineFlags,
    serverRoot: '/lone',
  };
  const readings = readAsHtaccess.map((file) => {
    const folder = file.isHtaccess && files.length > 1 ? file.folder : '/';
    return readHtaccessFile({ ...options, root: file.path, folder })!;
  });
  const htaccessFiles = readings.map(({ rootScope }): HtaccessFile => ({ scope: rootScope, overrideWords: ['all'] }));
  const configuration = readConfiguration({ ...options, root: STANDALONE_MAIN_PATH })!;
  const openQuestions = [
    ...readings.flatMap(({ gaps }) => gaps.map(questionOfGap)),
    ...answeredFlagQuestions(configuration, effects),
    ...answeredMpmQuestions(configuration, effects),
    ...addressQuestions(configuration),
  ];
  const conversionOptions: ConversionOptions = {
    ...lineOf24Finders({ ...options, root: STANDALONE_MAIN_PATH }, undefined),
    furtherReasonFor: reasonOfIgnoreComment,
    keepsBoth: files[0]!.keepsBoth,
    ...effects,
    source,
  };
  const plan = planAskingAboutDenied(conversionOptions, effects, (tried) =>
    planAccessConversion(configuration, htaccessFiles, openQuestions, tried),
  );
  const planWithBranches =
    effects.assumedConditions || files[0]!.keepsBoth || source === '2.4'
      ? plan
      : withBranches(
          { plan, configuration, htaccess: htaccessFiles, unknownTags, mayHaveMissingFiles: files.length > 1 },
          (assumedConditions) => standalonePlan(files, { ...effects, assumedConditions }).plan,
        );
  return {
    plan: planWithBranches,
    isSnippet: files.some(isSnippet),
    unansweredFlagQuestions: unansweredFlagQuestions(configuration, effects),
  };
}

/**
 * Whether a list has access lines outside of sections. Lines in conditional sections and in
 * `<Limit>` count as outside.
 */
function hasAccessAtTopLevel(list: List): boolean {
  let foundAccessLine = false;
  forEachItem(list, 0, (item) => {
    if (item instanceof Line) foundAccessLine ||= ACCESS_DIRECTIVES.has(item.name);
    else foundAccessLine ||= isTransparent(sectionKind(item.name)) && hasAccessAtTopLevel(item.body);
  });
  return foundAccessLine;
}

/**
 * Whether the lines of an included file may be all access lines of the section that includes it.
 * Without an Order line, they probably continue other lines of that section. Only `<Files>` and
 * `<FilesMatch>` sections may be among them, because these can be inside another section.
 */
function mayBeWholeSection(list: List): boolean {
  let hasOrder = false;
  let mayBeInSection = true;
  forEachItem(list, 0, (item) => {
    if (item instanceof Line) hasOrder ||= item.name === 'order';
    else
      mayBeInSection &&= item.name === 'files' || item.name === 'filesmatch' || isTransparent(sectionKind(item.name));
  });
  return hasOrder && mayBeInSection;
}

/** The directives of 2.2 that a conversion removes. */
const OLD_ACCESS_DIRECTIVES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

/** The title of the fix that converts a group. */
function titleOfGroup({ conversions, hasBranches = false }: AccessGroup): string {
  const { tree, authMerging, scope, removedLines } = conversions[0]!;
  const otherCount = conversions.length - 1;
  if (otherCount > 0) return `Convert the access control of ${conversions.length} sections`;
  const oldNames = scope.lines.flatMap(({ line }) => (OLD_ACCESS_DIRECTIVES.has(line.name) ? [spelledName(line)] : []));
  const joinedNames = joinedItems([...new Set(oldNames)]);
  if (removedLines) return fittingTitle(`Remove ${joinedNames}, keep Require`, 'Remove the old lines, keep Require');
  if (hasBranches) return `Convert ${joinedNames} to Require lines`;
  if (tree === null)
    return fittingTitle(`Remove ${joinedNames} (no effect)`, 'Remove access lines that have no effect');
  const oneLine = cachedOneLineText(tree);
  if (oneLine !== null && !authMerging && oneLine.length <= MAX_LINE_LENGTH_IN_TITLE) return `Convert to ${oneLine}`;
  return joinedNames === ''
    ? fittingTitle(`Change the Require lines of ${sectionName(scope)}`, 'Change the Require lines')
    : `Convert ${joinedNames} to Require lines`;
}

/** Maximum length of a new line that the title of a fix shows, in UTF-16 units. */
const MAX_LINE_LENGTH_IN_TITLE = 49;

/** Returns the fixes with offsets that count from the start of the file. */
function fixesWithFileOffsets({ fixes, baseOffset }: PlacedFixes): Fix[] {
  return fixes.map((fix) =>
    fixMadeLater(fix, () =>
      fix.edits.map(({ start, end, text }) => ({ start: start + baseOffset, end: end + baseOffset, text })),
    ),
  );
}

// ---- Reading ----

/** The files of a configuration, as one version reads them. */
interface Reading {
  readonly configuration: Configuration;
  readonly discovered: DiscoveredHtaccess;
  /** The options with which the files were read. */
  readonly options: ReadOptions;
  /** The opening tags of conditional sections whose condition has an unknown result. */
  readonly unknownTags: Set<Line>;
  /**
   * Whether a condition has another result if the server runs the other version. If so, this
   * reading is only for its own version.
   */
  readonly dependsOnVersion: boolean;
}

/**
 * Returns a reader that reads the files only once for both versions, if all conditions have the
 * same results in both. A plan must read all sections before the next plan asks for a reading,
 * because the results of conditions become known only when their sections are read.
 */
function cachedReader(
  accessRoot: AccessRoot,
  view: FileView,
): (effects: AnswerEffects, source: Source) => Reading | null {
  const readings: { readonly effects: AnswerEffects; readonly source: Source; readonly reading: Reading }[] = [];
  return (allEffects, source) => {
    const effects = { ...allEffects, source: undefined };
    const cached = readings.find(
      (each) => (each.source === source || !each.reading.dependsOnVersion) && areAllSame(each.effects, effects),
    );
    if (cached) return cached.reading;
    const reading = readingOf(accessRoot, view, effects, source);
    if (reading) readings.push({ effects, source, reading });
    return reading;
  };
}

/** Reads a configuration as `source` reads it. Null if its main file cannot be read. */
function readingOf(accessRoot: AccessRoot, view: FileView, effects: AnswerEffects, source: Source): Reading | null {
  const unknownTags = new Set<Line>();
  let dependsOnVersion = false;
  const onVersionCondition = () => {
    dependsOnVersion = true;
  };
  const optionsFor = (oldMpm: string | null) =>
    readOptionsOf(accessRoot, view, effects, { source, unknownTags, oldMpm, onVersionCondition });
  let options = optionsFor(null);
  let configuration = configurationOf(accessRoot, view, options);
  if (!configuration) return null;
  // The start script may name the MPM of 2.2. The first reading finds that script, so the files are
  // then read again with that MPM.
  const oldMpm =
    configuration.mpmConditions.length > 0 && effects.mpm !== null
      ? (configuration.startOptions?.mpm?.name ?? null)
      : null;
  if (oldMpm !== null) {
    options = optionsFor(oldMpm);
    configuration = configurationOf(accessRoot, view, options)!;
  }
  const discovered = discoverHtaccess(configuration, viewOfCopy(view, configuration.pathMap));
  return {
    configuration,
    discovered,
    options,
    unknownTags,
    get dependsOnVersion() {
      return dependsOnVersion;
    },
  };
}

/**
 * The options for reading the configuration. `onVersionCondition` is called if a condition has
 * another result for a server that runs the other version.
 */
function readOptionsOf(
  { mainFile, engine, server: { serverRoot, pathMap, defines } }: AccessRoot,
  view: FileView,
  { defineFlags, mpm, assumedConditions = NOTHING_ASSUMED }: AnswerEffects,
  {
    source,
    unknownTags,
    oldMpm,
    onVersionCondition,
  }: {
    readonly source: Source;
    readonly unknownTags: Set<Line>;
    readonly oldMpm: string | null;
    readonly onVersionCondition: () => void;
  },
): ReadOptions {
  const conditions = accessConditionDecider(source, engine.target, knownMpm(mpm, oldMpm));
  const otherSource = source === '2.4' ? '2.2' : '2.4';
  const decideForOtherVersion = accessConditionDecider(otherSource, engine.target, knownMpm(mpm, oldMpm));
  const decideCondition: typeof conditions = (...condition) => {
    const answer = conditions(...condition);
    if (answer !== decideForOtherVersion(...condition)) onVersionCondition();
    return answer;
  };
  return {
    root: mainFile,
    view,
    names: ACCESS_NAMES,
    oneVersionNames: ONE_VERSION_NAMES,
    decideCondition: withAssumptions(decideCondition, assumedConditions, unknownTags),
    target: engine.target,
    serverRoot,
    pathMap,
    defines,
    defineFlags,
  };
}

const NOTHING_ASSUMED: ReadonlyMap<Line, boolean> = new Map();

/**
 * Reads a configuration without the virtual hosts that need not be read. Null if its main file
 * cannot be read.
 */
function configurationOf(accessRoot: AccessRoot, view: FileView, options: ReadOptions): Configuration | null {
  return readConfiguration({ ...options, skipsSection: skippableHostTest(accessRoot, view) });
}

/**
 * Facts about a text that mean that it must be read: it has an old line, or includes a file that
 * may have one.
 */
const RELEVANT_FACTS = factsOf(Fact.oldAccess, Fact.satisfy, Fact.includes);

/**
 * Returns a function that tests whether a section need not be read, because it is a virtual host
 * without old lines. Returns undefined if each section must be read, because there are old lines
 * outside of virtual hosts, or because .htaccess files may have some.
 */
function skippableHostTest(
  { mainFile, engine, infoOf }: AccessRoot,
  view: FileView,
): ((section: Section) => boolean) | undefined {
  const tree = view.read(mainFile);
  // Without an AllowOverride line, .htaccess files may have old lines, so the long search for facts
  // is not needed.
  if (!tree || !namesIn(tree.root).hasName('allowoverride')) return undefined;
  const { facts } = engine.analyze(tree, infoOf?.(tree) ?? { isHtaccess: false });
  if (hasFact(facts, Fact.allowsOverride) || !hasFact(facts, Fact.deniesOverrideAtRoot)) return undefined;
  if (hasFact(factsOutsideHosts(tree.root, engine), RELEVANT_FACTS)) return undefined;
  // A section that changes how later lines are read must be read.
  return (section) =>
    section.name === 'virtualhost' &&
    !hasFact(engine.factsIn(section), RELEVANT_FACTS) &&
    !namesIn(section.body).mustReadInOrder;
}

/**
 * The facts about all lines outside of virtual hosts. The fact `includes` is added if a virtual
 * host has Include lines. Lists without any of `RELEVANT_FACTS` are skipped.
 */
function factsOutsideHosts(list: List, engine: EngineView): FileFacts {
  let facts = NO_FACTS;
  for (const child of list.children) {
    if (child instanceof List) {
      if (hasFact(engine.factsIn(child), RELEVANT_FACTS)) facts = plusFacts(facts, factsOutsideHosts(child, engine));
    } else if (child instanceof Section && child.name === 'virtualhost') {
      if (hasFact(engine.factsIn(child), Fact.includes)) facts = plusFacts(facts, Fact.includes);
    } else facts = plusFacts(facts, child instanceof Section ? engine.factsIn(child) : engine.factsOfLine(child));
  }
  return facts;
}

/** Whether the lines of the file `root` show that it is a main file. */
function mayBeMain({ files }: Configuration, root: string): boolean {
  const tree = files.get(root)?.tree;
  return tree !== undefined && (isCertainMainFileTree(tree.root) || hasListenLine(tree));
}

/**
 * Whether the file has a Listen line, or a Port line, which was the name of Listen in 1.3. Without
 * such a line, 2.2 does not start ("no listening sockets available").
 */
function hasListenLine({ root }: Tree): boolean {
  const namesInFile = namesIn(root);
  return namesInFile.hasName('listen') || namesInFile.hasName('port');
}

/**
 * Asks whether a file is a part of another configuration. `why`: a clause about the file that
 * suggests so.
 */
function partQuestion(root: string, why: string): OpenQuestion {
  return {
    ...openQuestion('outside-unseen', root, [], `${why}, so another file may include it`),
    shownFacts: [why],
  };
}

/** Whether a file has the text of a main file beside it that is converted in the same run. */
function isCopyOfMainFile(file: string, convertedRoots: ReadonlySet<string>, view: FileView): boolean {
  const text = view.read(file)?.text();
  return [...convertedRoots].some(
    (root) =>
      root !== file &&
      isMainFileName(root) &&
      parentOf(root) === parentOf(file) &&
      text !== undefined &&
      view.read(root)?.text() === text,
  );
}

/**
 * Asks whether the file is the main file of a server. If it is not, another configuration includes
 * it, and may restrict access further. Even a file with ServerRoot can be included.
 */
function mainFileQuestions(
  { mainFile, isNamed = false, namedDirectory, engine }: AccessRoot,
  configuration: Configuration,
  view: FileView,
  convertedRoots: ReadonlySet<string>,
): OpenQuestion[] {
  const mainTree = configuration.files.get(mainFile)?.tree;
  const openQuestions: OpenQuestion[] = [];
  const hasMainFileContent = mainTree !== undefined && isCertainMainFileTree(mainTree.root);
  const looksLikeMainFile = isMainFileName(mainFile) && hasMainFileContent;
  // A missing included file may have the Listen line. The user gets a question about the missing
  // file anyway.
  const mayHaveListen =
    [...configuration.files.values()].some(({ tree }) => hasListenLine(tree)) ||
    (looksLikeMainFile && configuration.gaps.some(({ reason }) => reason === 'include-missing'));
  if (!mayHaveListen) openQuestions.push(partQuestion(mainFile, 'has no Listen'));
  if (isNamed) return openQuestions;
  const nearbyFiles = nearbyMainFiles(mainFile, configuration, view);
  // If another main file is converted in the same run, and does not include this one, the server
  // has several main files. Then the name shows nothing. The same holds for a copy of such a file.
  const isOneOfSeveral =
    mainTree !== undefined &&
    nearbyFiles.every(({ mayIncludeMainFile }) => !mayIncludeMainFile) &&
    (isCopyOfMainFile(mainFile, convertedRoots, view) ||
      (hasListenLine(mainTree) && nearbyFiles.some(({ path }) => convertedRoots.has(path) && isMainFileName(path))));
  if (!hasMainFileContent) openQuestions.push(partQuestion(mainFile, 'has no ServerRoot and no PidFile'));
  else if (!looksLikeMainFile && !isOneOfSeveral)
    openQuestions.push(
      partQuestion(mainFile, 'does not have the name of a main configuration file (httpd.conf or apache2.conf)'),
    );
  for (const { path, mayIncludeMainFile, isInSiblingDirectory } of nearbyFiles) {
    // The user named a directory. A file outside of it counts only if it may include the main file,
    // and if the user did not state that no other file affects access.
    if (
      namedDirectory !== undefined &&
      !isWithin(path, namedDirectory) &&
      (!mayIncludeMainFile || engine.isSettled(STANDALONE_QUESTION))
    )
      continue;
    // If the other main file is converted in the same run as a separate configuration, no question
    // is needed. A file that both configurations read is changed for both or for neither.
    if (!isInSiblingDirectory || mayIncludeMainFile || !convertedRoots.has(path))
      openQuestions.push(
        openQuestion('other-main', path, [{ path, offset: 0 }], mayIncludeMainFile ? `may include ${mainFile}` : ''),
      );
  }
  return openQuestions;
}

/**
 * Removes each configuration whose main file another configuration reads, because its sections are
 * a part of that configuration. If two configurations read each other's main file, the first stays.
 */
function withoutIncludedConfigurations(drafts: readonly Draft[]): Draft[] {
  const draftsByRoot = new Map(drafts.map((draft) => [draft.mainFile, draft]));
  const readsMainFileOf = (draft: Draft, other: Draft) => draft !== other && draft.files.includes(other.mainFile);
  return [...draftsByRoot.values()].filter(
    (draft, index, allDrafts) =>
      !allDrafts.some(
        (other, otherIndex) => readsMainFileOf(other, draft) && (otherIndex < index || !readsMainFileOf(draft, other)),
      ),
  );
}

// ---- Together or not at all ----

/**
 * If two configurations share a file, neither is converted, unless both can be converted and need
 * equal edits in that file. Sets `whyNothingConverted` of those that are not converted.
 */
function refuseConflictingSharedFiles(drafts: readonly Draft[]): void {
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (const draft of drafts) {
      if (draft.whyNothingConverted !== null) continue;
      const conflictingDraftFor = (file: string) =>
        drafts.find(
          (other) =>
            other !== draft &&
            draft.plan.edits.has(file) &&
            other.files.includes(file) &&
            !mayChangeTogether(draft, other, file),
        );
      const conflictingFile = [...draft.plan.paths].find((file) => conflictingDraftFor(file) !== undefined);
      if (conflictingFile === undefined) continue;
      const roots = [draft.mainFile, conflictingDraftFor(conflictingFile)!.mainFile];
      draft.whyNothingConverted = notConverted(
        'configurations-differ',
        { path: conflictingFile, offset: 0 },
        conflictingFile,
        roots,
      );
      isStable = false;
    }
  }
}

/**
 * Whether a configuration (`draft`) may change a file that another one (`other`) reads. If exactly
 * one of them may be only a part of a configuration, it may not change the file, and the other one
 * may.
 */
function mayChangeTogether(draft: Draft, other: Draft, file: string): boolean {
  if (draft.isPartial !== other.isPartial) return other.isPartial;
  return (
    other.whyNothingConverted === null &&
    keyOfEdits(draft.plan.edits.get(file)) === keyOfEdits(other.plan.edits.get(file))
  );
}

/**
 * Groups the configurations that are converted. Configurations are in one group if one of them
 * changes a file that the other one reads.
 */
function groupsSharingFiles(drafts: readonly Draft[]): Draft[][] {
  const remainingDrafts = new Set(drafts.filter(({ whyNothingConverted }) => whyNothingConverted === null));
  const groups: Draft[][] = [];
  for (const firstDraft of remainingDrafts) {
    const group: Draft[] = [];
    const pendingDrafts = [firstDraft];
    for (let draft = pendingDrafts.pop(); draft; draft = pendingDrafts.pop()) {
      if (!remainingDrafts.delete(draft)) continue;
      group.push(draft);
      const { plan } = draft;
      for (const otherDraft of remainingDrafts)
        if (
          (draft.isPartial || !otherDraft.isPartial) &&
          otherDraft.files.some((file) => plan.paths.has(file) && plan.edits.has(file))
        )
          pendingDrafts.push(otherDraft);
    }
    if (group.length > 0) groups.push(group);
  }
  return groups;
}

/** Whether a section of the group compares the address of the client. */
function comparesAddresses({ conversions }: AccessGroup): boolean {
  return conversions.some((conversion) => treesOf(conversion).some(treeComparesAddress));
}

/** Removes groups from a plan. `why`: the reason that the lines of these groups then get. */
function withoutGroups(plan: AccessPlan, isRemoved: (group: AccessGroup) => boolean, why: NotConverted): AccessPlan {
  const groups = plan.groups.filter((group) => !isRemoved(group));
  if (groups.length === plan.groups.length) return plan;
  const groupAt = (path: string, offset: number): AccessGroup | null => {
    const group = plan.groupAt(path, offset);
    return group === null || isRemoved(group) ? null : group;
  };
  return {
    get edits() {
      return editsOf(groups);
    },
    paths: new Set(groups.flatMap(({ paths }) => [...paths])),
    convertedCount: groups.reduce((sum, { conversions }) => sum + conversions.length, 0),
    groups,
    refusals: plan.refusals,
    comparisonCount: plan.comparisonCount,
    openQuestions: plan.openQuestions,
    groupAt,
    reasonAt: (path, offset) => {
      const wasRemoved = plan.groupAt(path, offset) !== null && groupAt(path, offset) === null;
      return wasRemoved ? why : plan.reasonAt(path, offset);
    },
    isAloneAt: (path, offset) => plan.isAloneAt(path, offset),
  };
}

/**
 * The change for some groups. It gets the questions about client addresses only if one of the
 * groups compares addresses.
 */
function changeOf(
  groups: readonly AccessGroup[],
  { allQuestions, withoutAddresses }: OpenQuestionsOfChanges,
  isStandalone: boolean,
): AccessChange {
  return new ChangeOfGroups(
    groups,
    allQuestions === withoutAddresses || groups.some(comparesAddresses) ? allQuestions : withoutAddresses,
    isStandalone,
  );
}

/**
 * The change that makes the edits of some groups. It is a class because a configuration can have
 * thousands of changes, and each object literal with getters would create functions of its own.
 */
class ChangeOfGroups implements AccessChange {
  readonly safety: AccessChange['safety'];
  readonly paths: ReadonlySet<string>;
  readonly waitsFor: readonly OpenQuestion[];
  readonly restsOn: readonly OpenQuestion[];
  private cachedEdits: ReadonlyMap<string, readonly Edit[]> | null = null;

  constructor(
    private readonly groups: readonly AccessGroup[],
    { waitsFor, restsOn }: Pick<AccessChange, 'waitsFor' | 'restsOn'>,
    readonly isStandalone: boolean,
  ) {
    this.safety = waitsFor.length === 0 ? 'safe' : 'suggestion';
    this.paths = groups.length === 1 ? groups[0]!.paths : new Set(groups.flatMap(({ paths }) => [...paths]));
    this.waitsFor = waitsFor;
    this.restsOn = restsOn;
  }

  get edits(): ReadonlyMap<string, readonly Edit[]> {
    return (this.cachedEdits ??= editsOf(this.groups));
  }

  get sectionCount(): number {
    const conversions = this.groups.flatMap((group) => group.conversions);
    return conversions.length === 1
      ? 1
      : new Set(conversions.map(({ scope }) => `${scope.offset} ${scope.file.path}`)).size;
  }
}

/** All edits of some groups, by path. An edit that several groups make is in the result once. */
function editsOf(groups: readonly AccessGroup[]): ReadonlyMap<string, readonly Edit[]> {
  const [onlyGroup] = groups.length === 1 ? groups : [];
  if (onlyGroup) return onlyGroup.edits;
  const editsByPath = new Map<string, Edit[]>();
  // Several configurations can make the same edit in a shared file. Each edit is taken only once.
  const takenEdits = new Set<string>();
  for (const group of groups) {
    for (const [path, editsOfGroup] of group.edits) {
      for (const edit of editsOfGroup) {
        const pathAndEdit = `${path} ${JSON.stringify(edit)}`;
        if (takenEdits.has(pathAndEdit)) continue;
        takenEdits.add(pathAndEdit);
        const editsOfPath = editsByPath.get(path);
        if (editsOfPath) editsOfPath.push(edit);
        else editsByPath.set(path, [edit]);
      }
    }
  }
  return editsByPath;
}

/**
 * The open questions of some configurations, each once. `waitsFor`: questions that are not
 * answered. `restsOn`: questions that the user answered.
 */
function openQuestionsOf(drafts: readonly Draft[]): OpenQuestionsOfChanges {
  const openQuestions = drafts.flatMap((draft) =>
    draft.plan.openQuestions.map((each) => ({ each, isSettled: draft.isSettled(each) })),
  );
  const questionsIf = (isSettled: boolean) =>
    joinedQuestions(openQuestions.filter((each) => each.isSettled === isSettled).map(({ each }) => each));
  const allQuestions = { waitsFor: questionsIf(false), restsOn: questionsIf(true) };
  const isAboutAddress = ({ kind }: OpenQuestion) => kind === 'client-address';
  if (![...allQuestions.waitsFor, ...allQuestions.restsOn].some(isAboutAddress))
    return { allQuestions, withoutAddresses: allQuestions };
  const withoutAddressQuestions = (list: readonly OpenQuestion[]) => list.filter((each) => !isAboutAddress(each));
  return {
    allQuestions,
    withoutAddresses: {
      waitsFor: withoutAddressQuestions(allQuestions.waitsFor),
      restsOn: withoutAddressQuestions(allQuestions.restsOn),
    },
  };
}

/** The open questions and the answered questions on which the safety of one change depends. */
type QuestionsOfChange = Pick<AccessChange, 'waitsFor' | 'restsOn'>;

/** The open questions of changes. Thousands of changes share these objects. */
interface OpenQuestionsOfChanges {
  readonly allQuestions: QuestionsOfChange;
  /** The questions for changes that compare no client address. */
  readonly withoutAddresses: QuestionsOfChange;
}
