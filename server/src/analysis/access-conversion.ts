/**
 * Converts the access control of whole configurations, for all surfaces: `fix` and `check`, the
 * lightbulb, Fix All, the commands. For each old line it decides whether it is converted, together
 * with which other lines, and which open questions must be answered first; or why it is not
 * converted.
 *
 * What the plan of a configuration refuses is not converted. The edits of a change are made
 * together or not at all, so a change that needs an unchangeable file is not offered. Pure: it
 * reads files through a view.
 */
import { CLIENT_ADDRESS_DIRECTIVES, treeComparesAddress, lostAddressModule } from '../access/client-address';
import { withAssumed, withBranches } from '../access/condition-branches';
import { accessConditions, knownMpm } from '../access/conditions';
import { discoverHtaccess } from '../access/htaccess-files';
import {
  withCoveringQuestions,
  openQuestion,
  openQuestionTexts,
  questionOfGap,
  mergedQuestions,
  RUNNING_VERSION,
  type OpenQuestion,
  type OpenQuestionKind,
} from '../access/open-question';
import type { Source } from '../access/model';
import { notConverted, type NotConverted } from '../access/not-converted';
import {
  planAccessConversion,
  withQuestions,
  type AccessGroup,
  type AccessPlan,
  type AccessRefusal,
} from '../access/plan';
import { treesOf } from '../access/configuration-conversion';
import { cachedOneLineText } from '../access/proof-cache';
import { ACCESS_NAMES, filesOf } from '../access/conversion-input';
import { ONE_VERSION_NAMES } from '../access/one-version';
import type { HtaccessFile } from '../access/sections';
import { linesOf24, runningQuestion } from '../access/running';
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
import { baseName, globPattern, isMoreThanAscii, isWithin, parentOf, viewOfCopy, type FileView } from '../config/files';
import type { ServerSettings } from '../config/model';
import { lostLastLine } from '../config/last-line';
import { DEFAULT_TARGET } from '../config/target';
import { namesIn } from '../config/name-set';
import { isTransparent, sectionKind } from '../config/sections';
import { conditionOneVersion } from '../rules/condition-one-version';
import { NOTHING_OUTSIDE, orderAllowDeny } from '../rules/order-allow-deny';
import { joinedItems } from '../rules/support/edits';
import { fittingTitle } from '../rules/support/fix-title';
import { Fact, factsOf, hasFact, NO_FACTS, plusFacts, type FileFacts } from '../rules/support/facts';
import { changedFix, fixMadeLater, type Edit, type Fix, type Rule, type FixParts } from '../rules/rule';
import { Tree } from '../syntax/document';
import { Line, spelledName } from '../syntax/line';
import { lazy } from '../syntax/memory';
import { forEachItem, List, Section } from '../syntax/tree';
import {
  hasQuestion,
  isSettled,
  NO_ANSWERS,
  pathWriterBelow,
  questionId,
  runningVersion,
  effectsOfAnswers,
  type AnswerSet,
  type AnswerEffects,
} from './answers';
import { oppositesIn24 } from './decided-by-24';
import type { EngineView, FileInfo } from './engine-view';
import type { PlacedFixes } from './findings';
import { flagQuestions, furtherQuestions, mpmQuestions, openFlags, answeredWithoutEffect } from './further-questions';
import { nearbyMainFiles } from './main-file';
import { withOfferedMapping } from './offered-mapping';
import { isSuppressed } from './suppression';
import { addTo, groupedBy } from '../syntax/groups';

/** A main file with the settings of its server. */
export interface AccessRoot {
  /** Path with links resolved. */
  readonly mainFile: string;
  /**
   * The settings of this engine decide: the target, the version whose decisions the conversion
   * keeps, and whether the user states that nothing outside affects access.
   */
  readonly engine: EngineView;
  readonly server: ServerSettings;
  /**
   * Whether a setting names it as a main file. Then it is one, whatever its name and the files next
   * to it.
   */
  readonly isNamed?: boolean;
  /**
   * The directory that the user named, if the main file was found in it. Absent if the user named
   * the main file itself.
   */
  readonly namedDirectory?: string;
  /**
   * Makes the `FileInfo` with which the main file is analyzed. The findings of the file must use
   * the same object, so that the file is analyzed only once.
   */
  readonly infoOf?: (tree: Tree) => FileInfo;
}

export interface AccessOptions {
  readonly roots: readonly AccessRoot[];
  /**
   * Further files. Each may be a main file with another name, or may include the same files as a
   * main file. A file that is neither is ignored.
   */
  readonly otherRoots?: readonly AccessRoot[];
  /**
   * All further files. If the user states that nothing else affects access (`assumeStandalone`),
   * those that no configuration reads are converted together.
   */
  readonly standaloneFiles?: readonly AccessRoot[];
  readonly view: FileView;
  /**
   * Returns why a file of the configuration with this main file (`root`) cannot be changed, as a
   * clause that follows the file's name. Null if it can be changed.
   */
  readonly obstacle?: (file: string, root: string) => string | null;
  /**
   * Whether the conversion may add AllowOverride words so that .htaccess files can use Require. The
   * change is then a suggestion.
   */
  readonly mayWidenOverride?: boolean;
}

/** Whether a rule reports lines that the conversion changes, or the conditions around them. */
export function mayReportAccess(rule: Rule): boolean {
  return rule === orderAllowDeny || rule === conditionOneVersion;
}

/**
 * What is done with the access control of one configuration: the changes, and the reasons for
 * sections that do not change.
 */
export interface AccessOfConfiguration {
  readonly mainFile: string;
  /** Paths of all files that it reads, with links resolved. Includes .htaccess files. */
  readonly files: readonly string[];
  /**
   * The changes of this configuration. A change can also include other configurations that read the
   * same files.
   */
  readonly changes: readonly AccessChange[];
  readonly refusals: readonly AccessRefusal[];
  /** The reason if nothing in the configuration can be converted. Null otherwise. */
  readonly reasonForAll: NotConverted | null;
  /**
   * Open questions without an answer, except those that the user's statement about files outside
   * covers.
   */
  readonly waitsFor: readonly OpenQuestion[];
  /** Open questions that the user has answered and on which the conversion depends. */
  readonly restsOn: readonly OpenQuestion[];
  /**
   * Open questions that hold back some sections, and answered questions whose answer had no effect.
   */
  readonly furtherQuestions: readonly OpenQuestion[];
  /** Whether some line is a sign that the server already runs 2.4. */
  showsSignsOf24(): boolean;
  /** If the changes keep what 2.4 decides: the sentences of `oppositesIn24`. */
  readonly textsOfOpposites: readonly string[];
  /**
   * Whether this is no configuration, but files that no configuration reads: see
   * `AccessOptions.standaloneFiles`.
   */
  readonly isStandalone: boolean;
}

/** Edits of access control that are made together or not at all. */
export interface AccessChange {
  /** `safe` if the change keeps every access decision. */
  readonly safety: Fix['safety'];
  /** By path with links resolved, with offsets in the file. Computed on first use. */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  /** The files that the change may edit. A file whose lines are already right has no edits. */
  readonly paths: ReadonlySet<string>;
  /** The number of sections that the change converts. */
  readonly sectionCount: number;
  /** Open questions that must be answered before the change is safe. */
  readonly waitsFor: readonly OpenQuestion[];
  /** Open questions that the user has answered and on which it depends. */
  readonly restsOn: readonly OpenQuestion[];
}

/** The result for an old line: its change, or why it is not converted. */
export type AccessOfLine = { readonly change: AccessChange } | RefusedLine;

export interface RefusedLine {
  readonly refusal: NotConverted;
  /** Questions whose answers may make the conversion possible. Empty if there are none. */
  readonly waitsFor: readonly OpenQuestion[];
}

export interface AccessConversion {
  readonly configurations: readonly AccessOfConfiguration[];
  /** All changes, each once. */
  readonly changes: readonly AccessChange[];
  /**
   * Whether an available configuration reads the file. It is then only converted as a part of it.
   */
  isPartOfConfiguration(file: string): boolean;
  /**
   * Whether an available configuration includes files with unknown names. Then it may include any
   * file.
   */
  readonly mayIncludeAnyFile: boolean;
  /** The folders for which the available configurations read the file as a .htaccess file. */
  htaccessPlaces(file: string): HtaccessPlaces & {
    /**
     * The main files of these configurations, and whether there may be a further server that is not
     * available here.
     */
    readonly roots: readonly string[];
    readonly mayHaveOthers: boolean;
  };
  /**
   * The result for the old line at an offset. Null if there is none, or if no available
   * configuration reads the file.
   */
  answerAt(file: string, offset: number): AccessOfLine | null;
  /**
   * The edits of all changes in a file. With `unsafe`, includes changes that wait for something.
   */
  edits(file: string, unsafe: boolean): readonly Edit[];
}

