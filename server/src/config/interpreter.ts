/**
 * Executes the lines that affect how other lines are read: Include, ServerRoot, definitions,
 * LoadModule, Use, conditions. Limits stop endless reading. docs/how-httpd-reads.md.
 *
 * The interpreter reads no files and stores no lines. read-model.ts and configuration.ts visit the
 * lines in order, pass each line to the interpreter, and gather what they need.
 */
import { argumentsOf, type Line } from '../syntax/line';
import { activityOf, type Activity } from './activity';
import { ServerState, type ConditionResult, type StateOptions } from './environment';
import {
  hasWildcard,
  includedFiles,
  isAbsolute,
  isIncompleteList,
  readNameCountOf,
  localPathAsSpelled,
  localPathsOf,
  MAX_INCLUDED_FILES,
  MAX_INCLUDE_DEPTH,
  parentOf,
  pathBelow,
  resolvePath,
  serverPathOf,
  viewOfCopy,
  wildcardFolder,
  type FileView,
  type PathMap,
  driveOf,
} from './files';
import { weightOfUse, type Macro, type RefusedUse } from './macro';
import { MacroTable, type FoundMacro, type MacroContext } from './macro-table';
import type { GapReason } from './model';
import { findCopiedInclude, layoutAfterLine, layoutBeforeLines, type LayoutOptions } from './server-root';
import { findStartOptions, type StartOptions } from './service-file';

/**
 * The methods of a file view that the interpreter needs. It needs none that reads the contents of a
 * file.
 */
export type InterpreterView = Pick<FileView, 'kind' | 'list' | 'realPath' | 'link'> & {
  /**
   * The files that an Include of this path reads. A view that caches them has this method; for
   * other views, the function `includedFiles` is used.
   */
  included?(path: string): readonly string[];
};

/** What an interpreter needs to know before the first line. */
export interface InterpreterOptions<View extends InterpreterView>
  extends Omit<StateOptions, 'startOptions' | 'kind' | 'defines'> {
  /** The path of the main file, on this machine. */
  readonly mainFile: string;
  readonly view: View;
  /** The text of a file that is no configuration; null if it cannot be read. */
  readonly content: (view: View, path: string) => string | null;
  /** The settings of the user: ServerRoot, path map and `-D` names. Absent if they are not set. */
  readonly serverRoot?: string;
  readonly pathMap?: PathMap;
  readonly defines?: ReadonlyMap<string, string> | null;
  /** Set if the main file is only a part of a configuration (`ModelOptions.partOf`). */
  readonly partOf?: { readonly macros: ReadonlySet<string> | null };
}

/** How deeply a line is nested. */
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
  /** The reason why the files are unknown or the line is wrong; null if there is no problem. */
  readonly problem: GapReason | null;
  /**
   * Whether the server may read lines at this Include that this copy lacks. False if a wildcard
   * matches nothing, but its folder exists.
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
 * Maximum number of readings of files and macros together. No real server has so many. Without the
 * limit, files or macros that each use the next one twice would be read almost endlessly.
 */
const MAX_READINGS = 200_000;

/**
 * Maximum number of Include lines, Define lines and conditional sections, in all readings together.
 * A real configuration has at most some hundred thousand of them, but two files that include each
 * other are read again and again.
 */
const MAX_READ_LINES = 1_000_000;

/**
 * Maximum number of readings of one file in one scope while no definition changes. Such readings
 * add the same lines again. The limit does not affect a file that is used as a template, because
 * there are Define lines between its Include lines.
 */
const MAX_SAME_READINGS = 100;

/**
 * Maximum number of characters in all texts that Use lines insert. A text in nested macros counts
 * once for each of them, because it is also part of the text of each outer macro. The limit on
 * readings does not limit the text, because `Use M $x$x` doubles its argument. At this limit, no
 * more files and macros are read.
 */
const MAX_MACRO_TEXT = 16_000_000;

/**
 * A second limit for the text of macros. It grows with the files: a base, plus an amount for each
 * Use line outside of macros, for each character of a macro, and for each character of a Use line
 * in a macro. Ten thousand virtual hosts from one macro stay below it, and so does a macro that
 * uses another one thousands of times. Ten nested lines that each double their argument do not, nor
 * do hundreds of short Use lines of a long macro.
 */
