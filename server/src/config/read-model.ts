/**
 * The walk through a configuration from its root, as httpd reads it: includes, variables, macros, conditions, modules. docs/how-httpd-reads.md.
 *
 * It sees files as digests (config/file-summary.ts), so a walk costs what the files contribute, not what they hold. It makes the
 * `Model` (config/model.ts).
 */
import { argumentsOf, Line } from '../syntax/line';
import { counters } from '../syntax/memory';
import { both, type Activity } from './activity';
import { assumption, isEqualTo, MPMS } from './assumption';
import type { ConfigView } from './config-view';
import { detectDistribution, type Distribution } from './distribution';
import { State, type Answer } from './environment';
import { ALIASES, digestOf, DigestSection, isServing, NOTHING, type Digest, type Part } from './file-summary';
import {
  hasWildcard,
  isAbsolute,
  mappedHere,
  MAX_INCLUDE_DEPTH,
  parentOf,
  resolvePath,
  unmapped,
  viewWithin,
} from './files';
import { expansion, treeOfText, type Macro, type UseAnswer } from './macro';
import { MacroTable, type MacroPlace } from './macro-table';
import type {
  Assumption,
  Definition,
  FileNode,
  GapReason,
  IncludeNode,
  Model,
  ModelGap,
  ModelScope,
  OverrideLine,
  Reading,
  ServerSettings,
} from './model';
import { toEnd, type Steps } from './resumable';
import { spelledSection } from './sections';
import { copiedInclude, layoutAt, layoutOf, type LayoutOptions } from './server-root';
import { startOptions, type StartOptions } from './service-file';
import { DEFAULT_TARGET, type Target } from './target';

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
  const first = new Walk(options, options.before?.assumed ?? assumption(options.server ?? {}, null));
  yield* first.run(digest);
  const second = assumption(options.server ?? {}, first);
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

/** Modules that 2.2 had no file of. */
const ONLY_24 = ['mod_authz_core', 'mod_authn_core', 'mod_access_compat', 'mod_unixd', ...MPMS];

/** Where a line of the configuration is read. */
interface ReadingPlace extends MacroPlace {
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
}

/** What is still to be read of a file or a section. */
interface Rest {
  readonly parts: readonly Part[];
  next: number;
  readonly rows: number;
  readonly at: ReadingPlace;
}

/** Files that an Include brings in, and that are still to be read. */
interface RestOfInclude {
  readonly names: readonly string[];
  next: number;
  readonly by: IncludeNode;
  readonly at: ReadingPlace;
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
  private readonly macros: MacroTable;
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
    this.macros = new MacroTable((name) => this.knowsMacro(name), (options.partOf?.macros?.size ?? 0) > 0);
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
      macros: this.macros.all,
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
    at: Pick<ReadingPlace, 'scope' | 'activity' | 'dependsOnModules' | 'depth' | 'frames' | 'doubts'>,
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
  private read(digest: Digest, rows: number, at: ReadingPlace): void {
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

  private readLine(line: Line, row: number, at: ReadingPlace): void {
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

  private readSection(section: DigestSection, row: number, at: ReadingPlace): void {
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

  private include(line: Line, row: number, at: ReadingPlace): void {
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
    if (paths.length === 0) {
      const problem = problemOfNothing(line, what, path, this.view);
      return problem ? fail(problem) : undefined;
    }
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

  private failed(node: IncludeNode, reason: GapReason, at: ReadingPlace, what: string): void {
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

  private define(line: Line, row: number, at: ReadingPlace): void {
    const expanded = this.state.expanded(line);
    this.state.define(expanded ?? line, at.activity);
    const [name, value] = argumentsOf(expanded ?? line).map((word) => word.value);
    if (name === undefined || value === undefined) return;
    const key = name.toLowerCase();
    const known = this.variables.get(key) ?? [];
    if (known.length === 0) this.variables.set(key, known);
    known.push({ value: expanded && at.activity === 'active' ? value : null, file: at.file, line, row });
  }

  private defineMacro({ open, text }: DigestSection, row: number, at: ReadingPlace): void {
    const expanded = this.state.expanded(open);
    this.macros.define(expanded ?? open, { text: text!, file: at.file, line: open, row }, expanded ? at.doubts : null);
  }

  private undefineMacro(line: Line, at: ReadingPlace): void {
    const refused = this.macros.undefine(line, at);
    if (refused) this.record(line, refused, at);
  }

  /** A macro's lines are read where it is used, in the scope there; they stand in the file that defines it. */
  private use(given: Line, row: number, at: ReadingPlace): void {
    const expanded = this.state.expanded(given);
    const [name = '', ...values] = argumentsOf(expanded ?? given).map((word) => word.value);
    const found = expanded && this.macros.find(name, values, at, this.readings < MAX_READINGS);
    if (!found) {
      this.record(given, null, at);
      return this.gap('macro', given, row, at, name);
    }
    // Where the server stops at the line, nothing is brought in by it, and nothing is missing.
    if ('refused' in found) return this.record(given, found.refused, at);
    const { macro, text, isCertain } = found;
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
        if (this.isFull) return;
        const of = { ...own, expanded: (each: Line) => this.state.expanded(each) };
        this.record(given, isCertain ? expansion(macro, values, tree, of) : null, at);
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

  private record(line: Line, answer: UseAnswer, { reading: { uses } }: ReadingPlace): void {
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

  private gap(reason: GapReason, line: Line, row: number, at: ReadingPlace, what: string): void {
    this.state.open();
    this.gaps.push({ reason, file: at.file, line, row, what, activity: at.activity });
  }
}

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

/**
 * What is wrong with an Include that brings in nothing; null where it is right so. A wildcard that matches nothing brings in nothing; where
 * even its folder is not here, the part may only be missing on this machine.
 */
function problemOfNothing(line: Line, what: string, path: string, view: ConfigView): GapReason | null {
  if (view.kind(path) === 'folder') return view.list(path) === null ? 'include-unreadable' : null;
  const isWild = hasWildcard(what);
  const folder = isWild ? path.slice(0, path.search(/[^/]*[*?[]/)).replace(/\/$/, '') || '/' : parentOf(path);
  if (view.kind(folder) !== 'folder') return 'include-folder-missing';
  if (isWild && view.list(folder) === null) return 'include-unreadable';
  return line.name === 'include' || !isWild ? 'include-missing' : null;
}