export function accessConversion(options: AccessOptions): AccessConversion {
  const drafts = withQuestionsAboutAvailableFiles(options, draftsOf(options));
  drafts.push(...draftsOfStandaloneFiles(options, drafts));
  refuseConflictingSharedFiles(drafts);
  const bound = groupsSharingFiles(drafts);
  const changesOf = new Map<Draft, readonly AccessChange[]>();
  const answers = new Map<AccessGroup, AccessChange>();
  for (const together of bound) {
    const openQuestions = openQuestionsOf(together);
    const changes =
      together.length === 1
        ? together[0]!.plan.groups.map((group) => changeOf([group], openQuestions))
        : [
            changeOf(
              together.flatMap(({ plan }) => plan.groups),
              openQuestions,
            ),
          ];
    together.forEach((draft) => changesOf.set(draft, changes));
    for (const { plan } of together)
      plan.groups.forEach((group, index) => answers.set(group, changes[together.length === 1 ? index : 0]!));
  }
  const changes = [...new Set([...changesOf.values()].flat())];
  const readers = new Map<string, Draft[]>();
  for (const draft of drafts) for (const file of draft.files) addTo(readers, file, draft);
  return {
    configurations: drafts.map(
      (draft): AccessOfConfiguration => ({
        ...openQuestionsOf([draft]).allQuestions,
        mainFile: draft.mainFile,
        files: draft.files,
        changes: changesOf.get(draft) ?? [],
        refusals: draft.plan.refusals,
        reasonForAll: draft.reasonForAll,
        furtherQuestions: draft.furtherQuestions,
        showsSignsOf24: draft.showsSignsOf24,
        get textsOfOpposites() {
          return draft.oppositeAnswers();
        },
        isStandalone: draft.isStandalone === true,
      }),
    ),
    changes,
    isPartOfConfiguration: (file) => readers.has(file),
    mayIncludeAnyFile: mayIncludeAnyFile(drafts),
    htaccessPlaces(file) {
      const reading = drafts.filter(({ accessFiles }) => accessFiles.has(file));
      const has = (isOne: (each: OpenQuestion, draft: Draft) => boolean) =>
        reading.some((draft) => draft.plan.openQuestions.some((each) => isOne(each, draft)));
      return {
        folders: [...new Set(reading.flatMap(({ accessFiles }) => [...accessFiles.get(file)!]))],
        // The user's statement about files outside does not cover links.
        completeness: has(({ kind }) => KINDS_ABOUT_UNKNOWN_FOLDERS.has(kind)) ? 'open' : 'all',
        roots: reading.map(({ mainFile }) => mainFile),
        mayHaveOthers: has((each, { isSettled }) => OTHER_SERVER_KINDS.has(each.kind) && !isSettled(each)),
      };
    },
    answerAt(file, offset) {
      for (const { plan, reasonForAll, waitsFor } of readers.get(file) ?? []) {
        const group = plan.groupAt(file, offset);
        if (group)
          return reasonForAll === null ? { change: answers.get(group)! } : { refusal: reasonForAll, waitsFor: [] };
        const refusal = plan.reasonAt(file, offset);
        if (refusal !== null) return { refusal, waitsFor: reasonForAll === null ? waitsFor(file, offset) : [] };
      }
      return null;
    },
    edits: (file, unsafe) =>
      changes.flatMap((change) => (unsafe || change.safety === 'safe' ? (change.edits.get(file) ?? []) : [])),
  };
}

/** The conversion of the access lines in a file that no available configuration reads. */
export interface StandaloneAccess {
  /**
   * The fixes for the old line at an offset. `ownFixes`: the fixes that a rule gives for its
   * section alone.
   */
  fixesAt(offset: number, ownFixes: PlacedFixes): PlacedFixes;
  /**
   * The reason why there is no fix for the line, if other sections of the file cause it. Null
   * otherwise.
   */
  reasonAt(offset: number): NotConverted | null;
}

export interface StandaloneOptions {
  readonly tree: Tree;
  readonly isHtaccess: boolean;
  /** The version whose decisions are kept. */
  readonly source: Source;
  /** Whether the user answered that nothing outside the file affects its access. */
  readonly isAnsweredStandalone: boolean;
  /** Whether to write the lines for both versions. */
  readonly keepsBoth?: boolean;
  /** Whether further files are available. These files may have lines for the same section. */
  readonly hasOtherFiles?: boolean;
  /** See FileInfo. */
  readonly mayBeIncluded?: boolean;
  /** Whether the user answered that the lines stay as they are. */
  readonly isAnsweredKeep?: boolean;
  /** The user's answers. */
  readonly answerSet?: AnswerSet;
}

/**
 * Plans a file that no available configuration reads. The configuration around it is unknown, so
 * the plan is made for a server of which only these lines are known. Sections that may apply to the
 * same request are converted together or not at all.
 */
