/**
 * Reads a `Model` (config/model.ts) as httpd reads a configuration, from its main file: includes,
 * variables, macros, conditions, modules. docs/how-httpd-reads.md.
 *
 * The reader uses summaries of files (config/file-summary.ts). So its time grows with the number of
 * lines that matter to other files, not with the size of the files.
 */
import { argumentsOf, Line } from '../syntax/line';
import { counters } from '../syntax/memory';
import { activityInside, type Activity } from './activity';
import { makeAssumption, areEqualAssumptions, MPM_MODULES } from './assumption';
import type { ConfigView } from './config-view';
import { detectDistribution, type Distribution } from './distribution';
import type { ConditionResult, ModuleState, ServerState } from './environment';
import {
  PROVIDER_ALIAS_SECTIONS,
  summarize,
  SummarySection,
  isServingItem,
  EMPTY_SUMMARY,
  type FileSummary,
  type SummaryPart,
} from './file-summary';
import { resolvePath, serverPathOf } from './files';
import { Interpreter, isNestedTooDeep, type NestingDepth } from './interpreter';
import { expand, treeOfText, type Macro, type UseResult } from './macro';
import type { MacroContext } from './macro-table';
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
import { enablesMemoryCache } from './old-modules';
import { runToEnd, type Steps } from './resumable';
import { spelledSection } from './sections';
import { DEFAULT_TARGET, type Target } from './target';

/** How a model is read: the main file, the view of the files, and the settings. */
export interface ModelOptions {
  readonly mainFile: string;
  readonly view: ConfigView;
  readonly target?: Target;
  /**
   * An earlier model of the same configuration. Its assumption is tried first, because that
   * assumption is probably still right.
   */
  readonly modelBefore?: Model;
  /**
   * The user's settings about the server. Facts that are not set are detected from the
   * configuration.
   */
  readonly server?: ServerSettings;
  /**
   * Set if the main file is only a part of a configuration, and the rest is unknown. `macros`: the
   * names of the macros in the rest, in lower case; null if these are unknown, too.
   */
  readonly partOf?: { readonly macros: ReadonlySet<string> | null };
}

/**
 * A container section. The words of its tag are read on first use, because most are never needed.
 */
class ContainerScope implements ModelScope {
  private cachedWords: readonly string[] | null = null;

  constructor(
    private readonly open: Line,
    readonly parent: ModelScope | null,
  ) {}

  get name(): string {
    return this.open.name;
  }

  get words(): readonly string[] {
    return (this.cachedWords ??= argumentsOf(this.open).map((word) => word.value));
  }
}

/** Counts readings of files, and steps. Only tests use it. */
export const modelCounts = counters({ readings: 0, steps: 0 });

/** Reads a model at once. Null if its main file cannot be read. */
export function readModel(options: ModelOptions): Model | null {
  return runToEnd(modelInSteps(options));
}

/**
 * Reads a model in steps. Null if its main file cannot be read. The files must not change between
 * the steps.
 */
export function* modelInSteps(options: ModelOptions): Steps<Model | null> {
  const fileSummary = options.view.fileSummary(options.mainFile);
  if (!fileSummary) return null;
  // The results of conditions depend on the compiled-in modules, and on whether the LoadModule
  // lines are complete. Both are known only after the reading, so the first reading assumes them.
  // If the assumption was wrong, the conditions are decided again. The files are read again only if
  // a condition with a new result contains lines that affect other lines.
  const firstReader = new ModelReader(
    options,
    options.modelBefore?.assumption ?? makeAssumption(options.server ?? {}, null),
  );
  yield* firstReader.readAll(fileSummary);
  const secondAssumption = makeAssumption(options.server ?? {}, firstReader);
  if (areEqualAssumptions(secondAssumption, firstReader.assumption) || firstReader.redecideConditions(secondAssumption))
    return firstReader.toModel();
  const secondReader = new ModelReader(options, secondAssumption);
  yield* secondReader.readAll(fileSummary);
  return secondReader.toModel();
}

// ---------------------------------------------------------------------------------------------------------------------

/** Number of lines, sections and files between two pauses. */
const ITEMS_PER_STEP = 64;

/** Maximum number of Include lines that are stored for each file that they read. */
const MAX_INCLUDED_BY = 3;

