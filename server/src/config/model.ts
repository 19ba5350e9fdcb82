/**
 * A configuration as httpd reads it, from its root through its includes: what is loaded, defined and served, which file is read where,
 * and which conditions hold. docs/how-httpd-reads.md.
 *
 * It sees files as digests (config/file-summary.ts), so a walk costs what the files contribute, not what they hold. Rules get what comes
 * out of it as `Surroundings`, file by file (config/file-context-of-walk.ts).
 */
import { argumentsOf, Line } from '../syntax/line';
import { counters } from '../syntax/memory';
import { both, type Activity } from './activity';
import {
  ALIASES,
  digestAtHand,
  digestOf,
  DigestSection,
  isServing,
  NOTHING,
  type Digest,
  type Part,
} from './file-summary';
import { detectDistribution, PROFILES, type Distribution } from './distribution';
import {
  hasWildcard,
  includedFiles,
  isAbsolute,
  mappedHere,
  MAX_INCLUDE_DEPTH,
  parentOf,
  resolvePath,
  unmapped,
  viewWithin,
  type FileView,
  type PathMap,
} from './files';
import { expansion, refusedUse, substituted, treeOfText, type Macro, type UseAnswer } from './macro';
import { spelledSection } from './sections';
import { copiedInclude, layoutAt, layoutOf, type LayoutOptions } from './server-root';
import { State, type Answer } from './environment';
import { startOptions, type StartOptions } from './service-file';
import { toEnd, type Steps } from './resumable';
import { DEFAULT_TARGET, type Target } from './target';

/** The files of a configuration as the walk sees them: by absolute paths with forward slashes. */
export interface ConfigView {
  /** What a file contributes; null where it cannot be read. */
  digest(path: string): Digest | null;
  kind(path: string): 'file' | 'folder' | null;
  /** Names in a folder, or null where it is none or cannot be read. */
  list(path: string): readonly string[] | null;
  /** The path without links. */
  identity(path: string): string;
  /** What a symbolic link names, see FileView. */
  link?(path: string): string | null;
  /** The files that an Include of this path brings in, see includedFiles. */
  included(path: string): readonly string[];
  /** The text of a file that is no configuration (isStartFile); null where it cannot be read. Left out: nobody reads such files. */
  content?(path: string): string | null;
}

export function configView(files: FileView): ConfigView {
  return {
    digest(path) {
      const tree = files.read(path);
      return tree && digestAtHand(tree.root);
    },
    kind: (path) => files.kind(path),
    list: (path) => files.list(path),
    identity: (path) => files.identity(path),
    link: (path) => files.link?.(path) ?? null,
    included: (path) => includedFiles(path, files),
    content: (path) => files.read(path)?.text() ?? null,
  };
}

export interface ModelOptions {
  readonly root: string;
  readonly view: ConfigView;
  readonly target?: Target;
  /** The model of an earlier walk: what it took for granted most likely holds again. */
  readonly before?: Model;
  /** What a person said of the server; what is left out, the configuration tells as far as it can. */
  readonly server?: ServerSettings;
  /** The root is part of a configuration of which nobody knows the rest: the names of the macros there, in lower case; null where they are not known, either. */
  readonly partOf?: { readonly macros: ReadonlySet<string> | null };
}

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

export type { Macro };

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

/** Most sections hold nothing that asks for their words. */
class Container implements ModelScope {
  private known: readonly string[] | null = null;

  constructor(
    private readonly open: Line,
    readonly parent: ModelScope | null,
  ) {}

  get name(): string {
    return this.open.name;
  }

  get words(): readonly string[] {
    return (this.known ??= argumentsOf(this.open).map((word) => word.value));
  }
}

/** Files read, and steps made, since the start of the program, for the tests that count what a change costs. */
export const work = counters({ readings: 0, steps: 0 });

/** Walks through a configuration. null where its root cannot be read. */
export function readModel(options: ModelOptions): Model | null {
  return toEnd(modelInSteps(options));
}

