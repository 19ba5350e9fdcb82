/** Types for the checks whether the functions of httpd accept the values of a directive. */
import type { Place } from './place';

/** Why httpd refuses a line. */
export interface Refusal {
  /** The 0-based index of the wrong word; undefined if the whole line is wrong. */
  readonly wordIndex?: number;
  /** The message of httpd; undefined if it depends on facts that are not known here. */
  readonly serverText?: string;
  /** What is wrong with the whole line, for a headline; absent if a word is wrong or if unknown. */
  readonly problem?: string;
  /** The problem and the remedy, in one or two sentences. */
  readonly advice: string;
}

/** A line to check: its words, and the known facts about its server. */
export interface LineToCheck {
  /** The name in lower case. The name of a section has no `<`. */
  readonly name: string;
  readonly isSection: boolean;
  /** The arguments. A check is called only if none of them has a variable `${…}`. */
  readonly words: readonly string[];
  readonly place: Place;
  /**
   * The modules that the server has. Null if they are unknown, or if one of them may provide names
   * that are not known here.
   */
  readonly modules: ReadonlySet<string> | null;
  /**
   * Names that lines of the configuration define for providers, filters or methods; null if
   * unknown.
   */
  readonly providers: ReadonlySet<string> | null;
}

/**
 * Checks the values of a line as a function of httpd does. Returns the first refusal; null if there
 * is none or if that is unknown.
 */
export type ValueCheck = (lineToCheck: LineToCheck) => Refusal | null;