/** Modules that do not exist in 2.2. */
const MODULES_ONLY_IN_24 = ['mod_authz_core', 'mod_authn_core', 'mod_access_compat', 'mod_unixd', ...MPM_MODULES];

/** The place where a line is read. */
interface ReadingContext extends MacroContext, NestingDepth {
  readonly file: string;
  readonly reading: Reading;
  readonly node: FileNode;
  readonly scope: ModelScope | null;
  readonly activity: Activity;
  /** Whether a condition around the lines depends on loaded modules. */
  readonly dependsOnModules: boolean;
}

/** The parts of a file or section that are not read yet, from `nextIndex` on. */
interface UnreadParts {
  readonly parts: readonly SummaryPart[];
  nextIndex: number;
  readonly rows: number;
  readonly context: ReadingContext;
}

/** The files of an Include line that are not read yet, from `nextIndex` on. */
interface UnreadIncludes {
  readonly names: readonly string[];
  nextIndex: number;
  readonly includeNode: IncludeNode;
  readonly context: ReadingContext;
}

/** A decided condition, with what is needed to decide it again. */
interface DecidedCondition {
  /**
   * `open`: the tag as written. `expandedTag`: the tag as the server reads it; null if it has a
   * variable with an unknown value.
   */
  readonly open: Line;
  readonly expandedTag: Line | null;
  readonly body: FileSummary;
  readonly result: ConditionResult;
  readonly reading: Reading;
  /** Whether the condition is in a macro. */
  readonly isInMacro: boolean;
  /** What is known about modules at the condition. */
  readonly moduleState: ModuleState;
}

/**
 * A function on the stack of parts. It is called when everything above it on the stack has been
 * read.
 */
interface PendingCallback {
  readonly finish: () => void;
}

/** Reads one configuration under one assumption. */
class ModelReader {
  private readonly interpreter: Interpreter<ConfigView>;
  /** Modules whose LoadModule lines httpd reads under every assumption. */
  readonly certainModules = new Set<string>();
  /**
   * Paths of the files that are read under every assumption. The distribution is detected from
   * them.
   */
  private readonly layoutClues = new Set<string>();
  private readonly files = new Map<string, Reading[]>();
  private readonly includes = new Map<string, IncludeNode[]>();
  private readonly variables = new Map<string, Definition[]>();
  private readonly providers = new Set<string>();
  private knowsProviders = true;
  /**
   * The lines that name a served folder. `index`: the number of the argument with the folder.
   * `serverRoot`: the ServerRoot at the line.
   */
  private readonly linesNamingServedFolders: {
    readonly line: Line;
    readonly index: number;
    readonly serverRoot: string;
  }[] = [];
  private readonly accessFileNames = new Set<string>();
  private readonly overrideLines: OverrideLine[] = [];
  private readonly gaps: ModelGap[] = [];
  private readonly modulePaths: string[] = [];
  private readonly fileTree: FileNode;
  /** The stack of parts that are not read yet. The last item is read first. */
  private readonly pendingParts: (UnreadParts | UnreadIncludes | PendingCallback)[] = [];
  private cachedFullWalk: ModelReader | null = null;
  /** The decided conditions in order. A condition that is read twice is in the list twice. */
  private readonly decidedConditions: DecidedCondition[] = [];
  private asksForOldModule = false;
  private usesMemoryCache = false;

  /**
   * `isFull`: whether the reader also gathers the served folders and the AllowOverride lines. That
   * takes most of the time, and the result is rarely needed.
   */
  constructor(
    private readonly options: ModelOptions,
    public assumption: Assumption,
    private readonly isFull = false,
  ) {
    const { server = {} } = options;
    this.interpreter = new Interpreter({
      ...server,
      mainFile: options.mainFile,
      view: options.view,
      content: (view, path) => view.content?.(path) ?? null,
      target: options.target ?? DEFAULT_TARGET,
      builtIn: assumption.builtIn,
      knowsModules: assumption.knowsModules,
      partOf: options.partOf,
    });
    this.fileTree = { path: this.interpreter.root, name: options.mainFile, includes: [] };
  }

  get state(): ServerState {
    return this.interpreter.state;
  }