/** The same in steps, through files that stay as they are until it ends. */
export function* modelInSteps(options: ModelOptions): Steps<Model | null> {
  const digest = options.view.digest(options.root);
  if (!digest) return null;
  // What is compiled in, and whether the LoadModule lines are all there are, is told by what is loaded; conditions need to know it before.
  const first = new Walk(options, options.before?.assumed ?? assumption(options, null));
  yield* first.run(digest);
  const second = assumption(options, first);
  if (isEqualTo(second, first.assumed)) return first.model();
  const again = new Walk(options, second);
  yield* again.run(digest);
  return again.model();
}

// ---------------------------------------------------------------------------------------------------------------------

/** Readings of files in one walk: no server has so many, and something that doubles with every level must end. */
const MAX_READINGS = 200_000;

/** Sections and includes around one another: nobody means more. */
const MAX_FRAMES = 600;

/** Lines, sections and files between two places to take a pause. */
const STEP = 64;

/** As many places that include a file are remembered. */
const MAX_INCLUDED_BY = 3;

const MPMS = ['event', 'worker', 'prefork', 'mpm_winnt'];

/** Modules that 2.2 had no file of. */
const ONLY_24 = ['mod_authz_core', 'mod_authn_core', 'mod_access_compat', 'mod_unixd', ...MPMS];

/** What a walk has to know before it begins. */
export interface Assumption {
  readonly distribution: Distribution | null;
  readonly builtIn: ReadonlySet<string>;
  /** What is not loaded is not there. */
  readonly knowsModules: boolean;
}

function isEqualTo(a: Assumption, b: Assumption): boolean {
  return a.builtIn === b.builtIn && a.knowsModules === b.knowsModules && a.distribution === b.distribution;
}

const LEAST_BUILT_IN: ReadonlySet<string> = new Set(['core', 'mod_so']);

/**
 * What to go by. A set of LoadModule lines is complete when a 2.4 server could start with it (mod_authz_core, mod_unixd, an MPM: AH00136,
 * AH00534); one for 2.2, or half a configuration, tells nothing of what 2.4 will have.
 */
function assumption(options: ModelOptions, walk: Walk | null): Assumption {
  const { server = {} } = options;
  const distribution = server.distribution ?? (walk ? walk.detected() : null);
  const builtIn = server.builtIn ?? (distribution ? PROFILES[distribution].builtIn : LEAST_BUILT_IN);
  const has = (name: string) => builtIn.has(name) || walk?.certain.has(name) === true;
  const knowsModules =
    server.builtIn != null || (walk !== null && has('mod_authz_core') && has('mod_unixd') && MPMS.some(has));
  return { distribution, builtIn, knowsModules };
}

interface Place {
  readonly file: string;
  readonly reading: Reading;
  readonly node: FileNode;
  readonly scope: ModelScope | null;
  readonly activity: Activity;
  /** Within a condition that depends on what is loaded. */
  readonly dependsOnModules: boolean;
  /** Of includes, and of everything. */
  readonly depth: number;
  readonly frames: number;
  /** Macros that are being used, one inside the other. */
  readonly uses: readonly Macro[];
  /** The open tags around of conditions of which nobody knows whether they hold, outermost first. */
  readonly doubts: readonly Line[];
}

/** What is still to be read of a file or a section. */
interface Rest {
  readonly parts: readonly Part[];
  next: number;
  readonly rows: number;
  readonly at: Place;
}

/** Files that an Include brings in, and that are still to be read. */
interface RestOfInclude {
  readonly names: readonly string[];
  next: number;
  readonly by: IncludeNode;
  readonly at: Place;
}

/** What is to be done once what was begun behind it has been read. */
interface Finish {
  readonly finish: () => void;
}

