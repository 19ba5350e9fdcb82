/**
 * Checks requests to which both converted and unconverted sections apply. For such a request,
 * mod_access_compat evaluates the old lines that stay, and mod_authz_core the new lines. The server
 * refuses a request that one of the two refuses. This file computes whether the request keeps its
 * answer.
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
 * A converted section (`convertedEntry`) that changes the answer to a request, because another
 * section of the request (`unconvertedEntry`) keeps its old lines.
 */
export interface ChangedAnswer {
  readonly convertedEntry: SectionEntry;
  readonly unconvertedEntry: SectionEntry;
}

/**
 * Limit of the work to compute answers. Each computed answer adds the number of sections that apply
 * to the request.
 */
const MAX_COMPUTED_SECTIONS = 100_000;
/**
 * Answers from the cache have a limit of their own. Each section and each virtual host of the
 * configuration adds this number to it. Configurations of hosting servers need 13.
 */
const CACHED_SECTIONS_PER_SECTION = 50;

export class RequestsWithOldLines {
  private readonly requestsByLastSection = new Map<SectionEntry, PendingRequests>();
  private readonly rangesByEntry = new Map<SectionEntry, RequestRange[]>();
  private readonly answers = new Map<string, boolean>();
  private readonly accessBefore = new Map<SectionEntry, SectionAccess>();
  private readonly accessAfter = new Map<SectionLines, SectionAccess>();
  private computedSectionCount = 0;
  private checkedSectionCount = 0;

  /**
   * `reasonByEntry`: the sections that are not converted, with the reasons. `markKept` adds
   * sections to this map.
   */
  constructor(
    private readonly decisions: Decisions,
    private readonly reasonByEntry: Map<SectionEntry, NotConverted>,
    private readonly states: AccessStates,
    private readonly sectionsBefore: SectionsBefore,
    private readonly limits: {
      readonly sections: number;
      readonly comparisons: number;
      readonly hasSatisfyAny: boolean;
    },
  ) {}

  /**
   * Whether answers are computed. They are not computed if the server already runs 2.4, if nothing
   * can be converted, or after a limit is reached.
   */
  get computesAnswers(): boolean {
    const { survey } = this.states;
    return (
      survey.source === '2.2' &&
      survey.reason === null &&
      this.computedSectionCount < MAX_COMPUTED_SECTIONS &&
      this.checkedSectionCount <= MAX_COMPUTED_SECTIONS + CACHED_SECTIONS_PER_SECTION * this.limits.sections &&
      this.sectionsBefore.comparisonCount <= this.limits.comparisons
    );
  }

  /** Marks a section as not converted. All requests to which it applies are checked again. */
  markKept(entry: SectionEntry, reason: NotConverted): void {
    this.reasonByEntry.set(entry, reason);
    for (const { requests: chains, first, end } of this.rangesByEntry.get(entry) ?? [])
      for (let index = first; index < end; index++) chains.add(index);
  }

  /**
   * Looks for a converted section that changes the answer to a request whose last section is
   * `lastSection`. Checks only requests that are still pending. Null if none of them changes its
   * answer.
   */
  changedAnswerAt(lastSection: SectionEntry): ChangedAnswer | null {
    const pendingRequests = this.requestsEndingWith(lastSection);
    for (let index = pendingRequests.takeNext(); index !== null; index = pendingRequests.takeNext()) {
      this.sectionsBefore.comparisonCount++;
      const changedAnswer = this.changedAnswerIn(pendingRequests.sectionsOfRequests[index]!, lastSection);
      if (changedAnswer) {
        pendingRequests.add(index);
        return changedAnswer;
      }
    }
    return null;
  }