  private get view(): ConfigView {
    return this.interpreter.fileView;
  }

  /** Reads all files in steps, from the main file on. */
  *readAll(fileSummary: FileSummary): Steps<void> {
    this.interpreter.countMainFile();
    this.readFile(fileSummary, this.fileTree, null, {
      scope: null,
      activity: 'active',
      dependsOnModules: false,
      includeDepth: 0,
      nestingDepth: 0,
      unknownConditions: NO_CONDITIONS,
    });
    while (this.continueReading(ITEMS_PER_STEP)) yield;
  }

  /**
   * Decides the conditions again under another assumption. If a condition with a new result
   * contains lines that affect other lines, the configuration must be read again. Then returns
   * false and changes nothing.
   */
  redecideConditions(assumption: Assumption): boolean {
    const newResults: ConditionResult[] = [];
    for (const { open, expandedTag, body, result, isInMacro, moduleState } of this.decidedConditions) {
      // The text that a Use line inserted depends on the earlier results.
      if (isInMacro) return false;
      const newResult =
        expandedTag && dependsOnModules(open)
          ? this.state.resultUnderAssumption(expandedTag, moduleState, assumption)
          : result;
      newResults.push(newResult);
      if (newResult.activity === result.activity) continue;
      if (!hasOnlyConditions(body)) return false;
      // The conditions inside a body that was not read have no results, so a body with conditions
      // must be read again.
      if (!body.hasOnlyServingLines && (newResult.activity === 'inactive' || result.activity === 'inactive'))
        return false;
    }
    for (const { reading } of this.decidedConditions) reading.conditions.clear();
    this.decidedConditions.forEach(({ reading, open }, index) =>
      rememberResult(reading.conditions, open, newResults[index]!),
    );
    this.assumption = assumption;
    return true;
  }

  get serverRoot(): string {
    return this.state.serverRoot;
  }

  detectDistribution(): Distribution | null {
    const { serverRoot, pathMap } = this.state;
    // The copy of a server may be in any folder of this machine. So the paths on the server are
    // clues, too.
    return detectDistribution({
      files: [
        ...this.layoutClues,
        ...(pathMap.copyFolders ? [...this.layoutClues].map((file) => serverPathOf(file, pathMap)) : []),
      ],
      loadModulePaths: this.modulePaths,
      serverRoot,
    });
  }

  /** The model from everything that was read. */
  toModel(): Model {
    const { distribution, builtIn, knowsModules } = this.assumption;
    const isWithoutGaps = this.gaps.length === 0;
    /**
     * Returns a reader that also gathered the served folders and the AllowOverride lines. It reads
     * everything once more for the first query.
     */
    const fullWalk = () => this.fullWalk();
    const foundModules = new Set([...builtIn, ...this.state.modules.keys()]);
    return {
      mainFile: this.interpreter.root,
      serverRoot: this.state.serverRoot,
      pathMap: this.state.pathMap,
      startOptions: this.interpreter.startOptions,
      distribution,
      files: this.files,
      fileTree: this.fileTree,
      includes: this.includes,
      modules: knowsModules && isWithoutGaps ? foundModules : null,
      foundModules,
      lacksAccessCompat:
        isWithoutGaps &&
        this.state.modules.size > 0 &&
        !builtIn.has('mod_access_compat') &&
        !this.state.modules.has('mod_access_compat'),
      isFor24:
        this.options.server?.isFrom22 !== true &&
        ((knowsModules && this.options.server?.builtIn == null) ||
          MODULES_ONLY_IN_24.some((name) => this.state.modules.has(name))),
      asksForOldModule: this.asksForOldModule,
      usesMemoryCache: this.usesMemoryCache,
      macros: this.interpreter.macros.everDefinedMacros,
      knowsMacros: isWithoutGaps,
      providers: isWithoutGaps && this.knowsProviders ? this.providers : null,
      variables: this.variables,
      knowsVariables: isWithoutGaps,
      get servedFolders() {
        return runToEnd(fullWalk()).servedFolders();
      },
      get overrideLines() {
        return runToEnd(fullWalk()).overrideLines;
      },
      accessFileNames: this.accessFileNames.size > 0 ? [...this.accessFileNames] : ['.htaccess'],
      *gatherServedFolders() {
        yield* fullWalk();
      },
      gaps: this.gaps,
      assumption: this.assumption,
    };
  }

