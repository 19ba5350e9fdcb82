/** What a page of the report can hold, whatever it is written in. */
import type { Marks } from '../explain-access';

/** How the page is written. What comes in is marked up already, but for titles, ids and heads of tables, which are plain text of ours or of a file. */
export interface Page extends Marks {
  /** The whole, with what is the same on every page. */
  document(parts: {
    readonly title: string;
    readonly lead: readonly string[];
    readonly contents: readonly ReportSection[];
    readonly body: readonly string[];
    readonly end: string;
  }): string;
  section(section: ReportSection, body: readonly string[]): string;
  paragraph(marked: string): string;
  /** To be copied: whole, whatever its length. */
  command(plain: string): string;
  list(items: readonly string[], isOrdered?: boolean): string;
  /** Answers of a question, of which one may be taken, and tasks, of which some may be done: `taken` says so. null where there is nothing to take. */
  choices(items: readonly { readonly isTaken: boolean | null; readonly marked: string }[], taken: string): string;
  table(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): string;
  progress(parts: readonly ProgressPart[]): string;
}

export interface ReportSection {
  readonly level: 2 | 3 | 4;
  readonly title: string;
  readonly id: string;
}

/** A part of all that there is to do. */
export interface ProgressPart {
  readonly kind: 'ready' | 'waiting' | 'hand';
  readonly label: string;
  readonly count: number;
}