const MACRO_TEXT_BASE = 250_000;
const MACRO_TEXT_PER_USE = 5_000;
const MACRO_TEXT_PER_CHARACTER = 10;
const MACRO_TEXT_PER_CHARACTER_OF_NESTED_USE = 80;

/** How many characters each Use line counts in addition to its text. */
const ADDED_LENGTH_PER_USE = 300;

/**
 * Maximum number of names that all Include lines together read in directories. After them, or after
 * one line that reads too many, no Include line is followed. Equal lines count once.
 */
const MAX_NAMES_OF_INCLUDES = 100_000;

/**
 * Maximum number of names without use that all Include lines together read in directories: those
 * above `USED_NAMES_PER_FILE` for each file that is found.
 */
const MAX_UNUSED_NAMES_OF_INCLUDES = 50_000;
const USED_NAMES_PER_FILE = 5;

/**
 * Maximum number of files that are no text, or begin with an unknown directive. After them, no more
 * files are read, because the server stops at the first such file (`Invalid command`,
 * ap_walk_config_sub in server/config.c), and `Include /usr` must end.
 */
const MAX_FOREIGN_FILES = 100;

/**
 * If Include lines of a file are reached at more depths than this, the file includes itself,
 * directly or through other files. The server stops at its own limit of depth, and does not start.
 */
const MAX_DEPTHS_PER_FILE = 8;

/** Maximum depth of nested sections, includes and macros. Deeper nesting is a mistake. */
const MAX_NESTING = 600;

/** Whether a place is nested too deeply to be read. */
export function isNestedTooDeep({ nestingDepth }: Pick<NestingDepth, 'nestingDepth'>): boolean {
  return nestingDepth > MAX_NESTING;
}

/** The number of characters in the Use lines of a text. */
function lengthOfUseLines(text: string): number {
  let length = 0;
  for (const [line] of text.matchAll(/^[ \t]*use[ \t].*$/gim)) length += line.length;
  return length;
}

/** Executes the lines that affect later lines, such as Include and Define. */
export class Interpreter<View extends InterpreterView> {
  readonly state: ServerState;
  readonly macros: MacroTable;
  /** The start options in a file of the distribution; null if there is none. */
  readonly startOptions: StartOptions | null;
  /** The view of the configuration's files. */
  fileView: View;
  private readonly layout: LayoutOptions;
  /** The folder of the main file, as the caller names it. */
  private readonly mainFolder: string;
  private isServerRootSet = false;
  private readingCount = 0;
  private stepCount = 0;
  private macroTextLength = 0;
  private macroTextLimit = MACRO_TEXT_BASE;
  /**
   * Whether the limit for text was reached at a Use line. Then no more files and macros are read.
   */
  private isMacroTextFull = false;
  /**
   * The macros and Use lines that have raised the limit, with their files. If a file includes
   * itself, each of them raises it once.
   */
  private readonly linesCountedForLimit = new Set<string>();
  /** Whether Include lines have read too many names in directories. */
  private hasReadTooManyNames = false;
  private includedNameCount = 0;
  private unusedNameCount = 0;
  /** The files of each path or pattern, because a file that is read often repeats its lines. */
  private readonly filesByPath = new Map<string, readonly string[]>();
  /** Paths of files that are no text, or begin with an unknown directive. */
  private readonly foreignFiles = new Set<string>();
  /** Files that were found to include themselves. */
  private readonly selfIncludingFiles = new Set<string>();
  /**
   * For each file with an Include line: the depths of nested includes at which the file was read.
   */
  private readonly depthsByFile = new Map<string, Set<number>>();

  /** For each scope, how often each file was read in it since the last Define or UnDefine line. */
  private sameReadings = new WeakMap<object, Map<string, number>>();

