/**
 * The conversion of access control, for every surface: `fix` and `check`, the lightbulb, Fix All, the commands. Takes the configurations at hand and
 * says of every old line whether it goes, with what it has to go, what that rests on, or why it stays.
 *
 * Nothing of a configuration is converted that its plan refuses, and what is planned is changed whole or not at all: a plan that needs a file that
 * cannot be changed is none. Pure: files come by way of a view.
 */
import { ADDRESS_NAMES, asksAddress, lostAddress } from '../access/client-address';
import { accessConditions, knownMpm } from '../access/conditions';
import { discoverHtaccess } from '../access/htaccess-files';
import {
  covered,
  doubt,
  doubtTexts,
  gapDoubt,
  mergedDoubts,
  RUNNING_VERSION,
  type Doubt,
  type DoubtKind,
} from '../access/doubt';
import type { Source } from '../access/model';
import { lineNotConverted, notConverted, type NotConverted } from '../access/not-converted';
import { planAccess, withDoubts, type AccessGroup, type AccessPlan, type AccessRefusal } from '../access/plan';
import { knownLine } from '../access/proof-cache';
import { ACCESS_NAMES, filesOf } from '../access/conversion-input';
import { HALVES } from '../access/one-version';
import type { Htaccess } from '../access/sections';
import { linesOf24, runningDoubt } from '../access/running';
import { unloadedDoubts } from '../access/unloaded';
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
import { Fact, factsOf, hasFact, NO_FACTS, plusFacts, type FileFacts } from '../rules/support/facts';
import { changedFix, fixMadeLater, type Edit, type Fix, type Rule, type SaidOfFix } from '../rules/rule';
import { Tree } from '../syntax/document';
import { Line } from '../syntax/line';
import { forEachItem, List, Section } from '../syntax/tree';
import {
  hasQuestion,
  isSettled,
  NO_ANSWERS,
  questionId,
  runningVersion,
  saidIn,
  type Answered,
  type Said,
} from './answers';
import type { EngineView, FileInfo } from './engine-view';
import type { PlacedFixes } from './findings';
import {
  flagDoubts,
  furtherQuestions,
  mpmDoubts,
  openFlags,
  unhelpful,
  type FurtherQuestions,
} from './further-questions';
import { isMainName, neighboursOf } from './main-file';
import { isSuppressed } from './suppression';
import { addTo } from '../syntax/groups';

/** A main file, and what is known of its server. */
export interface AccessRoot {
  /** Without links. */
  readonly root: string;
  /** Whose settings count: the target, whose decisions to keep, whether a person vouches for what lies outside. */
  readonly engine: EngineView;
  readonly server: ServerSettings;
  /** A person said that it is a main file, by a setting: then its name and its neighbours need not say so. */
  readonly isNamed?: boolean;
  /** The directory that the user gave and that has the main file in it; left out where the file was given by itself. */
  readonly given?: string;
  /** As what the root is analyzed: the same as when its findings are asked for, so that it is done once. */
  readonly infoOf?: (tree: Tree) => FileInfo;
}

export interface AccessOptions {
  readonly roots: readonly AccessRoot[];
  /** Files at hand that may be main files under another name, or include some of the same parts; those that turn out to be neither are left out. */
  readonly others?: readonly AccessRoot[];
  /** All further files at hand, where a person vouches for what lies outside: of these, those that no configuration reads are looked at together. */
  readonly lone?: readonly AccessRoot[];
  readonly view: FileView;
  /** Why a file of a root's configuration cannot be changed, as what follows its name; null where it can. */
  readonly obstacle?: (file: string, root: string) => string | null;
  /** Whether an AllowOverride may be widened by Require, which makes the plan a suggestion. */
  readonly mayAdmit?: boolean;
}

/** Whether a rule is about lines, or conditions around them, that the conversion changes. */
export function isAboutAccess(rule: Rule): boolean {
  return rule === orderAllowDeny || rule === conditionOneVersion;
}

/** What is said of a configuration as a whole. */
export interface AccessOfConfiguration {
  readonly root: string;
  /** All files that it reads, .htaccess files included; paths without links. */
  readonly files: readonly string[];
  /** What has to be done together, other configurations counted that read the same files. */
  readonly changes: readonly AccessChange[];
  readonly refusals: readonly AccessRefusal[];
  /** Why nothing of it is converted; null if some of it is, or could be. */
  readonly held: NotConverted | null;
  /** What is not known; what a person vouches for left out. */
  readonly waitsFor: readonly Doubt[];
  /** What a person vouches for. */
  readonly restsOn: readonly Doubt[];
  /** What sections that stay wait for, and what a person has answered that lets nothing be converted. */
  readonly asked: readonly Doubt[];
  /** Whether a line in it can only be one of a server that runs 2.4. */
  tellsOf24(): boolean;
}

