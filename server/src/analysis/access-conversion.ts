/**
 * Converts access control for all surfaces: `fix` and `check`, the lightbulb, Fix All, the
 * commands. From the available configurations it decides for each old line whether it is converted,
 * in which change, under which assumptions, or why not.
 *
 * It converts nothing that the plan of a configuration refuses. A planned change is made whole or
 * not at all, so a plan that needs a file that cannot be changed is not offered. Pure: it reads
 * files through a view.
 */
import { ADDRESS_NAMES, asksAddress, lostAddress } from '../access/client-address';
import { accessConditions, knownMpm } from '../access/conditions';
import { discoverHtaccess } from '../access/htaccess-files';
import {
  covered,
  openQuestion,
  openQuestionTexts,
  gapQuestion,
  mergedQuestions,
  RUNNING_VERSION,
  type OpenQuestion,
  type QuestionKind,
} from '../access/open-question';
import type { Source } from '../access/model';
import { notConverted, type NotConverted } from '../access/not-converted';
import { planAccess, withQuestions, type AccessGroup, type AccessPlan, type AccessRefusal } from '../access/plan';
import { knownLine } from '../access/proof-cache';
import { ACCESS_NAMES, filesOf } from '../access/conversion-input';
import { HALVES } from '../access/one-version';
import type { Htaccess } from '../access/sections';
import { linesOf24, runningQuestion } from '../access/running';
import { nameOf } from '../access/section-name';
import { unloadedQuestions } from '../access/unloaded';
import {
  readConfiguration,
  readHtaccessFile,
  type ConfigFile,
  type Configuration,
  type ReadOptions,
  type Scope,
} from '../config/configuration';
import { isRootTree } from '../config/file-summary';
import { isHtaccessName, type HtaccessPlaces } from '../config/configurations';
import { baseName, globPattern, isMoreThanAscii, isWithin, parentOf, viewWithin, type FileView } from '../config/files';
import type { ServerSettings } from '../config/model';
import { DEFAULT_TARGET } from '../config/target';
import { namesIn } from '../config/name-set';
import { isTransparent, sectionKind } from '../config/sections';
import { conditionOneVersion } from '../rules/condition-one-version';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { enumeration } from '../rules/support/edits';
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
  questionId,
  runningVersion,
  effectsOfAnswers,
  type AnswerSet,
  type AnswerEffects,
} from './answers';
import type { EngineView, FileInfo } from './engine-view';
import type { PlacedFixes } from './findings';
import { flagQuestions, furtherQuestions, mpmQuestions, openFlags, unhelpful } from './further-questions';
import { isMainName, neighboursOf } from './main-file';
import { isSuppressed } from './suppression';
import { addTo } from '../syntax/groups';

/** A main file with the settings of its server. */
export interface AccessRoot {
  /** Path with links resolved. */
  readonly root: string;
  /**
   * Has the settings that apply: the target, the version whose decisions to keep, and whether the
   * user vouches for everything outside.
   */
  readonly engine: EngineView;
  readonly server: ServerSettings;
  /**
   * Whether a setting names it as a main file. Then its name and the files next to it do not
   * matter.
   */
  readonly isNamed?: boolean;
  /**
   * The directory that the user gave and that contains the main file. Absent if the user gave the
   * file itself.
   */
  readonly given?: string;
  /**
   * The `FileInfo` with which the root is analyzed. It is the same as for its findings, so that the
   * analysis runs once.
   */
  readonly infoOf?: (tree: Tree) => FileInfo;
}

export interface AccessOptions {
  readonly roots: readonly AccessRoot[];
  /**
   * Further files that may be main files with another name, or may include the same parts. Ignored
   * if they are neither.
   */
  readonly others?: readonly AccessRoot[];
  /**
   * All further files. Those that no configuration reads are converted together, if the user
   * vouches for everything outside.
   */
  readonly lone?: readonly AccessRoot[];
  readonly view: FileView;
  /**
   * Why a file of a root's configuration cannot be changed, as a clause after its name. Null if it
   * can.
   */
  readonly obstacle?: (file: string, root: string) => string | null;
  /**
   * Whether an AllowOverride may be widened to allow Require, which makes the change a suggestion.
   */
  readonly mayAdmit?: boolean;
}

/** Whether the conversion changes the lines that a rule reports, or conditions around them. */
export function isAboutAccess(rule: Rule): boolean {
  return rule === orderAllowDeny || rule === conditionOneVersion;
}

/** The conversion of one configuration. */
export interface AccessOfConfiguration {
  readonly root: string;
  /** Paths of all files that it reads, with links resolved. Includes .htaccess files. */
  readonly files: readonly string[];
  /** Its changes. A change can also include other configurations that read the same files. */
  readonly changes: readonly AccessChange[];
  readonly refusals: readonly AccessRefusal[];
  /** Why nothing of it is converted. Null if something is, or could be. */
  readonly held: NotConverted | null;
  /** Open questions, without those for which the user vouches. */
  readonly waitsFor: readonly OpenQuestion[];
  /** OpenQuestions that are settled by the user's answers. */
  readonly restsOn: readonly OpenQuestion[];
  /**
   * OpenQuestions for which sections that are not converted wait, and those whose answers had no
   * effect.
   */
  readonly asked: readonly OpenQuestion[];
  /** Whether a line in it shows that the server runs 2.4. */
  tellsOf24(): boolean;
  /** Whether no configuration reads its files: see `AccessOptions.lone`. */
  readonly isStandalone: boolean;
}

/** A change that is made whole or not at all. */
export interface AccessChange {
  /** `safe` if it keeps every access decision. */
  readonly safety: Fix['safety'];
  /** By path with links resolved, with offsets in the file. Computed on first use. */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  /** The files that it may change. A file whose lines are already right has no edits. */
  readonly paths: ReadonlySet<string>;
  /** Number of sections that it converts. */
  readonly sections: number;
  /** OpenQuestions that must be settled before it is safe. */
  readonly waitsFor: readonly OpenQuestion[];
  /** OpenQuestions that are settled by the user's answers. */
  readonly restsOn: readonly OpenQuestion[];
}

/** The result for an old line: its change, or why it is not converted. */
export type AccessAnswer = { readonly change: AccessChange } | Refused;

export interface Refused {
  readonly refusal: NotConverted;
  /** Questions whose answers may make the conversion possible. Empty if no such answer is known. */
  readonly waitsFor: readonly OpenQuestion[];
}