  private *fullWalk(): Steps<ModelReader> {
    if (this.cachedFullWalk) return this.cachedFullWalk;
    const fullReader = new ModelReader(this.options, this.assumption, true);
    yield* fullReader.readAll(this.options.view.fileSummary(this.options.mainFile) ?? EMPTY_SUMMARY);
    return (this.cachedFullWalk = fullReader);
  }

  // ---- Files ----

  private readFile(
    fileSummary: FileSummary,
    node: FileNode,
    includeNode: IncludeNode | null,
    context: Pick<
      ReadingContext,
      'scope' | 'activity' | 'dependsOnModules' | 'includeDepth' | 'nestingDepth' | 'unknownConditions'
    >,
  ): void {
    modelCounts.readings++;
    const { scope, activity, dependsOnModules, includeDepth, nestingDepth, unknownConditions } = context;
    const reading = this.newReading(node.path, fileSummary, scope, activity);
    if (includeNode && reading.includedBy.length < MAX_INCLUDED_BY) reading.includedBy.push(includeNode);
    if (!dependsOnModules) this.layoutClues.add(node.path);
    this.readSummary(fileSummary, 0, {
      file: node.path,
      reading,
      node,
      scope,
      activity,
      dependsOnModules,
      includeDepth,
      nestingDepth,
      uses: NO_USES,
      unknownConditions,
    });
  }

  /**
   * The reading of a file inside these sections. It is an earlier one if that was inside the same
   * kinds of sections.
   */
  private newReading(path: string, fileSummary: FileSummary, scope: ModelScope | null, activity: Activity): Reading {
    const containers = containersOf(scope);
    const readings = this.files.get(path) ?? [];
    if (readings.length === 0) this.files.set(path, readings);
    let reading = readings.find((earlierReading) => areSameNames(earlierReading.containers, containers));
    if (!reading)
      readings.push(
        (reading = { containers, fileSummary, activity, conditions: new Map(), uses: new Map(), includedBy: [] }),
      );
    // If one Include line certainly reads the file, the file is active, whatever other Include
    // lines do.
    if (activity === 'active') reading.activity = activity;
    return reading;
  }

  /** Puts the lines of a file or section on the stack, so that they are read next. */
  private readSummary(fileSummary: FileSummary, rows: number, context: ReadingContext): void {
    if (!this.isFull && fileSummary.hasOnlyServingLines) return;
    this.pendingParts.push({ parts: fileSummary.parts, nextIndex: 0, rows, context });
  }

  /** Reads at most `steps` parts. Returns whether there is more to read. */
  private continueReading(steps: number): boolean {
    const { pendingParts } = this;
    for (let i = 0; i < steps && pendingParts.length > 0; i++) {
      modelCounts.steps++;
      const lastPending = pendingParts[pendingParts.length - 1]!;
      if ('finish' in lastPending) {
        pendingParts.pop();
        lastPending.finish();
        continue;
      }
      const partIndex = lastPending.nextIndex++;
      if (partIndex + 1 >= ('parts' in lastPending ? lastPending.parts : lastPending.names).length) pendingParts.pop();
      if (!('parts' in lastPending)) this.readIncluded(lastPending.names[partIndex]!, lastPending);
      else if (partIndex < lastPending.parts.length) this.readPart(lastPending.parts[partIndex]!, lastPending);
    }
    return pendingParts.length > 0;
  }

  private readPart({ item, rows }: SummaryPart, { rows: rowsBefore, context }: UnreadParts): void {
    const row = rowsBefore + rows;
    if (!(item instanceof Line || item instanceof SummarySection)) this.readSummary(item, row, context);
    else if (!this.isFull && isServingItem(item)) return;
    else if (item instanceof SummarySection) this.readSection(item, row, context);
    else this.readLine(item, row, context);
  }

