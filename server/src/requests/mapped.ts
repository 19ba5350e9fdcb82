/** The result of the mapping of a URL. */
import type { ConfigLine } from '../config/configuration';

/** A URL of mod_rewrite in place of the requested one. */
export interface RewrittenUrl {
  readonly kind: 'rewritten';
  readonly path: string;
  readonly line: ConfigLine;
}

export type Mapped =
  | { readonly kind: 'file'; readonly path: string; readonly base: string; readonly line: ConfigLine | null }
  | { readonly kind: 'redirect'; readonly path: string; readonly status: number; readonly line: ConfigLine }
  | { readonly kind: 'proxy'; readonly path: string; readonly line: ConfigLine }
  | { readonly kind: 'unknown'; readonly path: string; readonly line: ConfigLine | null };
