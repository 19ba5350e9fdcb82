/** The types of sections that apply to a request. */
import type { ConfigLine, Scope } from '../config/configuration';

/**
 * httpd searches sections in four steps. In each step, it merges the sections of the step with each
 * other first.
 */
export type SectionStep = 'directories' | 'files' | 'locations' | 'conditions';

export interface AppliedSection {
  readonly scope: Scope;
  readonly step: SectionStep;
  /** The lines that the server reads, without those of inner sections. */
  readonly lines: readonly ConfigLine[];
  /** The folder of a <Directory> without pattern, or of a .htaccess file. */
  readonly folder: string | null;
}

/** A .htaccess file that the server does not read, and why. */
export interface UnreadFile {
  readonly path: string;
  readonly why: string;
}

export interface AppliedSections {
  readonly sections: readonly AppliedSection[];
  readonly unreadFiles: readonly UnreadFile[];
  /** The answer if the search for sections already refuses the request. Null otherwise. */
  readonly refusal: Refusal | null;
  readonly target: { readonly kind: 'file' | 'directory' | 'missing'; readonly path: string };
}

export interface Refusal {
  readonly access: 'denied' | 'error' | 'unknown';
  readonly why: string;
  /** The lines that decide. */
  readonly lines: readonly ConfigLine[];
  /** The .htaccess file that cannot be read, if that is the reason. */
  readonly file: string | null;
}
