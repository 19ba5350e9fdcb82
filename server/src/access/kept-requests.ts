/**
 * Checks requests to which both converted and unconverted sections apply. For them,
 * mod_access_compat evaluates the remaining old lines and mod_authz_core the new ones, and a
 * request is refused if either refuses it. This file computes whether such a request still gets the
 * same answer.
 */
import type { Activity } from '../config/activity';
import { addTo } from '../syntax/groups';
import type { AccessStates } from './access-states';
import { PendingRequests } from './chains';
import type { SectionLines } from './decide-section';
import { MAX_UNCERTAIN_SECTIONS } from './inherited-by-section';
import { accessAfter, idOf, type InheritedAccess } from './inherited-access';
import type { Tree24 } from './model';
import { isReason, type NotConverted } from './not-converted';
import { isReadBy22Only, isReadBy24Only, isReadByOneVersion } from './one-version';
import { readTree } from './read24';
import type { SectionAccess } from './section-access';
import { sectionName } from './section-name';
import { STAGES, type SectionEntry } from './section-order';
import type { SectionsBefore, AppliedSection } from './sections-before';
import type { Decisions } from './together';
import { withoutNeedlessContainers } from './translate';

/**
 * A converted section (`convertedEntry`) that would change the answer to a request, because another
 * section of this request (`unconvertedEntry`) keeps its old lines.
 */
export interface ChangedAnswer {
  readonly convertedEntry: SectionEntry;
  readonly unconvertedEntry: SectionEntry;
}

/**
 * Limit of sections that are combined to compute answers. Cached answers have a second limit, of
 * which this is the base.
 */
const MAX_COMBINED_SECTIONS = 100_000;
/**
 * How much each section and each virtual host adds to the second limit. Configurations of hosting
 * servers need 13.
 */
const CACHED_ANSWERS_PER_SECTION = 50;

export class RequestsWithOldLines {
  private readonly chainsByLast = new Map<SectionEntry, PendingRequests>();
  private readonly chainsByEntry = new Map<SectionEntry, RequestRange[]>();
  private readonly answers = new Map<string, boolean>();
  private readonly accessBefore = new Map<SectionEntry, SectionAccess>();
  private readonly accessAfter = new Map<SectionLines, SectionAccess>();
  private combinedSections = 0;
  private reusedAnswers = 0;

  /**
   * `reasonByEntry`: the sections that are not converted, with the reasons. `markKept` adds entries
   * to this map.
   */
  constructor(
    private readonly decisions: Decisions,
    private readonly reasonByEntry: Map<SectionEntry, NotConverted>,
    private readonly states: AccessStates,
    private readonly sectionsBefore: SectionsBefore,
    private readonly limits: { readonly sections: number; readonly looks: number; readonly hasSatisfyAny: boolean },
  ) {}

  /** Whether answers are computed. They are not if the source is 2.4 or a limit is passed. */
  get computesAnswers(): boolean {
    const { survey } = this.states;
    return (
      survey.source === '2.2' &&
      survey.reason === null &&
      this.combinedSections < MAX_COMBINED_SECTIONS &&
      this.reusedAnswers <= MAX_COMBINED_SECTIONS + CACHED_ANSWERS_PER_SECTION * this.limits.sections &&
      this.sectionsBefore.comparisonCount <= this.limits.looks
    );
  }

  /** Marks a section as not converted, and checks the requests to which it applies again. */
  markKept(entry: SectionEntry, reason: NotConverted): void {
    this.reasonByEntry.set(entry, reason);
    for (const { chains, first, end } of this.chainsByEntry.get(entry) ?? [])
      for (let index = first; index < end; index++) chains.add(index);
  }

  /**
   * Finds a converted section that changes the answer of a request for which `last` applies last.
   * Returns null if there is none.
   */
  changedAnswerAt(last: SectionEntry): ChangedAnswer | null {
    const chains = this.requestsEndingWith(last);
    for (let index = chains.takeNext(); index !== null; index = chains.takeNext()) {
      this.sectionsBefore.comparisonCount++;
      const broken = this.changedAnswerIn(chains.sectionsOfRequests[index]!, last);
      if (broken) {
        chains.add(index);
        return broken;
      }
    }
    return null;
  }