  /**
   * Whether a section that only 2.2 reads has an equivalent: a section that only 2.4 reads, and
   * that decides in 2.4 as this one does in 2.2. Then the upgrade changes nothing although this
   * section is not converted.
   */
  hasEquivalentFor24(entry: SectionEntry): boolean {
    if (!isReadBy22Only(entry) || !this.computesAnswers) return false;
    const relatedSections = [...(this.decisions.relatedEntries.get(entry) ?? [])];
    const nameOfSection = sectionName(entry.scope);
    const twin = relatedSections.find(
      (each) => isReadBy24Only(each) && each.host === entry.host && sectionName(each.scope) === nameOfSection,
    );
    if (twin === undefined || twin.parent !== entry.parent) return false;
    // Both sections apply to the same requests, so the earlier of the two is never the last section
    // of a request.
    const [first, second] = twin.orderNumber < entry.orderNumber ? [twin, entry] : [entry, twin];
    return [second, ...relatedSections.filter((each) => each !== first && each !== second)].every((lastSection) =>
      this.requestsEndingWith(lastSection).sectionsOfRequests.every((steps) => {
        if (!steps.some((step) => step.entry === entry) || !steps.some((step) => step.entry === twin)) return true;
        this.sectionsBefore.comparisonCount++;
        return chainsIn(steps)?.every(
          (chain) => chain.every(({ entry: { ownAccess } }) => ownAccess.isDecisionKnown) && this.decidesAs22(chain),
        );
      }),
    );
  }

  /**
   * Whether a section refuses all clients, both before and after its conversion. `before`: a
   * section that applies to the same request. The result is false unless `before` is in an earlier
   * stage.
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
   * The requests whose last section is `lastSection`. Each request is the list of the sections that
   * apply to it, in order.
   */
  private requestsEndingWith(lastSection: SectionEntry): PendingRequests {
    let requests = this.requestsByLastSection.get(lastSection);
    if (requests) return requests;
    const requestSections: (readonly AppliedSection[])[] = [];
    const indexesOfNewSections: number[] = [];
    let previousSections: readonly AppliedSection[] | null = null;
    for (const context of this.sectionsBefore.serversToSearchFor(lastSection)) {
      for (const { appliedSections } of this.sectionsBefore.sequencesBefore(lastSection, context)) {
        if (appliedSections === previousSections) {
          requestSections.push(requestSections.at(-1)!);
          continue;
        }
        previousSections = appliedSections;
        indexesOfNewSections.push(requestSections.length);
        requestSections.push([
          ...appliedSections.filter(({ entry }) => entry !== lastSection),
          { entry: lastSection, isCertain: true },
        ]);
      }
    }
    this.requestsByLastSection.set(lastSection, (requests = new PendingRequests(requestSections)));
    indexesOfNewSections.forEach((first, i) => {
      const range: RequestRange = {
        requests: requests!,
        first,
        end: indexesOfNewSections[i + 1] ?? requestSections.length,
      };
      for (const { entry } of requestSections[first]!) addTo(this.rangesByEntry, entry, range);
    });
    return requests;
  }

  private changedAnswerIn(steps: readonly AppliedSection[], lastSection: SectionEntry): ChangedAnswer | null {
    const { convertedSections } = this.decisions;
    if (steps.every(({ entry }) => !convertedSections.has(entry) || this.reasonByEntry.has(entry))) return null;
    if (!steps.some(({ entry }) => this.reasonByEntry.has(entry) || isReadByOneVersion(entry))) return null;
    const chains = chainsIn(steps);
    for (const chain of chains ?? [
      steps.map(({ entry }): VersionedSection => ({ entry, appliesIn22: true, appliesIn24: true })),
    ]) {
      const unconvertedParts = chain.filter(
        ({ entry, appliesIn22, appliesIn24 }) => this.reasonByEntry.has(entry) || appliesIn22 !== appliesIn24,
      );
      const convertedParts = chain.filter(({ entry }) => this.linesOf(entry) !== null);
      if (unconvertedParts.length === 0 || convertedParts.length === 0) continue;
      if (chains !== null && this.computesAnswers && this.keepsAnswer(chain, unconvertedParts)) continue;
      const includesLast = (parts: readonly VersionedSection[]) => parts.some(({ entry }) => entry === lastSection);
      if (includesLast(unconvertedParts))
        return { convertedEntry: convertedParts.at(-1)!.entry, unconvertedEntry: lastSection };
      return {
        convertedEntry: includesLast(convertedParts) ? lastSection : convertedParts.at(-1)!.entry,
        unconvertedEntry: unconvertedParts.at(-1)!.entry,
      };
    }
    return null;
  }

