/**
 * What a line does to the reading of a configuration: which files an Include brings in, where ServerRoot is, what is defined and loaded, what a Use comes to,
 * which conditions hold, and where a reading ends that has no end. docs/how-httpd-reads.md.
 *
 * It walks through no file and keeps no line. read-model.ts and configuration.ts do: they go through the lines in order, ask here what each of them does, and
 * gather what they are for.
 */
import { argumentsOf, type Line } from '../syntax/line';
import { activityOf, type Activity } from './activity';
import { State, type Answer, type StateOptions } from './environment';
import {
  hasWildcard,
  includedFiles,
  isAbsolute,
  isIncomplete,
  mappedHere,
  MAX_FILES,
  MAX_INCLUDE_DEPTH,
  parentOf,
  resolvePath,
  viewWithin,
  wildcardFolder,
  type FileView,
  type PathMap,
} from './files';
import type { Macro, RefusedUse } from './macro';
import { MacroTable, type FoundMacro, type MacroPlace } from './macro-table';
import type { GapReason } from './model';
import { copiedInclude, layoutAt, layoutOf, type LayoutOptions } from './server-root';
import { startOptions, type StartOptions } from './service-file';

/** What the reading has to know of files, whatever their contents are kept as. */
export type InterpreterView = Pick<FileView, 'kind' | 'list' | 'identity' | 'link'> & {
  /** The files that an Include of this path brings in, where the view remembers that; includedFiles otherwise. */
  included?(path: string): readonly string[];
};

export interface InterpreterOptions<View extends InterpreterView>
  extends Omit<StateOptions, 'started' | 'kind' | 'defines'> {
  /** The main file. */
  readonly root: string;
  readonly view: View;
  /** The text of a file that is no configuration, as the view has it; null where nobody can read it. */
  readonly content: (view: View, path: string) => string | null;
  /** What a person said. */
  readonly serverRoot?: string;
  readonly map?: PathMap;
  readonly defines?: ReadonlyMap<string, string> | null;
  /** As in `ModelOptions`. */
  readonly partOf?: { readonly macros: ReadonlySet<string> | null };
}

/** How far in a line stands. */
export interface Depth {
  /** Of includes. */
  readonly depth: number;
  /** Sections, includes and macros around it. */
  readonly frames: number;
}

/** What an Include line brings in. */
export interface Included {
  /** As written, variables replaced where they are known. */
  readonly what: string;
  /** Paths of this machine, in the order of their reading. */
  readonly files: readonly string[];
  /** Why it is not known, or not right, what it brings in. */
  readonly problem: GapReason | null;
  /** Whether the server may read lines here that are not seen: not so where a wildcard matches nothing in a folder that is here. */
  readonly hidesLines: boolean;
}

/** A file that an Include brings in, or why it is not read. */
export type Opened<Content> =
  | { readonly path: string; readonly content: Content }
  | { readonly path: string; readonly problem: GapReason };

/** What a Use line says and what it finds. */
export interface UsedMacro {
  readonly name: string;
  readonly values: readonly string[];
  readonly found: FoundMacro;
}

/** Readings of files and macros in one walk: no server has so many, and something that doubles with every level must end. */
const MAX_READINGS = 200_000;

/**
 * Characters of all texts that Use lines bring in, each times the number of macros around it, because the text stands in
 * theirs as well. `Use M $x$x` doubles its argument: the number of readings alone does not bound their text.
 */
const MAX_MACRO_TEXT = 32_000_000;

/**
 * Of these as many as the files themselves account for: some, some more for each Use line that stands in a file, and some
 * for each character of the macros that stand in files. Ten thousand virtual hosts of one macro have room, and so has a
 * macro that uses another one thousands of times; ten lines of which each doubles the one before have not.
 */
const MACRO_TEXT = 1_000_000;
const TEXT_OF_USE = 5_000;
const TEXT_OF_CHARACTER = 100;

/** What a Use costs beside the characters of its text. */
const COST_OF_USE = 400;

/** After so many Include lines that lead to more directories than are looked at, no other one is followed. */
const MAX_INCOMPLETE = 3;

/**
 * After so many files that begin with a line that no httpd knows, or that are no text, no other
 * file is read: the server
 * stops at the first of them (`Invalid command`, ap_walk_config_sub in server/config.c), and
 * `Include /usr` must end.
 */
const MAX_FOREIGN = 100;

/** A file at more different depths than this includes itself, by way of others perhaps: the server goes on down to the last depth it allows, and then does not start. */
const MAX_DEPTHS = 8;

/** Sections, includes and macros around one another: nobody means more. */
const MAX_FRAMES = 600;

/** Whether what stands here is further in than anybody means, and is not read. */
export function isTooDeep({ frames }: Pick<Depth, 'frames'>): boolean {
  return frames > MAX_FRAMES;
}

