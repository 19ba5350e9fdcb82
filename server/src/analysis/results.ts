/**
 * The types of the results that the engine caches on the nodes of a tree. This file does not import
 * the engine.
 */
import type { UsesOfFile } from '../config/macro';
import { NO_FACTS, plusFacts, type FileFacts } from '../rules/support/facts';
import type { Context, Finding, LineRule, Resolved, Rule } from '../rules/rule';

export interface CachedFinding {
  readonly rule: Rule;
  readonly finding: Finding;
  /**
   * Parts of the finding that change because of facts about the file. Cached for as long as the
   * facts are the same.
   */
  resolved?: { readonly facts: FileFacts; readonly change: Resolved | null | undefined };
}

/** A cached result. Its context belongs to one engine, so the result does, too. */
export interface CachedResult<Result> {
  readonly context: Context;
  /** The result of the same node in another context of the file. */
  otherContext: Result | null;
  /** Whether several nodes share this result. Its `otherContext` is then always null. */
  readonly isShared?: boolean;
}

export interface LineResult extends CachedResult<LineResult> {
  readonly findings: readonly CachedFinding[];
}

/** How many numbers `ListResult.childrenWithFindings` has for each child with findings. */
export const NUMBERS_PER_CHILD = 3;

/** The result of a list, with sums over its children. */
export class ListResult implements CachedResult<ListResult> {
  otherContext: this | null = null;
  /** Whether sections with the same lines share it (same-sections.ts). */
  isShared = false;
  /** Number of findings in the list and below it. */
  findingCount = 0;
  facts: FileFacts = NO_FACTS;
  /** Whether a section rule gets lines of this list, or of conditions in it. */
  hasMembers = false;
  /**
   * The children with findings in them or below, as `NUMBERS_PER_CHILD` numbers each: index,
   * offset, and number of line ends before. Showing findings skips all other children. In a file of
   * a million lines, visiting them would take nearly all the time.
   */
  childrenWithFindings: number[] | null = null;
  /**
   * Cached summaries of the list's lines for rules: a rule's `Summary`, then its value, and so on.
   * Null until a rule needs one.
   */
  summaryValues: unknown[] | null = null;
  /** The findings about Use lines in the list and below it, see uses.ts. */
  findingsOfUses: FindingsOfUses | null = null;

  constructor(readonly context: Context) {}

  add(other: ListResult): void {
    this.findingCount += other.findingCount;
    this.facts = plusFacts(this.facts, other.facts);
    this.hasMembers ||= other.hasMembers;
  }
}

export class SectionResult extends ListResult {
  /** The findings about the section as a scope, relative to it. */
  findings: readonly CachedFinding[] = NOTHING_FOUND;
  bodyContext: Context | null = null;
}

/** The array of all nodes without findings. They share one, because most nodes have none. */
export const NOTHING_FOUND: readonly CachedFinding[] = [];

/** Findings of a list, each with the offset of its line. */
export interface FindingsOfUses {
  readonly uses: UsesOfFile;
  readonly lineFindings: readonly { readonly offset: number; readonly rule: LineRule; readonly finding: Finding }[];
}