export interface AccessConversion {
  readonly configurations: readonly AccessOfConfiguration[];
  /** All changes, each once. */
  readonly changes: readonly AccessChange[];
  /**
   * Whether an available configuration reads the file. It is then only converted as a part of it.
   */
  isPart(file: string): boolean;
  /** The folders in which the available configurations read the file as a .htaccess file. */
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
  at(file: string, offset: number): AccessAnswer | null;
  /**
   * The edits of all changes in a file. With `unsafe`, includes changes that wait for something.
   */
  edits(file: string, unsafe: boolean): readonly Edit[];
}

export function accessConversion(options: AccessOptions): AccessConversion {
  const drafts = withAccessFiles(options, draftsOf(options));
  drafts.push(...loneDraft(options, drafts));
  holdShared(drafts);
  const bound = boundTogether(drafts);
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
        ...openQuestionsOf([draft]).all,
        root: draft.root,
        files: draft.files,
        changes: changesOf.get(draft) ?? [],
        refusals: draft.plan.refusals,
        held: draft.held,
        asked: draft.asked,
        tellsOf24: draft.tellsOf24,
        isStandalone: draft.isStandalone === true,
      }),
    ),
    changes,
    isPart: (file) => readers.has(file),
    htaccessPlaces(file) {
      const reading = drafts.filter(({ accessFiles }) => accessFiles.has(file));
      const has = (isOne: (each: OpenQuestion, draft: Draft) => boolean) =>
        reading.some((draft) => draft.plan.openQuestions.some((each) => isOne(each, draft)));
      return {
        folders: [...new Set(reading.flatMap(({ accessFiles }) => [...accessFiles.get(file)!]))],
        // Vouching for the files outside does not include links.
        known: has(({ kind }) => UNSEEN.has(kind)) ? 'open' : 'all',
        roots: reading.map(({ root }) => root),
        mayHaveOthers: has((each, { isSettled }) => OTHER_SERVERS.has(each.kind) && !isSettled(each)),
      };
    },
    at(file, offset) {
      for (const { plan, held, waitsFor } of readers.get(file) ?? []) {
        const group = plan.groupAt(file, offset);
        if (group) return held === null ? { change: answers.get(group)! } : { refusal: held, waitsFor: [] };
        const refusal = plan.reasonAt(file, offset);
        if (refusal !== null) return { refusal, waitsFor: held === null ? waitsFor(file, offset) : [] };
      }
      return null;
    },
    edits: (file, unsafe) =>
      changes.flatMap((change) => (unsafe || change.safety === 'safe' ? (change.edits.get(file) ?? []) : [])),
  };
}

/** The conversions in a file that no available configuration reads. */
export interface LoneAccess {
  /** The fixes for the old line at an offset. `own`: the fixes that its section alone gets. */
  fixesAt(offset: number, ownFixes: PlacedFixes): PlacedFixes;
  /** Why there is no fix for it, if other sections of the file are the reason. */
  reasonAt(offset: number): NotConverted | null;
}

export interface LoneOptions {
  readonly tree: Tree;
  readonly isHtaccess: boolean;
  /** The version whose decisions are kept. */
  readonly source: Source;
  /** Whether the user answered that nothing outside the file affects its access. */
  readonly isVouched: boolean;
  /** Whether to write the lines for both versions. */
  readonly keepsBoth?: boolean;
  /** Whether further files are available, which can have lines for the same section. */
  readonly hasNeighbours?: boolean;
  /** Whether the user answered to keep it as it is. */
  readonly isKept?: boolean;
  /** The user's answers. */
  readonly answered?: AnswerSet;
}

/**
 * Plans a standalone file. The configuration around it is unknown, so the plan uses a server of
 * which only these lines are known. Sections that may apply to the same request are converted
 * together or not at all. A section that meets no other one is converted alone.
 */
