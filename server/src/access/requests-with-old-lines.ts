/**
 * Checks requests to which both converted and unconverted sections apply. For such a request,
 * mod_access_compat evaluates the old lines that stay, and mod_authz_core the new lines. The server
 * refuses a request that one of the two refuses. This file computes whether the request keeps its
 * answer.
 */
import type { Activity } from '../config/activity';
import { addTo } from '../syntax/groups';
import type { AccessStates } from './access-states';
import { PendingRequests } from './pending-requests';
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
 * Limit of the work if answers from the cache count, too: MAX_COMPUTED_SECTIONS, and this number
 * for each section and each virtual host. Configurations of hosting servers need 13 for each.
 */
const CHECKED_SECTIONS_PER_SECTION = 50;

/** Computes which requests keep their answers, while more and more sections are excluded. */
export class RequestsWithOldLines {
  private readonly requestsByLastSection = new Map<SectionEntry, PendingRequests>();
  private readonly rangesByEntry = new Map<SectionEntry, RequestRange[]>();
  private readonly isAnswerSameByKey = new Map<string, boolean>();
  private readonly accessBeforeByEntry = new Map<SectionEntry, SectionAccess>();
  private readonly accessAfterByLines = new Map<SectionLines, SectionAccess>();
  private computedSectionCount = 0;
  private checkedSectionCount = 0;

  /**
   * `reasonByEntry`: the sections that are not converted, with the reasons. `markUnconverted` adds
   * sections to this map. `limits`: the number of sections and virtual hosts, the limit of
   * comparisons, and whether the server has Satisfy Any.
   */
  constructor(
    private readonly decisions: Decisions,
    private readonly reasonByEntry: Map<SectionEntry, NotConverted>,
    private readonly states: AccessStates,
    private readonly sectionsBefore: SectionsBefore,
    private readonly limits: {
      readonly sectionCount: number;
      readonly maxComparisons: number;
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
      this.checkedSectionCount <= MAX_COMPUTED_SECTIONS + CHECKED_SECTIONS_PER_SECTION * this.limits.sectionCount &&
      this.sectionsBefore.comparisonCount <= this.limits.maxComparisons
    );
  }

  /** Marks a section as not converted. All requests to which it applies are checked again. */
  markUnconverted(entry: SectionEntry, reason: NotConverted): void {
    this.reasonByEntry.set(entry, reason);
    for (const { requests, firstIndex, endIndex } of this.rangesByEntry.get(entry) ?? [])
      for (let index = firstIndex; index < endIndex; index++) requests.add(index);
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
    const relatedSections = [...(this.decisions.relatedSectionsByEntry.get(entry) ?? [])];
    const nameOfSection = sectionName(entry.scope);
    const sectionOf24 = relatedSections.find(
      (each) => isReadBy24Only(each) && each.host === entry.host && sectionName(each.scope) === nameOfSection,
    );
    if (sectionOf24 === undefined || sectionOf24.parent !== entry.parent) return false;
    // Both sections apply to the same requests, so the earlier of the two is never the last section
    // of a request.
    const [firstIndex, second] =
      sectionOf24.orderNumber < entry.orderNumber ? [sectionOf24, entry] : [entry, sectionOf24];
    return [second, ...relatedSections.filter((each) => each !== firstIndex && each !== second)].every((lastSection) =>
      this.requestsEndingWith(lastSection).sectionsOfRequests.every((appliedSections) => {
        if (
          !appliedSections.some((step) => step.entry === entry) ||
          !appliedSections.some((step) => step.entry === sectionOf24)
        )
          return true;
        this.sectionsBefore.comparisonCount++;
        return combinationsOf(appliedSections)?.every(
          (combination) =>
            combination.every(({ entry: { ownAccess } }) => ownAccess.isDecisionKnown) && this.decidesAs22(combination),
        );
      }),
    );
  }

  /**
   * Whether a section certainly refuses all clients, before and after its conversion, whatever the
   * section `earlierSection` decides. False unless that section is of an earlier stage. Also false
   * if a Satisfy Any line exists.
   */
  refusesAllAfter(entry: SectionEntry, earlierSection: SectionEntry): boolean {
    return (
      !this.limits.hasSatisfyAny &&
      this.refusesAlone(entry) &&
      STAGES.indexOf(earlierSection.stage) < STAGES.indexOf(entry.stage)
    );
  }