  private readLine(line: Line, row: number, context: ReadingContext): void {
    const { interpreter } = this;
    switch (line.name) {
      case 'include':
      case 'includeoptional':
        return this.readInclude(line, row, context);
      case 'loadmodule': {
        const { module, path } = interpreter.loadModule(line, context.activity);
        if (context.dependsOnModules) return;
        if (path !== undefined) this.modulePaths.push(path);
        if (module !== null && context.activity === 'active') this.certainModules.add(module);
        return;
      }
      case 'serverroot':
        return interpreter.setServerRoot(line);
      case 'define':
        return this.readDefine(line, row, context);
      case 'undefine':
        return interpreter.applyUndefine(line, context.activity);
      case 'use':
        return this.readUse(line, row, context);
      case 'undefmacro':
        return this.undefineMacro(line, context);
      case 'luaauthzprovider':
      case 'perladdauthzprovider':
      case 'extfilterdefine':
      case 'luaoutputfilter':
      case 'filterdeclare':
      case 'filterprovider':
      case 'perlsetoutputfilter':
        return this.recordProvider(line, 0);
      case 'registerhttpmethod':
        return argumentsOf(line).forEach((_, index) => this.recordProvider(line, index));
      case 'documentroot':
        return this.recordServedFolders(line, 0);
      case 'alias':
      case 'scriptalias':
        return this.recordServedFolders(line, 1);
      case 'cacheenable':
        this.usesMemoryCache ||= enablesMemoryCache(line);
        return;
      case 'accessfilename':
        for (const { value } of argumentsOf(interpreter.expandedLine(line) ?? line)) this.accessFileNames.add(value);
        return;
      case 'allowoverride':
      case 'allowoverridelist': {
        const expandedLine = interpreter.expandedLine(line);
        const words = expandedLine ? argumentsOf(expandedLine).map((word) => word.value) : ['${'];
        if (context.scope)
          this.overrideLines.push({ name: line.name, words, scope: context.scope, activity: context.activity });
        return;
      }
      default: {
        if (!line.name.startsWith('${')) return;
        const expandedLine = interpreter.lineNamedByVariable(line);
        if (expandedLine) return this.readLine(expandedLine, row, context);
        this.recordGap('variable-line', line, row, context, line.name);
      }
    }
  }

  private readSection(section: SummarySection, row: number, context: ReadingContext): void {
    const { open, kind, body } = section;
    const contextInside = { ...context, nestingDepth: context.nestingDepth + 1 };
    const bodyRow = row + open.lineEnds;
    if (isNestedTooDeep(context)) return this.recordGap('too-deep', open, row, context, '');
    if (kind === 'opaque') return this.recordGap('perl', open, row, context, open.name);
    if (kind === 'conditional') {
      this.asksForOldModule ||= section.asksForOldModule;
      const moduleStateBefore = this.state.moduleState;
      this.interpreter.countConditional(context);
      const conditionResult = this.interpreter.resultOfCondition(open);
      rememberResult(context.reading.conditions, open, conditionResult);
      this.decidedConditions.push({
        open,
        expandedTag: this.interpreter.expandedLine(open),
        body,
        result: conditionResult,
        reading: context.reading,
        isInMacro: context.uses.length > 0,
        moduleState: moduleStateBefore,
      });
      if (conditionResult.activity === 'inactive') return;
      return this.readSummary(body, bodyRow, {
        ...contextInside,
        dependsOnModules: context.dependsOnModules || dependsOnModules(open),
        activity: activityInside(context.activity, conditionResult.activity),
        unknownConditions:
          conditionResult.activity === 'unknown' ? [...context.unknownConditions, open] : context.unknownConditions,
      });
    }
    if (section.text !== null) return this.defineMacro(section, row, context);
    if (PROVIDER_ALIAS_SECTIONS.has(open.name)) this.recordProvider(open, 1);
    // A method in a section of the server configuration is also known in .htaccess files
    // (ap_limit_section).
    if (kind === 'limit') argumentsOf(open).forEach((_, index) => this.recordProvider(open, index));
    if (kind === 'limit' || kind === 'authorization') return this.readSummary(body, bodyRow, contextInside);
    this.readSummary(body, bodyRow, {
      ...contextInside,
      scope: new ContainerScope(this.interpreter.expandedLine(open) ?? open, context.scope),
    });
  }

  // ---- Include ----