export function standaloneAccess({
  isAnsweredStandalone,
  hasOtherFiles = false,
  mayBeIncluded = false,
  isAnsweredKeep = false,
  answerSet = NOTHING_ANSWERED,
  ...file
}: StandaloneOptions): StandaloneAccess {
  const effects = effectsOfAnswers(answerSet);
  const planned = cachedPlanner((further: AnswerEffects) =>
    standalonePlan([{ path: STANDALONE_PATH, ...file }], further),
  );
  const { flagQuestions, ...planOfFile } = planned(effects);
  const plan = withoutVersion(planOfFile.plan, answerSet, () => planned({ ...effects, source: '2.4' }).plan);
  const isSnippet = planOfFile.isSnippet && (hasOtherFiles || !mayBeWholeSection(file.tree.root));
  const isAnswered = (each: OpenQuestion) => isSettled(each, answerSet, false);
  const outside = standaloneQuestion(file.isHtaccess);
  const [openOutside, answeredOutside] = isAnsweredStandalone ? [[], [outside]] : [[outside], []];
  const inside = plan.openQuestions.filter(({ scope }) => scope === 'inside').map(withoutPlaceIn);
  const open = inside.filter((each) => !isAnswered(each));
  const answeredQuestions = [...inside.filter(isAnswered), ...runningVersionQuestion(file.source, answerSet)];
  const reasonsFor = (isAbout: (each: OpenQuestion) => boolean) => {
    const inner = open.filter(isAbout);
    const settled = answeredQuestions.filter(isAbout);
    const isSafe = isAnsweredStandalone && inner.length === 0 && !isSnippet;
    // If no answer can settle an open question, the user must check the lines.
    const isAskable = !isSnippet && !mayBeIncluded && inner.every((each) => questionId(each, answerSet) !== null);
    const reasons = isSafe
      ? { restsOn: [...answeredOutside, ...settled] }
      : isAskable
        ? { waitsFor: [...openOutside, ...inner], restsOn: [...answeredOutside, ...settled] }
        : {};
    const assumed = inner.length > 0 ? [`access does not depend on this: ${openQuestionTexts(inner).join('; ')}`] : [];
    return { assumed, settled, isSafe, reasons };
  };
  const ofAll = reasonsFor(() => true);
  const withoutAddresses = lazy(() => reasonsFor(({ kind }) => kind !== 'client-address'));
  /** Returns why the fix of one conversion is not safe, or of the whole file if `group` is null. */
  const reasonsOf = (group: AccessGroup | null) =>
    group === null || comparesAddresses(group) ? ofAll : withoutAddresses();
  const further = lazy(() =>
    furtherQuestions({
      plan,
      effects,
      answerSet,
      flagQuestions,
      fileCount: 1,
      planWith: (each) => planned(each).plan,
      isSettled: (each) => each.scope === 'outside' || isAnswered(each),
    }),
  );
  const fixes = new Map<AccessGroup, Fix>();
  const fixOf = (group: AccessGroup): Fix => {
    let fix = fixes.get(group);
    if (!fix) {
      const title = titleOf(group);
      const { assumed, isSafe, reasons } = reasonsOf(group);
      const outsideText = isAnsweredStandalone && !isSnippet ? [] : [nothingOutside(group, file.isHtaccess)];
      const assumes = [...outsideText, ...assumed].join(', and ');
      fixes.set(
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
   * Makes the fix for a section that has lines of both versions. It is known what 2.4 makes of
   * these lines, so no question about other files is asked.
   */
  const ofBothVersions = (
    offset: number,
    answers: readonly OpenQuestion[],
    waitsFor: readonly OpenQuestion[],
  ): PlacedFixes | null => {
    const isOf24 = answers.every(({ kind, scope }) => kind === 'running-version' || scope === 'outside');
    const other = isOf24 ? further().groupAt(STANDALONE_PATH, offset) : null;
    if (other === null) return null;
    const assumes = `this is so: ${openQuestionTexts(answers).join('; ')}`;
    const edits = other.edits.get(STANDALONE_PATH) ?? [];
    const title = titleOf(other);
    const restsOn = answeredOutside;
    return {
      fixes: [{ title, safety: 'suggestion', isChoice: true, assumes, waitsFor, restsOn, edits }],
      baseOffset: 0,
    };
  };
  /** The rule has no fix of its own for lines in branches. */
  const fixesOfBranches = (group: AccessGroup, ownFixes: PlacedFixes): PlacedFixes =>
    group.isForBranches ? { fixes: [fixOf(group)], baseOffset: 0 } : ownFixes;
  /** What the rule's own fix assumes, with what the section does to .htaccess files. */
  const assumedIn = (group: AccessGroup, { assumes }: Fix): string | undefined =>
    assumes === NOTHING_OUTSIDE ? nothingOutside(group, file.isHtaccess) : assumes;
  /** Returns the open questions whose answers may convert an old line that is not converted. */
  const answersAt = (offset: number) => {
    const answers = isSnippet || mayBeIncluded ? [] : further().waitsFor(STANDALONE_PATH, offset).map(withoutPlaceIn);
    return { answers, waitsFor: [...openOutside, ...answers] };
  };
  return {
    fixesAt(offset, ownFixes) {
      if (isAnsweredKeep) return NO_FIXES_HERE;
      const group = plan.groupAt(STANDALONE_PATH, offset);
      const { settled, isSafe, reasons } = reasonsOf(group);
      if (!plan.isAloneAt(STANDALONE_PATH, offset)) {
        if (group) return { fixes: [fixOf(group)], baseOffset: 0 };
        const { answers, waitsFor } = answersAt(offset);
        return (answers.length > 0 && ofBothVersions(offset, answers, waitsFor)) || NO_FIXES_HERE;
      }
      // For a section alone, the rule has better fixes: it knows the assumptions, and a form for
      // both versions.
      if (group && (isSafe || settled.length > 0))
        return { fixes: [fixOf(group), ...fixesWithFileOffsets(ownFixes).slice(1)], baseOffset: 0 };
      const { fixes } = ownFixes;
      const [first] = fixes;
      const withFirst = (change: Partial<FixParts>): PlacedFixes => ({
        baseOffset: ownFixes.baseOffset,
        fixes: fixes.map((fix, index) => (index === 0 ? changedFix(fix, change) : fix)),
      });
      if (group)
        return first ? withFirst({ ...reasons, assumes: assumedIn(group, first) }) : fixesOfBranches(group, ownFixes);
      const { answers, waitsFor } = answersAt(offset);
      if (answers.length === 0) return ownFixes;
      return first
        ? withFirst({ waitsFor, restsOn: answeredOutside })
        : (ofBothVersions(offset, answers, waitsFor) ?? ownFixes);
    },
    reasonAt: (offset) => (plan.isAloneAt(STANDALONE_PATH, offset) ? null : plan.reasonAt(STANDALONE_PATH, offset)),
  };
}

/**
 * The assumption that nothing outside of a file affects sections. Some sections apply after
 * .htaccess files ("How the sections are merged" in sections.html): their new Require lines would
 * replace those of such a file.
 */
function nothingOutside({ conversions }: AccessGroup, isHtaccess: boolean): string {
  const endsLogin = conversions.some(
    ({ scope: { kind, words }, tree }) =>
      (LATE_SECTIONS.has(kind) || (kind === 'directory' && words[0] === '~')) &&
      tree !== null &&
      tree.type !== 'denied',
  );
  return endsLogin && !isHtaccess ? `${NOTHING_OUTSIDE}; a login of a .htaccess file there would end` : NOTHING_OUTSIDE;
}

const LATE_SECTIONS: ReadonlySet<string> = new Set([
  'directorymatch',
  'files',
  'filesmatch',
  'location',
  'locationmatch',
]);

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

/** The open question whether other files affect the access that a standalone file controls. */
export const STANDALONE_QUESTION: OpenQuestion = openQuestion('outside-unseen', '.');

/** Removes the place from a question about a file that was planned under another path. */
function withoutPlaceIn(question: OpenQuestion): OpenQuestion {
  return { ...question, places: question.places.filter(({ path }) => path !== STANDALONE_PATH) };
}

/**
 * Removes the questions which version runs now, if the plan for a server that already runs 2.4 has
 * the same groups. Then the edits are right for both versions.
 * The answer 2.2 does not show what became of lines of 2.4, so the plans are compared then, too.
 */
function withoutVersion(plan: AccessPlan, answered: AnswerSet, planOf24: () => AccessPlan): AccessPlan {
  const isAboutVersion = ({ kind }: OpenQuestion) => kind === 'running-version' || kind === 'half-converted';
  const isAsked = plan.groups.length > 0 && plan.openQuestions.some(isAboutVersion);
  if (!isAsked || runningVersion(answered) === '2.4') return plan;
  const of24 = planOf24();
  // A key takes long for a group of thousands of sections, and groups of other sizes differ.
  const groupsOfSize = groupedBy(of24.groups, sizeOfGroup);
  const keysOfSize = new Map<number, ReadonlySet<string>>();
  const isIn24 = (group: AccessGroup): boolean => {
    const size = sizeOfGroup(group);
    let keys = keysOfSize.get(size);
    if (!keys) keysOfSize.set(size, (keys = new Set((groupsOfSize.get(size) ?? []).map(keyOfGroup))));
    return keys.has(keyOfGroup(group));
  };
  if (!plan.groups.every(isIn24)) return plan;
  const openQuestions = mergedQuestions([...plan.openQuestions, ...of24.openQuestions]);
  return withQuestions(
    plan,
    openQuestions.filter((each) => !isAboutVersion(each)),
  );
}

/** The number of edits. */
function sizeOfGroup({ edits }: AccessGroup): number {
  let size = 0;
  for (const own of edits.values()) size += own.length;
  return size;
}

function keyOfGroup({ edits }: AccessGroup): string {
  return JSON.stringify([...edits].map(([path, own]) => [path, keyOfEdits(own)]).sort());
}

/**
 * Returns the question which version runs now if the answer decides whose decisions the conversion
 * keeps. Empty otherwise.
 */
function runningVersionQuestion(source: Source, answered: AnswerSet): OpenQuestion[] {
  return source === '2.4' && runningVersion(answered) === '2.4' ? [runningQuestion('', [])] : [];
}

const NO_FIXES_HERE: PlacedFixes = { fixes: [], baseOffset: 0 };

/**
 * The question `STANDALONE_QUESTION`, with what to search: .htaccess files, or configuration files.
 */
export function standaloneQuestion(isHtaccess: boolean): OpenQuestion {
  return isHtaccess ? HTACCESS_QUESTION : CONFIGURATION_QUESTION;
}

const HTACCESS_QUESTION = { ...STANDALONE_QUESTION, search: { folders: [], names: ['.htaccess'] } };
const CONFIGURATION_QUESTION = { ...STANDALONE_QUESTION, search: { folders: [], names: ['*.conf'] } };

const NOTHING_ANSWERED: AnswerSet = { answers: NO_ANSWERS, folder: '' };

/** Makes a fix for one of the files of a change. */
export function accessFix(change: AccessChange, file: string): Fix {
  const { safety, waitsFor, restsOn } = change;
  // Open questions that the user can answer are shown as questions, so the title omits them.
  const unasked = waitsFor.filter((each) => !hasQuestion(each));
  const fix = {
    title: CONVERSION_TITLE,
    safety,
    ...(unasked.length > 0 && { assumes: `access does not depend on this: ${openQuestionTexts(unasked).join('; ')}` }),
    ...(waitsFor.length > 0 && { waitsFor }),
    ...(restsOn.length > 0 && { restsOn }),
  };
  // The change only affects this file.
  if (change.paths.size === 1 && change.paths.has(file)) return fixMadeLater(fix, () => change.edits.get(file) ?? []);
  let elsewhere: ReadonlyMap<string, readonly Edit[]> | null = null;
  return {
    ...fix,
    get edits() {
      return change.edits.get(file) ?? [];
    },
    // The fix of each of thousands of files has the edits of all other files, so they are computed
    // on use.
    get elsewhere() {
      elsewhere ??= new Map([...change.edits].filter(([path]) => path !== file));
      return elsewhere.size > 0 ? elsewhere : undefined;
    },
  };
}

const CONVERSION_TITLE = 'Convert the access control of the whole configuration';

// ---------------------------------------------------------------------------------------------------------------------

/**
 * One configuration with the plan of its conversion, before configurations that share files are
 * compared.
 */
interface Draft {
  readonly mainFile: string;
  /**
   * Whether the file may be only a part of a configuration: it includes files, but nothing shows
   * that it is a main file.
   */
  readonly isPartial: boolean;
  readonly files: readonly string[];
  /**
   * The files that the server reads as .htaccess files. The value is the folders for which it does.
   */
  readonly accessFiles: ReadonlyMap<string, ReadonlySet<string>>;
  readonly plan: AccessPlan;
  /** Whether the user's answers settle an open question. */
  readonly isSettled: (openQuestion: OpenQuestion) => boolean;
  /** The open questions that hold back the old line at an offset. */
  readonly waitsFor: (file: string, offset: number) => readonly OpenQuestion[];
  readonly furtherQuestions: readonly OpenQuestion[];
  readonly showsSignsOf24: () => boolean;
  readonly oppositeAnswers: () => readonly string[];
  readonly isStandalone?: boolean;
  reasonForAll: NotConverted | null;
}

function draftsOf(options: AccessOptions): Draft[] {
  const drafts = withoutIncludedConfigurations(options.roots.flatMap((root) => draftOf(root, options) ?? []));
  const read = filesReadBy(drafts);
  const further = (options.otherRoots ?? [])
    .filter(({ mainFile }) => !read.has(mainFile))
    .flatMap((other) => draftOf(other, options) ?? []);
  return withoutIncludedConfigurations([
    ...drafts,
    ...further.filter(({ isPartial, files }) => !isPartial || files.length > 1),
  ]);
}

/** The files that some configuration reads. */
function filesReadBy(drafts: readonly Draft[]): ReadonlySet<string> {
  return new Set(drafts.flatMap(({ files }) => files));
}

function draftOf(
  asked: AccessRoot,
  { view, obstacle, mayWidenOverride, roots, otherRoots = [] }: AccessOptions,
): Draft | null {
  const { mainFile, engine, isNamed = false } = asked;
  const planned: (effects: AnswerEffects) => DraftPlan | null = cachedPlanner((effects): DraftPlan | null => {
    const source = effects.source ?? engine.accessSource;
    const unknown = new Set<Line>();
    const first = readOptionsOf(asked, view, effects, { source, unknown, oldMpm: null });
    const found = configurationOf(asked, view, first);
    if (!found) return null;
    // The start script shows the MPM of 2.2. It is only known after the first reading.
    const oldMpm = found.askedMpms.length > 0 && effects.mpm !== null ? (found.startOptions?.mpm?.name ?? null) : null;
    const read = oldMpm === null ? first : readOptionsOf(asked, view, effects, { source, unknown, oldMpm });
    const configuration = oldMpm === null ? found : configurationOf(asked, view, read)!;
    const {
      files: htaccess,
      accessFiles,
      openQuestions,
    } = discoverHtaccess(configuration, viewOfCopy(view, configuration.pathMap));
    const questionsOfFiles = [
      ...openQuestions,
      ...encodingQuestions(configuration, htaccess, view),
      ...mainFileQuestions(
        asked,
        configuration,
        viewOfCopy(view, configuration.pathMap),
        new Set([...roots, ...otherRoots].map((each) => each.mainFile)),
      ),
      ...flagQuestions(configuration, effects),
      ...mpmQuestions(configuration, effects),
      ...addressQuestions(configuration),
      ...unloadedQuestions(configuration, htaccess, source, asked.server.builtIn),
      ...runningVersionQuestion(source, engine.answerSet),
    ];
    const telling = linesOf24(read, asked.server.builtIn);
    const tellsOf24 = () =>
      telling.lineOf24(configuration) !== null ||
      htaccess.some(({ scope }) => telling.htaccessLineOf24(scope) !== null);
    const plan = planAccessConversion(configuration, htaccess, questionsOfFiles, {
      // If fixes of this program wrote lines of 2.4, these are no sign of the running version.
      ...(engine.answerSet.isFrom22 !== true && telling),
      mayWidenOverride,
      furtherReasonFor: reasonOfIgnoreComment,
      keepsBoth: engine.keepsBoth,
      ...effects,
      source,
    });
    const inBranches =
      effects.assumedConditions || engine.keepsBoth || source === '2.4'
        ? plan
        : withBranches(
            { plan, configuration, htaccess, unknown },
            (assumedConditions) => planned({ ...effects, assumedConditions })?.plan ?? null,
          );
    return {
      configuration,
      htaccess,
      accessFiles,
      showsSignsOf24: tellsOf24,
      plan: withQuestions(
        inBranches,
        withOfferedMapping(
          withCoveringQuestions(inBranches.openQuestions),
          mainFile,
          viewOfCopy(view, configuration.pathMap),
          pathWriterBelow(engine.answerSet.folder),
        ),
      ),
    };
  });
  const effects = effectsOfAnswers(engine.answerSet);
  const draftPlan = planned(effects);
  if (!draftPlan) return null;
  const { configuration, htaccess, accessFiles, showsSignsOf24 } = draftPlan;
  const planOf24 = () => planned({ ...effects, source: '2.4' })?.plan ?? NOTHING_PLANNED;
  const plan = withoutVersion(draftPlan.plan, engine.answerSet, planOf24);
  const files = [...new Set([...configuration.files.keys(), ...htaccess.map(({ scope }) => scope.file.path)])];
  const { questions, waitsFor } = furtherQuestions({
    plan,
    effects,
    answerSet: engine.answerSet,
    flagQuestions: openFlags(configuration, effects),
    fileCount: files.length,
    planWith: (further) => planned(further)?.plan ?? null,
    isSettled: (each) => engine.isSettled(each),
  });
  const isPartial = !isNamed && !mayBeMain(configuration, mainFile);
  const isOfAddress = ({ kind }: OpenQuestion) => kind === 'client-address';
  const keepingQuestion = engine.idOfAnswerKeep(plan.openQuestions.filter((each) => !isOfAddress(each)));
  const keepsAddresses = engine.idOfAnswerKeep(plan.openQuestions.filter(isOfAddress));
  const held = engine.isOff(orderAllowDeny)
    ? notConverted('rule-off', null, orderAllowDeny.id)
    : keepingQuestion === null
      ? (reasonForWholePlan(plan, (file) => obstacle?.(file, mainFile) ?? null) ?? reasonOfLostLine(configuration))
      : notConverted('kept-by-answer', null, keepingQuestion);
  return {
    mainFile,
    isPartial,
    files,
    accessFiles,
    plan:
      keepsAddresses === null
        ? plan
        : withoutGroups(plan, comparesAddresses, notConverted('kept-by-answer', null, keepsAddresses)),
    waitsFor,
    showsSignsOf24,
    isSettled: (each) => engine.isSettled(each),
    reasonForAll: plan.groups.length > 0 ? held : null,
    oppositeAnswers: () => (engine.accessSource === '2.4' ? oppositesIn24(plan) : []),
    furtherQuestions: [
      ...questions,
      ...withOpposites([...questions, ...plan.openQuestions], engine.answerSet, planOf24),
      ...answeredWithoutEffect(plan.refusals, configuration, engine.answerSet),
      ...ineffectiveVersionAnswer(plan, engine),
    ],
  };
}

/**
 * The open question which version runs, with what 2.4 decides differently from the old lines. Empty
 * if it is not open.
 */
function withOpposites(
  open: readonly OpenQuestion[],
  answered: AnswerSet,
  planOf24: () => AccessPlan,
): readonly OpenQuestion[] {
  if (runningVersion(answered) !== null || !open.some(({ kind }) => kind === 'running-version')) return [];
  const affectedTexts = oppositesIn24(planOf24());
  return affectedTexts.length > 0 ? [{ ...runningQuestion('', []), affectedTexts }] : [];
}

/**
 * Caches the last plan of a planner. Returns the planner with this cache. The plan for a server
 * that runs 2.4 is needed twice: it shows which edits suit both versions, and what that answer
 * converts.
 */
function cachedPlanner<Plan>(plan: (effects: AnswerEffects) => Plan): (effects: AnswerEffects) => Plan {
  const plans: { readonly effects: AnswerEffects; readonly plan: Plan }[] = [];
  return (effects) => {
    const same = plans.find((each) => areAllSame(each.effects, effects));
    if (same) return same.plan;
    const made = { effects, plan: plan(effects) };
    plans.push(made);
    return made.plan;
  };
}

/** Whether all values are the same objects. */
function areAllSame(one: AnswerEffects, other: AnswerEffects): boolean {
  const names = Object.keys({ ...one, ...other }) as (keyof AnswerEffects)[];
  return names.every((name) => one[name] === other[name]);
}

/**
 * Returns the question which version runs if the user's answer `2.2` to it had no effect, so that
 * the plan still lists the answer. Otherwise empty.
 */
function ineffectiveVersionAnswer(
  { openQuestions, refusals }: AccessPlan,
  { answerSet }: EngineView,
): readonly OpenQuestion[] {
  const isAbout = (each: OpenQuestion) => each.coveringQuestion === RUNNING_VERSION;
  return runningVersion(answerSet) === '2.2' &&
    [...openQuestions, ...refusals.flatMap(({ questions }) => questions)].some(isAbout)
    ? [runningQuestion('', [])]
    : [];
}

/**
 * Asks about a module that gives 2.2 the address of the client and that 2.4 lacks. Lines with
 * addresses then have another meaning in 2.4.
 */
function addressQuestions(configuration: Configuration): OpenQuestion[] {
  const lost = lostAddressModule(configuration);
  if (lost === null) return [];
  const places = lost.lines.map(({ file, offset }) => ({ path: file.path, offset }));
  return [openQuestion('client-address', '', places, lost.module.file.replace(/\.so$/, ''))];
}

interface DraftPlan {
  readonly configuration: Configuration;
  readonly htaccess: readonly HtaccessFile[];
  readonly accessFiles: Draft['accessFiles'];
  readonly showsSignsOf24: () => boolean;
  readonly plan: AccessPlan;
}

/**
 * Open questions about non-ASCII names in files that are not UTF-8, because such names cannot be
 * compared with file names.
 */
function encodingQuestions(
  configuration: Configuration,
  htaccess: readonly HtaccessFile[],
  view: FileView,
): OpenQuestion[] {
  const openQuestions: OpenQuestion[] = [];
  const others = new Set(
    filesOf({ configuration, htaccess }).filter((file) => view.isOtherEncoding?.(file.path) === true),
  );
  // Nearly all files are UTF-8, so usually the search is skipped.
  if (others.size === 0) return openQuestions;
  const isOther = (file: ConfigFile): boolean => others.has(file);
  const look = (scope: Scope): void => {
    if (scope.section !== null && isOther(scope.file) && scope.words.some(isMoreThanAscii))
      openQuestions.push(
        openQuestion('other-encoding', scope.section.open.text.trim(), [
          { path: scope.file.path, offset: scope.offset },
        ]),
      );
    for (const { line, file, offset } of scope.lines) {
      if (DIRECTIVES_NAMING_FILES.has(line.name) && isOther(file) && isMoreThanAscii(line.text))
        openQuestions.push(openQuestion('other-encoding', line.text.trim(), [{ path: file.path, offset }]));
    }
    scope.children.forEach(look);
  };
  [configuration.rootScope, ...htaccess.map(({ scope }) => scope)].forEach(look);
  return openQuestions;
}

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

/** The reason if 2.4 loses a line of the configuration that 2.2 reads. */
function reasonOfLostLine({ files }: Configuration): NotConverted | null {
  for (const { path, tree } of files.values()) {
    const lost = lostLastLine(tree);
    if (lost !== null)
      return notConverted('last-line-lost', { path, offset: lost.offset }, path, lost.last.text.trim());
  }
  return null;
}

function reasonForWholePlan(plan: AccessPlan, obstacle: (file: string) => string | null): NotConverted | null {
  for (const file of plan.paths) {
    const why = obstacle(file);
    if (why !== null && plan.edits.has(file))
      return notConverted('file-cannot-change', { path: file, offset: 0 }, file, why);
  }
  return null;
}

/**
 * Returns the reason if an `httpd-upgrade-ignore` comment excludes a section from the conversion.
 * Null otherwise.
 */
function reasonOfIgnoreComment(scope: Scope): NotConverted | null {
  const isSilenced = (tree: Tree, offset: number) =>
    tree.root.pragmaCount > 0 && isSuppressed(tree, offset, orderAllowDeny.id);
  if (!mayHaveIgnoreComment(scope)) return null;
  const places = scope.lines
    .filter(({ line }) => orderAllowDeny.names.includes(line.name))
    .map(({ file, offset }) => ({ file, offset }));
  const silencedPlace = [...places, ...(scope.section ? [scope] : [])].find(({ file, offset }) =>
    isSilenced(file.tree, offset),
  );
  return silencedPlace === undefined
    ? null
    : notConverted('kept-by-comment', { path: silencedPlace.file.path, offset: silencedPlace.offset });
}

/** Whether a file of the section contains an `httpd-upgrade-ignore` comment. */
function mayHaveIgnoreComment({ lines, file, section }: Scope): boolean {
  if (section !== null && file.tree.root.pragmaCount > 0) return true;
  for (let i = 0; i < lines.length; i++) if (lines[i]!.file.tree.root.pragmaCount > 0) return true;
  return false;
}

/**
 * Marks open questions as `inside` if an available file may answer them: a line serves unknown
 * directories, and one of them may have an available .htaccess file; or an Include finds nothing,
 * and a file with that name is in another folder. The user's statement about files outside does not
 * cover such questions.
 */
function withQuestionsAboutAvailableFiles({ standaloneFiles = [], view }: AccessOptions, drafts: Draft[]): Draft[] {
  if (
    !drafts.some(({ plan }) =>
      plan.openQuestions.some(({ kind }) => KINDS_ABOUT_SERVED_FOLDERS.has(kind) || kind === 'include-unseen'),
    )
  )
    return drafts;
  const read = filesReadBy(drafts);
  const deciding = standaloneFiles
    .map(({ mainFile }) => mainFile)
    .filter(
      (path) =>
        !read.has(path) && namesIn(view.read(path)?.root ?? EMPTY_LIST).hasSome((name) => ACCESS_DIRECTIVES.has(name)),
    );
  const isServed = deciding.some(isHtaccessName);
  // An Include may name only the directory of the file.
  const names = new Set(deciding.flatMap((path) => [baseName(path), baseName(parentOf(path))]));
  const isHere = ({ kind, subject }: OpenQuestion) => {
    if (KINDS_ABOUT_SERVED_FOLDERS.has(kind)) return isServed;
    if (kind !== 'include-unseen') return false;
    const pattern = globPattern(baseName(subject.split('/').filter(Boolean).join('/')).toLowerCase());
    return [...names].some((name) => pattern.test(name.toLowerCase()));
  };
  return drafts.map((draft) => ({
    ...draft,
    plan: withQuestions(
      draft.plan,
      draft.plan.openQuestions.map((each): OpenQuestion => (isHere(each) ? { ...each, scope: 'inside' } : each)),
    ),
  }));
}

const KINDS_ABOUT_SERVED_FOLDERS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'served-anywhere',
  'htaccess-unseen',
]);

const EMPTY_LIST = Tree.parse('').root;

/**
 * Plans all files that no configuration reads as one configuration, if the user answered that no
 * other file affects access. The files are planned together twice, in both orders, and each alone.
 * A file whose edits are not the same in all three plans is left out, with all files that must be
 * converted together with it. Before the user answers, this only finds the .htaccess files that
 * will be left out, so that no fix is promised for them.
 */
function draftsOfStandaloneFiles(
  { standaloneFiles = [], otherRoots = [], view, obstacle }: AccessOptions,
  drafts: readonly Draft[],
): Draft[] {
  if (mayIncludeAnyFile(drafts)) return [];
  // AllowOverride lines of the available files decide what a .htaccess file may contain, but it is
  // unknown which of them applies to these files.
  const mayRefuse = [
    ...[...standaloneFiles, ...otherRoots].map(({ mainFile }) => mainFile),
    ...drafts.flatMap((draft) => draft.files),
  ].some((path) => narrowsOverride(view.read(path)));
  const read = filesReadBy(drafts);
  const isVouched = standaloneFiles.some(({ engine }) => engine.isSettled(STANDALONE_QUESTION));
  const isHtaccessKept = mayRefuse || drafts.some(({ isPartial }) => !isPartial);
  let files = standaloneFiles.flatMap(({ mainFile: path, engine }): StandaloneFile[] => {
    const isHtaccess = isHtaccessName(path);
    const isOne = isVouched ? engine.isSettled(STANDALONE_QUESTION) : isHtaccess && isOutsideUnanswered(engine);
    const tree = isOne && !read.has(path) && !(isHtaccess && isHtaccessKept) ? view.read(path) : null;
    if (!tree || !namesIn(tree.root).hasSome((name) => ACCESS_DIRECTIVES.has(name) || ADDRESS_DIRECTIVES.has(name)))
      return [];
    return [{ path, tree, isHtaccess, source: engine.accessSource, keepsBoth: engine.keepsBoth }];
  });
  // A single file does not wait for other files, so nothing is left out.
  if (!isVouched && (files.length < 2 || files.length > MAX_FORESEEN_FILES)) return [];
  const effects = effectsOfAnswers(files.length > 0 ? standaloneFiles[0]!.engine.answerSet : NOTHING_ANSWERED);
  const isKnown = (each: OpenQuestion) => each.scope === 'outside' || standaloneFiles[0]!.engine.isSettled(each);
  const alone = new Map(files.map((file) => [file.path, standalonePlan([file], effects)]));
  // A file with other open questions, or without a known section around it, is decided by these.
  const isWhole = ({ path }: StandaloneFile) => {
    const { plan, isSnippet } = alone.get(path)!;
    // All these files share the question about client addresses, so that one is ignored here.
    return !isSnippet && plan.openQuestions.every((each) => isKnown(each) || each.kind === 'client-address');
  };
  const leftOut = new Map<string, AccessPlan>();
  for (;;) {
    if (files.length === 0 && leftOut.size === 0) return [];
    if (files.length === 0) return [standaloneDraft({ plan: NOTHING_PLANNED, paths: [], leftOut, isKnown, obstacle })];
    const { plan } = standalonePlan(files, effects);
    const { plan: reversed } = standalonePlan([...files].reverse(), effects);
    const isSame = (file: StandaloneFile) =>
      isWhole(file) &&
      [plan, reversed].every(
        ({ edits }) => keyOfEdits(edits.get(file.path)) === keyOfEdits(alone.get(file.path)!.plan.edits.get(file.path)),
      );
    const bad = new Set(files.filter((file) => !isSame(file)).map(({ path }) => path));
    addConvertedTogether(bad, plan);
    if (bad.size === 0) {
      if (!isVouched) files = [];
      else return [standaloneDraft({ plan, paths: files.map(({ path }) => path), leftOut, isKnown, obstacle })];
    }
    for (const file of files) if (bad.has(file.path) && isWhole(file)) leftOut.set(file.path, plan);
    files = files.filter(({ path }) => !bad.has(path));
  }
}

/**
 * Whether an available configuration includes files with unknown names. Then it may include any
 * file.
 */
function mayIncludeAnyFile(drafts: readonly Draft[]): boolean {
  return drafts.some(({ plan }) => plan.openQuestions.some(({ kind }) => KINDS_ABOUT_UNKNOWN_INCLUDES.has(kind)));
}

/** Adds to `files` those that must be converted together with one of them. */
function addConvertedTogether(files: Set<string>, { groups }: AccessPlan): void {
  for (let before = -1; before !== files.size; ) {
    before = files.size;
    for (const { edits } of groups)
      if ([...edits.keys()].some((path) => files.has(path))) for (const path of edits.keys()) files.add(path);
  }
}

/** Whether the user has not answered yet if other files affect a file. */
function isOutsideUnanswered(engine: EngineView): boolean {
  return !engine.isSettled(STANDALONE_QUESTION) && engine.idOfAnswerKeep([STANDALONE_QUESTION]) === null;
}

/** Limit of files for which it is computed in advance which of them will be left out. */
const MAX_FORESEEN_FILES = 500;

/** Maximum number of other files that a reason names. */
const MAX_NAMED_FILES = 3;

interface StandaloneDraftInput {
  /** The plan of `paths`. */
  readonly plan: AccessPlan;
  readonly paths: readonly string[];
  /** Files that are not converted, each with its plan that shows why. */
  readonly leftOut: ReadonlyMap<string, AccessPlan>;
  readonly isKnown: (each: OpenQuestion) => boolean;
  readonly obstacle: AccessOptions['obstacle'];
}

function standaloneDraft({ plan, paths, leftOut, isKnown, obstacle }: StandaloneDraftInput): Draft {
  const files = [...paths, ...leftOut.keys()];
  const openQuestions = mergedQuestions([
    ...plan.openQuestions,
    ...paths.map((path) => ({
      ...openQuestion('outside-unseen', path),
      search: standaloneQuestion(isHtaccessName(path)).search,
    })),
  ]);
  const reasonAt = (path: string, offset: number): NotConverted | null => {
    const joint = leftOut.get(path);
    if (joint === undefined) return plan.reasonAt(path, offset);
    const reason = joint.reasonAt(path, offset);
    if (reason !== null || joint.groupAt(path, offset) === null) return reason;
    const others = files.filter(
      (each) => each !== path && (isWithin(each, parentOf(path)) || isWithin(path, parentOf(each))),
    );
    const areSiblings = others.every((each) => parentOf(each) === parentOf(path));
    return notConverted(
      areSiblings && others.length > 0 ? 'differs-beside-siblings' : 'differs-beside-files',
      null,
      others.slice(0, MAX_NAMED_FILES).map((each) => `${baseName(parentOf(each))}/${baseName(each)}`),
    );
  };
  return {
    mainFile: files[0]!,
    isPartial: true,
    files,
    accessFiles: new Map(),
    plan: Object.assign(withQuestions(plan, openQuestions), { reasonAt }),
    isSettled: isKnown,
    waitsFor: () => [],
    furtherQuestions: [],
    showsSignsOf24: () => false,
    oppositeAnswers: () => [],
    isStandalone: true,
    reasonForAll: reasonForWholePlan(plan, (file) => obstacle?.(file, file) ?? null),
  };
}

/**
 * Whether a file has an AllowOverrideList, or an AllowOverride that allows only some classes of
 * directives.
 */
function narrowsOverride(tree: Tree | null): boolean {
  if (!tree) return false;
  const names = namesIn(tree.root);
  if (names.hasName('allowoverridelist')) return true;
  return names.hasName('allowoverride') && narrowsOverrideInList(tree.root);
}

/** Like `narrowsOverride`, for the lines of a list. Skips lists without these directives. */
function narrowsOverrideInList({ children }: List): boolean {
  return children.some((child) => {
    if (child instanceof List) return namesIn(child).hasName('allowoverride') && narrowsOverrideInList(child);
    if (child instanceof Section)
      return namesIn(child.body).hasName('allowoverride') && narrowsOverrideInList(child.body);
    return child.name === 'allowoverride' && !/^\s*\S+\s+(all|none)\s*$/i.test(child.text);
  });
}

/** Kinds of open questions which mean that there may be unknown directories or links. */
const KINDS_ABOUT_UNKNOWN_FOLDERS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'served-anywhere',
  'htaccess-unseen',
  'too-many-directories',
  'unreadable',
  'linked',
]);

