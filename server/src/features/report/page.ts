/** The elements of a report page, independent of its format. */
import type { Marks } from '../explain-access';

/**
 * Writes the elements of a page. Input is marked up already, except titles, ids and heads of
 * tables, which are plain text.
 */
export interface Page extends Marks {
  /** The whole page, with the parts that every page has. */
  document(parts: {
    readonly title: string;
    readonly lead: readonly string[];
    readonly contents: readonly ReportSection[];
    readonly body: readonly string[];
    readonly end: string;
  }): string;
  section(section: ReportSection, body: readonly string[]): string;
  paragraph(marked: string): string;
  /** The id of a rule, with a link to its page. */
  rule(id: string): string;
  /** A command to copy: complete, whatever its length. */
  command(plain: string): string;
  list(items: readonly string[], isOrdered?: boolean): string;
  /**
   * Answers of a question, of which one may be chosen, and tasks, some of which may be done:
   * `taken` is the word for it.
   */
  choices(items: readonly { readonly isTaken: boolean; readonly marked: string }[], taken: string): string;
  table(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): string;
  progress(parts: readonly ProgressPart[]): string;
}

export interface ReportSection {
  readonly level: 2 | 3 | 4;
  readonly title: string;
  readonly id: string;
}

/** A part of the progress. */
export interface ProgressPart {
  readonly kind: 'ready' | 'waiting' | 'hand';
  readonly label: string;
  readonly count: number;
}