  /**
   * Whether the conversion keeps the answer to a request with these sections: the answer of 2.2 or,
   * if that is unknown, the answer of 2.4 with the old lines. `keptSections`: the sections that are
   * not converted.
   */
  private keepsAnswer(chain: readonly VersionedSection[], keptSections: readonly VersionedSection[]): boolean {
    const lastSection = chain.at(-1)!;
    const unknownDecisions = keptSections.filter(({ entry }) => !entry.ownAccess.isDecisionKnown);
    if (unknownDecisions.some(({ appliesIn24 }) => appliesIn24)) {
      this.computedSectionCount += chain.length;
      return (
        this.linesOf(lastSection.entry) !== null &&
        lastSection.appliesIn24 &&
        unknownDecisions.every(({ entry }) => this.refusesAfter(lastSection.entry, entry))
      );
    }
    this.checkedSectionCount += chain.length;
    const replacesInheritedTree = (entry: SectionEntry) => {
      const linesFor24 = this.linesOf(entry);
      return linesFor24 === null ? !mergesIn24(entry) : linesFor24.authMerging === null && !linesFor24.hostCopies;
    };
    if (!chain.every(({ entry }) => replacesInheritedTree(entry))) return false;
    const chainKey = this.keyOf(chain);
    let isAnswerSame = this.answers.get(chainKey);
    if (isAnswerSame === undefined) {
      this.computedSectionCount += chain.length;
      this.answers.set(chainKey, (isAnswerSame = this.isSameAnswer(chain)));
    }
    return isAnswerSame;
  }

  /**
   * A text that is equal for lists of sections with equal lines. Thousands of sites can have equal
   * sections.
   */
  private keyOf(chain: readonly VersionedSection[]): string {
    let chainKey = '';
    for (const { entry, appliesIn22, appliesIn24 } of chain) {
      const linesFor24 = this.linesOf(entry);
      const readers = appliesIn22 ? (appliesIn24 ? '' : '<') : '>';
      chainKey +=
        linesFor24 === null
          ? `${idOf(entry.ownAccess)}${readers} `
          : `${idOf(entry.ownAccess)}${readers}>${idOf(linesFor24.tree)} `;
    }
    return chainKey;
  }

  private isSameAnswer(chain: readonly VersionedSection[]): boolean {
    const areDecisionsKnown = chain.every(({ entry }) => entry.ownAccess.isDecisionKnown);
    if (areDecisionsKnown && this.decidesAs22(chain)) return true;
    const beforeConversion = chain.reduce<InheritedAccess>(
      (state, { entry, appliesIn24 }) =>
        appliesIn24 ? accessAfter(state, this.accessBeforeConversion(entry), '2.4') : state,
      this.states.initialAccess,
    );
    const afterConversion = this.decisionAfterConversion(chain);
    // If 2.4 decides differently from 2.2 with the old lines, all sections of the request keep
    // their old lines, and the user corrects them together. Lines that only one version reads are
    // an exception: they do not prevent the conversion, because a rule reports them.
    const hasLinesOfOneVersion = chain.some(
      ({ entry, appliesIn22, appliesIn24 }) => appliesIn22 !== appliesIn24 || entry.ownAccess.unconverted24 !== null,
    );
    const [resultOf22, resultOfOldLines] = [
      this.states.treeOfAny(this.decisionOf22(chain)),
      this.states.compatTreeOf(beforeConversion),
    ];
    if (hasLinesOfOneVersion && areResultsEqual(resultOfOldLines, this.states.compatTreeOf(afterConversion)))
      return true;
    const differsAlready =
      !isReason(resultOf22) && !isReason(resultOfOldLines) && !areResultsEqual(resultOf22, resultOfOldLines);
    return (
      (!differsAlready || hasLinesOfOneVersion) &&
      areHostRulesEqual(beforeConversion, afterConversion) &&
      areTreesEqual(beforeConversion, afterConversion)
    );
  }