const OTHER_SERVER_KINDS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>(['other-main', 'shared']);

/** Kinds of open questions which mean that any file may be included under an unknown name. */
const KINDS_ABOUT_UNKNOWN_INCLUDES: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'include-unseen',
  'variable',
  'macro',
  'perl',
  'too-deep',
  'template',
]);

const ADDRESS_DIRECTIVES: ReadonlySet<string> = new Set(CLIENT_ADDRESS_DIRECTIVES);
const ACCESS_DIRECTIVES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require', 'authtype']);

// --- Lone files
// ------------------------------------------------------------------------------------------------------

const STANDALONE_PATH = '/lone/file';
const STANDALONE_MAIN_PATH = '/lone/main';

interface StandaloneFile {
  readonly path: string;
  readonly tree: Tree;
  readonly isHtaccess: boolean;
  readonly source: Source;
  readonly keepsBoth?: boolean;
}

/** A server whose served directories and proxied requests are unknown. */
const UNKNOWN_SERVER = 'VirtualDocumentRoot /%0\nProxyPass /proxied http://unknown/\n';

/**
 * Plans files without a configuration. `isSnippet`: access lines are at the top level of a file
 * that is no .htaccess file, so probably a section of another file includes it. `flagQuestions`:
 * questions about names in `<IfDefine>`.
 */
