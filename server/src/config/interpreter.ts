/**
 * Executes the lines that affect how other lines are read: Include, ServerRoot, definitions,
 * LoadModule, Use, conditions. Limits stop endless reading. docs/how-httpd-reads.md.
 * It reads no files and stores no lines. read-model.ts and configuration.ts visit the lines in
 * order, pass each line to the interpreter, and gather what they need.
 */
import { argumentsOf, type Line } from '../syntax/line';
import { activityOf, type Activity } from './activity';
import { ServerState, type ConditionResult, type StateOptions } from './environment';
import {
  hasWildcard,
  includedFiles,
  isAbsolute,
  isIncompleteList,
  localPathAsSpelled,
  localPathsOf,
  MAX_INCLUDED_FILES,
  MAX_INCLUDE_DEPTH,
  parentOf,
  resolvePath,
  viewOfCopy,
  wildcardFolder,
  type FileView,
  type PathMap,
} from './files';
import { weightOfUse, type Macro, type RefusedUse } from './macro';
import { MacroTable, type FoundMacro, type MacroContext } from './macro-table';
import type { GapReason } from './model';
import { findCopiedInclude, layoutAfterLine, layoutBeforeLines, type LayoutOptions } from './server-root';
import { findStartOptions, type StartOptions } from './service-file';

/**
 * The methods of a file view that the interpreter needs. It does not need the contents of files.
 */
export type InterpreterView = Pick<FileView, 'kind' | 'list' | 'identity' | 'link'> & {
  /**
   * The files that an Include of this path reads, if the view caches them; otherwise includedFiles
   * is used.
   */
  included?(path: string): readonly string[];
};

export interface InterpreterOptions<View extends InterpreterView>
  extends Omit<StateOptions, 'startOptions' | 'kind' | 'defines'> {
  /** The main file. */
  readonly mainFile: string;
  readonly view: View;
  /** The text of a file that is no configuration; null if it cannot be read. */
  readonly content: (view: View, path: string) => string | null;
  /** Settings of the user. */
  readonly serverRoot?: string;
  readonly pathMap?: PathMap;
  readonly defines?: ReadonlyMap<string, string> | null;
  /** Set if the main file is only a part of a configuration (`ModelOptions.partOf`). */
  readonly partOf?: { readonly macros: ReadonlySet<string> | null };
}

/** How deep a line is nested. */
export interface NestingDepth {
  /** Number of nested includes. */
  readonly includeDepth: number;
  /** The number of sections, includes and macros around the line. */
  readonly nestingDepth: number;
}

/** The files that an Include line reads. */
export interface IncludedFiles {
  /** The argument of the line, with known variables replaced. */
  readonly what: string;
  /** Paths of this machine, in reading order. */
  readonly files: readonly string[];
  /** The reason why the files are unknown or the line is wrong. */
  readonly problem: GapReason | null;
  /**
   * Whether the server may read lines here that are missing in this copy. False if a wildcard
   * matches nothing in an existing folder.
   */
  readonly mayMissLines: boolean;
}

/** An included file, or the reason why it is not read. */
export type OpenedFile<Content> =
  | { readonly path: string; readonly content: Content }
  | { readonly path: string; readonly problem: GapReason };

/** A Use line and the macro that it finds. */
export interface MacroUse {
  readonly name: string;
  readonly values: readonly string[];
  readonly foundMacro: FoundMacro;
}

/**
 * Limit of readings of files and macros together. No real server has so many. Without the limit,
 * exponential nesting would not end.
 */
const MAX_READINGS = 200_000;

/**
 * Limit of Include and Define lines and conditional sections in all readings together. Two files
 * that include each other are read often; a real file has at most some hundred thousand of them.
 */
const MAX_STEPS = 1_000_000;

/**
 * Limit of readings of one file in one scope while no definition changes, because such readings add
 * the same lines again. A file that is used as a template is included after other Define lines.
 */
const MAX_SAME_READINGS = 100;

/**
 * Limit for the characters of all texts that Use lines insert. A text in nested macros counts once
 * for each of them, because it is part of their texts, too. `Use M $x$x` doubles its argument, so
 * the number of readings does not bound the text. At the limit, reading of files and macros ends.
 */
const MAX_MACRO_TEXT = 16_000_000;

/**
 * A second limit for the text of macros grows with the files: a base, plus an amount for each Use
 * line outside of macros, and for each character of their text. Ten thousand virtual hosts from one
 * macro fit, and so does a macro that uses another one thousands of times. Ten nested lines that
 * each double their argument do not.
 */
const MACRO_TEXT_BASE = 400_000;
const MACRO_TEXT_PER_USE = 5_000;
const MACRO_TEXT_PER_CHARACTER = 130;

