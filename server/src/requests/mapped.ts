/** The result of the mapping of a URL. */
import type { ConfigLine } from '../config/configuration';

export type Mapped =
  | { readonly kind: 'file'; readonly path: string; readonly base: string; readonly line: ConfigLine | null }
  | { readonly kind: 'redirect'; readonly path: string; readonly status: number; readonly line: ConfigLine }
  | { readonly kind: 'proxy'; readonly path: string; readonly line: ConfigLine }
  | { readonly kind: 'unknown'; readonly path: string; readonly line: ConfigLine | null };