function standalonePlan(
  files: readonly StandaloneFile[],
  effects: AnswerEffects,
): { readonly plan: AccessPlan; readonly isSnippet: boolean; readonly flagQuestions: readonly OpenQuestion[] } {
  const isSnippet = ({ tree, isHtaccess }: StandaloneFile) => !isHtaccess && hasAccessAtTopLevel(tree.root);
  const inDirectories = files.filter((file) => file.isHtaccess || isSnippet(file));
  const included = files.filter((file) => !inDirectories.includes(file)).map(({ path }) => `Include "${path}"\n`);
  const trees = new Map([
    ...files.map(({ path, tree }): [string, Tree] => [path, tree]),
    [STANDALONE_MAIN_PATH, Tree.parse(UNKNOWN_SERVER + included.join(''))],
  ]);
  const view: FileView = {
    read: (path) => trees.get(path) ?? null,
    list: () => null,
    kind: (path) => (trees.has(path) ? 'file' : null),
    identity: (path) => path,
  };
  const source = effects.source ?? files[0]!.source;
  const unknown = new Set<Line>();
  const conditions = accessConditions(source, DEFAULT_TARGET, knownMpm(effects.mpm, null));
  const read = {
    view,
    names: ACCESS_NAMES,
    oneVersionNames: ONE_VERSION_NAMES,
    conditions: withAssumed(conditions, effects.assumedConditions ?? NOTHING_ASSUMED, unknown),
    defineFlags: effects.defineFlags,
    serverRoot: '/lone',
  };
  const readings = inDirectories.map((file) => {
    const folder = file.isHtaccess && files.length > 1 ? parentOf(file.path) : '/';
    return readHtaccessFile({ ...read, root: file.path, folder })!;
  });
  const htaccess = readings.map(({ rootScope }): HtaccessFile => ({ scope: rootScope, override: ['all'] }));
  const configuration = readConfiguration({ ...read, root: STANDALONE_MAIN_PATH })!;
  const openQuestions = [
    ...readings.flatMap(({ gaps }) => gaps.map(questionOfGap)),
    ...flagQuestions(configuration, effects),
    ...mpmQuestions(configuration, effects),
    ...addressQuestions(configuration),
  ];
  const plan = planAccessConversion(configuration, htaccess, openQuestions, {
    ...linesOf24({ ...read, root: STANDALONE_MAIN_PATH }, undefined),
    furtherReasonFor: reasonOfIgnoreComment,
    keepsBoth: files[0]!.keepsBoth,
    ...effects,
    source,
  });
  const inBranches =
    effects.assumedConditions || files[0]!.keepsBoth || source === '2.4'
      ? plan
      : withBranches(
          { plan, configuration, htaccess, unknown, mayHaveUnseenLines: files.length > 1 },
          (assumedConditions) => standalonePlan(files, { ...effects, assumedConditions }).plan,
        );
  return { plan: inBranches, isSnippet: files.some(isSnippet), flagQuestions: openFlags(configuration, effects) };
}

