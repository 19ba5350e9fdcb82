/**
 * What the rest of a configuration says about a file: where its top level stands, which modules are there, what is
 * defined. A file by itself has none of this (`null` in a `Context`), and whoever has none is silent about it.
 *
 * Objects of this kind are interned by whoever makes them: caches compare them by identity.
 */
import type { Activity } from './activity';
import type { Distribution } from './distribution';
import type { UsesOfFile } from './macro';
import type { Answer } from './environment';
import type { Section } from '../syntax/tree';

export interface Surroundings {
  /** Names of the container sections around the file's top level, outermost first, in lower case; empty for the main server's own, and for a .htaccess. null where nobody knows where the file is read. */
  readonly containers: readonly string[] | null;
  /** Of the file's top level; left out for `active`. `unknown` where the Include that brings it in stands under a condition of which nobody knows whether it holds. */
  readonly activity?: Activity;
  /**
   * Modules that the server has once it has read everything, by the manual's names (`core`, `mod_alias`, `event`), built-in ones too, and those whose
   * LoadModule line stands under a condition that may hold. One that does not come with httpd is `mod_x` for `LoadModule x_module` (config/modules.ts).
   * null where nobody knows: a part of the configuration is missing, or what is loaded is no complete 2.4 server.
   */
  readonly modules: ReadonlySet<string> | null;
  /** Certain that mod_access_compat is not there, also where `modules` is not known. */
  readonly lacksCompat?: boolean;
  /** It loads modules that only 2.4 has: it was written for 2.4. */
  readonly isFor24?: boolean;
  /** Somewhere in it, .htaccess files at hand included, an `<IfModule>` asks for a module whose LoadModule line 2.4 does not have as it is (config/old-modules.ts). */
  readonly asksForOldModule?: boolean;
  /**
   * For a .htaccess: the classes that AllowOverride grants there, in lower case (`all` for all; `options=indexes` where only these options may be
   * set; `nonfatal=…` as written). null where nobody knows, also where the server does not read the file at all.
   */
  readonly overrides: ReadonlySet<string> | null;
  /** Names that AllowOverrideList grants a .htaccess, in lower case. */
  readonly overrideList?: ReadonlySet<string>;
  /** Names that `<Macro>` defines anywhere, in lower case. null where nobody knows. */
  readonly macros: ReadonlySet<string> | null;
  /** Names that `<AuthnProviderAlias>`, `<AuthzProviderAlias>` and LuaAuthzProvider define anywhere, as written. null, or left out, where nobody knows. */
  readonly providers?: ReadonlySet<string> | null;
  /** What the Use lines of the file come to; left out where nobody walked through the configuration. What is found by it is not cached with the rest. */
  readonly uses?: UsesOfFile | null;
  /** Whose layout the configuration has (config/distribution.ts); what a person set goes before it. */
  readonly distribution?: Distribution | null;
  /** What the walk through the configuration found out about a conditional section; undefined where it says no more than the section itself. */
  activityOf(section: Section): Activity | undefined;
  /** The same, `unknown` included, and why: a sentence for people, without a full stop. */
  answerOf?(section: Section): Answer | undefined;
  /**
   * The value of a variable (`Define`), wherever in the configuration it is given; null where it is certain that there is none but the environment's,
   * undefined where nobody knows (several values, a condition). Answers for the variables that the file mentions, and for no others.
   */
  variable(name: string): string | null | undefined;
}

/** The same surroundings with something else in them. */
export function derived(surroundings: Surroundings, other: Partial<Surroundings>): Surroundings {
  const {
    containers,
    activity,
    modules,
    overrides,
    overrideList,
    macros,
    providers,
    uses,
    distribution,
    lacksCompat,
    isFor24,
    asksForOldModule,
  } = surroundings;
  return {
    containers,
    modules,
    overrides,
    macros,
    ...(activity !== undefined && { activity }),
    ...(overrideList !== undefined && { overrideList }),
    ...(providers !== undefined && { providers }),
    ...(uses !== undefined && { uses }),
    ...(distribution !== undefined && { distribution }),
    ...(lacksCompat !== undefined && { lacksCompat }),
    ...(isFor24 !== undefined && { isFor24 }),
    ...(asksForOldModule !== undefined && { asksForOldModule }),
    activityOf: (section) => surroundings.activityOf(section),
    answerOf: (section) => surroundings.answerOf?.(section),
    variable: (name) => surroundings.variable(name),
    ...other,
  };
}