export class Interpreter<View extends InterpreterView> {
  readonly state: State;
  readonly macros: MacroTable;
  /** What a file of the distribution says that the server is started with; null where none does. */
  readonly started: StartOptions | null;
  /** What of the files is the configuration's. */
  view: View;
  private readonly layout: LayoutOptions;
  /** Of the root file, as it was named. */
  private readonly folder: string;
  private isServerRootSet = false;
  private readings = 0;
  private macroText = 0;
  private macroRoom = MACRO_TEXT;
  private incompleteIncludes = 0;
  /** Paths of files that begin with a line that no httpd knows, or that are no text. */
  private readonly foreign = new Set<string>();
  /** Files that go round in circles. */
  private readonly endless = new Set<string>();
  /** How deep files with an Include were read. */
  private readonly depths = new Map<string, Set<number>>();

  constructor(private readonly options: InterpreterOptions<View>) {
    const { root, view, partOf } = options;
    this.folder = parentOf(root);
    this.layout = {
      root: view.identity(root),
      serverRoot: options.serverRoot,
      map: options.map,
      identity: (path) => view.identity(path),
    };
    const { serverRoot, map } = layoutOf(this.layout);
    this.view = viewWithin(view, map);
    this.started = startOptions(
      this.layout.root,
      map,
      (path) => options.content(this.view, path),
      (path) => this.view.list(path),
    );
    this.state = new State(
      {
        target: options.target,
        builtIn: options.builtIn,
        knowsModules: options.knowsModules,
        defines: options.defines ?? null,
        flags: options.flags,
        started: this.started,
        kind: (path) => this.view.kind(path),
      },
      serverRoot,
      map,
    );
    this.macros = new MacroTable((name) => this.isNoMacro(name), (partOf?.macros?.size ?? 0) > 0);
  }

  /** The root's path without links. */
  get root(): string {
    return this.layout.root;
  }

  /** Takes note that lines are not seen: from here on there may be more that is defined and loaded. */
  missesLines(): void {
    this.state.open();
  }

  /** The line with its variables replaced; null where one of them is not known. */
  expanded(line: Line): Line | null {
    if (!line.mayVary || !line.text.includes('${')) return line;
    return this.state.expanded(line);
  }

  /** The line that is read for one whose name is a variable (ap_build_config_sub in server/config.c replaces before it looks for the name); null where nobody knows it. */
  namedByVariable(line: Line): Line | null {
    const expanded = this.expanded(line);
    return expanded && !expanded.name.startsWith('${') ? expanded : null;
  }

  // ---- Files ----

  /** What an Include or IncludeOptional line in a file (path without links) brings in. */
  include(line: Line, file: string, at: Depth): Included {
    const expanded = this.expanded(line);
    const what = argumentsOf(expanded ?? line)[0]?.value ?? '';
    const answer = (problem: GapReason | null, files: readonly string[] = [], hidesLines = problem !== null) => ({
      what,
      files,
      problem,
      hidesLines,
    });
    if (!expanded) return answer('include-variable');
    if (what === '') return answer(null);
    if (at.depth >= MAX_INCLUDE_DEPTH || isTooDeep(at) || this.goesRound(file, at)) {
      this.endless.add(file);
      return answer('too-deep');
    }
    const named = this.absolute(what);
    const path = mappedHere(named, this.state.map, this.view);
    if (this.incompleteIncludes >= MAX_INCOMPLETE) return answer('too-many');
    const files = this.includedFiles(named, path);
    if (isIncomplete(files)) {
      this.incompleteIncludes++;
      return answer('too-many', files);
    }
    if (files.length > 0) return answer(files.length >= MAX_FILES ? 'too-many' : null, files);
    const problem = this.problemOfNothing(line, what, path);
    return answer(problem, files, problem !== null && !(problem === 'include-missing' && hasWildcard(what)));
  }

  /**
   * Opens a file that an Include brings in, by the name that `include` has. `read` gets the path
   * without links. `isForeign`:
   * whether the file begins with a line that no httpd knows; after MAX_FOREIGN of those none is
   * opened.
   */
  open<Content>(
    name: string,
    read: (view: View, path: string) => Content | null,
    isForeign: (view: View, path: string, content: Content | null) => boolean,
  ): Opened<Content> {
    if (this.foreign.size >= MAX_FOREIGN) return { path: name, problem: 'too-many' };
    const path = this.view.identity(name);
    // What goes round in circles was read often enough.
    if (this.endless.has(path)) return { path, problem: 'too-deep' };
    if (!this.hasRoom) return { path, problem: 'too-many' };
    const content = read(this.view, path);
    if (isForeign(this.view, path, content)) this.foreign.add(path);
    if (content === null) return { path, problem: 'include-missing' };
    this.readings++;
    return { path, content };
  }

  /** Takes note of the reading of the root file. */
  opensRoot(): void {
    this.readings++;
  }