/** Whether a list has access lines at its top level, or in conditions and limits there. */
function hasAccessAtTopLevel(list: List): boolean {
  let found = false;
  forEachItem(list, 0, (item) => {
    if (item instanceof Line) found ||= ACCESS_DIRECTIVES.has(item.name);
    else found ||= isTransparent(sectionKind(item.name)) && hasAccessAtTopLevel(item.body);
  });
  return found;
}

/**
 * Whether the lines of an included file may be all access lines of the section that includes it.
 * Lines without an Order usually continue lines of that section. `<Files>` is allowed, because it
 * can be inside of a section.
 */
function mayBeWholeSection(list: List): boolean {
  let hasOrder = false;
  let fits = true;
  forEachItem(list, 0, (item) => {
    if (item instanceof Line) hasOrder ||= item.name === 'order';
    else fits &&= item.name === 'files' || item.name === 'filesmatch' || isTransparent(sectionKind(item.name));
  });
  return hasOrder && fits;
}

const OLD_DIRECTIVES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

function titleOf({ conversions, hasBranches = false }: AccessGroup): string {
  const { tree, authMerging, scope } = conversions[0]!;
  const more = conversions.length - 1;
  if (more > 0) return `Convert the access control of ${conversions.length} sections`;
  const old = scope.lines.flatMap(({ line }) => (OLD_DIRECTIVES.has(line.name) ? [spelledName(line)] : []));
  const names = joinedItems([...new Set(old)]);
  if (hasBranches) return `Convert ${names} to Require lines`;
  if (tree === null) return fittingTitle(`Remove ${names} (no effect)`, 'Remove access lines that have no effect');
  const line = cachedOneLineText(tree);
  if (line !== null && !authMerging && line.length <= MAX_LINE_LENGTH_IN_TITLE) return `Convert to ${line}`;
  return names === ''
    ? fittingTitle(`Change the Require lines of ${sectionName(scope)}`, 'Change the Require lines')
    : `Convert ${names} to Require lines`;
}

