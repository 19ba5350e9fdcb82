/** Types for two results: what RewriteRules do with a URL, and where the URL leads after that. */
import type { ConfigLine } from '../config/configuration';

/**
 * Where a URL leads. `line`: the line that maps the URL. `base`: the directory in that line, to
 * which the rest of the URL is added.
 */
export type UrlTarget =
  | { readonly kind: 'file'; readonly path: string; readonly base: string; readonly line: ConfigLine | null }
  | { readonly kind: 'redirect'; readonly path: string; readonly status: number; readonly line: ConfigLine }
  | { readonly kind: 'proxy'; readonly path: string; readonly line: ConfigLine }
  | { readonly kind: 'unknown'; readonly path: string; readonly line: ConfigLine | null };

/**
 * Where RewriteRules lead. `none`: no rule changes the target. `line`: the last rule that changes
 * it.
 */
export type RewriteEnd =
  | { readonly kind: 'none' }
  | { readonly kind: 'redirect'; readonly status: number; readonly path: string; readonly line: ConfigLine }
  | { readonly kind: 'proxy'; readonly path: string; readonly line: ConfigLine }
  | {
      readonly kind: 'path';
      readonly path: string;
      readonly query: string;
      readonly line: ConfigLine;
      /**
       * Whether a rule has the flag `[PT]`: then mod_alias and others map the path as if it were
       * the URL.
       */
      readonly passesToUrl: boolean;
    }
  | { readonly kind: 'unknown'; readonly line: ConfigLine };

/** The result of a list of RewriteRules. */
export interface RewriteResult {
  readonly end: RewriteEnd;
  /** Whether a rule with `[END]` matched: no further rules apply to the request. */
  readonly isLast: boolean;
  /** The variables that `[E]` sets (true) and unsets (false). */
  readonly variables: ReadonlyMap<string, boolean>;
}

/** The result if no RewriteRule applies. */
export const NO_REWRITING: RewriteResult = { end: { kind: 'none' }, isLast: false, variables: new Map() };
