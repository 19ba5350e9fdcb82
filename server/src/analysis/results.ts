/** What the engine finds, as the nodes of a tree remember it. It knows nothing of how it is found. */
import type { UsesOfFile } from '../config/macro';
import { NO_FACTS, plusFacts, type FileFacts } from '../rules/support/facts';
import type { Context, Finding, LineRule, Resolved, Rule } from '../rules/rule';

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
  /** Whether a section rule listens to a line in this list, or in its transparent sections. */
  hasMembers = false;
  /**
   * The children with findings in or below them, as HOT numbers each, index, offset and line ends before: the walk that publishes goes straight to
   * them. (Looking at the others costs a cache miss each, which is all the time there is in a file of a million lines.)
   */
  hot: number[] | null = null;
  /** Summaries of rules, each with the sum of the lines after it; null before a rule needs one. */
  sums: unknown[] | null = null;
  /** What was found about the Use lines in and below, see uses.ts. */
  uses: FoundUses | null = null;

  constructor(readonly context: Context) {}

  add(other: ListResult): void {
    this.count += other.count;
    this.facts = plusFacts(this.facts, other.facts);
    this.hasMembers ||= other.hasMembers;
  }
}

export class SectionResult extends ListResult {
  /** The findings of the section as a scope, relative to it. */
  found: readonly Found[] = NOTHING_FOUND;
  bodyContext: Context | null = null;
}

/** What most nodes have: one for all of them. */
export const NOTHING_FOUND: readonly Found[] = [];

/** Findings of a list, each with the offset of its line in front. */
export interface FoundUses {
  readonly uses: UsesOfFile;
  readonly found: readonly { readonly offset: number; readonly rule: LineRule; readonly finding: Finding }[];
}