/** The cost of a Use besides the characters of its text. */
const LENGTH_PER_USE = 800;

/**
 * After so many Include lines that exceed the limit of directories, no further Include lines are
 * followed.
 */
const MAX_INCOMPLETE_INCLUDES = 3;

/**
 * After this many files that are no text, or begin with an unknown directive, no more files are
 * read: the server stops at the first of them (`Invalid command`, ap_walk_config_sub in
 * server/config.c), and `Include /usr` must end.
 */
const MAX_FOREIGN_FILES = 100;

/**
 * If a file is read at more depths than this, it includes itself, directly or through other files.
 * The server stops at its own limit of depth, and does not start.
 */
const MAX_DEPTHS = 8;

/** Limit for nested sections, includes and macros; deeper nesting is a mistake. */
const MAX_NESTING = 600;

/** Whether a place is nested too deep to be read. */
export function isTooDeep({ nestingDepth }: Pick<NestingDepth, 'nestingDepth'>): boolean {
  return nestingDepth > MAX_NESTING;
}

export class Interpreter<View extends InterpreterView> {
  readonly state: ServerState;
  readonly macros: MacroTable;
  /** The start options in a file of the distribution; null if there is none. */
  readonly startOptions: StartOptions | null;
  /** The view of the configuration's files. */
  fileView: View;
  private readonly layout: LayoutOptions;
  /** The folder of the main file, as named. */
  private readonly folder: string;
  private isServerRootSet = false;
  private readings = 0;
  private steps = 0;
  private macroText = 0;
  private macroTextLimit = MACRO_TEXT_BASE;
  private incompleteIncludes = 0;
  /** Paths of files that are no text, or begin with an unknown directive. */
  private readonly foreignFiles = new Set<string>();
  /** Files that were found to include themselves. */
  private readonly selfIncludingFiles = new Set<string>();
  /** The depths at which files with an Include were read. */
  private readonly depthsByFile = new Map<string, Set<number>>();

  /** For each scope, how often each file was read in it since the last Define or UnDefine line. */
  private sameReadings = new WeakMap<object, Map<string, number>>();

  constructor(private readonly options: InterpreterOptions<View>) {
    const { mainFile, view, partOf } = options;
    this.folder = parentOf(mainFile);
    this.layout = {
      root: view.identity(mainFile),
      serverRoot: options.serverRoot,
      pathMap: options.pathMap,
      identity: (path) => view.identity(path),
    };
    const { serverRoot, pathMap } = layoutBeforeLines(this.layout);
    this.fileView = viewOfCopy(view, pathMap);
    this.startOptions = findStartOptions(
      this.layout.root,
      pathMap,
      (path) => options.content(this.fileView, path),
      (path) => this.fileView.list(path),
    );
    this.state = new ServerState(
      {
        target: options.target,
        builtIn: options.builtIn,
        knowsModules: options.knowsModules,
        defines: options.defines ?? null,
        defineFlags: options.defineFlags,
        startOptions: this.startOptions,
        kind: (path) => this.fileView.kind(path),
      },
      serverRoot,
      pathMap,
    );
    this.macros = new MacroTable((name) => this.isCertainlyNoMacro(name), (partOf?.macros?.size ?? 0) > 0);
  }

  /** The path of the main file with symbolic links resolved. */
  get root(): string {
    return this.layout.root;
  }

  /**
   * Records that some lines cannot be read. From here on, there may be definitions that are not
   * known.
   */
  recordMissingLines(): void {
    this.state.markIncomplete();
  }

  /** The line with its variables replaced; null if one of them is unknown. */
  expandedLine(line: Line): Line | null {
    if (!line.mayVary || !line.text.includes('${')) return line;
    return this.state.expandedLine(line);
  }

  /**
   * The line that httpd reads for one whose name is a variable (ap_build_config_sub in
   * server/config.c replaces variables before it looks for the name); null if it is unknown.
   */
  lineNamedByVariable(line: Line): Line | null {
    const expanded = this.expandedLine(line);
    return expanded && !expanded.name.startsWith('${') ? expanded : null;
  }

  // ---- Files ----