/** A change that is made whole or not at all. */
export interface AccessChange {
  /** `safe` where it keeps every decision. */
  readonly safety: Fix['safety'];
  /** By path without links; offsets are the file's. Made when somebody asks. */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  /** The files that it may change; of one whose lines are right already, there are no edits. */
  readonly paths: ReadonlySet<string>;
  /** How many sections it converts. */
  readonly sections: number;
  /** What has to be settled for it to be safe. */
  readonly waitsFor: readonly Doubt[];
  /** What a person vouches for. */
  readonly restsOn: readonly Doubt[];
}

/** What becomes of an old line. */
export type AccessAnswer = { readonly change: AccessChange } | Refused;

/** A line that stays as it is. */
export interface Refused {
  readonly refusal: NotConverted;
  /** What a person could answer so that it is converted; nothing where no answer is known to help. */
  readonly waitsFor: readonly Doubt[];
}

export interface AccessConversion {
  readonly configurations: readonly AccessOfConfiguration[];
  /** All changes, each once. */
  readonly changes: readonly AccessChange[];
  /** Whether a configuration at hand reads the file: then nothing of it is converted otherwise. */
  isPart(file: string): boolean;
  /** Where a configuration at hand reads it as a .htaccess, under whatever names. */
  htaccessPlaces(file: string): HtaccessPlaces & {
    /** The main files of these configurations, and whether there may be another server, which nobody here has looked at. */
    readonly roots: readonly string[];
    readonly mayHaveOthers: boolean;
  };
  /** Of the old line at an offset of a file; null where there is none, or no configuration at hand reads the file. */
  at(file: string, offset: number): AccessAnswer | null;
  /** What the changes make of a file, as it was read; `unsafe` with those that wait for something. */
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
    const doubts = doubtsOf(together);
    const changes =
      together.length === 1
        ? together[0]!.plan.groups.map((group) => changeOf([group], doubts))
        : [
            changeOf(
              together.flatMap(({ plan }) => plan.groups),
              doubts,
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
        ...doubtsOf([draft]),
        root: draft.root,
        files: draft.files,
        changes: changesOf.get(draft) ?? [],
        refusals: draft.plan.refusals,
        held: draft.held,
        asked: draft.asked,
        tellsOf24: draft.tellsOf24,
      }),
    ),
    changes,
    isPart: (file) => readers.has(file),
    htaccessPlaces(file) {
      const reading = drafts.filter(({ accessFiles }) => accessFiles.has(file));
      const has = (isOne: (each: Doubt, draft: Draft) => boolean) =>
        reading.some((draft) => draft.plan.doubts.some((each) => isOne(each, draft)));
      return {
        folders: [...new Set(reading.flatMap(({ accessFiles }) => [...accessFiles.get(file)!]))],
        // Whoever vouches for what is there says nothing of links.
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

/** The conversions in a file that no configuration at hand reads. */
export interface LoneAccess {
  /** What is offered for the old line at an offset of the file, given what its section by itself is offered. */
  fixesAt(offset: number, own: PlacedFixes): PlacedFixes;
  /** Why nothing is offered for it, where other sections of the file are the reason. */
  reasonAt(offset: number): NotConverted | null;
}

export interface LoneOptions {
  readonly tree: Tree;
  readonly isHtaccess: boolean;
  /** Whose decisions are to be kept. */
  readonly source: Source;
  /** A person says that nothing outside the file has a say. */
  readonly isVouched: boolean;
  /** Both versions are written. */
  readonly keepsBoth?: boolean;
  /** A person says that it stays as it is. */
  readonly isKept?: boolean;
  /** What a person has answered. */
  readonly answered?: Answered;
}

/**
 * Nobody knows what stands around such a file: it is planned as if all of the server were unknown but for these lines. Sections of it that may apply to one request are
 * converted together or not at all; one that meets no other, by itself.
 */
export function loneAccess({
  isVouched,
  isKept = false,
  answered = NOTHING_ANSWERED,
  ...file
}: LoneOptions): LoneAccess {
  const said = saidIn(answered);
  const planned = (further: Said) => lonePlan([{ path: LONE, ...file }], further);
  const { plan, isSnippet, flags } = planned(said);
  const isAnswered = (each: Doubt) => isSettled(each, answered, false);
  const inside = plan.doubts
    .filter(({ lies }) => lies === 'inside')
    // The file has another path here.
    .map((each) => ({ ...each, places: each.places.filter(({ path }) => path !== LONE) }));
  const open = inside.filter((each) => !isAnswered(each));
  const answeredDoubts = inside.filter(isAnswered);
  /** The reasons of one conversion, or of the file if no group is given. */
  const reasonsOf = (group: AccessGroup | null) => {
    const isAbout = (each: Doubt) => each.kind !== 'client-address' || group === null || comparesAddresses(group);
    const inner = open.filter(isAbout);
    const settled = answeredDoubts.filter(isAbout);
    const isSafe = isVouched && inner.length === 0 && !isSnippet;
    // What no answer settles, a person looks at.
    const isAskable = !isSnippet && inner.every((each) => questionId(each, answered) !== null);
    const reasons = isSafe
      ? { restsOn: [LONE_DOUBT, ...settled] }
      : isAskable
        ? { waitsFor: [...(isVouched ? [] : [LONE_DOUBT]), ...inner], restsOn: settled }
        : {};
    return { inner, settled, isSafe, reasons };
  };
  let further: FurtherQuestions | undefined;
  const furtherAt = (offset: number) =>
    (further ??= furtherQuestions({
      plan,
      said,
      answered,
      flags,
      size: 1,
      planned: (each) => planned(each).plan,
      isSettled: (each) => each.lies === 'outside' || isAnswered(each),
    })).waitsFor(LONE, offset);
  const fixes = new Map<AccessGroup, Fix>();
  const fixOf = (group: AccessGroup): Fix => {
    let fix = fixes.get(group);
    if (!fix) {
      const title = titleOf(group);
      const { inner, isSafe, reasons } = reasonsOf(group);
      const assumes = [
        ...(isVouched && !isSnippet ? [] : [OUTSIDE]),
        ...(inner.length > 0 ? [`this makes no difference: ${doubtTexts(inner).join('; ')}`] : []),
      ].join(', and ');
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
  return {
    fixesAt(offset, own) {
      if (isKept) return { fixes: [], base: 0 };
      const group = plan.groupAt(LONE, offset);
      const { settled, isSafe, reasons } = reasonsOf(group);
      if (!plan.isAloneAt(LONE, offset)) return { fixes: group ? [fixOf(group)] : [], base: 0 };
      // Of a section by itself the rule knows more: what it would have to assume, and a form for both versions.
      if (group && (isSafe || settled.length > 0))
        return { fixes: [fixOf(group), ...movedFixes(own).slice(1)], base: 0 };
      const { fixes } = own;
      const [first] = fixes;
      const withFirst = (change: Partial<SaidOfFix>): PlacedFixes => ({
        base: own.base,
        fixes: fixes.map((fix, index) => (index === 0 ? changedFix(fix, change) : fix)),
      });
      if (group) return first ? withFirst(reasons) : own;
      const waitsFor = isSnippet ? [] : furtherAt(offset);
      return first && waitsFor.length > 0
        ? withFirst({ waitsFor: [...(isVouched ? [] : [LONE_DOUBT]), ...waitsFor] })
        : own;
    },
    reasonAt: (offset) => (plan.isAloneAt(LONE, offset) ? null : plan.reasonAt(LONE, offset)),
  };
}

/** What nobody knows of a file that no configuration at hand reads. */
export const LONE_DOUBT: Doubt = doubt('outside-unseen', '.');

const NOTHING_ANSWERED: Answered = { answers: NO_ANSWERS, folder: '' };

const OUTSIDE = 'no other file and no enclosing section restricts access';

/** A change as a fix that is offered in one of its files. */
export function accessFix(change: AccessChange, file: string): Fix {
  const { safety, waitsFor, restsOn } = change;
  // A question is shown as one.
  const unasked = waitsFor.filter((each) => !hasQuestion(each));
  const fix = {
    title: TITLE,
    safety,
    ...(unasked.length > 0 && { assumes: `this makes no difference: ${doubtTexts(unasked).join('; ')}` }),
    ...(waitsFor.length > 0 && { waitsFor }),
    ...(restsOn.length > 0 && { restsOn }),
  };
  // Where it is of this file alone, there is nothing elsewhere.
  if (change.paths.size === 1 && change.paths.has(file)) return fixMadeLater(fix, () => change.edits.get(file) ?? []);
  let elsewhere: ReadonlyMap<string, readonly Edit[]> | null = null;
  return {
    ...fix,
    get edits() {
      return change.edits.get(file) ?? [];
    },
    // Of thousands of files each has a fix, and all others are elsewhere.
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
  /** It includes files, and nothing says that it is more than a part itself. */
  readonly isPartial: boolean;
  readonly files: readonly string[];
  /** Those among its files, and others, that the server reads as .htaccess files, with the folders where it does. */
  readonly accessFiles: ReadonlyMap<string, ReadonlySet<string>>;
  readonly plan: AccessPlan;
  /** Whether what a person has said settles a doubt. */
  readonly isSettled: (doubt: Doubt) => boolean;
  /** What a person could answer so that the old line at an offset of a file, which stays, is converted. */
  readonly waitsFor: (file: string, offset: number) => readonly Doubt[];
  readonly asked: readonly Doubt[];
  readonly tellsOf24: () => boolean;
  held: NotConverted | null;
}

function draftsOf(options: AccessOptions): Draft[] {
  const drafts = apartFromParts(options.roots.flatMap((root) => draftOf(root, options) ?? []));
  const isRead = ({ root }: AccessRoot) => drafts.some(({ files }) => files.includes(root));
  const further = (options.others ?? [])
    .filter((other) => !isRead(other))
    .flatMap((other) => draftOf(other, options) ?? []);
  return apartFromParts([...drafts, ...further.filter(({ isPartial, files }) => !isPartial || files.length > 1)]);
}

function draftOf(asked: AccessRoot, { view, obstacle, mayAdmit, roots, others = [] }: AccessOptions): Draft | null {
  const { root, engine, isNamed = false } = asked;
  const planned = (said: Said): DraftPlan | null => {
    const source = said.source ?? engine.accessSource;
    const first = readingOf(asked, view, said, source, null);
    const found = configurationOf(asked, view, first);
    if (!found) return null;
    // What the start script says of 2.2 is known when all is read.
    const oldMpm = found.askedMpms.length > 0 && said.mpm !== null ? (found.started?.mpm?.name ?? null) : null;
    const read = oldMpm === null ? first : readingOf(asked, view, said, source, oldMpm);
    const configuration = oldMpm === null ? found : configurationOf(asked, view, read)!;
    const { htaccess, accessFiles, doubts } = discoverHtaccess(configuration, viewWithin(view, configuration.map));
    const own = [
      ...doubts,
      ...encodingDoubts(configuration, htaccess, view),
      ...doubtsOfRoot(
        asked,
        configuration,
        viewWithin(view, configuration.map),
        new Set([...roots, ...others].map((each) => each.root)),
      ),
      ...flagDoubts(configuration, said),
      ...mpmDoubts(configuration, said),
      ...addressDoubts(configuration),
      ...unloadedDoubts(configuration, htaccess, source, asked.server.builtIn),
      ...(source === '2.4' && runningVersion(engine.answered) === '2.4' ? [runningDoubt('', [])] : []),
    ];
    const telling = linesOf24(read, asked.server.builtIn);
    const tellsOf24 = () =>
      telling.lineOf24(configuration) !== null ||
      htaccess.some(({ scope }) => telling.htaccessLineOf24(scope) !== null);
    const plan = planAccess(configuration, htaccess, own, {
      // What fixes have written tells nothing.
      ...(engine.answered.isFrom22 !== true && telling),
      mayAdmit,
      refuses: silenced,
      keepsBoth: engine.options.keepsBoth,
      ...said,
      source,
    });
    return { configuration, htaccess, accessFiles, tellsOf24, plan: withDoubts(plan, covered(plan.doubts)) };
  };
  const said = saidIn(engine.answered);
  const own = planned(said);
  if (!own) return null;
  const { configuration, htaccess, accessFiles, tellsOf24, plan } = own;
  const files = [...new Set([...configuration.files.keys(), ...htaccess.map(({ scope }) => scope.file.path)])];
  const { asks, waitsFor } = furtherQuestions({
    plan,
    said,
    answered: engine.answered,
    flags: openFlags(configuration, said),
    size: files.length,
    planned: (further) => planned(further)?.plan ?? null,
    isSettled: (each) => engine.isSettled(each),
  });
  const isPartial = !isNamed && !isMain(configuration, root);
  const isOfAddress = ({ kind }: Doubt) => kind === 'client-address';
  const kept = engine.keptBy(plan.doubts.filter((each) => !isOfAddress(each)));
  const keepsAddresses = engine.keptBy(plan.doubts.filter(isOfAddress));
  const held = engine.isOff(orderAllowDeny)
    ? notConverted('rule-off', null, orderAllowDeny.id)
    : kept === null
      ? heldBy(plan, (file) => obstacle?.(file, root) ?? null)
      : notConverted('kept-by-answer', null, kept);
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

/** An answer about the version that settles nothing is one to a question, too. */
function saidOfVersion({ doubts, refusals }: AccessPlan, { answered }: EngineView): readonly Doubt[] {
  const isAbout = (each: Doubt) => each.asked === RUNNING_VERSION;
  return runningVersion(answered) === '2.2' && [...doubts, ...refusals.flatMap(({ asks }) => asks)].some(isAbout)
    ? [runningDoubt('', [])]
    : [];
}

/** Lines by address are read otherwise where a module is lost that 2.2 has the address of the client from. */
function addressDoubts(configuration: Configuration): Doubt[] {
  const lost = lostAddress(configuration);
  if (lost === null) return [];
  const places = lost.lines.map(({ file, offset }) => ({ path: file.path, offset }));
  return [doubt('client-address', '', places, lost.module.file.replace(/\.so$/, ''))];
}

interface DraftPlan {
  readonly configuration: Configuration;
  readonly htaccess: readonly Htaccess[];
  readonly accessFiles: Draft['accessFiles'];
  readonly tellsOf24: () => boolean;
  readonly plan: AccessPlan;
}

/** Names that are not ASCII, in files that are not UTF-8. To compare them with names of files, or with each other, says nothing. */
function encodingDoubts(configuration: Configuration, htaccess: readonly Htaccess[], view: FileView): Doubt[] {
  const doubts: Doubt[] = [];
  const others = new Set(
    filesOf({ configuration, htaccess }).filter((file) => view.isOtherEncoding?.(file.path) === true),
  );
  // Files are UTF-8 nearly always: then nobody walks through what is in them.
  if (others.size === 0) return doubts;
  const isOther = (file: ConfigFile): boolean => others.has(file);
  const look = (scope: Scope): void => {
    if (scope.section !== null && isOther(scope.file) && scope.words.some(isMoreThanAscii))
      doubts.push(
        doubt('other-encoding', scope.section.open.text.trim(), [{ path: scope.file.path, offset: scope.offset }]),
      );
    for (const { line, file, offset } of scope.lines) {
      if (NAMING_FILES.has(line.name) && isOther(file) && isMoreThanAscii(line.text))
        doubts.push(doubt('other-encoding', line.text.trim(), [{ path: file.path, offset }]));
    }
    scope.children.forEach(look);
  };
  [configuration.root, ...htaccess.map(({ scope }) => scope)].forEach(look);
  return doubts;
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

/** A comment that keeps lines as they are keeps them here, too. */
function silenced(scope: Scope): NotConverted | null {
  const isSilenced = (tree: Tree, offset: number) =>
    tree.root.pragmas > 0 && isSuppressed(tree, offset, orderAllowDeny.id);
  if (!mayBeSilenced(scope)) return null;
  const places = scope.lines
    .filter(({ line }) => orderAllowDeny.names.includes(line.name))
    .map(({ file, offset }) => ({ file, offset }));
  const kept = [...places, ...(scope.section ? [scope] : [])].find(({ file, offset }) => isSilenced(file.tree, offset));
  return kept === undefined ? null : lineNotConverted('kept-by-comment', kept);
}

/** Whether a file that it stands in has comments that speak to us. */
function mayBeSilenced({ lines, file, section }: Scope): boolean {
  if (section !== null && file.tree.root.pragmas > 0) return true;
  for (let i = 0; i < lines.length; i++) if (lines[i]!.file.tree.root.pragmas > 0) return true;
  return false;
}

/**
 * What serves any directory, or one that is not here, may serve one with a .htaccess file that is at hand and that nothing else leads to. An Include of a file that is not here may mean
 * one of that name that lies elsewhere. Whoever vouches for what lies outside does not mean that.
 */
function withAccessFiles({ lone = [], view }: AccessOptions, drafts: Draft[]): Draft[] {
  if (!drafts.some(({ plan }) => plan.doubts.some(({ kind }) => SERVED.has(kind) || kind === 'include-unseen')))
    return drafts;
  const deciding = lone
    .map(({ root }) => root)
    .filter(
      (path) =>
        !drafts.some(({ files }) => files.includes(path)) &&
        namesIn(view.read(path)?.root ?? NO_LINES).some((name) => ACCESS.has(name)),
    );
  const isServed = deciding.some(isHtaccessName);
  // An Include may name the directory alone.
  const names = new Set(deciding.flatMap((path) => [baseName(path), baseName(parentOf(path))]));
  const isHere = ({ kind, subject }: Doubt) => {
    if (SERVED.has(kind)) return isServed;
    if (kind !== 'include-unseen') return false;
    const pattern = globPattern(baseName(subject.split('/').filter(Boolean).join('/')).toLowerCase());
    return [...names].some((name) => pattern.test(name.toLowerCase()));
  };
  return drafts.map((draft) => ({
    ...draft,
    plan: withDoubts(
      draft.plan,
      draft.plan.doubts.map((each): Doubt => (isHere(each) ? { ...each, lies: 'inside' } : each)),
    ),
  }));
}

const SERVED: ReadonlySet<DoubtKind> = new Set<DoubtKind>(['served-anywhere', 'htaccess-unseen']);

const NO_LINES = Tree.parse('').root;

/**
 * The files that no configuration reads, where a person vouches for what lies outside: none of them is outside. What comes to something else beside the others than by itself, in
 * whatever order they are read, is left out, and so is what is converted together with it.
 */
function loneDraft({ lone = [], others = [], view, obstacle }: AccessOptions, drafts: readonly Draft[]): Draft[] {
  // Any of them may be what a configuration at hand brings in without a name for it.
  if (drafts.some(({ plan }) => plan.doubts.some(({ kind }) => OPEN_ENDS.has(kind)))) return [];
  // What the files at hand admit in a .htaccess is nothing outside, and nobody knows for which of them.
  const mayRefuse = [...[...lone, ...others].map(({ root }) => root), ...drafts.flatMap((draft) => draft.files)].some(
    (path) => narrowsOverride(view.read(path)),
  );
  let files = lone.flatMap(({ root: path, engine }): LoneFile[] => {
    const tree =
      engine.isSettled(LONE_DOUBT) && !drafts.some((draft) => draft.files.includes(path)) ? view.read(path) : null;
    const isHtaccess = isHtaccessName(path);
    if (
      !tree ||
      !namesIn(tree.root).some((name) => ACCESS.has(name) || CHANGES_ADDRESS.has(name)) ||
      (isHtaccess && (mayRefuse || drafts.some(({ isPartial }) => !isPartial)))
    )
      return [];
    return [{ path, tree, isHtaccess, source: engine.accessSource, keepsBoth: engine.options.keepsBoth }];
  });
  const said = files.length > 0 ? saidIn(lone[0]!.engine.answered) : saidIn(NOTHING_ANSWERED);
  const isKnown = (each: Doubt) => each.lies === 'outside' || lone[0]!.engine.isSettled(each);
  const alone = new Map(files.map((file) => [file.path, lonePlan([file], said)]));
  for (;;) {
    if (files.length === 0) return [];
    const { plan } = lonePlan(files, said);
    const { plan: reversed } = lonePlan([...files].reverse(), said);
    const isSame = ({ path }: LoneFile) => {
      const { plan: own, isSnippet } = alone.get(path)!;
      return (
        !isSnippet &&
        // An open question about addresses is one of all these files together.
        own.doubts.every((each) => isKnown(each) || each.kind === 'client-address') &&
        [plan, reversed].every(({ edits }) => editsKey(edits.get(path)) === editsKey(own.edits.get(path)))
      );
    };
    const bad = new Set(files.filter((file) => !isSame(file)).map(({ path }) => path));
    for (let before = -1; before !== bad.size; ) {
      before = bad.size;
      for (const { edits } of plan.groups)
        if ([...edits.keys()].some((path) => bad.has(path))) for (const path of edits.keys()) bad.add(path);
    }
    if (bad.size > 0) {
      files = files.filter(({ path }) => !bad.has(path));
      continue;
    }
    const paths = files.map(({ path }) => path);
    const doubts = mergedDoubts([...plan.doubts, ...paths.map((path) => doubt('outside-unseen', path))]);
    return [
      {
        root: paths[0]!,
        isPartial: true,
        files: paths,
        accessFiles: new Map(),
        plan: withDoubts(plan, doubts),
        isSettled: isKnown,
        waitsFor: () => [],
        asked: [],
        tellsOf24: () => false,
        held: heldBy(plan, (file) => obstacle?.(file, file) ?? null),
      },
    ];
  }
}

/** Whether a file has an AllowOverride that admits some classes and not others, or a list. */
function narrowsOverride(tree: Tree | null): boolean {
  if (!tree) return false;
  const names = namesIn(tree.root);
  if (names.has('allowoverridelist')) return true;
  return names.has('allowoverride') && narrowsIn(tree.root);
}

/** Only where the name stands lines are looked at. */
function narrowsIn({ children }: List): boolean {
  return children.some((child) => {
    if (child instanceof List) return namesIn(child).has('allowoverride') && narrowsIn(child);
    if (child instanceof Section) return namesIn(child.body).has('allowoverride') && narrowsIn(child.body);
    return child.name === 'allowoverride' && !/^\s*\S+\s+(all|none)\s*$/i.test(child.text);
  });
}

/** Where there may be further directories, and links in them. */
const UNSEEN: ReadonlySet<DoubtKind> = new Set<DoubtKind>([
  'served-anywhere',
  'htaccess-unseen',
  'too-many-directories',
  'unreadable',
  'linked',
]);

const OTHER_SERVERS: ReadonlySet<DoubtKind> = new Set<DoubtKind>(['other-main', 'shared']);

/** What may bring in any file. */
const OPEN_ENDS: ReadonlySet<DoubtKind> = new Set<DoubtKind>([
  'include-unseen',
  'variable',
  'macro',
  'perl',
  'too-deep',
  'template',
]);

const CHANGES_ADDRESS: ReadonlySet<string> = new Set(ADDRESS_NAMES);
const ACCESS: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require', 'authtype']);

// --- Lone files ------------------------------------------------------------------------------------------------------

const LONE = '/lone/file';
const LONE_MAIN = '/lone/main';

interface LoneFile {
  readonly path: string;
  readonly tree: Tree;
  readonly isHtaccess: boolean;
  readonly source: Source;
  readonly keepsBoth?: boolean;
}

/** Which directories are behind URLs, and what is proxied, is not known. */
const UNKNOWN_SERVER = 'VirtualDocumentRoot /%0\nProxyPass /proxied http://unknown/\n';

/** `isSnippet`: what a directory would have stands at the top of one of the files, so that a section of another file includes it. Which, nobody knows. */
function lonePlan(
  files: readonly LoneFile[],
  said: Said,
): { readonly plan: AccessPlan; readonly isSnippet: boolean; readonly flags: readonly Doubt[] } {
  const isSnippet = ({ tree, isHtaccess }: LoneFile) => !isHtaccess && hasOldAtTop(tree.root);
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
  const source = said.source ?? files[0]!.source;
  const read = {
    view,
    names: ACCESS_NAMES,
    halves: HALVES,
    conditions: accessConditions(source, DEFAULT_TARGET, knownMpm(said.mpm, null)),
    flags: said.flags,
    serverRoot: '/lone',
  };
  const readings = inDirectories.map((file) => {
    const folder = file.isHtaccess && files.length > 1 ? parentOf(file.path) : '/';
    return readHtaccessFile({ ...read, root: file.path, folder })!;
  });
  const htaccess = readings.map(({ root }): Htaccess => ({ scope: root, override: ['all'] }));
  const configuration = readConfiguration({ ...read, root: LONE_MAIN })!;
  const doubts = [
    ...readings.flatMap(({ gaps }) => gaps.map(gapDoubt)),
    ...flagDoubts(configuration, said),
    ...mpmDoubts(configuration, said),
    ...addressDoubts(configuration),
  ];
  const plan = planAccess(configuration, htaccess, doubts, {
    ...linesOf24({ ...read, root: LONE_MAIN }, undefined),
    refuses: silenced,
    keepsBoth: files[0]!.keepsBoth,
    ...said,
    source,
  });
  return { plan, isSnippet: files.some(isSnippet), flags: openFlags(configuration, said) };
}

/** Under conditions and limits, too; not in sections of a place. */
function hasOldAtTop(list: List): boolean {
  let found = false;
  forEachItem(list, 0, (item) => {
    if (item instanceof Line) found ||= OLD.has(item.name);
    else found ||= isTransparent(sectionKind(item.name)) && hasOldAtTop(item.body);
  });
  return found;
}

const OLD: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

function titleOf({ conversions }: AccessGroup): string {
  if (conversions.length > 1) return `Convert ${conversions.length} sections together`;
  const { tree, merging } = conversions[0]!;
  if (tree === null) return 'Remove lines that decide nothing';
  const line = knownLine(tree);
  return `Convert to ${line === null || merging || line.length > 49 ? '2.4 access control' : line}`;
}

/** With the file's offsets. */
function movedFixes({ fixes, base }: PlacedFixes): Fix[] {
  return fixes.map((fix) =>
    fixMadeLater(fix, () => fix.edits.map(({ start, end, text }) => ({ start: start + base, end: end + base, text }))),
  );
}

// --- Reading ---------------------------------------------------------------------------------------------------------

function readingOf(
  { root, engine, server: { serverRoot, map, defines } }: AccessRoot,
  view: FileView,
  { flags, mpm }: Pick<Said, 'flags' | 'mpm'>,
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

/** What an old line, or a file that may have one, is known by. */
const RELEVANT = factsOf(Fact.oldAccess, Fact.satisfy, Fact.includes);

/**
 * Where nothing old stands outside virtual hosts and no .htaccess file is read anywhere, a virtual host without anything old decides
 * in 2.4 what it decided in 2.2.
 */
function skipsOf({ root, engine, infoOf }: AccessRoot, view: FileView): ((section: Section) => boolean) | undefined {
  const tree = view.read(root);
  if (!tree) return undefined;
  const { facts } = engine.analyze(tree, infoOf?.(tree) ?? { isHtaccess: false });
  if (hasFact(facts, Fact.allowsOverride) || !hasFact(facts, Fact.deniesOverrideAtRoot)) return undefined;
  if (hasFact(factsOutside(tree.root, engine), RELEVANT)) return undefined;
  // What says how lines behind it are read has to be read.
  return (section) =>
    section.name === 'virtualhost' &&
    !hasFact(engine.factsIn(section), RELEVANT) &&
    !namesIn(section.body).isReadAtOnce;
}

/** What stands outside of virtual hosts, and where they include files; as far as it is relevant. */
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

/** No server of 2.2 starts without a Listen ("no listening sockets available"); Port is what it was in 1.3. */
function listens({ root }: Tree): boolean {
  const names = namesIn(root);
  return names.has('listen') || names.has('port');
}

/** Whether the file is the main file of a server at all: one that says ServerRoot may be a part of another configuration, and that restricts what this does not. */
function doubtsOfRoot(
  { root, isNamed = false, given, engine }: AccessRoot,
  configuration: Configuration,
  view: FileView,
  known: ReadonlySet<string>,
): Doubt[] {
  const own = configuration.files.get(root)?.tree;
  const doubts: Doubt[] = [];
  if (![...configuration.files.values()].some(({ tree }) => listens(tree)))
    doubts.push(doubt('outside-unseen', root, [], 'has no Listen, so another file may include it'));
  if (isNamed) return doubts;
  if (!isMainName(root) || !own || !isRootTree(own.root))
    doubts.push(
      doubt(
        'outside-unseen',
        root,
        [],
        'does not have the name of a main configuration file (httpd.conf or apache2.conf), so another file may include it',
      ),
    );
  for (const { path, includes, isApart } of neighboursOf(root, configuration, view)) {
    // A file outside of the given directory counts only if it may include the main file, and the user does not vouch for what lies outside.
    if (given !== undefined && !isWithin(path, given) && (!includes || engine.isSettled(LONE_DOUBT))) continue;
    // What is converted beside it is seen: files that both read change for both or for neither.
    if (!isApart || includes || !known.has(path))
      doubts.push(doubt('other-main', path, [{ path, offset: 0 }], includes ? `may include ${root}` : ''));
  }
  return doubts;
}

/** A root that another one includes is none: its sections apply where the other one has it. */
function apartFromParts(drafts: readonly Draft[]): Draft[] {
  const known = new Map(drafts.map((draft) => [draft.root, draft]));
  const reads = (draft: Draft, other: Draft) => draft !== other && draft.files.includes(other.root);
  return [...known.values()].filter(
    (draft, index, all) => !all.some((other, at) => reads(other, draft) && (at < index || !reads(draft, other))),
  );
}

// --- Together or not at all ------------------------------------------------------------------------------------------

/** What two configurations read has to suit both: the same edits come out for it, and neither is held back. */
function holdShared(drafts: readonly Draft[]): void {
  for (let isSettled = false; !isSettled; ) {
    isSettled = true;
    for (const draft of drafts) {
      if (draft.held !== null) continue;
      const shared = [...draft.plan.paths].find((file) =>
        drafts.some(
          (other) =>
            other !== draft &&
            other.files.includes(file) &&
            draft.plan.edits.has(file) &&
            !mayShare(draft, other, file),
        ),
      );
      if (shared === undefined) continue;
      draft.held = notConverted('configurations-differ', { path: shared, offset: 0 }, shared);
      isSettled = false;
    }
  }
}

/** What may be a part of anything holds nothing back but itself. */
function mayShare(draft: Draft, other: Draft, file: string): boolean {
  if (draft.isPartial !== other.isPartial) return other.isPartial;
  return other.held === null && editsKey(draft.plan.edits.get(file)) === editsKey(other.plan.edits.get(file));
}

function editsKey(edits: readonly Edit[] = []): string {
  return JSON.stringify([...edits].sort((a, b) => a.start - b.start || a.end - b.end));
}

/** The drafts that are not held back, those together that change a file which both read. */
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

/** The same plan, with some of its groups left as they are, and why. */
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
    doubts: plan.doubts,
    groupAt,
    reasonAt: (path, offset) => {
      const isGone = plan.groupAt(path, offset) !== null && groupAt(path, offset) === null;
      return isGone ? why : plan.reasonAt(path, offset);
    },
    isAloneAt: (path, offset) => plan.isAloneAt(path, offset),
  };
}

function changeOf(groups: readonly AccessGroup[], doubts: ReturnType<typeof doubtsOf>): AccessChange {
  const isAbout = (each: Doubt) => each.kind !== 'client-address' || groups.some(comparesAddresses);
  const waitsFor = doubts.waitsFor.every(isAbout) ? doubts.waitsFor : doubts.waitsFor.filter(isAbout);
  const restsOn = doubts.restsOn.every(isAbout) ? doubts.restsOn : doubts.restsOn.filter(isAbout);
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
  // What several configurations change, they change in the same way.
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

/** What a person vouches for by a word about what lies outside settles nothing about what is at hand. */
function doubtsOf(drafts: readonly Draft[]): Pick<AccessChange, 'waitsFor' | 'restsOn'> {
  const doubts = drafts.flatMap((draft) =>
    draft.plan.doubts.map((each) => ({ each, isSettled: draft.isSettled(each) })),
  );
  const of = (isSettled: boolean) =>
    mergedDoubts(doubts.filter((each) => each.isSettled === isSettled).map(({ each }) => each));
  return { waitsFor: of(false), restsOn: of(true) };
}