  /**
   * Whether another section decides for 2.4 as this one does for 2.2, so that the upgrade changes
   * nothing although this one is not converted.
   */
  hasEquivalentFor24(entry: SectionEntry): boolean {
    if (!isReadBy22Only(entry) || !this.computesAnswers) return false;
    const related = [...(this.decisions.relatedEntries.get(entry) ?? [])];
    const name = sectionName(entry.scope);
    const twin = related.find(
      (each) => isReadBy24Only(each) && each.host === entry.host && sectionName(each.scope) === name,
    );
    if (twin === undefined || twin.parent !== entry.parent) return false;
    // Both sections apply to the same requests, so only the lines of the later one count.
    const [first, second] = twin.orderNumber < entry.orderNumber ? [twin, entry] : [entry, twin];
    return [second, ...related.filter((each) => each !== first && each !== second)].every((last) =>
      this.requestsEndingWith(last).sectionsOfRequests.every((steps) => {
        if (!steps.some((step) => step.entry === entry) || !steps.some((step) => step.entry === twin)) return true;
        this.sectionsBefore.comparisonCount++;
        return chainsIn(steps)?.every(
          (chain) => chain.every(({ entry: { ownAccess } }) => ownAccess.isDecisionKnown) && this.decidesAs22(chain),
        );
      }),
    );
  }

  /**
   * Whether a section refuses all clients, converted or not. `before`: an earlier section that also
   * applies to the request.
   */
  refusesAfter(entry: SectionEntry, before: SectionEntry): boolean {
    return (
      !this.limits.hasSatisfyAny &&
      this.refusesAlone(entry) &&
      STAGES.indexOf(before.stage) < STAGES.indexOf(entry.stage)
    );
  }

  private refusesAlone({ ownAccess }: SectionEntry): boolean {
    if (ownAccess.hostRules === null || ownAccess.reason !== null) return false;
    const { initialAccess, survey } = this.states;
    const tree = this.states.treeOfAny(accessAfter(initialAccess, ownAccess, survey.source));
    return !isReason(tree) && tree.type === 'denied';
  }

  /**
   * The requests for which `last` is the last section that applies. Each is the list of the
   * sections that apply to it, in order.
   */
  private requestsEndingWith(last: SectionEntry): PendingRequests {
    let chains = this.chainsByLast.get(last);
    if (chains) return chains;
    const all: (readonly AppliedSection[])[] = [];
    const firstIndexes: number[] = [];
    let before: readonly AppliedSection[] | null = null;
    for (const context of this.sectionsBefore.serversToSearchFor(last)) {
      for (const { appliedSections } of this.sectionsBefore.sequencesBefore(last, context)) {
        if (appliedSections === before) {
          all.push(all.at(-1)!);
          continue;
        }
        before = appliedSections;
        firstIndexes.push(all.length);
        all.push([...appliedSections.filter(({ entry }) => entry !== last), { entry: last, isCertain: true }]);
      }
    }
    this.chainsByLast.set(last, (chains = new PendingRequests(all)));
    firstIndexes.forEach((first, i) => {
      const place: RequestRange = { chains: chains!, first, end: firstIndexes[i + 1] ?? all.length };
      for (const { entry } of all[first]!) addTo(this.chainsByEntry, entry, place);
    });
    return chains;
  }

  private changedAnswerIn(steps: readonly AppliedSection[], last: SectionEntry): ChangedAnswer | null {
    const { convertedSections: all } = this.decisions;
    if (steps.every(({ entry }) => !all.has(entry) || this.reasonByEntry.has(entry))) return null;
    if (!steps.some(({ entry }) => this.reasonByEntry.has(entry) || isReadByOneVersion(entry))) return null;
    const chains = chainsIn(steps);
    for (const chain of chains ?? [
      steps.map(({ entry }): VersionedSection => ({ entry, appliesIn22: true, appliesIn24: true })),
    ]) {
      const kept = chain.filter(
        ({ entry, appliesIn22, appliesIn24 }) => this.reasonByEntry.has(entry) || appliesIn22 !== appliesIn24,
      );
      const converted = chain.filter(({ entry }) => this.linesOf(entry) !== null);
      if (kept.length === 0 || converted.length === 0) continue;
      if (chains !== null && this.computesAnswers && this.keepsAnswer(chain, kept)) continue;
      const isLast = (parts: readonly VersionedSection[]) => parts.some(({ entry }) => entry === last);
      if (isLast(kept)) return { convertedEntry: converted.at(-1)!.entry, unconvertedEntry: last };
      return {
        convertedEntry: isLast(converted) ? last : converted.at(-1)!.entry,
        unconvertedEntry: kept.at(-1)!.entry,
      };
    }
    return null;
  }

