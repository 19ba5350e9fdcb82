/**
 * Checks requests to which both converted and unconverted sections apply. For them,
 * mod_access_compat evaluates the remaining old lines and mod_authz_core the new ones, and a
 * request is refused if either refuses it. This file computes whether such a request still gets the
 * same answer.
 */
import type { Activity } from '../config/activity';
import type { AccessStates } from './access-states';
import { PendingRequests } from './chains';
import type { SectionLines } from './decide-section';
import { MAX_OPTIONAL } from './inherited-by-section';
import { accessAfter, idOf, type InheritedAccess } from './inherited-access';
import type { Tree24 } from './model';
import { isReason, type NotConverted } from './not-converted';
import { isFor22, isFor24, isReadByOneVersion } from './one-version';
import { readTree } from './read24';
import type { SectionAccess } from './section-access';
import { nameOf } from './section-name';
import { STAGES, type Entry } from './section-order';
import type { SectionsBefore, AppliedSection } from './sections-before';
import type { Decisions } from './together';
import { simplified } from './translate';

/**
 * A converted section that would change the answer to a request, because another section (`kept`)
 * keeps its old lines.
 */
export interface ChangedAnswer {
  readonly converted: Entry;
  readonly keptEntry: Entry;
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
const REUSES_PER_SECTION = 50;

export class KeptRequests {
  private readonly chainsByLast = new Map<Entry, PendingRequests>();
  private readonly chainsByEntry = new Map<Entry, { readonly chains: PendingRequests; readonly index: number }[]>();
  private readonly answers = new Map<string, boolean>();
  private readonly accessBefore = new Map<Entry, SectionAccess>();
  private readonly accessAfter = new Map<SectionLines, SectionAccess>();
  private combinedSections = 0;
  private reusedAnswers = 0;

  /** `reasons`: the sections that are not converted, with the reasons. `markKept` adds to it. */
  constructor(
    private readonly decisions: Decisions,
    private readonly reasons: Map<Entry, NotConverted>,
    private readonly states: AccessStates,
    private readonly before: SectionsBefore,
    private readonly limits: { readonly sections: number; readonly looks: number; readonly hasSatisfyAny: boolean },
  ) {}

  /** Whether answers are computed. They are not if the source is 2.4 or a limit is passed. */
  get computesAnswers(): boolean {
    const { survey } = this.states;
    return (
      survey.source === '2.2' &&
      survey.reason === null &&
      this.combinedSections < MAX_COMBINED_SECTIONS &&
      this.reusedAnswers <= MAX_COMBINED_SECTIONS + REUSES_PER_SECTION * this.limits.sections &&
      this.before.comparisons <= this.limits.looks
    );
  }

  /** Marks a section as not converted, and checks the requests to which it applies again. */
  markKept(entry: Entry, reason: NotConverted): void {
    this.reasons.set(entry, reason);
    for (const { chains, index } of this.chainsByEntry.get(entry) ?? []) chains.add(index);
  }

