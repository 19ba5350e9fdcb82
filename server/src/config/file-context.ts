/**
 * What is known about a file from the rest of its configuration: the sections around the file, the
 * modules, the definitions. For a file that no configuration reads, a `Context` has null instead;
 * rules that need this data then report nothing.
 *
 * Equal contexts are the same object, because caches compare them by identity.
 */
import type { Activity } from './activity';
import type { Distribution } from './distribution';
import type { UsesOfFile } from './macro';
import type { ConditionResult } from './environment';
import type { Section } from '../syntax/tree';

/** Facts about one file that come from the rest of its configuration. */
export interface FileContext {
  /**
   * Names of the container sections around the Include line of the file, outermost first, in lower
   * case. Empty at the top level, and for a .htaccess. null if the place of the file is unknown.
   */
  readonly containers: readonly string[] | null;
  /**
   * The activity of the lines outside of all sections of the file; undefined for `active`.
   * `unknown` if the Include line of the file is under an undecided condition.
   */
  readonly activity?: Activity;
  /**
   * Modules that the server has after reading everything, by the manual's names (`core`,
   * `mod_alias`, `event`). Built-in modules count, and those whose LoadModule line is under a
   * condition that may hold. A third-party module is `mod_x` for `LoadModule x_module`
   * (config/modules.ts). null if unknown: a part of the configuration is missing, or the loaded
   * modules are no complete 2.4 server.
   */
  readonly modules: ReadonlySet<string> | null;
  /**
   * The built-in modules and those that lines load, as far as they were found. Known even if
   * `modules` is null; undefined if no configuration was read.
   */
  readonly foundModules?: ReadonlySet<string>;
  /** Whether mod_access_compat is certainly absent, even if `modules` is unknown. */
  readonly lacksAccessCompat?: boolean;
  /** Whether the configuration loads modules that only 2.4 has, so it was written for 2.4. */
  readonly isFor24?: boolean;
  /**
   * Whether an `<IfModule>` in the configuration or its .htaccess files names a module whose
   * LoadModule line 2.4 does not accept unchanged (config/old-modules.ts).
   */
  readonly asksForOldModule?: boolean;
  /** Whether a line of the configuration makes mod_mem_cache cache something. */
  readonly usesMemoryCache?: boolean;
  /**
   * For a .htaccess: the classes that AllowOverride grants in its folder, in lower case (`all` for
   * all; `options=indexes` if only these options may be set; `nonfatal=…` as written). Null if
   * unknown, or if the server does not read the file at all.
   */
  readonly overrides: ReadonlySet<string> | null;
  /** For a .htaccess: the names that AllowOverrideList grants, in lower case. */
  readonly overrideList?: ReadonlySet<string>;
  /** Names of all `<Macro>` sections, in lower case. null if unknown. */
  readonly macros: ReadonlySet<string> | null;
  /**
   * Names that `<AuthnProviderAlias>`, `<AuthzProviderAlias>` and LuaAuthzProvider define, as
   * written. null or undefined if unknown.
   */
  readonly providers?: ReadonlySet<string> | null;
  /**
   * The results of the Use lines of the file; undefined if the configuration was not read. Findings
   * in the inserted text are cached separately from those of the file.
   */
  readonly uses?: UsesOfFile | null;
  /**
   * The distribution whose layout the configuration has (config/distribution.ts); if the user has
   * set a distribution, that counts instead.
   */
  readonly distribution?: Distribution | null;
  /**
   * Whether httpd reads the body of a conditional section. Undefined if the configuration does not
   * show more than the tag of the section.
   */
  activityOf(section: Section): Activity | undefined;
  /**
   * The result of a conditional section, with the reason if the result is `unknown`. Undefined if
   * the configuration was not read.
   */
  conditionResultOf?(section: Section): ConditionResult | undefined;
  /**
   * The value of a variable (`Define`), defined anywhere in the configuration. null if it certainly
   * has no value except from the environment, undefined if unknown (several values, a condition).
   * Works only for variables that the file mentions.
   */
  variable(name: string): string | null | undefined;
}

/** A copy of the file context with some fields replaced. */
export function fileContextWith(fileContext: FileContext, replacedFields: Partial<FileContext>): FileContext {
  const {
    containers,
    activity,
    modules,
    foundModules,
    overrides,
    overrideList,
    macros,
    providers,
    uses,
    distribution,
    lacksAccessCompat,
    isFor24,
    asksForOldModule,
    usesMemoryCache,
  } = fileContext;
  return {
    containers,
    modules,
    overrides,
    macros,
    ...(activity !== undefined && { activity }),
    ...(foundModules !== undefined && { foundModules }),
    ...(overrideList !== undefined && { overrideList }),
    ...(providers !== undefined && { providers }),
    ...(uses !== undefined && { uses }),
    ...(distribution !== undefined && { distribution }),
    ...(lacksAccessCompat !== undefined && { lacksAccessCompat }),
    ...(isFor24 !== undefined && { isFor24 }),
    ...(asksForOldModule !== undefined && { asksForOldModule }),
    ...(usesMemoryCache !== undefined && { usesMemoryCache }),
    activityOf: (section) => fileContext.activityOf(section),
    conditionResultOf: (section) => fileContext.conditionResultOf?.(section),
    variable: (name) => fileContext.variable(name),
    ...replacedFields,
  };
}
