/**
 * Access control of a whole configuration: which state of host rules, Satisfy and Require every section stands on, and so
 * which Require tree it has to state to decide in 2.4 what it decided in 2.2. docs/how-httpd-reads.md, "The order of sections"; docs/access-control.md.
 *
 * In 2.4 the tree of the last section that applies to a request and has any decides alone. So a section is converted right
 * when the tree that it states is the one of the folded state, and it can be converted when that tree is the same for every
 * request that the section may apply to. Everything here errs towards "may apply".
 */
import {
  mayHoldAny,
  type BothAnswers,
  type ConfigFile,
  type ConfigLine,
  type Configuration,
  type HalfCondition,
  type Names,
  type Scope,
} from '../config/configuration';
import type { Activity } from '../config/activity';
import { driveOf, hasWildcard, isAbsolute, partsOf, resolvePath } from '../config/files';
import { argumentsOf, spelledName } from '../syntax/line';
import {
  argumentProblem,
  belowAll,
  isDriveless,
  isRelative,
  literalPrefix,
  relativeParts,
  STAGES,
  type Entry,
  type Stage,
} from './section-order';
import { CHECKERS, CHECKERS_OF_DIRECTORIES, GROUP_OWNERS } from './checkers';
import { doubt, RUNNING_VERSION, type Doubt, type DoubtPlace } from './doubt';
import { ByEntry, Relations } from './by-entry';
import { Chains } from './chains';
import { FILELESS, MAPPERS, WALKLESS } from './mappers';
import { isReason, isSameReason, notConverted, type NotConverted, type ReasonCode } from './not-converted';
import { meetingOf, nameOf } from './section-name';
import { SectionsBefore, type Step } from './sections-before';
import { ServedFolders } from './served-folders';
import { beginsWithMark, misreadIn } from './misread';
import type { Section22, Source, Tree24 } from './model';
import { readTree } from './read24';
import {
  fold,
  halfLeft,
  idOf,
  isAccessLine,
  OLD_NAMES,
  ownOf24,
  SAYS_NOTHING,
  isTouching,
  readOwn,
  startState,
  stateKey,
  SURVEYED,
  surveyOf,
  treeOf,
  type OperandMeaning,
  type Own,
  type PlacedOperand,
  type State,
  type Survey,
} from './merge22';
import { runningDoubt, type LinesOf24 } from './running';
import { ADDRESS_NAMES } from './client-address';
import { templateProblem, templateTrouble, unknownInAll, unknownInScope, type UnknownDirectives } from './template';
import { hostTree, simplified } from './translate';
import { addTo } from '../syntax/groups';
import type { Section } from '../syntax/tree';
import { freeable, freedIn } from './freed';

/** What becomes of a section. */
export interface Conversion {
  readonly scope: Scope;
  /** The tree to state; with `merging`, the section's own part, joined to what it inherits. null: its lines go, and it inherits what is around it. */
  readonly tree: Tree24 | null;
  readonly merging: 'And' | 'Or' | null;
  /** The folders of a .htaccess where AllowOverride admits Limit and no Require. */
  readonly unadmitted: readonly string[];
  /** Conversions that may apply to one request, and so are made together or not at all, have one number. */
  readonly group: number;
  /** The conditions that are taken away for it: 2.2 reads what stands in them, and 2.4 does not. */
  readonly frees: readonly HalfCondition[];
}

export interface Refusal {
  readonly scope: Scope;
  /** The section because of which it stays: itself, or one that applies to the same requests. */
  readonly cause: Scope;
  readonly reason: NotConverted;
  /** What a person could say that may let it be converted; of a section that stays because of another one, what could be said of that one. */
  readonly asks: readonly Doubt[];
  /** Whether it may hang on a condition that nobody has decided. */
  readonly mayHangOnCondition: boolean;
}

export interface WholeAccess {
  readonly conversions: readonly Conversion[];
  readonly refusals: readonly Refusal[];
  readonly doubts: readonly Doubt[];
  /** Sections with access control that share no request with another that has any. */
  readonly alone: readonly Scope[];
  /** How often a section was looked at for the sake of another one: what a large configuration costs. */
  readonly looks: number;
}

/** A .htaccess that the server would read: its scope, and the words of AllowOverride in effect there; null where nobody knows. */
export interface Htaccess {
  readonly scope: Scope;
  readonly override: readonly string[] | null;
  /** The virtual hosts that read it, where the main server and all others surely do not; null: some may, and nobody knows of each. Left out: all. */
  readonly readers?: 'all' | readonly Scope[] | null;
}

export { HALVES } from './merge22';

/** Names of the lines that this needs of a configuration. */
export const ACCESS_NAMES: ReadonlySet<string> = new Set([
  'order',
  'allow',
  'deny',
  'satisfy',
  'require',
  'authtype',
  'authgroupfile',
  'authmerging',
  'allowoverride',
  'allowoverridelist',
  'accessfilename',
  'chrootdir',
  'documentroot',
  'listen',
  'alias',
  'scriptalias',
  'aliasmatch',
  'scriptaliasmatch',
  'userdir',
  'rewriteengine',
  'authzldapauthoritative',
  'authzdbmauthoritative',
  'authzgroupfileauthoritative',
  'authzuserauthoritative',
  'authzownerauthoritative',
  'authzdefaultauthoritative',
  'authdbmgroupfile',
  'mergeslashes',
  ...CHECKERS,
  ...CHECKERS_OF_DIRECTORIES,
  ...GROUP_OWNERS,
  ...MAPPERS,
  ...WALKLESS,
  ...FILELESS,
  ...ADDRESS_NAMES,
]);

/** `lineOf24`, `htaccessLineOf24`: asked where the two versions decide otherwise. */
export interface WholeOptions extends Partial<LinesOf24> {
  /** Whose decisions are to be kept. */
  readonly source?: Source;
  /** Convert a .htaccess, too, whose AllowOverride would have to admit Require first. */
  readonly mayAdmit?: boolean;
  /** Write each section for both versions. */
  readonly keepsBoth?: boolean;
  /** What a person says of words behind `from` that look like mistakes. */
  readonly meaningOf?: OperandMeaning;
  /** Of which two sections a person says that no request meets both: the subjects of the questions. */
  readonly neverMeet?: ReadonlySet<string>;
  /** Whether a person says that the directives of no known module do not decide who has access. */
  readonly areUnknownNeutral?: boolean;
  /** Why a section stays as it is, for reasons that are not those of the server: what may apply to the same requests stays with it. */
  readonly refuses?: (scope: Scope) => NotConverted | null;
}

export function wholeAccess(
  configuration: Configuration,
  htaccess: readonly Htaccess[],
  options: WholeOptions = {},
): WholeAccess {
  const isOld = options.source !== '2.4';
  const candidates = isOld ? freeable(configuration, htaccess) : NOTHING_FREED;
  const reasons = new Map<Section, NotConverted>();
  for (let freed = candidates, round = 0; ; round++) {
    const whole = new Whole(configuration, htaccess, options, { freed, reasons });
    const result = whole.run();
    const staying = whole.stayingIn(freed);
    if (staying.size === 0) return result;
    staying.forEach((reason, section) => reasons.set(section, reason));
    freed = round < MOST_ROUNDS ? new Set([...freed].filter((section) => !staying.has(section))) : NOTHING_FREED;
  }
}

/** The files of a configuration, its .htaccess files included. */
export function filesOf(configuration: Configuration, htaccess: readonly Htaccess[]): ConfigFile[] {
  return [...configuration.files.values(), ...htaccess.map(({ scope }) => scope.file)];
}

// ---------------------------------------------------------------------------------------------------------------------

const NOTHING_FREED: ReadonlySet<Section> = new Set();

/** So often it is tried without the conditions that have to stay. */
const MOST_ROUNDS = 3;

/** Sections worked out beside those that stay, before whole components stay. */
const MAX_FOLDS = 100_000;

/** The same where the answer is known from others with the same lines, as of thousands of sites: so many for each section and virtual host more. Hosting servers need 13. */
const REUSED_OF_EACH = 50;

/**
 * So often sections are looked at for the sake of others, and so often more for each section and virtual host: where each may apply together with each, the work would grow with the square of their number.
 * Beyond that nothing is converted. Hosting servers need at most 20 for each (test/access/large.test.ts).
 */
const MAX_LOOKS = 500_000;
const LOOKS_OF_EACH = 500;

/** A doubt that is none where a person says that the server runs 2.4. */
function only24(each: Doubt): Doubt {
  return { ...each, asked: RUNNING_VERSION, values: ['2.4'] };
}

const DECIDING: ReadonlySet<string> = new Set([...OLD_NAMES, 'require']);

