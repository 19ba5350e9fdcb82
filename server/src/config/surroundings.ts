/**
 * What the rest of a configuration says about a file: where its top level stands, which modules are there, what is
 * defined. A file by itself has none of this (`null` in a `Context`), and whoever has none is silent about it.
 *
 * Objects of this kind are interned by whoever makes them: caches compare them by identity.
 */
import type { Activity } from './activity';
import type { Distribution } from './distribution';
import type { Section } from '../syntax/tree';

export interface Surroundings {
  /** Names of the container sections around the file's top level, outermost first, in lower case; empty for the main server's own. null where nobody knows where the file is read. */
  readonly containers: readonly string[] | null;
  /** Modules that the server has once it has read everything, by the manual's names (`core`, `mod_alias`, `event`), built-in ones too. null where nobody knows. */
  readonly modules: ReadonlySet<string> | null;
  /** For a .htaccess: the classes that AllowOverride grants there, in lower case (`all` for all). null where nobody knows. */
  readonly overrides: ReadonlySet<string> | null;
  /** Names that AllowOverrideList grants a .htaccess, in lower case. */
  readonly overrideList?: ReadonlySet<string>;
  /** Names that `<Macro>` defines anywhere, in lower case. null where nobody knows. */
  readonly macros: ReadonlySet<string> | null;
  /** Whose layout the configuration has (config/distribution.ts); what a person set goes before it. */
  readonly distribution?: Distribution | null;
  /** What the walk through the configuration found out about a conditional section; undefined where it says no more than the section itself. */
  activityOf(section: Section): Activity | undefined;
  /** The value of a variable (`Define`); null where it is certain that there is none but the environment's, undefined where nobody knows. */
  variable(name: string): string | null | undefined;
}