  /**
   * Finds a converted section that changes the answer of a request for which `last` applies last.
   * Returns null if there is none.
   */
  changedAnswerAt(last: Entry): ChangedAnswer | null {
    const chains = this.chainsOf(last);
    for (let index = chains.next(); index !== null; index = chains.next()) {
      this.before.comparisons++;
      const broken = this.changedAnswerIn(chains.all[index]!, last);
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
  hasEquivalentFor24(entry: Entry): boolean {
    if (!isFor22(entry) || !this.computesAnswers) return false;
    const related = [...(this.decisions.related.get(entry) ?? [])];
    const name = nameOf(entry.scope);
    const twin = related.find((each) => isFor24(each) && each.host === entry.host && nameOf(each.scope) === name);
    if (twin === undefined || twin.parent !== entry.parent) return false;
    // Both sections apply to the same requests, so the second one always overrides the first.
    const [first, second] = twin.order < entry.order ? [twin, entry] : [entry, twin];
    return [second, ...related.filter((each) => each !== first && each !== second)].every((last) =>
      this.chainsOf(last).all.every((steps) => {
        if (!steps.some((step) => step.entry === entry) || !steps.some((step) => step.entry === twin)) return true;
        this.before.comparisons++;
        return chainsIn(steps)?.every(
          (chain) => chain.every(({ entry: { ownAccess } }) => ownAccess.isDecisionKnown) && this.isSameAs22(chain),
        );
      }),
    );
  }

  /**
   * Whether a section refuses all clients, converted or not. `before`: an earlier section that also
   * applies to the request.
   */
  refusesAfter(entry: Entry, before: Entry): boolean {
    return (
      !this.limits.hasSatisfyAny &&
      this.refusesAlone(entry) &&
      STAGES.indexOf(before.stage) < STAGES.indexOf(entry.stage)
    );
  }

  private refusesAlone({ ownAccess }: Entry): boolean {
    if (ownAccess.hostRules === null || ownAccess.reason !== null) return false;
    const { start, survey } = this.states;
    const tree = this.states.treeOfAny(accessAfter(start, ownAccess, survey.source));
    return !isReason(tree) && tree.type === 'denied';
  }

  /**
   * The requests for which `last` is the last section that applies. Each is the list of the
   * sections that apply to it, in order.
   */
  private chainsOf(last: Entry): PendingRequests {
    let chains = this.chainsByLast.get(last);
    if (chains) return chains;
    const all = this.before
      .contextsOf(last)
      .flatMap((context) =>
        this.before
          .sequencesBefore(last, context)
          .map(({ steps }) => [...steps.filter(({ entry }) => entry !== last), { entry: last, isCertain: true }]),
      );
    this.chainsByLast.set(last, (chains = new PendingRequests(all)));
    for (const [index, steps] of all.entries()) {
      for (const { entry } of steps) {
        const positions = this.chainsByEntry.get(entry);
        if (positions) positions.push({ chains, index });
        else this.chainsByEntry.set(entry, [{ chains, index }]);
      }
    }
    return chains;
  }

  private changedAnswerIn(steps: readonly AppliedSection[], last: Entry): ChangedAnswer | null {
    const { converted: all } = this.decisions;
    if (steps.every(({ entry }) => !all.has(entry) || this.reasons.has(entry))) return null;
    if (!steps.some(({ entry }) => this.reasons.has(entry) || isReadByOneVersion(entry))) return null;
    const chains = chainsIn(steps);
    for (const chain of chains ?? [steps.map(({ entry }): AppliedPart => ({ entry, is22: true, is24: true }))]) {
      const kept = chain.filter(({ entry, is22, is24 }) => this.reasons.has(entry) || is22 !== is24);
      const converted = chain.filter(({ entry }) => this.linesOf(entry) !== null);
      if (kept.length === 0 || converted.length === 0) continue;
      if (chains !== null && this.computesAnswers && this.isSame(chain, kept)) continue;
      const isLast = (parts: readonly AppliedPart[]) => parts.some(({ entry }) => entry === last);
      if (isLast(kept)) return { converted: converted.at(-1)!.entry, keptEntry: last };
      return { converted: isLast(converted) ? last : converted.at(-1)!.entry, keptEntry: kept.at(-1)!.entry };
    }
    return null;
  }

  /**
   * Whether the answer to a request with these sections stays the same: that of 2.2 or, if it is
   * unknown, that of 2.4 before the conversion.
   */
  private isSame(chain: readonly AppliedPart[], kept: readonly AppliedPart[]): boolean {
    const last = chain.at(-1)!;
    const unclear = kept.filter(({ entry }) => !entry.ownAccess.isDecisionKnown);
    if (unclear.some(({ is24 }) => is24)) {
      this.combinedSections += chain.length;
      return (
        this.linesOf(last.entry) !== null &&
        last.is24 &&
        unclear.every(({ entry }) => this.refusesAfter(last.entry, entry))
      );
    }
    this.reusedAnswers += chain.length;
    const isPlain = (lines: SectionLines | null) => lines === null || (lines.merging === null && !lines.copies);
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
  private keyOf(chain: readonly AppliedPart[]): string {
    let key = '';
    for (const { entry, is22, is24 } of chain) {
      const lines = this.linesOf(entry);
      const readers = is22 ? (is24 ? '' : '<') : '>';
      key +=
        lines === null
          ? `${idOf(entry.ownAccess)}${readers} `
          : `${idOf(entry.ownAccess)}${readers}>${idOf(lines.tree)} `;
    }
    return key;
  }

  private isSameAnswer(chain: readonly AppliedPart[]): boolean {
    const isKnown = chain.every(({ entry }) => entry.ownAccess.isDecisionKnown);
    if (isKnown && this.isSameAs22(chain)) return true;
    const old = chain.reduce<InheritedAccess>(
      (state, { entry, is24 }) => (is24 ? accessAfter(state, this.unconvertedOf(entry), '2.4') : state),
      this.states.start,
    );
    const now = this.decisionAfterConversion(chain);
    // If 2.4 already decides differently with the old lines, all these sections stay unconverted,
    // and the user corrects them together. A condition that hides lines from one version does not
    // prevent the conversion, because a rule reports it.
    const hasHalf = chain.some(({ entry, is22, is24 }) => is22 !== is24 || entry.ownAccess.unconverted24 !== null);
    const [wanted, unfixed] = [this.states.treeOfAny(this.decisionOf22(chain)), this.states.compatTreeOf(old)];
    if (hasHalf && areEqual(unfixed, this.states.compatTreeOf(now))) return true;
    const isOwn = !isReason(wanted) && !isReason(unfixed) && !areEqual(wanted, unfixed);
    return (!isOwn || hasHalf) && isSameRecord(old, now) && isSameTree(old, now);
  }

  /** Whether 2.4 decides with the new lines as 2.2 does. */
  private isSameAs22(chain: readonly AppliedPart[]): boolean {
    return areEqual(
      this.states.treeOfAny(this.decisionOf22(chain)),
      this.states.compatTreeOf(this.decisionAfterConversion(chain)),
    );
  }

  private decisionOf22(chain: readonly AppliedPart[]): InheritedAccess {
    return chain.reduce<InheritedAccess>(
      (state, { entry, is22 }) => (is22 ? accessAfter(state, entry.ownAccess, '2.2') : state),
      this.states.start,
    );
  }

  private decisionAfterConversion(chain: readonly AppliedPart[]): InheritedAccess {
    return chain.reduce<InheritedAccess>(
      (state, { entry, is24 }) => (is24 ? accessAfter(state, this.afterwardsOf(entry), '2.4') : state),
      this.states.start,
    );
  }

  private linesOf(entry: Entry): SectionLines | null {
    return this.reasons.has(entry) ? null : (this.decisions.converted.get(entry) ?? null);
  }

  /** What 2.4 reads in a section before the conversion. */
  private unconvertedOf(entry: Entry): SectionAccess {
    let own = this.accessBefore.get(entry);
    if (!own) {
      const { unconverted24, hostRules, satisfy, hasAuthType } = entry.ownAccess;
      own = {
        ...entry.ownAccess,
        hostRules: unconverted24 === null ? hostRules : null,
        satisfy: unconverted24 === null ? satisfy : NO_SATISFY,
        requires: null,
        hasAuthType: unconverted24 === null ? hasAuthType : unconverted24.hasAuthType,
        tree24: unconverted24 === null ? readTree(entry.scope.lines) : unconverted24.tree,
      };
      this.accessBefore.set(entry, own);
    }
    return own;
  }

  /** What 2.4 reads in a section after the conversion. */
  private afterwardsOf(entry: Entry): SectionAccess {
    const lines = this.linesOf(entry);
    if (lines === null) return this.unconvertedOf(entry);
    let own = this.accessAfter.get(lines);
    if (!own) {
      own = { ...entry.ownAccess, hostRules: null, satisfy: NO_SATISFY, requires: null, tree24: lines.tree };
      this.accessAfter.set(lines, own);
    }
    return own;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const NO_SATISFY: ReadonlyMap<string, 'all' | 'any'> = new Map();

/** A section that applies to a request, with the versions that read it. */
interface AppliedPart {
  readonly entry: Entry;
  readonly is22: boolean;
  readonly is24: boolean;
}

/**
 * The sections that apply to one request. If some are uncertain, one list for each combination.
 * Null if there are too many.
 */
function chainsIn(steps: readonly AppliedSection[]): readonly (readonly AppliedPart[])[] | null {
  let chains: readonly (readonly AppliedPart[])[] = [[]];
  for (const { entry, isCertain } of steps) {
    const ways = possibleParts(entry, isCertain);
    if (chains.length * ways.length > 2 ** MAX_OPTIONAL) return null;
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
function possibleParts(entry: Entry, isCertain: boolean): readonly (AppliedPart | null)[] {
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

function areEqual(a: Tree24 | NotConverted, b: Tree24 | NotConverted): boolean {
  return !isReason(a) && !isReason(b) && JSON.stringify(a) === JSON.stringify(b);
}

/** Whether mod_access_compat decides the same for both states. */
function isSameRecord(a: InheritedAccess, b: InheritedAccess): boolean {
  return [...a.byMethod].every(
    ([method, { host, satisfy }]) =>
      b.byMethod.get(method)!.host === host && b.byMethod.get(method)!.satisfy === satisfy,
  );
}

/**
 * Whether mod_authz_core decides the same for both states. Without an AuthType, no tree has the
 * same effect as a tree that grants access to all.
 */
function isSameTree(a: InheritedAccess, b: InheritedAccess): boolean {
  const textOf = ({ tree, hasAuthType }: InheritedAccess) =>
    JSON.stringify(tree === null ? (hasAuthType ? null : { type: 'granted' }) : simplified(tree));
  return textOf(a) === textOf(b);
}