class Walk {
  readonly state: State;
  private readonly started: StartOptions | null;
  /** Modules that are loaded whatever is taken for granted. */
  readonly certain = new Set<string>();
  /** What of the files is the configuration's. */
  private view: ConfigView;
  private readonly layout: LayoutOptions;
  /** Files and paths of modules that are read whatever is taken for granted. */
  private readonly clues = new Set<string>();
  private readonly files = new Map<string, Reading[]>();
  private readonly includes = new Map<string, IncludeNode[]>();
  /** Those that can be used where the walk is; `doubts` of their place, null where they may have been taken back. */
  private readonly macros = new Map<string, { readonly macro: Macro; readonly doubts: readonly Line[] | null }>();
  private readonly allMacros = new Map<string, Macro>();
  private readonly variables = new Map<string, Definition[]>();
  private readonly providers = new Set<string>();
  private knowsProviders = true;
  /** Lines that name a served folder, each with the index of its argument and the ServerRoot in force. */
  private readonly served: { readonly line: Line; readonly index: number; readonly serverRoot: string }[] = [];
  private readonly accessFileNames = new Set<string>();
  private readonly overrides: OverrideLine[] = [];
  private readonly gaps: ModelGap[] = [];
  private readonly modulePaths: string[] = [];
  /** Files that went round in circles. */
  private readonly endless = new Set<string>();
  private readonly root: string;
  /** Of the root file, as it was named. */
  private readonly folder: string;
  private readonly tree: FileNode;
  /** What goes on where something else is done, the innermost last. */
  private readonly rest: (Rest | RestOfInclude | Finish)[] = [];
  private full: Walk | null = null;
  private isServerRootSet = false;
  private asksForOldModule = false;
  private readings = 0;

  /** `isFull`: with what is served and overridden, which takes most of a walk and few ask for. */
  constructor(
    private readonly options: ModelOptions,
    readonly assumed: Assumption,
    private readonly isFull = false,
  ) {
    const { server = {} } = options;
    this.root = options.view.identity(options.root);
    this.folder = parentOf(options.root);
    this.layout = {
      root: this.root,
      serverRoot: server.serverRoot,
      map: server.map,
      identity: (path) => options.view.identity(path),
    };
    const { serverRoot, map } = layoutOf(this.layout);
    this.view = viewWithin(options.view, map);
    this.started = startOptions(
      this.root,
      map,
      (path) => this.view.content?.(path) ?? null,
      (path) => this.view.list(path),
    );
    this.state = new State(
      {
        target: options.target ?? DEFAULT_TARGET,
        builtIn: assumed.builtIn,
        knowsModules: assumed.knowsModules,
        defines: server.defines ?? null,
        flags: server.flags,
        started: this.started,
        kind: (path) => this.view.kind(path),
      },
      serverRoot,
      map,
    );
    this.tree = { path: this.root, name: options.root, includes: [] };
  }

  *run(digest: Digest): Steps<void> {
    this.readFile(digest, this.tree, null, {
      scope: null,
      activity: 'active',
      dependsOnModules: false,
      depth: 0,
      frames: 0,
      doubts: NO_DOUBTS,
    });
    while (this.goesOn(STEP)) yield;
  }

  detected(): Distribution | null {
    const { serverRoot, map } = this.state;
    // By the server's names of the files: a copy may have any.
    return detectDistribution({
      files: [...this.clues, ...(map.within ? [...this.clues].map((file) => unmapped(file, map)) : [])],
      loadModulePaths: this.modulePaths,
      serverRoot,
    });
  }

  model(): Model {
    const { distribution, builtIn, knowsModules } = this.assumed;
    const isWhole = this.gaps.length === 0;
    const full = () => this.fullWalk();
    return {
      root: this.root,
      serverRoot: this.state.serverRoot,
      map: this.state.map,
      started: this.started,
      distribution,
      files: this.files,
      tree: this.tree,
      includes: this.includes,
      modules: knowsModules && isWhole ? new Set([...builtIn, ...this.state.modules.keys()]) : null,
      lacksCompat:
        isWhole &&
        this.state.modules.size > 0 &&
        !builtIn.has('mod_access_compat') &&
        !this.state.modules.has('mod_access_compat'),
      isFor24:
        (knowsModules && this.options.server?.builtIn == null) || ONLY_24.some((name) => this.state.modules.has(name)),
      asksForOldModule: this.asksForOldModule,
      macros: this.allMacros,
      knowsMacros: isWhole,
      providers: isWhole && this.knowsProviders ? this.providers : null,
      variables: this.variables,
      knowsVariables: isWhole,
      get served() {
        return toEnd(full()).servedFolders();
      },
      get overrides() {
        return toEnd(full()).overrides;
      },
      accessFileNames: this.accessFileNames.size > 0 ? [...this.accessFileNames] : ['.htaccess'],
      *serving() {
        yield* full();
      },
      gaps: this.gaps,
      assumed: this.assumed,
    };
  }

