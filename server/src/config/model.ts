/**
 * A configuration as httpd reads it: what is loaded, defined and served, which file is read where,
 * and which conditions are true. read-model.ts makes it. Rules get, for each file, a `FileContext`
 * with the facts that concern the file (file-context-of-walk.ts). docs/how-httpd-reads.md.
 */
import type { Line } from '../syntax/line';
import type { Activity } from './activity';
import type { Distribution } from './distribution';
import type { ConditionResult } from './environment';
import type { FileSummary } from './file-summary';
import type { PathMap } from './files';
import type { Macro, UseResult } from './macro';
import type { Steps } from './resumable';
import type { StartOptions } from './service-file';

/**
 * Facts outside of the configuration files: how the server is built and started, and where its
 * files are on this machine.
 */
export interface ServerSettings {
  readonly serverRoot?: string;
  readonly pathMap?: PathMap;
  /**
   * The names and values of `-D`; a name alone has the value ''. null or undefined if the start
   * options are unknown.
   */
  readonly defines?: ReadonlyMap<string, string> | null;
  /** Names for which the user answered whether the server is started with them (`-D`). */
  readonly defineFlags?: ReadonlyMap<string, boolean>;
  readonly distribution?: Distribution | null;
  /** Modules compiled in, by the manual's names. */
  readonly builtIn?: ReadonlySet<string> | null;
  /**
   * Whether the configuration is of 2.2 even if it loads modules of 2.4. Fixes of this program may
   * have added these modules.
   */
  readonly isFrom22?: boolean;
}

/** What is known about one configuration after the walk through its files (read-model.ts). */
export interface Model {
  /** The path, with symbolic links resolved. */
  readonly mainFile: string;
  readonly serverRoot: string;
  readonly pathMap: PathMap;
  /** The start options in the distribution's script; null if there are none. */
  readonly startOptions: StartOptions | null;
  /**
   * The distribution whose layout the configuration has: set by the user, or detected by its paths.
   * Null if it is neither set nor detected.
   */
  readonly distribution: Distribution | null;
  /**
   * The readings of each file. The keys are paths with symbolic links resolved. A file that is read
   * inside different sections has several readings.
   */
  readonly files: ReadonlyMap<string, readonly Reading[]>;
  /** The main file and its includes, in order. */
  readonly fileTree: FileNode;
  /**
   * The Include lines of each file, by the path of the file. A file that is read several times has
   * them once for each reading.
   */
  readonly includes: ReadonlyMap<string, readonly IncludeNode[]>;
  /**
   * The names of all modules that the server has or may have, as in the manual, including built-in
   * ones. A third-party module is `mod_x` for `x_module`. Null if the server may have other
   * modules.
   */
  readonly modules: ReadonlySet<string> | null;
  /**
   * The built-in modules and those that lines load, named as in `modules`. The server may have
   * others.
   */
  readonly foundModules: ReadonlySet<string>;
  /**
   * Whether mod_access_compat is certainly missing: all files are known, LoadModule lines load
   * the modules, and no line loads this one. This can be known even if `modules` is null, because
   * the LoadModule lines of a 2.2 server never load this module.
   */
  readonly lacksAccessCompat: boolean;
  /** Whether the configuration loads modules that only 2.4 has, so it was written for 2.4. */
  readonly isFor24: boolean;
  /**
   * Whether an `<IfModule>` of the configuration names a module whose LoadModule line 2.4 does not
   * accept unchanged (config/old-modules.ts).
   */
  readonly asksForOldModule: boolean;
  /** Whether a line makes mod_mem_cache cache something. */
  readonly usesMemoryCache: boolean;
  /** The macros by their names in lower case. There may be others if `knowsMacros` is false. */
  readonly macros: ReadonlyMap<string, Macro>;
  readonly knowsMacros: boolean;
  /** Names of providers that the configuration defines, as written; null if there may be others. */
  readonly providers: ReadonlySet<string> | null;
  /** All Define lines of each variable, by its name in lower case. */
  readonly variables: ReadonlyMap<string, readonly Definition[]>;
  readonly knowsVariables: boolean;
  /** Folders of DocumentRoot, Alias and ScriptAlias, as paths of the server. */
  readonly servedFolders: readonly string[];
  readonly accessFileNames: readonly string[];
  readonly overrideLines: readonly OverrideLine[];
  /**
   * Computes `servedFolders` and `overrideLines` in steps. If it was not called, the first use of
   * one of them computes both at once.
   */
  readonly gatherServedFolders: () => Steps<void>;
  readonly gaps: readonly ModelGap[];
  /** The assumption with which the configuration was read. */
  readonly assumption: Assumption;
}

