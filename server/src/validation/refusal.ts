/** The input and the result of a check of a directive's values. */
import type { Place } from './place';

/** Why httpd refuses a line. */
export interface Refusal {
  /** The index of the wrong word; undefined for the whole line. */
  readonly wordIndex?: number;
  /** The message of httpd; undefined if it depends on unknown facts. */
  readonly serverText?: string;
  /** The problem and the remedy, in one or two sentences. */
  readonly advice: string;
}

/** A line to check: its words, and what is known about its server. */
export interface Arguments {
  /** In lower case, a section without its `<`. */
  readonly name: string;
  readonly isSection: boolean;
  /** None of the words has a `${…}`. */
  readonly words: readonly string[];
  readonly place: Place;
  /** All modules of the server; null if unknown, or if one of them may provide any name. */
  readonly modules: ReadonlySet<string> | null;
  /** Names of providers that the configuration defines itself; null if unknown. */
  readonly providers: ReadonlySet<string> | null;
}

/**
 * The first value that the function of a directive refuses; null if there is none or if that is
 * unknown.
 */
export type Check = (subject: Arguments) => Refusal | null;
