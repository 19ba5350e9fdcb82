/** The types of sections that apply to a request. */
import type { ConfigLine, Scope } from '../config/configuration';

/**
 * A step in which httpd looks for sections. It first merges the sections of one step with each
 * other, and then the results of the steps.
 */
export type SectionStep = 'directories' | 'files' | 'locations' | 'conditions';

/** A section or .htaccess file that applies to a request. */
export interface AppliedSection {
  readonly scope: Scope;
  readonly step: SectionStep;
  /** The lines that the server reads, without those of inner sections. */
  readonly lines: readonly ConfigLine[];
  /**
   * The folder of a <Directory> without pattern, or of a .htaccess file. Null for other sections.
   */
  readonly folder: string | null;
}

/** A .htaccess file that the server does not read, and why. */
export interface UnreadFile {
  readonly path: string;
  readonly why: string;
}

/** The sections that apply to a request, and where the request leads. */
export interface AppliedSections {
  readonly sections: readonly AppliedSection[];
  readonly unreadFiles: readonly UnreadFile[];
  /** The answer that httpd gives before it has found all sections. Null if it finds them all. */
  readonly earlyAnswer: EarlyAnswer | null;
  readonly target: { readonly kind: 'file' | 'directory' | 'missing'; readonly path: string };
}

/** An answer that httpd gives while it still looks for the sections of a request. */
export interface EarlyAnswer {
  readonly access: 'denied' | 'error' | 'unknown';
  readonly why: string;
  /** The lines that decide. */
  readonly lines: readonly ConfigLine[];
  /** The .htaccess file that httpd refuses or cannot read. Null if there is another reason. */
  readonly file: string | null;
}