export function loneAccess({
  isVouched,
  hasNeighbours = false,
  isKept = false,
  answered = NOTHING_ANSWERED,
  ...file
}: LoneOptions): LoneAccess {
  const effects = effectsOfAnswers(answered);
  const planned = (further: AnswerEffects) => lonePlan([{ path: LONE, ...file }], further);
  const { flags, ...planOfFile } = planned(effects);
  const plan = withoutVersion(planOfFile.plan, answered, () => planned({ ...effects, source: '2.4' }).plan);
  const isSnippet = planOfFile.isSnippet && (hasNeighbours || !mayBeWholeSection(file.tree.root));
  const isAnswered = (each: OpenQuestion) => isSettled(each, answered, false);
  const outside = standaloneQuestion(file.isHtaccess);
  const [openOutside, answeredOutside] = isVouched ? [[], [outside]] : [[outside], []];
  const inside = plan.openQuestions.filter(({ lies }) => lies === 'inside').map(withoutPlaceIn);
  const open = inside.filter((each) => !isAnswered(each));
  const answeredQuestions = [...inside.filter(isAnswered), ...versionQuestion(file.source, answered)];
  const reasonsFor = (isAbout: (each: OpenQuestion) => boolean) => {
    const inner = open.filter(isAbout);
    const settled = answeredQuestions.filter(isAbout);
    const isSafe = isVouched && inner.length === 0 && !isSnippet;
    // If no answer can settle an open question, the user must check the lines.
    const isAskable = !isSnippet && inner.every((each) => questionId(each, answered) !== null);
    const reasons = isSafe
      ? { restsOn: [...answeredOutside, ...settled] }
      : isAskable
        ? { waitsFor: [...openOutside, ...inner], restsOn: [...answeredOutside, ...settled] }
        : {};
    const assumed = inner.length > 0 ? [`this makes no difference: ${openQuestionTexts(inner).join('; ')}`] : [];
    return { assumed, settled, isSafe, reasons };
  };
  const ofAll = reasonsFor(() => true);
  const withoutAddresses = lazy(() => reasonsFor(({ kind }) => kind !== 'client-address'));
  /** The open questions of one conversion, or of the whole file if the group is null. */
  const reasonsOf = (group: AccessGroup | null) =>
    group === null || comparesAddresses(group) ? ofAll : withoutAddresses();
  const further = lazy(() =>
    furtherQuestions({
      plan,
      effects,
      answered,
      flags,
      size: 1,
      planned: (each) => planned(each).plan,
      isSettled: (each) => each.lies === 'outside' || isAnswered(each),
    }),
  );
  const fixes = new Map<AccessGroup, Fix>();
  const fixOf = (group: AccessGroup): Fix => {
    let fix = fixes.get(group);
    if (!fix) {
      const title = titleOf(group);
      const { assumed, isSafe, reasons } = reasonsOf(group);
      const assumes = [...(isVouched && !isSnippet ? [] : [OUTSIDE]), ...assumed].join(', and ');
      fixes.set(
        group,
        (fix = fixMadeLater(
          { title, safety: isSafe ? 'safe' : 'suggestion', ...(!isSafe && { assumes }), ...reasons },
          () => group.edits.get(LONE) ?? [],
        )),
      );
    }
    return fix;
  };
  /** The fix for a section with lines of both versions: what 2.4 makes of them is known. */
  const ofBothVersions = (
    offset: number,
    answers: readonly OpenQuestion[],
    waitsFor: readonly OpenQuestion[],
  ): PlacedFixes | null => {
    const isOf24 = answers.every(({ kind, lies }) => kind === 'running-version' || lies === 'outside');
    const other = isOf24 ? further().groupAt(LONE, offset) : null;
    if (other === null) return null;
    const assumes = `this is so: ${openQuestionTexts(answers).join('; ')}`;
    const edits = other.edits.get(LONE) ?? [];
    const title = titleOf(other);
    const restsOn = answeredOutside;
    return { fixes: [{ title, safety: 'suggestion', isChoice: true, assumes, waitsFor, restsOn, edits }], base: 0 };
  };
  /** The open questions that an old line without a conversion waits for. */
  const answersAt = (offset: number) => {
    const answers = isSnippet ? [] : further().waitsFor(LONE, offset).map(withoutPlaceIn);
    return { answers, waitsFor: [...openOutside, ...answers] };
  };
  return {
    fixesAt(offset, ownFixes) {
      if (isKept) return NO_FIXES_HERE;
      const group = plan.groupAt(LONE, offset);
      const { settled, isSafe, reasons } = reasonsOf(group);
      if (!plan.isAloneAt(LONE, offset)) {
        if (group) return { fixes: [fixOf(group)], base: 0 };
        const { answers, waitsFor } = answersAt(offset);
        return (answers.length > 0 && ofBothVersions(offset, answers, waitsFor)) || NO_FIXES_HERE;
      }
      // For a section alone, the rule has better fixes: it knows the assumptions, and a form for
      // both versions.
      if (group && (isSafe || settled.length > 0))
        return { fixes: [fixOf(group), ...movedFixes(ownFixes).slice(1)], base: 0 };
      const { fixes } = ownFixes;
      const [first] = fixes;
      const withFirst = (change: Partial<FixParts>): PlacedFixes => ({
        base: ownFixes.base,
        fixes: fixes.map((fix, index) => (index === 0 ? changedFix(fix, change) : fix)),
      });
      if (group) return first ? withFirst(reasons) : ownFixes;
      const { answers, waitsFor } = answersAt(offset);
      if (answers.length === 0) return ownFixes;
      return first
        ? withFirst({ waitsFor, restsOn: answeredOutside })
        : (ofBothVersions(offset, answers, waitsFor) ?? ownFixes);
    },
    reasonAt: (offset) => (plan.isAloneAt(LONE, offset) ? null : plan.reasonAt(LONE, offset)),
  };
}

const NOTHING_PLANNED: AccessPlan = {
  edits: new Map(),
  paths: new Set(),
  converted: 0,
  groups: [],
  refusals: [],
  looks: 0,
  openQuestions: [],
  groupAt: () => null,
  reasonAt: () => null,
  isAloneAt: () => false,
};

/** The open question about a file that no available configuration reads. */
export const STANDALONE_QUESTION: OpenQuestion = openQuestion('outside-unseen', '.');

/** The question without places in a standalone file: its plan uses another path for it. */
function withoutPlaceIn(question: OpenQuestion): OpenQuestion {
  return { ...question, places: question.places.filter(({ path }) => path !== LONE) };
}

/**
 * The plan without the questions which version runs now, if each of its groups is also a group of
 * the plan for a server that already runs 2.4: then its edits are right for both versions.
 */
function withoutVersion(plan: AccessPlan, answered: AnswerSet, planOf24: () => AccessPlan): AccessPlan {
  const isAboutVersion = ({ kind }: OpenQuestion) => kind === 'running-version' || kind === 'half-converted';
  const isAsked = plan.groups.length > 0 && plan.openQuestions.some(isAboutVersion);
  if (!isAsked || runningVersion(answered) !== null) return plan;
  const of24 = planOf24();
  const keys = new Set(of24.groups.map(editsKeyOfGroup));
  if (!plan.groups.every((group) => keys.has(editsKeyOfGroup(group)))) return plan;
  const openQuestions = mergedQuestions([...plan.openQuestions, ...of24.openQuestions]);
  return withQuestions(
    plan,
    openQuestions.filter((each) => !isAboutVersion(each)),
  );
}

function editsKeyOfGroup({ edits }: AccessGroup): string {
  return JSON.stringify([...edits].map(([path, own]) => [path, editsKey(own)]).sort());
}

/** The question about the running version, if its answer decides which access is kept. */
function versionQuestion(source: Source, answered: AnswerSet): OpenQuestion[] {
  return source === '2.4' && runningVersion(answered) === '2.4' ? [runningQuestion('', [])] : [];
}

const NO_FIXES_HERE: PlacedFixes = { fixes: [], base: 0 };

/** The same question about a .htaccess file, or about another file. */
export function standaloneQuestion(isHtaccess: boolean): OpenQuestion {
  return isHtaccess ? OF_HTACCESS : OF_CONFIGURATION;
}

const OF_HTACCESS = { ...STANDALONE_QUESTION, search: { folders: [], names: ['.htaccess'] } };
const OF_CONFIGURATION = { ...STANDALONE_QUESTION, search: { folders: [], names: ['*.conf'] } };

const NOTHING_ANSWERED: AnswerSet = { answers: NO_ANSWERS, folder: '' };

const OUTSIDE = 'no other file and no enclosing section restricts access';

/** Makes a fix for one of the files of a change. */
export function accessFix(change: AccessChange, file: string): Fix {
  const { safety, waitsFor, restsOn } = change;
  // OpenQuestions with a question are shown as questions.
  const unasked = waitsFor.filter((each) => !hasQuestion(each));
  const fix = {
    title: TITLE,
    safety,
    ...(unasked.length > 0 && { assumes: `this makes no difference: ${openQuestionTexts(unasked).join('; ')}` }),
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
    // With thousands of files, each has a fix whose other edits are in all the others, so this is
    // lazy.
    get elsewhere() {
      elsewhere ??= new Map([...change.edits].filter(([path]) => path !== file));
      return elsewhere.size > 0 ? elsewhere : undefined;
    },
  };
}

