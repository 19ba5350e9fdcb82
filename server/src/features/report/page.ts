/** The interface of report pages, independent of the format. */
import type { MarkupWriter } from '../explain-access';

/**
 * Writes the elements of a report page. The input is already marked up, except titles, ids and
 * heads of tables, which are plain text.
 */
export interface ReportWriter extends MarkupWriter {
  /** The whole page with its title, introduction, body and end. */
  document(parts: {
    readonly title: string;
    readonly lead: readonly string[];
    readonly contents: readonly ReportSection[];
    readonly body: readonly string[];
    readonly end: string;
  }): string;
  /** A section with its title. */
  section(section: ReportSection, body: readonly string[]): string;
  /** A paragraph. */
  paragraph(markedText: string): string;
  /** The id of a rule, with a link to its page if the format has links. */
  rule(id: string): string;
  /** A command to copy; never cut, however long it is. */
  command(plainText: string): string;
  /** A list; with numbers if it is ordered. */
  list(items: readonly string[], isOrdered?: boolean): string;
  /**
   * A list with checkboxes: answers of a question, or tasks. `checkedMark` is the word for a
   * checked item, in formats without checkboxes.
   */
  choices(items: readonly { readonly isChecked: boolean; readonly markedText: string }[], checkedMark: string): string;
  /** A table with its caption. */
  table(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): string;
  /**
   * A bar that shows how much of the upgrade is ready, waits for an answer, or has to be done by
   * hand.
   */
  progress(parts: readonly ProgressPart[]): string;
}

/** The heading of a section. */
export interface ReportSection {
  /** The level of the heading. */
  readonly level: 2 | 3 | 4;
  readonly title: string;
  /** The id to which links within the page lead. */
  readonly id: string;
}

/** A part of the progress bar. */
export interface ProgressPart {
  /** What kind of work this part stands for. */
  readonly kind: 'ready' | 'waiting' | 'hand';
  readonly label: string;
  /** The number of items. */
  readonly count: number;
}
