/**
 * The types of the results that the engine caches on the nodes of a tree. This file does not import
 * the engine.
 */
import type { UsesOfFile } from '../config/macro';
import { NO_FACTS, plusFacts, type FileFacts } from '../rules/support/facts';
import type { Context, Finding, LineRule, Resolved, Rule } from '../rules/rule';

export interface Found {
  readonly rule: Rule;
  readonly finding: Finding;
  /**
   * Parts of the finding that change because of facts about the file. Cached for as long as the
   * facts are the same.
   */
  resolved?: { readonly facts: FileFacts; readonly change: Resolved | null | undefined };
}

/** A cached result. Its context belongs to one engine, so the result does, too. */
export interface Cached<Result> {
  readonly context: Context;
  /** The result in another context of the file. */
  other: Result | null;
  /** Whether other nodes may use the same result. Its `other` is then always null. */
  readonly isShared?: boolean;
}

export interface LineResult extends Cached<LineResult> {
  readonly found: readonly Found[];
}

/** How many numbers `ListResult.childrenWithFindings` has for each child with findings. */
export const NUMBERS_PER_CHILD = 3;

/** The result of a list, with sums over its children. */
export class ListResult implements Cached<ListResult> {
  other: this | null = null;
  /** Whether sections with the same lines share it (same-sections.ts). */
  isShared = false;
  /** Number of findings in the list and below it. */
  count = 0;
  facts: FileFacts = NO_FACTS;
  /** Whether a section rule gets lines of this list, or of conditions in it. */
  hasMembers = false;
  /**
   * The children with findings in them or below, as HOT numbers each: index, offset, and number of
   * line ends before. Showing findings skips all other children. In a file of a million lines,
   * visiting them would take nearly all the time.
   */
  childrenWithFindings: number[] | null = null;
  /**
   * The summaries that rules need of these lines: a rule's `Summary`, then its value, and so on.
   * Null until a rule needs one.
   */
  summaryValues: unknown[] | null = null;
  /** The findings about Use lines in the list and below it, see uses.ts. */
  uses: FoundUses | null = null;

  constructor(readonly context: Context) {}

  add(other: ListResult): void {
    this.count += other.count;
    this.facts = plusFacts(this.facts, other.facts);
    this.hasMembers ||= other.hasMembers;
  }
}

export class SectionResult extends ListResult {
  /** The findings about the section as a scope, relative to it. */
  found: readonly Found[] = NOTHING_FOUND;
  bodyContext: Context | null = null;
}

/** One shared array, because most nodes have no findings. */
export const NOTHING_FOUND: readonly Found[] = [];

/** Findings of a list, each with the offset of its line. */
export interface FoundUses {
  readonly uses: UsesOfFile;
  readonly found: readonly { readonly offset: number; readonly rule: LineRule; readonly finding: Finding }[];
}
