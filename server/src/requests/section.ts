/** The sections that apply to a request. */
import type { ConfigLine, Scope } from '../config/configuration';

/** Which walk of the server found a section. Each merges its own sections first. */
export type Walk = 'directories' | 'files' | 'locations' | 'conditions';

export interface AppliedSection {
  readonly scope: Scope;
  readonly walk: Walk;
  /** The lines that the server reads, without those of inner sections. */
  readonly lines: readonly ConfigLine[];
  /** The folder of a <Directory> without pattern, or of a .htaccess file. */
  readonly folder: string | null;
}

/** A .htaccess file that is not read, and why. */
export interface UnreadFile {
  readonly path: string;
  readonly why: string;
}

export interface AppliedSections {
  readonly sections: readonly AppliedSection[];
  readonly unread: readonly UnreadFile[];
  /** An answer that the walk itself gives. Null if it gives none. */
  readonly refusal: Refusal | null;
  readonly target: { readonly kind: 'file' | 'directory' | 'missing'; readonly path: string };
}

export interface Refusal {
  readonly access: 'denied' | 'error' | 'unknown';
  readonly why: string;
  /** The lines that decide. */
  readonly lines: readonly ConfigLine[];
  /** For a file that cannot be read. */
  readonly file: string | null;
}