  /** Whether more may be read: something that doubles with every level must end. */
  get hasRoom(): boolean {
    return this.readings < MAX_READINGS;
  }

  private goesRound(file: string, { depth }: Depth): boolean {
    const known = this.depths.get(file);
    if (known === undefined) this.depths.set(file, new Set([depth]));
    return known !== undefined && known.add(depth).size > MAX_DEPTHS;
  }

  private includedFiles(named: string, path: string): readonly string[] {
    const included = (here: string) => this.view.included?.(here) ?? includedFiles(here, this.view);
    const { files, map } = copiedInclude({
      path: named,
      found: included(path),
      folder: this.folder,
      map: this.state.map,
      given: this.options.map,
      included,
    });
    this.state.map = map;
    return files;
  }

  /**
   * What is wrong with an Include that brings in nothing; null where it is right so. A wildcard that matches nothing brings in nothing; where
   * even its folder is not here, the part may only be missing on this machine.
   */
  private problemOfNothing(line: Line, what: string, path: string): GapReason | null {
    const { view } = this;
    if (view.kind(path) === 'folder') return view.list(path) === null ? 'include-unreadable' : null;
    const isWild = hasWildcard(what);
    const folder = isWild ? wildcardFolder(path) || '/' : parentOf(path);
    if (view.kind(folder) !== 'folder') return 'include-folder-missing';
    if (isWild && view.list(folder) === null) return 'include-unreadable';
    return line.name === 'include' || !isWild ? 'include-missing' : null;
  }

  setServerRoot(given: Line): void {
    const line = this.expanded(given);
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

  private absolute(path: string): string {
    return resolvePath(this.state.serverRoot, path);
  }

  // ---- What is defined and loaded ----

  /** The module of a LoadModule line by the manual's name, and its file as the line names it; null and undefined where they are not known. */
  loadModule(given: Line, activity: Activity): { readonly module: string | null; readonly path: string | undefined } {
    const line = this.expanded(given) ?? given;
    return { module: this.state.loadModule(line, activity), path: argumentsOf(line)[1]?.value };
  }

  /** The Define line as the server reads it; null where a variable in it is not known. */
  define(given: Line, activity: Activity): Line | null {
    const line = this.expanded(given);
    this.state.define(line ?? given, activity, line !== null);
    return line;
  }

  undefine(given: Line, activity: Activity): void {
    this.state.undefine(this.expanded(given) ?? given, activity);
  }

  /** Whether the body of a conditional section exists, decided where the section stands, while it is read in its turn. */
  condition(open: Line): Answer {
    return this.state.answer(open);
  }

  /** The same for a section that may be read when everything else has been: what its tag alone tells, beside `<IfDefine>`, which is always read in its turn. */
  conditionInAnyTurn(open: Line): Activity {
    return open.name === 'ifdefine' ? this.state.answer(open).activity : activityOf(open, this.options.target);
  }

  // ---- Macros ----

  /** `tag` is the open tag of a `<Macro>`. `hidden`: nobody knows whether a Use finds it. Returns the macro; null for a tag without a name. */
  defineMacro(
    tag: Line,
    of: Omit<Macro, 'name' | 'parameters' | 'line'>,
    { doubts, uses }: MacroPlace,
    hidden = false,
  ): Macro | null {
    if (uses.length === 0) this.macroRoom += TEXT_OF_CHARACTER * of.text.length;
    const expanded = this.expanded(tag);
    return this.macros.define(expanded ?? tag, { ...of, line: tag }, expanded && !hidden ? doubts : null);
  }

  /** Returns the refusal where the server stops at the line. */
  undefineMacro(given: Line, at: MacroPlace): RefusedUse | null {
    const line = this.expanded(given);
    if (line) return this.macros.undefine(line, at);
    this.macros.undefineAny();
    return null;
  }

  /** What a Use line finds. The text that it finds counts as a reading. */
  use(given: Line, at: MacroPlace): UsedMacro {
    const line = this.expanded(given);
    const [name = '', ...values] = argumentsOf(line ?? given).map((word) => word.value);
    const found = line && this.macros.find(name, values, at, this.hasRoom && this.hasMacroRoom(at));
    if (found && 'text' in found) {
      this.readings++;
      this.macroText += (found.text.length + values.join('').length + COST_OF_USE) * (at.uses.length + 1);
    }
    return { name, values, found };
  }

  /** Whether a Use line may bring in more text. */
  private hasMacroRoom({ uses }: MacroPlace): boolean {
    if (uses.length === 0) this.macroRoom += TEXT_OF_USE;
    return this.macroText < Math.min(this.macroRoom, MAX_MACRO_TEXT);
  }

  /** Whether a name that no macro has here is certain to be no macro's. */
  private isNoMacro(name: string): boolean {
    const { partOf } = this.options;
    return this.state.isSure && (!partOf || (partOf.macros !== null && !partOf.macros.has(name.toLowerCase())));
  }
}