  private *fullWalk(): Steps<Walk> {
    if (this.full) return this.full;
    const walk = new Walk(this.options, this.assumed, true);
    yield* walk.run(this.view.digest(this.options.root) ?? NOTHING);
    return (this.full = walk);
  }

  // ---- Files ----

  private readFile(
    digest: Digest,
    node: FileNode,
    by: IncludeNode | null,
    at: Pick<Place, 'scope' | 'activity' | 'dependsOnModules' | 'depth' | 'frames' | 'doubts'>,
  ): void {
    this.readings++;
    work.readings++;
    const { scope, activity, dependsOnModules, depth, frames, doubts } = at;
    const reading = this.reading(node.path, digest, scope, activity);
    if (by && reading.includedBy.length < MAX_INCLUDED_BY) reading.includedBy.push(by);
    if (!dependsOnModules) this.clues.add(node.path);
    this.read(digest, 0, {
      file: node.path,
      reading,
      node,
      scope,
      activity,
      dependsOnModules,
      depth,
      frames,
      uses: NO_USES,
      doubts,
    });
  }

  private reading(path: string, digest: Digest, scope: ModelScope | null, activity: Activity): Reading {
    const containers = containersOf(scope);
    const readings = this.files.get(path) ?? [];
    if (readings.length === 0) this.files.set(path, readings);
    let reading = readings.find((known) => isSame(known.containers, containers));
    if (!reading)
      readings.push(
        (reading = { containers, digest, activity, conditions: new Map(), uses: new Map(), includedBy: [] }),
      );
    // A file that is read once for certain is there, whatever other Include lines may bring it in again.
    if (activity === 'active') reading.activity = activity;
    return reading;
  }

  /** Has a file's or a section's lines read before anything else is. */
  private read(digest: Digest, rows: number, at: Place): void {
    if (!this.isFull && digest.isServing) return;
    this.rest.push({ parts: digest.parts, next: 0, rows, at });
  }

  /** Reads on, so many steps at most. Says whether there is more. */
  private goesOn(steps: number): boolean {
    const { rest } = this;
    for (let i = 0; i < steps && rest.length > 0; i++) {
      work.steps++;
      const top = rest[rest.length - 1]!;
      if ('finish' in top) {
        rest.pop();
        top.finish();
        continue;
      }
      const index = top.next++;
      if (index + 1 >= ('parts' in top ? top.parts : top.names).length) rest.pop();
      if (!('parts' in top)) this.readIncluded(top.names[index]!, top);
      else if (index < top.parts.length) this.readPart(top.parts[index]!, top);
    }
    return rest.length > 0;
  }

  private readPart({ item, rows }: Part, { rows: before, at }: Rest): void {
    const row = before + rows;
    if (!(item instanceof Line || item instanceof DigestSection)) this.read(item, row, at);
    else if (!this.isFull && isServing(item)) return;
    else if (item instanceof DigestSection) this.readSection(item, row, at);
    else this.readLine(item, row, at);
  }

  private readLine(line: Line, row: number, at: Place): void {
    const { state } = this;
    switch (line.name) {
      case 'include':
      case 'includeoptional':
        return this.include(line, row, at);
      case 'loadmodule': {
        const expanded = state.expanded(line) ?? line;
        const module = state.loadModule(expanded, at.activity);
        if (at.dependsOnModules) return;
        const path = argumentsOf(expanded)[1]?.value;
        if (path !== undefined) this.modulePaths.push(path);
        if (module !== null && at.activity === 'active') this.certain.add(module);
        return;
      }
      case 'serverroot':
        return this.setServerRoot(line);
      case 'define':
        return this.define(line, row, at);
      case 'undefine':
        return state.undefine(line, at.activity);
      case 'use':
        return this.use(line, row, at);
      case 'undefmacro':
        return this.undefineMacro(line, at);
      case 'luaauthzprovider':
      case 'perladdauthzprovider':
        return this.nameProvider(line, 0);
      case 'documentroot':
        return this.serve(line, 0);
      case 'alias':
      case 'scriptalias':
        return this.serve(line, 1);
      case 'accessfilename':
        for (const word of argumentsOf(line)) this.accessFileNames.add(word.value);
        return;
      case 'allowoverride':
      case 'allowoverridelist': {
        const expanded = state.expanded(line);
        const words = expanded ? argumentsOf(expanded).map((word) => word.value) : ['${'];
        if (at.scope) this.overrides.push({ name: line.name, words, scope: at.scope, activity: at.activity });
        return;
      }
      default: {
        if (!line.name.startsWith('${')) return;
        const expanded = state.expanded(line);
        if (expanded && !expanded.name.startsWith('${')) return this.readLine(expanded, row, at);
        this.gap('variable-line', line, row, at, line.name);
      }
    }
  }