  /**
   * Whether the answer to a request with these sections stays the same: that of 2.2 or, if it is
   * unknown, that of 2.4 before the conversion.
   */
  private keepsAnswer(chain: readonly VersionedSection[], kept: readonly VersionedSection[]): boolean {
    const last = chain.at(-1)!;
    const unclear = kept.filter(({ entry }) => !entry.ownAccess.isDecisionKnown);
    if (unclear.some(({ appliesIn24 }) => appliesIn24)) {
      this.combinedSections += chain.length;
      return (
        this.linesOf(last.entry) !== null &&
        last.appliesIn24 &&
        unclear.every(({ entry }) => this.refusesAfter(last.entry, entry))
      );
    }
    this.reusedAnswers += chain.length;
    const isPlain = (lines: SectionLines | null) => lines === null || (lines.authMerging === null && !lines.hostCopies);
    if (!chain.every(({ entry }) => isPlain(this.linesOf(entry)))) return false;
    const key = this.keyOf(chain);
    let isSame = this.answers.get(key);
    if (isSame === undefined) {
      this.combinedSections += chain.length;
      this.answers.set(key, (isSame = this.isSameAnswer(chain)));
    }
    return isSame;
  }

  /**
   * A text that is equal for lists of sections with equal lines. Thousands of sites can have such
   * equal sections.
   */
  private keyOf(chain: readonly VersionedSection[]): string {
    let key = '';
    for (const { entry, appliesIn22, appliesIn24 } of chain) {
      const lines = this.linesOf(entry);
      const readers = appliesIn22 ? (appliesIn24 ? '' : '<') : '>';
      key +=
        lines === null
          ? `${idOf(entry.ownAccess)}${readers} `
          : `${idOf(entry.ownAccess)}${readers}>${idOf(lines.tree)} `;
    }
    return key;
  }

  private isSameAnswer(chain: readonly VersionedSection[]): boolean {
    const isKnown = chain.every(({ entry }) => entry.ownAccess.isDecisionKnown);
    if (isKnown && this.decidesAs22(chain)) return true;
    const old = chain.reduce<InheritedAccess>(
      (state, { entry, appliesIn24 }) =>
        appliesIn24 ? accessAfter(state, this.accessBeforeConversion(entry), '2.4') : state,
      this.states.initialAccess,
    );
    const now = this.decisionAfterConversion(chain);
    // If 2.4 already decides differently with the old lines, all these sections stay unconverted,
    // and the user corrects them together. A condition that hides lines from one version does not
    // prevent the conversion, because a rule reports it.
    const hasHalf = chain.some(
      ({ entry, appliesIn22, appliesIn24 }) => appliesIn22 !== appliesIn24 || entry.ownAccess.unconverted24 !== null,
    );
    const [wanted, unfixed] = [this.states.treeOfAny(this.decisionOf22(chain)), this.states.compatTreeOf(old)];
    if (hasHalf && areResultsEqual(unfixed, this.states.compatTreeOf(now))) return true;
    const isOwn = !isReason(wanted) && !isReason(unfixed) && !areResultsEqual(wanted, unfixed);
    return (!isOwn || hasHalf) && areHostRulesEqual(old, now) && areTreesEqual(old, now);
  }

  /** Whether 2.4 decides with the new lines as 2.2 does. */
  private decidesAs22(chain: readonly VersionedSection[]): boolean {
    return areResultsEqual(
      this.states.treeOfAny(this.decisionOf22(chain)),
      this.states.compatTreeOf(this.decisionAfterConversion(chain)),
    );
  }

  private decisionOf22(chain: readonly VersionedSection[]): InheritedAccess {
    return chain.reduce<InheritedAccess>(
      (state, { entry, appliesIn22 }) => (appliesIn22 ? accessAfter(state, entry.ownAccess, '2.2') : state),
      this.states.initialAccess,
    );
  }

  private decisionAfterConversion(chain: readonly VersionedSection[]): InheritedAccess {
    return chain.reduce<InheritedAccess>(
      (state, { entry, appliesIn24 }) =>
        appliesIn24 ? accessAfter(state, this.accessAfterConversion(entry), '2.4') : state,
      this.states.initialAccess,
    );
  }

  private linesOf(entry: SectionEntry): SectionLines | null {
    return this.reasonByEntry.has(entry) ? null : (this.decisions.convertedSections.get(entry) ?? null);
  }

