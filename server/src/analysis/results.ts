/** What the engine finds, as the nodes of a tree remember it. It knows nothing of how it is found. */
import type { UsesOfFile } from '../config/macro';
import { NO_FACTS, plusFacts, type FileFacts } from '../rules/support/facts';
import type { Context, FileRule, Finding, Resolved, Rule, UseRule } from '../rules/rule';

export interface Found {
  readonly rule: Rule;
  readonly finding: Finding;
  /** What the file's facts make of the finding, as long as they stay the same: a keystroke shows what was shown before. */
  resolved?: { readonly facts: FileFacts; readonly change: Resolved | null | undefined };
}

/** What a node remembers. A context is one engine's, and with it the result. */
export interface Cached<Result> {
  readonly context: Context;
  /** The same in another place where the file is read. */
  other: Result | null;
  /** Other nodes may have it, too: it never has another one behind it. */
  readonly isShared?: boolean;
}

export interface LineResult extends Cached<LineResult> {
  readonly found: readonly Found[];
}

/** Numbers that a list keeps about each child with findings. */
export const HOT = 3;

/** What a list adds up to. */
export class ListResult implements Cached<ListResult> {
  other: this | null = null;
  /** What is the same for sections with the same lines (same-sections.ts). */
  isShared = false;
  /** Findings in and below. */
  count = 0;
  facts: FileFacts = NO_FACTS;
  /** Whether a unit rule listens to a line in this list, or in its transparent sections. */
  hasMembers = false;
  /**
   * The children with findings in or below them, as HOT numbers each, index, offset and line ends before: the walk that publishes goes straight to
   * them. (Looking at the others costs a cache miss each, which is all the time there is in a file of a million lines.)
   */
  hot: number[] | null = null;
  /** By file rule; left out while there are none, as in most nodes. */
  summaries: unknown[] | null = null;
  /** The same for rules that are not always asked, once they were. */
  asked: Map<number, unknown> | null = null;
  /** What was found about the Use lines in and below, see uses.ts. */
  uses: FoundUses | null = null;

  constructor(readonly context: Context) {}

  add(other: ListResult, rules: readonly FileRule[]): void {
    this.count += other.count;
    this.facts = plusFacts(this.facts, other.facts);
    this.hasMembers ||= other.hasMembers;
    const { summaries } = other;
    if (summaries === null) return;
    for (let i = 0; i < summaries.length; i++) if (summaries[i] !== undefined) this.addSummary(i, summaries[i], rules);
  }

  addSummary(index: number, summary: unknown, rules: readonly FileRule[]): void {
    this.summaries ??= new Array<unknown>(rules.length);
    const before = this.summaries[index];
    this.summaries[index] = before === undefined ? summary : rules[index]!.plus(before, summary);
  }
}

export class SectionResult extends ListResult {
  /** The section's own findings as a unit, relative to it. */
  found: readonly Found[] = NOTHING_FOUND;
  bodyContext: Context | null = null;
}

/** What most nodes have: one for all of them. */
export const NOTHING_FOUND: readonly Found[] = [];

/** Findings of a list, each with the offset of its line in front. */
export interface FoundUses {
  readonly uses: UsesOfFile;
  readonly found: readonly { readonly offset: number; readonly rule: UseRule; readonly finding: Finding }[];
}