const TITLE = 'Convert the access control of the whole configuration';

// ---------------------------------------------------------------------------------------------------------------------

interface Draft {
  readonly root: string;
  /** Whether it includes files, but nothing shows that it is a main file. */
  readonly isPartial: boolean;
  readonly files: readonly string[];
  /** The files that the server reads as .htaccess files, with the folders in which it does. */
  readonly accessFiles: ReadonlyMap<string, ReadonlySet<string>>;
  readonly plan: AccessPlan;
  /** Whether the user's answers settle an open question. */
  readonly isSettled: (openQuestion: OpenQuestion) => boolean;
  /**
   * The questions whose answers may convert the old line at an offset, which is not converted now.
   */
  readonly waitsFor: (file: string, offset: number) => readonly OpenQuestion[];
  readonly asked: readonly OpenQuestion[];
  readonly tellsOf24: () => boolean;
  readonly isStandalone?: boolean;
  held: NotConverted | null;
}

function draftsOf(options: AccessOptions): Draft[] {
  const drafts = apartFromParts(options.roots.flatMap((root) => draftOf(root, options) ?? []));
  const read = filesReadBy(drafts);
  const further = (options.others ?? [])
    .filter(({ root }) => !read.has(root))
    .flatMap((other) => draftOf(other, options) ?? []);
  return apartFromParts([...drafts, ...further.filter(({ isPartial, files }) => !isPartial || files.length > 1)]);
}

/** The files that some configuration reads. */
function filesReadBy(drafts: readonly Draft[]): ReadonlySet<string> {
  return new Set(drafts.flatMap(({ files }) => files));
}

function draftOf(asked: AccessRoot, { view, obstacle, mayAdmit, roots, others = [] }: AccessOptions): Draft | null {
  const { root, engine, isNamed = false } = asked;
  const planned = (effects: AnswerEffects): DraftPlan | null => {
    const source = effects.source ?? engine.accessSource;
    const first = readingOf(asked, view, effects, source, null);
    const found = configurationOf(asked, view, first);
    if (!found) return null;
    // The start script shows the MPM of 2.2. It is only known after the first reading.
    const oldMpm = found.askedMpms.length > 0 && effects.mpm !== null ? (found.started?.mpm?.name ?? null) : null;
    const read = oldMpm === null ? first : readingOf(asked, view, effects, source, oldMpm);
    const configuration = oldMpm === null ? found : configurationOf(asked, view, read)!;
    const { htaccess, accessFiles, openQuestions } = discoverHtaccess(
      configuration,
      viewWithin(view, configuration.map),
    );
    const questionsOfFiles = [
      ...openQuestions,
      ...encodingQuestions(configuration, htaccess, view),
      ...doubtsOfRoot(
        asked,
        configuration,
        viewWithin(view, configuration.map),
        new Set([...roots, ...others].map((each) => each.root)),
      ),
      ...flagQuestions(configuration, effects),
      ...mpmQuestions(configuration, effects),
      ...addressQuestions(configuration),
      ...unloadedQuestions(configuration, htaccess, source, asked.server.builtIn),
      ...versionQuestion(source, engine.answered),
    ];
    const telling = linesOf24(read, asked.server.builtIn);
    const tellsOf24 = () =>
      telling.lineOf24(configuration) !== null ||
      htaccess.some(({ scope }) => telling.htaccessLineOf24(scope) !== null);
    const plan = planAccess(configuration, htaccess, questionsOfFiles, {
      // After fixes of this program, lines of 2.4 do not show the running version.
      ...(engine.answered.isFrom22 !== true && telling),
      mayAdmit,
      refuses: silenced,
      keepsBoth: engine.keepsBoth,
      ...effects,
      source,
    });
    return { configuration, htaccess, accessFiles, tellsOf24, plan: withQuestions(plan, covered(plan.openQuestions)) };
  };
  const effects = effectsOfAnswers(engine.answered);
  const draftPlan = planned(effects);
  if (!draftPlan) return null;
  const { configuration, htaccess, accessFiles, tellsOf24 } = draftPlan;
  const plan = withoutVersion(
    draftPlan.plan,
    engine.answered,
    () => planned({ ...effects, source: '2.4' })?.plan ?? NOTHING_PLANNED,
  );
  const files = [...new Set([...configuration.files.keys(), ...htaccess.map(({ scope }) => scope.file.path)])];
  const { asks, waitsFor } = furtherQuestions({
    plan,
    effects,
    answered: engine.answered,
    flags: openFlags(configuration, effects),
    size: files.length,
    planned: (further) => planned(further)?.plan ?? null,
    isSettled: (each) => engine.isSettled(each),
  });
  const isPartial = !isNamed && !isMain(configuration, root);
  const isOfAddress = ({ kind }: OpenQuestion) => kind === 'client-address';
  const keepingQuestion = engine.keptBy(plan.openQuestions.filter((each) => !isOfAddress(each)));
  const keepsAddresses = engine.keptBy(plan.openQuestions.filter(isOfAddress));
  const held = engine.isOff(orderAllowDeny)
    ? notConverted('rule-off', null, orderAllowDeny.id)
    : keepingQuestion === null
      ? heldBy(plan, (file) => obstacle?.(file, root) ?? null)
      : notConverted('kept-by-answer', null, keepingQuestion);
  return {
    root,
    isPartial,
    files,
    accessFiles,
    plan:
      keepsAddresses === null
        ? plan
        : withoutGroups(plan, comparesAddresses, notConverted('kept-by-answer', null, keepsAddresses)),
    waitsFor,
    tellsOf24,
    isSettled: (each) => engine.isSettled(each),
    held: plan.groups.length > 0 ? held : null,
    asked: [...asks, ...unhelpful(plan.refusals, configuration, engine.answered), ...saidOfVersion(plan, engine)],
  };
}

/**
 * The question about the version, if it was answered 2.2 without effect, so that the plan still
 * shows it.
 */
function saidOfVersion({ openQuestions, refusals }: AccessPlan, { answered }: EngineView): readonly OpenQuestion[] {
  const isAbout = (each: OpenQuestion) => each.asked === RUNNING_VERSION;
  return runningVersion(answered) === '2.2' && [...openQuestions, ...refusals.flatMap(({ asks }) => asks)].some(isAbout)
    ? [runningQuestion('', [])]
    : [];
}

/**
 * An open question if a lost module gives 2.2 the address of the client. Lines with addresses then
 * have another meaning in 2.4.
 */
