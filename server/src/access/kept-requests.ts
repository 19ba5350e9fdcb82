/**
 * Checks requests to which both converted and unconverted sections apply. For them,
 * mod_access_compat evaluates the remaining old lines and mod_authz_core the new ones, and a
 * request is refused if either refuses it. This file computes whether such a request still gets the
 * same answer.
 */
import type { Activity } from '../config/activity';
import type { AccessStates } from './access-states';
import { Chains } from './chains';
import type { SectionLines } from './decide-section';
import { MAX_OPTIONAL } from './inherited-by-section';
import { fold, idOf, type InheritedAccess } from './inherited-access';
import type { Tree24 } from './model';
import { isReason, type NotConverted } from './not-converted';
import { isFor22, isFor24, isReadByOneVersion } from './one-version';
import { readTree } from './read24';
import type { SectionAccess } from './section-access';
import { nameOf } from './section-name';
import { STAGES, type Entry } from './section-order';
import type { SectionsBefore, Step } from './sections-before';
import type { Decisions } from './together';
import { simplified } from './translate';

/**
 * A converted section that would change the answer to a request, because another section (`kept`)
 * keeps its old lines.
 */
export interface Broken {
  readonly converted: Entry;
  readonly kept: Entry;
}

/**
 * Limit of sections that are combined to compute answers. Cached answers have a second limit, of
 * which this is the base.
 */
const MAX_FOLDS = 100_000;
/** What each section and virtual host adds to the second limit. Hosting servers need 13. */
const REUSED_OF_EACH = 50;

export class KeptRequests {
  private readonly chains = new Map<Entry, Chains>();
  private readonly holding = new Map<Entry, { readonly chains: Chains; readonly index: number }[]>();
  private readonly answers = new Map<string, boolean>();
  private readonly unconverted = new Map<Entry, SectionAccess>();
  private readonly fresh = new Map<SectionLines, SectionAccess>();
  private folds = 0;
  private reused = 0;

  /** `keep` adds an entry to `reasons` for each section that is not converted. */
  constructor(
    private readonly decisions: Decisions,
    private readonly reasons: Map<Entry, NotConverted>,
    private readonly states: AccessStates,
    private readonly before: SectionsBefore,
    private readonly limits: { readonly sections: number; readonly looks: number; readonly hasSatisfyAny: boolean },
  ) {}

  /** Whether answers are computed. They are not if the source is 2.4 or a limit is passed. */
  get isJudging(): boolean {
    const { survey } = this.states;
    return (
      survey.source === '2.2' &&
      survey.trouble === null &&
      this.folds < MAX_FOLDS &&
      this.reused <= MAX_FOLDS + REUSED_OF_EACH * this.limits.sections &&
      this.before.looks <= this.limits.looks
    );
  }

  /** Marks a section as not converted, and checks the requests to which it applies again. */
  keep(entry: Entry, reason: NotConverted): void {
    this.reasons.set(entry, reason);
    for (const { chains, index } of this.holding.get(entry) ?? []) chains.add(index);
  }