  /**
   * The files of an Include or IncludeOptional line. `file`: the path of the file with the line,
   * with links resolved.
   */
  findIncludedFiles(line: Line, file: string, depth: NestingDepth): IncludedFiles {
    this.steps++;
    const expanded = this.expandedLine(line);
    const writtenPath = argumentsOf(expanded ?? line)[0]?.value ?? '';
    const foundFiles = (problem: GapReason | null, files: readonly string[] = [], mayMissLines = problem !== null) => ({
      what: writtenPath,
      files,
      problem,
      mayMissLines,
    });
    if (!expanded) return foundFiles('include-variable');
    if (writtenPath === '') return foundFiles(null);
    if (depth.includeDepth >= MAX_INCLUDE_DEPTH || isTooDeep(depth) || this.includesItself(file, depth)) {
      this.selfIncludingFiles.add(file);
      return foundFiles('too-deep');
    }
    const namedPath = this.absolutePath(writtenPath);
    const localPath = localPathAsSpelled(namedPath, this.state.pathMap, this.fileView);
    if (this.incompleteIncludes >= MAX_INCOMPLETE_INCLUDES) return foundFiles('too-many');
    let files = this.includedFiles(namedPath, localPath);
    for (const path of localPathsOf(namedPath, this.state.pathMap))
      if (files.length === 0 && path !== localPath) files = this.includedFiles(namedPath, path);
    if (isIncompleteList(files)) {
      this.incompleteIncludes++;
      return foundFiles('too-many', files);
    }
    if (files.length > 0) return foundFiles(files.length >= MAX_INCLUDED_FILES ? 'too-many' : null, files);
    const problem = this.problemWithoutFiles(line, writtenPath, localPath);
    return foundFiles(problem, files, problem !== null && !(problem === 'include-missing' && hasWildcard(writtenPath)));
  }

  /**
   * Opens an included file by a name from `findIncludedFiles`. `read` gets the path with links
   * resolved. `isForeign`: whether the file begins with an unknown directive. After
   * MAX_FOREIGN_FILES such files, no more files are opened. `scope`: the scope of the Include line;
   * null for the main server.
   */
  openFile<Content>(
    name: string,
    scope: object | null,
    read: (view: View, path: string) => Content | null,
    isForeign: (view: View, path: string, content: Content | null) => boolean,
  ): OpenedFile<Content> {
    if (this.foreignFiles.size >= MAX_FOREIGN_FILES) return { path: name, problem: 'too-many' };
    const identity = this.fileView.identity(name);
    // A file that includes itself has been read often enough.
    if (this.selfIncludingFiles.has(identity)) return { path: identity, problem: 'too-deep' };
    if (!this.mayReadMore || this.countSameReading(identity, scope ?? this) > MAX_SAME_READINGS)
      return { path: identity, problem: 'too-many' };
    const content = read(this.fileView, identity);
    if (isForeign(this.fileView, identity, content)) this.foreignFiles.add(identity);
    if (content === null) return { path: identity, problem: 'include-missing' };
    this.readings++;
    return { path: identity, content };
  }

  private countSameReading(path: string, scope: object): number {
    const readings = this.sameReadings.get(scope) ?? new Map<string, number>();
    const readingCount = (readings.get(path) ?? 0) + 1;
    this.sameReadings.set(scope, readings.set(path, readingCount));
    return readingCount;
  }

  /**
   * Counts a conditional section. The work for one section grows with the number of sections around
   * it.
   */
  countConditional({ nestingDepth }: NestingDepth): void {
    this.steps += 1 + nestingDepth / 10;
  }

  /** Counts the reading of the main file. Must be called first. */
  countMainFile(): void {
    this.readings++;
  }

  /** Whether more may be read: exponential nesting must end. */
  get mayReadMore(): boolean {
    return this.readings < MAX_READINGS && this.steps < MAX_STEPS && this.macroText < MAX_MACRO_TEXT;
  }

  private includesItself(file: string, { includeDepth }: NestingDepth): boolean {
    const depths = this.depthsByFile.get(file);
    if (depths === undefined) this.depthsByFile.set(file, new Set([includeDepth]));
    return depths !== undefined && depths.add(includeDepth).size > MAX_DEPTHS;
  }

  private includedFiles(named: string, path: string): readonly string[] {
    const includedPaths = (here: string) => this.fileView.included?.(here) ?? includedFiles(here, this.fileView);
    const { files, pathMap } = findCopiedInclude({
      path: named,
      matches: includedPaths(path),
      folder: this.folder,
      pathMap: this.state.pathMap,
      userMap: this.options.pathMap,
      includedPaths,
    });
    this.state.pathMap = pathMap;
    return files;
  }

  /**
   * The problem of an Include without files; null if there is none. A wildcard may match nothing;
   * but if its folder is missing, the part may only be missing on this machine.
   */
  private problemWithoutFiles(line: Line, what: string, path: string): GapReason | null {
    const { fileView } = this;
    if (fileView.kind(path) === 'folder') return fileView.list(path) === null ? 'include-unreadable' : null;
    const isPattern = hasWildcard(what);
    const folder = isPattern ? wildcardFolder(path) || '/' : parentOf(path);
    if (fileView.kind(folder) !== 'folder') return 'include-folder-missing';
    if (isPattern && fileView.list(folder) === null) return 'include-unreadable';
    return line.name === 'include' || !isPattern ? 'include-missing' : null;
  }