const MAX_LINE_LENGTH_IN_TITLE = 49;

/** The fixes with their offsets counted from the start of the file. */
function fixesWithFileOffsets({ fixes, baseOffset }: PlacedFixes): Fix[] {
  return fixes.map((fix) =>
    fixMadeLater(fix, () =>
      fix.edits.map(({ start, end, text }) => ({ start: start + baseOffset, end: end + baseOffset, text })),
    ),
  );
}

// --- Reading
// ---------------------------------------------------------------------------------------------------------

function readOptionsOf(
  { mainFile, engine, server: { serverRoot, pathMap, defines } }: AccessRoot,
  view: FileView,
  { defineFlags, mpm, assumedConditions = NOTHING_ASSUMED }: AnswerEffects,
  { source, unknown, oldMpm }: { readonly source: Source; readonly unknown: Set<Line>; readonly oldMpm: string | null },
): ReadOptions {
  return {
    root: mainFile,
    view,
    names: ACCESS_NAMES,
    oneVersionNames: ONE_VERSION_NAMES,
    conditions: withAssumed(accessConditions(source, engine.target, knownMpm(mpm, oldMpm)), assumedConditions, unknown),
    target: engine.target,
    serverRoot,
    pathMap,
    defines,
    defineFlags,
  };
}

const NOTHING_ASSUMED: ReadonlyMap<Line, boolean> = new Map();

function configurationOf(asked: AccessRoot, view: FileView, read: ReadOptions): Configuration | null {
  return readConfiguration({ ...read, skipsSection: skippableHostTest(asked, view) });
}

/** Facts about text that has an old line, or that includes a file which may have one. */
const RELEVANT_FACTS = factsOf(Fact.oldAccess, Fact.satisfy, Fact.includes);

/**
 * Returns a test for virtual hosts that need not be read because they have no old lines. undefined
 * if old lines outside of virtual hosts, or .htaccess files, make this impossible.
 */