  /** Whether 2.4 decides with the new lines as 2.2 does. */
  private decidesAs22(chain: readonly VersionedSection[]): boolean {
    return (
      !chain.some(({ entry }) => mergesIn24(entry)) &&
      areResultsEqual(
        this.states.treeOfAny(this.decisionOf22(chain)),
        this.states.compatTreeOf(this.decisionAfterConversion(chain)),
      )
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
    let before24 = this.accessBefore.get(entry);
    if (!before24) {
      const { unconverted24, hostRules, satisfy, hasAuthType } = entry.ownAccess;
      before24 = {
        ...entry.ownAccess,
        hostRules: unconverted24 === null ? hostRules : unconverted24.hostRules,
        satisfy: unconverted24 === null ? satisfy : unconverted24.satisfy,
        userRequirements: null,
        hasAuthType: unconverted24 === null ? hasAuthType : unconverted24.hasAuthType,
        tree24: unconverted24 === null ? readTree(entry.scope.lines) : unconverted24.tree,
      };
      this.accessBefore.set(entry, before24);
    }
    return before24;
  }

  /** What 2.4 reads in a section after the conversion. */
  private accessAfterConversion(entry: SectionEntry): SectionAccess {
    const linesFor24 = this.linesOf(entry);
    if (linesFor24 === null) return this.accessBeforeConversion(entry);
    let after24 = this.accessAfter.get(linesFor24);
    if (!after24) {
      after24 = {
        ...entry.ownAccess,
        hostRules: null,
        satisfy: NO_SATISFY,
        userRequirements: null,
        tree24: linesFor24.tree,
      };
      this.accessAfter.set(linesFor24, after24);
    }
    return after24;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Requests that follow each other in the list `requests` and have the same sections. `end` is the
 * index after the last of them.
 */
interface RequestRange {
  readonly requests: PendingRequests;
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
 * The sections that apply to one request, with the versions that read each. There is one list for
 * each combination of uncertain sections. Null if there are too many combinations.
 */
function chainsIn(steps: readonly AppliedSection[]): readonly (readonly VersionedSection[])[] | null {
  let chains: readonly (readonly VersionedSection[])[] = [[]];
  for (const { entry, isCertain } of steps) {
    const possibilities = possibleVersions(entry, isCertain);
    if (chains.length * possibilities.length > 2 ** MAX_UNCERTAIN_SECTIONS) return null;
    chains =
      possibilities.length === 1 && possibilities[0] !== null
        ? chains.map((chain) => [...chain, possibilities[0]!])
        : chains.flatMap((chain) =>
            possibilities.map((possibility) => (possibility === null ? chain : [...chain, possibility])),
          );
  }
  return chains;
}

/**
 * The ways in which a section can take part in a request. Null in the list means that it does not
 * apply to the request.
 */
function possibleVersions(entry: SectionEntry, isCertain: boolean): readonly (VersionedSection | null)[] {
  const { in22, in24 } = entry.readBy;
  if (in22 === in24) {
    const readByBoth: VersionedSection = { entry, appliesIn22: true, appliesIn24: true };
    return isCertain && in22 === 'active' ? [readByBoth] : [readByBoth, null];
  }
  const possibleAnswers = (activity: Activity): readonly boolean[] =>
    activity === 'unknown' ? [true, false] : [activity === 'active'];
  const possibilities = possibleAnswers(in22).flatMap((is22) =>
    possibleAnswers(in24).map((is24) => (is22 || is24 ? { entry, appliesIn22: is22, appliesIn24: is24 } : null)),
  );
  return isCertain || possibilities.includes(null) ? possibilities : [...possibilities, null];
}

/**
 * Whether 2.4 already merges the tree of the section with the inherited tree. The computed answers
 * do not consider such merging, so they are not used then.
 */
function mergesIn24({ ownAccess: { unconverted24 } }: SectionEntry): boolean {
  return unconverted24 !== null && unconverted24.authMerging !== null;
}

function areResultsEqual(a: Tree24 | NotConverted, b: Tree24 | NotConverted): boolean {
  return !isReason(a) && !isReason(b) && JSON.stringify(a) === JSON.stringify(b);
}

/** Whether mod_access_compat decides the same with both accesses. */
function areHostRulesEqual(a: InheritedAccess, b: InheritedAccess): boolean {
  return [...a.byMethod].every(
    ([method, { hostRules, satisfy }]) =>
      b.byMethod.get(method)!.hostRules === hostRules && b.byMethod.get(method)!.satisfy === satisfy,
  );
}

/**
 * Whether mod_authz_core decides the same with both accesses. If no AuthType applies, a missing
 * tree has the same effect as a tree that grants access to all.
 */
function areTreesEqual(a: InheritedAccess, b: InheritedAccess): boolean {
  const textOf = ({ tree, hasAuthType }: InheritedAccess) =>
    JSON.stringify(tree === null ? (hasAuthType ? null : { type: 'granted' }) : withoutNeedlessContainers(tree));
  return textOf(a) === textOf(b);
}