function addressQuestions(configuration: Configuration): OpenQuestion[] {
  const lost = lostAddress(configuration);
  if (lost === null) return [];
  const places = lost.lines.map(({ file, offset }) => ({ path: file.path, offset }));
  return [openQuestion('client-address', '', places, lost.module.file.replace(/\.so$/, ''))];
}

interface DraftPlan {
  readonly configuration: Configuration;
  readonly htaccess: readonly Htaccess[];
  readonly accessFiles: Draft['accessFiles'];
  readonly tellsOf24: () => boolean;
  readonly plan: AccessPlan;
}

/**
 * OpenQuestions about non-ASCII names in files that are not UTF-8. Comparing such a name with file
 * names, or with another name, gives no reliable result.
 */
function encodingQuestions(
  configuration: Configuration,
  htaccess: readonly Htaccess[],
  view: FileView,
): OpenQuestion[] {
  const openQuestions: OpenQuestion[] = [];
  const others = new Set(
    filesOf({ configuration, htaccess }).filter((file) => view.isOtherEncoding?.(file.path) === true),
  );
  // Nearly all files are UTF-8, so this skips the search.
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
      if (NAMING_FILES.has(line.name) && isOther(file) && isMoreThanAscii(line.text))
        openQuestions.push(openQuestion('other-encoding', line.text.trim(), [{ path: file.path, offset }]));
    }
    scope.children.forEach(look);
  };
  [configuration.root, ...htaccess.map(({ scope }) => scope)].forEach(look);
  return openQuestions;
}