  setServerRoot(sourceLine: Line): void {
    const expanded = this.expandedLine(sourceLine);
    const writtenRoot = expanded && argumentsOf(expanded)[0]?.value;
    if (!writtenRoot || !isAbsolute(writtenRoot)) return;
    const serverPath = this.absolutePath(writtenRoot);
    // The first ServerRoot line shows where a copied tree comes from, unless a setting of the user
    // gives the ServerRoot.
    if (this.isServerRootSet) {
      if (this.layout.serverRoot === undefined) this.state.serverRoot = serverPath;
      return;
    }
    this.isServerRootSet = true;
    ({ serverRoot: this.state.serverRoot, pathMap: this.state.pathMap } = layoutAfterLine(serverPath, this.layout));
    this.fileView = viewOfCopy(this.options.view, this.state.pathMap);
  }

  private absolutePath(path: string): string {
    return resolvePath(this.state.serverRoot, path);
  }

  // ---- What is defined and loaded ----

  /**
   * Handles a LoadModule line. Returns the module by the manual's name, and its file as written;
   * null and undefined if unknown.
   */
  loadModule(
    sourceLine: Line,
    activity: Activity,
  ): { readonly module: string | null; readonly path: string | undefined } {
    const line = this.expandedLine(sourceLine) ?? sourceLine;
    return { module: this.state.loadModule(line, activity), path: argumentsOf(line)[1]?.value };
  }

  /** Handles a Define line. Returns it with variables replaced; null if one of them is unknown. */
  applyDefine(sourceLine: Line, activity: Activity): Line | null {
    this.steps++;
    const line = this.expandedLine(sourceLine);
    this.state.applyDefine(line ?? sourceLine, activity, line !== null);
    this.sameReadings = new WeakMap();
    return line;
  }

  applyUndefine(sourceLine: Line, activity: Activity): void {
    this.sameReadings = new WeakMap();
    this.state.applyUndefine(this.expandedLine(sourceLine) ?? sourceLine, activity);
  }

  /**
   * Whether httpd reads the body of a conditional section. Must be called when the reading reaches
   * the section.
   */
  resultOf(open: Line): ConditionResult {
    return this.state.conditionResult(open);
  }

  /**
   * Decides a section that may be read later by its tag alone, except for `<IfDefine>`, which is
   * always read in order.
   */
  activityByTag(open: Line): Activity {
    return open.name === 'ifdefine' ? this.state.conditionResult(open).activity : activityOf(open, this.options.target);
  }

  // ---- Macros ----

  /**
   * Defines a macro by the open tag of its section. `hidden`: it is unknown whether a Use finds it.
   * Returns the macro; null for a tag without a name.
   */
  defineMacro(
    tag: Line,
    body: Omit<Macro, 'name' | 'parameters' | 'line'>,
    { unknownConditions, uses }: MacroContext,
    hidden = false,
  ): Macro | null {
    if (uses.length === 0) this.macroTextLimit += MACRO_TEXT_PER_CHARACTER * body.text.length;
    const expanded = this.expandedLine(tag);
    return this.macros.define(expanded ?? tag, { ...body, line: tag }, expanded && !hidden ? unknownConditions : null);
  }

  /** Handles an UndefMacro line. Returns the refusal if the server stops there. */
  undefineMacro(sourceLine: Line, context: MacroContext): RefusedUse | null {
    const line = this.expandedLine(sourceLine);
    if (line) return this.macros.undefine(line, context);
    this.macros.undefineAny();
    return null;
  }

  /** Finds the macro of a Use line. The inserted text counts for the limits. */
  expandUse(sourceLine: Line, context: MacroContext): MacroUse {
    const line = this.expandedLine(sourceLine);
    const [name = '', ...values] = argumentsOf(line ?? sourceLine).map((word) => word.value);
    const foundMacro =
      line && this.macros.findMacro(name, values, context, this.mayReadMore && this.hasMacroRoom(context, sourceLine));
    if (foundMacro && 'text' in foundMacro) {
      this.readings++;
      this.macroText += (foundMacro.text.length + values.join('').length + LENGTH_PER_USE) * (context.uses.length + 1);
    }
    return { name, values, foundMacro };
  }

  /** Whether there is room for the text of another Use line. */
  private hasMacroRoom({ uses }: MacroContext, line: Line): boolean {
    if (uses.length === 0) this.macroTextLimit += MACRO_TEXT_PER_USE * weightOfUse(line);
    return this.macroText < this.macroTextLimit;
  }

  /** Whether a name that no line so far defines as a macro is certainly not one. */
  private isCertainlyNoMacro(name: string): boolean {
    const { partOf } = this.options;
    return this.state.isComplete && (!partOf || (partOf.macros !== null && !partOf.macros.has(name.toLowerCase())));
  }
}
