/** What a check of a directive's values sees and answers. */
import type { Place } from './place';

export interface Refusal {
  /** The word that is wrong; undefined for the line as a whole. */
  readonly at?: number;
  /** What httpd says, in its words; left out where they depend on what is not known here. */
  readonly said?: string;
  /** What is wrong and what to do, in a sentence or two. */
  readonly advice: string;
}

export interface Arguments {
  /** In lower case, a section without its `<`. */
  readonly name: string;
  readonly isSection: boolean;
  /** No word has a `${…}`. */
  readonly words: readonly string[];
  readonly place: Place;
  /** All modules that the server has; null where they are not known, or where one is among them that may provide anything. */
  readonly modules: ReadonlySet<string> | null;
  /** Names that the configuration itself gives to providers; null where they are not known. */
  readonly providers: ReadonlySet<string> | null;
}

/** The first thing that a directive's function would refuse; null where nothing is, or where it is not known. */
export type Check = (subject: Arguments) => Refusal | null;
