/** The interface of report pages, independent of the format. */
import type { MarkupWriter } from '../explain-access';

/**
 * Writes the elements of a report page. The input is already marked up, except titles, ids and
 * heads of tables, which are plain text.
 */
export interface Page extends MarkupWriter {
  /** The whole page with its title, introduction, body and end. */
  document(parts: {
    readonly title: string;
    readonly lead: readonly string[];
    readonly contents: readonly ReportSection[];
    readonly body: readonly string[];
    readonly end: string;
  }): string;
  section(section: ReportSection, body: readonly string[]): string;
  paragraph(marked: string): string;
  /** The id of a rule, with a link to its page if the format has links. */
  rule(id: string): string;
  /** A command to copy; never cut, however long it is. */
  command(plain: string): string;
  list(items: readonly string[], isOrdered?: boolean): string;
  /**
   * A list with checkboxes: answers of a question, or tasks. `taken` is the word for a checked one,
   * in formats without checkboxes.
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

/** A part of the progress bar. */
export interface ProgressPart {
  readonly kind: 'ready' | 'waiting' | 'hand';
  readonly label: string;
  readonly count: number;
}