/** More sections that may or may not apply together than this are not enumerated. */
const MAX_OPTIONAL = 7;

/** A conversion before it is known what it goes with, and where else its text stands. */
type Convertible = Omit<Conversion, 'group' | 'unadmitted' | 'frees'> & {
  group: number;
  unadmitted: readonly string[];
  frees: readonly HalfCondition[];
};

/** A state that sections stand on, with what comes behind it by what a section says, and its tree, as soon as it was asked for. */
interface Standing extends State {
  readonly behind: Map<Own, Standing>;
  tree24: Tree24 | NotConverted | null;
}

function standing(state: State): Standing {
  return { ...state, behind: new Map(), tree24: null };
}

/** What a section may stand on. */
interface Bases {
  readonly states: readonly Standing[];
  /** Whether no other section of its walk comes before it. */
  readonly isFirstOfWalk: boolean;
}

/** The conditions that are taken away, and why others stay of which that was tried. */
interface Taken {
  readonly freed: ReadonlySet<Section>;
  readonly reasons: ReadonlyMap<Section, NotConverted>;
}

class Whole {
  private readonly freed: ReadonlySet<Section>;
  private readonly reasons: ReadonlyMap<Section, NotConverted>;
  private readonly entries: Entry[] = [];
  private readonly survey: Survey;
  private readonly start: Standing;
  private readonly refused = new ByEntry<NotConverted>();
  private readonly converted = new ByEntry<Convertible>();
  /** Of a section that stays because of another one: that one. */
  private readonly causeOf = new Map<Entry, Entry>();
  /** What was found out about sections that stay, each once: many stay because of one. */
  private readonly meetings = new Map<Entry, readonly Doubt[]>();
  private readonly related = new Relations();
  private readonly before: SectionsBefore;
  private readonly trees = new Map<string, Tree24 | NotConverted>();
  private readonly owns = new Map<string, Own>();
  /** One object for equal ones. */
  private readonly states = new Map<string, Standing>();
  /** The last step from one to the next: sections with the same lines often stand one behind the other. */
  private lastState: Standing | null = null;
  private lastOwn: Own | null = null;
  private lastNext: Standing | null = null;
  private lastAround: { readonly around: readonly Step[]; readonly bases: Bases | NotConverted } | null = null;
  private readonly twins = new Map<string, number>();
  private readonly overrides: ReadonlyMap<Scope, readonly string[] | null>;
  /** .htaccess files that not all virtual hosts read, and the hosts that do; null: nobody knows. */
  private readonly readers: ReadonlyMap<Scope, readonly Scope[] | null>;
  /** Whether a Satisfy stands anywhere that is not All, for either version. */
  private readonly hasAny: boolean;
  /** Whether its paths are those of Windows. */
  private isOnWindows: boolean;
  /** Whether a directory that was collected has a drive. */
  private hasDrive = false;
  /** Whether an AllowOverride can be widened. */
  private readonly mayAdmit: boolean;
  /** Chains of sections by the last one; what 2.4 reads in sections as they are, and converted. */
  private readonly chains = new Map<Entry, Chains>();
  private readonly holding = new Map<Entry, { readonly chains: Chains; readonly index: number }[]>();
  private readonly keptBeside = new Map<string, boolean>();
  private readonly compat = new Map<Entry, Own>();
  private readonly fresh = new Map<Conversion, Own>();
  /** The lines of unknown directives in sections with access control. */
  private readonly unknowns = new Map<Entry, UnknownDirectives>();
  private readonly unknownInAll: UnknownDirectives | null;
  private folds = 0;
  /** Sections in chains of which the answer was known from others. */
  private reused = 0;

  constructor(
    private readonly configuration: Configuration,
    private readonly htaccess: readonly Htaccess[],
    private readonly options: WholeOptions,
    { freed, reasons }: Taken,
  ) {
    this.freed = freed;
    this.reasons = reasons;
    this.unknownInAll = unknownInAll(configuration);
    const survey = surveyOf(this.scopesWith(SURVEYED), configuration.modules, options.source);
    this.survey = {
      ...survey,
      trouble:
        templateTrouble(filesOf(configuration, htaccess)) ??
        survey.trouble ??
        this.misread() ??
        this.unanswered(this.unknownInAll),
    };
    this.start = standing(startState(this.survey));
    this.states.set(stateKey(this.start), this.start);
    this.isOnWindows = driveOf(configuration.serverRoot) !== '';
    this.mayAdmit =
      options.mayAdmit === true &&
      !this.someLine(OVERRIDES, ({ line, macro }) => line.name === 'allowoverridelist' || macro !== undefined);
    this.overrides = new Map(htaccess.map(({ scope, override }) => [scope, override]));
    this.readers = new Map(
      htaccess.flatMap(({ scope, readers = 'all' }) => (readers === 'all' ? [] : [[scope, readers] as const])),
    );
    for (const { scope } of htaccess)
      this.twins.set(scope.file.path, (this.twins.get(scope.file.path) ?? 0) + this.hostsReading(scope).length);
    this.hasAny = this.someLine(SATISFY, ({ expanded }) => argumentsOf(expanded)[0]?.value.toLowerCase() !== 'all');
    this.collectAll();
    // One that names a drive says what the paths of all others are, too.
    if (this.hasDrive && !this.isOnWindows) {
      this.isOnWindows = true;
      this.entries.length = 0;
      this.halves.length = 0;
      this.collectAll();
    }
    this.before = new SectionsBefore(
      configuration,
      this.entries,
      new ServedFolders(configuration, this.entries, (visit) => this.forEachScope(visit), this.isOnWindows),
      this.someLine(WALKLESS, () => true),
      options.neverMeet,
    );
  }

  run(): WholeAccess {
    // Where 2.4 reads nothing old, all may be 2.4's already.
    if (!this.entries.some(({ own, scope }) => own.hasOld && freedIn(scope, this.freed).length === 0))
      return { conversions: [], refusals: [], doubts: [], alone: [], looks: 0 };
    this.wasRun = true;
    if (!this.convertAll()) return this.givenUp();
    const copies = this.copies();
    this.relateFreed();
    for (const list of new Set(copies.values())) this.holdTogether(list);
    this.spreadRefusals(copies);
    this.holdMistakable(copies);
    const written = new Set<Entry>([...new Set(copies.values())].flatMap((list) => list.slice(1)));
    const groupOf = this.groups(copies);
    const conversions: Conversion[] = [];
    for (let i = 0; i < this.entries.length; i++) {
      const entry = this.entries[i]!;
      const own = this.converted.get(entry);
      if (!own || this.refused.has(entry) || written.has(entry) || entry.own.written !== null) continue;
      const same = copies.get(entry);
      if (same) own.unadmitted = same.flatMap((copy) => this.converted.get(copy)?.unadmitted ?? NO_PARTS);
      own.group = groupOf(entry);
      own.frees = freedIn(entry.scope, this.freed);
      conversions.push(own);
    }
    const refusals: Refusal[] = [];
    const alone: Scope[] = [];
    for (let i = 0; i < this.entries.length; i++) {
      const entry = this.entries[i]!;
      const same = copies.get(entry)?.filter(({ scope }) => scope === entry.scope);
      if (same && same[0] !== entry) continue;
      if (this.refused.has(entry) && !this.isMadeUpFor(entry)) refusals.push(this.refusalOf(entry));
      const isRelated = same ? same.some((each) => this.related.has(each)) : this.related.has(entry);
      if (!isRelated && isTouching(entry.own)) alone.push(entry.scope);
    }
    return {
      conversions,
      refusals,
      doubts: [...this.halfConverted(), ...this.unknownTo22(), ...this.ofSlashes(), ...this.toldDoubts()],
      alone,
      looks: this.before.looks,
    };
  }

  /** Each section by itself. Returns whether all of them were looked at. */
  private convertAll(): boolean {
    const { mostLooks } = this;
    for (let i = 0; i < this.entries.length; i++) {
      const entry = this.entries[i]!;
      if (!isTouching(entry.own)) continue;
      // Nothing old applies to the requests of this virtual host: its sections are 2.4's as they are.
      if (entry.host !== null && !this.before.hasOldFor(entry.host)) continue;
      const bases = this.basesOf(entry);
      if (this.before.looks > mostLooks) return false;
      const problem =
        this.survey.trouble ??
        entry.own.obstacle ??
        (entry.scope.half !== undefined && isFor22(entry) ? this.whyFor22(entry) : null) ??
        (isReason(bases) ? bases : this.convert(entry, bases.states, bases.isFirstOfWalk));
      if (problem !== null) this.refused.set(entry, problem);
    }
    return true;
  }