  private readInclude(line: Line, row: number, context: ReadingContext): void {
    const { what, files, problem } = this.interpreter.findIncludedFiles(line, context.file, context);
    const node: IncludeNode = {
      line,
      file: context.file,
      row,
      what,
      activity: context.activity,
      enclosingTags: tagsAround(context.scope),
      unknownConditions: context.unknownConditions,
      files: [],
      problem: null,
    };
    context.node.includes.push(node);
    const earlierIncludes = this.includes.get(context.file);
    if (earlierIncludes) earlierIncludes.push(node);
    else this.includes.set(context.file, [node]);
    if (problem) this.recordIncludeProblem(node, problem, context, what);
    if (files.length > 0)
      this.pendingParts.push({
        names: files,
        nextIndex: 0,
        includeNode: node,
        context: { ...context, includeDepth: context.includeDepth + 1, nestingDepth: context.nestingDepth + 1 },
      });
  }

  private readIncluded(name: string, unreadIncludes: UnreadIncludes): void {
    const { includeNode, context } = unreadIncludes;
    const openedFile = this.interpreter.openFile(
      name,
      context.scope,
      (view, path) => view.fileSummary(path),
      (view, path) => view.isForeign(path),
    );
    if ('problem' in openedFile) {
      // The same problem would occur for all other names of this Include line.
      if (openedFile.problem === 'too-many' && this.pendingParts.at(-1) === unreadIncludes) this.pendingParts.pop();
      const problemPath =
        openedFile.problem === 'include-missing'
          ? this.interpreter.serverPathOfInclude(name, includeNode.what)
          : includeNode.what;
      return this.recordIncludeProblem(includeNode, openedFile.problem, context, problemPath);
    }
    const child: FileNode = { path: openedFile.path, name, includes: [] };
    includeNode.files.push(child);
    this.readFile(openedFile.content, child, includeNode, context);
  }

  private recordIncludeProblem(node: IncludeNode, reason: GapReason, context: ReadingContext, what: string): void {
    node.problem = reason;
    this.recordGap(reason, node.line, node.row, context, this.interpreter.pathForQuestion(what));
  }

  // ---- Providers, variables and macros ----

  /**
   * Records the provider that a line defines. `index`: the number of the argument with its name.
   */
  private recordProvider(line: Line, index: number): void {
    const expandedLine = this.interpreter.expandedLine(line);
    const providerName = expandedLine && argumentsOf(expandedLine)[index]?.value;
    if (providerName) this.providers.add(providerName);
    else if (!expandedLine) this.knowsProviders = false;
  }

  private readDefine(line: Line, row: number, context: ReadingContext): void {
    const expandedLine = this.interpreter.applyDefine(line, context.activity);
    const [name, value] = argumentsOf(expandedLine ?? line).map((word) => word.value);
    if (name === undefined || value === undefined) return;
    const lowerName = name.toLowerCase();
    const definitions = this.variables.get(lowerName) ?? [];
    if (definitions.length === 0) this.variables.set(lowerName, definitions);
    definitions.push({
      value: expandedLine && context.activity === 'active' ? value : null,
      file: context.file,
      line,
      row,
    });
  }

  private defineMacro({ open, text }: SummarySection, row: number, context: ReadingContext): void {
    this.interpreter.defineMacro(open, { text: text!, file: context.file, row }, context);
  }

  private undefineMacro(line: Line, context: ReadingContext): void {
    const refusal = this.interpreter.undefineMacro(line, context);
    if (refusal) this.recordUse(line, refusal, context);
  }