  /** Whether the lines of a section refuse all clients if it inherits nothing. */
  private refusesAlone({ ownAccess }: SectionEntry): boolean {
    if (ownAccess.hostRules === null || ownAccess.reason !== null) return false;
    const { initialAccess, survey } = this.states;
    const tree = this.states.treeOfAnyState(accessAfter(initialAccess, ownAccess, survey.source));
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
    for (const requestedHost of this.sectionsBefore.serversToSearchFor(lastSection)) {
      for (const { appliedSections } of this.sectionsBefore.sequencesBefore(lastSection, requestedHost)) {
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
    indexesOfNewSections.forEach((firstIndex, i) => {
      const range: RequestRange = {
        requests: requests!,
        firstIndex,
        endIndex: indexesOfNewSections[i + 1] ?? requestSections.length,
      };
      for (const { entry } of requestSections[firstIndex]!) addTo(this.rangesByEntry, entry, range);
    });
    return requests;
  }

  /** The section that changes the answer to this request, for `changedAnswerAt`. */
  private changedAnswerIn(appliedSections: readonly AppliedSection[], lastSection: SectionEntry): ChangedAnswer | null {
    const { linesByEntry } = this.decisions;
    if (appliedSections.every(({ entry }) => !linesByEntry.has(entry) || this.reasonByEntry.has(entry))) return null;
    if (!appliedSections.some(({ entry }) => this.reasonByEntry.has(entry) || isReadByOneVersion(entry))) return null;
    const combinations = combinationsOf(appliedSections);
    for (const combination of combinations ?? [
      appliedSections.map(({ entry }): VersionedSection => ({ entry, appliesIn22: true, appliesIn24: true })),
    ]) {
      const unconvertedSections = combination.filter(
        ({ entry, appliesIn22, appliesIn24 }) => this.reasonByEntry.has(entry) || appliesIn22 !== appliesIn24,
      );
      const sectionsWithNewLines = combination.filter(({ entry }) => this.linesOf(entry) !== null);
      if (unconvertedSections.length === 0 || sectionsWithNewLines.length === 0) continue;
      if (combinations !== null && this.computesAnswers && this.keepsAnswer(combination, unconvertedSections)) continue;
      const includesLastSection = (parts: readonly VersionedSection[]) =>
        parts.some(({ entry }) => entry === lastSection);
      if (includesLastSection(unconvertedSections))
        return { convertedEntry: sectionsWithNewLines.at(-1)!.entry, unconvertedEntry: lastSection };
      return {
        convertedEntry: includesLastSection(sectionsWithNewLines) ? lastSection : sectionsWithNewLines.at(-1)!.entry,
        unconvertedEntry: unconvertedSections.at(-1)!.entry,
      };
    }
    return null;
  }

  /**
   * Whether the conversion keeps the answer to a request with these sections: the answer of 2.2 or,
   * if that is unknown, the answer of 2.4 with the old lines. `unconvertedSections`: those of them
   * that are not converted, or that only one version reads.
   */
  private keepsAnswer(
    combination: readonly VersionedSection[],
    unconvertedSections: readonly VersionedSection[],
  ): boolean {
    const lastSection = combination.at(-1)!;
    const unknownDecisions = unconvertedSections.filter(({ entry }) => !entry.ownAccess.isDecisionKnown);
    if (unknownDecisions.some(({ appliesIn24 }) => appliesIn24)) {
      this.computedSectionCount += combination.length;
      return (
        this.linesOf(lastSection.entry) !== null &&
        lastSection.appliesIn24 &&
        unknownDecisions.every(({ entry }) => this.refusesAllAfter(lastSection.entry, entry))
      );
    }
    this.checkedSectionCount += combination.length;
    const replacesInheritedTree = (entry: SectionEntry) => {
      const linesFor24 = this.linesOf(entry);
      return linesFor24 === null
        ? !hasAuthMergingIn24(entry)
        : linesFor24.authMerging === null && !linesFor24.hostCopies && !linesFor24.directoryCopies;
    };
    if (!combination.every(({ entry }) => replacesInheritedTree(entry))) return false;
    const keyOfCombination = this.keyOf(combination);
    let isAnswerSame = this.isAnswerSameByKey.get(keyOfCombination);
    if (isAnswerSame === undefined) {
      this.computedSectionCount += combination.length;
      this.isAnswerSameByKey.set(keyOfCombination, (isAnswerSame = this.isSameAnswer(combination)));
    }
    return isAnswerSame;
  }

  /**
   * The cache key of a combination. Combinations have equal keys if their sections have equal old
   * lines and equal new lines, and the same versions read them. Thousands of virtual hosts can have
   * such equal sections, and the answer is computed once for all of them.
   */
  private keyOf(combination: readonly VersionedSection[]): string {
    let keyOfCombination = '';
    for (const { entry, appliesIn22, appliesIn24 } of combination) {
      const linesFor24 = this.linesOf(entry);
      const readersMark = appliesIn22 ? (appliesIn24 ? '' : '<') : '>';
      keyOfCombination +=
        linesFor24 === null
          ? `${idOf(entry.ownAccess)}${readersMark} `
          : `${idOf(entry.ownAccess)}${readersMark}>${idOf(linesFor24.tree)} `;
    }
    return keyOfCombination;
  }

  /** As `keepsAnswer`, if each section replaces the inherited tree. Not cached. */
  private isSameAnswer(combination: readonly VersionedSection[]): boolean {
    const areDecisionsKnown = combination.every(({ entry }) => entry.ownAccess.isDecisionKnown);
    if (areDecisionsKnown && this.decidesAs22(combination)) return true;
    const accessBeforeConversion = combination.reduce<InheritedAccess>(
      (state, { entry, appliesIn24 }) =>
        appliesIn24 ? accessAfter(state, this.sectionAccessBeforeConversion(entry), '2.4') : state,
      this.states.initialAccess,
    );
    const accessAfterConversion = this.mergedAccessAfterConversion(combination);
    // If 2.4 decides differently from 2.2 with the old lines, all sections of the request keep
    // their old lines, and the user corrects them together. Lines that only one version reads are
    // an exception: they do not prevent the conversion, because a rule reports them.
    const hasLinesOfOneVersion = combination.some(
      ({ entry, appliesIn22, appliesIn24 }) => appliesIn22 !== appliesIn24 || entry.ownAccess.unconverted24 !== null,
    );
    const [resultOf22, resultOfOldLines] = [
      this.states.treeOfAnyState(this.mergedAccessIn22(combination)),
      this.states.compatTreeOf(accessBeforeConversion),
    ];
    if (hasLinesOfOneVersion && areResultsEqual(resultOfOldLines, this.states.compatTreeOf(accessAfterConversion)))
      return true;
    const differsWithOldLines =
      !isReason(resultOf22) && !isReason(resultOfOldLines) && !areResultsEqual(resultOf22, resultOfOldLines);
    return (
      (!differsWithOldLines || hasLinesOfOneVersion) &&
      areHostRulesEqual(accessBeforeConversion, accessAfterConversion) &&
      areTreesEqual(accessBeforeConversion, accessAfterConversion)
    );
  }

  /** Whether 2.4 decides with the new lines as 2.2 does. */
  private decidesAs22(combination: readonly VersionedSection[]): boolean {
    return (
      !combination.some(({ entry }) => hasAuthMergingIn24(entry)) &&
      areResultsEqual(
        this.states.treeOfAnyState(this.mergedAccessIn22(combination)),
        this.states.compatTreeOf(this.mergedAccessAfterConversion(combination)),
      )
    );
  }

  /** The access for a request in 2.2. */
  private mergedAccessIn22(combination: readonly VersionedSection[]): InheritedAccess {
    return combination.reduce<InheritedAccess>(
      (state, { entry, appliesIn22 }) => (appliesIn22 ? accessAfter(state, entry.ownAccess, '2.2') : state),
      this.states.initialAccess,
    );
  }

  /** The access for a request in 2.4 after the conversion. */
  private mergedAccessAfterConversion(combination: readonly VersionedSection[]): InheritedAccess {
    return combination.reduce<InheritedAccess>(
      (state, { entry, appliesIn24 }) =>
        appliesIn24 ? accessAfter(state, this.sectionAccessAfterConversion(entry), '2.4') : state,
      this.states.initialAccess,
    );
  }

  /** The new lines of a section. Null if it is not converted, or if it needs no change. */
  private linesOf(entry: SectionEntry): SectionLines | null {
    return this.reasonByEntry.has(entry) ? null : (this.decisions.linesByEntry.get(entry) ?? null);
  }

  /** What 2.4 reads in a section before the conversion. */
  private sectionAccessBeforeConversion(entry: SectionEntry): SectionAccess {
    let accessIn24 = this.accessBeforeByEntry.get(entry);
    if (!accessIn24) {
      const { unconverted24, hostRules, satisfyByMethod, hasAuthType } = entry.ownAccess;
      accessIn24 = {
        ...entry.ownAccess,
        hostRules: unconverted24 === null ? hostRules : unconverted24.hostRules,
        satisfyByMethod: unconverted24 === null ? satisfyByMethod : unconverted24.satisfyByMethod,
        userRequirements: null,
        hasAuthType: unconverted24 === null ? hasAuthType : unconverted24.hasAuthType,
        tree24: unconverted24 === null ? readTree(entry.scope.lines) : unconverted24.tree,
      };
      this.accessBeforeByEntry.set(entry, accessIn24);
    }
    return accessIn24;
  }

  /** What 2.4 reads in a section after the conversion. */
  private sectionAccessAfterConversion(entry: SectionEntry): SectionAccess {
    const linesFor24 = this.linesOf(entry);
    if (linesFor24 === null) return this.sectionAccessBeforeConversion(entry);
    let accessIn24 = this.accessAfterByLines.get(linesFor24);
    if (!accessIn24) {
      accessIn24 = {
        ...entry.ownAccess,
        hostRules: null,
        satisfyByMethod: NO_SATISFY,
        userRequirements: null,
        tree24: linesFor24.tree,
      };
      this.accessAfterByLines.set(linesFor24, accessIn24);
    }
    return accessIn24;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Requests that follow each other in the list `requests` and have the same sections. `endIndex` is
 * the index after the last of them.
 */
interface RequestRange {
  readonly requests: PendingRequests;
  readonly firstIndex: number;
  readonly endIndex: number;
}

const NO_SATISFY: ReadonlyMap<string, 'all' | 'any'> = new Map();

/** A section that applies to a request, with the versions that read it. */
interface VersionedSection {
  readonly entry: SectionEntry;
  readonly appliesIn22: boolean;
  readonly appliesIn24: boolean;
}

/**
 * Lists the sections that apply to one request, with the versions that read each. There is one list
 * for each combination of uncertain sections. Null if there are too many combinations.
 */
function combinationsOf(appliedSections: readonly AppliedSection[]): readonly (readonly VersionedSection[])[] | null {
  let combinations: readonly (readonly VersionedSection[])[] = [[]];
  for (const { entry, isCertain } of appliedSections) {
    const possibilities = possibleVersions(entry, isCertain);
    if (combinations.length * possibilities.length > 2 ** MAX_UNCERTAIN_SECTIONS) return null;
    combinations =
      possibilities.length === 1 && possibilities[0] !== null
        ? combinations.map((combination) => [...combination, possibilities[0]!])
        : combinations.flatMap((combination) =>
            possibilities.map((possibility) => (possibility === null ? combination : [...combination, possibility])),
          );
  }
  return combinations;
}

/**
 * The cases for a section in a request: which versions read it. Null in the list is the case that
 * it does not apply to the request.
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
 * Whether the lines for 2.4 in the section have AuthMerging, so that httpd merges their tree with
 * the inherited tree. `isSameAnswer` assumes that a tree replaces the inherited one, so for such a
 * section callers assume that the answer changes.
 */
function hasAuthMergingIn24({ ownAccess: { unconverted24 } }: SectionEntry): boolean {
  return unconverted24 !== null && unconverted24.authMerging !== null;
}

function areResultsEqual(a: Tree24 | NotConverted, b: Tree24 | NotConverted): boolean {
  return !isReason(a) && !isReason(b) && JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Whether mod_access_compat decides in the same way with both accesses: they have the same host
 * rules and Satisfy.
 */
function areHostRulesEqual(a: InheritedAccess, b: InheritedAccess): boolean {
  return [...a.rulesByMethod].every(
    ([method, { hostRules, satisfy }]) =>
      b.rulesByMethod.get(method)!.hostRules === hostRules && b.rulesByMethod.get(method)!.satisfy === satisfy,
  );
}

/**
 * Whether mod_authz_core decides in the same way with both accesses: they have the same Require
 * tree. If no AuthType applies, a missing tree has the same effect as a tree that grants access to
 * all.
 */
function areTreesEqual(a: InheritedAccess, b: InheritedAccess): boolean {
  const textOf = ({ tree, hasAuthType }: InheritedAccess) =>
    JSON.stringify(tree === null ? (hasAuthType ? null : { type: 'granted' }) : withoutNeedlessContainers(tree));
  return textOf(a) === textOf(b);
}