  private readSection(section: DigestSection, row: number, at: Place): void {
    const { open, kind, body } = section;
    const inside = { ...at, frames: at.frames + 1 };
    const bodyRow = row + open.breaks;
    if (at.frames > MAX_FRAMES) return this.gap('too-deep', open, row, at, '');
    if (kind === 'opaque') return this.gap('perl', open, row, at, open.name);
    if (kind === 'conditional') {
      this.asksForOldModule ||= section.asksForOldModule;
      const answer = this.state.answer(open);
      remember(at.reading.conditions, open, answer);
      if (answer.activity === 'inactive') return;
      const dependsOnModules =
        at.dependsOnModules || open.name === 'ifmodule' || open.name === 'ifdirective' || open.name === 'ifsection';
      return this.read(body, bodyRow, {
        ...inside,
        dependsOnModules,
        activity: both(at.activity, answer.activity),
        doubts: answer.activity === 'unknown' ? [...at.doubts, open] : at.doubts,
      });
    }
    if (section.text !== null) return this.defineMacro(section, row, at);
    if (ALIASES.has(open.name)) this.nameProvider(open, 1);
    if (kind === 'limit' || kind === 'authorization') return this.read(body, bodyRow, inside);
    this.read(body, bodyRow, { ...inside, scope: new Container(this.state.expanded(open) ?? open, at.scope) });
  }

  // ---- Include ----

  private include(line: Line, row: number, at: Place): void {
    const expanded = this.state.expanded(line);
    const what = argumentsOf(expanded ?? line)[0]?.value ?? '';
    const node: IncludeNode = {
      line,
      file: at.file,
      row,
      what,
      activity: at.activity,
      within: withinOf(at.scope),
      files: [],
      problem: null,
    };
    at.node.includes.push(node);
    const known = this.includes.get(at.file);
    if (known) known.push(node);
    else this.includes.set(at.file, [node]);
    const fail = (reason: GapReason) => this.failed(node, reason, at, what);
    if (!expanded) return fail('include-variable');
    if (what === '') return;
    if (at.depth >= MAX_INCLUDE_DEPTH || at.frames > MAX_FRAMES) {
      this.endless.add(at.file);
      return fail('too-deep');
    }
    const path = mappedHere(this.absolute(what), this.state.map, this.view);
    const paths = this.includedFiles(this.absolute(what), path);
    if (paths.length === 0) return this.includeNothing(line, what, path, fail);
    this.rest.push({ names: paths, next: 0, by: node, at: { ...at, depth: at.depth + 1, frames: at.frames + 1 } });
  }

  private readIncluded(name: string, { by, at }: RestOfInclude): void {
    const fail = (reason: GapReason, what: string) => this.failed(by, reason, at, what);
    const file = this.view.identity(name);
    if (this.endless.has(file)) return fail('too-deep', by.what);
    if (this.readings >= MAX_READINGS) return fail('too-many', by.what);
    const digest = this.state.map.within && this.view.kind(file) === null ? null : this.view.digest(file);
    if (!digest) return fail('include-missing', name);
    const child: FileNode = { path: file, name, includes: [] };
    by.files.push(child);
    this.readFile(digest, child, by, at);
  }

  private failed(node: IncludeNode, reason: GapReason, at: Place, what: string): void {
    node.problem = reason;
    this.gap(reason, node.line, node.row, at, what);
  }

  private includedFiles(path: string, place: string): readonly string[] {
    const { files, map } = copiedInclude({
      path,
      found: this.view.included(place),
      folder: this.folder,
      map: this.state.map,
      given: this.options.server?.map,
      included: (here) => this.view.included(here),
    });
    this.state.map = map;
    return files;
  }