  constructor(private readonly options: InterpreterOptions<View>) {
    const { mainFile, view, partOf } = options;
    this.mainFolder = parentOf(mainFile);
    this.layout = {
      root: view.realPath(mainFile),
      serverRoot: options.serverRoot,
      pathMap: options.pathMap,
      realPath: (path) => view.realPath(path),
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
   * Records that some lines cannot be read. After them, there may be definitions that are not
   * known.
   */
  recordMissingLines(): void {
    this.state.markIncomplete();
  }

  /** The line with its variables replaced by their values; null if a value is unknown. */
  expandedLine(line: Line): Line | null {
    if (!line.mayHaveVariable || !line.text.includes('${')) return line;
    return this.state.expandedLine(line);
  }

  /**
   * The line that httpd reads for a line whose name is a variable; null if it is unknown. httpd
   * replaces variables before it looks for the name (ap_build_config_sub in server/config.c).
   */
  lineNamedByVariable(line: Line): Line | null {
    const expandedLine = this.expandedLine(line);
    return expandedLine && !expandedLine.name.startsWith('${') ? expandedLine : null;
  }

  // ---- Files ----

  /**
   * The files of an Include or IncludeOptional line. `file`: the path of the file with the line,
   * with links resolved.
   */
  findIncludedFiles(line: Line, file: string, depth: NestingDepth): IncludedFiles {
    this.stepCount++;
    const expandedLine = this.expandedLine(line);
    const expandedPath = argumentsOf(expandedLine ?? line)[0]?.value ?? '';
    const foundFiles = (problem: GapReason | null, files: readonly string[] = [], mayMissLines = problem !== null) => ({
      what: expandedPath,
      files,
      problem,
      mayMissLines,
    });
    if (!expandedLine) return foundFiles('include-variable');
    if (expandedPath === '') return foundFiles(null);
    if (depth.includeDepth >= MAX_INCLUDE_DEPTH || isNestedTooDeep(depth) || this.includesItself(file, depth)) {
      this.selfIncludingFiles.add(file);
      return foundFiles('too-deep');
    }
    const namedPath = this.absolutePath(expandedPath);
    const localPath = localPathAsSpelled(namedPath, this.state.pathMap, this.fileView);
    if (this.hasReadTooManyNames) return foundFiles('too-many');
    let files = this.includedFiles(namedPath, localPath);
    for (const path of localPathsOf(namedPath, this.state.pathMap))
      if (files.length === 0 && path !== localPath) files = this.includedFiles(namedPath, path);
    if (isIncompleteList(files)) {
      this.hasReadTooManyNames = true;
      return foundFiles('too-many', files);
    }
    if (files.length > 0) return foundFiles(files.length >= MAX_INCLUDED_FILES ? 'too-many' : null, files);
    const problem = this.problemWithoutFiles(line, expandedPath, localPath);
    return foundFiles(
      problem,
      files,
      problem !== null && !(problem === 'include-missing' && hasWildcard(expandedPath)),
    );
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
    const realPath = this.fileView.realPath(name);
    // This file was found to include itself, so it has been read often enough.
    if (this.selfIncludingFiles.has(realPath)) return { path: realPath, problem: 'too-deep' };
    if (!this.mayReadMore || this.countSameReading(realPath, scope ?? this) > MAX_SAME_READINGS)
      return { path: realPath, problem: 'too-many' };
    const content = read(this.fileView, realPath);
    if (isForeign(this.fileView, realPath, content)) this.foreignFiles.add(realPath);
    if (content === null) return { path: realPath, problem: 'include-missing' };
    this.readingCount++;
    return { path: realPath, content };
  }

  /**
   * The path of an Include line, as a question names it: a Windows path has several spellings, so
   * it is normalized.
   */
  pathForQuestion(includedPath: string): string {
    return driveOf(includedPath) === '' ? includedPath : resolvePath(this.state.serverRoot, includedPath);
  }

  /**
   * The path that a file from `findIncludedFiles` has on the server. It is relative to ServerRoot
   * if the argument of the Include line is relative.
   */
  serverPathOfInclude(localPath: string, includeArgument: string): string {
    const path = serverPathOf(localPath, this.state.pathMap);
    return isAbsolute(includeArgument) ? path : (pathBelow(path, this.state.serverRoot) ?? path);
  }

  /**
   * Counts one more reading of a file in a scope. Returns how often the file was read there since
   * the last change of a definition.
   */
  private countSameReading(path: string, scope: object): number {
    const countByPath = this.sameReadings.get(scope) ?? new Map<string, number>();
    const readingCount = (countByPath.get(path) ?? 0) + 1;
    this.sameReadings.set(scope, countByPath.set(path, readingCount));
    return readingCount;
  }

  /**
   * Counts a conditional section. It counts more inside many sections, because the work for a
   * section grows with the number of sections around it.
   */
  countConditional({ nestingDepth }: NestingDepth): void {
    this.stepCount += 1 + nestingDepth / 10;
  }

  /** Counts the reading of the main file. Must be called first. */
  countMainFile(): void {
    this.readingCount++;
  }

  /** Whether more may be read. The limits are needed because exponential nesting must end. */
  get mayReadMore(): boolean {
    return (
      this.readingCount < MAX_READINGS &&
      this.stepCount < MAX_READ_LINES &&
      this.macroTextLength < MAX_MACRO_TEXT &&
      !this.isMacroTextFull
    );
  }

  /**
   * Whether a file with an Include line certainly includes itself: it was reached at many depths of
   * nested includes.
   */
  private includesItself(file: string, { includeDepth }: NestingDepth): boolean {
    const depths = this.depthsByFile.get(file);
    if (depths === undefined) this.depthsByFile.set(file, new Set([includeDepth]));
    return depths !== undefined && depths.add(includeDepth).size > MAX_DEPTHS_PER_FILE;
  }

  private includedFiles(namedPath: string, path: string): readonly string[] {
    const includedPaths = (localPath: string) => this.filesOfPath(localPath);
    const { files, pathMap } = findCopiedInclude({
      path: namedPath,
      matchingFiles: includedPaths(path),
      folder: this.mainFolder,
      pathMap: this.state.pathMap,
      userMap: this.options.pathMap,
      includedPaths,
    });
    this.state.pathMap = pathMap;
    return files;
  }

  /** The files of an Include with this path. Counts the names that were read in directories. */
  private filesOfPath(path: string): readonly string[] {
    let files = this.filesByPath.get(path);
    if (!files) {
      files = this.fileView.included?.(path) ?? includedFiles(path, this.fileView);
      this.filesByPath.set(path, files);
      this.includedNameCount += readNameCountOf(files);
      this.unusedNameCount += Math.max(0, readNameCountOf(files) - USED_NAMES_PER_FILE * files.length);
      this.hasReadTooManyNames ||=
        this.includedNameCount > MAX_NAMES_OF_INCLUDES || this.unusedNameCount > MAX_UNUSED_NAMES_OF_INCLUDES;
    }
    return files;
  }

  /**
   * The problem of an Include without files; null if there is none. `writtenPath`: its argument.
   * `localPath`: the path on this machine. A pattern may match nothing, so that is no problem if
   * its folder exists. If the folder is missing, it may be missing only on this machine.
   */
  private problemWithoutFiles(line: Line, writtenPath: string, localPath: string): GapReason | null {
    const { fileView } = this;
    if (fileView.kind(localPath) === 'folder') return fileView.list(localPath) === null ? 'include-unreadable' : null;
    const isPattern = hasWildcard(writtenPath);
    const folder = isPattern ? wildcardFolder(localPath) || '/' : parentOf(localPath);
    if (fileView.kind(folder) !== 'folder') return 'include-folder-missing';
    if (isPattern && fileView.list(folder) === null) return 'include-unreadable';
    return line.name === 'include' || !isPattern ? 'include-missing' : null;
  }

  /** Handles a ServerRoot line. */
  setServerRoot(sourceLine: Line): void {
    const expandedLine = this.expandedLine(sourceLine);
    const serverRootInLine = expandedLine && argumentsOf(expandedLine)[0]?.value;
    if (!serverRootInLine || !isAbsolute(serverRootInLine)) return;
    const absoluteRoot = this.absolutePath(serverRootInLine);
    // The first ServerRoot line shows from which directory a tree was copied, unless a setting of
    // the user gives the ServerRoot. Later lines do not change the path map.
    if (this.isServerRootSet) {
      if (this.layout.serverRoot === undefined) this.state.serverRoot = absoluteRoot;
      return;
    }
    this.isServerRootSet = true;
    ({ serverRoot: this.state.serverRoot, pathMap: this.state.pathMap } = layoutAfterLine(absoluteRoot, this.layout));
    this.fileView = viewOfCopy(this.options.view, this.state.pathMap);
    this.filesByPath.clear();
  }

  private absolutePath(path: string): string {
    return resolvePath(this.state.serverRoot, path);
  }

  // ---- What is defined and loaded ----

  /**
   * Handles a LoadModule line. Returns the module by the manual's name (null if unknown), and its
   * file as written (undefined if the line has none).
   */
  loadModule(
    sourceLine: Line,
    activity: Activity,
  ): { readonly module: string | null; readonly path: string | undefined } {
    const line = this.expandedLine(sourceLine) ?? sourceLine;
    return { module: this.state.loadModule(line, activity), path: argumentsOf(line)[1]?.value };
  }

  /**
   * Handles a Define line. Returns the line with its variables replaced; null if a value is
   * unknown.
   */
  applyDefine(sourceLine: Line, activity: Activity): Line | null {
    this.stepCount++;
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
   * Whether httpd reads the body of a conditional section, and why. Must be called when the reading
   * reaches the section, because the result depends on the lines before it.
   */
  resultOfCondition(open: Line): ConditionResult {
    return this.state.conditionResult(open);
  }

  /**
   * Decides a section by its tag alone, because the section may be read later, out of order. An
   * `<IfDefine>` is always read in order, so the definitions so far decide it.
   */
  activityByTag(open: Line): Activity {
    return open.name === 'ifdefine' ? this.state.conditionResult(open).activity : activityOf(open, this.options.target);
  }

  // ---- Macros ----

  /**
   * Defines a macro by the open tag of its section. Returns the macro; null for a tag without a
   * name.
   */
  defineMacro(
    tag: Line,
    body: Omit<Macro, 'name' | 'parameters' | 'line'>,
    { unknownConditions, uses }: MacroContext,
  ): Macro | null {
    if (uses.length === 0 && this.mayRaiseLimit(tag, body.file))
      this.macroTextLimit +=
        MACRO_TEXT_PER_CHARACTER * body.text.length +
        MACRO_TEXT_PER_CHARACTER_OF_NESTED_USE * lengthOfUseLines(body.text);
    const expandedLine = this.expandedLine(tag);
    return this.macros.define(expandedLine ?? tag, { ...body, line: tag }, expandedLine ? unknownConditions : null);
  }

  /**
   * Handles an UndefMacro line. If the server stops at the line, returns the reason. Otherwise
   * null.
   */
  undefineMacro(sourceLine: Line, context: MacroContext): RefusedUse | null {
    const line = this.expandedLine(sourceLine);
    if (line) return this.macros.undefine(line, context);
    this.macros.undefineAny();
    return null;
  }

  /** Finds the macro of a Use line in a file, and counts the inserted text for the limits. */
  expandUse(sourceLine: Line, file: string, context: MacroContext): MacroUse {
    const line = this.expandedLine(sourceLine);
    const [name = '', ...values] = argumentsOf(line ?? sourceLine).map((word) => word.value);
    const foundMacro =
      line &&
      this.macros.findMacro(
        name,
        values,
        context,
        this.mayReadMore && this.hasRoomForMacroText(context, sourceLine, file),
      );
    if (foundMacro && 'text' in foundMacro) {
      this.readingCount++;
      this.macroTextLength +=
        (foundMacro.text.length + values.join('').length + ADDED_LENGTH_PER_USE) * (context.uses.length + 1);
    }
    return { name, values, foundMacro };
  }

  /** Whether there is room for the text of another Use line. */
  private hasRoomForMacroText({ uses }: MacroContext, line: Line, file: string): boolean {
    if (uses.length === 0 && this.mayRaiseLimit(line, file))
      this.macroTextLimit += MACRO_TEXT_PER_USE * weightOfUse(line);
    this.isMacroTextFull = this.macroTextLength >= this.macroTextLimit;
    return !this.isMacroTextFull;
  }

  /**
   * Whether a macro or a Use line raises the limit: always, but only once in a file that is read at
   * several depths of nested includes, because it may include itself.
   */
  private mayRaiseLimit({ text }: Line, file: string): boolean {
    const isFirstTime = this.linesCountedForLimit.size < this.linesCountedForLimit.add(`${file}\0${text}`).size;
    return isFirstTime || (this.depthsByFile.get(file)?.size ?? 0) <= 1;
  }

  /** Whether a name that no line so far defines as a macro is certainly not one. */
  private isCertainlyNoMacro(name: string): boolean {
    const { partOf } = this.options;
    return this.state.isComplete && (!partOf || (partOf.macros !== null && !partOf.macros.has(name.toLowerCase())));
  }
}
