/**
 * A configuration as httpd reads it: what is loaded, defined and served, which file is read where, and which conditions hold.
 * read-model.ts makes it; rules get it as `Surroundings`, file by file (file-context-of-walk.ts). docs/how-httpd-reads.md.
 */
import type { Line } from '../syntax/line';
import type { Activity } from './activity';
import type { Distribution } from './distribution';
import type { Answer } from './environment';
import type { Digest } from './file-summary';
import type { PathMap } from './files';
import type { Macro, UseAnswer } from './macro';
import type { Steps } from './resumable';
import type { StartOptions } from './service-file';

/** What no configuration file says: how the server is built and started, and where its files are here. */
export interface ServerSettings {
  readonly serverRoot?: string;
  readonly map?: PathMap;
  /** `-D` names and values; a name alone has the value ''. null or left out where nobody knows what the server is started with. */
  readonly defines?: ReadonlyMap<string, string> | null;
  /** Names of which a person said by an answer whether the server is started with them (`-D`). */
  readonly flags?: ReadonlyMap<string, boolean>;
  readonly distribution?: Distribution | null;
  /** Modules compiled in, by the manual's names. */
  readonly builtIn?: ReadonlySet<string> | null;
  /** Whether modules of 2.4 are no evidence that the configuration was written for 2.4. */
  readonly isFrom22?: boolean;
}

/** One configuration. */
export interface Model {
  /** Without links. */
  readonly root: string;
  readonly serverRoot: string;
  readonly map: PathMap;
  /** What the distribution's script starts it with; null where nothing here says so. */
  readonly started: StartOptions | null;
  /** Whose layout it has: what a person said, or what its paths tell. */
  readonly distribution: Distribution | null;
  /** By path without links; a file that is read inside different sections has several readings. */
  readonly files: ReadonlyMap<string, readonly Reading[]>;
  /** The root, and what it includes, in order. */
  readonly tree: FileNode;
  /** The Include lines of each file, as often as they were read. */
  readonly includes: ReadonlyMap<string, readonly IncludeNode[]>;
  /** By the manual's names, built-in ones and those that may be loaded, too; one that is not httpd's own as `mod_x` for `x_module`. null where it is not certain that there are no others. */
  readonly modules: ReadonlySet<string> | null;
  /** It is all here, loads its modules by lines, and mod_access_compat is not among them: known before `modules` is, as 2.2 had no such module. */
  readonly lacksCompat: boolean;
  /** It loads what only 2.4 has, and so was written for it. */
  readonly isFor24: boolean;
  /** An `<IfModule>` in it asks for a module whose LoadModule line 2.4 does not have as it is (config/old-modules.ts). */
  readonly asksForOldModule: boolean;
  /** By name in lower case; null where there may be others. */
  readonly macros: ReadonlyMap<string, Macro>;
  readonly knowsMacros: boolean;
  /** Names that the configuration itself gives to providers, as written; null where there may be others. */
  readonly providers: ReadonlySet<string> | null;
  /** Variables by name in lower case: everything that Define gives one. */
  readonly variables: ReadonlyMap<string, readonly Definition[]>;
  readonly knowsVariables: boolean;
  /** Folders that DocumentRoot, Alias and ScriptAlias name, as the configuration names them. */
  readonly served: readonly string[];
  readonly accessFileNames: readonly string[];
  readonly overrides: readonly OverrideLine[];
  /** Works out what is served and overridden, which takes a walk of its own; otherwise whoever asks first waits for it. */
  readonly serving: () => Steps<void>;
  readonly gaps: readonly ModelGap[];
  /** What the walk took for granted. */
  readonly assumed: Assumption;
}

/** A file at the places where it is read inside the same kinds of sections. */
export interface Reading {
  /** Names of the container sections around it, outermost first, in lower case. */
  readonly containers: readonly string[];
  /** The file as it was read. */
  readonly digest: Digest;
  /** `unknown` where the Include stands under a condition of which nobody knows whether it holds. */
  activity: Activity;
  /** Whether the conditions in it hold, by their open tags. Where readings differ: unknown. */
  readonly conditions: Map<Line, Answer>;
  /** What its Use lines come to. Where readings differ: null. */
  readonly uses: Map<Line, UseAnswer>;
  /** The Include lines that bring it in, the first of them. */
  readonly includedBy: IncludeNode[];
}

export interface FileNode {
  /** Without links. */
  readonly path: string;
  /** As the Include found it. */
  readonly name: string;
  readonly includes: IncludeNode[];
}

/** An Include line at one of its readings. */
export interface IncludeNode {
  readonly line: Line;
  /** The file that the line stands in. */
  readonly file: string;
  /** 0-based, when the file was read. */
  readonly row: number;
  /** As written, variables replaced where they are known. */
  readonly what: string;
  readonly activity: Activity;
  /** The container sections around it, as written: `<VirtualHost *:80>`; outermost first. */
  readonly within: readonly string[];
  readonly files: FileNode[];
  problem: GapReason | null;
}

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

/** What was not read. */
export interface ModelGap {
  readonly reason: GapReason;
  readonly file: string;
  readonly line: Line;
  readonly row: number;
  readonly what: string;
  readonly activity: Activity;
}

export interface Definition {
  /** null where it depends on what is not known. */
  readonly value: string | null;
  readonly file: string;
  readonly line: Line;
  readonly row: number;
}

/** AllowOverride or AllowOverrideList, and the sections that it stands in. */
export interface OverrideLine {
  readonly name: string;
  readonly words: readonly string[];
  readonly scope: ModelScope;
  readonly activity: Activity;
}

/** A container section of the configuration; null stands for the main server's top level. */
export interface ModelScope {
  readonly name: string;
  readonly words: readonly string[];
  readonly parent: ModelScope | null;
}

/** What a walk has to know before it begins. */
export interface Assumption {
  readonly distribution: Distribution | null;
  readonly builtIn: ReadonlySet<string>;
  /** What is not loaded is not there. */
  readonly knowsModules: boolean;
}