const NAMING_FILES: ReadonlySet<string> = new Set([
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

function heldBy(plan: AccessPlan, obstacle: (file: string) => string | null): NotConverted | null {
  for (const file of plan.paths) {
    const why = obstacle(file);
    if (why !== null && plan.edits.has(file))
      return notConverted('file-cannot-change', { path: file, offset: 0 }, file, why);
  }
  return null;
}

/** Why a comment of the user keeps the lines of a section. Null if there is none. */
function silenced(scope: Scope): NotConverted | null {
  const isSilenced = (tree: Tree, offset: number) =>
    tree.root.pragmas > 0 && isSuppressed(tree, offset, orderAllowDeny.id);
  if (!mayBeSilenced(scope)) return null;
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

/** Whether a file of the section contains comments for this program. */
function mayBeSilenced({ lines, file, section }: Scope): boolean {
  if (section !== null && file.tree.root.pragmas > 0) return true;
  for (let i = 0; i < lines.length; i++) if (lines[i]!.file.tree.root.pragmas > 0) return true;
  return false;
}

/**
 * Marks open questions as `inside` if a further available file may answer them: a line that serves
 * unknown directories may serve one with an available .htaccess file, and a missing Include may
 * mean an available file with that name in another folder. The user's word about files outside does
 * not cover these.
 */
function withAccessFiles({ lone = [], view }: AccessOptions, drafts: Draft[]): Draft[] {
  if (!drafts.some(({ plan }) => plan.openQuestions.some(({ kind }) => SERVED.has(kind) || kind === 'include-unseen')))
    return drafts;
  const read = filesReadBy(drafts);
  const deciding = lone
    .map(({ root }) => root)
    .filter((path) => !read.has(path) && namesIn(view.read(path)?.root ?? NO_LINES).some((name) => ACCESS.has(name)));
  const isServed = deciding.some(isHtaccessName);
  // An Include may name only the directory.
  const names = new Set(deciding.flatMap((path) => [baseName(path), baseName(parentOf(path))]));
  const isHere = ({ kind, subject }: OpenQuestion) => {
    if (SERVED.has(kind)) return isServed;
    if (kind !== 'include-unseen') return false;
    const pattern = globPattern(baseName(subject.split('/').filter(Boolean).join('/')).toLowerCase());
    return [...names].some((name) => pattern.test(name.toLowerCase()));
  };
  return drafts.map((draft) => ({
    ...draft,
    plan: withQuestions(
      draft.plan,
      draft.plan.openQuestions.map((each): OpenQuestion => (isHere(each) ? { ...each, lies: 'inside' } : each)),
    ),
  }));
}

const SERVED: ReadonlySet<QuestionKind> = new Set<QuestionKind>(['served-anywhere', 'htaccess-unseen']);

const NO_LINES = Tree.parse('').root;

/**
 * Plans all files that no configuration reads as one configuration, if the user answered that no
 * other file decides about access. The joint plan is made twice, with the files in both orders, and
 * each file is also planned alone. A file that does not have the same edits in all three is left
 * out, together with all that must be converted with it.
 * Before the user answers, it only finds the .htaccess files that will be left out, so that no fix
 * is promised for them.
 */
function loneDraft({ lone = [], others = [], view, obstacle }: AccessOptions, drafts: readonly Draft[]): Draft[] {
  // An available configuration may include any of them by an unknown name.
  if (drafts.some(({ plan }) => plan.openQuestions.some(({ kind }) => OPEN_ENDS.has(kind)))) return [];
  // The available files decide what is allowed in .htaccess files, and it is unknown in which of
  // them.
  const mayRefuse = [...[...lone, ...others].map(({ root }) => root), ...drafts.flatMap((draft) => draft.files)].some(
    (path) => narrowsOverride(view.read(path)),
  );
  const read = filesReadBy(drafts);
  const isVouched = lone.some(({ engine }) => engine.isSettled(STANDALONE_QUESTION));
  const isHtaccessKept = mayRefuse || drafts.some(({ isPartial }) => !isPartial);
  let files = lone.flatMap(({ root: path, engine }): LoneFile[] => {
    const isHtaccess = isHtaccessName(path);
    const isOne = isVouched ? engine.isSettled(STANDALONE_QUESTION) : isHtaccess && isOpen(engine);
    const tree = isOne && !read.has(path) && !(isHtaccess && isHtaccessKept) ? view.read(path) : null;
    if (!tree || !namesIn(tree.root).some((name) => ACCESS.has(name) || CHANGES_ADDRESS.has(name))) return [];
    return [{ path, tree, isHtaccess, source: engine.accessSource, keepsBoth: engine.keepsBoth }];
  });
  // One file alone has no neighbour that prevents its conversion.
  if (!isVouched && (files.length < 2 || files.length > MOST_FORESEEN)) return [];
  const effects = effectsOfAnswers(files.length > 0 ? lone[0]!.engine.answered : NOTHING_ANSWERED);
  const isKnown = (each: OpenQuestion) => each.lies === 'outside' || lone[0]!.engine.isSettled(each);
  const alone = new Map(files.map((file) => [file.path, lonePlan([file], effects)]));
  // Other questions, or an unknown section around the file, decide about these.
  const isWhole = ({ path }: LoneFile) => {
    const { plan, isSnippet } = alone.get(path)!;
    // The open question about client addresses is shared by all these files.
    return !isSnippet && plan.openQuestions.every((each) => isKnown(each) || each.kind === 'client-address');
  };
  const leftOut = new Map<string, AccessPlan>();
  for (;;) {
    if (files.length === 0 && leftOut.size === 0) return [];
    if (files.length === 0) return [standaloneDraft({ plan: NOTHING_PLANNED, paths: [], leftOut, isKnown, obstacle })];
    const { plan } = lonePlan(files, effects);
    const { plan: reversed } = lonePlan([...files].reverse(), effects);
    const isSame = (file: LoneFile) =>
      isWhole(file) &&
      [plan, reversed].every(
        ({ edits }) => editsKey(edits.get(file.path)) === editsKey(alone.get(file.path)!.plan.edits.get(file.path)),
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

/** Adds the files that must be converted together with one of them. */
function addConvertedTogether(files: Set<string>, { groups }: AccessPlan): void {
  for (let before = -1; before !== files.size; ) {
    before = files.size;
    for (const { edits } of groups)
      if ([...edits.keys()].some((path) => files.has(path))) for (const path of edits.keys()) files.add(path);
  }
}

/** Whether the question about everything outside of a file has no answer. */
function isOpen(engine: EngineView): boolean {
  return !engine.isSettled(STANDALONE_QUESTION) && engine.keptBy([STANDALONE_QUESTION]) === null;
}

/** Up to this number of files, the plan finds what stays before the question is answered. */
const MOST_FORESEEN = 500;

/** A reason names at most this many other files. */
const MOST_FILES_NAMED = 3;

interface Standalone {
  /** The plan of `paths`. */
  readonly plan: AccessPlan;
  readonly paths: readonly string[];
  /** Further files, which are not converted, with the plan that shows why. */
  readonly leftOut: ReadonlyMap<string, AccessPlan>;
  readonly isKnown: (each: OpenQuestion) => boolean;
  readonly obstacle: AccessOptions['obstacle'];
}

function standaloneDraft({ plan, paths, leftOut, isKnown, obstacle }: Standalone): Draft {
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
    return notConverted(
      'differs-beside-files',
      null,
      others.slice(0, MOST_FILES_NAMED).map((each) => `${baseName(parentOf(each))}/${baseName(each)}`),
    );
  };
  return {
    root: files[0]!,
    isPartial: true,
    files,
    accessFiles: new Map(),
    plan: Object.assign(withQuestions(plan, openQuestions), { reasonAt }),
    isSettled: isKnown,
    waitsFor: () => [],
    asked: [],
    tellsOf24: () => false,
    isStandalone: true,
    held: heldBy(plan, (file) => obstacle?.(file, file) ?? null),
  };
}

/** Whether a file has an AllowOverride that allows some classes only, or an AllowOverrideList. */
function narrowsOverride(tree: Tree | null): boolean {
  if (!tree) return false;
  const names = namesIn(tree.root);
  if (names.has('allowoverridelist')) return true;
  return names.has('allowoverride') && narrowsIn(tree.root);
}

/** Only searches lists that contain the name. */
function narrowsIn({ children }: List): boolean {
  return children.some((child) => {
    if (child instanceof List) return namesIn(child).has('allowoverride') && narrowsIn(child);
    if (child instanceof Section) return namesIn(child.body).has('allowoverride') && narrowsIn(child.body);
    return child.name === 'allowoverride' && !/^\s*\S+\s+(all|none)\s*$/i.test(child.text);
  });
}

/** OpenQuestions because of which further directories, and links in them, may exist. */
const UNSEEN: ReadonlySet<QuestionKind> = new Set<QuestionKind>([
  'served-anywhere',
  'htaccess-unseen',
  'too-many-directories',
  'unreadable',
  'linked',
]);

const OTHER_SERVERS: ReadonlySet<QuestionKind> = new Set<QuestionKind>(['other-main', 'shared']);

/** OpenQuestions because of which any file may be included. */
const OPEN_ENDS: ReadonlySet<QuestionKind> = new Set<QuestionKind>([
  'include-unseen',
  'variable',
  'macro',
  'perl',
  'too-deep',
  'template',
]);

const CHANGES_ADDRESS: ReadonlySet<string> = new Set(ADDRESS_NAMES);
const ACCESS: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require', 'authtype']);

// --- Lone files
// ------------------------------------------------------------------------------------------------------

const LONE = '/lone/file';
const LONE_MAIN = '/lone/main';

interface LoneFile {
  readonly path: string;
  readonly tree: Tree;
  readonly isHtaccess: boolean;
  readonly source: Source;
  readonly keepsBoth?: boolean;
}

/** A server whose served directories and proxied requests are unknown. */
const UNKNOWN_SERVER = 'VirtualDocumentRoot /%0\nProxyPass /proxied http://unknown/\n';

/**
 * Plans standalone files. `isSnippet`: access lines are at the top level of a file that is
 * no .htaccess file, so an unknown section of another file includes it.
 */
function lonePlan(
  files: readonly LoneFile[],
  effects: AnswerEffects,
): { readonly plan: AccessPlan; readonly isSnippet: boolean; readonly flags: readonly OpenQuestion[] } {
  const isSnippet = ({ tree, isHtaccess }: LoneFile) => !isHtaccess && hasAccessAtTop(tree.root);
  const inDirectories = files.filter((file) => file.isHtaccess || isSnippet(file));
  const included = files.filter((file) => !inDirectories.includes(file)).map(({ path }) => `Include "${path}"\n`);
  const trees = new Map([
    ...files.map(({ path, tree }): [string, Tree] => [path, tree]),
    [LONE_MAIN, Tree.parse(UNKNOWN_SERVER + included.join(''))],
  ]);
  const view: FileView = {
    read: (path) => trees.get(path) ?? null,
    list: () => null,
    kind: (path) => (trees.has(path) ? 'file' : null),
    identity: (path) => path,
  };
  const source = effects.source ?? files[0]!.source;
  const read = {
    view,
    names: ACCESS_NAMES,
    halves: HALVES,
    conditions: accessConditions(source, DEFAULT_TARGET, knownMpm(effects.mpm, null)),
    flags: effects.flags,
    serverRoot: '/lone',
  };
  const readings = inDirectories.map((file) => {
    const folder = file.isHtaccess && files.length > 1 ? parentOf(file.path) : '/';
    return readHtaccessFile({ ...read, root: file.path, folder })!;
  });
  const htaccess = readings.map(({ root }): Htaccess => ({ scope: root, override: ['all'] }));
  const configuration = readConfiguration({ ...read, root: LONE_MAIN })!;
  const openQuestions = [
    ...readings.flatMap(({ gaps }) => gaps.map(gapQuestion)),
    ...flagQuestions(configuration, effects),
    ...mpmQuestions(configuration, effects),
    ...addressQuestions(configuration),
  ];
  const plan = planAccess(configuration, htaccess, openQuestions, {
    ...linesOf24({ ...read, root: LONE_MAIN }, undefined),
    refuses: silenced,
    keepsBoth: files[0]!.keepsBoth,
    ...effects,
    source,
  });
  return { plan, isSnippet: files.some(isSnippet), flags: openFlags(configuration, effects) };
}

/** Looks inside conditions and limits, but not inside sections that change the scope. */
function hasAccessAtTop(list: List): boolean {
  let found = false;
  forEachItem(list, 0, (item) => {
    if (item instanceof Line) found ||= ACCESS.has(item.name);
    else found ||= isTransparent(sectionKind(item.name)) && hasAccessAtTop(item.body);
  });
  return found;
}

/**
 * Whether the lines of a file can be all access lines of the section that includes it. Lines
 * without Order usually continue lines of that section. Only Files can be inside of a section.
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

const OLD: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

function titleOf({ conversions }: AccessGroup): string {
  const { tree, merging, scope } = conversions[0]!;
  const more = conversions.length - 1;
  if (more > 0)
    return fittingTitle(
      `Convert ${nameOf(scope)} and ${more} more ${more === 1 ? 'section' : 'sections'}`,
      `Convert the access control of ${conversions.length} sections`,
    );
  const old = scope.lines.flatMap(({ line }) => (OLD.has(line.name) ? [spelledName(line)] : []));
  const names = enumeration([...new Set(old)]);
  if (tree === null) return fittingTitle(`Remove ${names} (no effect)`, 'Remove access lines that have no effect');
  const line = knownLine(tree);
  if (line !== null && !merging && line.length <= MAX_IN_TITLE) return `Convert to ${line}`;
  return names === ''
    ? fittingTitle(`Change the Require lines of ${nameOf(scope)}`, 'Change the Require lines')
    : `Convert ${names} to Require lines`;
}

const MAX_IN_TITLE = 49;

/** The fixes with offsets in the file. */
function movedFixes({ fixes, base }: PlacedFixes): Fix[] {
  return fixes.map((fix) =>
    fixMadeLater(fix, () => fix.edits.map(({ start, end, text }) => ({ start: start + base, end: end + base, text }))),
  );
}

// --- Reading
// ---------------------------------------------------------------------------------------------------------

function readingOf(
  { root, engine, server: { serverRoot, map, defines } }: AccessRoot,
  view: FileView,
  { flags, mpm }: Pick<AnswerEffects, 'flags' | 'mpm'>,
  source: Source,
  oldMpm: string | null,
): ReadOptions {
  return {
    root,
    view,
    names: ACCESS_NAMES,
    halves: HALVES,
    conditions: accessConditions(source, engine.target, knownMpm(mpm, oldMpm)),
    target: engine.target,
    serverRoot,
    map,
    defines,
    flags,
  };
}

function configurationOf(asked: AccessRoot, view: FileView, read: ReadOptions): Configuration | null {
  return readConfiguration({ ...read, skips: skipsOf(asked, view) });
}

/** Facts of text that contains an old line, or reads a file that may contain one. */
const RELEVANT = factsOf(Fact.oldAccess, Fact.satisfy, Fact.includes);

/**
 * Virtual hosts that can be skipped: those without old lines. This only holds if there are no old
 * lines outside virtual hosts, and no .htaccess files.
 */
function skipsOf({ root, engine, infoOf }: AccessRoot, view: FileView): ((section: Section) => boolean) | undefined {
  const tree = view.read(root);
  if (!tree) return undefined;
  const { facts } = engine.analyze(tree, infoOf?.(tree) ?? { isHtaccess: false });
  if (hasFact(facts, Fact.allowsOverride) || !hasFact(facts, Fact.deniesOverrideAtRoot)) return undefined;
  if (hasFact(factsOutside(tree.root, engine), RELEVANT)) return undefined;
  // A section that changes how later lines are read must be read.
  return (section) =>
    section.name === 'virtualhost' &&
    !hasFact(engine.factsIn(section), RELEVANT) &&
    !namesIn(section.body).isReadAtOnce;
}

/**
 * Facts about the lines outside of virtual hosts, and about Include lines in them. Skips parts
 * without relevant facts.
 */
function factsOutside(list: List, engine: EngineView): FileFacts {
  let outside = NO_FACTS;
  for (const child of list.children) {
    if (child instanceof List) {
      if (hasFact(engine.factsIn(child), RELEVANT)) outside = plusFacts(outside, factsOutside(child, engine));
    } else if (child instanceof Section && child.name === 'virtualhost') {
      if (hasFact(engine.factsIn(child), Fact.includes)) outside = plusFacts(outside, Fact.includes);
    } else outside = plusFacts(outside, child instanceof Section ? engine.factsIn(child) : engine.factsOfLine(child));
  }
  return outside;
}

function isMain({ files }: Configuration, root: string): boolean {
  const tree = files.get(root)?.tree;
  return tree !== undefined && (isRootTree(tree.root) || listens(tree));
}

/**
 * Whether the file has a line without which 2.2 does not start ("no listening sockets available").
 * Port is its form in 1.3.
 */
function listens({ root }: Tree): boolean {
  const names = namesIn(root);
  return names.has('listen') || names.has('port');
}

/** The question shows why the file can be a part of another configuration. */
function doubt(root: string, why: string): OpenQuestion {
  return { ...openQuestion('outside-unseen', root, [], `${why}, so another file may include it`), facts: [why] };
}

/**
 * OpenQuestions whether the file is the main file of a server. A file with ServerRoot may still be
 * a part of another configuration that restricts access further.
 */
function doubtsOfRoot(
  { root, isNamed = false, given, engine }: AccessRoot,
  configuration: Configuration,
  view: FileView,
  convertedRoots: ReadonlySet<string>,
): OpenQuestion[] {
  const mainTree = configuration.files.get(root)?.tree;
  const openQuestions: OpenQuestion[] = [];
  const looksMain = isMainName(root) && mainTree !== undefined && isRootTree(mainTree.root);
  // The missing file of an Include can have the Listen line, and has a question of its own.
  const mayListen =
    [...configuration.files.values()].some(({ tree }) => listens(tree)) ||
    (looksMain && configuration.gaps.some(({ reason }) => reason === 'include-missing'));
  if (!mayListen) openQuestions.push(doubt(root, 'has no Listen'));
  if (isNamed) return openQuestions;
  if (!looksMain)
    openQuestions.push(doubt(root, 'does not have the name of a main configuration file (httpd.conf or apache2.conf)'));
  for (const { path, includes, isApart } of neighboursOf(root, configuration, view)) {
    // A file outside of the given directory only counts if it may include the main file, and the
    // user does not vouch for everything outside.
    if (given !== undefined && !isWithin(path, given) && (!includes || engine.isSettled(STANDALONE_QUESTION))) continue;
    // A separate configuration that is also converted is no open question: files that both read
    // change for both or for neither.
    if (!isApart || includes || !convertedRoots.has(path))
      openQuestions.push(
        openQuestion('other-main', path, [{ path, offset: 0 }], includes ? `may include ${root}` : ''),
      );
  }
  return openQuestions;
}

/** Removes roots that another root includes, because their sections apply in the other one. */
function apartFromParts(drafts: readonly Draft[]): Draft[] {
  const draftsByRoot = new Map(drafts.map((draft) => [draft.root, draft]));
  const reads = (draft: Draft, other: Draft) => draft !== other && draft.files.includes(other.root);
  return [...draftsByRoot.values()].filter(
    (draft, index, all) => !all.some((other, at) => reads(other, draft) && (at < index || !reads(draft, other))),
  );
}

// --- Together or not at all
// ------------------------------------------------------------------------------------------

/**
 * Holds back configurations that share a file, unless both need the same edits in it and neither is
 * held back.
 */
function holdShared(drafts: readonly Draft[]): void {
  for (let isSettled = false; !isSettled; ) {
    isSettled = true;
    for (const draft of drafts) {
      if (draft.held !== null) continue;
      const sharedWith = (file: string) =>
        drafts.find(
          (other) =>
            other !== draft &&
            draft.plan.edits.has(file) &&
            other.files.includes(file) &&
            !mayShare(draft, other, file),
        );
      const shared = [...draft.plan.paths].find((file) => sharedWith(file) !== undefined);
      if (shared === undefined) continue;
      const roots = [draft.root, sharedWith(shared)!.root];
      draft.held = notConverted('configurations-differ', { path: shared, offset: 0 }, shared, roots);
      isSettled = false;
    }
  }
}

/**
 * Whether two drafts may change a file together. A partial draft does not hold back another one.
 */
function mayShare(draft: Draft, other: Draft, file: string): boolean {
  if (draft.isPartial !== other.isPartial) return other.isPartial;
  return other.held === null && editsKey(draft.plan.edits.get(file)) === editsKey(other.plan.edits.get(file));
}

function editsKey(edits: readonly Edit[] = []): string {
  return JSON.stringify([...edits].sort((a, b) => a.start - b.start || a.end - b.end));
}

/** The drafts that are not held back. Those that change a file which both read are joined. */
function boundTogether(drafts: readonly Draft[]): Draft[][] {
  const left = new Set(drafts.filter(({ held }) => held === null));
  const bound: Draft[][] = [];
  for (const first of left) {
    const together: Draft[] = [];
    const pending = [first];
    for (let draft = pending.pop(); draft; draft = pending.pop()) {
      if (!left.delete(draft)) continue;
      together.push(draft);
      const { plan } = draft;
      for (const other of left)
        if (!other.isPartial && other.files.some((file) => plan.paths.has(file) && plan.edits.has(file)))
          pending.push(other);
    }
    if (together.length > 0) bound.push(together);
  }
  return bound;
}

function comparesAddresses({ conversions }: AccessGroup): boolean {
  return conversions.some(({ tree }) => asksAddress(tree));
}

/** The same plan without some of its groups. `why`: the reason for their lines. */
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
    converted: groups.reduce((sum, { conversions }) => sum + conversions.length, 0),
    groups,
    refusals: plan.refusals,
    looks: plan.looks,
    openQuestions: plan.openQuestions,
    groupAt,
    reasonAt: (path, offset) => {
      const isGone = plan.groupAt(path, offset) !== null && groupAt(path, offset) === null;
      return isGone ? why : plan.reasonAt(path, offset);
    },
    isAloneAt: (path, offset) => plan.isAloneAt(path, offset),
  };
}

function changeOf(groups: readonly AccessGroup[], { all, withoutAddresses }: OpenQuestionsOf): AccessChange {
  const { waitsFor, restsOn } = all === withoutAddresses || groups.some(comparesAddresses) ? all : withoutAddresses;
  let edits: ReadonlyMap<string, readonly Edit[]> | null = null;
  const [only] = groups.length === 1 ? groups : [];
  return {
    safety: waitsFor.length === 0 ? 'safe' : 'suggestion',
    get edits() {
      return (edits ??= editsOf(groups));
    },
    paths: only?.paths ?? new Set(groups.flatMap((group) => [...group.paths])),
    get sections() {
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
  // Several configurations make the same edits in a shared file.
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

/** The open questions of some drafts: the open ones, and those that the user's answers settle. */
function openQuestionsOf(drafts: readonly Draft[]): OpenQuestionsOf {
  const openQuestions = drafts.flatMap((draft) =>
    draft.plan.openQuestions.map((each) => ({ each, isSettled: draft.isSettled(each) })),
  );
  const of = (isSettled: boolean) =>
    mergedQuestions(openQuestions.filter((each) => each.isSettled === isSettled).map(({ each }) => each));
  const all = { waitsFor: of(false), restsOn: of(true) };
  const isAddress = ({ kind }: OpenQuestion) => kind === 'client-address';
  if (![...all.waitsFor, ...all.restsOn].some(isAddress)) return { all, withoutAddresses: all };
  const without = (list: readonly OpenQuestion[]) => list.filter((each) => !isAddress(each));
  return { all, withoutAddresses: { waitsFor: without(all.waitsFor), restsOn: without(all.restsOn) } };
}

type Questions = Pick<AccessChange, 'waitsFor' | 'restsOn'>;

/** Thousands of changes share these lists. */
interface OpenQuestionsOf {
  readonly all: Questions;
  /** For changes of lines that compare no addresses. */
  readonly withoutAddresses: Questions;
}