  /**
   * Finds a converted section that changes the answer of a request for which `last` applies last.
   * Returns null if there is none.
   */
  brokenAt(last: Entry): Broken | null {
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

  /**
   * Whether another section decides for 2.4 as this one does for 2.2, so that the upgrade changes
   * nothing although this one is not converted.
   */
  isMadeUpFor(entry: Entry): boolean {
    if (!isFor22(entry) || !this.isJudging) return false;
    const related = [...(this.decisions.related.get(entry) ?? [])];
    const name = nameOf(entry.scope);
    const twin = related.find((each) => isFor24(each) && each.host === entry.host && nameOf(each.scope) === name);
    if (twin === undefined || twin.parent !== entry.parent) return false;
    // Both sections apply to the same requests, so the second one always overrides the first.
    const [first, second] = twin.order < entry.order ? [twin, entry] : [entry, twin];
    return [second, ...related.filter((each) => each !== first && each !== second)].every((last) =>
      this.chainsOf(last).all.every((steps) => {
        if (!steps.some((step) => step.entry === entry) || !steps.some((step) => step.entry === twin)) return true;
        this.before.looks++;
        return chainsIn(steps)?.every(
          (chain) => chain.every(({ entry: { own } }) => own.isKnown) && this.isSameAs22(chain),
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

  private refusesAlone({ own }: Entry): boolean {
    if (own.host === null || own.reason !== null) return false;
    const { start, survey } = this.states;
    const tree = this.states.treeOfAny(fold(start, own, survey.source));
    return !isReason(tree) && tree.type === 'denied';
  }

  /** For each request for which the section applies last: the sections that apply, in order. */
  private chainsOf(last: Entry): Chains {
    let chains = this.chains.get(last);
    if (chains) return chains;
    const all = this.before
      .contextsOf(last)
      .flatMap((context) =>
        this.before
          .sequencesBefore(last, context)
          .map(({ steps }) => [...steps.filter(({ entry }) => entry !== last), { entry: last, isCertain: true }]),
      );
    this.chains.set(last, (chains = new Chains(all)));
    for (const [index, steps] of all.entries()) {
      for (const { entry } of steps) {
        const holding = this.holding.get(entry);
        if (holding) holding.push({ chains, index });
        else this.holding.set(entry, [{ chains, index }]);
      }
    }
    return chains;
  }

  private brokenIn(steps: readonly Step[], last: Entry): Broken | null {
    const { converted: all } = this.decisions;
    if (steps.every(({ entry }) => !all.has(entry) || this.reasons.has(entry))) return null;
    if (!steps.some(({ entry }) => this.reasons.has(entry) || isReadByOneVersion(entry))) return null;
    const chains = chainsIn(steps);
    for (const chain of chains ?? [steps.map(({ entry }): Part => ({ entry, is22: true, is24: true }))]) {
      const kept = chain.filter(({ entry, is22, is24 }) => this.reasons.has(entry) || is22 !== is24);
      const converted = chain.filter(({ entry }) => this.linesOf(entry) !== null);
      if (kept.length === 0 || converted.length === 0) continue;
      if (chains !== null && this.isJudging && this.isSame(chain, kept)) continue;
      const isLast = (parts: readonly Part[]) => parts.some(({ entry }) => entry === last);
      if (isLast(kept)) return { converted: converted.at(-1)!.entry, kept: last };
      return { converted: isLast(converted) ? last : converted.at(-1)!.entry, kept: kept.at(-1)!.entry };
    }
    return null;
  }

  /**
   * Whether the answer to a request with these sections stays the same: that of 2.2 or, if it is
   * unknown, that of 2.4 before the conversion.
   */
  private isSame(chain: readonly Part[], kept: readonly Part[]): boolean {
    const last = chain.at(-1)!;
    const unclear = kept.filter(({ entry }) => !entry.own.isKnown);
    if (unclear.some(({ is24 }) => is24)) {
      this.folds += chain.length;
      return (
        this.linesOf(last.entry) !== null &&
        last.is24 &&
        unclear.every(({ entry }) => this.refusesAfter(last.entry, entry))
      );
    }
    this.reused += chain.length;
    const isPlain = (lines: SectionLines | null) => lines === null || (lines.merging === null && !lines.copies);
    if (!chain.every(({ entry }) => isPlain(this.linesOf(entry)))) return false;
    const key = this.keyOf(chain);
    let isSame = this.answers.get(key);
    if (isSame === undefined) {
      this.folds += chain.length;
      this.answers.set(key, (isSame = this.isSameAnswer(chain)));
    }
    return isSame;
  }

  /** A key that is equal for chains of equal sections, which thousands of sites have. */
  private keyOf(chain: readonly Part[]): string {
    let key = '';
    for (const { entry, is22, is24 } of chain) {
      const lines = this.linesOf(entry);
      const readers = is22 ? (is24 ? '' : '<') : '>';
      key += lines === null ? `${idOf(entry.own)}${readers} ` : `${idOf(entry.own)}${readers}>${idOf(lines.tree)} `;
    }
    return key;
  }

  private isSameAnswer(chain: readonly Part[]): boolean {
    const isKnown = chain.every(({ entry }) => entry.own.isKnown);
    if (isKnown && this.isSameAs22(chain)) return true;
    const old = chain.reduce<InheritedAccess>(
      (state, { entry, is24 }) => (is24 ? fold(state, this.unconvertedOf(entry), '2.4') : state),
      this.states.start,
    );
    const now = this.afterConversion(chain);
    // If 2.4 already decides differently with the old lines, all these sections stay unconverted,
    // and the user corrects them together. A condition that hides lines from one version does not
    // prevent the conversion, because a rule reports it.
    const hasHalf = chain.some(({ entry, is22, is24 }) => is22 !== is24 || entry.own.written !== null);
    const [wanted, unfixed] = [this.states.treeOfAny(this.in22(chain)), this.states.compatTreeOf(old)];
    if (hasHalf && areEqual(unfixed, this.states.compatTreeOf(now))) return true;
    const isOwn = !isReason(wanted) && !isReason(unfixed) && !areEqual(wanted, unfixed);
    return (!isOwn || hasHalf) && isSameRecord(old, now) && isSameTree(old, now);
  }

  /** Whether 2.4 decides with the new lines as 2.2 does. */
  private isSameAs22(chain: readonly Part[]): boolean {
    return areEqual(this.states.treeOfAny(this.in22(chain)), this.states.compatTreeOf(this.afterConversion(chain)));
  }

  private in22(chain: readonly Part[]): InheritedAccess {
    return chain.reduce<InheritedAccess>(
      (state, { entry, is22 }) => (is22 ? fold(state, entry.own, '2.2') : state),
      this.states.start,
    );
  }

  private afterConversion(chain: readonly Part[]): InheritedAccess {
    return chain.reduce<InheritedAccess>(
      (state, { entry, is24 }) => (is24 ? fold(state, this.afterwardsOf(entry), '2.4') : state),
      this.states.start,
    );
  }

  private linesOf(entry: Entry): SectionLines | null {
    return this.reasons.has(entry) ? null : (this.decisions.converted.get(entry) ?? null);
  }

  /** What 2.4 reads in a section before the conversion. */
  private unconvertedOf(entry: Entry): SectionAccess {
    let own = this.unconverted.get(entry);
    if (!own) {
      const { written, host, satisfy, hasAuthType } = entry.own;
      own = {
        ...entry.own,
        host: written === null ? host : null,
        satisfy: written === null ? satisfy : NOTHING,
        requires: null,
        hasAuthType: written === null ? hasAuthType : written.hasAuthType,
        tree: written === null ? readTree(entry.scope.lines) : written.tree,
      };
      this.unconverted.set(entry, own);
    }
    return own;
  }

  /** What 2.4 reads in a section after the conversion. */
  private afterwardsOf(entry: Entry): SectionAccess {
    const lines = this.linesOf(entry);
    if (lines === null) return this.unconvertedOf(entry);
    let own = this.fresh.get(lines);
    if (!own) {
      own = { ...entry.own, host: null, satisfy: NOTHING, requires: null, tree: lines.tree };
      this.fresh.set(lines, own);
    }
    return own;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const NOTHING: ReadonlyMap<string, 'all' | 'any'> = new Map();

/** A section that applies to a request, with the versions that read it. */
interface Part {
  readonly entry: Entry;
  readonly is22: boolean;
  readonly is24: boolean;
}

/**
 * The sections that apply to one request. If some are uncertain, one list for each combination.
 * Null if there are too many.
 */
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

/**
 * The ways in which a section can take part in a request: read by certain versions, or (null) not
 * at all.
 */
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
