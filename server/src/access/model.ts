/**
 * The vocabulary of access control: what a 2.2 section says, what a 2.4 Require tree says, and the worlds in which both
 * are asked. docs/access-control.md is the specification.
 */
import type { Operand } from './operand';

export type Order = 'allow,deny' | 'deny,allow' | 'mutual-failure';

/** mod_authz_host's record of one section: no merging, so a section with any of the lines has the whole of it. */
export interface HostRules {
  readonly order: Order;
  readonly allow: readonly Operand[];
  readonly deny: readonly Operand[];
}

/** A Require line that is about users: `valid-user`, `user a b`, `group g`, `ldap-group …`; 2.2 had no others. */
export interface UserRequirement {
  /** As in the file, behind `Require`. */
  readonly text: string;
}

/** What a 2.2 section decides by itself, for one class of methods. */
export interface Section22 {
  /** null: the section says nothing about hosts. */
  readonly host: HostRules | null;
  readonly satisfy: 'all' | 'any';
  readonly requires: readonly UserRequirement[];
}

/** What a section decides on 2.4 with mod_access_compat, for one class of methods. */
export interface SectionCompat {
  readonly host: HostRules | null;
  readonly satisfy: 'all' | 'any';
  /** null: no Require is in effect. */
  readonly tree: Tree24 | null;
}

/** Whose decisions a conversion keeps: those of 2.2, or those of 2.4 with mod_access_compat. */
export type Source = '2.2' | '2.4';

/** A `Require` line of 2.4 without `not`. */
export type Leaf24 =
  | { readonly type: 'granted' }
  | { readonly type: 'denied' }
  /** `Require ip|host|env operand …`: any of the operands. */
  | { readonly type: 'match'; readonly provider: 'ip' | 'host' | 'env'; readonly operands: readonly string[] }
  /** About users: without one, the answer is to ask for one. */
  | { readonly type: 'user'; readonly requirement: UserRequirement }
  /** `Require method …`; negated, for `Require not method …`: none of them, which is neutral otherwise. */
  | { readonly type: 'method'; readonly methods: readonly string[]; readonly isNegated: boolean }
  /** Any other provider, `expr` and `local` among them: what stands behind `Require`. */
  | { readonly type: 'other'; readonly text: string };

/** A 2.4 authorization tree: what mod_authz_core makes of Require lines and containers. */
export type Tree24 =
  | Leaf24
  | { readonly type: 'not'; readonly of: Leaf24 }
  | { readonly type: 'any'; readonly of: readonly Tree24[] }
  | { readonly type: 'all'; readonly of: readonly Tree24[] }
  | { readonly type: 'none'; readonly of: readonly Tree24[] }
  /** What stands within `<Limit>` or `<LimitExcept>`; HEAD as GET. */
  | { readonly type: 'limited'; readonly methods: readonly string[]; readonly isExcept: boolean; readonly of: Tree24 };

/** A request, as far as access control sees it. */
export interface World {
  /** Whether an operand matches the client or its environment. */
  matches(provider: 'ip' | 'host' | 'env', operand: string): boolean;
  /** Whether any other provider is satisfied, by what stands behind `Require`, before or after a user is known. Left out where no tree asks for it. */
  holds?(text: string, isUserKnown: boolean): boolean;
  /** The request's method; HEAD as GET. Left out where no tree asks for it. */
  readonly method?: string;
  /** null: no credentials, or wrong ones. Otherwise which requirements the authenticated user meets. */
  readonly user: ((requirement: UserRequirement) => boolean) | null;
}

/** 200, 401, 403. */
export type Decision = 'allowed' | 'unauthorized' | 'forbidden';