/** How a file is read at places with the same kinds of sections around the Include line. */
export interface Reading {
  /** Names of the container sections around the Include line, outermost first, in lower case. */
  readonly containers: readonly string[];
  /** The file's summary when it was read. */
  readonly fileSummary: FileSummary;
  /**
   * Whether httpd reads the file. `unknown` if the Include line is in a condition whose result is
   * unknown.
   */
  activity: Activity;
  /**
   * The results of the conditions in the file, by their open tags. A result is unknown if the
   * places that read the file have different results.
   */
  readonly conditions: Map<Line, ConditionResult>;
  /**
   * The results of the Use lines in the file. A result is null if it is unknown, or if the places
   * that read the file have different results.
   */
  readonly uses: Map<Line, UseResult>;
  /** The first Include lines that read the file, at most three. */
  readonly includedBy: IncludeNode[];
}

/** A file in the tree of includes, with its Include lines. */
export interface FileNode {
  /** The path, with symbolic links resolved. */
  readonly path: string;
  /** The path as the Include found it. */
  readonly name: string;
  readonly includes: IncludeNode[];
}

/** An Include line at one of its readings. */
export interface IncludeNode {
  readonly line: Line;
  /** The file of the line. */
  readonly file: string;
  /** 0-based row of the line when the file was read. */
  readonly row: number;
  /** The argument of the line, with known variables replaced. */
  readonly what: string;
  readonly activity: Activity;
  /** The tags of the container sections around the line, such as `<VirtualHost *:80>`. */
  readonly enclosingTags: readonly string[];
  /** The tags of the conditions around the line whose results are not known, outermost first. */
  readonly unknownConditions: readonly Line[];
  readonly files: FileNode[];
  problem: GapReason | null;
}

/** Why a part of the configuration was not read. */
export type GapReason =
  | 'include-missing'
  | 'include-variable'
  | 'include-folder-missing'
  | 'include-unreadable'
  | 'too-deep'
  | 'too-many'
  | 'macro'
  | 'perl'
  | 'variable-line';

/** A part of the configuration that was not read, and the line that refers to it. */
export interface ModelGap {
  readonly reason: GapReason;
  readonly file: string;
  readonly line: Line;
  readonly row: number;
  /** The path, macro, section or directive that is not known, as users see it. */
  readonly what: string;
  readonly activity: Activity;
}

/** The value that a Define line gives to a variable. */
export interface Definition {
  /** The defined value; null if it depends on unknown facts. */
  readonly value: string | null;
  readonly file: string;
  readonly line: Line;
  readonly row: number;
}

/** An AllowOverride or AllowOverrideList line, and the sections around it. */
export interface OverrideLine {
  readonly name: string;
  readonly words: readonly string[];
  readonly scope: ModelScope;
  readonly activity: Activity;
}

/**
 * A container section of the configuration. Null instead of a scope stands for the main server
 * outside of sections.
 */
export interface ModelScope {
  readonly name: string;
  readonly words: readonly string[];
  readonly parent: ModelScope | null;
}

/** Facts that a program must assume before it reads a configuration. */
export interface Assumption {
  readonly distribution: Distribution | null;
  readonly builtIn: ReadonlySet<string>;
  /** Whether a module that no line loads, and that is not in `builtIn`, is absent. */
  readonly knowsModules: boolean;
}