  /** A wildcard that matches nothing brings in nothing; where even its folder is not here, the part may only be missing on this machine. */
  private includeNothing(line: Line, what: string, path: string, fail: (reason: GapReason) => void): void {
    if (this.view.kind(path) === 'folder')
      return this.view.list(path) === null ? fail('include-unreadable') : undefined;
    const isWild = hasWildcard(what);
    const folder = isWild ? path.slice(0, path.search(/[^/]*[*?[]/)).replace(/\/$/, '') || '/' : parentOf(path);
    if (this.view.kind(folder) !== 'folder') return fail('include-folder-missing');
    if (isWild && this.view.list(folder) === null) return fail('include-unreadable');
    if (line.name === 'include' || !isWild) fail('include-missing');
  }

  private absolute(path: string): string {
    return resolvePath(this.state.serverRoot, path);
  }

  private setServerRoot(given: Line): void {
    const line = this.state.expanded(given);
    const path = line && argumentsOf(line)[0]?.value;
    if (!path || !isAbsolute(path)) return;
    const own = this.absolute(path);
    // The first one tells where a copied tree is from; what a person says goes before all of them.
    if (this.isServerRootSet) {
      if (this.layout.serverRoot === undefined) this.state.serverRoot = own;
      return;
    }
    this.isServerRootSet = true;
    ({ serverRoot: this.state.serverRoot, map: this.state.map } = layoutAt(own, this.layout));
    this.view = viewWithin(this.options.view, this.state.map);
  }

  // ---- Providers, variables and macros ----

  private nameProvider(line: Line, index: number): void {
    const expanded = this.state.expanded(line);
    const name = expanded && argumentsOf(expanded)[index]?.value;
    if (name) this.providers.add(name);
    else if (!expanded) this.knowsProviders = false;
  }

  private define(line: Line, row: number, at: Place): void {
    const expanded = this.state.expanded(line);
    this.state.define(expanded ?? line, at.activity);
    const [name, value] = argumentsOf(expanded ?? line).map((word) => word.value);
    if (name === undefined || value === undefined) return;
    const key = name.toLowerCase();
    const known = this.variables.get(key) ?? [];
    if (known.length === 0) this.variables.set(key, known);
    known.push({ value: expanded && at.activity === 'active' ? value : null, file: at.file, line, row });
  }

  private defineMacro({ open, text }: DigestSection, row: number, at: Place): void {
    const expanded = this.state.expanded(open);
    const tag = expanded ?? open;
    const [name, ...words] = argumentsOf(tag);
    if (name === undefined) return;
    // `/IgnoreEmptyArgs` and its like are no parameters (macro_section).
    while (words.length > 0 && tag.text[words[0]!.start] === '/') words.shift();
    const parameters = words.map((word) => word.value);
    const macro: Macro = { name: name.value, parameters, text: text!, file: at.file, line: open, row };
    this.macros.set(macro.name.toLowerCase(), { macro, doubts: expanded ? at.doubts : null });
    this.allMacros.set(macro.name.toLowerCase(), macro);
  }

  private undefineMacro(line: Line, at: Place): void {
    const name = (argumentsOf(line)[0]?.value ?? '').toLowerCase();
    const known = this.macros.get(name);
    if (!known && name !== '' && this.knowsMacro(name)) this.record(line, refusedUse('undefined', { name }), at);
    if (known && at.doubts.length > 0) this.macros.set(name, { macro: known.macro, doubts: null });
    else this.macros.delete(name);
  }

  /** A macro's lines are read where it is used, in the scope there; they stand in the file that defines it. */
  private use(given: Line, row: number, at: Place): void {
    const expanded = this.state.expanded(given);
    const line = expanded ?? given;
    const [name = '', ...values] = argumentsOf(line).map((word) => word.value);
    const known = this.macros.get(name.toLowerCase());
    const isUnknown = () => {
      this.record(given, null, at);
      this.gap('macro', given, row, at, name);
    };
    if (!expanded || (!known && name !== '' && !this.knowsMacro(name))) return isUnknown();
    // Where the server stops at the line, nothing is brought in by it, and nothing is missing.
    const refuse = (answer: UseAnswer) => this.record(given, answer, at);
    if (name === '') return refuse(refusedUse('no-name', { name }));
    if (!known)
      return refuse(
        refusedUse(this.allMacros.size === 0 && !this.options.partOf?.macros?.size ? 'none-defined' : 'undefined', {
          name,
        }),
      );
    const { macro } = known;
    const isCertain = known.doubts !== null && known.doubts.every((open, index) => at.doubts[index] === open);
    const of = { name, macro, given: values.length };
    if (macro.parameters.length !== values.length) return isCertain ? refuse(refusedUse('arguments', of)) : isUnknown();
    if (at.uses.includes(macro)) return refuse(refusedUse('recursive', of));
    if (at.uses.length >= MAX_USES || this.readings >= MAX_READINGS) return isUnknown();
    const text = substituted(macro, values);
    if (text === null) return isUnknown();
    if (typeof text !== 'string')
      return isCertain ? refuse(refusedUse('too-long', { ...of, bodyRow: text.tooLong })) : isUnknown();
    this.readings++;
    const reading =
      macro.file === at.file
        ? at.reading
        : this.reading(macro.file, this.view.digest(macro.file) ?? NOTHING, at.scope, at.activity);
    const own: Reading = { ...reading, conditions: new Map(), uses: new Map() };
    const tree = treeOfText(text);
    this.rest.push({
      finish: () => {
        for (const [open, answer] of own.conditions) remember(reading.conditions, open, answer);
        if (!this.isFull)
          this.record(
            given,
            isCertain
              ? expansion(macro, values, tree, { ...own, expanded: (each) => this.state.expanded(each) })
              : null,
            at,
          );
      },
    });
    this.read(digestOf(tree.root), macro.row + 1, {
      ...at,
      file: macro.file,
      reading: own,
      frames: at.frames + 1,
      uses: [...at.uses, macro],
    });
  }

  /** Whether a name that no macro has here is certain to be no macro's. */
  private knowsMacro(name: string): boolean {
    const { partOf } = this.options;
    return this.state.isSure && (!partOf || (partOf.macros !== null && !partOf.macros.has(name.toLowerCase())));
  }

  private record(line: Line, answer: UseAnswer, { reading: { uses } }: Place): void {
    const before = uses.get(line);
    uses.set(line, before === undefined || before?.key === answer?.key ? answer : null);
  }

  private serve(given: Line, index: number): void {
    const line = this.state.expanded(given);
    if (line) this.served.push({ line, index, serverRoot: this.state.serverRoot });
  }

  private servedFolders(): readonly string[] {
    return [
      ...new Set(
        this.served.flatMap(({ line, index, serverRoot }) => {
          const path = argumentsOf(line)[index]?.value;
          return path ? [resolvePath(serverRoot, path)] : [];
        }),
      ),
    ];
  }

  private gap(reason: GapReason, line: Line, row: number, at: Place, what: string): void {
    this.state.open();
    this.gaps.push({ reason, file: at.file, line, row, what, activity: at.activity });
  }
}

/** Macros that use macros, one inside the other. */
const MAX_USES = 100;
const NO_USES: readonly Macro[] = [];

const NO_DOUBTS: readonly Line[] = [];

function remember(conditions: Map<Line, Answer>, open: Line, answer: Answer): void {
  const before = conditions.get(open);
  if (!before || before.activity === answer.activity) conditions.set(open, answer);
  else
    conditions.set(open, {
      activity: 'unknown',
      why: 'it is read more than once, and holds for one reading and not for another',
    });
}

const NO_CONTAINERS: readonly string[] = [];

function containersOf(scope: ModelScope | null): readonly string[] {
  if (!scope) return NO_CONTAINERS;
  const names: string[] = [];
  for (let current: ModelScope | null = scope; current; current = current.parent) names.unshift(current.name);
  return names;
}

function withinOf(scope: ModelScope | null): readonly string[] {
  const tags: string[] = [];
  for (let current = scope; current; current = current.parent)
    tags.unshift(`<${[spelledSection(current.name), ...current.words].join(' ')}>`);
  return tags;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