  /** Of the conditions that were to go those that stay, because something in them does. */
  stayingIn(freed: ReadonlySet<Section>): ReadonlyMap<Section, NotConverted> {
    if (!this.wasRun) return new Map([...freed].map((section) => [section, notConverted('only-22-reads', null)]));
    const staying = new Map<Section, NotConverted>();
    for (const [{ scope }, reason] of this.refused)
      for (const { section } of freedIn(scope, freed)) if (!staying.has(section)) staying.set(section, reason);
    return staying;
  }

  /** The sections about which the two versions differ. */
  private readonly halves: Entry[] = [];
  /** Whether all of it was looked at. */
  private wasRun = false;

  /** What stands in a condition that is taken away is converted together. */
  private relateFreed(): void {
    const firsts = new Map<Section, Entry>();
    for (const entry of this.entries) {
      if (!isTouching(entry.own)) continue;
      for (const { section } of freedIn(entry.scope, this.freed)) {
        const first = firsts.get(section);
        if (first === undefined) firsts.set(section, entry);
        else this.related.add(entry, first);
      }
    }
  }

  /** Why a section stays that 2.2 alone reads. */
  private whyFor22({ scope: { half } }: Entry): NotConverted {
    const why = half?.conditions.map(({ section }) => this.reasons.get(section)).find((reason) => reason !== undefined);
    return why ?? notConverted('only-22-reads', null);
  }

  private get mostLooks(): number {
    return MAX_LOOKS + LOOKS_OF_EACH * (this.entries.length + this.before.hostCount);
  }

  /** Nothing is converted: of a section that stays, nobody knows which others have to stay with it. */
  private givenUp(): WholeAccess {
    const { looks } = this.before;
    this.wasRun = false;
    const reason = notConverted('too-many-sections', null);
    const refusals = this.entries.flatMap(({ scope, own }) =>
      isTouching(own) ? [{ scope, cause: scope, reason, asks: [], mayHangOnCondition: false }] : [],
    );
    return { conversions: [], refusals, doubts: [], alone: [], looks };
  }

  private refusalOf(entry: Entry): Refusal {
    const cause = this.causeOf.get(entry) ?? entry;
    const why = this.refused.get(cause) ?? notConverted('condition-differs', null);
    const asks = cause.own.is24
      ? [only24(runningDoubt(nameOf(cause.scope), [placeOf(cause)]))]
      : this.unknownInAll !== null && isSameReason(why, this.unknownInAll.reason)
        ? this.unknownInAll.asks
        : isSameReason(why, cause.own.obstacle)
          ? [...cause.own.mistakes.map(operandDoubt), ...this.askedBy(cause, why)]
          : why.code === 'inherits-different'
            ? this.meetingDoubts(cause)
            : [];
    return {
      scope: entry.scope,
      cause: cause.scope,
      reason: this.reasonFor(entry, why),
      asks,
      mayHangOnCondition: HANGS_ON_CONDITIONS.has(why.code),
    };
  }

  /** Of unknown directives anywhere, those in the section itself are named first. */
  private reasonFor(entry: Entry, why: NotConverted): NotConverted {
    const reason = this.refused.get(entry)!;
    if (!isSameReason(why, this.unknownInAll?.reason)) return reason;
    return unknownInScope(entry.scope, this.configuration)?.reason ?? reason;
  }

  /** The section that keeps the inherited tree from being one, where it is a single one of which nobody knows whether it meets a request of this one. */
  private meetingDoubts(entry: Entry): readonly Doubt[] {
    const known = this.meetings.get(entry);
    if (known || this.meetings.size >= MAX_MEETINGS) return known ?? [];
    const found = this.meetingOfOne(entry);
    this.meetings.set(entry, found);
    return found;
  }

  private meetingOfOne(entry: Entry): readonly Doubt[] {
    const sequences = this.before.contextsOf(entry).flatMap((context) => this.before.sequencesBefore(entry, context));
    const others = new Set(
      sequences.flatMap(({ steps }) =>
        steps.flatMap((each) =>
          !each.isCertain && !each.entry.isOptional && isTouching(each.entry.own) && each.entry.scope.section
            ? [each.entry]
            : [],
        ),
      ),
    );
    for (const other of [...others].reverse().slice(0, MAX_SUSPECTS)) {
      const states = new Set<Standing>();
      const problem = sequences
        .map(({ steps }) =>
          this.addStates(
            steps.filter((each) => each.entry !== other),
            states,
          ),
        )
        .find((each) => each !== null);
      const trees = new Set([...states].map((state) => this.treeOfStanding(this.behindOf(state, entry.own))));
      if (problem === undefined && trees.size === 1 && !isReason([...trees][0]!))
        return [doubt('overlap', meetingOf(other, entry), [placeOf(other), placeOf(entry)])];
    }
    return [];
  }

  /** What is converted as a person says, and not as the files alone would have it. */
  private toldDoubts(): Doubt[] {
    return [
      ...this.entries.filter(({ own }) => own.told.length > 0).flatMap(({ own }) => own.told.map(operandDoubt)),
      ...[...this.before.apart].map(([subject, entries]) => doubt('overlap', subject, entries.map(placeOf))),
      ...(this.options.areUnknownNeutral === true
        ? [this.unknownInAll, ...this.unknowns.values()].flatMap((each) => each?.asks ?? [])
        : []),
    ];
  }

  /** Why unknown directives keep access control as it is; null where a person says that they do not decide. */
  private unanswered(unknown: UnknownDirectives | null): NotConverted | null {
    if (unknown === null || (this.options.areUnknownNeutral === true && unknown.asks.length > 0)) return null;
    return unknown.reason;
  }

  private askedBy(entry: Entry, reason: NotConverted): readonly Doubt[] {
    const unknown = this.unknowns.get(entry);
    return isSameReason(reason, unknown?.reason) ? unknown!.asks : [];
  }

  /** Lines of both versions, as a conversion leaves them that was torn: what is 2.4's already may have stood on what is not. */
  private halfConverted(): Doubt[] {
    const old = this.entries.find(({ own }) => own.hasOld);
    const converted = this.entries.filter(({ own }) => own.is24).map(({ scope }) => scope);
    const places = converted.map(({ file, offset }) => ({ path: file.path, offset }));
    return converted.length === 0
      ? []
      : [only24(doubt('half-converted', nameOf(converted[0]!), places, nameOf(old!.scope)))];
  }

  /**
   * What 2.2 refuses has been 2.4's, and mod_access_compat decided: in a .htaccess, or in the whole
   * server where one of its own files is refused. That is another decision where Satisfy or a login
   * is among the lines, or where only one version reads some of them (docs/access-control.md).
   */
  private unknownTo22(): Doubt[] {
    const { source, lineOf24, htaccessLineOf24 } = this.options;
    if (source === '2.4') return [];
    const isOther =
      this.entries.some(({ own, scope }) => own.satisfy.size > 0 || own.hasAuthType || scope.half !== undefined) ||
      this.someLine(DECIDING, ({ half }) => half !== undefined);
    if (!isOther) return [];
    const found = lineOf24?.(this.configuration);
    if (found) return [runningDoubt(shortened(found.line.text.trim()), [found])];
    for (const { scope } of this.htaccess) {
      const inside = htaccessLineOf24?.(scope);
      if (!inside) continue;
      const why = `2.2 does not accept ${spelledName(inside.line)} in a .htaccess file, and requests get 500`;
      return [only24(doubt('read-otherwise', shortened(inside.line.text.trim()), [inside], why))];
    }
    return [];
  }

