/**
 * The types of the results that the engine caches on the nodes of a tree. This file does not import
 * the engine.
 */
import type { UsesOfFile } from '../config/macro';
import { NO_FACTS, plusFacts, type FileFacts } from '../rules/support/facts';
import type { Context, Finding, LineRule, ResolvedParts, Rule } from '../rules/rule';

/** A finding of a rule, with offsets from the start of its line or section. */
export interface CachedFinding {
  readonly rule: Rule;
  readonly finding: Finding;
  /**
   * The parts of the finding that depend on facts about the file, and the facts for which they were
   * computed.
   */
  resolved?: { readonly facts: FileFacts; readonly change: ResolvedParts | null | undefined };
}

/**
 * A cached result. Its context belongs to one engine, so the result is valid only for that engine.
 */
export interface CachedResult<Result> {
  readonly context: Context;
  /** The result of the same node in another context of the file. Null if there is none yet. */
  otherContext: Result | null;
  /** Whether several nodes share this result. If so, its `otherContext` is always null. */
  readonly isShared?: boolean;
}

/** The result of a line. */
export interface LineResult extends CachedResult<LineResult> {
  readonly findings: readonly CachedFinding[];
}

/** How many numbers `ListResult.childrenWithFindings` has for each child with findings. */
export const NUMBERS_PER_CHILD = 3;

/** The result of a list. Its counts and facts are sums over all children. */
export class ListResult implements CachedResult<ListResult> {
  otherContext: this | null = null;
  /** Whether several sections with the same lines share this result (same-sections.ts). */
  isShared = false;
  /** Number of findings in the list, at any depth. */
  findingCount = 0;
  /** The facts about all lines in the list. */
  facts: FileFacts = NO_FACTS;
  /**
   * Whether a section rule needs lines of this list, or lines of conditional sections in the list.
   */
  hasMembers = false;
  /**
   * The children of the list that have findings, or contain nodes with findings. Each is stored as
   * `NUMBERS_PER_CHILD` numbers: its index, its offset, and the number of line ends before it. Only
   * these children are visited to show findings, because visiting all children of a file of a
   * million lines would take nearly all the time.
   */
  childrenWithFindings: number[] | null = null;
  /**
   * Values that rules about the whole file have computed for this list. Each `Summary` of a rule is
   * followed by its value. Null until a rule needs a value.
   */
  summaryValues: unknown[] | null = null;
  /**
   * The findings about Use lines in the list, at any depth (uses.ts). Null until they are computed.
   */
  findingsOfUses: FindingsOfUses | null = null;

  constructor(readonly context: Context) {}

  /** Adds the counts and facts of a child. */
  add(other: ListResult): void {
    this.findingCount += other.findingCount;
    this.facts = plusFacts(this.facts, other.facts);
    this.hasMembers ||= other.hasMembers;
  }
}

/** The result of a section. It includes the results of the lines in the section. */
export class SectionResult extends ListResult {
  /**
   * The findings about the section as a whole. Their offsets count from the start of the section.
   */
  findings: readonly CachedFinding[] = NOTHING_FOUND;
  /** The context of the section's lines. Null if these lines are not analyzed. */
  bodyContext: Context | null = null;
}

/** The empty list that all nodes without findings share. Most nodes have none. */
export const NOTHING_FOUND: readonly CachedFinding[] = [];

/** The findings about the Use lines of a list, each with the offset of its line in the list. */
export interface FindingsOfUses {
  readonly uses: UsesOfFile;
  readonly lineFindings: readonly { readonly offset: number; readonly rule: LineRule; readonly finding: Finding }[];
}
