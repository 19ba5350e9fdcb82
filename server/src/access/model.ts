/**
 * Types of access control: the access of a 2.2 section, a 2.4 Require tree, and the requests for
 * which both are evaluated. docs/access-control.md is the specification.
 */
import type { Operand } from './operand';

export type Order = 'allow,deny' | 'deny,allow' | 'mutual-failure';

/**
 * The host rules of one section: its Order, Allow and Deny lines, as mod_authz_host stores them. A
 * section with any such line replaces all inherited host rules.
 */
export interface HostRules {
  readonly order: Order;
  readonly allow: readonly Operand[];
  readonly deny: readonly Operand[];
}

/**
 * A Require line about users: `valid-user`, `user a b`, `group g`, `ldap-group …`. 2.2 has only
 * such Require lines.
 */
export interface UserRequirement {
  /** The text after `Require`, as in the file. */
  readonly text: string;
}

/**
 * The access rules that decide a request in 2.2, for one class of methods: those of a section, or
 * those merged from several sections.
 */
export interface Section22 {
  /** Null if the section has no host rules. */
  readonly hostRules: HostRules | null;
  readonly satisfy: 'all' | 'any';
  readonly userRequirements: readonly UserRequirement[];
}

/** The access rules of one section in 2.4 with mod_access_compat, for one class of methods. */
export interface SectionCompat {
  readonly hostRules: HostRules | null;
  readonly satisfy: 'all' | 'any';
  /** Null if no Require applies. */
  readonly tree: Tree24 | null;
}

/** The version whose decisions a conversion keeps: 2.2, or 2.4 with mod_access_compat. */
export type Source = '2.2' | '2.4';

/** A `Require` line of 2.4, without `not`. */
export type Leaf24 =
  | { readonly type: 'granted' }
  | { readonly type: 'denied' }
  /** `Require ip|host|env operand …`: any of the operands. */
  | { readonly type: 'match'; readonly provider: 'ip' | 'host' | 'env'; readonly operands: readonly string[] }
  /** A requirement about users. Without a user, httpd asks for a login. */
  | { readonly type: 'user'; readonly requirement: UserRequirement }
  /**
   * `Require method …`. If `isNegated`, it is `Require not method …`: it refuses these methods and
   * has no effect on others.
   */
  | { readonly type: 'method'; readonly methods: readonly string[]; readonly isNegated: boolean }
  /** Any other provider, such as `expr` and `local`. `text`: what follows `Require`. */
  | { readonly type: 'other'; readonly text: string };

/** A 2.4 authorization tree, as mod_authz_core builds it from Require lines and containers. */
export type Tree24 =
  | Leaf24
  | { readonly type: 'not'; readonly inner: Leaf24 }
  | { readonly type: 'any'; readonly inner: readonly Tree24[] }
  | { readonly type: 'all'; readonly inner: readonly Tree24[] }
  | { readonly type: 'none'; readonly inner: readonly Tree24[] }
  /** Lines in `<Limit>` or `<LimitExcept>`. HEAD counts as GET. */
  | {
      readonly type: 'limited';
      readonly methods: readonly string[];
      readonly isExcept: boolean;
      readonly inner: Tree24;
    };

/**
 * The facts about a request on which its access depends. The proof evaluates old and new lines for
 * many combinations of these facts.
 */
export interface Assignment {
  /** Whether an operand of Allow, Deny or Require matches the client or its environment. */
  matches(provider: 'ip' | 'host' | 'env', operand: string): boolean;
  /**
   * Whether a Require line with another provider grants access. `text`: what follows `Require`.
   * Absent if no tree needs it.
   */
  holds?(text: string, isUserKnown: boolean): boolean;
  /** The request's method; HEAD counts as GET. Absent if no tree needs it. */
  readonly method?: string;
  /**
   * Returns whether the user fulfils a requirement. Null if the request has no credentials, or
   * wrong ones.
   */
  readonly user: ((requirement: UserRequirement) => boolean) | null;
}

/** The answers of the server: status 200, 401 and 403. */
export type Decision = 'allowed' | 'unauthorized' | 'forbidden';