  /** What 2.4 reads in a section before the conversion. */
  private accessBeforeConversion(entry: SectionEntry): SectionAccess {
    let own = this.accessBefore.get(entry);
    if (!own) {
      const { unconverted24, hostRules, satisfy, hasAuthType } = entry.ownAccess;
      own = {
        ...entry.ownAccess,
        hostRules: unconverted24 === null ? hostRules : null,
        satisfy: unconverted24 === null ? satisfy : NO_SATISFY,
        userRequirements: null,
        hasAuthType: unconverted24 === null ? hasAuthType : unconverted24.hasAuthType,
        tree24: unconverted24 === null ? readTree(entry.scope.lines) : unconverted24.tree,
      };
      this.accessBefore.set(entry, own);
    }
    return own;
  }

  /** What 2.4 reads in a section after the conversion. */
  private accessAfterConversion(entry: SectionEntry): SectionAccess {
    const lines = this.linesOf(entry);
    if (lines === null) return this.accessBeforeConversion(entry);
    let own = this.accessAfter.get(lines);
    if (!own) {
      own = { ...entry.ownAccess, hostRules: null, satisfy: NO_SATISFY, userRequirements: null, tree24: lines.tree };
      this.accessAfter.set(lines, own);
    }
    return own;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Requests beside each other in a work list that have the same sections. */
interface RequestRange {
  readonly chains: PendingRequests;
  readonly first: number;
  readonly end: number;
}

const NO_SATISFY: ReadonlyMap<string, 'all' | 'any'> = new Map();

/** A section that applies to a request, with the versions that read it. */
interface VersionedSection {
  readonly entry: SectionEntry;
  readonly appliesIn22: boolean;
  readonly appliesIn24: boolean;
}

/**
 * The sections that apply to one request. If some are uncertain, one list for each combination.
 * Null if there are too many.
 */
function chainsIn(steps: readonly AppliedSection[]): readonly (readonly VersionedSection[])[] | null {
  let chains: readonly (readonly VersionedSection[])[] = [[]];
  for (const { entry, isCertain } of steps) {
    const ways = possibleVersions(entry, isCertain);
    if (chains.length * ways.length > 2 ** MAX_UNCERTAIN_SECTIONS) return null;
    chains =
      ways.length === 1 && ways[0] !== null
        ? chains.map((chain) => [...chain, ways[0]!])
        : chains.flatMap((chain) => ways.map((way) => (way === null ? chain : [...chain, way])));
  }
  return chains;
}

/**
 * The ways in which a section can take part in a request: read by certain versions, or (null) not
 * at all.
 */
function possibleVersions(entry: SectionEntry, isCertain: boolean): readonly (VersionedSection | null)[] {
  const { before, now } = entry.readBy;
  if (before === now) {
    const part: VersionedSection = { entry, appliesIn22: true, appliesIn24: true };
    return isCertain && before === 'active' ? [part] : [part, null];
  }
  const may = (activity: Activity): readonly boolean[] =>
    activity === 'unknown' ? [true, false] : [activity === 'active'];
  const parts = may(before).flatMap((is22) =>
    may(now).map((is24) => (is22 || is24 ? { entry, appliesIn22: is22, appliesIn24: is24 } : null)),
  );
  return isCertain || parts.includes(null) ? parts : [...parts, null];
}

function areResultsEqual(a: Tree24 | NotConverted, b: Tree24 | NotConverted): boolean {
  return !isReason(a) && !isReason(b) && JSON.stringify(a) === JSON.stringify(b);
}

/** Whether mod_access_compat decides the same for both states. */
function areHostRulesEqual(a: InheritedAccess, b: InheritedAccess): boolean {
  return [...a.byMethod].every(
    ([method, { hostRules, satisfy }]) =>
      b.byMethod.get(method)!.hostRules === hostRules && b.byMethod.get(method)!.satisfy === satisfy,
  );
}

/**
 * Whether mod_authz_core decides the same for both states. Without an AuthType, no tree has the
 * same effect as a tree that grants access to all.
 */
function areTreesEqual(a: InheritedAccess, b: InheritedAccess): boolean {
  const textOf = ({ tree, hasAuthType }: InheritedAccess) =>
    JSON.stringify(tree === null ? (hasAuthType ? null : { type: 'granted' }) : withoutNeedlessContainers(tree));
  return textOf(a) === textOf(b);
}