  /** 2.4.39 merges slashes before it looks at patterns, too: one that asks for two has no effect any more (ap_process_request_internal in server/request.c). 2.2 compared patterns with the URL as it came. */
  private ofSlashes(): Doubt[] {
    const asking = this.entries.filter(
      ({ stage, isRegex, pattern, own }) =>
        stage === 'location' && isRegex && isTouching(own) && /\/\/|\/\{|\/\+\//.test(pattern),
    );
    if (asking.length === 0 || this.someLine(MERGES, () => true)) return [];
    const why = 'since 2.4.39 slashes are merged before a pattern is compared, but not with "MergeSlashes Off"';
    return asking.map((entry) => doubt('read-otherwise', nameOf(entry.scope), [placeOf(entry)], why));
  }

  /** Why nothing at all is converted: what is read here is not what 2.2 reads. */
  private misread(): NotConverted | null {
    for (const { tree, path } of filesOf(this.configuration, this.htaccess)) {
      const found = misreadIn(tree, ACCESS_NAMES, this.options.source !== '2.4');
      if (!found) continue;
      const { line, offset, how } = found;
      return notConverted('misread', { path, offset }, shortened(line.text.trim()), path, how);
    }
    return null;
  }

  // --- Reading -------------------------------------------------------------------------------------------------------

  private forEachScope(visit: (scope: Scope) => void): void {
    const walk = (scope: Scope): void => {
      visit(scope);
      const { children } = scope;
      for (let i = 0; i < children.length; i++) walk(children[i]!);
    };
    walk(this.configuration.root);
    this.htaccess.forEach(({ scope }) => walk(scope));
  }

  /** The scopes that may have lines of some names, or sections of them. */
  private scopesWith(names: Names): Scope[] {
    const mayHaveOne = mayHoldAny(names);
    const found: Scope[] = [];
    const walk = (scope: Scope): void => {
      if (!mayHaveOne(scope)) return;
      found.push(scope);
      scope.children.forEach(walk);
    };
    walk(this.configuration.root);
    this.htaccess.forEach(({ scope }) => walk(scope));
    return found;
  }

  /** Whether some line of these names is one, wherever it stands. */
  private someLine(names: ReadonlySet<string>, test: (line: ConfigLine) => boolean): boolean {
    const mayHaveOne = mayHoldAny(names);
    const hasOne = (scope: Scope): boolean =>
      mayHaveOne(scope) &&
      (scope.lines.some((each) => names.has(each.line.name) && test(each)) || scope.children.some(hasOne));
    return hasOne(this.configuration.root) || this.htaccess.some(({ scope }) => hasOne(scope));
  }

  private collectAll(): void {
    this.collect(this.configuration.root, null, null);
    for (const { scope } of this.htaccess) for (const host of this.hostsReading(scope)) this.collect(scope, host, null);
  }

  private collect(scope: Scope, host: Scope | null, parent: Entry | null): void {
    const entry = this.entryOf(scope, host, parent);
    if (entry) this.entries.push(entry);
    const inner = scope.kind === 'virtualhost' ? scope : host;
    const { children } = scope;
    for (let i = 0; i < children.length; i++) this.collect(children[i]!, inner, entry ?? parent);
  }

  /** A .htaccess applies in each virtual host that reads it as if it was that host's own; null: in all. */
  private hostsReading(scope: Scope): readonly (Scope | null)[] {
    return this.readers.get(scope) ?? ALL_HOSTS;
  }

  private entryOf(scope: Scope, host: Scope | null, parent: Entry | null): Entry | null {
    const { kind } = scope;
    if (kind === 'server') return null;
    // What a virtual host is for says nothing about its access: its words are not cut.
    if (kind === 'virtualhost') return this.entryOfOther(scope, host, parent);
    if (kind === 'htaccess') {
      this.hasDrive ||= driveOf(scope.folder!) !== '';
      return this.made(scope, host, parent, 'directory', false, '', scope.folder!, partsOf(scope.folder!));
    }
    const { isOnWindows } = this;
    const { words } = scope;
    const isTilde = words[0] === '~';
    const argument = (isTilde ? words[1] : words[0]) ?? '';
    // It may be any place, and any pattern.
    const isAnywhere = argument.includes('${') || isDriveless(scope, isOnWindows) || isRelative(scope);
    switch (kind) {
      case 'directory': {
        this.hasDrive ||= driveOf(words[0] ?? '') !== '';
        const relative = isTilde ? null : relativeParts(argument);
        if (relative !== null && !this.mayBeInside(relative))
          return this.made(scope, host, parent, 'directory', false, '', '', belowAll(relative));
        if (isAnywhere) return this.made(scope, host, parent, 'directorymatch', true, argument);
        if (isTilde) return this.made(scope, host, parent, 'directorymatch', true, argument, literalPrefix(argument));
        const prefix = resolvePath('/', argument);
        return this.made(scope, host, parent, 'directory', false, '', prefix, partsOf(prefix));
      }
      case 'directorymatch':
        return this.made(
          scope,
          host,
          parent,
          'directorymatch',
          true,
          argument,
          isAnywhere ? '' : literalPrefix(argument),
        );
      case 'files':
        return this.made(scope, host, parent, 'files', isTilde || isAnywhere, argument);
      case 'filesmatch':
        return this.made(scope, host, parent, 'files', true, argument);
      case 'location':
        if (isAnywhere) return this.made(scope, host, parent, 'location', true, argument);
        if (isTilde) return this.made(scope, host, parent, 'location', true, argument, literalPrefix(argument));
        return this.made(
          scope,
          host,
          parent,
          'location',
          hasWildcard(argument),
          argument,
          argument.replace(/[*?[].*/, ''),
        );
      case 'locationmatch':
        return this.made(scope, host, parent, 'location', true, argument, isAnywhere ? '' : literalPrefix(argument));
      case 'proxy':
      case 'proxymatch':
        return this.made(scope, host, parent, 'proxy', true, argument);
      default:
        return this.entryOfOther(scope, host, parent);
    }
  }

  /** Whether a directory of a section or of a .htaccess may lie in one that has these components. */
  private mayBeInside(relative: readonly string[]): boolean {
    this.places ??= this.placesOfDirectories();
    const inside = `/${relative.join('/')}/`;
    return this.places.some((place) => place === null || place.includes(inside));
  }

  /** The absolute directories, in lower case, with a slash at both ends; null for one with a pattern. */
  private placesOfDirectories(): (string | null)[] {
    const places: (string | null)[] = [];
    this.forEachScope(({ kind, words, folder }) => {
      if ((kind !== 'directory' && kind !== 'htaccess') || words[0] === '~') return;
      const path = kind === 'htaccess' ? folder! : (words[0] ?? '');
      if (relativeParts(path) !== null) return;
      const isUnknown = kind === 'directory' && (/[*?[~$]/.test(path) || !isAbsolute(path));
      places.push(isUnknown ? null : `/${resolvePath('/', path).toLowerCase()}/`);
    });
    return places;
  }

  private places: (string | null)[] | undefined;

  /** What stands in a virtual host, or in a section of another kind, may apply to any of its requests. */
  private entryOfOther(scope: Scope, host: Scope | null, parent: Entry | null): Entry | null {
    const { lines } = scope;
    for (let i = 0; i < lines.length; i++)
      if (isAccessLine(lines[i]!) || lines[i]!.line.name === 'authtype')
        return this.made(scope, host, parent, 'location', true, scope.kind);
    return null;
  }

  private made(
    scope: Scope,
    host: Scope | null,
    parent: Entry | null,
    stage: Stage,
    isRegex: boolean,
    pattern: string,
    prefix = '',
    parts: readonly string[] = NO_PARTS,
  ): Entry {
    const { activity } = scope;
    const isFreed = scope.half !== undefined && halfLeft(scope.half, this.freed) === undefined;
    const half = isFreed ? BOTH : (scope.half ?? { before: activity, now: activity });
    const entry: Entry = {
      scope,
      host,
      parent,
      isOnWindows: this.isOnWindows,
      order: this.entries.length,
      isOptional: half.before === 'unknown' || this.readers.get(scope) === null,
      readBy: half,
      stage,
      isHtaccess: scope.kind === 'htaccess',
      isRegex,
      parts,
      prefix,
      pattern,
      isPattern: stage === 'directory' && (hasWildcard(prefix) || parts.some(hasWildcard)),
      own: SAYS_NOTHING,
    };
    entry.own = this.ownOf(entry);
    if (scope.half !== undefined && isHalf(entry)) this.halves.push(entry);
    return entry;
  }

  /** What the section says, and what else keeps it from being converted. */
  private ownOf(entry: Entry): Own {
    const { scope } = entry;
    const own = scope.half === undefined ? this.readOwn(scope) : this.ownOfHalf(entry);
    const kept = isTouching(own) ? (this.options.refuses?.(scope) ?? null) : null;
    const override = this.overrideProblem(entry, own);
    const inFile = this.fileProblem(scope) ?? this.unknownProblem(entry, own);
    const inTag =
      entry.stage === 'location' && scope.kind !== 'location' && scope.kind !== 'locationmatch'
        ? notConverted('in-container', null, scope.kind)
        : argumentProblem(entry);
    const obstacle = kept ?? own.obstacle ?? inFile ?? override ?? inTag;
    if (obstacle === null) return own;
    // Of some problems it is known nevertheless what the server makes of the section.
    const isKnown =
      inFile === null && inTag === null && (override === null || override.code === 'override-forbids-require');
    return { ...own, obstacle, isPlain: own.isPlain && isKnown };
  }

  private ownOfHalf(entry: Entry): Own {
    if (isFor24(entry)) return ownOf24(entry.scope);
    const own = this.readOwn(entry.scope);
    // The new server does not see what is for the old one alone.
    return isFor22(entry) && own.hasOld ? { ...own, hasOld: false } : own;
  }

  /** What keeps all of a file, or of what stands in a section, from being converted. */
  private fileProblem(scope: Scope): NotConverted | null {
    const { file } = scope;
    if (scope.kind === 'htaccess' && beginsWithMark(file.tree))
      return notConverted('byte-order-mark', { path: file.path, offset: 0 });
    return (
      templateProblem(scope) ??
      (this.twins.has(file.path) && this.configuration.files.has(file.path)
        ? notConverted('htaccess-included', null)
        : null)
    );
  }

  private unknownProblem(entry: Entry, own: Own): NotConverted | null {
    const unknown = isTouching(own) ? unknownInScope(entry.scope, this.configuration) : null;
    if (unknown !== null) this.unknowns.set(entry, unknown);
    return this.unanswered(unknown);
  }

  /** What its lines say: one value for all sections with the same lines, as thousands of virtual hosts have them. */
  private readOwn(scope: Scope): Own {
    const text = plainText(scope);
    const known = text === null ? undefined : this.owns.get(text);
    if (known) return known;
    const own = readOwn(scope, this.survey, this.options.meaningOf, this.freed);
    // A reason, and a word that an answer is about, have their places in the value.
    if (text !== null && own.obstacle === null && own.told.length === 0) this.owns.set(text, own);
    return own;
  }

  private overrideProblem(entry: Entry, { host, satisfy, requires, written }: Own): NotConverted | null {
    const { scope } = entry;
    const override = this.overrideOf(scope);
    if (override === null && this.overrides.has(outermost(scope))) return notConverted('override-unknown', null);
    if (!override || override.includes('all') || (host === null && satisfy.size === 0 && requires === null))
      return null;
    // Lines for 2.2 alone, which 2.4 passes over: the 500 ends with the upgrade, whatever is converted.
    const is22 = isFor22(entry);
    if (written !== null || is22) {
      if (host !== null && !override.includes('limit')) return notConverted('override-without-limit', null);
      if ((satisfy.size > 0 || requires !== null) && !override.includes('authconfig'))
        return notConverted('override-without-authconfig', null);
      if (is22) return null;
    }
    // Satisfy and Require need AuthConfig in both versions; hosts alone needed Limit in 2.2.
    const couldAdmit =
      host !== null &&
      !this.readers.has(outermost(scope)) &&
      override.includes('limit') &&
      satisfy.size === 0 &&
      requires === null &&
      this.mayAdmit;
    if (!override.includes('authconfig') && !couldAdmit) return notConverted('override-forbids-require', null);
    return host !== null && !override.includes('limit') ? notConverted('override-without-limit', null) : null;
  }

  private unadmitted(scope: Scope): readonly string[] {
    const override = this.overrideOf(scope);
    return override && !override.includes('all') && !override.includes('authconfig')
      ? [outermost(scope).folder!]
      : NO_PARTS;
  }

  /** The words of AllowOverride for a .htaccess and the sections in it; null for what stands in the server's files. */
  private overrideOf(scope: Scope): readonly string[] | null {
    return this.overrides.size === 0 ? null : (this.overrides.get(outermost(scope)) ?? null);
  }

  // --- Which states a section may stand on ---------------------------------------------------------------------------

  /** The tree of a state, or why there is none: the same one for equal trees. */
  private treeOf(state: State): Tree24 | NotConverted {
    const key = stateKey(state);
    let tree = this.trees.get(key);
    if (tree === undefined) {
      const made = treeOf(state, this.survey);
      const text = isReason(made) ? '' : `tree ${JSON.stringify(made)}`;
      tree = isReason(made) ? made : (this.trees.get(text) ?? made);
      if (!isReason(tree)) this.trees.set(text, tree);
      this.trees.set(key, tree);
    }
    return tree;
  }

  /** The state behind a section that applies, one object for equal states. */
  private behindOf(state: Standing, own: Own): Standing {
    if (this.lastState === state && this.lastOwn === own) return this.lastNext!;
    let next = state.behind.get(own);
    if (!next) state.behind.set(own, (next = this.foldedOnce(state, own)));
    this.lastState = state;
    this.lastOwn = own;
    this.lastNext = next;
    return next;
  }

  private foldedOnce(state: State, own: Own): Standing {
    const made = fold(state, own, this.survey.source);
    const key = stateKey(made);
    let next = this.states.get(key);
    if (!next) this.states.set(key, (next = standing(made)));
    return next;
  }

  private treeOfStanding(state: Standing): Tree24 | NotConverted {
    return (state.tree24 ??= this.treeOf(state));
  }

  /** Works out the entry's tree and records it; returns why not. */
  private convert(entry: Entry, bases: readonly Standing[], isFirstOfWalk: boolean): NotConverted | null {
    const isOnlyAuthType =
      entry.own.written === null &&
      entry.own.host === null &&
      entry.own.satisfy.size === 0 &&
      entry.own.requires === null;
    // Nearly always it stands on one state, and nothing but its tree is asked.
    const isNew = entry.readBy.before === 'unknown' && entry.readBy.now === 'active';
    if (bases.length === 1 && !isOnlyAuthType && entry.own.written === null && this.survey.source === '2.2' && !isNew) {
      const tree = this.treeOfStanding(this.behindOf(bases[0]!, entry.own));
      if (isReason(tree)) return tree;
      this.converted.set(entry, this.conversionTo(entry, tree));
      return null;
    }
    const results = bases.map((base) => ({ base, after: this.behindOf(base, entry.own) }));
    // Where 2.2 does not read it, and 2.4 does, it has to state what is around it.
    if (isNew) results.push(...bases.map((base) => ({ base, after: base })));
    // An AuthType alone decides nothing in 2.2; in 2.4 it needs a tree, its own or an inherited one.
    if (isOnlyAuthType && this.survey.source === '2.4') {
      // 500 where nobody states a tree (AH01627), and what is converted around it states one.
      const unasked = results.find(({ base, after }) => base.isTouched && after.tree === null);
      return unasked ? notConverted('login-without-require', null) : null;
    }
    if (isOnlyAuthType && bases.every((base) => base.isTouched)) return null;
    const trees = new Set<Tree24>();
    for (const { after } of results) {
      const tree = this.treeOfStanding(after);
      if (isReason(tree)) return tree;
      trees.add(tree);
    }
    // Only Require lines, and nothing old beside them: they are 2.4's as they are.
    const asWritten = this.survey.source === '2.4' && entry.own.tree && JSON.stringify(simplified(entry.own.tree));
    if (
      asWritten &&
      [...trees].every((tree) => JSON.stringify(tree) === asWritten) &&
      entry.own.host === null &&
      entry.own.satisfy.size === 0
    )
      return null;
    if (entry.own.written !== null) return this.asWritten(entry, entry.own.written.tree, results, trees);
    if (trees.size === 1) {
      this.converted.set(entry, this.conversionTo(entry, [...trees][0]!));
      return null;
    }
    if (
      this.survey.source === '2.4' &&
      results.every(({ base, after }) => entry.own.tree === null && this.decidesNothing(base, after))
    ) {
      this.converted.set(entry, { scope: entry.scope, tree: null, merging: null, unadmitted: [], group: 0, frees: [] });
      return null;
    }
    return isFirstOfWalk && this.survey.source === '2.2' && !isNew
      ? this.convertByMerging(entry, bases)
      : notConverted('inherits-different', null);
  }

  private conversionTo(entry: Entry, tree: Tree24): Convertible {
    const { scope } = entry;
    return { scope, tree, merging: null, unadmitted: this.unadmitted(scope), group: 0, frees: [] };
  }

  /**
   * Whether host rules that allow everybody replace what does so, too: mod_access_compat then has nothing to say with them or without them, whatever Require lines are around
   * (check_dir_access in mod_access_compat.c). Beside an AuthType somebody has to state a tree.
   */
  private decidesNothing(base: State, after: State): boolean {
    const allowsAll = ({ host, satisfy }: Section22) =>
      satisfy === 'all' && (host === null || hostTree(host).type === 'granted');
    return (
      !after.hasAuthType &&
      this.survey.classes.every(
        (method) => allowsAll(base.byMethod.get(method)!) && allowsAll(after.byMethod.get(method)!),
      )
    );
  }

  /** A section for both versions: nothing is to be done where it says for 2.4 what the lines for 2.2 come to. Returns why it does not. */
  private asWritten(
    entry: Entry,
    written: Tree24 | null,
    results: readonly { readonly base: State; readonly after: State }[],
    trees: ReadonlySet<Tree24>,
  ): NotConverted | null {
    if (written === null)
      return results.every(({ base, after }) => base.isTouched && this.treeOf(base) === this.treeOf(after))
        ? null
        : notConverted('no-lines-for-24', null);
    if (trees.size > 1) return notConverted('inherits-different', null);
    const tree = [...trees][0]!;
    if (JSON.stringify(simplified(written)) !== JSON.stringify(tree)) return notConverted('lines-for-24-differ', null);
    this.converted.set(entry, { scope: entry.scope, tree, merging: null, unadmitted: [], group: 0, frees: [] });
    return null;
  }

  /**
   * `AuthMerging And` and `Or` say exactly what 2.2 did with sections that add a login to whatever hosts the base admits. Behind another section of its walk they
   * do not: the two would be joined with each other, and the whole of them with what the folders say (mergeAuthorization).
   */
  private convertByMerging(entry: Entry, bases: readonly State[]): NotConverted | null {
    const { own } = entry;
    const different = notConverted('inherits-different', null);
    const isForAll = own.requires?.every(({ methods }) => methods.size === this.survey.classes.length) === true;
    if (own.host !== null || own.requires === null) return different;
    if (bases.some((base) => [...base.byMethod.values()].some(({ requires }) => requires.length > 0))) return different;
    // What it asks itself, of methods that it does not name nothing: there the inherited tree decides alone.
    const tree = this.treeOf(fold(this.start, { ...own, satisfy: NOTHING }, this.survey.source));
    if (isReason(tree)) return different;
    const satisfies = new Set(
      bases.flatMap((base) =>
        this.survey.classes.map((method) => own.satisfy.get(method) ?? base.byMethod.get(method)!.satisfy),
      ),
    );
    if (satisfies.size !== 1) return different;
    if (satisfies.has('all')) {
      this.converted.set(entry, { scope: entry.scope, tree, merging: 'And', unadmitted: [], group: 0, frees: [] });
      return null;
    }
    if (isForAll && bases.every((base) => base.isTouched)) {
      this.converted.set(entry, { scope: entry.scope, tree, merging: 'Or', unadmitted: [], group: 0, frees: [] });
      return null;
    }
    return different;
  }

  /** The states that the section may stand on, or why they are not known; what it shares requests with is noted. */
  private basesOf(entry: Entry): Bases | NotConverted {
    const around = this.before.aroundOnly(entry);
    if (around !== null) return this.basesBehind(around, entry);
    let problem: NotConverted | null = null;
    const states = new Set<Standing>();
    let isFirstOfWalk = true;
    // Nothing comes before directories, so there the sections may be joined one by one.
    const isApart = isMergedApart(entry.stage);
    const touches = isTouching(entry.own);
    const contexts = this.before.contextsOf(entry);
    for (let c = 0; c < contexts.length; c++) {
      const sequences = this.before.sequencesBefore(entry, contexts[c]!);
      for (let s = 0; s < sequences.length; s++) {
        const { steps } = sequences[s]!;
        for (let i = 0; i < steps.length; i++) {
          const other = steps[i]!.entry;
          if (!isTouching(other.own)) continue;
          if (touches && other !== entry) this.related.add(entry, other);
          if (isApart && other.stage === entry.stage) isFirstOfWalk = false;
        }
        problem ??= this.addStates(steps, states);
      }
    }
    return problem ?? { states: [...states], isFirstOfWalk };
  }

  /** The same of a directory that these come before, and nothing else: what they come to is worked out once for all of which that is so. */
  private basesBehind(around: readonly Step[], entry: Entry): Bases | NotConverted {
    for (let i = 0; i < around.length; i++) {
      const other = around[i]!.entry;
      if (isTouching(other.own)) this.related.add(entry, other);
    }
    if (this.lastAround?.around === around) return this.lastAround.bases;
    const states = new Set<Standing>();
    const bases = this.addStates(around, states) ?? { states: [...states], isFirstOfWalk: true };
    this.lastAround = { around, bases };
    return bases;
  }

  private addStates(steps: readonly Step[], states: Set<Standing>): NotConverted | null {
    if (steps.length === 0) {
      states.add(this.start);
      return null;
    }
    const optional = steps.filter((step) => !step.isCertain);
    if (optional.length > MAX_OPTIONAL) return notConverted('too-many-sections', null);
    for (let bits = 0; bits < 2 ** optional.length; bits++) {
      let state = this.start;
      for (const step of steps)
        if (step.isCertain || (bits & (1 << optional.indexOf(step))) !== 0)
          state = this.behindOf(state, step.entry.own);
      states.add(state);
    }
    return null;
  }

  // --- All or nothing ------------------------------------------------------------------------------------------------

  /** The sections of files that are included more than once, and of .htaccess files that have several names, each with the others that have its text. */
  private copies(): Map<Entry, readonly Entry[]> {
    const places = new Map<string, Entry[]>();
    for (let i = 0; i < this.entries.length; i++) {
      const entry = this.entries[i]!;
      const { scope } = entry;
      const isRepeated =
        (scope.section !== null && scope.file.readings > 1) ||
        (this.twins.size > 0 && (this.twins.get(scope.file.path) ?? 0) > 1);
      if (!isRepeated || !isTouching(entry.own)) continue;
      const key = `${scope.section === null ? 'file' : scope.offset} ${scope.file.path}`;
      addTo(places, key, entry);
    }
    return new Map([...places.values()].flatMap((list) => list.map((entry) => [entry, list] as const)));
  }

  /** One text for all of them: it has to be right in each place. */
  private holdTogether(copies: readonly Entry[]): void {
    const refused = copies.find((entry) => this.refused.has(entry));
    const results = new Set(copies.map((entry) => resultOf(this.converted.get(entry))));
    const reason = refused ? this.refused.get(refused)! : results.size > 1 ? this.differentLines(copies) : null;
    if (reason !== null) for (const entry of copies) this.refused.set(entry, reason);
  }

  private differentLines(copies: readonly Entry[]): NotConverted {
    const { scope } = copies[0]!;
    const { path } = scope.file;
    if (copies.every((copy) => copy.scope === scope)) return notConverted('hosts-differ', null, path);
    return notConverted(this.twins.has(path) ? 'links-differ' : 'includes-differ', null, path);
  }

  /** A number for all that is converted together: sections that share requests, also by way of others, and those of one text. */
  private groups(copies: ReadonlyMap<Entry, readonly Entry[]>): (entry: Entry) => number {
    const numbers = new ByEntry<number>();
    const starts = this.converted.keys();
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i]!;
      if (numbers.has(start) || this.refused.has(start)) continue;
      // Most go with no other.
      if (!this.related.has(start) && !copies.has(start)) {
        numbers.set(start, start.order);
        continue;
      }
      const pending = [start];
      for (let entry = pending.pop(); entry; entry = pending.pop()) {
        if (numbers.has(entry) || this.refused.has(entry)) continue;
        numbers.set(entry, start.order);
        const related = this.related.of(entry);
        for (let k = 0; k < related.length; k++) if (!numbers.has(related[k]!)) pending.push(related[k]!);
        for (const copy of copies.get(entry) ?? NO_ENTRIES) pending.push(copy);
      }
    }
    return (entry) => numbers.get(entry)!;
  }

  /**
   * What is converted beside old lines that stay has to show that it is, by something that 2.2 did not have: the files are read again, and `Require user x` alone would then be given what the
   * old lines say, a second time. Where nothing among all that is converted together shows it, all of it stays.
   */
  private holdMistakable(copies: ReadonlyMap<Entry, readonly Entry[]>): void {
    if (this.survey.source !== '2.2' || this.refused.size === 0) return;
    const groupOf = this.groups(copies);
    const groups = new Map<number, Entry[]>();
    for (const entry of this.converted.keys()) {
      if (this.refused.has(entry)) continue;
      const group = groups.get(groupOf(entry));
      if (group) group.push(entry);
      else groups.set(groupOf(entry), [entry]);
    }
    for (const group of groups.values()) {
      const staying = group
        .flatMap((entry) => [...this.related.of(entry)])
        .find((other) => this.refused.has(other) && other.scope.lines.some(({ line }) => OLD_NAMES.has(line.name)));
      if (staying === undefined || group.some((entry) => entry.own.is24 || isKnownAs24(this.converted.get(entry)!)))
        continue;
      const why = notConverted('beside-old-lines', placeOf(staying), nameOf(staying.scope));
      for (const entry of group) this.refused.set(entry, why);
    }
  }

  /**
   * What stays as it was is decided by mod_access_compat beside the new lines: a refusal of either refuses. So a section stays, too, where a request that it decides would get
   * another answer beside what stays (`keptBeside`). Beside one of which it is not known what it says, everything stays that may apply to the same requests; but what
   * refuses everybody does so either way, where it comes later (else an old section behind it could have let somebody in) and where no Satisfy Any lets requests pass beside it.
   */
  private spreadRefusals(copies: ReadonlyMap<Entry, readonly Entry[]>): void {
    const halves = this.halves.filter((entry) => isTouching(entry.own));
    const causes = new Map([
      ...halves.map((entry) => [entry, { entry, reason: notConverted('condition-differs', null) }] as const),
      ...[...this.refused].map(([entry, reason]) => [entry, { entry, reason }] as const),
    ]);
    const pending = [...new Set([...halves, ...this.refused.keys()])];
    const refuse = (other: Entry, because: Entry) => {
      const cause = causes.get(because)!;
      const name = nameOf(cause.entry.scope);
      const code = cause.entry === because ? 'beside-section' : 'together-with-section';
      const reason = notConverted(code, cause.reason.location ?? placeOf(cause.entry), name, cause.reason);
      for (const each of copies.get(other) ?? [other]) {
        if (this.refused.has(each)) continue;
        causes.set(each, cause);
        this.causeOf.set(each, cause.entry);
        this.keep(each, reason);
        pending.push(each);
      }
    };
    for (let entry = pending.pop(); entry; entry = pending.pop()) {
      const related = [...this.related.of(entry)];
      if (!this.isJudging) {
        for (const other of related) {
          if (this.refused.has(other) || !this.converted.has(other)) continue;
          if (!this.refusesBehind(other, entry)) refuse(other, entry);
        }
        continue;
      }
      for (const last of [entry, ...related]) {
        if (!this.isJudging) {
          // The rest of it stays without a judgement.
          pending.push(entry);
          break;
        }
        for (let bad = this.brokenAt(last); bad; bad = this.brokenAt(last)) refuse(bad.converted, bad.kept);
      }
    }
  }

  /** Whether what becomes of requests beside sections that stay is worked out. */
  private get isJudging(): boolean {
    return (
      this.survey.source === '2.2' &&
      this.survey.trouble === null &&
      this.folds < MAX_FOLDS &&
      this.reused <= MAX_FOLDS + REUSED_OF_EACH * (this.entries.length + this.before.hostCount) &&
      this.before.looks <= this.mostLooks
    );
  }

  /**
   * A converted section that has to stay because of one that stays, among those that apply to a request which `last` is the last one to apply to; null where all such
   * requests get what they got.
   */
  private brokenAt(last: Entry): { readonly converted: Entry; readonly kept: Entry } | null {
    const chains = this.chainsOf(last);
    for (let index = chains.next(); index !== null; index = chains.next()) {
      this.before.looks++;
      const broken = this.brokenIn(chains.all[index]!, last);
      if (broken) {
        chains.add(index);
        return broken;
      }
    }
    return null;
  }

  private brokenIn(steps: readonly Step[], last: Entry): { readonly converted: Entry; readonly kept: Entry } | null {
    const isKept = ({ entry }: Step) => !this.converted.has(entry) || this.refused.has(entry);
    if (steps.every(isKept) || !steps.some(({ entry }) => this.refused.has(entry) || isHalf(entry))) return null;
    const chains = chainsIn(steps);
    for (const chain of chains ?? [steps.map(({ entry }): Part => ({ entry, is22: true, is24: true }))]) {
      const kept = chain.filter(({ entry, is22, is24 }) => this.refused.has(entry) || is22 !== is24);
      const converted = chain.filter(({ entry }) => this.conversionOf(entry) !== null);
      if (kept.length === 0 || converted.length === 0) continue;
      if (chains !== null && this.isJudging && this.isKeptBeside(chain, kept)) continue;
      const isLast = (parts: readonly Part[]) => parts.some(({ entry }) => entry === last);
      return isLast(kept)
        ? { converted: converted.at(-1)!.entry, kept: last }
        : { converted: isLast(converted) ? last : converted.at(-1)!.entry, kept: kept.at(-1)!.entry };
    }
    return null;
  }

  /** Whether another section has for 2.4 what one has for 2.2 alone, so that nothing changes. */
  private isMadeUpFor(entry: Entry): boolean {
    if (!isFor22(entry) || !this.isJudging) return false;
    const related = this.related.of(entry);
    const name = nameOf(entry.scope);
    const twin = related.find((each) => isFor24(each) && each.host === entry.host && nameOf(each.scope) === name);
    if (twin === undefined || twin.parent !== entry.parent) return false;
    // Where the one applies, the other does: no request has one of them as the last of all.
    const [first, second] = twin.order < entry.order ? [twin, entry] : [entry, twin];
    return [second, ...related.filter((each) => each !== first && each !== second)].every((last) =>
      this.chainsOf(last).all.every((steps) => {
        if (!steps.some((step) => step.entry === entry) || !steps.some((step) => step.entry === twin)) return true;
        const chains = chainsIn(steps);
        this.before.looks++;
        return chains?.every((chain) => chain.every(({ entry: { own } }) => own.isPlain) && this.isSameAs22(chain));
      }),
    );
  }

  /** What applies to the requests that a section is the last one to apply to, itself at the end; of these, which to look at. */
  private chainsOf(last: Entry): Chains {
    let chains = this.chains.get(last);
    if (!chains) {
      const all = this.before
        .contextsOf(last)
        .flatMap((context) =>
          this.before
            .sequencesBefore(last, context)
            .map(({ steps }) => [...steps.filter(({ entry }) => entry !== last), { entry: last, isCertain: true }]),
        );
      this.chains.set(last, (chains = new Chains(all)));
      all.forEach((steps, index) => {
        for (const { entry } of steps) {
          const holding = this.holding.get(entry);
          if (holding) holding.push({ chains: chains!, index });
          else this.holding.set(entry, [{ chains: chains!, index }]);
        }
      });
    }
    return chains;
  }

  /** Notes that a section stays, and that what applies together with it is to be looked at again: of all else it is known already what becomes of it. */
  private keep(entry: Entry, reason: NotConverted): void {
    this.refused.set(entry, reason);
    for (const { chains, index } of this.holding.get(entry) ?? []) chains.add(index);
  }

  /** Whether a request that these sections apply to, in this order, is answered as in 2.2, some of them being converted; or, where nobody knows how that is, as before in 2.4. */
  private isKeptBeside(chain: readonly Part[], kept: readonly Part[]): boolean {
    const last = chain.at(-1)!;
    const unclear = kept.filter(({ entry }) => !entry.own.isPlain);
    if (unclear.some(({ is24 }) => is24)) {
      this.folds += chain.length;
      return (
        this.conversionOf(last.entry) !== null &&
        last.is24 &&
        unclear.every(({ entry }) => this.refusesBehind(last.entry, entry))
      );
    }
    this.reused += chain.length;
    if (chain.some(({ entry }) => this.conversionOf(entry)?.merging)) return false;
    // What comes of it hangs on what each says, and on what becomes of each: thousands of sites have the same sections one behind the other.
    let key = '';
    for (const { entry, is22, is24 } of chain) {
      const conversion = this.conversionOf(entry);
      const readers = is22 ? (is24 ? '' : '<') : '>';
      key +=
        conversion === null
          ? `${idOf(entry.own)}${readers} `
          : `${idOf(entry.own)}${readers}>${idOf(conversion.tree)} `;
    }
    let isKept = this.keptBeside.get(key);
    if (isKept === undefined) {
      this.folds += chain.length;
      this.keptBeside.set(key, (isKept = this.isSameBeside(chain)));
    }
    return isKept;
  }

  private isSameBeside(chain: readonly Part[]): boolean {
    const isKnown = chain.every(({ entry }) => entry.own.isPlain);
    if (isKnown && this.isSameAs22(chain)) return true;
    const in24 = chain.filter(({ is24 }) => is24);
    const old = in24.reduce<State>((state, { entry }) => fold(state, this.compatOf(entry), '2.4'), this.start);
    const now = this.afterConversion(chain);
    // Where 2.4 decides otherwise with the old lines, too, all that decides stays together, for
    // the person who mends it. What a condition takes from one version holds nothing back: a rule
    // reports it.
    const hasHalf = chain.some(({ entry, is22, is24 }) => is22 !== is24 || entry.own.written !== null);
    const [wanted, unfixed] = [this.treeOf(this.in22(chain)), this.compatTreeOf(old)];
    if (hasHalf && areEqual(unfixed, this.compatTreeOf(now))) return true;
    const isOwn = !isReason(wanted) && !isReason(unfixed) && !areEqual(wanted, unfixed);
    return (!isOwn || hasHalf) && this.isSameRecord(old, now) && this.isSameTree(old, now);
  }

  /** Whether 2.4 decides with the new lines as 2.2 did. */
  private isSameAs22(chain: readonly Part[]): boolean {
    return areEqual(this.treeOf(this.in22(chain)), this.compatTreeOf(this.afterConversion(chain)));
  }

  private in22(chain: readonly Part[]): State {
    return chain.reduce<State>((state, { entry, is22 }) => (is22 ? fold(state, entry.own, '2.2') : state), this.start);
  }

  private afterConversion(chain: readonly Part[]): State {
    return chain.reduce<State>(
      (state, { entry, is24 }) => (is24 ? fold(state, this.afterwards(entry), '2.4') : state),
      this.start,
    );
  }

  private isSameRecord(a: State, b: State): boolean {
    return [...a.byMethod].every(
      ([method, { host, satisfy }]) =>
        b.byMethod.get(method)!.host === host && b.byMethod.get(method)!.satisfy === satisfy,
    );
  }

  /** Whether mod_authz_core decides alike: who states that everybody is granted, and who says nothing, do so where no AuthType asks for a tree. */
  private isSameTree(a: State, b: State): boolean {
    const textOf = ({ tree, hasAuthType }: State) =>
      JSON.stringify(tree === null ? (hasAuthType ? null : { type: 'granted' }) : simplified(tree));
    return textOf(a) === textOf(b);
  }

  private conversionOf(entry: Entry): Conversion | null {
    return this.refused.has(entry) ? null : (this.converted.get(entry) ?? null);
  }

  private compatTreeOf(state: State): Tree24 | NotConverted {
    const key = `2.4 ${stateKey(state)}`;
    let tree = this.trees.get(key);
    if (tree === undefined) this.trees.set(key, (tree = treeOf(state, { ...this.survey, source: '2.4' })));
    return tree;
  }

  /** What 2.4 reads in a section that stays. */
  private compatOf(entry: Entry): Own {
    let own = this.compat.get(entry);
    if (!own) {
      const { written } = entry.own;
      const hosts = written === null ? entry.own : { host: null, satisfy: NOTHING };
      this.compat.set(
        entry,
        (own = {
          ...entry.own,
          host: hosts.host,
          satisfy: hosts.satisfy,
          requires: null,
          hasAuthType: written === null ? entry.own.hasAuthType : written.hasAuthType,
          tree: written === null ? readTree(entry.scope.lines) : written.tree,
        }),
      );
    }
    return own;
  }

  /** What it reads there in the end. */
  private afterwards(entry: Entry): Own {
    const conversion = this.conversionOf(entry);
    if (conversion === null) return this.compatOf(entry);
    let own = this.fresh.get(conversion);
    if (!own)
      this.fresh.set(
        conversion,
        (own = { ...entry.own, host: null, satisfy: NOTHING, requires: null, tree: conversion.tree }),
      );
    return own;
  }

  /** Whether a section refuses everybody, converted or not, also beside one that comes before. */
  private refusesBehind(entry: Entry, before: Entry): boolean {
    return !this.hasAny && this.refusesAlone(entry) && STAGES.indexOf(before.stage) < STAGES.indexOf(entry.stage);
  }

  /** Whether a section's own host rules refuse everybody, whatever they stand on. */
  private refusesAlone(entry: Entry): boolean {
    if (entry.own.host === null || entry.own.obstacle !== null) return false;
    const tree = this.treeOf(fold(this.start, entry.own, this.survey.source));
    return !isReason(tree) && tree.type === 'denied';
  }
}

/** A section that applies to a request, and which of the two versions reads it. */
interface Part {
  readonly entry: Entry;
  readonly is22: boolean;
  readonly is24: boolean;
}

/** What may apply to one request, by all that is not known; null where that is too much. */
function chainsIn(steps: readonly Step[]): readonly (readonly Part[])[] | null {
  let chains: readonly (readonly Part[])[] = [[]];
  for (const { entry, isCertain } of steps) {
    const ways = waysOf(entry, isCertain);
    if (chains.length * ways.length > 2 ** MAX_OPTIONAL) return null;
    chains =
      ways.length === 1 && ways[0] !== null
        ? chains.map((chain) => [...chain, ways[0]!])
        : chains.flatMap((chain) => ways.map((way) => (way === null ? chain : [...chain, way])));
  }
  return chains;
}

/** How a section may be there: null for not at all. */
function waysOf(entry: Entry, isCertain: boolean): readonly (Part | null)[] {
  const { before, now } = entry.readBy;
  if (before === now) {
    const part = { entry, is22: true, is24: true };
    return isCertain && before === 'active' ? [part] : [part, null];
  }
  const may = (activity: Activity): readonly boolean[] =>
    activity === 'unknown' ? [true, false] : [activity === 'active'];
  const parts = may(before).flatMap((is22) => may(now).map((is24) => (is22 || is24 ? { entry, is22, is24 } : null)));
  return isCertain || parts.includes(null) ? parts : [...parts, null];
}

const BOTH: BothAnswers = { before: 'active', now: 'active' };

/** Whether the two versions differ about whether a section is there. */
function isHalf({ readBy: { before, now } }: Entry): boolean {
  return before !== now;
}

/** Whether 2.2 alone reads a section. */
function isFor22({ readBy: { before, now } }: Pick<Entry, 'readBy'>): boolean {
  return now === 'inactive' && before !== 'inactive';
}

/** Whether 2.4 alone does. */
function isFor24({ readBy: { before, now } }: Pick<Entry, 'readBy'>): boolean {
  return before === 'inactive' && now !== 'inactive';
}

function areEqual(a: Tree24 | NotConverted, b: Tree24 | NotConverted): boolean {
  return !isReason(a) && !isReason(b) && JSON.stringify(a) === JSON.stringify(b);
}

/** Whether something of it is in no configuration of 2.2: several requirements stand one below the other there, too, and anything else is of 2.4. */
function isKnownAs24({ tree, merging }: Conversion): boolean {
  return (
    merging !== null || tree === null || (tree.type === 'any' ? tree.of : [tree]).some(({ type }) => type !== 'user')
  );
}

function resultOf(conversion: Conversion | undefined): string {
  return conversion ? `${conversion.merging} ${JSON.stringify(conversion.tree)}` : '';
}

function outermost(scope: Scope): Scope {
  let outer = scope;
  while (outer.parent) outer = outer.parent;
  return outer;
}

/** What decides whether slashes are merged. */
const MERGES: ReadonlySet<string> = new Set(['mergeslashes']);

const SATISFY: ReadonlySet<string> = new Set(['satisfy']);

/** Lines that say what a .htaccess may. */
const OVERRIDES: ReadonlySet<string> = new Set(['allowoverride', 'allowoverridelist']);

const NO_ENTRIES: readonly Entry[] = [];
const ALL_HOSTS: readonly null[] = [null];
const NO_PARTS: readonly string[] = [];
/** Of more sections than this nobody looks for the one that is in the way: a person is asked about a few. */
const MAX_MEETINGS = 20;
/** More sections than this are not tried as the one that is in the way. */
const MAX_SUSPECTS = 12;
/** Reasons that may be gone as soon as a condition is decided. */
const HANGS_ON_CONDITIONS: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'inherits-different',
  'too-many-sections',
  'in-condition',
]);
const NOTHING: ReadonlyMap<string, 'all' | 'any'> = new Map();

/** Whether the sections of a stage are merged with each other before they are merged onto what the directories say. */
function isMergedApart(stage: Stage): boolean {
  return stage === 'files' || stage === 'location' || stage === 'proxy';
}

/** The text of a section's lines, where that is all there is to know of them: nothing is around one of them, and none comes from elsewhere. */
function plainText({ lines, file }: Scope): string | null {
  let text = '';
  for (let i = 0; i < lines.length; i++) {
    const at = lines[i]!;
    const isPlain =
      at.within.length === 0 &&
      at.conditionals.length === 0 &&
      at.file === file &&
      at.macro === undefined &&
      at.half === undefined;
    if (!isPlain) return null;
    text += at.line.text;
  }
  return text.length > LONG_TEXT ? null : text;
}

/** So long a text is hardly another section's. */
const LONG_TEXT = 2000;

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function operandDoubt({ word, at }: PlacedOperand): Doubt {
  return doubt('operand-host', word, [{ path: at.file.path, offset: at.offset }]);
}

function placeOf({ scope }: Entry): DoubtPlace {
  return { path: scope.file.path, offset: scope.offset };
}