function skippableHostTest(
  { mainFile, engine, infoOf }: AccessRoot,
  view: FileView,
): ((section: Section) => boolean) | undefined {
  const tree = view.read(mainFile);
  if (!tree) return undefined;
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
 * The facts about all lines outside of virtual hosts, and about Include lines inside. Skips parts
 * without relevant facts.
 */
function factsOutsideHosts(list: List, engine: EngineView): FileFacts {
  let outside = NO_FACTS;
  for (const child of list.children) {
    if (child instanceof List) {
      if (hasFact(engine.factsIn(child), RELEVANT_FACTS))
        outside = plusFacts(outside, factsOutsideHosts(child, engine));
    } else if (child instanceof Section && child.name === 'virtualhost') {
      if (hasFact(engine.factsIn(child), Fact.includes)) outside = plusFacts(outside, Fact.includes);
    } else outside = plusFacts(outside, child instanceof Section ? engine.factsIn(child) : engine.factsOfLine(child));
  }
  return outside;
}

function mayBeMain({ files }: Configuration, root: string): boolean {
  const tree = files.get(root)?.tree;
  return tree !== undefined && (isCertainMainFileTree(tree.root) || hasListenLine(tree));
}

/**
 * Whether the file has a Listen line, without which 2.2 does not start ("no listening sockets
 * available"), or a Port line, which is its form in 1.3.
 */
function hasListenLine({ root }: Tree): boolean {
  const names = namesIn(root);
  return names.hasName('listen') || names.hasName('port');
}

/**
 * Makes the question whether a file is a part of another configuration. `why`: what suggests that
 * it is.
 */
function partQuestion(root: string, why: string): OpenQuestion {
  return {
    ...openQuestion('outside-unseen', root, [], `${why}, so another file may include it`),
    affectedTexts: [why],
  };
}

/**
 * Asks whether the file is the main file of a server. A file with ServerRoot may still be included
 * by another configuration, which may restrict access further.
 */
function mainFileQuestions(
  { mainFile, isNamed = false, namedDirectory, engine }: AccessRoot,
  configuration: Configuration,
  view: FileView,
  convertedRoots: ReadonlySet<string>,
): OpenQuestion[] {
  const mainTree = configuration.files.get(mainFile)?.tree;
  const openQuestions: OpenQuestion[] = [];
  const isCertain = mainTree !== undefined && isCertainMainFileTree(mainTree.root);
  const looksMain = isMainFileName(mainFile) && isCertain;
  // If an Include finds no file, the missing file may have the Listen line, and there is another
  // question about that file.
  const mayListen =
    [...configuration.files.values()].some(({ tree }) => hasListenLine(tree)) ||
    (looksMain && configuration.gaps.some(({ reason }) => reason === 'include-missing'));
  if (!mayListen) openQuestions.push(partQuestion(mainFile, 'has no Listen'));
  if (isNamed) return openQuestions;
  if (!isCertain) openQuestions.push(partQuestion(mainFile, 'has no ServerRoot and no PidFile'));
  else if (!looksMain)
    openQuestions.push(
      partQuestion(mainFile, 'does not have the name of a main configuration file (httpd.conf or apache2.conf)'),
    );
  for (const { path, includes, isApart } of nearbyMainFiles(mainFile, configuration, view)) {
    // A file outside of the given directory counts only if it may include the main file and the
    // user has not stated that nothing outside affects access.
    if (
      namedDirectory !== undefined &&
      !isWithin(path, namedDirectory) &&
      (!includes || engine.isSettled(STANDALONE_QUESTION))
    )
      continue;
    // A separate configuration that is converted in the same run raises no question: a file that
    // both read changes for both or for neither.
    if (!isApart || includes || !convertedRoots.has(path))
      openQuestions.push(
        openQuestion('other-main', path, [{ path, offset: 0 }], includes ? `may include ${mainFile}` : ''),
      );
  }
  return openQuestions;
}

/**
 * Removes each configuration whose main file is included by another configuration. Its sections
 * then apply as a part of the other one.
 */
function withoutIncludedConfigurations(drafts: readonly Draft[]): Draft[] {
  const draftsByRoot = new Map(drafts.map((draft) => [draft.mainFile, draft]));
  const reads = (draft: Draft, other: Draft) => draft !== other && draft.files.includes(other.mainFile);
  return [...draftsByRoot.values()].filter(
    (draft, index, all) => !all.some((other, at) => reads(other, draft) && (at < index || !reads(draft, other))),
  );
}

// --- Together or not at all
// ------------------------------------------------------------------------------------------

/**
 * If two configurations share a file, marks both as not converted, unless both can be converted and
 * need the same edits in that file.
 */
function refuseConflictingSharedFiles(drafts: readonly Draft[]): void {
  for (let isSettled = false; !isSettled; ) {
    isSettled = true;
    for (const draft of drafts) {
      if (draft.reasonForAll !== null) continue;
      const sharedWith = (file: string) =>
        drafts.find(
          (other) =>
            other !== draft &&
            draft.plan.edits.has(file) &&
            other.files.includes(file) &&
            !mayChangeTogether(draft, other, file),
        );
      const shared = [...draft.plan.paths].find((file) => sharedWith(file) !== undefined);
      if (shared === undefined) continue;
      const roots = [draft.mainFile, sharedWith(shared)!.mainFile];
      draft.reasonForAll = notConverted('configurations-differ', { path: shared, offset: 0 }, shared, roots);
      isSettled = false;
    }
  }
}

/**
 * Whether two configurations may change a file together. If one is only a part of a configuration,
 * it does not prevent the other.
 */
function mayChangeTogether(draft: Draft, other: Draft, file: string): boolean {
  if (draft.isPartial !== other.isPartial) return other.isPartial;
  return (
    other.reasonForAll === null && keyOfEdits(draft.plan.edits.get(file)) === keyOfEdits(other.plan.edits.get(file))
  );
}

function keyOfEdits(edits: readonly Edit[] = []): string {
  return JSON.stringify([...edits].sort((a, b) => a.start - b.start || a.end - b.end));
}

/**
 * Groups the configurations that are converted. Those that change a shared file are in one group.
 */
function groupsSharingFiles(drafts: readonly Draft[]): Draft[][] {
  const left = new Set(drafts.filter(({ reasonForAll }) => reasonForAll === null));
  const bound: Draft[][] = [];
  for (const first of left) {
    const together: Draft[] = [];
    const pending = [first];
    for (let draft = pending.pop(); draft; draft = pending.pop()) {
      if (!left.delete(draft)) continue;
      together.push(draft);
      const { plan } = draft;
      for (const other of left)
        if (
          (draft.isPartial || !other.isPartial) &&
          other.files.some((file) => plan.paths.has(file) && plan.edits.has(file))
        )
          pending.push(other);
    }
    if (together.length > 0) bound.push(together);
  }
  return bound;
}

function comparesAddresses({ conversions }: AccessGroup): boolean {
  return conversions.some((conversion) => treesOf(conversion).some(treeComparesAddress));
}

/** Removes some groups from a plan. `why`: the reason that their lines then get. */
function withoutGroups(plan: AccessPlan, isKept: (group: AccessGroup) => boolean, why: NotConverted): AccessPlan {
  const groups = plan.groups.filter((group) => !isKept(group));
  if (groups.length === plan.groups.length) return plan;
  const groupAt = (path: string, offset: number): AccessGroup | null => {
    const group = plan.groupAt(path, offset);
    return group === null || isKept(group) ? null : group;
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
      const isGone = plan.groupAt(path, offset) !== null && groupAt(path, offset) === null;
      return isGone ? why : plan.reasonAt(path, offset);
    },
    isAloneAt: (path, offset) => plan.isAloneAt(path, offset),
  };
}

function changeOf(
  groups: readonly AccessGroup[],
  { allQuestions, withoutAddresses }: OpenQuestionsOfChanges,
): AccessChange {
  const { waitsFor, restsOn } =
    allQuestions === withoutAddresses || groups.some(comparesAddresses) ? allQuestions : withoutAddresses;
  let edits: ReadonlyMap<string, readonly Edit[]> | null = null;
  const [only] = groups.length === 1 ? groups : [];
  return {
    safety: waitsFor.length === 0 ? 'safe' : 'suggestion',
    get edits() {
      return (edits ??= editsOf(groups));
    },
    paths: only?.paths ?? new Set(groups.flatMap((group) => [...group.paths])),
    get sectionCount() {
      return only?.conversions.length === 1
        ? 1
        : new Set(
            groups.flatMap(({ conversions }) => conversions.map(({ scope }) => `${scope.offset} ${scope.file.path}`)),
          ).size;
    },
    waitsFor,
    restsOn,
  };
}

function editsOf(groups: readonly AccessGroup[]): ReadonlyMap<string, readonly Edit[]> {
  const [only] = groups.length === 1 ? groups : [];
  if (only) return only.edits;
  const edits = new Map<string, Edit[]>();
  // Several configurations make the same edits in a shared file, so each edit is taken once.
  const seen = new Set<string>();
  for (const group of groups) {
    for (const [path, own] of group.edits) {
      for (const edit of own) {
        const key = `${path} ${JSON.stringify(edit)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const list = edits.get(path);
        if (list) list.push(edit);
        else edits.set(path, [edit]);
      }
    }
  }
  return edits;
}

/**
 * The open questions of some configurations: those without an answer, and those that the user has
 * answered.
 */
function openQuestionsOf(drafts: readonly Draft[]): OpenQuestionsOfChanges {
  const openQuestions = drafts.flatMap((draft) =>
    draft.plan.openQuestions.map((each) => ({ each, isSettled: draft.isSettled(each) })),
  );
  const of = (isSettled: boolean) =>
    mergedQuestions(openQuestions.filter((each) => each.isSettled === isSettled).map(({ each }) => each));
  const allQuestions = { waitsFor: of(false), restsOn: of(true) };
  const isAddress = ({ kind }: OpenQuestion) => kind === 'client-address';
  if (![...allQuestions.waitsFor, ...allQuestions.restsOn].some(isAddress))
    return { allQuestions, withoutAddresses: allQuestions };
  const without = (list: readonly OpenQuestion[]) => list.filter((each) => !isAddress(each));
  return {
    allQuestions,
    withoutAddresses: { waitsFor: without(allQuestions.waitsFor), restsOn: without(allQuestions.restsOn) },
  };
}

type QuestionsOfChange = Pick<AccessChange, 'waitsFor' | 'restsOn'>;

/** The open questions of changes, as lists that thousands of changes share. */
interface OpenQuestionsOfChanges {
  readonly allQuestions: QuestionsOfChange;
  /** The questions of changes that compare no client address. */
  readonly withoutAddresses: QuestionsOfChange;
}