  /**
   * Reads the lines of a macro in the scope of the Use line. The lines count as lines of the file
   * that defines the macro.
   */
  private readUse(useLine: Line, row: number, context: ReadingContext): void {
    const { name, values, foundMacro } = this.interpreter.expandUse(useLine, context.file, context);
    if (!foundMacro) {
      this.recordUse(useLine, null, context);
      return this.recordGap('macro', useLine, row, context, name);
    }
    // If the server stops at the line, it inserts nothing, and nothing is missing.
    if ('refusedUse' in foundMacro) return this.recordUse(useLine, foundMacro.refusedUse, context);
    const { macro, text, isCertain } = foundMacro;
    if (!isCertain) this.recordGap('macro', useLine, row, context, name);
    const reading =
      macro.file === context.file
        ? context.reading
        : this.newReading(
            macro.file,
            this.view.fileSummary(macro.file) ?? EMPTY_SUMMARY,
            context.scope,
            context.activity,
          );
    const readingOfText: Reading = { ...reading, conditions: new Map(), uses: new Map() };
    const tree = treeOfText(text);
    this.pendingParts.push({
      finish: () => {
        for (const [open, result] of readingOfText.conditions) rememberResult(reading.conditions, open, result);
        if (this.isFull) return;
        const expansionContext = {
          ...readingOfText,
          expandedLine: (each: Line) => this.interpreter.expandedLine(each),
        };
        this.recordUse(useLine, isCertain ? expand(macro, values, tree, expansionContext) : null, context);
      },
    });
    this.readSummary(summarize(tree.root), macro.row + 1, {
      ...context,
      file: macro.file,
      reading: readingOfText,
      nestingDepth: context.nestingDepth + 1,
      uses: [...context.uses, macro],
    });
  }

  /**
   * Records the result of a Use line. The recorded result is null if two readings have different
   * results.
   */
  private recordUse(line: Line, result: UseResult, { reading: { uses } }: ReadingContext): void {
    const earlierResult = uses.get(line);
    uses.set(line, earlierResult === undefined || earlierResult?.key === result?.key ? result : null);
  }

  /**
   * Records a line that names a served folder. `index`: the number of the argument with the folder.
   */
  private recordServedFolders(sourceLine: Line, index: number): void {
    const expandedLine = this.interpreter.expandedLine(sourceLine);
    if (expandedLine)
      this.linesNamingServedFolders.push({ line: expandedLine, index, serverRoot: this.state.serverRoot });
  }

  private servedFolders(): readonly string[] {
    return [
      ...new Set(
        this.linesNamingServedFolders.flatMap(({ line, index, serverRoot }) => {
          const servedPath = argumentsOf(line)[index]?.value;
          return servedPath ? [resolvePath(serverRoot, servedPath)] : [];
        }),
      ),
    ];
  }

  /**
   * Records a part that could not be read. After it, there may be definitions that are not known.
   */
  private recordGap(reason: GapReason, line: Line, row: number, context: ReadingContext, what: string): void {
    this.interpreter.recordMissingLines();
    this.gaps.push({ reason, file: context.file, line, row, what, activity: context.activity });
  }
}

function dependsOnModules({ name }: Line): boolean {
  return name === 'ifmodule' || name === 'ifdirective' || name === 'ifsection';
}

/** Whether a body contains only further conditions, and lines about served folders. */
function hasOnlyConditions({ parts, hasOnlyServingLines: serves }: FileSummary): boolean {
  return (
    serves ||
    parts.every(({ item }) =>
      item instanceof Line
        ? isServingItem(item)
        : item instanceof SummarySection
          ? isServingItem(item) || (item.kind === 'conditional' && item.text === null && hasOnlyConditions(item.body))
          : hasOnlyConditions(item),
    )
  );
}

const NO_USES: readonly Macro[] = [];

const NO_CONDITIONS: readonly Line[] = [];

/**
 * Records the result of a condition. If an earlier reading had another result, the result becomes
 * `unknown`.
 */
function rememberResult(conditions: Map<Line, ConditionResult>, open: Line, result: ConditionResult): void {
  const earlierResult = conditions.get(open);
  if (!earlierResult || earlierResult.activity === result.activity) conditions.set(open, result);
  else
    conditions.set(open, {
      activity: 'unknown',
      why: 'httpd reads it more than once, and the condition is not always true',
    });
}

const NO_CONTAINERS: readonly string[] = [];

function containersOf(scope: ModelScope | null): readonly string[] {
  if (!scope) return NO_CONTAINERS;
  const containerNames: string[] = [];
  for (let enclosingScope: ModelScope | null = scope; enclosingScope; enclosingScope = enclosingScope.parent)
    containerNames.unshift(enclosingScope.name);
  return containerNames;
}

function tagsAround(scope: ModelScope | null): readonly string[] {
  const tags: string[] = [];
  for (let enclosingScope = scope; enclosingScope; enclosingScope = enclosingScope.parent)
    tags.unshift(`<${[spelledSection(enclosingScope.name), ...enclosingScope.words].join(' ')}>`);
  return tags;
}

function areSameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
